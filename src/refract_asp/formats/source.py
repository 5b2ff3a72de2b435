"""
Sources of input: files read, texts parsed, objects of libraries read as data; and what a format is.

To add a format, write a module with a `Format` and name it in the tuples of `formats/__init__.py`, or offer it
from a package of your own as an entry point of the group `refract_asp.formats`; these are tried last.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from refract_asp import errors
from refract_asp.errors import FormatError, InputError, LimitError, meant, shown
from refract_asp.formats import values
from refract_asp.formats.values import FieldPlace, Origin, Spoilt, located
from refract_asp.formats.yaml_text import parse_yaml
from refract_asp.model import Ask, Call, Sequence
from refract_asp.model.paths import elements_of, object_of, present
from refract_asp.model.secrets import text_without_secrets
from refract_asp.model.sequence import slots_of
from refract_asp.resources import extension, extension_names

# Files beyond this size are refused before they are read.
MAX_FILE_BYTES = 100_000_000
# Sequences beyond these lengths are refused before they are parsed: JSON, its values, other texts, and calls.
MAX_SEQUENCE = 10_000_000
MAX_VALUES = 200_000
MAX_TEXT = 1_000_000
MAX_READ = 20_000
# Characters and values up to which reading takes no noticeable time.
MAX_QUICK = 20_000
LINE_SUFFIXES = (".jsonl", ".ndjson")

# An object that stands for no data, and where it stands.
Foreign: TypeAlias = tuple[FieldPlace, object]

# Objects are looked for so deep; every reader refuses data that is nested deeper than 64.
_DEEPEST = 100
# Stands for what would stand inside of itself.
_INSIDE_ITSELF = object()
T = TypeVar("T")


@contextmanager
def file_errors(where: str) -> Iterator[None]:
    """Raise what goes wrong with a file inside of the block as a `FormatError`."""
    try:
        yield
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"this is not UTF-8 text (line {line}, byte {error.start})."
        raise FormatError(what, where=where, hint="Save the file as UTF-8.") from None
    except FileNotFoundError:
        raise FormatError("there is no such file.", where=where) from None
    except IsADirectoryError:
        raise FormatError("this is a directory, a file is needed.", where=where) from None
    except (OSError, ValueError) as error:
        reason = shown(getattr(error, "strerror", None) or error, errors.LONGEST_TEXT)
        raise FormatError(f"the file cannot be read: {reason}.", where=where) from None


def read_rest(file: Any, where: str, begin: bytes = b"") -> str:
    """
    Return what is left of an open file after its beginning, as text without a byte order mark.

    Raises:
        LimitError: it is too large.
    """
    raw = begin + file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        what = f"the file is larger than {MAX_FILE_BYTES:,} bytes."
        raise LimitError(what, where=where, hint="Split it, or write JSON lines.")
    return str(raw.decode("utf-8-sig"))


def read_file(path: Path) -> str:
    """
    Read a file of UTF-8 text, with or without a byte order mark.

    Raises:
        FormatError: there is no such file, it cannot be read or is not UTF-8.
        LimitError: it is too large.
    """
    where = shown(str(path), errors.LONGEST_TEXT)
    with file_errors(where), path.open("rb") as file:
        return read_rest(file, where)


def short(data: T, origin: Origin, *, is_prose: bool = False) -> T:
    """
    Return what a sequence is read from: a text, which `is_prose` says is no JSON, a list, or an object with one.

    Raises:
        LimitError: it is too long.
    """
    held = (data, *object_of(data).values())
    longest = MAX_TEXT if is_prose else MAX_SEQUENCE
    sizes = [(len(each), longest, "characters") for each in held if isinstance(each, str)]
    sizes += [(len(each), MAX_READ, "entries") for each in held if isinstance(each, list)]
    if isinstance(data, str) and not is_prose:
        sizes.append((values.marks_in(data, MAX_VALUES), MAX_VALUES, "values"))
    for size, most, what in sizes:
        if size > most:
            hint = "Give the calls in parts: what was made before goes into `history`."
            told = f"the sequence is longer than {most:,} {what}."
            raise LimitError(told, where=origin.at(), hint=hint)
    return data


def is_bulky(given: Iterable[Any]) -> bool:
    """Whether so much is given as a file, text or data that to read it may take a noticeable time."""
    left, size = list(given), 0
    for each in left:  # grows while it is gone through
        if isinstance(each, Path):
            with suppress(OSError, ValueError):
                size += each.stat().st_size
        elif isinstance(each, str | list | tuple | dict):
            size += len(each) + 1
        if size > MAX_QUICK:
            return True
        if isinstance(each, list | tuple | dict):
            left += elements_of(each)
    return False


def text_of(data: Any, text: str = "") -> tuple[Any, Origin]:
    """
    Return the content of a `Path`, or data as it is, and where it comes from.

    `text` is what the file holds, where it was read already.

    Raises:
        FormatError: the file cannot be read.
    """
    if isinstance(data, Path):
        return text or read_file(data), Origin(str(data))
    if isinstance(data, str):
        return data.removeprefix("\ufeff"), Origin("<text>")
    return data, Origin()


def opened(data: Any, *, yaml: bool, lines: bool = False, text: str = "") -> tuple[Any, Origin]:
    """
    Return what a file, a text or data holds, as JSON values; without `yaml`, other text stays text.

    A text that begins with a bracket is JSON, but in a file with a YAML suffix. With `lines` it may also
    be one value a line, which make up a list. Data is not copied where `yaml` is off: its readers copy it,
    and what cannot be used in a text is left where it stands. `text` is what the file holds, where it was
    read already. Objects of libraries are read as the data that they stand for.

    Raises:
        FormatError: the file cannot be read, the text not be parsed, or a value is not JSON.
        LimitError: it is too large or nested too deep.
    """
    content, origin = text_of(data, text)
    numbers: list[int] = []
    if not isinstance(content, str):
        content = as_data(content)
    if isinstance(content, str):
        suffix = data.suffix.lower() if isinstance(data, Path) else ""
        is_yaml = suffix in (".yaml", ".yml")
        first, _, rest = content.lstrip().partition("\n")
        bracket = first[:1] in ("{", "[")
        if lines and (suffix in LINE_SUFFIXES or (not is_yaml and is_lines(first, rest))):
            held = [(n, line) for n, line in enumerate(content.split("\n"), 1) if line.strip()]
            numbers = [number for number, _ in held]
            content = [parse_line(line, f"{origin.at()}:{number}") for number, line in held]
        elif bracket and not (yaml and is_yaml):
            text, content = content, values.parse_json(content, origin, lenient=not yaml)
            if yaml and values.is_sound(content, text):
                return content, origin
        elif yaml:
            content, marks = parse_yaml(content, origin)
            return content, replace(origin, lines=marks, root=content)
    if not yaml:
        return content, origin
    with located(origin):
        content = values.plain(content)
    if numbers:
        origin = replace(origin, lines={id(content): dict(enumerate(numbers))}, root=content)
    return content, origin


def is_lines(first: str, rest: str, *, lenient: bool = False) -> bool:
    """Whether the first line of a text is a whole JSON value, and another one follows it."""
    if first.lstrip()[:1] not in ("{", "[") or rest.lstrip()[:1] not in ("{", "["):
        return False
    with suppress(InputError):
        values.parse_json(first, Origin(), lenient=lenient)
        return True
    return False


def parse_line(line: str, place: str, *, lenient: bool = False) -> Any:
    """Read a line of JSON lines; of a place in it the column alone says enough."""
    try:
        return values.parse_json(line, Origin(), lenient=lenient)
    except InputError as error:
        column = error.where.removeprefix("line 1, column ")
        joint = "" if not column else ":" if column != error.where else ": "
        raise type(error)(error.what, where=f"{place}{joint}{column}", hint=error.hint) from None


def as_data(
    value: Any,
    foreign: list[Foreign] | None = None,
    place: FieldPlace = (),
    around: tuple[int, ...] = (),
) -> Any:
    """
    Return the data that objects of libraries stand for, at any depth; data itself comes back as it is.

    An object with `model_dump` (pydantic) and a dataclass give their fields that are not None, a namespace
    and a mapping all that they hold, an object with `to_dict` what that returns, an `Enum` its value. Every
    other object stays where it stands, and is noted in `foreign`, and so is one that stands inside of itself
    (`around` are those that a value stands in). No property is read.

    Example:
        >>> from types import SimpleNamespace
        >>> as_data([SimpleNamespace(name="Search", arguments={"query": None}, id=None)])
        [{'name': 'Search', 'arguments': {'query': None}, 'id': None}]
    """
    if isinstance(value, Enum):  # as the role of a message in Haystack
        return as_data(value.value, foreign, place, around)
    if value is None or isinstance(value, str | int | float | Spoilt) or len(around) > _DEEPEST:
        return value
    if id(value) in around:
        if isinstance(value, dict | list | tuple):
            return value  # readers say that it is nested too deep
        if foreign is not None:
            foreign.append((place, value))
        return _INSIDE_ITSELF
    around = (*around, id(value))
    if isinstance(value, dict):
        held = {}
        for key, inner in value.items():
            step = key if isinstance(key, str) else shown(key)
            held[key] = as_data(inner, foreign, (*place, step), around)
        return value if all(map(operator.is_, held.values(), value.values())) else held
    if isinstance(value, list | tuple):
        items = [as_data(v, foreign, (*place, index), around) for index, v in enumerate(value)]
        return value if all(map(operator.is_, items, value)) else items
    data, fewest = value, [(place, value)]
    for number, form in enumerate(_forms(value)):
        noted: list[Foreign] = []
        read = as_data(form, noted, place, around)
        if not number or len(noted) < len(fewest):
            data, fewest = read, noted
        if not noted:
            break
    if foreign is not None:
        foreign += fewest
    return data


def held_in(value: Any, name: str, fits: Callable[[Any], bool] = lambda _: True) -> Any:
    """
    Return an attribute that an object or its class holds and that fits, else None; no property is called.

    Example:
        >>> class Tool:
        ...     name = "search"
        ...     secret = property(lambda self: 1 / 0)
        >>> held_in(Tool(), "name"), held_in(Tool(), "secret")
        ('search', None)
    """
    found = inspect.getattr_static(value, name, None)
    if found is None or isinstance(found, property | cached_property):
        return None
    try:
        found = getattr(value, name, None)
    except Exception:  # whatever a descriptor of the object raises
        return None
    return found if fits(found) else None


def _forms(value: Any) -> Iterator[Any]:
    """Yield what an object may be read as; nothing for one that stands for no data."""
    if isinstance(value, type) or type(value).__module__.partition(".")[0] == "refract_asp":
        return
    dump = held_in(value, "model_dump", callable)
    if dump is not None:
        # values as they are come first: in JSON a NaN would become null
        aliased = {"by_alias": True, "exclude_none": True}
        for options in (aliased, {**aliased, "mode": "json"}, {"exclude_none": True}, {}):
            try:
                form = dump(**options)
            except Exception:  # an option that it does not take, or a value that it cannot dump
                continue
            if isinstance(form, dict | list):
                yield form
    elif is_dataclass(value):
        named = {field.name: held_in(value, field.name) for field in fields(value)}
        yield present(named)
    elif held_in(type(value), "__fields__") and held_in(value, "dict", callable):  # pydantic 1
        yield value.dict(exclude_none=True)
    elif isinstance(value, SimpleNamespace | Mapping):
        yield dict(value if isinstance(value, Mapping) else vars(value))
    elif held_in(type(value), "to_dict", callable):  # as in Agent Framework
        with suppress(Exception):  # whatever the object's own code raises
            form = value.to_dict()
            if isinstance(form, dict):
                yield form


# -- formats ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Format(Generic[T]):
    """
    A way of writing sequences or catalogs.

    Attributes:
        name: the name by which callers choose it.
        kind: what it holds.
        looks: what data of this format looks like, for messages.
        detects: whether data (text, or what JSON and YAML hold) looks like it; never raises.
        read: builds the model; raises an `InputError` that names the place.
        write: prints the model as data, or None where the format is only read.
        is_last: whether it takes whatever may hold something, so that all others are asked before it.
    """

    name: str
    kind: Literal["sequence", "catalog"]
    looks: str
    detects: Callable[[Any], bool]
    read: Callable[[Any, Origin], T]
    write: Callable[[T], Any] | None = None
    is_last: bool = False


def refuse_open(sequence: Sequence, name: str) -> None:
    """
    Refuse to print what a format has no words for.

    Raises:
        FormatError: something is open, or the sequence says what it gives back.
    """
    bound = (source for call in sequence.calls for source in call.arguments.values())
    slots = (slot for source in bound for slot in slots_of(source) if isinstance(slot, Ask))
    asked = dict.fromkeys([*sequence.asks, *(slot.name for slot in slots)])
    confirmed = [n for n, call in enumerate(sequence.calls, 1) if call.confirms]
    keep = "print it as pretty or nestful, which can express it."
    if asked or confirmed:
        found = f"{shown(', '.join(asked), 120)} must still be asked for"
        if not asked:
            name_of = shown(sequence.calls[confirmed[0] - 1].name, 60)
            found = f"call {confirmed[0]} ({name_of}) must still be confirmed"
        hint = f"Answer first (`result.answer(..., confirmed=True)`, `--answer NAME=VALUE --yes`), or {keep}"
        raise FormatError(f"{found}, which the format {name} cannot express.", hint=hint)
    if sequence.returns is not None:
        what = f"the format {name} cannot express what the sequence returns."
        raise FormatError(what, hint=keep.capitalize())


def unprintable(call: Call, number: int) -> FormatError:
    """Return the error for a call that could not be read and that a format has no words for."""
    what = f"call {number} ({shown(call.name, 60)}) cannot be printed: {call.malformed}"
    return FormatError(what, hint="Ask for the call again, or print it as pretty.")


def find(formats: tuple[Format[T], ...], name: str, *, to_write: bool = False) -> Format[T]:
    """
    Return the format of that name.

    Raises:
        UnknownFormatError: there is none, or none that can be written; the message lists those that there are.
    """
    fitting = {known.name: known for known in formats if known.write is not None or not to_write}
    if isinstance(name, str) and name in fitting:
        return fitting[name]
    for known in extended(formats, shown(name)):
        if known.write is not None or not to_write:
            return known
    names = sorted(known.name for known in formats)
    if name in names:
        what = f"the {formats[0].kind} format {name!r} can be read but not written."
        raise errors.UnknownFormatError(what, hint=f"Write one of: {', '.join(sorted(fitting))}.")
    what = f"there is no {formats[0].kind} format named {shown(name, 80)!r}."
    raise errors.UnknownFormatError(what, hint=meant(name, names, most=20))


def extended(formats: tuple[Format[T], ...], name: str = "") -> Iterator[Format[T]]:
    """Yield the formats of installed packages, of the kind that others are, or that of a name alone."""
    for each in extension_names("formats"):
        if name in ("", each):
            known = extension("formats", each)
            if isinstance(known, Format) and known.kind == formats[0].kind:
                yield known


def detect(
    formats: tuple[Format[T], ...], data: Any, origin: Origin, others: tuple[Format[Any], ...] = ()
) -> Format[T]:
    """
    Return the first format that the data looks like; `others` are those of the other kind.

    Raises:
        UnknownFormatError: it looks like none; the message says which is the nearest.
    """
    last = [known for known in formats if known.is_last]
    first = (known for known in formats if not known.is_last)
    for known in chain(first, extended(formats), last):
        if known.detects(data):
            return known
    near = max(formats, key=lambda known: _likeness(data, known))
    names = ", ".join(known.name for known in formats)
    hints = [f"The nearest is {near.name}: {near.looks}."]
    hints.append(f"Formats: {names}; docs/formats.md shows each of them.")
    other = next((each for each in others if not each.is_last and each.detects(data)), None)
    if other is not None:
        place = f"give it as the {other.kind}."
        hints = [f"It reads as a {other.kind} of the format {other.name}: {place}"]
    is_line = isinstance(data, str) and len(data) < 1000 and "\n" not in data
    if is_line and data.rpartition(".")[2].lower() in ("json", "yaml", "yml", "txt"):
        hints.append("A text is content: for a file give a pathlib.Path.")
    what = f"no {formats[0].kind} format fits {_described(data)}."
    raise errors.UnknownFormatError(what, where=origin.at(), hint="\n".join(hints))


def _likeness(data: Any, known: Format[Any]) -> tuple[int, bool]:
    """Return how many of the keys of the data a format speaks of, and whether it is one of texts as they are."""
    entry = data[0] if isinstance(data, list | tuple) and data else data
    if not isinstance(entry, dict):
        return 0, isinstance(data, str) and known.name in ("pretty", "native")
    return sum(f'"{key}"' in known.looks for key in entry), known.name in ("nestful", "native")


def _described(data: Any) -> str:
    match data:
        case str():
            return f"the text {shown(text_without_secrets(data.strip()[:1000]), 60)!r}"
        case dict() if data:
            return f"an object with the keys {shown(', '.join(map(shown, list(data)[:8])), 120)}"
        case [list() | tuple(), *_]:
            return "a list of lists"
        case [first, *_]:
            return f"a list whose first element is {_described(first)}"
        case dict() | list() | tuple():
            return "{}" if isinstance(data, dict) else "[]"
        case None:
            return "an empty text"
    words = {bool: "true or false", int: "a number", float: "a number"}
    return words.get(type(data), f"a value of type {shown(type(data).__name__, 60)}")
