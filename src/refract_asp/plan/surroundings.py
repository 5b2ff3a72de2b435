"""Finds the plan in what a model wrote around it: fences and prose."""

from __future__ import annotations

import re

__all__ = ["inner_range", "is_prose"]

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
_STATEMENT = re.compile(r"[ \t]*(?:(?:const|let|var)\s+)?(?:[^\W\d]\w*\s*=(?!=)|return\b|//|/\*|#)")
_CODE = re.compile(r"[ \t]*<|.*(?:[{};]|=>)[ \t]*$")
_RETURN = re.compile(r"^[ \t]*return\b", re.MULTILINE)


def inner_range(text: str) -> tuple[int, int, bool]:
    """
    Return where the plan begins and ends in a text, and whether a fence closes it.

    Of fenced blocks the only one with a `return` counts; before the plan, lines that begin like no statement
    are prose.

    Example:
        >>> text = "Here is the plan:\\n```js\\nreturn 1;\\n```\\nDone."
        >>> start, end, is_closed = inner_range(text)
        >>> text[start:end], is_closed
        ('return 1;\\n', True)
    """
    blocks = [block for block in _blocks(text) if _RETURN.search(text, block[0], block[1])]
    start, end, is_closed = blocks[0] if len(blocks) == 1 else (0, len(text), False)
    return _first_statement(text, start, end), end, is_closed


def _blocks(text: str) -> list[tuple[int, int, bool]]:
    """Return the insides of fenced blocks, and whether each of them is closed."""
    found: list[tuple[int, int, bool]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            found.append((min(opened.end() + 1, len(text)), fence.start(), True))
            opened = None
    if opened is not None:
        found.append((min(opened.end() + 1, len(text)), len(text), False))
    return found


def _first_statement(text: str, start: int, end: int) -> int:
    """Return where the first line begins that looks like a statement; `start` where that is not told."""
    position = start
    while position < end:
        if _STATEMENT.match(text, position, end):
            return position
        line_end = text.find("\n", position, end)
        if line_end < 0 or _CODE.match(text, position, line_end):
            break
        position = line_end + 1
    return start


def is_prose(text: str) -> bool:
    """
    Whether no line of a text that follows a plan looks like a part of it.

    Example:
        >>> is_prose("This books the flight."), is_prose("b = 2;")
        (True, False)
    """
    return not any(_STATEMENT.match(line) or _CODE.match(line) for line in text.splitlines())
