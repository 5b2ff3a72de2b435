"""
What a format is, and how one is found: by name, or by what the data looks like.

To add a format, write a module with a `Format` and name it in the tuples of `formats/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from refract_asp.errors import UnknownFormatError, shown
from refract_asp.formats.values import Origin
from refract_asp.model.secrets import text_without_secrets

T = TypeVar("T")


@dataclass(frozen=True)
class Format(Generic[T]):
    """
    A way of writing sequences or catalogs.

    Attributes:
        name: how it is asked for.
        kind: what it holds.
        looks: what data of this format looks like, for messages.
        detects: whether data (text, or what JSON and YAML hold) looks like it; never raises.
        read: builds the model; raises an `InputError` that names the place.
        write: prints the model as data, or None where the format is only read.
    """

    name: str
    kind: Literal["sequence", "catalog"]
    looks: str
    detects: Callable[[Any], bool]
    read: Callable[[Any, Origin], T]
    write: Callable[[T], Any] | None = None


def find(formats: Sequence[Format[T]], name: str, *, to_write: bool = False) -> Format[T]:
    """
    Return the format of that name.

    Raises:
        UnknownFormatError: there is none, or none that can be written; the message lists those that there are.
    """
    fitting = {known.name: known for known in formats if known.write is not None or not to_write}
    if name in fitting:
        return fitting[name]
    names = ", ".join(sorted(fitting))
    if any(known.name == name for known in formats):
        what = f"the {formats[0].kind} format {name!r} can be read but not written."
        raise UnknownFormatError(what, hint=f"Write one of: {names}.")
    what = f"there is no {formats[0].kind} format named {shown(repr(name), 80)}."
    raise UnknownFormatError(what, hint=f"Known: {', '.join(sorted(f.name for f in formats))}.")


def detect(formats: Sequence[Format[T]], data: Any, origin: Origin) -> Format[T]:
    """
    Return the first format that the data looks like.

    Raises:
        UnknownFormatError: it looks like none; the message says what was tried.
    """
    for known in formats:
        if known.detects(data):
            return known
    hint = f"Tried: {'; '.join(f'{known.name} ({known.looks})' for known in formats)}."
    is_line = isinstance(data, str) and len(data) < 1000 and "\n" not in data
    if is_line and data.rpartition(".")[2].lower() in ("json", "yaml", "yml", "txt"):
        hint += " A text is content: for a file give a pathlib.Path."
    what = f"no {formats[0].kind} format fits {_described(data)}."
    raise UnknownFormatError(what, where=origin.at(), hint=hint)


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
    return f"a value of type {shown(type(data).__name__, 60)}"
