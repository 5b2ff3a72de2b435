"""docs/predicates.md is what the encodings say now."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_page_is_not_stale_and_every_predicate_has_a_meaning() -> None:
    maker = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "make_predicates.py"))
    page = maker["page"]()
    assert maker["PAGE"].read_text("utf-8") == page, "run `make predicates`"
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert [row[0] for row in rows if not row[1].strip()] == []
