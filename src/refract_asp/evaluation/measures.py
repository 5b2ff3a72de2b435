"""What sequences and cases are measured by, in words and as functions; the order is that of the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from refract_asp.evaluation.rows import Row
from refract_asp.model.diagnostic import Tag
from refract_asp.model.edits import ViolationCode
from refract_asp.model.paths import Frozen
from refract_asp.model.shares import Share, Times, share
from refract_asp.resources import packaged

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
    A share over sequences, over their calls, or over cases; `measures.yaml` says what its fields are.

    Attributes:
        name: under which name it stands in `shares`.
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
        """Whether it says something of these shares."""
        found = shares.get(self.name)
        if found is None or (self.if_some and not found.count):
            return False
        return not self.if_more_than or found.count > shares[self.if_more_than].count


class Tally:
    """What rows add to each of several measures, as it is being counted."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        """Begin with nothing."""
        self.sums = {measure.name: [0, 0] for measure in measures}

    def add(self, counted: Iterable[Counted]) -> None:
        """Add what a row adds to each measure."""
        for both, each in zip(self.sums.values(), counted, strict=True):
            if each is not None:
                both[0] += each[0]
                both[1] += each[1]

    def shares(self) -> dict[str, Share]:
        """Return the shares of the measures for which something counts, by name."""
        return {name: share(count, of) for name, (count, of) in self.sums.items() if of}


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
        without: how many sequences have no such field, no single value in it, or one beyond those told.
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
        cut: which lists are not told in full, as "tools": what is rare is left out.
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
