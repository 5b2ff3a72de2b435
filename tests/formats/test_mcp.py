"""Tools of the Model Context Protocol as catalogs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refract_asp.formats import load_catalog

from .catalog_samples import MCP, OUTPUT


@pytest.mark.parametrize(
    ("annotations", "effect"),
    [
        (None, "unknown"),
        ({}, "unknown"),
        ({"title": "Search", "idempotentHint": True}, "unknown"),
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "destructiveHint": True}, "read"),
        ({"readOnlyHint": False}, "destructive"),
        ({"readOnlyHint": False, "destructiveHint": True}, "destructive"),
        ({"readOnlyHint": False, "destructiveHint": False}, "write"),
        ({"destructiveHint": False}, "write"),
        ({"destructiveHint": True}, "destructive"),
        ({"readOnlyHint": "yes"}, "unknown"),
        ("read", "unknown"),
    ],
)
def test_the_hints_give_the_effect(annotations: Any, effect: str) -> None:
    catalog = load_catalog([{"name": "T", "inputSchema": {}, "annotations": annotations}])
    assert catalog.tools[0].effect == effect
    assert load_catalog(catalog.dump("mcp")) == catalog


def test_outputs_and_effects_are_written() -> None:
    catalog = load_catalog({"tools": [{**MCP[0], "annotations": {"readOnlyHint": True}}]})
    (tool,) = catalog.dump("mcp")["tools"]
    assert tool["outputSchema"] == OUTPUT
    assert tool["annotations"] == {"readOnlyHint": True}


def test_pages_may_stand_in_lines() -> None:
    lines = "\n".join(
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}) for tool in MCP
    )
    assert [tool.name for tool in load_catalog(lines)] == ["search", "note"]
