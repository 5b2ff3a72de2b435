"""
The calls that model providers, frameworks and protocols write; each as a list, alone or in its message.

    openai            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{...}"}}
    openai-responses  {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{...}"}
    anthropic         {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {...}}
    gemini            {"functionCall": {"name": "f", "args": {...}}}
    langchain         {"name": "f", "args": {...}, "id": "call_1", "type": "tool_call"}
    mcp               {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", ...}}

A message that calls nothing is a sequence without calls (see `idle`).

Messages, lists of messages (also under "messages") and whole responses are searched at the places where
these put calls. OpenAI's arguments are JSON text; `mending` tells which slips in it are mended. The calls
that LangChain found invalid are malformed, for the reason that it gives.
"""

from __future__ import annotations

from typing import Any

from refract_asp.formats import dialects
from refract_asp.formats.dialects import is_idle_anthropic, is_idle_langchain, is_idle_openai
from refract_asp.formats.documents import ANY, Layout, find_entries, read_document, write_document
from refract_asp.formats.origin import Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.shapes import Shape
from refract_asp.model import Sequence

__all__ = ["FORMATS"]


def _layout(
    name: str,
    looks: str,
    shapes: tuple[Shape, ...],
    lists: tuple[tuple[str, ...], ...],
    mixed: bool = False,
) -> Layout:
    def shape_of(entry: Any) -> Shape | None:
        if isinstance(entry, dict):
            for shape in shapes:
                if shape.fits(entry):
                    return shape
        return None

    return Layout(name, looks, shape_of, shapes[0], lists, mixed)


_CHAT = Shape(
    name=("function", "name"),
    arguments=("function", "arguments"),
    marks=(("type", "function"),),
    text=True,
    fresh={"id": None, "type": "function"},
    prefix="call_",
)
_UNTYPED = Shape(name=("function", "name"), arguments=("function", "arguments"), text=True)
_LEGACY = Shape(name=("function_call", "name"), arguments=("function_call", "arguments"), text=True)
OPENAI = _layout(
    "openai",
    '"tool_calls" of {"id", "type": "function", "function": {"name", "arguments"}}',
    (_CHAT, _UNTYPED, _LEGACY),
    ((), ("tool_calls",), ("message", "tool_calls"), ("choices", ANY, "message", "tool_calls"),
     (ANY, "tool_calls"), ("messages", ANY, "tool_calls")),
)  # fmt: skip

RESPONSES = _layout(
    "openai-responses",
    'items {"type": "function_call", "call_id", "name", "arguments"}, as a list or under "output"',
    (
        Shape(
            name=("name",),
            arguments=("arguments",),
            id=("call_id",),
            marks=(("type", "function_call"),),
            text=True,
            fresh={"type": "function_call", "call_id": None},
            prefix="call_",
        ),
    ),
    ((), ("output",), ("response", "output")),
    mixed=True,
)

ANTHROPIC = _layout(
    "anthropic",
    'blocks {"type": "tool_use", "id", "name", "input"}, as a list or under "content"',
    (
        Shape(
            name=("name",),
            arguments=("input",),
            marks=(("type", "tool_use"),),
            fresh={"type": "tool_use", "id": None},
            prefix="toolu_",
        ),
    ),
    ((), ("content",), (ANY, "content"), ("messages", ANY, "content")),
    mixed=True,
)

_GEMINI = (
    Shape(
        name=("functionCall", "name"),
        arguments=("functionCall", "args"),
        id=("functionCall", "id"),
        optional=True,
        prefix="call_",
        spare=True,
    ),
    Shape(
        name=("function_call", "name"),
        arguments=("function_call", "args"),
        id=("function_call", "id"),
        optional=True,
    ),
)
GEMINI = _layout(
    "gemini",
    'parts {"functionCall": {"name", "args"}}, as a list or under "parts"',
    _GEMINI,
    ((), ("parts",), ("content", "parts"), ("candidates", ANY, "content", "parts"), (ANY, "parts")),
    mixed=True,
)

_MESSAGES = tuple(
    (*where, *inside)
    for where in ((), (ANY,), ("messages", ANY))
    for inside in ((), ("data",), ("kwargs",))
)
LANGCHAIN = _layout(
    "langchain",
    'an AIMessage with "tool_calls" of {"name", "args", "id", "type": "tool_call"}',
    (
        Shape(
            name=("name",),
            arguments=("args",),
            marks=(("type", "tool_call"),),
            fresh={"type": "tool_call", "id": None},
            prefix="call_",
        ),
        Shape(
            name=("name",),
            arguments=("args",),
            marks=(("type", "invalid_tool_call"),),
            refused="error",
        ),
        Shape(name=("name",), arguments=("args",), needs="id"),
    ),
    (
        (),
        *((*m, "tool_calls") for m in _MESSAGES),
        *((*m, "invalid_tool_calls") for m in _MESSAGES),
    ),
)

MCP = _layout(
    "mcp",
    '{"jsonrpc": "2.0", "id", "method": "tools/call", "params": {"name", "arguments"}}',
    (
        Shape(
            name=("params", "name"),
            arguments=("params", "arguments"),
            marks=(("method", "tools/call"),),
            optional=True,
            fresh={"jsonrpc": "2.0", "id": None, "method": "tools/call"},
            prefix="",
        ),
    ),
    ((),),
    mixed=True,
)


def _format(layout: Layout) -> Format[Sequence]:
    is_idle = _IDLE.get(layout.name, lambda _: False)

    def is_silent(data: Any) -> bool:
        return is_idle(data) and not any(
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


_LAYOUTS = (MCP, OPENAI, RESPONSES, ANTHROPIC, GEMINI, LANGCHAIN)
_IDLE = {
    OPENAI.name: is_idle_openai,
    ANTHROPIC.name: is_idle_anthropic,
    LANGCHAIN.name: is_idle_langchain,
}
FORMATS = tuple(_format(layout) for layout in _LAYOUTS)
"""In the order in which they are looked for."""
