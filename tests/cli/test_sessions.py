"""What commands print, and how they end: sessions in `sessions/`, on the files of `files/`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

Run = Callable[..., Result]
SESSIONS = Path(__file__).parent / "sessions"
TIME = re.compile(
    r"[\d.]+ ms\b|(?<=^milliseconds) .*|(?<=, check) .*|(?<=, answer) .*|(?<=_seconds.: )[\d.]+",
    re.M,
)


def printed(run: Run, folder: Path, line: str) -> str:
    """Run a line: a command, after ` < ` its standard input, after ` | ` the keys to print of its JSON."""
    command, _, keys = line.partition(" | ")
    command, _, stdin = command.partition(" < ")
    words = shlex.split(command)
    if words[0] == "cat":
        out, end = (folder / words[1]).read_text("utf-8"), ""
    else:
        result = run(words, (folder / stdin).read_bytes() if stdin else None)
        out, end = result.stdout, f"{result.stderr}[exit code {result.exit_code}]\n"
    assert "\u202e" not in out + end
    assert "\x1b" not in out + end or "--color always" in line
    assert "Traceback" not in end
    if keys:
        data = json.loads(out)
        out = json.dumps({key: data.get(key) for key in keys.split()}, indent=1) + "\n"
    return f"$ {line}\n{TIME.sub('(times)', out)}{end}"


@pytest.mark.parametrize("name", sorted(path.stem for path in SESSIONS.glob("*.txt")))
def test_session(run: Run, folder: Path, name: str, snapshot: SnapshotAssertion) -> None:
    lines = (SESSIONS / f"{name}.txt").read_text("utf-8").splitlines()
    assert "\n".join(printed(run, folder, line) for line in lines) == snapshot
