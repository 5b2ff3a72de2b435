"""Runs a coroutine to its end in an event loop of its own, whatever else is left in that loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from refract_asp.errors import InputError

__all__ = ["run_to_end"]

T = TypeVar("T")

LAST_WORDS = 1.0
"""Seconds in which what is left has to end."""


def run_to_end(work: Coroutine[Any, Any, T], name: str) -> T:
    """
    Run a coroutine and return what it gives; Ctrl-C cancels it and is raised as KeyboardInterrupt.

    A task that does not end when it is cancelled is abandoned with the loop, which `asyncio.run` would wait
    for.

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
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    try:
        return runner.run(work)
    finally:
        if runner.run(_rest()):
            loop = runner.get_loop()
            loop.set_exception_handler(lambda *_: None)  # nobody waits for those any more
            loop.close()
        else:
            runner.close()


async def _rest() -> bool:
    """Cancel all that is left in the loop, and return whether something does not end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    return bool(tasks and (await asyncio.wait(tasks, timeout=LAST_WORDS))[1])
