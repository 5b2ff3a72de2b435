"""
Calls one function of a tool: in the event loop, on a thread or in a process, for so long and no longer.

Whatever the function raises comes out as a `ToolError`; what its caller raises, a cancellation from outside
or Ctrl-C, stops the call and comes out as it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import signal
import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from refract_asp.errors import BadArgumentError, ToolTimeoutError
from refract_asp.runtime.failures import Later, Outcome, Raised, awaited, dropped, given, value_of
from refract_asp.runtime.loops import GRACE, stopped
from refract_asp.runtime.processes import InProcess, InThread, check_sendable
from refract_asp.runtime.tools import Bound

__all__ = ["call_tool", "call_tool_now"]

_Deliver: TypeAlias = Callable[[Outcome], None]


async def call_tool(
    bound: Bound,
    arguments: Mapping[str, Any],
    positional: tuple[Any, ...] = (),
    *,
    timeout: float | None = None,
) -> Any:
    """
    Call the function of a tool and return a copy of what it gives, which is a JSON value.

    An async function runs as a task of its own in this event loop, a sync one on a daemon thread of its own;
    if that gives something to await, it is awaited here. `Bound.isolation` puts either elsewhere.

    Args:
        bound: the function.
        arguments: its arguments by name; it gets a copy.
        positional: what it takes by position, before those.
        timeout: seconds that it may take, or None for as long as it takes; its own limit comes first.

    Raises:
        ToolFailedError: it raised, whatever it was, or gave what is no JSON value.
        ToolTimeoutError: it took longer. What is awaited is cancelled, and abandoned if it goes on; a thread
            is abandoned; a process is killed.
        BadArgumentError: the arguments are nested too deep to be copied.
        InputError: the function cannot be sent to a process.
        CancelledError, KeyboardInterrupt: from outside; the call is stopped in the same way.
    """
    limit = bound.timeout if bound.timeout is not None else timeout
    arguments, positional = _copied(bound, arguments, positional)
    if bound.is_async and bound.isolation == "none":
        return value_of(
            await _in_loop(bound.bound(arguments, positional), limit, bound), bound.name
        )
    end = None if limit is None else time.monotonic() + limit
    outcome = await _elsewhere(bound, arguments, positional, limit)
    if isinstance(outcome, Later):
        left = None if end is None else max(0.0, end - time.monotonic())
        awaitable = outcome.awaitable
        try:
            outcome = await _in_loop(lambda: awaitable, left, bound, limit)
        except BaseException:
            dropped(outcome)
            raise
    return value_of(outcome, bound.name)


def call_tool_now(
    bound: Bound,
    arguments: Mapping[str, Any],
    positional: tuple[Any, ...] = (),
    *,
    timeout: float | None = None,
) -> Any:
    """
    Do what `call_tool` does without an event loop, and wait for it.

    An async function runs on a thread, in a loop of its own, so that one that blocks is abandoned, too.

    Example:
        >>> from refract_asp.runtime.tools import bind
        >>> call_tool_now(bind(lambda city: f"cloudy in {city}"), {"city": "Rome"}, timeout=2)
        'cloudy in Rome'
    """
    limit = bound.timeout if bound.timeout is not None else timeout
    arguments, positional = _copied(bound, arguments, positional)
    outcomes: SimpleQueue[Outcome] = SimpleQueue()
    running = None
    try:
        running = _started(bound, arguments, positional, outcomes.put, awaits=True)
        outcome = outcomes.get(timeout=limit)
    except Empty:
        if running is not None and running.cancel():
            with contextlib.suppress(Empty):
                outcomes.get(timeout=GRACE)
        raise _late(bound, limit) from None
    except BaseException:  # Ctrl-C: no function of a tool runs on this thread
        if running is not None:
            running.cancel()
        raise
    return value_of(outcome, bound.name)


# -- steps ---------------------------------------------------------------------


def _late(bound: Bound, limit: float | None) -> ToolTimeoutError:
    return ToolTimeoutError(f"it took longer than {limit or 0:g} seconds.", tool=bound.name)


def _copied(
    bound: Bound, arguments: Mapping[str, Any], positional: tuple[Any, ...]
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Return a copy of the arguments, so that a tool cannot change ours."""
    try:
        return {name: _copy(value) for name, value in arguments.items()}, tuple(
            map(_copy, positional)
        )
    except RecursionError:
        raise BadArgumentError("the arguments are nested too deep.", tool=bound.name) from None


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def _started(
    bound: Bound,
    arguments: dict[str, Any],
    positional: tuple[Any, ...],
    deliver: _Deliver,
    *,
    awaits: bool,
) -> InProcess | InThread:
    """Start a call on a thread or in a process."""
    if bound.isolation == "process":
        check_sendable(bound.function)
        return InProcess(
            bound.function, arguments, positional, deliver, takes_object=bound.takes_object
        )
    return InThread(bound.bound(arguments, positional), deliver, awaits=awaits)


async def _elsewhere(
    bound: Bound, arguments: dict[str, Any], positional: tuple[Any, ...], limit: float | None
) -> Outcome:
    """Run a call on a thread or in a process; what a sync function gives to await is given back."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Outcome] = loop.create_future()

    def settle(outcome: Outcome) -> None:
        if future.done():
            dropped(outcome)
        else:
            future.set_result(outcome)

    def deliver(outcome: Outcome) -> None:
        try:
            loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:  # the loop was closed long ago
            dropped(outcome)

    running = _started(bound, arguments, positional, deliver, awaits=bound.isolation == "thread")
    try:
        done, _ = await asyncio.wait({future}, timeout=limit)
        if done:
            return future.result()
        if running.cancel():
            await asyncio.wait({future}, timeout=GRACE)
        raise _late(bound, limit)
    except BaseException as error:
        if running.cancel() and isinstance(error, asyncio.CancelledError):
            await asyncio.wait({future}, timeout=GRACE)
        if future.done() and not future.cancelled():
            dropped(future.result())
        raise
    finally:
        future.cancel()


async def _in_loop(
    start: Callable[[], Any], limit: float | None, bound: Bound, said: float | None = None
) -> Outcome:
    """Run what is awaited as a task of its own; `said` is the limit to tell where it is another one."""

    async def run() -> Outcome:
        try:
            value = start()
            if not inspect.isawaitable(value):
                return given(value)
        except BaseException as error:
            return Raised(error)
        return await awaited(value)

    task = asyncio.ensure_future(run())
    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    except asyncio.CancelledError:
        await stopped({task})
        raise
    except BaseException:
        task.cancel()
        raise
    if not done:
        await stopped({task})
        raise _late(bound, limit if said is None else said)
    if task.cancelled():  # by the tool: one that cancels itself as its last act gives no outcome
        return Raised(asyncio.CancelledError())
    outcome = task.result()
    if (
        isinstance(outcome, Raised)
        and isinstance(outcome.error, KeyboardInterrupt)
        and _may_be_ctrl_c()
    ):
        raise outcome.error
    return outcome


def _may_be_ctrl_c() -> bool:
    """Whether Ctrl-C comes up as an exception wherever this thread is."""
    # `asyncio.run` and `run` put a handler in place that cancels; a KeyboardInterrupt is then the tool's own
    handler = signal.getsignal(signal.SIGINT)
    return (
        threading.current_thread() is threading.main_thread()
        and handler is signal.default_int_handler
    )
