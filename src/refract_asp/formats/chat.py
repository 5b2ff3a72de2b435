"""
Documents that hold calls: a list of entries, one entry, or a message that has such a list inside.

What stands around the calls (text, reasoning, other keys) is kept and printed back, and so is each call
that did not change. A changed call keeps its entry but for name and arguments. A new one gets a new id,
and stands before the call that follows it. A label stands beside the id under the key "label".

A call whose arguments cannot be used (cut off, NaN, a key given twice, half a character, too deep, no
object) is read as a call that is `malformed`, with the reason and the place; its siblings are not harmed.
Only where nothing has a name there are no calls, and an error is raised.

There are no words here for what must still be asked for or confirmed, for calls that cannot be read and for
what the sequence gives back: it is an error to print these, so that nothing incomplete gets executed.
`protocols` describes where the parts of calls stand in each format.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import getitem, itemgetter
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, shown
from refract_asp.formats import values
from refract_asp.formats.references import NO_LABELS, Known, known_of, sources_of, to_value
from refract_asp.formats.source import refuse_open, unprintable
from refract_asp.formats.values import FieldPlace, Origin, Spoilt, Twice, UnreadableError, located
from refract_asp.model import Call, Sequence, Source
from refract_asp.model.catalog import legal_name
from refract_asp.model.paths import LABEL, POSITION
from refract_asp.ports import regex
from refract_asp.resources import packaged

# What stands where nothing stands.
ABSENT: Any = object()
# Stands for every element of a list on the way to the entries.
ANY = "*"
# Entries of calls, each with its place.
Found: TypeAlias = list[tuple[Any, FieldPlace]]
# Keys that lead from the outside in.
Keys: TypeAlias = tuple[str, ...]

_MISSING = "the arguments are missing."
# Mere words in place of arguments: no name stands before a value, and nothing is left of an object.
_MERE = regex(r'(?!\w+\s*(?:=|:\s))[^\W_][^{}"]*')
NOT_A_CALL = frozenset({"description", "inputSchema", "input_schema", "output_parameters"})
_CALLS = frozenset({"function", "function_call", "tool_use", "tool_call", "tool-call"})
_ANSWERS = packaged("formats/places.json")["answers"]
# Lists of messages, which may hold calls themselves.
_OF_MESSAGES = ((), ("messages",), ("choices",))
# A list that takes no new calls.
_CLOSED = "invalid_tool_calls"
# How deep the data of a conversation may be nested to be printed again.
_MAX_COPIED = 200
_NO_CALL = Call(name="")


@dataclass(frozen=True)
class Shape:
    """
    Where the parts of a call stand in its entry.

    Attributes:
        name: keys that lead to the name of the tool.
        arguments: keys that lead to the arguments.
        id: keys that lead to the id; the label stands beside it.
        marks: keys with the values by which such an entry is known.
        needs: a key that has to be there as well.
        text: whether the arguments are JSON text (an object is taken as well).
        loose: whether a text is taken for arguments that are printed as an object.
        optional: whether arguments may be absent.
        fresh: what a new entry holds besides.
        prefix: how a new id begins; the empty text for whole numbers.
        spare: whether there are ids only where other calls have some.
        refused: the key of the reason why such a call was refused already.
        space: what stands before the names of all tools, and is no part of them.
        sole: whether the arguments are one text in whatever words, the first argument of the tool.
    """

    name: Keys
    arguments: Keys
    id: Keys = ("id",)
    marks: tuple[tuple[str, Any], ...] = ()
    needs: str = ""
    text: bool = False
    loose: bool = False
    optional: bool = False
    fresh: Mapping[str, Any] = field(default_factory=dict)
    prefix: str | None = None
    spare: bool = False
    refused: str = ""
    space: str = ""
    sole: bool = False

    @property
    def label(self) -> Keys:
        """Keys that lead to the label."""
        return (*self.id[:-1], "label")

    def label_in(self, entry: Any) -> str | None:
        """Return the label of a call; what is no text is none."""
        return _text(step_into(entry, self.label))

    def check(self, entry: Any) -> None:
        """Refuse an entry that holds a key twice on the way to what matters, or a label that is no text."""
        for keys in (self.name, self.arguments):
            for depth in range(len(keys)):
                if isinstance(inside := step_into(entry, keys[:depth]), Twice):
                    raise inside.error
        if step_into(entry, self.label) not in (ABSENT, None) and self.label_in(entry) is None:
            raise UnreadableError("the label has to be a text or null.").inside("label")

    def fits(self, entry: Any) -> bool:
        """Whether an entry has this shape."""
        if not isinstance(entry, dict) or (self.needs and self.needs not in entry):
            return False
        for key, value in self.marks:
            if entry.get(key) != value:
                return False
        inside = entry if len(self.name) == 1 else step_into(entry, self.name[:-1])
        if not isinstance(inside, dict) or not NOT_A_CALL.isdisjoint(inside):
            return False
        is_there = step_into(entry, self.arguments) is not ABSENT
        if self.marks or self.optional:
            return is_there or inside.keys().isdisjoint(("arguments", "parameters"))
        return is_there and self.name[-1] in inside

    def blank(self, given: Any, ids: set[str]) -> dict[str, Any]:
        """Return an entry without a call, under the id that is given or a new one, which joins `ids`."""
        entry: dict[str, Any] = copied(self.fresh)
        if given is None and self.prefix is not None and (ids or not self.spare):
            numbered = (f"{self.prefix}{number}" for number in itertools.count(1))
            given = next(each for each in numbered if each not in ids)
            ids.add(given)
        if given is not None:
            is_digits = self.prefix == "" and given.isascii() and given.isdigit()
            is_number = is_digits and str(int(given)) == given
            _put(entry, self.id, int(given) if is_number else given)
        return entry


@dataclass(frozen=True)
class Layout:
    """
    Where the calls of a format stand in its documents.

    Attributes:
        name: the name by which callers choose the format.
        looks: what its documents look like, for messages.
        shapes: those of its entries; a new one has the first.
        lists: keys that lead from the top to a list with calls; the empty one is the document itself.
        mixed: whether other things stand among the calls.
        is_provider: whether names are written as providers of models take them.
    """

    name: str
    looks: str
    shapes: tuple[Shape, ...]
    lists: tuple[Keys, ...]
    mixed: bool = False
    is_provider: bool = False

    @classmethod
    def of(cls, name: str, said: Mapping[str, Any]) -> Layout:
        """Return a layout as `places.json` has it."""
        shapes = []
        for shape in said["shapes"]:
            paths = {key: shape[key] for key in ("name", "arguments", "id") if key in shape}
            keys: Any = {key: tuple(path.split(".")) for key, path in paths.items()}
            marks = tuple(shape.get("marks", {}).items())
            shapes.append(Shape(**{**shape, **keys, "marks": marks}))
        lists = ((), *(tuple(path.split(".")) for path in said.get("lists", ())))
        more = said.get("mixed", True), said.get("provider", False)
        return cls(name, said["looks"], tuple(shapes), lists, *more)

    def shape_of(self, entry: Any) -> Shape | None:
        """Return the shape of an entry, None for what is no call."""
        return next((shape for shape in self.shapes if shape.fits(entry)), None)

    def lists_in(self, document: Any) -> Iterator[tuple[FieldPlace, Any]]:
        """Yield the lists that may hold calls, after their places."""
        for keys in self.lists:
            yield from lists_at(document, keys)

    def holds_call(self, entries: Any) -> bool:
        """Whether one of some entries is a call."""
        return any(self.shape_of(entry) is not None for entry in entries)

    def detects(self, document: Any) -> bool:
        """Whether a document holds a call of this format."""
        lists = (entries for _, entries in self.lists_in(document))
        return self.shape_of(document) is not None or any(map(self.holds_call, lists))

    def has_text(self, entry: Any) -> bool:
        """Whether the arguments of a call are a text."""
        shape = self.shape_of(entry)
        return shape is not None and isinstance(step_into(entry, shape.arguments), str)

    def is_broken(self, entry: Any) -> bool:
        """Whether an entry should be a call and is none; other things may stand among calls."""
        if not isinstance(entry, dict):
            return not self.mixed
        if self.mixed:
            new = self.shapes[0]
            return len(new.name) > 1 and not new.marks and new.name[0] in entry
        kind = entry.get("type", "" if "role" in entry else None)
        return not isinstance(kind, str) or kind in _CALLS


@dataclass
class Envelope:
    """
    Where the calls of a document stand.

    Attributes:
        places: those of the lists that hold calls; None for a document that is a call.
        found: the entries.
        owners: for each entry, by id, the number of its list.
    """

    places: list[FieldPlace | None] = field(default_factory=list)
    found: Found = field(default_factory=list)
    owners: dict[int, int] = field(default_factory=dict)


def lists_at(value: Any, keys: Keys, place: FieldPlace = ()) -> Iterator[tuple[FieldPlace, Any]]:
    """Yield the lists to which keys lead, after their places."""
    if not keys:
        if isinstance(value, list | tuple):
            yield place, value
    elif keys[0] == ANY:
        for index, inner in enumerate(value if isinstance(value, list | tuple) else ()):
            yield from lists_at(inner, keys[1:], (*place, index))
    elif isinstance(value, dict) and keys[0] in value:
        yield from lists_at(value[keys[0]], keys[1:], (*place, keys[0]))


def step_into(value: Any, keys: Keys) -> Any:
    """Return what the keys lead to, `ABSENT` where there is nothing."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return ABSENT
        value = value[key]
    return value


