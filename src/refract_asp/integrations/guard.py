"""
What the decorator does with a call: it is judged, repaired where that is wanted, and got ready to run.

A call is judged as a sequence of one call against the catalog and what memory holds at that moment. An
argument that JSON does not have stands in it as a reference to a call that was executed by a tool that
nobody knows, of whose output everything may be true: so it fits wherever it goes, is kept or renamed as any
other argument, and never changed.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from refract_asp.errors import BadArgumentError, InputError, ToolFailedError, shown
from refract_asp.formats import functions, load_catalog, load_memory, source_value
from refract_asp.formats.references import read_source
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.integrations.filling import filled
from refract_asp.integrations.signature import Taken, catalog_of_function, name_of, readable, taken
from refract_asp.model import (
    Call,
    Catalog,
    Constant,
    Memory,
    Reference,
    RepairResult,
    Sequence,
    Source,
    Tool,
)
from refract_asp.options import refuse_options
from refract_asp.refractor import Refractor
from refract_asp.runtime import loops, run_async
from refract_asp.runtime.executor import AskBy, ConfirmBy
from refract_asp.runtime.scripts import Agreement, SequenceScript
from refract_asp.runtime.tools import Tools
from refract_asp.settings import seconds

__all__ = ["Attempt", "Guard", "Ready", "made", "run_to_end", "settled"]

Ready: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments that the function is called with, by position and by name."""

GIVEN = "given"
"""The tool of the calls that stand for arguments which JSON does not have; no catalog describes it."""


