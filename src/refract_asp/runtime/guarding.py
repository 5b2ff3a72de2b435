"""
What became of running a function, whatever it did: nothing that a function raises passes here.

An exception of a tool is kept as a value, so that no event loop, thread or caller takes it for its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST, ToolFailedError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.values import UnreadableError, plain

__all__ = [
    "Given",
    "Later",
    "Outcome",
    "Raised",
    "Unusable",
    "awaited",
    "called",
    "dropped",
    "given",
    "told",
    "value_of",
]

NAME = 60
"""Characters of the type of an exception that are told."""
STEPS = 8
"""So many steps lead to what is no JSON value, where it is told: a cycle has hundreds."""


@dataclass(frozen=True, slots=True)
class Given:
    """A function gave a JSON value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Unusable:
    """A function gave what is no JSON value, or its process gave nothing; `why` says so."""

    why: str


@dataclass(frozen=True, slots=True)
class Raised:
    """A function raised."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Later:
    """A function gave something to await."""

    awaitable: Awaitable[Any]


Outcome: TypeAlias = Given | Unusable | Raised | Later


def given(value: Any) -> Outcome:
    """Return a copy of what a function gave; an object of its own may raise while it is looked at."""
    try:
        return Given(plain(value))
    except UnreadableError as error:
        if len(error.place) > STEPS:
            error.place[STEPS:] = ["..."]
        return Unusable(f"what it gave is no JSON value: {error.at(Origin())}")
    except BaseException as error:
        return Raised(error)


def called(call: Callable[[], Any]) -> Outcome:
    """Call a function that takes nothing."""
    try:
        value = call()
        if inspect.isawaitable(value):
            return Later(value)
    except BaseException as error:
        return Raised(error)
    return given(value)


async def awaited(awaitable: Awaitable[Any]) -> Outcome:
    """Await what a function gave."""
    try:
        value = await awaitable
    except BaseException as error:
        return Raised(error)
    return given(value)


def dropped(outcome: Outcome) -> None:
    """Close what nobody began to await and nobody will, so that Python does not warn of it."""
    if not isinstance(outcome, Later) or not inspect.iscoroutine(outcome.awaitable):
        return
    if inspect.getcoroutinestate(outcome.awaitable) == inspect.CORO_CREATED:
        outcome.awaitable.close()


def told(error: BaseException) -> tuple[str, str]:
    """
    Return the type of an exception and its text, as far as they can be told.

    Example:
        >>> told(ValueError("no such city"))
        ('ValueError', 'no such city')
    """
    try:
        kind = shown(getattr(error, "kind_in_process", None) or type(error).__name__, NAME)
        return kind, str.__str__(str(error))
    except BaseException:  # an exception may raise when it is printed
        return "Exception", "its text cannot be told"


def value_of(outcome: Outcome, tool: str) -> Any:
    """
    Return the value that a function gave.

    Raises:
        ToolFailedError: it gave none; `__cause__` is what it raised.
    """
    if isinstance(outcome, Given):
        return outcome.value
    if isinstance(outcome, Raised):
        kind, text = told(outcome.error)
        what = shown(f"{kind}: {text}" if text else kind, 2 * LONGEST)
        raise ToolFailedError(what, tool=tool) from outcome.error
    dropped(outcome)
    why = outcome.why if isinstance(outcome, Unusable) else "it gave something to await twice."
    raise ToolFailedError(why, tool=tool)
