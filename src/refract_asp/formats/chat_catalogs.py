"""Catalogs as chat providers and MCP servers write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats.entries import (
    annotations_of,
    any_entry,
    catalog_of,
    effect_of_annotations,
    entries_of,
    is_function,
    name_in,
    text_in,
)
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import input_of, output_of, tool_of
from refract_asp.model import Catalog, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, type_words

__all__ = [
    "ANTHROPIC",
    "GEMINI",
    "MCP",
    "OPENAI",
    "input_to_write",
    "mapped",
    "standard",
]


_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})
"""Keywords whose value maps names to schemas."""
_ONE = frozenset(
    {
        "items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
        "unevaluatedProperties", "propertyNames", "not", "if", "then", "else",
    }
)  # fmt: skip
"""Keywords whose value is a schema; that of `items` may be a list of them."""
_SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""


def mapped(schema: Any, change: Callable[[JsonSchema], JsonSchema]) -> Any:
    """
    Return a schema in which each part, from the outside in, is what `change` returns for it.

    Only what is a schema is changed, not what stands in `default`, `enum` and the like. What has the
    shape of no schema stays as it is.

    Example:
        >>> mapped({"items": {"type": "A"}, "default": {"type": "A"}}, lambda s: {**s, "x": 1})
        {'items': {'type': 'A', 'x': 1}, 'default': {'type': 'A'}, 'x': 1}
    """
    if not isinstance(schema, dict):
        return schema
    result: JsonSchema = {}
    for key, value in change(schema).items():
        if key in _NAMED and isinstance(value, dict):
            result[key] = {name: mapped(inner, change) for name, inner in value.items()}
        elif key in _ONE and isinstance(value, dict):
            result[key] = mapped(value, change)
        elif (key in _SEVERAL or key == "items") and isinstance(value, list):
            result[key] = [mapped(inner, change) for inner in value]
        else:
            result[key] = value
    return result


def standard(schema: JsonSchema) -> JsonSchema:
    """
    Return a schema with the types of JSON Schema for those of other languages; unknown ones are left out.

    Example:
        >>> standard({"type": "dict", "properties": {"price": {"type": "float"}, "day": {"type": "Date"}}})
        {'type': 'object', 'properties': {'price': {'type': 'number'}, 'day': {}}}
    """
    whole: JsonSchema = mapped(schema, _standard_type)
    return whole


def _standard_type(schema: JsonSchema) -> JsonSchema:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        words = [type_words(kinds)]
    elif isinstance(kinds, list) and kinds and all(isinstance(kind, str) for kind in kinds):
        words = list(dict.fromkeys(type_words(kind) for kind in kinds))
    else:
        return schema
    if all(word in JSON_TYPES for word in words):
        return {**schema, "type": words[0] if isinstance(kinds, str) else words}
    return {key: value for key, value in schema.items() if key != "type"}


def input_to_write(tool: Tool) -> JsonSchema:
    """Return the schema of the arguments of a tool, in the words of JSON Schema."""
    return standard(input_of(tool))


_SHAPE = 'Write {"name": ..., "description": ..., "input_schema": {"type": "object", ...}}.'
_DATED = re.compile(r"[a-z][a-z_]*_\d{8}")


def _is_dated(entry: dict[str, Any]) -> bool:
    kind = entry.get("type")
    return isinstance(kind, str) and _DATED.fullmatch(kind) is not None


def _is_tool(entry: Any) -> bool:
    return isinstance(entry, dict) and ("input_schema" in entry or _is_dated(entry))


def _detects(data: Any) -> bool:
    return any_entry(data, ("tools",), _is_tool)


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(
        entries_of(data, ("tools",), origin, _SHAPE), _tool, origin, format="anthropic"
    )


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE)
    description = text_in(entry, "description", place, origin)
    if "input_schema" not in entry and _is_dated(entry):
        return Tool(name=name, description=description, additional_parameters=True)
    if "input_schema" not in entry:
        raise origin.error("the tool has no input_schema.", place, _SHAPE)
    return tool_of(
        name, entry["input_schema"], (*place, "input_schema"), origin, description=description
    )


def _write(catalog: Catalog) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": input_to_write(tool)}
        for tool in catalog
    ]


ANTHROPIC: Format[Catalog] = Format(
    name="anthropic",
    kind="catalog",
    looks='objects with "input_schema"',
    detects=_detects,
    read=_read,
    write=_write,
)


_LISTS = ("functionDeclarations", "function_declarations")
_INPUTS = ("parametersJsonSchema", "parameters_json_schema")
_OUTPUTS = ("responseJsonSchema", "response_json_schema")
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_SHAPE_GEMINI = (
    'Write {"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}.'
)


def _is_declaration(entry: Any) -> bool:
    if not isinstance(entry, dict) or "name" not in entry:
        return False
    return any(key in entry for key in (*_INPUTS, *_OUTPUTS)) or (
        is_function(entry) and entry["parameters"]["type"] == "OBJECT" and "type" not in entry
    )


def _is_tool_gemini(entry: Any) -> bool:
    return isinstance(entry, dict) and (
        any(key in entry for key in _LISTS) or _is_declaration(entry)
    )


def _is_run_elsewhere(entry: Any) -> bool:
    if not isinstance(entry, dict) or not entry or "name" in entry:
        return False
    return all(isinstance(settings, dict) for settings in entry.values())


def _detects_gemini(data: Any) -> bool:
    return any_entry(data, ("tools",), _is_tool_gemini)


def _entries(data: Any, origin: Origin) -> Iterator[tuple[FieldPlace, Any]]:
    """Yield the declarations of every tool."""
    for place, entry in entries_of(data, ("tools",), origin, _SHAPE_GEMINI):
        held = [key for key in _LISTS if isinstance(entry, dict) and key in entry]
        if not held and not (place and _is_run_elsewhere(entry)):
            yield place, entry
        for key in held:
            for inner, declaration in entries_of(entry[key], (), origin, _SHAPE_GEMINI):
                yield (*place, key, *inner), declaration


def _read_gemini(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries(data, origin), _tool_gemini, origin, format="gemini")


def _tool_gemini(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE_GEMINI)
    key, schema = _schema(entry, _INPUTS, "parameters")
    tool = tool_of(
        name,
        schema,
        (*place, key),
        origin,
        description=text_in(entry, "description", place, origin),
    )
    key, schema = _schema(entry, _OUTPUTS, "response")
    return tool.model_copy(update={"output_schema": output_of(schema, (*place, key), origin)})


def _schema(entry: dict[str, Any], plain: tuple[str, ...], own: str) -> tuple[str, Any]:
    """Return the schema that an entry gives in JSON Schema or in Gemini's own words, and its key."""
    for key in plain:
        if entry.get(key) is not None:
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


