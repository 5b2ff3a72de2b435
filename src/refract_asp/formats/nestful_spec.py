"""
NESTFUL specifications as catalogs.

    [{"name": ..., "description": ..., "method": ..., "query_parameters": {...}, "output_parameters": {...}}]

A parameter is required when it says `"required": true`; `"optional": true` and silence mean that it is not.
The HTTP method gives the effect. Without "output_parameters" nothing is known of the output. Types that
JSON does not know stay as they are. Other keys of a tool are passed over. In print is lost what the format
has no words for: outputs that are no object, undeclared parameters being allowed, and that a parameter is
required whose own schema says `"required": [...]`.
"""

from __future__ import annotations

from typing import Any

from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import catalog_of, object_schema, whole_schema
from refract_asp.model import Catalog, Effect, Parameter, Tool

__all__ = ["FORMAT"]

_EFFECTS: dict[str, Effect] = {
    "GET": "read", "HEAD": "read", "PUT": "write", "POST": "write", "PATCH": "write", "DELETE": "destructive",
}  # fmt: skip
_METHODS: dict[Effect, str] = {"read": "GET", "write": "POST", "destructive": "DELETE"}
_SHAPE = 'Write {"name": ..., "query_parameters": {...}, "output_parameters": {...}}.'


def _is_tool(data: Any) -> bool:
    return isinstance(data, dict) and ("query_parameters" in data or "output_parameters" in data)


def _detects(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return not data or any(_is_tool(entry) for entry in data)
    return _is_tool(data)


def _read(data: Any, origin: Origin) -> Catalog:
    alone = isinstance(data, dict)
    entries = [data] if alone else data
    if not isinstance(entries, list | tuple):
        raise origin.error("a list of tools is needed.", hint=_SHAPE)
    places: list[FieldPlace] = [() if alone else (index,) for index in range(len(entries))]
    tools = [_tool(entry, place, origin) for entry, place in zip(entries, places, strict=True)]
    return catalog_of(tools, places, origin, "", "nestful")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    if not isinstance(entry, dict):
        raise origin.error("an object is needed for each tool.", place, _SHAPE)
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise origin.error("the name of the tool is needed, as a text.", (*place, "name"), _SHAPE)
    key = "query_parameters" if "query_parameters" in entry or "parameters" not in entry else "parameters"
    parameters = entry.get(key) or {}
    if not isinstance(parameters, dict):
        raise origin.error("an object of names and schemas is needed.", (*place, key), _SHAPE)
    outputs = entry.get("output_parameters")
    method = entry.get("method")
    return Tool(
        name=name,
        description=str(entry.get("description") or ""),
        effect=_EFFECTS.get(method.upper(), "unknown") if isinstance(method, str) else "unknown",
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
        if tool.effect in _METHODS:
            entry["method"] = _METHODS[tool.effect]
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
