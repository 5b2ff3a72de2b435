"""Sources as values with holes in them: what a reference will give is not known yet, but of which type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refract_asp.model import Ask, Constant, Reference, Source, Structure, Template
from refract_asp.model.schemas import ANY

__all__ = ["Hole", "has_hole", "source_of", "value_of"]

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


def value_of(source: Source, types_of: Callable[[Reference], frozenset[str]] = lambda _: ANY) -> Any:
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
