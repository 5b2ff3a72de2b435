"""The assignment is the cheapest of all."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.model.comparison import assigned


@st.composite
def tables(draw: st.DrawFn) -> list[list[int]]:
    columns = draw(st.integers(1, 6))
    rows = draw(st.integers(1, columns))
    row = st.lists(st.integers(-9, 9), min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=rows, max_size=rows))


@given(tables())
@settings(max_examples=examples(200), derandomize=True, database=None)
def test_no_other_is_cheaper(costs: list[list[int]]) -> None:
    chosen = assigned(costs)
    assert len(set(chosen)) == len(costs)
    least = min(
        sum(costs[row][column] for row, column in enumerate(columns))
        for columns in permutations(range(len(costs[0])), len(costs))
    )
    assert sum(costs[row][column] for row, column in enumerate(chosen)) == least


def test_nothing_to_assign() -> None:
    assert assigned([]) == []
