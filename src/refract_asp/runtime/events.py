"""Tells what happens in a run: kept in order, and given to whoever listens."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable
from typing import Any

from refract_asp.errors import ToolError, shown
from refract_asp.runtime.failures import Later, dropped
from refract_asp.runtime.loops import stopped
from refract_asp.runtime.outcomes import Event, EventKind
from refract_asp.runtime.steps import Step

__all__ = ["Events", "Listener"]

Listener = Callable[[Event], Any]
"""Is called with each event; it may be async."""

LAST_WORDS = 5.0
"""Seconds that an async listener has after the last call for what it has not yet heard."""

log = logging.getLogger("refract_asp.runtime")


class Events:
    """
    The events of a run.

    Args:
        listener: is called with each of them, in order. What it raises is logged and nothing else. It should
            be quick: the run waits for it, unless it is async.
    """

    def __init__(self, listener: Listener | None = None) -> None:
        """Begin without any."""
        self.all: list[Event] = []
        self._listener = listener
        self._queue: asyncio.Queue[Any] | None = None
        self._task: asyncio.Task[None] | None = None
        self._begun = time.perf_counter()

    def now(self) -> float:
        """Return the seconds since the run began."""
        return time.perf_counter() - self._begun

    def begin(self) -> None:
        """Begin to count the time."""
        self._begun = time.perf_counter()

    def tell(self, kind: EventKind, step: Step, error: ToolError | None = None) -> None:
        """Note that something happened to a step."""
        event = Event(kind, step.number, step.tool, step.label, step.id, self.now(), error)
        self.all.append(event)
        if self._listener is None:
            return
        try:
            heard = self._listener(event)
        except (Exception, asyncio.CancelledError) as problem:
            _complain(problem)
            return
        if inspect.isawaitable(heard):
            if self._queue is None:
                self._queue = asyncio.Queue()
                self._task = asyncio.get_running_loop().create_task(self._deliver(self._queue))
            self._queue.put_nowait(heard)

    async def end(self) -> None:
        """Wait until an async listener has heard everything, for a while."""
        if self._queue is None or self._task is None:
            return
        self._queue.put_nowait(None)
        try:
            done, _ = await asyncio.wait({self._task}, timeout=LAST_WORDS)
        finally:
            await stopped({self._task})
            while not self._queue.empty():
                if (unheard := self._queue.get_nowait()) is not None:
                    dropped(Later(unheard))
        if not done:
            log.warning("a listener to the events of a run did not hear all of them in time")

    @staticmethod
    async def _deliver(queue: asyncio.Queue[Any]) -> None:
        """Await what an async listener gave, one event after the other."""
        while (heard := await queue.get()) is not None:
            try:
                await heard
            except asyncio.CancelledError as problem:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                _complain(problem)
            except Exception as problem:
                _complain(problem)


def _complain(problem: BaseException) -> None:
    log.warning("a listener to the events of a run failed: %s: %s", type(problem).__name__, shown(problem),
                exc_info=problem)  # fmt: skip
