"""Shares with their intervals, the sign test, and quantiles of what was timed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import TypeVar

from refract_asp.model.paths import Frozen


class Share(Frozen):
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


_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(0.975)
Name = TypeVar("Name", bound=str)
MAX_EXACT = 5_000
"""The sign test of more cases takes the normal distribution for the binomial one."""


def by_count(counts: Mapping[Name, int]) -> dict[Name, int]:
    """Return counts with the highest first, equal ones by their names."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def share(count: int, of: int) -> Share:
    """Return a share with its interval; of nothing that is all there is."""
    if not of:
        return Share(count=0, of=0, low=0.0, high=1.0)
    part, square = count / of, _Z**2 / of
    middle = (part + square / 2) / (1 + square)
    spread = _Z * math.sqrt(part * (1 - part) / of + square / of / 4) / (1 + square)
    low = round(max(0.0, middle - spread), 4) if count else 0.0
    high = round(min(1.0, middle + spread), 4) if count != of else 1.0
    return Share(count=count, of=of, low=low, high=high)


def sign_test(one: int, other: int) -> float:
    """
    Return the two-sided p-value: the probability that fair coins split `one + other` at least as unevenly.

    Ties are left out before. Without any case it is 1.

    Example:
        >>> sign_test(8, 1), sign_test(0, 0)
        (0.0390625, 1.0)
    """
    cases, fewer = one + other, min(one, other)
    if cases > MAX_EXACT:
        spread = (abs(one - other) - 1) / math.sqrt(cases)  # with the correction for continuity
        return 2 * _NORMAL.cdf(-max(0.0, spread))
    ways, tail = 1, 0
    for count in range(fewer + 1):
        tail += ways
        ways = ways * (cases - count) // (count + 1)
    return min(1.0, float(2 * tail / (1 << cases)))


class Times(Frozen):
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
