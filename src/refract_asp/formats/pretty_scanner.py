"""The words of the printed form: names, values and what stands between them; `pretty` describes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from refract_asp.errors import FormatError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.values import UnreadableError, check_text, decode
from refract_asp.model.paths import LABEL

__all__ = ["NAME", "RESERVED", "SPACE", "Bare", "Place", "Scanner"]

NAME = re.compile(r"""[^\s"'`()=,;#\[\]{}\\]++""")
"""A label, tool or parameter that needs no quotes."""

RESERVED = frozenset({"true", "false", "null", "True", "False", "None", "NaN", "Infinity"})
"""Words that cannot be bare names of values."""

SPACE = re.compile(r"\s*+")

_CUT = "The text seems to be cut off."
_LITERALS = {"true": True, "false": False, "null": None}
_BACKQUOTED = re.compile(r"`[^`]*+`")


@dataclass(frozen=True)
class Bare:
    """A bare name where a value stands; whether it is asked is known only at the end."""

    name: str


@dataclass(frozen=True)
class Place:
    """A character of the input; its line is counted only when a message needs it."""

    text: str
    origin: Origin
    position: int

    def where(self, *fields: str) -> str:
        """Return file, line and column, followed by names."""
        at = self.origin.at_character(self.text, self.position)
        return ": ".join((at, *(shown(field, 80) for field in fields)))


class Scanner:
    """Walks through a text; `position` is the next character."""

    def __init__(self, text: str, origin: Origin) -> None:
        """
        Begin at the first character.

        Raises:
            FormatError: the text holds half a character.
        """
        self.text = text
        self.origin = origin
        self.position = 0
        self._checked(text)

    @property
    def next(self) -> str:
        """The next character, the empty text at the end."""
        return self.text[self.position : self.position + 1]

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Pass over what the pattern matches here, and tell whether it does."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return False
        self.position = match.end()
        return True

    def take(self, character: str) -> bool:
        """Pass over a character and the blanks after it, and tell whether it stands here."""
        if self.next != character:
            return False
        self.position += 1
        return self.skip(SPACE)

    def place(self, position: int | None = None) -> Place:
        """Return a place in the text, by default this one."""
        return Place(self.text, self.origin, self.position if position is None else position)

    def fail(self, what: str, hint: str, position: int | None = None) -> NoReturn:
        """Raise an error for a place in the text, by default this one."""
        raise FormatError(what, where=self.place(position).where(), hint=hint)

    def comma(self) -> None:
        """Pass over a comma, or stop before the closing bracket."""
        self.skip(SPACE)
        if self.take(","):
            return
        if not self.next:
            self.fail("the brackets are not closed.", _CUT)
        if self.next == "(":
            self.fail(
                "a call cannot stand inside a call.", "Give it a line and a label, and refer to its label."
            )
        if self.next != ")":
            self.fail("',' or ')' is expected here.", "Write texts in double quotes.")

    def name(self, what: str) -> tuple[str, bool]:
        """Read a name, and tell whether it was quoted."""
        if self.next == '"':
            start = self.position
            name, self.position = decode(self.text, start, self.origin)
            return self._checked(name, start), True
        if self.next == "`":
            return self._backquoted(), True
        match = NAME.match(self.text, self.position)
        if match is None:
            self.fail(f"{what} is expected here.", 'Write calls as `var1 = Tool(a="x")`.')
        self.position = match.end()
        return match[0], False

    def _backquoted(self) -> str:
        match = _BACKQUOTED.match(self.text, self.position)
        if match is None:
            self.fail("the backquote is not closed.", _CUT)
        try:
            name, end = decode(f'"{match[0][1:-1]}"', 0, self.origin)
        except FormatError:
            end = 0
        if end != len(match[0]):
            self.fail("this is not a name.", 'Write `\\"` for `"` and `\\\\` for `\\` between backquotes.')
        self.position = match.end()
        return self._checked(name, match.start())

    def value(self) -> Any:
        """Read a value: JSON, or a bare name."""
        self.skip(SPACE)
        first = self.next
        if first == "`":
            return Bare(self._backquoted())
        match = LABEL.match(self.text, self.position)
        if match is not None:
            word = match[0]
            if word in RESERVED and word not in _LITERALS:
                self.fail(
                    f"{word} is not a JSON value.", "Write true, false or null, or a text in double quotes."
                )
            self.position = match.end()
            return _LITERALS[word] if word in _LITERALS else Bare(word)
        if not first or first not in '"[{-0123456789':
            hints = {"$": "Write references in double quotes.", "'": "Write texts in double quotes."}
            self.fail("a value is expected here.", hints.get(first, "Values are JSON or a bare name."))
        value, self.position = decode(self.text, self.position, self.origin)
        return value

    def _checked(self, text: Any, start: int = 0) -> str:
        try:
            return check_text(text)
        except UnreadableError as error:
            self.fail(error.what, error.hint, start)
