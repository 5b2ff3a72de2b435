"""
The catalog of Seal-Tools, one tool a line or in a list.

    {"api_name": "searchBook", "api_description": ..., "required": ["title"],
     "parameters": {"title": {"type": "str", "description": ...}}, "responses": {"id": {"type": "str"}}}

Types are words of Python and stay as they are. Without "responses" nothing is known of the output. Nothing
is said of effects. The format is only read.
"""

from __future__ import annotations

from typing import Any

from refract_asp.formats.entries import any_entry, catalog_of, entries_of, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import object_schema, tool_of
from refract_asp.model import Catalog, Tool

__all__ = ["FORMAT"]

_SHAPE = 'Write {"api_name": ..., "parameters": {...}, "required": [...], "responses": {...}}.'


def _detects(data: Any) -> bool:
    return any_entry(data, (), lambda entry: isinstance(entry, dict) and "api_name" in entry)


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries_of(data, (), origin, _SHAPE), _tool, origin, format="seal")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE, "api_name")
    parameters = object_schema(entry.get("parameters") or {}, (*place, "parameters"), origin)
    outputs = entry.get("responses")
    return tool_of(
        name,
        {**parameters, "required": entry.get("required") or []},
        place,
        origin,
        description=text_in(entry, "api_description", place, origin),
        output_schema=None if outputs is None else object_schema(outputs, (*place, "responses"), origin),
    )


FORMAT: Format[Catalog] = Format(
    name="seal",
    kind="catalog",
    looks='objects with "api_name"',
    detects=_detects,
    read=_read,
    write=None,
)
