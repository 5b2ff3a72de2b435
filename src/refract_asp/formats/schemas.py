"""The JSON Schemas of catalogs: short forms made whole, and mistakes named with their place."""

from __future__ import annotations

from typing import Any

from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.model import Effect, Parameter, Tool
from refract_asp.model.schemas import JsonSchema, declared, resolve, target

__all__ = [
    "checked_schema",
    "input_of",
    "nearest",
    "object_schema",
    "output_of",
    "tool_of",
    "whole_schema",
]

_IN_PARAMETERS = frozenset(
    {
        "type",
        "properties",
        "required",
        "title",
        "description",
        "$schema",
        "$id",
        "strict",
        "nullable",
    }
)
"""What the schema of an input may say without saying more than the parameters of a tool do."""


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
    if schema is None or schema is True or schema == []:
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
    known = declared(schema)
    kinds = known.get("type", [])
    if not isinstance(kinds, str) and not _is_texts(kinds):
        raise origin.error(
            "a type is a text or a list of texts.", (*place, "type"), "Write `type: string`."
        )
    if not isinstance(known.get("enum", []), list):
        raise origin.error(
            "the allowed values have to be a list.", (*place, "enum"), "Write `enum: [a, b]`."
        )
    if not isinstance(known.get("description", ""), str):
        raise origin.error("a text is needed.", (*place, "description"), "Put it in quotes.")
    if not _is_texts(known.get("required", [])):
        raise origin.error(
            "a list of names is needed here.", (*place, "required"), "Write `required: [a, b]`."
        )
    properties = known.get("properties", {})
    if not isinstance(properties, dict):
        raise origin.error("a mapping of names to schemas is needed.", (*place, "properties"))
    for name, inner in properties.items():
        if isinstance(inner, dict):
            checked_schema(inner, (*place, "properties", name), origin)
    items = known.get("items")
    if isinstance(items, dict):
        checked_schema(items, (*place, "items"), origin)
    elif items is not None and not isinstance(items, bool | list):
        raise origin.error(
            "a schema is needed.", (*place, "items"), "Write `items: {type: string}`."
        )
    return schema


def tool_of(
    name: str,
    schema: Any,
    place: FieldPlace,
    origin: Origin,
    *,
    description: str = "",
    effect: Effect = "unknown",
    output_schema: JsonSchema | None = None,
) -> Tool:
    """
    Return a tool whose input is given by one JSON Schema of an object, as most formats do.

    References at the top of a parameter are followed; the whole schema is kept where parameters refer
    to its definitions or where it says more than they do. Undeclared parameters are taken only if the
    schema says so in so many words. What is wrong inside the schema of a parameter stays as it is.

    Raises:
        FormatError: the schema, or that of a parameter, is no mapping.

    Example:
        >>> schema = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
        >>> tool_of("Search", schema, (), Origin()).parameters["query"].required
        True
    """
    root = {} if schema is None or schema == [] else schema
    if not isinstance(root, dict):
        raise origin.error(
            "a JSON Schema of an object is needed.", place, 'Write {"type": "object", ...}.'
        )
    top = resolve(root, root)
    properties = top.get("properties") or {}
    if not isinstance(properties, dict):
        raise origin.error("a mapping of names to schemas is needed.", (*place, "properties"))
    required = top.get("required") or []
    if not _is_texts(required):
        raise origin.error(
            "a list of names is needed here.", (*place, "required"), 'Write ["a", "b"].'
        )
    names = set(required)
    parameters = {}
    for parameter, inner in properties.items():
        whole = _as_mapping(inner, (*place, "properties", parameter), origin)
        parameters[parameter] = Parameter(
            name=parameter, required=parameter in names, json_schema=_resolved(whole, root)
        )
    for parameter in required:
        parameters.setdefault(parameter, Parameter(name=parameter, required=True))
    additional = top.get("additionalProperties")
    open_ended = (
        additional is True or isinstance(additional, dict) or bool(top.get("patternProperties"))
    )
    says_more = bool(
        declared(top).keys() - _IN_PARAMETERS - {"additionalProperties"}
    ) or isinstance(additional, dict)
    return Tool(
        name=name,
        description=description,
        effect=effect,
        parameters=parameters,
        input_schema=root if says_more or root is not top or _refers(properties) else None,
        output_schema=output_schema,
        additional_parameters=open_ended,
    )


def _resolved(schema: JsonSchema, root: JsonSchema) -> JsonSchema:
    """Return what a schema refers to, with what is said beside; one that leads nowhere stays as it is."""
    if "$ref" not in schema or target(schema["$ref"], root) is None:
        return schema
    whole = resolve(schema, root)
    return whole if isinstance(whole, dict) and whole else schema


def _refers(value: Any) -> bool:
    """Whether there is a reference in a schema, at any depth."""
    if isinstance(value, dict):
        return isinstance(value.get("$ref"), str) or any(_refers(inner) for inner in value.values())
    return isinstance(value, list) and any(_refers(inner) for inner in value)


def _as_mapping(schema: Any, place: FieldPlace, origin: Origin) -> JsonSchema:
    """Return the schema of a parameter as a mapping; nothing inside it is looked at."""
    if isinstance(schema, dict):
        return schema
    return {"not": {}} if schema is False else whole_schema(schema, place, origin)


def output_of(schema: Any, place: FieldPlace, origin: Origin) -> JsonSchema | None:
    """
    Return the schema of an output, or None where nothing is said of it.

    Raises:
        FormatError: it is no mapping.
    """
    return None if schema is None else _as_mapping(schema, place, origin)


def input_of(tool: Tool) -> JsonSchema:
    """
    Return the JSON Schema of the arguments of a tool as a whole: what `tool_of` reads back as the same.

    Example:
        >>> schema = {"type": "object", "properties": {"query": {"type": "string"}}}
        >>> input_of(tool_of("Search", schema, (), Origin())) == schema
        True
    """
    if tool.input_schema is not None:
        return tool.input_schema
    schema: JsonSchema = {
        "type": "object",
        "properties": {name: parameter.json_schema for name, parameter in tool.parameters.items()},
    }
    if required := [name for name, parameter in tool.parameters.items() if parameter.required]:
        schema["required"] = required
    if tool.additional_parameters:
        schema["additionalProperties"] = True
    return schema


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


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
