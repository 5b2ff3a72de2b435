"""modes/wanted.lp: the repair is the wanted sequence; with `in_nearly` what of it cannot be had is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"day")).
in_tool("Book"). in_effect("Book", write). in_param("Book", ("key";"day";"note")).
in_required("Book", "key"). in_supplier("z", "Find").
in_path_distance("kye", "Find", "key", 3). in_path_distance("kye", "Find", "day", 15).
in_fit("Find", ("key";"day"), "Book", "key", 20).
"""
CALLS = (
    TOOLS
    + """
in_call(0..2). in_name(0..1, "Find"). in_label(0, "a"). in_label(1, "b"). in_arg(0..1, "query").
in_name(2, "Book"). in_label(2, "c"). in_arg(2, "key"). in_ref(2, "key", 0, "a", "kye").
in_producer(2, "key", 0, 0). in_arg(2, "nite").
in_parameter_distance(2, "nite", "Book", "note", 2). in_parameter_distance(2, "nite", "Book", "day", 9).
"""
)
LOST = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query"). in_name(1, "Book").
in_label(1, "c"). in_arg(1, "key"). in_ref(1, "key", 0, "z", "key"). in_lost(1, "key", 0, "z").
"""
)
INSIDE = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query"). in_name(1, "Book").
in_label(1, "c"). in_arg(1, ("key";"day")). in_ref(1, "key", 0, "a", "key").
in_producer(1, "key", 0, 0). in_ref(1, "day", 1, "a", "dy"). in_producer(1, "day", 1, 0).
in_path_distance("dy", "Find", "day", 2). in_path_distance("dy", "Find", "key", 19).
in_fit("Find", ("key";"day"), "Book", "day", 20).
"""
)
RECAST = (
    TOOLS
    + """
in_call(0). in_name(0, "Book"). in_label(0, "c"). in_arg(0, ("key";"day")).
in_unfit(0, "day", "Book", "day"). in_recast(0, "day", "Book", "day", 7, 1).
in_value(0, "day", 5).
"""
)
FINDS = """
in_wanted(0..1, "Find"). in_wanted_arg(0..1, "query"). in_wanted_given(0, "query", 0, "query").
in_wanted_given(1, "query", 1, "query"). in_wanted(2, "Book"). in_wanted_arg(2, "key").
"""
BOOK = """
in_wanted(0, "Find"). in_wanted_arg(0, "query"). in_wanted_given(0, "query", 0, "query").
in_wanted(1, "Book"). in_wanted_arg(1, "key"). in_wanted_read(1, "key", 0, 0, "key").
"""
FORM = 'in_wanted(0, "Book"). in_wanted_arg(0, ("key";"day")). in_wanted_given(0, "key", 0, "key").'
NOTE = 'in_wanted_arg(2, "note"). in_wanted_given(2, "note", 2, "nite").'
DAY = 'in_wanted_arg(2, "day"). in_wanted_given(2, "day", 2, "nite").'
ASKED = 'in_wanted_value(2, "key", 0, ask, "").'

FOUND = {
    "a path, an argument goes": (
        CALLS,
        FINDS + 'in_wanted_read(2, "key", 0, 0, "day").',
        {'out_mend(2,"key",0,0,"day")', 'out_dropped(2,"nite")'},
    ),
    "an ask, an argument under another name": (
        CALLS,
        FINDS + NOTE + ASKED,
        {'out_mend(2,"key",0,ask,"")', 'out_renamed(2,"nite","note")'},
    ),
    "the same under a name that is less like it": (
        CALLS,
        FINDS + DAY + ASKED,
        {'out_mend(2,"key",0,ask,"")', 'out_renamed(2,"nite","day")'},
    ),
    "the label belongs to a given call": (LOST, BOOK, {'out_explained("z",0)'}),
    "another call is added": (
        LOST,
        BOOK.replace('"key", 0, 0, "key"', '"key", 0, 2, "key"') + 'in_wanted(2, "Find").',
        {'out_explained("z",new("z"))', 'out_tool(new("z"),"Find")'},
    ),
    "inside a text": (
        INSIDE,
        BOOK + 'in_wanted_arg(1, "day"). in_wanted_given(1, "day", 1, "day"). '
        'in_wanted_read(1, "day", 1, 0, "key").',
        {'out_mend(1,"day",1,0,"key")'},
    ),
    "a form": (RECAST, FORM + 'in_wanted_form(0, "day", 0, "day", 7).', {'out_recast(0,"day",7)'}),
    "no form": (RECAST, FORM + 'in_wanted_value(0, "day", 0, ask, "").', {'out_mend(0,"day",0,ask,"")'}),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_the_repair_is_what_is_wanted(case: str, optima: Callable[..., Any]) -> None:
    facts, wanted, chosen = FOUND[case]
    assert optima(facts, rules=wanted, mode="wanted").chosen == chosen


def test_who_is_who_does_not_depend_on_the_order(optima: Callable[..., Any]) -> None:
    """The wanted calls are told by what they say, and counted in an order of their own."""
    turned = """
    in_wanted(5, "Find"). in_wanted_arg(5, "query"). in_wanted_given(5, "query", 1, "query").
    in_wanted(6, "Find"). in_wanted_arg(6, "query"). in_wanted_given(6, "query", 0, "query").
    in_wanted(3, "Book"). in_wanted_arg(3, "key"). in_wanted_read(3, "key", 0, 5, "key").
    """
    assert optima(CALLS, rules=turned, mode="wanted").chosen == {
        'out_mend(2,"key",0,1,"key")',
        'out_dropped(2,"nite")',
    }


def test_a_wanted_repair_costs_nothing_of_its_own(optima: Callable[..., Any]) -> None:
    free = optima(LOST)
    held = optima(LOST, rules=BOOK, mode="wanted")
    assert (held.answers, held.cost) == (free.answers, free.cost)


MISSED = {
    "a call that no rule makes": (
        LOST,
        BOOK + 'in_wanted(2, "Pay").',
        {"call(2)"},
    ),
    "a right call goes": (LOST, BOOK.replace('in_wanted(0, "Find").', ""), None),
    "a value that no rule offers": (
        LOST,
        BOOK.replace('in_wanted_given(0, "query", 0, "query").', ""),
        {'argument(0,"query")'},
    ),
    "a path that nothing returns": (LOST, BOOK.replace('0, "key").', '0, "foo").'), {'argument(1,"key")'}),
    "an argument that stays": (LOST, BOOK.replace('in_wanted_arg(0, "query").', ""), {'extra(0,"query")'}),
    "a reference inside that is right": (
        INSIDE,
        BOOK + 'in_wanted_arg(1, "day"). in_wanted_given(1, "day", 1, "day"). '
        'in_wanted_value(1, "day", 1, memory("m"), "").',
        {'argument(1,"day")'},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISSED)
def test_what_cannot_be_had_is_shown(case: str, optima: Callable[..., Any]) -> None:
    facts, wanted, missed = MISSED[case]
    assert not optima(facts, rules=wanted, mode="wanted").answers
    answers = optima(facts, rules=wanted + "in_nearly.", mode="wanted").answers
    found = [{a[11:-1] for a in answer if a.startswith("out_missed(")} for answer in answers]
    assert found
    assert missed is None or missed in found
    assert missed is not None or any("made(0)" in each for each in found)


def test_nothing_is_missed_where_all_can_be_had(optima: Callable[..., Any]) -> None:
    assert optima(LOST, rules=BOOK + "in_nearly.", mode="wanted").chosen == {'out_explained("z",0)'}
