"""
Documents that hold calls: a list of entries, one entry, or a message that has such a list inside.

What stands around the calls (text, reasoning, other keys) is kept and printed back, and so is each call
that did not change. A changed call keeps its entry but for name and arguments. A new one gets a new id,
and stands before the call that follows it. A label stands beside the id under the key "label".

There are no words here for what has still to be asked or confirmed, for calls that cannot be read and for
what the sequence gives back: it is an error to print these, so that nothing incomplete gets executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.shapes import Reading, Shape, label_of
from refract_asp.formats.spellings import Known
from refract_asp.model import Call, Sequence

__all__ = [
    "ANY",
    "Envelope",
    "Found",
    "Layout",
    "find_entries",
    "labels_of",
    "read_document",
    "read_entries",
    "value_at",
]

Found: TypeAlias = list[tuple[Any, FieldPlace]]
"""Entries of calls, each with its place."""

_CALLS = frozenset({"function", "function_call", "tool_use", "tool_call"})
ANY = "*"
"""Stands for every element of a list on the way to the entries."""


@dataclass(frozen=True)
class Layout:
    """
    Where the calls of a format stand in its documents.

    Attributes:
        name: how the format is asked for.
        looks: what its documents look like, for messages.
        shape_of: gives the shape of an entry, None for what is no call.
        new: the shape of a new entry.
        lists: keys that lead from the top to a list with calls; the empty one is the document itself.
        mixed: whether other things stand among the calls.
    """

    name: str
    looks: str
    shape_of: Callable[[Any], Shape | None]
    new: Shape
    lists: tuple[tuple[str, ...], ...]
    mixed: bool = False

    def places(self, document: Any) -> Iterator[FieldPlace]:
        """Yield the places of the lists that may hold calls."""
        for keys in self.lists:
            yield from _lists(document, keys, ())

    def detects(self, document: Any) -> bool:
        """Whether a document holds a call of this format."""
        if isinstance(document, str):
            return False
        if self.shape_of(document) is not None:
            return True
        return any(
            self.shape_of(entry) is not None
            for place in self.places(document)
            for entry in value_at(document, place)
        )


@dataclass
class Envelope:
    """What stands around the calls: the document, and where its lists of calls are (None: it is one)."""

    document: Any
    places: list[FieldPlace | None] = field(default_factory=list)
    owners: dict[int, int] = field(default_factory=dict)


def _lists(value: Any, keys: tuple[str, ...], place: FieldPlace) -> Iterator[FieldPlace]:
    if not keys:
        if isinstance(value, list | tuple):
            yield place
    elif keys[0] == ANY:
        if isinstance(value, list | tuple):
            for index, inner in enumerate(value):
                yield from _lists(inner, keys[1:], (*place, index))
    elif isinstance(value, dict) and keys[0] in value:
        yield from _lists(value[keys[0]], keys[1:], (*place, keys[0]))


def value_at(value: Any, place: FieldPlace) -> Any:
    """Return what stands at a place."""
    for step in place:
        value = value[step]
    return value


def read_document(layout: Layout, data: Any, origin: Origin) -> Sequence:
    """Read the calls of a document."""
    if layout.shape_of(data) is None and not isinstance(data, dict | list | tuple):
        raise origin.error("an object or a list with calls is needed.", hint=f"As in {layout.looks}.")
    envelope, found = find_entries(layout, data)
    if not envelope.places and data:
        raise origin.error("no calls are found, and some are needed.", hint=f"As in {layout.looks}.")
    reading = Reading(origin, Known(labels_of(layout, found)))
    calls = read_entries(layout, found, reading)
    return Sequence(
        calls=reading.checked(calls), format=layout.name, written=envelope, notes=tuple(reading.notes)
    )


def find_entries(layout: Layout, data: Any) -> tuple[Envelope, Found]:
    """Return what stands around the calls, and each entry with its place."""
    envelope = Envelope(data)
    if layout.shape_of(data) is not None:
        envelope.places.append(None)
        envelope.owners[id(data)] = 0
        return envelope, [(data, ())]
    found: Found = []
    for place in layout.places(data):
        entries = value_at(data, place)
        if not place and not any(layout.shape_of(entry) is not None for entry in entries):
            continue
        envelope.places.append(place)
        for index, entry in enumerate(entries):
            if layout.shape_of(entry) is not None or _is_broken(layout, entry):
                found.append((entry, (*place, index)))
                envelope.owners[id(entry)] = len(envelope.places) - 1
    return envelope, found


def labels_of(layout: Layout, found: Found) -> list[str | None]:
    """Return the labels of entries."""
    shapes = ((layout.shape_of(entry), entry) for entry, _ in found)
    return [label_of(shape, entry) for shape, entry in shapes if shape is not None]


def read_entries(layout: Layout, found: Found, reading: Reading) -> list[Call]:
    """Read entries, each with its place."""
    calls = []
    for entry, place in found:
        shape = layout.shape_of(entry)
        calls.append(reading.call(shape, entry, place) if shape is not None else reading.broken(entry, place))
    return calls


def _is_broken(layout: Layout, entry: Any) -> bool:
    """Whether an entry should be a call and is none; other things may stand among calls."""
    if not isinstance(entry, dict):
        return not layout.mixed
    if layout.mixed:
        return len(layout.new.name) > 1 and not layout.new.marks and layout.new.name[0] in entry
    kind = entry.get("type", entry.get("role"))
    return not isinstance(kind, str) or kind in _CALLS
