"""Every page of help, reviewed as it is printed at 80 columns."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from processes import ENVIRONMENT
from refract_asp.cli.app import app
from waiting import PATIENCE

from .conftest import Run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
"""The help of every command as it is printed at 80 columns."""
TITLES = re.findall(r"^##+ refract-asp ?(.*)$", PAGE.read_text("utf-8"), re.M)


@pytest.mark.parametrize("command", TITLES)
def test_help(run: Run, command: str) -> None:
    result = run(f"{command} --help")
    assert result.exit_code == 0
    assert all(len(line) <= 80 for line in result.output.splitlines())
    shown = f"```text\n{result.output.rstrip()}\n```"
    assert shown in PAGE.read_text("utf-8"), "run `make reference`"


def test_help_is_a_command_too_and_lists_options_by_what_they_are_for(run: Run) -> None:
    assert run("help").output == run("--help").output
    titles = [line for line in run("solve --help").output.splitlines() if line[:1].isalpha()]
    assert titles[1:4] == ["Arguments:", "Options:", "Tools:"]
    assert run("repair --help").output == run("solve --help").output


COMPLETED = {
    "check x --catalog tr": ["travel"],
    "solve x --cost-model pr": ["prune"],
    "solve x --from opena": ["openai", "openai-responses"],
    "solve x --encoding bu": ["budget"],
    "explain unknown_l": ["unknown_label"],
    "so": ["solve"],
}


@pytest.mark.parametrize(("words", "found"), COMPLETED.items())
def test_the_shell_completes_names(words: str, found: list[str]) -> None:
    how = {"_REFRACT_ASP_COMPLETE": "complete_bash", "COMP_WORDS": f"refract-asp {words}"}
    how["COMP_CWORD"] = str(len(words.split()))
    result = CliRunner().invoke(app, [], prog_name="refract-asp", env=how)
    assert result.output.split() == found


def test_version(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert re.fullmatch(r"refract-asp (\d+\.\d+.*|not installed)\n", result.output)


@pytest.mark.parametrize("command", ["", "catalog"])
def test_no_arguments_show_the_help(run: Run, command: str) -> None:
    assert "Usage: refract-asp" in run(command).output


HEAVY = {"rich", "pydantic", "clingo", "yaml", "rapidfuzz"}
HEAVY |= {"refract_asp.model", "refract_asp.formats"}


def test_starting_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, refract_asp\n"
        "before = set(sys.modules)\n"
        "import refract_asp.cli.app\n"
        f"print(*{HEAVY} & (set(sys.modules) - before), *{{'jinja2'}} & set(sys.modules))"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")


@pytest.mark.parametrize("command", ["solve", "check"])
def test_the_help_of_a_command_loads_nothing_heavy(command: str) -> None:
    code = (
        "import atexit, sys\n"
        f"atexit.register(lambda: print(*{HEAVY} & set(sys.modules), file=sys.stderr))\n"
        "from refract_asp.cli import main\n"
        f"sys.argv = ['refract-asp', {command!r}, '--help']\n"
        "main()"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert (done.returncode, done.stderr.split()) == (0, [])
    assert f"Usage: refract-asp {command}" in done.stdout
