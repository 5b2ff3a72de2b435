"""Runs one call on a daemon thread of its own, which can be abandoned: Python ends without it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from refract_asp.runtime.abandoning import stopped
from refract_asp.runtime.guarding import Later, Outcome, Raised, awaited, called

__all__ = ["InThread", "in_own_loop"]


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
