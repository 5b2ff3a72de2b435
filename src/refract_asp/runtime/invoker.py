"""
The bottleneck that every call of a model goes through: whatever happens, it is answered by one text.

The stages are, and the first that fails ends the call: are there arguments, can they be read, is there such
a tool, do they fit it, the call itself, its text. The model gets the text, or a short line with an id; the
log gets everything, under the same id.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from refract_asp.errors import (
    LONGEST_TEXT,
    BadArgumentError,
    InputError,
    ToolError,
    ToolFailedError,
    UnknownToolError,
    shown,
)
from refract_asp.formats import load_sequence
from refract_asp.formats.chat import ABSENT, step_into
from refract_asp.formats.python import bind_positions
from refract_asp.formats.references import NO_LABELS, to_value
from refract_asp.formats.values import UnreadableError
from refract_asp.model import Call
from refract_asp.report.suggestions import find_similar_items
from refract_asp.runtime.arguments import ArgumentCheck, arguments_of_call, decoded, fitted
from refract_asp.runtime.calling import call_tool, call_tool_now
from refract_asp.runtime.failures import (
    LEAST_REPLY,
    Failure,
    Mapper,
    Repeats,
    Reply,
    default_mapper,
    error_text,
    new_id,
    text_of,
    told,
)
from refract_asp.runtime.logs import LOG, CallLog
from refract_asp.runtime.tools import Bound, Tools, bind
from refract_asp.settings import seconds, whole_number

if TYPE_CHECKING:
    from refract_asp.model.secrets import SecretRule

__all__ = [
    "Asked",
    "InvokeOptions",
    "Invoker",
    "invoke",
    "invoke_async",
    "invoke_no_args",
    "invoke_no_args_async",
    "invoke_with_args",
    "invoke_with_args_async",
    "new_call_id",
    "one_call",
    "several_calls",
    "written_arguments",
]


@dataclass(slots=True)
class Asked:
    """
    A call on its way through the stages.

    Attributes:
        entry: the function through which it came.
        name: the tool.
        call_id: the id of the call, or None where nobody gave one.
        read: reads its arguments, by name and by position.
        bound: the function of the tool, or None where there is no such tool.
        given: its arguments, first as they were written, then as they were read.
        positional: those by position.
        in_doubt: whether the arguments do not seem to fit.
        begun: when it came.
    """

    entry: str
    name: str
    call_id: str | None
    read: Callable[[], tuple[dict[str, Any], tuple[Any, ...]]]
    bound: Bound | None
    given: Any = None
    positional: tuple[Any, ...] = ()
    in_doubt: bool = False
    begun: float = field(default_factory=time.monotonic)


def new_call_id(given: str | None = None) -> str:
    """Return the id of a call, or a new one."""
    return given or f"call_{new_id()}"


_ARGUMENTS = (
    ("function", "arguments"),
    ("function_call", "arguments"),
    ("functionCall", "args"),
    ("params", "arguments"),
    ("arguments",),
    ("args",),
    ("input",),
)
"""Where providers put arguments."""


def written_arguments(call: Call) -> Any:
    """Return the arguments of a call as they were written, as far as that is known."""
    if call.malformed is None:
        try:
            return {name: to_value(source, NO_LABELS) for name, source in call.arguments.items()}
        except UnreadableError:
            return sorted(call.arguments)
    found = (step_into(call.written, keys) for keys in _ARGUMENTS)
    return next((raw for raw in found if raw is not ABSENT), None)


def several_calls(calls: Any) -> tuple[Call, ...]:
    """Return calls; one that is malformed stands for what cannot be read."""
    try:
        return load_sequence(calls).calls
    except InputError as error:
        return (Call(name="", malformed=str(error)),)


def one_call(call: Any) -> Call:
    """Return the only call; one that is malformed stands for none and for several."""
    found = several_calls(call)
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
        max_reply: int | None = None,
        timeout: float | None = None,
        log: logging.Logger = LOG,
        secrets: SecretRule | None = None,
        limit: int = 10,
    ) -> None:
        """Bind the tools and read the catalog."""
        if not callable(mapper):
            raise InputError(
                f"mapper cannot be {shown(type(mapper).__name__)}.",
                hint="Give a function of an error and a failure that returns a text.",
            )
        if secrets is not None and not callable(secrets):
            raise InputError(
                f"secrets cannot be {shown(type(secrets).__name__)}.", hint="Give a function."
            )
        if not isinstance(log, logging.Logger):
            raise InputError(f"log cannot be {shown(type(log).__name__)}.", hint="Give a logger.")
        if max_reply is not None:
            whole_number("max_reply", max_reply, LEAST_REPLY, 10**9)
        whole_number("limit", limit, 1, 10_000)
        self.tools = tools if isinstance(tools, Tools) else Tools(tools)
        self._check = ArgumentCheck(catalog, secrets=secrets) if catalog is not None else None
        self._mapper = mapper
        self._max_reply = max_reply
        self._timeout = seconds(timeout, "timeout", zero=False)
        self._log = CallLog(self._check.catalog if self._check is not None else None, secrets, log)
        self._limit = limit
        self._repeats = Repeats()

    # -- questions -------------------------------------------------------------

    def reply(self, call: Any) -> Reply:
        """
        Run one call and answer it.

        Args:
            call: a `Call`, or a sequence with one call in any format that `Sequence.load` takes.
        """
        return self.answer(self.asked("reply", one_call(call)))

    def replies(self, calls: Any) -> list[Reply]:
        """
        Run calls one after another and answer each, in their order.

        Args:
            calls: calls, or a sequence in any format that `Sequence.load` takes. A call without id gets one.
                If nothing can be read, there is one reply, which says why.
        """
        return [self.answer(self.asked("replies", call)) for call in several_calls(calls)]

    async def reply_async(self, call: Any) -> Reply:
        """Do what `reply` does in the event loop."""
        return await self.answer_async(self.asked("reply_async", one_call(call)))

    async def replies_async(self, calls: Any) -> list[Reply]:
        """Do what `replies` does in the event loop, with up to `limit` calls at once; the order is kept."""
        free = asyncio.Semaphore(self._limit)

        async def answered(call: Call) -> Reply:
            async with free:
                return await self.answer_async(self.asked("replies_async", call))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(answered(call)) for call in several_calls(calls)]
        return [task.result() for task in tasks]

    def failed(
        self, error: ToolError, *, tool: str, arguments: Any = None, call_id: str | None = None
    ) -> Reply:
        """
        Answer a call that failed elsewhere in the same way: with an id, in the log, its repetitions counted.

        Args:
            error: what went wrong.
            tool: the name of the tool.
            arguments: its arguments.
            call_id: the id of the call, or None for a new one.
        """
        asked = Asked("failed", tool, new_call_id(call_id), lambda: ({}, ()), None, arguments)
        return self._refused(asked, error)

    # -- steps -----------------------------------------------------------------

    def asked(self, entry: str, call: Call) -> Asked:
        """Return a call to be answered."""

        def read() -> tuple[dict[str, Any], tuple[Any, ...]]:
            tool = self._check.catalog.by_name.get(call.name) if self._check is not None else None
            return arguments_of_call(bind_positions(call, tool))

        id_ = new_call_id(call.id)
        return Asked(
            entry, call.name, id_, read, self.tools.get(call.name), written_arguments(call)
        )

    def _prepared(self, asked: Asked) -> Bound:
        """Go through the stages before the call, but for what only `Refractor.check` can say."""
        asked.given, asked.positional = asked.read()
        bound = asked.bound
        if bound is None:
            near = find_similar_items(asked.name, self.tools, max_results=3, method="fuzzy")
            known = ", ".join(shown(name, 40) for name in near or list(self.tools)[:5])
            hint = f"Did you mean {known}?" if near else f"There are: {known}." if known else ""
            raise UnknownToolError(
                f"there is no tool {shown(asked.name, 60)!r}.", tool=asked.name, hint=hint
            )
        if self._check is not None and asked.name in self._check:
            if asked.positional:
                raise BadArgumentError(
                    "arguments need names.", tool=asked.name, hint="Name each of them."
                )
            asked.in_doubt = not self._check.fits(asked.name, asked.given)
        return bound

    def _fitted(
        self, asked: Asked, bound: Bound, wrong: BadArgumentError | None
    ) -> tuple[dict[str, Any], tuple[Any, ...]]:
        if wrong is not None:
            raise wrong
        return fitted(bound, asked.given, asked.positional)

    def answer(self, asked: Asked) -> Reply:
        """Answer a call that was read, or could not be."""
        try:
            bound = self._prepared(asked)
            wrong = self._wrong(asked)
            arguments, positional = self._fitted(asked, bound, wrong)
            value = call_tool_now(bound, arguments, positional, timeout=self._timeout)
        except Exception as error:
            return self._refused(asked, error)
        return self._answered(asked, value)

    async def answer_async(self, asked: Asked) -> Reply:
        """Do what `answer` does in the event loop."""
        try:
            bound = self._prepared(asked)
            wrong = await asyncio.to_thread(self._wrong, asked) if asked.in_doubt else None
            arguments, positional = self._fitted(asked, bound, wrong)
            value = await call_tool(bound, arguments, positional, timeout=self._timeout)
        except Exception as error:
            return self._refused(asked, error)
        return self._answered(asked, value)

    def _wrong(self, asked: Asked) -> BadArgumentError | None:
        if not asked.in_doubt or self._check is None:
            return None
        return self._check.explained(asked.name, asked.given)

    def _answered(self, asked: Asked, value: Any) -> Reply:
        took = time.monotonic() - asked.begun
        self._log.succeeded(asked.entry, asked.name, asked.call_id, asked.given, value, took)
        content = text_of(value, self._max_reply)
        return Reply(new_call_id(asked.call_id), asked.name, content, value=value)

    def _refused(self, asked: Asked, error: Exception) -> Reply:
        if not isinstance(error, ToolError):
            kind, text = told(error)
            cause = error
            error = ToolFailedError(shown(f"{kind}: {text}", LONGEST_TEXT), tool=asked.name)
            error.__cause__ = cause
        failure = Failure(
            id=new_id(),
            error=error,
            tool=asked.name,
            arguments=asked.given,
            call_id=asked.call_id,
            times=self._repeats.count(asked.name, asked.given),
            seconds=time.monotonic() - asked.begun,
            entry=asked.entry,
        )
        self._log.failed(failure)
        content = error_text(self._mapper, failure, lambda what: self._log.complain(failure, what))
        return Reply(new_call_id(asked.call_id), asked.name, content, failure=failure)


class InvokeOptions(TypedDict, total=False):
    """Options of `Invoker`, by name."""

    catalog: Any
    mapper: Mapper
    max_reply: int | None
    timeout: float | None
    log: logging.Logger
    secrets: SecretRule | None


def invoke_no_args(
    function: Callable[..., Any], name: str, **options: Unpack[InvokeOptions]
) -> str:
    """
    Call a function of a tool that takes no arguments, and return its text or what went wrong.

    Args:
        function: the function, plain, async or `bind(...)`.
        name: the name under which the model called it.
        options: those of `Invoker`.

    Example:
        >>> invoke_no_args(lambda: 70, "get_current_temperature")
        '70'
    """
    invoker = _invoker(options)
    return invoker.answer(_direct("invoke_no_args", function, {}, name)).content


def invoke_with_args(
    function: Callable[..., Any], arguments: Any, name: str, **options: Unpack[InvokeOptions]
) -> str:
    """
    Call a function of a tool with what the model gave, and return its text or what went wrong.

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
    invoker = _invoker(options)
    return invoker.answer(_direct("invoke_with_args", function, arguments, name)).content


