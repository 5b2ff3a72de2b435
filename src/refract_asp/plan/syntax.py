"""
What a plan is made of.

    flight = flightInfo({airline: 'AA', flight: 1234});        an alias: a name bound to an expression
    return other({start: flight.departs, end: 9});             what the plan gives back

Every expression knows where it stood, for messages; two expressions that say the same are equal wherever
they stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = [
    "NOWHERE",
    "UNDEFINED",
    "Alias",
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
    "parts_of",
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
        from refract_asp.plan.printing import plan_text

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
