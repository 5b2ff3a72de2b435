"""Every page of help, reviewed as it is printed at 80 columns."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from processes import ENVIRONMENT
from waiting import PATIENCE

Run = Callable[..., Result]


COMMANDS = """
solve, demo, run, graph, check, compress, facts, tags, explain, catalog, catalog list, catalog show, catalog check,
catalog convert, catalog maps, costs, costs compare, costs list, costs show, costs check, costs fit,
costs pareto, batch,
batch run, batch report, bench, bench problems, bench visualize, bench evaluate, bench generate, bench mutate,
bench run, bench report, plan, plan check, plan format, plan stages, plan to-sequence, plan from-sequence
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


def test_starting_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, refract_asp\n"
        "before = set(sys.modules)\n"
        "import refract_asp.cli.app\n"
        "heavy = {'rich', 'pydantic', 'clingo', 'yaml', 'rapidfuzz', 'refract_asp.model', 'refract_asp.formats'}\n"
        "print(*heavy & (set(sys.modules) - before), *{'jinja2'} & set(sys.modules))"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")
