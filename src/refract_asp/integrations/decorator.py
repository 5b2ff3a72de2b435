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
from refract_asp.integrations.hook import filled
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
from refract_asp.runtime import run_async
from refract_asp.runtime.calling import run_to_end
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
            attempt = guard.judged(args, kwargs)
            ready = attempt.as_given() or attempt.result
            if isinstance(ready, RepairResult) and guard.execute_if_fixed:
                ready = run_to_end(guard.fixed(attempt))
            return ready if isinstance(ready, RepairResult) else function(*ready[0], **ready[1])

        @functools.wraps(function)
        async def run_in_loop(*args: Any, **kwargs: Any) -> Any:
            attempt = await asyncio.to_thread(guard.judged, args, kwargs)
            ready = attempt.as_given() or attempt.result
            if isinstance(ready, RepairResult) and guard.execute_if_fixed:
                ready = await guard.fixed(attempt)
            if isinstance(ready, RepairResult):
                return ready
            return await function(*ready[0], **ready[1])

        return run_in_loop if bind(function).is_async else run

    return decorated


class _Taken:
    """
    The arguments of one call, put to the parameters of a function as Python does.

    Raises:
        TypeError: there are too many by position, or one is given twice.
    """

    def __init__(
        self, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        parameters = signature.parameters.values()
        self._named = {each.name for each in parameters if each.kind not in several}
        positional = {each.name for each in parameters if each.kind is each.POSITIONAL_ONLY}
        known = {n: kwargs[n] for n in kwargs.keys() & (self._named - positional)}
        self.bound = signature.bind_partial(*args, **known)
        self.others = {name: value for name, value in kwargs.items() if name not in known}
        """What was given by a name that the function does not have."""

    def named(self) -> dict[str, Any]:
        """Return what has a name: not what goes to `*args`."""
        given = self.bound.arguments.items()
        return {**{name: value for name, value in given if name in self._named}, **self.others}

    def with_named(self, values: Mapping[str, Any]) -> Ready:
        """Return how the function is called with these named arguments in place of those that there are."""
        kept = {n: value for n, value in self.bound.arguments.items() if n not in self._named}
        kept |= {name: value for name, value in values.items() if name in self._named}
        bound = inspect.BoundArguments(self.bound.signature, kept)
        others = {name: value for name, value in values.items() if name not in self._named}
        return bound.args, {**bound.kwargs, **others}


def _readable(name: str, value: Any) -> tuple[bool, Any]:
    """
    Return whether an argument can be judged, and what it is in JSON.

    Raises:
        LimitError: it is beyond the bounds of what is judged, so that nobody passes it by its size.
    """
    where = f"argument {shown(name)}"
    if isinstance(value, Iterator):  # to read it would use it up
        return False, None
    try:
        return True, plain(to_jsonable_python(value))
    except UnreadableError as error:
        if error.kind is LimitError:
            raise LimitError(error.what, where=where, hint=error.hint) from None
    except PydanticSerializationError:
        pass
    except (ValueError, RecursionError):  # it holds itself
        raise LimitError("the value is nested too deep.", where=where) from None
    return False, None


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
        state: the parameter that takes the arguments, if one does.
        result: what the repair says.
    """

    given: Ready
    taken: _Taken
    call: Call
    originals: dict[str, Any]
    hidden: dict[str, Any]
    known: dict[str, Any]
    store: MutableMapping[str, Any] | None
    state: str | None
    result: RepairResult

    def as_given(self) -> Ready | None:
        """Return the arguments of a call that is right: as given, with what references read from memory."""
        if self.result.verdict != "valid":
            return None
        for source in self.call.arguments.values():
            is_hidden = isinstance(source, Reference) and source.label in self.hidden
            if not isinstance(source, Constant) and not is_hidden:
                return self.arguments(self.call, self.known)
        return self.given

    def arguments(self, call: Call, values: Mapping[str, Any]) -> Ready:
        """Return how the function is called so that it gets the arguments of a repaired call."""
        renamed = {e.after: e.before for e in self.result.edits if e.kind == "rename_parameter"}
        repaired: dict[str, Any] = {}
        for name, source in call.arguments.items():
            before = name if name in self.originals else renamed.get(name, name)
            if isinstance(source, Constant) and self.call.arguments.get(before) == source:
                repaired[name] = self.originals[before]
                continue
            try:
                repaired[name] = filled(source, {**values, **self.hidden})
            except BadArgumentError as error:
                where, hint = error.where, error.hint
                tool = self.call.name
                raise BadArgumentError(error.what, tool=tool, where=where, hint=hint) from None
        named = self.taken.named()
        if self.state is not None:
            named = self.taken.bound.arguments.get(self.state, {})
        kept = {name: value for name, value in named.items() if name not in self.originals}
        if self.state is None:
            return self.taken.with_named({**kept, **repaired})
        return self.taken.with_named({**self.taken.named(), self.state: {**kept, **repaired}})


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

    def _ready(self) -> tuple[Refractor, Tool]:
        """Return what judges, compiled once however many threads ask at the same time."""
        with self._lock:
            if self._compiled is None:
                given = self.catalog
                catalog = given.catalog if isinstance(given, Refractor) else self._loaded()
                tool = catalog.by_name.get(self.name)
                if tool is None:
                    known = shown(", ".join(map(shown, catalog.by_name)) or "none", 200)
                    hint = f"Say which one the function is with `tool`. There is: {known}."
                    raise InputError(f"the catalog has no tool {shown(self.name)!r}.", hint=hint)
                if self.execute_if_fixed:  # a call that cannot be run repairs nothing
                    catalog = catalog.filter({tool.name, *self.functions})
                is_made = isinstance(given, Refractor)
                self._compiled = given if is_made else Refractor(catalog, **self.options), tool
            return self._compiled

    def _loaded(self) -> Catalog:
        """Load the catalog, or make one from what the function says of itself, but for `self`."""
        if self.catalog is not None:
            return load_catalog(self.catalog)
        function = self.function
        if next(iter(self.signature.parameters), "") in ("self", "cls"):
            function = functools.partial(function, None)
        (tool,) = load_catalog([function]).tools
        return Catalog(tools=(tool.model_copy(update={"name": self.name}),), format="functions")

    def judged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Attempt:
        """Judge a call: say what is wrong, and what it may have meant."""
        refractor, tool = self._ready()
        memory = self.memory() if callable(self.memory) else self.memory
        store = memory if isinstance(memory, MutableMapping) else None
        held = load_memory(dict(memory) if isinstance(memory, Mapping) else memory).values
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
        history = tuple(Call(name=GIVEN, label=label) for label in hidden)
        result = refractor.repair(Sequence(calls=(call,)), Memory(values=known), history)
        given = args, kwargs
        return _Attempt(given, taken, call, originals, hidden, known, store, self.state, result)

    def _judged_arguments(self, taken: _Taken, tool: Tool) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what is judged, by parameter of the tool, and what else the state holds."""
        if self.state is not None:
            given = taken.bound.arguments.get(self.state, {})
            if not isinstance(given, Mapping):
                kind = shown(type(given).__name__)
                raise InputError(f"{shown(self.state)} is a {kind}, no dict of arguments.")
            others = {}
            for name in given.keys() - tool.parameters.keys():
                with contextlib.suppress(LimitError):  # then it cannot be known to the rules
                    is_readable, copy = _readable(str(name), given[name])
                    if is_readable and isinstance(name, str):
                        others[name] = copy
            return {name: given[name] for name in given if name in tool.parameters}, others
        judged = {
            name: value
            for name, value in taken.named().items()
            if name in tool.parameters or name in taken.others
        }
        for name, parameter in self.signature.parameters.items():
            declared = tool.parameters.get(name)
            is_absent = name not in judged and declared is not None and declared.required
            if is_absent and parameter.default not in (parameter.empty, None):
                judged[name] = parameter.default  # the function gets it, whoever says so
        return judged, {}

    async def fixed(self, attempt: _Attempt) -> Ready | RepairResult:
        """Run what has to run before, and return the repaired arguments; or the result if that cannot be."""
        result = attempt.result
        refractor, tool = self._ready()
        if result.verdict != "repaired" or len(result.outcomes[0].positions) != 1:
            return result  # something is open, or the repair makes several calls of it, or none
        (position,) = result.outcomes[0].positions
        before, own = result.sequence.calls[:position], result.sequence.calls[position]
        if any(call.name not in self.functions for call in before):
            return result
        values = attempt.known
        if before:
            done = await run_async(
                Sequence(calls=before),
                self.functions,
                catalog=refractor.catalog,
                memory=Memory(values=values),
            )
            if attempt.store is not None:
                attempt.store.update(done.values)
            for outcome in done.outcomes:
                if outcome.error is not None:
                    raise outcome.error
            values = {**values, **done.values}
            alone = Sequence(calls=(own.model_copy(update={"label": None}),))
            history = tuple(Call(name=GIVEN, label=label) for label in attempt.hidden)
            again = await refractor.repair_async(alone, Memory(values=values), history)
            if again.verdict != "valid":
                return again  # what came is not what the catalog promised
        about = {"tool": tool.name, "calls_before": len(before)}
        _log.info("repaired a call of %s", tool.name, extra=about)
        return attempt.arguments(own, values)