def _text(value: Any) -> str | None:
    with suppress(UnreadableError):
        return values.check_text(value) if isinstance(value, str) else None
    return None


# -- reading ---------------------------------------------------------------------------


@dataclass
class Reading:
    """What reading a document is about: its origin, the known labels, the notes that it gives rise to."""

    origin: Origin
    known: Known = NO_LABELS
    asks: Collection[str] = ()
    notes: list[str] = field(default_factory=list)
    nameless: list[InputError] = field(default_factory=list)
    number: int = 0

    def calls(self, layout: Layout, found: Found) -> list[Call]:
        """Read entries, each with its place."""
        return [self.call(layout.shape_of(entry), entry, place) for entry, place in found]

    def call(self, shape: Shape | None, entry: Any, place: FieldPlace = ()) -> Call:
        """Read a call; what has no shape is a malformed one without a name."""
        self.number += 1
        if shape is None:
            self.nameless.append(self.origin.error("an object with a call is needed.", place))
            return Call(name="", malformed=str(self.nameless[-1]), written=entry)
        id_ = step_into(entry, shape.id)
        if isinstance(id_, int) and not isinstance(id_, bool) and abs(id_) < 10**18:
            id_ = str(id_)
        name, malformed = "", None
        arguments: dict[str, Source] = {}
        at = shape.name
        try:
            given = step_into(entry, shape.name)
            if not isinstance(given, str):
                raise UnreadableError("the name of the tool is needed, as a text.")
            name = values.check_text(given).removeprefix(shape.space)
            at = ()
            shape.check(entry)
            at = shape.arguments
            raw, slips = step_into(entry, at), tuple[str, ...]()
            if raw is ABSENT or raw is None:
                if not shape.optional and not (shape.loose and raw is None):
                    raise UnreadableError(_MISSING, "An object without members is {}.")
                raw = {}
            if shape.sole:
                raw = {f"{POSITION}1": raw} if isinstance(raw, str) else raw
            elif shape.text or shape.loose or shape.refused:
                raw, slips = self.decoded(raw, shape, entry)
            arguments = sources_of(raw, self.known, self.asks)
            if slips:
                told = f"call {self.number} ({shown(name, 60)})"
                self.notes.append(f"{told}, arguments: mended {', '.join(slips)}.")
        except UnreadableError as error:
            wrong = error.at(self.origin, *place, *at)
            malformed = str(wrong)
            if at is shape.name:
                self.nameless.append(wrong)
        rest: Any = {"id": _text(id_), "malformed": malformed, "written": entry}
        return Call(name=name, arguments=arguments, label=shape.label_in(entry), **rest)

    def decoded(self, raw: Any, shape: Shape, entry: Any) -> tuple[Any, tuple[str, ...]]:
        """Return arguments as data; the error for a call that was refused already gives the reason for that."""
        try:
            return decoded(raw)
        except UnreadableError:
            # an agent that thinks aloud writes mere words there
            if shape.arguments[-1].endswith("_input") and _MERE.fullmatch(raw):
                return {f"{POSITION}1": raw}, ()
            if not shape.refused:
                raise
            reason = shown(entry.get(shape.refused) or "no reason", LONGEST_TEXT)
            raise UnreadableError(f"it was refused: {reason}.") from None

    def checked(self, calls: list[Call]) -> tuple[Call, ...]:
        """
        Return the calls.

        Raises:
            FormatError: there are some, and none has a name.
        """
        if self.nameless and len(self.nameless) == len(calls):
            raise self.nameless[0]
        return tuple(calls)


