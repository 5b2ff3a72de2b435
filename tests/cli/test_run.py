"""`run`: checks or repairs, then makes the calls; what it prints and what it exits with."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from processes import started
from waiting import PATIENCE

Run = Callable[..., Result]

TOOLS = """\
import asyncio
import sys
import time

__all__ = ["SkyScrapperSearchAirport", "TripadvisorSearchHotels", "TripadvisorSearchLocation"]


def SkyScrapperSearchAirport(query):
    return {"skyId": query[:3].upper(), "entityId": "1"}


async def TripadvisorSearchLocation(query):
    await asyncio.sleep(0)
    return {"geoId": "7", "locationId": "8"}


def TripadvisorSearchHotels(**given):
    return {"id": "h1", **given}


def fails(query):
    raise ValueError("no such city")


async def never(query):
    print("begun", flush=True)
    await asyncio.sleep(3600)


registry = [SkyScrapperSearchAirport, TripadvisorSearchLocation, TripadvisorSearchHotels]
broken = {"SkyScrapperSearchAirport": fails}
slow = {"SkyScrapperSearchAirport": never}
"""
HOTEL = """\
var1 = TripadvisorSearchLocation(query="London")
var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
"""
PLAN = """\
// where to stay
place = TripadvisorSearchLocation({query: 'London'});
return TripadvisorSearchHotels({geoId: place.geoId, checkIn: '2024-08-15', checkOut: '2024-08-18'});
"""


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "run_tools.py").write_text(TOOLS)
    (folder / "hotel.txt").write_text(HOTEL)
    (folder / "plan.js").write_text(PLAN)
    (folder / "faulty.js").write_text(PLAN.replace("place.geoId", "place.geoID"))
    (folder / "slip.js").write_text(PLAN.replace("'London'}", "'London',}"))
    monkeypatch.delitem(sys.modules, "run_tools", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))


def steady(text: str) -> str:
    """Return what was printed without the times."""
    return re.sub(r"\b\d+ ms\b", "0 ms", text)


def data_of(result: Result) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(result.stdout)
    return data


@pytest.mark.parametrize("registry", ["run_tools:registry", "run_tools"])
def test_all_ran(run: Run, registry: str, snapshot: SnapshotAssertion) -> None:
    result = run(f"run hotel.txt --catalog travel --tools {registry}")
    assert result.exit_code == 0
    assert steady(result.stdout) == snapshot(name="all ran")
    assert result.stderr == ""


CODES = """
good.txt --tools run_tools | 0
good.txt --tools run_tools:broken | 1
unlabelled.txt --tools run_tools | 1
unlabelled.txt --tools run_tools --repair | 0
no_date.txt --tools run_tools --repair | 3
no_date.txt --tools run_tools --repair --answer checkOut=2024-08-18 | 0
made_up.txt --tools run_tools --repair | 4
good.txt --tools run_tools:slow --total-timeout 0.2 | 5
good.txt --tools run_tools:slow --timeout 0.1 | 1
slip.js --from plan --tools run_tools | 0
faulty.js --from plan --tools run_tools | 1
faulty.js --from plan --tools run_tools --repair | 0
good.txt --dry-run | 0
unlabelled.txt --dry-run | 1
"""


@pytest.mark.parametrize("line", CODES.strip().splitlines())
def test_exit_codes(run: Run, line: str) -> None:
    arguments, _, code = line.partition(" | ")
    result = run(f"run {arguments} --catalog travel")
    assert result.exit_code == int(code), result.output
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output


def test_what_tools_print_is_no_part_of_the_answer(run: Run, folder: Path) -> None:
    (folder / "chatty.py").write_text(
        "print('imported')\n__all__ = ['SkyScrapperSearchAirport']\n"
        "def SkyScrapperSearchAirport(query):\n    print('called')\n    return {}\n"
    )
    result = run("run good.txt --catalog travel --tools chatty --format json")
    assert data_of(result)["succeeded"]
    assert result.stderr.split() == ["imported", "called", "called"]


def test_no_call_is_made_whose_value_would_be_lost(run: Run, folder: Path) -> None:
    (folder / "marks.py").write_text(
        "import pathlib\ndef f(query):\n    pathlib.Path('called').touch()\n"
        "registry = {'SkyScrapperSearchAirport': f}\n"
    )
    for target in ("nowhere/out.txt", "."):
        assert (
            run(f"run good.txt --catalog travel --tools marks:registry -o {target}").exit_code == 2
        )
    assert not (folder / "called").exists()


def test_answers_are_read_as_what_is_asked_for(run: Run, folder: Path) -> None:
    """Digits are a text where a text is wanted; an answer that does not fit is told with its reason."""
    (folder / "shop.yaml").write_text(
        "tools:\n- name: order\n  effect: read\n  parameters:\n"
        "    zip: {type: string, required: true}\n    count: {type: integer, required: true}\n"
    )
    (folder / "shop.py").write_text("registry = {'order': lambda zip, count: [zip, count]}")
    (folder / "order.txt").write_text("ask(zip)\nask(count)\norder(zip=zip, count=count)")
    command = (
        "run order.txt --catalog shop.yaml --tools shop:registry --format json --answer zip=01234"
    )
    assert data_of(run(f"{command} --answer count=2"))["result"] == ["01234", 2]
    result = run(f"{command} --answer count=many")
    assert result.exit_code == 3
    assert "warning: --answer count: " in result.stderr


def test_confirms(run: Run, folder: Path) -> None:
    (folder / "confirm.txt").write_text(
        f"confirm(SkyScrapperSearchAirport)\n{(folder / 'good.txt').read_text()}"
    )
    command = "run confirm.txt --catalog travel --tools run_tools"
    assert run(command).exit_code == 3
    assert run(f"{command} --yes").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        "unlabelled.txt --tools run_tools --repair",
        "no_date.txt --tools run_tools --repair",
        "good.txt --tools run_tools:broken",
        "hotel.txt --dry-run",
        "slip.js --from plan --tools run_tools",
    ],
)
@pytest.mark.parametrize("columns", ["80", "200"])
def test_text(
    run: Run,
    arguments: str,
    columns: str,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert steady(run(f"run {arguments} --catalog travel").stdout) == snapshot


def test_json_holds_everything(run: Run) -> None:
    data = data_of(run("run hotel.txt --catalog travel --tools run_tools --format json"))
    assert data["schema_version"] == 1
    assert data["succeeded"] is True
    assert data["result"]["geoId"] == "7"
    assert [outcome["status"] for outcome in data["outcomes"]] == ["succeeded"] * 2
    assert [event["kind"] for event in data["events"]] == ["started", "finished"] * 2
    assert data["repair"] is None


def test_json_of_a_refusal_is_that_of_check(run: Run) -> None:
    refused = run("run unlabelled.txt --catalog travel --tools run_tools --format json")
    assert data_of(refused) == data_of(run("check unlabelled.txt --catalog travel --format json"))


@pytest.mark.slow
def test_ctrl_c(folder: Path) -> None:
    words = "run good.txt --tools run_tools:slow --catalog travel"
    with started(*words.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, b"Traceback" in errors) == (130, False)


def talk(arguments: str, answers: dict[bytes, bytes]) -> tuple[int, bytes]:
    """Run on a terminal; type each answer when its question stands there."""
    leader, follower = pty.openpty()
    words = ("run", *arguments.split(), "--catalog", "travel")
    how: Any = {"stdin": follower, "stdout": subprocess.DEVNULL, "stderr": follower}
    with started(*words, **how) as process:
        os.close(follower)
        heard = b""
        while select.select([leader], [], [], PATIENCE)[0]:
            try:
                heard += os.read(leader, 4096)
            except OSError:  # the other side is closed
                break
            for question in [question for question in answers if question in heard]:
                os.write(leader, answers.pop(question))
        process.wait(PATIENCE)
    os.close(leader)
    return process.returncode, heard


@pytest.mark.slow
def test_on_a_terminal_it_asks(folder: Path) -> None:
    (folder / "open.txt").write_text(
        "ask(query)\nconfirm(query=query)\nvar1 = SkyScrapperSearchAirport(query=query)"
    )
    code, heard = talk(
        "open.txt --tools run_tools",
        {b"query for SkyScrapperSearchAirport": b"London\n", b"[y/N]": b"y\n"},
    )
    assert code == 0
    assert b'confirm(query="London")' in heard


@pytest.mark.slow
def test_on_a_terminal_no_is_no(folder: Path) -> None:
    (folder / "open.txt").write_text(
        'confirm(SkyScrapperSearchAirport)\nSkyScrapperSearchAirport(query="x")'
    )
    assert talk("open.txt --tools run_tools", {b"[y/N]": b"\n"})[0] == 3


def test_a_plan_knows_the_date_helpers(run: Run, folder: Path) -> None:
    """Also where a value of it has to be asked for, so that it runs as a sequence."""
    text = PLAN.replace("'2024-08-15'", "last(Tuesday).plus(23, day).at('9:00am')")
    (folder / "dated.js").write_text(text)
    (folder / "asks.js").write_text(text.replace(", checkOut: '2024-08-18'", ""))
    plain = data_of(
        run("run dated.js --from plan --catalog travel --tools run_tools --format json")
    )
    command = "run asks.js --catalog travel --tools run_tools --repair --format json"
    asked = data_of(run(f"{command} --answer checkOut=2030-01-01"))
    assert plain["result"]["checkIn"] == asked["result"]["checkIn"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT09:00:00\+00:00", plain["result"]["checkIn"])
    assert asked["result"]["checkOut"] == "2030-01-01"
