"""A run in figures: of many sequences, read once and in bounded memory, or of systems over cases."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.evaluation.figures import (
    CaseGroup,
    FaultExample,
    FaultFigures,
    ParameterFigures,
    RunSummary,
    StepFigures,
    Summary,
    SystemFigures,
    TagFigures,
    Timed,
    ToolFigures,
    Trouble,
    Value,
)
from refract_asp.evaluation.grouping import MAX_KINDS, Fields, Tally, measured, rank
from refract_asp.evaluation.measures import CASE_MEANS, CASE_MEASURES, faulty_calls
from refract_asp.evaluation.rows import Row
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.edits import ViolationCode
from refract_asp.model.result import NO_TIME
from refract_asp.model.shares import Share, quantiles, share
from refract_asp.model.tags import Tag, TaggedFault

if TYPE_CHECKING:
    from refract_asp.evaluation.runs import Run, RunRow

__all__ = [
    "EXECUTABLE",
    "FaultKey",
    "example_of",
    "fault_key",
    "groupings",
    "restored_share",
    "summarise",
    "summary_of",
    "why",
]

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
        return f"{shown(row.note or NO_TIME, LONGEST_TEXT)}."
    if row.diagnostics:
        return shown(row.diagnostics[0].message, LONGEST_TEXT)
    if row.unmet:
        return f"a goal cannot be met: {shown(row.unmet[0], 200)}"
    return "a value is asked for, or a change is to be confirmed."


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
            TagFigures(
                tag=tag, count=self.counts[tag], sequences=share(self.sequences[tag], self.of)
            )
            for tag in ranked
        )


_Key = TypeVar("_Key")


class _Counts(Generic[_Key]):
    """
    Counts of tools, parameters or faults, of which there may be any number: at most `MAX_KINDS` are counted.

    Attributes:
        occurrences: how many calls name a tool; how often a fault occurs.
        faulty: in how many calls something is wrong with it.
        sequences: how many sequences have it.
        tags: how often each kind of mistake occurs with it.
        is_cut: whether there were more than are counted.
    """

    def __init__(self) -> None:
        self.occurrences: Counter[_Key] = Counter()
        self.faulty: Counter[_Key] = Counter()
        self.sequences: Counter[_Key] = Counter()
        self.tags: dict[_Key, Counter[Tag]] = {}
        self.is_cut = False

    def has_room(self, key: _Key) -> bool:
        """Whether a key is counted."""
        if key in self.tags:
            return True
        if len(self.tags) >= MAX_KINDS:
            self.is_cut = True
            return False
        self.tags[key] = Counter()
        return True

    def ranked(self, by: Callable[[_Key], Any]) -> list[_Key]:
        """Return what is counted in an order; of equals the one that came first."""
        return sorted(self.tags, key=by)


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
        self.tools = _Counts[str]()
        self.parameters = _Counts[tuple[str, str]]()
        self.faults = _Counts[FaultKey]()
        self.examples: dict[FaultKey, FaultExample] = {}
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
                    Trouble(
                        number=row.number, name=shown(row.name), outcome=counted[0], why=why(row)
                    )
                )

    def summary(self) -> Summary:
        """Return what was counted."""
        of = self.overall.sequences
        tools, parameters, faults = self.tools, self.parameters, self.faults
        lists: dict[str, _Counts[Any]] = {
            "tools": tools,
            "parameters": parameters,
            "faults": faults,
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
                    faulty=share(tools.faulty[name], tools.occurrences[name]),
                    sequences=share(tools.sequences[name], of),
                    tags=dict(_ranked(tools.tags[name])),
                )
                for name in tools.ranked(
                    lambda name: (-tools.faulty[name], -tools.occurrences[name], name),
                )[: self.most]
            ),
            parameters=tuple(
                ParameterFigures(
                    tool=tool,
                    parameter=name,
                    faulty=share(
                        parameters.faulty[tool, name],
                        max(parameters.faulty[tool, name], tools.occurrences[tool]),
                    ),
                    tags=dict(_ranked(parameters.tags[tool, name])),
                )
                for tool, name in parameters.ranked(lambda key: (-parameters.faulty[key], key))[
                    : self.most
                ]
            ),
            steps=self._steps(),
            groupings=self.fields.groupings(),
            faults=tuple(
                FaultFigures(
                    code=code,
                    tool=tool,
                    parameter=parameter,
                    attempted=attempted,
                    count=faults.occurrences[key],
                    sequences=share(faults.sequences[key], of),
                    example=self.examples[key],
                )
                for key in faults.ranked(
                    lambda key: (-faults.sequences[key], -faults.occurrences[key]),
                )[: self.most]
                for code, tool, parameter, attempted in [key]
            ),
            edits=dict(_ranked(self.edits)),
            troubles=tuple(self.troubles),
            troubled=self.troubled,
            cut=tuple(
                name for name, found in lists.items() if found.is_cut or len(found.tags) > self.most
            ),
        )

    # -- steps -----------------------------------------------------------------

    def _add_calls(self, row: Row) -> None:
        tools, parameters = self.tools, self.parameters
        names = [shown(name) for name in row.tools]
        tools.occurrences.update(name for name in names if tools.has_room(name))
        faulty = [names[number] for number in faulty_calls(row) if number < len(names)]
        tools.faulty.update(name for name in faulty if tools.has_room(name))
        tools.sequences.update(name for name in set(faulty) if tools.has_room(name))
        arguments = set()
        for fault in row.tags:
            if fault.call is None or fault.call >= len(names):
                continue
            tool = names[fault.call]
            if tools.has_room(tool):
                tools.tags[tool][fault.tag] += 1
            if fault.parameter is not None and parameters.has_room((tool, shown(fault.parameter))):
                parameters.tags[tool, shown(fault.parameter)][fault.tag] += 1
                arguments.add((fault.call, shown(fault.parameter)))
        parameters.faulty.update((names[number], parameter) for number, parameter in arguments)

    def _add_faults(self, row: Row) -> None:
        keys = set()
        for found in row.diagnostics:
            key = fault_key(found)
            if self.faults.has_room(key):
                self.faults.occurrences[key] += 1
                self.examples.setdefault(key, example_of(row, found))
                keys.add(key)
        self.faults.sequences.update(keys)

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


def _ranked(counts: Counter[str] | Counter[Tag]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


MOST = 100
"""So many entries has a list of tools, parameters, faults, or sequences, unless another number is given."""


def summarise(
    rows: Iterable[Row],
    by: Iterable[str] = (),
    times: Mapping[int, float] | None = None,
    *,
    most: int = MOST,
) -> Summary:
    """
    Return a run in figures.

    Args:
        rows: what came of each sequence; read once, one at a time.
        by: fields of the metadata to group by, with dots where they lie deeper; by default all at the top
            that hold a few single values.
        times: the seconds that a sequence took, by its number.
        most: how many entries the lists of tools, parameters, faults and sequences have at most.

    Raises:
        InputError: no sequence has a field that is to be grouped by, or it is named like a secret.
        FormatError: a row cannot be read, where `rows` reads them from a file.

    Example:
        >>> head = {"schema_version": 1, "place": "calls.jsonl", "digest": "", "mode": "repair"}
        >>> verdicts = ("valid", "valid", "repaired", "needs_input")
        >>> rows = [Row(number=n, verdict=verdict, **head) for n, verdict in enumerate(verdicts)]
        >>> summarise(rows).overall.shares["executable"].value
        0.75
    """
    counting = Counting(Fields(by), times or {}, most)
    for row in rows:
        counting.add(row)
    return counting.summary()


# -- systems over cases ------------------------------------------------------------

ALL = "all"
MAX_GROUPS = 60
"""A dial with more values than this is not grouped by unless it is asked for, and then only so far."""


def groupings(run: Run) -> list[str]:
    """Return by what the cases of a run differ: the kind, the variant, and dials of few values."""
    found = ["kind"]
    if any(row.variant for row in run.rows):
        found.append("variant")
    for dial in dict.fromkeys(dial for row in run.rows for dial in row.dials):
        if dial not in found and 1 < len(_values(run, dial)) <= MAX_GROUPS:
            found.append(dial)
    return found


def summary_of(run: Run, by: Iterable[str] | None = None) -> RunSummary:
    """
    Return the figures of a run.

    Args:
        run: the run.
        by: what the cases are grouped by: "kind", "variant", dials; by default what `groupings` finds.

    Raises:
        InputError: no case has a dial of that name.
    """
    known = groupings(run)
    wanted = known if by is None else list(dict.fromkeys(by))
    dials = {dial for row in run.rows for dial in row.dials}
    for each in wanted:
        if each not in ("kind", "variant") and each not in dials:
            names = ", ".join(shown(name, 40) for name in ("kind", "variant", *sorted(dials)))
            raise InputError(
                f"there is no dial {shown(each)!r} to group by.", hint=f"Known: {names}."
            )
    return RunSummary(
        overall=_group(run, run.rows, ALL, ""),
        groups={each: tuple(_groups(run, each)) for each in wanted},
    )


def restored_share(run: Run, system: str) -> Share:
    """Return which share of the broken, informed cases a system restores; see `CASE_MEASURES`."""
    found = _figures(list(run.rows), system).shares
    return found.get("restored", share(0, 0))


def _groups(run: Run, by: str) -> Iterable[CaseGroup]:
    found: dict[tuple[int, float, str], tuple[Value, list[RunRow]]] = {}
    for row in run.rows:
        value = _value(row, by)
        if value is not None and not (by == "variant" and value == ""):
            found.setdefault(rank(value), (value, []))[1].append(row)
    for key in sorted(found)[:MAX_GROUPS]:
        value, rows = found[key]
        yield _group(run, rows, by, value)


def _value(row: RunRow, by: str) -> Value | None:
    return row.kind if by == "kind" else row.variant if by == "variant" else row.dials.get(by)


def _values(run: Run, dial: str) -> set[tuple[int, float, str]]:
    return {rank(row.dials[dial]) for row in run.rows if row.dials.get(dial) is not None}


def _group(run: Run, rows: Iterable[RunRow], by: str, value: Value) -> CaseGroup:
    chosen = list(rows)
    return CaseGroup(
        by=by,
        value=value,
        cases=len(chosen),
        right=sum(row.right for row in chosen),
        figures={name: _figures(chosen, name) for name in run.systems},
    )


def _figures(rows: list[RunRow], system: str) -> SystemFigures:
    pairs = [(row, row.scores[system]) for row in rows]
    shares = {}
    for measure in CASE_MEASURES:
        counted = [each for row, score in pairs if (each := measure.of(row, score)) is not None]
        if counted:
            shares[measure.name] = share(sum(one for one, _ in counted), len(counted))
    means = {}
    for mean in CASE_MEANS:
        numbers = [number for row, score in pairs if (number := mean.of(row, score)) is not None]
        if numbers:
            means[mean.name] = round(sum(numbers) / len(numbers), 3)
    return SystemFigures(
        shares=shares,
        means=means,
        check=quantiles(score.check_seconds for _, score in pairs),
        repair=quantiles(score.seconds for _, score in pairs),
    )
