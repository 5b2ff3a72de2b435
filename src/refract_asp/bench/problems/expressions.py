"""What a signature says: calls of library functions, on each other and with each other as arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from refract_asp.bench.problems.library import Function, Library

__all__ = ["Argument", "Call", "Constant", "Key", "Open", "Subject", "Value", "printed"]

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
    subject = printed(value.subject, name_of, outer) if value.subject is not None else value.library.name
    arguments = ", ".join(printed(argument, name_of, outer) for argument in value.arguments)
    return f"{subject}.{name_of(value.key)}({arguments})"
