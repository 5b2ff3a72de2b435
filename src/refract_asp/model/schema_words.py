"""What words in schemas say: types of programming languages and of people, flags, numbers, members."""

from __future__ import annotations

import ast
import json
import re
import threading
import warnings
from decimal import Decimal
from functools import lru_cache
from typing import Any

from refract_asp.model.schemas import JSON_TYPES, JsonSchema, word_type

# Words for true and false where a flag is wanted.
_TRUTHS = {
    **dict.fromkeys(("true", "yes", "y", "t", "on", "1", "required", "mandatory"), True),
    **dict.fromkeys(("false", "no", "n", "f", "off", "0", "optional"), False),
}  # fmt: skip
_EXACT = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_PHRASE = re.compile(r"[^\s,;|]+(?: [^\s,;|]+){0,2}")


# The filters of warnings are those of all threads.
_LOCK = threading.Lock()


def literal(text: str) -> Any:
    """
    Return the value of a Python literal, without the warnings of Python about how it is written.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is none, or nested too deep.

    Example:
        >>> literal("['a', 1]")
        ['a', 1]
    """
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def truth(value: Any) -> bool | None:
    """
    Return the boolean that a flag says, in words as well, or None where it says none.

    Example:
        >>> truth("Yes"), truth(0), truth("maybe")
        (True, False, None)
    """
    if isinstance(value, bool):
        return value
    return _TRUTHS.get(str(value).strip().lower()) if isinstance(value, str | int) else None


def number_in(text: str) -> int | float | None:
    """
    Return the number that a text is, where the text is how that number is written, else None.

    Example:
        >>> number_in("-3.5"), number_in("12"), number_in("007"), number_in("1,000")
        (-3.5, 12, None, None)
    """
    if len(text) > 400 or not _EXACT.fullmatch(text):
        return None
    number: int | float = json.loads(text)
    is_exact = abs(number) != float("inf") and Decimal(repr(number)) == Decimal(text)
    return number if is_exact else None


# -- types ----------------------------------------------------------------------------

_ANYTHING = frozenset(
    {"any", "mixed", "unknown", "anything", "enum", "type_unspecified", "*", "all"}
)
_GENERIC = re.compile(r"([\w.]+)\s*[\[<](.*)[\]>]", re.DOTALL)
_LIST_OF = re.compile(r"(?:array|list)s? of (.+?)s?", re.IGNORECASE)
_CLASS = re.compile(r"<class '([\w.]+)'>")
_DETAIL = re.compile(r"([\w.]+)\s*\([^()]*\)")
_OPEN, _CLOSE = "[<({", "]>)}"


@lru_cache(maxsize=4096)
def type_schema(word: str) -> JsonSchema | None:
    """
    Return what a type in words says as a schema, an empty one for any type, None for an unknown word.

    Example:
        >>> type_schema("Optional[List[str]]")
        {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
        >>> type_schema("int | None"), type_schema("Any"), type_schema("Widget")
        ({'type': ['integer', 'null']}, {}, None)
    """
    text = word.strip()
    if match := _CLASS.fullmatch(text):
        text = match[1]
    if text in JSON_TYPES:
        return {"type": text}
    if text.lower() in _ANYTHING or not text:
        return {}
    parts = _split(text, "|,", " or ")
    if len(parts) > 1:
        told = [part for part in parts if part.lower() not in ("optional", "required")]
        return union_of([type_schema(part) for part in told])
    if text[-1] in "?!":
        inner = type_schema(text[:-1])
        return union_of([inner, {"type": "null"}]) if text[-1] == "?" else inner
    if text.endswith("[]") or (text[0] == "[" and text[-1] == "]"):
        return _array(text[:-2] if text[0] != "[" else text[1:-1])
    if match := _LIST_OF.fullmatch(text):
        return _array(match[1])
    if match := _GENERIC.fullmatch(text):
        return _generic(match[1].rpartition(".")[2].lower(), match[2])
    if match := _DETAIL.fullmatch(text):
        text = match[1]
    kind = word_type(text.rpartition(".")[2])
    return {"type": kind} if kind else None


def _generic(head: str, inner: str) -> JsonSchema | None:
    """Return what a type with parameters says."""
    if head == "literal":
        try:
            members = literal(f"[{inner}]")
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
        is_plain = all(each is None or isinstance(each, str | int | float) for each in members)
        return {"enum": members} if members and is_plain else None
    parts = _split(inner, ",")
    if head in ("optional", "union"):
        more: list[JsonSchema | None] = [{"type": "null"}] if head == "optional" else []
        return union_of([*map(type_schema, parts), *more])
    if head in ("annotated", "required", "notrequired", "final", "classvar"):
        return type_schema(parts[0])
    kind = word_type(head)
    if kind == "array":
        return {"type": "array"} if head == "tuple" else _array(parts[0])
    values = type_schema(parts[-1]) if kind == "object" and len(parts) == 2 else None
    if values:
        return {"type": kind, "additionalProperties": values}
    return {"type": kind} if kind else None


def _array(element: str) -> JsonSchema:
    items = type_schema(element)
    return {"type": "array", "items": items} if items else {"type": "array"}


def union_of(parts: list[JsonSchema | None]) -> JsonSchema | None:
    """Return what allows each of some types; one that is unknown makes all of it unknown."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not all(known):
        return None if len(known) < len(parts) else {}
    if len(known) == 1:
        return known[0]
    if all(part.keys() == {"type"} and isinstance(part["type"], str) for part in known):
        return {"type": list(dict.fromkeys(part["type"] for part in known))}
    return {"anyOf": known}


def _split(text: str, marks: str, word: str = "\0") -> list[str]:
    """Split a text at marks, and at a word, that stand outside of brackets."""
    parts, depth, start, position = [], 0, 0, 0
    while position < len(text):
        depth += (text[position] in _OPEN) - (text[position] in _CLOSE)
        length = 1 if text[position] in marks else len(word) * text.startswith(word, position)
        if length and depth == 0:
            parts.append(text[start:position])
            start = position + length
        position += length or 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def members_in(text: str) -> list[Any] | None:
    """Return the members that a text lists, or None where it lists none."""
    stripped = text.strip()
    if stripped[:1] in ("[", "("):
        for parse in (json.loads, literal):
            try:
                found = parse(stripped)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(found, list | tuple):
                return [json.loads(json.dumps(each, default=str)) for each in found]
        stripped = stripped[1:-1] if stripped[-1:] in ("]", ")") else stripped
    mark = next((mark for mark in "|;," if mark in stripped), None)
    parts = [part.strip().strip("\"'`") for part in stripped.split(mark)] if mark else []
    is_list = len(parts) > 1 and all(map(_PHRASE.fullmatch, parts))
    return list(parts) if is_list else None
