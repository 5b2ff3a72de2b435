"""Bad usage and bad input: one message that says what and where, exit code 2, and nothing on standard output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
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
