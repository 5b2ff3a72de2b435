"""`costs compare`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from processes import interrupted_on_a_terminal

Run = Callable[..., Result]

WANTED = 'var1 = SkyScrapperSearchAirport(query="London")'
LINES = [
    {"sequence": WANTED.replace("query", "qury"), "expected": WANTED, "id": "misspelt"},
    {"sequence": WANTED, "expected": WANTED},
]
COMPARE = "costs compare default refraction data.jsonl --catalog travel"


@pytest.fixture(autouse=True)
def data(folder: Path) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES), encoding="utf-8")
    return path


@pytest.mark.slow
def test_text_and_exit_codes(run: Run) -> None:
    result = run(COMPARE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        "A: default\nB: refraction\n\n2 examples; A and B differ in 1.\n"
    )
    assert "1 of 1: misspelt (data.jsonl:1)" in result.stdout
    assert '+ var1 = SkyScrapperSearchAirport(query="London")' in result.stdout
    assert run(f"{COMPARE} --fail-on-difference").exit_code == 1
    assert run(f"{COMPARE.replace('refraction', 'default')} --fail-on-difference").exit_code == 0


def test_json_holds_everything_and_options_reach_both_models(run: Run, folder: Path) -> None:
    words = "--show 0 -c weight_ask=34 --const-b max_new_calls=1 --confirm never"
    assert run(f"{COMPARE} {words} --format json -o out.json").stdout == ""
    found = json.loads((folder / "out.json").read_text("utf-8"))
    assert (found["schema_version"], found["examples"], found["differing"]) == (1, 2, 1)
    assert found["a"]["constants"] == {"weight_ask": 34}
    assert found["b"]["constants"] == {"weight_ask": 34, "max_new_calls": 1}
    assert found["verdicts"] == [{"a": "repaired", "b": "needs_input", "examples": 1}]
    (difference,) = found["differences"]
    assert difference["expected"] == [WANTED]
    assert "misspelt" not in run(f"{COMPARE} --show 0").stdout


@pytest.mark.slow
def test_several_files_and_standard_input(run: Run) -> None:
    words = "costs compare default default data.jsonl good.txt unlabelled.txt - --catalog travel --format json"
    found = json.loads(run(words, WANTED).stdout)
    assert (found["examples"], found["differing"]) == (5, 0)
    assert json.loads(run(f"{words} --limit 2", WANTED).stdout)["examples"] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["{", "7", '{"sequence": "A("}', '{"sequence": "A()", "x\\u001b[2J": 1}']
)
def test_bad_lines(run: Run, data: Path, line: str) -> None:
    data.write_text(f"{json.dumps(LINES[0])}\n{line}\n{json.dumps(LINES[1])}\n", "utf-8")
    result = run(COMPARE)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: data.jsonl:2:")
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip("\n").isprintable()
    result = run(f"{COMPARE} --keep-going")
    assert result.exit_code == 0
    assert result.stderr.startswith("skipped: data.jsonl:2:")
    assert "1 entry was skipped.\n2 examples; A and B differ in 1." in result.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_an_interrupt_prints_what_is_there(folder: Path) -> None:
    """On a terminal a bar counts; Ctrl-C in the middle gives the part that is done."""
    (folder / "many.jsonl").write_text(f"{json.dumps(LINES[0])}\n" * 5_000, encoding="utf-8")
    words = "costs compare default refraction many.jsonl --catalog travel --format json"
    code, output = interrupted_on_a_terminal(r"[1-9]\d*/5000", *words.split())
    found = json.loads(output)
    assert code == 130
    assert found["interrupted"]
    assert 0 < found["examples"] < 5_000
    assert len(found["differences"]) == found["differing"]
