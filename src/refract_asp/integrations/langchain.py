"""
LangChain and LangGraph: a middleware that mends the calls of a model before any tool sees them.

    agent = create_agent(model, tools, middleware=[RefractMiddleware()])
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from refract_asp.errors import InputError
from refract_asp.integrations.adapters import (
    Guard,
    History,
    Mended,
    checked_history,
    framework,
    ran_text,
)
from refract_asp.integrations.decisions import ToolCall, plain_call
from refract_asp.model.paths import list_of, object_of
from refract_asp.settings import choice

with framework("langchain", "langchain", "1.4.7"):
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import AIMessage, ToolMessage
    from langgraph.types import interrupt

__all__ = ["RefractMiddleware"]

NOTE = "refract_asp"
"""The key in the `response_metadata` of a message under which stands what becomes of its calls."""


class RefractMiddleware(AgentMiddleware):
    """
    Mends the tool calls of a model: right ones run, faulty ones run repaired, the others are answered.

    It takes the tools from each request to the model. As `wrap_tool_call` of a `ToolNode` alone it judges
    each call by itself. Calls whose arguments LangChain could not parse (`invalid_tool_calls`) are mended or
    answered like any other.

    Args:
        tools: the tools, where they are not those of the agent.
        history: "rewrite" the message, so that it shows what ran; or "annotate" the result, and leave it.
        on_ask: what is done where a value is missing or a repair has to be confirmed: tell the model
            ("retry"), or "interrupt" the graph. It is resumed with `Command(resume={"values": {name: value},
            "confirmed": True})`; with `None` the model is told.
        options: what `Hook` takes besides: `policy`, `memory`, `on_decision` ...
    """

    def __init__(
        self,
        tools: Any = None,
        *,
        history: History = "rewrite",
        on_ask: Literal["retry", "interrupt"] = "retry",
        **options: Any,
    ) -> None:
        """Compile the tools, where they are given."""
        super().__init__()
        checked_history(history)
        choice("on_ask", on_ask, ("retry", "interrupt"))
        self._guard, self._history, self._on_ask = Guard(tools, **options), history, on_ask

    # -- the message -------------------------------------------------------------

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Mend the calls in what the model answers."""
        response = handler(request)
        for index, message in self._with_calls(request, response):
            mended = self._guard.mend(_calls_of(message), request.tools)
            response.result[index] = self._marked(message, mended)
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Mend the calls in what the model answers."""
        response = await handler(request)
        for index, message in self._with_calls(request, response):
            mended = await self._guard.mend_async(_calls_of(message), request.tools)
            response.result[index] = self._marked(message, mended)
        return response

    def _with_calls(self, request: Any, response: Any) -> list[tuple[int, AIMessage]]:
        """Return the messages that call tools, and no call by which the agent gives its final answer."""
        form = request.response_format
        final = {spec.name for spec in getattr(form, "schema_specs", ())}
        return [
            (index, message)
            for index, message in enumerate(response.result)
            if isinstance(message, AIMessage)
            and (message.tool_calls or message.invalid_tool_calls)
            and final.isdisjoint(call["name"] for call in message.tool_calls)
        ]

    def _marked(self, message: AIMessage, mended: list[Mended]) -> AIMessage:
        """Return a message with what is to be run, and a note on what becomes of each call."""
        rewrites = self._history == "rewrite"
        calls: list[dict[str, Any]] = []
        note: list[dict[str, Any]] = []
        for each in mended:
            if each.calls and (rewrites or not each.is_changed):
                calls += map(_call, each.calls)
                continue
            calls.append(_call(each.given))
            runs = [call._asdict() for call in each.calls]
            note.append({"call": calls[-1], "held": each.feedback, "runs": runs})
        changed = {"tool_calls": calls, "invalid_tool_calls": []}
        if rewrites and any(each.is_changed for each in mended):
            changed |= _rewritten(message, mended)
        metadata = {**message.response_metadata, NOTE: note}
        return message.model_copy(update={**changed, "response_metadata": metadata})

    # -- the calls ---------------------------------------------------------------

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Run a call as it was mended, or answer it."""
        call, mended = [_plain(request.tool_call)], None
        if self._is_open(request):
            (mended,) = self._guard.mend(call, request.runtime.tools)
        ready, ran = self._prepared(request, mended)
        return ready if isinstance(ready, ToolMessage) else _annotated(handler(ready), ran)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Run a call as it was mended, or answer it."""
        call, mended = [_plain(request.tool_call)], None
        if self._is_open(request):
            (mended,) = await self._guard.mend_async(call, request.runtime.tools)
        ready, ran = self._prepared(request, mended)
        return ready if isinstance(ready, ToolMessage) else _annotated(await handler(ready), ran)

    def _is_open(self, request: Any) -> bool:
        """Whether a call must still be judged: its message was not, or somebody is to be asked about it."""
        note = _note_of(request)
        return note is None or (self._on_ask == "interrupt" and bool(note.get("held")))

    def _prepared(self, request: Any, mended: Mended | None) -> tuple[Any, list[ToolCall]]:
        """Return the request that runs and what it says in place of the model's, or the answer."""
        call, note = request.tool_call, _note_of(request) or {}
        runs = [ToolCall(**each) for each in note.get("runs", ())]
        held = note.get("held", "")
        if mended is not None:
            if not mended.calls and self._on_ask == "interrupt":
                mended = self._answered(mended, request.runtime.tools)
            runs = list(mended.calls) if mended.calls != (mended.given,) else []
            held = mended.feedback
        if len(runs) > 1:
            sent = " and ".join(f"{each.name} with {each.arguments}" for each in runs)
            held = f"Not run: send {sent}."
        if held:
            told = {"name": call["name"], "tool_call_id": call["id"], "status": "error"}
            return ToolMessage(held, **told), []
        if not runs:
            return request, []
        (run,) = runs
        tools = {tool.name: tool for tool in request.runtime.tools}
        new = {**call, "name": run.name, "args": run.arguments}
        return request.override(tool_call=new, tool=tools.get(run.name)), runs

    def _answered(self, mended: Mended, tools: Any) -> Mended:
        """Interrupt the graph for what is open in a call; return what becomes of it with the answer."""
        result = mended.decision.result if mended.decision is not None else None
        if result is None or not (result.asks or result.confirms):
            return mended
        answer = interrupt(
            {
                "call": mended.given._asdict(),
                "asks": [ask.model_dump(mode="json") for ask in result.asks],
                "confirms": [confirm.model_dump(mode="json") for confirm in result.confirms],
                "feedback": mended.feedback,
            }
        )
        if not isinstance(answer, dict):
            return mended
        confirmed = answer.get("confirmed", False) is True
        try:
            sequence = result.answer(answer.get("values") or {}, confirmed=confirmed)
        except InputError as error:  # a value that does not fit
            return mended._replace(feedback=f"{mended.feedback} {error}")
        calls = [plain_call(call, mended.given.id) for call in sequence.calls if not call.is_open]
        if len(sequence.calls) != 1 or len(calls) != 1 or calls[0] is None:
            return mended
        again = self._guard.mend([calls[0]], tools)[0]
        # what a person agreed to is run, unless it is wrong
        return again if not again.calls else again._replace(given=mended.given)


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = object_of(call.arguments)
    return {"name": call.name, "args": arguments, "id": call.id, "type": "tool_call"}


