"""Arguments made of values that are known: references read, texts put together, everything copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refract_asp.errors import BadArgumentError, shown
from refract_asp.formats.values import json_text
from refract_asp.model.paths import FieldPath, reference_text
from refract_asp.model.sources import Ask, Constant, Reference, Source, Structure, Template
from refract_asp.plan.access import no_element, no_field

__all__ = ["Reader", "at_path", "value_of"]

MAX_PARTS = 1_000_000
"""So many values and thousand characters may lie in the arguments of one call."""

Reader = Callable[[Reference | Ask, bool], Any]
"""Gives the value of a reference or an ask; whether it stands inside a text is the second argument."""


def value_of(source: Source, read: Reader) -> Any:
    """
    Return what a source is when the values that it refers to are known; nothing in it is shared with them.

    Inside a text a text stands as it is, every other value as JSON.

    Raises:
        BadArgumentError: what is referred to is not there, or all of it is too large.

    Example:
        >>> template = Template(parts=("from ", Reference(label="a"), ": ", Reference(label="b")))
        >>> value_of(template, lambda reference, _: {"a": "Rome", "b": [1, None]}[reference.label])
        'from Rome: [1, null]'
    """
    return _Builder(read).value(source)


class _Builder:
    """Puts one value together, and counts how large it gets."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._left = MAX_PARTS

    def value(self, source: Source) -> Any:
        if isinstance(source, Constant):
            return self._copy(source.value)
        if isinstance(source, Reference | Ask):
            return self._copy(self._read(source, False))
        if isinstance(source, Template):
            return "".join(self._text(part) for part in source.parts)
        if isinstance(source, Structure):
            if isinstance(source.value, dict):
                return {name: self.value(inner) for name, inner in source.value.items()}
            return [self.value(inner) for inner in source.value]
        raise TypeError(source)

    def _text(self, part: str | Reference | Ask) -> str:
        value = part if isinstance(part, str) else self._read(part, True)
        text = value if isinstance(value, str) else json_text(value)
        self._spend(1 + len(text) // 1000)
        return text

    def _copy(self, value: Any) -> Any:
        if isinstance(value, dict):
            self._spend(1 + len(value))
            return {name: self._copy(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            self._spend(1 + len(value))
            return [self._copy(inner) for inner in value]
        if isinstance(value, str):
            self._spend(len(value) // 1000)
        return value

    def _spend(self, parts: int) -> None:
        self._left -= parts
        if self._left < 0:
            raise BadArgumentError("the values that are put together here are too large.")


def at_path(value: Any, path: FieldPath, label: str) -> Any:
    """
    Return what lies at a path of a value.

    Raises:
        BadArgumentError: nothing does; the message says how far the path leads, and what there is.

    Example:
        >>> at_path({"ids": [7, 8]}, ("ids", 1), "var1")
        8
        >>> at_path({"ids": [7, 8]}, ("id",), "var1")
        Traceback (most recent call last):
        ...
        refract_asp.errors.BadArgumentError: $var1.id$: the object has no field 'id'. It has: ids.
    """
    for number, step in enumerate(path):
        if isinstance(step, int):
            if isinstance(value, list) and 0 <= step < len(value):
                value = value[step]
                continue
            what, hint = no_element(value, step)
        else:
            if isinstance(value, dict) and step in value:
                value = value[step]
                continue
            what, hint = no_field(value, step)
        if number:
            what = f"at {shown(reference_text(label, path[:number]))} {what}"
        raise BadArgumentError(what, where=shown(reference_text(label, path)), hint=hint)
    return value
