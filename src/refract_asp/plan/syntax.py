"""
What a plan is made of.

    flight = flightInfo({airline: 'AA', flight: 1234});        an alias: a name bound to an expression
    return other({start: flight.departs, end: 9});             what the plan gives back

Every expression knows where it stood, for messages; two expressions that say the same are equal wherever
they stood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = [
    "NOWHERE",
    "PLAIN_NAME",
    "UNDEFINED",
    "Alias",
    "BadTextError",
    "Expression",
    "FieldOf",
    "IndexOf",
    "Invocation",
    "ListOf",
    "Literal",
    "Name",
    "ObjectOf",
    "Place",
    "Plan",
    "TextOf",
    "Undefined",
    "decoded",
    "expression_text",
    "is_reserved",
    "parts_of",
    "plan_text",
    "text_literal",
    "walk",
]


class Place(NamedTuple):
    """A place in a text: line and column, both counted in characters from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        """Print the place as `line 3, column 5`."""
        return f"line {self.line}, column {self.column}"


NOWHERE: Final = Place(0, 0)
"""The place of what stood in no text."""


class Undefined:
    """The value `undefined`: in an object it leaves its field out, in a list it is null."""

    _only: Undefined | None = None

    def __new__(cls) -> Undefined:
        """Return the only one."""
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        """Print it as it is written."""
        return "undefined"

    def __bool__(self) -> bool:
        """Return False, as None does."""
        return False

    def __reduce__(self) -> str:
        """Stay the only one where it is copied."""
        return "UNDEFINED"


UNDEFINED: Final = Undefined()


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, number, boolean, `null` (None) or `undefined`."""

    value: Any
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same value of the same type: `1` is not `true`, nor `1.0`."""
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        """Return a number that equal literals share."""
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Name:
    """A name: an alias, or a binding of the context."""

    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list: `[1, a, f()]`."""

    items: tuple[Expression, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """An object: `{airline: 'AA', flight: 1234}`; no key stands twice."""

    fields: tuple[tuple[str, Expression], ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field of a value: `flight.departs`."""

    of: Expression
    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IndexOf:
    """An element of a list: `flights[0]`; what the index is may be computed."""

    of: Expression
    index: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call: `flightInfo({...})`, `next(Thursday)`, or of a method `date.at('9:00am')`."""

    function: Expression
    arguments: tuple[Expression, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TextOf:
    """A template: texts, and values that are put between them. Only relaxed plans have them."""

    parts: tuple[str | Expression, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Expression: TypeAlias = Literal | Name | ListOf | ObjectOf | FieldOf | IndexOf | Invocation | TextOf


@dataclass(frozen=True, slots=True)
class Alias:
    """
    A name bound to an expression, which is evaluated at most once.

    Attributes:
        name: the name.
        value: what it is bound to.
        comments: the comments before it, and behind it on its line, as they stood.
        place: where it stood.
    """

    name: str
    value: Expression
    comments: tuple[str, ...] = ()
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """
    Aliases, then what is returned.

    Attributes:
        aliases: the aliases in the order in which they were written; no name stands twice.
        result: the expression that is returned.
        comments: the comments that stand at `return` or behind it.
        place: where `return` stood.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> plan = parse_plan("a = f({x: 1}); return g({y: a.b});").plan
        >>> [alias.name for alias in plan.aliases], str(plan)
        (['a'], 'a = f({x: 1});\\nreturn g({y: a.b});')
    """

    aliases: tuple[Alias, ...]
    result: Expression
    comments: tuple[str, ...] = ()
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        """Print the plan as it is written by convention."""
        return plan_text(self)


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions that stand directly inside an expression, from left to right."""
    if isinstance(expression, ListOf):
        return expression.items
    if isinstance(expression, ObjectOf):
        return tuple(inner for _, inner in expression.fields)
    if isinstance(expression, FieldOf):
        return (expression.of,)
    if isinstance(expression, IndexOf):
        return expression.of, expression.index
    if isinstance(expression, Invocation):
        return expression.function, *expression.arguments
    if isinstance(expression, TextOf):
        return tuple(part for part in expression.parts if not isinstance(part, str))
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all that stand inside it, the outer ones first."""
    yield expression
    for inner in parts_of(expression):
        yield from walk(inner)


PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""A name that stands for itself in a plan."""
WIDTH = 80
"""Columns beyond which a call is put on several lines."""


def plan_text(plan: Plan) -> str:
    """
    Print a plan: each alias and the `return` on lines of their own, long calls on several.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> print(plan_text(parse_plan("a=f({x:1}) ; return g( {y:a.b} )").plan))
        a = f({x: 1});
        return g({y: a.b});
    """
    lines: list[str] = []
    for alias in plan.aliases:
        lines += alias.comments
        lines.append(f"{_wide(f'{alias.name} = ', alias.value)};")
    lines += plan.comments
    lines.append(f"{_wide('return ', plan.result)};")
    return "\n".join(lines)


