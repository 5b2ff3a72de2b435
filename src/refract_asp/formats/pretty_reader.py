"""The statements of the printed form; `pretty` describes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.errors import FormatError, shown
from refract_asp.formats.confirms import ConfirmKind, confirm_of
from refract_asp.formats.origin import Origin
from refract_asp.formats.pretty_scanner import NAME, SPACE, Bare, Place, Scanner
from refract_asp.formats.references import to_source
from refract_asp.formats.spellings import Known
from refract_asp.formats.values import UnreadableError, check_text, decode
from refract_asp.model import Ask, Call, Reference, Sequence, Source

__all__ = ["Reader"]

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
                    "one call a line is expected.", "Begin a new line, or put `;` between two calls."
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
                p: self._source(value, known, read.place, read.call, p) for p, value in read.arguments.items()
            }
            confirms = tuple(
                confirm_of(kind, name, self._source(value, known, place), read.call, arguments, place.where)
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
                name: self._source(value, known, place, "return", name) for name, value in values.items()
            }
        return Sequence(calls=tuple(calls), asks=tuple(self.asks), returns=returns, format="pretty")

    def _source(self, value: Any, known: Known, place: Place, *fields: str) -> Source:
        if isinstance(value, Bare):
            return Ask(name=value.name) if value.name in self.asks else Reference(label=value.name, bare=True)
        try:
            for field in fields[1:]:
                check_text(field)
            return to_source(value, self.asks, known)
        except UnreadableError as error:
            inside = (Origin().at(error.place),) if error.place else ()
            raise error.kind(error.what, where=place.where(*fields, *inside), hint=error.hint) from None

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
                f"'(' is expected after {shown(name, 60)!r}.", 'Write calls as `var1 = Tool(a="x")`.'
            )
        if label is None and not quoted:
            if name == "ask" and self._ask(scanner):
                return
            if name == "confirm" and scanner.next != ")":
                self._confirm(scanner, scanner.place(start))
                return
        malformed = self._unreadable(scanner)
        arguments = self._arguments(scanner, name) if malformed is None else {}
        self.calls.append(_Read(name, label, arguments, scanner.place(start), self.confirms, malformed))
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
                scanner.fail(f"{what} has no name.", "Write each argument as `parameter=value`.", start)
            if name in arguments:
                what = f"the argument {shown(name, 60)!r} is given twice."
                scanner.fail(what, "Remove one of the two.", start)
            arguments[name] = scanner.value()
            scanner.comma()
        scanner.position += 1
        return arguments
