"""Paths into structured values: field names and list indexes, as in `location.name` or `author[0].id`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["FieldPath", "parse_path", "path_text"]

FieldPath: TypeAlias = tuple[str | int, ...]
"""Steps into a value: a text names a field, a whole number an element of a list."""

_STEP = re.compile(r"\.?([^.\[\]$]+)|\[(\d{1,9})\]")


def parse_path(text: str) -> FieldPath:
    """
    Read a path; a leading dot is allowed, the empty text is the whole value.

    Raises:
        ValueError: `text` is not a path.

    Example:
        >>> parse_path("author[0].full name")
        ('author', 0, 'full name')
    """
    steps: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or (position and match[1] is not None and text[position] != "."):
            raise ValueError(f"not a path at character {position}: {text[:80]!r}")
        steps.append(match[1] if match[1] is not None else int(match[2]))
        position = match.end()
    return tuple(steps)


def path_text(path: Iterable[str | int]) -> str:
    """
    Print a path; the inverse of `parse_path`.

    Example:
        >>> path_text(("author", 0, "id"))
        'author[0].id'
    """
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
