"""
The printed form of sequences: one call a line.

    ask(originSkyId)                                       a value that the user has to give
    var1 = SkyScrapperSearchAirport(query="New York")      a call with its label
    confirm(date="$var7.date$")                            what has to be confirmed before the next call:
    confirm(NewsAPISearchByKeyWord)                        an argument, the tool,
    confirm(without adults)                                or that an argument is left out
    var3 = Flights(originSkyId=originSkyId, date="$var7.date$", adults=2)
    return {"flights": "$var3$"}                           what the sequence gives back

Values are JSON; texts hold references (`references` describes them, and how a dollar is escaped). A bare name
is an ask when an `ask` line names it, else a context variable; one that is no plain word stands in a text:
`"a b"="$['a b']$"`. A label, tool or parameter that is not a plain word is written as a JSON string. A call
without a label whose tool is named `ask`, `confirm` or `return` is printed with its name in quotes.
Lines that start with `#` are comments; a call may go over several lines; a `;` may end it.

A call whose arguments cannot be used has the reason for arguments: `Search(! "the text is cut off")`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from refract_asp.errors import FormatError, shown
from refract_asp.formats import values
from refract_asp.formats.references import Known, known_of, source_value, to_source
from refract_asp.formats.source import Format, short
from refract_asp.formats.values import Origin, UnreadableError, located
from refract_asp.model import Ask, Call, Constant, Reference, Sequence, Source
from refract_asp.model.paths import LABEL
from refract_asp.model.sequence import Confirm, ConfirmArgument, ConfirmDrop, ConfirmTool

ConfirmKind: TypeAlias = Literal["argument", "tool", "drop"]
# Gives file, line and column; the line is counted only when a message needs it.
_Where: TypeAlias = Callable[[], str]

_CUT = "The text seems to be cut off."
_HINT = 'Write calls as `var1 = Tool(a="x")`.'
_LITERALS = {"true": True, "false": False, "null": None}
# Words that cannot be bare names of values.
_RESERVED = frozenset({*_LITERALS, "True", "False", "None", "NaN", "Infinity"})
_PSEUDO = frozenset({"ask", "confirm", "return"})

# A label, tool or parameter that needs no quotes.
_NAME = re.compile(r"""[^\s"'`()=,;#\[\]{}\\<>]++""")
_PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")
_SPACE = re.compile(r"\s*+")
_BETWEEN = re.compile(r"(?:[\s;]++|#[^\n]*+)*+")
_END = re.compile(r"[^\S\n]*+(?:;|(?=[\n#])|\Z)")
_RETURN = re.compile(r"return\s*+(?=\{)")
_UNREADABLE = re.compile(r"!\s*+(?=\")")
_WITHOUT = re.compile(r"without\s++(?=[^\s=,)])")
_RETURNS = re.compile(r"return\s*+\{")
_EMPTY = re.compile(r"(?:\s++|#[^\n]*+)*+")


# -- printing --------------------------------------------------------------------------


def source_text(source: Source, labels: Collection[str] | Known = ()) -> str:
    """
    Print what an argument is bound to; `labels` are those of the calls.

    Raises:
        FormatError: a constant is not a JSON value.
        LimitError: it is nested deeper than 64.

    Example:
        >>> source_text(Reference(label="var1", path=("skyId",))), source_text(Ask(name="date"))
        ('"$var1.skyId$"', 'date')
    """
    name = source.name if isinstance(source, Ask) else ""
    if isinstance(source, Reference) and source.bare and not source.path:
        name = source.label
    if LABEL.fullmatch(name) and name not in _RESERVED:
        return name
    return values.json_text(source_value(source, labels))


def call_text(call: Call, labels: Collection[str] | Known = ()) -> str:
    """
    Print a call on one line, without its confirms; `labels` are those of the calls.

    Raises:
        FormatError: a constant is not a JSON value.

    Example:
        >>> call_text(Call(name="Search", label="var1"))
        'var1 = Search()'
    """
    given = [f"{_name(p)}={source_text(source, labels)}" for p, source in call.arguments.items()]
    if call.malformed is not None:
        given = [f"! {values.json_text(call.malformed)}"]
    label = "" if call.label is None else f"{_name(call.label)} = "
    is_pseudo = not label and call.name in _PSEUDO
    name = values.json_text(call.name) if is_pseudo else _name(call.name)
    return f"{label}{name}({', '.join(given)})"


