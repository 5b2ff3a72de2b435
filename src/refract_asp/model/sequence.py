"""Sequences of tool calls, and the sources of their arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from refract_asp.model.paths import FieldPath, Frozen, Spelling, elements_of, reference_text, spelt
from refract_asp.ports import port


class Constant(Frozen):
    """A value as it stands: any JSON value without a reference in it."""

    kind: Literal["constant"] = "constant"
    value: Any = None


class Reference(Frozen):
    """
    A value from an earlier call, from memory, or a context variable: `$label.path$`, `$name$`.

    `bare` means that the name was written without quotes and dollars, as in `date=date_from_user`;
    `spelling` how it stood: `$l.p$` ("dollars"), `$l.p` ("dollar"), `${l.p}` ("braces") or `{{l.p}}`
    ("curly"); `text` is what stood there, where it was read from a text. Two references that read the same
    are equal, however they are spelt. `written` is the text of a reference that cannot be read as it stands,
    such as `$l.items[-1].p$`; label and path are then what it probably means, and it equals no reference
    that can be read.
    """

    kind: Literal["reference"] = "reference"
    label: str
    path: FieldPath = ()
    bare: bool = False
    spelling: Spelling = Field(default="dollars", exclude=True, repr=False)
    written: str | None = Field(default=None, exclude=True, repr=False)
    text: str | None = Field(default=None, exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        """Whether two references read the same."""
        if not isinstance(other, Reference):
            return NotImplemented
        mine = (self.label, self.path, self.bare, self.written)
        return mine == (other.label, other.path, other.bare, other.written)

    def __hash__(self) -> int:
        """Return a number that equal references share."""
        return hash((self.label, self.path, self.bare))

    def __str__(self) -> str:
        """Print the reference with its dollars, as it stands inside a text."""
        return reference_text(self.label, self.path)

    def spelt(self) -> str:
        """Print the reference as it came in."""
        return self.written or spelt(self.label, self.path, self.spelling) or str(self)


class Ask(Frozen):
    """A value that has to be asked of the user, under a name that is unique in its sequence."""

    kind: Literal["ask"] = "ask"
    name: str

    def __str__(self) -> str:
        """Print the ask as it stands inside a text."""
        return reference_text(self.name)


class Template(Frozen):
    """A text with references (or asks) inside it: `"100 * $var1.rate$"`."""

    kind: Literal["template"] = "template"
    parts: tuple[str | Annotated[Reference | Ask, Field(discriminator="kind")], ...]


class Structure(Frozen):
    """An object or a list that holds at least one reference, ask or template at some depth."""

    kind: Literal["structure"] = "structure"
    value: dict[str, Source] | list[Source]


Source: TypeAlias = Annotated[
    Constant | Reference | Template | Structure | Ask, Field(discriminator="kind")
]
Slot: TypeAlias = Reference | Ask


def slots_of(source: Source) -> Iterator[Slot]:
    """
    Yield the references and asks inside a source from left to right.

    Their positions number them: the whole value counts as 0, what lies inside as 1, 2, ...
    """
    if isinstance(source, Reference | Ask):
        yield source
    elif isinstance(source, Template):
        for part in source.parts:
            if not isinstance(part, str):
                yield part
    elif isinstance(source, Structure):
        for inner in elements_of(source.value):
            yield from slots_of(inner)


def constants_of(sources: Mapping[Any, Source]) -> dict[Any, Any]:
    """Return the values of those of some sources that are constants, by their names."""
    return {name: each.value for name, each in sources.items() if isinstance(each, Constant)}


def slots_at(source: Source, path: FieldPath = ()) -> Iterator[tuple[Slot, FieldPath]]:
    """Yield the references and asks inside a source as `slots_of` does, each with where it stands."""
    if isinstance(source, Structure):
        inside = source.value.items() if isinstance(source.value, dict) else enumerate(source.value)
        for step, inner in inside:
            yield from slots_at(inner, (*path, step))
    else:
        yield from ((slot, path) for slot in slots_of(source))


def part_at(source: Source, path: FieldPath) -> Any:
    """Return the source that lies at a path inside another one."""
    part: Any = source
    for step in path:
        part = part.value[step]
    return part


def numbered(source: Source) -> Iterator[tuple[int, Reference]]:
    """Yield the references of a source with their numbers: 0 is the whole value, 1, 2, ... lie inside."""
    if isinstance(source, Reference):
        yield 0, source
    else:
        for number, slot in enumerate(slots_of(source), 1):
            if isinstance(slot, Reference):
                yield number, slot


def replace_reference(
    source: Source, replacements: dict[int, Source], start: int = 1
) -> tuple[Source, int]:
    """
    Return `source` with its numbered references replaced, and the number that comes next.

    Inside a text only a reference, an ask or a constant may take the place of a reference.
    """
    if isinstance(source, Reference | Ask):
        return replacements.get(start, source), start + 1
    if isinstance(source, Template):
        parts: list[str | Reference | Ask] = []
        for part in source.parts:
            new: Any = part
            if not isinstance(part, str):
                new = replacements.get(start, part)
                start += 1
            if isinstance(new, Constant):
                value = new.value
                new = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            parts.append(new)
        if all(isinstance(part, str) for part in parts):
            return Constant(value="".join(str(part) for part in parts)), start
        return Template(parts=tuple(parts)), start
    if not isinstance(source, Structure):
        return source, start
    held = source.value
    inside: dict[Any, Source] = {}
    for step, inner in held.items() if isinstance(held, dict) else enumerate(held):
        inside[step], start = replace_reference(inner, replacements, start)
    values = constants_of(inside)
    if len(values) == len(inside):  # nothing in it refers to anything any more
        return Constant(value=values if isinstance(held, dict) else list(values.values())), start
    return Structure(value=inside if isinstance(held, dict) else list(inside.values())), start


def with_slots(source: Source, change: Callable[[Slot], Source]) -> Source:
    """
    Return a source with its references and asks changed, itself where they are the same.

    Example:
        >>> source = Structure(value=[Ask(name="day"), Ask(name="city")])
        >>> fixed = with_slots(source, lambda slot: Ask(name="date") if slot.name == "day" else slot)
        >>> [slot.name for slot in slots_of(fixed)]
        ['date', 'city']
    """
    slots = list(slots_of(source))
    changed = {number: change(slot) for number, slot in enumerate(slots, 1)}
    same = all(new is slot for new, slot in zip(changed.values(), slots, strict=True))
    return source if same else replace_reference(source, changed)[0]


def answered(source: Source, answers: Mapping[str, Any]) -> Source:
    """
    Return a source with the asks in it answered, as far as there are answers.

    Example:
        >>> answered(Ask(name="day"), {"day": 3}).value
        3
    """

    def answer(slot: Slot) -> Source:
        if isinstance(slot, Ask) and slot.name in answers:
            return Constant(value=answers[slot.name])
        return slot

    return with_slots(source, answer)


class ConfirmArgument(Frozen):
    """The value of one argument is to be confirmed: `confirm(date="$var7.date$")`."""

    kind: Literal["argument"] = "argument"
    parameter: str


class ConfirmTool(Frozen):
    """The use of the call's tool is to be confirmed: `confirm(NewsAPISearchByKeyWord)`."""

    kind: Literal["tool"] = "tool"


