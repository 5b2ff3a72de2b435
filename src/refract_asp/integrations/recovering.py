"""What a repair needs before its call can be made: answers, and calls that were added."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Coroutine, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from refract_asp.errors import ToolFailedError, shown
from refract_asp.formats import source_value
from refract_asp.model import Call, Catalog, Memory, RepairResult, Sequence
from refract_asp.refractor import Refractor
from refract_asp.runtime import loops, run_async
from refract_asp.runtime.people import AskBy, ConfirmBy
from refract_asp.runtime.scripts import SequenceScript
from refract_asp.runtime.steps import Agreement
from refract_asp.runtime.tools import Tools

__all__ = ["made", "run_to_end", "settled"]

T = TypeVar("T")


async def settled(
    result: RepairResult,
    refractor: Refractor,
    known: Mapping[str, Any],
    history: tuple[Call, ...],
    ask: AskBy,
    confirm: ConfirmBy,
) -> Sequence | RepairResult:
    """
    Return the repaired sequence with nothing open in it, or a result that is left to the caller.

    Args:
        result: the repair.
        refractor: what judges the answers.
        known: what memory holds.
        history: the calls that were executed before.
        ask: gives values, as for `runtime.run`.
        confirm: agrees, as for `runtime.run`.
    """
    if result.verdict == "repaired":
        return result.sequence
    if result.verdict != "needs_input":
        return result
    answers: dict[str, Any] = {}
    for name, question in SequenceScript(result, catalog=refractor.catalog).questions.items():
        value = ask.get(name) if isinstance(ask, Mapping) else await _said(ask, question)
        if value is None:
            return result
        answers[name] = value
    for asked in result.confirms:
        call = result.sequence.calls[asked.call]
        shown_as = {name: source_value(source) for name, source in call.arguments.items()}
        about = Agreement(asked.call, call.name, call.label, shown_as, asked.confirm, asked.reason)
        if (confirm if isinstance(confirm, bool) else await _said(confirm, about)) is not True:
            return result
    sequence = result.answer(answers, confirmed=True)
    report = await refractor.check_async(sequence, Memory(values=dict(known)), history)
    if report.verdict != "valid":  # what was answered does not fit
        return await refractor.repair_async(sequence, Memory(values=dict(known)), history)
    return sequence


async def _said(by: Callable[[Any], Any] | None, what: Any) -> Any:
    """Return what somebody says; a function that is not async has a thread to wait in."""
    if by is None:
        return None
    said = by(what) if inspect.iscoroutinefunction(by) else await asyncio.to_thread(by, what)
    return await said if inspect.isawaitable(said) else said


async def made(
    calls: tuple[Call, ...],
    tools: Tools,
    catalog: Catalog,
    known: Mapping[str, Any],
    store: MutableMapping[str, Any] | None,
    timeout: float | None,
) -> dict[str, Any]:
    """
    Make calls, and return what they give by label; the store gets it too, though one of them failed.

    Raises:
        ToolError: one of them gave nothing.
    """
    done = await run_async(
        Sequence(calls=calls), tools, catalog=catalog, memory=Memory(values=dict(known)), timeout=timeout
    )
    if store is not None:
        store.update(done.values)
    for outcome in done.outcomes:
        if outcome.error is not None:
            raise outcome.error
    for outcome in done.outcomes:
        if outcome.status != "succeeded":
            what = f"it was not run: {outcome.reason}" if outcome.reason else "it was not run."
            raise ToolFailedError(shown(what, 300), tool=outcome.tool)
    return done.values


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from a function that is not async, be there an event loop around it or not."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return loops.run_to_end(work, "guarded")
    context = contextvars.copy_context()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(context.run, loops.run_to_end, work, "guarded").result()
