"""
Runs steps as soon as they can be: a call starts the moment its inputs are there.

There are no stages to wait for. One event loop holds everything: what is called back by others, the tools,
`ask` and `confirm`, goes through `call_tool`, so that nothing that they do stops the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Any, TypeAlias

from refract_asp.errors import (
    BadArgumentError,
    InputError,
    RefractError,
    ToolError,
    ToolFailedError,
    ToolTimeoutError,
    shown,
)
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model.paths import path_text
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.runtime.calling import call_tool
from refract_asp.runtime.failures import LOG, CallLog, Failure, Repeats, new_id
from refract_asp.runtime.invoker import ArgumentCheck, Taken, fitted, taken_by
from refract_asp.runtime.loops import Later, stopped
from refract_asp.runtime.outcomes import CallOutcome, Event, EventKind, Status
from refract_asp.runtime.scripts import Agreement, Arguments, Question, Script, Step
from refract_asp.runtime.tools import Bound, Tools, bind

__all__ = ["AskBy", "ConfirmBy", "Events", "Execution", "Limits", "Listener", "People"]


# -- who is told what happens --------------------------------------------------

Listener: TypeAlias = Callable[[Event], Any]
"""Is called with each event; it may be async."""

LAST_WORDS = 5.0
"""Seconds that an async listener has after the last call for what it has not yet heard."""


class Events:
    """
    The events of a run, in order.

    Args:
        listener: is called with each of them. What it raises is logged and nothing else. It should be quick:
            the run waits for it, unless it is async.
    """

    def __init__(self, listener: Listener | None = None) -> None:
        """Begin without any."""
        self.all: list[Event] = []
        self._listener = listener
        self._unheard: asyncio.Queue[Any] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.begin()

    def begin(self) -> None:
        """Begin to count the time."""
        self._begun = time.perf_counter()

    def now(self) -> float:
        """Return the seconds since the run began."""
        return time.perf_counter() - self._begun

    def tell(self, kind: EventKind, step: Step, error: ToolError | None = None) -> None:
        """Note that something happened to a step."""
        event = Event(kind, step.number, step.tool, step.label, step.id, self.now(), error)
        self.all.append(event)
        if self._listener is None:
            return
        try:
            heard = self._listener(event)
        except (Exception, asyncio.CancelledError) as problem:
            _complain(problem)
            return
        if inspect.isawaitable(heard):
            self._unheard.put_nowait(heard)
            self._task = self._task or asyncio.get_running_loop().create_task(self._deliver())

    async def end(self) -> None:
        """Wait until an async listener has heard everything, for a while."""
        if self._task is None:
            return
        self._unheard.put_nowait(None)
        try:
            done, _ = await asyncio.wait({self._task}, timeout=LAST_WORDS)
        finally:
            await stopped({self._task})
            while not self._unheard.empty():
                if (unheard := self._unheard.get_nowait()) is not None:
                    Later(unheard).drop()
        if not done:
            LOG.warning("a listener to the events of a run did not hear all of them in time")

    async def _deliver(self) -> None:
        """Await what an async listener gave, one event after the other."""
        while (heard := await self._unheard.get()) is not None:
            try:
                await heard
            except asyncio.CancelledError as problem:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                _complain(problem)
            except Exception as problem:
                _complain(problem)


def _complain(problem: BaseException) -> None:
    message = "a listener to the events of a run failed: %s: %s"
    LOG.warning(message, type(problem).__name__, shown(problem), exc_info=problem)


# -- who answers ---------------------------------------------------------------

AskBy: TypeAlias = Callable[[Question], Any] | Mapping[str, Any] | None
"""Gives the value that is asked for, or None for no answer; it may be async. Or the values by name."""

ConfirmBy: TypeAlias = Callable[[Agreement], Any] | bool | None
"""Gives True where somebody agrees; it may be async. Or the same answer to everything."""

TRIES = 3
"""How often a value is asked for when the answers do not fit."""


class People:
    """
    Asks for values and for agreement, one question at a time.

    Args:
        ask: gives the values.
        confirm: agrees.

    Raises:
        InputError: what is given can answer nothing.
    """

    def __init__(self, ask: AskBy = None, confirm: ConfirmBy = None) -> None:
        """Take who answers."""
        if not (ask is None or callable(ask) or isinstance(ask, Mapping)):
            hint = 'As in ask={"date": "2024-08-15"}.'
            raise InputError("ask is no function and no mapping.", hint=hint)
        if not (confirm is None or callable(confirm) or isinstance(confirm, bool)):
            hint = "Or give True, which agrees to everything."
            raise InputError("confirm is no function.", hint=hint)
        self.answers: dict[str, Any] = {}
        self._ask = ask
        self._confirm = confirm
        self._answered: dict[str, asyncio.Future[str]] = {}
        self._turn = asyncio.Lock()

    async def ask_all(self, questions: Mapping[str, Question]) -> None:
        """Ask for every value, in order."""
        for name, question in questions.items():
            async with self._turn:
                self._answer(name).set_result(await self._asked(question))

    async def unanswered(self, names: tuple[str, ...]) -> str:
        """Wait for answers; return which one there is none to, as a sentence, or the empty text."""
        for name in names:
            if problem := await self._answer(name):
                return problem
        return ""

    def _answer(self, name: str) -> asyncio.Future[str]:
        """Return what is settled when a value was asked for, with why there is none."""
        loop = asyncio.get_running_loop()
        return self._answered.setdefault(name, loop.create_future())

    async def disagreed(self, step: Step, arguments: Arguments, reasons: list[str]) -> str:
        """Have a call agreed to; return what was not, as a sentence, or the empty text."""
        for confirm, reason in zip(step.confirms, reasons, strict=True):
            named = plain(arguments.named)  # whoever is shown them cannot change them
            what = f"the use of {shown(step.tool)}"
            if confirm.kind != "tool":
                word = "leaving out" if confirm.kind == "drop" else "the value of"
                what = f"{word} {shown(confirm.parameter)} of {shown(step.tool)}"
            if self._confirm is None:
                return f"nobody was there to agree to {what}."
            if isinstance(self._confirm, bool):
                agreed: Any = self._confirm
            else:
                agreement = Agreement(step.number, step.tool, step.label, named, confirm, reason)
                async with self._turn:
                    agreed = await _called(self._confirm, agreement)
            if agreed is not True:
                return f"{what} was not agreed to."
        return ""

    async def _asked(self, question: Question) -> str:
        """Ask for a value and keep it; return why there is none, as a sentence, or the empty text."""
        name = shown(question.name)
        for _ in range(TRIES if callable(self._ask) else 1):
            try:
                if isinstance(self._ask, Mapping):
                    value = plain(self._ask.get(question.name))
                else:
                    value = None if self._ask is None else await _called(self._ask, question)
            except UnreadableError as error:
                return f"the answer for {name} is no JSON value: {error}"
            if value is None:
                return f"{name} was not answered."
            problem = _problem(value, question)
            if not problem:
                self.answers[question.name] = value
                return ""
            question = replace(question, problem=problem)
        return f"the answer for {name} does not fit: {question.problem}"


async def _called(function: Callable[[Any], Any], asked: Any) -> Any:
    """Return what a function answers, a JSON value; None where it fails."""
    try:
        return await call_tool(replace(bind(function), name="answer"), {}, (asked,))
    except ToolError as error:
        LOG.warning("what answers the questions of a run failed: %s", error, exc_info=error)
        return None


def _problem(value: Any, question: Question) -> str:
    """Say what is wrong with an answer, or return the empty text."""
    try:
        faults = Validator(question.schema).faults(value) if question.schema else ()
    except BrokenSchemaError:
        return ""
    return "; ".join(
        f"{path_text(fault.path) if fault.path else 'it'} should be {fault.expected}"
        for fault in faults[:3]
    )


# -- a run ---------------------------------------------------------------------

LONGEST_PAUSE = 5.0
"""Seconds before a call is made again, at most."""
_BECAME = {"failed": "failed", "open": "is open", "skipped": "was skipped"}


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
        log: gets every call, and every attempt that failed.

    Attributes:
        outcomes: what became of each step that is over, by number.
        values: what those gave that succeeded.
        unanswered: which value that stands in the result was asked for in vain, as a sentence, or empty.
        timed_out: whether the time was over before all was.
    """

    def __init__(
        self,
        script: Script,
        tools: Tools,
        check: ArgumentCheck | None,
        limits: Limits,
        people: People,
        events: Events,
        log: CallLog,
    ) -> None:
        """Count for each step what it waits for."""
        self.outcomes: dict[int, CallOutcome] = {}
        self.values: dict[int, Any] = {}
        self.unanswered = ""
        self.timed_out = False
        self._script, self._steps, self._tools, self._check = script, script.steps, tools, check
        self._limits, self._people, self._events, self._log = limits, people, events, log
        self._repeats = Repeats()
        self._hears = bool(script.result_asks)
        self._taken: dict[str, Taken] = {}
        before = [{*step.needs, *step.after} for step in script.steps]
        self._waits = [len(each) for each in before]
        self._next: list[list[int]] = [[] for _ in script.steps]
        for number, each in enumerate(before):
            for other in each:
                self._next[other].append(number)
        self._ready: list[int] = []
        self._made: dict[int, Arguments] = {}
        self._given: dict[int, Arguments] = {}  # with which a step is made
        self._running: dict[int, tuple[float, int]] = {}  # when it began, and how many attempts
        self._asking: asyncio.Task[None] | None = None
        self._overs: deque[Step] = deque()

    async def go(self) -> None:
        """
        Make every call that can be made.

        What is raised from outside, as a cancellation, ends all that runs and is raised again.
        """
        self._events.begin()
        self._host = asyncio.current_task()
        try:
            with contextlib.suppress(TimeoutError):
                async with (
                    asyncio.timeout(self._limits.total_timeout),
                    asyncio.TaskGroup() as self._group,
                ):
                    self._begin()
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        self._stop()
        await self._events.end()

    def _begin(self) -> None:
        """Begin with all that waits for nothing."""
        if self._script.questions:
            self._asking = self._task(self._people.ask_all(self._script.questions))
        if self._hears:
            self._task(self._hear())
        for step in [step for step in self._steps if not self._waits[step.number]]:
            self._release(step)
        self._pump()
        self._finish()

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
        """Begin something beside all else."""
        try:
            task = self._group.create_task(work)
        except RuntimeError:  # all is being cancelled
            work.close()
            return None
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """End all where a tool cancelled what is not its own: nothing would ever be over that waits for it."""
        if task.cancelled() and self._host is not None and not self._host.cancelling():
            self._host.cancel()

    # -- steps -----------------------------------------------------------------

    def _release(self, step: Step) -> None:
        """Begin with a step all of whose needs are over, or say why it cannot be made."""
        absent = next((each for each in step.needs if each not in self.values), None)
        if step.refused is not None:
            self._over(step, "failed", error=step.refused)
        elif absent is not None:
            became = _BECAME[self.outcomes[absent].status]
            name = f"call {absent + 1} ({shown(self._steps[absent].tool)})"
            self._over(step, "skipped", reason=f"{name}, which it reads, {became}.")
        elif step.asks or step.confirms:
            self._task(self._settle(step))
        else:
            heappush(self._ready, step.number)

    def _pump(self) -> None:
        """Start what is ready, the first steps first, as far as the limit allows."""
        while self._ready and len(self._running) < self._limits.calls:
            step = self._steps[heappop(self._ready)]
            try:
                bound = self._tools.find(step.tool)
                arguments = self._made.pop(step.number, None) or self._arguments(step)
            except ToolError as error:
                self._over(step, "failed", error=error)
                continue
            self._running[step.number] = (self._events.now(), 0)
            self._events.tell("started", step)
            self._task(self._call(step, bound, arguments))

    def _arguments(self, step: Step) -> Arguments:
        """Return the arguments of a step, or raise what is wrong with them."""
        try:
            arguments = self._script.arguments(step.number, self.values, self._people.answers)
            self._given[step.number] = arguments
            wrong = self._check.error(step.tool, arguments.named) if self._check else None
            if wrong is not None:
                raise wrong
        except RefractError as error:
            if isinstance(error, ToolError) and error.tool:
                raise
            kind = type(error) if isinstance(error, ToolError) else BadArgumentError
            raise kind(error.what, tool=step.tool, where=error.where, hint=error.hint) from error
        except Exception as error:  # a function inside a plan may raise anything
            what = shown(f"{type(error).__name__}: {error}")
            raise ToolFailedError(what, tool=step.tool) from error
        return arguments

    async def _call(self, step: Step, bound: Bound, arguments: Arguments) -> None:
        """Make a call, again where that is allowed, and note what became of it."""
        begun = self._events.now()
        taken = self._taken.get(bound.name) or self._taken.setdefault(bound.name, taken_by(bound))
        attempts = 0
        while True:
            attempts += 1
            self._running[step.number] = (begun, attempts)
            made: dict[str, Any] = {"begun": begun, "attempts": attempts}
            try:
                if attempts > 1:  # the tool may have changed those that it had
                    arguments = self._arguments(step)
                fitting = fitted(bound, *arguments, taken)
                value = await call_tool(bound, *fitting, timeout=self._limits.timeout)
            except RefractError as problem:
                error = problem
                if not isinstance(error, ToolError):  # the function cannot be called as it is bound
                    what, where, hint = problem.what, problem.where, problem.hint
                    error = ToolFailedError(what, tool=step.tool, where=where, hint=hint)
                again = bound.idempotent and isinstance(error, ToolFailedError | ToolTimeoutError)
                if not again or attempts > self._limits.retries:
                    del self._running[step.number]
                    self._over(step, "failed", error=error, **made)
                    break
                said = self._said(step)
                failure = self._failure(step, error, said, attempts, self._events.now() - begun)
                self._log.failed(failure, logging.WARNING)
                self._events.tell("retried", step, error)
                await asyncio.sleep(min(self._limits.pause * 2 ** (attempts - 1), LONGEST_PAUSE))
            else:
                del self._running[step.number]
                self._over(step, "succeeded", value=value, **made)
                break
        self._pump()

    async def _settle(self, step: Step) -> None:
        """Wait for the answers that a step needs, then have it agreed to."""
        reason = await self._people.unanswered(step.asks)
        try:
            if step.confirms and not reason:
                self._made[step.number] = arguments = self._arguments(step)
                reasons = [self._script.reason(step.number, confirm) for confirm in step.confirms]
                reason = await self._people.disagreed(step, arguments, reasons)
            if reason:
                self._over(step, "open", reason=reason)
            else:
                heappush(self._ready, step.number)
        except ToolError as error:
            self._over(step, "failed", error=error)
        self._pump()

    async def _hear(self) -> None:
        """Wait for the answers that stand in the result."""
        self.unanswered = await self._people.unanswered(self._script.result_asks)
        self._hears = False
        self._finish()

    # -- what becomes of them --------------------------------------------------

    def _over(self, step: Step, status: Status, *, begun: float | None = None, **more: Any) -> None:
        """Note what became of a step, and begin with those that waited for it alone."""
        self._keep(step, status, begun=begun, **more)
        self._overs.append(step)
        if len(self._overs) > 1:
            return  # a loop, as a chain may be long
        while self._overs:
            for number in self._next[self._overs[0].number]:
                self._waits[number] -= 1
                if not self._waits[number]:
                    self._release(self._steps[number])
            self._overs.popleft()
        self._finish()

    def _keep(self, step: Step, status: Status, *, begun: float | None = None, **more: Any) -> None:
        """Keep what became of a step, tell it and write it to the log; a failure gets its id."""
        seconds = None if begun is None else self._events.now() - begun
        outcome = CallOutcome(
            step.number, step.tool, step.label, step.id, status, seconds=seconds, **more
        )
        said = self._said(step)
        if outcome.error is not None:
            times = self._repeats.count(step.tool, said)
            failure = self._failure(step, outcome.error, said, times, seconds or 0.0)
            self._log.failed(failure)
            outcome = replace(outcome, failure=failure)
        elif status == "succeeded":
            value = self.values[step.number] = outcome.value
            self._log.succeeded("run", step.tool, step.id, said, value, seconds or 0.0)
        self._given.pop(step.number, None)
        self.outcomes[step.number] = outcome
        kind: EventKind = "finished" if status == "succeeded" else status
        self._events.tell(kind, step, outcome.error)

    def _said(self, step: Step) -> dict[str, Any]:
        """Return the arguments with which a step is made, those by position by their numbers."""
        given = self._given.get(step.number, Arguments({}))
        return {**given.named, **{f"*{n}": value for n, value in enumerate(given.positional, 1)}}

    def _failure(
        self, step: Step, error: ToolError, said: dict[str, Any], times: int, seconds: float
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

    def _finish(self) -> None:
        """Ask no more where nobody waits for it."""
        is_over = len(self.outcomes) == len(self._steps) and not self._hears
        if is_over and self._asking is not None:
            self._asking.remove_done_callback(self._ended)
            self._asking.cancel()

    def _stop(self) -> None:
        """Give what is not over an outcome, as the time is over."""
        limit = self._limits.total_timeout
        left = [step for step in self._steps if step.number not in self.outcomes]
        self.timed_out = bool(left) or self._hears
        if self._hears:
            self.unanswered = "the answers came too late."
        for step in left:
            begun, attempts = self._running.pop(step.number, (None, 0))
            if begun is None:
                reason = f"the time of the run, {limit:g} seconds, was over."
                self._keep(step, "skipped", reason=reason)
            else:
                what = f"it was not done when the {limit:g} seconds of the run were over."
                late = ToolTimeoutError(what, tool=step.tool)
                self._keep(step, "failed", error=late, begun=begun, attempts=attempts)
