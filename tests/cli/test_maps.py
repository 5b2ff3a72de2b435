"""`refract-asp catalog maps`, and `--new-maps`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from refract_asp.formats import load_mappings

Run = Callable[..., Result]

FLIGHT = """\
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="LOND", originEntityId="$var1.entityId$", destinationEntityId="2", date="2024-08-15")
"""  # noqa: E501
HOTEL = """\
a = TripadvisorSearchLocation(query="London")
b = TripadvisorSearchHotels(geoId="$a.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
"""


@pytest.fixture
def past(folder: Path) -> Path:
    (folder / "past.txt").write_text(FLIGHT, encoding="utf-8")
    calls = [
        {"name": "TripadvisorSearchLocation", "arguments": {"query": "London"}, "label": "a"},
        {
            "name": "TripadvisorSearchHotels",
            "arguments": {"geoId": "$a.geoId$", "checkIn": "2024-08-15", "checkOut": "2024-08-18"},
            "label": "b",
        },
    ]
    (folder / "runs.jsonl").write_text(
        f"{json.dumps(calls)}\n\n{json.dumps(calls)}\n", encoding="utf-8"
    )
    return folder


def test_computes_and_prints_what_mappings_reads(
    run: Run, folder: Path, snapshot: SnapshotAssertion
) -> None:
    result = run("catalog maps travel --top-k 1")
    assert result.exit_code == 0
    assert result.stdout == snapshot
    (folder / "maps.yaml").write_text(result.stdout, encoding="utf-8")
    as_json = run("catalog maps travel --top-k 1 --format json").stdout
    assert load_mappings(json.loads(as_json)) == load_mappings(folder / "maps.yaml")


def test_learns(run: Run, past: Path, snapshot: SnapshotAssertion) -> None:
    result = run("catalog maps travel --embedder none --learn past.txt --learn runs.jsonl")
    assert result.exit_code == 0
    assert result.stdout == snapshot
    often = run(
        "catalog maps travel --embedder none --learn past.txt --learn runs.jsonl --min-count 2"
    )
    assert [m.weight for m in load_mappings(often.stdout)] == [0.667]


def test_what_is_merged_keeps_its_weight(run: Run, past: Path) -> None:
    given = "- {source: SkyScrapperSearchAirport.skyId, target: SkyScrapperFlightSearch.originSkyId, weight: 0.1}"
    (past / "mine.yaml").write_text(given, encoding="utf-8")
    result = run("catalog maps travel --learn past.txt --merge mine.yaml -o maps.json")
    assert (result.exit_code, result.stdout) == (0, "")
    written = (past / "maps.json").read_text("utf-8")
    found = {(m.source, m.target): m.weight for m in load_mappings(json.loads(written))}
    assert found["SkyScrapperSearchAirport.skyId", "SkyScrapperFlightSearch.originSkyId"] == 0.1
    assert found["TripadvisorSearchLocation.geoId", "TripadvisorSearchHotels.geoId"] > 0.6
    assert (
        found["SkyScrapperSearchAirport.entityId", "SkyScrapperFlightSearch.originEntityId"] > 0.5
    )


def test_new_maps_fill_what_is_asked_otherwise(run: Run, past: Path) -> None:
    broken = FLIGHT.replace('originSkyId="$var1.skyId$", ', "")
    (past / "broken.txt").write_text(broken, encoding="utf-8")
    command = "solve broken.txt --catalog travel --cost-model refraction --emit calls"
    asked, filled = run(command), run(f"{command} --new-maps")
    assert asked.exit_code == 3
    assert "ask(originSkyId)" in asked.stdout
    assert filled.exit_code == 0
    assert 'originSkyId="$var1.skyId$"' in filled.stdout
    facts = run("facts broken.txt --catalog travel --new-maps").stdout
    assert "in_suggested(" in facts
    assert "in_suggested(" not in run("facts broken.txt --catalog travel").stdout
