"""Tells which constants of a cost model are the weights of which criteria."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clingo.ast import ASTType

from refract_asp.errors import EncodingError
from refract_asp.rules.judge import criteria
from refract_asp.rules.program import Program, repair_program
from refract_asp.rules.reading import load, short_name

__all__ = ["ModelWeights", "model_weights"]

_CRITERION = re.compile(r"criterion\((\w+),\w+,(\w+)\)\.")
_NAME = re.compile(r"\b[a-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class ModelWeights:
    """
    The weights of a cost model.

    Attributes:
        kinds: the weight of each kind of penalty that a criterion ranks.
        constants: for each kind whose weight is a constant of the model file, and nothing else, its name.
        values: the value of each of these constants.
        levels: the levels of all criteria.
    """

    kinds: dict[str, int]
    constants: dict[str, str]
    values: dict[str, int]
    levels: frozenset[int]


def model_weights(
    model: Path,
    encodings: Path | None = None,
    extra: tuple[Path, ...] = (),
    constants: dict[str, int] | None = None,
) -> ModelWeights:
    """
    Read the weights of a cost model.

    Args:
        model: its file.
        encodings: folder that takes the place of the shipped encodings.
        extra: files with rules of one's own.
        constants: values for constants, in place of those in the files.

    Raises:
        EncodingError: the model cannot be used, or has two criteria of one kind on one level.
    """
    program = repair_program(model, encodings, extra, constants)
    control = program.control(())
    kinds, levels = criteria(control)
    told = Counter(str(a.symbol.arguments[0]) for a in control.symbolic_atoms.by_signature("criterion", 3))
    twice = sorted(kind for kind, count in told.items() if count > 1)
    if twice and len(levels) == 1:
        raise EncodingError(
            f"the model has more than one criterion for {', '.join(twice)}.",
            where=short_name(model),
            hint="Add their weights up in one.",
        )
    own = load(model)[1]
    named = _named(program)
    found = {kind: name for kind, name in named.items() if kind in kinds and name in own}
    return ModelWeights(
        kinds={kind: weight for kind, weight in kinds.items() if not kind.startswith("ask_named_after")},
        constants=found,
        values={name: program.constant(name, own[name]) for name in dict.fromkeys(found.values())},
        levels=frozenset(levels),
    )


def _named(program: Program) -> dict[str, str]:
    """Return the constant that is the weight of each kind, where it is nothing else."""
    found: dict[str, str] = {}
    used: Counter[str] = Counter()
    for node in program.nodes:
        if node.ast_type is ASTType.Definition:
            continue
        written = str(node)
        match = _CRITERION.fullmatch(written.replace(" ", ""))
        if match:
            found[match[1]] = match[2]
            written = written.replace(match[2], "")
        used.update(_NAME.findall(written))
    return {kind: name for kind, name in found.items() if not used[name]}
