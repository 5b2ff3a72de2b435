"""Work that is waited for until a deadline: then, or at Ctrl-C, nobody waits on, whatever it is busy with."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread, current_thread
from typing import Any, TypeVar

from refract_asp.errors import LimitError

Found = TypeVar("Found")

# Seconds that are waited at a time, so that an interrupt is heard.
SLICE = 0.1


def unread() -> None:
    """
    Refuse what was not read in time.

    Raises:
        LimitError: always.
    """
    what = "the time ran out before the calls and what is known were read."
    raise LimitError(what, hint="Give a longer time limit, or less at once.")


class Deadline:
    """
    A moment until which an answer is wanted; without a limit it never comes.

    Attributes:
        seconds: how long that is, or None.
        kept: how much of it is kept for what has to follow a search.
        best: returns what is known so far, or refuses what was not even read.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the clock; `seconds` is None for no limit."""
        self.seconds = seconds
        self.kept = 0.0
        self.best: Callable[[], Any] = unread
        self._clock = clock
        self._end = None if seconds is None else clock() + max(0.0, seconds)

    @property
    def whole(self) -> float | None:
        """Seconds until the end, at least 0, or None without a limit."""
        return None if self._end is None else max(0.0, self._end - self._clock())

    @property
    def left(self) -> float | None:
        """Those of them that may be spent on a search: the rest is kept for what has to follow it."""
        whole = self.whole
        return None if whole is None else max(0.0, whole - self.kept)

    def keep(self, times: float) -> None:
        """Keep so many times as long as it took until now, and at most half of what is left."""
        whole = self.whole
        if self.seconds is not None and whole is not None:
            self.kept = min(whole / 2, times * (self.seconds - whole))

    @property
    def is_over(self) -> bool:
        """Whether the time for a search is up, or its result is no longer wanted."""
        return self.left == 0.0 or not is_wanted()


class Worker(Thread):
    """A thread that does work as long as the result is wanted."""

    is_wanted = True


def is_wanted() -> bool:
    """Whether the result of this thread is still wanted."""
    return getattr(current_thread(), "is_wanted", True)


def go_on() -> None:
    """End this thread where its result is no longer wanted."""
    if not is_wanted():
        raise SystemExit


def in_time(deadline: Deadline, work: Callable[[], Found]) -> Found:
    """
    Return what work comes to, or the best that is known when the time is over.

    The work is done on another thread: clingo cannot be ended while it grounds, and holds no lock of Python
    meanwhile. What nobody waits for ends at its next `go_on`.
    """
    outcome: Future[Found] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    worker = Worker(target=copy_context().run, args=(run,), name="refract-asp")
    try:
        worker.start()
        while worker.is_alive():
            left = deadline.whole
            if left == 0.0:
                return deadline.best()  # type: ignore[no-any-return]
            worker.join(SLICE if left is None else min(SLICE, left))
    finally:
        worker.is_wanted = False
    return outcome.result()
