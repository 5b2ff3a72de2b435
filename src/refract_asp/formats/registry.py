"""
What a format is, and how one is found: by name, or by what the data looks like.

To add a format, write a module with a `Format` and name it in the tuples of `formats/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from refract_asp.errors import UnknownFormatError, shown
from refract_asp.formats.origin import Origin
from refract_asp.model.secrets import text_without_secrets

__all__ = ["Format", "detect", "find", "writer"]

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
    write: Callable[[T], Any] | None


def find(formats: Sequence[Format[T]], name: str) -> Format[T]:
    """
    Return the format of that name.

    Raises:
        UnknownFormatError: there is none; the message lists those that there are.
    """
    for known in formats:
        if known.name == name:
            return known
    names = ", ".join(sorted(known.name for known in formats))
    raise UnknownFormatError(
        f"there is no {formats[0].kind} format named {shown(repr(name), 80)}.",
        hint=f"Known: {names}.",
    )


def writer(formats: Sequence[Format[T]], name: str) -> Callable[[T], Any]:
    """
    Return what prints the model in the format of that name.

    Raises:
        UnknownFormatError: there is none, or it is only read; the message lists those that can be written.
    """
    write = find(formats, name).write
    if write is None:
        names = ", ".join(sorted(known.name for known in formats if known.write is not None))
        raise UnknownFormatError(
            f"the {formats[0].kind} format {name!r} can be read but not written.",
            hint=f"Write one of: {names}.",
        )
    return write


def detect(formats: Sequence[Format[T]], data: Any, origin: Origin) -> Format[T]:
    """
    Return the first format that the data looks like.

    Raises:
        UnknownFormatError: it looks like none; the message says what was tried.
    """
    for known in formats:
        if known.detects(data):
            return known
    tried = "; ".join(f"{known.name} ({known.looks})" for known in formats)
    hint = f"Tried: {tried}."
    if isinstance(data, str) and _looks_like_path(data):
        hint += " A text is content: for a file give a pathlib.Path."
    raise UnknownFormatError(
        f"no {formats[0].kind} format fits {_described(data)}.", where=origin.at(), hint=hint
    )


def _looks_like_path(text: str) -> bool:
    return (
        len(text) < 1000
        and "\n" not in text
        and text.rpartition(".")[2].lower() in ("json", "yaml", "yml", "txt")
    )


def _described(data: Any) -> str:
    if isinstance(data, str):
        return f"the text {shown(text_without_secrets(data.strip()[:1000]), 60)!r}"
    if isinstance(data, dict):
        return (
            f"an object with the keys {shown(', '.join(map(shown, list(data)[:8])), 120)}"
            if data
            else "{}"
        )
    if isinstance(data, list | tuple):
        if data and isinstance(data[0], list | tuple):
            return "a list of lists"
        return f"a list whose first element is {_described(data[0])}" if data else "[]"
    if data is None:
        return "an empty text"
    return f"a value of type {shown(type(data).__name__, 60)}"