def lacks_arguments(call: Call) -> bool:
    """Whether a call is malformed because it has no arguments at all, not even an empty object."""
    return call.malformed is not None and _MISSING in call.malformed and not call.arguments


def decoded(raw: Any) -> tuple[Any, tuple[str, ...]]:
    """
    Return arguments that may be JSON text as data, and what had to be mended in the text.

    Null and an empty list (what PHP writes for an empty object) stand for no arguments.

    Raises:
        UnreadableError: the text is not JSON, nor near it.
    """
    if not isinstance(raw, str):
        return {} if raw is None or raw == [] else raw, ()
    if not raw.strip():
        return {}, ("an empty text for no arguments",)
    raw, slips = values.read_json_text(values.check_text(raw))
    if isinstance(raw, str) and raw.lstrip().startswith("{"):
        raw, inner = values.read_json_text(raw)
        slips += ("a text of a text", *inner)
    if raw is None or raw == []:
        return {}, (*slips, f"{'null' if raw is None else 'an empty list'} for no arguments")
    return raw, slips


def read_document(layout: Layout, data: Any, origin: Origin) -> Sequence:
    """Read the calls of a document."""
    hint = f"As in {layout.looks}."
    if not isinstance(data, dict | list | tuple):
        raise origin.error("an object or a list with calls is needed.", hint=hint)
    envelope = find_entries(layout, data)
    if not envelope.places and data:
        raise origin.error("no calls are found, and some are needed.", hint=hint)
    reading = Reading(origin, Known(labels_of(layout, envelope.found)))
    calls = reading.checked(reading.calls(layout, envelope.found))
    rest: Any = {"written": data, "unlabelled": True, "notes": tuple(reading.notes)}
    results = results_in(data)
    taken = dict[int, Any]()
    for number, call in enumerate(calls):
        # the number of its message, -1 where there is one message alone
        at = next((key for key in envelope.found[number][1] if isinstance(key, int)), -1)
        for found in (results.get(call.id or ""), results.get(call.name), results.get("")):
            # the call of an earlier result is not in a conversation that was cut
            while found and found[0][0] < at:
                del found[0]
            if found:
                taken[number] = found.pop(0)[1]
                break
    rest["past"] = tuple(calls[number] for number in taken)
    rest["results"] = {_told(calls[number]): result for number, result in taken.items()}
    left = tuple(call for number, call in enumerate(calls) if number not in taken)
    return Sequence(calls=left, format=layout.name, **rest)


