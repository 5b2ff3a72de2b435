"""memory.lp: what memory holds may fill a parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TOOL = """
in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
in_call(0). in_name(0, "Book"). in_label(0, "a").
"""
HELD = 'in_holds("m", "key"). in_recall_fit("m", "key", "Book", "key", 0).'
FILLED = 'out_fill(0,"key",memory("m"),"key")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_what_memory_holds_fills_a_missing_argument(optima: Optima) -> None:
    answer = optima(TOOL + HELD)
    assert answer.chosen == {FILLED}
    assert answer.paid("fill") == ['fill,1,argument(0,"key")']


def test_what_fits_another_tool_is_of_no_use(possible: Possible) -> None:
    assert FILLED not in possible(TOOL + HELD.replace('"Book"', '"Look"'))


def test_what_memory_does_not_hold_cannot_be_read(possible: Possible) -> None:
    """A fit without the value behind it is refused as a violation."""
    assert FILLED not in possible(TOOL + HELD.replace('in_holds("m", "key").', ""))


def test_a_given_argument_is_left_alone(possible: Possible) -> None:
    assert FILLED not in possible(TOOL + HELD + 'in_arg(0, ("key";"colour")).')


def test_the_better_fit_is_taken(optima: Optima) -> None:
    worse = 'in_holds("n", "kee"). in_recall_fit("n", "kee", "Book", "key", 5).'
    assert optima(TOOL + HELD + worse).chosen == {FILLED}
