"""rename_tool.lp: a clear neighbour in spelling, else the best fit, else the only fit, else nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import pair, returning

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", "key").
in_tool("Look"). in_effect("Look", read). in_param("Look", "word"). in_gives("Look", "page").
"""
CALL = TOOLS + 'in_call(0). in_name(0, "Fnd"). in_label(0, "a"). in_arg(0, "query").'
OFFERED = CALL + 'in_offered(0, ("Find";"Look")). in_tool_distance(0, ("Find";"Look"), 80).'
TRIED = (
    'in_call(-1). in_executed(-1). in_name(-1, "Find"). in_arg(-1, "query"). in_value((0;-1), "query", 1).'
    + pair(0, -1)
)
READ_PAGE = (
    returning(1) + 'in_arg(1, "r"). in_ref(1, "r", 0, "a", "page"). in_producer(1, "r", 0, 0).'
)
READ_ELSEWHERE = (
    'in_call(1). in_name(1, "Look"). in_label(1, "b"). in_arg(1, "word"). in_arg(2, "r").'
    'in_ref(2, "r", 0, "b", "page"). in_producer(2, "r", 0, 1).' + returning(2)
)
FIND, LOOK, NEITHER = 'out_tool(0,"Find")', 'out_tool(0,"Look")', "out_unresolved(0)"

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def near(find: int, look: int) -> str:
    return CALL + f'in_tool_distance(0, "Find", {find}). in_tool_distance(0, "Look", {look}).'


def tried(possible: Possible, facts: str, by: str = "spelling") -> set[str]:
    """Return what may become of the call."""
    return {FIND, LOOK, NEITHER} & possible(facts, rules=f"name_by({by}).")


@pytest.mark.parametrize(
    ("find", "look", "expected"),
    [
        (10, 60, {FIND, NEITHER}),
        (40, 48, {FIND, NEITHER}),
        (41, 60, {FIND, NEITHER}),
        (40, 47, {FIND, LOOK, NEITHER}),
        (56, 56, {NEITHER}),
    ],
    ids=["clear", "just clear", "alike, the other not", "not clear by the margin", "none alike"],
)
def test_a_clear_neighbour_decides_else_all_that_are_alike_are_tried(
    find: int, look: int, expected: set[str], possible: Possible
) -> None:
    assert tried(possible, near(find, look)) == expected


def test_a_clear_neighbour_is_taken_though_another_tool_fits_better(
    optima: Optima, possible: Possible
) -> None:
    """What the arguments say does not count against the spelling."""
    facts = near(60, 5) + 'in_offered(0, "Find").'
    assert {LOOK, 'out_dropped(0,"query")'} == optima(facts).chosen
    assert tried(possible, facts) == {LOOK, NEITHER}


def test_among_tools_that_are_alike_the_best_fit_is_the_cheapest(optima: Optima) -> None:
    """Look is nearer by a letter, but it has no parameter for the argument."""
    assert optima(near(25, 20)).chosen == {FIND}


def test_where_no_name_is_alike_the_tool_that_alone_fits_is_taken(optima: Optima) -> None:
    answer = optima(OFFERED + "in_confirm(risky).")
    assert answer.chosen == {FIND}
    assert {"out_risky(call(0),by_fit)", "out_confirm(call(0))"} <= answer.only


@pytest.mark.parametrize(
    "more",
    [
        'in_param("Look", "query").',
        'in_takes_any("Look").',
        'in_required("Find", "day"). in_param("Find", "day").',
        'in_call(1). in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query"). in_same_arguments(0, 1).',
        READ_PAGE,
    ],
    ids=[
        "two take the argument",
        "another one takes any",
        "a required argument is missing",
        "it would be the same call once more",
        "it does not return what is read",
    ],
)
def test_a_tool_that_fits_less_than_fully_or_not_alone_is_not_taken(
    more: str, possible: Possible
) -> None:
    assert tried(possible, OFFERED + more) == {NEITHER}


@pytest.mark.parametrize(
    "more",
    [
        'in_required("Find", "query").',
        'in_call(1). in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query").',
        'in_call(1). in_name(1, "Look"). in_label(1, "b"). in_arg(1, "query"). in_same_arguments(0, 1).',
        READ_ELSEWHERE,
    ],
    ids=[
        "a required argument is given",
        "it is called elsewhere, with other arguments",
        "another tool is called with the same arguments",
        "it does not return what is read from another call",
    ],
)
def test_a_tool_that_alone_fits_is_taken_whatever_other_calls_do(
    more: str, possible: Possible
) -> None:
    assert FIND in tried(possible, OFFERED + more)


