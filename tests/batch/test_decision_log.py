"""The log of a hook's decisions: lines that `batch report` reads, whatever was decided."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from declaring import NEEDED, tool
from refract_asp.batch import DecisionLog, read_rows
from refract_asp.cli.app import app
from refract_asp.errors import InputError
from refract_asp.integrations import Hook

LOGIN = tool("login", "write", password="string", tries="integer")
TOOLS = {"tools": [tool("rain", "read", city=NEEDED), LOGIN]}


def test_a_report_reads_what_was_decided(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    hook = Hook(TOOLS, on_decision=DecisionLog(path, meta={"model": "small"}))
    given = ['rain(city="Rome")', 'rain(cty="Rome")', "rain()", "I would rather not.",
             'login(password="hunter2", tries="3")']  # fmt: skip
    outcomes = [hook(calls).outcome for calls in given]
    assert outcomes == ["pass", "repair", "retry", "retry", "repair"]
    rows = list(read_rows(path))
    assert [row.verdict for row in rows] == ["valid", "repaired", "needs_input", None, "repaired"]
    assert [row.meta["outcome"] for row in rows] == outcomes
    assert "cannot be read" in str(rows[3].error)
    assert "hunter2" not in path.read_text("utf-8")
    report = CliRunner().invoke(app, ["batch", "report", str(path), "--by", "model"])
    assert report.exit_code == 0
    assert "5 sequences of 4 calls (repair)." in " ".join(report.stdout.split())
    assert "small" in report.stdout


def test_lines_are_added_from_many_threads_and_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    for lines in (16, 32):
        hook = Hook(TOOLS, on_decision=DecisionLog(path))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(hook, ['rain(cty="Rome")'] * 16))
        assert [row.number for row in read_rows(path)] == list(range(lines))
        with path.open("a") as file:
            file.write('{"half')


@pytest.mark.parametrize("held", ["my notes", "{}\n", '{"tools": []}\n{}\n'])
def test_another_file_is_left_alone(tmp_path: Path, held: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(held)
    with pytest.raises(InputError, match=r"notes\.txt:1: this is not a batch result line"):
        DecisionLog(path)
    assert path.read_text() == held
    with pytest.raises(InputError, match="missing"):
        DecisionLog(tmp_path / "missing" / "log.jsonl")
