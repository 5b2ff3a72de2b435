"""
The bottleneck that every call of a model goes through: whatever happens, it is answered by one text.

The stages are, and the first that fails ends the call: are there arguments, can they be read, is there such
a tool, do they fit it, the call itself, its text. The model gets the text, or a short line with an id; the
log gets everything, under the same id.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, TypedDict, Unpack

from pydantic import BaseModel, ValidationError

from refract_asp.errors import (
    LONGEST_TEXT,
    BadArgumentError,
    InputError,
    MalformedArgumentsError,
    MissingArgumentsError,
    ToolError,
    ToolFailedError,
    shown,
)
from refract_asp.formats import load_sequence
from refract_asp.formats.chat import ABSENT, lacks_arguments, step_into
from refract_asp.formats.python import bind_positions
from refract_asp.formats.references import NO_LABELS, to_value
from refract_asp.formats.values import UnreadableError, check_text, plain, read_json_text
from refract_asp.model import Call, Catalog, Constant, Sequence
from refract_asp.model.secrets import SecretRule
from refract_asp.model.sequence import Reference, slots_of
from refract_asp.refractor import Refractor
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.schemas.validation import BrokenSchemaError
from refract_asp.runtime.calling import call_tool, run_waiting, sync_twin
from refract_asp.runtime.failures import (
    LEAST_REPLY,
    LOG,
    MAX_REPLY,
    CallLog,
    Made,
    Mapper,
    Reply,
    default_mapper,
    error_text,
    new_id,
    text_of,
    told,
)
from refract_asp.runtime.tools import Arguments, Bound, Tools
from refract_asp.settings import function, refuse, seconds, whole_number

__all__ = ["ArgumentCheck", "Invoker", "invoke", "invoke_no_args", "invoke_with_args"]

# -- arguments -----------------------------------------------------------------


def decoded(raw: Any, tool: str) -> dict[str, Any]:
    """
    Return the arguments that were given as data or as JSON text, in which slips are mended.

    An empty text and the text `null` are no arguments, `{}`, as providers write them; None is none at all.

    Raises:
        MissingArgumentsError: there are none at all.
        MalformedArgumentsError: they cannot be read.

    Example:
        >>> decoded("{'temperature': 70,}", "set_current_temperature")
        {'temperature': 70}
    """
    if raw is None:
        raise _missing(tool)
    try:
        if isinstance(raw, str):
            raw = read_json_text(check_text(raw))[0] if raw.strip() else {}
            raw = {} if raw is None else raw
        value = plain(dict(raw) if isinstance(raw, Mapping) and type(raw) is not dict else raw)
        if isinstance(value, dict):
            return value
        raise UnreadableError("an object of names and values is needed.")
    except UnreadableError as error:
        place = f"{'.'.join(shown(step, 40) for step in error.place)}: " if error.place else ""
        raise MalformedArgumentsError(place + error.what, tool=tool, hint=error.hint) from None


def _missing(tool: str) -> MissingArgumentsError:
    hint = "An object without members is {}."
    return MissingArgumentsError("the arguments are missing.", tool=tool, hint=hint)


def arguments_of_call(call: Call) -> Arguments:
    """
    Return the values that a call gives by name, and those by position.

    Raises:
        MissingArgumentsError, MalformedArgumentsError: there are none at all, or they cannot be read.
        BadArgumentError: one of them is not known here: it reads another call or has to be asked, or the call
            has to be confirmed first.
    """
    if call.malformed is not None:
        if lacks_arguments(call):
            raise _missing(call.name)
        raise MalformedArgumentsError(shown(call.malformed, LONGEST_TEXT), tool=call.name)
    for name, source in call.arguments.items():
        if not isinstance(source, Constant):
            slot = next(slots_of(source), None)
            open_ = f"reads {slot}" if isinstance(slot, Reference) else f"has to be asked ({slot})"
            what = f"{shown(name, 60)} {shown(open_)}, whose value is not known here."
            raise BadArgumentError(what, tool=call.name, hint="Give the value itself.")
    if call.confirms:
        raise BadArgumentError("the call has to be confirmed first.", tool=call.name)
    given = call.arguments.items()
    return Arguments.of({name: each.value for name, each in given if isinstance(each, Constant)})


def fitted(bound: Bound, arguments: dict[str, Any], positional: tuple[Any, ...] = ()) -> Arguments:
    """
    Return arguments that the function of a tool takes.

    A function with one parameter that is a pydantic model gets that model, made of all arguments.

    Raises:
        BadArgumentError: it does not take them; `__cause__` is what Python or pydantic said.
    """
    given = Arguments(arguments, positional)
    if bound.takes_object:
        return given
    try:
        signature = inspect.signature(bound.function)
    except (TypeError, ValueError):  # some functions in C have none
        return given
    model = _model(bound.function, signature)
    try:
        if model is not None and not positional:
            name, kind = model
            return Arguments({name: kind.model_validate(arguments)})
        signature.bind(*positional, **arguments)
    except (ValidationError, TypeError) as error:
        what = str(error)
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            what = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        raise BadArgumentError(f"{shown(what, LONGEST_TEXT)}.", tool=bound.name) from error
    return given


def _model(function: Any, signature: inspect.Signature) -> tuple[str, type[BaseModel]] | None:
    """Return the only parameter of a function, and the pydantic model that it is."""
    parameter = next(iter(signature.parameters.values()), None)
    if parameter is None or len(signature.parameters) > 1:
        return None
    kind = parameter.annotation
    if isinstance(kind, str):
        with suppress(Exception):  # a hint may name what is not there at run time
            kind = typing.get_type_hints(function).get(parameter.name)
    is_named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    is_model = is_named and isinstance(kind, type) and issubclass(kind, BaseModel)
    return (parameter.name, kind) if is_model else None


class ArgumentCheck:
    """
    Says whether arguments fit what a catalog says of a tool: by JSON Schema first, which is fast.

    Only what does not fit goes through `Refractor.check`, whose diagnostics say what is wrong and what to
    change.

    Args:
        catalog: the tools, as anything that `Catalog.load` takes.
        secrets: says which values no message shows, see `Refractor`.

    Example:
        >>> tool = {"name": "Get", "parameters": {"amount": {"type": "number", "required": True}}}
        >>> check = ArgumentCheck({"tools": [tool]})
        >>> print(check.error("Get", {"amnt": 3}))
        Get has no parameter amnt. Change amnt to amount. (1 more)
    """

    def __init__(self, catalog: Any, *, secrets: SecretRule | None = None) -> None:
        """Index the catalog."""
        self.catalog = catalog if isinstance(catalog, Catalog) else Catalog.load(catalog)
        self._secrets = secrets
        self._index = CatalogIndex(self.catalog, secret_rule=secrets)

    @cached_property
    def _refractor(self) -> Refractor:
        return Refractor(self.catalog, secrets=self._secrets)

    def error(self, name: str, arguments: Mapping[str, Any]) -> BadArgumentError | None:
        """Return the error to raise where the arguments do not fit: the first thing that is wrong."""
        tool = self.catalog.by_name.get(name)
        if tool is None:
            return None
        known, given = tool.parameters, arguments.keys()
        required = {each.name for each in known.values() if each.required}
        if required <= given and (tool.additional_parameters or given <= known.keys()):
            judged = [(self._index.validator(name, each), arguments[each]) for each in arguments]
            judged.append((self._index.rules_of(name), dict(arguments)))
            with suppress(BrokenSchemaError):
                if all(rules is None or rules.is_valid(value) for rules, value in judged):
                    return None
        sources = {key: Constant(value=value) for key, value in arguments.items()}
        call = Call(name=name, arguments=sources)
        try:
            found = self._refractor.check(Sequence(calls=(call,))).diagnostics()
        except InputError as error:  # there are too many of them to be looked at
            return BadArgumentError(str(error), tool=name)
        if not found:
            return None
        first = found[0]
        advice = first.fix or (f"Did you mean {first.suggestions[0]}?" if first.suggestions else "")
        hint = advice if advice.endswith("?") or not advice else f"{advice}."
        more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
        return BadArgumentError(f"{first.message}.", tool=name, hint=f"{hint}{more}".strip())


# -- calls of models ----------------------------------------------------------


_ARGUMENTS = "function.arguments function_call.arguments functionCall.args params.arguments arguments args input"
"""Where providers put arguments."""


def _several_calls(calls: Any) -> tuple[Call, ...]:
    """Return calls; one that is malformed stands for what cannot be read."""
    try:
        return load_sequence(calls).calls
    except InputError as error:
        return (Call(name="", malformed=str(error)),)


def _one_call(call: Any) -> Call:
    """Return the only call; one that is malformed stands for none and for several."""
    found = _several_calls(call)
    if len(found) == 1:
        return found[0]
    return Call(name="", malformed=f"one call is needed, there are {len(found)}.")


class Invoker:
    """
    Answers the calls of a model: each gets one text, and no call raises.

    Only Ctrl-C and a cancellation from outside come out; they stop the calls that run. One object may be used
    from several threads and tasks at once; it knows which calls failed before.

    Args:
        tools: the functions by the names of their tools, see `Tools`.
        catalog: what they take, as anything that `Catalog.load` takes. A tool that it does not have is
            checked by the signature of its function alone, as is every tool without a catalog.
        mapper: says what the model is told of a failure, from the error and the `Failure`; its text is put on
            one line and cut at 200 characters. `plain_mapper` tells what the tool raised.
        max_reply: characters of a reply; what is longer is cut, and says so. None for all.
        timeout: seconds that each call may take, where its tool has no limit of its own.
        log: the logger, by default "refract_asp.runtime".
        secrets: says which values stand in no log, see `Refractor`.
        limit: how many calls `replies_async` runs at once.

    Raises:
        InputError: an option is what it cannot be.

    Example:
        >>> def set_current_temperature(temperature: int) -> str:
        ...     return f"set to {temperature}"
        >>> invoker = Invoker([set_current_temperature])
        >>> call = {"name": "set_current_temperature", "arguments": {"temperature": 75}, "id": "call_1"}
        >>> print(invoker.reply(call).content)
        set to 75
    """

    def __init__(
        self,
        tools: Any,
        catalog: Any = None,
        *,
        mapper: Mapper = default_mapper,
        max_reply: int | None = MAX_REPLY,
        timeout: float | None = None,
        log: logging.Logger = LOG,
        secrets: SecretRule | None = None,
        limit: int = 10,
    ) -> None:
        """Bind the tools and read the catalog."""
        check_replies(mapper, max_reply, secrets)
        if not isinstance(log, logging.Logger):
            refuse("log", type(log).__name__, "Give a logger.")
        whole_number("limit", limit, 1, 10_000)
        self.tools = tools if isinstance(tools, Tools) else Tools(tools)
        self._check = ArgumentCheck(catalog, secrets=secrets) if catalog is not None else None
        self._mapper = mapper
        self._max_reply = max_reply
        self._timeout = seconds(timeout, "timeout", zero=False)
        self._log = CallLog(self._check.catalog if self._check is not None else None, secrets, log)
        self._limit = limit

    async def reply_async(self, call: Any) -> Reply:
        """
        Run one call and answer it.

        Args:
            call: a `Call`, or a sequence with one call in any format that `Sequence.load` takes.
        """
        return await self._answer("reply", _one_call(call))

    async def replies_async(self, calls: Any) -> list[Reply]:
        """
        Run calls, up to `limit` at once, and answer each, in their order.

        Args:
            calls: calls, or a sequence in any format that `Sequence.load` takes. A call without id gets one.
                If nothing can be read, there is one reply, which says why.
        """
        free = asyncio.Semaphore(self._limit)

        async def answered(call: Call) -> Reply:
            async with free:
                return await self._answer("replies", call)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(answered(call)) for call in _several_calls(calls)]
        return [task.result() for task in tasks]

    def reply(self, call: Any) -> Reply:
        """Do what `reply_async` does outside of an event loop."""
        return run_waiting(self.reply_async(call))

    def replies(self, calls: Any) -> list[Reply]:
        """Do what `replies_async` does outside of an event loop, one call after another."""
        answers = (self._answer("replies", call) for call in _several_calls(calls))
        return list(map(run_waiting, answers))

    # -- steps -----------------------------------------------------------------

    async def _answer(self, entry: str, call: Call) -> Reply:
        """Answer a call that was read, or could not be."""
        written: Any  # as far as that is known
        if call.malformed is None:
            try:
                written = {name: to_value(each, NO_LABELS) for name, each in call.arguments.items()}
            except UnreadableError:
                written = sorted(call.arguments)
        else:
            found = (step_into(call.written, tuple(keys.split("."))) for keys in _ARGUMENTS.split())
            written = next((raw for raw in found if raw is not ABSENT), None)
        id = call.id or f"call_{new_id()}"
        made = Made(tool=call.name, arguments=written, call_id=id, entry=entry)

        def read() -> Arguments:
            tool = self._check.catalog.by_name.get(call.name) if self._check is not None else None
            return arguments_of_call(bind_positions(call, tool))

        return await self._answered(made, read)

    async def _answered(self, made: Made, read: Callable[[], Arguments]) -> Reply:
        """Go through the stages, from reading the arguments to the text."""
        begun, name, id = time.monotonic(), made.tool, made.call_id or ""
        try:
            named, positional = read()
            made = replace(made, arguments=named)
            bound = self.tools.find(name)
            if self._check is not None:
                if positional and name in self._check.catalog.by_name:
                    hint = "Name each of them."
                    raise BadArgumentError("arguments need names.", tool=name, hint=hint)
                if wrong := self._check.error(name, named):
                    raise wrong
            value = await call_tool(bound, *fitted(bound, named, positional), timeout=self._timeout)
        except Exception as problem:
            error = problem
            if not isinstance(error, ToolError):
                error = ToolFailedError(shown(": ".join(told(problem)), LONGEST_TEXT), tool=name)
                error.__cause__ = problem
            made = replace(made, seconds=time.monotonic() - begun)
            failure = self._log.failed(made, error)
            content = error_text(self._mapper, failure, partial(self._log.complain, failure))
            return Reply(id, name, content, failure=failure)
        self._log.succeeded(replace(made, seconds=time.monotonic() - begun), value)
        return Reply(id, name, text_of(value, self._max_reply), value=value)


def check_replies(mapper: object, max_reply: object, secrets: object) -> None:
    """Refuse what cannot say what a model is told, how much of it, and what is secret."""
    if not callable(mapper):
        hint = "Give a function of an error and a failure that returns a text."
        refuse("mapper", type(mapper).__name__, hint)
    function("secrets", secrets, "Give a function.")
    if max_reply is not None:
        whole_number("max_reply", max_reply, LEAST_REPLY, 10**9)


class InvokeOptions(TypedDict, total=False):
    """Options of `Invoker`, by name."""

    catalog: Any
    mapper: Mapper
    max_reply: int | None
    timeout: float | None
    log: logging.Logger
    secrets: SecretRule | None


async def invoke_with_args_async(
    function: Callable[..., Any], arguments: Any, name: str, **options: Unpack[InvokeOptions]
) -> str:
    """
    Call a function of a tool with what the model gave, and return its text or what went wrong.

    `invoke_with_args` does the same outside of an event loop.

    Args:
        function: the function, plain, async or `bind(...)`; one whose only parameter is a pydantic model gets
            that.
        arguments: an object, or a JSON text of one as models write it; None where there are none, which is
            an error other than `{}`.
        name: the name under which the model called it.
        options: those of `Invoker`.

    Example:
        >>> def set_temperature(temperature: int) -> str:
        ...     return f"set to {temperature}"
        >>> invoke_with_args(set_temperature, '{"temperature": 75}', "set_temperature")
        'set to 75'
    """
    return await _invoked("invoke_with_args", function, arguments, name, options)


async def invoke_no_args_async(
    function: Callable[..., Any], name: str, **options: Unpack[InvokeOptions]
) -> str:
    """
    Call a function of a tool that takes no arguments, and return its text or what went wrong.

    `invoke_no_args` does the same outside of an event loop.

    Example:
        >>> invoke_no_args(lambda: 70, "get_current_temperature")
        '70'
    """
    return await _invoked("invoke_no_args", function, {}, name, options)


async def _invoked(entry: str, function: Any, raw: Any, name: str, options: InvokeOptions) -> str:
    """Answer the call of a function that is given with it."""
    made = Made(tool=name, arguments=raw, call_id=f"call_{new_id()}", entry=entry)
    invoker = Invoker({name: function}, **options)
    return (await invoker._answered(made, lambda: Arguments(decoded(raw, name)))).content


async def invoke_async(call: Any, tools: Any, **options: Unpack[InvokeOptions]) -> str:
    """
    Run one call, in any format that `Sequence.load` takes, and return its text or what went wrong.

    `invoke` does the same outside of an event loop. `Invoker` keeps its catalog and knows which calls failed
    before; this begins anew each time.

    Example:
        >>> def get_weather(city: str) -> str:
        ...     return f"cloudy in {city}"
        >>> invoke('get_weather(city="Rome")', [get_weather])
        'cloudy in Rome'
    """
    return (await Invoker(tools, **options)._answer("invoke", _one_call(call))).content


invoke = sync_twin(invoke_async)
invoke_no_args = sync_twin(invoke_no_args_async)
invoke_with_args = sync_twin(invoke_with_args_async)
