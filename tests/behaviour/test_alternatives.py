"""Other repairs: those that are as cheap, the next best ones, and what exactly is undecided."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, Refractor, RepairResult, repair

SPOTIFY = {
    "tools": [
        {
            "name": "Spotify_Scraper_Get_Artist_Overview",
            "effect": "read",
            "parameters": {"artistId": {"type": ["string", "integer"], "required": True}},
        },
        {
            "name": "Spotify_Scraper_Search_Artist",
            "effect": "read",
            "parameters": {"name": {"type": "string", "required": True}},
            "returns": {"id": {"type": "string"}},
        },
    ]
}
TWO_AIRPORTS = """
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = SkyScrapperFlightSearch(originSkyId="$var9.skyId$", destinationSkyId="LOND", originEntityId="1", destinationEntityId="2", date="2024-08-15")
"""  # noqa: E501


def calls(result: RepairResult) -> list[str]:
    return [str(other.sequence) for other in (result, *result.alternatives)]


def totals(result: RepairResult) -> list[dict[int, int]]:
    return [other.total for other in (result, *result.alternatives)]


def test_several_fixes_of_one_fault_stand_in_one_list_by_cost() -> None:
    """R32: re-path, ask, and a new call that gives the value."""
    result = repair(
        'Spotify_Scraper_Get_Artist_Overview(artistId="$var1.id$")',
        SPOTIFY,
        {"var1": {"artist_id": 12345}},
        alternatives=10,
        next_best=True,
    )
    assert calls(result) == [
        'Spotify_Scraper_Get_Artist_Overview(artistId="$var1.artist_id$")',
        "ask(name)\nvar1 = Spotify_Scraper_Search_Artist(name=name)\n"
        'Spotify_Scraper_Get_Artist_Overview(artistId="$var1.id$")',
        "ask(artistId)\nSpotify_Scraper_Get_Artist_Overview(artistId=artistId)",
        "",
    ]
    assert totals(result) == [{2: 20}, {2: 25}, {2: 35}, {1000: 1, 2: 100}]
    assert [other.verdict for other in result.alternatives] == [
        "needs_input",
        "needs_input",
        "repaired",
    ]
    assert [other.optimal for other in (result, *result.alternatives)] == [
        True,
        False,
        False,
        False,
    ]
    assert [edit.kind for edit in result.alternatives[-1].edits] == ["delete_call"]


def test_without_next_best_only_equals_are_listed(catalog: Catalog) -> None:
    result = repair(TWO_AIRPORTS, catalog, alternatives=10, constants={"weight_add_call": 100})
    assert result.alternatives
    assert {other.total[2] for other in result.alternatives} == {result.total[2]}
    assert len(set(calls(result))) == len(calls(result))
    assert not repair(TWO_AIRPORTS, catalog).alternatives


def test_what_is_undecided_is_said_exactly(catalog: Catalog) -> None:
    """Seed 000: New York or London."""
    result = repair(TWO_AIRPORTS, catalog, alternatives=10)
    assert result.ambiguous
    assert result.undecided == (
        'var3.originSkyId: $var9.skyId$ of SkyScrapperSearchAirport(query="New York") or $var9.skyId$ of '
        'SkyScrapperSearchAirport(query="London")',
    )
    (other,) = result.alternatives
    assert [call.label for call in result.sequence.calls] == ["var9", "var2", "var3"]
    assert [call.label for call in other.sequence.calls] == ["var1", "var9", "var3"]
    kept = repair(
        TWO_AIRPORTS, catalog, constants={"weight_rename_label": 100, "weight_add_call": 100}
    )
    assert kept.undecided == ("var3.originSkyId: $var1.skyId$ or $var2.skyId$",)


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


def test_tied_tools_are_among_the_next_best() -> None:
    parameter = {"date": {"type": "string", "required": True}}
    tools = {
        "tools": [
            {"name": n, "effect": "read", "parameters": parameter} for n in ("find_a", "find_b")
        ]
    }
    result = repair('find_c(date="x")', tools, alternatives=5, next_best=True)
    assert result.verdict == "unrepairable"
    assert sorted(calls(result)[1:3]) == ['find_a(date="x")', 'find_b(date="x")']
    assert calls(result)[3:] == [""]
    assert not repair('find_c(date="x")', tools, alternatives=5).alternatives


def test_a_constant_is_used_once_more_for_a_given_call(catalog: Catalog) -> None:
    given = """
    var1 = TripadvisorSearchLocation(query="London")
    var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
    var3 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15")
    """
    result = repair(given, catalog, alternatives=10, next_best=True)
    assert result.asks
    (reused,) = [
        o for o in result.alternatives if any(edit.pattern == "constant" for edit in o.edits)
    ]
    assert (
        'var3 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")'
        in (str(reused.sequence))
    )
    assert reused.cost == {"alternative_only": 1, "fill": 13, "reuse_constant": 30}
    (edit,) = reused.edits
    assert edit.cost == reused.cost


def test_a_call_that_others_read_is_left_out_with_asks_in_their_place(catalog: Catalog) -> None:
    given = """
    var1 = TripadvisorSearchLocation(place="London")
    var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
    """
    result = repair(given, catalog, alternatives=20, next_best=True)
    assert any(
        text == "ask(geoId)\nvar2 = TripadvisorSearchHotels(geoId=geoId, "
        'checkIn="2024-08-15", checkOut="2024-08-18")'
        for text in calls(result)
    ), calls(result)


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
    refractor = Refractor(tools, alternatives=20, next_best=True)
    result = refractor.repair('a = Make()\nUse(text=["$a.s$"])')
    assert result.alternatives
    for other in result.alternatives:
        assert refractor.check(other.sequence).verdict == "valid", str(other.sequence)


@pytest.mark.parametrize("model", ["default", "refraction"])
def test_nothing_is_listed_for_a_valid_sequence_or_without_time(
    catalog: Catalog, model: str
) -> None:
    refractor = Refractor(catalog, alternatives=5, next_best=True, cost_model=model)
    assert not refractor.repair('SkyScrapperSearchAirport(query="x")').alternatives
    assert not refractor.repair(TWO_AIRPORTS, time_limit=0).alternatives
