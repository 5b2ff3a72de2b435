"""
Runs steps as soon as they can be: a call starts the moment its inputs are there.

There are no stages to wait for. One event loop holds everything: what is called back by others, the tools,
`ask` and `confirm`, goes through `call_tool`, so that nothing that they do stops the run.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Any

from refract_asp.errors import (
    BadArgumentError,
    RefractError,
    ToolError,
    ToolFailedError,
    ToolTimeoutError,
    shown,
)
from refract_asp.runtime.arguments import Taken, fitted, taken_by
from refract_asp.runtime.calling import call_tool
from refract_asp.runtime.events import Events
from refract_asp.runtime.failures import Failure, Repeats, new_id
from refract_asp.runtime.logs import CallLog
from refract_asp.runtime.loops import stopped
from refract_asp.runtime.outcomes import CallOutcome, EventKind, Status
from refract_asp.runtime.people import People
from refract_asp.runtime.steps import Arguments, Script, Step
from refract_asp.runtime.tools import Bound, Tools

__all__ = ["Check", "Execution", "Limits", "Record", "Tasks"]

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

    def outcome(
        self, step: Step, status: Status, *, begun: float | None = None, **more: Any
    ) -> CallOutcome:
        """Return an outcome of a step, which is not kept yet."""
        seconds = None if begun is None else self._now() - begun
        return CallOutcome(
            step.number, step.tool, step.label, step.id, status, seconds=seconds, **more
        )

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


def _failure(
    step: Step, error: ToolError, said: dict[str, Any], times: int, seconds: float
) -> Failure:
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


LAST_WORDS = 1.0
"""Seconds in which what is cancelled has to end."""


class Tasks:
    """Everything that runs beside each other in one run; made inside its event loop."""

    def __init__(self) -> None:
        """Begin with nothing that runs."""
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside all else."""
        task = self._loop.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def finish(self) -> None:
        """Say that there is nothing more to wait for."""
        if not self._done.done():
            self._done.set_result(None)

    async def wait(self, timeout: float | None) -> None:
        """
        Wait until there is nothing more to wait for, or the time is over.

        What a task raised is raised here; a task that was cancelled, which only a tool does, cancels the run.
        """
        await asyncio.wait({self._done}, timeout=timeout)
        if self._done.done():
            self._done.result()

    async def end(self) -> None:
        """Cancel what still runs, give it a moment, and leave the rest to itself."""
        if self._done.done() and not self._done.cancelled():
            self._done.exception()  # told now, or Python warns of it when Ctrl-C came first
        await stopped(self._running, LAST_WORDS)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if self._done.done():
            return
        if (
            task.cancelled()
        ):  # by a tool, unless the run ends: nothing would ever be over that waits for it
            self._done.cancel()
        elif (error := task.exception()) is not None:
            self._done.set_exception(error)


Check = Callable[[str, Mapping[str, Any]], None]
"""Raises a `ToolError` where the arguments of a tool, both given, do not fit."""

LONGEST_PAUSE = 5.0
"""Seconds before a call is made again, at most."""


@dataclass(frozen=True, slots=True)
class Limits:
    """
    The bounds of a run.

    Attributes:
        calls: how many calls run at the same time.
        timeout: seconds for each attempt of a call, or None.
        total_timeout: seconds for all of it, or None.
        retries: how often a call that may be made again is made again.
        pause: seconds before the first time; each further time is twice as long.
    """

    calls: int
    timeout: float | None
    total_timeout: float | None
    retries: int
    pause: float


