"""The worked examples on goals, memory, history and compression (R26, R30, R31), as documents to review."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, Goal, Refractor, RepairResult, check, repair
from refract_asp.resources import catalog_path

HR = """var1 = w3(email="a@b.c")
var2 = author_workbench(id="$var1.id$")
var3 = hr_bot(id="$var1.id$", email="a@b.c")
var4 = concur(employee_info="$var3.info$", travel_justification="$var2.papers$")"""
MAPPINGS = [("info", "employee_info"), ("papers", "travel_justification")]
KNOWN = {"id": 213213, "var1": {"info": "..."}}

HR_CASES: dict[str, tuple[tuple[str, ...], str | None, dict[str, Any] | None]] = {
    "admissible": ((), "admissible", None),
    "valid": ((), "achieves_goals", None),
    "cheapest without goals": ((), "cheapest", None),
    "concur is called": (("concur",), None, None),
    "cheaper alternative": (("concur",), "cheapest", None),
    "unnecessary calls": (("field employee_info",), "cheapest", None),
    "already known": (("concur",), "cheapest", KNOWN),
}

AIRPORTS = """var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")"""
FLIGHT = (
    'SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", '
    'originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")'
)
BOUND = Goal.tool(
    "SkyScrapperFlightSearch",
    {
        "destinationSkyId": "$var2.skyId$",
        "destinationEntityId": "$var2.entityId$",
        "date": "$date_from_user$",
    },
)

TRACE = """var1 = TripadvisorSearchLocation(query="Costa Rica")
var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-12-01", checkOut="2024-12-15")
var3 = SkyScrapperSearchAirport(query="New York")
var4 = SkyScrapperSearchAirport(query="Costa Rica")
var5 = SkyScrapperFlightSearch(originSkyId="$var3.skyId$", destinationSkyId="$var4.skyId$", date="2024-12-01")
var6 = SkyScrapperSearchAirport(query="New York")
var7 = SkyScrapperFlightSearch(originEntityId="$var6.entityId$", destinationSkyId="$var4.skyId$", \
date="2024-12-01")
var8 = SkyScrapperSearchAirport(query="New York")
var9 = SkyScrapperFlightSearch(originSkyId="$var8.skyId$", destinationSkyId="$var4.skyId$", \
originEntityId="$var8.entityId$", date="2024-12-01")"""
LINES = TRACE.splitlines()
EXECUTED = "\n".join(LINES[:4])
REST = "\n".join(LINES[4:])
AIRPORT = {"skyId": "X", "entityId": "Y"}

COMPRESSED: dict[str, tuple[str, dict[str, Any] | None, str]] = {
    "the whole trace": (TRACE, None, ""),
    "four calls are executed, the rest is given": (
        REST,
        {"var3": AIRPORT, "var4": AIRPORT},
        EXECUTED,
    ),
    "four calls are executed, all are given": (TRACE, {"var3": AIRPORT, "var4": AIRPORT}, EXECUTED),
    "the first search gave nothing": (REST, {"var3": {}, "var4": AIRPORT}, EXECUTED),
    "it gave nothing, all are given": (TRACE, {"var3": {}, "var4": AIRPORT}, EXECUTED),
    "the history alone is known": (TRACE, None, EXECUTED),
}


@pytest.fixture(scope="module")
def hr() -> Catalog:
    return Catalog.load(catalog_path("hr"))


def document(result: RepairResult, *wanted: object) -> str:
    """Print a result as a document: what was wanted, the answer, and the change."""
    lines = [f"wanted: {each}" for each in wanted]
    lines += [f"determination: {result.determination}", f"verdict: {result.verdict}"]
    lines += [f"wrong: {violation.message} [{violation.code}]" for violation in result.violations]
    lines += [f"to confirm: {confirm.reason}" for confirm in result.confirms]
    lines += [f"undecided: {each}" for each in result.undecided]
    lines += [f"unmet: {each}" for each in result.unmet]
    lines += [f"cost: {', '.join(f'{kind} {value}' for kind, value in result.cost.items())}", ""]
    return "\n".join([*lines, *result.sequence.dump("pretty"), "", result.diff()])


@pytest.mark.slow
@pytest.mark.parametrize("case", HR_CASES)
def test_hr(case: str, hr: Catalog, snapshot: SnapshotAssertion) -> None:
    goals, level, memory = HR_CASES[case]
    result = repair(HR, hr, memory, goals=goals, level=level, mappings=MAPPINGS)  # type: ignore[arg-type]
    assert result.optimal
    assert document(result, *goals, level) == snapshot
    again = check(result.sequence, hr, memory, goals=goals, level=level, mappings=MAPPINGS)  # type: ignore[arg-type]
    assert again.verdict == "valid"
    told = check(HR, hr, memory, goals=goals, level=level, mappings=MAPPINGS)  # type: ignore[arg-type]
    assert told.determination == result.determination


def test_check_names_what_is_not_needed(hr: Catalog, snapshot: SnapshotAssertion) -> None:
    report = check(HR, hr, goals="field employee_info", level="cheapest", mappings=MAPPINGS)
    assert "\n".join(f"{v.label}: {v.message} [{v.code}]" for v in report.violations) == snapshot


