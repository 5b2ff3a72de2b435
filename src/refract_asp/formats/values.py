"""JSON values: checked, copied, parsed from text and printed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from refract_asp.errors import FormatError, InputError, LimitError, shown
from refract_asp.formats.origin import Origin

__all__ = [
    "MAX_DEPTH",
    "Spoilt",
    "Twice",
    "UnreadableError",
    "check_number",
    "check_text",
    "json_text",
    "parse_json",
    "plain",
]

MAX_DEPTH = 64
"""How deep lists and objects may lie in each other."""

MAX_INTEGER_BITS = 13_000
"""Whole numbers beyond this size (about 3,900 digits) cannot be printed by Python without special leave."""


class UnreadableError(Exception):
    """A value is not JSON; `place` grows while the error passes up through the containers."""

    def __init__(self, what: str, hint: str = "", kind: type[InputError] = FormatError) -> None:
        """Say `what` is wrong, what to do about it and which error it becomes."""
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.kind = kind
        self.place: list[str | int] = []

    def inside(self, step: str | int) -> UnreadableError:
        """Note that the value lies under `step`."""
        self.place.insert(0, step)
        return self

    def at(self, origin: Origin, *place: str | int) -> InputError:
        """Return the error to raise, with its full place."""
        return self.kind(self.what, where=origin.at((*place, *self.place)), hint=self.hint)


class Spoilt:
    """A value of a JSON text that cannot be used, as NaN; whoever reads it is told what is wrong."""

    def __init__(self, error: UnreadableError, value: object = None) -> None:
        """Keep what is wrong, and the nearest thing to the value that Python has."""
        self._said = (error.what, error.hint, error.kind)
        self.value = value

    @property
    def error(self) -> UnreadableError:
        """What is wrong, without a place."""
        return UnreadableError(*self._said)


class Twice(dict[str, Any]):
    """An object of a JSON text that holds a key twice; the last value stands here."""

    key = ""

    @property
    def error(self) -> UnreadableError:
        """What is wrong, without a place."""
        return UnreadableError(
            f"an object holds the key {shown(self.key, 80)!r} twice.", "Remove one of the two."
        )


def check_text(text: str) -> str:
    """Return `text` when UTF-8 can hold it."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UnreadableError("the text holds half a character (a lone surrogate).") from None
    return text


def check_number(value: int | float) -> int | float:
    """Return `value` when JSON can hold it."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UnreadableError(f"{value} is not a JSON value.", "Use null or a text.")
    elif value.bit_length() > MAX_INTEGER_BITS:
        raise UnreadableError("the whole number has too many digits.", "Use a text.", LimitError)
    return value


def _repr(key: object) -> str:
    """Return how Python prints a key, as far as it can; a number may have too many digits for that."""
    try:
        return shown(repr(key), 60)
    except (ValueError, RecursionError):
        return f"of type {type(key).__name__}"


def check_key(key: object) -> str:
    """Return `key` when it is a text."""
    if not isinstance(key, str):
        raise UnreadableError(f"the key {_repr(key)} is not a text.", "Keys of objects are texts.")
    return check_text(key)


def too_deep() -> UnreadableError:
    """Return the error for values nested beyond `MAX_DEPTH`."""
    return UnreadableError(
        f"lists and objects are nested deeper than {MAX_DEPTH}.", "Flatten the value.", LimitError
    )


def not_json(value: object) -> UnreadableError:
    """Return the error for a value of a foreign type."""
    if isinstance(value, Spoilt):
        return value.error
    kind = shown(type(value).__name__, 60)
    return UnreadableError(
        f"a value of type {kind} is not a JSON value.",
        "Turn it into a text, a number, a list or an object.",
    )


def plain(value: Any, depth: int = 0) -> Any:
    """
    Return a copy of a JSON value; tuples become lists.

    Raises:
        UnreadableError: the value, or something in it, is not JSON or is nested too deep.

    Example:
        >>> plain({"sizes": (1, 2)})
        {'sizes': [1, 2]}
    """
    if isinstance(value, str):
        return check_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return check_number(value)
    if not isinstance(value, dict | list | tuple):
        raise not_json(value)
    if depth >= MAX_DEPTH:
        raise too_deep()
    step: str | int | None = None
    try:
        if isinstance(value, dict):
            if isinstance(value, Twice):
                raise value.error
            fields = {}
            for key, inner in value.items():
                step = None
                step = check_key(key)
                fields[step] = plain(inner, depth + 1)
            return fields
        items = []
        for step, inner in enumerate(value):  # noqa: B007 - read by the handler below
            items.append(plain(inner, depth + 1))
    except UnreadableError as error:
        raise (error if step is None else error.inside(step)) from None
    return items


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                fields = Twice(fields)
                fields.key = key
                return fields
            seen.add(key)
    return fields


def _constant(word: str) -> Spoilt:
    number = float(word.replace("Infinity", "inf"))
    return Spoilt(UnreadableError(f"{word} is not a JSON value.", "Use null or a text."), number)


def _float(digits: str) -> float | Spoilt:
    number = float(digits)
    if math.isinf(number):
        return Spoilt(
            UnreadableError(f"the number {shown(digits, 40)} is too large.", "Use a text."), number
        )
    return number


def _only(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader that raises where the other one gives what cannot be used."""

    def strict(raw: Any) -> Any:
        value = reader(raw)
        if isinstance(value, Spoilt | Twice):
            raise value.error
        return value

    return strict


DECODER = json.JSONDecoder(
    object_pairs_hook=_only(_pairs), parse_constant=_only(_constant), parse_float=_only(_float)
)
LENIENT = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)
"""Leaves what cannot be used where it stands, so that only the call that holds it is spoilt."""


def parse_json(text: str, origin: Origin, *, lenient: bool = False) -> Any:
    """
    Read one JSON value; nothing is guessed when the text is cut off or malformed.

    `lenient` leaves a `Spoilt` or a `Twice` where something cannot be used.

    Raises:
        FormatError: the text is not JSON (with line and column), holds a key twice, NaN or Infinity.
        LimitError: it is nested too deep.
    """
    return decode(text, None, origin, LENIENT if lenient else DECODER)[0]


def decode(
    text: str, position: int | None, origin: Origin, decoder: json.JSONDecoder = DECODER
) -> tuple[Any, int]:
    """Read the JSON value that starts at `position`, or that is the whole text; return it with its end."""
    try:
        if position is None:
            return decoder.decode(text), len(text)
        return decoder.raw_decode(text, position)
    except UnreadableError as error:
        raise (
            error.at(origin)
            if position is None
            else error.kind(error.what, where=origin.at_character(text, position), hint=error.hint)
        ) from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        hint = "The text seems to be cut off." if cut else ""
        if error.msg == "Extra data":
            hint = "One JSON value is expected, more follows it."
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        where = origin.at_character(text, error.pos)
        raise FormatError(f"not valid JSON: {what}.", where=where, hint=hint) from None
    except RecursionError:
        deep = too_deep()
        where = origin.at_character(text, position or 0)
        raise LimitError(deep.what, where=where, hint=deep.hint) from None
    except ValueError:
        where = origin.at_character(text, position or 0)
        raise LimitError(
            "a whole number has too many digits.", where=where, hint="Use a text."
        ) from None


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_text(value: Any) -> str:
    """
    Print a JSON value on one line; characters that do not print are escaped.

    Example:
        >>> json_text({"a": "b\\u202e"})
        '{"a": "b\\\\u202e"}'
    """
    text = _ENCODE(value)
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    )
