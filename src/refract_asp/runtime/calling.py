"""
Calls one function of a tool: in the event loop, in a thread or in a process, for so long and no longer.

Whatever the function raises comes out as a `ToolError`; what its caller raises, a cancellation from outside
or Ctrl-C, comes out as it is.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

from refract_asp.errors import ToolFailedError, ToolTimeoutError, shown
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.runtime.tools import Bound

__all__ = ["call_tool"]


async def call_tool(
    bound: Bound,
    arguments: Mapping[str, Any],
    positional: tuple[Any, ...] = (),
    *,
    timeout: float | None = None,
) -> Any:
    """
    Call the function of a tool and return a copy of what it gives, which is a JSON value.

    Args:
        bound: the function.
        arguments: its arguments by name.
        positional: what it takes by position, before those.
        timeout: seconds that it may take, or None for as long as it takes; its own limit comes first.

    Raises:
        ToolFailedError: it raised, or gave what is no JSON value.
        ToolTimeoutError: it took longer. An async function is cancelled, a thread abandoned.
    """
    limit = bound.timeout if bound.timeout is not None else timeout
    call = bound.bound(arguments, positional)
    made = asyncio.ensure_future(_awaited(call) if bound.is_async else _in_thread(call))
    try:
        done, _ = await asyncio.wait({made}, timeout=limit)
    except asyncio.CancelledError:
        made.cancel()
        raise
    if not done:
        made.cancel()
        raise ToolTimeoutError(f"it took longer than {limit:g} seconds.", tool=bound.name)
    outcome = made.result()
    if isinstance(outcome, _Raised):
        error = ToolFailedError(shown(f"{type(outcome.error).__name__}: {outcome.error}"), tool=bound.name)
        raise error from outcome.error
    try:
        return plain(outcome)
    except UnreadableError as error:
        raise ToolFailedError(f"what it gave is no JSON value: {error}", tool=bound.name) from None


class _Raised:
    """What a function raised, so that no event loop takes it for its own."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


async def _awaited(call: Any) -> Any:
    try:
        return await call()
    except BaseException as error:
        return _Raised(error)


async def _in_thread(call: Any) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def give(outcome: Any) -> None:
        if not future.done():
            future.set_result(outcome)

    def work() -> None:
        try:
            outcome = call()
        except BaseException as error:
            outcome = _Raised(error)
        loop.call_soon_threadsafe(give, outcome)

    threading.Thread(target=work, name="refract-asp tool", daemon=True).start()
    return await future
