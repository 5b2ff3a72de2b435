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
from io import BufferedIOBase, BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from refract_asp.errors import FormatError, InputError, LimitError, UnknownFormatError, shown
from refract_asp.formats import load_catalog, load_mappings, load_memory, load_sequence
from refract_asp.formats.given import load_goals
from refract_asp.formats.records import meta_of
from refract_asp.formats.source import LINE_SUFFIXES, file_errors, is_lines, parse_line, read_rest
from refract_asp.formats.values import Origin, UnreadableError, parse_json, plain
from refract_asp.model import Catalog, Sequence
from refract_asp.model.example import Example
from refract_asp.model.paths import only, without
from refract_asp.resources import catalog_names, catalog_path

# A longer line is refused; no more than that of JSON lines is held at once.
MAX_LINE_BYTES = 10_000_000
# So many catalogs that examples bring are kept, so that equal ones are read once.
MAX_CATALOGS = 32

Mistakes: TypeAlias = Callable[[InputError], None]
T = TypeVar("T")
# Where an entry of a data set stands, and what it is: data, a text, a line that is not read, or an
# example.
_Entry: TypeAlias = tuple[str, Any]
_Text: TypeAlias = Path | str | BufferedIOBase

# What a case of `bench mutate` has besides; a data set keeps it in `meta`.
_OF_CASES = ("also", "open", "kind", "mutations", "informed", "dials")
_KEYS = ("sequence", "expected", "catalog", "memory", "history", "mappings", "goals", "id", "meta")
_SHAPE = 'Write {"sequence": ..., "expected": ...}, one a line.'


