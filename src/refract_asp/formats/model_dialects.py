"""
How models write calls, as `dialects.json` lists it: the marks of calls in texts, and the keys of their entries;
and what in a text is no answer: thoughts, the tokens of chat templates, what others say in it.

To add a dialect, add a row to the file: the docs and the tests read its examples. `dialects` finds calls without
any mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from refract_asp.formats import chat
from refract_asp.ports import regex
from refract_asp.resources import packaged

_TABLE = packaged("formats/dialects.json")
PROSE: dict[str, list[str]] = _TABLE["prose"]


# -- marks in texts --------------------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """
    A way in which models mark calls.

    Attributes:
        name: how it is called in messages and in the docs.
        who: the models that write it.
        mark: a text without which there is none, in lower case.
        written: where a block stands, as a pattern; its group `body` holds the calls or arguments, `name` the
            tool.
        sure: whether what stands there is a call even where it cannot be read.
        writes: what holds the arguments: JSON or tags of parameters ("data"), or also one text, the first of them
            ("text"), arguments of a call in Python ("keywords"), tags that are their names ("children").
        examples: texts that hold the call `weather(city="Paris", days=2)`.
    """

    name: str
    who: str
    mark: str
    written: str
    examples: tuple[str, ...]
    sure: bool = True
    writes: Literal["data", "text", "keywords", "children"] = "data"

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Where a block stands; it is compiled for the first text that has the mark."""
        return re.compile(_filled(self.written), re.I | re.M | re.S)


def _filled(text: str) -> str:
    """Return a pattern or an example with the parts that it names in braces."""

    def part(match: re.Match[str]) -> str:
        named = _TABLE["parts"][match[1]]
        return _filled(named if isinstance(named, str) else "|".join(named))

    return re.sub(r"\{([A-Z_]+)\}", part, text)


def _dialect(row: dict[str, Any]) -> Dialect:
    return Dialect(**{**row, "examples": tuple(map(_filled, row["examples"]))})


DIALECTS: tuple[Dialect, ...] = tuple(map(_dialect, _TABLE["dialects"]))
FENCE = _dialect(_TABLE["fence"])


# -- entries with the usual keys -------------------------------------------------------

_KEYS: dict[str, list[str]] = _TABLE["keys"]
NO_TOOLS = frozenset(_KEYS["no_tools"])
_WAYS = [tuple(filter(None, way.split("."))) for way in _KEYS["ways"]]
_NOT_A_CALL = chat.NOT_A_CALL | {"returns"}
_TOOL = regex(r"(?:[^\W\d]|\\_)(?:[\w.\-/]|\\_){0,199}")


@lru_cache(maxsize=256)
def _shape(*keys: str, optional: bool, id: str) -> chat.Shape:
    *outer, name, arguments = keys
    places: dict[str, Any] = {"name": (*outer, name), "arguments": (*outer, arguments), "id": (id,)}
    places |= {"space": "functions."} if name == "recipient_name" else {}
    return chat.Shape(**places, loose=True, optional=optional)


def _is_description(entry: dict[str, Any], outer: list[str], key: str, held: Any) -> bool:
    """Whether an entry describes a tool, and calls none: under the key of the arguments is their schema."""
    if outer and key == "parameters" and entry.get("type") == "function":
        # models write a call that way, too: then values stand there, and no schema
        members = held.values() if isinstance(held, dict) else ()
        return "object" in members or all(isinstance(each, dict) for each in members)
    is_object = isinstance(held, dict) and held.get("type") == "object"
    return is_object and isinstance(held.get("properties"), dict)


class _Loose(chat.Layout):
    def shape_of(self, entry: Any) -> chat.Shape | None:
        """Return the shape of an entry by the keys that it has."""
        if not isinstance(entry, dict):
            return None
        outer = [key for key in _KEYS["wrappers"] if isinstance(entry.get(key), dict)][:1]
        inside = entry[outer[0]] if outer else entry
        name = next((key for key in _KEYS["names"] if isinstance(inside.get(key), str)), None)
        arguments = next((key for key in _KEYS["arguments"] if key in inside), None)
        if name is None or inside[name] in NO_TOOLS or _NOT_A_CALL.intersection(inside):
            return None
        usual = "toolCallId" if name == "toolName" else "id"
        id = next((key for key in _KEYS["ids"] if key in entry), usual)
        if arguments is None:
            is_name = name in _KEYS["names"][:4]  # such as "name", but not "tool" and the like
            bare = is_name and inside.keys() <= {name, "toolCallId", *_KEYS["beside"]}
            return _shape(*outer, name, "arguments", optional=True, id=id) if bare else None
        if _is_description(entry, outer, arguments, inside[arguments]):
            return None
        return _shape(*outer, name, arguments, optional=False, id=id)

    def is_broken(self, entry: Any) -> bool:
        """Whether an entry should be a call and is none; parts that a message says may stand beside it."""
        is_part = isinstance(entry, dict) and not entry.keys().isdisjoint(_KEYS["spoken"])
        return not is_part and super().is_broken(entry)


