"""
What the decorator does with a call: it is judged, repaired where that is wanted, and got ready to run.

A call is judged as a sequence of one call against the catalog and what memory holds at that moment. An
argument that JSON does not have stands in it as a reference to a call that was executed by a tool that
nobody knows, of whose output everything may be true: so it fits wherever it goes, is kept or renamed as any
other argument, and never changed.
"""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, TypeVar

from refract_asp.errors import InputError, shown
from refract_asp.formats import functions, load_catalog, load_memory
from refract_asp.formats.references import read_source
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.integrations.attempt import Attempt, Ready
from refract_asp.integrations.recovering import made, settled
from refract_asp.integrations.signature import Taken, catalog_of_function, name_of, readable, taken
from refract_asp.model import Call, Catalog, Memory, Reference, RepairResult, Sequence, Source, Tool
from refract_asp.refractor import Refractor
from refract_asp.runtime.people import AskBy, ConfirmBy
from refract_asp.runtime.tools import Tools
from refract_asp.settings import seconds

__all__ = ["Guard"]

T = TypeVar("T")

_log = logging.getLogger("refract_asp.integrations")


class Guard:
    """Stands in front of one function; see `decorator.guarded` for what it takes."""

    def __init__(
        self,
        function: Callable[..., Any],
        catalog: Any,
        *,
        tool: str | None,
        memory: Any,
        tools: Any,
        parameters: Mapping[str, str] | None,
        state: str | None,
        execute_if_fixed: bool,
        ask: AskBy,
        confirm: ConfirmBy,
        remember: str | None,
        timeout: float | None,
        options: Mapping[str, Any],
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
                f"nobody knows what {name_of(function)} takes.", hint="Wrap it in a function of your own."
            ) from None
        self.name = tool if tool is not None else name_of(function)
        self.execute_if_fixed = bool(execute_if_fixed)
        self._function = function
        self._catalog = catalog
        self._options = dict(options)
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
            raise InputError(f"{what} needs a catalog.", hint="A function says nothing of other tools.")
        if isinstance(self._catalog, Refractor) and self._options:
            names = ", ".join(map(shown, self._options))
            raise InputError(
                f"a Refractor takes no more options: {names}.", hint="Give them to the Refractor."
            )
        if isinstance(self._catalog, Refractor):
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
            if is_readable:
                arguments[name] = read_source(copy, where=f"argument {shown(name)}")
            else:
                label = _free(name, {*known, *hidden})
                hidden[label] = value
                arguments[name] = Reference(label=label)
        call = Call(name=tool.name, arguments=arguments)
        attempt = Attempt(
            args, kwargs, parts, call, originals, hidden, known, store, self._names, self._state
        )
        attempt.result = refractor.repair(Sequence(calls=(call,)), Memory(values=known), attempt.history)
        return attempt

    def _by_own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return arguments under the names that the function has for them, where the tool's were used."""
        own = self.signature.parameters
        renamed = {called: name for name, called in self._names.items() if called not in own}
        for called in kwargs.keys() & renamed.keys():
            if renamed[called] in kwargs:
                raise TypeError(f"{self.name} got {called} twice, the second time as {renamed[called]}")
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
            catalog = catalog.filter({tool.name, *self._tools})  # a call that cannot be run repairs nothing
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
        agreed = await settled(result, refractor, attempt.known, attempt.history, self._ask, self._confirm)
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
        _log.info("repaired a call of %s", tool.name, extra={"tool": tool.name, "calls_before": len(before)})
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
