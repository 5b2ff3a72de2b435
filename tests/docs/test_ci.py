"""The hook for pre-commit, and what docs/ci.md has a repository and a workflow do."""

from __future__ import annotations

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

ROOT = Path(__file__).resolve().parents[2]
GOOD = '{"id": "one", "sequence": ["TripadvisorSearchLocation(query=\\"London\\")"]}\n'
BAD = '{"id": "two", "sequence": ["TripadvisorSearchLocation(q=\\"London\\")"]}\n'
CUT_OFF = '{"id": "three", "sequence": ["Tripadv\n'


def documented(holds: str) -> Any:
    """Return the one block of YAML in the document that holds a key."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    blocks = [
        yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)
    ]
    (found,) = [block for block in blocks if holds in block]
    return found


@pytest.fixture
def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return dict(found)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with traces, and a catalog of its own."""
    shutil.copy(catalog_path("travel"), tmp_path / "tools.yaml")
    (tmp_path / "traces").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_hook_has_what_pre_commit_needs(hook: dict[str, Any]) -> None:
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert hook["language"] == "python"
    assert hook["require_serial"] is True
    chosen = [
        name
        for name in ("a/b.jsonl", "a.json", "a.json.txt", "jsonl")
        if re.search(hook["files"], name)
    ]
    assert chosen == ["a/b.jsonl", "a.json"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "code", "told"),
    [
        (GOOD, 0, "1 sequence: 1 valid."),
        (GOOD + BAD, 1, "traces/a.jsonl:2: error: call 1 (TripadvisorSearchLocation), q: "),
        (GOOD + CUT_OFF, 1, "traces/a.jsonl:2:"),
    ],
)
def test_the_hook_lints_as_it_is_configured(
    hook: dict[str, Any], repository: Path, lines: str, code: int, told: str
) -> None:
    (repository / "traces" / "a.jsonl").write_text(lines, "utf-8")
    (used,) = documented("repos")["repos"][0]["hooks"]
    assert used["id"] == hook["id"]
    assert re.search(used["files"], "traces/a.jsonl")
    program, *words = shlex.split(hook["entry"])
    assert program == "refract-asp"
    result = CliRunner().invoke(app, [*words, *used["args"], "traces/a.jsonl"], prog_name=program)
    assert result.exit_code == code, result.output
    assert any(line.startswith(told) for line in result.stdout.splitlines())
    assert result.stderr == ""


@pytest.mark.slow
def test_the_steps_of_the_workflow_run(repository: Path) -> None:
    (repository / "traces" / "a.jsonl").write_text(GOOD + BAD, "utf-8")
    steps = documented("jobs")["jobs"]["traces"]["steps"]
    install, mark, tell = [step for step in steps if "run" in step]
    assert install["run"] == "pip install refract-asp"
    summary = repository / "summary.md"
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "RUNNER_TEMP": str(repository),
    }

    def done(step: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)

    marked = done(mark)
    assert (marked.returncode, marked.stderr) == (1, "")
    assert set(re.findall(r"^::(\w+) file=([^,]+),line=(\d+)", marked.stdout, re.M)) == {
        ("error", "traces/a.jsonl", "2")
    }
    assert tell["if"] == "always()"
    told = done(tell)
    assert (told.returncode, told.stderr) == (0, "")
    assert summary.read_text("utf-8").startswith("### Batch: ")
