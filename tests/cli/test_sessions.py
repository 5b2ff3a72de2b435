"""What commands print, and how they end: sessions in `sessions/`, mistakes in `mistakes.txt`, on `files/`."""

import json
import re
import shlex
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from .conftest import Run

SESSIONS = Path(__file__).parent / "sessions"
NUMBERS = r"[\d.]+ ms\b|(?<=^milliseconds) .*|(?<=, check) .*|(?<=, answer) .*"
TIME = re.compile(rf"{NUMBERS}|(?<=_seconds.: )[\d.]+", re.M)


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


# -- bad usage and bad input -----------------------------------------------------


# a command, and a part of what it says
MISTAKES = (Path(__file__).parent / "mistakes.txt").read_text("utf-8").splitlines()
SHARES = ",".join(f"{number / 1000}" for number in range(1000))


@pytest.mark.parametrize("line", MISTAKES, ids=lambda line: line[:60])
def test_a_mistake_is_told(run: Run, folder: Path, line: str) -> None:
    (folder / "exits.py").write_text("raise SystemExit('bye\\x1b[31m' + 'x' * 5000)\n")
    (folder / "broken_syntax.py").write_text("def f(:")
    command, _, told = line.replace("SHARES", SHARES).rpartition(" | ")
    before = {path.name for path in folder.iterdir()}
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told.strip() in " ".join(result.stderr.split())
    assert result.stderr.replace("\n", "").isprintable()
    assert len(result.stderr) < 1500
    assert not any(word in result.stderr for word in ("Traceback", "internal", "Value error"))
    assert {path.name for path in folder.iterdir()} - {"__pycache__"} == before
