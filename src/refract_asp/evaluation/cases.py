"""
Cases: a sequence, the tools it may use, and the repair that is expected of it; and files of them.

Files are JSON lines, one case a line, read and written one at a time.

    {"id": "7", "catalog": "travel", "sequence": ["Serch(q=1)"], "expected": ["Search(q=1)"]}

"catalog", "sequence" and "expected" have to be there; "id" is else the number of the line. "catalog" is the
path of a file beside the cases or below, the name of a shipped catalog, or the data itself. The others may
be absent: "also" (other good answers), "open", "kind", "mutations", "informed", "memory", "dials" and "meta",
which may hold anything. See docs/evaluation.md.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StrictInt, ValidationError

from refract_asp.bench.mutations.mutation import Mutation, Open
from refract_asp.errors import FormatError, InputError, LimitError, shown
from refract_asp.formats import examples, load_catalog, load_sequence
from refract_asp.formats.values import Origin, UnreadableError, plain
from refract_asp.model import Catalog, Memory, Sequence
from refract_asp.model.catalog import Prepared
from refract_asp.model.comparison import same
from refract_asp.model.paths import Frozen, present
from refract_asp.resources import catalog_names

# Characters of the name of a case, how many further right answers it may have, and how many names are listed.
MAX_NAME = 200
MAX_ALSO = 100
MAX_LISTED = 1_000

# An id, a kind, or the name of a dial.
Name: TypeAlias = Annotated[str, Field(strict=True, max_length=MAX_NAME)]
Text: TypeAlias = Annotated[str, Field(strict=True, max_length=2_000)]
# What a dial was set to when the case was made.
Dial: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Broken:
    """
    What was broken on purpose in a sequence.

    Attributes:
        kind: the kind of mutation.
        what: what was changed, for people.
        call: the index of the call in the sequence before, or None.
        parameter: the parameter, or None.
        variant: "misspelt" or "invented" for names, else the empty text.
    """

    kind: Name
    what: Text = ""
    call: StrictInt | None = None
    parameter: Text | None = None
    variant: Name = ""

    @classmethod
    def of(cls, mutation: Mutation) -> Broken:
        """Return what a mutation broke."""
        token = mutation.token
        return cls(mutation.kind, mutation.what, token.call, token.parameter, mutation.variant)


@dataclass(frozen=True, slots=True)
class Case:
    """
    A sequence and what is expected of it.

    Attributes:
        id: its name, unique in its file.
        sequence: the calls as they came in.
        catalog: the tools that may be called.
        expected: the repair that is wanted; an ask replaces a value that is lost for good. One that equals the
            sequence means that nothing is wrong with it.
        also: other answers that are as good.
        open: what of the expected calls may differ.
        kind: what is wrong, in one word: "none" for nothing, "mix" for several kinds, or a word of one's own.
        mutations: what was broken on purpose.
        informed: whether what was lost can be told from what is left, see docs/evaluation.md.
        memory: values already known.
        dials: how the case was made: a number or a word by dial, as `{"tools": 100}`.
        catalog_name: the name of the catalog, where it is one of those shipped.
        place: where it stood: file and line.
    """

    id: str
    sequence: Sequence
    catalog: Catalog
    expected: Sequence
    also: tuple[Sequence, ...] = ()
    open: tuple[Open, ...] = ()
    kind: str = ""
    mutations: tuple[Broken, ...] = ()
    informed: bool = True
    memory: Memory | None = None
    dials: Mapping[str, Dial] = field(default_factory=dict)
    catalog_name: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        """Set the kind where none was given, and refuse open arguments of calls that do not exist."""
        kinds = {each.kind for each in self.mutations}
        if not self.kind and (kinds or self.is_right):
            kind = "mix" if len(kinds) > 1 else min(kinds, default="none")
            object.__setattr__(self, "kind", kind)
        count = len(self.expected.calls)
        for each in self.open:
            if not 0 <= each.call < count:
                what = f"open names call {each.call}, and expected has {count} calls."
                raise InputError(what, where=self.place, hint="Calls are counted from 0.")

    @classmethod
    def of(cls, mutation: Mutation, catalog: Catalog, id: str, **more: Any) -> Case:
        """
        Return the case that a mutation makes; `more` is what it does not know, as `memory` or `dials`.

        Example:
            >>> from refract_asp.bench.mutations import mutate
            >>> catalog = Catalog.load({"tools": [{"name": "Search", "parameters": {"query": {}}}]})
            >>> mutation = mutate(Sequence.load('Search(query="Rome")'), catalog, "tool_name", "seed")
            >>> case = Case.of(mutation, catalog, "first", dials={"tools": 1})
            >>> case.kind, case.is_right, str(case.expected)
            ('tool_name', False, 'Search(query="Rome")')
        """
        told = {name: getattr(mutation, name) for name in ("open", "kind", "informed")}
        told["mutations"] = tuple(map(Broken.of, mutation.parts or (mutation,)))
        return cls(id, mutation.broken, catalog, mutation.expected, **{**told, **more})

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong with the sequence, so that every change of it is a false alarm."""
        return self.sequence == self.expected


