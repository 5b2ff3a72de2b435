"""
Data sets: many sequences, each with what is known and, where somebody said so, the wanted repair.

    {"sequence": ..., "expected": ..., "id": "trip-7", "memory": {"day": "2024-08-15"}, "catalog": "travel"}

One such object a line (JSON lines, read one at a time), a list of them, or one. "sequence" and "expected"
hold calls in any format; the others may be absent: "catalog" (the name of a shipped catalog, of a file
beside the data or below, or the catalog itself), "memory", "history", "mappings", "goals", "id" and "meta",
which may hold anything. An entry without "sequence" is the sequence itself, as a row of the NESTFUL data
is; so is a whole file that holds calls and no data set.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import (
    LONGEST_TEXT,
    FormatError,
    InputError,
    LimitError,
    UnknownFormatError,
    shown,
)
from refract_asp.formats import load_catalog, load_mappings, load_memory, load_sequence
from refract_asp.formats.goals import load_goals
from refract_asp.formats.opening import text_of
from refract_asp.formats.origin import MAX_FILE_BYTES, Origin
from refract_asp.formats.values import UnreadableError, parse_json, plain
from refract_asp.model import Catalog, Memory, Sequence
from refract_asp.model.example import Example
from refract_asp.resources import catalog_names, catalog_path

__all__ = [
    "MAX_LINE_BYTES",
    "ExampleReader",
    "count_examples",
    "line_entries",
    "load_examples",
    "named",
    "placed",
    "raw_entries",
]

MAX_LINE_BYTES = 10_000_000
"""A longer line is refused; no more than that of JSON lines is held at once."""
MAX_CATALOGS = 32
"""So many catalogs that examples bring are kept, so that equal ones are read once."""

Mistakes: TypeAlias = Callable[[InputError], None]
_Entry: TypeAlias = tuple[str, Any]
"""Where an entry of a data set stands, and what it is: data, a text, an error, or an example."""

_KEYS = ("sequence", "expected", "catalog", "memory", "history", "mappings", "goals", "id", "meta")
_LINES = (".jsonl", ".ndjson")
_SHAPE = 'Write {"sequence": ..., "expected": ...}, one a line.'


def load_examples(
    data: Any, *, mistakes: Mistakes | None = None, name: str | None = None
) -> Iterator[Example]:
    """
    Read the examples of a data set one by one.

    Args:
        data: a file, a text, a list, or anything that yields entries; an entry is an object with "sequence",
            an example, or a sequence in any form.
        mistakes: is told of each entry that cannot be read, and reading goes on; without it that is an error.
        name: where the data comes from, for places and messages; by default the file, or "<text>".

    Raises:
        FormatError: the data or an entry cannot be read; the message names file and line.
        LimitError: it is too large or nested too deep.

    Example:
        >>> lines = '{"sequence": "Search(q=1)", "id": "a"}\\n{"sequence": [{"name": "Pay"}]}'
        >>> [(example.name, str(example.sequence)) for example in load_examples(lines)]
        [('a', 'Search(q=1)'), ('<text>:2', 'Pay()')]
    """
    reading = ExampleReader(data.parent if isinstance(data, Path) else None)
    for place, entry in _entries(data, name):
        try:
            yield reading.example(entry, place)
        except InputError as error:
            if mistakes is None:
                raise
            mistakes(error)


def count_examples(data: Any) -> int | None:
    """
    Return how many entries a data set has, or None where only reading it would tell.

    Example:
        >>> count_examples([{"sequence": "Search(q=1)"}, {"sequence": "Pay()"}])
        2
    """
    if isinstance(data, Path) and data.exists() and not data.is_file():
        return None  # a pipe can be read once
    if isinstance(data, Path) and _is_lines(data):
        with data.open("rb") as file:
            return sum(1 for line in _raw_lines(file) if line.strip())
    if isinstance(data, Path | str | dict | list | tuple | Sequence | Example):
        return sum(1 for _ in _entries(data))
    return None


# -- entries -------------------------------------------------------------------


def raw_entries(data: Any, name: str | None = None) -> Iterator[_Entry]:
    """
    Yield the entries of a data set with their places, lines of JSON lines as bytes that nobody has read yet.

    So they can be read elsewhere: `ExampleReader.example` takes them. JSON lines are taken one at a time,
    also from an open binary file, however many there are.

    Args:
        data: as for `load_examples`, or a file that is open for reading bytes.
        name: where the data comes from; by default the file, or "<text>".

    Raises:
        InputError: the data as a whole cannot be read.

    Example:
        >>> list(raw_entries('{"sequence": "Search(q=1)"}\\n[]', "calls.jsonl"))
        [('calls.jsonl:1', b'{"sequence": "Search(q=1)"}'), ('calls.jsonl:2', b'[]')]
    """
    if isinstance(data, Path | str):
        name = Origin(name or (str(data) if isinstance(data, Path) else "<text>")).at()
        if _is_lines(data):
            yield from _raw_of_lines(data, name)
        else:
            yield from _whole_entries(data, name)
    elif isinstance(data, BufferedIOBase):
        yield from _stream_entries(data, Origin(name or "<text>").at())
    elif isinstance(data, Sequence | Example | dict):
        yield "", data
    elif isinstance(data, list | tuple) and not _is_set(data):
        if data:
            yield "", data
    elif isinstance(data, Iterable):
        for index, entry in enumerate(data):
            yield f"[{index}]", entry
    else:
        raise FormatError("examples are needed.", hint=_SHAPE)


def _entries(data: Any, name: str | None = None) -> Iterator[_Entry]:
    """Yield the entries of a data set with their places; one that cannot be read is the error that it is."""
    for place, entry in raw_entries(data, name):
        yield place, _read(entry, place)


def _read(entry: Any, place: str) -> Any:
    """Return what an entry holds, a line read, or the error that it is."""
    if not isinstance(entry, bytes):
        return entry
    try:
        return _value(entry, place)
    except InputError as error:
        return error


def _is_set(data: Any) -> bool:
    """Whether a list holds examples, and not the calls of one sequence."""
    if any(
        isinstance(entry, Sequence | Example) or _is_example(entry) or _is_row(entry)
        for entry in data
    ):
        return True
    return bool(data) and all(isinstance(entry, list | tuple) for entry in data)


def _is_example(entry: Any) -> bool:
    return isinstance(entry, dict) and "sequence" in entry


def _is_row(entry: Any) -> bool:
    """Whether an entry is a row of NESTFUL data, which holds its calls under "output"."""
    return isinstance(entry, dict) and "output" in entry and not {"type", "name"} & entry.keys()


def _is_lines(data: Path | str) -> bool:
    """Whether data is one JSON value a line: by the name of the file, or because the first line is one."""
    if isinstance(data, Path):
        if data.suffix.lower() in _LINES:
            return data.is_file()
        if not data.is_file():
            return False
        try:
            with data.open("rb") as file:
                lines = (line for line in _raw_lines(file) if line.strip())
                first, second = next(lines, b""), next(lines, b"")
        except OSError:
            return False  # whoever reads it says why it cannot be read
    else:
        text = data.removeprefix("\ufeff").lstrip()
        first, second = (part.encode("utf-8", "replace") for part in text.partition("\n")[::2])
    return _are_lines(first, second)


def _are_lines(first: bytes, second: bytes) -> bool:
    """Whether the first two lines that are not blank are JSON values, one a line."""
    if first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"[") or not second.strip():
        return False
    if second.lstrip()[:1] not in (b"{", b"["):
        return False
    try:
        parse_json(first.decode("utf-8-sig"), Origin(), lenient=True)
    except (InputError, UnicodeDecodeError):
        return False
    return True


def _raw_lines(file: Any) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only a beginning that is too long, too."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES + 1)


def line_entries(data: Path | str, name: str) -> Iterator[_Entry]:
    """Yield the lines of a file or a text as a data set has them, however many there are."""
    for place, line in _raw_of_lines(data, name):
        yield place, _read(line, place)


def _raw_of_lines(data: Path | str, name: str) -> Iterator[_Entry]:
    """Yield the lines of a file or a text that are not blank, each with its place."""
    if isinstance(data, str):
        yield from _placed_lines(
            (each.encode("utf-8", "surrogatepass") for each in data.split("\n")), name
        )
        return
    try:
        with data.open("rb") as file:
            yield from _placed_lines(_raw_lines(file), name)
    except OSError as error:
        reason = shown(error.strerror or error, LONGEST_TEXT)
        raise FormatError(f"the file cannot be read: {reason}.", where=name) from None


def _placed_lines(lines: Iterable[bytes], name: str) -> Iterator[_Entry]:
    """Yield each line that is not blank, with its place."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield f"{name}:{number}", line.strip(b"\r\n")


