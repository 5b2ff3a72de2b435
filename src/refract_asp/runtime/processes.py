"""
Runs one call on a daemon thread or in a process of its own, which can be abandoned or ended.

The function goes to a process by its name, as pickle does it, and its arguments with it; what it gives comes
back as JSON. A process that dies, exits or writes what it should not is a tool that failed.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.runtime.failures import (
    Given,
    Later,
    Outcome,
    Raised,
    Unusable,
    awaited,
    called,
    given,
    told,
)
from refract_asp.runtime.loops import stopped

__all__ = ["InProcess", "InThread", "RaisedInProcessError", "check_sendable", "in_own_loop"]


class InThread:
    """
    A call that runs on a thread of its own, in the context of whoever starts it.

    Args:
        call: the function, which takes nothing.
        deliver: is given what became of it, once, on that thread.
        awaits: whether what the call gives to await is awaited there, in an event loop of its own.
    """

    def __init__(
        self, call: Callable[[], Any], deliver: Callable[[Outcome], None], *, awaits: bool = True
    ) -> None:
        """Start it."""
        self._call = call
        self._deliver = deliver
        self._awaits = awaits
        self._lock = threading.Lock()
        self._task: asyncio.Task[Outcome] | None = None
        self._is_cancelled = False
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(self._work,), name="refract-asp tool", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:  # there are too many threads
            deliver(Raised(error))

    def cancel(self) -> bool:
        """Cancel what is awaited; return whether there is anything that may still end."""
        with self._lock:
            self._is_cancelled = True
            if self._task is None:
                return False
            with contextlib.suppress(RuntimeError):  # its loop is closed, as it is done
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)
            return True

    def _work(self) -> None:
        outcome = called(self._call)
        if self._awaits and isinstance(outcome, Later):
            in_own_loop(outcome.awaitable, self._deliver, self._started)
        else:
            self._deliver(outcome)

    def _started(self, task: asyncio.Task[Outcome]) -> None:
        with self._lock:
            self._task = task
            if self._is_cancelled:
                task.cancel()


def in_own_loop(
    awaitable: Awaitable[Any],
    deliver: Callable[[Outcome], None],
    started: Callable[[asyncio.Task[Outcome]], None] = lambda _: None,
) -> None:
    """
    Await something in a new event loop of this thread, deliver what became of it, and close the loop.

    What was started meanwhile and still runs is cancelled, and left out if it does not end.
    """
    try:
        loop = asyncio.new_event_loop()
    except Exception as error:  # as when no more files can be opened
        deliver(Raised(error))
        return
    try:
        task = loop.create_task(awaited(awaitable))
        started(task)
        try:
            outcome = loop.run_until_complete(task)
        except BaseException as error:  # a task that the tool started stops its loop so
            outcome = Raised(error)
        deliver(outcome)
        with contextlib.suppress(BaseException):
            loop.run_until_complete(stopped(asyncio.all_tasks(loop)))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


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


def check_sendable(function: Callable[..., Any]) -> None:
    """
    Refuse a function that another process cannot find.

    Raises:
        InputError: pickle does not find it by its name, as a lambda or a function inside another.
    """
    try:
        pickle.dumps(function)
    except Exception:
        name = shown(getattr(function, "__qualname__", type(function).__name__))
        raise InputError(
            f"the function {name!r} cannot run in a process of its own: pickle does not find it by its name.",
            hint='Put it at the top of a module, or bind it with isolation="thread".',
        ) from None


class InProcess:
    """
    A call that runs in a process of its own.

    Args:
        function: the function; pickle has to find it.
        takes_object: whether it takes its arguments as one object.
        arguments: its arguments by name.
        positional: those by position.
        deliver: is given what became of it, once, on a thread of its own.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        positional: tuple[Any, ...],
        deliver: Callable[[Outcome], None],
        *,
        takes_object: bool = False,
    ) -> None:
        """Start it."""
        self._sent = (function, takes_object, dict(arguments), positional)
        self._deliver = deliver
        self._process: Any = None
        self._is_cancelled = False
        try:
            threading.Thread(target=self._work, name="refract-asp process", daemon=True).start()
        except RuntimeError as error:  # there are too many threads
            deliver(Raised(error))

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
            return Unusable(
                f"its process gave no result and ended with exit code {process.exitcode}."
            )


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
        return Raised(
            RaisedInProcessError(str(said["kind"]), str(said["text"]), str(said["trace"]))
        )
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
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is heard by whoever started this, and ends it
    with contextlib.suppress(Exception):
        os.setsid()  # so that what it starts is ended with it
    threading.Thread(target=_end_with_parent, name="refract-asp parent", daemon=True).start()

    def send(outcome: Outcome) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            sender.send_bytes(json.dumps(_said(outcome)).encode())

    outcome = called(
        lambda: function(arguments) if takes_object else function(*positional, **arguments)
    )
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
    return {
        "why": outcome.why if isinstance(outcome, Unusable) else "it gave something to await twice."
    }