class Digests:
    """Tells cases and catalogs by the hash of what they say; that of a catalog is computed once."""

    def __init__(self) -> None:
        """Know no catalog yet."""
        # without its name: a catalog is often named after its file
        self.catalog = Prepared(lambda catalog: _digest(catalog.dump("native")["tools"]))

    def case(self, case: Case) -> str:
        """Return the hash of a case: of its row, wherever its catalog is stored."""
        return _digest(case_row(case, self.catalog(case.catalog)))


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()


# -- reading -------------------------------------------------------------------


class _More(Frozen):
    """The fields of a case besides those that every example may have."""

    schema_version: Literal[1] = 1
    open: Annotated[tuple[Open, ...], Field(max_length=MAX_LISTED)] = ()
    kind: Name = ""
    mutations: Annotated[tuple[Broken, ...], Field(max_length=MAX_LISTED)] = ()
    informed: bool = True
    dials: Annotated[dict[Name, Name | bool | int | float | None], Field(max_length=50)] = {}


_EXAMPLE = ("id", "catalog", "sequence", "expected", "memory", "meta")
_SHAPE = 'Write {"catalog": ..., "sequence": ..., "expected": ...}, one a line.'


def refusal(error: ValidationError, place: str, hint: str = "") -> FormatError:
    """Return the first mistake that pydantic finds, with its place."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = "".join(f"[{s}]" if isinstance(s, int) else f".{shown(s, 80)}" for s in first["loc"])
    what = first["msg"].lower()
    return FormatError(f"{shown(what)}.", where=f"{place}: {path.removeprefix('.')}", hint=hint)


def read_cases(
    data: Any,
    catalog: Any = None,
    *,
    mistakes: Callable[[InputError], None] | None = None,
    name: str | None = None,
) -> Iterator[Case]:
    """
    Read cases one by one.

    Args:
        data: a file (a `Path`), a text, or a list of rows as data; cases pass through.
        catalog: the tools of all rows that name none.
        mistakes: called with each row that cannot be read, and reading goes on; by default that is an error.
        name: where the data comes from, for messages; by default the file.

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
    reader = examples.ExampleReader(data.parent if isinstance(data, Path) else None)
    ids: set[str] = set()
    for number, (place, entry) in enumerate(entries(data, name), start=1):
        line = place.rpartition(":")[2]
        try:
            if isinstance(entry, InputError):
                raise entry
            name = line if line.isdecimal() else str(number)
            case = entry if isinstance(entry, Case) else _case(entry, place, name, reader, default)
            if case.id in ids:
                what = f"the id {shown(case.id)!r} is used twice."
                raise FormatError(what, where=case.place, hint="Name each case once.")
            ids.add(case.id)
        except InputError as error:
            if mistakes is None:
                raise
            mistakes(error)
        else:
            yield case


