"""Text that is safe and pleasant on a terminal: control characters escaped, colours on demand."""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

__all__ = ["Style", "escaped", "painted"]

Style: TypeAlias = Literal["green", "red", "yellow", "cyan", "bold"]

_SGR: dict[Style, str] = {"green": "32", "red": "31", "yellow": "33", "cyan": "36", "bold": "1"}


def escaped(text: str, *, keep: str = "") -> str:
    r"""
    Return `text` with every character that does not print escaped as JSON escapes it.

    That covers line breaks, terminal control codes, and the marks that turn the reading direction.
    Characters in `keep` stay as they are. Inside a JSON text the meaning is unchanged.

    Example:
        >>> escaped("a\x1b[31m\u202eb")
        'a\\u001b[31m\\u202eb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else json.dumps(c)[1:-1] for c in text)


def painted(text: str, *styles: Style) -> str:
    r"""
    Return `text` between the codes that colour it on a terminal.

    Example:
        >>> painted("no", "red")
        '\x1b[31mno\x1b[0m'
    """
    codes = ";".join(_SGR[style] for style in styles)
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text
