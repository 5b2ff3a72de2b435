"""A run in figures: of many sequences, read once and in bounded memory, or of systems over cases."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.evaluation.figures import (
    CaseGroup,
    Fault,
    FaultExample,
    FaultFigures,
    Figures,
    Group,
    Grouping,
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
from refract_asp.evaluation.measures import (
    CASE_MEANS,
    CASE_MEASURES,
    MEASURES,
    OUTCOMES,
    Counted,
    Outcome,
    faulty_calls,
    shares_of,
)
from refract_asp.evaluation.rows import Row
from refract_asp.model.diagnostic import Diagnostic, Tag, TaggedFault
from refract_asp.model.result import NO_TIME
from refract_asp.model.secrets import is_secret
from refract_asp.model.shares import Share, quantiles, share

if TYPE_CHECKING:
    from refract_asp.evaluation.runs import Run, RunRow


EXECUTABLE = ("valid", "repaired")
MAX_KINDS = 20_000
"""At most this many different things of one kind are counted; those that come after them are left out."""
MAX_STEPS = 50
"""Positions of calls that are told apart, in sequences that are judged step by step."""
MOST = 100
"""So many entries has a list of tools, parameters, faults, or sequences, unless another number is given."""

# -- one row -------------------------------------------------------------------


def fault_of(found: Diagnostic) -> Fault:
    """Return by what a fault is the same as another one."""
    parameter = None if found.parameter is None else shown(found.parameter)
    attempted = None if found.attempted is None else shown(found.attempted)
    return Fault(code=found.code, tool=shown(found.tool), parameter=parameter, attempted=attempted)


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


Measured = tuple[Outcome, int, tuple[Counted, ...]]
"""The outcome of a row, its number of calls, and what it adds to each measure."""


def measured(row: Row) -> Measured:
    """Return what a row adds to the figures of every group that it belongs to."""
    counted = tuple(measure.counted(row) for measure in MEASURES)
    return row.verdict or "error", row.count, counted


class Tally:
    """The figures of some rows, as they are being counted."""

    def __init__(self) -> None:
        """Begin with none."""
        self.calls = 0
        self.outcomes: Counter[Outcome] = Counter()
        self.counts = [0] * len(MEASURES)
        self.of = [0] * len(MEASURES)

    def add(self, row: Measured) -> None:
        """Add a row."""
        outcome, calls, counted = row
        self.calls += calls
        self.outcomes[outcome] += 1
        for number, each in enumerate(counted):
            if each is not None:
                self.counts[number] += each[0]
                self.of[number] += each[1]

    def figures(self) -> Figures:
        """Return what was counted."""
        total = self.outcomes.total()
        return Figures(
            sequences=total,
            calls=self.calls,
            outcomes={
                each: share(self.outcomes[each], total) for each in OUTCOMES if self.outcomes[each]
            },
            shares=shares_of(zip(MEASURES, self.counts, self.of, strict=True)),
        )


# -- by what metadata holds --------------------------------------------------------

FEW = 50
"""A field with more values than this is not grouped by unless it is asked for."""
MANY = 1_000
"""So many values of a field that was asked for are told apart."""
MAX_FIELDS = 100
"""So many fields are looked at where none is asked for."""
CATALOG = "catalog"
_LARGE = 10**15


def rank(value: Value | None) -> tuple[int, float, str]:
    """
    Return by what groups are sorted: numbers by size, then words, then what is true or false.

    Example:
        >>> sorted(["b", 10, True, 9.5, "a"], key=rank)
        [9.5, 10, 'a', 'b', True]
    """
    if isinstance(value, bool):
        return 2, 0.0, str(value)
    if isinstance(value, int | float):
        return 0, float(value), ""
    return 1, 0.0, str(value)


def field_value(row: Row, name: str) -> Value | None:
    """
    Return what a field of the metadata of a row holds, as it may be printed; None for no single value.

    That is the field of this name, else what stands at the path that its dots say.
    """
    found: Any = row.meta
    for part in [name] if name in row.meta else name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return _printable(row.catalog or None if found is None and name == CATALOG else found)


def _printable(value: Any) -> Value | None:
    if isinstance(value, int | float) and (isinstance(value, bool) or -_LARGE <= value <= _LARGE):
        return value
    return shown(value) if isinstance(value, str | int | float) else None


class Fields:
    """
    Groups rows by fields of their metadata: by those that are asked for, else by all that have few values.

    A field that is named like a secret is never told.
    """

    def __init__(self, by: Iterable[str] = ()) -> None:
        """
        Group by the fields `by`, with dots where they lie deeper.

        Raises:
            InputError: one is named like a secret.
        """
        self.asked = tuple(dict.fromkeys(by))
        for name in self.asked:
            if _is_secret(name):
                what = (
                    f"the field {shown(name)!r} is named like a secret, so nothing is told by it."
                )
                raise InputError(what, hint="Group by another field, or rename it in the data.")
        self.rows = 0
        self.known: dict[str, None] = {}
        self.groups: dict[str, dict[Any, tuple[Value, Tally]]] = {name: {} for name in self.asked}
        self.beyond: Counter[str] = Counter()

    def add(self, row: Row, counted: Measured) -> None:
        """Add a row to the groups that it belongs to."""
        self.rows += 1
        for name in row.meta:
            if len(self.known) < MAX_FIELDS and name not in self.known and not _is_secret(name):
                self.known[name] = None
        most = MANY if self.asked else FEW
        for name in self.asked or {**self.known, CATALOG: None}:
            is_found = not self.asked and name in self.known
            value = _printable(row.meta.get(name)) if is_found else field_value(row, name)
            if value is None:
                continue
            groups, key = self.groups.setdefault(name, {}), rank(value)
            if key in groups or (len(groups) < most and (self.asked or not self.beyond[name])):
                groups.setdefault(key, (value, Tally()))[1].add(counted)
                continue
            self.beyond[name] += 1
            if not self.asked:
                groups.clear()  # nobody asked for it

    def groupings(self) -> tuple[Grouping, ...]:
        """
        Return what was found by field.

        Raises:
            InputError: no row has a field that was asked for.
        """
        found = []
        for name, groups in self.groups.items():
            counted = sum(tally.outcomes.total() for _, tally in groups.values())
            if not self.asked and (
                len(groups) < 2 or self.beyond[name] or 2 * len(groups) > counted
            ):
                continue  # it has one value, too many, or one for each sequence
            if not groups and self.rows:
                known = ", ".join(shown(each, 40) for each in {**self.known, CATALOG: None})
                what = f"no sequence has a field {shown(name)!r} to group by."
                raise InputError(what, hint=f"Known: {known}.")
            told = tuple(
                Group(value=value, figures=tally.figures())
                for _, (value, tally) in sorted(groups.items())
            )
            beyond = self.beyond[name]
            without = self.rows - counted - beyond
            found.append(Grouping(field=shown(name), groups=told, without=without, beyond=beyond))
        return tuple(found)


def _is_secret(name: str) -> bool:
    return is_secret(name, {}) or any(is_secret(part, {}) for part in name.split("."))


# -- all rows ----------------------------------------------------------------------


@dataclass
class _Kind:
    """How often a tool, a parameter, a fault or a mistake occurs, in how many sequences, and with what."""

    occurrences: int = 0
    faulty: int = 0
    sequences: int = 0
    tags: Counter[Tag] = field(default_factory=Counter)
    example: FaultExample | None = None

    def mostly(self) -> dict[Tag, int]:
        return _by_count(self.tags)


_Key = TypeVar("_Key", bound=Hashable)


class _Kinds(dict[_Key, _Kind], Generic[_Key]):
    """Counts things of which there may be any number: what comes after `MAX_KINDS` is not held."""

    is_cut = False

    def __missing__(self, key: _Key) -> _Kind:
        kind = _Kind()
        if len(self) < MAX_KINDS:
            self[key] = kind
        else:
            self.is_cut = True
        return kind


def _by_count(counts: Counter[Any]) -> dict[Any, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _tag_figures(kinds: _Kinds[Tag], of: int) -> tuple[TagFigures, ...]:
    ranked = sorted(kinds.items(), key=lambda e: (-e[1].sequences, -e[1].occurrences, e[0]))
    return tuple(
        TagFigures(tag=tag, count=kind.occurrences, sequences=share(kind.sequences, of))
        for tag, kind in ranked
    )


def _count_tags(kinds: _Kinds[Tag], faults: Iterable[TaggedFault]) -> None:
    tags = Counter(fault.tag for fault in faults)
    for tag, number in tags.items():
        kinds[tag].occurrences += number
        kinds[tag].sequences += 1


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
        self.stepwise = self.with_truth = self.troubled = 0
        self.tags, self.truth_tags = _Kinds[Tag](), _Kinds[Tag]()
        self.tools = _Kinds[str]()
        self.parameters = _Kinds[tuple[str, str]]()
        self.faults = _Kinds[Fault]()
        self.edits: Counter[str] = Counter()
        self.steps = [[0, 0, 0, 0] for _ in range(MAX_STEPS)]
        self.troubles: list[Trouble] = []

    def add(self, row: Row) -> None:
        """Add a row."""
        counted = measured(row)
        self.overall.add(counted)
        self.fields.add(row, counted)
        self.modes[row.mode] += 1
        self.stepwise += row.stepwise
        _count_tags(self.tags, row.tags)
        if row.expected is not None:
            self.with_truth += 1
            _count_tags(self.truth_tags, row.expected.tags)
        self.edits.update(edit.kind for edit in row.edits)
        if (seconds := self.times.get(row.number)) is not None:
            self.seconds.append(seconds)
        self._add_calls(row)
        faults = [(fault_of(found), found) for found in row.diagnostics]
        for fault, found in faults:
            kind = self.faults[fault]
            kind.occurrences += 1
            kind.example = kind.example or example_of(row, found)
        for fault in dict.fromkeys(fault for fault, _ in faults):
            self.faults[fault].sequences += 1
        goes_on = True
        for number, step in enumerate(row.steps):
            counts = self.steps[min(number, MAX_STEPS - 1)]
            counts[0] += step.verdict != "valid"
            counts[1] += 1
            if goes_on:
                goes_on = step.verdict in EXECUTABLE
                counts[2] += not goes_on
                counts[3] += 1
        outcome = counted[0]
        if outcome not in EXECUTABLE:
            self.troubled += 1
            if len(self.troubles) < self.most:
                told = {"number": row.number, "name": shown(row.name), "why": why(row)}
                self.troubles.append(Trouble(outcome=outcome, **told))

    def _add_calls(self, row: Row) -> None:
        names = [shown(name) for name in row.tools]
        for name in names:
            self.tools[name].occurrences += 1
        faulty = [names[number] for number in faulty_calls(row) if number < len(names)]
        for name in faulty:
            self.tools[name].faulty += 1
        for name in set(faulty):
            self.tools[name].sequences += 1
        arguments = set()
        for fault in row.tags:
            if fault.call is None or fault.call >= len(names):
                continue
            tool = names[fault.call]
            self.tools[tool].tags[fault.tag] += 1
            if fault.parameter is not None:
                parameter = shown(fault.parameter)
                self.parameters[tool, parameter].tags[fault.tag] += 1
                arguments.add((fault.call, parameter))
        for number, parameter in arguments:
            self.parameters[names[number], parameter].faulty += 1

    def summary(self) -> Summary:
        """Return what was counted."""
        of, most = self.overall.outcomes.total(), self.most
        tools = sorted(self.tools.items(), key=lambda e: (-e[1].faulty, -e[1].occurrences, e[0]))
        parameters = sorted(self.parameters.items(), key=lambda e: (-e[1].faulty, e[0]))
        faults = sorted(self.faults.items(), key=lambda e: (-e[1].sequences, -e[1].occurrences))
        lists: dict[str, _Kinds[Any]] = {
            "tools": self.tools,
            "parameters": self.parameters,
            "faults": self.faults,
        }
        times = quantiles(self.seconds)
        return Summary(
            modes=dict(sorted(self.modes.items())),
            stepwise=self.stepwise,
            overall=self.overall.figures(),
            times=times and Timed(**times.model_dump(), mean=sum(self.seconds) / len(self.seconds)),
            tags=_tag_figures(self.tags, of),
            truth_tags=_tag_figures(self.truth_tags, self.with_truth),
            tools=tuple(
                ToolFigures(
                    tool=name,
                    faulty=share(kind.faulty, kind.occurrences),
                    sequences=share(kind.sequences, of),
                    tags=kind.mostly(),
                )
                for name, kind in tools[:most]
            ),
            parameters=tuple(
                ParameterFigures(
                    tool=tool,
                    parameter=name,
                    faulty=share(kind.faulty, max(kind.faulty, self.tools[tool].occurrences)),
                    tags=kind.mostly(),
                )
                for (tool, name), kind in parameters[:most]
            ),
            steps=tuple(
                StepFigures(step=number, faulty=share(faulty, all_), stopped=share(stopped, came))
                for number, (faulty, all_, stopped, came) in enumerate(self.steps)
                if all_
            ),
            groupings=self.fields.groupings(),
            faults=tuple(
                FaultFigures(
                    **dict(fault),
                    count=kind.occurrences,
                    sequences=share(kind.sequences, of),
                    example=kind.example,
                )
                for fault, kind in faults[:most]
            ),
            edits=_by_count(self.edits),
            troubles=tuple(self.troubles),
            troubled=self.troubled,
            cut=tuple(n for n, found in lists.items() if found.is_cut or len(found) > most),
        )


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

MAX_GROUPS = 60
"""A dial with more values than this is not grouped by unless it is asked for, and then only so far."""


def groupings(run: Run) -> list[str]:
    """Return by what the cases of a run differ: the kind, the variant, and dials of few values."""
    found = ["kind", *(["variant"] if any(row.variant for row in run.rows) else [])]
    for dial in dict.fromkeys(dial for row in run.rows for dial in row.dials):
        values = (_value(row, dial) for row in run.rows)
        different = {rank(value) for value in values if value is not None}
        if dial not in found and 1 < len(different) <= MAX_GROUPS:
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
            what = f"there is no dial {shown(each)!r} to group by."
            raise InputError(what, hint=f"Known: {names}.")
    groups = {}
    for by_what in wanted:
        found: dict[Any, tuple[Value, list[RunRow]]] = {}
        for row in run.rows:
            if (value := _value(row, by_what)) is not None:
                found.setdefault(rank(value), (value, []))[1].append(row)
        ranked = [each for _, each in sorted(found.items(), key=lambda item: item[0])]
        groups[by_what] = tuple(
            _group(run, rows, by_what, value) for value, rows in ranked[:MAX_GROUPS]
        )
    return RunSummary(overall=_group(run, run.rows, "all", ""), groups=groups)


def restored_share(run: Run, system: str) -> Share:
    """Return which share of the broken, informed cases a system restores; see `CASE_MEASURES`."""
    return _system_figures(run.rows, system).shares.get("restored", share(0, 0))


def _value(row: RunRow, by: str) -> Value | None:
    if by == "variant":
        return row.variant or None
    return row.kind if by == "kind" else row.dials.get(by)


def _group(run: Run, rows: Iterable[RunRow], by: str, value: Value) -> CaseGroup:
    chosen = list(rows)
    return CaseGroup(
        by=by,
        value=value,
        cases=len(chosen),
        right=sum(row.right for row in chosen),
        figures={name: _system_figures(chosen, name) for name in run.systems},
    )


def _system_figures(rows: Iterable[RunRow], system: str) -> SystemFigures:
    pairs = [(row, row.scores[system]) for row in rows]
    sums = []
    for measure in CASE_MEASURES:
        counted = [each for pair in pairs if (each := measure.counted(*pair)) is not None]
        sums.append((measure, sum(count for count, _ in counted), len(counted)))
    means = {}
    for mean in CASE_MEANS:
        numbers = [found for pair in pairs if (found := mean.said(*pair)) is not None]
        if numbers:
            means[mean.name] = round(sum(numbers) / len(numbers), 3)
    return SystemFigures(
        shares=shares_of(sums),
        means=means,
        check=quantiles(score.check_seconds for _, score in pairs),
        repair=quantiles(score.seconds for _, score in pairs),
    )