def _write_gemini(catalog: Catalog) -> list[dict[str, Any]]:
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


GEMINI: Format[Catalog] = Format(
    name="gemini",
    kind="catalog",
    looks='objects with "functionDeclarations"',
    detects=_detects_gemini,
    read=_read_gemini,
    write=_write_gemini,
)


_SHAPE_MCP = 'Write {"name": ..., "inputSchema": {"type": "object", ...}}.'


def _is_tool_mcp(entry: Any) -> bool:
    return isinstance(entry, dict) and "inputSchema" in entry


def _is_page(data: Any) -> bool:
    """Whether this is an answer, or the result in one."""
    if not isinstance(data, dict):
        return False
    result = data.get("result")
    return (
        "jsonrpc" in data
        or (isinstance(result, dict) and isinstance(result.get("tools"), list))
        or ("tools" in data and any_entry(data, ("tools",), _is_tool_mcp))
    )


def _detects_mcp(data: Any) -> bool:
    return _is_page(data) or any_entry(
        data, (), lambda entry: _is_tool_mcp(entry) or _is_page(entry)
    )


def _entries_mcp(data: Any, place: FieldPlace, origin: Origin) -> Iterator[tuple[FieldPlace, Any]]:
    """Yield the tools of every page."""
    if isinstance(data, dict) and "jsonrpc" in data and "result" not in data:
        error = data.get("error")
        said = (
            f": {shown(error['message'], LONGEST_TEXT)}"
            if isinstance(error, dict) and "message" in error
            else ""
        )
        raise origin.error(
            f"this answer holds no result{said}.", place, "Give the answer to `tools/list`."
        )
    if isinstance(data, dict) and "result" in data:
        data, place = data["result"], (*place, "result")
        if not isinstance(data, dict) or "tools" not in data:
            raise origin.error(
                "this result holds no tools.", place, "Give the answer to `tools/list`."
            )
    if isinstance(data, list) and any(_is_page(entry) for entry in data):
        for index, page in enumerate(data):
            yield from _entries_mcp(page, (*place, index), origin)
        return
    for inner, entry in entries_of(data, ("tools",), origin, _SHAPE_MCP):
        yield (*place, *inner), entry


