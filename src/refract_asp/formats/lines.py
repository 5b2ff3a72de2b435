"""
On which line of a text each of its calls stands; found when it is asked for, by reading the text once more.

The readers keep no places, so that reading stays fast. Where a call cannot be found for sure there is None.
"""

from __future__ import annotations

import json
import json.decoder
import json.scanner
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, TypeAlias

from refract_asp.errors import InputError
from refract_asp.formats import SEQUENCE_FORMATS, pretty_reader, python_reader
from refract_asp.formats.origin import Origin
from refract_asp.formats.registry import find
from refract_asp.formats.values import LENIENT
from refract_asp.model import Call, Sequence

__all__ = ["call_lines"]

MAX_TEXT = 10_000_000
"""In longer texts nothing is looked for."""

_Found: TypeAlias = list[tuple[str, int | None]]
"""The name of each call, and a character of the text at which it stands."""
_KEY = r'"(?:name|tool_name|function_name|tool|function|action)"[ \t\r\n]*+:[ \t\r\n]*+'
_ARGUMENTS = ("arguments", "args", "input", "parameters", "params", "action_input")
_PYTHON_LINE = re.compile(r"\r\n|[\n\r]")


def call_lines(text: str, sequence: Sequence) -> tuple[int | None, ...]:
    """
    Return the line, from 1, of each call of a sequence in the text that it was read from.

    It is the line on which the name of the tool stands, or on which what holds the name begins. It is None
    where that cannot be told, as when the sequence was made in Python.

    Example:
        >>> text = "# hotels\\nvar1 = Search()\\n\\nvar2 = Book(id='$var1.id$')"
        >>> call_lines(text, Sequence.load(text))
        (2, 4)
    """
    unknown = (None,) * len(sequence.calls)
    text = text.removeprefix("\ufeff")
    if sequence.format is None or len(text) > MAX_TEXT:
        return unknown
    try:
        found = _found(text, sequence.format)
    except (InputError, ValueError, RecursionError):
        return unknown
    if [name for name, _ in found] != [call.name for call in sequence.calls]:
        return unknown
    breaks = [match.start() for match in re.finditer("\n", text)]
    return tuple(None if at is None else bisect_right(breaks, at - 1) + 1 for _, at in found)


def _found(text: str, format: str) -> _Found:
    """Return where the calls of a text stand, in its format."""
    if format == "python":
        return _in_python(text)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _in_json(text, format)
        except json.JSONDecodeError:
            pass  # text that begins like JSON, as [TOOL_CALLS] or a list of Python
    return _in_pretty(text) if format == "pretty" else _in_blocks(text)


class _Marking(json.JSONDecoder):
    """Reads JSON, and notes where each object begins and ends, and where each text begins."""

    def __init__(self) -> None:
        hooks = ("object_pairs_hook", "parse_constant", "parse_float")
        super().__init__(**{hook: getattr(LENIENT, hook) for hook in hooks})
        self.spans: dict[int, tuple[int, int]] = {}
        self.texts: list[int] = []
        self.kept: list[Any] = []
        self.parse_object: Callable[..., Any] = self._object
        self.parse_string: Callable[..., Any] = self._string
        # the scanner that is written in Python calls the two; the other one does not
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _object(self, start: tuple[str, int], *more: Any) -> Any:
        value, end = json.decoder.JSONObject(start, *more)  # type: ignore[attr-defined]
        self.spans[id(value)] = (start[1] - 1, end)
        self.kept.append(value)  # so that no other object gets its id
        return value, end

    def _string(self, text: str, start: int, *more: Any) -> Any:
        value, end = json.decoder.scanstring(text, start, *more)  # type: ignore[attr-defined]
        self.texts.append(start - 1)
        return value, end


def _in_json(text: str, format: str) -> _Found:
    marking = _Marking()
    data = marking.decode(text)
    if format == "pretty":
        parts = zip(data, marking.texts, strict=True)  # no text of JSON goes over several lines
        return [(name, start) for each, start in parts for name, _ in _in_pretty(each)]
    calls = find(SEQUENCE_FORMATS, format).read(data, Origin()).calls
    return [(call.name, _in_entry(text, call, marking)) for call in calls]


def _in_entry(text: str, call: Call, marking: _Marking) -> int | None:
    """Return where the name stands in the entry of a call, outside of its arguments."""
    span = marking.spans.get(id(call.written))
    if span is None:
        return None
    start, end = span
    while True:
        at = _seek(text, call.name, start, end, "key")
        inside = None if at is None else next((e for s, e in _arguments(call, marking) if s < at < e), None)
        if at is None or inside is None:
            return _name_at(text, call.name, *span, "quoted") if at is None else at
        start = inside


def _arguments(call: Call, marking: _Marking) -> list[tuple[int, int]]:
    """Return where the arguments of an entry stand, which may hold the same keys."""
    entry = call.written if isinstance(call.written, dict) else {}
    objects = [entry, *(value for value in entry.values() if isinstance(value, dict))]
    found = (each.get(key) for each in objects for key in _ARGUMENTS)
    return [marking.spans[id(value)] for value in found if id(value) in marking.spans]


def _in_pretty(text: str) -> _Found:
    reader = pretty_reader.Reader()
    reader.read(text, Origin())
    starts = [read.place.position for read in reader.calls]
    ends = [*starts[1:], len(text)]
    return [
        (read.call, _name_at(text, read.call, start, end, "bare", "quoted"))
        for read, start, end in zip(reader.calls, starts, ends, strict=True)
    ]


def _in_python(text: str) -> _Found:
    reader = python_reader.Reader(text, Origin())
    reader.read()
    starts = [0, *(match.end() for match in _PYTHON_LINE.finditer(text))]
    names = (call.name for call in reader.calls)
    return [(name, starts[line - 1]) for name, line in zip(names, reader.name_lines, strict=True)]


def _in_blocks(text: str) -> _Found:
    written = find(SEQUENCE_FORMATS, "loose").read(text, Origin()).written
    found: _Found = []
    for block, names in zip(written.blocks, written.names, strict=True):
        ways = ["key", "quoted", "bare"] if block.style in ("tag", "json") else ["bare"]
        start = block.start
        for name in names:
            at = None
            while ways and (at := _seek(text, name, start, block.end, ways[0])) is None:
                del ways[0]  # it would be sought in vain again and again
            found.append((name, block.start if at is None else at))
            start = start if at is None else at + 1
    return found


def _name_at(text: str, name: str, start: int, end: int, *ways: str) -> int:
    """Return where a name stands in a piece of text, in the first way that it is found; else its start."""
    places = (_seek(text, name, start, end, way) for way in ways)
    return next((at for at in places if at is not None), start)


def _seek(text: str, name: str, start: int, end: int, way: str) -> int | None:
    """Return where a name stands: as the value of its "key", "quoted" or "bare"."""
    quoted = dict.fromkeys((json.dumps(name, ensure_ascii=False), json.dumps(name)))
    if way == "key":
        match = re.compile(f"{_KEY}(?:{'|'.join(map(re.escape, quoted))})").search(text, start, end)
        return None if match is None else match.end() - 1
    spellings = quoted
    if way == "bare":
        spellings = dict.fromkeys((name, name.replace("_", "\\_")))
        words = "|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in spellings if each)
        match = re.compile(words).search(text, start, end) if words else None
        if match is not None:
            return match.start()
    found = (text.find(spelling, start, end) for spelling in spellings if spelling)
    return next((at for at in found if at >= 0), None)