def _stream_entries(file: BufferedIOBase, name: str) -> Iterator[_Entry]:
    """Yield the entries of an open file, which is read once: line by line where it holds JSON lines."""
    lines = _raw_lines(file)
    begin = list(_until_two(lines))
    first, second = ([line for line in begin if line.strip()] + [b"", b""])[:2]
    if _are_lines(first, second):
        yield from _placed_lines(chain(begin, lines), name)
        return
    content = b"".join(begin) + file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise LimitError(
            f"it is longer than {MAX_FILE_BYTES:,} bytes.", where=name, hint="Write JSON lines."
        )
    try:
        yield from _whole_entries(content.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise FormatError(f"this is not UTF-8 at byte {error.start}.", where=name) from None


def _until_two(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines until two were not blank."""
    count = 0
    for line in lines:
        yield line
        count += bool(line.strip())
        if count == 2:
            return


def _value(line: bytes, place: str) -> Any:
    if len(line) > MAX_LINE_BYTES:
        what = f"the line is longer than {MAX_LINE_BYTES:,} bytes."
        raise LimitError(
            what, where=place, hint="Split the example, or leave out what is not needed."
        )
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"this is not UTF-8 text (byte {error.start})."
        raise FormatError(what, where=place, hint="Save the file as UTF-8.") from None
    try:
        return parse_json(text.strip(), Origin(), lenient=True)
    except InputError as error:
        column = error.where.removeprefix("line 1, column ")
        joint = ":" if column != error.where else ": "
        where = f"{place}{joint}{column}" if column else place
        raise type(error)(error.what, where=where, hint=error.hint) from None


def _whole_entries(data: Path | str, name: str) -> Iterator[_Entry]:
    """Yield what a file holds that is no JSON lines: a data set as one JSON value, or one sequence."""
    text, origin = text_of(data)
    if not text.strip():  # a file in which nothing was recorded
        return
    if isinstance(data, Path) and not data.is_file() and _is_lines(text):  # a pipe is read once
        yield from _placed_lines((line.encode() for line in text.split("\n")), name)
        return
    if text.lstrip()[:1] in ("{", "["):
        try:
            value = parse_json(text, origin, lenient=True)
        except InputError:
            value = None
        if isinstance(value, list) and _is_set(value):
            for index, entry in enumerate(value):
                yield f"{name}: [{index}]", entry
            return
        if _is_example(value) or _is_row(value):
            yield name, value
            return
    yield name, text


# -- one entry -----------------------------------------------------------------


@dataclass
class ExampleReader:
    """
    Reads the entries of one data set.

    Attributes:
        folder: where the file is, None for data from nowhere.
        catalogs: those read so far.
        format: the format of all sequences, None to find it.
    """

    folder: Path | None
    catalogs: dict[str, Catalog] = field(default_factory=dict)
    format: str | None = None

    def example(self, entry: Any, place: str) -> Example:
        """
        Build the example that an entry is.

        Raises:
            InputError: it is none; the message names `place` and the part of it.
        """
        if isinstance(entry, bytes):
            entry = _value(entry, place)
        if isinstance(entry, InputError):
            raise entry
        if isinstance(entry, Example):
            return entry if entry.place else entry.model_copy(update={"place": place})
        if not _is_example(entry):
            return Example(sequence=_bare_calls(entry, place, self.format), place=place)
        for key in entry:
            if key not in _KEYS:
                what = f"an example has no {shown(key, 80)!r}."
                hint = f'It has {", ".join(_KEYS)}; "meta" may hold anything.'
                raise FormatError(what, where=_inside(place, ""), hint=hint)
        rest = {
            key: value
            for key, value in entry.items()
            if key not in ("sequence", "expected", "history")
        }
        try:
            rest = plain(rest)
        except UnreadableError as error:
            raise placed(error.at(Origin()), place) from None
        return Example(
            sequence=_calls(entry["sequence"], _inside(place, "sequence"), self.format),
            expected=_some_calls(entry, "expected", place),
            catalog=self.catalog(rest.get("catalog"), _inside(place, "catalog")),
            memory=_memory(rest.get("memory"), _inside(place, "memory")),
            history=_some_calls(entry, "history", place),
            mappings=_list(load_mappings, rest.get("mappings"), _inside(place, "mappings")),
            goals=_list(load_goals, rest.get("goals"), _inside(place, "goals")),
            id=_id(rest.get("id"), _inside(place, "id")),
            meta=_object(rest.get("meta"), _inside(place, "meta")),
            place=place,
        )

    def catalog(self, data: Any, place: str) -> Catalog | None:
        """Read the catalog that an example names or holds; equal ones are one object."""
        if data is None:
            return None
        key = data if isinstance(data, str) else f" {data!r}"
        if key not in self.catalogs:
            source = self.catalog_path(data, place) if isinstance(data, str) else data
            try:
                loaded = load_catalog(source)
            except InputError as error:
                raise (error if isinstance(data, str) else placed(error, place)) from None
            if len(self.catalogs) >= MAX_CATALOGS:
                del self.catalogs[next(iter(self.catalogs))]
            self.catalogs[key] = loaded
        return self.catalogs[key]

    def catalog_path(self, name: str, place: str) -> Path:
        """Return the file of a shipped catalog, or one beside the data; a data set names no other files."""
        if name in catalog_names():
            return catalog_path(name)
        if self.folder is not None and name and "\0" not in name:
            with contextlib.suppress(OSError, RuntimeError):  # a name too long, links in a ring
                path = (self.folder / name).resolve()
                if path.is_relative_to(self.folder.resolve()) and path.is_file():
                    return path
        hint = f"Shipped: {', '.join(catalog_names())}; "
        if self.folder is None:
            hint += "only data in a file can name other files."
        else:
            hint += "or name a file in the folder of the data or below."
        raise FormatError(f"there is no catalog {shown(name, 80)!r}.", where=place, hint=hint)


def named(entry: Any) -> tuple[str | None, dict[str, Any]]:
    """
    Return the id and the metadata of an entry, also of one that cannot be read otherwise.

    Each of them is nothing where it cannot be read itself.

    Example:
        >>> named(b'{"sequence": "no calls", "id": 7, "meta": {"model": "small"}}')
        ('7', {'model': 'small'})
        >>> named(b'{"sequence": ')
        (None, {})
    """
    if isinstance(entry, Example):
        return entry.id, entry.meta
    with contextlib.suppress(InputError):
        entry = _value(entry, "") if isinstance(entry, bytes) else entry
    if not _is_example(entry):
        return None, {}
    id, meta = None, {}
    with contextlib.suppress(InputError, UnreadableError):
        id = _id(plain(entry.get("id")), "")
    with contextlib.suppress(InputError, UnreadableError):
        meta = _object(plain(entry.get("meta")), "")
    return id, meta


def _calls(data: Any, place: str, format: str | None = None) -> Sequence:
    try:
        return load_sequence(data, format)
    except InputError as error:
        raise placed(error, place) from None


def _bare_calls(entry: Any, place: str, format: str | None) -> Sequence:
    """Read an entry that is the sequence itself; an object of another shape may hold it somewhere."""
    try:
        return _calls(entry, place, format)
    except UnknownFormatError as error:
        if not isinstance(entry, dict):
            raise
        hint = 'Put the calls under "sequence", as in {"sequence": [...], "id": "trip-7"}.'
        raise UnknownFormatError(error.what, where=error.where, hint=hint) from None


def _some_calls(entry: dict[str, Any], key: str, place: str) -> Sequence | None:
    return _calls(entry[key], _inside(place, key)) if entry.get(key) is not None else None


def _memory(data: Any, place: str) -> Memory | None:
    return load_memory(_object(data, place)) if data is not None else None


def _list(loader: Callable[[Any], tuple[Any, ...]], data: Any, place: str) -> tuple[Any, ...]:
    if data is not None and not isinstance(data, list):
        raise FormatError("a list is needed.", where=place)
    try:
        return loader(data or [])
    except InputError as error:
        raise placed(error, place) from None


def _object(data: Any, place: str) -> dict[str, Any]:
    if data is not None and not isinstance(data, dict):
        raise FormatError("an object is needed.", where=place)
    return data or {}


def _id(data: Any, place: str) -> str | None:
    if data is not None and (isinstance(data, bool) or not isinstance(data, str | int)):
        raise FormatError("a text or a whole number is needed.", where=place)
    return None if data is None else str(data)


def _inside(place: str, key: str) -> str:
    return ": ".join(part for part in (place, key) if part)


def placed(error: InputError, place: str) -> InputError:
    """Return an error of a part of the data with the place of that part before its own."""
    own = error.where.removeprefix("<text>").removeprefix(": ")
    joint = "" if not place or not own or own.startswith(("[", ":")) else ": "
    return type(error)(error.what, where=f"{place}{joint}{own}", hint=error.hint)
