"""Python text as a syntax tree, within bounds; nothing is run."""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.values import too_deep

__all__ = ["Lines", "Statement", "Written", "parsed", "place_text"]

MAX_TEXT = 1_000_000
_MAX_BRACKETS = 150
_STRINGS = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\\?\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\\?\Z)"""
    r"""|"(?:[^"\\\r\n]|\\.)*+"?|'(?:[^'\\\r\n]|\\.)*+'?|\#[^\r\n]*+|([(\[{])|([)\]}])""",
    re.S,
)
"""Texts and comments, which hide brackets, and brackets; a text without an end goes on as far as it can, so
that no character is looked at twice."""
_WARNED = re.compile(r"\\|(?<![\w.])\.?[0-9][\w.]*(?:and|else|for|if|in|is|not|or)", re.ASCII)
"""What Python may warn of: escapes that it does not know, and numbers that run into a word."""
_LOCK = threading.Lock()


@dataclass
class Statement:
    """A statement of the input, its number from 0, and how many calls it makes."""

    text: str
    number: int
    calls: int = 0


@dataclass(frozen=True)
class Written:
    """How a call stood: in which statement, as which of its calls, and which names its positions got."""

    statement: Statement
    index: int
    names: tuple[str, ...] = ()


class Lines:
    """The lines of a text, by which pieces of it are found again; Python counts columns in bytes."""

    def __init__(self, text: str) -> None:
        """Split the text where Python does."""
        self._lines = re.split(r"\r\n|[\n\r]", text) if "\r" in text else text.split("\n")

    def column(self, line: int, offset: int) -> int:
        """Return how many characters stand before an offset; lines are counted from 1."""
        text = self._lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    def piece(self, node: ast.stmt) -> str:
        """Return the text of a statement."""
        first, last = node.lineno, node.end_lineno or node.lineno
        start = self.column(first, node.col_offset)
        end = self.column(last, node.end_col_offset or 0)
        if first == last:
            return self._lines[first - 1][start:end]
        middle = self._lines[first : last - 1]
        return "\n".join([self._lines[first - 1][start:], *middle, self._lines[last - 1][:end]])


def place_text(origin: Origin, line: int, column: int) -> str:
    """Return a line and a column as a place."""
    place = origin.at()
    return f"{place}:{line}:{column}" if place else f"line {line}, column {column}"


def parsed(text: str, origin: Origin, before: str = "") -> ast.Module:
    """
    Return the syntax tree of a text; `before` stands before it in the tree, and counts for no place.

    Raises:
        FormatError: the text is no Python.
        LimitError: it is too long, or nested too deep for Python's parser.
    """
    if len(text) > MAX_TEXT:
        raise LimitError(f"the text is longer than {MAX_TEXT:,} characters.", where=origin.at())
    whole = before + text
    depth = 0
    for match in _STRINGS.finditer(whole):
        depth += 1 if match[1] else -1 if match[2] else 0
        if depth > _MAX_BRACKETS:
            deep = too_deep()
            place = max(match.start() - len(before), 0)
            raise LimitError(deep.what, where=origin.at_character(text, place), hint=deep.hint)
    parse: Callable[[str], ast.Module] = ast.parse
    try:
        if not _WARNED.search(whole):
            return parse(whole)
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse(whole)
    except SyntaxError as error:
        line = (error.lineno or 1) - before.count("\n")
        column = (error.offset or 1) - (len(before) - before.rfind("\n") - 1 if line == 1 else 0)
        where = place_text(origin, max(line, 1), max(column, 1))
        raise FormatError(f"not valid Python: {shown(error.msg, 120)}.", where=where) from None
    except (MemoryError, RecursionError):  # what they say is nothing, or of Python's own workings
        beyond = LimitError("nested deeper than Python reads.", where=origin.at(), hint="Write it flatter.")
        raise beyond from None
    except ValueError as error:
        raise FormatError(f"not valid Python: {shown(error, 120)}.", where=origin.at()) from None
