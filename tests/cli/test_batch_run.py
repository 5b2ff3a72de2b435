"""`batch run`: rows in files and pipes, and what no input can do to them."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from refract_asp.batch import read_row
from refract_asp.cli.batch import Tally, keep
from refract_asp.errors import InputError
from refract_asp.evaluation.answering import Entry
from refract_asp.evaluation.engine import entries_of, here, question_of
from refract_asp.resources import catalog_path

from .conftest import Run

GOOD = 'var1 = SkyScrapperSearchAirport(query="London")'
BATCH = "batch traces.jsonl --catalog travel --workers 1"


def rows(path: Path) -> list[Any]:
    """Read the verdict of each row, or what its error says."""
    found = [read_row(line) for line in path.read_bytes().splitlines()]
    assert [row.number for row in found] == list(range(len(found)))
    return [row.verdict or row.error for row in found]


def test_the_same_in_every_form(run: Run, folder: Path) -> None:
    told = run(f"{BATCH} --format github -o out.jsonl").stdout.splitlines()
    assert told[:-2] == run(f"{BATCH} --format github").stdout.splitlines()
    assert not any("needs_input" in line or "unrepairable" in line for line in told[:-2])
    there = (folder / "out.jsonl").read_text("utf-8")
    verdicts = ["valid", "repaired", "needs_input", "unrepairable", "valid"]
    assert rows(folder / "out.jsonl") == verdicts
    assert run(f"{BATCH} -o -").stdout == run(f"{BATCH} --format json").stdout == there
    piped = run(BATCH.replace("traces.jsonl", "-"), (folder / "traces.jsonl").read_bytes())
    assert "standard input:2: error: " in piped.stdout


def test_rows_that_somebody_took_away_are_not_said_to_be_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "gone" / "out.jsonl"
    out.parent.mkdir()

    def ending() -> Iterator[Entry]:
        yield from entries_of([GOOD])
        shutil.rmtree(out.parent)

    with pytest.raises(InputError, match=r"gone/out\.jsonl: no such file"):
        keep(out, Tally(lambda: None), question_of(catalog_path("travel")), here, ending())
    assert "kept" not in capsys.readouterr().err


def test_a_bad_line_is_one_row_and_the_rest_is_done(run: Run, folder: Path) -> None:
    """See `batch/test_rows_of_entries.py` for what else cannot be read."""
    line = json.dumps([GOOD])
    (folder / "traces.jsonl").write_text("\n".join((line, '{"sequence": ["Sky', line)))
    result = run(f"{BATCH} -o out.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    first, error, last = rows(folder / "out.jsonl")
    assert (first, last) == ("valid", "valid")
    assert error.startswith("traces.jsonl:2")
    assert "cut off" in error
    assert run(f"{BATCH} -o out.jsonl --restart --fail-on unrepairable").exit_code == 1


def test_an_unfinished_run_is_not_written_over(run: Run, folder: Path) -> None:
    (folder / "out.jsonl.part").write_text("{}\n")
    result = run(f"{BATCH} -o out.jsonl")
    assert result.exit_code == 2
    assert "--resume" in result.stderr
    assert "--restart" in result.stderr
    assert run(f"{BATCH} -o out.jsonl --restart").exit_code == 0


def test_rows_hold_no_secrets_unless_they_are_wanted(run: Run, folder: Path) -> None:
    login = {"name": "Login", "effect": "read", "parameters": {"password": {"type": "string"}}}
    (folder / "login.json").write_text(json.dumps({"tools": [login]}), "utf-8")
    (folder / "logins.jsonl").write_text('{"sequence": "Logn(password=\\"hunter2\\")"}\n', "utf-8")
    command = "batch logins.jsonl --catalog login.json --workers 1 -o -"
    for mode in ("repair", "check", "compress"):
        assert "hunter2" not in run(f"{command} --mode {mode}").stdout
        assert "hunter2" in run(f"{command} --mode {mode} --secrets").stdout


def test_a_catalog_may_be_python_that_the_command_names(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = 'def look(at: int):\n    "Look."\n\nTOOLS = {"watch": look}\n'
    (folder / "tools_of_ours.py").write_text(code, "utf-8")
    monkeypatch.setattr("sys.modules", {**sys.modules})
    for name, tool in (("tools_of_ours:TOOLS", "watch"), ("tools_of_ours:", "look")):
        assert f"{tool} (effect unknown)" in run(f"catalog show {name}").stdout
        (folder / "one.jsonl").write_text(json.dumps({"sequence": f"{tool}(at=1)"}), "utf-8")
        done = run(f"batch one.jsonl --catalog {name} --workers 1")
        assert "1 sequence: 1 valid." in done.stdout
    for name in ("tools_of_ours:nothing", "no_such_module:x"):
        result = run(f"catalog show {name}")
        assert result.exit_code == 2
        assert "it cannot be imported" in result.stderr
    refused = run("catalog show tools_of_ours.py")
    assert (refused.exit_code, "Write module:attribute" in refused.stderr) == (2, True)
    line = {"sequence": "look(at=1)", "catalog": "tools_of_ours:TOOLS"}
    (folder / "one.jsonl").write_text(json.dumps(line), "utf-8")
    assert "there is no catalog" in run("batch one.jsonl --workers 1").stdout
