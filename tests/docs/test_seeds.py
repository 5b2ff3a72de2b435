"""Every row of docs/seeds.md stands there once, in order, with a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([TBP]\d+) \| .+ \| `(test_\w+)` \|$", re.M)
ROWS = {"T": 17, "B": 23, "P": 18}


def test_each_row_names_a_test() -> None:
    found = ROW.findall((ROOT / "docs" / "seeds.md").read_text("utf-8"))
    wanted = [f"{part}{n}" for part, count in ROWS.items() for n in range(1, count + 1)]
    assert [row for row, _ in found] == wanted
    tests = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))
    }
    assert [name for _, name in found if name not in tests] == []
