"""Every page of help, reviewed as it is printed at 80 columns."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

Run = Callable[..., Result]


COMMANDS = """
solve, demo, run, graph, check, compress, facts, tags, explain, catalog, catalog list, catalog show, catalog check,
catalog convert, catalog maps, costs, costs compare, costs list, costs show, costs check, costs fit, batch,
batch run, bench, bench problems, bench visualize, bench evaluate, bench generate, bench run, bench report
"""


@pytest.mark.parametrize("command", ["", *(name.strip() for name in COMMANDS.split(","))])
def test_help(run: Run, command: str, snapshot: SnapshotAssertion) -> None:
    result = run(f"{command} --help")
    assert result.exit_code == 0
    assert all(len(line) <= 80 for line in result.output.splitlines())
    assert result.output == snapshot


def test_version(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert re.fullmatch(r"refract-asp (\d+\.\d+.*|\(not installed\))\n", result.output)


@pytest.mark.parametrize("command", ["", "catalog"])
def test_no_arguments_show_the_help(run: Run, command: str) -> None:
    assert "Usage: refract-asp" in run(command).output
