"""Entries of calls under the usual keys, whatever the keys: the shapes that the dialects of models share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from refract_asp.formats import chat

_NAMES = (
    "name",
    "tool_name",
    "function_name",
    "toolName",
    "tool",
    "function",
    "action",
    "api",
    "recipient_name",
)
_ARGUMENTS = (
    "arguments", "parameters", "args", "input", "kwargs", "action_input", "tool_input", "tool_args",
    "tool_arguments", "function_args", "params", "tool_kwargs",
)  # fmt: skip
_WRAPPERS = ("function", "functionCall", "function_call", "tool_call")
# What the prompts of ReAct have in place of a tool, where nothing is called.
NO_TOOLS = frozenset({"Final Answer", "None", "N/A"})
_BESIDES = frozenset({"id", "type", "label"})
_NOT_A_CALL = chat.NOT_A_CALL | {"returns"}
# The last ones are those of Pydantic AI, LlamaIndex, Haystack and Agent Framework.
_LISTS = (
    "tool_calls", "calls", "function_calls", "actions", "tool_uses", "toolCalls", "parts", "blocks",
    "_content", "contents",
)  # fmt: skip
# Where an object has such a list: itself, among others, in its message, or as a message of LlamaIndex has it.
_WAYS = (
    (),
    (chat.ANY,),
    ("message",),
    ("messages", chat.ANY),
    ("additional_kwargs",),
    ("message", "additional_kwargs"),
)
_SAID = frozenset({"part_kind", "block_type", "text"})
_IDS = ("id", "tool_call_id", "call_id", "tool_id", "toolCallId")
# What a key is that stands for data and not for a tool, in a list of objects with one key.
_DATA = frozenset(
    {"error", "message", "data", "result", "response", "content", "user", "metadata", "properties", "output",
     "input", "item", "schema", "arguments", "parameters"}
)  # fmt: skip
_TOOL = re.compile(r"(?:[^\W\d]|\\_)(?:[\w.\-/]|\\_){0,199}")


@lru_cache(maxsize=256)
def _shape(*keys: str, optional: bool, id: str) -> chat.Shape:
    *outer, name, arguments = keys
    places: dict[str, Any] = {"name": (*outer, name), "arguments": (*outer, arguments), "id": (id,)}
    places |= {"space": "functions."} if name == "recipient_name" else {}
    return chat.Shape(**places, loose=True, optional=optional)


def _id_key(entry: Mapping[str, Any], name: str) -> str:
    """Return the key of the id of an entry, or of such entries, by the key of their names."""
    return next((key for key in _IDS if key in entry), "toolCallId" if name == "toolName" else "id")


def _is_schema(value: Any) -> bool:
    """Whether what should be arguments is the schema of some: then it describes a tool."""
    return (
        isinstance(value, dict)
        and value.get("type") == "object"
        and isinstance(value.get("properties"), dict)
    )


class _Loose(chat.Layout):
    def shape_of(self, entry: Any) -> chat.Shape | None:
        """Return the shape of an entry by the keys that it has."""
        if not isinstance(entry, dict):
            return None
        outer = [key for key in _WRAPPERS if isinstance(entry.get(key), dict)][:1]
        inside = entry[outer[0]] if outer else entry
        name = next((key for key in _NAMES if isinstance(inside.get(key), str)), None)
        arguments = next((key for key in _ARGUMENTS if key in inside), None)
        if name is None or inside[name] in NO_TOOLS or _NOT_A_CALL.intersection(inside):
            return None
        id = _id_key(entry, name)
        if arguments is None:
            bare = name in _NAMES[:4] and inside.keys() <= {name, "toolCallId", *_BESIDES}
            return _shape(*outer, name, "arguments", optional=True, id=id) if bare else None
        is_description = arguments == "parameters" and entry.get("type") == "function" and outer
        if is_description or _is_schema(inside[arguments]):
            return None
        return _shape(*outer, name, arguments, optional=False, id=id)

    def is_broken(self, entry: Any) -> bool:
        """Whether an entry should be a call and is none; parts that a message says may stand beside it."""
        return not (isinstance(entry, dict) and _SAID & entry.keys()) and super().is_broken(entry)


LAYOUT = _Loose(
    name="loose",
    looks='{"tool_calls": [...]}, <tool_call>{...}</tool_call>, fenced JSON, "Action: ..." and the like',
    shapes=(chat.Shape(name=("name",), arguments=("arguments",), prefix="call_", spare=True),),
    lists=((), *((*way, key) for way in _WAYS for key in _LISTS)),
)


def unfolded(data: Any) -> list[Any] | None:
    """
    Return a list of `{"f": {...}}` as entries with name and arguments; None for anything else.

    Example:
        >>> unfolded([{"f": {"a": 1}}, {"g": "{}"}])
        [{'name': 'f', 'arguments': {'a': 1}}, {'name': 'g', 'arguments': '{}'}]
        >>> unfolded([{"error": {"code": 1}}])
    """
    entries = []
    for entry in data if isinstance(data, list | tuple) else ():
        if not isinstance(entry, Mapping) or len(entry) != 1:
            return None
        ((name, held),) = entry.items()
        is_text = isinstance(held, str) and held.lstrip()[:1] == "{" and held.rstrip()[-1:] == "}"
        is_tool = isinstance(name, str) and _TOOL.fullmatch(name) and name not in _DATA
        if not is_tool or not (is_text or isinstance(held, dict)) or name in LAYOUT_KEYS:
            return None
        entries.append({"name": name, "arguments": held})
    return entries or None


LAYOUT_KEYS = frozenset({*_NAMES, *_WRAPPERS, *_LISTS})


def folded(entries: Any) -> list[Any]:
    """Print entries with name and arguments as `unfolded` reads them."""
    return [{entry["name"]: entry["arguments"]} for entry in entries]
