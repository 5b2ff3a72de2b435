"""The reference pages say what the program says now."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["formats.md", "options.md", "commands.md"])
def test_the_page_is_not_stale(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    maker = runpy.run_path(str(DOCS / "make_reference.py"))
    assert page in maker["PAGES"]
    text = (DOCS / page).read_text("utf-8")
    assert maker["made"](text) == text, "run `make reference`"
