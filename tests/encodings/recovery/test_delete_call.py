"""delete_call.lp: the second of two equal calls goes; others only where the cost model allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TOOL = 'in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", "key").'
TWICE = """
in_call(0..1). in_name(0..1, "Find"). in_label(0..1, "a"). in_arg(0..1, "query"). in_copy(1, 0).
"""
UNKNOWN = 'in_call(0). in_name(0, "Fnd"). in_label(0, "a"). in_arg(0, "query").'
GONE = "out_deleted(0)"

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_the_second_of_two_equal_calls_goes(optima: Optima) -> None:
    answer = optima(TOOL + TWICE)
    assert answer.chosen == {"out_deleted(1)"}
    assert answer.paid() == ["delete_call,1,1"]


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
