"""Schemas of the wild as JSON Schema 2020-12: foreign words for types, and keywords of older drafts."""

from __future__ import annotations

from typing import Any

from refract_asp.model.schemas import JSON_TYPES, type_words

__all__ = ["LISTS", "MAPS", "SINGLE", "standard"]

MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip


def standard(schema: Any) -> Any:
    """
    Return a schema in the words of JSON Schema 2020-12; what is no schema is returned as it is.

    A type that nobody knows allows every value; `nullable` allows null; a list under `items`, a boolean
    `exclusiveMinimum` and `dependencies` are read as the older drafts meant them.

    Example:
        >>> standard({"type": "dict", "properties": {"n": {"type": "int", "nullable": True}}})
        {'type': 'object', 'properties': {'n': {'type': ['integer', 'null']}}}
    """
    if not isinstance(schema, dict):
        return schema
    whole = dict(schema)
    for key in MAPS:
        if isinstance(whole.get(key), dict):
            whole[key] = {name: standard(inner) for name, inner in whole[key].items()}
    if isinstance(whole.get("items"), list):
        whole["prefixItems"] = whole.pop("items")
        if "additionalItems" in whole:
            whole["items"] = whole.pop("additionalItems")
    for key in LISTS:
        if isinstance(whole.get(key), list):
            whole[key] = [standard(inner) for inner in whole[key]]
    for key in SINGLE:
        if isinstance(whole.get(key), dict):
            whole[key] = standard(whole[key])
    _types(whole)
    _bounds(whole)
    _dependencies(whole)
    # what stands beside a parameter in a catalog and is no keyword here
    for key in ("required", "deprecated", "readOnly", "writeOnly"):
        if key == "required" and isinstance(whole.get(key), bool):
            del whole[key]
    whole.pop("$schema", None)
    return whole


def _types(schema: dict[str, Any]) -> None:
    kinds = schema.get("type")
    known: list[str] | None = None
    if isinstance(kinds, str):
        known = [type_words(kinds)]
    elif isinstance(kinds, list) and kinds and all(isinstance(kind, str) for kind in kinds):
        known = [type_words(kind) for kind in kinds]
    if known is None:
        if kinds is None and "type" in schema:
            del schema["type"]
    elif any(kind not in JSON_TYPES for kind in known):
        del schema["type"]
    else:
        if schema.get("nullable") is True:
            known.append("null")
            if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
                schema["enum"] = [*schema["enum"], None]
        schema["type"] = known[0] if len(known) == 1 else list(dict.fromkeys(known))
    schema.pop("nullable", None)


def _bounds(schema: dict[str, Any]) -> None:
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
            schema[exclusive] = schema.pop(bound)


def _dependencies(schema: dict[str, Any]) -> None:
    dependencies = schema.pop("dependencies", None)
    if not isinstance(dependencies, dict):
        return
    for name, needed in dependencies.items():
        key = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
        schema[key] = {**schema.get(key, {}), name: standard(needed)}
