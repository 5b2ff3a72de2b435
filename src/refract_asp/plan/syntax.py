"""
The parts of a plan, and the diagnostics of a wrong one.

    flight = flightInfo({airline: 'AA', flight: 1234});        an alias: a name bound to an expression
    return other({start: flight.departs, end: 9});             what the plan gives back

Every expression knows where it stood, for messages; two expressions that say the same are equal wherever
they stood.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from refract_asp.errors import PlanError
from refract_asp.model.edits import ViolationCode


class Place(NamedTuple):
    """A place in a text: line and column, both counted in characters from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        """Print the place as `line 3, column 5`; nothing for what stood in no text."""
        return f"line {self.line}, column {self.column}" if self.line else ""


NOWHERE: Final = Place(0, 0)
"""The place of what stood in no text."""


class Undefined(Enum):
    """The value `undefined`: in an object it leaves its field out, in a list it is null."""

    UNDEFINED = "undefined"

    def __repr__(self) -> str:
        """Print it as it is written."""
        return "undefined"

    __str__ = __repr__

    def __bool__(self) -> bool:
        """Return False, as None does."""
        return False


UNDEFINED: Final = Undefined.UNDEFINED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal(_Placed):
    """A text, number, boolean, `null` (None) or `undefined`."""

    value: Any

    def __eq__(self, other: object) -> bool:
        """Whether both are the same value of the same type: `1` is not `true`, nor `1.0`."""
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        """Return a number that equal literals share."""
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Name(_Placed):
    """A name: an alias, or a binding of the context."""

    name: str


@dataclass(frozen=True, slots=True)
class ListOf(_Placed):
    """A list: `[1, a, f()]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ObjectOf(_Placed):
    """An object: `{airline: 'AA', flight: 1234}`; no key stands twice."""

    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class FieldOf(_Placed):
    """A field of a value: `flight.departs`."""

    of: Expression
    name: str


@dataclass(frozen=True, slots=True)
class IndexOf(_Placed):
    """An element of a list: `flights[0]`; what the index is may be computed."""

    of: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Invocation(_Placed):
    """A call: `flightInfo({...})`, `next(Thursday)`, or of a method `date.at('9:00am')`."""

    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TextOf(_Placed):
    """A template: texts, and values that are put between them. Only relaxed plans have them."""

    parts: tuple[str | Expression, ...]


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
    """Yield an expression and all that stand inside it, the outer ones first, from left to right."""
    left = [expression]
    while left:
        each = left.pop()
        yield each
        left += reversed(parts_of(each))


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
    match expression:
        case Literal(value=value):
            if isinstance(value, str):
                return text_literal(value)
            return "undefined" if value is UNDEFINED else json.dumps(value, allow_nan=False)
        case Name(name=name):
            return name
        case FieldOf(of=of, name=name):
            key = _key(name)
            return f"{expression_text(of)}{f'.{name}' if key == name else f'[{key}]'}"
        case IndexOf(of=of, index=index):
            return f"{expression_text(of)}[{expression_text(index)}]"
        case TextOf():
            return f"`{''.join(map(_part, expression.parts))}`"
    opened, parts, closed = _brackets(expression)
    return f"{opened}{', '.join(f'{key}{expression_text(part)}' for key, part in parts)}{closed}"


def _key(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else text_literal(name)


_Parts: TypeAlias = list[tuple[str, Expression]]


def _brackets(expression: ListOf | ObjectOf | Invocation) -> tuple[str, _Parts, str]:
    """Return how an expression opens, what stands inside with what is before each, and how it closes."""
    if isinstance(expression, ObjectOf):
        return "{", [(f"{_key(name)}: ", each) for name, each in expression.fields], "}"
    parts = [("", each) for each in parts_of(expression)]
    if isinstance(expression, Invocation):
        return f"{expression_text(expression.function)}(", parts[1:], ")"
    return "[", parts, "]"


def _wide(start: str, expression: Expression, indent: str = "") -> str:
    """Print an expression behind the start of its line, on several lines where one would be too long."""
    text = start + expression_text(expression)
    is_short = len(indent) + len(text) < WIDTH
    if is_short or not isinstance(expression, Invocation | ObjectOf | ListOf):
        return text
    opened, parts, closed = _brackets(expression)
    if isinstance(expression, Invocation) and len(parts) == 1:  # the usual: one object
        return f"{_wide(start + opened, parts[0][1], indent)})"
    inner = f"{indent}  "
    body = ",\n".join(f"{inner}{_wide(key, part, inner)}" for key, part in parts)
    return f"{start}{opened}\n{body}\n{indent}{closed}" if parts else text


def _part(part: str | Expression) -> str:
    """Print a part of a template."""
    if not isinstance(part, str):
        return f"${{{expression_text(part)}}}"
    text = text_literal(part)[1:-1].replace("\\'", "'")
    return text.replace("`", "\\`").replace("${", "\\${")


def text_literal(text: str) -> str:
    """
    Print a text in single quotes; what does not print is escaped.

    Example:
        >>> text_literal("it's\\n")
        "'it\\\\'s\\\\n'"
    """

    body = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    escaped = (each if each.isprintable() else f"\\u{{{ord(each):x}}}" for each in body)
    return f"'{''.join(escaped)}'"


_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|\r\n|(?s:.))")
_UNESCAPED = {
    **dict(zip("nrtbfv0", "\n\r\t\b\f\v\0", strict=True)),
    **{character: character for character in "'\"`\\/$"},
    **dict.fromkeys(("\n", "\r\n", "\r", "\u2028", "\u2029"), ""),  # a line that goes on
}


def decoded(raw: str) -> str:
    r"""
    Return the text that stands between quotes, its escapes read; what is no escape keeps its backslash.

    Raises:
        ValueError: it holds half a character.

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
    return _ESCAPE.sub(read, raw).encode("utf-16", "surrogatepass").decode("utf-16")


