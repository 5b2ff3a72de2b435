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
from refract_asp.formats.chat import Layout, Shape, find_entries, read_document, write_document
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Sequence


def _keys(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")) if path else ()


def _shape(name: str, arguments: str, id: str = "id", **more: Any) -> Shape:
    """Return the shape whose parts stand at some paths; marks are the first of what a new entry holds."""
    kind = more.pop("kind", None)
    if kind is not None:
        more = {"marks": (("type", kind),), "fresh": {"type": kind, id: None}, **more}
    return Shape(_keys(name), _keys(arguments), _keys(id), **more)


_FUNCTION = ("function.name", "function.arguments")
_NEW_FUNCTION: Any = {"fresh": {"id": None, "type": "function"}, "prefix": "call_"}
_REQUEST: Any = {"jsonrpc": "2.0", "id": None, "method": "tools/call"}
_PART: Any = {"optional": True, "prefix": "call_", "spare": True}
_AI = [a + b for a in ("", "*.", "messages.*.") for b in ("", "data.", "kwargs.")]
# Each format: what its documents look like, the shapes of its calls (the first is that of a new one), where
# the lists of calls stand, and whether other things stand among the calls.
_TABLE: dict[str, tuple[str, list[Shape], list[str], bool]] = {
    "mcp": (
        '{"jsonrpc": "2.0", "id", "method": "tools/call", "params": {"name", "arguments"}}',
        [
            _shape(
                "params.name",
                "params.arguments",
                marks=(("method", "tools/call"),),
                optional=True,
                fresh=_REQUEST,
                prefix="",
            )
        ],
        [""],
        True,
    ),
    "openai": (
        '"tool_calls" of {"id", "type": "function", "function": {"name", "arguments"}}',
        [
            _shape(*_FUNCTION, kind="function", text=True, **_NEW_FUNCTION),
            _shape(*_FUNCTION, text=True),
            _shape("function_call.name", "function_call.arguments", text=True),
        ],
        [
            "",
            *(
                f"{before}tool_calls"
                for before in ("", "message.", "choices.*.message.", "*.", "messages.*.")
            ),
        ],
        False,
    ),
    "openai-responses": (
        'items {"type": "function_call", "call_id", "name", "arguments"}, as a list or under "output"',
        [_shape("name", "arguments", "call_id", kind="function_call", text=True, prefix="call_")],
        ["", "output", "response.output"],
        True,
    ),
    "anthropic": (
        'blocks {"type": "tool_use", "id", "name", "input"}, as a list or under "content"',
        [_shape("name", "input", kind="tool_use", prefix="toolu_")],
        ["", "content", "*.content", "messages.*.content"],
        True,
    ),
    "gemini": (
        'parts {"functionCall": {"name", "args"}}, as a list or under "parts"',
        [
            _shape(f"{key}.name", f"{key}.args", f"{key}.id", **_PART)
            for key in ("functionCall", "function_call")
        ],
        ["", "parts", "content.parts", "candidates.*.content.parts", "*.parts"],
        True,
    ),
    "langchain": (
        'an AIMessage with "tool_calls" of {"name", "args", "id", "type": "tool_call"}',
        [
            _shape("name", "args", kind="tool_call", prefix="call_"),
            _shape("name", "args", kind="invalid_tool_call", refused="error"),
            _shape("name", "args", needs="id"),
        ],
        ["", *(f"{before}{key}" for key in ("tool_calls", "invalid_tool_calls") for before in _AI)],
        False,
    ),
}


def _layout(name: str, looks: str, shapes: list[Shape], lists: list[str], is_mixed: bool) -> Layout:
    def shape_of(entry: Any) -> Shape | None:
        return next((shape for shape in shapes if shape.fits(entry)), None)

    return Layout(name, looks, shape_of, shapes[0], tuple(map(_keys, lists)), is_mixed)


# In the order in which they are looked for.
_LAYOUTS = tuple(_layout(name, *row) for name, row in _TABLE.items())


def _format(layout: Layout) -> Format[Sequence]:
    def read(data: Any, origin: Origin) -> Sequence:
        if _silent_format(data) == layout.name:
            return Sequence(format=layout.name, written=find_entries(layout, data)[0])
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
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return False
    if message.get("tool_calls") == []:
        return True
    says = "content" in message or isinstance(message.get("refusal"), str)
    if not says or any(message.get(key) not in (None, []) for key in _CALLS):
        return False
    content = message.get("content")
    if isinstance(content, list | tuple):
        return all(isinstance(block, dict) and block.get("type") in _TEXTS for block in content)
    if not isinstance(content, str) or not dialects.FORMAT.detects(content):
        return content is None or isinstance(content, str)
    with suppress(InputError):  # a model may write calls into its text
        return not dialects.FORMAT.read(content, Origin()).calls
    return True


FORMATS = tuple(map(_format, _LAYOUTS))
