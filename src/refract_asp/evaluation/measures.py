"""What sequences and cases are measured by, in words and as functions; the order is that of the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from refract_asp.model.shares import Share, share

if TYPE_CHECKING:
    from refract_asp.evaluation.rows import Row
    from refract_asp.evaluation.runs import RunRow


Outcome: TypeAlias = Literal[
    "valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", "error"
]
"""The verdict of a sequence, or that it has none; from the best to the worst."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Count(NamedTuple):
    """This many of this many calls, in one sequence."""

    some: int
    of: int


Counted: TypeAlias = tuple[int, int] | None
"""This many of this many, in one sequence or case; None where it does not count."""


class Over(NamedTuple):
    """What a measure is a share of, in words, and which rows it counts."""

    told: str
    counts: Callable[[Any], bool]


@dataclass(frozen=True)
class Measure:
    """
    A share over sequences, over their calls, or over cases; or an average over cases.

    Attributes:
        name: under which name it stands in `shares` or `means`.
        over: what it counts.
        told: what has to be so.
        value: what a row says of it, or for a case the score of a system: whether it is so, None where it
            does not say; this many of this many; or for an average a number. By default the field of that name.
        title: how it is called in reports, where that is not its name.
        better: whether more of it is better, or less; None where it is neither.
        if_some: whether it is left out of a report where there is none of it.
        if_more_than: the measure that it has to exceed somewhere, to stand in a report.
    """

    name: str
    over: Over
    told: str = ""
    value: Callable[[Any], Any] | None = None
    title: str = ""
    better: Literal["more", "less"] | None = "more"
    if_some: bool = False
    if_more_than: str = ""

    def __post_init__(self) -> None:
        """Fill in what is told by the name."""
        object.__setattr__(self, "title", self.title or self.name)
        object.__setattr__(self, "value", self.value or attrgetter(self.name))

    @property
    def meaning(self) -> str:
        """What it is a share of, and what has to be so."""
        return f"{self.over.told}: {self.told}" if self.told else self.over.told

    def said(self, row: Any, score: Any = None) -> Any:
        """Return what a row says of it; None where it does not count."""
        assert self.value is not None
        return self.value(row if score is None else score) if self.over.counts(row) else None

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


_RARE_AND_BAD: Any = {"better": "less", "if_some": True}


def told_measures(measures: Iterable[Measure], *several: dict[str, Share]) -> list[Measure]:
    """Return the measures that say something of these shares, in the order of the reports."""
    return [measure for measure in measures if any(map(measure.is_told, several))]


def shares_of(sums: Iterable[tuple[Measure, int, int]]) -> dict[str, Share]:
    """Return the shares of the measures for which something counts, by name."""
    return {measure.name: share(count, of) for measure, count, of in sums if of}


# -- sequences -------------------------------------------------------------------


def faulty_calls(row: Row) -> set[int]:
    """Return the indexes of the given calls in which something is wrong."""
    return {fault.call for fault in row.tags if fault.call is not None and fault.call < row.count}


def _is_faulty(row: Row) -> bool:
    """Whether something is wrong with the given calls; not so where they are only open, or were not read."""
    is_judged = row.mode != "check" and row.verdict not in (None, "valid")
    return is_judged and bool(row.diagnostics or row.tags or row.edits or row.unmet)


def _is(verdict: str | None) -> Callable[[Row], bool]:
    return lambda row: row.verdict == verdict


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

_AS_GIVEN = attrgetter("expected.given")
_AS_REPAIRED = attrgetter("expected.repaired")

MEASURES: tuple[Measure, ...] = (
    Measure("valid", _ALL, "nothing had to be changed", _is("valid"), "valid as given"),
    Measure(
        "executable",
        _REPAIRED,
        "valid, or repaired with nothing open",
        attrgetter("is_executable"),
        "executable in the end",
    ),
    Measure("repairable", _FAULTY, "repaired with nothing open", _is("repaired"), "repaired"),
    Measure(
        "faulty_calls",
        _CALLS,
        "something is wrong with it",
        lambda row: Count(len(faulty_calls(row)), row.count),
        "faulty calls",
        "less",
    ),
    Measure("shorter", _SHORTENED, "", lambda row: _left_out(row)[0] > 0, "made shorter"),
    Measure("left_out", _FEWER, "", _left_out, "calls left out"),
    Measure(
        "right_before",
        _KNOWN,
        "the given calls are the expected ones",
        _AS_GIVEN,
        "as expected, given",
    ),
    Measure(
        "right_after",
        _KNOWN,
        "the repaired calls are the expected ones",
        _AS_REPAIRED,
        "as expected, repaired",
    ),
    Measure("restored", _OTHER, "the repaired calls are", _AS_REPAIRED),
    Measure("proven", _ANSWERED, "", attrgetter("optimal"), "proven cheapest"),
    Measure(
        "ambiguous", _ANSWERED, "an answer of the same cost means something else", **_RARE_AND_BAD
    ),
    Measure(
        "truncated",
        _ANSWERED,
        "a bound left something out of the search",
        title="search cut short",
        **_RARE_AND_BAD,
    ),
    Measure("errors", _ALL, "it could not be read or answered", _is(None), **_RARE_AND_BAD),
)
"""What a run over sequences is measured by."""