LAYOUT = _Loose(
    name="loose",
    looks='{"tool_calls": [...]}, <tool_call>{...}</tool_call>, fenced JSON, "Action: ..." and the like',
    shapes=(chat.Shape(name=("name",), arguments=("arguments",), prefix="call_", spare=True),),
    lists=((), *((*way, key) for way in _WAYS for key in _KEYS["lists"])),
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
        is_tool = isinstance(name, str) and _TOOL.fullmatch(name) and name not in _KEYS["data"]
        if not is_tool or not (is_text or isinstance(held, dict)) or name in _CALL_KEYS:
            return None
        entries.append({"name": name, "arguments": held})
    return entries or None


_CALL_KEYS = frozenset({*_KEYS["names"], *_KEYS["wrappers"], *_KEYS["lists"]})


def folded(entries: Any) -> list[Any]:
    """Print entries with name and arguments as `unfolded` reads them."""
    return [{entry["name"]: entry["arguments"]} for entry in entries]


# -- what is no answer -----------------------------------------------------------------

_ASIDES = {name: _filled(pattern) for name, pattern in _TABLE["asides"].items()}
_ASIDE = regex("|".join(f"(?P<{name}>{each})" for name, each in _ASIDES.items()), re.I | re.S)
_ENDS = {name: regex(_filled(end), re.I) for name, end in _TABLE["aside_ends"].items()}
_LINE = regex(r"[^\r\n]+")
_BLANK = regex(r"\s*")
# A text in quotes where a value stands, by what is before it and after it; prose has unpaired quotes.
_QUOTED = (
    r"`[^`\n]++`|[(\[{,:=]\s*+[bfru]{0,2}"
    r"""(?>"{3}.*?"{3}|'{3}.*?'{3}|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
    r"(?=\s*+(?:[,;:=)\]}]|\Z)|[^\S\n]*+\n)"
)
_ASIDE_OR_QUOTED = regex(f"{_ASIDE.pattern}|{_QUOTED}", re.I | re.S)
# What an aside begins with, or stands after, what a text in quotes does; and how far it is looked for at a time.
_BEGINS = regex(r"[<\[◁\n]")
_BEGINS_OR_QUOTES = regex(r"[<\[◁\n`({,:=]")
_FAR = 100_000


def _found(
    pattern: re.Pattern[str], text: str, position: int = 0, begins: re.Pattern[str] = _BEGINS
) -> re.Match[str] | None:
    """Return what a search finds, step by step: while Python searches, no other thread can do anything."""
    match = pattern.match(text, position)
    while match is None and position < len(text):
        begin = begins.search(text, position, position + _FAR)
        if begin is None:
            position += _FAR
            continue
        start, position = begin.span()
        if begin[0] == "\n":  # of empty lines, only what stands after the last counts
            blank = _BLANK.match(text, position)
            start = position = text.rfind("\n", start, blank and blank.end()) + 1
        match = pattern.match(text, start)
    return match


def without_thinking(text: str) -> str:
    r"""
    Return a text with blanks for what is no answer of a model, so that all else keeps its line and column.

    That is what stands in `<think>`, `<thinking>`, `<reasoning>` and the like, after such a tag that is never
    closed, and before a closing one that is never opened, because many templates open it in the prompt; the
    tokens of chat templates; and what the model makes others say, as the result of a tool.

    Example:
        >>> without_thinking("<think>f(1)?</think>\ng(text='a <think> tag')<|im_end|>")
        "                    \ng(text='a <think> tag')          "
    """
    if _found(_ASIDE, text) is None:
        return text
    spans: list[tuple[int, int]] = []
    thought = position = 0
    while (match := _found(_ASIDE_OR_QUOTED, text, position, _BEGINS_OR_QUOTES)) is not None:
        start, position = match.span()
        kind = match.lastgroup
        if kind is None:  # quoted: a tag in it is data
            continue
        if kind == "thought_end":
            start = thought
            while spans and spans[-1][1] > start:
                spans.pop()
        elif kind in _ENDS:
            closing = _found(_ENDS[kind], text, position)
            position = len(text) if closing is None else closing.end()
        if kind in ("thought", "thought_end"):
            thought = position
        spans.append((start, position))
    pieces: list[str] = []
    end = 0
    for start, after in spans:
        blank = _LINE.sub(lambda line: " " * len(line[0]), text[start:after])
        pieces += [text[end:start], blank]
        end = after
    return "".join((*pieces, text[end:]))
