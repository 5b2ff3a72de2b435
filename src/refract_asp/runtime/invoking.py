"""
The bottleneck that every call of a model goes through: whatever happens, it is answered by one text.

The stages are, and the first that fails ends the call: are there arguments, can they be read, is there such
a tool, do they fit it, the call itself, its text. The model gets the text, or a short line with an id; the
log gets everything, under the same id.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from refract_asp.runtime.arguments import decoded
from refract_asp.runtime.asked import Asked, one_call
from refract_asp.runtime.failures import Mapper
from refract_asp.runtime.invoker import Invoker
from refract_asp.runtime.tools import Bound, bind

if TYPE_CHECKING:
    from refract_asp.model.secret_names import SecretRule

__all__ = [
    "InvokeOptions",
    "Invoker",
    "invoke",
    "invoke_async",
    "invoke_no_args",
    "invoke_no_args_async",
    "invoke_with_args",
    "invoke_with_args_async",
]


class InvokeOptions(TypedDict, total=False):
    """Options of `Invoker`, by name."""

    catalog: Any
    mapper: Mapper
    max_reply: int | None
    timeout: float | None
    log: logging.Logger
    secrets: SecretRule | None


def invoke_no_args(function: Callable[..., Any], name: str, **options: Unpack[InvokeOptions]) -> str:
    """
    Call a function of a tool that takes no arguments, and return its text or what went wrong.

    Args:
        function: the function, plain, async or `bind(...)`.
        name: the name under which the model called it.
        options: those of `Invoker`.

    Example:
        >>> invoke_no_args(lambda: 70, "get_current_temperature")
        '70'
    """
    invoker = _invoker(options)
    return invoker.answer(_direct("invoke_no_args", function, {}, name)).content


def invoke_with_args(
    function: Callable[..., Any], arguments: Any, name: str, **options: Unpack[InvokeOptions]
) -> str:
    """
    Call a function of a tool with what the model gave, and return its text or what went wrong.

    Args:
        function: the function, plain, async or `bind(...)`; one whose only parameter is a pydantic model gets
            that.
        arguments: an object, or a JSON text of one as models write it; None where there are none, which is
            an error other than `{}`.
        name: the name under which the model called it.
        options: those of `Invoker`.

    Example:
        >>> def set_temperature(temperature: int) -> str:
        ...     return f"set to {temperature}"
        >>> invoke_with_args(set_temperature, '{"temperature": 75}', "set_temperature")
        'set to 75'
    """
    invoker = _invoker(options)
    return invoker.answer(_direct("invoke_with_args", function, arguments, name)).content


def invoke(call: Any, tools: Any, **options: Unpack[InvokeOptions]) -> str:
    """
    Run one call, in any format that `Sequence.load` takes, and return its text or what went wrong.

    `Invoker` keeps its catalog and knows which calls failed before; this begins anew each time.

    Example:
        >>> def get_weather(city: str) -> str:
        ...     return f"cloudy in {city}"
        >>> invoke('get_weather(city="Rome")', [get_weather])
        'cloudy in Rome'
    """
    invoker = Invoker(tools, **options)
    return invoker.answer(invoker.asked("invoke", one_call(call))).content


async def invoke_no_args_async(
    function: Callable[..., Any], name: str, **options: Unpack[InvokeOptions]
) -> str:
    """Do what `invoke_no_args` does in the event loop."""
    invoker = _invoker(options)
    return (await invoker.answer_async(_direct("invoke_no_args_async", function, {}, name))).content


async def invoke_with_args_async(
    function: Callable[..., Any], arguments: Any, name: str, **options: Unpack[InvokeOptions]
) -> str:
    """Do what `invoke_with_args` does in the event loop."""
    invoker = _invoker(options)
    asked = _direct("invoke_with_args_async", function, arguments, name)
    return (await invoker.answer_async(asked)).content


async def invoke_async(call: Any, tools: Any, **options: Unpack[InvokeOptions]) -> str:
    """Do what `invoke` does in the event loop."""
    invoker = Invoker(tools, **options)
    return (await invoker.answer_async(invoker.asked("invoke_async", one_call(call)))).content


def _invoker(options: InvokeOptions) -> Invoker:
    """Return what answers calls of functions that are given with them."""
    tools: Iterable[Any] = ()
    return Invoker(tools, **options)


def _direct(entry: str, function: Any, raw: Any, name: str) -> Asked:
    """Return the call of a function that is given with it."""
    bound = function if isinstance(function, Bound) else bind(function)
    read = lambda: (decoded(raw, name), ())  # noqa: E731
    return Asked(entry, name, None, read, replace(bound, name=name), raw)
