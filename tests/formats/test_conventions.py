"""Conventions in which catalogs are written: each means the same in every format."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from refract_asp import Refractor
from refract_asp.formats import catalog_mistakes, load_catalog
from refract_asp.rules.index import broken_schemas

from .test_format_cases import rows

FORMATS = ("openai", "anthropic", "mcp", "gemini", "openapi", "native", "nestful", "seal")
WRITTEN = ("native", "openai", "anthropic", "gemini", "mcp", "nestful")
CONVENTIONS = rows("conventions")
GOOD = {"other": 5}


def holding(format: str, schema: Any) -> Any:
    """Return a catalog of one tool whose parameter `p` has a schema, beside one that has to be given."""
    other = {"type": "integer"}
    whole = {"type": "object", "properties": {"p": schema, "other": other}, "required": ["other"]}
    fields = {"p": schema, "other": {**other, "required": True}}
    body = {"required": True, "content": {"application/json": {"schema": whole}}}
    book: dict[str, Any] = {"name": "book"}
    tools: dict[str, Any] = {
        "openai": [{"type": "function", "function": {**book, "parameters": whole}}],
        "anthropic": [{**book, "input_schema": whole}],
        "mcp": {"tools": [{**book, "inputSchema": whole}]},
        "gemini": [{"functionDeclarations": [{**book, "parametersJsonSchema": whole}]}],
        "openapi": {
            "openapi": "3.0.3",
            "paths": {"/b": {"post": {"operationId": "book", "requestBody": body}}},
        },
        "native": {"tools": [{**book, "parameters": fields}]},
        "nestful": [{**book, "query_parameters": fields}],
        "seal": [{"api_name": "book", "parameters": whole["properties"], "required": ["other"]}],
    }
    return copy.deepcopy(tools[format])


def judged(catalog: Refractor, **arguments: Any) -> str:
    return catalog.check([{"name": "book", "arguments": arguments}]).verdict


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("row", CONVENTIONS, ids=lambda row: row["says"])
def test_a_convention_means_the_same_in_every_format(row: dict[str, Any], format: str) -> None:
    catalog, mistakes = catalog_mistakes(holding(format, row["schema"]))
    assert (catalog.format, mistakes, list(broken_schemas(catalog))) == (format, (), [])
    read = [catalog]
    if format == "openai":  # the others have read the same
        read += [load_catalog(catalog.dump(each)) for each in WRITTEN]
    for each in map(Refractor, read):
        assert judged(each, **GOOD) == "valid"
        assert judged(each, p=row["fits"][0]) == "invalid"
        for value in row["fits"]:
            assert judged(each, **GOOD, p=value) == "valid"
        for value in row.get("fails", ()):
            assert judged(each, **GOOD, p=value) == "invalid"
    told = [str(note) for note in catalog.notes if note.tool == "book"]
    assert (
        [row["note"] in " ".join(told)] == [True] if "note" in row else row.get("moves") or not told
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"pattern": "["},
        {"minimum": "low"},
        {"$ref": "#/nowhere"},
        {"items": 5},
        5,
        ["a"],
        {"enum": "a"},
    ],
    ids=str,
)
def test_what_cannot_be_read_concerns_the_calls_that_pass_it_alone(
    schema: Any, format: str
) -> None:
    catalog = load_catalog(holding(format, schema))
    refractor = Refractor(catalog)
    assert judged(refractor, **GOOD) == "valid"
    assert judged(refractor, other="x") == "invalid"
    assert [(tool, name) for tool, name, _ in broken_schemas(catalog)] == [("book", "p")]
    report = refractor.check([{"name": "book", "arguments": {**GOOD, "p": "a"}}])
    assert [violation.code for violation in report.violations] == ["broken_schema"]
