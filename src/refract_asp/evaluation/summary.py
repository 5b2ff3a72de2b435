"""A run in figures: of many sequences, read once and in bounded memory, or of systems over cases."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.evaluation import measures as figures
from refract_asp.evaluation.measures import Tally, Value, faulty_calls, measures
from refract_asp.evaluation.rows import Row
from refract_asp.model.diagnostic import Tag
from refract_asp.model.result import NO_TIME
from refract_asp.model.secrets import is_secret
from refract_asp.model.shares import Share, quantiles, share

if TYPE_CHECKING:
    from refract_asp.evaluation.runs import Run, RunRow


# At most this many different things of one kind are counted; those that come after them are left out.
MAX_KINDS = 20_000
# So many entries has a list of tools, faults, or sequences, unless another number is given.
MOST = 100

# -- one row -------------------------------------------------------------------


def faults_of(row: Row) -> Iterator[tuple[figures.Fault, figures.FaultExample]]:
    """Yield by what each fault of a row is the same as others, and the fault as an example."""
    for found in row.diagnostics:
        tokens = {name: getattr(found, name) for name in ("tool", "parameter", "attempted")}
        clean = {name: None if each is None else shown(each) for name, each in tokens.items()}
        example = figures.FaultExample(
            number=row.number,
            name=shown(row.name),
            message=shown(found.message, LONGEST_TEXT),
            fix=None if found.fix is None else shown(found.fix, LONGEST_TEXT),
        )
        yield figures.Fault(code=found.code, **clean), example


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


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of a row, its number of calls, and what it adds to each measure."""

    outcome: figures.Outcome
    calls: int
    counted: tuple[figures.Counted, ...]

    @classmethod
    def of(cls, row: Row) -> Measured:
        """Return what a row adds to the figures of every group that it belongs to."""
        counted = tuple(measure.counted(row) for measure in measures("sequences"))
        return cls(row.verdict or "error", row.count, counted)


@dataclass
class Counts:
    """The figures of some rows, as they are being counted."""

    calls: int = 0
    outcomes: Counter[figures.Outcome] = field(default_factory=Counter)
    tally: Tally = field(default_factory=lambda: Tally(measures("sequences")))

    def add(self, row: Measured) -> None:
        """Add a row."""
        self.calls += row.calls
        self.outcomes[row.outcome] += 1
        self.tally.add(row.counted)

    def total(self) -> figures.Figures:
        """Return what was counted."""
        total, found = self.outcomes.total(), self.outcomes
        outcomes = {each: share(found[each], total) for each in figures.OUTCOMES if found[each]}
        shares = self.tally.shares()
        return figures.Figures(sequences=total, calls=self.calls, outcomes=outcomes, shares=shares)


# -- by what metadata holds --------------------------------------------------------

# A field with more values than this is not grouped by unless it is asked for.
FEW = 50
# So many values of a field that was asked for are told apart.
MANY = 1_000
# So many fields are looked at where none is asked for.
MAX_FIELDS = 100
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
    if found is None and name == CATALOG:
        found = row.catalog or None
    if isinstance(found, int | float) and (isinstance(found, bool) or -_LARGE <= found <= _LARGE):
        return found
    return shown(found) if isinstance(found, str | int | float) else None


@lru_cache(1_000)
def _is_secret(name: str) -> bool:
    return any(is_secret(part, {}) for part in (name, *name.split(".")))


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
        for name in filter(_is_secret, self.asked):
            what = f"the field {shown(name)!r} is named like a secret, so nothing is told by it."
            raise InputError(what, hint="Group by another field, or rename it in the data.")
        self.rows = 0
        self.known: dict[str, None] = {}
        self.groups: dict[str, dict[Any, tuple[Value, Counts]]] = {name: {} for name in self.asked}
        self.beyond: set[str] = set()

    def add(self, row: Row, measured: Measured) -> None:
        """Add a row to the groups that it belongs to."""
        self.rows += 1
        for name in row.meta:
            if len(self.known) < MAX_FIELDS and not _is_secret(name):
                self.known[name] = None
        for name in self.asked or {**self.known, CATALOG: None}:
            value = field_value(row, name) if self.asked or name in {CATALOG, *row.meta} else None
            if value is None:
                continue
            groups, key = self.groups.setdefault(name, {}), rank(value)
            if key in groups or len(groups) < (MANY if self.asked else FEW):
                groups.setdefault(key, (value, Counts()))[1].add(measured)
            else:
                self.beyond.add(name)

    def groupings(self) -> Iterator[figures.Grouping]:
        """
        Yield what was found by field; left out is what has one value, too many, or one for each sequence.

        Raises:
            InputError: no row has a field that was asked for.
        """
        for name, groups in self.groups.items():
            counted = sum(counts.outcomes.total() for _, counts in groups.values())
            is_few = len(groups) > 1 and 2 * len(groups) <= counted
            if not self.asked and (name in self.beyond or not is_few):
                continue
            if not groups and self.rows:
                known = ", ".join(shown(each, 40) for each in {**self.known, CATALOG: None})
                what = f"no sequence has a field {shown(name)!r} to group by."
                raise InputError(what, hint=f"Known: {known}.")
            ranked = [groups[key] for key in sorted(groups)]
            told = tuple(figures.Group(value=v, figures=counts.total()) for v, counts in ranked)
            yield figures.Grouping(field=shown(name), groups=told, without=self.rows - counted)


