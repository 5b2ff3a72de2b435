"""
Judges a sequence step by step: each call against the memory, and against the calls before it as repaired.

So an agent works that asks before each call. What was answered for the steps is put together as one result;
its edits and violations name the calls of the sequence as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from refract_asp.batch.row import StepOutcome
from refract_asp.model import Call, Edit, RepairResult, Report, Sequence, Verdict
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.edits import Violation
from refract_asp.model.result import Handle
from refract_asp.model.sources import Ask, Source, replace_reference, slots_of
from refract_asp.model.tags import TaggedFault

__all__ = ["Judge", "Steps", "worst"]

Judge = Callable[[Sequence, tuple[Call, ...], bool], Report]
"""Judges one call after those that were made before it; told whether it is the last one."""

_RISING: tuple[Verdict, ...] = ("valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown")

_Placed = TypeVar("_Placed", Diagnostic, TaggedFault)


def worst(verdicts: Any) -> Verdict:
    """
    Return the verdict of a whole whose parts have these.

    Example:
        >>> worst(["valid", "needs_input", "repaired"])
        'needs_input'
    """
    return max(verdicts, key=_RISING.index, default="valid")


class Steps:
    """
    The steps of a sequence, each judged by `judge`.

    Attributes:
        reports: what was found in each step.
        outcomes: the verdict of each.
    """

    def __init__(self, given: Sequence, history: tuple[Call, ...], judge: Judge) -> None:
        """Judge one call after the other."""
        self.given = given
        self.reports: list[Report] = []
        self.outcomes: list[StepOutcome] = []
        self._calls: list[Call] = []
        self._origins: list[int | None] = []
        self._asks: dict[str, None] = {}
        self._edits: list[Edit] = []
        self._violations: list[Violation] = []
        for number, call in enumerate(given.calls):
            is_last = number == len(given.calls) - 1
            step = Sequence(calls=(call,), returns=given.returns if is_last else None, format=given.format)
            report = judge(step, (*history, *self._calls), is_last)
            self._add(number, step, report)
        self.returns = given.returns
        if self.reports and isinstance(self.reports[-1], RepairResult):
            self.returns = self.reports[-1].sequence.returns

    @property
    def verdict(self) -> Verdict:
        """The verdict of the sequence: that of its worst step."""
        return worst(outcome.verdict for outcome in self.outcomes)

    def result(self) -> RepairResult:
        """Return what was found in all steps as one result; nothing can be asked about it."""
        repairs = [each for each in self.reports if isinstance(each, RepairResult)]
        calls = tuple(self._calls)
        sequence = self.given.model_copy(
            update={"calls": calls, "asks": tuple(self._asks), "returns": self.returns, "written": None}
        )
        result = RepairResult(
            verdict=self.verdict,
            given=self.given,
            sequence=sequence if self._edits or self._asks else self.given,
            edits=tuple(self._edits),
            violations=tuple(self._violations),
            notes=tuple(dict.fromkeys(note for each in self.reports for note in each.notes)),
            unresolved=tuple(
                number
                for number, each in enumerate(self.reports)
                if isinstance(each, RepairResult) and each.unresolved
            ),
            unmet=tuple(dict.fromkeys(goal for each in repairs for goal in each.unmet)),
            ambiguous=any(each.ambiguous for each in repairs),
            truncated=tuple(dict.fromkeys(cut for each in repairs for cut in each.truncated)),
            optimal=all(each.optimal for each in repairs),
            cost=_sum(each.cost for each in repairs),
            total=_sum(each.total for each in repairs),
            origins=tuple(self._origins),
        )
        result._handle = Handle(instance=self.reports[-1]._handle.instance)  # it knows what is secret
        return result

    def report(self) -> Report:
        """Return what a check found in all steps as one report."""
        found = self.result()
        report = Report(verdict=found.verdict, violations=found.violations, notes=found.notes)
        report._handle = found._handle
        return report

    def placed(self, found: Callable[[Report], tuple[_Placed, ...]]) -> tuple[_Placed, ...]:
        """Return what is found in the report of each step, with the call of the sequence that it is about."""
        return tuple(
            each.model_copy(update={"call": self._place(each.call, number)})
            for number, report in enumerate(self.reports)
            for each in found(report)
        )

    # -- steps -----------------------------------------------------------------

    def _add(self, number: int, step: Sequence, report: Report) -> None:
        self.reports.append(report)
        result = report if isinstance(report, RepairResult) else None
        self.outcomes.append(
            StepOutcome(call=number, verdict=report.verdict, optimal=result is None or result.optimal)
        )
        first = len(self._violations)
        self._violations += [
            each.model_copy(update={"call": self._place(each.call, number)}) for each in report.violations
        ]
        if result is None:
            self._calls += step.calls
            self._origins.append(number)
            return
        self._edits += [
            each.model_copy(
                update={
                    "call": self._place(each.call, number),
                    "answers": tuple(first + answered for answered in each.answers),
                    **self._instead(each),
                }
            )
            for each in result.edits
        ]
        names = self._names(result.sequence.asks)
        self._asks.update(dict.fromkeys(names.values()))
        self._calls += [_renamed(call, names) for call in result.sequence.calls]
        self._origins += [None if origin is None else number for origin in result.origins]

    def _instead(self, edit: Edit) -> dict[str, int]:
        """Return which given call stands for one that is left out; for its step it is one of the history."""
        if edit.kind != "delete_call" or edit.instead is None:
            return {}
        place = len(self._calls) + edit.instead
        origin = self._origins[place] if 0 <= place < len(self._origins) else None
        return {} if origin is None else {"instead": origin}

    def _names(self, asks: tuple[str, ...]) -> dict[str, str]:
        """Return the names under which the asks of a step are asked among those of all steps."""
        names = {}
        for ask in asks:
            name, count = ask, 2
            while name in self._asks:
                name, count = f"{ask}_{count}", count + 1
            names[ask] = name
        return names

    def _place(self, call: int | None, number: int) -> int | None:
        """Return the index in the whole of a call of a step; 1 means what the sequence returns."""
        return None if call is None else number + call


def _renamed(call: Call, names: dict[str, str]) -> Call:
    """Return a call whose asks have other names."""
    if all(name == old for old, name in names.items()):
        return call
    arguments = {parameter: _source(source, names) for parameter, source in call.arguments.items()}
    return call.model_copy(update={"arguments": arguments, "written": None})


def _source(source: Source, names: dict[str, str]) -> Source:
    others: dict[int, Source] = {
        number: slot.model_copy(update={"name": names[slot.name]})
        for number, slot in enumerate(slots_of(source), 1)
        if isinstance(slot, Ask) and names.get(slot.name, slot.name) != slot.name
    }
    return replace_reference(source, others)[0] if others else source


def _sum(costs: Any) -> dict[Any, int]:
    """Add costs by criterion, or by priority."""
    total: dict[Any, int] = {}
    for cost in costs:
        for key, value in cost.items():
            total[key] = total.get(key, 0) + value
    return total
