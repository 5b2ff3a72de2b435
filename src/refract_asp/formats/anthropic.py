"""
Anthropic's tools as catalogs.

    [{"name": "search", "description": ...,
      "input_schema": {"type": "object", "properties": {...}, "required": [...]}}]

A list, an object that holds it under "tools", or one tool. Tools that Anthropic defines have a dated type
and no schema (`{"type": "bash_20250124", "name": "bash"}`): they may be called with any arguments.

The format has no words for effects and outputs; they are lost in print, as are words for types that JSON
Schema does not know.
"""

from __future__ import annotations

import re
from typing import Any

from refract_asp.formats.entries import any_entry, catalog_of, entries_of, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import tool_of
from refract_asp.formats.standard import input_to_write
from refract_asp.model import Catalog, Tool

__all__ = ["FORMAT"]

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
    return catalog_of(entries_of(data, ("tools",), origin, _SHAPE), _tool, origin, format="anthropic")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE)
    description = text_in(entry, "description", place, origin)
    if "input_schema" not in entry and _is_dated(entry):
        return Tool(name=name, description=description, additional_parameters=True)
    if "input_schema" not in entry:
        raise origin.error("the tool has no input_schema.", place, _SHAPE)
    return tool_of(name, entry["input_schema"], (*place, "input_schema"), origin, description=description)


def _write(catalog: Catalog) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": input_to_write(tool)}
        for tool in catalog
    ]


FORMAT: Format[Catalog] = Format(
    name="anthropic",
    kind="catalog",
    looks='objects with "input_schema"',
    detects=_detects,
    read=_read,
    write=_write,
)
