"""Reads fields and elements of values, and says what there is where they are not there."""

from __future__ import annotations

from typing import Any

from refract_asp.errors import PlanError, shown
from refract_asp.plan.names import nearest
from refract_asp.plan.syntax import NOWHERE, UNDEFINED, FieldOf, IndexOf, Place

__all__ = ["element_of", "field_of", "kind_of", "where", "wrong"]

MOST_LISTED = 8
"""So many fields are listed where one is missing."""


def where(place: Place) -> str:
    """Print a place for an error."""
    return "" if place == NOWHERE else str(place)


def wrong(what: str, place: Place, hint: str = "") -> PlanError:
    """Return the error for an expression that stands at a place."""
    return PlanError(what, where=where(place), hint=hint)


def kind_of(value: Any) -> str:
    """Say what a value is."""
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def field_of(value: Any, field: FieldOf) -> Any:
    """
    Return the field of an object.

    Raises:
        PlanError: there is none; the message says what there is.

    Example:
        >>> from refract_asp.plan.syntax import Name
        >>> field = FieldOf(Name("a"), "b")
        >>> field_of({"b": 1}, field)
        1
    """
    name = shown(field.name)
    if not isinstance(value, dict):
        hint = ""
        if isinstance(value, list):
            hint = f"Name an element first, as in [0].{name}." if value else "The list is empty."
        raise wrong(f"{kind_of(value)} has no field {name!r}.", field.place, hint)
    if field.name in value:
        return value[field.name]
    near = nearest(field.name, value)
    listed = ", ".join(map(shown, list(value)[:MOST_LISTED]))
    if near:
        hint = f"Did you mean {' or '.join(map(shown, near))}?"
    else:
        hint = f"It has: {listed}{', ...' if len(value) > MOST_LISTED else ''}." if value else "It is empty."
    raise wrong(f"the object has no field {name!r}.", field.place, hint)


def element_of(value: Any, index: Any, element: IndexOf) -> Any:
    """
    Return the element of a list.

    Raises:
        PlanError: there is none; the message says what there is.

    Example:
        >>> from refract_asp.plan.syntax import Literal, Name
        >>> element = IndexOf(Name("b"), Literal(1))
        >>> element_of([5, 6], 1, element)
        6
    """
    place = element.place
    if not isinstance(value, list):
        hint = "Fields are read with a dot." if isinstance(value, dict) else ""
        raise wrong(f"{kind_of(value)} has no elements.", place, hint)
    if isinstance(index, bool) or not isinstance(index, int | float):
        raise wrong(f"{kind_of(index)} is no index.", place, "Use a whole number from 0.")
    if isinstance(index, float) and not index.is_integer():
        raise wrong(f"the index {index} is no whole number.", place, "Use a whole number from 0.")
    if not 0 <= index < len(value):
        count = f"{len(value)} element{'s' if len(value) != 1 else ''}"
        last = f" The last one is [{len(value) - 1}]." if value else ""
        text = (
            f"{index:g}" if isinstance(index, float) else shown(str(index) if abs(index) < 10**50 else "...")
        )
        raise wrong(f"the list has no element [{text}]: it has {count}.", place, last.strip())
    return value[int(index)]
