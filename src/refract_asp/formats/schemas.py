"""The JSON Schemas of catalogs: short forms made whole, and mistakes named with their place."""

from __future__ import annotations

from typing import Any

from refract_asp.errors import CatalogError, shown
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.model import Catalog, Tool
from refract_asp.model.catalog import JsonSchema

__all__ = ["catalog_of", "checked_schema", "nearest", "object_schema", "whole_schema"]


def whole_schema(schema: Any, place: FieldPlace, origin: Origin) -> JsonSchema:
    """
    Return a schema as a mapping: a plain text names the type, at any depth of properties and items.

    Raises:
        FormatError: it is neither a mapping nor a text.

    Example:
        >>> whole_schema({"properties": {"count": "string"}}, (), Origin())
        {'properties': {'count': {'type': 'string'}}}
    """
    if isinstance(schema, str):
        return {"type": schema}
    if schema is None or schema is True:
        return {}
    if not isinstance(schema, dict):
        raise origin.error(
            "a JSON Schema is needed, or the name of a type.", place, "Write `{type: string}`."
        )
    whole = dict(schema)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        whole["properties"] = _properties(properties, (*place, "properties"), origin)
    if isinstance(schema.get("items"), dict | str):
        whole["items"] = whole_schema(schema["items"], (*place, "items"), origin)
    return whole


def _properties(properties: dict[str, Any], place: FieldPlace, origin: Origin) -> dict[str, Any]:
    return {
        name: inner if isinstance(inner, bool) else whole_schema(inner, (*place, name), origin)
        for name, inner in properties.items()
    }


def object_schema(fields: Any, place: FieldPlace, origin: Origin) -> JsonSchema:
    """
    Return the schema of an object from the schemas of its fields.

    Raises:
        FormatError: `fields` is not a mapping of names to schemas.
    """
    if not isinstance(fields, dict):
        raise origin.error(
            "a mapping of names to schemas is needed.", place, "Write `{skyId: {type: string}}`."
        )
    return {"type": "object", "properties": _properties(fields, place, origin)}


def checked_schema(schema: JsonSchema, place: FieldPlace, origin: Origin) -> JsonSchema:
    """
    Return `schema` when its keywords have values of the right shape; foreign types are let through.

    Raises:
        FormatError: a keyword has a value of the wrong shape.
    """
    kinds = schema.get("type", [])
    if not isinstance(kinds, str) and not _is_texts(kinds):
        raise origin.error("a type is a text or a list of texts.", (*place, "type"), "Write `type: string`.")
    if not isinstance(schema.get("enum", []), list):
        raise origin.error("the allowed values have to be a list.", (*place, "enum"), "Write `enum: [a, b]`.")
    if not isinstance(schema.get("description", ""), str):
        raise origin.error("a text is needed.", (*place, "description"), "Put it in quotes.")
    if not _is_texts(schema.get("required", [])):
        raise origin.error(
            "a list of names is needed here.", (*place, "required"), "Write `required: [a, b]`."
        )
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise origin.error("a mapping of names to schemas is needed.", (*place, "properties"))
    for name, inner in properties.items():
        if isinstance(inner, dict):
            checked_schema(inner, (*place, "properties", name), origin)
    items = schema.get("items")
    if isinstance(items, dict):
        checked_schema(items, (*place, "items"), origin)
    elif items is not None and not isinstance(items, bool | list):
        raise origin.error("a schema is needed.", (*place, "items"), "Write `items: {type: string}`.")
    return schema


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def catalog_of(
    tools: list[Tool], places: list[FieldPlace], origin: Origin, name: str, format: str
) -> Catalog:
    """
    Return the catalog of these tools, which were read at these places.

    Raises:
        CatalogError: two tools have one name.
    """
    seen: dict[str, FieldPlace] = {}
    for tool, place in zip(tools, places, strict=True):
        if tool.name in seen:
            raise CatalogError(
                f"two tools are named {shown(tool.name, 80)!r}, the other is {Origin().at(seen[tool.name])}.",
                where=origin.at((*place, "name")),
                hint="Rename or remove one of them.",
            )
        seen[tool.name] = place
    return Catalog(tools=tuple(tools), name=name, format=format)


def nearest(word: str, known: tuple[str, ...]) -> str:
    """
    Return a hint that names the nearest known word.

    Example:
        >>> nearest("paramters", ("name", "parameters"))
        "Did you mean 'parameters'? Known: name, parameters."
    """
    from difflib import get_close_matches

    near = get_close_matches(word[:100], known, 1)
    return (f"Did you mean {near[0]!r}? " if near else "") + f"Known: {', '.join(known)}."
