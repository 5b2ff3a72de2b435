"""
A decorator that stands in front of a function as a tool: right calls run, faulty ones are told or mended.

    @guarded(catalog, tool="TripadvisorSearchHotels", memory=memory, execute_if_fixed=True, tools=tools)
    def search_hotels(checkIn: str, checkOut: str, geoId: str | None = None) -> dict: ...

A call is judged as a sequence of one call against the catalog and what memory holds at that moment. An
argument that JSON does not have stands in it as a reference to a call that was executed by a tool that
nobody knows, of whose output everything may be true: so it fits wherever it goes, is kept or renamed as any
other argument, and never changed.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import functools
import inspect
import logging
import threading
import typing
from collections.abc import Callable, Coroutine, Mapping, MutableMapping
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from enum import Enum
from itertools import count
from pathlib import Path, PurePath
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload
from uuid import UUID

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from pydantic_core import to_jsonable_python

from refract_asp.errors import BadArgumentError, InputError, LimitError, ToolFailedError, shown
from refract_asp.formats import functions, load_catalog, load_memory, source_value
from refract_asp.formats.references import read_source
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, plain
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
from refract_asp.model.paths import reference_text
from refract_asp.model.sequence import Ask
from refract_asp.options import refuse_options
from refract_asp.refractor import Refractor
from refract_asp.runtime import run_async
from refract_asp.runtime.calling import sync_twin
from refract_asp.runtime.executor import AskBy, ConfirmBy
from refract_asp.runtime.scripts import Agreement, SequenceScript, at_path, value_of
from refract_asp.runtime.tools import Tools, bind
from refract_asp.settings import seconds

__all__ = ["Decorator", "filled", "guarded"]

GIVEN = "given"
"""The tool of the calls that stand for arguments which JSON does not have; no catalog describes it."""

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Ready: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments that the function is called with, by position and by name."""

_log = logging.getLogger("refract_asp.integrations")


