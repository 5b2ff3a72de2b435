"""Reads the printed form of a sequence: its tokens, confirms and calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeAlias

from refract_asp.errors import FormatError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.references import Known, to_source
from refract_asp.formats.values import UnreadableError, check_text, decode
from refract_asp.model import (
    Ask,
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmTool,
    Constant,
    Reference,
    Sequence,
    Source,
)
from refract_asp.model.paths import LABEL

__all__ = [
    "NAME",
    "RESERVED",
    "SPACE",
    "Bare",
    "ConfirmKind",
    "Place",
    "Reader",
    "Scanner",
    "confirm_of",
]


ConfirmKind: TypeAlias = Literal["argument", "tool", "drop"]


def confirm_of(
    kind: ConfirmKind,
    name: str,
    value: Source,
    tool: str,
    arguments: dict[str, Source],
    where: Callable[[], str],
) -> Confirm:
    """
    Return a confirm, after a look at the call that it stands before.

    Args:
        kind: what is confirmed.
        name: the parameter, or the tool.
        value: the value that is shown for an argument; null where the call has no such argument.
        tool: the tool of the call.
        arguments: the arguments of the call.
        where: gives the place of the confirm, for messages.

    Raises:
        FormatError: it shows another tool, or another value than the call has.
    """
    if kind == "drop":
        return ConfirmDrop(parameter=name)
    if kind == "tool":
        if name != tool:
            what = (
                f"{shown(name, 80)!r} is confirmed, but the call after it uses {shown(tool, 80)!r}."
            )
            raise FormatError(what, where=where(), hint="Put the confirm directly before its call.")
        return ConfirmTool()
    if repr(value) != repr(arguments.get(name, Constant())):
        what = f"the value confirmed for {shown(name, 80)!r} is not the one in the call after it."
        raise FormatError(what, where=where(), hint="Write the same value in both.")
    return ConfirmArgument(parameter=name)


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
                "a call cannot stand inside a call.",
                "Give it a line and a label, and refer to its label.",
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
            self.fail(
                "this is not a name.", 'Write `\\"` for `"` and `\\\\` for `\\` between backquotes.'
            )
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
                    f"{word} is not a JSON value.",
                    "Write true, false or null, or a text in double quotes.",
                )
            self.position = match.end()
            return _LITERALS[word] if word in _LITERALS else Bare(word)
        if not first or first not in '"[{-0123456789':
            hints = {
                "$": "Write references in double quotes.",
                "'": "Write texts in double quotes.",
            }
            self.fail(
                "a value is expected here.", hints.get(first, "Values are JSON or a bare name.")
            )
        value, self.position = decode(self.text, self.position, self.origin)
        return value

    def _checked(self, text: Any, start: int = 0) -> str:
        try:
            return check_text(text)
        except UnreadableError as error:
            self.fail(error.what, error.hint, start)


_BETWEEN = re.compile(r"(?:[\s;]++|#[^\n]*+)*+")
_END = re.compile(r"[^\S\n]*+(?:;|(?=[\n#])|\Z)")
_RETURN = re.compile(r"return\s*+(?=\{)")
_UNREADABLE = re.compile(r"!\s*+(?=\")")
_WITHOUT = re.compile(r"without\s++(?=[^\s=,)])")

_Confirm: TypeAlias = tuple[Place, ConfirmKind, str, Any]
"""A confirm as it was read: its place, what it is of, the parameter or tool, the value it shows."""


@dataclass(frozen=True)
class _Read:
    """A call as it was read."""

    call: str
    label: str | None
    arguments: dict[str, Any]
    place: Place
    confirms: list[_Confirm]
    malformed: str | None = None


class Reader:
    """Reads one text after the other; `sequence` gives what they make together."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.asks: dict[str, None] = {}
        self.calls: list[_Read] = []
        self.returns: tuple[Place, dict[str, Any]] | None = None
        self.confirms: list[_Confirm] = []

    def read(self, text: str, origin: Origin) -> None:
        """
        Read the statements of a text.

        Raises:
            FormatError: the text is not of the printed form; the message names line and column.
        """
        scanner = Scanner(text, origin)
        while True:
            scanner.skip(_BETWEEN)
            if not scanner.next:
                return
            self._statement(scanner)
            if not scanner.skip(_END):
                scanner.fail(
                    "one call a line is expected.",
                    "Begin a new line, or put `;` between two calls.",
                )

    def sequence(self) -> Sequence:
        """
        Return the sequence that was read.

        Raises:
            FormatError: a value cannot be used, or a confirm does not fit the call after it.
        """
        if self.confirms:
            raise FormatError(
                "no call follows this confirm.",
                where=self.confirms[0][0].where(),
                hint="Put it directly before its call.",
            )
        calls = []
        known = Known(read.label for read in self.calls)
        for read in self.calls:
            arguments = {
                p: self._source(value, known, read.place, read.call, p)
                for p, value in read.arguments.items()
            }
            confirms = tuple(
                confirm_of(
                    kind, name, self._source(value, known, place), read.call, arguments, place.where
                )
                for place, kind, name, value in read.confirms
            )
            calls.append(
                Call(
                    name=read.call,
                    arguments=arguments,
                    label=read.label,
                    confirms=confirms,
                    malformed=read.malformed,
                )
            )
        returns = None
        if self.returns is not None:
            place, values = self.returns
            returns = {
                name: self._source(value, known, place, "return", name)
                for name, value in values.items()
            }
        return Sequence(calls=tuple(calls), asks=tuple(self.asks), returns=returns, format="pretty")

    def _source(self, value: Any, known: Known, place: Place, *fields: str) -> Source:
        if isinstance(value, Bare):
            return (
                Ask(name=value.name)
                if value.name in self.asks
                else Reference(label=value.name, bare=True)
            )
        try:
            for field in fields[1:]:
                check_text(field)
            return to_source(value, self.asks, known)
        except UnreadableError as error:
            inside = (Origin().at(error.place),) if error.place else ()
            raise error.kind(
                error.what, where=place.where(*fields, *inside), hint=error.hint
            ) from None

    def _statement(self, scanner: Scanner) -> None:
        start = scanner.position
        if scanner.skip(_RETURN):
            if self.returns is not None:
                scanner.fail("a sequence has one return line.", "Remove one of the two.", start)
            values, scanner.position = decode(scanner.text, scanner.position, scanner.origin)
            self.returns = (scanner.place(start), values)
            return
        if self.returns is not None:
            scanner.fail("nothing may follow the return line.", "Move the return line to the end.")
        name, quoted = scanner.name("a call")
        label = None
        scanner.skip(SPACE)
        if scanner.take("="):
            label, (name, quoted) = name, scanner.name("a tool")
            scanner.skip(SPACE)
        if not scanner.take("("):
            scanner.fail(
                f"'(' is expected after {shown(name, 60)!r}.",
                'Write calls as `var1 = Tool(a="x")`.',
            )
        if label is None and not quoted:
            if name == "ask" and self._ask(scanner):
                return
            if name == "confirm" and scanner.next != ")":
                self._confirm(scanner, scanner.place(start))
                return
        malformed = self._unreadable(scanner)
        arguments = self._arguments(scanner, name) if malformed is None else {}
        self.calls.append(
            _Read(name, label, arguments, scanner.place(start), self.confirms, malformed)
        )
        self.confirms = []

    def _unreadable(self, scanner: Scanner) -> str | None:
        """Read why a call has no arguments that can be used; None when it has some."""
        if not scanner.skip(_UNREADABLE):
            return None
        why, _ = scanner.name("a text")
        scanner.skip(SPACE)
        if scanner.next != ")":
            scanner.fail("')' is expected here.", "Nothing follows the reason.")
        scanner.position += 1
        return why

    def _ask(self, scanner: Scanner) -> bool:
        """Read the names in the brackets; False when there are none, or arguments: it is a call then."""
        opened = scanner.position
        names = []
        while scanner.next != ")":
            names.append(scanner.name("a name")[0])
            scanner.skip(SPACE)
            if scanner.next == "=":
                scanner.position = opened
                return False
            scanner.comma()
        if names:
            scanner.position += 1
            self.asks.update(dict.fromkeys(names))
        return bool(names)

    def _confirm(self, scanner: Scanner, place: Place) -> None:
        while scanner.next != ")":
            dropped = scanner.skip(_WITHOUT)
            name, _ = scanner.name("a name")
            scanner.skip(SPACE)
            if dropped:
                self.confirms.append((place, "drop", name, None))
            elif scanner.take("="):
                self.confirms.append((place, "argument", name, scanner.value()))
            else:
                self.confirms.append((place, "tool", name, None))
            scanner.comma()
        scanner.position += 1

    def _arguments(self, scanner: Scanner, tool: str) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        while scanner.next != ")":
            start = scanner.position
            what = f"argument {len(arguments) + 1} of {shown(tool, 60)!r}"
            if not scanner.next:
                scanner.comma()
            named = scanner.next in '"`' or NAME.match(scanner.text, start)
            name = scanner.name("a parameter")[0] if named else ""
            scanner.skip(SPACE)
            if not named or not scanner.take("="):
                scanner.fail(
                    f"{what} has no name.", "Write each argument as `parameter=value`.", start
                )
            if name in arguments:
                what = f"the argument {shown(name, 60)!r} is given twice."
                scanner.fail(what, "Remove one of the two.", start)
            arguments[name] = scanner.value()
            scanner.comma()
        scanner.position += 1
        return arguments
