"""
Running a sequence, a repair or a plan: a call starts the moment its inputs are there.

There are no stages to wait for: each step is a task that waits for those before it. One event loop holds
everything: what is called back by others, the tools, `ask` and `confirm`, goes through `call_tool`, so that
nothing that they do stops the run.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp import errors
from refract_asp.errors import RefractError, ToolError, shown
from refract_asp.formats import load_catalog, load_memory, read_text
from refract_asp.formats.plan import is_plan_text
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model import Catalog, Memory, RepairResult, Sequence
from refract_asp.model.paths import path_text
from refract_asp.model.secrets import SecretRule
from refract_asp.model.stages import Order
from refract_asp.plan import Parsed, Plan, parse_plan
from refract_asp.plan.context import Context, local_functions
from refract_asp.plan.evaluation import Evaluation
from refract_asp.plan.sequences import to_run
from refract_asp.runtime.arguments import ArgumentCheck, Arguments
from refract_asp.runtime.calling import call_tool, run_to_end, sync_twin
from refract_asp.runtime.invoker import check_replies
from refract_asp.runtime.outcomes import CallOutcome, Event, EventKind, Run, Status
from refract_asp.runtime.replies import LOG, MAX_REPLY, CallLog, Made, Mapper, default_mapper
from refract_asp.runtime.scripts import Agreement, PlanScript, Question, SequenceScript, Step
from refract_asp.runtime.tools import Bound, Encoder, Tools, bind
from refract_asp.settings import function, refuse, seconds, whole_number

Listener: TypeAlias = Callable[[Event], Any]
"""Is called with each event."""

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
            refuse("ask", type(ask).__name__, 'Give a function, or values: {"date": "2024-08-15"}.')
        if not (confirm is None or callable(confirm) or isinstance(confirm, bool)):
            refuse("confirm", type(confirm).__name__, "Give a function, or True to agree to all.")
        self.answers: dict[str, Any] = {}
        self._ask: Any = {} if ask is None else ask
        self._confirm = confirm
        # settled when a value was asked for, with why there is none
        self._answered: dict[str, asyncio.Future[str]] = defaultdict(asyncio.Future)
        self._turn = asyncio.Lock()

    async def ask_all(self, questions: Mapping[str, Question]) -> None:
        """Ask for every value, in order."""
        for name, question in questions.items():
            async with self._turn:
                self._answered[name].set_result(await self._asked(question))

    async def unanswered(self, names: tuple[str, ...]) -> str:
        """Wait for answers; return which one there is none to, as a sentence, or the empty text."""
        for name in names:
            if problem := await self._answered[name]:
                return problem
        return ""

    async def disagreed(self, step: Step, arguments: Arguments) -> str:
        """Have a call agreed to; return what was not, as a sentence, or the empty text."""
        for confirm, reason in step.confirms:
            what = f"the use of {shown(step.tool)}"
            if confirm.kind != "tool":
                word = "leaving out" if confirm.kind == "drop" else "the value of"
                what = f"{word} {shown(confirm.parameter)} of {shown(step.tool)}"
            if self._confirm is None:
                return f"nobody was there to agree to {what}."
            agreed: Any = self._confirm
            if callable(agreed):
                named = plain(arguments.named)  # whoever is shown them cannot change them
                about = Agreement(step.number, step.tool, step.label, named, confirm, reason)
                async with self._turn:
                    agreed = await _called(agreed, about)
            if agreed is not True:
                return f"{what} was not agreed to."
        return ""

    async def _asked(self, question: Question) -> str:
        """Ask for a value and keep it; return why there is none, as a sentence, or the empty text."""
        name = shown(question.name)
        for _ in range(TRIES if callable(self._ask) else 1):
            try:
                ask = self._ask
                is_known = isinstance(ask, Mapping)
                value = plain(ask.get(question.name)) if is_known else await _called(ask, question)
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
    from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

    try:
        faults = Validator(question.schema).faults(value) if question.schema else ()
    except BrokenSchemaError:
        return ""
    problems = [f"{path_text(each.path) or 'it'} should be {each.expected}" for each in faults[:3]]
    return "; ".join(problems)


# -- a run ---------------------------------------------------------------------

LONGEST_PAUSE = 5.0
"""Seconds before a call is made again, at most."""
_BECAME = {"failed": "failed", "open": "is open", "skipped": "was skipped"}


@dataclass(kw_only=True)
class Execution:
    """
    One run of the steps of a script.

    Attributes:
        script: the steps.
        tools: the functions.
        check: looks at arguments before a call is made.
        people: who answers what is asked for.
        listener: is called with each event; what it raises is logged and nothing else.
        log: gets every call, and every attempt that failed.
        limit: how many calls run at the same time.
        timeout: seconds for each attempt of a call, or None.
        total_timeout: seconds for all of it, or None.
        retries: how often a call that may be made again is made again.
        pause: seconds before the first time; each further time is twice as long.
        encode: turns what a tool gives into JSON, or None for the usual way.
        outcomes: what became of each step that is over, by number.
        values: what those gave that succeeded.
        events: what happened, in order.
        unanswered: which value that stands in the result was asked for in vain, as a sentence, or empty.
        timed_out: whether the time was over before all was.
    """

    script: SequenceScript | PlanScript
    tools: Tools
    check: ArgumentCheck | None
    people: People
    listener: Listener | None
    log: CallLog
    limit: int
    timeout: float | None
    total_timeout: float | None
    retries: int
    pause: float
    encode: Encoder | None = None
    outcomes: dict[int, CallOutcome] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    unanswered: str = ""
    timed_out: bool = False

    def __post_init__(self) -> None:
        """Begin to count the time."""
        self._begun = time.perf_counter()
        self._free = asyncio.Semaphore(self.limit)
        self._over = [asyncio.Event() for _ in self.script.steps]
        self._given: dict[int, Arguments] = {}  # with which a step is made
        self._running: dict[int, tuple[float, int]] = {}  # when it began, and how many attempts

    def now(self) -> float:
        """Return the seconds since the run began."""
        return time.perf_counter() - self._begun

    async def go(self) -> None:
        """
        Make every call that can be made.

        What is raised from outside, as a cancellation, ends all that runs and is raised again.
        """
        script, limit = self.script, self.total_timeout
        self.unanswered = "the answers came too late." if script.result_asks else ""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(limit), asyncio.TaskGroup() as group:
                    asking = group.create_task(self.people.ask_all(script.questions))
                    work = [group.create_task(self._make(step)) for step in script.steps]
                    self.unanswered = await self.people.unanswered(script.result_asks)
                    await asyncio.gather(*work)
                    asking.cancel()  # nobody waits for it
        except BaseExceptionGroup as error:
            raise error.exceptions[0] from None
        left = [step for step in script.steps if step.number not in self.outcomes]
        over = f"{limit:g} seconds" if limit is not None else "all time"
        self.timed_out = bool(left) or self.unanswered == "the answers came too late."
        for step in left:
            if step.number not in self._running:
                self._end(step, "skipped", reason=f"the time of the run, {over}, was over.")
                continue
            what = f"it was not done when the {over} of the run were over."
            self._end(step, "failed", error=errors.ToolTimeoutError(what, tool=step.tool))

    async def _make(self, step: Step) -> None:
        """Make a step when all that it waits for is there, or say why it cannot be made."""
        for other in (*step.needs, *step.after):
            await self._over[other].wait()
        absent = next((each for each in step.needs if each not in self.values), None)
        try:
            if step.refused is not None:
                self._end(step, "failed", error=step.refused)
            elif absent is not None:
                became = _BECAME[self.outcomes[absent].status]
                name = f"call {absent + 1} ({shown(self.script.steps[absent].tool)})"
                self._end(step, "skipped", reason=f"{name}, which it reads, {became}.")
            else:
                reason = await self.people.unanswered(step.asks)
                if step.confirms and not reason:
                    reason = await self.people.disagreed(step, self._arguments(step))
                if reason:
                    self._end(step, "open", reason=reason)
                else:
                    async with self._free:  # no more calls run than may
                        await self._call(step, self.tools.find(step.tool))
        except ToolError as error:
            self._end(step, "failed", error=error)
        self._over[step.number].set()

    def _arguments(self, step: Step) -> Arguments:
        """Return the arguments of a step, or raise what is wrong with them."""
        try:
            arguments = self.script.arguments(step.number, self.values, self.people.answers)
            self._given[step.number] = arguments
            if self.check and (wrong := self.check.error(step.tool, arguments.named)):
                raise wrong
        except RefractError as error:
            if isinstance(error, ToolError) and error.tool:
                raise
            kind = type(error) if isinstance(error, ToolError) else errors.BadArgumentError
            raise kind(error.what, tool=step.tool, where=error.where, hint=error.hint) from error
        return arguments

    async def _call(self, step: Step, bound: Bound) -> None:
        """Make a call, again where that is allowed, and note what it gave."""
        arguments = self._given.get(step.number) or self._arguments(step)
        self._tell("started", step)
        begun = self.now()
        for attempts in itertools.count(1):
            self._running[step.number] = begun, attempts
            try:
                if attempts > 1:  # the tool may have changed those that it had
                    arguments = self._arguments(step)
                given, limit = bound.fitted(*arguments), self.timeout
                value = await call_tool(bound, *given, timeout=limit, encode=self.encode)
            except ToolError as error:
                may_pass = error.kind in ("tool_failed", "timeout") and bound.idempotent
                if not may_pass or attempts > self.retries:
                    raise
                self.log.failed(self._made(step, self.now() - begun), error, attempts)
                self._tell("retried", step, error)
                await asyncio.sleep(min(self.pause * 2 ** (attempts - 1), LONGEST_PAUSE))
            else:
                self.values[step.number] = value
                self._end(step, "succeeded", value=value)
                return

    # -- events and the log ----------------------------------------------------

    def _end(self, step: Step, status: Status, **more: Any) -> None:
        """Keep what became of a step, report it as an event and write it to the log; a failure gets its id."""
        begun, attempts = self._running.get(step.number, (None, 0))
        seconds = None if begun is None else self.now() - begun
        about = (step.number, step.tool, step.label, step.id, status)
        outcome = CallOutcome(*about, **more, seconds=seconds, attempts=attempts)
        made = self._made(step, seconds or 0.0)
        if outcome.error is not None:
            outcome = replace(outcome, failure=self.log.failed(made, outcome.error))
        elif status == "succeeded":
            self.log.succeeded(made, outcome.value)
        self.outcomes[step.number] = outcome
        self._tell("finished" if status == "succeeded" else status, step, outcome.error)

    def _tell(self, kind: EventKind, step: Step, error: ToolError | None = None) -> None:
        """Keep an event of a step, and pass it to the listener."""
        event = Event(kind, step.number, step.tool, step.label, step.id, self.now(), error)
        self.events.append(event)
        try:
            if self.listener is not None:
                self.listener(event)
        except (Exception, asyncio.CancelledError) as problem:
            message = "a listener to the events of a run failed: %s: %s"
            LOG.warning(message, type(problem).__name__, shown(problem), exc_info=problem)

    def _made(self, step: Step, seconds: float) -> Made:
        """Return a step as a call that is over; its arguments by position stand under their numbers."""
        given = self._given.get(step.number, Arguments({}))
        named = given.named | {f"*{n}": value for n, value in enumerate(given.positional, 1)}
        return Made(tool=step.tool, arguments=named, call_id=step.id, seconds=seconds, entry="run")


DEFAULT_LIMIT = 100
"""So many calls run at the same time unless another number is given."""
Texts: TypeAlias = tuple[str, ...]
# The most calls that a run may be allowed, and the most retries of a call.
MAX_LIMIT = 100_000
MAX_RETRIES = 100


async def run_async(
    what: Any,
    tools: Mapping[str, Any] | Iterable[Any] | Tools,
    *,
    catalog: Catalog | Any = None,
    memory: Memory | Any = None,
    context: Context | None = None,
    limit: int = DEFAULT_LIMIT,
    timeout: float | None = None,
    total_timeout: float | None = None,
    retries: int = 0,
    pause: float = 0.1,
    ask: AskBy = None,
    confirm: ConfirmBy = None,
    on_event: Listener | None = None,
    order: Order = "declared",
    is_plan: bool | None = None,
    mapper: Mapper = default_mapper,
    max_reply: int | None = MAX_REPLY,
    secrets: SecretRule | None = None,
    encode: Encoder | None = None,
) -> Run:
    """
    Run the calls of a sequence, a repair or a plan; each starts the moment its inputs are there.

    A call that fails takes nothing with it but the calls that read its value. What a tool raises is part of
    what is returned. Of a repair that is not executable, what can run runs: calls that it could not mend
    fail without being made, calls that wait for an answer nobody gives stay open.
    `run` makes an event loop and waits for the result; `run_async` runs in the loop that runs, and cancelling
    it cancels all that it runs.

    Args:
        what: a sequence, or whatever `Sequence.load` takes; a repair, whose repaired calls run; a plan, what
            `parse_plan` gives, or its text, in which small slips are mended and noted.
        tools: the functions by the names of the tools, or a list of functions; plain, or `bind(...)`.
        catalog: the tools' specification, or whatever `Catalog.load` takes. With it arguments are checked
            before a call is made, and calls that change something outside keep their order.
        memory: what is known already, or whatever `Memory.load` takes.
        context: what names of a plan mean beside the tools and the memory.
        limit: how many calls run at the same time.
        timeout: seconds for each attempt of a call; a tool's own limit comes first.
        total_timeout: seconds for all of it. What runs then is cancelled, what remains skipped.
        retries: how often a call that failed is made again. Only tools bound with `idempotent=True` are.
        pause: seconds before a call is made again; doubled each time, at most 5.
        ask: is called with a `Question`, gives the value or None; or the values by name.
        confirm: is called with an `Agreement`, gives True to agree; or one answer to all. One question is
            asked at a time; sync functions run in a thread.
        on_event: is called with each `Event`, in order.
        order: which calls keep their order although no data flows between them: "declared" those of tools
            that the catalog declares `write` or `destructive`, "risky" those of unknown effect as well,
            "data" none. Plans have none.
        is_plan: whether a text is a plan; by default one is in which a statement begins with `return`.
        mapper: says what a model reads about a failure in `Run.replies`, see `Invoker`.
        max_reply: characters of a reply; what is longer is cut, and says so. None for all.
        secrets: says which values stand in no log and no summary, see `Refractor`; of a repair, by default
            what it was made with.
        encode: turns what a tool gives into JSON values where it is none; by default as pydantic does.

    Raises:
        InputError: something that is given cannot be used; nothing was called.
        KeyboardInterrupt: Ctrl-C was pressed; what ran was cancelled.

    Example:
        >>> done = run('a = add(x=1, y=2)\\nadd(x="$a$", y=4)', {"add": lambda x, y: x + y})
        >>> [outcome.value for outcome in done.outcomes], done.result
        ([3, 7], 7)
    """
    bound = Tools(tools)
    known = load_memory(memory)
    specified = None if catalog is None else load_catalog(catalog)
    whole_number("limit", limit, 1, MAX_LIMIT)
    whole_number("retries", retries, 0, MAX_RETRIES)
    function("on_event", on_event, "It is called with each event.")
    function("encode", encode, "Give a function of a value.")
    check_replies(mapper, max_reply, secrets)
    if secrets is None and isinstance(what, RepairResult):
        secrets = what._secrets.rule
    plan, kept, notes = _plan_of(what, is_plan)
    script: SequenceScript | PlanScript
    if plan is not None:
        whole = Context.of(bound, known)
        evaluation = Evaluation(plan, whole if context is None else whole.merged(context), kept)
        script, bound = PlanScript(evaluation, specified, notes), evaluation.context.tools
    elif is_plan:
        wrong = f"a value of type {shown(type(what).__name__)} is no plan."
        raise errors.InputError(wrong, hint="Give its text, or what parse_plan gives.")
    else:
        calls, values = what if isinstance(what, RepairResult) else Sequence.load(what), known
        if context is not None:
            values = Memory(values={**context.memory.values, **known.values})
            # what is open runs as calls, also what a plan evaluates itself
            bound = Tools({**local_functions(context), **bound})
        script = SequenceScript(calls, values, specified, order)
    execution = Execution(
        script=script,
        tools=bound,
        check=None if specified is None else ArgumentCheck(specified, secrets=secrets),
        people=People(ask, confirm),
        listener=on_event,
        log=CallLog(specified, secrets),
        limit=limit,
        timeout=seconds(timeout, "timeout", zero=False),
        total_timeout=seconds(total_timeout, "total_timeout", zero=False),
        retries=retries,
        pause=seconds(pause, "pause") or 0.0,
        encode=encode,
    )
    await execution.go()
    return Run(
        outcomes=tuple(execution.outcomes[step.number] for step in script.steps),
        **_result(execution),
        unanswered=execution.unanswered,
        events=tuple(execution.events),
        seconds=execution.now(),
        timed_out=execution.timed_out,
        notes=script.notes,
        before=known,
        sequence=script.sequence,
        repair=script.repair,
        catalog=specified,
        mapper=mapper,
        max_reply=max_reply,
        secrets=secrets,
    )


run = sync_twin(run_async, partial(run_to_end, anywhere=False))


def _plan_of(what: Any, is_plan: bool | None) -> tuple[Plan | None, Texts, Texts]:
    """
    Return what is to be run as a plan, None where it is a sequence; which aliases are made though nothing
    reads them; and what was mended to read it.

    A sequence that was read from a plan is one again, unless something in it is open.
    """
    if isinstance(what, Plan):
        return what, (), ()
    if isinstance(what, Path) and is_plan:
        what = read_text(what)
    if isinstance(what, str) and (is_plan or (is_plan is None and is_plan_text(what))):
        text, what = what, parse_plan(what, "relaxed")
        if what.plan is None and not is_plan:
            with suppress(RefractError):  # it only looks like a plan
                what = Sequence.load(text)
    if isinstance(what, Parsed):
        return what.require(), (), what.notes
    if is_plan is None and isinstance(what, str | Path):
        what = Sequence.load(what)
    may_be = isinstance(what, Sequence) and what.format == "plan" and is_plan is not False
    if may_be and not what.is_open:
        return *to_run(what), what.notes
    if isinstance(what, RepairResult) and what.given.format == "plan" and what.is_executable:
        return *to_run(what.sequence), what.given.notes
    return None, (), ()


def _result(execution: Execution) -> dict[str, Any]:
    """Return the result of a run, whether there is one, and what is wrong with it, each by name."""
    script, values = execution.script, execution.values
    if execution.unanswered or not values.keys() >= set(script.result_needs):
        return {}
    try:
        return {"result": script.result(values, execution.people.answers), "has_result": True}
    except RefractError as error:
        if isinstance(error, ToolError):
            return {"error": error}
        what = f"the result cannot be read: {error.what}"
        return {"error": errors.ToolFailedError(what, where=error.where, hint=error.hint)}
