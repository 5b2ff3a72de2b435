"""
A run in figures: of many sequences, read once and in bounded memory, or of systems over cases.

The measures are in the order of the reports.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from refract_asp.errors import LONGEST_TEXT, InputError, meant, shown
from refract_asp.evaluation.rows import Row
from refract_asp.model.diagnostic import Tag
from refract_asp.model.edits import ViolationCode
from refract_asp.model.paths import Frozen
from refract_asp.model.result import NO_TIME
from refract_asp.model.secrets import is_secret
from refract_asp.model.shares import Share, Times, by_count, quantiles, share
from refract_asp.resources import packaged

if TYPE_CHECKING:
    from refract_asp.evaluation.runs import Run, RunRow


# The verdict of a sequence, or that it has none; from the best to the worst.
Outcome: TypeAlias = Literal[
    "valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", "error"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
# What is measured.
Of: TypeAlias = Literal["sequences", "cases"]


class Count(NamedTuple):
    """This many of this many calls, in one sequence."""

    some: int
    of: int


EXECUTABLE = ("valid", "repaired")
# This many of this many, in one sequence or case; None where it does not count.
Counted: TypeAlias = tuple[int, int] | None


@dataclass(frozen=True)
class Measure:
    """
    A share over sequences, over their calls, or over cases; `measures.yaml` gives its fields.

    Attributes:
        name: its key in `shares`.
        over: what it is a share of, in words.
        counts: which rows it counts.
        read: what a row says of it, or for a case the score of a system: whether it is so, None where it
            does not say; or a `Count`.
    """

    name: str
    over: str
    counts: Callable[[Any], bool]
    read: Callable[[Any], Any]
    told: str = ""
    title: str = ""
    column: str = ""
    better: Literal["more", "less"] | None = "more"
    if_some: bool = False
    if_more_than: str = ""

    @property
    def called(self) -> str:
        """How it is called in reports."""
        return self.title or self.name

    @property
    def meaning(self) -> str:
        """What it is a share of, and what has to be so."""
        return f"{self.over}: {self.told}" if self.told else self.over

    def counted(self, row: Any, score: Any = None) -> Counted:
        """Return what a row adds to the share; None where it does not count."""
        found = self.read(row if score is None else score) if self.counts(row) else None
        return found if found is None or isinstance(found, Count) else (int(bool(found)), 1)

    def is_told(self, shares: dict[str, Share]) -> bool:
        """Whether reports show it for these shares."""
        found = shares.get(self.name)
        if found is None or (self.if_some and not found.count):
            return False
        return not self.if_more_than or found.count > shares[self.if_more_than].count


def share_of(counted: Iterable[Counted]) -> Share:
    """Return the share that some rows make up."""
    known = [each for each in counted if each is not None]
    return share(sum(some for some, _ in known), sum(of for _, of in known))


# -- what is measured --------------------------------------------------------------


def faulty_calls(row: Row) -> set[int]:
    """Return the indexes of the given calls in which something is wrong."""
    return {fault.call for fault in row.tags if fault.call is not None and fault.call < row.count}


def _left_out(row: Row) -> int:
    return sum(edit.kind == "delete_call" for edit in row.edits)


_COUNTS: dict[str, Callable[[Any], bool]] = {
    "sequences": lambda _: True,
    "cases": lambda _: True,
    "not_checked": lambda row: row.mode != "check",
    # not so where the given calls are only open, or were not read
    "faulty": lambda row: (
        row.mode != "check"
        and row.verdict not in (None, "valid")
        and bool(row.diagnostics or row.tags or row.edits or row.unmet)
    ),
    "calls": lambda row: row.count > 0,
    "shortened": lambda row: row.mode == "compress" and row.verdict is not None,
    "shortened_calls": lambda row: row.mode == "compress" and row.count > 0,
    "known": lambda row: row.expected is not None,
    "other": lambda row: row.expected is not None and not row.expected.given,
    "answered": lambda row: row.mode != "check" and row.verdict is not None,
    "broken": lambda row: not row.right,
    "informed": lambda row: row.informed and not row.right,
    "same": lambda row: row.informed and not row.right,
    "asking": lambda row: row.asks > 0,
    "whole": lambda row: not (row.asks or row.open or row.right),
}
_READ: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("sequences", "valid"): lambda row: row.verdict == "valid",
    ("sequences", "repairable"): lambda row: row.verdict == "repaired",
    ("sequences", "faulty_calls"): lambda row: Count(len(faulty_calls(row)), row.count),
    ("sequences", "shorter"): lambda row: _left_out(row) > 0,
    ("sequences", "left_out"): lambda row: Count(_left_out(row), row.count),
    ("sequences", "errors"): lambda row: row.verdict is None,
    ("cases", "errors"): lambda score: score.error is not None,
}


@cache
def measures(of: Of) -> tuple[Measure, ...]:
    """Return what sequences are measured by, or what systems are measured by over cases."""
    words, found = packaged("evaluation/measures"), []
    for name, given in words[of].items():
        said = {**given}
        over, value = said.pop("over"), said.pop("value", name)
        read = _READ.get((of, name)) or attrgetter(value)
        counts = _COUNTS.get(over, attrgetter(over))
        found.append(Measure(name, words["overs"][over], counts, read, **said))
    return tuple(found)


def told_measures(of: Of, *several: dict[str, Share]) -> list[Measure]:
    """Return the measures that say something of these shares, in the order of the reports."""
    return [measure for measure in measures(of) if any(map(measure.is_told, several))]


# -- figures -----------------------------------------------------------------------

# What a field of the metadata holds for a group of sequences.
Value: TypeAlias = bool | int | float | str


class Figures(Frozen):
    """
    What came of some sequences.

    Attributes:
        sequences: how many they are, errors among them.
        calls: how many calls they had when they were given.
        outcomes: how many have each verdict, "error" where there is none; only those that some have, from the
            best to the worst.
        shares: by the name of each measure, see `measures`; only of those that some sequence counts for.
    """

    sequences: int
    calls: int
    outcomes: dict[Outcome, Share]
    shares: dict[str, Share]


class FaultExample(Frozen):
    """
    One sequence that has a fault, by which to understand it.

    Attributes:
        number: the number of the sequence in the run, from 0.
        name: its id, or where it stood.
        message: what is wrong, in one sentence.
        fix: one change that puts it right, or None.
    """

    number: int
    name: str
    message: str
    fix: str | None = None


class Fault(Frozen):
    """
    What makes two faults the same.

    Attributes:
        code: what is wrong.
        tool: the tool that the call names; empty where it lies in no call.
        parameter: the argument, or None when the call as a whole is wrong.
        attempted: the wrong token as it was written, or None when it is absent.
    """

    code: ViolationCode
    tool: str
    parameter: str | None
    attempted: str | None


class FaultFigures(Fault):
    """
    The same fault in several sequences.

    Attributes:
        count: how often it occurs.
        sequences: in how many of all sequences.
        example: the first of them.
    """

    count: int
    sequences: Share
    example: FaultExample


class TagFigures(Frozen):
    """How often a kind of mistake occurs, and in how many of all sequences."""

    tag: Tag
    count: int
    sequences: Share


class ToolFigures(Frozen):
    """
    The calls that name a tool.

    Attributes:
        tool: its name, also when there is no such tool.
        faulty: in how many of its calls something is wrong.
        sequences: in how many of all sequences a call of it is faulty.
        tags: how often each kind of mistake occurs, the most frequent first.
    """

    tool: str
    faulty: Share
    sequences: Share
    tags: dict[Tag, int]


class Group(Frozen):
    """The sequences for which a field of the metadata holds one value."""

    value: Value
    figures: Figures


class Grouping(Frozen):
    """
    The sequences by what a field of their metadata holds.

    Attributes:
        field: its name, with dots where it lies deeper; "catalog" also stands for the name of the catalog.
        groups: one for each value: numbers by size, then words.
        without: how many sequences have no such field, no single value in it, or one beyond those listed.
    """

    field: str
    groups: tuple[Group, ...]
    without: int = 0


class Trouble(Frozen):
    """
    A sequence that cannot be executed.

    Attributes:
        number: its number in the run, from 0.
        name: its id, or where it stood.
        outcome: its verdict, or "error".
        why: what is wrong first, in one sentence.
    """

    number: int
    name: str
    outcome: Outcome
    why: str


class Timed(Times):
    """How long sequences took, in seconds; `mean` is how long on average."""

    mean: float


class Summary(Frozen):
    """
    A run in figures.

    All names and texts are safe to print: on one line, bounded, without secrets.

    Attributes:
        modes: how many sequences were repaired, checked, compressed.
        stepwise: how many were judged step by step.
        overall: all sequences.
        times: how long they took; None where that is not known.
        tags: by kind of mistake, the most frequent first.
        tools: by tool, those with the most faulty calls first.
        groupings: by each field of the metadata that was asked for, else by each that has few values.
        faults: the most frequent ones.
        edits: how often each kind of change was made, the most frequent first.
        troubles: the first sequences that cannot be executed.
        troubled: how many of them there are.
        cut: which lists are incomplete, as "tools": rare entries are left out.
    """

    schema_version: Literal[1] = 1
    modes: dict[str, int]
    stepwise: int
    overall: Figures
    times: Timed | None = None
    tags: tuple[TagFigures, ...] = ()
    tools: tuple[ToolFigures, ...] = ()
    groupings: tuple[Grouping, ...] = ()
    faults: tuple[FaultFigures, ...] = ()
    edits: dict[str, int] = {}
    troubles: tuple[Trouble, ...] = ()
    troubled: int = 0
    cut: tuple[str, ...] = ()


class SystemFigures(Frozen):
    """
    What one system did on some cases.

    Attributes:
        shares: by the name of each measure, see `measures`; only of those that some case counts for.
        check: how long finding what is wrong took.
        repair: how long answering took.
    """

    shares: dict[str, Share]
    check: Times | None = None
    repair: Times | None = None


class CaseGroup(Frozen):
    """
    Some cases of a run.

    Attributes:
        by: what they have in common: "kind", "variant" or a dial; "all" for all cases.
        value: what it is for these.
        cases: how many they are.
        right: in how many of them nothing is wrong.
        figures: what each system did on them.
    """

    by: str
    value: Value | None
    cases: int
    right: int
    figures: dict[str, SystemFigures]


class RunSummary(Frozen):
    """
    A run in figures.

    Attributes:
        overall: all cases.
        groups: the cases by kind, and by what else was asked for, in that order.
    """

    overall: CaseGroup
    groups: dict[str, tuple[CaseGroup, ...]]


# At most this many different things of one kind are counted; those that come after them are left out.
MAX_KINDS = 20_000
# So many entries has a list of tools, faults, or sequences, unless another number is given.
MOST = 100

# -- one row -------------------------------------------------------------------


def faults_of(row: Row) -> Iterator[tuple[Fault, FaultExample]]:
    """Yield by what each fault of a row is the same as others, and the fault as an example."""
    for found in row.diagnostics:
        tokens = {name: getattr(found, name) for name in ("tool", "parameter", "attempted")}
        clean = {name: None if each is None else shown(each) for name, each in tokens.items()}
        example = FaultExample(
            number=row.number,
            name=shown(row.name),
            message=shown(found.message, LONGEST_TEXT),
            fix=None if found.fix is None else shown(found.fix, LONGEST_TEXT),
        )
        yield Fault(code=found.code, **clean), example


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

    outcome: Outcome
    calls: int
    counted: tuple[Counted, ...]

    @classmethod
    def of(cls, row: Row) -> Measured:
        """Return what a row adds to the figures of every group that it belongs to."""
        counted = tuple(measure.counted(row) for measure in measures("sequences"))
        return cls(row.verdict or "error", row.count, counted)


@dataclass
class Counts:
    """The figures of some rows, as they are being counted."""

    calls: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    some: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)

    def add(self, row: Measured) -> None:
        """Add a row."""
        self.calls += row.calls
        self.outcomes[row.outcome] += 1
        for measure, each in zip(measures("sequences"), row.counted, strict=True):
            some, of = each or (0, 0)
            self.some[measure.name] += some
            self.of[measure.name] += of

    def total(self) -> Figures:
        """Return what was counted."""
        total, found = self.outcomes.total(), self.outcomes
        outcomes = {each: share(found[each], total) for each in OUTCOMES if found[each]}
        shares = {name: share(self.some[name], of) for name, of in self.of.items() if of}
        return Figures(sequences=total, calls=self.calls, outcomes=outcomes, shares=shares)


# -- by what metadata holds --------------------------------------------------------

# A field with more values than this is not grouped by unless it is asked for.
FEW = 50
# So many values of a field that was asked for are counted apart.
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
    Return the printable value of a field of the metadata of a row; None where it is no single value.

    That is the field of this name, else the value at the path that its dots give.
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

    A field that is named like a secret is never shown.
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

    def groupings(self) -> Iterator[Grouping]:
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
                raise InputError(what, hint=f"Known: {known}. Fields stand in `meta` of a line.")
            ranked = [groups[key] for key in sorted(groups)]
            told = tuple(Group(value=v, figures=counts.total()) for v, counts in ranked)
            yield Grouping(field=shown(name), groups=told, without=self.rows - counted)


# -- all rows ----------------------------------------------------------------------


@dataclass
class _Kind:
    """How often a fault, a mistake or a faulty call of a tool occurs, in how many sequences, and with what."""

    occurrences: int = 0
    sequences: int = 0
    calls: int = 0
    tags: Counter[Tag] = field(default_factory=Counter)
    example: FaultExample | None = None

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
        self.tags, self.tools, self.faults = _Kinds[Tag](), _Kinds[str](), _Kinds[Fault]()
        self.edits: Counter[str] = Counter()
        self.troubles: list[Trouble] = []

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
        if measured.outcome not in EXECUTABLE:
            self.troubled += 1
            if len(self.troubles) < self.most:
                told = {"number": row.number, "name": shown(row.name), "why": why(row)}
                self.troubles.append(Trouble(outcome=measured.outcome, **told))

    def summary(self) -> Summary:
        """Return what was counted."""
        of, most = self.overall.outcomes.total(), self.most
        tags = sorted(self.tags.items(), key=lambda e: (-e[1].sequences, -e[1].occurrences, e[0]))
        tools = sorted(self.tools.items(), key=lambda e: (-e[1].occurrences, -e[1].calls, e[0]))
        faults = sorted(self.faults.items(), key=lambda e: (-e[1].sequences, -e[1].occurrences))
        times = quantiles(self.seconds)
        cut = {"tools": len(tools), "faults": len(faults)}
        return Summary(
            modes=dict(sorted(self.modes.items())),
            stepwise=self.stepwise,
            overall=self.overall.total(),
            times=times and Timed(**times.model_dump(), mean=sum(self.seconds) / len(self.seconds)),
            tags=tuple(TagFigures(tag=tag, **kind.told(of)) for tag, kind in tags),
            tools=tuple(
                ToolFigures(
                    tool=name,
                    faulty=share(kind.occurrences, kind.calls),
                    sequences=share(kind.sequences, of),
                    tags=by_count(kind.tags),
                )
                for name, kind in tools[:most]
            ),
            groupings=tuple(self.fields.groupings()),
            faults=tuple(
                FaultFigures(**dict(fault), **kind.told(of), example=kind.example)
                for fault, kind in faults[:most]
            ),
            edits=by_count(self.edits),
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
) -> Summary:
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


def summary_of(run: Run, by: Iterable[str] | None = None) -> RunSummary:
    """
    Return the figures of a run.

    Args:
        run: the run.
        by: what the cases are grouped by: "kind", "variant", dials; by default what `groupings` finds.

    Raises:
        InputError: no case has a dial of that name.
    """
    known = ["kind", "variant", *sorted({dial for row in run.rows for dial in row.dials})]
    groups: dict[str, tuple[CaseGroup, ...]] = {}
    for name in groupings(run) if by is None else by:
        if name not in known:
            what = f"there is no dial {shown(name)!r} to group by."
            raise InputError(what, hint=meant(name, known, most=40))
        found: dict[Any, tuple[Value, list[RunRow]]] = {}
        for row in run.rows:
            of_case = {**row.dials, "kind": row.kind, "variant": row.variant or None}
            if (value := of_case.get(name)) is not None:
                found.setdefault(rank(value), (value, []))[1].append(row)
        ranked = [each for _, each in sorted(found.items(), key=lambda item: item[0])]
        groups[name] = tuple(_group(run, rows, name, value) for value, rows in ranked[:MAX_GROUPS])
    return RunSummary(overall=_group(run, run.rows, "all", ""), groups=groups)


def restored_share(run: Run, system: str) -> Share:
    """Return which share of the broken, informed cases a system restores; see `measures`."""
    return _system_figures(run.rows, system).shares.get("restored", share(0, 0))


def _group(run: Run, rows: Sequence[RunRow], by: str, value: Value) -> CaseGroup:
    return CaseGroup(
        by=by,
        value=value,
        cases=len(rows),
        right=sum(row.right for row in rows),
        figures={name: _system_figures(rows, name) for name in run.systems},
    )


def _system_figures(rows: Iterable[RunRow], system: str) -> SystemFigures:
    pairs = [(row, row.scores[system]) for row in rows]
    told = {each.name: share_of(each.counted(*p) for p in pairs) for each in measures("cases")}
    return SystemFigures(
        shares={name: found for name, found in told.items() if found.of},
        check=quantiles(score.check_seconds for _, score in pairs),
        repair=quantiles(score.seconds for _, score in pairs),
    )
