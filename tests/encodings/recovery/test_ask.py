"""ask.lp: what nothing can fill is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoding_facts import returning

TOOL = """
in_tool("Book"). in_effect("Book", read). in_param("Book", "day"). in_required("Book", "day").
in_call(0). in_name(0, "Book"). in_label(0, "a").
"""
LOST = 'in_arg(0, "day"). in_ref(0, "day", 0, "z", "date"). in_lost(0, "day", 0, "z").'
RETURNS = (
    returning(1)
    + 'in_arg(1, "when"). in_ref(1, "when", 0, "z", "date"). in_lost(1, "when", 0, "z").'
)

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_a_missing_argument_is_asked(optima: Optima) -> None:
    answer = optima(TOOL)
    assert answer.chosen == {'out_fill(0,"day",ask,"")'}
    assert answer.paid() == ['ask,1,argument(0,"day")']


def test_what_a_reference_should_have_given_is_asked(optima: Optima) -> None:
    assert optima(TOOL + LOST).chosen == {'out_mend(0,"day",0,ask,"")', 'out_explained("z",apart)'}


def test_what_is_there_is_not_asked(possible: Possible) -> None:
    facts = TOOL + 'in_arg(0, "day"). in_arg(0, "colour").'
    assert not any("ask" in atom for atom in possible(facts))


def test_what_a_sequence_returns_is_asked_and_never_left_out(
    optima: Optima, possible: Possible
) -> None:
    facts = TOOL + 'in_arg(0, "day").' + RETURNS
    assert optima(facts).chosen == {'out_mend(1,"when",0,ask,"")', 'out_explained("z",apart)'}
    assert 'out_dropped(1,"when")' not in possible(facts)


def test_an_ask_is_the_last_resort(optima: Optima) -> None:
    """As soon as something else gives the value, it is taken."""
    assert optima(TOOL + 'in_default("Book", "day", 1).').chosen == {'out_fill(0,"day",default,"")'}
