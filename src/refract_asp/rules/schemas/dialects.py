"""Values that are not known yet in all their parts, and the schemas that lie in a schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from refract_asp.model import Constant, Reference, Source, Structure, Template
from refract_asp.model.conventions import LISTS, MAPS, SINGLE
from refract_asp.model.paths import FieldPath, elements_of
from refract_asp.model.schemas import ANY, JSON_TYPES, JsonSchema, json_types, type_of

# What a text with references in it may become: an expression stands for its result.
TEXT = frozenset({"string", "number", "integer", "boolean"})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hole:
    """
    What stands for a reference, an ask or a template inside a value.

    Attributes:
        source: what it stands for.
        types: the JSON types that it may turn out to have.
    """

    source: Source
    types: frozenset[str]


def value_of(
    source: Source,
    types_of: Callable[[Reference], frozenset[str]] = lambda _: ANY,
    texts: Collection[str] = (),
) -> Any:
    """
    Return a source as a value; what is not constant in it becomes a hole.

    Args:
        source: what an argument is bound to.
        types_of: gives the JSON types that a reference may read.
        texts: names that are no references inside a text; what holds no others is a constant, too.
    """
    if isinstance(source, Constant):
        return source.value
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return {k: value_of(inner, types_of, texts) for k, inner in source.value.items()}
        return [value_of(inner, types_of, texts) for inner in source.value]
    if isinstance(source, Reference):
        return Hole(source, types_of(source))
    if isinstance(source, Template) and texts:
        slots = (part for part in source.parts if not isinstance(part, str))
        if all(isinstance(each, Reference) and each.label in texts for each in slots):
            return "".join(map(str, source.parts))
    return Hole(source, TEXT if isinstance(source, Template) else ANY)


def has_type(value: object, schema: JsonSchema) -> bool:
    """
    Whether a value is of the one type that a schema names; never of lists, holes and what JSON does not know.

    Example:
        >>> has_type(2, {"type": "number"}), has_type(2, {"type": "string"}), has_type([], {"type": "array"})
        (True, False, False)
    """
    word, type = schema.get("type"), type_of(value)
    return word in JSON_TYPES and type != "array" and type in json_types(word)


def has_hole(value: Any) -> bool:
    """Whether something in a value is not known yet."""
    if isinstance(value, dict | list):
        return any(map(has_hole, elements_of(value)))
    return isinstance(value, Hole)


def source_of(value: Any) -> Source:
    """Return the source that a value with holes stands for; the inverse of `value_of`."""
    if isinstance(value, Hole):
        return value.source
    if not has_hole(value):
        return Constant(value=value)
    if isinstance(value, dict):
        return Structure(value={key: source_of(inner) for key, inner in value.items()})
    return Structure(value=[source_of(inner) for inner in value])


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[FieldPath, Any]]:
    """Yield the schemas that lie in a schema, each with the keyword and the step that lead to it."""
    for key, value in schema.items():
        if key in MAPS and isinstance(value, dict):
            yield from (((key, name), inner) for name, inner in value.items())
        elif key in LISTS and isinstance(value, list):
            yield from (((key, number), inner) for number, inner in enumerate(value))
        elif key in SINGLE and isinstance(value, dict):
            yield (key,), value
