"""Tells Ctrl-C from a tool that raises KeyboardInterrupt."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["settled", "watched"]

_Handler = Callable[[int, Any], Any]


class _Watch:
    """Counts interrupts while somebody watches; all of it happens in the main thread."""

    def __init__(self) -> None:
        self.presses = 0
        self._watchers = 0
        self._round = 0  # those who began to watch before the handler was put in place anew are not counted
        self._before: _Handler | None = None

    def press(self, number: int, frame: Any) -> None:
        """Count an interrupt, and do what would have been done."""
        self.presses += 1
        if self._before is not None:
            self._before(number, frame)

    def begin(self) -> int:
        """Watch; return what `end` is told."""
        before = signal.getsignal(signal.SIGINT)
        if before != self.press and callable(before):
            self._before = before
            self._watchers = 0
            self._round += 1
            signal.signal(signal.SIGINT, self.press)
        self._watchers += 1
        return self._round

    def end(self, begun: int) -> None:
        """Watch no more; with the last one the handler that was there comes back."""
        if begun != self._round:
            return
        self._watchers -= 1
        if self._watchers == 0:
            self.restore(self._before)

    def restore(self, before: Any) -> None:
        """Put a handler back, unless somebody else put another one in the place of ours."""
        if before is not None and signal.getsignal(signal.SIGINT) == self.press:
            signal.signal(signal.SIGINT, before)
        self._before = None
        self._round += 1


_WATCH = _Watch()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def watched() -> Iterator[Callable[[], bool]]:
    """
    Give what tells whether Ctrl-C was pressed meanwhile; outside the main thread nobody hears it.

    Several may watch at once and end in any order: the handler that was there comes back with the last.
    """
    if not _is_main():
        yield lambda: False
        return
    begun = _WATCH.begin()
    start = _WATCH.presses
    try:
        yield lambda: _WATCH.presses > start
    finally:
        if _is_main():  # what is never finished may be closed by another thread
            _WATCH.end(begun)


@contextmanager
def settled() -> Iterator[None]:
    """
    Put the handler of Ctrl-C back that was there, once the event loop that runs inside is over.

    Somebody who watches may end after the loop looked for its own handler, or never; then ours would stay,
    or that of the loop, and what runs next would not hear Ctrl-C.
    """
    if not _is_main():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        now = signal.getsignal(signal.SIGINT)
        if now == _WATCH.press:
            _WATCH.restore(before)
        elif now != before and _is_of_a_loop(now) and callable(before):
            signal.signal(signal.SIGINT, before)


def _is_of_a_loop(handler: Any) -> bool:
    """Whether a handler is what `asyncio.Runner` puts in place while it runs."""
    runner = getattr(getattr(handler, "func", None), "__self__", None)
    return isinstance(runner, asyncio.Runner)
