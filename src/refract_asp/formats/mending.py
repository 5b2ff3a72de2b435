"""
Argument text that is nearly JSON: slips are mended, what is cut off or in doubt is refused.

    {"city": "Paris",}                 a trailing comma
    {'city': "Paris"}                  single quotes
    {city: "Paris", "metric": True}    keys without quotes, words of Python
    {"city": "Paris"} // why           comments
    {"text": "two                      line breaks inside texts
    lines"}
    {"city": "Par                      refused: its end is missing

`json-repair` does the mending, and is not trusted: every bracket, key and value of the text has to stand
in what it gives, in the same order and with the same type, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from refract_asp.errors import LimitError, shown
from refract_asp.formats.values import DECODER, MAX_DEPTH, UnreadableError, check_number, too_deep

__all__ = ["read_json_text"]

MAX_MENDED = 200_000
"""Longer texts are read when they are JSON, and never mended."""

_TOKEN = re.compile(
    r"""(?P<blank>\s++)|(?P<comment>//[^\n]*+|\#[^\n]*+|/\*.*?\*/)|(?P<open>[{\[])|(?P<close>[}\]])"""
    r"""|(?P<mark>[,:])|(?P<double>"(?:[^"\\]|\\.)*+")|(?P<single>'(?:[^'\\]|\\.)*+')"""
    r"""|(?P<quote>["'])|(?P<word>(?:[^\s{}\[\],:"'/\#]|/(?![/*]))++)|(?P<other>.)""",
    re.S,
)
_ESCAPE = re.compile(r"""\\(u[0-9a-fA-F]{4}|["'\\/bfnrt])|\\""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NAME = re.compile(r"[^\W\d][\w\-]*")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_PYTHON = frozenset({"True", "False", "None"})
_CLOSES = {"{": "}", "[": "]"}

_Token = tuple[str, Any]


def read_json_text(text: str) -> tuple[Any, tuple[str, ...]]:
    """
    Return the value that a text holds, and what had to be mended.

    Raises:
        UnreadableError: it is cut off, holds what JSON cannot, or is too far from JSON.

    Example:
        >>> read_json_text("{'city': 'Paris',}")
        ({'city': 'Paris'}, ('single quotes', 'a trailing comma'))
    """
    try:
        return DECODER.decode(text), ()
    except json.JSONDecodeError as error:
        first = error
    except RecursionError:
        raise too_deep() from None
    except ValueError:
        raise UnreadableError(
            "a whole number has too many digits.", "Use a text.", LimitError
        ) from None
    line, column = first.lineno, first.colno
    place = (
        f"not valid JSON at line {line}, column {column}"
        if line > 1
        else f"not valid JSON at {column}"
    )
    if len(text) > MAX_MENDED:
        raise UnreadableError(f"{place}, and too long to be mended.")
    tokens, slips = _tokens(text, place)
    value = _mended(text)
    if list(_leaves(value)) != tokens:
        raise UnreadableError(
            f"{place}, and nothing safe mends it.", "Write the arguments as JSON."
        )
    return value, tuple(slips)


def _mended(text: str) -> Any:
    import json_repair

    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _tokens(text: str, place: str) -> tuple[list[_Token], dict[str, None]]:
    """Return brackets, keys and values as they stand in the text, and which slips it has."""
    tokens: list[_Token] = []
    slips: dict[str, None] = {}
    opened: list[str] = []
    before = ""  # the last token that counts
    doubt = UnreadableError(f"{place}, and nothing safe mends it.", "Write the arguments as JSON.")
    for match in _TOKEN.finditer(text):
        kind, raw = match.lastgroup or "", match[0]
        if kind == "comment":
            slips["a comment"] = None
        if kind in ("blank", "comment"):
            continue
        if kind == "quote" or (kind == "other" and raw == "/"):
            raise UnreadableError("the text is cut off inside a text.", "Ask for the call again.")
        if not opened and (tokens or kind != "open"):
            raise doubt
        if before in ("value", "}", "]") and kind not in ("close", "mark"):
            slips["a missing comma"] = None
        if kind == "open":
            opened.append(raw)
            if len(opened) > MAX_DEPTH + 1:
                raise too_deep()
            tokens.append(("", raw))
        elif kind == "close":
            if _CLOSES[opened.pop()] != raw or before == ":":
                raise doubt
            if before == ",":
                slips["a trailing comma"] = None
            tokens.append(("", raw))
        elif kind == "mark":
            if before in (",", ":", "{", "["):
                raise doubt
        else:
            tokens.append(_value(kind, raw, _is_key(text, match.end(), opened), doubt, slips))
        before = raw if kind in ("open", "close", "mark") else "value"
    if opened:
        raise UnreadableError(
            "the text is cut off: brackets are not closed.", "Ask for the call again."
        )
    return tokens, slips


def _is_key(text: str, position: int, opened: list[str]) -> bool:
    while (match := _TOKEN.match(text, position)) and match.lastgroup in ("blank", "comment"):
        position = match.end()
    return opened[-1] == "{" and text[position : position + 1] == ":"


def _value(
    kind: str, raw: str, is_key: bool, doubt: UnreadableError, slips: dict[str, None]
) -> _Token:
    if kind in ("double", "single"):
        if kind == "single":
            slips["single quotes"] = None
        if any(character < " " for character in raw):
            slips["a line break or control character inside a text"] = None
        return ("text", _ESCAPE.sub(lambda match: _character(match, doubt), raw[1:-1]))
    if kind == "word" and is_key and _NAME.fullmatch(raw):
        slips["a key without quotes"] = None
        return ("text", raw)
    if kind == "word" and not is_key and raw in _WORDS:
        if raw in _PYTHON:
            slips[f"{raw} for {json.dumps(_WORDS[raw])}"] = None
        return ("word", _WORDS[raw])
    if kind == "word" and not is_key and _NUMBER.fullmatch(raw):
        try:
            return ("number", check_number(json.loads(raw)))
        except ValueError:
            raise UnreadableError(
                "a whole number has too many digits.", "Use a text.", LimitError
            ) from None
    if raw.lstrip("+-") in ("NaN", "Infinity", "nan", "inf"):
        raise UnreadableError(f"{shown(raw)} is not a JSON value.", "Use null or a text.")
    raise doubt


def _character(match: re.Match[str], doubt: UnreadableError) -> str:
    escape = match[1]
    if escape is None:
        raise doubt
    return "'" if escape == "'" else str(json.loads(f'"\\{escape}"'))


def _leaves(value: Any) -> Iterator[_Token]:
    """Yield brackets, keys and values of what was mended, as `_tokens` does of the text."""
    if isinstance(value, dict):
        yield ("", "{")
        for key, inner in value.items():
            yield ("text", key)
            yield from _leaves(inner)
        yield ("", "}")
    elif isinstance(value, list):
        yield ("", "[")
        for inner in value:
            yield from _leaves(inner)
        yield ("", "]")
    elif isinstance(value, str):
        yield ("text", value)
    elif value is None or isinstance(value, bool):
        yield ("word", value)
    else:
        yield ("number", value)