_RESERVED = re.compile(
    "constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|prototype|toLocaleString|toString|valueOf"
    "|__(?s:.+)__"
)


def is_reserved(name: str) -> bool:
    """
    Whether no plan may use the name: a property of every JavaScript object, or a name in double underscores.

    Example:
        >>> is_reserved("__proto__"), is_reserved("constructor"), is_reserved("departs")
        (True, True, False)
    """
    return _RESERVED.fullmatch(name) is not None


# -- what is wrong -------------------------------------------------------------

PlanCode: TypeAlias = (
    typing.Literal["await", "declaration", "extra_semicolon", "missing_comma", "missing_semicolon"]
    | typing.Literal["parentheses", "python_word", "quoted_key", "shorthand", "smart_quotes"]
    | typing.Literal["surroundings", "template", "trailing_comma", "unclosed_bracket"]
    # what is not mended
    | typing.Literal["after_return", "alias_cycle", "bad_index", "bare_expression", "duplicate_key"]
    | typing.Literal["excluded", "foreign_name", "function_as_value", "half_character", "no_return"]
    | typing.Literal["not_a_function", "number_form", "rebound_alias", "reserved_name"]
    | typing.Literal["syntax_error", "too_deep", "too_long", "too_many_aliases", "too_many_calls"]
    | typing.Literal["unknown_member", "unknown_method", "unknown_name", "unused_alias"]
)
"""What can be wrong with a plan, or was mended in it; docs/plan-language.md tells what each means."""
Severity: TypeAlias = typing.Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class PlanDiagnostic:
    """
    Something that is wrong with a plan, or that was mended in it.

    Attributes:
        code: what is wrong, as one word; or what the rules find wrong with its calls.
        message: the same as a sentence.
        place: where it begins.
        end: where it ends, the first place behind it; None where it is unknown.
        hint: what to do about it, as a sentence, or the empty text.
        severity: a plan with an error cannot be used.

    Example:
        >>> print(PlanDiagnostic("trailing_comma", "a comma stands before the bracket.", Place(3, 5)))
        line 3, column 5: a comma stands before the bracket.
    """

    code: PlanCode | ViolationCode
    message: str
    place: Place
    end: Place | None = None
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        """Print it on one line, its place first where it stood in a text."""
        told = ": ".join(filter(None, (str(self.place), self.message)))
        return f"{told} {self.hint}".rstrip()


def refused(diagnostics: Sequence[PlanDiagnostic], where: str = "") -> PlanError:
    """Return the error that a plan with these errors raises; the first comes first, each on a line."""
    first, *others = [each for each in diagnostics if each.severity == "error"]
    more = "".join(f"\n{other}" for other in others[:20])
    more += f"\nand {len(others) - 20} more." if len(others) > 20 else ""
    hint = f" {first.hint}" if first.hint else ""
    at = ", ".join(filter(None, (where, str(first.place))))
    return PlanError(f"{first.message}{hint}{more}", where=at)
