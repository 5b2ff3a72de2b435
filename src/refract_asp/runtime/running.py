"""Running a sequence, a repair or a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import InputError, RefractError, ToolError, ToolFailedError, shown
from refract_asp.formats import load_catalog, load_memory, read_text
from refract_asp.formats.plan import is_plan_text
from refract_asp.model import Call, Catalog, Memory, RepairResult, Sequence
from refract_asp.model.secrets import SecretRule
from refract_asp.model.stages import Order
from refract_asp.plan import Parsed, Plan, parse_plan
from refract_asp.plan.context import Context, local_functions
from refract_asp.plan.evaluation import Evaluation
from refract_asp.plan.sequences import to_run
from refract_asp.plan.syntax import PlanDiagnostic, refused
from refract_asp.runtime.arguments import ArgumentCheck
from refract_asp.runtime.calling import run_to_end, sync_twin
from refract_asp.runtime.encoding import Encoder
from refract_asp.runtime.executor import AskBy, ConfirmBy, Execution, Listener, People
from refract_asp.runtime.failures import CallLog, Mapper, default_mapper
from refract_asp.runtime.invoker import check_replies
from refract_asp.runtime.outcomes import Run
from refract_asp.runtime.replies import MAX_REPLY
from refract_asp.runtime.scripts import PlanScript, Script, SequenceScript
from refract_asp.runtime.tools import Tools
from refract_asp.settings import function, seconds, whole_number

__all__ = ["DEFAULT_LIMIT", "run", "run_async"]

DEFAULT_LIMIT = 100
"""So many calls run at the same time unless another number is given."""
Texts: TypeAlias = tuple[str, ...]
_RETURN_IT = "Return its result as well, or leave the call out; nothing was called."
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
    script: Script
    if plan is not None:
        whole = Context.of(bound, known)
        evaluation = Evaluation(plan, whole if context is None else whole.merged(context), kept)
        _refuse_unused(evaluation, specified)
        script, bound = PlanScript(evaluation, specified, notes), evaluation.context.tools
    elif is_plan:
        hint = "Give its text, or what parse_plan gives."
        raise InputError(f"a value of type {shown(type(what).__name__)} is no plan.", hint=hint)
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


def _refuse_unused(evaluation: Evaluation, catalog: Catalog | None) -> None:
    """
    Refuse a plan with a call that changes something, and that it leaves out because nobody reads it.

    The rules say which these are, by the catalog or else by the names of the tools.

    Raises:
        PlanError: there are such calls.
    """
    unread = evaluation.unread()
    if not unread:
        return
    from refract_asp.refractor import check as check_sequence

    calls = [Call(name=each.tool, label=each.label or f"call{each.number}") for each in unread]
    sequence = Sequence(calls=tuple(calls), returns={}, format="plan")
    found = [
        PlanDiagnostic("unused_call", f"{each.message}.", unread[each.call].place, None, _RETURN_IT)
        for each in check_sequence(sequence, catalog or Catalog()).violations
        if each.code == "unused_call" and each.call is not None
    ]
    if found:
        raise refused(found)


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
        return {"error": ToolFailedError(what, where=error.where, hint=error.hint)}
