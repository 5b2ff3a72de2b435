"""Runs a coroutine to its end in an event loop of its own, whatever else is left in that loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from refract_asp.errors import InputError
from refract_asp.runtime.abandoning import stopped
from refract_asp.runtime.interrupts import settled

__all__ = ["run_to_end"]

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T], name: str) -> T:
    """
    Run a coroutine and return what it gives; Ctrl-C cancels it and is raised as KeyboardInterrupt.

    A task that a tool left behind and that does not end when it is cancelled is abandoned; `asyncio.run`
    would wait for it.

    Args:
        work: the coroutine.
        name: the function that was called, for the message.

    Raises:
        InputError: an event loop runs in this thread already.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        work.close()
        raise InputError(
            f"{name} was called inside of a running event loop.", hint=f"Write `await {name}_async(...)`."
        )
    given: list[T] = []  # not the result of a task: the signal module prints that whole, however large

    async def kept() -> None:
        given.append(await work)

    with settled(), asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        try:
            runner.run(kept())
        finally:
            runner.run(_rest())
    return given[0]


async def _rest() -> None:
    """Stop all that is left in the loop."""
    await stopped(task for task in asyncio.all_tasks() if task is not asyncio.current_task())