def invoke(call: Any, tools: Any, **options: Unpack[InvokeOptions]) -> str:
    """
    Run one call, in any format that `Sequence.load` takes, and return its text or what went wrong.

    `Invoker` keeps its catalog and knows which calls failed before; this begins anew each time.

    Example:
        >>> def get_weather(city: str) -> str:
        ...     return f"cloudy in {city}"
        >>> invoke('get_weather(city="Rome")', [get_weather])
        'cloudy in Rome'
    """
    invoker = Invoker(tools, **options)
    return invoker.answer(invoker.asked("invoke", one_call(call))).content


async def invoke_no_args_async(
    function: Callable[..., Any], name: str, **options: Unpack[InvokeOptions]
) -> str:
    """Do what `invoke_no_args` does in the event loop."""
    invoker = _invoker(options)
    return (await invoker.answer_async(_direct("invoke_no_args_async", function, {}, name))).content


async def invoke_with_args_async(
    function: Callable[..., Any], arguments: Any, name: str, **options: Unpack[InvokeOptions]
) -> str:
    """Do what `invoke_with_args` does in the event loop."""
    invoker = _invoker(options)
    asked = _direct("invoke_with_args_async", function, arguments, name)
    return (await invoker.answer_async(asked)).content


async def invoke_async(call: Any, tools: Any, **options: Unpack[InvokeOptions]) -> str:
    """Do what `invoke` does in the event loop."""
    invoker = Invoker(tools, **options)
    return (await invoker.answer_async(invoker.asked("invoke_async", one_call(call)))).content


def _invoker(options: InvokeOptions) -> Invoker:
    """Return what answers calls of functions that are given with them."""
    tools: Iterable[Any] = ()
    return Invoker(tools, **options)


def _direct(entry: str, function: Any, raw: Any, name: str) -> Asked:
    """Return the call of a function that is given with it."""
    bound = function if isinstance(function, Bound) else bind(function)
    read = lambda: (decoded(raw, name), ())  # noqa: E731
    return Asked(entry, name, None, read, replace(bound, name=name), raw)
