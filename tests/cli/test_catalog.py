"""The `catalog` commands, and `--new-maps`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from refract_asp.formats import load_mappings
from refract_asp.model import Catalog
from refract_asp.resources import catalog_names

Run = Callable[..., Result]

TOOLS = """
tools:
  - name: search
    description: Looks for things, and says where they are.
    effect: read
    parameters:
      query: {type: string, required: true, description: What to look for.}
      kind: {type: string, enum: [book, song], default: book}
    returns: {id: {type: string}, place: {type: object, properties: {city: {type: string}}}}
  - name: note
    parameters: {}
"""


@pytest.fixture
def tools(folder: Path) -> Path:
    (folder / "tools.yaml").write_text(TOOLS, encoding="utf-8")
    return folder / "tools.yaml"


def test_lists_what_is_shipped(run: Run) -> None:
    result = run("catalog list")
    assert result.stdout.split() == catalog_names()
    assert "travel" in result.stdout.split()


@pytest.mark.parametrize("name", catalog_names())
def test_what_is_shipped_is_ok(run: Run, name: str) -> None:
    result = run(f"catalog check {name}")
    assert (result.exit_code, result.stdout[:4]) == (0, "ok: ")


@pytest.mark.parametrize("more", ["", "--tool search", "--tool note"])
def test_shows_tools(run: Run, tools: Path, more: str, snapshot: SnapshotAssertion) -> None:
    result = run(f"catalog show tools.yaml {more}")
    assert result.exit_code == 0
    assert result.stdout == snapshot


def test_shows_json(run: Run, tools: Path) -> None:
    data = json.loads(run("catalog show tools.yaml --format json").stdout)
    assert data["schema_version"] == 1
    assert [tool["name"] for tool in data["tools"]] == ["search", "note"]
    one = json.loads(run("catalog show tools.yaml --tool note --format json").stdout)
    assert [tool["name"] for tool in one["tools"]] == ["note"]
    assert run("catalog check -", TOOLS).stdout == "ok: 2 tools\n"


def test_names_cannot_reach_the_terminal(run: Run, folder: Path) -> None:
    tool = {
        "name": "a\x1b[2J",
        "description": "\u202e",
        "parameters": {"p\x9b": {"type": "string"}},
    }
    (folder / "tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    for more in ([], ["--tool", "a\x1b[2J"], ["--format", "json"]):
        result = run(["catalog", "show", "tools.json", *more])
        assert result.stdout.replace("\n", "").isprintable()


def test_check_tells_a_mistake_of_every_tool(run: Run, folder: Path) -> None:
    (folder / "bad.yaml").write_text(
        """
tools:
  - {name: a, effect: reed}
  - {name: b}
  - {parameters: {}}
  - {name: b}
  - {name: c, parameters: {x: {type: string, required: maybe}}}
"""
    )
    result = run("catalog check bad.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert all(line.startswith("error: bad.yaml:") for line in lines)
    places = [int(line.split("tools[")[1][0]) for line in lines]
    assert places == [0, 2, 3, 4]


PARAMETERS = {
    "type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]
}  # fmt: skip
ABOUT = "Looks for\nthings: no, yes."
SEARCH = {"name": "search", "description": ABOUT, "parameters": PARAMETERS}
OPENAI = [{"type": "function", "function": SEARCH}]


@pytest.fixture
def openai(folder: Path) -> Path:
    (folder / "openai.json").write_text(json.dumps(OPENAI), encoding="utf-8")
    return folder / "openai.json"


def test_convert_writes_native_yaml(run: Run, openai: Path, snapshot: SnapshotAssertion) -> None:
    result = run("catalog convert openai.json -")
    assert result.exit_code == 0
    assert result.stdout == snapshot
    assert run("catalog convert openai.json tools.yaml").stdout == ""
    assert Path("tools.yaml").read_text("utf-8") == result.stdout
    assert Catalog.load(Path("tools.yaml")).tools == Catalog.load(OPENAI).tools


@pytest.mark.parametrize(
    ("target", "to", "begins"),
    [
        ("tools.json", "", '{\n  "name": "openai",\n  "tools": ['),
        ("tools.yml", "--to openai", "- type: function\n"),
        ("tools.txt", "--to mcp", '{\n  "tools": ['),
        ("tools.txt", "", "name: openai\ntools:\n"),
    ],
)
def test_convert_goes_by_the_name_of_the_file(
    run: Run, openai: Path, target: str, to: str, begins: str
) -> None:
    assert run(f"catalog convert openai.json {target} {to}").exit_code == 0
    assert Path(target).read_text("utf-8").startswith(begins)
    assert Catalog.load(Path(target)).tools == Catalog.load(OPENAI).tools


@pytest.mark.parametrize(
    "command",
    [
        "catalog check x.json",
        "catalog show x.json",
        "catalog convert x.json -",
        "check good.txt --catalog x.json",
    ],
)
def test_a_format_can_be_forced(run: Run, folder: Path, command: str) -> None:
    entry = {
        "name": "SkyScrapperSearchAirport",
        "parameters": {"properties": {"query": {}}},
        "input_schema": 5,
    }
    (folder / "x.json").write_text(json.dumps([entry]), encoding="utf-8")
    option = "--catalog-format" if "--catalog" in command else "--from"
    refused = run(command)
    assert (refused.exit_code, "x.json: [0].input_schema: " in refused.stderr) == (2, True)
    assert run(f"{command} {option} openai").exit_code == 0
    unknown = run(f"{command} {option} morse")
    assert (unknown.exit_code, "Known: anthropic, functions, gemini" in unknown.stderr) == (2, True)


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