def confirm_text(call: Call, confirm: Confirm, labels: Collection[str] | Known = ()) -> str:
    """Print what has to be confirmed before `call`; `labels` are those of the calls."""
    if isinstance(confirm, ConfirmTool):
        return f"confirm({_name(call.name)})"
    parameter = _name(confirm.parameter)
    if not isinstance(confirm, ConfirmArgument):
        return f"confirm(without {parameter})"
    source = call.arguments.get(confirm.parameter)
    return f"confirm({parameter}={'null' if source is None else source_text(source, labels)})"


def ask_text(name: str) -> str:
    """Print the line that asks the user for a value."""
    return f"ask({_name(name)})"


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) or (_NAME.fullmatch(name) and name.isprintable()):
        return name
    return values.json_text(name)


def lines_of(sequence: Sequence, known: Known) -> list[str]:
    """Print a sequence, one statement a line; `known` distinguishes references from text."""
    lines = [ask_text(name) for name in sequence.asks]
    for call in sequence.calls:
        lines.extend(confirm_text(call, confirm, known) for confirm in call.confirms)
        lines.append(call_text(call, known))
    if sequence.returns is not None:
        held = {name: source_value(source, known) for name, source in sequence.returns.items()}
        lines.append(f"return {values.json_text(held)}")
    return lines


# -- reading ---------------------------------------------------------------------------


def confirm_of(kind: ConfirmKind, name: str, value: Source, call: Call, where: _Where) -> Confirm:
    """
    Return a confirm, after a look at the call that it stands before.

    Args:
        kind: what is confirmed.
        name: the parameter, or the tool.
        value: the value that is shown for an argument; null where the call has no such argument.
        call: the call.
        where: gives the place of the confirm, for messages.

    Raises:
        FormatError: it shows another tool, or another value than the call has.
    """
    if kind == "drop":
        return ConfirmDrop(parameter=name)
    is_right = name == call.name
    if kind == "argument":
        is_right = repr(value) == repr(call.arguments.get(name, Constant()))
    if not is_right:
        what = f"what is confirmed, {shown(name, 80)!r}, is not what the call after it says."
        hint = "Put the confirm directly before its call, with the same value."
        raise FormatError(what, where=where(), hint=hint)
    return ConfirmTool() if kind == "tool" else ConfirmArgument(parameter=name)


@dataclass(frozen=True)
class _Statement:
    """A call as it was read, with what stands before it to be confirmed; sources are built at the end."""

    name: str
    label: str | None
    arguments: dict[str, Any]
    where: _Where
    confirms: list[tuple[_Where, ConfirmKind, str, Any]]
    malformed: str | None = None


