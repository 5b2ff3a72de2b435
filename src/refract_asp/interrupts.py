"""Hears Ctrl-C where the exception that it raises is lost on its way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["unheard_interrupts"]


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

    signal.signal(signal.SIGINT, press)
    try:
        yield hear
    finally:
        signal.signal(signal.SIGINT, before)
