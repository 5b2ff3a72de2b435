"""Answers questions about a repair: what its edits are for, and why not another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clingo import Control, Symbol

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Contrast, Edit, RepairResult, Violation
from refract_asp.model.explanation import Explanation, difference, explanation_of
from refract_asp.model.result import Handle
from refract_asp.model.sequence import numbered
from refract_asp.rules.choices import CallId, Choices, Inner, New, Part, call_symbol, read
from refract_asp.rules.question import Answer, Problem, in_order
from refract_asp.rules.results import means_the_same, repair_result
from refract_asp.rules.solve import MAX_OPTIMA, Deadline, choice_atoms, solve
from refract_asp.rules.statements import (
    Names,
    Statement,
    demand_facts,
    read_statement,
    state_what_is_wished,
    statement_text,
)

MADE_BY = {
    "rename_tool": ("name",),
    "delete_call": ("deleted",),
    "move_call": ("moved",),
    "rename_parameter": ("renamed",),
    "drop_argument": ("dropped", "recast"),
    "fill": ("fill",),
    "rebind": ("mend", "recast"),
    "transform": ("recast",),
    "split_call": ("recast",),
}
"""Which choices, at a call or at an argument, make an edit of it."""

NOT_OFFERED = (
    "no rule offers it: what is right stays as it is, and what is new comes only from the sequence, the "
    "catalog, memory or a mapping"
)
NO_TIME = "the time ran out before it was known"


def explain(result: RepairResult) -> Explanation:
    """Explain a result; for each edit the same program is solved once more with its choice forbidden."""
    told, problem = explanation_of(result), result._handle.problem
    if not result.edits or not result.optimal:
        return told
    deadline = Deadline(problem.seconds)
    asked = problem.question()
    answer = problem.search(asked, deadline)
    if not answer.choices or not answer.optimal:
        return told
    added = iter([call for call in problem.order if not isinstance(call, int | Part)])
    reasons = []
    for reason in told.reasons:
        atoms = _atoms_of(reason.edit, answer.choices[0], added)
        if not any(answer.control.symbolic_atoms[atom] for atom in atoms):
            # as what is read from a copy
            reasons.append(reason.model_copy(update={"outcome": "follows"}))
        elif deadline.is_over:
            reasons.append(reason)
        else:
            # Each question has a control of its own: after a search for all optima, clingo's core-guided
            # search may never come back when it is asked again, and no time limit would reach it.
            control = problem.program.control(asked.facts, asked.signatures)
            compared = _compared(control, atoms, answer, deadline, result)
            reasons.append(reason.model_copy(update=compared))
    return told.model_copy(update={"reasons": tuple(reasons)})


def _compared(
    control: Control,
    atoms: Iterable[Symbol],
    answer: Answer,
    deadline: Deadline,
    result: RepairResult,
) -> dict[str, Any]:
    """Solve with the choices of an edit forbidden, and return what comes out, as fields of a reason."""
    chosen = (control.symbolic_atoms[atom] for atom in sorted(atoms))
    literals = [atom.literal for atom in chosen if atom is not None and not atom.is_fact]
    if not literals:  # it holds in any case
        return {"outcome": "none"}
    with control.backend() as backend:
        backend.add_rule([], literals)
    found = solve(control, deadline, MAX_OPTIMA, answer.priorities)
    if found.is_over or not found.models:
        return {} if found.is_over else {"outcome": "none"}
    choices = in_order(found, answer.evidence)[0]
    known = {_bare(edit) for edit in result.edits}
    extra = difference(found.cost, answer.cost)
    return {
        "outcome": "dearer" if any(extra.values()) else "equal",
        "extra": extra,
        "instead": tuple(e for e in answer.decode(choices).edits() if _bare(e) not in known),
        "unresolved": tuple(sorted(choices.unresolved - set(result.unresolved))),
    }


def _atoms_of(edit: Edit, choices: Choices, added: Iterator[CallId]) -> frozenset[Symbol]:
    """Return the choices that make an edit; none for what follows from other edits."""
    chosen = choice_atoms(choices.symbols)

    def at(names: Iterable[str], *place: object) -> frozenset[Symbol]:
        """Return the choices of some kinds whose first arguments are such a place."""
        return frozenset(
            atom
            for atom in chosen
            if atom.name in names
            and tuple(read(each) for each in atom.arguments[: len(place)]) == place
        )

    def explained(labels: Iterable[str | None]) -> frozenset[Symbol]:
        return frozenset().union(*(at(["explained"], label) for label in labels))

    if edit.kind == "add_call":
        call = next(added)
        if isinstance(call, New):
            return explained([call.label])
        if isinstance(call, Inner):
            return at(["recast"], call.call, call.parameter)
        return frozenset(atom for atom in at(["name"]) if atom.arguments[0] == call_symbol(call))
    if edit.kind == "rename_label" or edit.kind == "add_label":
        made = at(["explained"])
        return frozenset(atom for atom in made if read(atom.arguments[1]) == edit.call)
    place: list[object] = [edit.call]
    if edit.kind == "rename_parameter":
        place.append(edit.before)
    elif edit.kind not in ("rename_tool", "delete_call", "move_call"):
        renamed = {(call, new): old for (call, old), new in choices.renamed.items()}
        place.append(renamed.get((edit.call, edit.parameter), edit.parameter))  # type: ignore[union-attr, arg-type]
    found = at(MADE_BY[edit.kind], *place)
    if found or edit.kind != "rebind":
        return found
    return explained({reference.label for _, reference in numbered(edit.before)})


def _bare(edit: Edit) -> str:
    """Return what an edit does, without what it costs, what speaks for it, and what stands for a call."""
    reasons: dict[str, object] = {"cost": {}, "answers": (), "risky": None}
    if edit.kind == "delete_call":
        reasons["instead"] = None
    return repr(edit.model_copy(update=reasons))


# --- why not ... -----------------------------------------------------------------------------------


def why_not(result: RepairResult, text: str) -> Contrast:
    """Return the cheapest repair of which a statement holds, or why there is none."""
    problem: Problem = result._handle.problem
    names = Names(problem, result)
    statement = read_statement(text, names)
    text = statement_text(text, statement, names)
    tool = statement.target if statement.wish in ("call", "rename_tool") else ""
    if tool and tool not in problem.engine.index.tools:
        near = ", ".join(problem.engine.index.suggestions(tool))
        nearest = shown(f"; the nearest: {near}", LONGEST_TEXT) if near else ""
        return Contrast(statement=text, reason=f"the catalog has no tool {shown(tool)}{nearest}")
    deadline = Deadline(problem.seconds)
    found = _cheapest(problem, statement, names, deadline)
    if found is None:
        violations: tuple[Violation, ...] = ()
        reason = NO_TIME
        if not deadline.is_over:
            reason, violations = _reason(problem, statement, names, deadline, result)
        return Contrast(statement=text, reason=reason, violations=violations)
    base = result.total
    if (
        problem.tied
    ):  # the answer pays for a call that is left, and each of the tied tools is cheaper
        base = problem.search(problem.question(problem.left), deadline).cost or base
    extra = difference(found.total, base)
    if means_the_same(result, found):
        return Contrast(statement=text, result=result, is_answer=True, extra=extra)
    if failures := problem.failures(found):
        return Contrast(statement=text, reason=_leaves(failures), violations=failures)
    found._handle = Handle(instance=problem.instance, beside=result.edits)
    return Contrast(statement=text, result=found, is_answer=False, extra=extra)


def _cheapest(
    problem: Problem, statement: Statement, names: Names, deadline: Deadline
) -> RepairResult | None:
    """Return the cheapest repair of which a statement holds, or None."""
    left = problem.left
    while True:
        asked = problem.question(left)
        asked = asked.with_facts(demand_facts(statement, names, asked.evidence))
        answer = problem.search(asked, deadline, "modes/insist.lp")
        if not answer.choices:
            return None
        result = repair_result(problem, answer)
        further = problem.discordant(result.origins, result.sequence)
        further -= left | set(result.unresolved)
        if not further:
            return result
        left |= further


def _reason(
    problem: Problem,
    statement: Statement,
    names: Names,
    deadline: Deadline,
    result: RepairResult,
) -> tuple[str, tuple[Violation, ...]]:
    """Say why no repair has it: what would be wrong with the sequence that has it and as little else."""
    asked = problem.question(problem.left)
    evidence = asked.evidence
    state_what_is_wished(statement, names, evidence)
    asked = asked.with_facts([*evidence.facts, *demand_facts(statement, names, evidence)])
    answer = problem.search(asked, deadline, "modes/insist.lp", "modes/relaxed.lp")
    if not answer.choices:
        return NO_TIME if answer.is_over else NOT_OFFERED, ()
    decoded = answer.decode(answer.choices[0])
    places = dict(enumerate(decoded.order))
    violations = []
    for violation in problem.violations_of(decoded.sequence):
        at = places.get(-1 if violation.call is None else violation.call)
        if at not in result.unresolved:  # as wrong as in the answer
            number = at if isinstance(at, int) else violation.call
            violations.append(violation.model_copy(update={"call": number}))
    return _leaves(violations) if violations else NOT_OFFERED, tuple(violations)


def _leaves(violations: Iterable[Violation]) -> str:
    """Say why a repair is none: what would be wrong."""
    told = "; ".join(dict.fromkeys(violation.message for violation in violations))
    return f"it would leave: {told}"