def _plain(call: Any) -> ToolCall:
    return ToolCall(
        call["id"], call["name"] or "", call["args"] if call["args"] is not None else {}
    )


def _calls_of(message: AIMessage) -> list[ToolCall]:
    """Return the calls of a message, with those that LangChain could not parse."""
    return [_plain(call) for call in (*message.tool_calls, *message.invalid_tool_calls)]


def _note_of(request: Any) -> dict[str, Any] | None:
    """Return what becomes of a call, nothing where it runs as it is; None where nobody judged its message."""
    state, own = request.state, request.tool_call
    messages: Any = state.get("messages", ()) if isinstance(state, dict) else state
    message: Any
    for message in reversed(list_of(messages)):
        calls = message.tool_calls if isinstance(message, AIMessage) else ()
        if any(call["id"] == own["id"] for call in calls):
            notes = message.response_metadata.get(NOTE)
            if not isinstance(notes, list):
                return None
            # some servers give all calls of a message one id
            keys = ("id", "name", "args")
            found = (note for note in notes if all(note["call"][key] == own[key] for key in keys))
            return next(found, {})
    return None


def _annotated(result: Any, ran: list[ToolCall]) -> Any:
    """Return a result that says what ran, where it was not what the model wrote."""
    if not ran or not isinstance(result, ToolMessage):
        return result
    said, content = ran_text(ran), result.content
    if isinstance(content, str):
        return result.model_copy(update={"content": f"{content}\n\n{said}" if content else said})
    return result.model_copy(update={"content": [*content, {"type": "text", "text": said}]})


# Where messages of providers hold a call besides `tool_calls`: its type, and the keys of id and arguments.
BLOCKS = {
    "tool_use": ("id", "input"),
    "tool_call": ("id", "args"),
    "function_call": ("call_id", "arguments"),
}


def _rewritten(message: AIMessage, mended: list[Mended]) -> dict[str, Any]:
    """Return what a message says of its calls in the form of its provider, with what is to be run."""
    found: dict[str, Any] = {}
    if isinstance(message.content, list):
        blocks: list[Any] = []
        next_of = _in_order(mended)
        for block in message.content:
            keys = BLOCKS.get(block.get("type", "")) if isinstance(block, dict) else None
            calls = next_of(block.get(keys[0])) if keys is not None else ()
            if keys is None or not calls:
                blocks.append(block)
                continue
            for call in calls:
                is_text = isinstance(block.get(keys[1]), str)
                values = json.dumps(call.arguments) if is_text else call.arguments
                blocks.append({**block, keys[0]: call.id, "name": call.name, keys[1]: values})
        found["content"] = blocks
    raw = message.additional_kwargs.get("tool_calls")
    if isinstance(raw, list):
        told = []
        next_of = _in_order(mended)
        for each in raw:
            calls = next_of(each.get("id")) if isinstance(each, dict) else ()
            for call in calls:
                function = {"name": call.name, "arguments": json.dumps(call.arguments)}
                told.append({**each, "id": call.id, "function": function})
            if not calls:
                told.append(each)
        found["additional_kwargs"] = {**message.additional_kwargs, "tool_calls": told}
    return found


def _in_order(mended: list[Mended]) -> Callable[[Any], tuple[ToolCall, ...]]:
    """Return a function that gives what a call became by its id, one after the other where several have it."""
    left = list(mended)

    def next_of(id: Any) -> tuple[ToolCall, ...]:
        each = next((each for each in left if each.given.id == id), None)
        if each is None:
            return ()
        left.remove(each)
        return each.calls if each.is_changed else ()

    return next_of