@pytest.mark.parametrize(
    ("given", "goal"),
    [
        pytest.param(AIRPORTS, "field flightId", id="a field that nothing gives yet"),
        pytest.param(f"{AIRPORTS}\n{FLIGHT}", "field flightId", id="a field that a call gives"),
        pytest.param(AIRPORTS, BOUND, id="a call with bindings"),
        pytest.param(f"{AIRPORTS}\n{FLIGHT}", BOUND, id="a call with other bindings"),
        pytest.param("", "SkyScrapperSearchAirport", id="nothing is given"),
        pytest.param(AIRPORTS, "field moon", id="nothing gives it"),
        pytest.param(
            AIRPORTS,
            "TripadvisorSearchLocation before SkyScrapperSearchAirport",
            id="an order that lacks a call",
        ),
        pytest.param(
            f'{AIRPORTS}\nvar3 = TripadvisorSearchLocation(query="London")',
            "TripadvisorSearchLocation before SkyScrapperSearchAirport",
            id="an order that takes a move",
        ),
    ],
)
def test_goals(given: str, goal: str | Goal, catalog: Catalog, snapshot: SnapshotAssertion) -> None:
    memory = {"date_from_user": "2024-08-15"}
    result = repair(given, catalog, memory, goals=[goal])
    assert document(result, goal) == snapshot
    if result.verdict != "unrepairable":
        answered = result.answer({ask.name: "x" for ask in result.asks}, confirmed=True)
        assert check(answered, catalog, memory, goals=[goal]).verdict == "valid"


@pytest.mark.parametrize("case", COMPRESSED)
def test_thrashing(case: str, catalog: Catalog, snapshot: SnapshotAssertion) -> None:
    """One correct flight search is left, from New York to Costa Rica, and nothing is asked."""
    given, memory, history = COMPRESSED[case]
    refractor = Refractor(catalog, mappings=[("entityId", "destinationEntityId")])
    result = refractor.compress(given, memory, history)
    assert result.verdict == "repaired"
    assert document(result, case) == snapshot
    assert refractor.compress(result.sequence, memory, history).verdict == "valid"


MEMORY = {"var1": AIRPORT, "var2": AIRPORT, "date_from_user": "2024-08-15"}
ORIGIN = 'originSkyId="$var1.skyId$", '
ENTITY = 'originEntityId="$var1.entityId$", '
FROM_MEMORY = FLIGHT.replace('"2024-08-15"', '"$date_from_user$"')
SEARCH = 'var1 = SkyScrapperSearchAirport(query="London")'
PAIR = [("skyId", "originSkyId"), ("entityId", "originEntityId")]

REMEMBERED: dict[str, tuple[str, dict[str, Any] | None, str, dict[str, Any]]] = {
    "all that is read is in memory": (FROM_MEMORY, MEMORY, "", {}),
    "the origin is filled by given mappings": (
        FROM_MEMORY.replace(ORIGIN, "").replace(ENTITY, ""),
        MEMORY,
        "",
        {"mappings": PAIR},
    ),
    "the date is inside a value": (
        FROM_MEMORY.replace(', date="$date_from_user$"', ""),
        {"var1": AIRPORT, "var2": AIRPORT, "var3": {"datetime": {"date": "2024-08-15"}}},
        "",
        {},
    ),
    "a value and a variable are missing": (
        FROM_MEMORY.replace("date_from_user", "date"),
        {"var1": {"skyId": "X"}, "var2": AIRPORT},
        "",
        {"defensive": True},
    ),
    "an executed call gave nothing": (
        FROM_MEMORY,
        {"var1": AIRPORT, "var2": {}, "date_from_user": "2024-08-15"},
        "",
        {},
    ),
    "a call is tried for the third time": (SEARCH, None, "\n".join([SEARCH] * 2), {}),
    "a call is tried once too often": (SEARCH, None, "\n".join([SEARCH] * 3), {}),
}


@pytest.mark.parametrize("case", REMEMBERED)
def test_memory_and_history(case: str, catalog: Catalog, snapshot: SnapshotAssertion) -> None:
    given, memory, history, options = REMEMBERED[case]
    assert document(repair(given, catalog, memory, history, **options), case) == snapshot


ARTISTS = {
    "tools": [
        {
            "name": "Spotify_Scraper_Get_Artist_Overview",
            "effect": "read",
            "parameters": {"artistId": {"type": "string", "required": True}},
        },
        {
            "name": "Spotify_Scraper_Find_Artist",
            "effect": "read",
            "parameters": {"name": {"type": "string", "required": True}},
            "returns": {"id": {"type": "string"}},
        },
    ]
}


def test_several_fixes_for_one_fault(snapshot: SnapshotAssertion) -> None:
    """The field of that name, an ask, and a new call: alternatives in order of cost (R32)."""
    call = 'Spotify_Scraper_Get_Artist_Overview(artistId="$var1.id$")'
    memory = {"var1": {"artist_id": "12345"}}
    result = repair(call, ARTISTS, memory, alternatives=5, next_best=True)
    every = (result, *result.alternatives)
    totals = [(each.total.get(1000, 0), each.total[2]) for each in every]
    assert totals == sorted(totals)
    patterns = [each.edits[0].pattern for each in every]
    assert {"self_contained", "ask", "new_call"} <= set(patterns)
    assert "\n".join(document(each) for each in every) == snapshot
