"""modes/defensive.lp: what is newly introduced is confirmed, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import held

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", "key").
in_tool("Book"). in_effect("Book", write). in_param("Book", ("key";"day")).
"""
CALLS = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query"). in_name(1, "Book").
in_label(1, "b").
"""
)
NEEDS_KEY = CALLS + 'in_required("Book", "key").'
FIT = 'in_fit("Find", "key", "Book", "key", 0). in_equal_name("Find", "key", "Book", "key").'
SLIP = (
    CALLS
    + """
in_arg(1, "key"). in_ref(1, "key", 0, "a", "kye"). in_producer(1, "key", 0, 0).
in_path_distance("kye", "Find", "key", 3).
"""
)
RECALLED = (
    CALLS
    + held("m")
    + 'in_supplier(("m";"z"), "Find"). in_arg(1, "key"). in_ref(1, "key", 0, "m", "key").'
    + 'in_producer(1, "key", 0, memory("m")).'
)
LOST = CALLS + 'in_arg(1, "key"). in_ref(1, "key", 0, "z", "key"). in_lost(1, "key", 0, "z").'
KEY = {'out_confirm(argument(1,"key"))'}

CASES = {
    "filled": (NEEDS_KEY + FIT, 'fill(1, "key", 0, "key")', KEY),
    "filled by a default": (
        NEEDS_KEY + 'in_default("Book", "key", 1).',
        'fill(1, "key", default, "")',
        KEY,
    ),
    "mended": (SLIP, 'mend(1, "key", 0, 0, "key")', KEY),
    "made anew for memory": (RECALLED, 'explained("m", new("m"))', KEY),
    "asked in place of memory": (RECALLED, 'mend(1, "key", 0, ask, "")', set()),
    "held by memory all the same": (
        RECALLED
        + held("m", "day")
        + 'in_arg(1, "day"). in_ref(1, "day", 0, "m", "day"). in_producer(1, "day", 0, memory("m")).',
        'explained("m", new("m"))',
        KEY,
    ),
    "asked": (NEEDS_KEY, 'fill(1, "key", ask, "")', set()),
    "a reference that is asked": (SLIP, 'mend(1, "key", 0, ask, "")', set()),
    "a label that is put right": (LOST, 'explained("z", 0)', set()),
    "a call for a label that nobody bore": (
        LOST + 'in_supplier(("m";"z"), "Find").',
        'explained("z", new("z"))',
        set(),
    ),
    "an argument that is dropped": (CALLS + 'in_arg(1, "colour").', 'dropped(1, "colour")', set()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_new_is_confirmed(case: str, optima: Callable[..., Any]) -> None:
    facts, choice, expected = CASES[case]
    answers = optima(facts, rules=f"want :- {choice}. :- not want.", mode="defensive").answers
    for answer in answers:
        assert {atom for atom in answer if "out_confirm" in atom} == expected


def test_without_the_mode_nothing_of_this_is_confirmed(optima: Callable[..., Any]) -> None:
    facts, choice, _ = CASES["filled"]
    assert not any("out_confirm" in atom for atom in optima(facts, rules=f":- not {choice}.").only)
