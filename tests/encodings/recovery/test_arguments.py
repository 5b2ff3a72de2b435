"""arguments.lp: an argument that is not declared stays nowhere; an optional one may go with its reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import pair

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
    return f'in_parameter_distance(0, "{parameter}", "Book", "{other}", {distance}).'


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


def test_an_argument_of_another_call_is_no_matter(possible: Possible) -> None:
    """How far a name is from a parameter may differ by the value that the call gives to it."""
    other = far("siez", "size", 4).replace("distance(0,", "distance(1,")
    facts = (
        SAID
        + 'in_call(1). in_name(1, "Book"). in_label(1, "b"). in_arg(1, ("day";"siez")).'
        + other
    )
    found = possible(facts)
    assert RENAMED not in found
    assert RENAMED.replace("(0,", "(1,") in found


def test_two_arguments_do_not_go_to_one_parameter(possible: Possible) -> None:
    facts = SAID + 'in_arg(0, "syze").' + far("siez", "size", 3) + far("syze", "size", 3)
    other = 'out_renamed(0,"syze","size")'
    assert {RENAMED, other} <= possible(facts)
    assert (
        possible(
            facts, rules=':- not renamed(0, "siez", "size"). :- not renamed(0, "syze", "size").'
        )
        == set()
    )


def test_a_parameter_gets_an_argument_or_a_value(possible: Possible) -> None:
    facts = CALL + 'in_arg(0, "dy").' + far("dy", "day", 3) + 'in_default("Book", "day", 1).'
    renamed, filled = 'out_renamed(0,"dy","day")', 'out_fill(0,"day",default,"")'
    assert {renamed, filled} <= possible(facts)
    assert filled not in possible(facts, rules=':- not renamed(0, "dy", "day").')


def test_what_is_meant_for_nothing_is_dropped(optima: Optima) -> None:
    answer = optima(SAID)
    assert answer.chosen == {DROPPED}
    assert answer.paid() == ['drop_undeclared,1,argument(0,"siez")']


def test_a_tool_that_takes_anything_has_no_doubtful_arguments(possible: Possible) -> None:
    facts = CALL + 'in_arg(0, "siez"). in_takes_any("Book").' + far("siez", "size", 4)
    found = possible(facts)
    assert 'out_fill(0,"day",ask,"")' in found
    assert not {DROPPED, RENAMED} & found


@pytest.mark.parametrize(
    "of_another_tool",
    [
        'in_parameter_distance(0, "siez", "Look", "note", 0).',
        'in_parameter_distance(0, "siez", "Look", "note", 20). in_required("Look", "note").',
    ],
    ids=["near", "required"],
)
def test_a_parameter_of_another_tool_is_not_meant(of_another_tool: str, possible: Possible) -> None:
    """Book takes a note too, but the call would have to be one of Look."""
    found = possible(SAID + of_another_tool)
    assert DROPPED in found
    assert not any("out_renamed" in atom for atom in found)


def test_what_a_tool_that_takes_anything_may_get_is_not_doubtful(possible: Possible) -> None:
    """The call may be one of Look, which takes whatever it is given."""
    facts = (
        TOOL
        + 'in_tool("Look"). in_takes_any("Look"). in_call(0). in_name(0, "Loook"). in_arg(0, "siez").'
    )
    facts += 'in_tool_distance(0, "Look", 5).' + far("siez", "size", 4)
    found = possible(facts, rules="name_by(spelling).")
    assert 'out_tool(0,"Look")' in found
    assert not {DROPPED, RENAMED} & found


def test_what_was_executed_stays_as_it_was(possible: Possible) -> None:
    executed = 'in_call(-1). in_executed(-1). in_name(-1, "Book"). in_arg(-1, "siez").'
    found = possible(SAID + executed + far("siez", "size", 4).replace("(0,", "(-1,"))
    assert DROPPED in found
    assert not any("(-1" in atom for atom in found)


def test_an_optional_argument_may_go_with_its_reference(optima: Optima, possible: Possible) -> None:
    """Dear in the default model: it is dropped only where nothing else can be done."""
    facts = CALL + 'in_arg(0, ("day";"note")).' + LOST
    assert 'out_dropped(0,"note")' in possible(facts)
    assert optima(facts).chosen == {'out_explained("x",apart)', 'out_mend(0,"note",0,ask,"")'}
    dropped = optima(facts, rules=':- mend(0, "note", 0, ask, "").')
    assert dropped.chosen == {'out_explained("x",apart)', 'out_dropped(0,"note")'}
    assert dropped.paid() == ['drop_declared,1,argument(0,"note")']


def test_what_another_tool_requires_is_optional_all_the_same(possible: Possible) -> None:
    facts = CALL + 'in_arg(0, ("day";"note")). in_tool("Look"). in_required("Look", "note").' + LOST
    assert 'out_dropped(0,"note")' in possible(facts)


def test_an_argument_that_is_not_declared_is_dropped_as_such(optima: Optima) -> None:
    """Also where what it refers to is not there."""
    answer = optima(SAID + LOST.replace("note", "siez"), rules=':- not dropped(0, "siez").')
    assert answer.paid("drop_undeclared") == ['drop_undeclared,1,argument(0,"siez")']
    assert answer.paid("drop_declared") == []


def test_a_required_argument_stays_whatever_it_refers_to(possible: Possible) -> None:
    facts = CALL + 'in_arg(0, "day").' + LOST.replace("note", "day")
    assert 'out_dropped(0,"day")' not in possible(facts)


def test_an_optional_argument_that_can_be_read_stays(possible: Possible) -> None:
    facts = SAID + 'in_arg(0, "note").'
    assert 'out_dropped(0,"note")' not in possible(facts)


def test_the_arguments_of_an_unknown_tool_are_those_of_the_tool_that_it_gets(
    possible: Possible,
) -> None:
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
    assert (
        possible(
            facts,
            rules=spelling + ':- not name(0, "Book"). :- sent(0, "siez"). :- dropped(0, "siez").',
        )
        == set()
    )


def tried(values: str) -> str:
    """State that such a call was executed as often as allowed, with these arguments and values."""
    return SIZED + 'in_call(-1). in_executed(-1). in_name(-1, "Book").' + pair(0, -1) + values


SIZED = SAID + far("siez", "size", 4) + 'in_value(0, "day", 1). in_value(0, "siez", 2).'
SIZED += 'in_default("Book", "size", 9).'
DAY = 'in_arg(-1, "day"). in_value(-1, "day", 1).'
DAY_AND_SIZE = 'in_arg(-1, ("day";"size")). in_value(-1, "day", 1). in_value(-1, "size", {}).'


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (DAY, {RENAMED}),
        (DAY_AND_SIZE.format(2), {DROPPED}),
        (DAY_AND_SIZE.format(3), {RENAMED, DROPPED}),
        (DAY_AND_SIZE.format(9), {RENAMED, DROPPED}),
        (DAY.replace("1).", "9)."), {RENAMED, DROPPED}),
    ],
    ids=["without it", "with it", "with another value", "with its default", "with another day"],
)
def test_no_call_is_mended_into_one_that_was_tried_too_often(
    values: str, expected: set[str], possible: Possible
) -> None:
    """Whether the argument goes to its parameter or is dropped, the values that are passed then count."""
    assert {RENAMED, DROPPED} & possible(tried(values), rules=":- unresolved(0).") == expected


def test_what_is_dropped_does_not_count(possible: Possible) -> None:
    """Without the argument whose reference is lost it would be the call that was executed."""
    facts = (
        CALL + 'in_arg(0, ("day";"note")). in_value(0, "day", 1). in_value(0, "note", 2).' + LOST
    )
    facts += 'in_call(-1). in_executed(-1). in_name(-1, "Book").' + DAY
    stays = ":- unresolved(0)."
    assert 'out_dropped(0,"note")' in possible(facts, rules=stays)
    assert 'out_dropped(0,"note")' not in possible(facts + pair(0, -1), rules=stays)


def test_what_is_kept_counts_too(possible: Possible) -> None:
    """Look takes the argument as it is written, so that it would be the call that was executed."""
    facts = (
        TOOL
        + 'in_tool("Look"). in_param("Look", "siez"). in_call(0). in_name(0, "Loook"). in_arg(0, "siez").'
        + 'in_tool_distance(0, ("Look";"Book"), 20). in_value(0, "siez", 1).'
        + 'in_call(-1). in_executed(-1). in_name(-1, "Look"). in_arg(-1, "siez"). in_value(-1, "siez", {}).'
    )
    rules = 'name_by(spelling). :- not name(0, "Look"). :- sent(0, "siez"). :- dropped(0, "siez").'
    assert possible(facts.format(2) + pair(0, -1), rules=rules)
    assert not possible(facts.format(1) + pair(0, -1), rules=rules)


def test_where_it_reads_goes_with_it(possible: Possible) -> None:
    """The value of an argument is what it reads, also under the name of the other parameter."""
    facts = SAID + far("siez", "size", 4) + pair(0, -1)
    facts += """
    in_tool("Find"). in_gives("Find", "n"). in_call(-3..-1). in_executed(-3..-1). in_name(-3..-2, "Find").
    in_label(-3, "k"). in_label(-2, "l"). in_ref(0, "siez", 0, "l", "n"). in_producer(0, "siez", 0, -2).
    in_name(-1, "Book"). in_arg(-1, ("day";"size")). in_ref(-1, "size", 0, "l", "n").
    in_value((0;-1), "day", 1). in_value(0, "siez", 2). in_value(-1, "size", 2).
    """
    stays = ":- unresolved(0)."
    assert RENAMED not in possible(facts + 'in_producer(-1, "size", 0, -2).', rules=stays)
    assert RENAMED in possible(facts + 'in_producer(-1, "size", 0, -3).', rules=stays)
