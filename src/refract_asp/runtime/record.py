"""What became of the steps of a run: kept by number, and written to the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from refract_asp.errors import ToolError, shown
from refract_asp.runtime.failures import Failure, Repeats, new_id
from refract_asp.runtime.logs import CallLog
from refract_asp.runtime.outcomes import CallOutcome, Status
from refract_asp.runtime.steps import Arguments, Script, Step

__all__ = ["Record"]

_BECAME = {"failed": "failed", "open": "is open", "skipped": "was skipped"}


class Record:
    """
    What became of the steps of a script.

    Args:
        script: the steps.
        log: gets every call, and every attempt that failed.
        now: gives the seconds since the run began.

    Attributes:
        outcomes: what became of each step that is over, by number.
        values: what those gave that succeeded.
    """

    def __init__(self, script: Script, log: CallLog, now: Callable[[], float]) -> None:
        """Begin with none."""
        self.outcomes: dict[int, CallOutcome] = {}
        self.values: dict[int, Any] = {}
        self._steps = script.steps
        self._log = log
        self._now = now
        self._repeats = Repeats()
        self._given: dict[int, Arguments] = {}

    def given(self, step: Step, arguments: Arguments) -> None:
        """Note with which arguments a step is made."""
        self._given[step.number] = arguments

    def outcome(self, step: Step, status: Status, *, begun: float | None = None, **more: Any) -> CallOutcome:
        """Return an outcome of a step, which is not kept yet."""
        seconds = None if begun is None else self._now() - begun
        return CallOutcome(step.number, step.tool, step.label, step.id, status, seconds=seconds, **more)

    def keep(self, step: Step, outcome: CallOutcome) -> None:
        """Keep what became of a step and write it to the log; a failure gets its id."""
        said = self._said(step)
        self._given.pop(step.number, None)
        seconds = outcome.seconds or 0.0
        if outcome.error is not None:
            times = self._repeats.count(step.tool, said)
            failure = _failure(step, outcome.error, said, times, seconds)
            self._log.failed(failure)
            outcome = replace(outcome, failure=failure)
        elif outcome.status == "succeeded":
            self._log.succeeded("run", step.tool, step.id, said, outcome.value, seconds)
            self.values[step.number] = outcome.value
        self.outcomes[step.number] = outcome

    def retried(self, step: Step, error: ToolError, attempts: int, begun: float) -> None:
        """Write to the log that an attempt failed, after which another one is made."""
        failure = _failure(step, error, self._said(step), attempts, self._now() - begun)
        self._log.failed(failure, logging.WARNING)

    def why(self, absent: int) -> str:
        """Say why a step is skipped that needs the value of another one."""
        name = f"call {absent + 1} ({shown(self._steps[absent].tool)})"
        return f"{name}, which it reads, {_BECAME[self.outcomes[absent].status]}."

    def _said(self, step: Step) -> dict[str, Any]:
        given = self._given.get(step.number, Arguments({}))
        return {**given.named, **{f"*{n}": value for n, value in enumerate(given.positional, 1)}}


def _failure(step: Step, error: ToolError, said: dict[str, Any], times: int, seconds: float) -> Failure:
    return Failure(
        id=new_id(),
        error=error,
        tool=step.tool,
        arguments=said,
        call_id=step.id,
        times=times,
        seconds=seconds,
        entry="run",
    )
