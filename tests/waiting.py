"""
How tests wait: for what threads and processes do, and for timers that pass in no time.

No test asserts how long something took, as a busy machine is no fault of what is tested. This is the only
module of the tests that reads a clock.
"""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

PATIENCE = 300.0
"""Seconds after which a test gives up: what it waits for will not come."""

Found = TypeVar("Found")


def until(seen: Callable[[], Found], what: str) -> Found:
    """Wait until something is there and return it; `what` names it where it does not come."""
    end = time.monotonic() + PATIENCE
    while not (found := seen()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come")
        time.sleep(0.01)
    return found


def interrupt_once(begun: Callable[[], object]) -> threading.Thread:
    """Press Ctrl-C as soon as something has begun."""

    def press() -> None:
        until(begun, "what is interrupted")
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    return thread


def is_running(process: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # ended, and nobody has asked how


class _TimelessLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock moves only when nothing is left to do, and then to the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        select = self._selector.select

        def moved(timeout: float | None) -> Any:
            if timeout is None:  # there is no timer
                return select(None)
            self._now += timeout
            return select(0)

        self._selector.select = moved

    def time(self) -> float:
        return self._now


def run_timeless(work: Coroutine[Any, Any, Found]) -> Found:
    """Run what is async and uses no threads: its timers end in their order, and nobody waits for them."""
    with asyncio.Runner(loop_factory=_TimelessLoop) as runner:
        return runner.run(work)
