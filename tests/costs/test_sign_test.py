"""The sign test against its definition."""

from __future__ import annotations

from itertools import product

import pytest

from refract_asp.model.shares import MAX_EXACT, sign_test


@pytest.mark.parametrize("cases", [1, 2, 5, 8])
def test_counts_all_splits_that_are_as_uneven(cases: int) -> None:
    splits = [sum(coins) for coins in product((0, 1), repeat=cases)]
    for one in range(cases + 1):
        uneven = sum(abs(2 * heads - cases) >= abs(2 * one - cases) for heads in splits)
        assert sign_test(one, cases - one) == sign_test(cases - one, one) == uneven / 2**cases


def test_many_cases_are_nearly_as_few() -> None:
    half = MAX_EXACT // 2
    assert sign_test(half + 101, half - 99) == pytest.approx(
        sign_test(half + 99, half - 99), rel=0.1
    )
    assert sign_test(half, half + 1) == 1.0
    assert sign_test(10 * MAX_EXACT, 0) == 0.0
