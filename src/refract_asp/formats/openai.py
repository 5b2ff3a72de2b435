"""
OpenAI's function tools as catalogs, of the chat and of the Responses interface.

    [{"type": "function", "function": {
        "name": "search", "description": ...,
        "parameters": {"type": "object", "properties": {...}, "required": [...]}}}]
    [{"type": "function", "name": "search", "description": ..., "parameters": {...}}]

A list, an object that holds it under "tools" or (as of old) "functions", or one tool. The wrapping may be
missing: `{"name": ..., "parameters": {"type": "object", ...}}`. A custom tool takes one text, here the
parameter `input`. Tools that OpenAI runs itself (`{"type": "web_search"}`) have no calls of the model's
making and are passed over.

Written as for the chat interface. The format has no words for effects and outputs; they are lost in print,
as are words for types that JSON Schema does not know.
"""

from __future__ import annotations

from typing import Any

from refract_asp.formats.entries import any_entry, catalog_of, entries_of, is_function, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import tool_of
from refract_asp.formats.standard import input_to_write
from refract_asp.model import Catalog, Tool

__all__ = ["FORMAT"]

_KEYS = ("tools", "functions")
_SHAPE = 'Write {"type": "function", "function": {"name": ..., "parameters": {"type": "object", ...}}}.'
_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def _is_tool(entry: Any) -> bool:
    if not isinstance(entry, dict) or "input_schema" in entry or "inputSchema" in entry:
        return False
    kind = entry.get("type")
    if kind in ("function", "custom"):
        return True
    inner = entry.get("function")
    if kind is None and isinstance(inner, dict) and "name" in inner:
        return True
    return is_function(entry) and entry["parameters"]["type"] != "OBJECT" and "api_name" not in entry


def _detects(data: Any) -> bool:
    if isinstance(data, dict) and "functions" in data and "library_name" not in data:
        return data["functions"] == [] or any_entry(data, _KEYS, _is_tool)
    return any_entry(data, _KEYS, _is_tool)


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries_of(data, _KEYS, origin, _SHAPE), _tool, origin, format="openai")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool | None:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if isinstance(kind, str) and kind not in ("function", "custom"):
        return None
    key = kind if isinstance(kind, str) else "function"
    if isinstance(entry, dict) and key in entry:
        entry, place = entry[key], (*place, key)
    name = name_in(entry, place, origin, _SHAPE)
    return tool_of(
        name,
        _TEXT if kind == "custom" else entry.get("parameters"),
        (*place, "parameters"),
        origin,
        description=text_in(entry, "description", place, origin),
    )


def _write(catalog: Catalog) -> list[dict[str, Any]]:
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


FORMAT: Format[Catalog] = Format(
    name="openai",
    kind="catalog",
    looks='objects with "type": "function" and "parameters"',
    detects=_detects,
    read=_read,
    write=_write,
)
