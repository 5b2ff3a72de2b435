"""
Argument text that is nearly JSON: slips are mended, what is cut off or in doubt is refused.

    {"city": "Paris",}                 a trailing comma
    {'city': "Paris"}                  single quotes
    {city: "Paris", "metric": True}    keys without quotes, words of Python
    {"city": "Paris"} // why           comments
    {"text": "two                      line breaks inside texts
    lines"}
    {"city": "Par                      refused: its end is missing

What is mended is written anew as JSON, token by token, and read: nothing of the text is left out or moved.
"""

from __future__ import annotations

import json
import re
from typing import Any

from refract_asp.errors import shown
from refract_asp.formats.values import (
    DECODER,
    MAX_DEPTH,
    UnreadableError,
    check_number,
    too_deep,
    too_many_digits,
)

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
_WORDS = {
    **{word: word for word in ("true", "false", "null")},
    "True": "true",
    "False": "false",
    "None": "null",
}
_COLON = re.compile(r"(?:\s++|//[^\n]*+|\#[^\n]*+|/\*.*?\*/)*+:", re.S)
_CLOSES = {"{": "}", "[": "]"}


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
        raise too_many_digits() from None
    line, column = first.lineno, first.colno
    place = f"not valid JSON at {f'line {line}, column ' if line > 1 else ''}{column}"
    if len(text) > MAX_MENDED:
        raise UnreadableError(f"{place}, and too long to be mended.")
    doubt = UnreadableError(f"{place}, and nothing safe mends it.", "Write the arguments as JSON.")
    pieces, slips = _mended(text, doubt)
    try:
        return DECODER.decode("".join(pieces)), tuple(slips)
    except (ValueError, UnreadableError):
        raise doubt from None


def _mended(text: str, doubt: UnreadableError) -> tuple[list[str], dict[str, None]]:
    """Return the tokens of a text as JSON has them, and which slips it has."""
    pieces: list[str] = []
    slips: dict[str, None] = {}
    opened: list[str] = []
    before = ""  # the last token that counts
    for match in _TOKEN.finditer(text):
        kind, raw = match.lastgroup or "", match[0]
        if kind == "comment":
            slips["a comment"] = None
        if kind in ("blank", "comment"):
            continue
        if kind == "quote" or (kind == "other" and raw == "/"):
            raise UnreadableError("the text is cut off inside a text.", "Ask for the call again.")
        if not opened and (pieces or kind != "open"):
            raise doubt
        if before in ("value", "}", "]") and kind not in ("close", "mark"):
            slips["a missing comma"] = None
            pieces.append(",")
        if kind == "open":
            opened.append(raw)
            if len(opened) > MAX_DEPTH + 1:
                raise too_deep()
        elif kind == "close":
            if _CLOSES[opened.pop()] != raw or before == ":":
                raise doubt
            if before == ",":
                slips["a trailing comma"] = None
                pieces.pop()
        elif kind == "mark":
            if before in (",", ":", "{", "["):
                raise doubt
        else:
            is_key = opened[-1] == "{" and _COLON.match(text, match.end()) is not None
            raw = _value(kind, raw, is_key, doubt, slips)
        pieces.append(raw)
        before = match[0] if kind in ("open", "close", "mark") else "value"
    if opened:
        what = "the text is cut off: brackets are not closed."
        raise UnreadableError(what, "Ask for the call again.")
    return pieces, slips


def _value(
    kind: str, raw: str, is_key: bool, doubt: UnreadableError, slips: dict[str, None]
) -> str:
    """Return a text, word or number as JSON has it."""
    if kind in ("double", "single"):
        if kind == "single":
            slips["single quotes"] = None
        if any(character < " " for character in raw):
            slips["a line break or control character inside a text"] = None
        return json.dumps(_ESCAPE.sub(lambda match: _character(match, doubt), raw[1:-1]))
    if kind == "word" and is_key and _NAME.fullmatch(raw):
        slips["a key without quotes"] = None
        return json.dumps(raw)
    if kind == "word" and not is_key and raw in _WORDS:
        if raw != _WORDS[raw]:
            slips[f"{raw} for {_WORDS[raw]}"] = None
        return _WORDS[raw]
    if kind == "word" and not is_key and _NUMBER.fullmatch(raw):
        try:
            check_number(json.loads(raw))
        except ValueError:
            raise too_many_digits() from None
        return raw
    if raw.lstrip("+-") in ("NaN", "Infinity", "nan", "inf"):
        raise UnreadableError(f"{shown(raw)} is not a JSON value.", "Use null or a text.")
    raise doubt


def _character(match: re.Match[str], doubt: UnreadableError) -> str:
    escape = match[1]
    if escape is None:
        raise doubt
    return "'" if escape == "'" else str(json.loads(f'"\\{escape}"'))
