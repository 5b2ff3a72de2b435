"""dataflow.lp: the fewest calls move, writes never pass each other, and nothing goes in circles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "key"). in_gives("Find", "key").
in_tool("Book"). in_effect("Book", write). in_param("Book", "key"). in_gives("Book", "key").
in_tool("Drop"). in_effect("Drop", destructive). in_param("Drop", "key"). in_gives("Drop", "key").
in_tool("Do"). in_effect("Do", unknown). in_param("Do", "key"). in_gives("Do", "key").
"""
ASKED = 'out_mend(0,"key",0,ask,"")'
NOT_ASKED = ':- mend(0, "key", 0, ask, "").'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def calls(*tools: str) -> str:
    """State calls of these tools, labelled a, b, c, ..."""
    return TOOLS + "".join(
        f'in_call({number}). in_name({number}, "{tool}"). in_label({number}, "{"abcdef"[number]}").\n'
        for number, tool in enumerate(tools)
    )


def reads(reader: int, producer: int) -> str:
    """State that a call reads its key from another one."""
    place = f'{reader}, "key"'
    return (
        f'in_arg({place}). in_ref({place}, 0, "{"abcdef"[producer]}", "key"). '
        f"in_producer({place}, 0, {producer}).\n"
    )


def moved(*numbers: int) -> frozenset[str]:
    return frozenset(f"out_moved({number})" for number in numbers)


def test_in_a_sound_order_nothing_may_move(possible: Possible) -> None:
    """Another violation does not set the order free."""
    facts = calls("Find", "Find", "Fnd") + reads(1, 0)
    assert not any(atom.startswith("out_moved") for atom in possible(facts))


def test_a_reader_moves_or_the_call_that_it_reads(optima: Optima) -> None:
    answers = optima(calls("Find", "Find") + reads(0, 1))
    assert answers.answers == {
        frozenset({"out_moved(0)", "out_penalty(move_call,1,0)"}),
        frozenset({"out_moved(1)", "out_penalty(move_call,1,1)"}),
    }


def test_who_stands_between_stays(optima: Optima, possible: Possible) -> None:
    facts = calls("Find", "Find", "Find") + reads(0, 2)
    assert {a for answer in optima(facts).answers for a in answer if "moved" in a} == moved(0, 2)
    assert moved(0, 1, 2) <= possible(facts)


def test_who_stands_outside_cannot_move(possible: Possible) -> None:
    facts = calls("Find", "Find", "Find", "Find") + reads(1, 2)
    assert moved(1, 2) <= possible(facts)
    assert not moved(0, 3) & possible(facts)


def test_a_call_that_others_wait_for_moves_once(optima: Optima) -> None:
    """Two readers stand before the call that they read, so it is the one to move."""
    facts = calls("Find", "Find", "Find") + reads(0, 2) + reads(1, 2)
    assert optima(facts).chosen == moved(2)


@pytest.mark.parametrize("other", ["Book", "Drop"])
def test_a_write_does_not_pass_another(other: str, optima: Optima) -> None:
    """The booking could move behind what it reads, but for the other one in between."""
    answer = optima(calls("Book", other, "Find") + reads(0, 2))
    assert answer.chosen == moved(2)
    assert "out_precede(0,1)" in answer.only


def test_writes_that_may_not_move_need_no_such_rule(possible: Possible) -> None:
    facts = calls("Book", "Drop", "Find", "Find") + reads(2, 3)
    assert moved(2, 3) <= possible(facts)
    assert not any(atom.startswith("out_precede") for atom in possible(facts))


@pytest.mark.parametrize("other", ["Find", "Do"])
def test_a_write_passes_what_is_not_declared_to_change_anything(
    other: str, possible: Possible
) -> None:
    facts = calls("Book", other, "Find") + reads(0, 2)
    assert "out_moved(0)" in possible(facts, rules=":- moved(2).")


def test_a_write_that_reads_from_a_later_one_is_asked(optima: Optima, possible: Possible) -> None:
    """No order gives it the value, since the two may not change places."""
    facts = calls("Book", "Drop") + reads(0, 1)
    assert optima(facts).chosen == {ASKED}
    assert possible(facts, rules=NOT_ASKED) == set()


def test_a_circle_is_cut(optima: Optima) -> None:
    facts = calls("Find", "Find") + reads(0, 1) + reads(1, 0)
    assert optima(facts).chosen == {ASKED}


def test_a_call_does_not_read_from_itself(optima: Optima) -> None:
    assert optima(calls("Find") + reads(0, 0)).chosen == {ASKED}


def test_whoever_does_not_move_keeps_the_order(possible: Possible) -> None:
    """With nobody moving, only another value is left."""
    facts = calls("Find", "Find", "Find") + reads(0, 2)
    assert ASKED in possible(facts, rules=":- moved(X).")
    assert possible(facts, rules=NOT_ASKED + ":- moved(0). :- moved(2).") == set()


def test_a_house_rule_may_say_what_comes_first(optima: Optima) -> None:
    answer = optima(calls("Find", "Find") + reads(0, 1), rules="precede(0, 1).")
    assert answer.chosen == {ASKED}


def test_a_row_in_reverse_keeps_one_call_in_its_place(optima: Optima) -> None:
    """Each of the three may be the one that stays."""
    facts = calls("Find", "Find", "Find") + reads(0, 1) + reads(1, 2)
    answers = optima(facts).answers
    assert {frozenset(a for a in answer if "moved" in a) for answer in answers} == {
        moved(0, 1),
        moved(0, 2),
        moved(1, 2),
    }
