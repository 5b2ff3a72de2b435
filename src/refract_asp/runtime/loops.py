"""
Runs a coroutine to its end in an event loop of its own, and stops tasks that nobody waits for.

They are cancelled, given a moment, then left alone: `run` does not wait for them. `asyncio.run` does wait for
every task at its end: a tool that swallows its cancellation belongs on a thread there,
`bind(function, isolation="thread")`.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine, Iterable
from functools import cache
from typing import Any, ParamSpec, TypeVar

from refract_asp.errors import InputError

__all__ = ["GRACE", "abandoned", "run_to_end", "stopped", "to_end"]

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
    """Leave a task that is not done to itself."""
    if task.done():
        return
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


P = ParamSpec("P")
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
            f"{name} was called inside of a running event loop.",
            hint=f"Write `await {name}_async(...)`.",
        )
    given: list[
        T
    ] = []  # not the result of a task: the signal module prints that whole, however large

    async def kept() -> None:
        given.append(await work)

    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    try:
        runner.run(kept())
    finally:
        runner.run(_rest())
        if asyncio.all_tasks(runner.get_loop()):
            runner.get_loop().close()  # the runner would wait for tasks that do not end
        else:
            runner.close()
    return given[0]


def to_end(function: Callable[P, Coroutine[Any, Any, T]], name: str) -> Callable[P, T]:
    """Return the sync twin of an async function, see `run_to_end`."""

    @functools.wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_to_end(function(*args, **kwargs), name)

    twin.__name__ = twin.__qualname__ = name
    return twin


async def _rest() -> None:
    """Stop all that is left in the loop."""
    await stopped(task for task in asyncio.all_tasks() if task is not asyncio.current_task())
