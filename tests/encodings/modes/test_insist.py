"""modes/insist.lp: what is demanded holds in the repair; modes/relaxed.lp: what would be wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"day")).
in_tool("Book"). in_effect("Book", write). in_param("Book", ("key";"day";"note")).
in_required("Book", "key"). in_supplier("z", "Find").
in_path_distance("kye", "Find", "key", 3). in_path_distance("kye", "Find", "day", 15).
in_fit("Find", ("key";"day"), "Book", "key", 20).
"""
CALLS = (
    TOOLS
    + """
in_call(0..2). in_name(0..1, "Find"). in_label(0, "a"). in_label(1, "b"). in_arg(0..1, "query").
in_name(2, "Book"). in_label(2, "c"). in_arg(2, "key"). in_ref(2, "key", 0, "a", "kye").
in_producer(2, "key", 0, 0). in_arg(2, "nite").
in_parameter_distance(2, "nite", "Book", "note", 2). in_parameter_distance(2, "nite", "Book", "day", 9).
"""
)
LOST = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query"). in_name(1, "Book").
in_label(1, "c"). in_arg(1, "key"). in_ref(1, "key", 0, "z", "key"). in_lost(1, "key", 0, "z").
"""
)
MADE_UP = (
    TOOLS
    + """
in_call(0). in_name(0, "Buuk"). in_label(0, "c"). in_arg(0, "key"). in_tool_distance(0, "Book", 30).
in_param("Pay", "key"). in_tool("Pay"). in_effect("Pay", write). in_tool_distance(0, "Pay", 33).
"""
)
RECAST = (
    TOOLS
    + """
in_call(0). in_name(0, "Book"). in_label(0, "c"). in_arg(0, ("key";"day")).
in_unfit(0, "day", "Book", "day"). in_recast(0, "day", "Book", "day", 7, 1).
in_value(0, "day", 5).
"""
)
NULL = RECAST.replace('"day", 7, 1)', '"day", nothing, 1)')

FOUND = {
    "another tool": (MADE_UP, 'uses(0, "Pay")', 'out_tool(0,"Pay")'),
    "made in any case": (MADE_UP, "made(0)", "out_tool(0,"),
    "left as it is": (MADE_UP, "left(0)", "out_unresolved(0)"),
    "a call is added": (LOST, 'added("Find")', 'out_explained("z",new("z"))'),
    "a call that is lost is not added": (LOST, 'gone(new("z"))', 'out_explained("z",0)'),
    "a lost reference is kept": (LOST, 'kept(1, "key")', 'out_explained("z",'),
    "another path": (CALLS, 'reads(2, "key", 0, 0, "day")', 'out_mend(2,"key",0,0,"day")'),
    "an ask": (CALLS, 'asked(2, "key")', 'out_mend(2,"key",0,ask,"")'),
    "dropped": (CALLS, 'absent(2, "nite")', 'out_'),
    "another parameter": (CALLS, 'sent(2, "nite", "day")', 'out_renamed(2,"nite","day")'),
    "an argument without its value": (CALLS, 'absent(2, "note")', 'out_'),
    "a form": (RECAST, 'takes(0, "day", 7)', 'out_recast(0,"day",7)'),
    "nothing in its place": (NULL, 'absent(0, "day")', 'out_recast(0,"day",nothing)'),
    "no form": (RECAST, 'asked(0, "day")', 'out_mend(0,"day",0,ask,"")'),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_what_is_demanded_holds(case: str, optima: Callable[..., Any]) -> None:
    facts, token, expected = FOUND[case]
    answers = optima(facts, rules=f"in_insist(0, {token}).", mode="insist").answers
    assert answers
    for answer in answers:
        assert any(atom.startswith(expected) for atom in answer), answer


NOT_FOUND = {
    "a tool that is not like it": (CALLS, 'uses(2, "Find")'),
    "a right call goes": (CALLS, "gone(0)"),
    "what is wrong stays": (CALLS, 'kept(2, "key")'),
    "an undeclared argument stays": (CALLS, 'kept(2, "nite")'),
    "a required argument goes": (CALLS, 'absent(2, "key")'),
    "a right value is asked": (CALLS, 'asked(0, "query")'),
    "a value from nowhere": (CALLS, "nothing"),
    "a call that nobody needs": (MADE_UP, 'added("Find")'),
}


@pytest.mark.parametrize("case", NOT_FOUND)
def test_what_no_rule_offers_cannot_be_had(case: str, optima: Callable[..., Any]) -> None:
    facts, token = NOT_FOUND[case]
    assert not optima(facts, rules=f"in_insist(0, {token}).", mode="insist").answers


def test_a_demand_is_met_in_any_of_its_ways(optima: Callable[..., Any]) -> None:
    ways = 'in_insist(0, (uses(2, "Find");sent(2, "nite", "day"))).'
    assert 'out_renamed(2,"nite","day")' in optima(CALLS, rules=ways, mode="insist").only


def test_all_demands_are_met(optima: Callable[..., Any]) -> None:
    both = 'in_insist(0, asked(2, "key")). in_insist(1, sent(2, "nite", "day")).'
    assert optima(CALLS, rules=both, mode="insist").chosen == {
        'out_mend(2,"key",0,ask,"")',
        'out_renamed(2,"nite","day")',
    }


def test_a_demand_costs_nothing_of_its_own(optima: Callable[..., Any]) -> None:
    free = optima(CALLS)
    held = optima(CALLS, rules='in_insist(0, reads(2, "key", 0, 0, "key")).', mode="insist")
    assert (held.answers, held.cost) == (free.answers, free.cost)


LEFT = {
    "what is wrong stays": (CALLS, 'kept(2, "key")', {'standing(2,"key",0)'}),
    "an undeclared argument": (
        CALLS,
        'kept(2, "nite")',
        {'(undeclared_parameter,argument(2,"nite"))'},
    ),
    "a required argument goes": (
        CALLS,
        'absent(2, "key")',
        {'(missing_parameter,argument(2,"key"))'},
    ),
    "a path that is not there": (
        CALLS,
        'reads(2, "key", 0, 1, "foo")',
        {'(unknown_field,reference(2,"key",0))'},
    ),
    "a right value is asked": (CALLS, 'asked(0, "query")', set()),
    "a value for what is not wanted": (CALLS, 'reads(2, "day", 0, 1, "day")', set()),
    "a right call goes": (CALLS, "gone(1)", set()),
    "a right argument goes to another place": (
        CALLS,
        'sent(0, "query", "key")',
        {'(undeclared_parameter,argument(0,"key"))'},
    ),
    "a tool that needs more": (
        MADE_UP
        + 'in_tool("Far"). in_effect("Far", read). in_param("Far", "key"). in_required("Far", "x").',
        'uses(0, "Far")',
        {'(missing_parameter,argument(0,"x"))'},
    ),
}


@pytest.mark.parametrize("case", LEFT)
def test_what_would_be_wrong_is_told(case: str, relaxed: Callable[[str], set[str]]) -> None:
    facts, token, expected = LEFT[case]
    assert relaxed(facts + f"in_insist(0, {token}).") == expected


def test_a_call_that_goes_leaves_its_readers_asking(relaxed: Callable[[str], set[str]]) -> None:
    assert relaxed(CALLS + "in_insist(0, gone(0)).") == set()
