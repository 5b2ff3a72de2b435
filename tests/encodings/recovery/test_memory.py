"""memory.lp: what memory holds may fill a parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoding_facts import held

TOOL = """
in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
in_call(0). in_name(0, "Book"). in_label(0, "a").
"""
FIT = 'in_fit(memory("m"), "key", "Book", "key", 0).'
HELD = held("m", "key") + FIT
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
    assert FILLED not in possible(TOOL + held("m", "kee") + FIT)


def test_a_given_argument_is_left_alone(possible: Possible) -> None:
    assert FILLED not in possible(TOOL + HELD + 'in_arg(0, ("key";"colour")).')


def test_the_better_fit_is_taken(optima: Optima) -> None:
    worse = held("n", "kee") + 'in_fit(memory("n"), "kee", "Book", "key", 5).'
    assert optima(TOOL + HELD + worse).chosen == {FILLED}


def test_what_the_sequence_reads_from_memory_elsewhere_is_no_guess(optima: Optima) -> None:
    """Another call gets its key from there, so it weighs nothing that the names are unlike."""
    unlike = held("m", "key") + 'in_fit(memory("m"), "key", "Book", "key", 7).'
    other = """
    in_call(1). in_name(1, "Book"). in_label(1, "b"). in_arg(1, "key"). in_ref(1, "key", 0, "m", "key").
    in_producer(1, "key", 0, memory("m")).
    """
    answer = optima(TOOL + unlike)
    assert answer.paid() == ['fill,1,argument(0,"key")', 'fit_distance,7,argument(0,"key")']
    assert optima(TOOL + unlike + other).paid() == ['fill,1,argument(0,"key")']
