"""Catalogs as chat providers and MCP servers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats import catalogs
from refract_asp.formats.registry import Format
from refract_asp.formats.source import Origin
from refract_asp.model import Catalog, Tool
from refract_asp.model.schemas import JsonSchema


def _described(tool: Tool, input_key: str, output_key: str = "") -> dict[str, Any]:
    """Print a tool as an object with its name, its description and its schemas."""
    data = {
        "name": tool.name,
        "description": tool.description,
        input_key: catalogs.input_to_write(tool),
    }
    if output_key and tool.output_schema is not None:
        data[output_key] = catalogs.standard(tool.output_schema)
    return data


# -- Anthropic -------------------------------------------------------------------------

_ANTHROPIC_SHAPE = (
    'Write {"name": ..., "description": ..., "input_schema": {"type": "object", ...}}.'
)
_DATED = re.compile(r"[a-z][a-z_]*_\d{8}")


def _is_dated(entry: dict[str, Any]) -> bool:
    """Whether an entry names a tool of Anthropic's own, which has no schema."""
    kind = entry.get("type")
    return isinstance(kind, str) and _DATED.fullmatch(kind) is not None


def _anthropic_tool(entry: Any, at: Origin) -> Tool:
    name = catalogs.name_in(entry, at, _ANTHROPIC_SHAPE)
    description = catalogs.text_in(entry, "description", at)
    if "input_schema" in entry:
        schema = entry["input_schema"]
        return catalogs.tool_of(name, schema, at.inside("input_schema"), description=description)
    at.need(_is_dated(entry), "the tool has no input_schema.", hint=_ANTHROPIC_SHAPE)
    return Tool(name=name, description=description, additional_parameters=True)


ANTHROPIC = catalogs.list_format(
    "anthropic",
    'objects with "input_schema"',
    _ANTHROPIC_SHAPE,
    _anthropic_tool,
    lambda entry: isinstance(entry, dict) and ("input_schema" in entry or _is_dated(entry)),
    lambda catalog: [_described(tool, "input_schema") for tool in catalog],
    ("tools",),
)


# -- Gemini ----------------------------------------------------------------------------

_LISTS = ("functionDeclarations", "function_declarations")
_INPUTS = ("parametersJsonSchema", "parameters_json_schema")
_OUTPUTS = ("responseJsonSchema", "response_json_schema")
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_GEMINI_SHAPE = (
    'Write {"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}.'
)


def _is_gemini(entry: Any) -> bool:
    if not isinstance(entry, dict) or any(key in entry for key in _LISTS):
        return isinstance(entry, dict)
    in_json_schema = "name" in entry and any(key in entry for key in (*_INPUTS, *_OUTPUTS))
    return in_json_schema or (
        catalogs.is_function(entry)
        and entry["parameters"]["type"] == "OBJECT"
        and "type" not in entry
    )


