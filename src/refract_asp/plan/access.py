"""Reads fields and elements of values, and says what there is where they are not there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from refract_asp.errors import BadArgumentError, InputError, PlanError, ToolFailedError, shown
from refract_asp.plan.limits import Limits, Sizes, checked
from refract_asp.plan.names import nearest
from refract_asp.plan.syntax import NOWHERE, UNDEFINED, FieldOf, IndexOf, Place

__all__ = [
    "Volume",
    "call_local",
    "element_of",
    "field_of",
    "kind_of",
    "no_element",
    "no_field",
    "usage",
    "where",
    "wrong",
]


MOST_LISTED = 8
"""So many fields are listed where one is missing."""
NAME = 40
"""So many characters of each are shown."""


def where(place: Place) -> str:
    """Print a place for an error."""
    return "" if place == NOWHERE else str(place)


def wrong(what: str, place: Place, hint: str = "") -> PlanError:
    """Return the error for an expression that stands at a place."""
    return PlanError(what, where=where(place), hint=hint)


def kind_of(value: Any) -> str:
    """Say what a value is."""
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def field_of(value: Any, field: FieldOf) -> Any:
    """
    Return the field of an object.

    Raises:
        PlanError: there is none; the message says what there is.

    Example:
        >>> from refract_asp.plan.syntax import Name
        >>> field = FieldOf(Name("a"), "b")
        >>> field_of({"b": 1}, field)
        1
    """
    if isinstance(value, dict) and field.name in value:
        return value[field.name]
    what, hint = no_field(value, field.name)
    raise wrong(what, field.place, hint)


def no_field(value: Any, name: str) -> tuple[str, str]:
    """
    Say that a value has no such field, and what there is; names are bounded.

    Example:
        >>> no_field({"name": 1, "id": 2}, "nme")
        ("the object has no field 'nme'.", 'Did you mean name?')
    """
    said = shown(name)
    if not isinstance(value, dict):
        hint = ""
        if isinstance(value, list):
            hint = f"Name an element first, as in [0].{said}." if value else "The list is empty."
        return f"{kind_of(value)} has no field {said!r}.", hint
    near = nearest(name, value)
    if near:
        hint = f"Did you mean {' or '.join(shown(each, NAME) for each in near)}?"
    else:
        listed = ", ".join(shown(each, NAME) for each in list(value)[:MOST_LISTED])
        hint = (
            f"It has: {listed}{', ...' if len(value) > MOST_LISTED else ''}."
            if value
            else "It is empty."
        )
    return f"the object has no field {said!r}.", hint


def element_of(value: Any, index: Any, element: IndexOf) -> Any:
    """
    Return the element of a list.

    Raises:
        PlanError: there is none; the message says what there is.

    Example:
        >>> from refract_asp.plan.syntax import Literal, Name
        >>> element = IndexOf(Name("b"), Literal(1))
        >>> element_of([5, 6], 1, element)
        6
    """
    is_whole = isinstance(index, int) or (isinstance(index, float) and index.is_integer())
    if (
        isinstance(value, list)
        and is_whole
        and not isinstance(index, bool)
        and 0 <= index < len(value)
    ):
        return value[int(index)]
    what, hint = no_element(value, index)
    raise wrong(what, element.place, hint)


def no_element(value: Any, index: Any) -> tuple[str, str]:
    """
    Say that a value has no such element, and what there is.

    Example:
        >>> no_element([5, 6], 2)
        ('the list has no element [2]: it has 2 elements.', 'The last one is [1].')
    """
    if not isinstance(value, list):
        return f"{kind_of(value)} has no elements.", "Fields are read with a dot." if isinstance(
            value, dict
        ) else ""
    if isinstance(index, bool) or not isinstance(index, int | float):
        return f"{kind_of(index)} is no index.", "Use a whole number from 0."
    if isinstance(index, float) and not index.is_integer():
        return f"the index {index} is no whole number.", "Use a whole number from 0."
    count = f"{len(value)} element{'s' if len(value) != 1 else ''}"
    last = f"The last one is [{len(value) - 1}]." if value else ""
    text = (
        f"{index:g}"
        if isinstance(index, float)
        else shown(str(index) if abs(index) < 10**50 else "...")
    )
    return f"the list has no element [{text}]: it has {count}.", last


F = TypeVar("F", bound=Callable[..., Any])


def usage(text: str) -> Callable[[F], F]:
    """Say in a hint how a function is called where it is called otherwise; else its parameters are told."""

    def noted(function: F) -> F:
        function.plan_usage = text  # type: ignore[attr-defined]
        return function

    return noted


def call_local(
    function: Callable[..., Any],
    named: Mapping[str, Any],
    positional: tuple[Any, ...],
    name: str,
    place: Place,
) -> Any:
    """
    Call a local function and return what it gives, whatever that is.

    Raises:
        BadArgumentError: it does not take these arguments.
        PlanError: it raised an `InputError`, which says what is wrong with its arguments.
        ToolFailedError: it raised anything else, or is async. Only Ctrl-C passes through.
    """
    _check_arguments(function, named, positional, name, place)
    try:
        given = function(*positional, **named)
    except KeyboardInterrupt:
        raise
    except InputError as error:
        hint = shown(error.hint, 300)
        raise wrong(f"{name}: {shown(error.what, 300)}", place, hint) from error
    except BaseException as error:  # a SystemExit, too, is no reason to end everything
        what = shown(f"{type(error).__name__}: {shown(error, 200)}", 250)
        raise ToolFailedError(f"{name} failed: {what}", tool=name, where=where(place)) from error
    if inspect.iscoroutine(given):
        given.close()
        what, hint = f"{name} gave something to await.", "Bind it with domain(...)."
        raise ToolFailedError(what, tool=name, where=where(place), hint=hint)
    return given


def _check_arguments(
    function: Callable[..., Any],
    named: Mapping[str, Any],
    positional: tuple[Any, ...],
    name: str,
    place: Place,
) -> None:
    """Refuse arguments that a local function cannot be called with."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions do not tell
        return
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        what = f"{name} cannot be called so: {shown(error, 200)}."
        written = str(getattr(function, "plan_usage", ""))
        hint = f"Write {written}." if written else f"It takes {_parameters(signature)}."
        raise BadArgumentError(what, tool=name, where=where(place), hint=hint) from None


