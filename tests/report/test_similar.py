"""Names that were probably meant, and how that is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp.report import find_similar_items, format_did_you_mean

TOOLS = ["search", "search_hotels", "book", "book_hotel", "Research", "cancel"]


@pytest.mark.parametrize(
    ("query", "items", "options", "found"),
    [
        pytest.param(
            "search", TOOLS, {}, ["search", "Research", "search_hotels"], id="holds-the-query"
        ),
        pytest.param("SEARCH", TOOLS, {}, ["search", "Research", "search_hotels"], id="case"),
        pytest.param("book_hotels_now", TOOLS, {}, ["book_hotel", "book"], id="query-holds-it"),
        pytest.param(
            "msg", ["user", "messages", "ts"], {}, ["messages"], id="all-letters-in-order"
        ),
        pytest.param("messages_of_it", ["msg", "mag"], {}, ["mag", "msg"], id="alphabet-decides"),
        pytest.param("ms", ["messages"], {}, [], id="two-letters-are-too-few"),
        pytest.param("sgs", ["messages"], {}, [], id="another-first-letter"),
        pytest.param("", TOOLS, {}, [], id="empty-query"),
        pytest.param("search", ["", " "], {}, [], id="empty-items"),
        pytest.param("search", [], {}, [], id="nothing-there"),
        pytest.param("zebra", TOOLS, {}, [], id="nothing-alike"),
        pytest.param("search", TOOLS, {"max_results": 1}, ["search"], id="limit"),
        pytest.param("search", TOOLS, {"max_results": 0}, [], id="limit-of-none"),
        pytest.param("search", TOOLS, {"max_results": -3}, [], id="limit-below-none"),
        pytest.param(
            "a", [f"a{n}" for n in range(9)], {}, [f"a{n}" for n in range(5)], id="five-by-default"
        ),
        pytest.param("b", ["abcdef", "abc", "xb"], {}, ["xb", "abc", "abcdef"], id="quality"),
        pytest.param("h", ["zh", "ah"], {}, ["ah", "zh"], id="equal-quality"),
        pytest.param("ab", ["a", "abcd"], {}, ["abcd", "a"], id="holding-before-held"),
        pytest.param(
            "ab", ["a", "abcd"], {"sort_by_length": True}, ["a", "abcd"], id="sort-by-length"
        ),
        pytest.param("search", ["search"] * 3, {}, ["search"], id="duplicates"),
        pytest.param("search", ["search", "SEARCH"], {}, ["SEARCH", "search"], id="case-makes-two"),
        pytest.param("mesages", ["messages", "user"], {}, ["messages"], id="a-letter-is-missing"),
        pytest.param("masseges", ["messages"], {}, [], id="a-letter-is-wrong"),
        pytest.param(
            "masseges",
            ["messages", "usages"],
            {"method": "fuzzy", "cutoff": 0.7},
            ["messages"],
            id="fuzzy",
        ),
        pytest.param(
            "masseges", ["messages"], {"method": "fuzzy", "cutoff": 0.95}, [], id="cutoff"
        ),
        pytest.param(
            "book",
            ["bock", "facebook"],
            {"method": "fuzzy"},
            ["facebook", "bock"],
            id="fuzzy-comes-last",
        ),
        pytest.param("straße", ["hauptstraße", "strasse"], {}, ["hauptstraße"], id="unicode"),
        pytest.param("名前", ["ユーザー名前", "前名"], {}, ["ユーザー名前"], id="other-scripts"),
        pytest.param("a\x00b", ["xa\x00b"], {}, ["xa\x00b"], id="control-characters"),
    ],
)
def test_find_similar_items(
    query: str, items: list[str], options: dict[str, Any], found: list[str]
) -> None:
    """D19, D21, and the trap that the letters of a name in their order have to be found."""
    assert find_similar_items(query, items, **options) == found


def test_any_iterable_will_do() -> None:
    assert find_similar_items("ear", (name for name in TOOLS)) == [
        "search",
        "Research",
        "search_hotels",
    ]


def test_long_names_are_compared_by_their_beginning() -> None:
    assert find_similar_items("a" * 10_000, ["a" * 100_000, "b"], method="fuzzy") == ["a" * 100_000]


NAMES = st.text(max_size=8)


@given(NAMES, st.lists(NAMES, max_size=8), st.integers(0, 9))
def test_what_is_found_was_there(query: str, items: list[str], most: int) -> None:
    """Never twice, never more than wanted; fuzzy only adds, and behind all others."""
    plain = find_similar_items(query, items, max_results=most)
    fuzzy = find_similar_items(query, items, max_results=most, method="fuzzy")
    assert set(plain) <= set(items)
    assert len(plain) == len(set(plain)) <= most
    assert fuzzy[: len(plain)] == plain
    assert sorted(find_similar_items(query, items[::-1], max_results=99)) == sorted(
        find_similar_items(query, items, max_results=99)
    )


MANY = [f"tool{number}" for number in range(12)]


@pytest.mark.parametrize(
    ("query", "suggestions", "options", "lines"),
    [
        pytest.param("x", ["xy"], {}, ["There is no item 'x'. Did you mean: xy?"], id="one"),
        pytest.param(
            "x",
            ["xy", "xz"],
            {},
            ["There is no item 'x'.", "Did you mean one of these?", "  xy", "  xz"],
            id="several",
        ),
        pytest.param(
            "x",
            ["xy"],
            {"item_type": "tool"},
            ["There is no tool 'x'. Did you mean: xy?"],
            id="type",
        ),
        pytest.param("x", [], {}, ["There is no item 'x'."], id="nothing"),
        pytest.param(
            "x", [], {"fallback_items": []}, ["There is no item 'x'."], id="empty-fallback"
        ),
        pytest.param(
            "x",
            [],
            {"fallback_items": ["a", "b"], "item_type": "tool"},
            ["There is no tool 'x'.", "Available tools:", "  a", "  b"],
            id="fallback",
        ),
        pytest.param(
            "x",
            ["xy"],
            {"fallback_items": ["a"]},
            ["There is no item 'x'. Did you mean: xy?"],
            id="no-fallback-beside",
        ),
        pytest.param(
            "x",
            [],
            {"fallback_items": MANY},
            [
                "There is no item 'x'.",
                "Available items:",
                *(f"  {name}" for name in MANY[:10]),
                "  ... and 2 more",
            ],
            id="ten-by-default",
        ),
        pytest.param(
            "x",
            [],
            {"fallback_items": MANY[:10]},
            ["There is no item 'x'.", "Available items:", *(f"  {name}" for name in MANY[:10])],
            id="ten-have-no-tail",
        ),
        pytest.param(
            "x",
            [],
            {"fallback_items": ["a", "b"], "max_fallback": 1},
            ["There is no item 'x'.", "Available items:", "  a", "  ... and 1 more"],
            id="max-fallback",
        ),
        pytest.param(
            "x",
            [],
            {"fallback_items": ["a", "b"], "max_fallback": 0},
            ["There is no item 'x'.", "Available items:", "  ... and 2 more"],
            id="max-fallback-of-none",
        ),
        pytest.param("", ["a"], {}, ["There is no item ''. Did you mean: a?"], id="empty-query"),
        pytest.param(
            "a\x1b[31m\nb",
            ["c\u202ed"],
            {},
            ["There is no item 'a[31m b'. Did you mean: cd?"],
            id="hostile-names",
        ),
        pytest.param(
            "q" * 101,
            ["s" * 101],
            {},
            [f"There is no item '{'q' * 100}...'. Did you mean: {'s' * 100}...?"],
            id="long-names",
        ),
        pytest.param(
            "x",
            [],
            {"fallback_items": ["a\nb"]},
            ["There is no item 'x'.", "Available items:", "  a b"],
            id="hostile-fallback",
        ),
    ],
)
def test_format_did_you_mean(
    query: str, suggestions: list[str], options: dict[str, Any], lines: list[str]
) -> None:
    """D9, D12, D20."""
    assert format_did_you_mean(query, suggestions, **options).splitlines() == lines
