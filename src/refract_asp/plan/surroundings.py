"""Finds the plan in what a model wrote around it: fences and prose."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Inner", "inner_range", "is_prose"]

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
_STATEMENT = re.compile(r"[ \t]*(?:(?:const|let|var)\s+)?(?:[^\W\d]\w*\s*=(?!=)|return\b|//|/\*|#)")
_BROKEN_OFF = re.compile(r"[ \t]*[<{})\]]|.*(?:[{};]|=>)[ \t\r]*$")
_STEP = r"(?:\.[\w$]++|\[[^\]\n]*+\])"
_DOES = re.compile(
    rf"""[ \t]*+(?:
        (?:export\s++)?+(?:const|let|var)\s++(?:[\w$]++\s*+=|[\[{{])
      | [\w$]++{_STEP}*+\s*+(?:[-+*/%&|^?]{{0,3}}=(?![=>])|\+\+|--)
      | [\[({{][^=\n]*+=(?![=>])
      | (?:(?:await|yield|throw|new|void|return)\s++)*+[\w$]++{_STEP}*+\(.*[)\](,{{;][ \t\r]*$
      | (?:\}}\s*+)?+(?:else\s++)?+(?:if|for|while|switch|with|catch)\s*+(?:await\s*+)?+\(
      | (?:\}}\s*+)?+(?:else|try|do|finally)[ \t\r{{:]*$
      | (?:async\s++)?+function\b | (?:async\s++)?+def\s++\w | class\s++\w++\s*+(?:extends\b|[({{:]|$)
      | (?:if|elif|for|while|with|except)\s.*:[ \t\r]*$
      | import\s++(?:["'*{{]|.*\bfrom\s*+["']) | from\s++[\w.]++\s++import\b | export\s++(?:default\b|[*{{])
      | return\b.*;[ \t\r]*$
    )""",
    re.VERBOSE,
)
"""A line of code that does something, so that a plan without it is another one."""
_RETURN = re.compile(r"^[ \t]*return\b", re.MULTILINE)


class Inner(NamedTuple):
    """
    What of a text is the plan.

    Attributes:
        start, end: where it begins and ends.
        is_closed: whether a fence closes it.
        outside: where code stands outside of the block that returns something, or None.
    """

    start: int
    end: int
    is_closed: bool = False
    outside: int | None = None


def inner_range(text: str) -> Inner:
    """
    Return where the plan begins and ends in a text.

    Of fenced blocks the only one with a `return` counts; before the plan, lines that are no code are prose.

    Example:
        >>> text = "Here is the plan:\\n```js\\nreturn 1;\\n```\\nDone."
        >>> found = inner_range(text)
        >>> text[found.start:found.end], found.is_closed
        ('return 1;\\n', True)
    """
    blocks = _blocks(text)
    returning = [block for block in blocks if _RETURN.search(text, block.start, block.end)]
    if len(returning) > 1:
        return Inner(0, len(text), outside=returning[1].start)
    if not returning:
        return Inner(_first_statement(text, 0, len(text)), len(text))
    start, end, is_closed, _ = returning[0]
    outside = _first_code(text, 0, start)
    if outside is None:
        outside = _first_code(text, end, len(text))
    return Inner(_first_statement(text, start, end), end, is_closed, outside)


def _blocks(text: str) -> list[Inner]:
    """Return the insides of fenced blocks."""
    found: list[Inner] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            found.append(Inner(min(opened.end() + 1, len(text)), fence.start(), True))
            opened = None
    if opened is not None:
        found.append(Inner(min(opened.end() + 1, len(text)), len(text)))
    return found


def _first_statement(text: str, start: int, end: int) -> int:
    """Return where the first line begins that looks like a statement; `start` where that is not told."""
    position = start
    while position < end:
        if _STATEMENT.match(text, position, end):
            return position
        line_end = text.find("\n", position, end)
        if line_end < 0 or _is_code(text, position, line_end):
            break
        position = line_end + 1
    return start


def _first_code(text: str, start: int, end: int) -> int | None:
    """Return where the first line begins that does something, or None; data, as JSON, does nothing."""
    position = start
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        if _DOES.match(text, position, line_end):
            return position
        position = line_end + 1
    return None


def _is_code(text: str, start: int, end: int) -> bool:
    return bool(_BROKEN_OFF.match(text, start, end) or _DOES.match(text, start, end))


def is_prose(text: str) -> bool:
    """
    Whether no line of a text that follows a plan looks like a part of it.

    Example:
        >>> is_prose("This books the flight."), is_prose("b = 2;"), is_prose("book({})")
        (True, False, False)
    """
    return not any(_STATEMENT.match(line) or _is_code(line, 0, len(line)) for line in text.splitlines())
