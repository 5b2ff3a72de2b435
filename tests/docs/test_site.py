"""The site of the documentation holds every page, and the API page every public name."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import refract_asp

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_contents() -> None:
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    entries = [entry for section in nav for part in section.values() for entry in part]
    named = [next(iter(e.values())) if isinstance(e, dict) else e for e in entries]
    assert sorted(named) == sorted(pages)
    linked = re.findall(r"\]\(([^)]+)\)", (DOCS / "index.md").read_text("utf-8"))
    assert linked == [name for name in named if name != "index.md"]


def test_every_public_name_is_documented() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    named = re.findall(r"^::: refract_asp\.(\w+)$", page, re.M)
    assert sorted(named) == sorted(refract_asp.__all__)
