"""Anthropic's tools as catalogs."""

from __future__ import annotations

from refract_asp.formats import load_catalog
from refract_asp.model import Tool

from .catalog_samples import ANTHROPIC, INPUT, NOTE


def test_tools_with_a_dated_type_take_anything() -> None:
    (bash, search) = load_catalog([{"type": "bash_20250124", "name": "bash"}, ANTHROPIC[0]])
    assert bash == Tool(name="bash", additional_parameters=True)
    assert search.name == "search"


def test_what_is_written() -> None:
    written = load_catalog(ANTHROPIC).dump("anthropic")
    assert written == [
        {"name": "search", "description": "Find books.", "input_schema": INPUT},
        {"name": "note", "description": "", "input_schema": NOTE},
    ]
