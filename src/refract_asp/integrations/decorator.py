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
import contextlib
import functools
import inspect
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import KW_ONLY, dataclass, field, fields
from itertools import count
from typing import Any, ParamSpec, TypeAlias, TypeVar

from pydantic_core import PydanticSerializationError, to_jsonable_python

from refract_asp.errors import BadArgumentError, InputError, LimitError, shown
from refract_asp.formats import load_catalog, load_memory
from refract_asp.formats.references import read_source
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model import Call, Catalog, Constant, Memory, RepairResult, Sequence, Tool
from refract_asp.model.paths import only, without
from refract_asp.model.sequence import Reference, Source
from refract_asp.options import refuse_options
from refract_asp.refractor import Refractor
from refract_asp.runtime import run_async
from refract_asp.runtime.calling import run_to_end
from refract_asp.runtime.scripts import value_of
from refract_asp.runtime.tools import Tools, bind

__all__ = ["guarded"]

GIVEN = "given"
"""The tool of the calls that stand for arguments which JSON does not have; no catalog describes it."""

P = ParamSpec("P")
T = TypeVar("T")
Ready: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments that the function is called with, by position and by name."""

_log = logging.getLogger("refract_asp.integrations")


def guarded(catalog: Any = None, **options: Any) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
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
        catalog: a `Refractor`, or a catalog as `Catalog.load` takes it, compiled with the first call. Without
            one the tool is made from the function: from its signature, type hints and docstring.
        tool: the name that the function has in the catalog, if not its own.
        memory: values already known: a dict, which also takes what recovery calls give, a `Memory` or
            anything that `Memory.load` takes, or a function without arguments that gives one of them for a
            call.
        tools: functions for the tools that a repair may call before, as `runtime.tools.Tools` takes them.
        state: the parameter that takes a dict with the arguments as its keys. Keys that are no parameters
            of the tool are left alone, and count as known values. Repaired values stand in a copy, which the
            function gets; the dict that the caller gave stays as it is.
        execute_if_fixed: whether a call that can be repaired runs repaired. Calls that are needed before run
            through `tools` first, in order, and memory gets what they give under their labels. What is open,
            cannot be repaired or needs a tool that `tools` lacks comes back as a result.
        options: what `Refractor` takes besides the catalog.

    Raises:
        InputError: from the decorator or from the first call: the catalog lacks the tool, or the options
            contradict each other.
        ToolError: from a call that was repaired: a call before it failed; the function did not run. Where
            that call gave something else than the catalog promised, the result of what is left comes back.

    Example:
        >>> @guarded()
        ... def greet(name: str, times: int = 1) -> str:
        ...     return ", ".join(["hello"] * times) + f" {name}"
        >>> greet("Ada", times=2)
        'hello, hello Ada'
        >>> greet("Ada", tims=2).diff().splitlines()[1]
        '+ greet(name="Ada", times=2)'
    """
    own = {each.name for each in fields(_Guard)} & options.keys()
    settings = {name: options.pop(name) for name in own}

    def decorated(function: Any) -> Any:
        guard = _Guard(function, catalog, **settings, options=options)

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            attempt = _Attempt(guard, args, kwargs)
            ready = attempt.as_given() or attempt.result
            if isinstance(ready, RepairResult) and guard.execute_if_fixed:
                ready = run_to_end(attempt.fixed())
            return ready if isinstance(ready, RepairResult) else function(*ready[0], **ready[1])

        @functools.wraps(function)
        async def run_in_loop(*args: Any, **kwargs: Any) -> Any:
            attempt = await asyncio.to_thread(_Attempt, guard, args, kwargs)
            ready = attempt.as_given() or attempt.result
            if isinstance(ready, RepairResult) and guard.execute_if_fixed:
                ready = await attempt.fixed()
            if isinstance(ready, RepairResult):
                return ready
            return await function(*ready[0], **ready[1])

        return run_in_loop if bind(function).is_async else run

    return decorated


def _readable(name: str, value: Any) -> Constant | None:
    """
    Return what an argument is in JSON, or None where it is nothing there and cannot be judged.

    Raises:
        LimitError: it is beyond the bounds of what is judged, so that nobody passes it by its size.
    """
    where = f"argument {shown(name)}"
    if isinstance(value, Iterator):  # to read it would use it up
        return None
    try:
        return Constant(value=plain(to_jsonable_python(value)))
    except UnreadableError as error:
        if error.kind is LimitError:
            raise LimitError(error.what, where=where, hint=error.hint) from None
    except PydanticSerializationError:
        pass
    except (ValueError, RecursionError):  # it holds itself
        raise LimitError("the value is nested too deep.", where=where) from None
    return None


