"""The hook for pre-commit, and what docs/ci.md has a repository and a workflow do."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from refract_asp.cli.app import app
from refract_asp.resources import catalog_path
from yaml_files import read_yaml

ROOT = Path(__file__).resolve().parents[2]
(HOOK,) = read_yaml(ROOT / ".pre-commit-hooks.yaml")
GOOD = '{"id": "one", "sequence": ["TripadvisorSearchLocation(query=\\"London\\")"]}\n'
BAD = '{"id": "two", "sequence": ["TripadvisorSearchLocation(q=\\"London\\")"]}\n'
CUT_OFF = '{"id": "three", "sequence": ["Tripadv\n'


def documented(holds: str) -> Any:
    """Return the one block of YAML in the document that holds a key."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    texts = re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)
    (found,) = [block for block in map(yaml.safe_load, texts) if holds in block]
    return found[holds]


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of traces in a repository that has a catalog of its own."""
    shutil.copy(catalog_path("travel"), tmp_path / "tools.yaml")
    (tmp_path / "traces").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "traces" / "a.jsonl"


def test_the_hook_has_what_pre_commit_needs() -> None:
    assert {"id", "name", "entry", "language"} <= HOOK.keys()
    assert (HOOK["language"], HOOK["require_serial"]) == ("python", True)
    names = ("a/b.jsonl", "a.json", "a.json.txt", "jsonl")
    assert [n for n in names if re.search(HOOK["files"], n)] == ["a/b.jsonl", "a.json"]


LINTED = [
    (GOOD, 0, "1 sequence: 1 valid."),
    (GOOD + BAD, 1, "traces/a.jsonl:2: error: call 1 (TripadvisorSearchLocation), q: "),
    (GOOD + CUT_OFF, 1, "traces/a.jsonl:2:"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "code", "told"), LINTED)
def test_the_hook_lints_as_it_is_configured(traces: Path, lines: str, code: int, told: str) -> None:
    traces.write_text(lines, "utf-8")
    (used,) = documented("repos")[0]["hooks"]
    assert used["id"] == HOOK["id"]
    assert re.search(used["files"], "traces/a.jsonl")
    program, *words = shlex.split(HOOK["entry"])
    assert program == "refract-asp"
    result = CliRunner().invoke(app, [*words, *used["args"], "traces/a.jsonl"], prog_name=program)
    assert (result.exit_code, result.stderr) == (code, ""), result.output
    assert any(line.startswith(told) for line in result.stdout.splitlines())


@pytest.mark.slow
def test_the_steps_of_the_workflow_run(traces: Path) -> None:
    traces.write_text(GOOD + BAD, "utf-8")
    install, mark, tell = [step for step in documented("jobs")["traces"]["steps"] if "run" in step]
    assert install["run"] == "pip install refract-asp"
    assert tell["if"] == "always()"
    summary = traces.parents[1] / "summary.md"
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "RUNNER_TEMP": str(traces.parents[1]),
    }

    def done(step: dict[str, Any]) -> tuple[int, str, str]:
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        found = subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)
        return found.returncode, found.stderr, found.stdout

    *failed, marks = done(mark)
    assert failed == [1, ""]
    places = re.findall(r"^::(\w+) file=([^,]+),line=(\d+)", marks, re.M)
    assert {*places} == {("error", "traces/a.jsonl", "2")}
    assert done(tell)[:2] == (0, "")
    assert summary.read_text("utf-8").startswith("### Batch: ")
