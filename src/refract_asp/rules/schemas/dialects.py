"""Schemas of the wild as JSON Schema 2020-12: foreign words for types, and keywords of older drafts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refract_asp.model import Ask, Constant, Reference, Source, Structure, Template
from refract_asp.model.schemas import ANY, JSON_TYPES, declared, type_words

__all__ = [
    "LISTS",
    "MAPS",
    "SINGLE",
    "Hole",
    "has_hole",
    "source_of",
    "standard",
    "value_of",
]


TEXT = frozenset({"string", "number", "integer", "boolean"})
"""What a text with references in it may become: an expression stands for its result."""


class Hole:
    """
    What stands for a reference, an ask or a template inside a value.

    Attributes:
        source: what it stands for.
        types: the JSON types that it may turn out to have.
    """

    __slots__ = ("source", "types")

    def __init__(self, source: Source, types: frozenset[str]) -> None:
        """Stand for `source`, of which only the types are known."""
        self.source = source
        self.types = types


def value_of(
    source: Source, types_of: Callable[[Reference], frozenset[str]] = lambda _: ANY
) -> Any:
    """
    Return a source as a value; what is not constant in it becomes a hole.

    Args:
        source: what an argument is bound to.
        types_of: gives the JSON types that a reference may read.
    """
    if isinstance(source, Constant):
        return source.value
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return {key: value_of(inner, types_of) for key, inner in source.value.items()}
        return [value_of(inner, types_of) for inner in source.value]
    if isinstance(source, Template):
        return Hole(source, TEXT)
    return Hole(source, ANY if isinstance(source, Ask) else types_of(source))


def has_hole(value: Any) -> bool:
    """Whether something in a value is not known yet."""
    if isinstance(value, Hole):
        return True
    if isinstance(value, dict):
        return any(has_hole(inner) for inner in value.values())
    return isinstance(value, list) and any(has_hole(inner) for inner in value)


def source_of(value: Any) -> Source:
    """Return the source that a value with holes stands for; the inverse of `value_of`."""
    if isinstance(value, Hole):
        return value.source
    if not has_hole(value):
        return Constant(value=value)
    if isinstance(value, dict):
        return Structure(value={key: source_of(inner) for key, inner in value.items()})
    return Structure(value=[source_of(inner) for inner in value])


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
    `exclusiveMinimum` and `dependencies` are read as the older drafts meant them. Keywords that say nothing
    are left out, and null or an empty list in the place of a schema allows every value.

    Example:
        >>> standard({"type": "dict", "properties": {"n": {"type": "int", "nullable": True}}})
        {'type': 'object', 'properties': {'n': {'type': ['integer', 'null']}}}
    """
    if schema is None or schema == []:
        return {}
    if not isinstance(schema, dict):
        return schema
    whole = declared(schema)
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
    if isinstance(
        whole.get("required"), bool
    ):  # stands beside a parameter in a catalog, no keyword here
        del whole["required"]
    whole.pop("$schema", None)
    return whole


def _types(schema: dict[str, Any]) -> None:
    kinds = schema.get("type")
    known: list[str] | None = None
    if isinstance(kinds, str):
        known = [type_words(kinds)]
    elif isinstance(kinds, list) and kinds and all(isinstance(kind, str) for kind in kinds):
        known = [type_words(kind) for kind in kinds]
    if known is not None and any(kind not in JSON_TYPES for kind in known):
        del schema["type"]
    elif known is not None:
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
