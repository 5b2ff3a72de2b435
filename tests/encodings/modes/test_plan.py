"""modes/plan.lp, plan_given.lp and words.lp: the calls of a plan that are never made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import call, tool

Violations = Callable[[str], set[str]]

WRITE = tool("Send", "write", takes="to", gives="id")
READ = tool("Find", "read", takes="to", gives="id")
DROP = tool("Wipe", "destructive", takes="to", gives="id")
OPEN = tool("Frob", "unknown", takes="to", gives="id")
TOOLS = WRITE + READ + DROP + OPEN
LAST = call(1, "Find", "b", to=3)
GIVEN_BACK = "in_result(1). "
UNUSED = {"out_violation(unused_call,call(0))"}


def words(name: str) -> str:
    """State the words of a name that are parted by `_`, as Python does."""
    return "".join(f'in_word("Frob", "{word}"). ' for word in name.split("_"))


@pytest.mark.parametrize("name", ["Send", "Wipe"])
def test_a_call_that_changes_something_has_to_be_made(violations: Violations, name: str) -> None:
    assert violations(TOOLS + call(0, name, "a", to=3) + LAST + GIVEN_BACK) == UNUSED
    assert violations(TOOLS + call(0, name, "a", to=3) + LAST) == set(), (
        "a sequence makes all of its calls"
    )


def test_a_call_that_only_reads_need_not_be_made(violations: Violations) -> None:
    assert violations(TOOLS + call(0, "Find", "a", to=3) + LAST + GIVEN_BACK) == set()


def test_a_call_is_made_when_what_is_given_back_reads_it(violations: Violations) -> None:
    read = call(1, "Find", "b", to=("a", "id", 0))
    assert violations(TOOLS + call(0, "Send", "a", to=3) + read + GIVEN_BACK) == set()
    through = call(2, "Find", "c", to=("b", "id", 1))
    assert (
        violations(TOOLS + call(0, "Send", "a", to=3) + read + through + "in_result(2). ") == set()
    )
    apart = call(2, "Find", "c", to=4)
    assert (
        violations(TOOLS + call(0, "Send", "a", to=3) + read + apart + "in_result(2). ") == UNUSED
    )


def test_what_was_executed_was_made(violations: Violations) -> None:
    facts = call(-1, "Send", "a", to=3) + call(0, "Find", "b", to=3) + "in_result(0). "
    assert violations(TOOLS + facts) == set()


@pytest.mark.parametrize(
    ("name", "is_wrong"),
    [
        ("send_mail", True), ("mail_delete", True), ("get_or_create_user", True), ("book_flight", True),
        ("order", True), ("post_message", True), ("get_post", False), ("list_orders_of_book", False),
        ("find_and_remove", True), ("search", False), ("frobnicate", False), ("updates", False),
    ],
)  # fmt: skip
def test_the_name_counts_where_nothing_is_declared(
    violations: Violations, name: str, is_wrong: bool
) -> None:
    facts = TOOLS + call(0, "Frob", "a", to=3) + LAST + GIVEN_BACK + words(name)
    assert violations(facts) == (UNUSED if is_wrong else set())


def test_a_repair_tells_of_it_and_mends_the_rest(optima: Callable[[str], Any]) -> None:
    found = optima(TOOLS + call(0, "Send", "a", to=3) + LAST + GIVEN_BACK).chosen
    assert found == {"out_unused(0)"}
