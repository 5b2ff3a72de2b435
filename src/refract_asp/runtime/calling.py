"""
Calls one function of a tool: in the event loop, on a thread or in a process, for so long and no longer.

Whatever the function raises comes out as a `ToolError`; what its caller raises, a cancellation from outside
or Ctrl-C, stops the call and comes out as it is. A function goes to a process by its name, as pickle does it,
and its arguments with it; what it gives comes back as JSON. A process that dies or exits is a tool that failed.

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
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import traceback
import types
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeAlias, TypeVar

from refract_asp import errors
from refract_asp.errors import InputError, ToolError, ToolFailedError, shown
from refract_asp.model.paths import with_leaves
from refract_asp.pooling import become_child, process_context
from refract_asp.runtime.arguments import MAX_ERRORS
from refract_asp.runtime.replies import LOG, type_and_text
from refract_asp.runtime.tools import Bound, Encoder, UnusableError, json_of

GRACE = 0.2
"""Seconds that what is cancelled has to put things in order."""
P = ParamSpec("P")
T = TypeVar("T")
Outcome: TypeAlias = tuple[Any, BaseException | None]
"""The JSON value that a function gave, and what it raised."""
Answer: TypeAlias = asyncio.Future[Outcome] | Future[Outcome]
"""The outcome that is waited for: in an event loop, or on a thread."""
Work: TypeAlias = Callable[[], Any]
"""A function with its arguments."""


async def call_tool(
    bound: Bound,
    arguments: Mapping[str, Any],
    positional: tuple[Any, ...] = (),
    *,
    timeout: float | None = None,
    encode: Encoder | None = None,
) -> Any:
    """
    Call the function of a tool and return a copy of what it gives, which is a JSON value.

    An async function runs as a task of its own in this event loop, a sync one on a daemon thread of its own;
    if that gives something to await, it is awaited there. `Bound.isolation` puts either elsewhere.

    Args:
        bound: the function.
        arguments: its arguments by name; it gets a copy.
        positional: what it takes by position, before those.
        timeout: seconds that it may take, or None for as long as it takes; its own limit comes first.
        encode: turns what is no JSON value into one, where the function has nothing of its own for that.

    Raises:
        ToolFailedError: it raised, whatever it was.
        BadOutputError: it ran and gave what is no JSON value.
        ToolTimeoutError: it took longer. What is awaited is cancelled, and abandoned if it goes on; a thread
            is abandoned; a process is killed.
        CancelledError, KeyboardInterrupt: from outside; the call is stopped in the same way.
    """
    limit = bound.timeout if bound.timeout is not None else timeout
    call = bound.bound(_copy(dict(arguments)), tuple(map(_copy, positional)))
    encode = bound.encode or encode
    answer: Answer
    is_waited_for = _IS_WAITED_FOR.get()
    if bound.is_async and bound.isolation == "none" and not is_waited_for:
        answer = task = asyncio.ensure_future(_watched(call, encode, bound.name))
        end = functools.partial(stopped, {task})
    else:
        if bound.isolation == "process":
            process = _InProcess(call, encode)
            work = _OnThread(process, encode, process.kill)
        else:
            work = _OnThread(call, encode)
        answer = work.answer if is_waited_for else asyncio.wrap_future(work.answer)
        end = functools.partial(work.stopped, answer)
    try:
        has_come = await _has_come(answer, limit)
    except (asyncio.CancelledError, KeyboardInterrupt):
        await end()
        raise
    if not has_come:
        await end()
        what = f"it took longer than {limit or 0:g} seconds."
        raise errors.ToolTimeoutError(what, tool=bound.name)
    # one that cancels itself as its last act gives no outcome
    value, error = (None, asyncio.CancelledError()) if answer.cancelled() else answer.result()
    if isinstance(error, UnusableError):
        hint = "Do not call it again for that."
        raise errors.BadOutputError(f"it ran, but {error}", tool=bound.name, hint=hint)
    if isinstance(error, _NothingError):
        raise ToolFailedError(str(error), tool=bound.name)
    if isinstance(error, ToolError):
        raise ToolFailedError(shown(error, MAX_ERRORS), tool=bound.name) from error
    if error is not None:
        what = shown(": ".join(filter(None, type_and_text(error))), 2 * errors.LONGEST)
        raise ToolFailedError(what, tool=bound.name) from error
    return value


def _copy(value: Any) -> Any:
    """Return a copy of JSON, so that a tool cannot change ours; other objects are passed as they are."""
    return with_leaves(value, lambda each: each)


async def _has_come(answer: Answer, timeout: float | None) -> bool:
    """Wait for an answer: in the event loop, or in this thread where none is needed."""
    if isinstance(answer, Future):
        return bool(futures.wait([answer], timeout).done)
    return bool((await asyncio.wait([answer], timeout=timeout))[0])


async def _outcome_of(call: Work, encode: Encoder | None) -> Outcome:
    """Call a function and await what it gives; only Ctrl-C comes out."""
    try:
        value = call()
        return json_of(await value if inspect.isawaitable(value) else value, encode), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error


# -- event loops ---------------------------------------------------------------

HELD = 1.0
"""Seconds for which a tool may hold the event loop at a stretch before it is reported."""


@types.coroutine
def _watched(call: Work, encode: Encoder | None, name: str) -> Generator[Any, Any, Outcome]:
    """Call an async function in this event loop, and log a warning where it blocks the loop."""
    work = _outcome_of(call, encode)
    step, given, longest = work.send, None, 0.0
    try:
        while True:
            began = time.monotonic()
            try:
                wanted = step(given)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome
            finally:
                longest = max(longest, time.monotonic() - began)
            try:
                step, given = work.send, (yield wanted)
            except BaseException as error:
                step, given = work.throw, error
    finally:
        if longest > HELD:
            what = '"%s" blocked the event loop for %.1f s: no other call ran, and no time limit was heard.'
            hint = 'Bind it with bind(function, isolation="thread").'
            LOG.warning(f"{what} {hint}", shown(name), longest)


_IS_WAITED_FOR = contextvars.ContextVar("_IS_WAITED_FOR", default=False)
"""Whether calls of tools hold up this thread, and no event loop runs them."""
_LEFT: set[asyncio.Future[Any]] = set()


async def stopped(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, wait a moment for them, leave alone what goes on; also when cancelled meanwhile."""
    left = {task for task in tasks if not task.done()}
    for task in left:
        task.cancel()
    try:
        if left:
            await asyncio.wait(left, timeout=GRACE)
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


