"""What a single value is in another type, or as a member of an enumeration; without inventing anything."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from rapidfuzz.distance import OSA

from refract_asp.model.schemas import type_of
from refract_asp.rules.likeness import fold

__all__ = ["BOOLEANS", "MAX_NESTED", "NULLS", "STRUCTURES", "members_meant", "turned"]

BOOLEANS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip
"""The texts that mean a boolean, without regard to case; no other text does."""
NULLS = frozenset({"null", "none", "nil"})

MAX_TEXT = 10_000_000
"""Longer texts are not parsed."""
MAX_LITERAL = 100_000
"""Longer ones not as Python."""
MAX_MEMBERS = 2000
"""How many members of an enumeration are compared."""
LONG = 6
"""Of so many letters one may be a slip; in a shorter member, or beside a digit, it says something else."""
MAX_NESTED = 64
"""How deep a structure may lie that is parsed."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
STRUCTURES = frozenset({"object", "array"})


def turned(value: Any, kind: str, wanted: frozenset[str]) -> Iterator[tuple[str, Any, int]]:
    """Yield what a value of one type is in another one: the rule, the value, its distance."""
    if kind == "string":
        text = value.strip()
        if wanted & {"number", "integer"} and len(text) < 400 and _NUMBER.fullmatch(text):
            number = _number(text)
            if number is not None:
                yield "text_to_number", number, 1
        if "boolean" in wanted and text.lower() in BOOLEANS:
            yield "text_to_boolean", BOOLEANS[text.lower()], 1
        if "null" in wanted and text.lower() in NULLS:
            yield "text_to_null", None, 2
        if wanted & STRUCTURES and text and text[0] in '[{("' and len(text) <= MAX_TEXT:
            yield from (("parse_text", parsed, 1) for parsed in _parsed(text))
    elif kind == "boolean":
        if "string" in wanted:
            yield "to_text", json.dumps(value), 1
    elif kind in ("integer", "number"):
        if "string" in wanted:
            whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
            yield "to_text", json.dumps(int(value) if whole else value), 1
        if "boolean" in wanted and value in (0, 1):
            yield "number_to_boolean", bool(value), 2


def _number(text: str) -> int | float | None:
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _parsed(text: str) -> Iterator[Any]:
    """Yield the structure that a text holds, as JSON (even of a text of JSON), else as a Python literal."""
    found: Any = text
    try:
        for _ in range(3):
            found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text) if len(text) <= MAX_LITERAL else None
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return
    try:
        # as JSON, in which neither NaN nor half a character has a place
        found = json.loads(json.dumps(found, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, TypeError, RecursionError):
        return
    if isinstance(found, dict | list) and not _is_deeper_than(found, MAX_NESTED):
        yield found


def _is_deeper_than(value: Any, depth: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return depth <= 0 or any(_is_deeper_than(inner, depth - 1) for inner in inside)


def members_meant(value: Any, members: list[Any]) -> Iterator[tuple[str, Any, int]]:
    """Yield the members of an enumeration that a value may have meant; several are for the rules to weigh."""
    if any(type_of(member) == type_of(value) and member == value for member in members):
        return
    if isinstance(value, bool | int | float):
        for member in members:
            if isinstance(member, str) and member.strip().lower() == json.dumps(value):
                yield "to_text", member, 1
        return
    if not isinstance(value, str) or not value.strip():
        return
    written = fold(value)
    for member in members[:MAX_MEMBERS]:
        if isinstance(member, str):
            meant = fold(member)
            if meant == written:
                yield "enum", member, 1
            elif _is_slip(written, meant):
                yield "enum", member, 4


def _is_slip(written: str, meant: str) -> bool:
    """Whether a word is another one but for one character that is wrong, lost, doubled or swapped."""
    if min(len(written), len(meant)) < LONG or OSA.distance(written, meant, score_cutoff=1) > 1:
        return False
    return [c for c in written if c.isdigit()] == [c for c in meant if c.isdigit()]