def _read_mcp(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries_mcp(data, (), origin), _tool_mcp, origin, format="mcp")


def _tool_mcp(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE_MCP)
    return tool_of(
        name,
        entry.get("inputSchema"),
        (*place, "inputSchema"),
        origin,
        description=text_in(entry, "description", place, origin),
        effect=effect_of_annotations(entry.get("annotations")),
        output_schema=output_of(entry.get("outputSchema"), (*place, "outputSchema"), origin),
    )


def _write_mcp(catalog: Catalog) -> dict[str, Any]:
    return {"tools": [_tool_data(tool) for tool in catalog]}


def _tool_data(tool: Tool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": input_to_write(tool),
    }
    if tool.output_schema is not None:
        data["outputSchema"] = standard(tool.output_schema)
    if annotations := annotations_of(tool.effect):
        data["annotations"] = annotations
    return data


MCP: Format[Catalog] = Format(
    name="mcp",
    kind="catalog",
    looks='objects with "inputSchema", or an answer to `tools/list`',
    detects=_detects_mcp,
    read=_read_mcp,
    write=_write_mcp,
)


_KEYS = ("tools", "functions")
_SHAPE_OPENAI = (
    'Write {"type": "function", "function": {"name": ..., "parameters": {"type": "object", ...}}}.'
)
_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def _is_tool_openai(entry: Any) -> bool:
    if not isinstance(entry, dict) or "input_schema" in entry or "inputSchema" in entry:
        return False
    kind = entry.get("type")
    if kind in ("function", "custom"):
        return True
    inner = entry.get("function")
    if kind is None and isinstance(inner, dict) and "name" in inner:
        return True
    return (
        is_function(entry) and entry["parameters"]["type"] != "OBJECT" and "api_name" not in entry
    )


def _detects_openai(data: Any) -> bool:
    if isinstance(data, dict) and "functions" in data and "library_name" not in data:
        return data["functions"] == [] or any_entry(data, _KEYS, _is_tool_openai)
    return any_entry(data, _KEYS, _is_tool_openai)


def _read_openai(data: Any, origin: Origin) -> Catalog:
    return catalog_of(
        entries_of(data, _KEYS, origin, _SHAPE_OPENAI), _tool_openai, origin, format="openai"
    )


def _tool_openai(entry: Any, place: FieldPlace, origin: Origin) -> Tool | None:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if isinstance(kind, str) and kind not in ("function", "custom"):
        return None
    key = kind if isinstance(kind, str) else "function"
    if isinstance(entry, dict) and key in entry:
        entry, place = entry[key], (*place, key)
    name = name_in(entry, place, origin, _SHAPE_OPENAI)
    return tool_of(
        name,
        _TEXT if kind == "custom" else entry.get("parameters"),
        (*place, "parameters"),
        origin,
        description=text_in(entry, "description", place, origin),
    )


def _write_openai(catalog: Catalog) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": input_to_write(tool),
            },
        }
        for tool in catalog
    ]


OPENAI: Format[Catalog] = Format(
    name="openai",
    kind="catalog",
    looks='objects with "type": "function" and "parameters"',
    detects=_detects_openai,
    read=_read_openai,
    write=_write_openai,
)
