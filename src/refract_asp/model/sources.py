"""Sources: what an argument is bound to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from refract_asp.model.paths import FieldPath, Frozen, Spelling, reference_text, spelt

__all__ = [
    "Ask",
    "Constant",
    "Reference",
    "Source",
    "Spelling",
    "Structure",
    "Template",
    "numbered",
    "replace_reference",
    "slot_paths",
    "slots_of",
]


class Constant(Frozen):
    """A value as it stands: any JSON value without a reference in it."""

    kind: Literal["constant"] = "constant"
    value: Any = None


class Reference(Frozen):
    """
    A value from an earlier call, from memory, or a context variable: `$label.path$`, `$name$`.

    `bare` tells that the name was written without quotes and dollars, as in `date=date_from_user`;
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
        return (self.label, self.path, self.bare, self.written) == (
            other.label,
            other.path,
            other.bare,
            other.written,
        )

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
    """A value that has to be asked from the user, under a name that is unique in its sequence."""

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

Structure.model_rebuild()


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
        for inner in source.value.values() if isinstance(source.value, dict) else source.value:
            yield from slots_of(inner)


def slot_paths(source: Source, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield where in a source each of its references and asks stands, in the order of `slots_of`."""
    if isinstance(source, Structure):
        inside = source.value.items() if isinstance(source.value, dict) else enumerate(source.value)
        for step, inner in inside:
            yield from slot_paths(inner, (*path, step))
    else:
        yield from (path for _ in slots_of(source))


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
                new = new.value if isinstance(new.value, str) else str(new.value)
            parts.append(new)
        if all(isinstance(part, str) for part in parts):
            return Constant(value="".join(str(part) for part in parts)), start
        return Template(parts=tuple(parts)), start
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            fields: dict[str, Source] = {}
            for key, inner in source.value.items():
                fields[key], start = replace_reference(inner, replacements, start)
            return _structure(fields), start
        items: list[Source] = []
        for inner in source.value:
            item, start = replace_reference(inner, replacements, start)
            items.append(item)
        return _structure(items), start
    return source, start


def _structure(value: dict[str, Source] | list[Source]) -> Source:
    """Return a structure, or a constant when nothing in it refers to anything any more."""
    if isinstance(value, dict):
        if all(isinstance(inner, Constant) for inner in value.values()):
            return Constant(value={k: v.value for k, v in value.items() if isinstance(v, Constant)})
    elif all(isinstance(inner, Constant) for inner in value):
        return Constant(value=[v.value for v in value if isinstance(v, Constant)])
    return Structure(value=value)
