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
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from refract_asp.errors import FormatError, shown
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.shapes import Reading, Shape, label_of, step_into, written_arguments
from refract_asp.formats.values import Spoilt, Twice
from refract_asp.model import Ask, Call, Sequence
from refract_asp.model.sources import slots_of

__all__ = [
    "ANY",
    "Envelope",
    "Found",
    "Layout",
    "find_entries",
    "labels_of",
    "placed",
    "read_document",
    "read_entries",
    "refuse_open",
    "value_at",
    "write_document",
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
        raise origin.error(
            "an object or a list with calls is needed.", hint=f"As in {layout.looks}."
        )
    envelope, found = find_entries(layout, data)
    if not envelope.places and data:
        raise origin.error(
            "no calls are found, and some are needed.", hint=f"As in {layout.looks}."
        )
    reading = Reading(origin, Known(labels_of(layout, found)))
    calls = read_entries(layout, found, reading)
    return Sequence(
        calls=reading.checked(calls),
        format=layout.name,
        written=envelope,
        unlabelled=True,
        notes=tuple(reading.notes),
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
        calls.append(
            reading.call(shape, entry, place) if shape is not None else reading.broken(entry, place)
        )
    return calls


def _is_broken(layout: Layout, entry: Any) -> bool:
    """Whether an entry should be a call and is none; other things may stand among calls."""
    if not isinstance(entry, dict):
        return not layout.mixed
    if layout.mixed:
        return len(layout.new.name) > 1 and not layout.new.marks and layout.new.name[0] in entry
    kind = entry.get("type", entry.get("role"))
    return not isinstance(kind, str) or kind in _CALLS


_MAX_COPIED = 200
_CLOSED = "invalid_tool_calls"
"""A list that takes no new calls."""


def refuse_open(sequence: Sequence, name: str) -> None:
    """
    Refuse to print what a format has no words for.

    Raises:
        FormatError: something is open, or the sequence says what it gives back.
    """
    asked = [*sequence.asks, *(s.name for c in sequence.calls for a in c.arguments.values()
             for s in slots_of(a) if isinstance(s, Ask))]  # fmt: skip
    keep = "print it as pretty or nestful, which have words for it."
    if asked:
        what = f"{shown(', '.join(dict.fromkeys(asked)), 120)} has still to be asked, and {name} cannot say so."
        raise FormatError(what, hint=f"Answer first (`result.answer`), or {keep}")
    for number, call in enumerate(sequence.calls, 1):
        if call.confirms:
            what = f"call {number} ({shown(call.name, 60)}) has still to be confirmed, and {name} cannot say so."
            raise FormatError(
                what, hint=f"Confirm first (`result.answer(confirmed=True)`), or {keep}"
            )
    if sequence.returns is not None:
        raise FormatError(
            f"{name} cannot say what the sequence gives back.", hint=keep.capitalize()
        )


def write_document(layout: Layout, sequence: Sequence, known: Known | None = None) -> Any:
    """Print a sequence as a document, the one that it came in where there is one."""
    refuse_open(sequence, layout.name)
    known = known or known_of(sequence)
    envelope = sequence.written
    if sequence.format != layout.name or not isinstance(envelope, Envelope):
        envelope = Envelope([], [()])
    elif envelope.document:  # a copy of the sequence has a copy of the document
        envelope = find_entries(layout, envelope.document)[0]
    if (
        sequence.calls and not envelope.places
    ):  # a message that called nothing has no place for calls
        envelope = Envelope([], [()])
    entries = write_entries(layout, sequence, envelope, known)
    if envelope.places[:1] == [None]:
        alone = [entry for _, entry in entries[0]]
        return alone[0] if len(alone) == 1 else alone
    document = copied(envelope.document)
    for number, place in enumerate(envelope.places):
        before = value_at(envelope.document, place or ())
        after = _merged(envelope, before, entries.get(number, []))
        if not place:
            return after
        value_at(document, place[:-1])[place[-1]] = after
    return document


def write_entries(
    layout: Layout, sequence: Sequence, envelope: Envelope, known: Known
) -> dict[int, list[tuple[bool, Any]]]:
    """Return for each list its entries, each with whether it was given; new ones go before what follows."""
    ids = {call.id for call in sequence.calls if call.id is not None}
    closed = [place is not None and place[-1:] == (_CLOSED,) for place in envelope.places]
    given = [(layout.shape_of(call.written), call.written) for call in sequence.calls]
    if any(shape and isinstance(step_into(entry, shape.arguments), str) for shape, entry in given):
        layout = replace(layout, new=replace(layout.new, text=True))  # as its siblings are
    printed: dict[int, list[tuple[bool, Any]]] = {
        number: [] for number in range(len(envelope.places))
    }
    for index, (call, owner, near) in enumerate(placed(sequence.calls, envelope.owners, closed)):
        entry = call.written if owner is not None else None
        printed.setdefault(near, []).append(
            (owner is not None, _entry(layout, call, entry, known, ids, index))
        )
    return printed


def placed(
    calls: tuple[Call, ...], owners: dict[int, int], closed: list[bool]
) -> Iterator[tuple[Call, int | None, int]]:
    """Yield each call with the list that it came from, and that where it goes: a new one beside another."""
    given = [owners.get(id(call.written)) if call.written is not None else None for call in calls]
    for index, (call, owner) in enumerate(zip(calls, given, strict=True)):
        near = (*given[index + 1 :], *reversed(given[:index]), *range(len(closed)))
        open_ = (each for each in near if each is not None and not closed[each])
        yield call, owner, next(open_, 0) if owner is None else owner


def _entry(layout: Layout, call: Call, entry: Any, known: Known, ids: set[str], index: int) -> Any:
    """Print one call."""
    shape = layout.shape_of(entry) if entry is not None else None
    if call.malformed is not None:
        again = Reading(Origin(), known)
        read = again.call(shape, entry, ()) if shape is not None else again.broken(entry, ())
        same = (read.name, read.label, read.id) == (call.name, call.label, call.id)
        if entry is None or read.malformed is None or not same or _has_lost(entry):
            what = f"call {index + 1} ({shown(call.name, 60)}) cannot be printed: {call.malformed}"
            raise FormatError(what, hint="Ask for the call again, or print it as pretty.")
        return copied(entry)
    if shape is None:
        return _new(layout.new, call, known, ids)
    again = Reading(Origin(), known)
    read = again.call(shape, entry, ())
    if read == call and not again.notes:
        return copied(entry)
    changed = copied(entry)
    _put(changed, shape.name, call.name)
    before = step_into(entry, shape.arguments)
    if (
        read.arguments != call.arguments
        or list(read.arguments) != list(call.arguments)
        or again.notes
    ):
        _put(changed, shape.arguments, written_arguments(shape, call, known, before))
    if read.label != call.label:
        if call.label is None:
            step_into(changed, shape.label[:-1]).pop("label", None)
        else:
            _put(changed, shape.label, call.label)
    return changed


def _new(shape: Shape, call: Call, known: Known, ids: set[str]) -> dict[str, Any]:
    """Print a call that has no entry yet."""
    entry: dict[str, Any] = {}
    given: Any = call.id
    if given is None and shape.prefix is not None and (ids or not shape.spare):
        number = 1
        while f"{shape.prefix}{number}" in ids:
            number += 1
        ids.add(f"{shape.prefix}{number}")
        given = f"{shape.prefix}{number}" if shape.prefix else number
    elif (
        given is not None
        and shape.prefix == ""
        and given.isascii()
        and given.isdigit()
        and str(int(given)) == given
    ):
        given = int(given)
    for key, value in shape.fresh.items():
        entry[key] = given if key == shape.id[-1] and len(shape.id) == 1 else copied(value)
    if given is not None:
        _put(entry, shape.id, given)
    _put(entry, shape.name, call.name)
    _put(entry, shape.arguments, written_arguments(shape, call, known))
    if call.label is not None:
        _put(entry, shape.label, call.label)
    return entry


def _put(entry: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    for key in keys[:-1]:
        entry = entry.setdefault(key, {})
    entry[keys[-1]] = value


def _merged(envelope: Envelope, before: Any, entries: list[tuple[bool, Any]]) -> list[Any]:
    """Put the entries where calls stood; what stood among them stays there."""
    after: list[Any] = []
    left = iter(entries)
    for element in before:
        if id(element) not in envelope.owners:
            after.append(copied(element))
            continue
        for given, entry in left:
            after.append(entry)
            if given:
                break
    after.extend(entry for _, entry in left)
    return after


def copied(value: Any, depth: int = 0) -> Any:
    """Return a copy of what JSON can hold, and anything else as it is."""
    if depth > _MAX_COPIED:
        return value
    if isinstance(value, dict):
        if isinstance(value, Twice):
            raise FormatError(
                f"it cannot be printed: {value.error.what}", hint="Remove one of the two."
            )
        return {key: copied(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [copied(inner, depth + 1) for inner in value]
    return value.value if isinstance(value, Spoilt) else value


def _has_lost(value: Any, depth: int = 0) -> bool:
    """Whether something in it did not survive reading, so that it cannot be printed as it stood."""
    if isinstance(value, Twice):
        return True
    if depth > _MAX_COPIED:
        return False
    inner = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else ()
    )
    return any(_has_lost(each, depth + 1) for each in inner)
