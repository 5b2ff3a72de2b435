"""
Files of cases: JSON lines, one case a line, read and written one at a time.

    {"id": "7", "catalog": "travel", "sequence": ["Serch(q=1)"], "expected": ["Search(q=1)"]}

"catalog", "sequence" and "expected" have to be there; "id" is else the number of the line. "catalog" is the
path of a file beside the cases or below, the name of a shipped catalog, or the data itself. The others may
be absent: "also" (other good answers), "open", "kind", "mutations", "informed", "memory", "dials" and "meta",
which may hold anything. See docs/evaluation.md.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from refract_asp.bench.mutations.mutation import Open
from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, LimitError, shown
from refract_asp.evaluation.case import SCHEMA_VERSION, Broken, Case, Dial, Digests, case_row
from refract_asp.formats import load_catalog, load_sequence
from refract_asp.formats.examples import MAX_LINE_BYTES, ExampleReader, line_entries, placed
from refract_asp.formats.source import Origin
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model import Catalog
from refract_asp.resources import catalog_names

__all__ = [
    "MAX_LINE_BYTES",
    "Broken",
    "Case",
    "Mistakes",
    "case_line",
    "case_row",
    "read_cases",
    "write_cases",
]

Mistakes = Callable[[InputError], None]

MAX_ALSO = 100
MAX_LISTED = 1_000
"""So many mutations, open calls and parameters of one a case may have."""
MAX_DIALS = 50
MAX_NAME = 200
"""Characters of an id, a kind and the name of a dial."""
MAX_WHAT = 2_000
_OWN = ("schema_version", "also", "open", "kind", "mutations", "informed", "dials")
_SHARED = ("id", "catalog", "sequence", "expected", "memory", "meta")
_SHAPE = 'Write {"catalog": ..., "sequence": ..., "expected": ...}, one a line.'


def read_cases(
    data: Any,
    catalog: Any = None,
    *,
    mistakes: Mistakes | None = None,
    name: str | None = None,
    target: Path | None = None,
) -> Iterator[Case]:
    """
    Read cases one by one.

    Args:
        data: a file (a `Path`), a text, or a list of rows as data; cases pass through.
        catalog: the tools of all rows that name none.
        mistakes: is told of each row that cannot be read, and reading goes on; without it that is an error.
        name: where the data comes from, for messages; by default the file.
        target: a file that will be written; a row that reads its catalog from there is refused.

    Raises:
        FormatError: the data or a row cannot be read; the message names file and line.
        LimitError: it is too large or nested too deep.

    Example:
        >>> tools = {"tools": [{"name": "Pay", "parameters": {"amount": {}}}]}
        >>> rows = [{"catalog": tools, "sequence": ["Py(amount=3)"], "expected": ["Pay(amount=3)"]}]
        >>> [(case.id, str(case.expected)) for case in read_cases(rows)]
        [('1', 'Pay(amount=3)')]
    """
    default = None if catalog is None else load_catalog(catalog)
    reading = _Reading(
        ExampleReader(data.parent if isinstance(data, Path) else None), default, target
    )
    for number, (place, entry) in enumerate(entries(data, name), start=1):
        try:
            yield reading.case(entry, place, number)
        except InputError as error:
            if mistakes is None:
                raise
            mistakes(error)


# -- reading -------------------------------------------------------------------


def entries(data: Any, name: str | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the lines of a file or a text, or the elements of a list, each with its place."""
    if isinstance(data, Path | str):
        yield from line_entries(
            data, name or (shown(data, LONGEST_TEXT) if isinstance(data, Path) else "<text>")
        )
    elif isinstance(data, Iterable) and not isinstance(data, Mapping):
        for number, entry in enumerate(data):
            yield f"[{number}]", entry
    else:
        raise FormatError("a file, a text or a list is needed.", hint=_SHAPE)


