"""Calls the local functions of a context, and tells where in the plan they failed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from refract_asp.errors import BadArgumentError, InputError, ToolFailedError, shown
from refract_asp.plan.access import where, wrong
from refract_asp.plan.syntax import Place

__all__ = ["call_local"]


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
        hint = shown(f"It takes {signature}.", 200)
        raise BadArgumentError(what, tool=name, where=where(place), hint=hint) from None
