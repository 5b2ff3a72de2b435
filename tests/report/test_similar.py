"""Names that were probably meant, and how that is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp.report import find_similar_items, format_did_you_mean

from .renderings import cases

DATA = cases("similar")


@pytest.mark.parametrize("case", DATA["find"], ids=str)
def test_find_similar_items(case: dict[str, Any]) -> None:
    """D19, D21, and the trap that the letters of a name in their order have to be found."""
    found = find_similar_items(case["query"], case["items"], **case.get("options", {}))
    assert found == case["found"]


def test_long_names_are_compared_by_their_beginning() -> None:
    names = ["a" * 100_000, "b"]
    assert find_similar_items("a" * 10_000, names, method="fuzzy") == names[:1]


NAMES = st.text(max_size=8)


@given(NAMES, st.lists(NAMES, max_size=8), st.integers(0, 9))
def test_what_is_found_was_there(query: str, items: list[str], most: int) -> None:
    """Never twice, never more than wanted; fuzzy only adds, and behind all others."""
    plain = find_similar_items(query, items, max_results=most)
    assert set(plain) <= set(items)
    assert len(plain) == len(set(plain)) <= most
    assert find_similar_items(query, items, max_results=most, method="fuzzy")[: len(plain)] == plain


@pytest.mark.parametrize("case", DATA["say"], ids=str)
def test_format_did_you_mean(case: dict[str, Any]) -> None:
    """D9, D12, D20."""
    said = format_did_you_mean(case["query"], case["suggestions"], **case.get("options", {}))
    assert said.splitlines() == case["lines"]