@dataclass
class _Reading:
    """What reading the rows of a file shares."""

    examples: ExampleReader
    catalog: Catalog | None
    target: Path | None = None
    ids: set[str] = field(default_factory=set)

    def case(self, entry: Any, place: str, number: int) -> Case:
        if isinstance(entry, InputError):
            raise entry
        if isinstance(entry, Case):
            return self._named(entry)
        row = _row(entry, place)
        example = self.examples.example({key: row[key] for key in _SHARED if key in row}, place)
        catalog = example.catalog or self.catalog
        if catalog is None or example.expected is None:
            missing = "catalog" if catalog is None else "expected"
            raise FormatError(f"the case has no {missing!r}.", where=place, hint=_SHAPE)
        also = tuple(
            _sequence(each, f"{place}: also[{n}]")
            for n, each in enumerate(_list(row, "also", place, MAX_ALSO))
        )
        named = row.get("catalog")
        if isinstance(named, str):
            self._spare(named, place)
        return self._named(
            Case(
                id=_short(example.id, f"{place}: id", MAX_NAME)
                if example.id is not None
                else _line(place, number),
                sequence=example.sequence,
                catalog=catalog,
                expected=example.expected,
                also=also,
                open=tuple(_open(each, at) for each, at in _objects(row, "open", place)),
                kind=_short(row.get("kind") or "", f"{place}: kind", MAX_NAME),
                mutations=tuple(
                    _broken(each, at) for each, at in _objects(row, "mutations", place)
                ),
                informed=_flag(row.get("informed", True), f"{place}: informed"),
                memory=example.memory,
                dials=_dials(row.get("dials"), f"{place}: dials"),
                catalog_name=named if isinstance(named, str) and named in catalog_names() else "",
                place=place,
            )
        )

    def _spare(self, named: str, place: str) -> None:
        """Refuse a catalog that will be written over."""
        if self.target is None or self.examples.folder is None or not self.target.exists():
            return
        file = self.examples.folder / named
        if file.exists() and file.samefile(self.target):
            hint = "Write to another file."
            raise InputError(
                f"{shown(named)} is read, and will be written.", where=place, hint=hint
            )

    def _named(self, case: Case) -> Case:
        if case.id in self.ids:
            raise FormatError(
                f"the id {shown(case.id)!r} is used twice.",
                where=case.place,
                hint="Name each case once.",
            )
        self.ids.add(case.id)
        return case


def _line(place: str, number: int) -> str:
    """Return the number of the line where there are lines, else that of the entry."""
    line = place.rpartition(":")[2]
    return line if line.isdecimal() else str(number)


