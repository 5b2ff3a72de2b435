"""
How work grows with its input, counted in lines of Python that run: the same on every machine.

A function written in C counts as one line, whatever it does. Where such a one may take too long, a test gives
it a text for which it would not end: pytest ends a test that goes on and on (`faulthandler_timeout`).
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python a piece of work runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """
    Assert that four times the size takes at most five times the lines.

    Work that grows with the square of the size takes sixteen times as many.
    """
    work(size)  # what is imported and compiled the first time does not count
    few = lines_run(lambda: work(size))
    many = lines_run(lambda: work(4 * size))
    assert many <= 5 * few, f"{few} lines for {size}, {many} lines for {4 * size}"