def _told(call: Call) -> str:
    """Return the name under which the result of a call is known: its label, its id, or its tool."""
    names = (call.label, call.id, call.name)
    return next((name for name in names if name and LABEL.fullmatch(name)), call.name)


def results_in(data: Any) -> dict[str, list[tuple[int, Any]]]:
    """
    Return what tools answered in a conversation, by the id of the call, else by the tool, in their order.

    Before each result stands the number of its message.

    A server may count the ids of each message anew: each result answers one call.

    Example:
        >>> results_in([{"role": "tool", "tool_call_id": "c1", "content": '{"id": 5}'}])
        {'c1': [(0, {'id': 5})]}
    """
    found = defaultdict[str, list[tuple[int, Any]]](list)
    messages = data.get("messages", data.get("contents")) if isinstance(data, dict) else data
    for number, message in enumerate(messages if isinstance(messages, list | tuple) else ()):
        inside = [message]
        match message:
            case {"data": dict() as held} | {"kwargs": dict() as held}:
                inside = [held]
            case {"content": list() | tuple() as blocks} | {"parts": list() | tuple() as blocks}:
                inside += blocks
        for each in filter(lambda each: isinstance(each, dict), inside):
            for id_, held in ((step_into(each, a), step_into(each, b)) for a, b in _ANSWERS):
                # these may hold nothing, the others are calls then
                is_empty = held is ABSENT and not each.keys() & {"tool_use_id", "toolResult"}
                if isinstance(id_, str) and id_ and not is_empty:
                    found[id_].append((number, _result(held)))
                    break
            else:
                role, held = each.get("role"), each.get("content")
                if role in ("function", "tool") and isinstance(held, str):
                    tool = each.get("name") or each.get("tool_name") or ""
                    found[str(tool)].append((number, _result(held)))
    return dict(found)


