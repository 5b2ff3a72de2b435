"""`--goal`, `--goals`, `--level` and `compress` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

TWICE = """\
var1 = SkyScrapperSearchAirport(query="London")
var2 = SkyScrapperSearchAirport(query="London")
"""


def test_check_and_solve_take_goals(run: Run) -> None:
    goal = ["good.txt", "--catalog", "travel", "--goal", "field geoId"]
    checked = run(["check", *goal])
    assert checked.exit_code == 1
    assert "goal field geoId" in checked.output
    solved = run(["solve", *goal, "--format", "json"])
    assert solved.exit_code == 3
    data = json.loads(solved.stdout)
    assert [violation["code"] for violation in data["violations"]] == ["unmet_goal"]
    assert data["sequence"]["calls"][-1]["name"] == "TripadvisorSearchLocation"


def test_goals_come_from_a_file_and_from_standard_input(run: Run, folder: Path) -> None:
    (folder / "goals.yaml").write_text(
        "- SkyScrapperSearchAirport\n- field skyId\n", encoding="utf-8"
    )
    assert run("check good.txt --catalog travel --goals goals.yaml").exit_code == 0
    assert run("check good.txt --catalog travel --goals -", stdin="- field geoId\n").exit_code == 1
    assert run("check - --catalog travel --goals -", stdin="").exit_code == 2


def test_compress(run: Run, folder: Path) -> None:
    (folder / "twice.txt").write_text(TWICE, encoding="utf-8")
    result = run("compress twice.txt --catalog travel --emit calls")
    assert (result.exit_code, result.output) == (0, TWICE.splitlines(keepends=True)[0])
    needed = run("compress good.txt --catalog travel")
    assert (needed.exit_code, needed.output) == (0, "valid: nothing has to change.\n")
    done = run("compress good.txt --catalog travel --history good.txt --emit calls")
    assert (done.exit_code, done.output.strip()) == (0, "")
    told = run("check twice.txt --catalog travel --level cheapest")
    assert told.exit_code == 1
    assert "call 1 (var1) gives the same" in " ".join(told.output.split())


@pytest.mark.slow
def test_compress_tells_more(run: Run, folder: Path) -> None:
    (folder / "copy.txt").write_text(
        'a = SkyScrapperSearchAirport(query="Rome")\nb = SkyScrapperSearchAirport(query="Rome")\n'
        'c = TripadvisorSearchLocation(query="$b.skyId$")\n',
        encoding="utf-8",
    )
    words = [
        "compress",
        "copy.txt",
        "--catalog",
        "travel",
        "--explain",
        "--why-not",
        "keep b",
        "--next-best",
    ]
    result = run([*words, "--max-tries", "2"])
    assert result.exit_code == 0
    assert "call 1 (a) stands for it" in result.stdout
    assert "why not keep b: it costs 1 call more and 4 less for edits" in result.stdout
    assert "alternative 1: " in result.stdout
    assert run([*words, "--emit", "calls"]).exit_code == 2
