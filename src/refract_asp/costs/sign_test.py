"""The sign test: how easily chance alone would split a number of cases so unevenly."""

from __future__ import annotations

import math

__all__ = ["sign_test"]

MAX_EXACT = 5_000
"""Beyond so many cases the binomial distribution is taken for the normal one."""


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
        return min(1.0, math.erfc(max(0.0, spread) / math.sqrt(2)))
    ways, tail = 1, 0
    for count in range(fewer + 1):
        tail += ways
        ways = ways * (cases - count) // (count + 1)
    return min(1.0, float(2 * tail / (1 << cases)))