def _result(held: Any) -> Any:
    """Return the value that the result of a tool is, also where it is written as JSON or as blocks of text."""
    match held:
        case [{"type": "text", "text": str(text)}] | [{"text": str(text)}]:
            held = text
        case [{"json": value}]:
            return value
    with suppress(UnreadableError, ValueError, RecursionError):
        return values.plain(values.DECODER.decode(held) if isinstance(held, str) else held)
    return held if isinstance(held, str) else None


def find_entries(layout: Layout, data: Any) -> Envelope:
    """Return where the calls of a document stand."""
    if layout.shape_of(data) is not None:
        return Envelope([None], [(data, ())], {id(data): 0})
    envelope = Envelope()
    for place, entries in layout.lists_in(data):
        if place in _OF_MESSAGES and not layout.holds_call(entries):
            continue
        for index, entry in enumerate(entries):
            if layout.shape_of(entry) is not None or layout.is_broken(entry):
                envelope.found.append((entry, (*place, index)))
                envelope.owners[id(entry)] = len(envelope.places)
        envelope.places.append(place)
    return envelope


def labels_of(layout: Layout, found: Found) -> list[str | None]:
    """Return the labels of entries."""
    shapes = ((layout.shape_of(entry), entry) for entry, _ in found)
    return [shape.label_in(entry) for shape, entry in shapes if shape is not None]


# -- printing --------------------------------------------------------------------------


def write_document(layout: Layout, sequence: Sequence, known: Known | None = None) -> Any:
    """Print a sequence as a document, the one that it came in where there is one."""
    refuse_open(sequence, layout.name)
    known = known or known_of(sequence)
    document = sequence.written if sequence.format == layout.name else None
    envelope = find_entries(layout, document)
    if document is None or (sequence.calls and not envelope.places):
        document, envelope = [], Envelope([()])  # what called nothing has no place for calls
    calls = _in_order(sequence, envelope)
    ids = {call.id for call in calls if call.id is not None}
    closed = [place is not None and place[-1:] == (_CLOSED,) for place in envelope.places]
    new = layout.shapes[0]
    if any(layout.has_text(call.written) for call in calls):
        new = replace(new, text=True)  # as its siblings are
    # for each list its entries, each with whether it was given; new ones go before what follows
    lists: list[list[tuple[bool, Any]]] = [[] for _ in envelope.places]
    for index, (call, owner, near) in enumerate(placed(calls, envelope.owners, closed)):
        entry = None if owner is None else call.written
        printed = _entry(layout, new, call, entry, known, ids, index)
        lists[near].append((owner is not None, printed))
    whole: Any = None if envelope.places == [None] else copied(document)
    for place, entries in zip(envelope.places, lists, strict=True):
        after = _merged(envelope, document, place, entries)
        if not place:
            return after[0] if place is None and len(after) == 1 else after
        reduce(getitem, place[:-1], whole)[place[-1]] = after
    return whole


def _in_order(sequence: Sequence, envelope: Envelope) -> tuple[Call, ...]:
    """Return the calls of a sequence among those that were answered, as the document has them."""
    number = {id(entry): index for index, (entry, _) in enumerate(envelope.found)}
    calls = ((number.get(id(call.written), -1), call) for call in sequence.calls)
    past = ((number.get(id(call.written), 0), call) for call in sequence.past)
    return tuple(call for _, call in heapq.merge(calls, past, key=itemgetter(0)))


