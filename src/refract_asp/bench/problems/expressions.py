"""What a signature says: calls of library functions, on each other and with each other as arguments."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from refract_asp.bench.problems.library import Function, Library, Registry, is_name
from refract_asp.errors import InputError, LimitError, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.source import Origin

__all__ = [
    "Argument",
    "Call",
    "Constant",
    "Key",
    "Open",
    "Subject",
    "Value",
    "constant_in",
    "printed",
    "read_signature",
]


Constant: TypeAlias = int | float | str | bool | None
"""A value that a signature fixes."""
Key: TypeAlias = tuple[str, str]
"""A function of a registry: the id of its library, and its name."""


@dataclass(frozen=True)
class Subject:
    """An object of a class library, which the outer function is given under the library's name in code."""

    library: Library


@dataclass(frozen=True)
class Open:
    """
    An argument that the outer function is given.

    Attributes:
        argument: its name in the library.
        name: the name that the signature gives it, None where it gives none.
        number: its place among all arguments of all calls, from 0.
    """

    argument: str
    name: str | None
    number: int


@dataclass(frozen=True)
class Argument:
    """A constant that the signature fixes."""

    value: Constant


@dataclass(frozen=True)
class Call:
    """
    A call of a function.

    Attributes:
        library: where the function is from.
        function: the function.
        subject: what it is called on: a call, an object, or None for a function of a module.
        arguments: a value for each of its arguments, in their order.
    """

    library: Library
    function: Function
    subject: Call | Subject | None
    arguments: tuple[Value, ...]

    @property
    def key(self) -> Key:
        """The function, as a key."""
        return self.library.id, self.function.name

    def calls(self) -> Iterator[Call]:
        """Yield this call and those inside it, in the order in which they are completed."""
        if isinstance(self.subject, Call):
            yield from self.subject.calls()
        for value in self.arguments:
            if isinstance(value, Call):
                yield from value.calls()
        yield self

    def open(self) -> Iterator[Open]:
        """Yield the arguments that the outer function is given, in the order of their numbers."""
        for value in self._values():
            if isinstance(value, Open):
                yield value

    def subjects(self) -> Iterator[Subject]:
        """Yield the objects that the outer function is given, each as often as it stands there."""
        for value in self._values():
            if isinstance(value, Subject):
                yield value

    def constants(self) -> Iterator[Constant]:
        """Yield the values that are fixed."""
        for value in self._values():
            if isinstance(value, Argument):
                yield value.value

    def _values(self) -> Iterator[Value]:
        """Yield what stands in the call and the calls inside it, from left to right."""
        for value in (*((self.subject,) if self.subject is not None else ()), *self.arguments):
            if isinstance(value, Call):
                yield from value._values()
            else:
                yield value


Value: TypeAlias = Call | Subject | Open | Argument


def printed(value: Value, name_of: Callable[[Key], str], outer: Callable[[Open], str]) -> str:
    """
    Print an expression as Python, all arguments by position.

    Args:
        value: the expression.
        name_of: what a function is called.
        outer: what stands for an argument that the outer function is given.
    """
    if isinstance(value, Open):
        return outer(value)
    if isinstance(value, Argument):
        return repr(value.value)
    if isinstance(value, Subject):
        return value.library.name
    subject = (
        printed(value.subject, name_of, outer) if value.subject is not None else value.library.name
    )
    arguments = ", ".join(printed(argument, name_of, outer) for argument in value.arguments)
    return f"{subject}.{name_of(value.key)}({arguments})"


MAX_LENGTH = 10_000
"""Characters of a signature."""
MAX_DEPTH = 50
"""How many calls may stand in, or on, each other."""
MAX_INTEGER_BITS = 13_000
"""Python prints no whole numbers beyond about this size without special leave."""

_HINT = 'Write calls such as "image.rotate(degrees=5).blur()".'


def read_signature(text: str, registry: Registry) -> Call:
    """
    Read a signature.

    An argument may be fixed (`radius=5`), named for the outer function (`radius=r`), the object of a class
    library, or a call; the rest is given to the outer function under the names of the library. Arguments may
    stand by position, too.

    Raises:
        InputError: it is no such expression, or it names a library, function or argument that there is not.

    Example:
        >>> from refract_asp.bench.problems.library import shipped
        >>> call = read_signature("molecule.get_atom_with_atomic_num(55).get_label()", shipped())
        >>> [inner.key for inner in call.calls()]
        [('molecule', 'get_atom_with_atomic_num'), ('atom', 'get_label')]
    """
    where = f"signature {shown(text, 80)!r}"
    if len(text) > MAX_LENGTH:
        raise LimitError(f"the signature is longer than {MAX_LENGTH:,} characters.", where=where)
    body = parsed(text.strip(), Origin(where)).body
    if (
        len(body) != 1
        or not isinstance(body[0], ast.Expr)
        or not isinstance(body[0].value, ast.Call)
    ):
        raise InputError("one call is needed.", where=where, hint=_HINT)
    return _Reader(registry, where).call(body[0].value, 1)


