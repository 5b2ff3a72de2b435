"""The site of the documentation holds every page, and the API page every public name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import refract_asp
from yaml_files import read_yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_contents() -> None:
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    nav = read_yaml(ROOT / "mkdocs.yml")["nav"]
    entries = [entry for section in nav for part in section.values() for entry in part]
    named = [next(iter(e.values())) if isinstance(e, dict) else e for e in entries]
    assert sorted(named) == sorted(pages)
    linked = re.findall(r"\]\(([^)]+)\)", (DOCS / "index.md").read_text("utf-8"))
    assert linked == [name for name in named if name != "index.md"]


def test_links_to_the_project_are_those_of_the_package() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    base = urls["Repository"]
    assert all(each.startswith(base) for each in urls.values())
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.yml")]
    linked = {
        m
        for each in pages
        for m in re.findall(r"https://github\.com/[\w-]+/refract-asp", each.read_text("utf-8"))
    }
    assert linked <= {base}


def test_every_public_name_is_documented() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    named = re.findall(r"^::: refract_asp\.(\w+)$", page, re.M)
    assert sorted(named) == sorted(refract_asp.__all__)