def _parameters(signature: inspect.Signature) -> str:
    """
    Print what a function takes without types, which plans do not have.

    Example:
        >>> def plus(moment: str, count: int = 1) -> str: ...
        >>> _parameters(inspect.signature(plus))
        '(moment, count=1)'
    """
    bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return shown(inspect.Signature(bare), 200)


class Volume:
    """
    Copies what is passed on, and counts it.

    Args:
        limits: how large a value may be, and all of them together.
    """

    def __init__(self, limits: Limits) -> None:
        """Begin with nothing passed on."""
        self._limits = limits
        self._sizes = Sizes(limits)
        self._passed = 0

    def measured(self, value: Any) -> int:
        """Return the size of a value that the evaluation made; a `LimitError` says that it is too large."""
        return self._sizes.of(value)

    def copied(self, value: Any, place: Place) -> Any:
        """Return a copy of a value that is handed out."""
        try:
            copied = checked(value, self._sizes)
        except InputError as error:
            raise wrong(f"a value cannot be used: {error.what}", place, error.hint) from None
        self.weighed(self._sizes.of(value), place)
        return copied

    def taken_in(self, value: Any, place: Place) -> Any:
        """Return a copy of a value that others hold, and may change."""
        sizes = Sizes(self._limits)
        copied = checked(value, sizes)
        self.weighed(sizes.of(value), place)
        return copied

    def weighed(self, size: int, place: Place) -> None:
        """Count what calls are given and give."""
        self._passed += size
        if self._passed > self._limits.volume:
            most = f"{self._limits.volume:,}"
            message = (
                f"all calls together pass on more than {most} elements, ten characters being one."
            )
            raise wrong(message, place, "Pass on only what is needed.")
