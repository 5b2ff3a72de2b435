"""
Exports of tools that trace agents, as data sets: an entry for each turn of a model, or for each trace.

    for place, entry in trace_entries(Path("spans.jsonl"), per="trace"): ...

A file holds JSON lines, values one after the other, a list of records, or one that holds a list; only a few
records are held at once, but for what they say of traces that are still open. Records with one trace id are
one trace; a call that several of them tell of is one call. `records` tells what each of them says.

An entry is what a data set has (see `examples`): the calls under "sequence", the tools of the record under
"catalog", the calls before under "history", and what these gave under "memory".
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from io import BufferedIOBase
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TypeAlias
from zipfile import BadZipFile, ZipFile

from refract_asp.errors import FormatError, InputError, LimitError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.chat import ABSENT
from refract_asp.formats.examples import first_of, line_value, lines_of, opened_file
from refract_asp.formats.records import PLACES, Made, Record, at, is_part, read_record
from refract_asp.formats.source import LINE_SUFFIXES, MAX_FILE_BYTES, file_errors, is_lines
from refract_asp.formats.values import Origin
from refract_asp.model.paths import object_of, without

KINDS: tuple[str, ...] = tuple(PLACES["kinds"])
Per: TypeAlias = Literal["turn", "trace"]

# Of traces that are open no more is held than this: so many, with so many calls.
MAX_OPEN = 10_000
MAX_CALLS = 100_000
# So many calls before a turn go into its entry.
MAX_HISTORY = 50
# A result whose JSON is longer is left out of what is known.
MAX_RESULT = 20_000
_CHUNK = 1 << 20
# The beginning of an archive, and where one of Inspect says what all of its samples share.
_ARCHIVE = b"PK\x03\x04"
_HEADS = ("_journal/start.json", "header.json")
_LABEL = re.compile(r"[A-Za-z_][\w-]*")
_DECODER = json.JSONDecoder()
# What a record that holds others may say itself, and lists whose records are of one trace.
_TELLING = frozenset({"messages", "input", "inputs", "output", "outputs", "tools", "attributes"})
_OF_TRACES = frozenset({"observations", "child_runs", "spans"})
_OTLP = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "batches")


def trace_entries(
    data: Path | str | BufferedIOBase,
    kind: str = "auto",
    per: Per = "turn",
    name: str | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[str, Any]]:
    """
    Yield the entries that an export of traces stands for, with their places.

    What cannot be read is an error in place of an entry. A record without a call has no entry; where no
    record has one, the only entry is an error that says so.

    Args:
        data: a file, a text, or a file that is open for reading bytes.
        kind: which tool wrote it, one of `KINDS`; "auto" and "jsonl" take whatever comes.
        per: what an entry is.
        name: where the data comes from; by default the file, or "<text>".
        told: is told in one line, at the end, what was passed over.

    Raises:
        FormatError: the data as a whole cannot be read.

    Example:
        >>> call = {"type": "tool_use", "id": "t1", "name": "Search", "input": {"query": "London"}}
        >>> record = {"role": "assistant", "model": "small", "content": [call]}
        >>> ((place, entry),) = trace_entries(json.dumps(record))
        >>> entry["sequence"][0]["function"], entry["meta"]
        ({'name': 'Search', 'arguments': {'query': 'London'}}, {'model': 'small'})
    """
    name = Origin(name or (str(data) if isinstance(data, Path) else "<text>")).at()
    export = _Export(kind, per)
    for place, value in _values(data, name):
        if isinstance(value, InputError):
            yield place, value
            export.counts["read"] += 1
        else:
            yield from export.add(place, value)
    yield from export.close()
    if not export.counts["read"]:
        yield name, export.nothing(name)
    elif missed := export.passed_over():
        told(f"{name}: {missed}.")


# -- values in a file ------------------------------------------------------------------


def _values(data: Path | str | BufferedIOBase, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the values in a file with their places, or the error in place of one; a list is its records."""
    with file_errors(name), opened_file(data) as file:
        lines = lines_of(file)
        begin, two = first_of(lines)
        if isinstance(data, Path) and b"".join(begin[:1]).startswith(_ARCHIVE):
            yield from _values_of_log(data, name)
            return
        by_name = isinstance(data, Path) and data.suffix.lower() in LINE_SUFFIXES
        if not by_name and not (len(two) == 2 and is_lines(*two)):
            yield from _values_in(chain(begin, iter(lambda: file.read(_CHUNK), b"")), name)
            return
        for number, line in enumerate(chain(begin, lines), start=1):
            if line.strip():
                try:
                    yield f"{name}:{number}", line_value(line.strip(b"\r\n"), f"{name}:{number}")
                except InputError as error:
                    yield f"{name}:{number}", error


