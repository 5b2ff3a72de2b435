"""default.lp: the catalog itself may say the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TOOL = """
in_tool("Book"). in_effect("Book", read). in_param("Book", ("day";"size")). in_required("Book", "size").
in_call(0). in_name(0, "Book"). in_label(0, "a").
"""
DEFAULT = 'in_default("Book", ("size";"day")).'
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
