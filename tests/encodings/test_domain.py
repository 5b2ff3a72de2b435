"""domain.lp: what is open, what is wanted, and that each parameter gets one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import held

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"page")).
in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
"""
CALLS = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").
in_name(1, "Book"). in_label(1, "b").
"""
)
READS = 'in_arg(1, "key"). in_ref(1, "key", 0, "a", "key"). in_producer(1, "key", 0, 0).'
FITS = 'in_fit("Find", ("key";"page"), "Book", "key", 5).'
FILLED = 'out_fill(1,"key",0,"page")'
ASKED = 'out_mend(1,"key",0,ask,"")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_a_parameter_gets_one_value(possible: Possible) -> None:
    both = ':- not fill(1, "key", 0, "key"). :- not fill(1, "key", 0, "page").'
    assert {'out_fill(1,"key",0,"key")', FILLED} <= possible(CALLS + FITS)
    assert possible(CALLS + FITS, rules=both) == set()


def test_what_is_filled_is_read_and_judged_like_what_is_given(possible: Possible) -> None:
    """A path that the call does not return is a violation, wherever the offer came from."""
    facts = CALLS + 'in_fit("Find", "none", "Book", "key", 0).'
    assert possible(facts, rules=':- not fill(1, "key", 0, "none").') == set()


def test_an_argument_that_is_given_is_not_filled(possible: Possible) -> None:
    assert FILLED not in possible(CALLS + FITS + READS + 'in_arg(1, "colour").')


def test_a_call_whose_tool_is_open_wants_what_any_of_its_tools_requires(possible: Possible) -> None:
    facts = CALLS.replace('in_name(1, "Book")', 'in_name(1, "Bok")') + FITS
    facts += 'in_tool_distance(1, "Book", 10). in_tool_distance(1, "Find", 14).'
    spelling = "name_by(spelling)."
    assert FILLED in possible(facts, rules=spelling)
    assert FILLED not in possible(facts, rules=spelling + ':- not name(1, "Find").')
    assert FILLED not in possible(facts + READS, rules=spelling)


def test_nobody_wants_what_only_other_tools_require(possible: Possible) -> None:
    """Look requires a page, but neither the open call nor the added one may become Look."""
    look = 'in_tool("Look"). in_param("Look", "page"). in_required("Look", "page"). in_param("Find", "page").'
    facts = CALLS.replace('in_name(1, "Book")', 'in_name(1, "Fnd")') + look
    facts += 'in_tool_distance(1, "Find", 10). in_supplier("z", "Find"). in_arg(1, "query").'
    facts += 'in_ref(1, "query", 0, "z", "page"). in_lost(1, "query", 0, "z").'
    found = possible(facts, rules="name_by(spelling).")
    assert {'out_tool(1,"Find")', 'out_tool(new("z"),"Find")'} <= found
    assert not any(',"page",ask' in atom for atom in found)


@pytest.mark.parametrize(
    ("path", "mended"),
    [("key", False), ("text", True)],
    ids=["Find returns it", "Find does not return it"],
)
def test_a_reference_to_a_call_whose_tool_is_open_is_shaky(
    path: str, mended: bool, possible: Possible
) -> None:
    facts = (
        CALLS.replace('in_name(0, "Find")', 'in_name(0, "Fnd")')
        + 'in_tool_distance(0, "Find", 10).'
    )
    facts += READS.replace('"a", "key"', f'"a", "{path}"')
    assert (ASKED in possible(facts, rules="name_by(spelling).")) is mended


def test_a_reference_to_another_call_is_not(possible: Possible) -> None:
    """That some call may get a tool without such an output is no matter to those who do not read it."""
    facts = CALLS + READS + 'in_call(2). in_name(2, "Bok"). in_tool_distance(2, "Book", 10).'
    assert ASKED not in possible(facts, rules="name_by(spelling).")


def test_what_memory_holds_is_not_lost(possible: Possible) -> None:
    """Only the reference to what it does not hold may be explained by a missing call."""
    facts = (
        CALLS + 'in_supplier("m", "Find"). in_producer(1, "key", 0, memory("m")). in_arg(1, "key").'
    )
    facts += 'in_ref(1, "key", 0, "m", "key"). in_arg(1, "colour").'
    new = 'out_explained("m",new("m"))'
    assert new in possible(facts + held("m", "page"))
    assert new not in possible(facts + held("m", "key"))


def test_a_reference_that_comes_too_early_may_stay_or_be_mended(possible: Possible) -> None:
    early = (
        TOOLS
        + """
    in_call(0..1). in_name(0, "Book"). in_arg(0, "key"). in_name(1, "Find"). in_label(1, "a").
    in_arg(1, "query"). in_ref(0, "key", 0, "a", "key"). in_producer(0, "key", 0, 1).
    """
    )
    found = possible(early)
    assert {"out_moved(0)", "out_moved(1)", 'out_mend(0,"key",0,ask,"")'} <= found


def test_a_reference_that_cannot_stay_is_no_example_for_others(optima: Optima) -> None:
    """What the sequence feeds elsewhere backs a value only if it is returned at all."""
    other = 'in_call(2). in_name(2, "Book"). in_label(2, "c"). in_arg(2, "key"). in_producer(2, "key", 0, 0).'
    reads = 'in_ref(2, "key", 0, "a", "page").'
    fits = 'in_fit("Find", "page", "Book", "key", 3).'
    backed = optima(CALLS + other + reads + fits)
    assert backed.chosen == {FILLED}
    assert backed.paid("fit_distance") == []
    facts = (CALLS + other + reads + fits).replace('("key";"page")', '"key"')
    mended = 'in_path_distance("page", "Find", "key", 4). in_fit("Find", "key", "Book", "key", 0).'
    assert optima(facts + mended).paid("fit_distance") == ['fit_distance,0,argument(1,"key")']


def test_what_one_tool_feeds_is_no_example_for_another(optima: Optima) -> None:
    """Look returns a page as well, but the sequence feeds only that of Find."""
    look = """
    in_tool("Look"). in_effect("Look", read). in_gives("Look", "page"). in_call(-1). in_name(-1, "Look").
    in_label(-1, "l"). in_executed(-1). in_fit(("Find";"Look"), "page", "Book", "key", 3).
    """
    other = """
    in_call(2). in_name(2, "Book"). in_label(2, "c"). in_arg(2, "key").
    in_ref(2, "key", 0, "a", "page"). in_producer(2, "key", 0, 0).
    """
    forced = optima(CALLS + look + other, rules=':- not fill(1, "key", -1, "page").')
    assert forced.paid("fit_distance") == ['fit_distance,3,argument(1,"key")']
