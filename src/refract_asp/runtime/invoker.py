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
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack

from refract_asp.errors import LONGEST_TEXT, BadArgumentError, ToolError, ToolFailedError, shown
from refract_asp.formats.chat import ABSENT, step_into
from refract_asp.formats.python import bind_positions
from refract_asp.formats.references import NO_LABELS, to_value
from refract_asp.formats.values import UnreadableError
from refract_asp.model import Call
from refract_asp.model.secrets import SecretRule
from refract_asp.runtime import replies
from refract_asp.runtime.arguments import ArgumentCheck, Arguments, decoded, is_absent, missing
from refract_asp.runtime.calling import call_tool, run_waiting, sync_twin
from refract_asp.runtime.replies import LOG, MAX_REPLY, CallLog, Made, Mapper, Reply, default_mapper
from refract_asp.runtime.tools import Encoder, Tools
from refract_asp.settings import function, refuse, seconds, whole_number

# -- calls of models ----------------------------------------------------------


_ARGUMENTS = "function.arguments function_call.arguments functionCall.args params.arguments arguments args input"
"""Where providers put arguments."""


def _one_call(call: Any) -> tuple[Call, str]:
    """Return the only call and its format; one that is malformed stands for none and for several."""
    found, format = replies.calls_in(call)
    if len(found) == 1:
        return found[0], format
    return Call(name="", malformed=f"one call is needed, there are {len(found)}."), ""