def load_examples(
    data: Any, *, mistakes: Mistakes | None = None, name: str | None = None
) -> Iterator[Example]:
    """
    Read the examples of a data set one by one.

    Args:
        data: a file, a text, a list, or anything that yields entries; an entry is an object with "sequence",
            an example, or a sequence in any form.
        mistakes: is called with the error of each entry that cannot be read; without it the error is raised.
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
    for place, entry in raw_entries(data, name):
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
    is_pipe = isinstance(data, Path) and data.exists() and not data.is_file()  # it is read once
    can_be_read_again = isinstance(data, Path | str | dict | list | tuple | Sequence | Example)
    return sum(1 for _ in raw_entries(data)) if can_be_read_again and not is_pipe else None


# -- entries ---------------------------------------------------------------------------


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
    if isinstance(data, Path | str | BufferedIOBase):
        yield from _entries_of_text(data, name)
    elif isinstance(data, Sequence | Example | dict):
        yield "", data
    elif isinstance(data, list | tuple) and not _is_set(data):
        if data:
            yield "", data
    elif isinstance(data, Iterable):
        yield from ((f"[{index}]", entry) for index, entry in enumerate(data))
    else:
        raise FormatError("examples are needed.", hint=_SHAPE)


def line_entries(data: Path | str, name: str | None) -> Iterator[_Entry]:
    """Yield the lines of a file or a text as a data set has them, each read, or the error that it is."""
    for place, line in _entries_of_text(data, name, in_lines=True):
        try:
            yield place, line_value(line, place)
        except InputError as error:
            yield place, error


def _is_set(data: Any) -> bool:
    """Whether a list holds examples, and not the calls of one sequence."""
    if any(isinstance(each, Sequence | Example) or _is_example_or_row(each) for each in data):
        return True
    return bool(data) and all(isinstance(entry, list | tuple) for entry in data)


def _is_example_or_row(entry: Any) -> bool:
    """Whether an entry is an example, or a row of NESTFUL data, which holds its calls under "output"."""
    if not isinstance(entry, dict):
        return False
    if "sequence" in entry or {"messages", "tools"} <= entry.keys():
        return True
    return "output" in entry and not {"type", "name"} & entry.keys()


def _entries_of_text(data: _Text, name: str | None, *, in_lines: bool = False) -> Iterator[_Entry]:
    """
    Yield the entries of a file, a text or a stream, which is read once.

    It holds JSON lines where it is said so, where the name of the file says so, or where its first line is a
    JSON value and another one follows; else a data set as one JSON value, or one sequence.
    """
    path = data if isinstance(data, Path) else None
    name = Origin(name or (str(path) if path else "<text>")).at()
    with file_errors(name), opened_file(data) as file:
        lines = lines_of(file)
        begin, two = first_of(lines)
        by_name = path is not None and path.suffix.lower() in LINE_SUFFIXES
        if in_lines or by_name or (len(two) == 2 and is_lines(*two, lenient=True)):
            for number, line in enumerate(chain(begin, lines), start=1):
                if line.strip():
                    yield f"{name}:{number}", line.strip(b"\r\n")
            return
        text = read_rest(file, name, b"".join(begin))
    value = None
    if text.lstrip()[:1] in ("{", "["):
        with contextlib.suppress(InputError):
            value = parse_json(text, Origin(), lenient=True)
    if isinstance(value, list) and _is_set(value):
        yield from ((f"{name}: [{index}]", entry) for index, entry in enumerate(value))
    elif text.strip():  # else nothing was recorded
        yield name, value if _is_example_or_row(value) else text


def opened_file(data: _Text) -> contextlib.AbstractContextManager[Any]:
    """Open a file, a text, or what is open already, for reading bytes."""
    if isinstance(data, Path):
        return data.open("rb")
    if isinstance(data, str):
        return BytesIO(data.encode("utf-8", "surrogatepass"))
    return contextlib.nullcontext(data)  # it is not ours to close


def lines_of(file: Any) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only a beginning that is too long, too."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES + 1)


def first_of(lines: Iterator[bytes]) -> tuple[list[bytes], list[str]]:
    """Take lines until two were not blank; return all of them, and these two as texts."""
    begin, two = list[bytes](), list[str]()
    while len(two) < 2 and (line := next(lines, None)):
        begin.append(line)
        two += [line.decode("utf-8-sig", "surrogateescape")] if line.strip() else []
    return begin, two


def line_value(line: bytes, place: str) -> Any:
    """
    Return the value that a line holds.

    Raises:
        LimitError: it is too long.
        FormatError: it is not JSON.
    """
    if len(line) > MAX_LINE_BYTES:
        what = f"the line is longer than {MAX_LINE_BYTES:,} bytes."
        hint = "Split the example, or leave out what is not needed."
        raise LimitError(what, where=place, hint=hint)
    with file_errors(place):
        return parse_line(line.decode("utf-8-sig").strip(), place, lenient=True)


# -- one entry -------------------------------------------------------------------------


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
            entry = line_value(entry, place)
        if isinstance(entry, InputError):
            raise entry
        if isinstance(entry, Example):
            return entry if entry.place else entry.model_copy(update={"place": place})
        if not isinstance(entry, dict) or "sequence" not in entry:
            return self.bare(entry, place)
        if entry.get("schema_version") == 1:  # what only cases have goes to `meta`
            others = without(entry, ("schema_version", *_OF_CASES))
            entry = {"meta": only(entry, _OF_CASES), **others}
        if unknown := [key for key in entry if key not in _KEYS]:
            what = f"an example has no key {shown(unknown[0], 80)!r}."
            hint = f'Its keys are {", ".join(_KEYS)}; "meta" may hold anything.'
            raise FormatError(what, where=place, hint=hint)
        try:
            rest = plain(without(entry, ("sequence", "expected", "history")))
        except UnreadableError as error:
            raise placed(error.at(Origin()), place) from None

        places = {key: f"{place}: {key}" if place else key for key in _KEYS}

        def part(key: str, load: Callable[[Any], T], kind: Any = object) -> T | None:
            given = entry.get(key)
            if not isinstance(given, kind | None):
                raise FormatError("a list is needed.", where=places[key])
            return None if given is None else read_at(places[key], load, given)

        memory = _object(rest.get("memory"), places["memory"])
        return Example(
            sequence=read_at(places["sequence"], load_sequence, entry["sequence"], self.format),
            expected=part("expected", load_sequence),
            catalog=self.catalog(rest.get("catalog"), places["catalog"]),
            memory=None if rest.get("memory") is None else load_memory(memory),
            history=part("history", load_sequence),
            mappings=part("mappings", load_mappings, list | tuple) or (),
            goals=part("goals", load_goals, list | tuple) or (),
            id=_id(rest.get("id"), places["id"]),
            meta=_object(rest.get("meta"), places["meta"]),
            place=place,
        )

    def bare(self, entry: Any, place: str) -> Example:
        """Build the example that a sequence alone is, or a record of messages with its tools."""
        try:
            bare = read_at(place, load_sequence, entry, self.format)
        except UnknownFormatError as error:
            hint = 'Put the calls under "sequence", as in {"sequence": [...], "id": "trip-7"}.'
            hint += " What a tool that traces agents wrote is read by `batch --from auto`."
            hint = hint if isinstance(entry, dict) and self.format is None else error.hint
            raise UnknownFormatError(error.what, where=error.where, hint=hint) from None
        tools = entry.get("tools") if isinstance(entry, dict) and "messages" in entry else None
        own = self.catalog(tools, f"{place}: tools" if place else "tools") if tools else None
        id, meta = named(entry)
        return Example(sequence=bare, catalog=own, id=id, meta=meta, place=place)

    def catalog(self, data: Any, place: str) -> Catalog | None:
        """Read the catalog that an example names or holds; equal ones are one object."""
        if data is None:
            return None
        key = data if isinstance(data, str) else f" {data!r}"
        if key not in self.catalogs:
            if len(self.catalogs) >= MAX_CATALOGS:
                del self.catalogs[next(iter(self.catalogs))]
            if isinstance(data, str):
                self.catalogs[key] = load_catalog(self.catalog_path(data, place))
            else:
                self.catalogs[key] = read_at(place, load_catalog, data)
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
        hint = f"Shipped: {', '.join(catalog_names())}; data in a file may name one beside it or below."
        raise FormatError(f"there is no catalog {shown(name, 80)!r}.", where=place, hint=hint)


def named(entry: Any) -> tuple[str | None, dict[str, Any]]:
    """
    Return the id and the metadata of an entry, also of one that cannot be read otherwise.

    Each of them is nothing where it cannot be read itself. Beside messages they stand as in traces.

    Example:
        >>> named(b'{"sequence": "no calls", "id": 7, "meta": {"model": "small"}}')
        ('7', {'model': 'small'})
        >>> named(b'{"messages": [], "model": "small", "created": 1735689600}')
        (None, {'model': 'small', 'time': '2025-01-01T00:00:00.000+00:00'})
        >>> named(b'{"sequence": ')
        (None, {})
    """
    if isinstance(entry, Example):
        return entry.id, entry.meta
    with contextlib.suppress(InputError):
        entry = line_value(entry, "") if isinstance(entry, bytes) else entry
    if not isinstance(entry, dict) or "sequence" not in entry:
        known = meta_of(entry) if isinstance(entry, dict) and "messages" in entry else {}
        return known.pop("id", None), known
    id, meta = None, {}
    with contextlib.suppress(InputError, UnreadableError):
        id = _id(plain(entry.get("id")), "")
    with contextlib.suppress(InputError, UnreadableError):
        meta = _object(plain(entry.get("meta")), "")
    return id, meta


def _object(data: Any, place: str) -> dict[str, Any]:
    if data is not None and not isinstance(data, dict):
        raise FormatError("an object is needed.", where=place)
    return data or {}


def _id(data: Any, place: str) -> str | None:
    if data is not None and (isinstance(data, bool) or not isinstance(data, str | int)):
        raise FormatError("a text or a whole number is needed.", where=place)
    return None if data is None else str(data)


def placed(error: InputError, place: str) -> InputError:
    """Return an error of a part of the data with the place of that part before its own."""
    own = error.where.removeprefix("<text>").removeprefix(": ")
    joint = "" if not place or not own or own.startswith(("[", ":")) else ": "
    return type(error)(error.what, where=f"{place}{joint}{own}", hint=error.hint)


def read_at(place: str, load: Callable[..., T], *data: Any) -> T:
    """Read a part of the data, whose errors tell its place."""
    try:
        return load(*data)
    except InputError as error:
        raise placed(error, place) from None