@dataclass(slots=True)
class Attempt:
    """
    One call of a guarded function, as it was judged.

    Attributes:
        args: what was given by position.
        kwargs: what was given by name.
        taken: the same, by parameter.
        call: the call that was judged.
        originals: what was given, by parameter of the tool.
        hidden: arguments that JSON does not have, by the label under which they were judged.
        known: what memory held.
        store: where memory is written to, if it can be.
        names: what the tool calls parameters of the function, by their own names.
        state: the parameter of the function that holds the arguments of the tool, or None.
        result: what the repair says.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    taken: Taken
    call: Call
    originals: dict[str, Any]
    hidden: dict[str, Any]
    known: dict[str, Any]
    store: MutableMapping[str, Any] | None
    names: Mapping[str, str]
    state: str | None
    result: RepairResult = field(init=False)

    def as_given(self) -> Ready | None:
        """Return the arguments of a call that is right: as given, with what references read from memory."""
        if self.result.verdict != "valid":
            return None
        if all(
            source.kind == "constant" or self._is_hidden(source)
            for source in self.call.arguments.values()
        ):
            return self.args, self.kwargs
        return self.arguments(self.call, self.known)

    def _is_hidden(self, source: Source) -> bool:
        return isinstance(source, Reference) and source.label in self.hidden

    @property
    def history(self) -> tuple[Call, ...]:
        """The calls that stand for arguments which JSON does not have."""
        return tuple(Call(name=GIVEN, label=label) for label in self.hidden)

    def arguments(self, call: Call, values: Mapping[str, Any]) -> Ready:
        """Return how the function is called so that it gets the arguments of a repaired call."""
        renamed = {e.after: e.before for e in self.result.edits if e.kind == "rename_parameter"}
        repaired: dict[str, Any] = {}
        for name, source in call.arguments.items():
            before = name if name in self.originals else renamed.get(name, name)
            if isinstance(source, Reference) and source.label in self.hidden:
                repaired[name] = self.hidden[source.label]
            elif isinstance(source, Constant) and self.call.arguments.get(before) == source:
                repaired[name] = self.originals[before]
            else:
                try:
                    repaired[name] = filled(source, {**values, **self.hidden})
                except BadArgumentError as error:
                    raise BadArgumentError(
                        error.what, tool=self.call.name, where=error.where, hint=error.hint
                    ) from None
        if self.state is not None:
            given = self.taken.bound.arguments.get(self.state, {})
            kept = {name: value for name, value in given.items() if name not in self.originals}
            named = {**self.taken.named(), self.state: {**kept, **repaired}}
            return self.taken.with_named(named)
        own = {called: name for name, called in self.names.items()}
        judged = {own.get(name, name) for name in self.originals}
        named = {name: value for name, value in self.taken.named().items() if name not in judged}
        named |= {own.get(name, name): value for name, value in repaired.items()}
        return self.taken.with_named(named)


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
        Sequence(calls=calls),
        tools,
        catalog=catalog,
        memory=Memory(values=dict(known)),
        timeout=timeout,
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


_log = logging.getLogger("refract_asp.integrations")


class Guard:
    """Stands in front of one function; see `decorator.guarded` for what it takes."""

    def __init__(
        self,
        function: Callable[..., Any],
        catalog: Any,
        *,
        tool: str | None = None,
        memory: Any = None,
        tools: Any = (),
        parameters: Mapping[str, str] | None = None,
        state: str | None = None,
        execute_if_fixed: bool = False,
        ask: AskBy = None,
        confirm: ConfirmBy = None,
        remember: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> None:
        """Look at the function, the options and a catalog at hand, which the first call compiles."""
        if isinstance(function, staticmethod) or not callable(function):
            kind = shown(type(function).__name__)
            raise InputError(
                f"a value of type {kind} cannot be guarded.",
                hint="Put it below @classmethod, @staticmethod and @property.",
            )
        if inspect.isroutine(catalog):
            raise InputError(
                "guarded was given a function in place of a catalog.",
                hint="Give options alone, as in @guarded(timeout=5), or a list of functions.",
            )
        try:
            self.signature = inspect.signature(function)
        except ValueError:
            raise InputError(
                f"nobody knows what {name_of(function)} takes.",
                hint="Wrap it in a function of your own.",
            ) from None
        self.name = tool if tool is not None else name_of(function)
        self.execute_if_fixed = bool(execute_if_fixed)
        self._function = function
        self._catalog = catalog
        self._options = options
        self._memory = memory
        self._tools = tools if isinstance(tools, Tools) else Tools(tools)
        self._names = dict(parameters or {})
        self._state = state
        self._ask = ask
        self._confirm = confirm
        self._remember = remember
        self._timeout = seconds(timeout, "timeout", zero=False)
        self._lock = threading.Lock()
        self._compiled: tuple[Refractor, Tool] | None = None
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        own = self.signature.parameters
        for name in self._names:
            if name not in own or self._state is not None:
                raise InputError(
                    f"parameters: the function has no parameter {shown(name)!r} to call otherwise."
                )
        if self._state is not None and self._state not in own:
            raise InputError(
                f"state: the function has no parameter {shown(self._state)!r}.",
                hint=f"It has: {', '.join(map(shown, own)) or 'none'}.",
            )
        if self._catalog is None and (self._state is not None or len(self._tools)):
            what = "state" if self._state is not None else "tools"
            raise InputError(
                f"{what} needs a catalog.", hint="A function says nothing of other tools."
            )
        if isinstance(self._catalog, Refractor):
            refuse_options(None, self._options)
            self._declared(self._catalog.catalog)
        elif self._is_at_hand():
            self._catalog = load_catalog(self._catalog)
            self._declared(self._catalog)

    def _is_at_hand(self) -> bool:
        """Whether the catalog can be read now: files may come later, as do types that functions name."""
        given = self._catalog
        return not (given is None or isinstance(given, Path) or functions.FORMAT.detects(given))

    # -- judging ---------------------------------------------------------------

    def judged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Attempt:
        """Judge a call: say what is wrong, and what it may have meant."""
        refractor, tool = self._ready()
        known, store = self._remembered_values()
        kwargs = self._by_own_names(kwargs)
        parts = taken(self.signature, args, kwargs)
        originals, unread = self._judged_arguments(parts, tool)
        known = {**unread, **known}
        hidden: dict[str, Any] = {}
        arguments: dict[str, Source] = {}
        for name, value in originals.items():
            is_readable, copy = readable(name, value)
            if is_readable and refractor.references is False:
                arguments[name] = Constant(value=copy)
            elif is_readable:
                arguments[name] = read_source(copy, where=f"argument {shown(name)}")
            else:
                label = _free(name, {*known, *hidden})
                hidden[label] = value
                arguments[name] = Reference(label=label)
        call = Call(name=tool.name, arguments=arguments)
        attempt = Attempt(
            args, kwargs, parts, call, originals, hidden, known, store, self._names, self._state
        )
        attempt.result = refractor.repair(
            Sequence(calls=(call,)), Memory(values=known), attempt.history
        )
        return attempt

    def _by_own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return arguments under the names that the function has for them, where the tool's were used."""
        own = self.signature.parameters
        renamed = {called: name for name, called in self._names.items() if called not in own}
        for called in kwargs.keys() & renamed.keys():
            if renamed[called] in kwargs:
                raise TypeError(
                    f"{self.name} got {called} twice, the second time as {renamed[called]}"
                )
        return {renamed.get(name, name): value for name, value in kwargs.items()}

    def _ready(self) -> tuple[Refractor, Tool]:
        """Return what judges, compiled once however many threads ask at the same time."""
        with self._lock:
            if self._compiled is None:
                self._compiled = self._compile()
            return self._compiled

    def _compile(self) -> tuple[Refractor, Tool]:
        if isinstance(self._catalog, Refractor):
            return self._catalog, self._declared(self._catalog.catalog)
        if self._catalog is None:
            catalog = catalog_of_function(self._function, self.name)
        else:
            catalog = load_catalog(self._catalog)
        tool = self._declared(catalog)
        if self.execute_if_fixed:
            catalog = catalog.filter(
                {tool.name, *self._tools}
            )  # a call that cannot be run repairs nothing
        return Refractor(catalog, **self._options), tool

    def _declared(self, catalog: Catalog) -> Tool:
        tool = catalog.by_name.get(self.name)
        if tool is None:
            known = shown(", ".join(map(shown, catalog.by_name)) or "none", 200)
            raise InputError(
                f"the catalog has no tool {shown(self.name)!r}.",
                hint=f"Say which one the function is with `tool`. There is: {known}.",
            )
        return tool

    def _remembered_values(self) -> tuple[dict[str, Any], MutableMapping[str, Any] | None]:
        """Return a copy of what memory holds now, and where it is written to."""
        memory = self._memory() if callable(self._memory) else self._memory
        store = memory if isinstance(memory, MutableMapping) else None
        if isinstance(memory, Mapping):
            memory = dict(memory)
        return {**load_memory(memory).values}, store

    def _judged_arguments(self, parts: Taken, tool: Tool) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what is judged, by parameter of the tool, and what else the state holds."""
        if self._state is not None:
            given = parts.bound.arguments.get(self._state, {})
            if not isinstance(given, Mapping):
                kind = shown(type(given).__name__)
                raise InputError(f"{shown(self._state)} is a {kind}, no dict of arguments.")
            judged = {name: value for name, value in given.items() if name in tool.parameters}
            others = {name: value for name, value in given.items() if name not in judged}
            return judged, _values_of(others)
        judged = {}
        for name, value in parts.named().items():
            called = self._names.get(name, name)
            if called in tool.parameters or name in parts.others:
                judged[called] = value
        for name, parameter in self.signature.parameters.items():
            called = self._names.get(name, name)
            declared = tool.parameters.get(called)
            if called in judged or declared is None or not declared.required:
                continue
            if parameter.default is not parameter.empty and parameter.default is not None:
                judged[called] = parameter.default  # the function gets it, whoever says so
        return judged, {}

    # -- running what was repaired ---------------------------------------------

    async def fixed(self, attempt: Attempt) -> Ready | RepairResult:
        """Run what has to run before, and return the repaired arguments; or the result if that cannot be."""
        result = attempt.result
        refractor, tool = self._ready()
        agreed = await settled(
            result, refractor, attempt.known, attempt.history, self._ask, self._confirm
        )
        if isinstance(agreed, RepairResult):
            return agreed
        positions = result.outcomes[0].positions
        if len(positions) != 1:
            return result  # the repair makes several calls of it, or none
        before, own = agreed.calls[: positions[0]], agreed.calls[positions[0]]
        if any(call.name not in self._tools for call in before):
            return result
        values = attempt.known
        if before:
            store, timeout = attempt.store, self._timeout
            given = await made(before, self._tools, refractor.catalog, values, store, timeout)
            values = {**values, **given}
            alone = Sequence(calls=(own.model_copy(update={"label": None}),))
            again = await refractor.repair_async(alone, Memory(values=values), attempt.history)
            if again.verdict != "valid":
                return again  # what came is not what the catalog promised
        _log.info(
            "repaired a call of %s",
            tool.name,
            extra={"tool": tool.name, "calls_before": len(before)},
        )
        return attempt.arguments(own, values)

    def remembered(self, attempt: Attempt, value: T) -> T:
        """Put what the function gave into memory, if that is wanted and a JSON value."""
        if self._remember is not None and attempt.store is not None:
            try:
                attempt.store[self._remember] = plain(value)
            except UnreadableError:
                _log.warning("what %s gave is no JSON value and not remembered", self.name)
        return value


def _values_of(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what of a state can be known to the rules: JSON values under texts."""
    found = {}
    for name, value in values.items():
        if isinstance(name, str):
            try:
                found[name] = plain(value)
            except (UnreadableError, RecursionError):
                continue
    return found


def _free(name: str, taken_names: set[str]) -> str:
    """Return a label that nothing bears yet."""
    label, number = name, 1
    while label in taken_names:
        number += 1
        label = f"{name}_{number}"
    return label
