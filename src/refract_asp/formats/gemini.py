"""
Gemini's function declarations as catalogs.

    [{"functionDeclarations": [{"name": "search", "description": ...,
                                "parameters": {"type": "OBJECT", "properties": {"query": {"type": "STRING"}}},
                                "response": {...}}]}]

A list of tools, an object that holds it under "tools", one tool, or the declarations alone. Names are in
camel or in snake case. `parameters` and `response` are in Gemini's own subset of OpenAPI: types in capitals
become those of JSON Schema, lengths given as text (`"minItems": "1"`) numbers; `nullable` stays.
`parametersJsonSchema` and `responseJsonSchema` are JSON Schemas. Tools that Gemini runs itself
(`{"googleSearch": {}}`) are passed over.

Written with the JSON Schemas, which can say more. The format has no words for effects; they are lost in
print, as are words for types that JSON Schema does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refract_asp.formats.entries import any_entry, catalog_of, entries_of, is_function, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import output_of, tool_of
from refract_asp.formats.standard import input_to_write, mapped, standard
from refract_asp.model import Catalog, Tool

__all__ = ["FORMAT"]

_LISTS = ("functionDeclarations", "function_declarations")
_INPUTS = ("parametersJsonSchema", "parameters_json_schema")
_OUTPUTS = ("responseJsonSchema", "response_json_schema")
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_SHAPE = 'Write {"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}.'


def _is_declaration(entry: Any) -> bool:
    if not isinstance(entry, dict) or "name" not in entry:
        return False
    return any(key in entry for key in (*_INPUTS, *_OUTPUTS)) or (
        is_function(entry) and entry["parameters"]["type"] == "OBJECT" and "type" not in entry
    )


def _is_tool(entry: Any) -> bool:
    return isinstance(entry, dict) and (any(key in entry for key in _LISTS) or _is_declaration(entry))


def _is_run_elsewhere(entry: Any) -> bool:
    if not isinstance(entry, dict) or not entry or "name" in entry:
        return False
    return all(isinstance(settings, dict) for settings in entry.values())


def _detects(data: Any) -> bool:
    return any_entry(data, ("tools",), _is_tool)


def _entries(data: Any, origin: Origin) -> Iterator[tuple[FieldPlace, Any]]:
    """Yield the declarations of every tool."""
    for place, entry in entries_of(data, ("tools",), origin, _SHAPE):
        held = [key for key in _LISTS if isinstance(entry, dict) and key in entry]
        if not held and not (place and _is_run_elsewhere(entry)):
            yield place, entry
        for key in held:
            for inner, declaration in entries_of(entry[key], (), origin, _SHAPE):
                yield (*place, key, *inner), declaration


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries(data, origin), _tool, origin, format="gemini")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE)
    key, schema = _schema(entry, _INPUTS, "parameters")
    tool = tool_of(
        name, schema, (*place, key), origin, description=text_in(entry, "description", place, origin)
    )
    key, schema = _schema(entry, _OUTPUTS, "response")
    return tool.model_copy(update={"output_schema": output_of(schema, (*place, key), origin)})


def _schema(entry: dict[str, Any], plain: tuple[str, ...], own: str) -> tuple[str, Any]:
    """Return the schema that an entry gives in JSON Schema or in Gemini's own words, and its key."""
    for key in plain:
        if key in entry:
            return key, entry[key]
    return own, mapped(entry.get(own), _in_json_schema)


def _in_json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    changed = dict(schema)
    kind = schema.get("type")
    if kind == "TYPE_UNSPECIFIED":
        del changed["type"]
    elif isinstance(kind, str):
        changed["type"] = kind.lower()
    for key in _COUNTS:
        count = schema.get(key)
        if isinstance(count, str) and count.isascii() and count.isdigit() and len(count) < 20:
            changed[key] = int(count)
    return changed


def _write(catalog: Catalog) -> list[dict[str, Any]]:
    return [{"functionDeclarations": [_declaration(tool) for tool in catalog]}]


def _declaration(tool: Tool) -> dict[str, Any]:
    data = {
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": input_to_write(tool),
    }
    if tool.output_schema is not None:
        data["responseJsonSchema"] = standard(tool.output_schema)
    return data


FORMAT: Format[Catalog] = Format(
    name="gemini",
    kind="catalog",
    looks='objects with "functionDeclarations"',
    detects=_detects,
    read=_read,
    write=_write,
)
