"""Catalogs as chat providers and MCP servers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats.catalogs import (
    Entry,
    described_tool,
    effect_of_annotations,
    entries_of,
    is_function,
    list_format,
    name_in,
    text_in,
    tool_data,
)
from refract_asp.formats.values import Origin
from refract_asp.model import Tool
from refract_asp.model.schemas import JsonSchema

# -- Anthropic -------------------------------------------------------------------------

_ANTHROPIC_SHAPE = (
    'Write {"name": ..., "description": ..., "input_schema": {"type": "object", ...}}.'
)
# The types of Anthropic's own tools, which have no schema.
_DATED = re.compile(r"[a-z][a-z_]*_\d{8}")


def _is_anthropic(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    return "input_schema" in entry or _DATED.fullmatch(str(entry.get("type"))) is not None


def _anthropic_tool(entry: Any, at: Origin) -> Tool:
    if isinstance(entry, dict) and "input_schema" not in entry:
        name = name_in(entry, at, _ANTHROPIC_SHAPE)
        what = "the tool has no input_schema."
        at.need(_is_anthropic(entry), what, hint=_ANTHROPIC_SHAPE)
        about = text_in(entry, "description", at)
        return Tool(name=name, description=about, additional_parameters=True)
    return described_tool(entry, at, _ANTHROPIC_SHAPE, ("input_schema",))


ANTHROPIC = list_format(
    "anthropic",
    'objects with "input_schema"',
    _ANTHROPIC_SHAPE,
    _anthropic_tool,
    _is_anthropic,
    lambda catalog: [tool_data(tool, "input_schema") for tool in catalog],
    ("tools",),
)


# -- Gemini ----------------------------------------------------------------------------

_LISTS = ("functionDeclarations", "function_declarations")
_INPUTS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
_OUTPUTS = ("responseJsonSchema", "response_json_schema", "response")
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_GEMINI_SHAPE = (
    'Write {"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}.'
)


def _is_gemini(entry: Any) -> bool:
    if not isinstance(entry, dict) or any(key in entry for key in _LISTS):
        return isinstance(entry, dict)
    if "name" in entry and any(key in entry for key in (*_INPUTS[:2], *_OUTPUTS[:2])):
        return True
    in_capitals = is_function(entry) and entry["parameters"]["type"] == "OBJECT"
    return in_capitals and "type" not in entry


def _gemini_entries(data: Any, origin: Origin) -> Iterator[Entry]:
    """Yield the declarations of every tool; tools that Google runs have settings alone, and are passed over."""
    for at, entry in entries_of(data, ("tools",), origin, _GEMINI_SHAPE):
        fields = entry if isinstance(entry, dict) else {}
        held = [key for key in _LISTS if key in fields]
        are_settings = fields and all(isinstance(value, dict) for value in fields.values())
        if not held and (at.base == origin.base or not are_settings or "name" in fields):
            yield at, entry
        for key in held:
            yield from entries_of(fields[key], (), at.inside(key), _GEMINI_SHAPE)


def _in_json_schema(schema: JsonSchema) -> JsonSchema:
    """Write types in small letters, and counts, which Google's JSON holds as texts, as numbers."""
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


GEMINI = list_format(
    "gemini",
    'objects with "functionDeclarations"',
    _GEMINI_SHAPE,
    lambda entry, at: described_tool(
        entry, at, _GEMINI_SHAPE, _INPUTS, _OUTPUTS, change=_in_json_schema
    ),
    _is_gemini,
    lambda catalog: [{_LISTS[0]: [tool_data(tool, _INPUTS[0], _OUTPUTS[0]) for tool in catalog]}],
    ("tools",),
    entries=_gemini_entries,
)


# -- the Model Context Protocol --------------------------------------------------------

_MCP_SHAPE = 'Write {"name": ..., "inputSchema": {"type": "object", ...}}.'


def _is_mcp(data: Any) -> bool:
    """Whether this is a tool, an answer to `tools/list`, or the result in one."""
    match data:
        case {"inputSchema": _} | {"jsonrpc": _} | {"result": {"tools": list()}}:
            return True
        case {"tools": list(tools)}:
            return any(isinstance(tool, dict) and "inputSchema" in tool for tool in tools)
    return False


def _mcp_entries(data: Any, origin: Origin) -> Iterator[Entry]:
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
    if isinstance(data, list) and any(_is_mcp(page) and "inputSchema" not in page for page in data):
        for index, page in enumerate(data):
            yield from _mcp_entries(page, origin.inside(index))
    else:
        yield from entries_of(data, ("tools",), origin, _MCP_SHAPE)


def _mcp_data(tool: Tool) -> dict[str, Any]:
    data = tool_data(tool, "inputSchema", "outputSchema")
    if tool.effect == "read":
        data["annotations"] = {"readOnlyHint": True}
    elif tool.effect != "unknown":
        is_destructive = tool.effect == "destructive"
        data["annotations"] = {"readOnlyHint": False, "destructiveHint": is_destructive}
    return data


MCP = list_format(
    "mcp",
    'objects with "inputSchema", or an answer to `tools/list`',
    _MCP_SHAPE,
    lambda entry, at: described_tool(
        entry,
        at,
        _MCP_SHAPE,
        ("inputSchema",),
        ("outputSchema",),
        effect=effect_of_annotations(isinstance(entry, dict) and entry.get("annotations")),
    ),
    _is_mcp,
    lambda catalog: {"tools": [_mcp_data(tool) for tool in catalog]},
    entries=_mcp_entries,
)


# -- OpenAI ----------------------------------------------------------------------------

_KEYS = ("tools", "functions")
_OPENAI_SHAPE = (
    'Write {"type": "function", "function": {"name": ..., "parameters": {"type": "object", ...}}}.'
)
# The arguments of a custom tool: one text.
_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def _is_openai(entry: Any) -> bool:
    match entry:
        case {"input_schema": _} | {"inputSchema": _}:
            return False
        case {"type": "function" | "custom"}:
            return True
        case {"function": {"name": _}} if entry.get("type") is None:
            return True
    is_other = not is_function(entry) or "api_name" in entry
    return not is_other and entry["parameters"]["type"] != "OBJECT"


def _openai_tool(entry: Any, at: Origin) -> Tool | None:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if isinstance(kind, str) and kind not in ("function", "custom"):
        return None
    key = kind if isinstance(kind, str) else "function"
    if isinstance(entry, dict) and key in entry:
        entry, at = entry[key], at.inside(key)
    if kind == "custom":
        entry = {**entry, "parameters": _TEXT} if isinstance(entry, dict) else entry
    return described_tool(entry, at, _OPENAI_SHAPE, ("parameters",))


OPENAI = list_format(
    "openai",
    'objects with "type": "function" and "parameters"',
    _OPENAI_SHAPE,
    _openai_tool,
    _is_openai,
    lambda catalog: [
        {"type": "function", "function": tool_data(tool, "parameters")} for tool in catalog
    ],
    _KEYS,
    detects=lambda data: (
        isinstance(data, dict) and data.get("functions") == [] and "library_name" not in data
    ),
)
