"""
The tools of a server of the Model Context Protocol as catalogs.

    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [
        {"name": "search", "description": ..., "inputSchema": {"type": "object", "properties": {...}},
         "outputSchema": {...}, "annotations": {"readOnlyHint": true}}]}}

A whole answer to `tools/list`, its result, the list alone, one tool, or a list (or lines) of answers, one
for each page. `outputSchema` says what a result holds as `structuredContent`; without it nothing is known
of the output.

The annotations give the effect: `readOnlyHint: true` is read; else `destructiveHint: false` is write; else
`destructiveHint: true`, and by the default of the protocol `readOnlyHint: false` alone, is destructive.
Neither hint says nothing. They are the words of the server: whoever does not trust it sets effects in a
native catalog.

Everything is written but words for types that JSON Schema does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats.effects import annotations_of, effect_of_annotations
from refract_asp.formats.entries import any_entry, catalog_of, entries_of, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import output_of, tool_of
from refract_asp.formats.standard import input_to_write, standard
from refract_asp.model import Catalog, Tool

__all__ = ["FORMAT"]

_SHAPE = 'Write {"name": ..., "inputSchema": {"type": "object", ...}}.'


def _is_tool(entry: Any) -> bool:
    return isinstance(entry, dict) and "inputSchema" in entry


def _is_page(data: Any) -> bool:
    """Whether this is an answer, or the result in one."""
    if not isinstance(data, dict):
        return False
    result = data.get("result")
    return (
        "jsonrpc" in data
        or (isinstance(result, dict) and isinstance(result.get("tools"), list))
        or ("tools" in data and any_entry(data, ("tools",), _is_tool))
    )


def _detects(data: Any) -> bool:
    return _is_page(data) or any_entry(data, (), lambda entry: _is_tool(entry) or _is_page(entry))


def _entries(data: Any, place: FieldPlace, origin: Origin) -> Iterator[tuple[FieldPlace, Any]]:
    """Yield the tools of every page."""
    if isinstance(data, dict) and "jsonrpc" in data and "result" not in data:
        error = data.get("error")
        said = (
            f": {shown(error['message'], LONGEST_TEXT)}"
            if isinstance(error, dict) and "message" in error
            else ""
        )
        raise origin.error(f"this answer holds no result{said}.", place, "Give the answer to `tools/list`.")
    if isinstance(data, dict) and "result" in data:
        data, place = data["result"], (*place, "result")
        if not isinstance(data, dict) or "tools" not in data:
            raise origin.error("this result holds no tools.", place, "Give the answer to `tools/list`.")
    if isinstance(data, list) and any(_is_page(entry) for entry in data):
        for index, page in enumerate(data):
            yield from _entries(page, (*place, index), origin)
        return
    for inner, entry in entries_of(data, ("tools",), origin, _SHAPE):
        yield (*place, *inner), entry


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries(data, (), origin), _tool, origin, format="mcp")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE)
    return tool_of(
        name,
        entry.get("inputSchema"),
        (*place, "inputSchema"),
        origin,
        description=text_in(entry, "description", place, origin),
        effect=effect_of_annotations(entry.get("annotations")),
        output_schema=output_of(entry.get("outputSchema"), (*place, "outputSchema"), origin),
    )


def _write(catalog: Catalog) -> dict[str, Any]:
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


FORMAT: Format[Catalog] = Format(
    name="mcp",
    kind="catalog",
    looks='objects with "inputSchema", or an answer to `tools/list`',
    detects=_detects,
    read=_read,
    write=_write,
)
