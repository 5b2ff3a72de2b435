"""delete_call.lp: the second of two equal calls goes; others only where the cost model allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoding_facts import pair

TOOL = (
    'in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", "key").'
)
TWICE = (
    'in_call(0..1). in_name(0..1, "Find"). in_label(0..1, "a"). in_arg(0..1, "query").'
    'in_value(0..1, "query", 3).' + pair(1, 0)
)
UNKNOWN = 'in_call(0). in_name(0, "Fnd"). in_label(0, "a"). in_arg(0, "query").'
GONE = "out_deleted(0)"

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_the_second_of_two_equal_calls_goes(optima: Optima) -> None:
    answer = optima(TOOL + TWICE)
    assert answer.chosen == {"out_deleted(1)"}
    assert answer.paid() == ["delete_copy,1,1"]


def test_it_goes_also_where_nobody_knows_its_tool(optima: Optima, possible: Possible) -> None:
    """Nothing else is made of it; the first one gets its tool, if there is one."""
    unknown = TWICE.replace("Find", "Fnd")
    assert optima(TOOL + unknown).chosen == {"out_deleted(1)", "out_unresolved(0)"}
    near = 'in_tool_distance(0..1, "Find", 5).'
    assert optima(TOOL + unknown + near).chosen == {"out_deleted(1)", 'out_tool(0,"Find")'}
    assert not {'out_tool(1,"Find")', "out_unresolved(1)"} & possible(TOOL + unknown + near)


def test_it_goes_also_where_it_was_tried_too_often(optima: Optima) -> None:
    """Then the first one stays as it is, and only the first one."""
    tried = 'in_call(-1). in_executed(-1). in_name(-1, "Find"). in_arg(-1, "query"). in_value(-1, "query", 3).'
    answer = optima(TOOL + TWICE + tried + pair(0, -1) + pair(1, -1))
    assert answer.chosen == {"out_deleted(1)", "out_unresolved(0)"}


def test_a_call_that_is_mended_into_the_second_of_two_equal_calls_goes(
    optima: Optima, possible: Possible
) -> None:
    """Without the argument that nobody knows it is the first one again; with another value it is not."""
    facts = TOOL + TWICE + 'in_arg(1, "colour"). in_value(1, "colour", 4).'
    answer = optima(facts)
    assert answer.chosen == {'out_dropped(1,"colour")', "out_deleted(1)"}
    assert GONE not in possible(facts)
    other = facts.replace(
        'in_value(0..1, "query", 3)', 'in_value(0, "query", 3). in_value(1, "query", 5)'
    )
    assert optima(other).chosen == {'out_dropped(1,"colour")'}
    assert not {"out_deleted(1)", GONE} & possible(other)


def test_an_attempt_that_was_made_again_goes(optima: Optima, possible: Possible) -> None:
    """The second call passes all that was right in the first one, which lacks what the tool requires."""
    facts = TOOL + 'in_param("Find", "day"). in_required("Find", "day").' + TWICE
    again = 'in_arg(1, "day"). in_value(1, "day", 5).'
    answer = optima(facts + again)
    assert answer.chosen == {GONE}
    assert answer.paid() == ["delete_copy,1,0"]
    other = facts.replace(
        'in_value(0..1, "query", 3)', 'in_value(0, "query", 3). in_value(1, "query", 4)'
    )
    assert GONE not in possible(other + again), "it said something else"


def test_what_was_wrong_in_an_attempt_says_nothing(optima: Optima, possible: Possible) -> None:
    """Be it a name that nobody knows, a reference to nothing, or a value that does not fit."""
    facts = (
        TOOL + 'in_param("Find", "day"). in_arg(0..1, "day").' + TWICE + 'in_value(1, "day", 5).'
    )
    lost = 'in_ref(0, "day", 0, "z", "key"). in_lost(0, "day", 0, "z").'
    assert optima(facts + lost).chosen == {GONE, 'out_explained("z",apart)'}
    unfit = 'in_value(0, "day", 6). in_unfit(0, "day", "Find", "day").'
    assert optima(facts + unfit).chosen == {GONE}
    assert GONE not in possible(facts + 'in_value(0, "day", 6).'), "nothing is wrong with it"
    named = facts.replace('in_arg(0..1, "day")', 'in_arg(0, "yad"). in_arg(1, "day")')
    named += 'in_value(0, "yad", 5). in_parameter_distance(0, "yad", "Find", "day", 5).'
    assert optima(named).chosen == {GONE, 'out_renamed(0,"yad","day")'}


def test_an_attempt_that_somebody_reads_stays(possible: Possible) -> None:
    facts = TOOL + 'in_param("Find", "day"). in_required("Find", "day").' + TWICE
    facts += 'in_arg(1, "day"). in_ref(1, "day", 0, "a", "key"). in_producer(1, "day", 0, 0).'
    assert GONE not in possible(facts)


def test_only_what_repeats_a_given_call_of_the_same_tool_goes(possible: Possible) -> None:
    """Not what repeats an executed one, nor a call whose tool may be that of another."""
    facts = TOOL + TWICE + 'in_arg(1, "colour"). in_value(1, "colour", 4).'
    executed = (
        facts.replace("0..1", "(-1;1)")
        .replace("(1, 0)", "(1, -1)")
        .replace("_paired(0)", "_paired(-1)")
    )
    assert "out_deleted(1)" not in possible(executed + "in_executed(-1).")
    look = 'in_tool("Look"). in_param("Look", "query"). in_name(1, "Look"). in_name(0, "Find").'
    assert "out_deleted(1)" not in possible(facts.replace('in_name(0..1, "Find").', look))


def test_no_other_call_of_the_catalog_goes(possible: Possible) -> None:
    facts = TOOL + UNKNOWN.replace("Fnd", "Find") + 'in_arg(0, "colour").'
    assert GONE not in possible(facts, rules="may_delete(unknown_tool).")


def test_a_call_without_a_tool_goes_only_where_the_cost_model_allows_it(
    possible: Possible, optima: Optima
) -> None:
    assert GONE not in possible(TOOL + UNKNOWN)
    assert GONE in possible(TOOL + UNKNOWN, rules="may_delete(unknown_tool).")
    assert optima(TOOL + UNKNOWN, model="refraction").chosen == {GONE}
    assert optima(TOOL + UNKNOWN, model="default").chosen == {"out_unresolved(0)"}


def test_nobody_may_read_from_a_call_that_is_gone(possible: Possible) -> None:
    """A tool that returns what is read may be found, so the call stays."""
    reader = """
    in_call(1). in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query").
    in_ref(1, "query", 0, "a", "key"). in_producer(1, "query", 0, 0).
    in_offered(0, "Find"). in_tool_distance(0, "Find", 5).
    """
    rules = "may_delete(unknown_tool). name_by(spelling)."
    assert GONE not in possible(TOOL + UNKNOWN + reader, rules=rules)
