"""What sequences and cases are measured by, in words and as functions; the order is that of the reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from refract_asp.model import Verdict
from refract_asp.model.shares import Share

if TYPE_CHECKING:
    from refract_asp.evaluation.rows import Row

__all__ = [
    "CASE_MEANS",
    "CASE_MEASURES",
    "MEASURES",
    "Counted",
    "Mean",
    "Measure",
    "Outcome",
    "faulty_calls",
    "measures_told",
    "outcome_of",
]

Outcome: TypeAlias = Verdict | Literal["error"]
"""The verdict of a sequence, or that it has none."""
Counted: TypeAlias = tuple[int, int] | None
"""This many of this many, in one sequence or case; None where it does not count."""


@dataclass(frozen=True)
class Measure:
    """
    A share over sequences, over their calls, or over cases.

    Attributes:
        name: under which name it stands in `Figures.shares`.
        title: how it is called in reports.
        meaning: what it is a share of.
        of: what one row adds to it; for a case, what its row and the score of a system add.
        better: whether more of it is better, or less; None where it is neither.
        per_call: whether calls are counted, and not sequences.
        if_some: whether it is left out of a report where there is none of it.
        if_more_than: the measure that it has to exceed somewhere, to stand in a report.
        short: what it is called above a column, where that is shorter.
    """

    name: str
    title: str
    meaning: str
    of: Callable[..., Counted]
    better: Literal["more", "less"] | None = "more"
    per_call: bool = False
    if_some: bool = False
    if_more_than: str = ""
    short: str = ""

    @property
    def head(self) -> str:
        """What it is called above a column."""
        return self.short or self.title

    def is_told(self, shares: dict[str, Share]) -> bool:
        """Whether it says something of these shares."""
        found = shares.get(self.name)
        if found is None or (self.if_some and not found.count):
            return False
        return not self.if_more_than or found.count > shares[self.if_more_than].count


def measures_told(measures: tuple[Measure, ...], *several: dict[str, Share]) -> list[Measure]:
    """Return the measures that say something of these shares, in the order of the reports."""
    return [measure for measure in measures if any(map(measure.is_told, several))]


def _when(applies: bool, value: bool | None) -> Counted:
    """Return one of one where it is so; None where it does not apply or is not known."""
    return (int(value), 1) if applies and value is not None else None


# -- sequences -------------------------------------------------------------------


def outcome_of(row: Row) -> Outcome:
    """Return the verdict of a row, "error" where it has none."""
    return row.verdict or "error"


def faulty_calls(row: Row) -> set[int]:
    """Return the indexes of the given calls in which something is wrong."""
    return {fault.call for fault in row.tags if fault.call is not None and fault.call < row.count}


def _is_faulty(row: Row) -> bool:
    """Whether something is wrong with the given calls; not so where they are only open, or were not read."""
    if row.verdict in (None, "valid"):
        return False
    return bool(row.diagnostics or row.tags or row.edits or row.unmet)


def _left_out(row: Row) -> int:
    return sum(edit.kind == "delete_call" for edit in row.edits)


def _is_answered(row: Row) -> bool:
    return row.mode != "check" and row.verdict is not None


MEASURES: tuple[Measure, ...] = (
    Measure(
        "valid",
        "valid as given",
        "of all sequences: nothing had to be changed",
        lambda row: _when(True, row.verdict == "valid"),
        short="valid",
    ),
    Measure(
        "executable",
        "executable in the end",
        "of all sequences: valid, or repaired with nothing open",
        lambda row: _when(row.mode != "check", row.is_executable),
        short="executable",
    ),
    Measure(
        "repairable",
        "repaired",
        "of the sequences in which something is wrong: repaired with nothing open",
        lambda row: _when(row.mode != "check" and _is_faulty(row), row.verdict == "repaired"),
    ),
    Measure(
        "faulty_calls",
        "faulty calls",
        "of all given calls: something is wrong with it",
        lambda row: (len(faulty_calls(row)), row.count) if row.count else None,
        "less",
        per_call=True,
    ),
    Measure(
        "shorter",
        "made shorter",
        "of the sequences that were to be made shorter",
        lambda row: _when(row.mode == "compress" and row.verdict is not None, _left_out(row) > 0),
    ),
    Measure(
        "left_out",
        "calls left out",
        "of the calls of sequences that were to be made shorter",
        lambda row: (_left_out(row), row.count) if row.mode == "compress" and row.count else None,
        per_call=True,
    ),
    Measure(
        "right_before",
        "as expected, given",
        "of the sequences with a ground truth: the given calls are the expected ones",
        lambda row: None if row.expected is None else _when(True, row.expected.given),
    ),
    Measure(
        "right_after",
        "as expected, repaired",
        "of the sequences with a ground truth: the repaired calls are the expected ones",
        lambda row: None if row.expected is None else _when(True, row.expected.repaired),
    ),
    Measure(
        "restored",
        "restored",
        "of the sequences that are not as expected when given: the repaired calls are",
        lambda row: (
            None if row.expected is None else _when(not row.expected.given, row.expected.repaired)
        ),
    ),
    Measure(
        "proven",
        "proven cheapest",
        "of the sequences that were answered",
        lambda row: _when(_is_answered(row), row.optimal),
    ),
    Measure(
        "ambiguous",
        "ambiguous",
        "of the sequences that were answered: an answer of the same cost means something else",
        lambda row: _when(_is_answered(row), row.ambiguous),
        "less",
        if_some=True,
    ),
    Measure(
        "truncated",
        "search cut short",
        "of the sequences that were answered: a bound left something out of the search",
        lambda row: _when(_is_answered(row), bool(row.truncated)),
        "less",
        if_some=True,
    ),
    Measure(
        "errors",
        "errors",
        "of all sequences: it could not be read or answered",
        lambda row: _when(True, row.verdict is None),
        "less",
        if_some=True,
    ),
)
"""What a run over sequences is measured by."""


# -- cases -------------------------------------------------------------------------

CASE_MEASURES: tuple[Measure, ...] = (
    Measure(
        "restored",
        "restored",
        "of the broken cases whose information is still there: the answer is the expected one, up to labels "
        "and the order of independent calls",
        lambda row, score: _when(not row.right and row.informed, score.restored),
    ),
    Measure(
        "exact",
        "exact",
        "of the same cases: the answer is the expected one token for token",
        lambda row, score: _when(not row.right and row.informed, score.exact),
    ),
    Measure(
        "near",
        "or as cheap",
        "of the same cases: restored, or an answer that is as good to the system is the expected one",
        lambda row, score: _when(not row.right and row.informed, score.near),
        if_more_than="restored",
    ),
    Measure(
        "confirmed",
        "confirmed",
        "of the same cases: what should be asked for was filled and has to be confirmed, all else is right",
        lambda row, score: _when(not row.right and row.informed, score.confirmed),
        None,
        if_some=True,
    ),
    Measure(
        "by_luck",
        "by luck",
        "of the broken cases whose information is lost, and where nothing is to be asked for: restored all "
        "the same",
        lambda row, score: _when(not (row.right or row.informed or row.asks), score.restored),
        None,
    ),
    Measure(
        "detected",
        "detected",
        "of the broken cases: the system says that something is wrong, or changes something",
        lambda row, score: _when(not row.right, score.detected),
    ),
    Measure(
        "false_alarms",
        "false alarms",
        "of the right cases: the system says that something is wrong, or changes something",
        lambda row, score: _when(row.right, score.detected),
        "less",
    ),
    Measure(
        "asked_rightly",
        "asked rightly",
        "of the cases in which a value is lost for good: the answer asks for exactly what is lost",
        lambda row, score: _when(row.asks > 0, score.asked_rightly),
    ),
    Measure(
        "asked_needlessly",
        "needless asks",
        "of the broken cases in which no value is lost: the answer asks for something",
        lambda row, score: _when(not (row.asks or row.open or row.right), score.asks > 0),
        "less",
    ),
    Measure(
        "silent",
        "filled silently",
        "of the broken cases: something holds a value that nobody gave, asked for or will confirm",
        lambda row, score: _when(not row.right, bool(score.silent)),
        "less",
        if_some=True,
    ),
    Measure(
        "executable",
        "executable",
        "of all cases: the answer is valid as it stands",
        lambda _, score: _when(True, score.executable),
    ),
    Measure(
        "sound",
        "sound",
        "of all cases: nothing is wrong with the answer, or the system does not say that it is right",
        lambda _, score: _when(True, score.sound),
    ),
    Measure(
        "optimal",
        "proven",
        "of the broken cases: the answer is proven to be the cheapest",
        lambda row, score: _when(not row.right, score.optimal),
    ),
    Measure(
        "ambiguous",
        "ambiguous",
        "of the broken cases: another answer is as cheap and means something else",
        lambda row, score: _when(not row.right, score.ambiguous),
        None,
        if_some=True,
    ),
    Measure(
        "truncated",
        "truncated",
        "of the broken cases: a bound cut the search",
        lambda row, score: _when(not row.right, score.truncated),
        "less",
        if_some=True,
    ),
    Measure(
        "errors",
        "errors",
        "of all cases: there is no answer",
        lambda _, score: _when(True, score.error is not None),
        "less",
        if_some=True,
    ),
)
"""What systems are measured by, over cases."""


@dataclass(frozen=True, slots=True)
class Mean:
    """
    An average over broken cases; `of` gives the number, or None where a case is not counted.

    Example:
        >>> [mean.name for mean in CASE_MEANS]
        ['edits', 'changed', 'off']
    """

    name: str
    title: str
    meaning: str
    of: Callable[..., int | None]


CASE_MEANS: tuple[Mean, ...] = (
    Mean(
        "edits",
        "edits",
        "edits of an answer",
        lambda row, score: None if row.right else score.edits,
    ),
    Mean(
        "changed",
        "tokens changed",
        "tokens in which an answer differs from the given sequence",
        lambda row, score: None if row.right or score.error else score.changed,
    ),
    Mean(
        "off",
        "tokens off",
        "tokens in which an answer that is not restored differs from the expected sequence",
        lambda row, score: None if row.right or score.error or score.restored else score.off,
    ),
)
