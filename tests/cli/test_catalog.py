"""The `catalog` commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

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


def test_check_counts(run: Run, tools: Path) -> None:
    assert run("catalog check tools.yaml").stdout == "ok: 2 tools\n"


def test_reads_standard_input(run: Run) -> None:
    assert run("catalog check -", TOOLS).stdout == "ok: 2 tools\n"


def test_names_cannot_reach_the_terminal(run: Run, folder: Path) -> None:
    hostile = {
        "tools": [{"name": "a\x1b[2J", "description": "\u202e", "parameters": {"p\x9b": {"type": "string"}}}]
    }
    (folder / "tools.json").write_text(json.dumps(hostile), encoding="utf-8")
    for more in ("", "--tool a\x1b[2J", "--format json"):
        result = run(f"catalog show tools.json {more}".split(" ") if more else "catalog show tools.json")
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
    assert [number for line in lines for number in range(5) if f"tools[{number}]" in line.split(" ")[2]] == [
        0,
        2,
        3,
        4,
    ]
