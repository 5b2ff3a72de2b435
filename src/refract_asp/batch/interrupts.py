"""
Holds Ctrl-C back while an entry is answered.

Where it comes while clingo calls back, clingo makes an error of it or ends the process, and neither must
become the row of an entry: it is heard when the entry is done, which takes milliseconds.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["held_back"]


@contextmanager
def held_back() -> Iterator[None]:
    """
    Hear Ctrl-C at the end of what is done inside; who presses it again is heard at once.

    Only the main thread hears it at all; elsewhere, and where it is ignored, nothing is changed.

    Example:
        >>> done = []
        >>> try:
        ...     with held_back():
        ...         signal.raise_signal(signal.SIGINT)
        ...         done.append("the entry")
        ...     done.append("the next one")
        ... except KeyboardInterrupt:
        ...     done.append("interrupted")
        >>> done
        ['the entry', 'interrupted']
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed = False

    def press(number: int, frame: Any) -> None:
        nonlocal pressed
        if pressed:
            before(number, frame)
        pressed = True

    signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:  # whatever came of the entry, nobody gets it
            before(signal.SIGINT, None)
