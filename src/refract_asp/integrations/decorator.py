"""
A decorator that stands in front of a function as a tool: right calls run, faulty ones are told or mended.

    @guarded(catalog, tool="TripadvisorSearchHotels", memory=memory, execute_if_fixed=True, tools=tools)
    def search_hotels(checkIn: str, checkOut: str, geoId: str | None = None) -> dict: ...

What is done with each call is in `integrations.guard`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from refract_asp.integrations.guard import Guard, run_to_end
from refract_asp.model import RepairResult
from refract_asp.runtime.executor import AskBy, ConfirmBy
from refract_asp.runtime.tools import bind

__all__ = ["Decorator", "guarded"]

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """What `guarded` gives: it takes a function, and gives one that may give a result in its place."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R | RepairResult]]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R | RepairResult]: ...

    def __call__(self, function: Any, /) -> Any:
        """Return the guarded function."""


@overload
def guarded(
    function: Callable[P, Coroutine[Any, Any, R]], /
) -> Callable[P, Coroutine[Any, Any, R | RepairResult]]: ...


@overload
def guarded(function: Callable[P, R], /) -> Callable[P, R | RepairResult]: ...


@overload
def guarded(
    catalog: Any = None,
    *,
    tool: str | None = None,
    memory: Any = None,
    tools: Any = (),
    parameters: Mapping[str, str] | None = None,
    state: str | None = None,
    execute_if_fixed: bool = False,
    ask: AskBy = None,
    confirm: ConfirmBy = None,
    remember: str | None = None,
    timeout: float | None = None,
    **options: Any,
) -> Decorator: ...


def guarded(catalog: Any = None, **given: Any) -> Any:
    """
    Guard a function, sync or async: it runs only with arguments that the catalog admits.

    A call that is right runs as if nothing were there: with the same objects, the same value, the same
    exceptions. A text that refers to memory, as `"$var1.geoId$"`, gets the value that memory holds. For any
    other call the function does not run, and the `RepairResult` comes back in place of its value.

    What JSON does not have is judged by what it is in JSON (a date, a pydantic model, an enum) or, where it
    is nothing there (a connection, an array), not at all. Nor are parameters that the function has and the
    tool has not, as `self`, and what goes to `*args`. Arguments beyond the bounds (nested deeper than 64)
    raise a `LimitError`.

    Args:
        catalog: a `Refractor`, or a catalog as `Catalog.load` takes it, compiled with the first call; files
            and lists of functions are read then, too. Without one the tool is made from the function: from
            its signature, type hints and docstring; then `@guarded` may stand without parentheses.
        tool: the name that the function has in the catalog, if not its own.
        memory: values already known: a dict, which also takes what recovery calls give, a `Memory` or
            anything that `Memory.load` takes, or a function without arguments that gives one of them for a
            call.
        tools: functions for the tools that a repair may call before, as `runtime.tools.Tools` takes them.
        parameters: what parameters of the function are called in the catalog, by their own names. Arguments
            may be given by either name.
        state: the parameter that takes a dict with the arguments as its keys. Keys that are no parameters
            of the tool are left alone, and count as known values. Repaired values stand in a copy, which the
            function gets; the dict that the caller gave stays as it is.
        execute_if_fixed: whether a call that can be repaired runs repaired. Calls that are needed before run
            through `tools` first, in order, and memory gets what they give under their labels. What is open,
            cannot be repaired or needs a tool that `tools` lacks comes back as a result.
        ask: is called with a `Question`, gives the value or None to leave it open; or the values by name.
        confirm: is called with an `Agreement`, gives True to agree; or one answer to all. Both may be async.
        remember: the label under which memory, where it is a dict, gets what the function gives, if that is a
            JSON value.
        timeout: seconds that each call before may take, if its tool says nothing else.
        options: what `Refractor` takes besides the catalog.

    Raises:
        InputError: from the decorator or from the first call: the catalog lacks the tool, options contradict
            each other, a function is none.
        ToolError: from a call that was repaired: a call before it failed; the function did not run. Where
            that call gave something else than the catalog promised, the result of what is left comes back.

    Example:
        >>> @guarded
        ... def greet(name: str, times: int = 1) -> str:
        ...     return ", ".join(["hello"] * times) + f" {name}"
        >>> greet("Ada", times=2)
        'hello, hello Ada'
        >>> greet("Ada", tims=2).diff().splitlines()[1]
        '+ greet(name="Ada", times=2)'
    """

    def decorated(function: Any) -> Any:
        guard = Guard(function, catalog, **given)
        return _async(function, guard) if bind(function).is_async else _sync(function, guard)

    is_function = inspect.isroutine(catalog) or isinstance(
        catalog, staticmethod | classmethod | property
    )
    if is_function and not given:
        function, catalog = catalog, None
        return decorated(function)
    return decorated


def _sync(function: Callable[..., Any], guard: Guard) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        attempt = guard.judged(args, kwargs)
        ready = attempt.as_given() or (
            run_to_end(guard.fixed(attempt)) if guard.execute_if_fixed else attempt.result
        )
        if isinstance(ready, RepairResult):
            return ready
        return guard.remembered(attempt, function(*ready[0], **ready[1]))

    return run


def _async(function: Callable[..., Awaitable[Any]], guard: Guard) -> Callable[..., Any]:
    import asyncio

    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> Any:
        attempt = await asyncio.to_thread(guard.judged, args, kwargs)
        ready = attempt.as_given() or (
            await guard.fixed(attempt) if guard.execute_if_fixed else attempt.result
        )
        if isinstance(ready, RepairResult):
            return ready
        return guard.remembered(attempt, await function(*ready[0], **ready[1]))

    return run
