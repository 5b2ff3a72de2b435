"""
Splits the text of a plan into tokens, also where it is broken; only what mends plans needs them.

Nothing is judged here: tree-sitter reads plans, see `parsing`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

__all__ = ["Token", "ends_value", "starts_value", "tokens_of"]

_LINE: Final = "[^\n\r\u2028\u2029]*+"  # as far as JavaScript reads a comment
_INSIDE: Final = r"(?:[^*]++|\*(?!/))*+"
_SINGLE: Final = r"(?:[^'\\\n]|\\(?s:.))*+"
_DOUBLE: Final = r"(?:[^\"\\\n]|\\(?s:.))*+"
_PIECES: Final = {
    "blank": "[\\s\ufeff\u200b\u2060]++",
    "comment": rf"//{_LINE}|/\*{_INSIDE}\*/",
    "python_comment": f"#{_LINE}",
    "text": rf"'{_SINGLE}'|\"{_DOUBLE}\"",
    "smart": "[‘‚’“„”]",
    "number": r"(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+\w*+",
    "name": r"[^\W\d][\w]*+",
    "mark": r"\?\.|\.\.\.|[{}()\[\],:;.=+-]",
    "other": rf"'{_SINGLE}|\"{_DOUBLE}|/\*{_INSIDE}|(?s:.)",  # taken whole, so that nothing is read twice
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PIECES.items()))
_IN_TEMPLATE = re.compile(r"\\(?s:.)|`|\$\{|[{}]")
_AFTER_SMART: Final = r"(?=\s*(?:[,)\]}:;.]|$))"
_ENDS_SMART: Final = {
    opening: re.compile(rf"\n|[{closing}]{_AFTER_SMART}", re.MULTILINE)
    for quotes, closing in (("‘‚’", "’'"), ("“„”", '”"'))
    for opening in quotes
}
_VALUES = frozenset({"text", "smart", "template", "number", "name"})
_NO_VALUES = frozenset(
    {"return", "const", "let", "var", "await", "new", "typeof", "void", "delete", "in", "of"}
)


@dataclass(frozen=True, slots=True)
class Token:
    """
    A piece of a text.

    Attributes:
        kind: "name", "number", "text" (in quotes), "smart" (in curly quotes), "template", "comment",
            "python_comment", "mark", or "other", as is what begins a text that does not end.
        text: the piece.
        start: where it begins, in characters from 0.
        is_first: whether a line break, or nothing, stands between it and the token before.
    """

    kind: str
    text: str
    start: int
    is_first: bool

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def tokens_of(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """
    Return the tokens of a part of a text, without its blanks.

    Example:
        >>> [token.text for token in tokens_of("a = f({x: 'it'});")]
        ['a', '=', 'f', '(', '{', 'x', ':', "'it'", '}', ')', ';']
    """
    found: list[Token] = []
    position, stop, is_first = start, len(text) if end is None else end, True
    smart = _SmartTexts(text, start, stop)
    while position < stop:
        if text[position] == "`":
            closed = _template_end(text, position, stop)
            found.append(Token("template", text[position:closed], position, is_first))
            position, is_first = closed, False
            continue
        match = _TOKEN.match(text, position, stop)
        if match is None or match.lastgroup is None:  # every character matches something
            break
        kind, piece = match.lastgroup, match.group()
        if kind == "smart":
            piece = text[position : smart.end_of(position)]
            kind = kind if len(piece) > 1 else "other"
        position += len(piece)
        if kind == "blank":
            is_first = is_first or "\n" in piece
            continue
        found.append(Token(kind, piece, match.start(), is_first))
        is_first = kind in ("comment", "python_comment") and (is_first or "\n" in piece)
    return found


class _SmartTexts:
    """Finds where texts in curly quotes end; looks through the text once, however many begin in it."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self._text, self._start, self._stop = text, start, stop
        self._ends: dict[re.Pattern[str], list[int]] = {}

    def end_of(self, start: int) -> int:
        """Return the first end on its line behind which a value may end; else the opening stands alone."""
        pattern = _ENDS_SMART[self._text[start]]
        if pattern not in self._ends:
            matches = pattern.finditer(self._text, self._start, self._stop)
            self._ends[pattern] = [match.start() for match in matches]
        ends = self._ends[pattern]
        index = bisect_right(ends, start)
        if index == len(ends) or self._text[ends[index]] == "\n":
            return start + 1
        return ends[index] + 1


def _template_end(text: str, start: int, stop: int) -> int:
    """Return where a template ends; those inside its places are part of it."""
    inside = ["`"]
    position = start + 1
    while inside:
        match = _IN_TEMPLATE.search(text, position, stop)
        if match is None:
            return stop
        piece, position = match.group(), match.end()
        if inside[-1] == "`":
            if piece == "`":
                inside.pop()
            elif piece == "${":
                inside.append("{")
        elif piece == "`":
            inside.append("`")
        elif piece in ("{", "${"):
            inside.append("{")
        elif piece == "}":
            inside.pop()
    return position


def ends_value(token: Token | None) -> bool:
    """Whether a value may end with a token."""
    if token is None:
        return False
    if token.kind == "mark":
        return token.text in (")", "]", "}")
    return token.kind in _VALUES and token.text not in _NO_VALUES


def starts_value(token: Token) -> bool:
    """Whether a value may begin with a token."""
    if token.kind == "mark":
        return token.text in ("{", "[", "(")
    return token.kind in _VALUES
