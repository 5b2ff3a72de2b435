"""The worked examples on memory, history and corrected calls (R24, R26)."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, RepairResult, check, repair

AIRPORT = {"skyId": "X", "entityId": "Y"}
MEMORY = {"var1": AIRPORT, "var2": AIRPORT, "date_from_user": "2024-08-15"}
ORIGIN = 'originSkyId="$var1.skyId$", '
ORIGIN_ENTITY = 'originEntityId="$var1.entityId$", '
DATE = 'date="$date_from_user$"'
FLIGHT = (
    f'SkyScrapperFlightSearch({ORIGIN}destinationSkyId="$var2.skyId$", '
    f'{ORIGIN_ENTITY}destinationEntityId="$var2.entityId$", {DATE})'
)
HOTELS = 'var6 = TripadvisorSearchHotels(checkIn="2024-08-15", checkOut="2024-08-18")'


def lines_of(result: RepairResult) -> list[str]:
    lines: list[str] = result.sequence.dump("pretty")
    return lines


def test_memory_makes_a_call_valid(catalog: Catalog) -> None:
    assert check(FLIGHT, catalog, MEMORY).verdict == "valid"
    assert check(FLIGHT, catalog, {"var1": AIRPORT, "var2": AIRPORT}).verdict == "invalid"


def test_given_mappings_fill_from_memory(catalog: Catalog) -> None:
    """var2 serves the destination already, so the origin comes from var1; one line changes."""
    broken = FLIGHT.replace(ORIGIN, "").replace(ORIGIN_ENTITY, "")
    maps = [("skyId", "originSkyId"), ("entityId", "originEntityId")]
    result = repair(broken, catalog, MEMORY, mappings=maps)
    assert lines_of(result) == [FLIGHT]
    assert result.verdict == "repaired"
    assert [line[0] for line in result.diff().splitlines() if line[:1] in "+-"] == ["-", "+"]


def test_a_nested_value_of_memory_is_found_by_name(catalog: Catalog) -> None:
    memory = {"var1": AIRPORT, "var2": AIRPORT, "var3": {"datetime": {"date": "2024-08-15"}}}
    result = repair(FLIGHT.replace(f", {DATE}", ""), catalog, memory)
    assert lines_of(result) == [FLIGHT.replace(DATE, 'date="$var3.datetime.date$"')]
    assert result.edits[0].pattern == "memory"


def test_what_memory_lacks_is_asked_or_made_anew(catalog: Catalog) -> None:
    memory = {"var1": {"skyId": "X"}, "var2": AIRPORT}
    result = repair(FLIGHT.replace("$date_from_user$", "$date$"), catalog, memory, defensive=True)
    assert sorted(ask.name for ask in result.asks) == ["date", "query"]
    assert [confirm.confirm.parameter for confirm in result.confirms] == ["originEntityId"]  # type: ignore[union-attr]
    assert result.verdict == "needs_input"


def test_an_empty_result_is_made_again(catalog: Catalog) -> None:
    memory = {"var1": AIRPORT, "var2": {}, "date_from_user": "2024-08-15"}
    assert [v.code for v in check(FLIGHT, catalog, memory).violations] == [
        "unknown_field",
        "unknown_field",
    ]
    assert lines_of(repair(FLIGHT, catalog, memory)) == [
        "ask(query)",
        "var2 = SkyScrapperSearchAirport(query=query)",
        FLIGHT,
    ]


def test_references_into_nested_results(catalog: Catalog) -> None:
    call = 'var2 = TripadvisorSearchLocation(query="$var1.location.name$")'
    assert check(call, catalog, {"var1": {"location": {"name": "Paris"}}}).verdict == "valid"
    assert check(call, catalog, {"var1": {"location": {}}}).verdict == "invalid"


@pytest.mark.parametrize(("times", "verdict"), [(0, "valid"), (2, "valid"), (3, "unrepairable")])
def test_a_call_is_tried_three_times(times: int, verdict: str, catalog: Catalog) -> None:
    call = 'var1 = SkyScrapperSearchAirport(query="London")'
    result = repair(call, catalog, history="\n".join([call] * times))
    assert result.verdict == verdict
    assert lines_of(result) == [call]
    assert result.unresolved == ((0,) if verdict == "unrepairable" else ())


def test_executed_calls_give_their_outputs(catalog: Catalog) -> None:
    history = 'var1 = SkyScrapperSearchAirport(query="London")'
    assert (
        check('TripadvisorSearchLocation(query="$var1.skyId$")', catalog, history=history).verdict
        == "valid"
    )


@pytest.mark.parametrize(
    ("memory", "wanted", "verdict"),
    [
        (
            {},
            [
                "ask(query)",
                "var1 = TripadvisorSearchLocation(query=query)",
                HOTELS.replace("(", '(geoId="$var1.geoId$", '),
            ],
            "needs_input",
        ),
        (
            {"query": "London"},
            [
                'var1 = TripadvisorSearchLocation(query="$query$")',
                HOTELS.replace("(", '(geoId="$var1.geoId$", '),
            ],
            "repaired",
        ),
    ],
)
def test_corrected_calls(
    memory: dict[str, Any], wanted: list[str], verdict: str, catalog: Catalog
) -> None:
    result = repair(HOTELS, catalog, memory)
    assert lines_of(result) == wanted
    assert result.verdict == verdict
    assert result.is_executable == (verdict == "repaired")
    assert [ask.name for ask in result.asks] == ([] if memory else ["query"])


def test_known_tools_only(catalog: Catalog) -> None:
    result = repair(HOTELS, catalog, known_tools_only=True)
    assert lines_of(result) == ["ask(geoId)", HOTELS.replace("(", "(geoId=geoId, ")]


def test_several_fixes_for_one_fault() -> None:
    """The cheapest is to read the field of that name; asking and calling again cost more."""
    tool = {
        "name": "Overview",
        "effect": "read",
        "parameters": {"artistId": {"type": "string", "required": True}},
    }
    result = repair(
        'Overview(artistId="$var1.id$")', {"tools": [tool]}, {"var1": {"artist_id": "12345"}}
    )
    assert lines_of(result) == ['Overview(artistId="$var1.artist_id$")']
