"""`costs compare`."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from waiting import PATIENCE

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


def test_show_limits_the_diffs(run: Run) -> None:
    result = run(f"{COMPARE} --show 0")
    assert "misspelt" not in result.stdout
    assert "A and B differ in 1." in result.stdout


def test_json_holds_everything(run: Run, folder: Path) -> None:
    assert run(f"{COMPARE} --show 0 --format json -o out.json").stdout == ""
    found = json.loads((folder / "out.json").read_text("utf-8"))
    assert (found["schema_version"], found["examples"], found["differing"]) == (1, 2, 1)
    (difference,) = found["differences"]
    assert difference["expected"] == [WANTED]
    assert (difference["a"]["distance"], difference["b"]["distance"]) == (0, 1)
    assert [edit["kind"] for edit in difference["a"]["edits"]] == ["rename_parameter"]


@pytest.mark.slow
def test_several_files_and_standard_input(run: Run) -> None:
    words = "costs compare default default data.jsonl good.txt unlabelled.txt - --catalog travel --format json"
    found = json.loads(run(words, WANTED).stdout)
    assert (found["examples"], found["differing"]) == (5, 0)
    assert json.loads(run(f"{words} --limit 2", WANTED).stdout)["examples"] == 2


@pytest.mark.slow
def test_constants(run: Run) -> None:
    words = "costs compare default default data.jsonl --catalog travel --const-b weight_rename_parameter=900"
    result = run(f"{words} -c weight_ask=34 --format json")
    found = json.loads(result.stdout)
    assert found["a"]["constants"] == {"weight_ask": 34}
    assert found["b"]["constants"] == {"weight_ask": 34, "weight_rename_parameter": 900}
    assert found["differing"] == 1


def test_confirms_can_be_left_aside(run: Run) -> None:
    found = json.loads(run(f"{COMPARE} --confirm never --format json").stdout)
    assert found["verdicts"] == [{"a": "repaired", "b": "needs_input", "examples": 1}]


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


def test_bad_lines_of_standard_input(run: Run) -> None:
    result = run(
        "costs compare default refraction - --catalog travel", '{"sequence": 1}\n{"sequence": 2}\n'
    )
    assert result.exit_code == 2
    assert result.stderr.startswith("error: standard input:1: sequence")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("costs compare default cheap data.jsonl --catalog travel", "cheap"),
        ("costs compare default mine.lp data.jsonl --catalog travel", "mine.lp"),
        ("costs compare default default none.jsonl --catalog travel", "none.jsonl"),
        ("costs compare default default . --catalog travel", "folder"),
        ("costs compare default default data.jsonl --catalog nowhere", "nowhere"),
        ("costs compare default default data.jsonl", "data.jsonl:1: there is no catalog for it"),
        (
            "costs compare default default data.jsonl --catalog travel --const-a nothing=1",
            "nothing",
        ),
        (
            "costs compare default default data.jsonl --catalog travel --const-b nothing",
            "NAME=VALUE",
        ),
        ("costs compare default default - - --catalog travel", "standard input"),
    ],
)
def test_mistakes(run: Run, words: str, told: str) -> None:
    result = run(words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("words", ["costs compare", "costs compare default default --catalog travel",
                                   f"{COMPARE} --limit 0", f"{COMPARE} --show -1"])  # fmt: skip
def test_usage(run: Run, words: str) -> None:
    assert run(words).exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_an_interrupt_prints_what_is_there(folder: Path) -> None:
    """On a terminal a bar counts; Ctrl-C in the middle gives the part that is done."""
    import pty

    (folder / "many.jsonl").write_text(f"{json.dumps(LINES[0])}\n" * 5_000, encoding="utf-8")
    words = [
        "costs",
        "compare",
        "default",
        "refraction",
        "many.jsonl",
        "--catalog",
        "travel",
        "--format",
        "json",
    ]
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "refract_asp.cli", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(end)
    with process:  # which closes its pipe, and waits
        try:
            seen = ""
            while not re.search(r"[1-9]\d*/5000", seen):
                assert select.select([terminal], [], [], PATIENCE)[0], seen[-500:]
                seen += os.read(terminal, 65536).decode("utf-8", "replace")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
    found = json.loads(output)
    assert process.returncode == 130
    assert found["interrupted"]
    assert 0 < found["examples"] < 5_000
    assert len(found["differences"]) == found["differing"]


def test_no_example_at_all(run: Run, folder: Path) -> None:
    (folder / "none.jsonl").write_text("\n", encoding="utf-8")
    result = run("costs compare default refraction none.jsonl --catalog travel")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no example in none.jsonl" in result.stderr


def test_a_catalog_with_a_name_too_long_is_skipped(run: Run, folder: Path) -> None:
    lines = [{"sequence": "a()", "catalog": "x" * 5_000}, LINES[0]]
    (folder / "long.jsonl").write_text(
        "".join(f"{json.dumps(x)}\n" for x in lines), encoding="utf-8"
    )
    result = run(
        "costs compare default refraction long.jsonl --catalog travel --keep-going --format json"
    )
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["examples"], found["skipped"]) == (1, 1)
    assert "there is no catalog" in found["mistakes"][0]