def entries(data: Any, name: str | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the lines of a file or a text, or the elements of a list, each with its place."""
    if isinstance(data, Path | str):
        yield from examples.line_entries(data, name)
    elif isinstance(data, Iterable) and not isinstance(data, Mapping):
        for number, entry in enumerate(data):
            yield f"[{number}]", entry
    else:
        raise FormatError("a file, a text or a list is needed.", hint=_SHAPE)


def _case(
    entry: Any, place: str, name: str, reader: examples.ExampleReader, default: Catalog | None
) -> Case:
    """Read one line; `name` is its id where the line has none."""
    if not isinstance(entry, dict):
        raise FormatError("a case is an object.", where=place, hint=_SHAPE)
    given = present(entry)
    for key in ("sequence", "expected"):
        if key not in given:
            raise FormatError(f"the case has no {key!r}.", where=place, hint=_SHAPE)
    example = reader.example({key: given.pop(key) for key in _EXAMPLE if key in given}, place)
    catalog, expected = example.catalog or default, example.expected
    if catalog is None or expected is None:
        raise FormatError("the case has no 'catalog'.", where=place, hint=_SHAPE)
    listed = given.pop("also", [])
    if not isinstance(listed, list) or len(listed) > MAX_ALSO:
        raise FormatError(f"a list of at most {MAX_ALSO} is needed.", where=f"{place}: also")
    also = [
        examples.read_at(f"{place}: also[{index}]", load_sequence, each)
        for index, each in enumerate(listed)
    ]
    try:
        more = _More.model_validate_json(json.dumps(plain(given)), strict=True)
    except UnreadableError as error:
        raise examples.placed(error.at(Origin()), place) from None
    except ValidationError as error:
        hint = f"A case has {', '.join((*_EXAMPLE, 'also', *_More.model_fields))}."
        raise refusal(error, place, hint) from None
    name = name if example.id is None else example.id
    if len(name) > MAX_NAME:
        what = f"the text is longer than {MAX_NAME} characters."
        raise LimitError(what, where=f"{place}: id")
    told = {key: getattr(more, key) for key in _More.model_fields.keys() - {"schema_version"}}
    shipped = entry["catalog"] if entry.get("catalog") in catalog_names() else ""
    told |= {"memory": example.memory, "catalog_name": shipped, "place": place}
    return Case(name, example.sequence, catalog, expected, tuple(also), **told)


# -- writing -------------------------------------------------------------------


def case_row(case: Case, catalog: Any = None) -> dict[str, Any]:
    """
    Return a case as the data of one line.

    Args:
        case: the case.
        catalog: a path beside the file, or a name, to write for its catalog; None for the data itself.

    Raises:
        FormatError: a sequence cannot be written so that it reads back the same.
    """
    told = {
        "schema_version": 1,
        "id": case.id,
        "catalog": case.catalog.dump("native") if catalog is None else catalog,
        "sequence": _sequence_data(case.sequence),
        "expected": _sequence_data(case.expected),
        "also": list(map(_sequence_data, case.also)),
        "open": [{"call": each.call, "parameters": sorted(each.parameters)} for each in case.open],
        "kind": case.kind,
        "mutations": [
            {key: value for key, value in asdict(each).items() if value not in ("", None)}
            for each in case.mutations
        ],
        "informed": case.informed,
        "memory": None if case.memory is None else case.memory.values,
        "dials": dict(case.dials),
    }
    may_be_absent = ("also", "open", "mutations", "memory", "dials")
    return {key: value for key, value in told.items() if value or key not in may_be_absent}


def _sequence_data(sequence: Sequence) -> Any:
    """
    Return a sequence as data that reads back the same: lines where lines can express it.

    Example:
        >>> _sequence_data(Sequence.load('ask(query)\\nx = Search(query=query)'))
        ['ask(query)', 'x = Search(query=query)']
    """
    for format in ("pretty", "nestful", "openai"):
        with suppress(InputError):  # the format cannot express it
            data = sequence.dump(format)
            if Sequence.load(data) == sequence:
                return data
    # Lines lose the ids of calls, which are not compared here.
    lines = sequence.dump("pretty")
    read = Sequence.load(lines)
    if same(read, sequence) and [c.label for c in read.calls] == [c.label for c in sequence.calls]:
        return lines
    raise FormatError("a sequence of a case cannot be written so that it reads back the same.")


def case_line(case: Case, catalog: Any = None) -> str:
    """Return a case as one line with its end; see `case_row`."""
    line = json.dumps(case_row(case, catalog), ensure_ascii=False) + "\n"
    most = examples.MAX_LINE_BYTES
    if len(line.encode("utf-8", "surrogatepass")) > most:
        what = f"the case {shown(case.id)!r} would be longer than {most:,} bytes."
        raise LimitError(what, hint="Write its catalog into a file of its own.")
    return line


def write_cases(path: Path, cases: Iterable[Case], folder: str = "catalogs") -> int:
    """
    Write cases as JSON lines, each catalog once into a folder beside them, named by its content.

    The files are there only when all cases are written. Folders that are not there are made.

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
    digests, count = Digests(), 0
    there = next(each for each in path.parents if each.exists())
    with tempfile.TemporaryDirectory(prefix=f".{path.name[:100]}.", dir=there) as name:
        made, catalogs = Path(name) / "cases", Path(name) / "catalogs"
        catalogs.mkdir()
        with made.open("w", encoding="utf-8") as out:
            for case in cases:
                stands = case.catalog_name if case.catalog_name in catalog_names() else None
                if folder and stands is None:
                    file = catalogs / f"{digests.catalog(case.catalog)[:16]}.json"
                    stands = f"{folder}/{file.name}"
                    if not file.exists():
                        data = case.catalog.dump("native")
                        text = json.dumps(data, ensure_ascii=False, indent=1)
                        file.write_text(f"{text}\n", "utf-8")
                out.write(case_line(case, stands))
                count += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        for file in catalogs.iterdir():
            (path.parent / folder).mkdir(exist_ok=True)
            file.replace(path.parent / folder / file.name)
        made.replace(path)
    return count
