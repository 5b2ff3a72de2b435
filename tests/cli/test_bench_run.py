"""`bench run` and `bench report`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from processes import interrupted_on_a_terminal

Run = Callable[..., Result]

WANTED = 'var1 = SkyScrapperSearchAirport(query="London")'
LINES: list[dict[str, Any]] = [
    {"id": "slip", "sequence": WANTED.replace("query", "qury"), "expected": WANTED, "kind": "parameter_name",
     "dials": {"calls": 1}},
    {"id": "right", "sequence": WANTED, "expected": WANTED, "dials": {"calls": 2}},
    {"id": "lost", "sequence": WANTED.replace('query="London"', ""), "expected": WANTED, "kind": "odd"},
]  # fmt: skip
BENCH = "bench run cases.jsonl --catalog travel"


@pytest.fixture(autouse=True)
def cases(folder: Path) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES), encoding="utf-8")
    return path


def saved(run: Run, folder: Path, name: str, more: str = "") -> Any:
    assert run(f"{BENCH} -o {name} {more}").exit_code == 0
    return json.loads((folder / name).read_text("utf-8"))


@pytest.mark.slow
def test_a_run_prints_its_figures(run: Run) -> None:
    result = run(f"{BENCH} --system refract,none,nearest --misses 1")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "cases.jsonl: 3 cases, 1 of them right."
    assert lines[2].split() == ["all", "cases", "refract", "none", "nearest"]
    assert lines[3].split() == ["restored", "1/2", "50.0", "%", "0/2", "0", "%", "1/2", "50.0", "%"]
    assert max(map(len, lines)) <= 80
    assert "refract, miss 1 of 1: lost (odd)" in lines
    assert "restored by calls" not in run(f"{BENCH} --by kind").stdout


@pytest.mark.slow
def test_cost_models_are_systems_of_their_own(run: Run, folder: Path) -> None:
    words = "--cost-model default --cost-model refraction -c max_new_calls=1"
    found = saved(run, folder, "run.json", words)["systems"]
    options = {"constants": {"max_new_calls": 1}}
    assert found["default"] == {"system": "refract", "options": options}
    assert found["refraction"]["options"] == {**options, "cost_model": "refraction"}
    one = saved(run, folder, "one.json", "--cost-model refraction --time-limit 5")["systems"]
    assert one["refract"]["options"] == {"cost_model": "refraction", "time_limit": 5.0}


def test_recorded_answers_are_judged(run: Run, folder: Path) -> None:
    (folder / "peer.jsonl").write_text(f"{json.dumps({'id': 'slip', 'answer': WANTED})}\n", "utf-8")
    found = saved(run, folder, "run.json", "--system none --answers peer=peer.jsonl")
    scores = {row["id"]: row["scores"]["peer"] for row in found["rows"]}
    assert scores["slip"]["restored"]
    assert scores["right"]["error"] == "no answer was recorded."


@pytest.mark.slow
def test_json_holds_figures_and_misses(run: Run) -> None:
    found = json.loads(run(f"{BENCH} --format json --misses 5").stdout)
    assert (found["schema_version"], found["complete"]) == (1, True)
    assert found["overall"]["figures"]["refract"]["shares"]["restored"] == {
        "count": 1, "of": 2, "low": 0.0945, "high": 0.9055,
    }  # fmt: skip
    assert [miss["id"] for miss in found["misses"]] == ["lost"]
    assert "rows" not in found
    only = json.loads(run(f"{BENCH} -o -").stdout)
    assert len(only["rows"]) == 3


@pytest.mark.slow
@pytest.mark.parametrize(("least", "code"), [("0.5", 0), ("0.51", 1), ("0", 0)])
def test_a_bound_for_ci(run: Run, folder: Path, least: str, code: int) -> None:
    result = run(f"{BENCH} --fail-under {least}")
    assert result.exit_code == code
    assert ("refract restores 1 of 2, less than 51.0 %" in result.stderr) == bool(code)
    saved(run, folder, "run.json")
    assert run(f"bench report run.json --fail-under {least}").exit_code == code


@pytest.mark.slow
def test_a_line_that_cannot_be_read(run: Run, cases: Path) -> None:
    cases.write_text(cases.read_text("utf-8") + "{\n", "utf-8")
    result = run(BENCH)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error: cases.jsonl:4" in result.stderr
    going = run(f"{BENCH} --keep-going")
    assert going.exit_code == 0
    assert "skipped: cases.jsonl:4" in going.stderr
    assert "1 line was skipped." in going.stdout


def test_a_report_says_what_the_run_said(run: Run, folder: Path) -> None:
    printed = run(f"{BENCH} -o run.json").stdout
    assert run("bench report run.json").stdout == printed
    figures = json.loads(run("bench report run.json --format json").stdout)
    assert figures["groups"]["kind"][0]["value"] == "none"
    run("bench report run.json -o out.txt")
    assert (folder / "out.txt").read_text("utf-8") == printed


@pytest.mark.slow
def test_what_was_run_is_told_though_it_cannot_be_saved_or_grouped(run: Run, folder: Path) -> None:
    grouped = run(f"{BENCH} --by colour")
    assert grouped.exit_code == 2
    assert "restored by kind" in grouped.stdout
    assert "no dial 'colour'" in grouped.stderr
    if Path("/dev/full").exists():
        full = run(f"{BENCH} -o /dev/full")
        assert full.exit_code == 2
        assert "restored by kind" in full.stdout
        assert "no space left" in full.stderr


@pytest.mark.slow
def test_answers_to_no_case_are_told(run: Run, folder: Path) -> None:
    rows = [{"id": "slip", "answer": WANTED}, {"id": "other", "answer": WANTED}]
    (folder / "a.jsonl").write_text(
        "".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8"
    )
    result = run(f"{BENCH} --answers peer=a.jsonl")
    assert result.stderr == "note: 1 of the answers of peer is to no case, as 'other'.\n"
    assert "peer: no answer to 2 cases, as right: no answer was recorded." in result.stdout
    assert run(f"{BENCH} --answers peer=a.jsonl --limit 1").stderr == ""


@pytest.mark.slow
def test_two_runs(run: Run, folder: Path) -> None:
    saved(run, folder, "a.json", "--system none")
    saved(run, folder, "b.json")
    text = run("bench report a.json b.json").stdout
    assert text.startswith("A: cases.jsonl, 3 cases\nB: cases.jsonl, 3 cases\n3 cases in both.\n")
    assert "only B: 1\nslip" in text
    found = json.loads(run("bench report a.json b.json --format json").stdout)
    assert (found["duels"][0]["won"], found["duels"][0]["lost"]) == (["slip"], [])
    saved(run, folder, "c.json", "--cost-model refraction")
    assert (
        "\nB: cases.jsonl, 3 cases; refract with cost_model=refraction\n"
        in run("bench report b.json c.json").stdout
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_saves_what_is_there(folder: Path, jobs: str) -> None:
    """On a terminal a bar counts; Ctrl-C in the middle gives the part that is done."""
    many = (json.dumps({**LINES[0], "id": str(n)}) for n in range(5_000))
    (folder / "many.jsonl").write_text("".join(f"{line}\n" for line in many), encoding="utf-8")
    words = f"bench run many.jsonl --catalog travel --jobs {jobs} -o run.json"
    code, output = interrupted_on_a_terminal(r"[1-9]\d*/5000", *words.split())
    found = json.loads((folder / "run.json").read_text("utf-8"))
    assert code == 130
    assert not found["complete"]
    assert 0 < len(found["rows"]) < 5_000
    assert "interrupted: this is what was found so far." in output
