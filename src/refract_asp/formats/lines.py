"""
On which line of a text each of its calls stands; found when it is asked for, by reading the text once more.

The readers keep no places, so that reading stays fast. Where a call cannot be found for sure there is None.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from refract_asp.errors import InputError
from refract_asp.formats import dialects, pretty, python
from refract_asp.formats.dialects import without_thinking
from refract_asp.formats.source import Origin
from refract_asp.model import Sequence

MAX_TEXT = 10_000_000
"""In longer texts nothing is looked for."""

_Found: TypeAlias = list[tuple[str, int | None]]
"""The name of each call, and the index of the character in the text at which it stands."""
_NAMES = frozenset({"name", "tool_name", "function_name", "tool", "function", "action"})
_OTHERS = frozenset(
    {"arguments", "args", "input", "parameters", "params", "action_input", "functionResponse",
     "function_response"}
)  # fmt: skip
"""Keys of objects in which names are rarely those of calls."""
_MESSAGE = frozenset({"role", "tool_call_id"})
"""Keys of messages, whose names are those of their authors."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},:]', re.DOTALL)
_PYTHON_LINE = re.compile(r"\r\n|[\n\r]")


def call_lines(text: str, sequence: Sequence) -> tuple[int | None, ...]:
    """
    Return the line, from 1, of each call of a sequence in the text that it was read from.

    It is the line on which the name of the tool stands. It is None where that cannot be told, as when the
    sequence was made in Python.

    Example:
        >>> text = "# hotels\\nvar1 = Search()\\n\\nvar2 = Book(id='$var1.id$')"
        >>> call_lines(text, Sequence.load(text))
        (2, 4)
    """
    names = [call.name for call in sequence.calls]
    unknown = (None,) * len(names)
    text = without_thinking(text.removeprefix("\ufeff"))
    if sequence.format is None or len(text) > MAX_TEXT:
        return unknown
    try:
        found = _found(text, sequence.format, names)
    except (InputError, ValueError, RecursionError):
        return unknown
    if [name for name, _ in found] != names:
        return unknown
    breaks = [match.start() for match in re.finditer("\n", text)]
    return tuple(None if at is None else bisect_right(breaks, at - 1) + 1 for _, at in found)


def _found(text: str, format: str, names: list[str]) -> _Found:
    """Return where the calls of a text stand, in its format."""
    if format == "python":
        reader = python.Reader(text, Origin())
        reader.read()
        starts = [0, *(match.end() for match in _PYTHON_LINE.finditer(text))]
        found = zip(reader.calls, reader.name_lines, strict=True)
        return [(call.name, starts[line - 1]) for call, line in found]
    if text.lstrip()[:1] in ("{", "["):
        try:
            data = json.loads(text)
        except json.JSONDecodeError:
            pass  # text that begins like JSON, as [TOOL_CALLS] or a list of Python
        else:
            if format != "pretty":
                return _in_json(text, names, 0, len(text))
            starts = [match.start() for match in _TOKEN.finditer(text) if match[0][0] == '"']
            texts = zip(data, starts, strict=True)  # no text of JSON goes over several lines
            return [(name, start) for each, start in texts for name, _ in _in_pretty(each)]
    return _in_pretty(text) if format == "pretty" else _in_blocks(text)


def _in_json(text: str, names: list[str], start: int, end: int) -> _Found:
    """Find each name at its first place that no call before it has taken, outside of arguments if it can."""
    calls: dict[str, list[int]] = defaultdict(list)
    others: dict[str, list[int]] = defaultdict(list)
    for at, name, is_other in sorted(_names(text, start, end)):
        (others if is_other else calls)[name].append(at)
    places = {name: iter(calls[name] or others[name]) for name in names}
    return [(name, next(places[name], None)) for name in names]


def _names(text: str, start: int, end: int) -> Iterator[tuple[int, str, bool]]:
    """Yield the place of what may be a name in JSON, the name, and whether arguments or messages hold it."""
    opened: list[tuple[bool, set[str], list[tuple[int, str]]]] = [(False, set(), [])]
    key = before = ""
    for match in _TOKEN.finditer(text, start, end):
        token = match[0]
        is_other, keys, found = opened[-1]
        if token in "{[":
            opened.append((is_other or key in _OTHERS, set(), []))
        elif token in "}]" and len(opened) > 1:
            opened.pop()
            yield from ((at, name, is_other or bool(keys & _MESSAGE)) for at, name in found)
        if token == ":":
            key = before
            keys.add(key)
        elif token[0] != '"':
            key = ""
        elif key in _NAMES:
            found.append((match.start(), json.loads(token, strict=False)))
        before = token[1:-1]


def _in_pretty(text: str) -> _Found:
    reader = pretty.Reader()
    reader.read(text, Origin())
    starts = [read.place.position for read in reader.calls]
    pieces = zip(reader.calls, starts, [*starts[1:], len(text)], strict=True)
    return [(read.name, _word(text, read.name, start, end)) for read, start, end in pieces]


def _in_blocks(text: str) -> _Found:
    written = dialects.FORMAT.read(text, Origin()).written
    found: _Found = []
    for block, names in zip(written.blocks, written.names, strict=True):
        if block.style in ("tag", "json"):
            places = _in_json(text, names, block.start, block.end)
            found += [(name, block.start if at is None else at) for name, at in places]
            continue
        start = block.start
        for name in names:
            at = _word(text, name, start, block.end)
            found.append((name, at))
            start = max(start, at + 1)
    return found


def _word(text: str, name: str, start: int, end: int) -> int:
    """Return where a name stands in a piece of text, as a word or quoted; else where the piece starts."""
    quoted = (json.dumps(name, ensure_ascii=False), json.dumps(name))
    spellings = [re.escape(each) for each in (name, name.replace("_", "\\_")) if each]
    as_word = "|".join(rf"(?<!\w){each}(?!\w)" for each in spellings)
    anywhere = "|".join((*map(re.escape, quoted), *spellings))
    for pattern in filter(None, (as_word, anywhere)):
        if found := re.compile(pattern).search(text, start, end):
            return found.start()
    return start
