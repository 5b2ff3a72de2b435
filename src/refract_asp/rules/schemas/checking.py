"""
Whether a JSON Schema is one: each part is held against the metaschema on its own, and once.

The parts of large schemas repeat themselves; checked as a whole, ten thousand properties take seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.rules.schemas.dialects import LISTS, MAPS, SINGLE
from refract_asp.rules.schemas.wording import SHOWN

__all__ = ["fault_of_schema"]


def fault_of_schema(schema: Any) -> str | None:
    """
    Return what makes a schema none, in words, or None when it is one.

    Example:
        >>> fault_of_schema({"type": "integer"}), fault_of_schema({"properties": {"a": {"minimum": "x"}}})
        (None, "'x' is not of type 'number' (at properties.a.minimum)")
    """
    left: list[tuple[FieldPath, Any]] = [((), schema)]
    while left:
        path, part = left.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            return _told(f"{shown(json.dumps(part, default=str), SHOWN)} is no schema", path)
        own = dict(part)
        for key, inner in _inner(part):
            left.extend(((*path, key, *step), value) for step, value in inner)
            own[key] = [True] if isinstance(part[key], list) else {}
        fault = _own_fault(json.dumps(own, sort_keys=True, default=str))
        if fault is not None:
            return _told(fault[0], (*path, *fault[1]))
    return None


def _inner(schema: dict[str, Any]) -> Iterator[tuple[str, list[tuple[FieldPath, Any]]]]:
    """Yield the keywords under which schemas lie, with these and the steps to them."""
    for key in MAPS:
        if isinstance(schema.get(key), dict):
            yield key, [((name,), inner) for name, inner in schema[key].items()]
    for key in LISTS:
        if isinstance(schema.get(key), list) and schema[key]:
            yield key, [((number,), inner) for number, inner in enumerate(schema[key])]
    for key in SINGLE:
        if isinstance(schema.get(key), dict):
            yield key, [((), schema[key])]


@lru_cache(maxsize=4096)
def _own_fault(text: str) -> tuple[str, FieldPath] | None:
    """Return what is wrong with a schema that holds no others, and where in it."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(json.loads(text), format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        return shown(error.message, SHOWN), tuple(error.absolute_path)
    return None


def _told(what: str, path: FieldPath) -> str:
    return f"{what} (at {shown(path_text(path))})" if path else what
