"""docs/predicates.md is what the encodings say now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_predicates", ROOT / "docs" / "make_predicates.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_page_is_not_stale(maker: ModuleType) -> None:
    assert maker.PAGE.read_text("utf-8") == maker.page(), "run `make predicates`"


@pytest.mark.slow
def test_every_predicate_has_a_meaning(maker: ModuleType) -> None:
    rows = [line.split(" | ") for line in maker.page().splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert [row[0] for row in rows if not row[1].strip()] == []