# -- cases -------------------------------------------------------------------------


def _are_lost(row: RunRow) -> bool:
    return not (row.right or row.informed or row.asks)


_CASES = Over("of all cases", lambda _: True)
_RIGHT = Over("of the right cases", attrgetter("right"))
_BROKEN = Over("of the broken cases", lambda row: not row.right)
_INFORMED = Over(
    "of the broken cases whose information is still there",
    lambda row: row.informed and not row.right,
)
_SAME = Over("of the same cases", _INFORMED.counts)
_HOPELESS = Over(
    "of the broken cases whose information is lost, and where nothing is to be asked for", _are_lost
)
_ASKING = Over("of the cases in which a value is lost for good", lambda row: row.asks > 0)
_WHOLE = Over(
    "of the broken cases in which no value is lost",
    lambda row: not (row.asks or row.open or row.right),
)

_CLAIM = "the system says that something is wrong, or changes something"
_RESTORED = "the answer is the expected one, up to labels and the order of independent calls"
_NEAR = "restored, or an answer that is as good to the system is the expected one"
_CONFIRMED = "what should be asked for was filled and has to be confirmed, all else is right"
_SILENT = "something holds a value that nobody gave, asked for or will confirm"
_SOUND = "nothing is wrong with the answer, or the system does not say that it is right"

CASE_MEASURES: tuple[Measure, ...] = (
    Measure("restored", _INFORMED, _RESTORED),
    Measure("exact", _SAME, "the answer is the expected one token for token"),
    Measure("near", _SAME, _NEAR, title="or as cheap", if_more_than="restored"),
    Measure("confirmed", _SAME, _CONFIRMED, better=None, if_some=True),
    Measure("by_luck", _HOPELESS, "restored all the same", attrgetter("restored"), "by luck", None),
    Measure("detected", _BROKEN, _CLAIM),
    Measure("false_alarms", _RIGHT, _CLAIM, attrgetter("detected"), "false alarms", "less"),
    Measure(
        "asked_rightly",
        _ASKING,
        "the answer asks for exactly what is lost",
        title="asked rightly",
    ),
    Measure(
        "asked_needlessly",
        _WHOLE,
        "the answer asks for something",
        attrgetter("asks"),
        "needless asks",
        "less",
    ),
    Measure("silent", _BROKEN, _SILENT, title="filled silently", **_RARE_AND_BAD),
    Measure("executable", _CASES, "the answer is valid as it stands"),
    Measure("sound", _CASES, _SOUND),
    Measure("optimal", _BROKEN, "the answer is proven to be the cheapest", title="proven"),
    Measure(
        "ambiguous",
        _BROKEN,
        "another answer is as cheap and means something else",
        better=None,
        if_some=True,
    ),
    Measure("truncated", _BROKEN, "a bound cut the search", **_RARE_AND_BAD),
    Measure(
        "errors",
        _CASES,
        "there is no answer",
        lambda score: score.error is not None,
        **_RARE_AND_BAD,
    ),
)
"""What systems are measured by, over cases: the fields of their scores."""

CASE_MEANS: tuple[Measure, ...] = (
    Measure("edits", Over("edits of an answer", _BROKEN.counts)),
    Measure(
        "changed",
        Over("tokens in which an answer differs from the given sequence", _BROKEN.counts),
        value=lambda score: None if score.error else score.changed,
        title="tokens changed",
    ),
    Measure(
        "off",
        Over(
            "tokens in which an answer that is not restored differs from the expected sequence",
            _BROKEN.counts,
        ),
        value=lambda score: None if score.error or score.restored else score.off,
        title="tokens off",
    ),
)
"""Averages over the broken cases."""
