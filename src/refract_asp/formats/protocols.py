"""
The calls that model providers, frameworks and protocols write; each as a list, alone or in its message.

    openai            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{...}"}}
    openai-responses  {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{...}"}
    anthropic         {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {...}}
    gemini            {"functionCall": {"name": "f", "args": {...}}}
    langchain         {"name": "f", "args": {...}, "id": "call_1", "type": "tool_call"}
    mcp               {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", ...}}

A message that calls nothing is a sequence without calls.

Messages, lists of messages (also under "messages") and whole responses are searched at the places where
these put calls. OpenAI's arguments are JSON text; `values` tells which slips in it are mended. The calls
that LangChain found invalid are malformed, for the reason that it gives.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from refract_asp.errors import InputError
from refract_asp.formats import dialects
from refract_asp.formats.chat import Layout, Shape, read_document, write_document
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Sequence


def _keys(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def _shape(name: str, arguments: str, id: str = "id", kind: str = "", **more: Any) -> Shape:
    """Return the shape whose parts stand at some paths, perhaps of entries with a type."""
    if kind:
        more = {"marks": (("type", kind),), "fresh": {"type": kind, id: None}, **more}
    return Shape(_keys(name), _keys(arguments), _keys(id), **more)


def _layout(name: str, looks: str, lists: list[str], *shapes: Shape, mixed: bool = True) -> Layout:
    return Layout(name, looks, shapes, ((), *map(_keys, lists)), mixed)


_FUNCTION = ("function.name", "function.arguments")
_NEW_FUNCTION: Any = {"fresh": {"id": None, "type": "function"}, "prefix": "call_"}
_PART: Any = {"optional": True, "prefix": "call_", "spare": True}
_REQUEST: Any = {"jsonrpc": "2.0", "id": None, "method": "tools/call"}
_IS_REQUEST: Any = {"marks": (("method", "tools/call"),), "optional": True, "prefix": ""}
_AI = [a + b for a in ("", "*.", "messages.*.") for b in ("", "data.", "kwargs.")]
# In the order in which they are looked for.
_LAYOUTS = (
    _layout(
        "mcp",
        '{"jsonrpc": "2.0", "id", "method": "tools/call", "params": {"name", "arguments"}}',
        [],
        _shape("params.name", "params.arguments", fresh=_REQUEST, **_IS_REQUEST),
    ),
    _layout(
        "openai",
        '"tool_calls" of {"id", "type": "function", "function": {"name", "arguments"}}',
        [f"{at}tool_calls" for at in ("", "message.", "choices.*.message.", "*.", "messages.*.")],
        _shape(*_FUNCTION, kind="function", text=True, **_NEW_FUNCTION),
        _shape(*_FUNCTION, text=True),
        _shape("function_call.name", "function_call.arguments", text=True),
        mixed=False,
    ),
    _layout(
        "openai-responses",
        'items {"type": "function_call", "call_id", "name", "arguments"}, as a list or under "output"',
        ["output", "response.output"],
        _shape("name", "arguments", "call_id", "function_call", text=True, prefix="call_"),
    ),
    _layout(
        "anthropic",
        'blocks {"type": "tool_use", "id", "name", "input"}, as a list or under "content"',
        ["content", "*.content", "messages.*.content"],
        _shape("name", "input", kind="tool_use", prefix="toolu_"),
    ),
    _layout(
        "gemini",
        'parts {"functionCall": {"name", "args"}}, as a list or under "parts"',
        ["parts", "content.parts", "candidates.*.content.parts", "*.parts"],
        _shape("functionCall.name", "functionCall.args", "functionCall.id", **_PART),
        _shape("function_call.name", "function_call.args", "function_call.id", **_PART),
    ),
    _layout(
        "langchain",
        'an AIMessage with "tool_calls" of {"name", "args", "id", "type": "tool_call"}',
        [f"{place}{key}" for key in ("tool_calls", "invalid_tool_calls") for place in _AI],
        _shape("name", "args", kind="tool_call", prefix="call_"),
        _shape("name", "args", kind="invalid_tool_call", refused="error"),
        _shape("name", "args", needs="id"),
        mixed=False,
    ),
)


def _format(layout: Layout) -> Format[Sequence]:
    def read(data: Any, origin: Origin) -> Sequence:
        if _silent_format(data) == layout.name:
            return Sequence(format=layout.name, written=data)
        return read_document(layout, data, origin)

    return Format(
        layout.name,
        "sequence",
        layout.looks,
        lambda data: layout.detects(data) or _silent_format(data) == layout.name,
        read,
        lambda sequence: write_document(layout, sequence),
    )


# -- messages that call nothing --------------------------------------------------------

# The types of blocks in which a model only says something.
_TEXTS = ("text", "refusal", "thinking", "redacted_thinking")
_CALLS = ("tool_calls", "invalid_tool_calls", "function_call")


def _silent_format(data: Any) -> str:
    """Return the format of a message, alone or in a response, in which an assistant only says something."""
    format, messages = "openai", [data]
    match data:
        case {"role": _, "content": list() | tuple()} if not any(key in data for key in _CALLS):
            format = "anthropic"
        case {"role": _}:
            pass
        case {"type": "ai" | "AIMessageChunk"}:
            format, messages = "langchain", [{**data, "role": "assistant"}]
        case {"choices": list() | tuple() as choices} if choices:
            messages = [each.get("message") for each in choices if isinstance(each, dict)]
        case {"message": message}:
            messages = [message]
        case _:
            return ""
    detects = (*(each.detects for each in _LAYOUTS), dialects.FORMAT.detects)
    calls = any(detect(each) for each in (data, data.get("message")) for detect in detects)
    return format if all(map(_is_silent, messages)) and not calls else ""


def _is_silent(message: Any) -> bool:
    """Whether a message of an assistant only says something; its content may be a list of blocks as well."""
    match message:
        case {"role": "assistant", "tool_calls": []}:
            return True
        case {"role": "assistant", "content": _} | {"role": "assistant", "refusal": str()}:
            if any(message.get(key) not in (None, []) for key in _CALLS):
                return False
        case _:
            return False
    match message.get("content"):
        case None:
            return True
        case list() | tuple() as blocks:
            return all(isinstance(each, dict) and each.get("type") in _TEXTS for each in blocks)
        case str(text):
            loose = dialects.FORMAT
            with suppress(InputError):  # a model may write calls into its text
                return not (loose.detects(text) and loose.read(text, Origin()).calls)
            return True
    return False


FORMATS = tuple(map(_format, _LAYOUTS))
