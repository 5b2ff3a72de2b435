"""`refract-asp graph`: a sequence before and after its repair, drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

Run = Callable[..., Result]


def test_both_sides_are_drawn(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("graph unlabelled.txt --catalog travel")
    assert result.exit_code == 0
    assert result.output == snapshot


def test_one_side_in_another_language(run: Run) -> None:
    given = run("graph unlabelled.txt --catalog travel --show given --format dot").output
    repaired = run("graph unlabelled.txt --catalog travel --show repaired --format dot").output
    assert given.startswith("digraph calls {")
    assert "->" not in given
    assert "call1 -> call2" in repaired


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


def test_calls_from_standard_input_in_a_format(run: Run) -> None:
    calls = (
        '[{"name": "TripadvisorSearchLocation", "arguments": {"query": "Oslo"}, "label": "var1"}]'
    )
    result = run("graph - --catalog travel --from nestful", calls)
    assert result.exit_code == 0
    assert "TripadvisorSearchLocation" in result.output


def test_what_cannot_be_repaired_is_drawn_too(run: Run) -> None:
    result = run("graph made_up.txt --catalog travel")
    assert result.exit_code == 0
    assert "unresolved<br/>var1<br/>Qqqqq" in result.output


def test_it_is_not_drawn_onto_its_input(run: Run, folder: Path) -> None:
    before = (folder / "good.txt").read_text()
    result = run("graph good.txt --catalog travel -o good.txt")
    assert result.exit_code == 2
    assert "this file is read, too" in result.output
    assert (folder / "good.txt").read_text() == before


def test_a_language_that_there_is_not(run: Run) -> None:
    assert run("graph good.txt --catalog travel --format png").exit_code == 2
