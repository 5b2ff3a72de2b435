"""What is measured, in words and as functions of a row and a score; the order is that of the reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from refract_asp.bench.evaluation.runs import RunRow
from refract_asp.bench.evaluation.scoring import Score

__all__ = ["MEANS", "MEASURES", "Mean", "Measure"]


@dataclass(frozen=True, slots=True)
class Measure:
    """
    A share of cases.

    Attributes:
        name: its name in data.
        title: the head of its column.
        what: what it is, in a sentence.
        of: whether a case counts as one of them; None where the case is not counted at all.
        better: whether more is better, less, or neither.
    """

    name: str
    title: str
    what: str
    of: Callable[[RunRow, Score], bool | None]
    better: Literal["more", "less", ""] = "more"


def _told(row: RunRow, value: bool | None) -> bool | None:
    """Return what a system tells of its answers to broken cases."""
    return None if row.right else value


MEASURES: tuple[Measure, ...] = (
    Measure(
        "restored",
        "restored",
        "of the broken cases whose information is still there: the answer is the expected one, up to labels "
        "and the order of independent calls",
        lambda row, score: None if row.right or not row.informed else score.restored,
    ),
    Measure(
        "exact",
        "exact",
        "of the same cases: the answer is the expected one token for token",
        lambda row, score: None if row.right or not row.informed else score.exact,
    ),
    Measure(
        "near",
        "or as cheap",
        "of the same cases: restored, or an answer that is as good to the system is the expected one",
        lambda row, score: None if row.right or not row.informed else score.near,
    ),
    Measure(
        "confirmed",
        "confirmed",
        "of the same cases: what should be asked for was filled and has to be confirmed, all else is right",
        lambda row, score: None if row.right or not row.informed else score.confirmed,
        "",
    ),
    Measure(
        "by_luck",
        "by luck",
        "of the broken cases whose information is lost, and where nothing is to be asked for: restored all "
        "the same",
        lambda row, score: None if row.right or row.informed or row.asks else score.restored,
        "",
    ),
    Measure(
        "detected",
        "detected",
        "of the broken cases: the system says that something is wrong, or changes something",
        lambda row, score: None if row.right else score.detected,
    ),
    Measure(
        "false_alarms",
        "false alarms",
        "of the right cases: the system says that something is wrong, or changes something",
        lambda row, score: score.detected if row.right else None,
        "less",
    ),
    Measure(
        "asked_rightly",
        "asked rightly",
        "of the cases in which a value is lost for good: the answer asks for exactly what is lost",
        lambda row, score: score.asked_rightly if row.asks else None,
    ),
    Measure(
        "asked_needlessly",
        "needless asks",
        "of the broken cases in which no value is lost: the answer asks for something",
        lambda row, score: None if row.asks or row.open or row.right else score.asks > 0,
        "less",
    ),
    Measure(
        "silent",
        "filled silently",
        "of the broken cases: something holds a value that nobody gave, asked for or will confirm",
        lambda row, score: None if row.right else bool(score.silent),
        "less",
    ),
    Measure(
        "executable",
        "executable",
        "of all cases: the answer is valid as it stands",
        lambda _, score: score.executable,
    ),
    Measure(
        "sound",
        "sound",
        "of all cases: nothing is wrong with the answer, or the system does not say that it is right",
        lambda _, score: score.sound,
    ),
    Measure(
        "optimal",
        "proven",
        "of the broken cases: the answer is proven to be the cheapest",
        lambda row, score: _told(row, score.optimal),
    ),
    Measure(
        "ambiguous",
        "ambiguous",
        "of the broken cases: another answer is as cheap and means something else",
        lambda row, score: _told(row, score.ambiguous),
        "",
    ),
    Measure(
        "truncated",
        "truncated",
        "of the broken cases: a bound cut the search",
        lambda row, score: _told(row, score.truncated),
        "less",
    ),
    Measure(
        "errors",
        "errors",
        "of all cases: there is no answer",
        lambda _, score: score.error is not None,
        "less",
    ),
)


@dataclass(frozen=True, slots=True)
class Mean:
    """
    An average over broken cases; `of` gives the number, or None where a case is not counted.

    Example:
        >>> [mean.name for mean in MEANS]
        ['edits', 'changed', 'off']
    """

    name: str
    title: str
    what: str
    of: Callable[[RunRow, Score], int | None]


MEANS: tuple[Mean, ...] = (
    Mean("edits", "edits", "edits of an answer", lambda row, score: None if row.right else score.edits),
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
