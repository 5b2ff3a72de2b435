"""Looks at a cost model and rules of one's own as a whole, and tells all that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from clingo.ast import ASTType

from refract_asp.errors import EncodingError, UnknownCostModelError
from refract_asp.rules.findings import Finding
from refract_asp.rules.guard import refusals
from refract_asp.rules.parts import MODEL_ONLY, Parts
from refract_asp.rules.program import TREES, Program, check_program, model_file, read_parts, repair_program
from refract_asp.rules.ranking import Criterion, criteria_of, off_of
from refract_asp.rules.reading import load
from refract_asp.rules.remarks import remarks

__all__ = ["Stated", "examine", "stated"]


def examine(
    cost_model: str | Path, encodings: Path | None = None, extra: Iterable[Path] = ()
) -> list[Finding]:
    """
    Return all that is wrong with a cost model and files of rules, in the order of files and lines.

    What is found without grounding is told all at once; only where that is nothing is the program tried.

    Raises:
        UnknownCostModelError: no cost model bears the name.
    """
    files = tuple(extra)
    found: list[Finding] = []
    try:
        with TREES:
            program = Program()
            parts = read_parts(program, cost_model, encodings, files)
            parts.constants = program.constants
            found += [*refusals(parts), *remarks(parts)]
        if not any(finding.severity == "error" for finding in found):
            repair_program(cost_model, encodings, files)
            check_program(encodings, files)
    except UnknownCostModelError:
        raise
    except EncodingError as error:
        found.append(Finding("encoding", error.what, error.where, error.hint))
    return sorted(dict.fromkeys(found), key=_place)


def _place(finding: Finding) -> tuple[str, int]:
    name, _, line = finding.where.rpartition(":")
    return (name, int(line)) if line.isdigit() else (finding.where, 0)


@dataclass(frozen=True, slots=True)
class Stated:
    """
    What the file of a cost model says.

    Attributes:
        path: the file.
        text: all of it.
        criteria: what is ranked, in the order of the file.
        off: the kinds of penalties that are free on purpose.
        says: what it states besides, as `name_by(fit)`.
        kinds: the kinds of penalties that it derives itself.
        weak: how many weak constraints of its own it has.
        constants: name to value.
    """

    path: Path
    text: str
    criteria: tuple[Criterion, ...]
    off: tuple[str, ...]
    says: tuple[str, ...]
    kinds: tuple[str, ...]
    weak: int
    constants: Mapping[str, int]


def stated(cost_model: str | Path, encodings: Path | None = None) -> Stated:
    """
    Return what a cost model says, as it stands in its file.

    Raises:
        EncodingError: the file cannot be read or parsed.
    """
    path = model_file(cost_model, encodings)
    with TREES:
        nodes, constants = load(path)
        parts = Parts(ranking=nodes, constants=constants)
        says = MODEL_ONLY - {("criterion_off", 1)}
        return Stated(
            path=path,
            text=path.read_text("utf-8"),
            criteria=tuple(each for _, each in criteria_of(nodes, constants)),
            off=tuple(kind for _, kind in off_of(nodes)),
            says=tuple(
                str(node).rstrip(".")
                for node in nodes
                if any(head.predicate in says for head in parts.derived(node))
            ),
            kinds=tuple(sorted(parts.kinds(nodes))),
            weak=sum(node.ast_type is ASTType.Minimize for node in nodes),
            constants=dict(constants),
        )
