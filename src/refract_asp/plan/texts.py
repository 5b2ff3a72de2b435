"""What stands between the quotes of a text."""

from __future__ import annotations

import re

__all__ = ["BadTextError", "decoded"]

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|\r\n|(?s:.))")
_SINGLE = {
    "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
    "'": "'", '"': '"', "`": "`", "\\": "\\", "\n": "", "\r\n": "", "\r": "", "\u2028": "", "\u2029": "",
    "/": "/", "$": "$",
}  # fmt: skip


class BadTextError(Exception):
    """What stands between quotes is no text."""


def decoded(raw: str) -> str:
    r"""
    Return the text that stands between quotes, its escapes read; what is no escape keeps its backslash.

    Raises:
        BadTextError: it holds half a character.

    Example:
        >>> decoded(r"it\'s \u0041\d")
        "it's A\\d"
    """
    if "\\" not in raw:
        return _checked(raw)
    return _checked(_joined(_ESCAPE.sub(_read, raw)))


def _read(match: re.Match[str]) -> str:
    body = match[0][1:]
    if body in _SINGLE:
        return _SINGLE[body]
    if len(body) > 1 and body[0] in "xu":
        number = int(body[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else match[0]
    return match[0]


def _joined(text: str) -> str:
    """Put the halves of characters beyond 16 bits together."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _checked(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadTextError("half a character")
    return text
