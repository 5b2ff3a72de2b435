"""The tasks of one run: where one breaks, the run ends, and what still runs at its end is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from refract_asp.runtime.abandoning import stopped

__all__ = ["Tasks"]

LAST_WORDS = 1.0
"""Seconds in which what is cancelled has to end."""


class Tasks:
    """Everything that runs beside each other in one run; made inside its event loop."""

    def __init__(self) -> None:
        """Begin with nothing that runs."""
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside all else."""
        task = self._loop.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def finish(self) -> None:
        """Say that there is nothing more to wait for."""
        if not self._done.done():
            self._done.set_result(None)

    async def wait(self, timeout: float | None) -> None:
        """
        Wait until there is nothing more to wait for, or the time is over.

        What a task raised is raised here; a task that was cancelled, which only a tool does, cancels the run.
        """
        await asyncio.wait({self._done}, timeout=timeout)
        if self._done.done():
            self._done.result()

    async def end(self) -> None:
        """Cancel what still runs, give it a moment, and leave the rest to itself."""
        if self._done.done() and not self._done.cancelled():
            self._done.exception()  # told now, or Python warns of it when Ctrl-C came first
        await stopped(self._running, LAST_WORDS)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if self._done.done():
            return
        if task.cancelled():  # by a tool, unless the run ends: nothing would ever be over that waits for it
            self._done.cancel()
        elif (error := task.exception()) is not None:
            self._done.set_exception(error)
