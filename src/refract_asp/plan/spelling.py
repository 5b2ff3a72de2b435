"""Says values, names and keys in the words of plans, or refuses what they have no words for."""

from __future__ import annotations

from typing import Any

from refract_asp.errors import FormatError, shown
from refract_asp.plan.printing import PLAIN_NAME
from refract_asp.plan.reserved import is_reserved
from refract_asp.plan.syntax import Expression, FieldOf, ListOf, Literal, Name, ObjectOf

__all__ = ["function", "is_plain", "key", "literal", "plain"]


def literal(value: Any) -> Expression:
    """Return a JSON value as an expression."""
    if isinstance(value, dict):
        return ObjectOf(tuple((key(name), literal(inner)) for name, inner in value.items()))
    if isinstance(value, list | tuple):
        return ListOf(tuple(literal(inner) for inner in value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return Literal(int(value))
    return Literal(value)


def function(name: str) -> Expression:
    """Return the name of a tool, with or without dots, as what is called."""
    first, *others = name.split(".")
    found: Expression = Name(plain(first))
    for step in others:
        found = FieldOf(found, plain(step))
    return found


def is_plain(name: str) -> bool:
    """Whether a name can stand in a plan as it is."""
    return PLAIN_NAME.fullmatch(name) is not None and not is_reserved(name)


def plain(name: str) -> str:
    """Return a name that can stand in a plan; a `FormatError` says that it cannot."""
    if is_plain(name):
        return name
    raise FormatError(
        f"a plan cannot say the name {shown(name)!r}.",
        hint="Names are made of the letters A to Z, digits and `_`; print it as pretty.",
    )


def key(name: str) -> str:
    """Return the key of a field, which may be any text that is not reserved."""
    if is_reserved(name):
        raise FormatError(f"a plan cannot say the name {shown(name)!r}.", hint="Print it as pretty.")
    return name
