"""modes/repair.lp: nothing that is wrong is left, whatever is wrong."""

from __future__ import annotations

from collections.abc import Callable

FACTS = """
in_tool("Book"). in_effect("Book", read). in_param("Book", "day"). in_required("Book", "day").
in_default("Book", "day", 1). in_call(0). in_name(0, "Book"). in_label(0, "a").
"""

Possible = Callable[..., set[str]]


def test_every_repair_is_admissible(possible: Possible) -> None:
    assert possible(FACTS, rules=':- fill(0, "day", Origin, Path).') == set()
    assert possible(FACTS, rules="#show out_violation(C, P) : violation(C, P).") >= {
        'out_fill(0,"day",default,"")',
        'out_fill(0,"day",ask,"")',
    }


def test_a_house_rule_may_forbid_more(possible: Possible) -> None:
    rules = ':- fill(X, "day", Origin, Path), Origin != ask.'
    assert {atom for atom in possible(FACTS, rules=rules) if "out_fill" in atom} == {
        'out_fill(0,"day",ask,"")'
    }
