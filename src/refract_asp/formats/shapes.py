"""
How one call stands in data: where its name, its arguments, its id and its label are.

A call whose arguments cannot be used (cut off, NaN, a key given twice, half a character, too deep, no
object) is read as a call that is `malformed`, with the reason and the place; its siblings are not harmed.
Only where nothing bears a name there are no calls, and an error is raised.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, shown
from refract_asp.formats.mending import read_json_text
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.reference_texts import to_value
from refract_asp.formats.references import NO_LABELS, Known, to_source
from refract_asp.formats.values import Twice, UnreadableError, check_key, check_text
from refract_asp.model import Call, Source

__all__ = [
    "ABSENT",
    "Reading",
    "Shape",
    "decoded",
    "lacks_arguments",
    "read_arguments",
    "read_object",
    "step_into",
    "usable_name",
    "written_arguments",
]

ABSENT: Any = object()
"""What stands where nothing stands."""

_MISSING = "the arguments are missing."
_NOT_A_CALL = frozenset({"description", "inputSchema", "input_schema", "output_parameters"})


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
        refused: the key under which it is told why such a call was refused already.
    """

    name: tuple[str, ...]
    arguments: tuple[str, ...]
    id: tuple[str, ...] = ("id",)
    marks: tuple[tuple[str, Any], ...] = ()
    needs: str = ""
    text: bool = False
    loose: bool = False
    optional: bool = False
    fresh: Mapping[str, Any] = field(default_factory=dict)
    prefix: str | None = None
    spare: bool = False
    refused: str = ""

    @property
    def label(self) -> tuple[str, ...]:
        """Keys that lead to the label."""
        return (*self.id[:-1], "label")

    def fits(self, entry: Any) -> bool:
        """Whether an entry has this shape."""
        if not isinstance(entry, dict) or any(entry.get(key) != value for key, value in self.marks):
            return False
        if self.needs and self.needs not in entry:
            return False
        inside = step_into(entry, self.name[:-1])
        if not isinstance(inside, dict) or _NOT_A_CALL.intersection(inside):
            return False
        if self.marks:
            return self.arguments[-1] in inside or "parameters" not in inside
        if self.optional:
            return True
        return self.name[-1] in inside and step_into(entry, self.arguments) is not ABSENT


@dataclass
class Reading:
    """What reading a document is about: its origin, the known labels, the notes that it gives rise to."""

    origin: Origin
    known: Known = NO_LABELS
    notes: list[str] = field(default_factory=list)
    nameless: list[InputError] = field(default_factory=list)
    number: int = 0

    def call(self, shape: Shape, entry: Any, place: FieldPlace) -> Call:
        """Read a call."""
        self.number += 1
        label, id_ = label_of(shape, entry), id_of(shape, entry)
        name, malformed = "", None
        arguments: dict[str, Source] = {}
        try:
            at = (*place, *shape.name)
            name = usable_name(step_into(entry, shape.name))
        except UnreadableError as error:
            self.nameless.append(error.at(self.origin, *at))
            return Call(
                name="", label=label, id=id_, malformed=str(self.nameless[-1]), written=entry
            )
        try:
            at = place
            _check_keys(shape, entry)
            at = (*place, *shape.arguments)
            raw = step_into(entry, shape.arguments)
            if shape.refused:
                raise UnreadableError(
                    f"it was refused: {shown(entry.get(shape.refused) or 'no reason', LONGEST_TEXT)}."
                )
            arguments, slips = read_arguments(raw, self.known, shape)
            if slips:
                self.notes.append(
                    f"call {self.number} ({shown(name, 60)}), arguments: mended {', '.join(slips)}."
                )
        except UnreadableError as error:
            malformed = str(error.at(self.origin, *at))
        return Call(
            name=name, arguments=arguments, label=label, id=id_, malformed=malformed, written=entry
        )

    def broken(self, entry: Any, place: FieldPlace) -> Call:
        """Return the call that stands for an entry that is none."""
        self.number += 1
        self.nameless.append(self.origin.error("an object with a call is needed.", place))
        return Call(name="", malformed=str(self.nameless[-1]), written=entry)

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


