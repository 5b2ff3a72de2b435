"""What is counted of a run of many sequences, row by row."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refract_asp.batch.fields import Fields
from refract_asp.batch.figures import (
    FaultExample,
    FaultFigures,
    ParameterFigures,
    StepFigures,
    Summary,
    TagFigures,
    Timed,
    ToolFigures,
    Trouble,
)
from refract_asp.batch.measures import faulty_calls
from refract_asp.batch.row import Row
from refract_asp.batch.tally import Frequent, Tally, measured
from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.edits import ViolationCode
from refract_asp.model.shares import quantiles, share
from refract_asp.model.tags import Tag, TaggedFault

__all__ = ["EXECUTABLE", "Counting", "FaultKey", "example_of", "fault_key", "why"]

EXECUTABLE = ("valid", "repaired")
MAX_STEPS = 50
"""Positions of calls that are told apart, in sequences that are judged step by step."""

FaultKey = tuple[ViolationCode, str, str | None, str | None]
"""What makes two faults the same: the code, the tool, the parameter, and what was attempted."""


def fault_key(found: Diagnostic) -> FaultKey:
    """Return by what a fault is the same as another one."""
    parameter = None if found.parameter is None else shown(found.parameter)
    attempted = None if found.attempted is None else shown(found.attempted)
    return found.code, shown(found.tool), parameter, attempted


def example_of(row: Row, found: Diagnostic) -> FaultExample:
    """Return a fault of a row as an example."""
    return FaultExample(
        number=row.number,
        name=shown(row.name),
        message=shown(found.message, LONGEST_TEXT),
        fix=None if found.fix is None else shown(found.fix, LONGEST_TEXT),
    )


def why(row: Row) -> str:
    """Return in a sentence what is wrong first where a sequence cannot be executed; empty where it can."""
    if row.error is not None:
        return shown(row.error.removeprefix(f"{row.place}: "), LONGEST_TEXT)
    if row.is_executable:
        return ""
    if row.verdict == "unknown":
        return "the time ran out before any answer."
    if row.diagnostics:
        return shown(row.diagnostics[0].message, LONGEST_TEXT)
    if row.unmet:
        return f"a goal cannot be met: {shown(row.unmet[0], 200)}"
    return "a value is asked for, or a change is to be confirmed."


@dataclass(slots=True)
class _Fault:
    count: int = 0
    sequences: int = 0
    example: FaultExample | None = None

    @property
    def weight(self) -> int:
        return self.count


@dataclass(slots=True)
class _Named:
    """A tool or a parameter."""

    calls: int = 0
    faulty: int = 0
    sequences: int = 0
    tags: Counter[Tag] = field(default_factory=Counter)

    @property
    def weight(self) -> int:
        return self.calls + self.faulty


@dataclass
class _Tagged:
    """Kinds of mistakes."""

    of: int = 0
    counts: Counter[Tag] = field(default_factory=Counter)
    sequences: Counter[Tag] = field(default_factory=Counter)

    def add(self, faults: Iterable[TaggedFault]) -> None:
        tags = [fault.tag for fault in faults]
        self.of += 1
        self.counts.update(tags)
        self.sequences.update(set(tags))

    def figures(self) -> tuple[TagFigures, ...]:
        ranked = sorted(self.counts, key=lambda tag: (-self.sequences[tag], -self.counts[tag], tag))
        return tuple(
            TagFigures(tag=tag, count=self.counts[tag], sequences=share(self.sequences[tag], self.of))
            for tag in ranked
        )


class Counting:
    """A run as it is being counted."""

    def __init__(self, fields: Fields, times: Mapping[int, float], most: int) -> None:
        """Begin with no row; lists shall have at most `most` entries."""
        self.fields = fields
        self.times = times
        self.most = most
        self.overall = Tally()
        self.seconds = array("d")
        self.modes: Counter[str] = Counter()
        self.stepwise = 0
        self.tags = _Tagged()
        self.truth_tags = _Tagged()
        self.tools: Frequent[str, _Named] = Frequent(_Named)
        self.parameters: Frequent[tuple[str, str], _Named] = Frequent(_Named)
        self.faults: Frequent[FaultKey, _Fault] = Frequent(_Fault)
        self.edits: Counter[str] = Counter()
        self.steps = [[0, 0, 0, 0] for _ in range(MAX_STEPS)]
        self.troubles: list[Trouble] = []
        self.troubled = 0

    def add(self, row: Row) -> None:
        """Add a row."""
        counted = measured(row)
        self.overall.add(counted)
        self.fields.add(row, counted)
        self.modes[row.mode] += 1
        self.stepwise += row.stepwise
        self.tags.add(row.tags)
        if row.expected is not None:
            self.truth_tags.add(row.expected.tags)
        self.edits.update(edit.kind for edit in row.edits)
        seconds = self.times.get(row.number)
        if seconds is not None:
            self.seconds.append(seconds)
        self._add_calls(row)
        self._add_faults(row)
        self._add_steps(row)
        if counted[0] not in EXECUTABLE:
            self.troubled += 1
            if len(self.troubles) < self.most:
                self.troubles.append(
                    Trouble(number=row.number, name=shown(row.name), outcome=counted[0], why=why(row))
                )

    def summary(self) -> Summary:
        """Return what was counted."""
        of = self.overall.sequences
        tools = sorted(self.tools.held.items(), key=lambda item: (-item[1].faulty, -item[1].calls, item[0]))
        parameters = sorted(self.parameters.held.items(), key=lambda item: (-item[1].faulty, item[0]))
        faults = sorted(self.faults.held.items(), key=lambda item: (-item[1].sequences, -item[1].count))
        lists: dict[str, Frequent[Any, Any]] = {
            "tools": self.tools,
            "parameters": self.parameters,
            "faults": self.faults,
        }
        return Summary(
            modes=dict(sorted(self.modes.items())),
            stepwise=self.stepwise,
            overall=self.overall.figures(),
            times=self._times(),
            tags=self.tags.figures(),
            truth_tags=self.truth_tags.figures(),
            tools=tuple(
                ToolFigures(
                    tool=name,
                    faulty=share(found.faulty, found.calls),
                    sequences=share(found.sequences, of),
                    tags=dict(_ranked(found.tags)),
                )
                for name, found in tools[: self.most]
            ),
            parameters=tuple(
                ParameterFigures(
                    tool=tool,
                    parameter=name,
                    faulty=share(found.faulty, max(found.faulty, self._calls_of(tool))),
                    tags=dict(_ranked(found.tags)),
                )
                for (tool, name), found in parameters[: self.most]
            ),
            steps=self._steps(),
            groupings=self.fields.groupings(),
            faults=tuple(_fault(key, found, of) for key, found in faults[: self.most]),
            edits=dict(_ranked(self.edits)),
            troubles=tuple(self.troubles),
            troubled=self.troubled,
            cut=tuple(name for name, found in lists.items() if found.is_cut or len(found.held) > self.most),
        )

    # -- steps -----------------------------------------------------------------

    def _add_calls(self, row: Row) -> None:
        names = [shown(name) for name in row.tools]
        for name in names:
            self.tools[name].calls += 1
        faulty = [number for number in sorted(faulty_calls(row)) if number < len(names)]
        for number in faulty:
            self.tools[names[number]].faulty += 1
        for name in dict.fromkeys(names[number] for number in faulty):
            self.tools[name].sequences += 1
        arguments: dict[tuple[int, str], None] = {}
        for fault in row.tags:
            if fault.call is None or fault.call >= len(names):
                continue
            tool = names[fault.call]
            self.tools[tool].tags[fault.tag] += 1
            if fault.parameter is not None:
                parameter = shown(fault.parameter)
                self.parameters[tool, parameter].tags[fault.tag] += 1
                arguments[fault.call, parameter] = None
        for number, parameter in arguments:
            self.parameters[names[number], parameter].faulty += 1

    def _add_faults(self, row: Row) -> None:
        keys = [(fault_key(found), found) for found in row.diagnostics]
        for key, found in keys:
            fault = self.faults[key]
            fault.count += 1
            if fault.example is None:
                fault.example = example_of(row, found)
        for key in dict.fromkeys(key for key, _ in keys):
            self.faults[key].sequences += 1

    def _add_steps(self, row: Row) -> None:
        goes_on = True
        for number, step in enumerate(row.steps):
            counts = self.steps[min(number, MAX_STEPS - 1)]
            counts[0] += step.verdict != "valid"
            counts[1] += 1
            if goes_on:
                goes_on = step.verdict in EXECUTABLE
                counts[2] += not goes_on
                counts[3] += 1

    def _steps(self) -> tuple[StepFigures, ...]:
        return tuple(
            StepFigures(step=number, faulty=share(faulty, of), stopped=share(stopped, reached))
            for number, (faulty, of, stopped, reached) in enumerate(self.steps)
            if of
        )

    def _times(self) -> Timed | None:
        found = quantiles(self.seconds)
        if found is None:
            return None
        return Timed(**found.model_dump(), mean=sum(self.seconds) / len(self.seconds))

    def _calls_of(self, tool: str) -> int:
        found = self.tools.held.get(tool)
        return found.calls if found is not None else 0


def _fault(key: FaultKey, found: _Fault, of: int) -> FaultFigures:
    code, tool, parameter, attempted = key
    assert found.example is not None
    return FaultFigures(
        code=code,
        tool=tool,
        parameter=parameter,
        attempted=attempted,
        count=found.count,
        sequences=share(found.sequences, of),
        example=found.example,
    )


def _ranked(counts: Counter[str] | Counter[Tag]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