class Execution:
    """
    One run of the steps of a script.

    Args:
        script: the steps.
        tools: the functions.
        check: looks at arguments before a call is made.
        limits: the bounds.
        people: who answers what is asked.
        events: who is told what happens.
        log: gets every call.
    """

    def __init__(
        self,
        script: Script,
        tools: Tools,
        check: Check,
        limits: Limits,
        people: People,
        events: Events,
        log: CallLog,
    ) -> None:
        """Count for each step what it waits for."""
        self.script = script
        self.record = Record(script, log, events.now)
        self.outcomes = self.record.outcomes
        self.values = self.record.values
        self.timed_out = False
        self._find = tools.find
        self._check = check
        self._limits = limits
        self._people = people
        self._events = events
        self.unanswered = ""
        self._awaited = len(script.steps)
        self._heard = 0
        self._taken: dict[str, Taken] = {}
        self._waits = [len({*step.needs, *step.after}) for step in script.steps]
        self._next: list[list[int]] = [[] for _ in script.steps]
        for step in script.steps:
            for before in {*step.needs, *step.after}:
                self._next[before].append(step.number)
        self._ready: list[int] = []
        self._made: dict[int, Arguments] = {}
        self._running: dict[int, tuple[float, int]] = {}

    async def go(self) -> None:
        """
        Make every call that can be made.

        What is raised from outside, as a cancellation, ends all that runs and is raised again.
        """
        self._tasks = Tasks()
        self._events.begin()
        try:
            if self._people.begin(self.script.questions):
                self._tasks.begin(self._people.ask_all())
            for step in [step for step in self.script.steps if not self._waits[step.number]]:
                blocked = self._blocked(step)
                if blocked is None:
                    self._release(step)
                else:
                    self._over(step, blocked)
            if self.script.result_asks:
                self._awaited += 1
                self._tasks.begin(self._hear())
            self._pump()
            self._finish()
            await self._tasks.wait(self._limits.total_timeout)
            self._stop()
        finally:
            await self._tasks.end()
        await self._events.end()

    # -- steps -----------------------------------------------------------------

    def _release(self, step: Step) -> None:
        """Begin with a step all of whose needs are over, and which may be made."""
        if step.asks or step.confirms:
            self._tasks.begin(self._settle(step))
        else:
            heappush(self._ready, step.number)

    def _blocked(self, step: Step) -> CallOutcome | None:
        """Return what becomes of a step that cannot be made, whatever is answered; else None."""
        if step.refused is not None:
            return self.record.outcome(step, "failed", error=step.refused)
        absent = next((each for each in step.needs if each not in self.values), None)
        return (
            None
            if absent is None
            else self.record.outcome(step, "skipped", reason=self.record.why(absent))
        )

    def _pump(self) -> None:
        """Start what is ready, the first steps first, as far as the limit allows."""
        while self._ready and len(self._running) < self._limits.calls:
            self._start(self.script.steps[heappop(self._ready)])

    def _start(self, step: Step) -> None:
        try:
            bound = self._find(step.tool)
            arguments = self._made.pop(step.number, None) or self._arguments(step)
        except ToolError as error:
            self._over(step, self.record.outcome(step, "failed", error=error))
            return
        self._running[step.number] = (self._events.now(), 0)
        self._tell("started", step)
        self._tasks.begin(self._call(step, bound, arguments))

    def _arguments(self, step: Step) -> Arguments:
        """Return the arguments of a step, or raise what is wrong with them."""
        try:
            arguments = self.script.arguments(step.number, self.values, self._people.answers)
            self.record.given(step, arguments)
            self._check(step.tool, arguments.named)
        except ToolError as error:
            if error.tool:
                raise
            raise type(error)(
                error.what, tool=step.tool, where=error.where, hint=error.hint
            ) from error
        except RefractError as error:
            raise BadArgumentError(
                error.what, tool=step.tool, where=error.where, hint=error.hint
            ) from error
        except Exception as error:  # a function inside a plan may raise anything
            what = shown(f"{type(error).__name__}: {error}")
            raise ToolFailedError(what, tool=step.tool) from error
        return arguments

    async def _call(self, step: Step, bound: Bound, arguments: Arguments) -> None:
        """Make a call, again where that is allowed, and note what became of it."""
        begun = self._events.now()
        attempts = 0
        while True:
            attempts += 1
            self._running[step.number] = (begun, attempts)
            try:
                if attempts > 1:  # the tool may have changed those that it had
                    arguments = self._arguments(step)
                fitting = fitted(bound, *arguments, self._takes(bound))
                value = await call_tool(bound, *fitting, timeout=self._limits.timeout)
            except RefractError as problem:
                error = problem if isinstance(problem, ToolError) else _unusable(problem, step)
                again = bound.idempotent and isinstance(error, ToolFailedError | ToolTimeoutError)
                if not again or attempts > self._limits.retries:
                    made = self.record.outcome(
                        step, "failed", error=error, attempts=attempts, begun=begun
                    )
                    break
                self.record.retried(step, error, attempts, begun)
                self._tell("retried", step, error)
                await asyncio.sleep(min(self._limits.pause * 2 ** (attempts - 1), LONGEST_PAUSE))
            else:
                made = self.record.outcome(
                    step, "succeeded", value=value, attempts=attempts, begun=begun
                )
                break
        del self._running[step.number]
        self._over(step, made)
        self._pump()

    def _takes(self, bound: Bound) -> Taken:
        found = self._taken.get(bound.name)
        if found is None:
            found = self._taken[bound.name] = taken_by(bound)
        return found

    async def _settle(self, step: Step) -> None:
        """Wait for the answers that a step needs, then have it agreed to."""
        reason = await self._people.unanswered(step.asks)
        if not reason and step.confirms:
            try:
                self._made[step.number] = arguments = self._arguments(step)
            except ToolError as error:
                self._over(step, self.record.outcome(step, "failed", error=error))
                self._pump()
                return
            reasons = [self.script.reason(step.number, confirm) for confirm in step.confirms]
            reason = await self._people.disagreed(step, arguments, reasons)
        if reason:
            self._over(step, self.record.outcome(step, "open", reason=reason))
        else:
            heappush(self._ready, step.number)
        self._pump()

    # -- what becomes of them --------------------------------------------------

    def _over(self, step: Step, outcome: CallOutcome) -> None:
        """Note what became of a step, and begin with those that waited for it alone."""
        left = deque([(step, outcome)])
        while left:  # a loop, as a chain may be long
            step, outcome = left.popleft()
            self.record.keep(step, outcome)
            self._tell(
                "finished" if outcome.status == "succeeded" else outcome.status, step, outcome.error
            )
            for number in self._next[step.number]:
                self._waits[number] -= 1
                if not self._waits[number]:
                    following = self.script.steps[number]
                    blocked = self._blocked(following)
                    if blocked is None:
                        self._release(following)
                    else:
                        left.append((following, blocked))
        self._finish()

    def _finish(self) -> None:
        """End the run where there is nothing to wait for."""
        if len(self.outcomes) + self._heard == self._awaited:
            self._tasks.finish()

    async def _hear(self) -> None:
        """Wait for the answers that stand in the result."""
        self.unanswered = await self._people.unanswered(self.script.result_asks)
        self._heard = 1
        self._finish()

    def _tell(self, kind: EventKind, step: Step, error: ToolError | None = None) -> None:
        self._events.tell(kind, step, error)

    def _stop(self) -> None:
        """Give what is not over an outcome, as the time is over."""
        limit = self._limits.total_timeout
        if self._heard == 0 and self.script.result_asks:
            self.timed_out = True
            self.unanswered = "the answers came too late."
        for step in self.script.steps:
            if step.number in self.outcomes:
                continue
            self.timed_out = True
            if step.number in self._running:
                begun, attempts = self._running.pop(step.number)
                what = f"it was not done when the {limit:g} seconds of the run were over."
                late = ToolTimeoutError(what, tool=step.tool)
                outcome = self.record.outcome(
                    step, "failed", error=late, begun=begun, attempts=attempts
                )
            else:
                reason = f"the time of the run, {limit:g} seconds, was over."
                outcome = self.record.outcome(step, "skipped", reason=reason)
            self.record.keep(step, outcome)
            self._tell("failed" if outcome.error is not None else "skipped", step, outcome.error)


def _unusable(problem: RefractError, step: Step) -> ToolFailedError:
    """Return the error for a function that cannot be called as it is bound."""
    return ToolFailedError(problem.what, tool=step.tool, where=problem.where, hint=problem.hint)
