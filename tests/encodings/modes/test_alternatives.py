"""modes/alternatives.lp: what no answer does, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", "key").
in_tool("Book"). in_effect("Book", write). in_param("Book", ("key";"day")). in_required("Book", "day").
in_constant("Book", "day", 0). in_constant("Book", "key", 1).
"""
CALLS = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query"). in_name(1, "Book").
in_label(1, "b"). in_arg(1, "key").
"""
)
READS = CALLS + 'in_ref(1, "key", 0, "a", "kye"). in_producer(1, "key", 0, 0). in_arg(1, "day").'
MADE_UP = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", "key").
in_call(0..1). in_name(0, "Fnd"). in_label(0, "a"). in_arg(0, "query"). in_tool_distance(0, "Find", 10).
in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query"). in_ref(1, "query", 0, "a", "key").
in_producer(1, "query", 0, 0).
"""

CASES = {
    "a missing value": (
        CALLS,
        'fill(1, "day", constant(0), "")',
        ["alternative_only", "fill", "reuse_constant"],
    ),
    "in place of a reference": (
        READS,
        'mend(1, "key", 0, constant(1), "")',
        ["alternative_only", "leave_label", "repath", "repoint", "reuse_constant"],
    ),
    "a call in which something is wrong goes": (READS, "deleted(1)", ["alternative_only", "delete_call"]),
    "a call of a made-up tool goes": (
        MADE_UP,
        "deleted(0)",
        ["alternative_only", "ask", "delete_call"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_no_answer_does_is_offered_at_its_price(case: str, optima: Callable[..., Any]) -> None:
    facts, choice, kinds = CASES[case]
    rules = f"want :- {choice}. :- not want."
    found = optima(facts, rules=rules, mode="alternatives")
    assert sorted(paid.partition(",")[0] for paid in found.paid()) == kinds
    assert found.cost[1000] == 1
    without = optima(facts, rules="want :- " + choice + ". :- not want. #defined deleted/1.")
    assert not without.answers, "the answer does it too"


@pytest.mark.slow
def test_the_answer_stays_the_same(optima: Callable[..., Any]) -> None:
    for facts in (CALLS, READS, MADE_UP):
        found = optima(facts, mode="alternatives")
        assert found.answers == optima(facts).answers
        assert found.cost[1000] == 0


def test_a_call_that_may_become_the_same_as_another_gets_no_constant(
    optima: Callable[..., Any],
) -> None:
    pair = "in_pair(1, 0). in_paired(0..1)."
    for facts, choice in (
        (CALLS, 'fill(1, "day", constant(0), "")'),
        (READS, 'mend(1, "key", 0, constant(1), "")'),
    ):
        assert not optima(facts + pair, rules=f":- not {choice}.", mode="alternatives").answers


def test_a_right_call_stays(optima: Callable[..., Any]) -> None:
    assert not optima(READS, rules=":- not deleted(0).", mode="alternatives").answers


def test_a_copy_goes_as_easily_as_before(optima: Callable[..., Any]) -> None:
    facts = """
    in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_call(0..1).
    in_name(0..1, "Find"). in_label(0..1, "a"). in_arg(0..1, "query"). in_pair(1, 0). in_paired(0..1).
    in_value(0..1, "query", 1).
    """
    found = optima(facts, mode="alternatives")
    assert found.paid() == ["delete_copy,1,1"]
    assert 1000 not in found.cost


def test_a_model_may_let_go_of_calls_that_name_no_tool(optima: Callable[..., Any]) -> None:
    free = "may_delete(unknown_tool). :- not deleted(0)."
    assert 1000 not in optima(MADE_UP, rules=free, mode="alternatives").cost
