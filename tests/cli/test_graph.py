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