def constant_in(node: ast.expr) -> Argument | None:
    """
    Return a constant of a syntax tree: a number with or without a sign, a text, True, False or None.

    Raises:
        InputError: it is a number without an end, too large, or of a kind that has no name here.
    """
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = node.operand
        if not isinstance(inner, ast.Constant) or isinstance(inner.value, bool):
            return None
        if not isinstance(inner.value, int | float):
            return None
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = inner
    if not isinstance(node, ast.Constant):
        return None
    value = node.value
    if not (value is None or isinstance(value, bool | int | float | str)):
        raise InputError(f"a value of type {type(value).__name__} cannot be fixed.")
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return Argument(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("a number without an end cannot be fixed.")
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        raise InputError("the number is too large.")
    number: Constant = sign * value
    return Argument(number)


class _Reader:
    """Reads one signature; arguments are numbered as they are come upon, from left to right."""

    def __init__(self, registry: Registry, where: str) -> None:
        self._registry = registry
        self._where = where
        self._numbers: Iterator[int] = count()

    def _error(self, what: str, hint: str = "") -> InputError:
        return InputError(what, where=self._where, hint=hint)

    def call(self, node: ast.Call, depth: int) -> Call:
        """Read a call of a method or of a function of a module."""
        if depth > MAX_DEPTH:
            raise LimitError(f"more than {MAX_DEPTH} calls stand in each other.", where=self._where)
        if not isinstance(node.func, ast.Attribute):
            raise self._error("a function of a library is called as library.function(...).", _HINT)
        name, holder = node.func.attr, node.func.value
        subject: Call | Subject | None
        if isinstance(holder, ast.Name):
            library = self._library(holder.id)
            subject = Subject(library) if library.style == "class" else None
        elif isinstance(holder, ast.Call):
            subject = self.call(holder, depth + 1)
            library = self._returned(subject, name)
        else:
            raise self._error("a function is called on a library or on what a call returns.", _HINT)
        function = library.by_name.get(name)
        if function is None:
            known = shown(", ".join(library.by_name), 300)
            raise self._error(f"{library.id} has no function {shown(name)}.", f"It has {known}.")
        return Call(
            library, function, subject, tuple(self._arguments(node, library, function, depth))
        )

    def _library(self, id: str) -> Library:
        try:
            return self._registry.named(id)
        except InputError as error:
            raise self._error(error.what, error.hint) from None

    def _returned(self, subject: Call, method: str) -> Library:
        """Return the library of what a call returns."""
        library = self._registry.returned(subject.function, method)
        if library is None:
            kind = subject.function.return_type or "nothing"
            raise self._error(
                f"{subject.library.id}.{subject.function.name} returns {shown(kind)}, which is no class, "
                f"so {shown(method)} cannot be called on it."
            )
        return library

    def _arguments(
        self, node: ast.Call, library: Library, function: Function, depth: int
    ) -> Iterator[Value]:
        given = self._given(node, f"{library.id}.{function.name}", function)
        for argument in function.args:
            number = next(self._numbers)
            yield self._value(given.get(argument), argument, number, depth)

    def _given(self, node: ast.Call, what: str, function: Function) -> dict[str, ast.expr]:
        """Return what the signature gives for each argument."""
        takes = (
            f"It takes {shown(', '.join(function.args), 200)}."
            if function.args
            else "It takes nothing."
        )
        if len(node.args) > len(function.args):
            raise self._error(
                f"{what} gets {len(node.args)} values by position, it takes {len(function.args)}.",
                takes,
            )
        given: dict[str, ast.expr] = {}
        for name, value in (
            *zip(function.args, node.args, strict=False),
            *((keyword.arg, keyword.value) for keyword in node.keywords),
        ):
            if name is None or isinstance(value, ast.Starred):
                raise self._error(f"* and ** have no meaning in a signature ({what}).")
            if name not in function.args:
                raise self._error(f"{what} has no argument {shown(name)}.", takes)
            if name in given:
                raise self._error(f"{what} gets {shown(name)} twice.")
            given[name] = value
        return given

    def _value(self, node: ast.expr | None, argument: str, number: int, depth: int) -> Value:
        if node is None:
            return Open(argument, None, number)
        if isinstance(node, ast.Call):
            return self.call(node, depth + 1)
        if isinstance(node, ast.Name):
            return self._named(node.id, argument, number)
        try:
            constant = constant_in(node)
        except InputError as error:
            raise self._error(f"{argument}: {error.what}") from None
        if constant is None:
            raise self._error(
                f"{argument} is neither a value, a name nor a call.",
                "Operators and lists are not read.",
            )
        return constant

    def _named(self, name: str, argument: str, number: int) -> Value:
        """Read a bare name: an object of a class library, or what the outer function calls the argument."""
        library = self._registry.get(name)
        if library is not None and library.style == "class":
            return Subject(library)
        if not is_name(name):
            raise self._error(f"{shown(name)} cannot be the name of an argument.")
        return Open(argument, name, number)