# -- all rows ----------------------------------------------------------------------


@dataclass
class _Kind:
    """How often a fault, a mistake or a faulty call of a tool occurs, in how many sequences, and with what."""

    occurrences: int = 0
    sequences: int = 0
    calls: int = 0
    tags: Counter[Tag] = field(default_factory=Counter)
    example: figures.FaultExample | None = None

    def told(self, of: int) -> dict[str, Any]:
        """Return how often it occurs, and in how many of all sequences."""
        return {"count": self.occurrences, "sequences": share(self.sequences, of)}


_Key = TypeVar("_Key")


class _Kinds(dict[_Key, _Kind]):
    """Counts things of which there may be any number: what comes after `MAX_KINDS` is not held."""

    def __missing__(self, key: _Key) -> _Kind:
        kind = _Kind()
        if len(self) < MAX_KINDS:
            self[key] = kind
        return kind

    def add(self, keys: Iterable[_Key]) -> None:
        """Count what occurs in one sequence."""
        for key, number in Counter(keys).items():
            kind = self[key]
            kind.occurrences += number
            kind.sequences += 1


def _by_count(counts: Counter[Any]) -> dict[Any, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class Counting:
    """A run as it is being counted."""

    def __init__(self, fields: Fields, times: Mapping[int, float], most: int) -> None:
        """Begin with no row; lists shall have at most `most` entries."""
        self.fields = fields
        self.times = times
        self.most = most
        self.overall = Counts()
        self.seconds = array("d")
        self.modes: Counter[str] = Counter()
        self.stepwise = self.troubled = 0
        self.tags, self.tools, self.faults = _Kinds[Tag](), _Kinds[str](), _Kinds[figures.Fault]()
        self.edits: Counter[str] = Counter()
        self.troubles: list[figures.Trouble] = []

    def add(self, row: Row) -> None:
        """Add a row."""
        measured = Measured.of(row)
        self.overall.add(measured)
        self.fields.add(row, measured)
        self.modes[row.mode] += 1
        self.stepwise += row.stepwise
        self.edits.update(edit.kind for edit in row.edits)
        if (seconds := self.times.get(row.number)) is not None:
            self.seconds.append(seconds)
        self.tags.add(fault.tag for fault in row.tags)
        faults = list(faults_of(row))
        self.faults.add(fault for fault, _ in faults)
        for fault, example in faults:
            self.faults[fault].example = self.faults[fault].example or example
        names = [shown(name) for name in row.tools]
        for name in names:
            self.tools[name].calls += 1
        self.tools.add(names[number] for number in faulty_calls(row) if number < len(names))
        for each in row.tags:
            if each.call is not None and each.call < len(names):
                self.tools[names[each.call]].tags[each.tag] += 1
        if measured.outcome not in figures.EXECUTABLE:
            self.troubled += 1
            if len(self.troubles) < self.most:
                told = {"number": row.number, "name": shown(row.name), "why": why(row)}
                self.troubles.append(figures.Trouble(outcome=measured.outcome, **told))

    def summary(self) -> figures.Summary:
        """Return what was counted."""
        of, most = self.overall.outcomes.total(), self.most
        tags = sorted(self.tags.items(), key=lambda e: (-e[1].sequences, -e[1].occurrences, e[0]))
        tools = sorted(self.tools.items(), key=lambda e: (-e[1].occurrences, -e[1].calls, e[0]))
        faults = sorted(self.faults.items(), key=lambda e: (-e[1].sequences, -e[1].occurrences))
        times = quantiles(self.seconds)
        cut = {"tools": len(tools), "faults": len(faults)}
        return figures.Summary(
            modes=dict(sorted(self.modes.items())),
            stepwise=self.stepwise,
            overall=self.overall.total(),
            times=times
            and figures.Timed(**times.model_dump(), mean=sum(self.seconds) / len(self.seconds)),
            tags=tuple(figures.TagFigures(tag=tag, **kind.told(of)) for tag, kind in tags),
            tools=tuple(
                figures.ToolFigures(
                    tool=name,
                    faulty=share(kind.occurrences, kind.calls),
                    sequences=share(kind.sequences, of),
                    tags=_by_count(kind.tags),
                )
                for name, kind in tools[:most]
            ),
            groupings=tuple(self.fields.groupings()),
            faults=tuple(
                figures.FaultFigures(**dict(fault), **kind.told(of), example=kind.example)
                for fault, kind in faults[:most]
            ),
            edits=_by_count(self.edits),
            troubles=tuple(self.troubles),
            troubled=self.troubled,
            cut=tuple(name for name, number in cut.items() if number > most or number >= MAX_KINDS),
        )


def summarise(
    rows: Iterable[Row],
    by: Iterable[str] = (),
    times: Mapping[int, float] | None = None,
    *,
    most: int = MOST,
) -> figures.Summary:
    """
    Return a run in figures.

    Args:
        rows: what came of each sequence; read once, one at a time.
        by: fields of the metadata to group by, with dots where they lie deeper; by default all at the top
            that hold a few single values.
        times: the seconds that a sequence took, by its number.
        most: how many entries the lists of tools, faults and sequences have at most.

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

# A dial with more values than this is not grouped by unless it is asked for, and then only so far.
MAX_GROUPS = 60


def groupings(run: Run) -> list[str]:
    """Return by what the cases of a run differ: the kind, the variant, and dials of few values."""
    found = ["kind", *(["variant"] if any(row.variant for row in run.rows) else [])]
    for dial in dict.fromkeys(dial for row in run.rows for dial in row.dials):
        values = {rank(row.dials[dial]) for row in run.rows if row.dials.get(dial) is not None}
        if dial not in found and 1 < len(values) <= MAX_GROUPS:
            found.append(dial)
    return found


def summary_of(run: Run, by: Iterable[str] | None = None) -> figures.RunSummary:
    """
    Return the figures of a run.

    Args:
        run: the run.
        by: what the cases are grouped by: "kind", "variant", dials; by default what `groupings` finds.

    Raises:
        InputError: no case has a dial of that name.
    """
    known = ["kind", "variant", *sorted({dial for row in run.rows for dial in row.dials})]
    groups: dict[str, tuple[figures.CaseGroup, ...]] = {}
    for name in groupings(run) if by is None else by:
        if name not in known:
            what = f"there is no dial {shown(name)!r} to group by."
            hint = f"Known: {', '.join(shown(each, 40) for each in known)}."
            raise InputError(what, hint=hint)
        found: dict[Any, tuple[Value, list[RunRow]]] = {}
        for row in run.rows:
            of_case = {**row.dials, "kind": row.kind, "variant": row.variant or None}
            if (value := of_case.get(name)) is not None:
                found.setdefault(rank(value), (value, []))[1].append(row)
        ranked = [each for _, each in sorted(found.items(), key=lambda item: item[0])]
        groups[name] = tuple(_group(run, rows, name, value) for value, rows in ranked[:MAX_GROUPS])
    return figures.RunSummary(overall=_group(run, run.rows, "all", ""), groups=groups)


def restored_share(run: Run, system: str) -> Share:
    """Return which share of the broken, informed cases a system restores; see `measures`."""
    return _system_figures(run.rows, system).shares.get("restored", share(0, 0))


def _group(run: Run, rows: Sequence[RunRow], by: str, value: Value) -> figures.CaseGroup:
    return figures.CaseGroup(
        by=by,
        value=value,
        cases=len(rows),
        right=sum(row.right for row in rows),
        figures={name: _system_figures(rows, name) for name in run.systems},
    )


def _system_figures(rows: Iterable[RunRow], system: str) -> figures.SystemFigures:
    pairs = [(row, row.scores[system]) for row in rows]
    tally = Tally(measures("cases"))
    for pair in pairs:
        tally.add(measure.counted(*pair) for measure in measures("cases"))
    return figures.SystemFigures(
        shares=tally.shares(),
        check=quantiles(score.check_seconds for _, score in pairs),
        repair=quantiles(score.seconds for _, score in pairs),
    )
