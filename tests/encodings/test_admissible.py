"""admissible.lp: each violation where it belongs, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

TOOLS = """
in_tool("Find"). in_effect("Find", read).
in_param("Find", "query"). in_required("Find", "query"). in_param("Find", "limit").
in_gives("Find", "key").
"""
FIND = TOOLS + 'in_call(0). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").'
READER = FIND + 'in_call(1). in_name(1, "Find"). in_arg(1, "query").'
RECALLED = FIND + 'in_ref(0, "query", 0, "m", "name"). in_recall(0, "query", 0).'
LOST = FIND + 'in_ref(0, "query", 0, "m", "name"). in_lost(0, "query", 0, "m").'
TWICE = FIND + 'in_call(1). in_label(1, "a"). in_arg(1, "query").'

BROKEN = {
    "a tool that the catalog lacks": (
        TOOLS + 'in_call(0). in_name(0, "Fnd"). in_arg(0, "colour").',
        {"out_violation(unknown_tool,call(0))"},
    ),
    "an argument that the tool does not declare": (
        FIND + 'in_arg(0, "colour").',
        {'out_violation(undeclared_parameter,argument(0,"colour"))'},
    ),
    "a required argument is missing": (
        TOOLS + 'in_call(0). in_name(0, "Find"). in_arg(0, "limit").',
        {'out_violation(missing_parameter,argument(0,"query"))'},
    ),
    "a label that nobody bears": (LOST, {'out_violation(unknown_label,reference(0,"query",0))'}),
    "a variable that memory does not hold": (
        LOST + 'in_variable("m").',
        {'out_violation(unknown_variable,reference(0,"query",0))'},
    ),
    "a field that the producing tool does not return": (
        READER + 'in_ref(1, "query", 0, "a", "kee"). in_producer(1, "query", 0, 0).',
        {'out_violation(unknown_field,reference(1,"query",0))'},
    ),
    "a field that memory does not hold": (RECALLED, {'out_violation(unknown_field,reference(0,"query",0))'}),
    "one reference of several in a template": (
        READER
        + 'in_ref(1, "query", (1;2), "a", "key"). in_producer(1, "query", (1;2), 0).'
        + 'in_ref(1, "query", 3, "a", "kee"). in_producer(1, "query", 3, 0).',
        {'out_violation(unknown_field,reference(1,"query",3))'},
    ),
    "the same call twice under one label": (
        TWICE + 'in_name(1, "Find"). in_copy(1, 0).',
        {"out_violation(duplicate_call,call(1))"},
    ),
    "a call that was executed as often as allowed": (
        FIND + "in_exhausted(0).",
        {"out_violation(tried_too_often,call(0))"},
    ),
}

SOUND = {
    "a tool of the catalog, its required argument given": FIND,
    "an optional argument": FIND + 'in_arg(0, "limit").',
    "any argument where the tool takes any": FIND + 'in_takes_any("Find"). in_arg(0, "colour").',
    "a field that the producing tool returns": (
        READER + 'in_ref(1, "query", 0, "a", "key"). in_producer(1, "query", 0, 0).'
    ),
    "a field that memory holds": RECALLED + 'in_holds("m", "name").',
    "a variable that memory holds": (
        FIND + 'in_ref(0, "query", 0, "m", ""). in_recall(0, "query", 0). in_holds("m", "").'
    ),
    "two calls that are alike, but no copies": TWICE + 'in_name(1, "Find").',
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_said(case: str, violations: Callable[[str], set[str]]) -> None:
    facts, expected = BROKEN[case]
    assert violations(facts) == expected


@pytest.mark.parametrize("case", SOUND)
def test_what_is_right_passes(case: str, violations: Callable[[str], set[str]]) -> None:
    assert violations(SOUND[case]) == set()


def test_nothing_is_said_about_the_arguments_of_a_tool_that_nobody_knows(
    violations: Callable[[str], set[str]],
) -> None:
    """What an unknown tool takes and returns is open, so only the tool itself is wrong."""
    facts = (
        TOOLS
        + 'in_call(0). in_name(0, "Fnd"). in_label(0, "a"). in_arg(0, "colour").'
        + 'in_call(1). in_name(1, "Find"). in_arg(1, "query").'
        + 'in_ref(1, "query", 0, "a", "kee"). in_producer(1, "query", 0, 0).'
    )
    assert violations(facts) == {"out_violation(unknown_tool,call(0))"}


def test_a_copy_under_another_tool_is_no_copy(violations: Callable[[str], set[str]]) -> None:
    facts = TWICE + 'in_tool("Look"). in_param("Look", "query"). in_name(1, "Look"). in_copy(1, 0).'
    assert violations(facts) == set()
