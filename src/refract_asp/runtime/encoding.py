"""Turns what tools give into JSON values: models, dataclasses, moments, sets and so on, as pydantic does it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from types import GeneratorType
from typing import Any, TypeAlias

from pydantic_core import to_jsonable_python as _written

from refract_asp.errors import shown
from refract_asp.formats.values import MAX_DEPTH, Origin, UnreadableError, plain

__all__ = ["Encoder", "UnusableError", "encoded", "json_of"]

Encoder: TypeAlias = Callable[[Any], Any]
"""Turns a value into one that JSON has, or raises."""
MAX_ITEMS = 100_000
"""So many values are taken from one generator."""
STEPS = 8
"""So many steps lead to what is no JSON value, where it is told: a cycle has hundreds."""


class UnusableError(Exception):
    """A function gave what is no JSON value."""


def encoded(value: Any) -> Any:
    """
    Return a value as pydantic writes it to JSON.

    Raises:
        Exception: it cannot be written; or two keys would become the same text, or a generator does not end.

    Example:
        >>> from datetime import date
        >>> encoded({1: {"day": date(2024, 8, 15)}})
        {'1': {'day': '2024-08-15'}}
    """
    return _written(_listed(value, MAX_DEPTH))


def _listed(value: Any, depth: int) -> Any:
    """Return a value with lists for its generators, in which no key would be lost."""
    if depth < 0:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH}")
    if isinstance(value, GeneratorType):
        value = list(islice(value, MAX_ITEMS + 1))
        if len(value) > MAX_ITEMS:
            raise ValueError(f"a generator gives more than {MAX_ITEMS:,} values")
    if type(value) in (list, tuple):
        return [_listed(inner, depth - 1) for inner in value]
    if type(value) is not dict:
        return value
    keys = (key if isinstance(key, str) else next(iter(_written({key: None}))) for key in value)
    found = {
        key: _listed(inner, depth - 1) for key, inner in zip(keys, value.values(), strict=True)
    }
    if len(found) < len(value):
        raise ValueError("two of its keys are the same text in JSON")
    return found


def json_of(value: Any, encode: Encoder | None = None) -> Any:
    """
    Return a copy of what a function gave as a JSON value; what is none is encoded.

    Args:
        value: what it gave; an object of its own may raise while it is looked at.
        encode: turns what is no JSON value into one; `encoded` by default.

    Raises:
        UnusableError: it is no JSON value afterwards, either.
    """
    try:
        try:
            return plain(value)
        except UnreadableError:
            return plain((encode or encoded)(value))
    except KeyboardInterrupt:
        raise
    except UnreadableError as error:
        if len(error.place) > STEPS:
            error.place[STEPS:] = ["..."]
        reason = str(error.at(Origin()))
    except BaseException as error:  # an object of its own raises what it likes
        reason = f"{type(error).__name__}: {shown(error, 160).rstrip('.')}."
    raise UnusableError(f"what it gave is no JSON value: {reason}") from None
