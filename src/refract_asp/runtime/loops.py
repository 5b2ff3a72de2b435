"""
What comes of calling a function, and where it runs: event loops of their own, threads, tasks that are left alone.

Tasks are cancelled, given a moment, then left alone: `run` does not wait for them. `asyncio.run` does wait for
every task at its end: a tool that swallows its cancellation belongs on a thread there,
`bind(function, isolation="thread")`.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeAlias, TypeVar

from refract_asp.errors import LONGEST, InputError, ToolFailedError, shown
from refract_asp.formats.values import Origin, UnreadableError, plain

__all__ = ["InThread", "run_to_end", "stopped", "to_end"]

NAME = 60
"""Characters of the type of an exception that are told."""
STEPS = 8
"""So many steps lead to what is no JSON value, where it is told: a cycle has hundreds."""


# -- what comes of a call ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """A function gave a JSON value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Unusable:
    """A function gave what is no JSON value, or its process gave nothing; `why` says so."""

    why: str


@dataclass(frozen=True, slots=True)
class Raised:
    """A function raised."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Later:
    """A function gave something to await."""

    awaitable: Awaitable[Any]

    def drop(self) -> None:
        """Close what nobody began to await and nobody will, so that Python does not warn of it."""
        waits = self.awaitable
        if inspect.iscoroutine(waits) and inspect.getcoroutinestate(waits) == inspect.CORO_CREATED:
            waits.close()


Outcome: TypeAlias = Given | Unusable | Raised | Later
Deliver: TypeAlias = Callable[[Outcome], None]


def given(value: Any) -> Outcome:
    """Return a copy of what a function gave; an object of its own may raise while it is looked at."""
    try:
        return Given(plain(value))
    except UnreadableError as error:
        if len(error.place) > STEPS:
            error.place[STEPS:] = ["..."]
        return Unusable(f"what it gave is no JSON value: {error.at(Origin())}")
    except BaseException as error:
        return Raised(error)


def called(call: Callable[[], Any]) -> Outcome:
    """Call a function that takes nothing."""
    try:
        value = call()
        if inspect.isawaitable(value):
            return Later(value)
    except BaseException as error:
        return Raised(error)
    return given(value)


async def awaited(awaitable: Awaitable[Any]) -> Outcome:
    """Await what a function gave."""
    try:
        value = await awaitable
    except BaseException as error:
        return Raised(error)
    return given(value)


def told(error: BaseException) -> tuple[str, str]:
    """
    Return the type of an exception and its text, as far as they can be told.

    Example:
        >>> told(ValueError("no such city"))
        ('ValueError', 'no such city')
    """
    try:
        kind = shown(getattr(error, "kind_in_process", None) or type(error).__name__, NAME)
        return kind, str.__str__(str(error))
    except BaseException:  # an exception may raise when it is printed
        return "Exception", "its text cannot be told"


def value_of(outcome: Outcome, tool: str) -> Any:
    """
    Return the value that a function gave.

    Raises:
        ToolFailedError: it gave none; `__cause__` is what it raised.
    """
    if isinstance(outcome, Given):
        return outcome.value
    if isinstance(outcome, Raised):
        what = shown(": ".join(filter(None, told(outcome.error))), 2 * LONGEST)
        raise ToolFailedError(what, tool=tool) from outcome.error
    if isinstance(outcome, Later):
        outcome.drop()
    why = outcome.why if isinstance(outcome, Unusable) else "it gave something to await twice."
    raise ToolFailedError(why, tool=tool)


# -- tasks ---------------------------------------------------------------------

GRACE = 0.2
"""Seconds that a cancelled task has to put things in order."""
_LEFT: set[asyncio.Future[Any]] = set()


async def stopped(tasks: Iterable[asyncio.Task[Any]], grace: float = GRACE) -> None:
    """Cancel tasks, wait `grace` seconds for them, leave alone what goes on; also when cancelled meanwhile."""
    left = {task for task in tasks if not task.done()}
    for task in left:
        task.cancel()
    try:
        if left:
            await asyncio.wait(left, timeout=grace)
    finally:
        for task in left:
            if not task.done():
                _LEFT.add(task)
                task.add_done_callback(_LEFT.discard)
                _keep()


@functools.cache
def _keep() -> None:
    """See that no task in `_LEFT` is collected, not even when Python ends: some never return from being closed."""

    def hold(left: set[asyncio.Future[Any]]) -> None:
        threading.Event().wait()  # for ever: Python ends without this thread, and without what it holds
        left.clear()

    name = "refract-asp abandoned"
    threading.Thread(target=hold, args=(_LEFT,), name=name, daemon=True).start()


P = ParamSpec("P")
T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T], name: str) -> T:
    """
    Run a coroutine and return what it gives; Ctrl-C cancels it and is raised as KeyboardInterrupt.

    A task that a tool left behind and that does not end when it is cancelled is left alone; `asyncio.run`
    would wait for it.

    Args:
        work: the coroutine.
        name: the function that was called, for the message.

    Raises:
        InputError: an event loop runs in this thread already.
    """
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        work.close()
        what = f"{name} was called inside of a running event loop."
        raise InputError(what, hint=f"Write `await {name}_async(...)`.")
    found: list[
        T
    ] = []  # not the result of a task: the signal module prints that whole, however large

    async def kept() -> None:
        found.append(await work)

    async def rest() -> None:
        await stopped(task for task in asyncio.all_tasks() if task is not asyncio.current_task())

    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    try:
        runner.run(kept())
    finally:
        runner.run(rest())
        if asyncio.all_tasks(runner.get_loop()):
            runner.get_loop().close()  # the runner would wait for tasks that do not end
        else:
            runner.close()
    return found[0]


def to_end(function: Callable[P, Coroutine[Any, Any, T]], name: str) -> Callable[P, T]:
    """Return the sync twin of an async function, see `run_to_end`."""

    @functools.wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_to_end(function(*args, **kwargs), name)

    twin.__name__ = twin.__qualname__ = name
    return twin


# -- threads -------------------------------------------------------------------


class InThread:
    """
    A call that runs on a daemon thread of its own, in the context of whoever starts it.

    Args:
        call: the function, which takes nothing.
        deliver: is given what became of it, once, on that thread.
        awaits: whether what the call gives to await is awaited there, in an event loop of its own.
    """

    def __init__(self, call: Callable[[], Any], deliver: Deliver, *, awaits: bool = True) -> None:
        """Start it."""
        self._call, self._deliver, self._awaits = call, deliver, awaits
        self._lock = threading.Lock()
        self._task: asyncio.Task[Outcome] | None = None
        self._is_cancelled = False
        run_in_context = contextvars.copy_context().run
        start_thread(lambda: run_in_context(self._work), "refract-asp tool", deliver)

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


def start_thread(work: Callable[[], None], name: str, deliver: Deliver) -> None:
    """Do something on a daemon thread; where there are too many, that is delivered."""
    try:
        threading.Thread(target=work, name=name, daemon=True).start()
    except RuntimeError as error:
        deliver(Raised(error))


def in_own_loop(
    awaitable: Awaitable[Any],
    deliver: Deliver,
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