def expression_text(expression: Expression) -> str:
    """
    Print an expression on one line.

    Example:
        >>> expression_text(Invocation(FieldOf(Name("now"), "at"), (Literal("9:00am"),)))
        "now.at('9:00am')"
    """
    if isinstance(expression, Literal):
        return _literal(expression.value)
    if isinstance(expression, Name):
        return expression.name
    if isinstance(expression, ListOf):
        return f"[{', '.join(map(expression_text, expression.items))}]"
    if isinstance(expression, ObjectOf):
        inner = (f"{_key(name)}: {expression_text(value)}" for name, value in expression.fields)
        return f"{{{', '.join(inner)}}}"
    if isinstance(expression, FieldOf):
        return expression_text(expression.of) + _field(expression.name)
    if isinstance(expression, IndexOf):
        return f"{expression_text(expression.of)}[{expression_text(expression.index)}]"
    if isinstance(expression, Invocation):
        return f"{expression_text(expression.function)}({', '.join(map(expression_text, expression.arguments))})"
    return _template(expression)


def _wide(start: str, expression: Expression, indent: str = "") -> str:
    """Print an expression behind the start of its line, on several lines where one would be too long."""
    text = start + expression_text(expression)
    if len(indent) + len(text) < WIDTH or not isinstance(
        expression, Invocation | ObjectOf | ListOf
    ):
        return text
    inner = f"{indent}  "
    if isinstance(expression, Invocation):
        if len(expression.arguments) == 1:  # the usual: one object
            head = f"{start}{expression_text(expression.function)}("
            return f"{_wide(head, expression.arguments[0], indent)})"
        opened, closed = f"{expression_text(expression.function)}(", ")"
        parts = [_wide("", each, inner) for each in expression.arguments]
    elif isinstance(expression, ObjectOf):
        opened, closed = "{", "}"
        parts = [_wide(f"{_key(name)}: ", value, inner) for name, value in expression.fields]
    else:
        opened, closed = "[", "]"
        parts = [_wide("", each, inner) for each in expression.items]
    if not parts:
        return text
    body = ",\n".join(f"{inner}{part}" for part in parts)
    return f"{start}{opened}\n{body}\n{indent}{closed}"


def _key(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else text_literal(name)


def _field(name: str) -> str:
    return f".{name}" if PLAIN_NAME.fullmatch(name) else f"[{text_literal(name)}]"


def _literal(value: object) -> str:
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, str):
        return text_literal(value)
    return json.dumps(value, allow_nan=False)


def text_literal(text: str) -> str:
    """
    Print a text in single quotes; what does not print is escaped.

    Example:
        >>> text_literal("it's\\n")
        "'it\\\\'s\\\\n'"
    """
    return (
        "'"
        + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escaped(c)) for c in text)
        + "'"
    )


_ESCAPES = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(character: str) -> str:
    """Return a character as JavaScript escapes it, as two halves where it is beyond 16 bits."""
    return (
        json.dumps(character)[1:-1]
        if len(json.dumps(character)) > 3
        else f"\\u{ord(character):04x}"
    )


def _template(expression: TextOf) -> str:
    parts = (
        text_literal(part)[1:-1].replace("\\'", "'").replace("`", "\\`").replace("${", "\\${")
        if isinstance(part, str)
        else f"${{{expression_text(part)}}}"
        for part in expression.parts
    )
    return f"`{''.join(parts)}`"


_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|\r\n|(?s:.))")
_UNESCAPED = {
    **dict(zip("nrtbfv0", "\n\r\t\b\f\v\0", strict=True)),
    **{character: character for character in "'\"`\\/$"},
    **dict.fromkeys(("\n", "\r\n", "\r", "\u2028", "\u2029"), ""),  # a line that goes on
}


class BadTextError(Exception):
    """What stands between quotes is no text."""


def decoded(raw: str) -> str:
    r"""
    Return the text that stands between quotes, its escapes read; what is no escape keeps its backslash.

    Raises:
        BadTextError: it holds half a character.

    Example:
        >>> decoded(r"it\'s \u0041\d")
        "it's A\\d"
    """

    def read(match: re.Match[str]) -> str:
        body = match[0][1:]
        if len(body) > 1 and body[0] in "xu":
            number = int(body[1:].strip("{}"), 16)
            return chr(number) if number < 0x110000 else match[0]
        return _UNESCAPED.get(body, match[0])

    # characters beyond 16 bits may stand as two halves, which are put together
    halves = _ESCAPE.sub(read, raw).encode("utf-16", "surrogatepass")
    try:
        return halves.decode("utf-16")
    except UnicodeDecodeError:
        raise BadTextError("half a character") from None


_OF_OBJECTS = frozenset(
    {
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "prototype",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)


def is_reserved(name: str) -> bool:
    """
    Whether no plan may use the name: a property of every JavaScript object, or a name in double underscores.

    Example:
        >>> is_reserved("__proto__"), is_reserved("constructor"), is_reserved("departs")
        (True, True, False)
    """
    return name in _OF_OBJECTS or (name.startswith("__") and name.endswith("__") and len(name) > 4)
