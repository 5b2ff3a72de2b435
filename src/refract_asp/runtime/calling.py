"""
Calls one function of a tool: in the event loop, on a thread or in a process, for so long and no longer.

Whatever the function raises comes out as a `ToolError`; what its caller raises, a cancellation from outside
or Ctrl-C, stops the call and comes out as it is. A function goes to a process by its name, as pickle does it,
and its arguments with it; what it gives comes back as JSON. A process that dies, exits or writes what it should
not is a tool that failed.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any

from refract_asp.errors import BadArgumentError, ToolTimeoutError
from refract_asp.runtime.loops import (
    GRACE,
    Deliver,
    Given,
    InThread,
    Later,
    Outcome,
    Raised,
    Unusable,
    awaited,
    called,
    given,
    in_own_loop,
    start_thread,
    stopped,
    told,
    value_of,
)
from refract_asp.runtime.tools import Bound, check_sendable

__all__ = ["call_tool", "call_tool_now"]


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
        outcome = await _in_loop(bound.bound(arguments, positional), limit, bound)
        return value_of(outcome, bound.name)
    end = None if limit is None else time.monotonic() + limit
    outcome = await _elsewhere(bound, arguments, positional, limit)
    if isinstance(outcome, Later):
        left = None if end is None else max(0.0, end - time.monotonic())
        later = outcome
        try:
            outcome = await _in_loop(lambda: later.awaitable, left, bound, limit)
        except BaseException:
            later.drop()
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
        return _copy(dict(arguments)), tuple(map(_copy, positional))
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
    deliver: Deliver,
    *,
    awaits: bool,
) -> _InProcess | InThread:
    """Start a call on a thread or in a process."""
    if bound.isolation == "process":
        check_sendable(bound.function)
        return _InProcess(bound, arguments, positional, deliver)
    return InThread(bound.bound(arguments, positional), deliver, awaits=awaits)


async def _elsewhere(
    bound: Bound, arguments: dict[str, Any], positional: tuple[Any, ...], limit: float | None
) -> Outcome:
    """Run a call on a thread or in a process; what a sync function gives to await is given back."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Outcome] = loop.create_future()

    def settle(outcome: Outcome) -> None:
        if not future.done():
            future.set_result(outcome)
        elif isinstance(outcome, Later):
            outcome.drop()

    def deliver(outcome: Outcome) -> None:
        try:
            loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:  # the loop was closed long ago
            if isinstance(outcome, Later):
                outcome.drop()

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
        if future.done() and isinstance(outcome := future.result(), Later):
            outcome.drop()
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
    if isinstance(outcome, Raised) and isinstance(outcome.error, KeyboardInterrupt):
        # `asyncio.run` and `run` put a handler in place that cancels; it is the tool's own then
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            raise outcome.error
    return outcome


# -- in a process of its own ---------------------------------------------------

MAX_BYTES = 256 * 1024 * 1024
"""So much may come back from a process."""
LEAVING = 1.0
"""Seconds that a process which gave its result has to end."""
_STARTING = threading.Lock()


class RaisedInProcessError(Exception):
    """
    What a tool raised in its process: the text of it, with the traceback there as a note.

    Attributes:
        kind_in_process: the name of its type.
    """

    def __init__(self, kind: str, text: str, trace: str) -> None:
        """Say what was raised there."""
        self.kind_in_process = kind
        super().__init__(text)
        self.add_note(f"In the process of the tool:\n{trace}")


class _InProcess:
    """A call that runs in a process of its own; what became of it is delivered once, on a thread of its own."""

    def __init__(
        self,
        bound: Bound,
        arguments: dict[str, Any],
        positional: tuple[Any, ...],
        deliver: Deliver,
    ) -> None:
        self._sent = (bound.function, bound.takes_object, arguments, positional)
        self._deliver = deliver
        self._process: Any = None
        self._is_cancelled = False
        start_thread(self._work, "refract-asp process", deliver)

    def cancel(self) -> bool:
        """End the process, and those that it started; nothing more comes."""
        self._is_cancelled = True
        process = self._process
        if process is not None:
            _kill(process)
        return False

    def _work(self) -> None:
        try:
            outcome = self._run()
        except BaseException as error:  # the process cannot be started, or no more files be opened
            outcome = Raised(error)
        self._deliver(outcome)

    def _run(self) -> Outcome:
        context = _context()
        receiver, sender = context.Pipe(duplex=False)
        with receiver:
            with sender, _STARTING:
                process = context.Process(target=_child, args=(sender, *self._sent), daemon=True)
                process.start()
            self._process = process
            try:
                if self._is_cancelled:
                    return Unusable("it was cancelled.")
                multiprocessing.connection.wait([receiver, process.sentinel])
                raw = receiver.recv_bytes(MAX_BYTES) if receiver.poll() else None
            except (EOFError, OSError):
                raw = None
            finally:
                if self._is_cancelled:
                    _kill(process)
                process.join(LEAVING)
                _kill(process)
                process.join()
            if raw is not None:
                return _read(raw)
            why = f"its process gave no result and ended with exit code {process.exitcode}."
            return Unusable(why)


def _kill(process: Any) -> None:
    """End a process and its group, if it is still there."""
    with contextlib.suppress(Exception):
        if process.is_alive() or process.exitcode is None:
            with contextlib.suppress(Exception):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()


@cache
def _context() -> Any:
    """Return how processes are started: by a server that has this package in memory, where there is one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _read(raw: bytes) -> Outcome:
    """Return what a process says of its call."""
    try:
        said = json.loads(raw)
        if "value" in said:
            return given(said["value"])
        if "why" in said:
            return Unusable(str(said["why"]))
        error = RaisedInProcessError(str(said["kind"]), str(said["text"]), str(said["trace"]))
        return Raised(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return Unusable("what its process gave cannot be read.")


# -- in the process ------------------------------------------------------------


def _child(
    sender: Any,
    function: Callable[..., Any],
    takes_object: bool,
    arguments: dict[str, Any],
    positional: tuple[Any, ...],
) -> None:
    """Call the function and send what became of it."""
    # Ctrl-C is heard by whoever started this, and ends it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(Exception):
        os.setsid()  # so that what it starts is ended with it
    threading.Thread(target=_end_with_parent, name="refract-asp parent", daemon=True).start()

    def send(outcome: Outcome) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            sender.send_bytes(json.dumps(_said(outcome)).encode())

    bound = Bound(function, takes_object=takes_object)
    outcome = called(bound.bound(arguments, positional))
    if isinstance(outcome, Later):
        in_own_loop(outcome.awaitable, send)
    else:
        send(outcome)


def _end_with_parent() -> None:
    """End this process and what it started when the one that wants its result is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
    with contextlib.suppress(Exception):
        if os.getpgid(0) == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _said(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Given):
        return {"value": outcome.value}
    if isinstance(outcome, Raised):
        kind, text = told(outcome.error)
        try:
            trace = "".join(traceback.format_exception(outcome.error))
        except BaseException:
            trace = f"{kind}, whose traceback cannot be told"
        return {"kind": kind, "text": text, "trace": trace}
    why = outcome.why if isinstance(outcome, Unusable) else "it gave something to await twice."
    return {"why": why}
