"""A bar on standard error that shows how far a long run has come; silent in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["is_shown", "progress"]


def is_shown() -> bool:
    """Whether somebody sees a bar."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    """
    Show a bar with the number done, the rate and the time that remains; give what is called for each done.

    `total` is None where nobody knows it. Without a terminal nothing is shown, and nothing loaded.
    """
    if not is_shown():
        yield lambda: None
        return
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