def run_to_end(work: Coroutine[Any, Any, T], *, anywhere: bool = True) -> T:
    """
    Run a coroutine in an event loop of its own; Ctrl-C cancels it and is raised as KeyboardInterrupt.

    Where a loop runs in this thread it is held up, and the new one runs on another thread. A task that a tool
    left behind and that does not end when it is cancelled is left alone; `asyncio.run` would wait for it.

    Raises:
        InputError: an event loop runs in this thread, and it may not run `anywhere`.
    """
    is_in_loop = False
    with contextlib.suppress(RuntimeError):
        is_in_loop = bool(asyncio.get_running_loop())
    if is_in_loop and not anywhere:
        work.close()
        what = "run was called inside of a running event loop."
        raise InputError(what, hint="Write `await run_async(...)`.")
    if is_in_loop:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(contextvars.copy_context().run, lambda: run_to_end(work)).result()
    found: list[T] = []  # the signal module prints the result of a task whole, however large

    async def kept() -> None:
        _IS_WAITED_FOR.set(False)
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


def run_waiting(work: Coroutine[Any, Any, T]) -> T:
    """
    Run a coroutine that awaits nothing but `call_tool`; it needs no event loop, and holds up one that runs.

    Async functions of tools run on threads, so that one that blocks is abandoned when it is late.
    """
    context = contextvars.copy_context()
    context.run(_IS_WAITED_FOR.set, True)
    try:
        context.run(work.send, None)
    except StopIteration as end:
        found: T = end.value
        return found
    raise AssertionError("it awaits something else")


def sync_twin(
    function: Callable[P, Coroutine[Any, Any, T]],
    run: Callable[[Coroutine[Any, Any, T]], T] = run_waiting,
) -> Callable[P, T]:
    """Return the sync twin of `name_async`, called `name`."""

    @functools.wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        return run(function(*args, **kwargs))

    twin.__name__ = function.__name__.removesuffix("_async")
    return twin


# -- threads -------------------------------------------------------------------


