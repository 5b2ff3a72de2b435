"""Gemini's function declarations as catalogs."""

from __future__ import annotations

from typing import Any

from refract_asp.formats import load_catalog

from .catalog_samples import GEMINI, INPUT, OUTPUT


def _tool(**entry: Any) -> Any:
    return load_catalog([{"functionDeclarations": [{"name": "T", **entry}]}]).tools[0]


def test_types_and_counts_become_those_of_json_schema() -> None:
    tool = _tool(
        parameters={
            "type": "OBJECT",
            "properties": {
                "tags": {
                    "type": "ARRAY",
                    "minItems": "1",
                    "maxItems": 3,
                    "nullable": True,
                    "items": {"type": "STRING", "enum": ["STRING"]},
                    "default": [{"type": "ARRAY"}],
                },
                "any": {
                    "type": "TYPE_UNSPECIFIED",
                    "anyOf": [{"type": "NUMBER"}, {"type": "BOOLEAN"}],
                },
                "type": {"type": "STRING", "minLength": "many"},
            },
        },
        response={"type": "OBJECT", "properties": {"id": {"type": "STRING"}}},
    )
    assert {name: parameter.json_schema for name, parameter in tool.parameters.items()} == {
        "tags": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "nullable": True,
            "items": {"type": "string", "enum": ["STRING"]},
            "default": [{"type": "ARRAY"}],
        },
        "any": {"anyOf": [{"type": "number"}, {"type": "boolean"}]},
        "type": {"type": "string", "minLength": "many"},
    }
    assert tool.output_schema == OUTPUT


def test_json_schemas_in_both_spellings() -> None:
    for keys in (
        ("parametersJsonSchema", "responseJsonSchema"),
        ("parameters_json_schema", "response_json_schema"),
    ):
        tool = _tool(**dict(zip(keys, (INPUT, OUTPUT), strict=True)))
        assert tool.parameters["query"].required
        assert tool.output_schema == OUTPUT


def test_tools_that_run_elsewhere_are_passed_over() -> None:
    catalog = load_catalog({"tools": [{"googleSearch": {}}, *GEMINI]})
    assert [tool.name for tool in catalog] == ["search", "note"]


def test_what_is_written_can_say_more() -> None:
    (tool,) = load_catalog(GEMINI).dump("gemini")
    assert tool["functionDeclarations"][0]["parametersJsonSchema"] == INPUT
