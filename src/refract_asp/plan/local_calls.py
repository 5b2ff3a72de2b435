"""Calls the local functions of a context, and tells where in the plan they failed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from refract_asp.errors import BadArgumentError, InputError, ToolFailedError, shown
from refract_asp.plan.access import where, wrong
from refract_asp.plan.syntax import Place

__all__ = ["call_local", "usage"]

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
