"""Answers to calls: the message for each, in the format in which the call came, and which calls await one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.chat import results_in, step_into
from refract_asp.formats.source import as_data
from refract_asp.formats.values import json_text
from refract_asp.model import Call
from refract_asp.runtime.failures import Failure

MAX_REPLY = 100_000
"""So many characters a reply has at most, unless somebody wants more: a model would not read them."""
LEAST_REPLY = 100
"""`max_reply` is not less, so that the mark of what is cut finds room."""


@dataclass(frozen=True, slots=True)
class Reply:
    """
    The message that answers one call.

    Attributes:
        tool_call_id: the id of the call.
        name: the tool.
        content: what it gave, as a text, or what went wrong.
        role: always "tool".
        value: what it gave, as a JSON value; None where it failed.
        failure: what went wrong, or None.
        format: the format in which the call came, as "anthropic"; empty where nothing tells it.
        entry: the call as it was written there, or None.

    Example:
        >>> reply = Reply("call_1", "get_current_temperature", "70")
        >>> reply.to_dict()
        {'role': 'tool', 'tool_call_id': 'call_1', 'name': 'get_current_temperature', 'content': '70'}
        >>> reply.to_dict("anthropic")
        {'type': 'tool_result', 'tool_use_id': 'call_1', 'content': '70'}
    """

    tool_call_id: str
    name: str
    content: str
    role: str = "tool"
    value: Any = field(default=None, repr=False)
    failure: Failure | None = field(default=None, repr=False)
    format: str = field(default="", repr=False)
    entry: Any = field(default=None, repr=False)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.failure is not None

    def to_dict(self, format: str | None = None) -> dict[str, Any]:
        """
        Return the message as data, as who wrote the call takes it.

        Args:
            format: openai, openai-responses, anthropic, gemini, bedrock, langchain or mcp; that of the call by
                default, and openai where nothing tells it. `messages_of` puts several together.

        Raises:
            InputError: there is no such format.
        """
        entry = self.entry if isinstance(self.entry, dict) else {}
        match self.format if format is None else format:
            case "anthropic":
                wrong = {"is_error": True} if self.is_error else {}
                head = {"type": "tool_result", "tool_use_id": self.tool_call_id}
                return {**head, "content": self.content, **wrong}
            case "openai-responses":
                kind = entry.get("type") if str(entry.get("type")).endswith("_call") else None
                head = {"type": f"{kind or 'function_call'}_output", "call_id": self.tool_call_id}
                return {**head, "output": self.content}
            case "gemini":
                return self._part(entry)
            case "bedrock":
                status = "error" if self.is_error else "success"
                content = [{"text": self.content}]
                answer = {"toolUseId": self.tool_call_id, "content": content, "status": status}
                return {"toolResult": answer}
            case "mcp":
                content = [{"type": "text", "text": self.content}]
                result = {"content": content, "isError": self.is_error}
                return {
                    "jsonrpc": "2.0",
                    "id": entry.get("id", self.tool_call_id),
                    "result": result,
                }
            case "langchain":
                failed = {"status": "error"} if self.is_error else {}
            case "openai" if "function_call" in entry:  # before there were ids
                return {"role": "function", "name": self.name, "content": self.content}
            case _ as other:
                known = (
                    *("openai", "openai-responses", "anthropic", "gemini", "bedrock"),
                    *("langchain", "mcp"),
                )
                if format is not None and other not in known:
                    what = f"there is no format {shown(other)!r} for replies."
                    raise InputError(what, hint=f"There are: {', '.join(known)}.")
                failed = {}
        said = {name: getattr(self, name) for name in ("role", "tool_call_id", "name", "content")}
        return said | failed

    def _part(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message as a part for Gemini, with an id where the call has one."""
        is_snake, key = "function_call" in entry, "error" if self.is_error else "output"
        call = entry.get("function_call" if is_snake else "functionCall")
        has_id = isinstance(call, dict) and call.get("id") is not None
        id = {"id": self.tool_call_id} if has_id else {}
        said = {**id, "name": self.name, "response": {key: self.content}}
        return {"function_response" if is_snake else "functionResponse": said}


def reply_ids(given: Iterable[tuple[int, str | None]]) -> list[str]:
    """
    Return the ids under which calls are answered; one that is made up is that of no other call.

    Args:
        given: of each call its number, from 0, and its id; without one, or with an empty one, it is answered
            as `call_1`, `call_2`, ... by its number.

    Example:
        >>> reply_ids([(0, None), (1, "call_1"), (2, "")])
        ['call_1_', 'call_1', 'call_3']
    """
    calls = list(given)
    taken = {id for _, id in calls if id}
    ids = []
    for number, id in calls:
        made_up = f"call_{number + 1}"
        while made_up in taken:
            made_up += "_"
        ids.append(id or made_up)
        taken.add(ids[-1])
    return ids


