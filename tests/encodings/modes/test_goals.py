"""modes/goals.lp and goals_given.lp: when a goal is met, by the sequence as it is given."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from encoding_facts import call, held, tool

TOOLS = (
    tool("Find", "read", takes="query key", gives="key")
    + tool("Book", "write", takes="key")
    + tool("Look", "read", takes="query", gives="page")
)
FIND = call(0, "Find", "a", query=3)
BOOK = call(1, "Book", "b", key=("a", "key", 0))
WANTED = 'in_goal(0). in_yields(0, "Find"). in_goal_place(0, 2). '
KEY = WANTED + "in_goal_field(0). "
QUERY = WANTED + 'in_goal_value(0, "query", 3). '
ORDER = 'in_goal(0). in_yields(0, "Look"). in_goal_before(0, "Look", "Book"). in_goal_place(0, 1). '
READ = WANTED + 'in_goal_read(0, "key", 0, "key"). '
MEMORY = held("m", "key")
ASKS_MEMORY = WANTED + 'in_goal_read(0, "key", memory("m"), "key"). '

MET = {
    "its tool is called": WANTED + FIND,
    "its tool was executed": WANTED + call(-1, "Find", "a", query=3),
    "a field is returned": KEY + FIND,
    "a field is held by memory": KEY + "in_known(0). ",
    "nobody knows what an executed call gave": KEY + call(-1, "Find", "a", query=3),
    "a value is passed": QUERY + FIND,
    "one of several calls passes it": QUERY
    + call(0, "Find", "a", query=4)
    + call(1, "Find", "b", query=3),
    "it reads what it should": READ + FIND + call(1, "Find", "b", key=("a", "key", 0)),
    "it reads what it should from memory": ASKS_MEMORY
    + MEMORY
    + call(0, "Find", "a", key=("m", "key", 'memory("m")')),
    "the one comes first": ORDER + call(0, "Look", "l", query=3) + call(1, "Book", "b", key=4),
    "the one was executed": ORDER + call(-1, "Look", "l", query=3) + call(0, "Book", "b", key=4),
    "the other one was executed": ORDER + call(-1, "Book", "b", key=4),
    "the other one is not called": ORDER,
    "each of the others has one before it": ORDER
    + call(0, "Look", "l", query=3)
    + call(1, "Book", "b", key=4)
    + call(2, "Book", "c", key=4),
}
UNMET = {
    "no call": WANTED,
    "a call of another tool": WANTED + call(0, "Look", "l", query=3),
    "memory holds something else under the label": KEY
    + call(-1, "Find", "a", query=3)
    + 'in_recalled(-1, "a"). ',
    "another value": QUERY + call(0, "Find", "a", query=4),
    "no value": QUERY + call(0, "Find", "a"),
    "the value for another parameter": QUERY + call(0, "Find", "a", key=3),
    "it reads something else": READ + FIND + call(1, "Find", "b", key=("a", "y", 0)),
    "it reads nothing": READ + FIND,
    "the one comes later": ORDER + call(0, "Book", "b", key=4) + call(1, "Look", "l", query=3),
    "the one is not called": ORDER + call(0, "Book", "b", key=4),
    "one of the others has none before it": ORDER
    + call(0, "Book", "b", key=4)
    + call(1, "Look", "l", query=3)
    + call(2, "Book", "c", key=4),
}

Violations = Callable[[str], set[str]]


@pytest.mark.parametrize("case", MET)
def test_a_goal_is_met(case: str, violations: Violations) -> None:
    assert violations(TOOLS + MET[case]) == set()


@pytest.mark.parametrize("case", UNMET)
def test_a_goal_is_not_met(case: str, violations: Violations) -> None:
    found = violations(TOOLS + 'in_gives("Find", "y"). ' + UNMET[case])
    assert found == {"out_violation(unmet_goal,goal(0))"}


def test_each_goal_is_judged_for_itself(violations: Violations) -> None:
    facts = TOOLS + FIND + WANTED + WANTED.replace("(0", "(1").replace("Find", "Look")
    assert violations(facts) == {"out_violation(unmet_goal,goal(1))"}


def test_a_tool_that_has_to_come_first_need_not_be_called_for_its_own_sake(
    violations: Violations,
) -> None:
    """That a call of it is made does not meet the goal either."""
    facts = TOOLS + ORDER + call(0, "Book", "b", key=4) + call(1, "Look", "l", query=3)
    assert violations(facts) == {"out_violation(unmet_goal,goal(0))"}
