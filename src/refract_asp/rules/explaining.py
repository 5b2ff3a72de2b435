"""Compares each edit of an answer with the cheapest repair that does without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clingo import Control, Symbol, SymbolType

from refract_asp.model import Edit, RepairResult
from refract_asp.model.contrast import difference
from refract_asp.model.explanation import Explanation, Reason, explanation_of
from refract_asp.model.sources import numbered
from refract_asp.rules.choices import CallId, Choices, Inner, New, Part
from refract_asp.rules.decode import decode
from refract_asp.rules.demands import call_symbol
from refract_asp.rules.judge import Judgement, Question, in_order, search
from refract_asp.rules.others import choice_atoms
from refract_asp.rules.solve import MAX_OPTIMA, Deadline, solve
from refract_asp.rules.symbols import plain

if TYPE_CHECKING:
    from refract_asp.rules.again import Again

__all__ = ["explained"]

CALLS = {"rename_tool": "name", "delete_call": "deleted", "move_call": "moved"}
"""Which choice makes an edit of a call."""
ARGUMENTS = {
    "drop_argument": ("dropped", "recast"),
    "fill": ("fill",),
    "rebind": ("mend", "recast"),
    "transform": ("recast",),
    "split_call": ("recast",),
}
"""Which choices at an argument make an edit of it."""


def explained(again: Again, result: RepairResult) -> Explanation:
    """Explain a result; for each edit the same program is solved once more with its choice forbidden."""
    told = explanation_of(result)
    deadline = Deadline(again.seconds)
    if not result.edits or not result.optimal:
        return told
    asked = again.engine.question(again.case, again.case.left | again.case.tied)
    program = again.engine.program_for(again.case.instance)
    judgement = search(program, asked, deadline, again.engine.cost_model)
    if not judgement.choices or not judgement.answer.optimal:
        return told
    choices = _Choices(judgement.choices[0], again.order)
    known = {_bare(edit) for edit in result.edits}
    reasons = []
    for reason in told.reasons:
        atoms = choices.of(reason.edit)
        if not any(judgement.control.symbolic_atoms[atom] for atom in atoms):
            reasons.append(reason.model_copy(update={"outcome": "follows"}))  # as what is read from a copy
        elif deadline.is_over:
            reasons.append(reason)
        else:
            control = program.control(asked.facts, asked.signatures)
            reasons.append(_compared(reason, control, atoms, judgement, asked, deadline, result, known))
    return told.model_copy(update={"reasons": tuple(reasons)})


def _compared(
    reason: Reason,
    control: Control,
    atoms: frozenset[Symbol],
    judgement: Judgement,
    asked: Question,
    deadline: Deadline,
    result: RepairResult,
    known: set[str],
) -> Reason:
    """
    Solve with the choices of an edit forbidden, and tell what comes out.

    Each question has a control of its own: after a search for all optima, clingo's core-guided search may
    never come back when it is asked again, and no time limit would reach it.
    """
    if not _forbidden(control, atoms):  # it holds in any case
        return reason.model_copy(update={"outcome": "none"})
    answer = solve(control, deadline, MAX_OPTIMA, judgement.priorities)
    if answer.is_over:
        return reason
    if not answer.models:
        return reason.model_copy(update={"outcome": "none"})
    choices = in_order(answer, asked.evidence)[0]
    other = decode(asked.evidence, choices, judgement.weights)
    extra = difference(answer.cost, judgement.answer.cost)
    return reason.model_copy(
        update={
            "outcome": "dearer" if any(extra.values()) else "equal",
            "extra": extra,
            "instead": tuple(edit for edit in other.edits() if _bare(edit) not in known),
            "unresolved": tuple(sorted(choices.unresolved - set(result.unresolved))),
        }
    )


def _forbidden(control: Control, atoms: Iterable[Symbol]) -> bool:
    """Forbid that the choices of an edit are all made; whether that is possible: some hold in any case."""
    found = [control.symbolic_atoms[atom] for atom in sorted(atoms)]
    literals = [atom.literal for atom in found if atom is not None and not atom.is_fact]
    if literals:
        with control.backend() as backend:
            backend.add_rule([], literals)
    return bool(literals)


class _Choices:
    """The choices of an answer, to be looked up by what an edit says."""

    def __init__(self, choices: Choices, order: Iterable[CallId]) -> None:
        self.renamed = {(call, new): old for (call, old), new in choices.renamed.items()}
        self.chosen = choice_atoms(choices.symbols)
        self.added = iter([call for call in order if not isinstance(call, int | Part)])

    def of(self, edit: Edit) -> frozenset[Symbol]:
        """Return the choices that make an edit; none for what follows from other edits."""
        if edit.kind == "add_call":
            return self._of_added(next(self.added))
        assert edit.call is not None
        if edit.kind in CALLS:
            return self._at(CALLS[edit.kind], edit.call)
        if edit.kind == "rename_label" or edit.kind == "add_label":
            return frozenset(a for a in self._all("explained") if _number(a.arguments[1]) == edit.call)
        if edit.kind == "rename_parameter":
            return self._at("renamed", edit.call, edit.before)
        given = self.renamed.get((edit.call, edit.parameter), edit.parameter)  # type: ignore[union-attr]
        found = frozenset(atom for name in ARGUMENTS[edit.kind] for atom in self._at(name, edit.call, given))
        if found or edit.kind != "rebind":
            return found
        labels = {reference.label for _, reference in numbered(edit.before)}
        return frozenset(a for a in self._all("explained") if plain(a.arguments[0]) in labels)

    def _all(self, name: str) -> list[Symbol]:
        return [atom for atom in self.chosen if atom.name == name]

    def _at(self, name: str, call: int, parameter: str | None = None) -> frozenset[Symbol]:
        return frozenset(
            atom
            for atom in self._all(name)
            if _number(atom.arguments[0]) == call
            and (parameter is None or plain(atom.arguments[1]) == parameter)
        )

    def _of_added(self, call: CallId) -> frozenset[Symbol]:
        if isinstance(call, New):
            made = [a for a in self._all("explained") if plain(a.arguments[0]) == call.label]
            return frozenset(made)
        if isinstance(call, Inner):
            return self._at("recast", call.call, call.parameter)
        return frozenset(a for a in self._all("name") if a.arguments[0] == call_symbol(call))


def _number(symbol: Symbol) -> int | None:
    return symbol.number if symbol.type is SymbolType.Number else None


def _bare(edit: Edit) -> str:
    """Return what an edit does, without what it costs, what speaks for it, and what stands for a call."""
    reasons: dict[str, object] = {"cost": {}, "answers": (), "risky": None}
    if edit.kind == "delete_call":
        reasons["instead"] = None
    return repr(edit.model_copy(update=reasons))
