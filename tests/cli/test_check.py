"""`check`: how what it found is printed, and what it exits with."""

from __future__ import annotations

import json
import os
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

FAULTY = """\
var1 = TripadvisorSearchLocation(query="London")
var2 = TripadvisorSearchHotels(geoId="$var1.geoID$", checkIn="2024-08-15", checkout="2024-08-18")
"""
CODES = ["unknown_field", "undeclared_parameter", "missing_parameter"]
FORMATS = ["text", "json", "record", "github", "sarif"]


@pytest.fixture(autouse=True)
def faulty(folder: Path) -> None:
    (folder / "faulty.txt").write_text(FAULTY, encoding="utf-8")


@pytest.mark.parametrize("columns", ["80", "200"])
def test_text(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: str, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert run("check faulty.txt --catalog travel").output == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("name", "strict", "permissive"),
    [("good", 0, 0), ("faulty", 1, 0), ("unlabelled", 1, 0), ("open", 3, 3)],
)
def test_exit_codes(
    run: Run, folder: Path, format: str, name: str, strict: int, permissive: int
) -> None:
    (folder / "open.txt").write_text("ask(x)\nTripadvisorSearchLocation(query=x)")
    command = f"check {name}.txt --catalog travel --format {format}"
    assert run(command).exit_code == strict
    assert run(f"{command} --strict").exit_code == strict
    assert run(f"{command} --permissive").exit_code == permissive


def data_of(run: Run, options: str, file: str = "faulty.txt") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(f"check {file} --catalog travel {options}").stdout)
    return data


def test_json_has_everything_and_what_agents_want(run: Run) -> None:
    """D18; all that a report holds stands there as before."""
    from refract_asp import Report, check
    from refract_asp.model.diagnostic import Diagnostic
    from refract_asp.resources import catalog_path

    data = data_of(run, "--format json")
    report = check(FAULTY, catalog_path("travel"))
    more = {"success", "error", "validation_errors", "suggestions", "diagnostics"}
    assert {key: data[key] for key in data.keys() - more} == report.model_dump(mode="json")
    assert Report.model_validate({key: data[key] for key in data.keys() - more}) == report
    assert (data["success"], data["error"]) == (False, "Validation failed with 3 errors")
    assert data["suggestions"] == [
        "Change $var1.geoID$ to $var1.geoId$",
        "Change checkout to checkOut",
    ]
    assert tuple(map(Diagnostic.model_validate, data["diagnostics"])) == report.diagnostics()
    assert data["validation_errors"] == [str(each) for each in report.diagnostics()]


def test_nothing_wrong_is_valid_in_every_form(run: Run) -> None:
    """D16."""
    data = data_of(run, "--format json", "good.txt")
    assert (data["success"], data["error"], data["validation_errors"]) == (True, None, [])
    assert (data["suggestions"], data["diagnostics"]) == ([], [])
    assert data_of(run, "--format record", "good.txt")["status"] == "success"
    assert data_of(run, "--format sarif", "good.txt")["runs"][0]["results"] == []
    assert run("check good.txt --catalog travel --format github").output == ""


def test_ci_is_told_file_and_line(run: Run) -> None:
    lines = run("check faulty.txt --catalog travel --format github").output.splitlines()
    for line, code in zip(lines, CODES, strict=True):
        assert line.startswith(
            f"::error file=faulty.txt,line=2,title=refract-asp {code}::call 2 (var2)"
        )
    for result in data_of(run, "--format sarif")["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place == {"artifactLocation": {"uri": "faulty.txt"}, "region": {"startLine": 2}}


def test_fuzzy_suggestions(run: Run) -> None:
    """D21."""
    typo = 'var1 = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")\nLLM_GENERATE(prompt="$var1.result.masseges$")'
    assert "Did you mean" not in run("check - --catalog slack", typo).output
    assert (
        "Did you mean: $var1.result.messages$?"
        in run("check - --catalog slack --fuzzy", typo).output
    )


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_holds_what_would_be_printed(run: Run, folder: Path, format: str) -> None:
    command = f"check faulty.txt --catalog travel --format {format}"
    result = run(f"{command} -o out")
    assert (result.output, result.exit_code) == ("", 1)
    assert (folder / "out").read_text("utf-8") == run(command).output


@pytest.mark.parametrize("format", FORMATS)
def test_only_text_is_coloured(run: Run, format: str) -> None:
    command = f"check faulty.txt --catalog travel --format {format}"
    assert ("\x1b[" in run(f"{command} --color always").output) is (format == "text")
    assert "\x1b[" not in run(command).output


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_reach_no_terminal(run: Run, folder: Path, format: str) -> None:
    name = "a\x1b[31m\x00\u202e\nb::error::%0A</script>"
    calls = [{"name": name, "arguments": {name: f"${name}.{name}$"}, "label": name}]
    (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
    output = run(f"check calls.json --catalog travel --format {format}").output
    assert output
    assert output.replace("\n", "").isprintable()
    assert not any(line.startswith("b") for line in output.splitlines())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_pipe_is_read_once(folder: Path) -> None:
    """A pipe by name gives its text once; its lines are not known then, and nobody waits for more."""
    os.mkfifo(folder / "pipe")
    words = "check pipe --catalog travel --format github"
    with started(*words.split(), stdout=subprocess.PIPE) as process:
        (folder / "pipe").write_text(FAULTY)
        output = process.communicate(timeout=PATIENCE)[0].decode()
    assert process.returncode == 1
    assert output.startswith("::error file=pipe,title=refract-asp unknown_field::")


@pytest.mark.parametrize("command", ["check -", "solve -", "solve - --emit diff"])
def test_no_name_is_a_command_in_the_log_of_a_workflow(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """In GitHub a printed line that begins with two colons is a command; ours alone are."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    names = ["::add-mask::a", "Get"]
    (folder / "t.json").write_text(json.dumps({"tools": [{"name": name} for name in names]}))
    calls = json.dumps(
        [{"name": "::add-mask::a", "arguments": {}}, {"name": "Gett", "arguments": {}}]
    )
    text = run(f"{command} --catalog t.json", calls).output
    assert "\\::add-mask::a" in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    annotations = run("check - --catalog t.json --format github", calls).output
    assert annotations.startswith("::error ")
