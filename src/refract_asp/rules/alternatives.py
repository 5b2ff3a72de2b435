"""Other repairs than the answer: those that are as cheap, and on request the next best ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Symbol, SymbolType

from refract_asp.model import RepairResult
from refract_asp.rules.choices import Choices, read_choices
from refract_asp.rules.decode import decode
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fillers import state_constants
from refract_asp.rules.fitting import discordant
from refract_asp.rules.judge import Case, Judgement, Question, criteria
from refract_asp.rules.results import decoded_result
from refract_asp.rules.slicing import ANY
from refract_asp.rules.solve import (
    MAX_OPTIMA,
    Deadline,
    block,
    choice_atoms,
    forbid,
    further_models,
)

if TYPE_CHECKING:
    from refract_asp.rules.engine import Engine

__all__ = ["Alternatives"]

LOOKS = 4
"""For each one that is wanted so many are looked at: some mean the same, or do not go together."""

Found = tuple[Choices, dict[int, int], Evidence, dict[str, int]]
"""The choices of an answer set, what it costs, and what it was found with: evidence and weights."""


@dataclass(slots=True)
class Alternatives:
    """
    The search for other repairs of one sequence.

    Attributes:
        engine: what found the answer.
        case: the given sequence, and what was wrong with it.
        deadline: when to stop.
    """

    engine: Engine
    case: Case
    deadline: Deadline

    def of(
        self, result: RepairResult, asked: Question, judgement: Judgement
    ) -> tuple[RepairResult, ...]:
        """
        Return other repairs than the answer in order of cost, as many as are wanted.

        None has the edits of another one and more.
        """
        if not judgement.answer.optimal:  # what is cheaper is not known
            return ()
        wanted = self.engine.alternatives
        looks = LOOKS * wanted + MAX_OPTIMA
        known = {_meaning(result)}
        found: list[tuple[RepairResult, int]] = []
        for number, (choices, cost, stated, weights) in enumerate(
            self._others(result, asked, judgement)
        ):
            if number >= looks or len(found) >= wanted:
                break
            other = self._result(result, choices, cost, stated, weights)
            if other is not None and _meaning(other) not in known:
                known.add(_meaning(other))
                found.append((other, choices.rank))
        levels = sorted({level for other, _ in found for level in other.total}, reverse=True)
        found.sort(key=lambda each: ([each[0].total.get(level, 0) for level in levels], each[1]))
        return tuple(other for other, _ in found)

    def _others(
        self, result: RepairResult, asked: Question, judgement: Judgement
    ) -> Iterator[Found]:
        """Yield the other answer sets in order of cost."""
        cost, weights, evidence = judgement.answer.cost, judgement.weights, asked.evidence
        minimal = [choice_atoms(judgement.choices[0].symbols)]
        for choices in judgement.choices[1:]:
            atoms = choice_atoms(choices.symbols)
            if not any(other <= atoms for other in minimal):
                minimal.append(atoms)
                yield choices, cost, evidence, weights
        known = list(judgement.choices)
        if len(known) >= MAX_OPTIMA:
            block(judgement.control, *(choices.symbols for choices in known))
            for shown, _ in further_models(
                judgement.control, self.deadline, judgement.priorities, at_most=cost
            ):
                known.append(read_choices(shown))
                yield known[-1], cost, evidence, weights
        if self.engine.next_best:
            yield from self._next_best(result, asked, known)

    def _next_best(
        self, result: RepairResult, asked: Question, known: list[Choices]
    ) -> Iterator[Found]:
        """Yield what costs more, and what the answer never does; tied tools are among it."""
        asked = self._wider(asked)
        program = self.engine.program_for(self.case.instance).with_files("modes/alternatives.lp")
        control = program.control(asked.facts, asked.signatures)
        weights, priorities = criteria(control)
        # to leave a call as it is is no repair of it
        mended = set(range(len(self.case.instance.sequence.calls) + 1)) - (
            set(result.unresolved) - self.case.tied
        )
        left = control.symbolic_atoms.by_signature("unresolved", 1)
        forbid(control, (atom for atom in left if _number(atom.symbol) in mended))
        block(control, *(choices.symbols for choices in known))
        for shown, cost in further_models(control, self.deadline, priorities):
            yield read_choices(shown), cost, asked.evidence, weights

    def _wider(self, asked: Question) -> Question:
        """State the constants that a given call could use, besides what the answer was asked with."""
        if self.case.tied:
            asked = self.engine.question(self.case, self.case.left)
        evidence = asked.evidence
        for violation in self.case.verdicts.violations:
            for tool in () if violation.call is None else evidence.possible_tools(violation.call):
                for parameter in evidence.index.tools[tool].parameters.values():
                    if violation.parameter == parameter.name or (
                        violation.code == "unknown_tool" and parameter.required
                    ):
                        state_constants(evidence, tool, parameter.name)
        facts = list(dict.fromkeys([*asked.facts, *evidence.facts]))
        signatures = asked.signatures | {(*each, ANY) for each in evidence.predicates}
        return Question(evidence, facts, signatures)

    def _result(
        self,
        answer: RepairResult,
        choices: Choices,
        cost: dict[int, int],
        evidence: Evidence,
        weights: dict[str, int],
    ) -> RepairResult | None:
        """Return an answer set as a result; None when arguments do not go together, or it fails its check."""
        decoded = decode(evidence, choices, weights)
        pairs = zip(decoded.origins, decoded.sequence.calls, strict=True)
        if discordant(self.case.instance, pairs) - self.case.left - choices.unresolved:
            return None
        cost = {level: value for level, value in cost.items() if value or level in answer.total}
        is_equal = cost == answer.total
        told = {
            "ambiguous": answer.ambiguous and is_equal,
            "undecided": answer.undecided if is_equal else (),
            "truncated": tuple(evidence.truncated),
            "optimal": is_equal,
            "total": cost,
            "lower_bound": answer.lower_bound,
        }
        other = decoded_result(
            self.case.verdicts, evidence, choices, weights, decoded, {**self.case.same, **told}
        )
        return None if self.engine.failures(other, self.case.instance) else other


def _meaning(result: RepairResult) -> tuple[str, ...]:
    """Return what a repaired sequence says, whatever has to be confirmed in it."""
    calls = (f"{call.label}={call.name}{call.arguments!r}" for call in result.sequence.calls)
    return (*calls, repr(result.sequence.returns))


def _number(unresolved: Symbol) -> int | None:
    """Return the call that is left unresolved, or None where it is a goal."""
    call = unresolved.arguments[0]
    return call.number if call.type is SymbolType.Number else None
