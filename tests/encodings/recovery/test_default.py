"""default.lp: the catalog itself may say the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoding_facts import pair

TOOL = """
in_tool("Book"). in_effect("Book", read). in_param("Book", ("day";"size")). in_required("Book", "size").
in_call(0). in_name(0, "Book"). in_label(0, "a").
"""
DEFAULT = 'in_default("Book", ("size";"day"), 7).'
FILLED = 'out_fill(0,"size",default,"")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_a_required_parameter_gets_its_default(optima: Optima) -> None:
    answer = optima(TOOL + DEFAULT)
    assert answer.chosen == {FILLED}
    assert answer.paid() == ['fill,1,argument(0,"size")']


def test_without_a_default_there_is_nothing_to_take(possible: Possible) -> None:
    assert FILLED not in possible(TOOL)


def test_an_optional_parameter_is_left_alone(possible: Possible) -> None:
    """Whoever runs the tool fills it in."""
    assert 'out_fill(0,"day",default,"")' not in possible(TOOL + DEFAULT)


def test_a_given_argument_is_left_alone(possible: Possible) -> None:
    assert FILLED not in possible(TOOL + DEFAULT + 'in_arg(0, ("size";"colour")).')


def test_a_default_does_not_make_a_call_that_was_tried_too_often(possible: Possible) -> None:
    """The value counts, by its number: with another one the call is a new one."""
    tried = (
        pair(0, -1)
        + """
    in_call(-1). in_executed(-1). in_name(-1, "Book"). in_arg(-1, "size"). in_value(-1, "size", 7).
    """
    )
    stays = ":- unresolved(0)."
    assert FILLED in possible(TOOL + DEFAULT, rules=stays)
    assert FILLED not in possible(TOOL + DEFAULT + tried, rules=stays)
    assert 'out_fill(0,"size",ask,"")' in possible(TOOL + DEFAULT + tried, rules=stays)
    assert FILLED in possible(TOOL + DEFAULT + tried.replace("7", "8"), rules=stays)


def test_the_default_is_that_of_the_tool_that_the_call_gets(possible: Possible) -> None:
    """Look has another default than Book, which was tried with its own, and with that of Look."""
    facts = TOOL.replace('in_name(0, "Book")', 'in_name(0, "Bok")') + pair(0, -1)
    facts += """
    in_tool("Look"). in_effect("Look", read). in_param("Look", "size"). in_required("Look", "size").
    in_tool_distance(0, ("Book";"Look"), 20). in_default("Book", "size", 7). in_default("Look", "size", 8).
    in_call(-1). in_executed(-1). in_name(-1, "Book"). in_arg(-1, "size"). in_value(-1, "size", 8).
    """
    for tool, number, allowed in (("Look", 8, True), ("Book", 8, True), ("Book", 7, False)):
        tried = facts.replace('in_value(-1, "size", 8)', f'in_value(-1, "size", {number})')
        found = possible(tried, rules=f'name_by(spelling). :- not name(0, "{tool}").')
        assert (FILLED in found) is allowed, (tool, number)


def test_a_tool_without_a_default_does_not_get_that_of_another(possible: Possible) -> None:
    facts = TOOL.replace('in_name(0, "Book")', 'in_name(0, "Bok")') + DEFAULT
    facts += """
    in_tool("Look"). in_effect("Look", read). in_param("Look", "size"). in_required("Look", "size").
    in_tool_distance(0, ("Book";"Look"), 20).
    """
    for tool, allowed in (("Book", True), ("Look", False)):
        found = possible(facts, rules=f'name_by(spelling). :- not name(0, "{tool}").')
        assert (FILLED in found) is allowed, tool
        assert 'out_fill(0,"size",ask,"")' in found


def test_the_default_of_another_tool_is_of_no_use(possible: Possible) -> None:
    assert FILLED not in possible(TOOL + DEFAULT.replace("Book", "Look"))