def text_of(value: Any, max_reply: int | None = None) -> str:
    """
    Return a JSON value as a text: a text as it is, everything else (also None: `null`) as JSON.

    What is longer than `max_reply` characters is cut to that, with a mark that says so.

    Example:
        >>> text_of("70"), text_of(None), text_of({"temperature": 70})
        ('70', 'null', '{"temperature": 70}')
        >>> text_of("x" * 5000, 100)[50:]
        'xxxxxxxxxxx [cut: the first 61 of 5000 characters]'
    """
    text = str.__str__(value) if isinstance(value, str) else json_text(value)
    if max_reply is None or len(text) <= max_reply:
        return text
    cuts = (
        f"{text[:kept]} [cut: the first {kept} of {len(text)} characters]"
        for kept in range(max_reply, -1, -1)
    )
    return next(cut for cut in cuts if len(cut) <= max_reply)


def messages_of(replies: Iterable[Reply]) -> list[dict[str, Any]]:
    """
    Return replies as the messages that go into the conversation, each in the format of its call.

    Blocks for Anthropic and Bedrock and parts for Gemini stand together in one message of the user; all others
    are messages by themselves.

    Example:
        >>> messages_of([Reply("toolu_1", "get", "70", format="anthropic")])
        [{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '70'}]}]
    """
    found: list[dict[str, Any]] = []
    for format, group in groupby(replies, lambda reply: reply.format):
        said = [reply.to_dict() for reply in group]
        key = {"anthropic": "content", "bedrock": "content", "gemini": "parts"}.get(format)
        found += said if key is None else [{"role": "user", key: said}]
    return found


# -- which calls await an answer ---------------------------------------------------------

_INSIDE = ("messages", "choices", "candidates", "message", "response", "output", "content", "parts")
"""Keys under which messages and calls stand."""


def calls_in(data: Any) -> tuple[tuple[Call, ...], str]:
    """
    Return the calls that await an answer, in their order, and the format in which they came.

    They are those that `load_sequence` reads, and all others that a model wrote under an id, which are malformed.
    If nothing can be read and nothing has an id, one malformed call says why.
    """
    try:
        sequence = load_sequence(data)
        document, calls, format = sequence.written, sequence.calls, sequence.format or ""
        past = {call.id for call in sequence.past} | set(results_in(document))
    except InputError as error:
        document, calls, format = as_data(data), (Call(name="", malformed=str(error)),), ""
        past = set(results_in(document))
        if any(_written_calls(document)):
            calls = ()
    number = {
        id(call.written): index for index, call in enumerate(calls) if call.written is not None
    }
    by_id = {call.id: index for index, call in enumerate(calls) if call.id is not None}
    found: dict[int, Call] = {}
    for entry in _written_calls(document):
        index = number.get(id(entry), by_id.get(_id_of(entry) or ""))
        if index is not None:
            call = calls[index]
            own = call.id or _id_of(entry)
            found.setdefault(index, call if own == call.id else call.model_copy(update={"id": own}))
        elif _id_of(entry) and _id_of(entry) not in past:
            found[-1 - len(found)] = _other_call(entry)
            format = format or _FORMATS.get(str(entry.get("type")), "openai")
    return (
        *found.values(),
        *(call for index, call in enumerate(calls) if index not in found),
    ), format


_FORMATS = {
    "tool_use": "anthropic",
    "custom_tool_call": "openai-responses",
    "function_call": "openai-responses",
}


def _written_calls(document: Any, *, is_call: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the entries of calls that a model wrote, whatever they hold."""
    if isinstance(document, list | tuple):
        for each in document:
            yield from _written_calls(each, is_call=is_call)
    elif isinstance(document, dict):
        kind = document.get("type")
        is_block = kind == "tool_use" or (
            isinstance(kind, str) and kind.endswith("_call") and "call_id" in document
        )
        is_entry = "role" not in document and (
            kind == "custom" or "function" in document or kind == "function"
        )
        if is_call or is_block or (is_entry and "id" in document):
            yield document
            return
        yield from _written_calls(document.get("tool_calls"), is_call=True)
        for key in _INSIDE:
            if isinstance(inner := document.get(key), dict | list | tuple):
                yield from _written_calls(inner)


def _id_of(entry: Mapping[str, Any]) -> str | None:
    given = entry.get("call_id") or entry.get("id")
    return given if isinstance(given, str) and given else None


def _other_call(entry: Mapping[str, Any]) -> Call:
    """Return the malformed call that stands for what cannot be read."""
    inside = entry.get("custom") if entry.get("type") == "custom" else entry
    inside = inside if isinstance(inside, dict) else {}
    kind = str(entry.get("type"))
    names = (inside.get("name"), step_into(entry, ("function", "name")))
    name = next((each for each in names if isinstance(each, str)), kind if "_" in kind else "")
    why = "it is no call of a function that can be read."
    return Call(name=name, id=_id_of(entry), written=entry, malformed=why)