class _OnThread:
    """
    A call that runs on a daemon thread of its own, in the context of whoever starts it.

    Args:
        call: the function, which takes nothing. What it gives to await is awaited on that thread.
        encode: turns what it gives into JSON.
        kill: ends what it waits for, where it runs elsewhere.
    """

    def __init__(self, call: Work, encode: Encoder | None, kill: Work | None = None) -> None:
        self.answer: Future[Outcome] = Future()
        self.answer.set_running_or_notify_cancel()
        self._encode, self._kill = encode, kill
        self._lock = threading.Lock()
        self._task: asyncio.Task[Any] | None = None
        self._is_stopped = False
        work = functools.partial(contextvars.copy_context().run, self._work, call)
        try:
            threading.Thread(target=work, name="refract-asp tool", daemon=True).start()
        except RuntimeError as error:  # there are too many
            self.answer.set_result((None, error))

    def _work(self, call: Work) -> None:
        _IS_WAITED_FOR.set(False)

        async def awaited() -> None:
            with self._lock:
                self._task = task = asyncio.current_task()
                if self._is_stopped and task is not None:
                    task.cancel()
            self.answer.set_result(await _outcome_of(lambda: value, self._encode))

        try:
            value = call()
            if self._is_stopped and inspect.iscoroutine(value):
                value.close()  # nobody waits for it any more
            elif inspect.isawaitable(value):
                run_to_end(awaited())
            else:
                self.answer.set_result((json_of(value, self._encode), None))
        # also of a task that the tool started, which stops its loop so
        except BaseException as error:
            if not self.answer.done():
                self.answer.set_result((None, error))

    async def stopped(self, answer: Answer) -> None:
        """Cancel what is awaited, and wait a moment for it; a function that is not async goes on."""
        with self._lock:
            self._is_stopped = True
        if self._kill is not None:
            self._kill()
        try:
            if self._task is not None:
                with contextlib.suppress(RuntimeError):  # its loop is closed, as it is done
                    self._task.get_loop().call_soon_threadsafe(self._task.cancel)
                await _has_come(answer, GRACE)
        finally:
            answer.cancel()


# -- processes -----------------------------------------------------------------

MAX_BYTES = 256 * 1024 * 1024
"""So much may come back from a process."""
LEAVING = 1.0
"""Seconds that a process which gave its result has to end."""
_STARTING = threading.Lock()


class _NothingError(Exception):
    """A process gave nothing."""


class _InProcess:
    """Calls a function in a process of its own."""

    def __init__(self, call: Work, encode: Encoder | None) -> None:
        self._call, self._encode = call, encode
        self._process: Any = None
        self._is_killed = False

    def kill(self) -> None:
        """End the process, and those that it started, if it is still there."""
        self._is_killed = True
        with contextlib.suppress(Exception):
            if self._process.is_alive():
                with contextlib.suppress(Exception):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.kill()

    def __call__(self) -> Any:
        """Return what the function gives, or raise what says why it gave nothing."""
        context, raw = process_context(__name__), b""
        receiver, sender = context.Pipe(duplex=False)
        with receiver:
            with sender, _STARTING:
                given = (sender, self._call, self._encode)
                process = context.Process(target=_child, args=given, daemon=True)
                process.start()
            self._process = process
            with contextlib.suppress(EOFError, OSError):
                if not self._is_killed:
                    multiprocessing.connection.wait([receiver, process.sentinel])
                    raw = receiver.recv_bytes(MAX_BYTES) if receiver.poll() else b""
            process.join(0 if self._is_killed else LEAVING)
            self.kill()
            process.join()
        if not raw:
            why = f"its process gave no result and ended with exit code {process.exitcode}."
            raise _NothingError(why)
        said = json.loads(raw)
        if "value" in said:
            return said["value"]
        error: Exception = UnusableError(said["text"])
        if said["kind"] != UnusableError.__name__:
            base = ToolError if said["is_told"] else Exception
            error = type(said["kind"], (base,), {})(said["text"])
            error.add_note(f"In the process of the tool:\n{said['trace']}")
        raise error


def _child(sender: Any, call: Work, encode: Encoder | None) -> None:
    """Call the function in its process and send what became of it."""
    with contextlib.suppress(Exception):
        os.setsid()  # so that what it starts is ended with it
    become_child()
    try:
        value = call()
        if inspect.isawaitable(value):
            value, error = run_to_end(_outcome_of(lambda: value, encode))
            if error is not None:
                raise error
        said = {"value": json_of(value, encode)}
    except BaseException as error:
        kind, text = type_and_text(error)
        try:
            trace = "".join(traceback.format_exception(error))
        except BaseException:
            trace = f"{kind}, whose traceback cannot be told"
        is_told = isinstance(error, ToolError)
        said = {"kind": kind, "text": text, "trace": trace, "is_told": is_told}
    with contextlib.suppress(OSError):  # nobody listens any more
        sender.send_bytes(json.dumps(said).encode())
