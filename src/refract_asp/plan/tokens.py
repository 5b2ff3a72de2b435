"""
Splits the text of a plan into tokens, also where it is broken; only what mends plans needs them.

Nothing is judged here: tree-sitter reads plans, see `parsing`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Token", "tokens_of"]

_PIECES: Final = {
    "blank": "[\\s\ufeff\u200b\u2060]++",
    "comment": r"//[^\n]*+|/\*(?s:.*?)\*/",
    "python_comment": r"#[^\n]*+",
    "text": r"'(?:[^'\\\n]|\\(?s:.))*+'|\"(?:[^\"\\\n]|\\(?s:.))*+\"",
    "smart": r"[‘‚’](?:[^‘\n]*?)[’']|[“„”](?:[^“\n]*?)[”\"]",
    "number": r"(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+\w*+",
    "name": r"[^\W\d][\w]*+",
    "mark": r"\?\.|\.\.\.|[{}()\[\],:;.=+-]",
    "other": r"(?s:.)",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PIECES.items()))
_IN_TEMPLATE = re.compile(r"\\(?s:.)|`|\$\{|[{}]")
_AFTER_SMART = re.compile(r"\s*(?:[,)\]}:;.]|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Token:
    """
    A piece of a text.

    Attributes:
        kind: "name", "number", "text" (in quotes), "smart" (in curly quotes), "template", "comment",
            "python_comment", "mark", or "other".
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
            piece = _smart(text, position, stop) or piece[0]
            kind = kind if len(piece) > 1 else "other"
        position += len(piece)
        if kind == "blank":
            is_first = is_first or "\n" in piece
            continue
        found.append(Token(kind, piece, match.start(), is_first))
        is_first = kind in ("comment", "python_comment") and (is_first or "\n" in piece)
    return found


def _smart(text: str, start: int, stop: int) -> str | None:
    """Return a text in curly quotes, up to the first closing one behind which a value may end."""
    closers = "’'" if text[start] in "‘‚’" else '”"'
    line_end = text.find("\n", start, stop)
    line_end = stop if line_end < 0 else line_end
    for position in range(start + 1, min(line_end, start + 10_000)):
        if text[position] in closers and _AFTER_SMART.match(text, position + 1, stop):
            return text[start : position + 1]
    return None


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
