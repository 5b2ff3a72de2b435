"""Other repairs: those that are as cheap, the next best ones, and what exactly is undecided."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, Refractor, RepairResult, repair

TWO_AIRPORTS = """
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = SkyScrapperFlightSearch(originSkyId="$var9.skyId$", destinationSkyId="LOND", originEntityId="1", destinationEntityId="2", date="2024-08-15")
"""  # noqa: E501


def calls(result: RepairResult) -> list[str]:
    return [str(other.sequence) for other in (result, *result.alternatives)]


def test_without_next_best_only_equals_are_listed(catalog: Catalog) -> None:
    result = repair(TWO_AIRPORTS, catalog, alternatives=10, constants={"weight_add_call": 100})
    assert result.alternatives
    assert {other.total[2] for other in result.alternatives} == {result.total[2]}
    assert len(set(calls(result))) == len(calls(result))
    assert not repair(TWO_AIRPORTS, catalog).alternatives


@pytest.mark.slow
def test_the_answer_is_the_same_whatever_is_asked_beside_it(catalog: Catalog) -> None:
    alone = repair(TWO_AIRPORTS, catalog)
    for number in (1, 3, 10, 100):
        for next_best in (False, True):
            result = repair(TWO_AIRPORTS, catalog, alternatives=number, next_best=next_best)
            assert result.model_copy(update={"alternatives": ()}) == alone
            assert len(result.alternatives) <= number


@pytest.mark.slow
def test_more_equals_than_are_looked_at_for_the_answer() -> None:
    """Where more are as cheap than are compared, all of them are listed on request, each once."""
    names = [f"field_{letter}" for letter in "abcdefghijklmnopqrstuvwx"]
    tools: dict[str, Any] = {
        "tools": [
            {"name": "Make", "effect": "read", "returns": {"value": {"type": "string"}}},
            {
                "name": "Use",
                "effect": "read",
                "parameters": {"value": {"type": "string", "required": True}},
            },
        ]
    }
    given = "\n".join(f"{name} = Make()" for name in names) + '\nUse(value="$other.value$")'
    one = {"constants": {"weight_add_call": 500, "weight_rename_label": 400}}
    result = Refractor(tools, alternatives=100, **one).repair(given)
    others = Refractor(tools, alternatives=30, **one).repair(given)
    assert len(result.alternatives) == len(names) - 1
    assert calls(others) == calls(result)
    assert {other.total[2] for other in result.alternatives} == {result.total[2]}
    assert len(set(calls(result))) == len(names)
    assert len(Refractor(tools, alternatives=5, **one).repair(given).alternatives) == 5


def test_a_value_with_a_reference_that_does_not_fit_is_no_alternative() -> None:
    tools = {
        "tools": [
            {
                "name": "Make",
                "effect": "read",
                "returns": {"s": {"type": "string"}, "n": {"type": "integer"}},
            },
            {
                "name": "Use",
                "effect": "read",
                "parameters": {
                    "counts": {"type": "array", "items": {"type": "integer"}},
                    "texts": {"type": "array", "items": {"type": "string"}},
                },
            },
        ]
    }
    refractor = Refractor(tools, alternatives=20, next_best=True, confirm="never")
    result = refractor.repair('a = Make()\nUse(text=["$a.s$"])')
    assert result.alternatives
    for other in result.alternatives:
        assert refractor.check(other.sequence).verdict == "valid", str(other.sequence)


def test_without_time_nothing_is_listed(catalog: Catalog) -> None:
    refractor = Refractor(catalog, alternatives=5, next_best=True)
    assert not refractor.repair(TWO_AIRPORTS, time_limit=0).alternatives
