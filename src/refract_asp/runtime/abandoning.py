"""
Ends of tasks that nobody waits for: cancelled, given a moment, then left alone.

An event loop that ends waits for all its tasks, so one that swallows its cancellation would hold up
`asyncio.run` for ever. A task that is abandoned is none of them any more.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

__all__ = ["GRACE", "abandoned", "stopped"]

GRACE = 0.2
"""Seconds that a cancelled task has to put things in order."""

_LEFT: set[asyncio.Future[Any]] = set()


async def stopped(tasks: Iterable[asyncio.Task[Any]], grace: float = GRACE) -> None:
    """Cancel tasks, wait `grace` seconds for them, abandon what goes on; also when cancelled meanwhile."""
    left = {task for task in tasks if not task.done()}
    for task in left:
        task.cancel()
    try:
        if left:
            await asyncio.wait(left, timeout=grace)
    finally:
        for task in left:
            abandoned(task)


def abandoned(task: asyncio.Task[Any]) -> None:
    """Leave a task that is not done to itself: no loop waits for it, and nobody is told when it goes."""
    if task.done():
        return
    asyncio._unregister_task(task)  # documented under Extending asyncio
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    _LEFT.add(task)
    task.add_done_callback(_LEFT.discard)
    _keep()


@cache
def _keep() -> None:
    """
    See that no abandoned task is collected, not even when Python ends: some never return from being closed.

    A thread that waits for ever holds them; Python ends without it, and without what it holds.
    """
    threading.Thread(target=_hold, args=(_LEFT,), name="refract-asp abandoned", daemon=True).start()


def _hold(left: set[asyncio.Future[Any]]) -> None:
    threading.Event().wait()
    left.clear()
