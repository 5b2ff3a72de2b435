"""`costs fit`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

AIRPORTS = 'var1 = SkyScrapperSearchAirport(query="Oslo")\nvar2 = SkyScrapperSearchAirport(query="Porto")\n'
WHOLE = (
    f'{AIRPORTS}var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", '
    'originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2025-03-01")'
)
LOST = WHOLE.replace('originEntityId="$var1.entityId$", ', "")
ASKED = f"ask(originEntityId)\n{WHOLE}".replace('"$var1.entityId$"', "originEntityId")
LINES = [
    {"sequence": WHOLE.replace("date=", "dte="), "expected": WHOLE, "id": "renamed"},
    {"sequence": LOST, "expected": ASKED, "id": "asking"},
]
FIT = "costs fit data.jsonl --catalog travel"


def write(folder: Path, name: str, lines: list[object]) -> None:
    (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def data(folder: Path) -> None:
    write(folder, "data.jsonl", [*LINES])


@pytest.mark.slow
def test_a_model_is_written_that_can_be_used(run: Run, folder: Path) -> None:
    result = run(f"{FIT} -o mine.lp")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("fitted default to 2 wanted repairs, in 2 rounds.\n")
    assert "2 fitted to                     1      2" in result.stdout
    assert result.stdout.endswith("written: mine.lp\n")
    assert "% Fitted: " in (folder / "mine.lp").read_text("utf-8")
    compared = json.loads(
        run("costs compare default mine.lp data.jsonl --catalog travel --format json").stdout
    )
    assert (compared["closeness"]["a_exact"], compared["closeness"]["b_exact"]) == (1, 2)


def test_json_holds_everything(run: Run, folder: Path) -> None:
    found = json.loads(run(f"{FIT} --format json -o mine.lp").stdout)
    assert (found["schema_version"], found["start"], found["after"]["exact"]) == (1, "default", 2)
    assert found["model"] == (folder / "mine.lp").read_text("utf-8")
    assert all(before != after for before, after in found["changed"].values())
    assert run(f"{FIT} -o -").stdout == found["model"]
    assert run(FIT).stdout.endswith("nothing was written; -o mine.lp writes the model.\n")


@pytest.mark.slow
def test_the_exit_code_tells_that_some_cannot_be_had(run: Run, folder: Path) -> None:
    write(folder, "data.jsonl", [*LINES, {"sequence": LOST, "expected": WHOLE, "id": "filled"}])
    result = run(FIT)
    assert result.exit_code == 1
    assert "no weights can satisfy together (1):\n" in result.stdout
    assert result.stdout.endswith("no weight changed.\n")


@pytest.mark.slow
def test_start_and_several_files(run: Run, folder: Path) -> None:
    write(folder, "more.jsonl", [{**line, "id": f"more {n}"} for n, line in enumerate(LINES)])
    words = f"{FIT} more.jsonl --from refraction --rounds 5"
    result = run(words)
    assert "fitted refraction to 4 wanted repairs" in result.stdout


@pytest.mark.slow
def test_a_bad_line_ends_it_or_is_passed_over(run: Run, folder: Path) -> None:
    with (folder / "data.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"sequence": 5}\n')
    result = run(FIT)
    assert result.exit_code == 2
    assert "data.jsonl:3" in result.stderr
    result = run(f"{FIT} --keep-going")
    assert result.exit_code == 0
    assert "skipped: data.jsonl:3" in result.stderr
    assert "1 entry was skipped." in result.stdout


def test_scipy_may_be_absent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    result = run(FIT)
    assert result.exit_code == 2
    assert "needs scipy" in result.stderr
    assert "pip install 'refract-asp[fit]'" in result.stderr


def test_an_interrupt_keeps_the_best_so_far(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from refract_asp.costs.weighing import Weigher

    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Weigher, "weights", interrupted)
    result = run(f"{FIT} -o mine.lp")
    assert result.exit_code == 130
    assert result.stdout.startswith("Interrupted: these are the best weights so far.\n")
    assert (folder / "mine.lp").exists()