class Invoker:
    """
    Answers the calls of a model: each gets one text, and no call raises.

    Only Ctrl-C and a cancellation from outside come out; they stop the calls that run. One object may be used
    from several threads and tasks at once; it knows which calls failed before.

    Args:
        tools: the functions by the names of their tools, see `Tools`.
        catalog: what they take, as anything that `Catalog.load` takes. With and without it, arguments are judged
            and read by the signature and the type hints of the function.
        mapper: says what the model reads about a failure, from the error and the `Failure`; its text is put on
            one line and cut at 2,000 characters. `plain_mapper` shows what the tool raised.
        max_reply: characters of a reply; what is longer is cut, and says so. None for all.
        timeout: seconds that each call may take, where its tool has no limit of its own.
        log: the logger, by default "refract_asp.runtime".
        secrets: says which values stand in no log, see `Refractor`.
        limit: how many calls `replies_async` runs at once.
        encode: turns what a tool gives into JSON values where it is none; by default as pydantic does.

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
        encode: Encoder | None = None,
    ) -> None:
        """Bind the tools and read the catalog."""
        function("encode", encode, "Give a function of a value.")
        check_replies(mapper, max_reply, secrets)
        if not isinstance(log, logging.Logger):
            refuse("log", type(log).__name__, "Give a logger.")
        whole_number("limit", limit, 1, 10_000)
        self.tools = tools if isinstance(tools, Tools) else Tools(tools)
        self._check = ArgumentCheck(catalog, secrets=secrets) if catalog is not None else None
        self._mapper, self._max_reply = mapper, max_reply
        self._timeout = seconds(timeout, "timeout", zero=False)
        self._log = CallLog(self._check.catalog if self._check is not None else None, secrets, log)
        self._limit, self._encode = limit, encode

    async def reply_async(self, call: Any) -> Reply:
        """
        Run one call and answer it.

        Args:
            call: a `Call`, or a sequence with one call in any format that `Sequence.load` takes.
        """
        return await self._answer("reply", *_one_call(call))

    async def replies_async(self, calls: Any) -> list[Reply]:
        """
        Run calls, up to `limit` at once, and answer each, in their order.

        Args:
            calls: calls, or a sequence in any format that `Sequence.load` takes. A call without id gets one.
                If nothing can be read, there is one reply, which says why.
        """
        free = asyncio.Semaphore(self._limit)
        found, format = replies.calls_in(calls)

        async def answered(call: Call) -> Reply:
            async with free:
                return await self._answer("replies", call, format)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(answered(call)) for call in found]
        return [task.result() for task in tasks]

    def reply(self, call: Any) -> Reply:
        """Do what `reply_async` does outside of an event loop."""
        return run_waiting(self.reply_async(call))

    def replies(self, calls: Any) -> list[Reply]:
        """Do what `replies_async` does outside of an event loop, one call after another."""
        found, format = replies.calls_in(calls)
        return [run_waiting(self._answer("replies", call, format)) for call in found]

    # -- steps -----------------------------------------------------------------

    async def _answer(self, entry: str, call: Call, format: str = "") -> Reply:
        """Answer a call that was read, or could not be."""
        found = (step_into(call.written, tuple(keys.split("."))) for keys in _ARGUMENTS.split())
        raw = next((each for each in found if each is not ABSENT), ABSENT)
        written: Any = None if raw is ABSENT else raw  # as far as that is known
        if call.malformed is None:
            try:
                written = {name: to_value(each, NO_LABELS) for name, each in call.arguments.items()}
            except UnreadableError:
                written = sorted(call.arguments)
        id = call.id or f"call_{replies.new_id()}"
        made = Made(tool=call.name, arguments=written, call_id=id, entry=entry)

        def read() -> Arguments:
            tool = self._check.catalog.by_name.get(call.name) if self._check is not None else None
            return Arguments.of_call(bind_positions(call, tool))

        reply = await self._answered(made, read, lacks=is_absent(raw))
        return replace(reply, format=format, entry=call.written)

    async def _answered(
        self, made: Made, read: Callable[[], Arguments], *, lacks: bool = False
    ) -> Reply:
        """Go through the stages, from reading the arguments to the text; `lacks`: an empty text stood for them."""
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
            given = bound.fitted(named, positional)
            value = await call_tool(bound, *given, timeout=self._timeout, encode=self._encode)
        except Exception as problem:
            error = missing(name) if lacks and isinstance(problem, BadArgumentError) else problem
            if not isinstance(error, ToolError):
                what = shown(": ".join(replies.type_and_text(problem)), LONGEST_TEXT)
                error = ToolFailedError(what, tool=name)
                error.__cause__ = problem
            made = replace(made, seconds=time.monotonic() - begun)
            failure = self._log.failed(made, error)
            complain = partial(self._log.complain, failure)
            content = replies.error_text(self._mapper, failure, complain, self._log.secrets)
            return Reply(id, name, content, failure=failure)
        self._log.succeeded(replace(made, seconds=time.monotonic() - begun), value)
        return Reply(id, name, replies.text_of(value, self._max_reply), value=value)


def check_replies(mapper: object, max_reply: object, secrets: object) -> None:
    """Refuse options of replies that cannot be used: the mapper, the longest reply, the rule for secrets."""
    if not callable(mapper):
        hint = "Give a function of an error and a failure that returns a text."
        refuse("mapper", type(mapper).__name__, hint)
    function("secrets", secrets, "Give a function.")
    if max_reply is not None:
        whole_number("max_reply", max_reply, replies.LEAST_REPLY, 10**9)


class InvokeOptions(TypedDict, total=False):
    """Options of `Invoker`, by name."""

    catalog: Any
    mapper: Mapper
    max_reply: int | None
    timeout: float | None
    log: logging.Logger
    secrets: SecretRule | None
    encode: Encoder | None


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
    made = Made(tool=name, arguments=raw, call_id=f"call_{replies.new_id()}", entry=entry)
    invoker = Invoker({name: function}, **options)
    read = partial(decoded, raw, name)
    return (await invoker._answered(made, lambda: Arguments(read()), lacks=is_absent(raw))).content


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
    return (await Invoker(tools, **options)._answer("invoke", *_one_call(call))).content


invoke = sync_twin(invoke_async)
invoke_no_args = sync_twin(invoke_no_args_async)
invoke_with_args = sync_twin(invoke_with_args_async)
