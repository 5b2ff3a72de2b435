"""`refract-asp explain`, `tags` and `graph`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from refract_asp.model.diagnostic import tag_meanings
from refract_asp.report.codes import code_entries

Run = Callable[..., Result]


@pytest.mark.parametrize(
    "arguments", ["", "unknown_tool", "missing_call", "unknown_tool --color always"]
)
def test_explain(run: Run, arguments: str, snapshot: SnapshotAssertion) -> None:
    result = run(f"explain {arguments}")
    assert result.exit_code == 0
    assert result.output == snapshot


def test_explain_as_data(run: Run, folder: Path) -> None:
    data = json.loads(run("explain type_mismatch --format json").output)
    assert data == {"schema_version": 1, **code_entries()["type_mismatch"].model_dump()}
    assert run("explain --format json -o codes.json").output == ""
    listed = json.loads((folder / "codes.json").read_text("utf-8"))["codes"]
    assert [entry["code"] for entry in listed] == list(code_entries())


@pytest.mark.parametrize(
    "arguments",
    ["good.txt", "unlabelled.txt", "made_up.txt", "no_date.txt", "good.txt --truth unlabelled.txt"],
)
def test_tags(run: Run, arguments: str, snapshot: SnapshotAssertion) -> None:
    result = run(f"tags {arguments} --catalog travel")
    assert result.exit_code == 0
    assert all(len(line) <= 80 for line in result.output.splitlines())
    assert result.output == snapshot


def test_tags_as_data(run: Run, folder: Path) -> None:
    data = json.loads(run("tags unlabelled.txt --catalog travel --format json").output)
    assert data["sequence"] == ["missing_label"]
    assert data["calls"] == {"0": ["missing_label"]}
    assert data["counts"] == {"missing_label": 1}
    assert [(fault["tag"], fault["call"], fault["violations"]) for fault in data["faults"]] == [
        ("missing_label", 0, [0])
    ]
    assert (
        run("tags good.txt --truth good.txt --catalog travel --format json -o t.json").output == ""
    )
    assert json.loads((folder / "t.json").read_text("utf-8"))["faults"] == []


def test_hostile_names_are_escaped(run: Run, folder: Path) -> None:
    calls = [{"name": "a\x1b[31m\u202eb", "arguments": {}, "label": "x"}]
    (folder / "hostile.json").write_text(json.dumps(calls), "utf-8")
    for more in ("", " --truth good.txt"):
        output = run(f"tags hostile.json --catalog travel{more}").output
        assert output.replace("\n", "").isprintable()
        assert any(tag in output for tag in tag_meanings())


def test_both_sides_are_drawn(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("graph unlabelled.txt --catalog travel")
    assert result.exit_code == 0
    assert result.output == snapshot


def test_a_picture_in_a_file(run: Run, folder: Path) -> None:
    result = run("graph no_date.txt --catalog travel --format svg -o calls.svg")
    assert (result.exit_code, result.output) == (0, "")
    assert ElementTree.parse(folder / "calls.svg").getroot().tag.endswith("svg")


@pytest.mark.slow
def test_the_ending_of_the_file_says_the_language(run: Run, folder: Path) -> None:
    for name, begin in (
        ("a.svg", "<svg"),
        ("a.dot", "digraph"),
        ("a.gv", "digraph"),
        ("a.mmd", "flowchart"),
    ):
        assert run(f"graph no_date.txt --catalog travel -o {name}").exit_code == 0
        assert (folder / name).read_text().startswith(begin)
    run("graph no_date.txt --catalog travel -o b.svg --format dot")
    assert (folder / "b.svg").read_text().startswith("digraph")
