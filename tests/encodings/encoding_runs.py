"""
Runs tiny instances, written as facts, through the encodings as they are shipped, with plain clingo.

Tests of a folder here mirror that folder of `encodings/`. `violations` is what `check` says of the
facts; `optima` gives the cheapest repairs, `possible` all that some admissible repair would do,
whatever it costs. What `check` finds is handed on to the repair, as `repair` itself does it. Where an
instance has goals the files for goals are loaded too; `fewer` asks for the level `cheapest`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from clingo import Control, Function, Model, Symbol
from clingo.ast import ASTType, parse_files

from refract_asp.resources import cost_model_path, encodings_path
from refract_asp.rules.program import (
    DOUBTS,
    NAMES_FILES,
    PLAN_GIVEN,
    RELAXED,
    SOLVE_OPTIONS,
    STRICT,
)
from refract_asp.rules.reading import ENTRIES, included

Atoms = frozenset[str]

MINIMIZE = "costs/minimize.lp"
UNJUDGED = """
in_unjudged(X) :- in_executed(X).
in_unlabelled(X) :- in_call(X), #count { Label : in_label(X, Label) } = 0.
"""
"""What was executed is not judged, and some calls bear no label; Python states that of each such call."""


@dataclass(frozen=True)
class Optima:
    """
    The cheapest repairs of an instance.

    Attributes:
        answers: the `out_` atoms of each, as text.
        cost: what each of them costs, by priority.
    """

    answers: set[Atoms]
    cost: dict[int, int]

    @property
    def only(self) -> Atoms:
        """The one cheapest repair; a second one is a failure."""
        assert len(self.answers) == 1, self
        (answer,) = self.answers
        return answer

    def paid(self, kind: str = "") -> list[str]:
        """Return the penalties of the one cheapest repair, or those of a kind, as `kind units place`."""
        found = [atom for atom in self.only if atom.startswith(f"out_penalty({kind}")]
        exact = [atom for atom in found if not kind or atom.startswith(f"out_penalty({kind},")]
        return sorted(atom.removeprefix("out_penalty(")[:-1] for atom in exact)


def files_of(*names: str) -> list[str]:
    """Return files of the encodings, in place of each entry those that it names, each once."""
    found = [included(encodings_path(), name) if name in ENTRIES else [name] for name in names]
    return list(dict.fromkeys(each for part in found for each in part))


def run(options: Iterable[str], files: Iterable[Path], text: str) -> Iterator[Model]:
    """Ground and solve files and a text with plain clingo; whatever clingo remarks is a failure."""
    remarks: list[str] = []
    control = Control(list(options), logger=lambda code, message: remarks.append(message))
    for path in files:
        control.load(str(path))
    control.add("base", [], text)
    control.ground([("base", [])])
    assert not remarks, remarks
    with control.solve(yield_=True) as handle:
        yield from handle


@cache
def declared() -> frozenset[tuple[str, int]]:
    """Return the input predicates that the encodings declare."""
    found: set[tuple[str, int]] = set()

    def visit(node: object) -> None:
        if node.ast_type is ASTType.Defined:  # type: ignore[attr-defined]
            found.add((node.name, node.arity))  # type: ignore[attr-defined]

    files = [str(encodings_path() / name) for name in ("defined.lp", "modes/defined.lp")]
    parse_files(files, visit)
    return frozenset(found)


def shown(symbols: Iterable[Symbol]) -> Atoms:
    """Return atoms as text."""
    return frozenset(map(str, symbols))


def stated(facts: str) -> None:
    """Refuse facts that no encoding could mean, so that a slip in a test does not pass unseen."""
    for model in run(["--warn=none"], (), facts):
        unknown = {(s.name, len(s.arguments)) for s in model.symbols(atoms=True)} - declared()
        assert not unknown, unknown


def loaded(facts: str, fewer: bool = False) -> list[Path]:
    """Return the files that `repair` loads for an instance, without the cost model."""
    signs = {"goals.lp": "in_goal(", "plan.lp": "in_result("}
    needed = [name for name, sign in signs.items() if sign in facts] + ["compress.lp"] * fewer
    return [encodings_path() / name for name in files_of("repair.lp", *needed)]


def found_by_check(facts: str) -> list[Symbol]:
    """Return the violations that `check` shows."""
    stated(facts)
    names = files_of("check.lp", *(("plan.lp", PLAN_GIVEN) if "in_result(" in facts else ()))
    files = [encodings_path() / name for name in names]
    (symbols,) = [model.symbols(shown=True) for model in run((), files, facts + UNJUDGED)]
    return [symbol for symbol in symbols if symbol.name == "out_violation"]


def doubts(facts: str) -> set[str]:
    """Return what the rules in `names/` say of facts, as it enters the repair."""
    files = [encodings_path() / name for name in NAMES_FILES]
    show = "#show. " + "".join(
        f"#show in_{name}({{0}}) : {name}({{0}}). ".format(", ".join("ABCDEFG"[:arity]))
        for name, arity in DOUBTS
    )
    (symbols,) = [model.symbols(shown=True) for model in run(["--warn=none"], files, facts + show)]
    return set(shown(symbols))


def with_violations(facts: str) -> str:
    """
    Return facts with the violations that `check` finds, the calls in which it finds them, and the doubts
    of names.

    All calls are in reach unless the facts say so.
    """
    wrong = found_by_check(facts)
    found = {str(Function("in_violation", symbol.arguments)) for symbol in wrong}
    places = [symbol.arguments[1] for symbol in wrong]
    faulty = [place.arguments[0].number for place in places if place.name not in ("call", "goal")]
    found |= {f"in_faulty({number})" for number in faulty if number >= 0}
    found |= doubts(facts)
    reach = "" if "in_reach(" in facts else "in_reach(100)."
    return "\n".join([facts, UNJUDGED, reach, *(f"{atom}." for atom in sorted(found))])


def violations(facts: str) -> set[str]:
    """Return the violations of a given sequence as `check` shows them."""
    return set(shown(found_by_check(facts)))


def optima(
    facts: str,
    model: str = "default",
    rules: str = "",
    mode: str | None = None,
    constants: dict[str, int] | None = None,
    fewer: bool = False,
) -> Optima:
    """
    Return the cheapest repairs of a given sequence.

    `model` names a shipped cost model, or is the text of one; `rules` are added as they stand; `mode`
    names a file of modes/; `constants` are those of `-c`; `fewer` asks for fewer calls.
    """
    files = loaded(facts, fewer)
    text = with_violations(facts) + rules
    text += model if "." in model else cost_model_path(model).read_text("utf-8")
    if mode is not None:
        files.append(encodings_path() / "modes" / f"{mode}.lp")
    answers: set[Atoms] = set()
    cost: dict[int, int] = {}
    given = []
    # clingo takes no -c for what a model overrides
    for name, value in (constants or {}).items():
        text, found = re.subn(rf"(#const {name}) = \d+(?=\. \[)", rf"\1 = {value}", text)
        given += [] if found else [f"-c {name}={value}"]
    for each in run([*SOLVE_OPTIONS, *given, "0"], files, text):
        if each.optimality_proven or not each.cost:
            answers.add(shown(each.symbols(shown=True)))
            cost = dict(zip(each.priority, each.cost, strict=True))
    return Optima(answers, cost)


def possible(facts: str, rules: str = "", constants: Any = None, fewer: bool = False) -> set[str]:
    """Return every `out_` atom that some admissible repair has, whatever it costs."""
    files = [path for path in loaded(facts, fewer) if path != encodings_path() / MINIMIZE]
    given = [f"-c {name}={value}" for name, value in (constants or {}).items()]
    options = ["--enum-mode=brave", "--opt-mode=ignore", "--warn=none", *given, "0"]
    last: Atoms = frozenset()
    for each in run(options, files, with_violations(facts) + rules):
        last = shown(each.symbols(shown=True))
    return set(last)


def every_answer(facts: str) -> list[Atoms]:
    """Return what each admissible repair of a given sequence shows, whatever it costs."""
    files = [encodings_path() / name for name in files_of("repair.lp", "costs/default.lp")]
    models = run(["--opt-mode=ignore", "0"], files, with_violations(facts))
    return [shown(model.symbols(shown=True)) for model in models]


def relaxed(facts: str) -> set[str]:
    """Return what is wrong with the least wrong sequence of which a demand holds."""
    names = [RELAXED if name == STRICT else name for name in files_of("repair.lp")]
    files = [encodings_path() / name for name in (*names, "modes/insist.lp", "costs/default.lp")]
    given, demands = facts.partition("in_insist(")[::2]
    text = f"{with_violations(given)}in_insist({demands}#show violation/2. #show standing/3."
    best: set[str] | None = None
    for model in run(SOLVE_OPTIONS, files, text):
        wrong = ("violation", "standing")
        atoms = [atom for atom in shown(model.symbols(shown=True)) if atom.startswith(wrong)]
        best = {atom.removeprefix("violation") for atom in atoms}
    assert best is not None, "nothing meets the demand"
    return best
