"""Answers questions about a repair: what its edits are for, and why not another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Control, Symbol, SymbolType

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Contrast, Edit, RepairResult, Violation
from refract_asp.model.explanation import Explanation, Reason, difference, explanation_of
from refract_asp.model.result import Handle
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sources import numbered
from refract_asp.rules.choices import CallId, Choices, Inner, New, Part
from refract_asp.rules.decode import decode
from refract_asp.rules.fitting import discordant
from refract_asp.rules.judge import Case, Judgement, Question, in_order, search
from refract_asp.rules.results import means_the_same, repair_result
from refract_asp.rules.slicing import ANY, Signature
from refract_asp.rules.solve import MAX_OPTIMA, Deadline, choice_atoms, solve
from refract_asp.rules.statements import (
    Names,
    Statement,
    Wish,
    call_symbol,
    demand_facts,
    read_statement,
    state_what_is_wished,
)
from refract_asp.rules.symbols import plain

if TYPE_CHECKING:
    from refract_asp.rules.choices import CallId
    from refract_asp.rules.engine import Engine

__all__ = [
    "Again",
    "explained",
]


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
            reasons.append(
                reason.model_copy(update={"outcome": "follows"})
            )  # as what is read from a copy
        elif deadline.is_over:
            reasons.append(reason)
        else:
            control = program.control(asked.facts, asked.signatures)
            reasons.append(
                _compared(reason, control, atoms, judgement, asked, deadline, result, known)
            )
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
            return frozenset(
                a for a in self._all("explained") if _number(a.arguments[1]) == edit.call
            )
        if edit.kind == "rename_parameter":
            return self._at("renamed", edit.call, edit.before)
        given = self.renamed.get((edit.call, edit.parameter), edit.parameter)  # type: ignore[union-attr]
        found = frozenset(
            atom for name in ARGUMENTS[edit.kind] for atom in self._at(name, edit.call, given)
        )
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


NOT_OFFERED: dict[Wish, str] = {
    "keep_call": "no sequence that the rules can reach has it",
    "delete": "nothing would be wrong without it, but no rule of this cost model leaves out that call",
    "rename_tool": "no rule gives that call this tool: a tool that is right stays, and a wrong one becomes "
    "one with a like name or fitting arguments",
    "call": "no rule adds such a call: no reference demands one, and nothing that is missing comes from it",
    "keep": "no sequence that the rules can reach has it",
    "drop": "nothing would be wrong without it, but no rule leaves out an argument that is right",
    "ask": "nothing would be wrong with it, but no rule asks for what is right",
    "read": "no rule offers that value: what is right stays as it is, and a new value comes only from the "
    "sequence, the catalog, memory or a mapping",
    "rename": "no rule offers it: an argument that is right stays, and a wrong one goes to a free parameter "
    "that is like it",
}
"""Why a repair does not do what nothing is wrong with."""
NO_TIME = "the time ran out before it was known"
INSIST: frozenset[Signature] = frozenset({("in_insist", 2, ANY)})


@dataclass(frozen=True, slots=True)
class Again:
    """
    What a result keeps, so that more can be asked about it.

    Attributes:
        engine: what found the answer.
        case: the given sequence, and what was wrong with it.
        order: which call each one of the repaired sequence is.
        seconds: how long each further question may take, or None.
    """

    engine: Engine
    case: Case
    order: Sequence[CallId]
    seconds: float | None = None

    def held_by(self, result: RepairResult) -> RepairResult:
        """Let a result hold this, and return it."""
        result._handle = Handle(self, self.case.instance)
        return result

    def explanation(self, result: RepairResult) -> Explanation:
        """Say what a result costs, and compare each edit with the cheapest repair without it."""
        return explained(self, result)

    # -- why not ... -----------------------------------------------------------

    def why_not(self, result: RepairResult, text: str) -> Contrast:
        """Return the cheapest repair of which a statement holds, or why there is none."""
        names = Names(self.case.instance, result.sequence, self.order, result.unresolved)
        statement = read_statement(text, names)
        text = _statement_text(text, statement, names)
        tool = statement.target if statement.wish in ("call", "rename_tool") else ""
        if tool and tool not in self.engine.index.tools:
            near = self.engine.index.suggestions(tool)
            are = "is" if len(near) == 1 else "are"
            nearest = f"; the nearest {are} {', '.join(near)}" if near else ""
            return Contrast(
                statement=text,
                reason=f"the catalog has no tool {shown(tool)}{shown(nearest, LONGEST_TEXT)}",
            )
        deadline = Deadline(self.seconds)
        found = self._cheapest([statement], names, deadline)
        if found is not None:
            base = self._base_cost(result, deadline)
            is_answer = means_the_same(result, found)
            chosen = result if is_answer else found
            failures = () if is_answer else self.engine.failures(found, self.case.instance)
            if failures:
                return Contrast(statement=text, reason=_leaves(failures), violations=failures)
            if not is_answer:
                found._handle = Handle(instance=self.case.instance, beside=result.edits)
            extra = difference(found.total, base)
            return Contrast(statement=text, result=chosen, is_answer=is_answer, extra=extra)
        if deadline.is_over:
            return Contrast(statement=text, reason=NO_TIME)
        reason, violations = self._reason([statement], names, deadline, result)
        return Contrast(statement=text, reason=reason, violations=violations)

    def _base_cost(self, result: RepairResult, deadline: Deadline) -> dict[int, int]:
        """
        Return the cost of the cheapest repair.

        Where a tie was not decided, the answer pays for a call that is left, and each of the tied tools is
        cheaper.
        """
        if not self.case.tied:
            return result.total
        asked = self.engine.question(self.case, self.case.left)
        judgement = search(
            self.engine.program_for(self.case.instance), asked, deadline, self.engine.cost_model
        )
        return judgement.answer.cost or result.total

    def _cheapest(
        self, statements: list[Statement], names: Names, deadline: Deadline
    ) -> RepairResult | None:
        """Return the cheapest repair of which the statements hold, or None."""
        left = set(self.case.left)
        while True:
            asked = self.engine.question(self.case, left)
            judgement = self._search(asked, statements, names, deadline, "modes/insist.lp")
            if not judgement.choices:
                return None
            result, _ = repair_result(
                self.case.verdicts, asked.evidence, judgement, self.case.same, self.engine.confirm
            )
            pairs = zip(result.origins, result.sequence.calls, strict=True)
            further = discordant(self.case.instance, pairs) - left - set(result.unresolved)
            if not further:
                return result
            left |= further

    def _search(
        self,
        asked: Question,
        statements: list[Statement],
        names: Names,
        deadline: Deadline,
        *modes: str,
    ) -> Judgement:
        demands: list[Symbol] = demand_facts(statements, names, asked.evidence)
        facts = [*asked.facts, *demands]
        held = Question(asked.evidence, facts, asked.signatures | INSIST)
        program = self.engine.program_for(self.case.instance).with_files(*modes)
        return search(program, held, deadline, self.engine.cost_model)

    def _reason(
        self, statements: list[Statement], names: Names, deadline: Deadline, result: RepairResult
    ) -> tuple[str, tuple[Violation, ...]]:
        """Say why no repair has it: what would be wrong with the sequence that has it and as little else."""
        not_offered = NOT_OFFERED[statements[0].wish]
        asked = self.engine.question(self.case, self.case.left)
        state_what_is_wished(statements, names, asked.evidence)
        facts = list(dict.fromkeys([*asked.facts, *asked.evidence.facts]))
        signatures = asked.signatures | {(*each, ANY) for each in asked.evidence.predicates}
        wider = Question(asked.evidence, facts, signatures)
        judgement = self._search(
            wider, statements, names, deadline, "modes/insist.lp", "modes/relaxed.lp"
        )
        if not judgement.choices:
            return NO_TIME if judgement.answer.is_over else not_offered, ()
        decoded = decode(wider.evidence, judgement.choices[0], judgement.weights)
        violations = []
        for violation in self.engine.violations_of(decoded.sequence, self.case.instance):
            at = dict(enumerate(decoded.order)).get(
                -1 if violation.call is None else violation.call
            )
            if at in result.unresolved:  # as wrong as in the answer
                continue
            number = at if isinstance(at, int) else violation.call
            violations.append(violation.model_copy(update={"call": number}))
        if not violations:
            return not_offered, ()
        return _leaves(violations), tuple(violations)


def _leaves(violations: Iterable[Violation]) -> str:
    """Say why a repair is none: what would be wrong."""
    told = "; ".join(dict.fromkeys(violation.message for violation in violations))
    return f"it would leave: {told}"


def _statement_text(text: str, statement: Statement, names: Names) -> str:
    """Return a statement as it is told, on one line, without a value that is secret."""
    if statement.source is not None and isinstance(statement.call, int):
        call = names.instance.call(statement.call)
        now = names.repaired.get(statement.call, call)
        tools, secrets = [call.name, now.name], names.instance.index.secrets
        if secrets.argument(tools, [statement.parameter], statement.source) is not statement.source:
            text = f"{text.partition('=')[0].strip()} = {HIDDEN}"
    return shown(" ".join(text.split()), LONGEST_TEXT)
