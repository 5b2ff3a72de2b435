"""Schemas walked part by part, and put into the words of JSON Schema for those who know no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refract_asp.formats.schemas import input_of
from refract_asp.model import Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, type_words

__all__ = ["input_to_write", "mapped", "standard"]

_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})
"""Keywords whose value maps names to schemas."""
_ONE = frozenset(
    {
        "items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
        "unevaluatedProperties", "propertyNames", "not", "if", "then", "else",
    }
)  # fmt: skip
"""Keywords whose value is a schema; that of `items` may be a list of them."""
_SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""


def mapped(schema: Any, change: Callable[[JsonSchema], JsonSchema]) -> Any:
    """
    Return a schema in which each part, from the outside in, is what `change` returns for it.

    Only what is a schema is changed, not what stands in `default`, `enum` and the like. What has the
    shape of no schema stays as it is.

    Example:
        >>> mapped({"items": {"type": "A"}, "default": {"type": "A"}}, lambda s: {**s, "x": 1})
        {'items': {'type': 'A', 'x': 1}, 'default': {'type': 'A'}, 'x': 1}
    """
    if not isinstance(schema, dict):
        return schema
    result: JsonSchema = {}
    for key, value in change(schema).items():
        if key in _NAMED and isinstance(value, dict):
            result[key] = {name: mapped(inner, change) for name, inner in value.items()}
        elif key in _ONE and isinstance(value, dict):
            result[key] = mapped(value, change)
        elif (key in _SEVERAL or key == "items") and isinstance(value, list):
            result[key] = [mapped(inner, change) for inner in value]
        else:
            result[key] = value
    return result


def standard(schema: JsonSchema) -> JsonSchema:
    """
    Return a schema with the types of JSON Schema for those of other languages; unknown ones are left out.

    Example:
        >>> standard({"type": "dict", "properties": {"price": {"type": "float"}, "day": {"type": "Date"}}})
        {'type': 'object', 'properties': {'price': {'type': 'number'}, 'day': {}}}
    """
    whole: JsonSchema = mapped(schema, _standard_type)
    return whole


def _standard_type(schema: JsonSchema) -> JsonSchema:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        words = [type_words(kinds)]
    elif isinstance(kinds, list) and kinds and all(isinstance(kind, str) for kind in kinds):
        words = list(dict.fromkeys(type_words(kind) for kind in kinds))
    else:
        return schema
    if all(word in JSON_TYPES for word in words):
        return {**schema, "type": words[0] if isinstance(kinds, str) else words}
    return {key: value for key, value in schema.items() if key != "type"}


def input_to_write(tool: Tool) -> JsonSchema:
    """Return the schema of the arguments of a tool, in the words of JSON Schema."""
    return standard(input_of(tool))