def placed(
    calls: tuple[Call, ...], owners: dict[int, int], closed: list[bool]
) -> Iterator[tuple[Call, int | None, int]]:
    """Yield each call with the list that it came from, and that where it goes: a new one beside another."""
    given = [owners.get(id(call.written)) if call.written is not None else None for call in calls]
    for index, (call, owner) in enumerate(zip(calls, given, strict=True)):
        near = (*given[index + 1 :], *reversed(given[:index]), *range(len(closed)))
        open_ = (each for each in near if each is not None and not closed[each])
        yield call, owner, next(open_, 0) if owner is None else owner


def _entry(
    layout: Layout, new: Shape, call: Call, entry: Any, known: Known, ids: set[str], index: int
) -> Any:
    """Print a call; `entry` is what it was read from, None for a new one, which has the shape `new`."""
    shape = None if entry is None else layout.shape_of(entry)
    again = Reading(Origin(), known)
    read = _NO_CALL if entry is None else again.call(shape, entry)
    if call.malformed is not None:
        same = (read.name, read.label, read.id) == (call.name, call.label, call.id)
        with suppress(FormatError):  # what did not survive reading cannot be printed as it stood
            if entry is not None and read.malformed is not None and same:
                return copied(entry)
        raise unprintable(call, index + 1)
    same = not again.notes and list(read.arguments.items()) == list(call.arguments.items())
    if shape is None:
        shape, same = new, False
        changed, as_text = shape.blank(call.id, ids), shape.text
    else:
        changed, as_text = copied(entry), layout.has_text(entry)
        if same and read == call:
            return changed
    legal = legal_name(call.name)
    is_legal = layout.is_provider if entry is None else legal == read.name
    written = str(step_into(changed, shape.name))
    space = shape.space if written.startswith(shape.space) else ""
    _put(changed, shape.name, f"{space}{legal if is_legal else call.name}")
    if not same:
        _put(changed, shape.arguments, _arguments(shape, call, known, as_text=as_text))
    if call.label is None and read.label is not None:
        del step_into(changed, shape.label[:-1])["label"]
    elif read.label != call.label:
        _put(changed, shape.label, call.label)
    return changed


def _arguments(shape: Shape, call: Call, known: Known, *, as_text: bool) -> Any:
    """Return the arguments as the shape of a call holds them: an object, JSON text, or a custom tool's text."""
    with located(Origin()):
        found = {name: to_value(each, known) for name, each in call.arguments.items()}
    sole = next(iter(found.values()), None) if shape.sole and len(found) == 1 else None
    if isinstance(sole, str):
        return sole
    return json.dumps(found, ensure_ascii=False, allow_nan=False) if as_text else found


def _put(entry: dict[str, Any], keys: Keys, value: Any) -> None:
    for key in keys[:-1]:
        entry = entry.setdefault(key, {})
    entry[keys[-1]] = value


def _merged(
    envelope: Envelope, document: Any, place: FieldPlace | None, entries: list[tuple[bool, Any]]
) -> list[Any]:
    """Put the entries where calls stood; what stood among them stays there."""
    after: list[Any] = []
    left = iter(entries)
    for element in [document] if place is None else reduce(getitem, place, document):
        if id(element) not in envelope.owners:
            after.append(copied(element))
            continue
        for given, entry in left:
            after.append(entry)
            if given:
                break
    return [*after, *(entry for _, entry in left)]


def copied(value: Any, depth: int = 0) -> Any:
    """
    Return a copy of what JSON can hold, and anything else as it is.

    Raises:
        FormatError: something in it did not survive reading.
    """
    if depth > _MAX_COPIED:
        return value
    if isinstance(value, Twice):
        what = f"it cannot be printed: {value.error.what}"
        raise FormatError(what, hint="Remove one of the two.")
    if isinstance(value, dict):
        return {key: copied(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [copied(inner, depth + 1) for inner in value]
    return value.value if isinstance(value, Spoilt) else value