def _gemini_entries(data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
    """Yield the declarations of every tool; tools that Google runs have settings alone, and are passed over."""
    for at, entry in catalogs.entries_of(data, ("tools",), origin, _GEMINI_SHAPE):
        held = [key for key in _LISTS if isinstance(entry, dict) and key in entry]
        is_run_elsewhere = (
            at.base != origin.base
            and isinstance(entry, dict)
            and bool(entry)
            and "name" not in entry
            and all(isinstance(settings, dict) for settings in entry.values())
        )
        if not held and not is_run_elsewhere:
            yield at, entry
        for key in held:
            yield from catalogs.entries_of(entry[key], (), at.inside(key), _GEMINI_SHAPE)


def _gemini_tool(entry: Any, at: Origin) -> Tool:
    name = catalogs.name_in(entry, at, _GEMINI_SHAPE)
    description = catalogs.text_in(entry, "description", at)

    def schema_of(plain: tuple[str, ...], own: str) -> tuple[str, Any]:
        """Return the schema that stands here in JSON Schema or in Gemini's own words, after its key."""
        for key in plain:
            if entry.get(key) is not None:
                return key, entry[key]
        return own, catalogs.mapped(entry.get(own), _in_json_schema)

    key, schema = schema_of(_INPUTS, "parameters")
    tool = catalogs.tool_of(name, schema, at.inside(key), description=description)
    key, schema = schema_of(_OUTPUTS, "response")
    output = None if schema is None else catalogs.as_mapping(schema, at.inside(key))
    return tool.model_copy(update={"output_schema": output})


def _in_json_schema(schema: JsonSchema) -> JsonSchema:
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


GEMINI: Format[Catalog] = Format(
    name="gemini",
    kind="catalog",
    looks='objects with "functionDeclarations"',
    detects=lambda data: catalogs.any_entry(data, ("tools",), _is_gemini),
    read=lambda data, origin: catalogs.catalog_of(
        _gemini_entries(data, origin), _gemini_tool, format="gemini"
    ),
    write=lambda catalog: [
        {
            "functionDeclarations": [
                _described(tool, "parametersJsonSchema", "responseJsonSchema") for tool in catalog
            ]
        }
    ],
)


# -- the Model Context Protocol --------------------------------------------------------

_MCP_SHAPE = 'Write {"name": ..., "inputSchema": {"type": "object", ...}}.'


def _is_mcp_tool(entry: Any) -> bool:
    return isinstance(entry, dict) and "inputSchema" in entry


def _is_page(data: Any) -> bool:
    """Whether this is an answer to `tools/list`, or the result in one."""
    match data:
        case {"jsonrpc": _} | {"result": {"tools": list()}}:
            return True
    return (
        isinstance(data, dict)
        and "tools" in data
        and catalogs.any_entry(data, ("tools",), _is_mcp_tool)
    )


def _mcp_entries(data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
    """Yield the tools of every page."""
    hint = "Give the answer to `tools/list`."
    if isinstance(data, dict) and "result" in data:
        data, origin = data["result"], origin.inside("result")
        has_tools = isinstance(data, dict) and "tools" in data
        origin.need(has_tools, "this result holds no tools.", hint=hint)
    elif isinstance(data, dict) and "jsonrpc" in data:
        error: Any = data.get("error")
        has_message = isinstance(error, dict) and "message" in error
        told = f": {shown(error['message'], LONGEST_TEXT)}" if has_message else ""
        raise origin.error(f"this answer holds no result{told}.", (), hint)
    if isinstance(data, list) and any(map(_is_page, data)):
        for index, page in enumerate(data):
            yield from _mcp_entries(page, origin.inside(index))
    else:
        yield from catalogs.entries_of(data, ("tools",), origin, _MCP_SHAPE)


def _mcp_tool(entry: Any, at: Origin) -> Tool:
    name = catalogs.name_in(entry, at, _MCP_SHAPE)
    description = catalogs.text_in(entry, "description", at)
    output = entry.get("outputSchema")
    return catalogs.tool_of(
        name,
        entry.get("inputSchema"),
        at.inside("inputSchema"),
        description=description,
        effect=catalogs.effect_of_annotations(entry.get("annotations")),
        output_schema=None
        if output is None
        else catalogs.as_mapping(output, at.inside("outputSchema")),
    )


def _mcp_data(tool: Tool) -> dict[str, Any]:
    data = _described(tool, "inputSchema", "outputSchema")
    if tool.effect == "read":
        data["annotations"] = {"readOnlyHint": True}
    elif tool.effect != "unknown":
        is_destructive = tool.effect == "destructive"
        data["annotations"] = {"readOnlyHint": False, "destructiveHint": is_destructive}
    return data


MCP: Format[Catalog] = Format(
    name="mcp",
    kind="catalog",
    looks='objects with "inputSchema", or an answer to `tools/list`',
    detects=lambda data: (
        _is_page(data)
        or catalogs.any_entry(data, (), lambda entry: _is_mcp_tool(entry) or _is_page(entry))
    ),
    read=lambda data, origin: catalogs.catalog_of(
        _mcp_entries(data, origin), _mcp_tool, format="mcp"
    ),
    write=lambda catalog: {"tools": [_mcp_data(tool) for tool in catalog]},
)


# -- OpenAI ----------------------------------------------------------------------------

_KEYS = ("tools", "functions")
_OPENAI_SHAPE = (
    'Write {"type": "function", "function": {"name": ..., "parameters": {"type": "object", ...}}}.'
)
_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""The arguments of a custom tool: one text."""


def _is_openai_tool(entry: Any) -> bool:
    match entry:
        case {"input_schema": _} | {"inputSchema": _}:
            return False
        case {"type": "function" | "custom"}:
            return True
        case {"function": {"name": _}} if entry.get("type") is None:
            return True
    if not catalogs.is_function(entry) or "api_name" in entry:
        return False
    return bool(entry["parameters"]["type"] != "OBJECT")


def _detects_openai(data: Any) -> bool:
    if isinstance(data, dict) and data.get("functions") == [] and "library_name" not in data:
        return True
    return catalogs.any_entry(data, _KEYS, _is_openai_tool)


def _openai_tool(entry: Any, at: Origin) -> Tool | None:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if isinstance(kind, str) and kind not in ("function", "custom"):
        return None
    key = kind if isinstance(kind, str) else "function"
    if isinstance(entry, dict) and key in entry:
        entry, at = entry[key], at.inside(key)
    name = catalogs.name_in(entry, at, _OPENAI_SHAPE)
    schema = _TEXT if kind == "custom" else entry.get("parameters")
    description = catalogs.text_in(entry, "description", at)
    return catalogs.tool_of(name, schema, at.inside("parameters"), description=description)


OPENAI: Format[Catalog] = Format(
    name="openai",
    kind="catalog",
    looks='objects with "type": "function" and "parameters"',
    detects=_detects_openai,
    read=lambda data, origin: catalogs.catalog_of(
        catalogs.entries_of(data, _KEYS, origin, _OPENAI_SHAPE), _openai_tool, format="openai"
    ),
    write=lambda catalog: [
        {"type": "function", "function": _described(tool, "parameters")} for tool in catalog
    ],
)
