"""admissible.lp: each violation where it belongs, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from encoding_facts import held, pair

TOOLS = """
in_tool("Find"). in_effect("Find", read).
in_param("Find", "query"). in_required("Find", "query"). in_param("Find", ("limit";"pages")).
in_gives("Find", ("key";"page")).
in_tool("Look"). in_param("Look", "query").
"""
FIND = TOOLS + 'in_call(0). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").'
READER = FIND + 'in_call(1). in_name(1, "Find"). in_arg(1, "query").'
RECALLED = FIND + 'in_ref(0, "query", 0, "m", "name"). in_producer(0, "query", 0, memory("m")).'
LOST = FIND + 'in_ref(0, "query", 0, "m", "name"). in_lost(0, "query", 0, "m").'
TWICE = FIND + 'in_call(1). in_label(1, "a"). in_arg(1, "query").' + pair(1, 0)
SAME = TWICE + 'in_name(1, "Find"). in_value(0..1, "query", 0).'
TRIED = FIND + 'in_call(-1). in_executed(-1). in_arg(-1, "query").' + pair(0, -1)
BEFORE = 'in_call(-3..-2). in_executed(-3..-2). in_name(-3..-2, "Find"). in_label(-3..-2, "l").'
DUPLICATE = {"out_violation(duplicate_call,call(1))"}


def reads(call: int, origin: object = -2, path: str = "key", number: int = 0) -> str:
    """State that the query of a call reads from there."""
    place = f'{call}, "query", {number}'
    return f'in_ref({place}, "l", "{path}"). in_producer({place}, {origin}).'


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
    "a field that memory does not hold": (
        RECALLED + held("m", "nick"),
        {'out_violation(unknown_field,reference(0,"query",0))'},
    ),
    "one reference of several in a template": (
        READER
        + 'in_ref(1, "query", (1;2), "a", "key"). in_producer(1, "query", (1;2), 0).'
        + 'in_ref(1, "query", 3, "a", "kee"). in_producer(1, "query", 3, 0).',
        {'out_violation(unknown_field,reference(1,"query",3))'},
    ),
    "a value that does not fit": (
        FIND + 'in_unfit(0, "query", "Find", "query").',
        {'out_violation(invalid_value,argument(0,"query"))'},
    ),
    "a reference of another type": (
        READER
        + 'in_ref(1, "query", 0, "a", "key"). in_producer(1, "query", 0, 0).'
        + 'in_clash("Find", "key", "Find", "query").',
        {'out_violation(type_mismatch,reference(1,"query",0))'},
    ),
    "a value of memory that does not fit": (
        RECALLED + held("m", "name") + 'in_clash(memory("m"), "name", "Find", "query").',
        {'out_violation(type_mismatch,reference(0,"query",0))'},
    ),
    "a reference of another type inside a value": (
        READER
        + 'in_ref(1, "query", (1;2), "a", "key"). in_producer(1, "query", (1;2), 0).'
        + 'in_clash_inside(1, "query", 2, "Find", "key", "Find", "query").'
        + 'in_clash_inside(1, "query", 1, "Find", "key", "Find", "other").',
        {'out_violation(type_mismatch,reference(1,"query",2))'},
    ),
    "arguments that cannot be read, and nothing else about that call": (
        FIND.replace("in_arg", "in_label")
        + "in_unmendable(0, malformed_arguments). in_unjudged(0).",
        {"out_violation(malformed_arguments,call(0))"},
    ),
    "the same call twice under one label": (SAME, DUPLICATE),
    "the same call twice, and both read the same": (
        SAME + BEFORE + reads(0) + reads(1),
        DUPLICATE,
    ),
    "a call that was executed as often as allowed": (
        TRIED + 'in_name(-1, "Find"). in_value((0;-1), "query", 0).',
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
    "a field that memory holds": RECALLED + held("m", "nick", "name"),
    "a variable that memory holds": RECALLED.replace('"name"', '""') + held("m", ""),
    "two calls that are alike, but no pair": SAME.replace(pair(1, 0), ""),
    "two calls of different tools": SAME.replace('in_name(1, "Find")', 'in_name(1, "Look")'),
    "two calls of different values": SAME.replace("in_value(0..1", "in_value(0")
    + 'in_value(1, "query", 1).',
    "one passes more than the other": SAME + 'in_arg(1, "limit"). in_value(1, "limit", 0).',
    "one passes less than the other": SAME + 'in_arg(0, "limit"). in_value(0, "limit", 0).',
    "the same value for different parameters": (
        SAME
        + 'in_arg(0, "limit"). in_value(0, "limit", 1). in_arg(1, "pages"). in_value(1, "pages", 1).'
    ),
    "two calls that read from different places": SAME + BEFORE + reads(0) + reads(1, -3),
    "two calls that read different fields": SAME + BEFORE + reads(0) + reads(1, path="page"),
    "two calls that read in different order": (
        SAME
        + BEFORE
        + reads(0, number=1)
        + reads(0, path="page", number=2)
        + reads(1, number=2)
        + reads(1, path="page", number=1)
    ),
    "a call that was executed with another value": (
        TRIED + 'in_name(-1, "Find"). in_value(0, "query", 0). in_value(-1, "query", 1).'
    ),
    "a value that would not fit another parameter, or another tool": (
        FIND + 'in_unfit(0, "query", "Find", "limit"). in_unfit(0, "query", "Look", "query").'
    ),
    "a reference of a type that another parameter, or another tool, does not take": (
        READER
        + 'in_ref(1, "query", 0, "a", "key"). in_producer(1, "query", 0, 0).'
        + 'in_clash("Find", "key", "Find", "limit"). in_clash("Find", "key", "Look", "query").'
        + 'in_clash("Find", "page", "Find", "query"). in_clash("Look", "key", "Find", "query").'
    ),
    "what the user wants to keep": FIND + 'in_arg(0, "colour"). in_undeclared(keep).',
    "what was executed, whatever it was": (
        FIND + 'in_call(-2..-1). in_executed(-2..-1). in_name(-1, "Fnd"). in_name(-2, "Find"). '
        'in_arg(-2..-1, "colour").'
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_said(case: str, violations: Callable[[str], set[str]]) -> None:
    facts, expected = BROKEN[case]
    assert violations(facts) == expected


@pytest.mark.parametrize("case", SOUND)
def test_what_is_right_passes(case: str, violations: Callable[[str], set[str]]) -> None:
    assert violations(SOUND[case]) == set()


def test_what_is_to_be_dropped_is_wrong_all_the_same(violations: Callable[[str], set[str]]) -> None:
    """Only the repair tells the two policies apart: it drops the argument at no cost."""
    facts = FIND + 'in_arg(0, "colour"). in_undeclared(drop).'
    assert violations(facts) == {'out_violation(undeclared_parameter,argument(0,"colour"))'}


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
    """Whether the tools are those of the catalog or not."""
    unknown = {f"out_violation(unknown_tool,call({number}))" for number in (0, 1)}
    facts = SAME.replace('in_name(0, "Find")', 'in_name(0, "Fnd")')
    assert violations(facts.replace('in_name(1, "Find")', 'in_name(1, "Fndx")')) == unknown
    assert (
        violations(facts.replace('in_name(1, "Find")', 'in_name(1, "Fnd")')) == unknown | DUPLICATE
    )
