r"""
The many ways in which models write calls, in data and inside of texts; read under the name "loose".

    {"tool_calls": [{"name": "f", "arguments": {...}}]}    a list under a key, or the list, or one call;
    {"tool": "f", "args": {...}}                           under any of the usual keys
    {"name": "f", "arguments": "{...}"}                    with arguments as JSON text, null or []
    <tool_call>{"name": "f", "arguments": {...}}</tool_call>
    <function=f>{...}</function>
    ```json                                                a fenced block with JSON or call text,
    [{"name": "f", "parameters": {...}}]                   with prose around it
    ```
    Action: f
    Action Input: {...}
    [TOOL_CALLS] [{"name": "f", "arguments": {...}}]
    f                                                      a name, then its arguments
    {...}

JSON in texts is mended as `mending` tells; escaped names (`solve\_x`) lose their backslashes. A block that
is cut off is a malformed call, under its name where that was still written. Text around the blocks is kept;
a block that did not change is printed as it stood.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats.dialect_texts import Block, CallText, find_blocks, looks_like_blocks
from refract_asp.formats.documents import (
    ANY,
    Layout,
    find_entries,
    labels_of,
    placed,
    read_document,
    read_entries,
    refuse_open,
    write_document,
)
from refract_asp.formats.origin import Origin
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.registry import Format
from refract_asp.formats.shapes import Reading, Shape
from refract_asp.model import Call, Sequence

__all__ = [
    "FORMAT",
    "is_idle_anthropic",
    "is_idle_langchain",
    "is_idle_openai",
]


_NAMES = ("name", "tool_name", "function_name", "tool", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "kwargs", "action_input", "tool_input")
_WRAPPERS = ("function", "functionCall", "function_call", "tool_call")
_BESIDES = frozenset({"id", "type", "label"})
_NOT_A_CALL = frozenset(
    {"description", "inputSchema", "input_schema", "output_parameters", "returns"}
)
_LISTS = ("tool_calls", "calls", "function_calls", "actions")
_ESCAPED = re.compile(r"\\([_*\-.])")


@lru_cache(maxsize=256)
def _shape(outer: tuple[str, ...], name: str, arguments: str, optional: bool) -> Shape:
    return Shape(name=(*outer, name), arguments=(*outer, arguments), loose=True, optional=optional)


def _shape_of(entry: Any) -> Shape | None:
    if not isinstance(entry, dict):
        return None
    shape = _found_shape(entry)
    is_description = (
        shape is not None
        and shape.arguments[-1] == "parameters"
        and entry.get("type") == "function"
    )
    return None if is_description else shape


def _found_shape(entry: dict[str, Any]) -> Shape | None:
    for wrapper in _WRAPPERS:
        if isinstance(entry.get(wrapper), dict):
            return _keys_of(entry[wrapper], (wrapper,))
    return _keys_of(entry, ())


def _keys_of(inside: dict[str, Any], outer: tuple[str, ...]) -> Shape | None:
    if _NOT_A_CALL.intersection(inside):
        return None
    name = next((key for key in _NAMES if isinstance(inside.get(key), str)), None)
    arguments = next((key for key in _ARGUMENTS if key in inside), None)
    if name is None:
        return None
    if arguments is None:
        bare = name in _NAMES[:3] and inside.keys() <= {name, *_BESIDES}
        return _shape(outer, name, "arguments", True) if bare else None
    return _shape(outer, name, arguments, False)


_LAYOUT = Layout(
    name="loose",
    looks='{"tool_calls": [...]}, <tool_call>{...}</tool_call>, fenced JSON, "Action: ..." and the like',
    shape_of=_shape_of,
    new=Shape(name=("name",), arguments=("arguments",), prefix="call_", spare=True),
    lists=((), *((key,) for key in _LISTS), *((ANY, key) for key in _LISTS)),
)


@dataclass
class _Text:
    """A text, its blocks, and the names of the tools that each of them calls."""

    text: str
    blocks: list[Block]
    names: list[list[str]]


def _detects(data: Any) -> bool:
    return looks_like_blocks(data) if isinstance(data, str) else _LAYOUT.detects(data)


def _read(data: Any, origin: Origin) -> Sequence:
    if not isinstance(data, str):
        return read_document(_LAYOUT, data, origin)
    blocks = find_blocks(data, origin, lambda value: bool(find_entries(_LAYOUT, value)[1]))
    if not blocks:
        raise origin.error("no calls are found in the text.", hint=f"As in {_LAYOUT.looks}.")
    calls, notes, _ = _read_blocks(blocks)
    return Sequence(
        calls=tuple(call for each in calls for call in each),
        format="loose",
        written=_Text(data, blocks, [[call.name for call in each] for each in calls]),
        unlabelled=not any(isinstance(block.document, CallText) for block in blocks),
        notes=notes,
    )


def _read_blocks(
    blocks: list[Block], names: frozenset[str] | None = None
) -> tuple[list[list[Call]], tuple[str, ...], dict[int, int]]:
    found = [find_entries(_LAYOUT, block.document) for block in blocks]
    labels = (label for _, each in found for label in labels_of(_LAYOUT, each))
    reading = Reading(Origin(), Known(labels, only=names))
    calls: list[list[Call]] = []
    owners: dict[int, int] = {}
    for number, (block, (envelope, entries)) in enumerate(zip(blocks, found, strict=True)):
        block.envelope = envelope
        reading.origin = Origin(block.where)
        if block.malformed is not None:
            reading.number += 1
            why = f"{block.where}: {block.malformed}"
            calls.append([Call(name=_unescaped(block.name), malformed=why, written=block)])
        else:
            before = reading.number
            calls.append([_renamed(call) for call in read_entries(_LAYOUT, entries, reading)])
            reading.notes += [
                f"call {before + n} ({shown(call.name, 60)}): mended an escaped name."
                for n, call in enumerate(calls[-1], 1)
                if call.name != _name(call) and "\\" in _name(call)
            ]
            if block.slips and calls[-1]:
                first = calls[-1][0]
                number_ = reading.number - len(calls[-1]) + 1
                reading.notes.append(
                    f"call {number_} ({shown(first.name, 60)}): mended {', '.join(block.slips)}."
                )
        owners.update((id(call.written), number) for call in calls[-1])
    every = [call for each in calls for call in each]
    if reading.nameless:
        reading.checked([call for call in every if not isinstance(call.written, Block)] or every)
    return calls, tuple(reading.notes), owners


def _unescaped(name: str) -> str:
    return _ESCAPED.sub(r"\1", name)


def _renamed(call: Call) -> Call:
    return call.model_copy(update={"name": _unescaped(call.name)}) if "\\" in call.name else call


def _write(sequence: Sequence) -> Any:
    written = sequence.written if sequence.format == "loose" else None
    if sequence.format == "loose" and not isinstance(written, _Text):
        return write_document(_LAYOUT, sequence)
    refuse_open(sequence, "loose")
    if not isinstance(written, _Text):
        plain = sequence.model_copy(update={"format": None})
        return "\n".join(_tagged(entry) for entry in write_document(_LAYOUT, plain))
    known = known_of(sequence)
    again, _, owners = _read_blocks(written.blocks, sequence.names)
    now: list[list[Call]] = [[] for _ in written.blocks]
    for call, _, near in placed(sequence.calls, owners, [False] * len(written.blocks)):
        now[near].append(call)
    text = ""
    end = 0
    for block, before, after in zip(written.blocks, again, now, strict=True):
        text += written.text[end : block.start]
        end = block.end
        if before == after and not block.slips and not any("\\" in _name(call) for call in after):
            text += written.text[block.start : block.end]
        else:
            part = Sequence(calls=tuple(after), format="loose", written=block.envelope)
            data = write_document(_LAYOUT, part, known)
            text += block.printed(data)
    return text + written.text[end:]


def _name(call: Call) -> str:
    shape = _shape_of(call.written)
    value: Any = call.written
    for key in shape.name if shape is not None else ():
        value = value[key]
    return value if isinstance(value, str) else ""


def _tagged(entry: Any) -> str:
    return f"<tool_call>{json.dumps(entry, ensure_ascii=False)}</tool_call>"


FORMAT: Format[Sequence] = Format(
    name="loose",
    kind="sequence",
    looks=_LAYOUT.looks,
    detects=_detects,
    read=_read,
    write=_write,
)


_TEXTS = frozenset({"text", "refusal", "thinking", "redacted_thinking"})
"""The types of blocks in which a model only says something."""
_CALLS = ("tool_calls", "invalid_tool_calls", "function_call")


def is_idle_openai(data: Any) -> bool:
    """
    Whether data is a message of OpenAI's chat without calls, alone or in a response.

    Example:
        >>> is_idle_openai({"role": "assistant", "content": "hi", "tool_calls": None})
        True
        >>> is_idle_openai({"role": "user", "content": "hi"})
        False
    """
    if not isinstance(data, dict):
        return False
    if "role" in data:
        return data.get("tool_calls") == [] or _is_silent(data, blocks="tool_calls" in data)
    if "choices" in data:
        choices = data["choices"]
        return (
            isinstance(choices, list | tuple) and bool(choices) and all(map(_holds_silent, choices))
        )
    return _holds_silent(data)


def is_idle_anthropic(data: Any) -> bool:
    """
    Whether data is a message of Anthropic's whose blocks only say something.

    Example:
        >>> is_idle_anthropic({"role": "assistant", "content": [{"type": "text", "text": "hi"}]})
        True
    """
    return (
        isinstance(data, dict)
        and data.get("role") == "assistant"
        and not any(key in data for key in _CALLS)
        and _says_only(data.get("content"))
    )


def is_idle_langchain(data: Any) -> bool:
    """
    Whether data is a message of LangChain's without calls.

    Example:
        >>> is_idle_langchain({"type": "ai", "content": "hi", "tool_calls": []})
        True
    """
    if not isinstance(data, dict) or data.get("type") not in ("ai", "AIMessageChunk"):
        return False
    return _is_silent({**data, "role": "assistant"}, blocks=True)


def _holds_silent(data: Any) -> bool:
    return isinstance(data, dict) and _is_silent(data.get("message"), blocks=True)


def _is_silent(message: Any, blocks: bool) -> bool:
    """Whether a message of an assistant only says something; its content may be a list of blocks as well."""
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return False
    if "content" not in message and not isinstance(message.get("refusal"), str):
        return False
    if any(message.get(key) not in (None, []) for key in _CALLS):
        return False
    content = message.get("content")
    if isinstance(content, str):
        return not _writes_calls(content)
    return content is None or (blocks and _says_only(content))


def _writes_calls(text: str) -> bool:
    """Whether a model wrote calls into its text, in one of the forms that `dialects` reads."""
    if not FORMAT.detects(text):
        return False
    try:
        return bool(FORMAT.read(text, Origin()).calls)
    except InputError:
        return False


def _says_only(content: Any) -> bool:
    return isinstance(content, list | tuple) and all(
        isinstance(block, dict) and isinstance(block.get("type"), str) and block["type"] in _TEXTS
        for block in content
    )