class Decorator(Protocol):
    """What `guarded` gives: it takes a function, and gives one that may give a result in its place."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R | RepairResult]]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R | RepairResult]: ...

    def __call__(self, function: Any, /) -> Any:
        """Return the guarded function."""


@overload
def guarded(
    function: Callable[P, Coroutine[Any, Any, R]], /
) -> Callable[P, Coroutine[Any, Any, R | RepairResult]]: ...


@overload
def guarded(function: Callable[P, R], /) -> Callable[P, R | RepairResult]: ...


@overload
def guarded(catalog: Any = None, **options: Any) -> Decorator: ...


def guarded(catalog: Any = None, **options: Any) -> Any:
    """
    Guard a function, sync or async: it runs only with arguments that the catalog admits.

    A call that is right runs as if nothing were there: with the same objects, the same value, the same
    exceptions. A text that refers to memory, as `"$var1.geoId$"`, gets the value that memory holds. For any
    other call the function does not run, and the `RepairResult` comes back in place of its value.

    What JSON does not have is judged by what it is in JSON (a date, a pydantic model, an enum) or, where it
    is nothing there (a connection, an array), not at all. Nor are parameters that the function has and the
    tool has not, as `self`, and what goes to `*args`. Arguments beyond the bounds (nested deeper than 64)
    raise a `LimitError`.

    Args:
        catalog: a `Refractor`, or a catalog as `Catalog.load` takes it, compiled with the first call; files
            and lists of functions are read then, too. Without one the tool is made from the function: from
            its signature, type hints and docstring; then `@guarded` may stand without parentheses.
        tool: the name that the function has in the catalog, if not its own.
        memory: values already known: a dict, which also takes what recovery calls give, a `Memory` or
            anything that `Memory.load` takes, or a function without arguments that gives one of them for a
            call.
        tools: functions for the tools that a repair may call before, as `runtime.tools.Tools` takes them.
        parameters: what parameters of the function are called in the catalog, by their own names. Arguments
            may be given by either name.
        state: the parameter that takes a dict with the arguments as its keys. Keys that are no parameters
            of the tool are left alone, and count as known values. Repaired values stand in a copy, which the
            function gets; the dict that the caller gave stays as it is.
        execute_if_fixed: whether a call that can be repaired runs repaired. Calls that are needed before run
            through `tools` first, in order, and memory gets what they give under their labels. What is open,
            cannot be repaired or needs a tool that `tools` lacks comes back as a result.
        ask: is called with a `Question`, gives the value or None to leave it open; or the values by name.
        confirm: is called with an `Agreement`, gives True to agree; or one answer to all. Both may be async.
        remember: the label under which memory, where it is a dict, gets what the function gives, if that is a
            JSON value.
        timeout: seconds that each call before may take, if its tool says nothing else.
        options: what `Refractor` takes besides the catalog.

    Raises:
        InputError: from the decorator or from the first call: the catalog lacks the tool, options contradict
            each other, a function is none.
        ToolError: from a call that was repaired: a call before it failed; the function did not run. Where
            that call gave something else than the catalog promised, the result of what is left comes back.

    Example:
        >>> @guarded
        ... def greet(name: str, times: int = 1) -> str:
        ...     return ", ".join(["hello"] * times) + f" {name}"
        >>> greet("Ada", times=2)
        'hello, hello Ada'
        >>> greet("Ada", tims=2).diff().splitlines()[1]
        '+ greet(name="Ada", times=2)'
    """

    def decorated(function: Any, catalog: Any = catalog) -> Any:
        own = {f.name for f in dataclasses.fields(_Guard)} - {"function", "catalog", "options"}
        settings = {name: options[name] for name in own & options.keys()}
        rest = {name: value for name, value in options.items() if name not in own}
        guard = _Guard(function, catalog, options=rest, **settings)

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            attempt = guard.judged(args, kwargs)
            ready = attempt.as_given() or attempt.result
            if isinstance(ready, RepairResult) and guard.execute_if_fixed:
                ready = sync_twin(guard.fixed)(attempt)
            if isinstance(ready, RepairResult):
                return ready
            return guard.remembered(attempt, function(*ready[0], **ready[1]))

        @functools.wraps(function)
        async def run_in_loop(*args: Any, **kwargs: Any) -> Any:
            attempt = await asyncio.to_thread(guard.judged, args, kwargs)
            ready = attempt.as_given() or attempt.result
            if isinstance(ready, RepairResult) and guard.execute_if_fixed:
                ready = await guard.fixed(attempt)
            if isinstance(ready, RepairResult):
                return ready
            return guard.remembered(attempt, await function(*ready[0], **ready[1]))

        return run_in_loop if bind(function).is_async else run

    wrapped = isinstance(catalog, staticmethod | classmethod | property)
    if not options and (wrapped or inspect.isroutine(catalog)):
        return decorated(catalog, None)
    return decorated


# -- how a Python function takes its arguments ------------------------------------------

_SCALARS = (datetime.date, datetime.time, datetime.timedelta, Decimal, PurePath, UUID)
_KINDS = inspect._ParameterKind


class _Taken:
    """
    The arguments of one call, put to the parameters of a function as Python does.

    Raises:
        TypeError: there are too many by position, or one is given twice.
    """

    def __init__(
        self, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
        by_name = (_KINDS.POSITIONAL_OR_KEYWORD, _KINDS.KEYWORD_ONLY)
        known = {name: value for name, value in kwargs.items() if kinds.get(name) in by_name}
        self.bound = signature.bind_partial(*args, **known)
        self.others = {name: value for name, value in kwargs.items() if name not in known}
        """What was given by a name that the function does not have."""
        several = (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD)
        self._named = {name for name, kind in kinds.items() if kind not in several}

    def named(self) -> dict[str, Any]:
        """Return what has a name: not what goes to `*args`."""
        given = self.bound.arguments.items()
        return {**{n: value for n, value in given if n in self._named}, **self.others}

    def with_named(self, values: Mapping[str, Any]) -> Ready:
        """Return how the function is called with these named arguments in place of those that there are."""
        given = self.bound.arguments.items()
        kept = {n: value for n, value in given if n not in self._named and n not in self.others}
        kept |= {n: value for n, value in values.items() if n in self._named}
        bound = inspect.BoundArguments(self.bound.signature, kept)
        others = {n: value for n, value in values.items() if n not in self._named}
        return bound.args, {**bound.kwargs, **others}


def _json_view(value: Any, depth: int = 0) -> Any:
    """
    Return what a value is in JSON: a date is a text, a model or a dataclass an object, an enum its value.

    Raises:
        UnreadableError: JSON has nothing for it.

    Example:
        >>> _json_view({"day": datetime.date(2024, 8, 15), "sizes": {3}})
        {'day': '2024-08-15', 'sizes': [3]}
    """
    if depth > MAX_DEPTH:
        return plain(value)  # which says that it is nested too deep
    if isinstance(value, Enum):
        return _json_view(value.value, depth)
    if isinstance(value, dict):
        return {plain(name): _json_view(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_view(inner, depth + 1) for inner in value]
    if isinstance(value, BaseModel):
        return _json_view(dict(value), depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return _json_view(fields, depth)
    return to_jsonable_python(value) if isinstance(value, _SCALARS) else plain(value)


def _readable(name: str, value: Any) -> tuple[bool, Any]:
    """
    Return whether an argument can be judged, and what it is in JSON.

    Raises:
        LimitError: it is beyond the bounds of what is judged, so that nobody passes it by its size.
    """
    try:
        return True, plain(_json_view(value))
    except UnreadableError as error:
        if error.kind is LimitError:
            raise LimitError(error.what, where=f"argument {shown(name)}", hint=error.hint) from None
        return False, None
    except RecursionError:
        raise LimitError("the value is nested too deep.", where=f"argument {shown(name)}") from None


def _catalog_of(function: Callable[..., Any], name: str) -> Catalog:
    """
    Return a catalog of one tool, made from what a function says of itself.

    Left out are `self` and `cls` of methods and parameters of types that JSON does not have, as a session of
    a database: they are the caller's own matter and not judged.
    """
    signature = inspect.signature(function)
    holder: Any = (
        function  # of the hints: not a partial, and of what is called like a function its method
    )
    while hasattr(holder, "func"):
        holder = holder.func
    holder = inspect.unwrap(holder)
    if isinstance(holder, type):
        holder = inspect.getattr_static(holder, "__init__")
    elif not inspect.isroutine(holder):
        holder = type(holder).__call__
    try:
        hints = typing.get_type_hints(holder, include_extras=True)
    except Exception as error:  # whatever text stands in a hint is looked up
        raise InputError(
            f"the type hints of {name} cannot be read: {error}",
            hint="Give a catalog, or types that it knows.",
        ) from None
    kept = []
    for number, (own, parameter) in enumerate(signature.parameters.items()):
        is_receiver = number == 0 and own in ("self", "cls") and own not in hints
        if not is_receiver and _has_schema(hints.get(own, Any)):
            kept.append(parameter.replace(annotation=hints.get(own, parameter.empty)))

    def stand_in() -> None: ...

    stand_in.__name__ = name if name.isidentifier() else "function"
    stand_in.__doc__ = inspect.getdoc(function)
    annotations = {p.name: p.annotation for p in kept if p.annotation is not p.empty}
    if _has_schema(hints.get("return", Any)):
        annotations["return"] = hints.get("return", Any)
    stand_in.__annotations__ = annotations
    stand_in.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    tool = load_catalog([stand_in]).tools[0]
    return Catalog(tools=(tool.model_copy(update={"name": name}),), format="functions")


def _has_schema(hint: Any) -> bool:
    try:
        TypeAdapter(hint).json_schema()
    except (PydanticUserError, TypeError, ValueError, NameError, RecursionError):
        return False
    return True


# -- judging a call, and getting it ready to run -----------------------------------------


@dataclass(slots=True)
class _Attempt:
    """
    One call of a guarded function, as it was judged.

    Attributes:
        given: the arguments, by position and by name.
        taken: the same, by parameter.
        call: the call that was judged.
        originals: what was given, by parameter of the tool.
        hidden: arguments that JSON does not have, by the label under which they were judged.
        known: what memory held.
        store: where memory is written to, if it can be.
        result: what the repair says.
    """

    guard: _Guard
    given: Ready
    taken: _Taken
    call: Call
    originals: dict[str, Any]
    hidden: dict[str, Any]
    known: dict[str, Any]
    store: MutableMapping[str, Any] | None
    result: RepairResult = field(init=False)

    def as_given(self) -> Ready | None:
        """Return the arguments of a call that is right: as given, with what references read from memory."""
        if self.result.verdict != "valid":
            return None
        sources = self.call.arguments.values()
        labels = (
            s.label if isinstance(s, Reference) else "" for s in sources if s.kind != "constant"
        )
        if all(label in self.hidden for label in labels):
            return self.given
        return self.arguments(self.call, self.known)

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
        named, state = self.taken.named(), self.guard.state
        if state is not None:
            held = self.taken.bound.arguments.get(state, {})
            kept = {name: value for name, value in held.items() if name not in self.originals}
            return self.taken.with_named({**named, state: {**kept, **repaired}})
        own = {called: name for name, called in self.guard.names.items()}
        judged = {own.get(name, name) for name in self.originals}
        rest = {name: value for name, value in named.items() if name not in judged}
        by_own = {own.get(name, name): value for name, value in repaired.items()}
        return self.taken.with_named({**rest, **by_own})


@dataclass
class _Guard:
    """Stands in front of one function; see `guarded` for what it takes."""

    function: Callable[..., Any]
    catalog: Any
    _: KW_ONLY
    tool: str | None = None
    memory: Any = None
    tools: Any = ()
    parameters: Mapping[str, str] | None = None
    state: str | None = None
    execute_if_fixed: bool = False
    ask: AskBy = None
    confirm: ConfirmBy = None
    remember: str | None = None
    timeout: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look at the function, the options and a catalog at hand, which the first call compiles."""
        function = self.function
        if isinstance(function, staticmethod) or not callable(function):
            raise InputError(
                f"a value of type {shown(type(function).__name__)} cannot be guarded.",
                hint="Put it below @classmethod, @staticmethod and @property.",
            )
        if inspect.isroutine(self.catalog):
            raise InputError(
                "guarded was given a function in place of a catalog.",
                hint="Give options alone, as in @guarded(timeout=5), or a list of functions.",
            )
        inner: Any = function
        while hasattr(inner, "func"):
            inner = inner.func
        name = str(getattr(inner, "__name__", type(inner).__name__))
        try:
            self.signature = inspect.signature(function)
        except ValueError:
            hint = "Wrap it in a function of your own."
            raise InputError(f"nobody knows what {name} takes.", hint=hint) from None
        self.name = self.tool if self.tool is not None else name
        self.functions = self.tools if isinstance(self.tools, Tools) else Tools(self.tools)
        self.names = dict(self.parameters or {})
        self.timeout = seconds(self.timeout, "timeout", zero=False)
        self._lock = threading.Lock()
        self._compiled: tuple[Refractor, Tool] | None = None
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        own = self.signature.parameters
        for name in self.names:
            if name not in own or self.state is not None:
                raise InputError(
                    f"parameters: the function has no parameter {shown(name)!r} to call otherwise."
                )
        if self.state is not None and self.state not in own:
            raise InputError(
                f"state: the function has no parameter {shown(self.state)!r}.",
                hint=f"It has: {', '.join(map(shown, own)) or 'none'}.",
            )
        if self.catalog is None and (self.state is not None or len(self.functions)):
            what = "state" if self.state is not None else "tools"
            hint = "A function says nothing of other tools."
            raise InputError(f"{what} needs a catalog.", hint=hint)
        if isinstance(self.catalog, Refractor):
            refuse_options(None, self.options)
            self._declared(self.catalog.catalog)
        elif not (
            self.catalog is None
            or isinstance(self.catalog, Path)  # it may come later, as may types that functions name
            or functions.FORMAT.detects(self.catalog)
        ):
            self.catalog = load_catalog(self.catalog)
            self._declared(self.catalog)

    def _declared(self, catalog: Catalog) -> Tool:
        tool = catalog.by_name.get(self.name)
        if tool is None:
            known = shown(", ".join(map(shown, catalog.by_name)) or "none", 200)
            raise InputError(
                f"the catalog has no tool {shown(self.name)!r}.",
                hint=f"Say which one the function is with `tool`. There is: {known}.",
            )
        return tool

    def _ready(self) -> tuple[Refractor, Tool]:
        """Return what judges, compiled once however many threads ask at the same time."""
        with self._lock:
            if self._compiled is None:
                if isinstance(self.catalog, Refractor):
                    self._compiled = self.catalog, self._declared(self.catalog.catalog)
                else:
                    is_own = self.catalog is None
                    catalog = (
                        _catalog_of(self.function, self.name)
                        if is_own
                        else load_catalog(self.catalog)
                    )
                    tool = self._declared(catalog)
                    if self.execute_if_fixed:  # a call that cannot be run repairs nothing
                        catalog = catalog.filter({tool.name, *self.functions})
                    self._compiled = Refractor(catalog, **self.options), tool
            return self._compiled

    def judged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Attempt:
        """Judge a call: say what is wrong, and what it may have meant."""
        refractor, tool = self._ready()
        memory = self.memory() if callable(self.memory) else self.memory
        store = memory if isinstance(memory, MutableMapping) else None
        held = load_memory(dict(memory) if isinstance(memory, Mapping) else memory).values
        # Arguments go by the names that the function has for them, also where the tool's were used.
        own = self.signature.parameters
        renamed = {called: name for name, called in self.names.items() if called not in own}
        for called in kwargs.keys() & renamed.keys():
            if renamed[called] in kwargs:
                twice = f"{called} twice, the second time as {renamed[called]}"
                raise TypeError(f"{self.name} got {twice}")
        kwargs = {renamed.get(name, name): value for name, value in kwargs.items()}
        taken = _Taken(self.signature, args, kwargs)
        originals, unread = self._judged_arguments(taken, tool)
        known = {**unread, **held}
        hidden: dict[str, Any] = {}
        arguments: dict[str, Source] = {}
        for name, value in originals.items():
            is_readable, copy = _readable(name, value)
            if is_readable and refractor.references is False:
                arguments[name] = Constant(value=copy)
            elif is_readable:
                arguments[name] = read_source(copy, where=f"argument {shown(name)}")
            else:
                labels = (f"{name}_{n}" if n > 1 else name for n in count(1))
                label = next(each for each in labels if each not in known and each not in hidden)
                hidden[label] = value
                arguments[name] = Reference(label=label)
        call = Call(name=tool.name, arguments=arguments)
        attempt = _Attempt(self, (args, kwargs), taken, call, originals, hidden, known, store)
        attempt.result = refractor.repair(
            Sequence(calls=(call,)), Memory(values=known), attempt.history
        )
        return attempt

    def _judged_arguments(self, taken: _Taken, tool: Tool) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what is judged, by parameter of the tool, and what else the state holds."""
        judged = {}
        if self.state is not None:
            given = taken.bound.arguments.get(self.state, {})
            if not isinstance(given, Mapping):
                kind = shown(type(given).__name__)
                raise InputError(f"{shown(self.state)} is a {kind}, no dict of arguments.")
            others = {}
            for name, value in given.items():
                if name in tool.parameters:
                    judged[name] = value
                elif isinstance(name, str):
                    try:
                        others[name] = plain(value)
                    except (UnreadableError, RecursionError):
                        continue  # it cannot be known to the rules
            return judged, others
        for name, value in taken.named().items():
            called = self.names.get(name, name)
            if called in tool.parameters or name in taken.others:
                judged[called] = value
        for name, parameter in self.signature.parameters.items():
            called = self.names.get(name, name)
            declared = tool.parameters.get(called)
            if called in judged or declared is None or not declared.required:
                continue
            if parameter.default is not parameter.empty and parameter.default is not None:
                judged[called] = parameter.default  # the function gets it, whoever says so
        return judged, {}

    async def fixed(self, attempt: _Attempt) -> Ready | RepairResult:
        """Run what has to run before, and return the repaired arguments; or the result if that cannot be."""
        result = attempt.result
        refractor, tool = self._ready()
        agreed = await self._agreed(attempt, refractor)
        positions = result.outcomes[0].positions
        if isinstance(agreed, RepairResult):
            return agreed
        if len(positions) != 1:
            return result  # the repair makes several calls of it, or none
        before, own = agreed.calls[: positions[0]], agreed.calls[positions[0]]
        if any(call.name not in self.functions for call in before):
            return result
        values = attempt.known
        if before:
            values = {**values, **await self._made(before, refractor.catalog, attempt)}
            alone = Sequence(calls=(own.model_copy(update={"label": None}),))
            again = await refractor.repair_async(alone, Memory(values=values), attempt.history)
            if again.verdict != "valid":
                return again  # what came is not what the catalog promised
        about = {"tool": tool.name, "calls_before": len(before)}
        _log.info("repaired a call of %s", tool.name, extra=about)
        return attempt.arguments(own, values)

    async def _agreed(self, attempt: _Attempt, refractor: Refractor) -> Sequence | RepairResult:
        """Return the repaired sequence with nothing open in it, or a result that is left to the caller."""
        result = attempt.result
        if result.verdict != "needs_input":
            return result.sequence if result.verdict == "repaired" else result
        answers: dict[str, Any] = {}
        for name, question in SequenceScript(result, catalog=refractor.catalog).questions.items():
            by_name = isinstance(self.ask, Mapping)
            value = self.ask.get(name) if by_name else await _said(self.ask, question)  # type: ignore[union-attr, arg-type]
            if value is None:
                return result
            answers[name] = value
        for asked in result.confirms:
            call = result.sequence.calls[asked.call]
            given = {name: source_value(source) for name, source in call.arguments.items()}
            about = Agreement(asked.call, call.name, call.label, given, asked.confirm, asked.reason)
            confirm = self.confirm
            if (confirm if isinstance(confirm, bool) else await _said(confirm, about)) is not True:
                return result
        sequence = result.answer(answers, confirmed=True)
        memory = Memory(values=dict(attempt.known))
        report = await refractor.check_async(sequence, memory, attempt.history)
        if report.verdict != "valid":  # what was answered does not fit
            return await refractor.repair_async(sequence, memory, attempt.history)
        return sequence

    async def _made(
        self, calls: tuple[Call, ...], catalog: Catalog, attempt: _Attempt
    ) -> dict[str, Any]:
        """
        Make calls, and return what they give by label; the store gets it too, though one of them failed.

        Raises:
            ToolError: one of them gave nothing.
        """
        memory = Memory(values=dict(attempt.known))
        done = await run_async(
            Sequence(calls=calls),
            self.functions,
            catalog=catalog,
            memory=memory,
            timeout=self.timeout,
        )
        if attempt.store is not None:
            attempt.store.update(done.values)
        for outcome in done.outcomes:
            if outcome.error is not None:
                raise outcome.error
        for outcome in done.outcomes:
            if outcome.status != "succeeded":
                what = f"it was not run: {outcome.reason}" if outcome.reason else "it was not run."
                raise ToolFailedError(shown(what, 300), tool=outcome.tool)
        return done.values

    def remembered(self, attempt: _Attempt, value: T) -> T:
        """Put what the function gave into memory, if that is wanted and a JSON value."""
        if self.remember is not None and attempt.store is not None:
            try:
                attempt.store[self.remember] = plain(value)
            except UnreadableError:
                _log.warning("what %s gave is no JSON value and not remembered", self.name)
        return value


async def _said(by: Callable[[Any], Any] | None, what: Any) -> Any:
    """Return what somebody says; a function that is not async has a thread to wait in."""
    if by is None:
        return None
    said = by(what) if inspect.iscoroutinefunction(by) else await asyncio.to_thread(by, what)
    return await said if inspect.isawaitable(said) else said


def filled(source: Source, values: Mapping[str, Any]) -> Any:
    """
    Return the value of a source; inside a text, a name that nothing is known of is text.

    Args:
        source: what an argument is bound to.
        values: what is known, by label.

    Raises:
        BadArgumentError: what it reads is not there, or has still to be asked.

    Example:
        >>> filled(Reference(label="var1", path=("geoId",)), {"var1": {"geoId": "foo"}})
        'foo'
    """

    def read(slot: Reference | Ask, in_text: bool) -> Any:
        if isinstance(slot, Ask):
            raise BadArgumentError(f"{shown(slot.name)} has still to be asked.")
        if slot.label in values:
            return at_path(values[slot.label], slot.path, slot.label)
        if in_text and not slot.path:
            return slot.spelt()
        raise BadArgumentError(
            "nothing is known of it.", where=reference_text(slot.label, slot.path)
        )

    return value_of(source, read)