@dataclass
class Reader:
    """Reads one text after the other; `sequence` gives what they make together."""

    text: str = ""
    origin: Origin = field(default_factory=Origin)
    position: int = 0
    asks: dict[str, None] = field(default_factory=dict)
    calls: list[_Statement] = field(default_factory=list)
    returns: tuple[_Where, dict[str, Any]] | None = None
    confirms: list[tuple[_Where, ConfirmKind, str, Any]] = field(default_factory=list)

    def read(self, text: str, origin: Origin) -> None:
        """
        Read the statements of a text.

        Raises:
            FormatError: the text is not of the printed form; the message names line and column.
        """
        self.text, self.origin, self.position = text, origin, 0
        self.checked(text, 0)
        while self.skip(_BETWEEN) and self.next:
            self.statement()
            short(self.calls, origin)
            hint = "Begin a new line, or put `;` between two calls."
            self.need(self.skip(_END), "one call a line is expected.", hint)

    def sequence(self) -> Sequence:
        """
        Return the sequence that was read.

        Raises:
            FormatError: a value cannot be used, or a confirm does not fit the call after it.
        """
        for where, *_ in self.confirms:
            hint = "Put it directly before its call."
            raise FormatError("no call follows this confirm.", where=where(), hint=hint)
        known = Known(read.label for read in self.calls)

        def source(value: Any, where: _Where, *fields: str) -> Source:
            """Return the source that a value stands for; only now it is known what is asked for."""
            if isinstance(value, Reference):
                return Ask(name=value.label) if value.label in self.asks else value
            try:
                for name in fields[1:]:
                    values.check_text(name)
                return to_source(value, self.asks, known)
            except UnreadableError as error:
                inside = [Origin().at(error.place)] if error.place else []
                place = ": ".join((where(), *(shown(each, 80) for each in (*fields, *inside))))
                raise error.kind(error.what, where=place, hint=error.hint) from None

        def sources(held: dict[str, Any], where: _Where, owner: str) -> dict[str, Source]:
            return {name: source(value, where, owner, name) for name, value in held.items()}

        calls = []
        for read in self.calls:
            arguments = sources(read.arguments, read.where, read.name)
            rest: Any = {"label": read.label, "malformed": read.malformed}
            call = Call(name=read.name, arguments=arguments, **rest)
            confirms = tuple(
                confirm_of(kind, name, source(value, where), call, where)
                for where, kind, name, value in read.confirms
            )
            calls.append(call.model_copy(update={"confirms": confirms}) if confirms else call)
        returns = None
        if self.returns is not None:
            where, held = self.returns
            returns = sources(held, where, "return")
        return Sequence(calls=tuple(calls), asks=tuple(self.asks), returns=returns, format="pretty")

    # -- statements

    def statement(self) -> None:
        """Read a statement."""
        where = self.where(self.position)
        what, hint = "nothing may follow the return line.", "Move the one return line to the end."
        self.need(self.returns is None, what, hint)
        if self.skip(_RETURN):
            held, self.position = values.decode(self.text, self.position, self.origin)
            self.returns = (where, held)
            return
        name, quoted = self.name("a call")
        label = None
        self.skip(_SPACE)
        if self.take("="):
            label, (name, quoted) = name, self.name("a tool")
            self.skip(_SPACE)
        self.need(self.take("("), f"'(' is expected after {shown(name, 60)!r}.", _HINT)
        is_word = label is None and not quoted
        if is_word and name == "ask" and self.ask():
            return
        if is_word and name == "confirm" and self.next != ")":
            self.confirm(where)
            return
        malformed = None
        arguments: dict[str, Any] = {}
        if self.skip(_UNREADABLE):  # why a call has no arguments that can be used
            malformed, _ = self.name("a text")
            self.skip(_SPACE)
            self.need(self.next == ")", "')' is expected here.", "Nothing follows the reason.")
        else:
            arguments = self.arguments(name)
        self.position += 1
        self.calls.append(_Statement(name, label, arguments, where, self.confirms, malformed))
        self.confirms = []

    def ask(self) -> bool:
        """Read the names in the brackets; False when there are none, or arguments: it is a call then."""
        opened = self.position
        names = []
        while self.next != ")":
            names.append(self.name("a name")[0])
            self.skip(_SPACE)
            if self.next == "=":
                self.position = opened
                return False
            self.comma()
        self.position += bool(names)
        self.asks.update(dict.fromkeys(names))
        return bool(names)

    def confirm(self, where: _Where) -> None:
        """Read what has to be confirmed before the next call."""
        while self.next != ")":
            kind: ConfirmKind = "drop" if self.skip(_WITHOUT) else "tool"
            name, _ = self.name("a name")
            self.skip(_SPACE)
            value = None
            if kind == "tool" and self.take("="):
                kind, value = "argument", self.value()
            self.confirms.append((where, kind, name, value))
            self.comma()
        self.position += 1

    def arguments(self, tool: str) -> dict[str, Any]:
        """Read the arguments of a call, by name."""
        arguments: dict[str, Any] = {}
        while self.next != ")":
            start = self.position
            if not self.next:
                self.comma()
            named = self.next == '"' or _NAME.match(self.text, start)
            name = self.name("a parameter")[0] if named else ""
            self.skip(_SPACE)
            what = f"argument {len(arguments) + 1} of {shown(tool, 60)!r} has no name."
            is_named = named and self.take("=")
            self.need(is_named, what, "Write each argument as `parameter=value`.", start)
            what = f"the argument {shown(name, 60)!r} is given twice."
            self.need(name not in arguments, what, "Remove one of the two.", start)
            arguments[name] = self.value()
            self.comma()
        return arguments

    # -- pieces

    @property
    def next(self) -> str:
        """The next character, the empty text at the end."""
        return self.text[self.position : self.position + 1]

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Pass over what the pattern matches here, and tell whether it does."""
        match = pattern.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
        return match is not None

    def take(self, character: str) -> bool:
        """Pass over a character and the blanks after it, and tell whether it stands here."""
        if self.next != character:
            return False
        self.position += 1
        return self.skip(_SPACE)

    def need(self, is_right: Any, what: str, hint: str, position: int | None = None) -> None:
        """Raise an error for a place in the text, by default this one, unless all is right."""
        if not is_right:
            where = self.where(self.position if position is None else position)
            raise FormatError(what, where=where(), hint=hint)

    def where(self, position: int) -> _Where:
        """Return what gives a place in the text."""
        return partial(self.origin.at_character, self.text, position)

    def checked(self, text: str, start: int) -> str:
        """Return a text that UTF-8 can hold."""
        with located(Origin(self.where(start)())):
            return values.check_text(text)

    def comma(self) -> None:
        """Pass over a comma, or stop before the closing bracket."""
        self.skip(_SPACE)
        if self.take(",") or self.next == ")":
            return
        self.need(self.next, "the brackets are not closed.", _CUT)
        hint = "Give it a line and a label, and refer to its label."
        self.need(self.next != "(", "a call cannot stand inside a call.", hint)
        end = len(self.text[: self.position].rstrip())
        self.need(False, "',' or ')' is expected here.", "Write texts in double quotes.", end)

    def name(self, what: str) -> tuple[str, bool]:
        """Read a name, and tell whether it was quoted."""
        start = self.position
        if self.next == '"':
            name, self.position = values.decode(self.text, start, self.origin)
            return self.checked(name, start), True
        self.need(self.skip(_NAME), f"{what} is expected here.", _HINT)
        return self.text[start : self.position], False

    def value(self) -> Any:
        """Read a value: JSON, or a bare name."""
        self.skip(_SPACE)
        match = LABEL.match(self.text, self.position)
        if match is not None:
            word = match[0]
            hint = "Write true, false or null, or a text in double quotes."
            is_value = word in _LITERALS or word not in _RESERVED
            self.need(is_value, f"{word} is not a JSON value.", hint)
            self.position = match.end()
            return _LITERALS[word] if word in _LITERALS else Reference(label=word, bare=True)
        hint = "Values are JSON or a bare name; texts and references stand in double quotes."
        is_value = bool(self.next) and self.next in '"[{-0123456789'
        self.need(is_value, "a value is expected here.", hint)
        at = self.text, self.position, self.origin
        value, self.position = values.decode(*at, values.SPANNING)
        return value


def _detects(data: Any) -> bool:
    if isinstance(data, str):
        return "(" in data or bool(_RETURNS.search(data) or _EMPTY.fullmatch(data))
    return isinstance(data, list | tuple) and any(isinstance(line, str) for line in data)


def _read(data: Any, origin: Origin) -> Sequence:
    texts = [data] if isinstance(data, str) else data
    if not isinstance(texts, list | tuple):
        raise origin.error("a text or a list of texts is needed.", hint=_HINT)
    reader = Reader()
    for index, text in enumerate(texts):
        inner = origin if texts is not data else origin.inside(index)
        if not isinstance(text, str):
            what = "a text is needed, one call in each."
            raise inner.error(what, hint='Write `var1 = Tool(a="x")`.')
        reader.read(text, inner)
    return reader.sequence()


def _write(sequence: Sequence) -> list[str]:
    return lines_of(sequence, known_of(sequence, "pretty"))


LOOKS = 'lines such as `var1 = Tool(a="x", b="$var0.y$")`, as one text or as a list of texts'
FORMAT = Format("pretty", "sequence", LOOKS, _detects, _read, _write)
