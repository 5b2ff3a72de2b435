"""A bar on standard error that shows how far a long run has come; silent in a pipe."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["is_shown", "progress"]


def is_shown() -> bool:
    """Whether somebody sees a bar."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    """
    Show a bar with the number done, the rate and the time that remains; give what is called for each done.

    `total` is None where nobody knows it. Without a terminal nothing is shown, and nothing loaded. What is
    called for each done also raises KeyboardInterrupt where Ctrl-C was pressed and nobody heard it.
    """
    with _interrupts() as hear:
        if not is_shown():
            yield hear
            return
        with _bar(title, total) as advance:

            def done() -> None:
                advance()
                hear()

            yield done


@contextmanager
def _bar(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.1f}/s")

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    ]
    console = Console(stderr=True)
    with Progress(*columns, console=console, redirect_stdout=False, transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def _interrupts() -> Iterator[Callable[[], None]]:
    """
    Give what raises KeyboardInterrupt if Ctrl-C was pressed and the exception did not come through.

    Python drops it where it comes up inside a destructor or a callback of a library.
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
