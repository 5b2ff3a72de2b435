"""What sequences and cases are measured by, in words and as functions; the order is that of the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from refract_asp.model.shares import Share, share

if TYPE_CHECKING:
    from refract_asp.evaluation.rows import Row


# The verdict of a sequence, or that it has none; from the best to the worst.
Outcome: TypeAlias = Literal[
    "valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", "error"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Count(NamedTuple):
    """This many of this many calls, in one sequence."""

    some: int
    of: int


EXECUTABLE = ("valid", "repaired")
# This many of this many, in one sequence or case; None where it does not count.
Counted: TypeAlias = tuple[int, int] | None


class Over(NamedTuple):
    """What a measure is a share of, in words, and which rows it counts."""

    told: str
    counts: Callable[[Any], bool]


@dataclass(frozen=True)
class Measure:
    """
    A share over sequences, over their calls, or over cases.

    Attributes:
        name: under which name it stands in `shares`.
        over: what it counts.
        told: what has to be so.
        title: how it is called in reports, where that is not its name.
        value: what a row says of it, or for a case the score of a system: whether it is so, None where it
            does not say; or this many of this many. By default the field of that name.
        better: whether more of it is better, or less; None where it is neither.
        if_some: whether it is left out of a report where there is none of it.
        if_more_than: the measure that it has to exceed somewhere, to stand in a report.
    """

    name: str
    over: Over
    told: str = ""
    title: str = ""
    value: Callable[[Any], Any] | None = None
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
        return f"{self.over.told}: {self.told}" if self.told else self.over.told

    def said(self, row: Any, score: Any = None) -> Any:
        """Return what a row says of it; None where it does not count."""
        value = self.value or attrgetter(self.name)
        return value(row if score is None else score) if self.over.counts(row) else None

    def counted(self, row: Any, score: Any = None) -> Counted:
        """Return what a row adds to the share."""
        found = self.said(row, score)
        return found if found is None or isinstance(found, Count) else (int(bool(found)), 1)

    def is_told(self, shares: dict[str, Share]) -> bool:
        """Whether it says something of these shares."""
        found = shares.get(self.name)
        if found is None or (self.if_some and not found.count):
            return False
        return not self.if_more_than or found.count > shares[self.if_more_than].count


def told_measures(measures: Iterable[Measure], *several: dict[str, Share]) -> list[Measure]:
    """Return the measures that say something of these shares, in the order of the reports."""
    return [measure for measure in measures if any(map(measure.is_told, several))]


class Tally:
    """What rows add to each of several measures, as it is being counted."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        """Begin with nothing."""
        self.sums = [(measure.name, [0, 0]) for measure in measures]

    def add(self, counted: Iterable[Counted]) -> None:
        """Add what a row adds to each measure."""
        for (_, both), each in zip(self.sums, counted, strict=True):
            if each is not None:
                both[0] += each[0]
                both[1] += each[1]

    def shares(self) -> dict[str, Share]:
        """Return the shares of the measures for which something counts, by name."""
        return {name: share(count, of) for name, (count, of) in self.sums if of}


# -- sequences -------------------------------------------------------------------


def faulty_calls(row: Row) -> set[int]:
    """Return the indexes of the given calls in which something is wrong."""
    return {fault.call for fault in row.tags if fault.call is not None and fault.call < row.count}


def _is_faulty(row: Row) -> bool:
    """Whether something is wrong with the given calls; not so where they are only open, or were not read."""
    is_judged = row.mode != "check" and row.verdict not in (None, "valid")
    return is_judged and bool(row.diagnostics or row.tags or row.edits or row.unmet)


def _left_out(row: Row) -> Count:
    return Count(sum(edit.kind == "delete_call" for edit in row.edits), row.count)


_ALL = Over("of all sequences", lambda _: True)
_REPAIRED = Over("of all sequences", lambda row: row.mode != "check")
_FAULTY = Over("of the sequences in which something is wrong", _is_faulty)
_CALLS = Over("of all given calls", lambda row: row.count > 0)
_SHORTENED = Over(
    "of the sequences that were to be made shorter",
    lambda row: row.mode == "compress" and row.verdict is not None,
)
_FEWER = Over(
    "of the calls of sequences that were to be made shorter",
    lambda row: row.mode == "compress" and row.count > 0,
)
_KNOWN = Over("of the sequences with a ground truth", lambda row: row.expected is not None)
_OTHER = Over(
    "of the sequences that are not as expected when given",
    lambda row: row.expected is not None and not row.expected.given,
)
_ANSWERED = Over(
    "of the sequences that were answered",
    lambda row: row.mode != "check" and row.verdict is not None,
)

_VALUES: dict[str, Callable[[Any], Any]] = {
    "valid": lambda row: row.verdict == "valid",
    "executable": lambda row: row.is_executable,
    "repairable": lambda row: row.verdict == "repaired",
    "faulty_calls": lambda row: Count(len(faulty_calls(row)), row.count),
    "shorter": lambda row: _left_out(row)[0] > 0,
    "left_out": _left_out,
    "right_before": lambda row: row.expected.given,
    "right_after": lambda row: row.expected.repaired,
    "restored": lambda row: row.expected.repaired,
    "proven": lambda row: row.optimal,
    "errors": lambda row: row.verdict is None,
}


def _measured(name: str, over: Over, title: str, told: str = "", **more: Any) -> Measure:
    return Measure(name, over, told, title, _VALUES.get(name), **more)


_RARE_AND_BAD: Any = {"better": "less", "if_some": True}
_COSTS_AS_MUCH = "an answer of the same cost means something else"
_CUT = "a bound left something out of the search"
_UNREAD = "it could not be read or answered"

# What a run over sequences is measured by.
MEASURES: tuple[Measure, ...] = (
    _measured("valid", _ALL, "valid as given", "nothing had to be changed"),
    _measured(
        "executable", _REPAIRED, "executable in the end", "valid, or repaired with nothing open"
    ),
    _measured("repairable", _FAULTY, "repaired", "repaired with nothing open"),
    _measured("faulty_calls", _CALLS, "faulty calls", "something is wrong with it", better="less"),
    _measured("shorter", _SHORTENED, "made shorter"),
    _measured("left_out", _FEWER, "calls left out"),
    _measured(
        "right_before", _KNOWN, "as expected, given", "the given calls are the expected ones"
    ),
    _measured(
        "right_after", _KNOWN, "as expected, repaired", "the repaired calls are the expected ones"
    ),
    _measured("restored", _OTHER, "restored", "the repaired calls are"),
    _measured("proven", _ANSWERED, "proven cheapest"),
    _measured("ambiguous", _ANSWERED, "ambiguous", _COSTS_AS_MUCH, **_RARE_AND_BAD),
    _measured("truncated", _ANSWERED, "search cut short", _CUT, **_RARE_AND_BAD),
    _measured("errors", _ALL, "errors", _UNREAD, **_RARE_AND_BAD),
)


# -- cases -------------------------------------------------------------------------

_CASES = Over("of all cases", lambda _: True)
_RIGHT = Over("of the right cases", attrgetter("right"))
_BROKEN = Over("of the broken cases", lambda row: not row.right)
_INFORMED = Over(
    "of the broken cases whose information is still there",
    lambda row: row.informed and not row.right,
)
_SAME = Over("of the same cases", _INFORMED.counts)
_ASKING = Over("of the cases in which a value is lost for good", lambda row: row.asks > 0)
_WHOLE = Over(
    "of the broken cases in which no value is lost",
    lambda row: not (row.asks or row.open or row.right),
)
_RARE: Any = {"better": None, "if_some": True}

_CLAIM = "the system says that something is wrong, or changes something"
_RESTORED = "the answer is the expected one, up to labels and the order of independent calls"
_NEAR = "restored, or an answer that is as good to the system is the expected one"
_CONFIRMED = "what should be asked for was filled and has to be confirmed, all else is right"
_ASKED = "the answer asks for exactly what is lost"
_SILENT = "something holds a value that nobody gave, asked for or will confirm"
_SOUND = "nothing is wrong with the answer, or the system does not say that it is right"
_PROVEN = "the answer is proven to be the cheapest"
_AS_CHEAP = "another answer is as cheap and means something else"
_ALARM, _ASKS = attrgetter("detected"), attrgetter("asks")

# What systems are measured by, over cases: the fields of their scores.
CASE_MEASURES: tuple[Measure, ...] = (
    Measure("restored", _INFORMED, _RESTORED),
    Measure("exact", _SAME, "the answer is the expected one token for token"),
    Measure("near", _SAME, _NEAR, "or as cheap", if_more_than="restored"),
    Measure("confirmed", _SAME, _CONFIRMED, **_RARE),
    Measure("detected", _BROKEN, _CLAIM),
    Measure("false_alarms", _RIGHT, _CLAIM, "false alarms", _ALARM, "less"),
    Measure("asked_rightly", _ASKING, _ASKED, "asked rightly"),
    Measure(
        "asked_needlessly", _WHOLE, "the answer asks for something", "needless asks", _ASKS, "less"
    ),
    Measure("silent", _BROKEN, _SILENT, "filled silently", **_RARE_AND_BAD),
    Measure("executable", _CASES, "the answer is valid as it stands"),
    Measure("sound", _CASES, _SOUND),
    Measure("optimal", _BROKEN, _PROVEN, "proven"),
    Measure("ambiguous", _BROKEN, _AS_CHEAP, **_RARE),
    Measure("truncated", _BROKEN, "a bound cut the search", **_RARE_AND_BAD),
    Measure(
        "errors",
        _CASES,
        "there is no answer",
        "",
        lambda score: score.error is not None,
        **_RARE_AND_BAD,
    ),
)
