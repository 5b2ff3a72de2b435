"""What the catalogs of providers and data sets have of their own."""

from __future__ import annotations

from refract_asp.formats import load_catalog

from .catalog_samples import ABOUT, INPUT, MCP, NOTE, OUTPUT


def test_what_is_written_for_providers() -> None:
    catalog = load_catalog({"tools": [{**MCP[0], "annotations": {"readOnlyHint": True}}, MCP[1]]})
    assert catalog.dump("anthropic") == [
        {"name": "search", "description": ABOUT, "input_schema": INPUT},
        {"name": "note", "description": "", "input_schema": NOTE},
    ]
    search = {"name": "search", "description": ABOUT, "parameters": INPUT}
    assert catalog.dump("openai")[0] == {"type": "function", "function": search}
    first, second = catalog.dump("mcp")["tools"]
    assert first == {**MCP[0], "annotations": {"readOnlyHint": True}}
    assert second == {**MCP[1], "description": ""}
    declaration = catalog.dump("gemini")[0]["functionDeclarations"][0]
    assert (declaration["parametersJsonSchema"], declaration["responseJsonSchema"]) == (
        INPUT,
        OUTPUT,
    )


# -- libraries of functions ------------------------------------------------------------
