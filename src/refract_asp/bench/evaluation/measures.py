"""What is measured, in words and as functions of a row and a score; the order is that of the reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from refract_asp.bench.evaluation.runs import RunRow
from refract_asp.bench.evaluation.scoring import Score

__all__ = ["MEANS", "MEASURES", "Mean", "Measure", "Share", "Times", "quantiles", "share"]


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


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Share(_Part):
    """
    So many of so many, and between which shares the true one lies with 95 % certainty (Wilson's interval).

    Example:
        >>> share(8, 10)
        Share(count=8, of=10, low=0.4902, high=0.9433)
    """

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share itself; None of nothing."""
        return self.count / self.of if self.of else None


_Z = 1.959964


def share(count: int, of: int) -> Share:
    """Return a share with its interval; of nothing that is all there is."""
    if not of:
        return Share(count=0, of=0, low=0.0, high=1.0)
    part, square = count / of, _Z**2 / of
    middle = (part + square / 2) / (1 + square)
    spread = _Z * math.sqrt(part * (1 - part) / of + square / of / 4) / (1 + square)
    low, high = max(0.0, middle - spread), min(1.0, middle + spread)
    return Share(
        count=count,
        of=of,
        low=0.0 if count == 0 else round(low, 4),
        high=1.0 if count == of else round(high, 4),
    )


class Times(_Part):
    """How long something took, in seconds: the values that 50, 95 and 99 % do not exceed, and the longest."""

    count: int
    p50: float
    p95: float
    p99: float
    max: float


def quantiles(values: Iterable[float | None]) -> Times | None:
    """
    Return the quantiles of what was timed, None where nothing was.

    Example:
        >>> quantiles([0.4, None, 0.1, 0.2, 0.3])
        Times(count=4, p50=0.2, p95=0.4, p99=0.4, max=0.4)
    """
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return None

    def at(percent: int) -> float:
        return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]

    return Times(count=len(ordered), p50=at(50), p95=at(95), p99=at(99), max=ordered[-1])
