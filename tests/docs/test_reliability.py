"""Each promise of docs/reliability.md names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?!promise|-)(.+?) \| (.+?) \|$", re.M)
ROWS = ROW.findall((ROOT / "docs" / "reliability.md").read_text("utf-8"))
HOLDS = ("def test_", "cases:")
"""What a file has that tests something: tests, or cases that a test next to it reads."""


def test_there_are_promises() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("promise", "told"), ROWS)
def test_what_shows_a_promise_exists(promise: str, told: str) -> None:
    named = [ROOT / name for name in re.findall(r"`((?:tests|benchmarks)/[^`]+)`", told)]
    assert named or told == "the same test", promise
    assert [path for path in named if not path.exists()] == []
    for path in named:
        files = path.rglob("test_*.py") if path.is_dir() else [path]
        texts = [each.read_text("utf-8") for each in files]
        if path.parts[-2] != "benchmarks":
            assert any(word in text for text in texts for word in HOLDS), path
