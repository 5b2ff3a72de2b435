"""
NESTFUL specifications as catalogs.

    [{"name": ..., "description": ..., "method": ..., "query_parameters": {...}, "output_parameters": {...}}]

A parameter is required when it says `"required": true`; `"optional": true` and silence mean that it is not.
The HTTP method gives the effect. Without "output_parameters" nothing is known of the output. Types that
JSON does not know stay as they are. Other keys of a tool are passed over. In print is lost what the format
has no words for: outputs that are no object, undeclared parameters being allowed, definitions that parameters
share, and that a parameter is required whose own schema says `"required": [...]`.
"""

from __future__ import annotations

from typing import Any

from refract_asp.formats.effects import METHODS, effect_of_method
from refract_asp.formats.entries import catalog_of, entries_of, name_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import object_schema, whole_schema
from refract_asp.model import Catalog, Parameter, Tool

__all__ = ["FORMAT"]

_SHAPE = 'Write {"name": ..., "query_parameters": {...}, "output_parameters": {...}}.'


def _is_tool(data: Any) -> bool:
    return isinstance(data, dict) and ("query_parameters" in data or "output_parameters" in data)


def _detects(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return not data or any(_is_tool(entry) for entry in data)
    return _is_tool(data)


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries_of(data, (), origin, _SHAPE), _tool, origin, format="nestful")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE)
    key = "query_parameters" if "query_parameters" in entry or "parameters" not in entry else "parameters"
    parameters = entry.get(key) or {}
    if not isinstance(parameters, dict):
        raise origin.error("an object of names and schemas is needed.", (*place, key), _SHAPE)
    outputs = entry.get("output_parameters")
    return Tool(
        name=name,
        description=str(entry.get("description") or ""),
        effect=effect_of_method(entry.get("method")),
        parameters={p: _parameter(p, raw, (*place, key, p), origin) for p, raw in parameters.items()},
        output_schema=None
        if outputs is None
        else object_schema(outputs, (*place, "output_parameters"), origin),
    )


def _parameter(name: str, raw: Any, place: FieldPlace, origin: Origin) -> Parameter:
    schema = whole_schema(raw, place, origin)
    required = False
    if not isinstance(schema.get("required"), list):
        required = schema.pop("required", False)
    optional = schema.pop("optional", False) if isinstance(schema.get("optional"), bool) else False
    if not isinstance(required, bool):
        raise origin.error("true or false is needed.", (*place, "required"))
    if "allowed_values" in schema:
        schema.setdefault("enum", schema.pop("allowed_values"))
    if not isinstance(schema.get("enum", []), list):
        raise origin.error("the allowed values have to be a list.", (*place, "enum"))
    return Parameter(name=name, required=required and not optional, json_schema=schema)


def _write(catalog: Catalog) -> list[dict[str, Any]]:
    entries = []
    for tool in catalog.tools:
        entry: dict[str, Any] = {"name": tool.name, "description": tool.description}
        if tool.effect in METHODS:
            entry["method"] = METHODS[tool.effect]
        entry["query_parameters"] = {
            name: {"required": parameter.required, **parameter.json_schema}
            for name, parameter in tool.parameters.items()
        }
        if tool.output_schema is not None:
            entry["output_parameters"] = tool.output_schema.get("properties", {})
        entries.append(entry)
    return entries


FORMAT: Format[Catalog] = Format(
    name="nestful",
    kind="catalog",
    looks='objects with "name", "query_parameters" and "output_parameters"',
    detects=_detects,
    read=_read,
    write=_write,
)
