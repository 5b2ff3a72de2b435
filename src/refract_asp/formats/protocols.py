"""
The calls that model providers, frameworks and protocols write; each as a list, alone or in its message.

    openai            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{...}"}}
    openai-responses  {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{...}"}
    anthropic         {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {...}}
    gemini            {"functionCall": {"name": "f", "args": {...}}}
    bedrock           {"toolUse": {"toolUseId": "t1", "name": "f", "input": {...}}}
    vercel            {"type": "tool-call", "toolCallId": "call_1", "toolName": "f", "input": {...}}
    langchain         {"name": "f", "args": {...}, "id": "call_1", "type": "tool_call"}
    mcp               {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", ...}}

A message that calls nothing is a sequence without calls, and so is a response or a conversation that ends so.

Messages, lists of messages (also under "messages") and whole responses are searched at the places where
these put calls. OpenAI's arguments are JSON text; `values` lists which slips in it are mended. The calls
that LangChain found invalid are malformed, for the reason that it gives.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats import dialects
from refract_asp.formats.chat import Layout, find_entries, lists_at, read_document, write_document
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Sequence
from refract_asp.resources import packaged

_PLACES = packaged("formats/places.json")
_LAYOUTS = [Layout.of(name, said) for name, said in _PLACES["protocols"].items()]
# A call of any format at any place at which one of them has calls.
_SHAPES = tuple(shape for layout in _LAYOUTS for shape in layout.shapes)
_LISTS = tuple(dict.fromkeys(keys for layout in _LAYOUTS for keys in layout.lists))
_EVERY = Layout("every", "a message with calls", _SHAPES, _LISTS, mixed=True)


def _detects(layout: Layout, data: Any) -> bool:
    return layout.detects(data) or _silent_format(data) == layout.name


def _read(layout: Layout, data: Any, origin: Origin) -> Sequence:
    """
    Read a document; open calls of another format among these are refused, as they would be left out.

    The messages of LangChain hold their calls twice, the second time under the same ids or without any.
    """
    if _silent_format(data) == layout.name:
        return Sequence(format=layout.name, written=data)
    sequence = read_document(layout, data, origin)
    found = {id(entry) for entry, _ in find_entries(layout, data).found}
    if all(id(entry) in found for entry, _ in find_entries(_EVERY, data).found):
        return sequence
    known = (*sequence.calls, *sequence.past)
    read = {(each, call.name) for call in known for each in ("", call.id)}
    for call in read_document(_EVERY, data, origin).calls:
        if (call.id or "", call.name) not in read:
            what = f"a call of {shown(call.name, 60)} stands among calls of {sequence.format}"
            hint = "Give the calls of each format by themselves."
            raise origin.error(f"{what}, in another format.", hint=hint)
    return sequence


# -- messages that call nothing --------------------------------------------------------

_SILENT = _PLACES["silent"]
_TYPES, _KEYS = frozenset(_SILENT["types"]), frozenset(_SILENT["keys"])
_CALLS = ("tool_calls", "invalid_tool_calls", "function_call")


def _silent_format(data: Any) -> str:
    """Return the format of what an assistant only says: a message, a response, or a conversation so far."""
    format = _format_said(data)
    if not format:
        return ""
    detects = (*(each.detects for each in _LAYOUTS), dialects.FORMAT.detects)
    held = (data, data.get("message")) if isinstance(data, dict) else (data,)
    return "" if any(detect(each) for each in held for detect in detects) else format


def _format_said(data: Any, depth: int = 0) -> str:
    """Return the format of data in which nothing looks like a call."""
    format, messages = "openai", [data]
    match data:
        case {"messages": [*_, last]} | [*_, {"role": _} as last] | [*_, {"type": "ai"} as last]:
            return _format_said(last, depth + 1) if depth < 2 else ""
        case [*parts] if parts:
            return "anthropic" if all(map(_is_said, parts)) else ""
        case {"role": _, "content": list() | tuple()} if not any(key in data for key in _CALLS):
            format = "anthropic"
        case {"role": _, "content": _}:
            pass
        case {"type": "ai" | "AIMessageChunk"}:
            format, messages = "langchain", [{**data, "role": "assistant"}]
        case {"choices": list() | tuple() as choices} if choices:
            messages = [each.get("message") for each in choices if isinstance(each, dict)]
        case {"message": message}:
            messages = [message]
        case {"candidates": [{"finishReason": _} | {"finish_reason": _} as only]} if (
            "content" not in only
        ):
            return "gemini"
        case dict() if spoken := _format_of_parts(data):
            return spoken
    return format if all(map(_is_silent, messages)) else ""


def _format_of_parts(data: dict[str, Any]) -> str:
    """Return the format in whose lists of parts all parts only say something; "" where there is none."""
    for format, ways in _SILENT["lists"].items():
        lists = [parts for way in ways for _, parts in lists_at(data, way)]
        if any(lists) and all(_is_said(part) for parts in lists for part in parts):
            return str(format)
    return ""


def _is_said(part: Any) -> bool:
    """Whether a part of a message calls nothing that its reader would have to run."""
    if not isinstance(part, dict):
        return False
    kind = part.get("type", part.get("part_kind"))
    return kind in _TYPES if isinstance(kind, str) else bool(part) and not part.keys() - _KEYS


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
            return all(map(_is_said, blocks))
        case str(text):
            loose = dialects.FORMAT
            with suppress(InputError):  # a model may write calls into its text
                return not (loose.detects(text) and loose.read(text, Origin()).calls)
            return True
    return False


FORMATS: tuple[Format[Sequence], ...] = tuple(
    Format(
        *(layout.name, "sequence", layout.looks),
        *(partial(_detects, layout), partial(_read, layout), partial(write_document, layout)),
    )
    for layout in _LAYOUTS
)
