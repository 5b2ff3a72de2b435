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
from functools import partial
from typing import Any

from refract_asp.errors import InputError
from refract_asp.formats import dialects
from refract_asp.formats.chat import Layout, read_document, write_document
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Sequence
from refract_asp.resources import packaged

_LAYOUTS = [
    Layout.of(name, said) for name, said in packaged("formats/places.json")["protocols"].items()
]


def _detects(layout: Layout, data: Any) -> bool:
    return layout.detects(data) or _silent_format(data) == layout.name


def _read(layout: Layout, data: Any, origin: Origin) -> Sequence:
    if _silent_format(data) == layout.name:
        return Sequence(format=layout.name, written=data)
    return read_document(layout, data, origin)


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


FORMATS: tuple[Format[Sequence], ...] = tuple(
    Format(
        *(layout.name, "sequence", layout.looks),
        *(partial(_detects, layout), partial(_read, layout), partial(write_document, layout)),
    )
    for layout in _LAYOUTS
)