def _row(entry: Any, place: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise FormatError("a case is an object.", where=place, hint=_SHAPE)
    for key in ("sequence", "expected"):
        if entry.get(key) is None:
            raise FormatError(f"the case has no {key!r}.", where=place, hint=_SHAPE)
    for key in entry:
        if key not in _OWN and key not in _SHARED:
            hint = f"It has {', '.join((*_SHARED, *_OWN))}."
            raise FormatError(f"a case has no {shown(key, 80)!r}.", where=place, hint=hint)
    version = entry.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION or isinstance(version, bool):
        what = f"the schema_version {shown(version, 40)} is unknown."
        raise FormatError(what, where=place, hint=f"This version reads {SCHEMA_VERSION}.")
    try:
        own = plain({key: entry[key] for key in _OWN if key in entry and key != "also"})
    except UnreadableError as error:
        raise placed(error.at(Origin()), place) from None
    return {**entry, **own}


def _sequence(data: Any, place: str) -> Any:
    try:
        return load_sequence(data)
    except InputError as error:
        raise placed(error, place) from None


def _list(row: dict[str, Any], key: str, place: str, most: int) -> list[Any]:
    found = row.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise FormatError("a list is needed.", where=f"{place}: {key}")
    if len(found) > most:
        raise LimitError(f"there are {len(found):,}, more than {most:,}.", where=f"{place}: {key}")
    return found


def _objects(row: dict[str, Any], key: str, place: str) -> Iterator[tuple[dict[str, Any], str]]:
    for number, each in enumerate(_list(row, key, place, MAX_LISTED)):
        at = f"{place}: {key}[{number}]"
        if not isinstance(each, dict):
            raise FormatError("an object is needed.", where=at)
        yield each, at


def _open(data: dict[str, Any], place: str) -> Open:
    parameters = _list(data, "parameters", place, MAX_LISTED)
    call = data.get("call")
    if type(call) is not int or not all(isinstance(each, str) for each in parameters):
        hint = 'Write {"call": 0, "parameters": ["query"]}; calls are counted from 0.'
        raise FormatError("this does not say what is open.", where=place, hint=hint)
    return Open(call, frozenset(parameters))


def _broken(data: dict[str, Any], place: str) -> Broken:
    call, parameter = data.get("call"), data.get("parameter")
    if call is not None and type(call) is not int:
        raise FormatError("a whole number is needed.", where=f"{place}.call")
    return Broken(
        kind=_short(data.get("kind"), f"{place}.kind", MAX_NAME),
        what=_short(data.get("what") or "", f"{place}.what", MAX_WHAT),
        call=call,
        parameter=None if parameter is None else _short(parameter, f"{place}.parameter", MAX_WHAT),
        variant=_short(data.get("variant") or "", f"{place}.variant", MAX_NAME),
    )


def _short(data: Any, place: str, most: int) -> str:
    if not isinstance(data, str):
        raise FormatError("a text is needed.", where=place)
    if len(data) > most:
        raise LimitError(f"the text is longer than {most:,} characters.", where=place)
    return data


def _flag(data: Any, place: str) -> bool:
    if not isinstance(data, bool):
        raise FormatError("true or false is needed.", where=place)
    return data


def _dials(data: Any, place: str) -> dict[str, Dial]:
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise FormatError("an object is needed.", where=place, hint='As in {"tools": 100}.')
    if len(data) > MAX_DIALS:
        raise LimitError(f"there are {len(data):,}, more than {MAX_DIALS}.", where=place)
    for name, value in data.items():
        _short(name, place, MAX_NAME)
        at = f"{place}.{shown(name, 80)}"
        if isinstance(value, dict | list):
            raise FormatError("a number, a word, true or false is needed.", where=at)
        if isinstance(value, str):
            _short(value, at, MAX_NAME)
    return data


def write_cases(path: Path, cases: Iterable[Case], folder: str = "catalogs") -> int:
    """
    Write cases as JSON lines, each catalog once into a folder beside them, named by its content.

    The file is there only when all cases are written; what was made for it goes where they are not. Folders
    that are not there are made.

    Args:
        path: the file.
        cases: the cases, taken one by one.
        folder: the name of the folder for catalogs, or "" to write every catalog into its row.

    Returns:
        How many were written.

    Raises:
        OSError: the file cannot be written.
        FormatError: a case cannot be written.
        LimitError: a row is longer than is read.
    """
    catalogs = _Catalogs(path.parent, folder)
    count = 0
    try:
        catalogs.make(path.parent)
        with _replacing(path) as file:
            for case in cases:
                file.write(case_line(case, catalogs.reference(case)))
                count += 1
    except BaseException:
        catalogs.undo()
        raise
    return count


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """Open a file beside `path` that takes its place when all is written."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def case_line(case: Case, catalog: Any = None) -> str:
    """Return a case as one line with its end; see `case_row`."""
    line = json.dumps(case_row(case, catalog), ensure_ascii=False) + "\n"
    if len(line.encode("utf-8", "surrogatepass")) > MAX_LINE_BYTES:
        raise LimitError(
            f"the case {shown(case.id)!r} would be longer than {MAX_LINE_BYTES:,} bytes.",
            hint="Write its catalog into a file of its own.",
        )
    return line


class _Catalogs:
    """Writes each catalog once beside the cases, and knows what was not there before."""

    def __init__(self, beside: Path, folder: str) -> None:
        """Have written nothing yet."""
        self._beside, self._folder = beside, folder
        self._digests = Digests()
        self._written: set[str] = set()
        self._made: list[Path] = []
        """Files and folders that were not there before, in the order in which they were made."""

    def reference(self, case: Case) -> str | None:
        """Return what names the catalog of a case; its file is written where it is not there yet."""
        if case.catalog_name in catalog_names():
            return case.catalog_name
        if not self._folder:
            return None
        reference = f"{self._folder}/{self._digests.catalog(case.catalog)[:16]}.json"
        if reference not in self._written:
            self.make(self._beside / self._folder)
            path = self._beside / reference
            if not path.exists():
                self._made.append(path)
            with _replacing(path) as file:
                file.write(
                    json.dumps(case.catalog.dump("native"), ensure_ascii=False, indent=1) + "\n"
                )
            self._written.add(reference)
        return reference

    def make(self, folder: Path) -> None:
        """Make a folder, and those above it, where they are not there."""
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            self._made.append(each)

    def undo(self) -> None:
        """Take away what was made; a folder in which somebody else put something stays."""
        for path in reversed(self._made):
            with suppress(OSError):
                if path.is_dir():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)