class _Attempt:
    """
    One call of a guarded function: its arguments, put to the parameters as Python does, and how it was judged.

    Attributes:
        call: the call that was judged.
        result: what the repair says.

    Raises:
        TypeError: there are too many arguments by position, or one is given twice.
    """

    def __init__(self, guard: _Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        refractor, tool = guard.compiled()
        memory = guard.memory() if callable(guard.memory) else guard.memory
        self._store = memory if isinstance(memory, MutableMapping) else None
        held = load_memory(dict(memory) if isinstance(memory, Mapping) else memory).values
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        parameters = guard.signature.parameters.values()
        self._guard, self._given, self._tool = guard, (args, kwargs), tool
        self._own = {each.name for each in parameters if each.kind not in several}
        positional = {each.name for each in parameters if each.kind is each.POSITIONAL_ONLY}
        named = {n: kwargs[n] for n in kwargs.keys() & (self._own - positional)}
        self._bound = guard.signature.bind_partial(*args, **named)
        self._others = without(kwargs, named)
        taken = self._bound.arguments
        # what has a name: not what goes to `*args`
        self._named = only(taken, self._own) | self._others
        # what is judged: that, or what the parameter holds that takes a state
        self._state = self._named if guard.state is None else taken.get(guard.state, {})
        self._originals, unread = self._for_tool()
        self._known = {**unread, **held}
        # what JSON does not have, by the label that stands for it
        self._hidden: dict[str, Any] = {}
        arguments = {name: self._source(name, value) for name, value in self._originals.items()}
        self.call = Call(name=tool.name, arguments=arguments)
        self._history = tuple(Call(name=GIVEN, label=label) for label in self._hidden)
        calls, known = Sequence(calls=(self.call,)), Memory(values=self._known)
        self.result = refractor.repair(calls, known, self._history)

    def _source(self, name: str, value: Any) -> Source:
        """Return what stands for an argument in the call that is judged."""
        readable = _readable(name, value)
        if readable is None:
            labels = (f"{name}_{n}" if n > 1 else name for n in count(1))
            taken = self._known.keys() | self._hidden.keys()
            label = next(each for each in labels if each not in taken)
            self._hidden[label] = value
            return Reference(label=label)
        if self._guard.compiled()[0].references is False:
            return readable
        return read_source(readable.value, where=f"argument {shown(name)}")

    def _for_tool(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what is judged, by parameter of the tool, and what else the state holds."""
        declared, others = self._tool.parameters, dict[str, Any]()
        if self._guard.state is not None:
            if not isinstance(self._state, Mapping):
                kind = shown(type(self._state).__name__)
                raise InputError(f"{shown(self._guard.state)} is a {kind}, no dict of arguments.")
            for name in self._state.keys() - declared.keys():
                with contextlib.suppress(LimitError):  # then it cannot be known to the rules
                    readable = _readable(str(name), self._state[name])
                    if readable is not None and isinstance(name, str):
                        others[name] = readable.value
            return only(self._state, declared), others
        judged = only(self._named, declared.keys() | self._others.keys())
        for name, parameter in self._guard.signature.parameters.items():
            is_absent = name not in judged and name in declared and declared[name].required
            if is_absent and parameter.default not in (parameter.empty, None):
                judged[name] = parameter.default  # the function gets it, whoever says so
        return judged, others

    def as_given(self) -> Ready | None:
        """Return the arguments of a call that is right: as given, with what references read from memory."""
        if self.result.verdict != "valid":
            return None
        for source in self.call.arguments.values():
            is_hidden = isinstance(source, Reference) and source.label in self._hidden
            if not isinstance(source, Constant) and not is_hidden:
                return self._arguments(self.call, self._known)
        return self._given

    async def fixed(self) -> Ready | RepairResult:
        """Run what has to run before, and return the repaired arguments; or the result if that cannot be."""
        result, functions = self.result, self._guard.functions
        if result.verdict != "repaired" or len(result.outcomes[0].positions) != 1:
            return result  # something is open, or the repair makes several calls of it, or none
        (position,) = result.outcomes[0].positions
        before, own = result.sequence.calls[:position], result.sequence.calls[position]
        if any(call.name not in functions for call in before):
            return result
        values = self._known
        if before:
            refractor, _ = self._guard.compiled()
            how: Any = {"catalog": refractor.catalog, "memory": Memory(values=values)}
            done = await run_async(Sequence(calls=before), functions, **how)
            if self._store is not None:
                self._store.update(done.values)
            for outcome in done.outcomes:
                if outcome.error is not None:
                    raise outcome.error
            values = {**values, **done.values}
            alone = Sequence(calls=(own.model_copy(update={"label": None}),))
            again = await refractor.repair_async(alone, Memory(values=values), self._history)
            if again.verdict != "valid":
                return again  # what came is not what the catalog promised
        about = {"tool": self._tool.name, "calls_before": len(before)}
        _log.info("repaired a call of %s", self._tool.name, extra=about)
        return self._arguments(own, values)

    def _arguments(self, call: Call, values: Mapping[str, Any]) -> Ready:
        """Return how the function is called so that it gets the arguments of a repaired call."""
        renamed = {e.after: e.before for e in self.result.edits if e.kind == "rename_parameter"}
        given = without(self._state, self._originals)
        for name, source in call.arguments.items():
            before = name if name in self._originals else renamed.get(name, name)
            if isinstance(source, Constant) and self.call.arguments.get(before) == source:
                given[name] = self._originals[before]
                continue
            try:
                given[name] = value_of(source, {**values, **self._hidden})
            except BadArgumentError as error:
                what, where, hint = error.what, error.where, error.hint
                raise BadArgumentError(what, tool=self._tool.name, where=where, hint=hint) from None
        if self._guard.state is not None:
            given = {**self._named, self._guard.state: given}
        kept = without(self._bound.arguments, self._own) | only(given, self._own)
        bound = inspect.BoundArguments(self._bound.signature, kept)
        return bound.args, {**bound.kwargs, **without(given, self._own)}


@dataclass
class _Guard:
    """Stands in front of one function; see `guarded` for what it takes."""

    function: Callable[..., Any]
    catalog: Any
    _: KW_ONLY
    tool: str | None = None
    memory: Any = None
    tools: Any = ()
    state: str | None = None
    execute_if_fixed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look at the function and the options; the catalog is compiled by the first call."""
        if isinstance(self.function, staticmethod) or not callable(self.function):
            kind = shown(type(self.function).__name__)
            hint = "Put it below @classmethod, @staticmethod and @property."
            raise InputError(f"a value of type {kind} cannot be guarded.", hint=hint)
        inner: Any = self.function
        while hasattr(inner, "func"):
            inner = inner.func
        self.name = self.tool or str(getattr(inner, "__name__", type(inner).__name__))
        self.signature = inspect.signature(self.function)
        self.functions = self.tools if isinstance(self.tools, Tools) else Tools(self.tools)
        self._lock = threading.Lock()
        self._compiled: tuple[Refractor, Tool] | None = None
        own = self.signature.parameters
        if self.state is not None and self.state not in own:
            what = f"state: the function has no parameter {shown(self.state)!r}."
            hint = f"It has: {', '.join(map(shown, own)) or 'none'}."
            raise InputError(what, hint=hint)
        if self.catalog is None and (self.state is not None or len(self.functions)):
            what = "state" if self.state is not None else "tools"
            hint = "A function says nothing of other tools."
            raise InputError(f"{what} needs a catalog.", hint=hint)
        if isinstance(self.catalog, Refractor):
            refuse_options(None, self.options)

    def compiled(self) -> tuple[Refractor, Tool]:
        """Return what judges, compiled once however many threads ask at the same time."""
        with self._lock:
            if self._compiled is not None:
                return self._compiled
            given, function = self.catalog, self.function
            if isinstance(given, Refractor):
                catalog = given.catalog
            elif given is not None:
                catalog = load_catalog(given)
            else:  # what the function says of itself, but for `self`
                if next(iter(self.signature.parameters), "") in ("self", "cls"):
                    function = functools.partial(function, None)
                (tool,) = load_catalog([function]).tools
                named = tool.model_copy(update={"name": self.name})
                catalog = Catalog(tools=(named,), format="functions")
            if self.name not in catalog.by_name:
                known = shown(", ".join(map(shown, catalog.by_name)) or "none", 200)
                hint = f"Say which one the function is with `tool`. There is: {known}."
                raise InputError(f"the catalog has no tool {shown(self.name)!r}.", hint=hint)
            tool = catalog.by_name[self.name]
            if self.execute_if_fixed:  # a call that cannot be run repairs nothing
                catalog = catalog.filter({tool.name, *self.functions})
            is_made = isinstance(given, Refractor)
            self._compiled = given if is_made else Refractor(catalog, **self.options), tool
            return self._compiled
