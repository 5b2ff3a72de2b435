"""A run on a terminal: which calls are running, on standard error, and questions to whoever sits there."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from refract_asp.cli.output import complain
from refract_asp.errors import LONGEST_TEXT, InputError, shown

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from refract_asp.model.secrets import Secrets
    from refract_asp.runtime import Agreement, Event, Question

__all__ = ["Terminal", "read_answers"]

LINES = 12
"""So many running calls are shown; of more, how many there are."""


def read_answers(pairs: list[str] | None) -> dict[str, str]:
    """Read `NAME=JSON` pairs; what the text means is seen when it is asked for. The last one wins."""
    answers = {}
    for pair in pairs or ():
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise InputError("this is not NAME=JSON.", where=f"--answer {shown(pair)}")
        answers[name.strip()] = text
    return answers


class Terminal:
    """
    Shows a run, and asks; in a pipe it does neither.

    Args:
        total: how many calls there are.
        answers: what is answered already.
        agrees: whether everything is agreed to.
        secrets: hides what is secret in what is to be agreed to.
        may_ask: whether standard input is free for answers.
    """

    def __init__(
        self, total: int, answers: dict[str, str], agrees: bool, secrets: Secrets, may_ask: bool
    ) -> None:
        """Look whether somebody sits there."""
        self._total = total
        self._answers = answers
        self._agrees = agrees
        self._secrets = secrets
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._asks = self._is_shown and may_ask and sys.stdin is not None and sys.stdin.isatty()
        self._running: dict[int, tuple[str, float, bool]] = {}
        self._done = 0
        self._live: Live | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Show what runs meanwhile."""
        if not self._is_shown:
            yield
            return
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        self._live = Live(
            console=console, get_renderable=self._lines, transient=True, redirect_stdout=True,
            redirect_stderr=True, refresh_per_second=10,
        )  # fmt: skip
        with self._live:
            yield

    def hear(self, event: Event) -> None:
        """Note what happened to a call."""
        from refract_asp.runtime.summary import call_name

        if event.kind == "started":
            self._running[event.number] = (call_name(event.tool, event.label), time.monotonic(), False)
        elif event.kind == "retried":
            name, begun, _ = self._running[event.number]
            self._running[event.number] = (name, begun, True)
        else:
            self._running.pop(event.number, None)
            self._done += 1

    def ask(self, question: Question) -> Any:
        """Return a value: as it was answered before, else as it is typed, else None."""
        if question.name in self._answers:
            if question.problem:
                complain("warning", f"--answer {shown(question.name)}: {question.problem}")
                return None
            return _value(self._answers[question.name], question.schema)
        if not self._asks:
            return None
        about = f" ({shown(question.description, LONGEST_TEXT)})" if question.description else ""
        problem = f"{shown(question.problem, LONGEST_TEXT)}\n" if question.problem else ""
        for_what = f" for {shown(question.tool)}" if question.tool else ""
        text = self._typed(f"{problem}{shown(question.name)}{for_what}{about}: ")
        return _value(text, question.schema) if text else None

    def confirm(self, agreement: Agreement) -> bool:
        """Return whether something is agreed to: as it was said before, else as it is typed."""
        if self._agrees or not self._asks:
            return self._agrees
        hidden = {
            name: self._secrets.value([agreement.tool], [name], value)
            for name, value in agreement.arguments.items()
        }
        what = shown(replace(agreement, arguments=hidden), LONGEST_TEXT)
        why = f" ({shown(agreement.reason, LONGEST_TEXT)})" if agreement.reason else ""
        question = f"{shown(agreement.tool)}: {what}{why} Agreed? [y/N] "
        return self._typed(question).lower() in ("y", "yes")

    # -- steps -----------------------------------------------------------------

    def _typed(self, question: str) -> str:
        """Ask on standard error and return the line that is typed, the empty text where there is none."""
        if self._live is not None:
            self._live.stop()
        try:
            print(question, end="", file=sys.stderr, flush=True)
            return sys.stdin.readline().strip()
        finally:
            if self._live is not None:
                self._live.start()

    def _lines(self) -> RenderableType:
        from rich.text import Text

        from refract_asp.runtime.summary import duration

        now = time.monotonic()
        running = list(self._running.values())
        lines = [f"{self._done} of {self._total} calls done, {len(running)} running"]
        for name, begun, again in running[:LINES]:
            lines.append(f"  {name}  {duration(now - begun)}{', again' if again else ''}")
        if len(running) > LINES:
            lines.append(f"  and {len(running) - LINES} more")
        return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


def _value(text: str, schema: Any) -> Any:
    """Read a value as JSON; a text where it is none, or where a text is wanted and no quoted one is given."""
    wants_text = isinstance(schema, dict) and schema.get("type") == "string"
    if wants_text and not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