class ConfirmDrop(Frozen):
    """That an argument is left out is to be confirmed: `confirm(without originalSkyId)`."""

    kind: Literal["drop"] = "drop"
    parameter: str


Confirm = Annotated[ConfirmArgument | ConfirmTool | ConfirmDrop, Field(discriminator="kind")]


class Call(Frozen):
    """
    One use of a tool.

    Attributes:
        name: the tool.
        arguments: parameter to source, in the order in which they were written.
        label: the name that its output is bound to, or None.
        confirms: what has to be confirmed before this call is made.
        id: by which its result is given back to the model, in formats that have ids.
        malformed: why its arguments cannot be read, or None; such a call is never repaired, only reported.
        written: how it stood in the input; a format prints a call that did not change as it stood there.
    """

    name: str
    arguments: dict[str, Source] = {}
    label: str | None = None
    confirms: tuple[Confirm, ...] = ()
    id: str | None = None
    malformed: str | None = None
    written: Any = Field(default=None, exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        """Whether two calls say the same, however they were written."""
        return self._said() == other._said() if isinstance(other, Call) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_open(self) -> bool:
        """Whether something has to be confirmed before it, or asked for it."""
        slots = (slot for source in self.arguments.values() for slot in slots_of(source))
        return bool(self.confirms) or any(isinstance(slot, Ask) for slot in slots)

    def _said(self) -> tuple[object, ...]:
        return self.name, self.arguments, self.label, self.confirms, self.id, self.malformed


class Sequence(Frozen):
    """
    Calls in order, with what is still to be asked for and what the sequence gives back.

    Attributes:
        calls: the calls.
        asks: names of the values that the user has to give before the first call.
        returns: what the sequence returns as a whole (`var_result` in NESTFUL), or None.
        format: the format it was read from; `dump()` without a name prints it back in that format.
        written: what stood around the calls in the input, for formats that print it back.
        unlabelled: whether the format has no labels of its own, so that `$x$` may well be text.
        names: the only names that its texts refer to beside its own labels, where it was judged so; every
            other `$x$` is text. None where each is a reference.
        notes: what was mended to read it, for the notes of a report.
        kept: in a plan, the indexes of the calls that are made before what it returns although nothing reads
            them, as a repair decided.
        past: the calls of a conversation that were answered in it; only the others are judged.
        results: what they were answered, under their labels, ids or names.

    Example:
        >>> sequence = Sequence.load('var1 = Search(query="London")')
        >>> sequence.calls[0].label
        'var1'
    """

    calls: tuple[Call, ...] = ()
    asks: tuple[str, ...] = ()
    returns: dict[str, Source] | None = None
    format: str | None = Field(default=None, exclude=True)
    written: Any = Field(default=None, exclude=True, repr=False)
    unlabelled: bool = Field(default=False, exclude=True, repr=False)
    names: frozenset[str] | None = Field(default=None, exclude=True, repr=False)
    notes: tuple[str, ...] = Field(default=(), exclude=True, repr=False)
    kept: tuple[int, ...] = Field(default=(), exclude=True, repr=False)
    past: tuple[Call, ...] = Field(default=(), exclude=True, repr=False)
    results: dict[str, Any] = Field(default={}, exclude=True, repr=False)

    @classmethod
    def load(cls, data: Any, format: str | None = None) -> Sequence:
        """
        Read a sequence: a `Path` is a file, a text is content; lists, dicts, dataclasses and objects with
        `model_dump`, as the messages of SDKs are, are data.

        Raises:
            NotDataError: something is given that no model writes, such as a function; it is a `TypeError`.
            FormatError: the data is not of the format; the message names the place.
            UnknownFormatError: no format fits.
        """
        found: Sequence = port("load_sequence")(data, format)
        return found

    @classmethod
    def load_partial(cls, text: str, format: str | None = None) -> Sequence:
        """
        Read the beginning of a text that a model still writes: the calls that are complete so far.

        Raises:
            UnknownFormatError: no format has the name.
            LimitError: the text is too large or nested too deep.
        """
        found: Sequence = port("load_partial")(text, format)
        return found

    def dump(self, format: str | None = None) -> Any:
        """
        Print the sequence in a format, by default the one it was read from.

        `"pretty"` gives a list of lines, `"nestful"` a list of `{"name", "arguments", "label"}`, `"python"`
        a text; the others give data, `"loose"` data or a text as it came in. In the format that it was
        read from, everything around the calls and every call that did not change is printed as it stood.

        Raises:
            FormatError: the format cannot say what is open, unreadable or given back.
            UnknownFormatError: no format has the name.
        """
        return port("dump_sequence")(self, format)

    def __eq__(self, other: object) -> bool:
        """Whether two sequences say the same, whatever format they were read from."""
        if not isinstance(other, Sequence):
            return NotImplemented
        own = (self.calls, self.asks, self.returns, self.kept)
        return own == (other.calls, other.asks, other.returns, other.kept)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_open(self) -> bool:
        """Whether a value is still to be asked for, or an edit to be confirmed."""
        return bool(self.asks) or any(call.confirms for call in self.calls)

    @property
    def result(self) -> int | None:
        """
        The index of the call whose output the sequence gives back, or their number where `returns` says it.

        None where there are no calls and nothing is returned. In a plan it is the call behind `return`, else
        the last one.
        """
        if self.returns is not None:
            return len(self.calls)
        calls = enumerate(self.calls)
        marked = (n for n, call in calls if getattr(call.written, "is_result", False))
        return next(marked, len(self.calls) - 1 if self.calls else None)

    def __str__(self) -> str:
        """Print the sequence, one call a line."""
        return "\n".join(self.dump("pretty"))


def all_calls(sequence: Sequence) -> list[Call]:
    """Return the calls of a sequence; last stands what it returns, as a call without a name."""
    return [*sequence.calls, Call(name="", arguments=sequence.returns or {})]
