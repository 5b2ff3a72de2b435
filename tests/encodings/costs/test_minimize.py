"""minimize.lp: every penalty is ranked or said to be off, level by level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FACTS = """
in_tool("Book"). in_effect("Book", read). in_param("Book", ("day";"size")).
in_required("Book", ("day";"size")). in_call(0). in_name(0, "Book"). in_label(0, "a").
"""
REPORT = "#show unranked/1."

Optima = Callable[..., Any]


def unranked(atoms: frozenset[str]) -> set[str]:
    return {atom for atom in atoms if atom.startswith("unranked")}


def test_equal_penalties_at_two_places_count_twice(optima: Optima) -> None:
    answer = optima(FACTS, model="criterion(ask, 1, 35).")
    assert len(answer.paid("ask")) == 2
    assert answer.cost == {1: 70}


def test_units_multiply_the_weight(optima: Optima) -> None:
    facts = (
        FACTS + 'in_arg(0, ("day";"siez")). in_parameter_distance(0, "siez", "Book", "size", 4).'
    )
    assert optima(
        facts, model="criterion(parameter_distance, 1, 3). criterion(drop_undeclared, 1, 99)."
    ).cost == {1: 12}


def test_a_kind_may_count_on_two_levels(optima: Optima) -> None:
    assert optima(FACTS, model="criterion(ask, 2, 1). criterion(ask, 1, 7).").cost == {2: 2, 1: 14}


def test_a_higher_level_decides_before_a_lower_one(optima: Optima) -> None:
    """The two models differ in the order of their levels alone, and in what they choose."""
    facts = FACTS + 'in_arg(0, "day"). in_default("Book", "size", 1).'
    ask, fill = 'out_fill(0,"size",ask,"")', 'out_fill(0,"size",default,"")'
    assert optima(facts, model="criterion(ask, 2, 1). criterion(fill, 1, 50).").chosen == {fill}
    assert optima(facts, model="criterion(ask, 1, 50). criterion(fill, 2, 1).").chosen == {ask}


def test_a_penalty_without_a_criterion_is_reported(optima: Optima) -> None:
    answer = optima(FACTS, model="criterion(fill, 1, 1).", rules=REPORT)
    assert unranked(answer.only) == {"unranked(ask)"}


def test_a_penalty_may_be_free_if_that_is_said(optima: Optima) -> None:
    answer = optima(FACTS, model="criterion(fill, 1, 1). criterion_off(ask).", rules=REPORT)
    assert unranked(answer.only) == set()
    assert answer.cost == {1: 0}


def test_a_model_may_have_weak_constraints_of_its_own(optima: Optima) -> None:
    model = 'criterion(ask, 1, 1). :~ fill(X, "day", ask, Path). [5@1, dear, X]'
    assert optima(FACTS, model=model).cost == {1: 7}
