"""`run`: what it makes sure of before and after calls."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from .conftest import Run


def data_of(result: Result) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(result.stdout)
    return data


@pytest.mark.parametrize("target", ["nowhere/out.txt", "."])
def test_no_call_is_made_whose_value_would_be_lost(run: Run, folder: Path, target: str) -> None:
    result = run(f"run good.txt --catalog travel --tools chatty -o {target}")
    assert (result.exit_code, "called" in result.stderr) == (2, False)


def test_json_of_a_refusal_is_that_of_check(run: Run) -> None:
    refused = run("run unlabelled.txt --catalog travel --tools run_tools --format json")
    assert data_of(refused) == data_of(run("check unlabelled.txt --catalog travel --format json"))


def test_events_are_data_too(run: Run) -> None:
    data = data_of(run("run hotel.txt --catalog travel --tools run_tools --format json"))
    assert [outcome["status"] for outcome in data["outcomes"]] == ["succeeded"] * 2
    assert [event["kind"] for event in data["events"]] == ["started", "finished"] * 2


def test_a_plan_knows_the_date_helpers(run: Run, folder: Path) -> None:
    """Also where a value of it has to be asked for, so that it runs as a sequence."""
    text = (folder / "plan.js").read_text()
    dated = text.replace("'2024-08-15'", "last(Tuesday).plus(23, day).at('9:00am')")
    (folder / "dated.js").write_text(dated)
    (folder / "asks.js").write_text(dated.replace(", checkOut: '2024-08-18'", ""))
    more = "--catalog travel --tools run_tools --format json"
    plain = data_of(run(f"run dated.js {more}"))
    asked = data_of(run(f"run asks.js {more} --repair --answer checkOut=2030-01-01"))
    assert plain["result"]["checkIn"] == asked["result"]["checkIn"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT09:00:00\+00:00", plain["result"]["checkIn"])
    assert asked["result"]["checkOut"] == "2030-01-01"


def test_on_a_terminal_it_is_said_how_to_repair(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    command = "run no_date.txt --catalog travel --dry-run"
    assert run(command).stderr == ""
    monkeypatch.setattr("refract_asp.cli.output.is_shown", lambda: True)
    told = "next: the same command with --repair mends the calls first\n"
    assert (run(command).exit_code, run(command).stderr) == (1, told)
