"""
Has several processes work on chunks of items, and gives what they make of them in order.

A process that dies, or is ended because it does not come back, costs the item that it died of and nothing
else: the chunks that were under way are done again, item by item.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from refract_asp.errors import InputError, shown

AHEAD = 2
"""So many chunks wait for each process."""
END = 2.0
"""So many seconds after its time a process is ended that has not come back."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def check_travels(what: Any, name: str, hint: str) -> bytes:
    """
    Refuse what cannot go to another process; return how it goes there.

    Raises:
        InputError: it cannot.
    """
    try:
        return pickle.dumps(what)
    except Exception as error:
        what = f"{name} cannot go to another process: {shown(error)}."
        raise InputError(what, hint=hint) from None


def in_order(
    begin: Callable[[], Callable[[Item], Result]],
    chunks: Iterator[list[Item]],
    workers: int,
    lost: Callable[[Item, str], Result],
    time_limit: float | None = None,
) -> Generator[Result]:
    """
    Yield what processes make of the items of chunks, in their order.

    Only as many chunks are taken as the processes are busy with, so that memory is bounded. The processes
    end with the generator, and with the process that reads it, however that ends.

    Args:
        begin: is called in each process before its first chunk; what it returns makes a result of an item.
        chunks: what is worked on.
        workers: how many processes.
        lost: gets an item of which a process died, and the reason; returns its result.
        time_limit: after what time `in_time` ends a process.
    """
    taken: deque[list[Item]] = deque()
    waiting: deque[Future[list[Result]]] = deque()
    pool = _pool(workers, begin)
    try:
        while True:
            try:
                while len(waiting) < workers * AHEAD and (chunk := next(chunks, None)) is not None:
                    taken.append(chunk)
                    waiting.append(pool.submit(_work, chunk))
                if not waiting:
                    return
                found = waiting[0].result()
            except BrokenProcessPool:
                found = None
            if found is not None:
                taken.popleft()
                waiting.popleft()
                yield from found
                continue
            # a process died: what was under way is done again, to find what it died of
            broken = [item for chunk in taken for item in chunk]
            taken.clear()
            waiting.clear()
            _end(pool)
            alone: Alone[list[Result]] = Alone(begin, time_limit)
            try:
                for item in broken:
                    made = alone.result(_work, [item])
                    yield lost(item, made) if isinstance(made, str) else made[0]
            finally:
                alone.end()
            pool = _pool(workers, begin)
    finally:
        _end(pool)


class Alone(Generic[Result]):
    """A process that works on one thing at a time, and is replaced when it dies."""

    def __init__(self, begin: Callable[[], object], time_limit: float | None) -> None:
        """
        Start it: `begin` is called in it; `time_limit` is after what time `in_time` ends it.

        Raises:
            InputError: it ends before it has begun.
        """
        self._begin = begin
        self._time_limit = time_limit
        self._pool = _begun(begin)

    def result(self, work: Callable[..., Result], *arguments: Any) -> Result | str:
        """Return what comes of the work, or why nothing does."""
        processes: list[Any] = []
        try:
            future = self._pool.submit(work, *arguments)
            processes = list((self._pool._processes or {}).values())
            return future.result()
        except BrokenProcessPool:
            # the pool reads how the process ended, which only one can
            self._pool.shutdown()
            # that is how `in_time` ends one
            ended = any(process.exitcode == 1 for process in processes)
            self._pool = _begun(self._begin)
            if ended and self._time_limit is not None:
                limit = f"{self._time_limit:g} s"
                return f"no answer in {limit}. It did not come back, and its process was ended."
            return "the process died, most likely for want of memory."

    def end(self) -> None:
        """End the process."""
        _end(self._pool)


@cache
def process_context(*preload: str) -> Any:
    """Return how processes are started: by a server that has modules in memory, where there is one."""
    has_server = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if has_server else "spawn")
    if has_server and preload:
        context.set_forkserver_preload(list(preload))
    return context


def _pool(workers: int, begin: Callable[[], object]) -> ProcessPoolExecutor:
    start = partial(become_child, begin)
    return ProcessPoolExecutor(workers, mp_context=process_context(), initializer=start)


def _begun(begin: Callable[[], object]) -> ProcessPoolExecutor:
    """Start one process, and check that it begins; otherwise each item would be blamed for its end."""
    pool = _pool(1, begin)
    try:
        pool.submit(os.getpid).result()
    except BaseException as error:
        _end(pool)
        if not isinstance(error, BrokenProcessPool):
            raise
        what = "the processes that should do the work end before they begin."
        hint = 'A script has to begin them below `if __name__ == "__main__":`. Or the memory is too small.'
        raise InputError(what, hint=hint) from None
    return pool


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool at once: nobody waits for what they do."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


# -- Ctrl-C --------------------------------------------------------------------


@contextmanager
def unheard_interrupts() -> Iterator[Callable[[], None]]:
    """
    Give what raises KeyboardInterrupt if Ctrl-C was pressed and the exception did not come through.

    Python drops the exception where it comes up inside a destructor or a callback of a library; clingo may
    make another error of it.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    handler: Callable[[int, Any], Any] = before
    pressed = False

    def press(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed = True
        handler(number, frame)

    def hear() -> None:
        if pressed:
            raise KeyboardInterrupt

    print_lost = sys.unraisablehook

    def report(lost: Any) -> None:
        # `hear` raises it once more, so that nobody has to read where it was dropped
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            print_lost(lost)

    signal.signal(signal.SIGINT, press)
    sys.unraisablehook = report
    try:
        yield hear
    finally:
        sys.unraisablehook = print_lost
        signal.signal(signal.SIGINT, before)


# -- in the process ------------------------------------------------------------


_ANSWER: Any = None


def become_child(begin: Callable[[], object] = lambda: None) -> None:
    """
    Leave Ctrl-C to whoever started this process, and end with it; so does a group that this one leads.

    What `begin` returns is what makes a result of an item.
    """
    global _ANSWER  # noqa: PLW0603 - what a process keeps between its chunks
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            multiprocessing.connection.wait([parent.sentinel])
        with suppress(Exception):
            if os.getpgid(0) == os.getpid():
                os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=end_with_parent, name="refract-asp parent", daemon=True).start()
    _ANSWER = begin()


def _work(chunk: list[Any]) -> list[Any]:
    return [_ANSWER(item) for item in chunk]


@contextmanager
def in_time(seconds: float | None) -> Iterator[None]:
    """End this process, whatever it does, when what is done here takes much longer than it may."""
    if seconds is None:
        yield
        return
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(seconds + END, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
