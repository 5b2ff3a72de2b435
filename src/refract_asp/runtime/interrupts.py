"""Tells Ctrl-C from a tool that raises KeyboardInterrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["watched"]

_Handler = Callable[[int, Any], Any]


class _Watch:
    """Counts interrupts while somebody watches; all of it happens in the main thread."""

    def __init__(self) -> None:
        self.presses = 0
        self._watchers = 0
        self._before: _Handler | None = None

    def press(self, number: int, frame: Any) -> None:
        """Count an interrupt, and do what would have been done."""
        self.presses += 1
        if self._before is not None:
            self._before(number, frame)

    def begin(self) -> None:
        if self._watchers == 0:
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                signal.signal(signal.SIGINT, self.press)
        self._watchers += 1

    def end(self) -> None:
        self._watchers -= 1
        if self._watchers == 0 and self._before is not None:
            if signal.getsignal(signal.SIGINT) == self.press:  # nobody put another one in its place
                signal.signal(signal.SIGINT, self._before)
            self._before = None


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
    _WATCH.begin()
    start = _WATCH.presses
    try:
        yield lambda: _WATCH.presses > start
    finally:
        if _is_main():  # what is never finished may be closed by another thread
            _WATCH.end()