def step_into(value: Any, keys: tuple[str, ...]) -> Any:
    """Return what the keys lead to, `ABSENT` where there is nothing."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return ABSENT
        value = value[key]
    return value


def usable_name(value: Any) -> str:
    """Return the name of a tool."""
    if not isinstance(value, str):
        raise UnreadableError("the name of the tool is needed, as a text.")
    return check_text(value)


def label_of(shape: Shape, entry: Any) -> str | None:
    """Return the label of a call; what is no text is none."""
    return _text(step_into(entry, shape.label))


def id_of(shape: Shape, entry: Any) -> str | None:
    """Return the id of a call as a text."""
    value = step_into(entry, shape.id)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    return _text(value)


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        return check_text(value)
    except UnreadableError:
        return None


def _check_keys(shape: Shape, entry: Any) -> None:
    """Refuse an entry that holds a key twice on the way to what matters, or a label that is no text."""
    for keys in (shape.name, shape.arguments):
        for depth in range(len(keys)):
            inside = step_into(entry, keys[:depth])
            if isinstance(inside, Twice):
                raise inside.error
    label = step_into(entry, shape.label)
    if label is not ABSENT and label is not None and _text(label) is None:
        raise UnreadableError("the label has to be a text or null.").inside(shape.label[-1])


def read_arguments(
    raw: Any, known: Known, shape: Shape
) -> tuple[dict[str, Source], tuple[str, ...]]:
    """
    Return the arguments of a call, and what had to be mended.

    Raises:
        UnreadableError: they cannot be used.
    """
    slips: tuple[str, ...] = ()
    if raw is ABSENT or raw is None:
        if shape.optional or (shape.loose and raw is None):
            return {}, ()
        raise UnreadableError(_MISSING, "An object without members is {}.")
    if shape.text or shape.loose:
        raw, slips = decoded(raw)
    return read_object(raw, known), slips


def decoded(raw: Any) -> tuple[Any, tuple[str, ...]]:
    """
    Return arguments that may be JSON text as data, and what had to be mended in the text.

    Null and an empty list (what PHP writes for an empty object) stand for no arguments.

    Raises:
        UnreadableError: the text is not JSON, nor near it.
    """
    slips: tuple[str, ...] = ()
    if isinstance(raw, str):
        if not raw.strip():
            return {}, ("an empty text for no arguments",)
        raw, slips = read_json_text(check_text(raw))
        if raw is None or raw == []:
            slips = (*slips, f"{'null' if raw is None else 'an empty list'} for no arguments")
    return {} if raw is None or raw == [] else raw, slips


def read_object(raw: Any, known: Known, asks: Collection[str] = ()) -> dict[str, Source]:
    """Return the sources that an object holds."""
    if not isinstance(raw, dict):
        raise UnreadableError("an object of names and values is needed.")
    if isinstance(raw, Twice):
        raise raw.error
    sources = {}
    name = None
    try:
        for key, value in raw.items():
            name = None
            name = check_key(key)
            sources[name] = to_source(value, asks, known)
    except UnreadableError as error:
        raise (error if name is None else error.inside(name)) from None
    return sources


def written_arguments(shape: Shape, call: Call, known: Known, before: Any = ABSENT) -> Any:
    """Return the arguments as they are printed, as a text where they were one before, or are by custom."""
    try:
        values = {name: to_value(source, known) for name, source in call.arguments.items()}
    except UnreadableError as error:
        raise error.at(Origin()) from None
    if shape.text if before is ABSENT else isinstance(before, str):
        try:
            return json.dumps(values, ensure_ascii=False, allow_nan=False)
        except ValueError:
            raise FormatError(f"the arguments of {shown(call.name, 60)} are not JSON.") from None
    return values
