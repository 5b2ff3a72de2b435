"""arguments.lp: an argument that is not declared stays nowhere; an optional one may go with its reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TOOL = """
in_tool("Book"). in_effect("Book", read).
in_param("Book", ("day";"size";"note")). in_required("Book", "day").
"""
CALL = TOOL + 'in_call(0). in_name(0, "Book"). in_label(0, "a").'
SAID = CALL + 'in_arg(0, ("day";"siez")).'
LOST = 'in_ref(0, "note", 0, "x", "text"). in_lost(0, "note", 0, "x").'
DROPPED = 'out_dropped(0,"siez")'
RENAMED = 'out_renamed(0,"siez","size")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def far(parameter: str, other: str, distance: int) -> str:
    return f'in_parameter_distance("{parameter}", "Book", "{other}", {distance}).'


def test_an_argument_goes_to_the_parameter_that_is_spelt_nearly_the_same(optima: Optima) -> None:
    assert optima(SAID + far("siez", "size", 4)).chosen == {RENAMED}


@pytest.mark.parametrize(("distance", "expected"), [(10, {RENAMED, DROPPED}), (11, {DROPPED})])
def test_an_optional_parameter_is_meant_up_to_a_distance(
    distance: int, expected: set[str], possible: Possible
) -> None:
    facts = SAID + far("siez", "size", distance)
    assert {RENAMED, DROPPED} & possible(facts) == expected
    assert RENAMED in possible(facts, constants={"near_parameter": 11})


def test_a_required_parameter_that_is_missing_is_meant_at_any_distance(optima: Optima) -> None:
    facts = CALL + 'in_arg(0, "when").' + far("when", "day", 20)
    assert optima(facts).chosen == {'out_renamed(0,"when","day")'}


def test_a_parameter_that_has_its_argument_is_not_meant(possible: Possible) -> None:
    facts = CALL + 'in_arg(0, ("day";"size";"siez")).' + far("siez", "size", 2)
    assert RENAMED not in possible(facts)
    assert DROPPED in possible(facts)


@pytest.mark.parametrize(("distance", "offered"), [(10, True), (11, False)])
def test_a_value_may_point_to_a_parameter(distance: int, offered: bool, possible: Possible) -> None:
    facts = SAID + far("siez", "size", 20) + f'in_value_distance(0, "siez", "Book", "size", {distance}).'
    assert (RENAMED in possible(facts)) is offered


def test_two_arguments_do_not_go_to_one_parameter(possible: Possible) -> None:
    facts = SAID + 'in_arg(0, "syze").' + far("siez", "size", 3) + far("syze", "size", 3)
    other = 'out_renamed(0,"syze","size")'
    assert {RENAMED, other} <= possible(facts)
    assert (
        possible(facts, rules=':- not renamed(0, "siez", "size"). :- not renamed(0, "syze", "size").')
        == set()
    )


def test_what_is_meant_for_nothing_is_dropped(optima: Optima) -> None:
    answer = optima(SAID)
    assert answer.chosen == {DROPPED}
    assert answer.paid() == ['drop_undeclared,1,argument(0,"siez")']


def test_a_tool_that_takes_anything_has_no_doubtful_arguments(possible: Possible) -> None:
    facts = SAID + 'in_takes_any("Book"). in_exhausted(0).'
    assert not {DROPPED, RENAMED} & possible(facts)


def test_an_optional_argument_may_go_with_its_reference(optima: Optima, possible: Possible) -> None:
    """Dear in the default model: it is dropped only where nothing else can be done."""
    facts = CALL + 'in_arg(0, ("day";"note")).' + LOST
    assert 'out_dropped(0,"note")' in possible(facts)
    assert optima(facts).chosen == {'out_explained("x",apart)', 'out_mend(0,"note",0,ask,"")'}
    dropped = optima(facts, rules=':- mend(0, "note", 0, ask, "").')
    assert dropped.chosen == {'out_explained("x",apart)', 'out_dropped(0,"note")'}
    assert dropped.paid() == ['drop_declared,1,argument(0,"note")']


def test_a_required_argument_stays_whatever_it_refers_to(possible: Possible) -> None:
    facts = CALL + 'in_arg(0, "day").' + LOST.replace("note", "day")
    assert 'out_dropped(0,"day")' not in possible(facts)


def test_an_optional_argument_that_can_be_read_stays(possible: Possible) -> None:
    facts = SAID + 'in_arg(0, "note").'
    assert 'out_dropped(0,"note")' not in possible(facts)


def test_the_arguments_of_an_unknown_tool_are_those_of_the_tool_that_it_gets(possible: Possible) -> None:
    """Look takes the argument as it stands, Book does not."""
    facts = (
        TOOL
        + 'in_tool("Look"). in_param("Look", "siez"). in_call(0). in_name(0, "Loook"). in_arg(0, "siez").'
        + 'in_tool_distance(0, ("Look";"Book"), 20).'
        + far("siez", "size", 4)
    )
    spelling = "name_by(spelling)."
    assert RENAMED not in possible(facts, rules=spelling + ':- not name(0, "Look").')
    book = possible(facts, rules=spelling + ':- not name(0, "Book").')
    assert {RENAMED, DROPPED, 'out_fill(0,"day",ask,"")'} <= book
    assert possible(facts, rules=spelling + ':- not name(0, "Book"). :- not kept(0, "siez").') == set()
