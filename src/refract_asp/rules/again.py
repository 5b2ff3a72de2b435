"""Asks again about a repair that was found: what another one would cost, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Symbol

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Contrast, RepairResult, Violation
from refract_asp.model.contrast import difference
from refract_asp.model.explanation import Explanation
from refract_asp.model.result import Handle
from refract_asp.model.secret_names import HIDDEN
from refract_asp.rules.ambiguity import means_the_same
from refract_asp.rules.decode import decode
from refract_asp.rules.demands import demand_facts, state_what_is_wished
from refract_asp.rules.explaining import explained
from refract_asp.rules.fitting import discordant
from refract_asp.rules.judge import Case, Judgement, Question, search
from refract_asp.rules.results import repair_result
from refract_asp.rules.slicing import ANY, Signature
from refract_asp.rules.solve import Deadline
from refract_asp.rules.statements import Names, Statement, Wish, read_statement

if TYPE_CHECKING:
    from refract_asp.rules.choices import CallId
    from refract_asp.rules.engine import Engine

__all__ = ["Again"]

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
                statement=text, reason=f"the catalog has no tool {shown(tool)}{shown(nearest, LONGEST_TEXT)}"
            )
        deadline = Deadline(self.seconds)
        found = self._cheapest([statement], names, deadline)
        if found is not None:
            base = self._base_cost(result, deadline)
            is_answer = means_the_same(result, found)
            chosen = result if is_answer else found
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

    def _cheapest(self, statements: list[Statement], names: Names, deadline: Deadline) -> RepairResult | None:
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
        self, asked: Question, statements: list[Statement], names: Names, deadline: Deadline, *modes: str
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
        judgement = self._search(wider, statements, names, deadline, "modes/insist.lp", "modes/relaxed.lp")
        if not judgement.choices:
            return NO_TIME if judgement.answer.is_over else not_offered, ()
        decoded = decode(wider.evidence, judgement.choices[0], judgement.weights)
        violations = []
        for violation in self.engine.violations_of(decoded.sequence, self.case.instance):
            at = dict(enumerate(decoded.order)).get(-1 if violation.call is None else violation.call)
            if at in result.unresolved:  # as wrong as in the answer
                continue
            number = at if isinstance(at, int) else violation.call
            violations.append(violation.model_copy(update={"call": number}))
        if not violations:
            return not_offered, ()
        told = "; ".join(dict.fromkeys(violation.message for violation in violations))
        return f"it would leave: {told}", tuple(violations)


def _statement_text(text: str, statement: Statement, names: Names) -> str:
    """Return a statement as it is told, on one line, without a value that is secret."""
    if statement.source is not None and isinstance(statement.call, int):
        call = names.instance.call(statement.call)
        now = names.repaired.get(statement.call, call)
        tools, secrets = [call.name, now.name], names.instance.index.secrets
        if secrets.argument(tools, [statement.parameter], statement.source) is not statement.source:
            text = f"{text.partition('=')[0].strip()} = {HIDDEN}"
    return shown(" ".join(text.split()), LONGEST_TEXT)
