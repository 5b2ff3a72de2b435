"""Asks and answers: one instance after the other against a compiled catalog and two programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from clingo import Symbol

from refract_asp.errors import EncodingError, LimitError
from refract_asp.model import (
    AskFor,
    Call,
    Catalog,
    ConfirmFor,
    Goal,
    Level,
    Memory,
    RepairResult,
    Report,
    Sequence,
    Verdict,
    Violation,
)
from refract_asp.model.result import NO_TIME, Handle
from refract_asp.rules.alternatives import Alternatives
from refract_asp.rules.bounds import Bounds
from refract_asp.rules.evidence import Allowed, ByTarget, Options
from refract_asp.rules.explain import Again
from refract_asp.rules.files import CHEAPEST, FEWER_CALLS, GOALS, GOALS_GIVEN, PLAN, PLAN_GIVEN
from refract_asp.rules.fitting import discordant
from refract_asp.rules.forms import find_inner_calls
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.instance import Instance
from refract_asp.rules.judge import Case, Judgement, Question, Verdicts, find_violations, search
from refract_asp.rules.judge import question as build_question
from refract_asp.rules.problem import compile_problem
from refract_asp.rules.program import Program, lexicon
from refract_asp.rules.results import needless_calls, repair_result
from refract_asp.rules.solve import Deadline

__all__ = ["Engine", "options_of"]

MAX_REPAIRED = 500
"""Calls of a sequence that is repaired; a longer one can be checked."""
MAX_CHEAPEST = 200
"""... and of one for which fewer calls are looked for."""
MAX_REFERENCES = 4000
"""References in a sequence that is repaired."""


@dataclass(slots=True)
class Engine:
    """
    What is compiled once: a catalog and two programs, with what the user wants of them.

    Attributes:
        index: the catalog.
        check_program: shows what is wrong.
        repair_program: chooses the cheapest repair.
        cost_model: the name of the cost model, for messages and results.
        confirm: what has to be confirmed: "risky" edits, everything "new", both ("defensive"), or nothing
            ("never").
        mappings: which outputs may fill which parameters.
        undeclared: what becomes of arguments that their tool does not declare.
        max_new_calls: how many calls may be added that no reference demands.
        max_tries: how often a call may be executed in all.
        known_tools_only: added and renamed calls use only tools that the sequence names.
        alternatives: how many other repairs are wanted.
        next_best: whether those that cost more are wanted too.
        options: what of the encodings tells which evidence cannot matter.
    """

    index: CatalogIndex
    check_program: Program
    repair_program: Program
    cost_model: str
    confirm: str
    mappings: ByTarget
    undeclared: str
    max_new_calls: int
    max_tries: int
    known_tools_only: bool
    alternatives: int
    next_best: bool
    options: Options

    def with_bounds(self, bounds: Bounds, catalog: Catalog) -> Engine:
        """
        Return an engine that looks at so much of a catalog; where it is `whole`, with every statement too.

        What the index was told besides, as `formats`, is lost: it is for tests.
        """
        return replace(
            self,
            index=CatalogIndex(catalog, bounds=bounds),
            check_program=replace(self.check_program, whole=bounds.whole, _variants={}),
            repair_program=replace(self.repair_program, whole=bounds.whole, _variants={}),
        )

    def instance(
        self,
        given: Sequence,
        memory: Memory,
        executed: tuple[Call, ...],
        goals: tuple[Goal, ...] = (),
        level: Level = "admissible",
    ) -> Instance:
        """State what is given, and what it has to be."""
        return compile_problem(
            given,
            self.index,
            memory,
            executed,
            goals,
            level,
            undeclared=self.undeclared,
            max_tries=self.max_tries,
            compares=self.check_program.compares,
            mappings=self.mappings,
        )

    def check(self, instance: Instance, deadline: Deadline) -> Report:
        """Say what is wrong; whether calls can be left out takes a search, and is asked when nothing is."""
        verdicts = self._verdicts(instance)
        notes = (*instance.sequence.notes, *instance.notes, *verdicts.warnings)
        verdict, violations = _checked(instance.sequence, verdicts), verdicts.violations
        if instance.level == "cheapest" and not violations:
            violations = needless_calls(self.repair(instance, deadline))
            verdict = "invalid" if violations else verdict
        report = Report(verdict=verdict, violations=violations, notes=notes)
        report._handle = Handle(instance=instance)
        return report

    def _verdicts(self, instance: Instance) -> Verdicts:
        files = (
            *(GOALS_GIVEN if instance.goals else ()),
            *(PLAN_GIVEN if instance.is_plan else ()),
        )
        return find_violations(self.check_program.with_files(*files), instance)

    def violations_of(self, sequence: Sequence, instance: Instance) -> tuple[Violation, ...]:
        """Say what is wrong with another sequence in the place of the given one, goals included."""
        other = self.instance(
            sequence, instance.memory, instance.history, instance.goals, level="achieves_goals"
        )
        return self._verdicts(other).violations

    def failures(self, result: RepairResult, instance: Instance) -> tuple[Violation, ...]:
        """
        Check an answer as its reader would, and return what is wrong with it.

        What stays unresolved is wrong as it was given, and nobody is told that such an answer is admissible.
        What house rules say of a call depends on its values, so they judge it when all that it asks is known.
        """
        if result.verdict not in ("repaired", "needs_input"):
            return ()
        asking = {ask.call for ask in result.asks}
        return tuple(
            violation
            for violation in self.violations_of(result.sequence, instance)
            if violation.code != "forbidden" or violation.call not in asking
        )

    def program_for(self, instance: Instance) -> Program:
        """Return the program that repairs, with what goals and the wish for fewer calls need."""
        files = GOALS if instance.goals else ()
        if instance.level == "cheapest":
            files = (*files, *(CHEAPEST if instance.goals else FEWER_CALLS))
        files = (*files, *(PLAN if instance.is_plan else ()))
        return self.repair_program.with_files(*files)

    def repair(self, instance: Instance, deadline: Deadline) -> RepairResult:
        """Find the cheapest admissible sequence; raise LimitError where that would be too much work."""
        given = instance.sequence
        verdicts = self._verdicts(instance)
        same: dict[str, Any] = {
            "violations": verdicts.violations,
            "notes": (*given.notes, *instance.notes, *verdicts.warnings),
            "given": given,
            "cost_model": self.cost_model,
        }
        case = Case(instance, verdicts, same)
        if not verdicts.violations and (instance.level != "cheapest" or not given.calls):
            return self._fine(case, deadline)
        if deadline.is_over:
            return _unknown(case, NO_TIME)
        _refuse_too_much(instance)
        return self._cheapest(case, deadline)

    def _fine(self, case: Case, deadline: Deadline) -> RepairResult:
        """Return the given sequence, in which nothing is wrong."""
        given = case.instance.sequence
        verdict: Verdict = "needs_input" if given.is_open else "valid"
        result = RepairResult(verdict=verdict, **_still_open(given), **_untouched(case))
        return Again(self, case, range(len(given.calls)), deadline.seconds).held_by(result)

    def _cheapest(self, case: Case, deadline: Deadline) -> RepairResult:
        """Search, and again where a tie or arguments that do not go together come out."""
        instance, verdicts = case.instance, case.verdicts
        case = replace(case, left=frozenset(self._prepare(instance, verdicts)))
        while True:
            asked = self.question(case, case.left | case.tied)
            judgement = None if deadline.is_over else self._judged(instance, asked, deadline)
            if judgement is None:
                return _unknown(case, NO_TIME)
            tied = set() if self.options.by_fit else judgement.tied - case.left - case.tied
            if tied:  # a tie between tools is told, with suggestions, and not guessed
                case = replace(case, tied=case.tied | tied)
                continue
            result, order = repair_result(
                verdicts, asked.evidence, judgement, case.same, self.confirm
            )
            pairs = zip(result.origins, result.sequence.calls, strict=True)
            further = discordant(instance, pairs) - case.left - case.tied - set(result.unresolved)
            if further:
                case = replace(case, left=case.left | further)
                continue
            if not result.edits and not verdicts.violations:
                return self._fine(case, deadline)
            failures = self.failures(result, instance)
            broken = _unjudged(result, failures) - case.left
            if broken:
                case = replace(case, left=case.left | broken)
                continue
            if failures:
                return _unknown(case, _failure_note(result, failures))
            if self.alternatives:
                others = Alternatives(self, case, deadline).of(result, asked, judgement)
                for other in others:
                    other._handle = Handle(instance=instance, beside=result.edits)
                result = result.model_copy(update={"alternatives": others})
            return Again(self, case, order, deadline.seconds).held_by(result)

    def facts(self, instance: Instance, *, for_repair: bool) -> list[Symbol]:
        """Return the facts that the check program gets, or those of the repair program."""
        if not for_repair:
            return list(instance.facts)
        verdicts = self._verdicts(instance)
        return self.question(Case(instance, verdicts, {}), self._prepare(instance, verdicts)).facts

    def _judged(self, instance: Instance, asked: Question, deadline: Deadline) -> Judgement | None:
        """Return the cheapest answers to a question, or None when the time ran out before any."""
        judgement = search(self.program_for(instance), asked, deadline, self.cost_model)
        if not judgement.choices and not judgement.answer.is_over:
            raise EncodingError(
                "the rules leave no admissible sequence, not even with calls left unresolved.",
                where=self.cost_model,
                hint="Look for a constraint of your own that forbids too much.",
            )
        return judgement if judgement.choices else None

    def _is_admissible(self, call: Call, memory: Memory) -> bool:
        """Whether a call is right on its own."""
        alone = compile_problem(Sequence(calls=(call,)), self.index, memory)
        return not self._verdicts(alone).violations

    def _prepare(self, instance: Instance, verdicts: Verdicts) -> set[int]:
        """
        Look for calls inside arguments; return the calls whose arguments do not go together.

        Of those in which something else is wrong that may be all; they are judged again when it is mended.
        """
        find_inner_calls(instance, lambda call: self._is_admissible(call, instance.memory))
        blamed = {v.call for v in verdicts.violations if v.code != "invalid_arguments"}
        return instance.discordant - blamed

    def question(self, case: Case, left: Collection[int]) -> Question:
        """Gather what a repair is asked with; the calls that are `left` are not mended."""
        instance, only = case.instance, None
        if self.known_tools_only:
            named = [call.name for call in (*instance.sequence.calls, *instance.history)]
            only = frozenset([*named, *(goal.name for goal in instance.goals)])
        spent: dict[str, int] = {}
        for call in instance.history:
            spent[call.name] = spent.get(call.name, 0) + 1
        without = frozenset(name for name, count in spent.items() if count >= self.max_tries)
        allowed = Allowed(only=only, without=without, depth=self.max_new_calls)
        return build_question(
            instance, case.verdicts, allowed, self.mappings, self.confirm, self.options, left
        )


def _refuse_too_much(instance: Instance) -> None:
    """
    Refuse what would be too much work.

    Raises:
        LimitError: there are too many calls or references.
    """
    most = MAX_REPAIRED if instance.level != "cheapest" else MAX_CHEAPEST
    calls = len(instance.sequence.calls)
    if calls > most:
        raise LimitError(
            f"{calls} calls are too many to repair at once; at most {most} are taken.",
            hint="Repair it in parts: what comes before goes into `history`.",
        )
    if len(instance.references) > MAX_REFERENCES:
        raise LimitError(
            f"{len(instance.references)} references are too many to repair at once; "
            f"at most {MAX_REFERENCES} are taken.",
            hint="Shorten the texts that hold them, or repair the sequence in parts.",
        )


def _untouched(case: Case) -> dict[str, Any]:
    """Return the fields of a result in which nothing was changed."""
    given = case.instance.sequence
    return {**case.same, "sequence": given, "origins": tuple(range(len(given.calls)))}


def _unjudged(result: RepairResult, failures: Iterable[Violation]) -> set[int]:
    """Return the given calls that came to have a tool or a parameter whose schema cannot be judged."""
    found = {
        result.origins[violation.call]
        for violation in failures
        if violation.code == "broken_schema" and violation.call is not None
    }
    return {call for call in found if call is not None}


def _failure_note(result: RepairResult, failures: tuple[Violation, ...]) -> str:
    """Say where an answer failed its own check, and by which rule."""
    first = failures[0]
    place = "the goals" if first.call is None else f"call {first.call + 1}"
    if first.call == len(result.sequence.calls):
        place = "what is returned"
    return (
        f"the answer failed its own check ({first.code} in {place}: {first.message}), so nothing was "
        "changed; please report it, with the catalog, the calls and the memory"
    )


def _unknown(case: Case, note: str) -> RepairResult:
    result = RepairResult(verdict="unknown", optimal=False, note=note, **_untouched(case))
    result._handle = Handle(instance=case.instance)
    return result


def _checked(sequence: Sequence, verdicts: Verdicts) -> Verdict:
    if verdicts.violations:
        return "invalid"
    return "needs_input" if sequence.is_open else "valid"


def _still_open(sequence: Sequence) -> dict[str, Any]:
    """Return what was open in the given sequence already."""
    return {
        "asks": tuple(AskFor(name=name) for name in sequence.asks),
        "confirms": tuple(
            ConfirmFor(call=number, confirm=confirm, reason="it was open in the given sequence")
            for number, call in enumerate(sequence.calls)
            for confirm in call.confirms
        ),
    }


def options_of(program: Program) -> Options:
    """Return what the encodings tell of the evidence that they use."""
    return Options(
        by_fit=program.says("name_by(fit)"),
        common_names=program.says("call_for(common_name)"),
        clear_distance=program.constant("clear_distance", 100),
        clear_margin=program.constant("clear_margin", 100),
        alike_distance=program.constant("alike_distance", 100),
        near_path=program.constant("near_path", 100),
        no_likeness=program.constant("no_likeness", 100),
        weak_offers=program.constant("weak_offers", 1_000_000),
        lexicon=lexicon(program.folder),
        names=program.names,
    )
