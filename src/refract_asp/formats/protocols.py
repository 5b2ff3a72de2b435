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

from typing import Any

from refract_asp.errors import InputError
from refract_asp.formats import dialects
from refract_asp.formats.chat import Layout, Shape, find_entries, read_document, write_document
from refract_asp.formats.registry import Format
from refract_asp.formats.source import Origin
from refract_asp.model import Sequence


def _keys(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")) if path else ()


def _shape(name: str, arguments: str, id: str = "id", **more: Any) -> Shape:
    """Return the shape whose parts stand at some paths; marks are the first of what a new entry holds."""
    kind = more.pop("kind", None)
    if kind is not None:
        more = {"marks": (("type", kind),), "fresh": {"type": kind, id: None}, **more}
    return Shape(_keys(name), _keys(arguments), _keys(id), **more)


def _layout(
    name: str, looks: str, shapes: list[Shape], lists: list[str], *, mixed: bool = True
) -> Layout:
    def shape_of(entry: Any) -> Shape | None:
        return next((shape for shape in shapes if shape.fits(entry)), None)

    return Layout(name, looks, shape_of, shapes[0], tuple(map(_keys, lists)), mixed)


_FUNCTION = ("function.name", "function.arguments")
_MESSAGES = [a + b for a in ("", "*.", "messages.*.") for b in ("", "data.", "kwargs.")]
# In the order in which they are looked for.
_LAYOUTS = (
    _layout(
        "mcp",
        '{"jsonrpc": "2.0", "id", "method": "tools/call", "params": {"name", "arguments"}}',
        [
            _shape(
                "params.name",
                "params.arguments",
                marks=(("method", "tools/call"),),
                optional=True,
                fresh={"jsonrpc": "2.0", "id": None, "method": "tools/call"},
                prefix="",
            )
        ],
        [""],
    ),
    _layout(
        "openai",
        '"tool_calls" of {"id", "type": "function", "function": {"name", "arguments"}}',
        [
            _shape(
                *_FUNCTION,
                kind="function",
                text=True,
                fresh={"id": None, "type": "function"},
                prefix="call_",
            ),
            _shape(*_FUNCTION, text=True),
            _shape("function_call.name", "function_call.arguments", text=True),
        ],
        [
            "",
            "tool_calls",
            "message.tool_calls",
            "choices.*.message.tool_calls",
            "*.tool_calls",
            "messages.*.tool_calls",
        ],
        mixed=False,
    ),
    _layout(
        "openai-responses",
        'items {"type": "function_call", "call_id", "name", "arguments"}, as a list or under "output"',
        [_shape("name", "arguments", "call_id", kind="function_call", text=True, prefix="call_")],
        ["", "output", "response.output"],
    ),
    _layout(
        "anthropic",
        'blocks {"type": "tool_use", "id", "name", "input"}, as a list or under "content"',
        [_shape("name", "input", kind="tool_use", prefix="toolu_")],
        ["", "content", "*.content", "messages.*.content"],
    ),
    _layout(
        "gemini",
        'parts {"functionCall": {"name", "args"}}, as a list or under "parts"',
        [
            _shape(
                f"{key}.name", f"{key}.args", f"{key}.id", optional=True, prefix="call_", spare=True
            )
            for key in ("functionCall", "function_call")
        ],
        ["", "parts", "content.parts", "candidates.*.content.parts", "*.parts"],
    ),
    _layout(
        "langchain",
        'an AIMessage with "tool_calls" of {"name", "args", "id", "type": "tool_call"}',
        [
            _shape("name", "args", kind="tool_call", prefix="call_"),
            _shape("name", "args", kind="invalid_tool_call", refused="error"),
            _shape("name", "args", needs="id"),
        ],
        ["", *(m + key for key in ("tool_calls", "invalid_tool_calls") for m in _MESSAGES)],
        mixed=False,
    ),
)


def _format(layout: Layout) -> Format[Sequence]:
    def is_silent(data: Any) -> bool:
        return _calls_nothing(layout.name, data) and not any(
            detects(message)
            for message in (data, data.get("message"))
            for detects in (*(each.detects for each in _LAYOUTS), dialects.FORMAT.detects)
        )

    def read(data: Any, origin: Origin) -> Sequence:
        if is_silent(data):
            return Sequence(format=layout.name, written=find_entries(layout, data)[0])
        return read_document(layout, data, origin)

    return Format(
        name=layout.name,
        kind="sequence",
        looks=layout.looks,
        detects=lambda data: layout.detects(data) or is_silent(data),
        read=read,
        write=lambda sequence: write_document(layout, sequence),
    )


# -- messages that call nothing --------------------------------------------------------

# The types of blocks in which a model only says something.
_TEXTS = frozenset({"text", "refusal", "thinking", "redacted_thinking"})
_CALLS = ("tool_calls", "invalid_tool_calls", "function_call")


def _calls_nothing(format: str, data: Any) -> bool:
    """Whether data is a message of a format, alone or in a response, in which an assistant only says something."""
    if not isinstance(data, dict):
        return False
    match format:
        case "openai" if "role" in data:
            return data.get("tool_calls") == [] or _is_silent(data, blocks="tool_calls" in data)
        case "openai":
            choices = data.get("choices", [data])
            held = choices if isinstance(choices, list | tuple) else ()
            return bool(held) and all(
                isinstance(each, dict) and _is_silent(each.get("message")) for each in held
            )
        case "anthropic":
            says_only = data.get("role") == "assistant" and _says_only(data.get("content"))
            return says_only and not any(key in data for key in _CALLS)
        case "langchain" if data.get("type") in ("ai", "AIMessageChunk"):
            return _is_silent({**data, "role": "assistant"})
    return False


def _is_silent(message: Any, *, blocks: bool = True) -> bool:
    """Whether a message of an assistant only says something; its content may be a list of blocks as well."""
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return False
    if "content" not in message and not isinstance(message.get("refusal"), str):
        return False
    if any(message.get(key) not in (None, []) for key in _CALLS):
        return False
    content = message.get("content")
    if not isinstance(content, str):
        return content is None or (blocks and _says_only(content))
    try:  # a model may write calls into its text
        return (
            not dialects.FORMAT.detects(content)
            or not dialects.FORMAT.read(content, Origin()).calls
        )
    except InputError:
        return True


def _says_only(content: Any) -> bool:
    return isinstance(content, list | tuple) and all(
        isinstance(block, dict) and isinstance(block.get("type"), str) and block["type"] in _TEXTS
        for block in content
    )


FORMATS = tuple(map(_format, _LAYOUTS))
