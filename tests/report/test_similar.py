"""Names that were probably meant, and how that is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp.report import find_similar_items, format_did_you_mean

TOOLS = ["search", "search_hotels", "book", "book_hotel", "Research", "cancel"]
FUZZY = {"method": "fuzzy"}


@pytest.mark.parametrize(
    ("query", "items", "options", "found"),
    [
        ("search", TOOLS, {}, ["search", "Research", "search_hotels"]),
        ("SEARCH", TOOLS, {}, ["search", "Research", "search_hotels"]),
        ("book_hotels_now", TOOLS, {}, ["book_hotel", "book"]),  # the query holds it
        ("msg", ["user", "messages", "ts"], {}, ["messages"]),  # all letters in their order
        ("messages_of_it", ["msg", "mag"], {}, ["mag", "msg"]),  # the alphabet decides
        ("ms", ["messages"], {}, []),  # two letters are too few
        ("sgs", ["messages"], {}, []),  # another first letter
        ("", TOOLS, {}, []),
        ("search", ["", " "], {}, []),
        ("search", [], {}, []),
        ("zebra", TOOLS, {}, []),
        ("search", TOOLS, {"max_results": 1}, ["search"]),
        ("search", TOOLS, {"max_results": 0}, []),
        ("search", TOOLS, {"max_results": -3}, []),
        ("a", [f"a{n}" for n in range(9)], {}, [f"a{n}" for n in range(5)]),
        ("b", ["abcdef", "abc", "xb"], {}, ["xb", "abc", "abcdef"]),  # by quality
        ("h", ["zh", "ah"], {}, ["ah", "zh"]),
        ("ab", ["a", "abcd"], {}, ["abcd", "a"]),  # what holds it before what it holds
        ("ab", ["a", "abcd"], {"sort_by_length": True}, ["a", "abcd"]),
        ("search", ["search"] * 3, {}, ["search"]),
        ("search", ["search", "SEARCH"], {}, ["SEARCH", "search"]),
        ("mesages", ["messages", "user"], {}, ["messages"]),  # a letter is missing
        ("masseges", ["messages"], {}, []),  # a letter is wrong
        ("masseges", ["messages", "usages"], {**FUZZY, "cutoff": 0.7}, ["messages"]),
        ("masseges", ["messages"], {**FUZZY, "cutoff": 0.95}, []),
        ("book", ["bock", "facebook"], FUZZY, ["facebook", "bock"]),  # fuzzy comes last
        ("straße", ["hauptstraße", "strasse"], {}, ["hauptstraße"]),
        ("名前", ["ユーザー名前", "前名"], {}, ["ユーザー名前"]),
        ("a\x00b", ["xa\x00b"], {}, ["xa\x00b"]),
        ("a" * 10_000, ["a" * 100_000, "b"], FUZZY, ["a" * 100_000]),  # by their beginning
        ("ear", (name for name in TOOLS), {}, ["search", "Research", "search_hotels"]),
    ],
)
def test_find_similar_items(query: str, items: Any, options: Any, found: list[str]) -> None:
    """D19, D21, and the trap that the letters of a name in their order have to be found."""
    assert find_similar_items(query, items, **options) == found


NAMES = st.text(max_size=8)


@given(NAMES, st.lists(NAMES, max_size=8), st.integers(0, 9))
def test_what_is_found_was_there(query: str, items: list[str], most: int) -> None:
    """Never twice, never more than wanted; fuzzy only adds, and behind all others."""
    plain = find_similar_items(query, items, max_results=most)
    assert set(plain) <= set(items)
    assert len(plain) == len(set(plain)) <= most
    assert find_similar_items(query, items, max_results=most, method="fuzzy")[: len(plain)] == plain
    forwards, backwards = (
        find_similar_items(query, each, max_results=99) for each in (items, items[::-1])
    )
    assert sorted(forwards) == sorted(backwards)


MANY = [f"tool{number}" for number in range(12)]
TEN = ["There is no item 'x'.", "Available items:", *(f"  {name}" for name in MANY[:10])]


@pytest.mark.parametrize(
    ("query", "suggestions", "options", "lines"),
    [
        ("x", ["xy"], {}, ["There is no item 'x'. Did you mean: xy?"]),
        ("x", ["y", "z"], {}, [TEN[0], "Did you mean one of these?", "  y", "  z"]),
        ("x", ["xy"], {"item_type": "tool"}, ["There is no tool 'x'. Did you mean: xy?"]),
        ("x", ["y"], {"fallback_items": MANY}, ["There is no item 'x'. Did you mean: y?"]),
        ("x", [], {}, TEN[:1]),
        ("x", [], {"fallback_items": []}, TEN[:1]),
        ("x", [], {"fallback_items": ["a", "b"]}, [*TEN[:2], "  a", "  b"]),
        ("x", [], {"fallback_items": MANY}, [*TEN, "  ... and 2 more"]),
        ("x", [], {"fallback_items": MANY[:10]}, TEN),
        ("x", [], {"fallback_items": MANY, "max_fallback": 0}, [*TEN[:2], "  ... and 12 more"]),
        ("", ["a"], {}, ["There is no item ''. Did you mean: a?"]),
        ("a\x1b[31m\nb", ["c\u202ed"], {}, ["There is no item 'a[31m b'. Did you mean: cd?"]),
        ("q" * 101, [], {}, [f"There is no item '{'q' * 100}...'."]),
        ("x", [], {"fallback_items": ["a\nb"]}, [*TEN[:2], "  a b"]),
    ],
)
def test_format_did_you_mean(
    query: str, suggestions: list[str], options: dict[str, Any], lines: list[str]
) -> None:
    """D9, D12, D20."""
    assert format_did_you_mean(query, suggestions, **options).splitlines() == lines