@pytest.mark.parametrize(
    "reads",
    [
        'in_arg(0, "page"). in_ref(0, "page", 0, "b", "key"). in_producer(0, "page", 0, 1).',
        'in_arg(1, "page"). in_ref(1, "page", 0, "a", "key"). in_producer(1, "page", 0, 0).',
    ],
    ids=["it reads from the other call", "the other call reads from it"],
)
def test_what_reads_from_the_other_call_is_not_that_call_once_more(
    reads: str, possible: Possible
) -> None:
    """One has all the arguments of the other one, but as steps that follow each other they are two."""
    facts = (
        OFFERED.replace("in_call(0)", "in_call(0..1)")
        + 'in_param("Find", "page"). in_gives("Find","key").'
    )
    facts += 'in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query"). in_same_arguments(0, 1).'
    assert tried(possible, facts) == {NEITHER}
    assert FIND in tried(possible, facts + reads)


def test_what_is_read_tells_two_tools_apart(possible: Possible) -> None:
    """Both take the arguments; only Look returns the page."""
    facts = OFFERED + 'in_param("Look", "query").' + READ_PAGE
    assert tried(possible, facts) == {LOOK, NEITHER}


def test_a_cost_model_that_goes_by_fit_tries_all_that_are_offered(
    possible: Possible, optima: Optima
) -> None:
    facts = near(80, 5) + 'in_offered(0, ("Find";"Look")).'
    assert tried(possible, facts, by="fit") == {FIND, LOOK, NEITHER}
    assert optima(facts, model="refraction").chosen == {FIND}


def test_no_tool_is_looked_for_where_none_is_offered(optima: Optima) -> None:
    answer = optima(CALL)
    assert answer.chosen == {NEITHER}
    assert answer.paid() == ["leave_unresolved,1,0"]


def test_a_call_that_stays_unresolved_is_asked_nothing(optima: Optima) -> None:
    """What the tools that it might have meant would need is of no matter then."""
    facts = near(50, 70) + 'in_required("Find", "day"). in_param("Find", "day").'
    assert optima(facts, rules=":- name(0, Tool).").chosen == {NEITHER}


def test_a_call_that_was_tried_too_often_stays_as_it_is(optima: Optima) -> None:
    facts = TOOLS + 'in_call(0). in_name(0, "Find"). in_arg(0, "query").' + TRIED
    assert optima(facts).chosen == {NEITHER}


def test_no_call_is_mended_into_one_that_was_tried_too_often(
    optima: Optima, possible: Possible
) -> None:
    """Find is the tool that was meant, but Find was tried with this value; with another one it was not."""
    assert FIND not in possible(near(10, 60) + TRIED, rules="name_by(spelling).")
    assert optima(near(10, 60) + TRIED).chosen == {NEITHER}
    assert optima(near(10, 60) + TRIED.replace("in_value((0;-1)", "in_value(0")).chosen == {FIND}


def test_what_may_be_such_a_call_may_stay_as_it_is(possible: Possible) -> None:
    """An undeclared argument alone leaves no call as it is, unless the call may be one of a pair."""
    facts = (
        TOOLS
        + 'in_call(0). in_name(0, "Find"). in_arg(0, ("query";"colour")). in_value(0, "colour", 2).'
    )
    assert NEITHER not in possible(facts)
    assert NEITHER in possible(facts + TRIED)


def test_all_other_calls_keep_their_tool(possible: Possible) -> None:
    """A call with a tool of the catalog is not renamed, however near another name may be."""
    facts = (
        TOOLS
        + 'in_call(0). in_name(0, "Find"). in_arg(0, "colour"). in_tool_distance(0, "Look", 1).'
    )
    assert not any(atom.startswith(("out_tool", "out_unresolved")) for atom in possible(facts))


def test_the_distances_are_constants(possible: Possible) -> None:
    rules = "name_by(spelling)."
    wide = {"clear_distance": 60, "clear_margin": 1}
    assert FIND in possible(near(58, 59), rules=rules, constants=wide)
    assert LOOK not in possible(near(58, 59), rules=rules, constants=wide)
    assert FIND in possible(near(70, 90), rules=rules, constants={"alike_distance": 70})
