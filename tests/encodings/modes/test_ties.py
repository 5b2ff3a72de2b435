"""modes/ties.lp: of the cheapest repairs only those of the lowest rank are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoding_facts import tool

FACTS = (
    tool("Erase", "destructive", gives="key")
    + tool("Find", "read", gives="key")
    + tool("Send", "write", gives="key")
    + tool("Book", "read", takes="key")
    + """
in_supplier("a", ("Erase";"Find";"Send")). in_call(0). in_name(0, "Book"). in_label(0, "b").
in_arg(0, "key"). in_ref(0, "key", 0, "a", "key"). in_lost(0, "key", 0, "a").
"""
)


def test_of_the_cheapest_the_lowest_rank_is_left(optima: Callable[..., Any]) -> None:
    every = optima(FACTS)
    assert len(every.answers) == 3
    lowest = optima(FACTS, mode="ties")
    assert lowest.chosen == {'out_explained("a",new("a"))', 'out_tool(new("a"),"Find")'}
    assert lowest.only in every.answers
    assert lowest.cost == every.cost | {-1: 0}


def test_a_dearer_repair_is_not_taken_for_its_rank(optima: Callable[..., Any]) -> None:
    """The tool that only reads has to be asked for something, so it costs more."""
    dearer = FACTS + 'in_param("Find", "query"). in_required("Find", "query").'
    assert optima(dearer, mode="ties").chosen == {
        'out_explained("a",new("a"))',
        'out_tool(new("a"),"Send")',
    }