def _values_of_log(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the samples of a log of Inspect that is an archive, each with what the log says of all."""
    try:
        with ZipFile(path) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".json")]
            samples = [each for each in members if each.filename.startswith("samples/")]
            heads = [each for each in members if each.filename in _HEADS]
            known = dict[str, Any]()
            for member in [*heads, *samples]:
                place = f"{name}: {shown(member.filename)}"
                try:
                    if member.file_size > MAX_FILE_BYTES:
                        raise LimitError("it is too long.", where=place)
                    value = line_value(archive.read(member), place)
                except InputError as error:
                    yield place, error
                    continue
                if member in samples:
                    yield place, {**known, "samples": [value]}
                elif isinstance(value, dict):
                    known = {key: value[key] for key in ("eval",) if key in value}
    except (BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        hint = "Write the log as JSON: inspect log dump LOG > log.json."
        raise FormatError(
            f"the archive cannot be read: {shown(error)}.", where=name, hint=hint
        ) from None


def _values_in(chunks: Iterator[bytes], name: str) -> Iterator[tuple[str, Any]]:
    """Yield values that stand one after the other, or in one list, each as soon as it is there."""
    text, number, parts = _Text(chunks, name), 0, list[Any]()
    listed = text.skip("[")
    while True:
        place = f"{name}: [{number}]" if listed or number else name
        try:
            value = text.value()
        except FormatError as error:
            yield place, FormatError(error.what, where=place)
            break
        if value is ABSENT:
            break
        if parts or (listed and not number and is_part(value)):
            parts.append(value)
        else:
            yield place, value
        number += 1
        if listed and (not text.skip(",")) and text.skip("]"):
            break
    if parts:
        yield name, parts


class _Text:
    """A text of JSON values that comes in chunks, of which no more is held than a value needs."""

    def __init__(self, chunks: Iterator[bytes], name: str) -> None:
        self._chunks, self._name = chunks, name
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._ended = "", False

    def skip(self, mark: str) -> bool:
        """Pass over a mark, if it comes next."""
        while not (text := self._text.lstrip()) and self._more():
            pass
        self._text = text.removeprefix(mark)
        return text is not self._text and text.startswith(mark)

    def value(self) -> Any:
        """
        Return the next value, ABSENT at the end.

        Raises:
            FormatError: there is none.
        """
        if self.skip("]"):
            return ABSENT
        while True:
            with suppress(ValueError, RecursionError):
                value, end = _DECODER.raw_decode(self._text)
                if end < len(self._text) or self._ended:  # else a number may go on
                    self._text = self._text[end:]
                    return value
            # as much again, so that a long value is tried a few times only
            if self._ended and self._text.strip():
                raise FormatError("this is not JSON, or its end is missing.")
            if self._ended:
                return ABSENT
            wanted = 2 * len(self._text)
            while self._more() and len(self._text) < wanted:
                pass

    def _more(self) -> bool:
        chunk = b"" if self._ended else next(self._chunks, b"")
        self._text += self._decode(chunk, not chunk) if not self._ended else ""
        self._ended = not chunk
        if len(self._text) > MAX_FILE_BYTES:
            raise LimitError("a value is too long.", where=self._name, hint="Write JSON lines.")
        return bool(chunk)


def _records(
    value: Any, place: str, known: dict[str, Any]
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the records that a value holds, with their places and what is known of all of them."""
    if isinstance(value, list) and _holds_records(value):
        held = [(f"{place}: [{index}]", each) for index, each in enumerate(value)]
    elif not isinstance(value, dict) or is_data_set(value):
        yield place, value, known
        return
    elif key := next((each for each in _OTLP if isinstance(value.get(each), list)), ""):
        held = [(place, each) for each in value[key]]
    else:
        inside = [key for key in PLACES["batches"] if _holds_records(value.get(key))]
        rest = without(value, inside)
        if not inside or not _TELLING.isdisjoint(rest):
            yield place, rest, known
        known = _shared(rest, known, inside) if inside else known
        held = [
            (f"{place}: {key}[{n}]", each) for key in inside for n, each in enumerate(value[key])
        ]
    for where, each in held:
        yield from _records(each, where, known)


def _holds_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not is_part(value[0])


def _shared(record: dict[str, Any], known: dict[str, Any], inside: list[str]) -> dict[str, Any]:
    """Return what a record says of those inside of it."""
    meta = read_record(record, "", known).meta
    id = meta.pop("id", None)
    if id is not None and not _OF_TRACES.isdisjoint(inside):
        meta.setdefault("trace", id)
    return meta


def is_data_set(value: Any) -> bool:
    """Whether a value is an entry of a data set already."""
    return isinstance(value, dict) and "sequence" in value


# -- traces ----------------------------------------------------------------------------


@dataclass
class _Trace:
    """The records of one trace, or one entry that is none."""

    records: list[Record] = field(default_factory=list)
    entry: Any = None
    is_open: bool = True

    @property
    def size(self) -> int:
        found = (
            len(each.shown) + len(each.ran) + sum(map(len, each.turns)) for each in self.records
        )
        return sum(found)


class _Export:
    """Gathers records to traces, and makes entries of those that are complete, in the order of their beginning."""

    def __init__(self, kind: str, per: Per) -> None:
        self._wanted: list[str] = PLACES["kinds"][kind]
        self._kind, self._per = kind, per
        self._open: dict[Any, _Trace] = {}
        self._calls = 0
        self.counts = Counter[str]()

    def add(self, place: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Take a value; yield the entries that are complete now."""
        for where, held, known in _records(value, place, {}):
            self.counts["records"] += 1
            if is_data_set(held) or self._is_sequence(held):
                self._open[object()] = _Trace(entry=(where, held), is_open=False)
                continue
            if self._wanted and not any(at(held, each) is not ABSENT for each in self._wanted):
                self.counts["foreign"] += 1
                continue
            record = read_record(held, where, known)
            if record.is_empty:
                self.counts["cut" if record.cut else "silent"] += 1
                if record.cut:
                    what = f"the text under {shown(record.cut, 60)} should be JSON, and is cut off."
                    error = FormatError(
                        what, where=where, hint="Export it without a limit of length."
                    )
                    self._open[object()] = _Trace(entry=(where, error), is_open=False)
                continue
            trace = record.meta.get("trace")
            found = self._open.setdefault(object() if trace is None else trace, _Trace())
            found.records.append(record)
            found.is_open = trace is not None
            self._calls += _Trace([record]).size
        while self._open:
            first = next(iter(self._open))
            is_full = len(self._open) > MAX_OPEN or self._calls > MAX_CALLS
            if self._open[first].is_open and not is_full:
                break
            yield from self._entries(self._open.pop(first))

    def close(self) -> Iterator[tuple[str, Any]]:
        """Yield the entries of all that is left."""
        for trace in self._open.values():
            yield from self._entries(trace)

    def nothing(self, name: str) -> FormatError:
        """Return the error that there is no call."""
        total, foreign = self.counts["records"], self.counts["foreign"]
        if not total:
            return FormatError("there is no record in it.", where=name)
        if foreign:
            what = f"it is not from {self._kind}: {foreign:,} of {total:,} records are of another tool."
            return FormatError(what, where=name, hint="Let the tool be found: --from auto.")
        what = (
            f"none of {total:,} records holds a call." if total > 1 else "the record holds no call."
        )
        hint = "See whether the tool that wrote it was told to record messages and tool calls."
        return FormatError(what, where=name, hint=hint)

    def passed_over(self) -> str:
        """Return in words what has no entry; empty where there is nothing to tell."""
        silent, foreign = self.counts["silent"], self.counts["foreign"]
        told = [f"{silent:,} hold no call"] if silent else []
        told += [f"{foreign:,} are not from {self._kind}"] if foreign else []
        return f"of {self.counts['records']:,} records {' and '.join(told)}" if told else ""

    def _is_sequence(self, value: Any) -> bool:
        """Whether a value is nothing but calls, as a line of text or a list is that no tool for traces writes."""
        if isinstance(value, dict) or (
            isinstance(value, list) and value and not isinstance(value[0], str)
        ):
            is_nestful = isinstance(value, list) and isinstance(value[0], dict)
            if not is_nestful or not {"name", "arguments"} <= value[0].keys() or "id" in value[0]:
                return False
        with suppress(InputError):
            calls = load_sequence(value).calls
            return bool(calls) and all(call.malformed is None for call in calls)
        return False

    def _entries(self, trace: _Trace) -> Iterator[tuple[str, Any]]:
        self._calls -= trace.size
        if trace.entry is not None:
            self.counts["read"] += 1
            yield trace.entry
            return
        for entry in _told(_ordered(trace.records), self._per):
            self.counts["read"] += 1
            yield entry


def _told(records: list[Record], per: Per) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a trace."""
    known = _Known()
    turns = [turn for record in records for turn in known.turns_of(record)]
    turns = known.with_those_that_ran(records, turns)
    tools = {name: tool for record in records for name, tool in record.tools.items()}
    meta = {key: each for record in reversed(records) for key, each in record.meta.items()}
    if per == "trace" and turns:
        turns = [_Turn(records[0], [made for turn in turns for made in turn.calls])]
    for turn in turns:
        # what a turn says of itself comes first
        own = {**meta, **turn.record.meta}
        id, number = own.pop("id", None), f"#{turn.number}" if turn.number else ""
        id = own.get("trace", id) if per == "trace" or id is None else id
        entry: dict[str, Any] = {
            "sequence": [_written(made) for made in turn.calls],
            "id": f"{id}{number}" if id is not None else None,
            "meta": own,
            "catalog": _catalog(tools),
            "history": [_written(made, past=True) for made in turn.before],
            "memory": turn.memory,
        }
        yield f"{turn.record.place}{number}", dict(filter(itemgetter(1), entry.items()))


def _ordered(records: list[Record]) -> list[Record]:
    """Return records by time, where each has one."""
    times = [_seconds(each.meta.get("time")) for each in records]
    if not all(times):
        return records
    return [each for _, each in sorted(zip(times, records, strict=True), key=itemgetter(0))]


def _seconds(time: Any) -> float:
    with suppress(ValueError, TypeError):
        return datetime.fromisoformat(time).timestamp()
    return 0.0


def _written(made: Made, *, past: bool = False) -> dict[str, Any]:
    """Return a call as OpenAI writes one."""
    held = made.arguments
    if past and not isinstance(held, dict):
        with suppress(ValueError, RecursionError, TypeError):
            held = json.loads(held)
        held = object_of(held)
    function = {"name": made.name, "arguments": held}
    return {**({"id": made.id} if made.id else {}), "type": "function", "function": function}


def _catalog(tools: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools as OpenAI writes them, or as MCP does where it says more."""
    if any({"annotations", "outputSchema"} & tool.keys() for tool in tools.values()):
        renamed = ({**tool, "inputSchema": tool["parameters"]} for tool in tools.values())
        return [without(tool, ("parameters", "strict")) for tool in renamed]
    return [{"type": "function", "function": tool} for tool in tools.values()]


@dataclass
class _Turn:
    """Calls that a model made together, with the calls before them and what these gave."""

    record: Record
    calls: list[Made]
    number: int = 0
    before: list[Made] = field(default_factory=list)
    memory: dict[str, Any] = field(default_factory=dict)


class _Known:
    """The calls of a trace so far, each once."""

    def __init__(self) -> None:
        self._judged: set[tuple[str, str]] = set()
        self._past: dict[Any, Made] = {}

    def turns_of(self, record: Record) -> Iterator[_Turn]:
        """Yield the turns of a record that no earlier record has."""
        shown = {(made.id, made.key) for made in record.shown if made.id}
        for made in record.shown:
            self._past.setdefault(
                (made.id, made.key) if made.id else (record.place, made.key), made
            )
        found = []
        for turn in record.turns:
            calls = [
                made
                for made in turn
                if not made.id or (made.id, made.key) not in self._judged | shown
            ]
            if calls:
                found.append(calls)
        for number, calls in enumerate(found, 1):
            self._answered(record)
            yield self._turn(record, calls, number if len(found) > 1 else 0)
            for made in calls:
                key = (made.id, made.key) if made.id else object()
                self._judged |= {(made.id, made.key)} if made.id else set()
                self._past[key] = made
        self._answered(record)

    def _answered(self, record: Record) -> None:
        for made in self._past.values():
            if made.answer is ABSENT and made.id in record.answers:
                made.answer = record.answers[made.id]

    def _turn(self, record: Record, calls: list[Made], number: int) -> _Turn:
        before = list(self._past.values())[-MAX_HISTORY:]
        memory = {
            made.id: made.answer
            for made in before
            if isinstance(made.answer, dict | list) and _LABEL.fullmatch(made.id)
            if len(json.dumps(made.answer, default=str)) <= MAX_RESULT
        }
        return _Turn(record, calls, number, before, memory)

    def with_those_that_ran(self, records: list[Record], turns: list[_Turn]) -> list[_Turn]:
        """Return the turns, with one for each call of which only its tool told."""
        ids = {made.id for made in self._past.values() if made.id}
        waiting = Counter(made.key for made in self._past.values())
        order = {id(record): number for number, record in enumerate(records)}
        for record in records:
            for made in record.ran:
                if made.id in ids:
                    continue
                if waiting[made.key]:
                    waiting[made.key] -= 1
                    continue
                turns.append(self._turn(record, [made], 0))
                turns[-1].before, turns[-1].memory = [], {}
        return sorted(turns, key=lambda turn: order[id(turn.record)])
