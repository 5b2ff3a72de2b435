"""constant.lp: a constant of the sequence fills an added call, never a given one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_required("Find", "query").
in_gives("Find", "key"). in_supplier("a", "Find").
in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
"""
LOST = (
    TOOLS
    + """
in_call(0). in_name(0, "Book"). in_label(0, "b"). in_arg(0, "key").
in_ref(0, "key", 0, "a", "key"). in_lost(0, "key", 0, "a").
"""
)
CONSTANT = 'in_constant("Find", "query", 0).'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def fill(call: str, origin: str) -> str:
    return f'out_fill({call},"query",{origin},"")'


def test_an_added_call_may_use_a_constant_once_more(possible: Possible) -> None:
    assert fill('new("a")', "constant(0)") in possible(LOST + CONSTANT)
    assert fill('new("a")', "constant(0)") not in possible(LOST)


def test_a_given_call_does_not(possible: Possible) -> None:
    given = TOOLS + 'in_call(0). in_name(0, "Find"). in_label(0, "a").' + CONSTANT
    assert fill("0", "constant(0)") not in possible(given)
    assert fill("0", "ask") in possible(given)


def test_a_constant_of_another_parameter_is_of_no_use(possible: Possible) -> None:
    assert fill('new("a")', "constant(0)") not in possible(LOST + CONSTANT.replace("query", "day"))


def test_the_default_model_asks_and_refraction_uses_the_constant(optima: Optima) -> None:
    """What was said of one thing is hardly meant for another, says the one; the other tries it."""
    new = {'out_explained("a",new("a"))', 'out_tool(new("a"),"Find")'}
    assert optima(LOST + CONSTANT).chosen == {*new, fill('new("a")', "ask")}
    assert optima(LOST + CONSTANT, model="refraction").chosen == {
        *new,
        fill('new("a")', "constant(0)"),
    }


def test_the_commonest_constant_ranks_first(optima: Optima) -> None:
    """Two constants cost the same; they are numbered by how often they are given."""
    answers = optima(LOST + 'in_constant("Find", "query", 0..1).', model="refraction").answers
    ranks = {
        next(a for a in answer if a.startswith("out_fill")): next(
            a for a in answer if "out_rank" in a
        )
        for answer in answers
    }
    assert ranks == {
        fill('new("a")', "constant(0)"): 'out_rank(0,argument(new("a"),"query"))',
        fill('new("a")', "constant(1)"): 'out_rank(1,argument(new("a"),"query"))',
    }
