"""Printing of sources as JSON values; `references` and `spellings` tell how references are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.references import (
    OPENING,
    Known,
    Part,
    closed_body,
    is_closing,
    of_parts,
    other_reference,
    other_text,
    reads_as_body,
    to_source,
)
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, check_text, plain
from refract_asp.model import Ask, Constant, Reference, Source, Structure, Template
from refract_asp.model.paths import quoted, reference_text

__all__ = ["slot_text", "source_value", "stood_text", "to_value"]

_RUN = re.compile(r"(\$++)([^$]*+)")

_PrintSlot: TypeAlias = Callable[[Reference | Ask], str]
_PrintLiteral: TypeAlias = Callable[[str, str | None], str]


def slot_text(slot: Reference | Ask) -> str:
    """
    Print a reference, in its spelling, or an ask as it stands inside a text; `read_source` reads it back.

    Example:
        >>> slot_text(Reference(label="var1", path=("items", 0, "geo.lat")))
        "$var1.items[0]['geo.lat']$"
        >>> slot_text(Reference(label="var1", path=("id",), spelling="braces"))
        '${var1.id}'
    """
    if isinstance(slot, Ask):
        return str(slot)
    if slot.written is not None:
        return slot.written
    for step in slot.path:
        if isinstance(step, int) and not 0 <= step < 10**9:
            raise FormatError(
                f"the index {step} in a path cannot be printed.", where=shown(str(slot))
            )
    if slot.spelling != "dollars":
        text = other_text(slot, slot.spelling)
        if text is not None:
            return text
    return str(slot)


def stood_text(slot: Reference | Ask) -> str:
    """
    Print a reference as it stood in the text that it was read from, else as `slot_text` does.

    Example:
        >>> stood_text(Reference(label="x", path=("a",), text="$x['a']$"))
        "$x['a']$"
    """
    if not isinstance(slot, Reference) or slot.text is None:
        return slot_text(slot)
    still = to_source(slot.text, (), Known([slot.label])) == slot
    return slot.text if still else slot_text(slot)


def source_value(source: Source, labels: Collection[str | None] | Known = ()) -> Any:
    """
    Return the JSON value that stands for a source; the inverse of `read_source`.

    Args:
        source: what to print.
        labels: those that calls bear, or all by which references are told from text; text that would read
            as a reference is escaped. Whoever prints many sources gives a `Known`, or the labels are
            gathered anew for each.

    Raises:
        FormatError: a constant is not a JSON value.
        LimitError: it is nested deeper than 64.

    Example:
        >>> source_value(Constant(value="$var1.x$")), source_value(Constant(value="$100-$200"))
        ('$$var1.x$', '$100-$200')
    """
    known = labels if isinstance(labels, Known) else Known(labels)
    try:
        return to_value(source, known)
    except UnreadableError as error:
        raise error.at(Origin()) from None


def to_value(
    source: Source, known: Known, depth: int = 0, print_slot: _PrintSlot = slot_text
) -> Any:
    """Do what `source_value` does, but raise `UnreadableError`."""
    if isinstance(source, Constant):
        if isinstance(source.value, str):
            return _written((check_text(source.value),), known)
        return _escaped(plain(source.value, depth), known)
    if isinstance(source, Template):
        return _written(source.parts, known, print_slot)
    if isinstance(source, Structure):
        if depth >= MAX_DEPTH:
            raise LimitError(
                f"a source is nested deeper than {MAX_DEPTH}.", hint="Flatten the value."
            )
        if isinstance(source.value, dict):
            return {
                key: to_value(inner, known, depth + 1, print_slot)
                for key, inner in source.value.items()
            }
        return [to_value(inner, known, depth + 1, print_slot) for inner in source.value]
    return print_slot(source)


def _escaped(value: Any, known: Known) -> Any:
    if isinstance(value, str):
        return _written((value,), known)
    if isinstance(value, list):
        return [_escaped(inner, known) for inner in value]
    if isinstance(value, dict):
        return {key: _escaped(inner, known) for key, inner in value.items()}
    return value


def _written(parts: tuple[Part, ...], known: Known, print_slot: _PrintSlot = slot_text) -> str:
    """
    Print the parts of a text, with what would read as a reference escaped.

    What has other spellings in it is read back, and where that gives something else it is printed
    with more care: first every escape, then plain dollars and quoted names.
    """
    plainly: _PrintLiteral = lambda text, slot: _literal(text, slot is not None)  # noqa: E731
    text = _joined(parts, print_slot, plainly)
    if not known or ("$" not in text and "{{" not in text):
        return text
    foreign = [
        part.label for part in parts if isinstance(part, Reference) and part.spelling != "dollars"
    ]
    if not all(map(known.bears, foreign)):
        known = known.also(foreign)
    wanted = repr(of_parts(_merged(parts)))
    asks = {part.name for part in parts if isinstance(part, Ask)}
    for with_care in (print_slot, _careful, _most_careful):
        if repr(to_source(text, asks, known)) == wanted:
            break
        text = _joined(parts, with_care, lambda text, slot: _guarded(text, slot, known))
    return text


def _merged(parts: tuple[Part, ...]) -> list[Part]:
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return merged


def _joined(parts: tuple[Part, ...], print_slot: _PrintSlot, print_literal: _PrintLiteral) -> str:
    """Print literals, each with an eye on the slot after it, and slots."""
    text = ""
    literal = ""
    for part in parts:
        if isinstance(part, str):
            literal += part
        else:
            slot = print_slot(part)
            text += print_literal(literal, slot) + slot
            literal = ""
    return text + print_literal(literal, None)


def _careful(slot: Reference | Ask) -> str:
    """Print a slot so that what follows cannot become a part of it."""
    if isinstance(slot, Reference) and slot.spelling == "dollar":
        return other_text(slot, "braces") or _most_careful(slot)
    return slot_text(slot)


def _most_careful(slot: Reference | Ask) -> str:
    """Print a slot with dollars, its names in quotes."""
    if isinstance(slot, Ask):
        return str(slot)
    steps = "".join(f"[{step}]" if isinstance(step, int) else quoted(step) for step in slot.path)
    return f"{reference_text(slot.label)[:-1]}{steps}$"


def _literal(text: str, before_slot: bool) -> str:
    """Write literal dollars twice where they would read as references."""
    if "$" not in text:
        return text

    def double(match: re.Match[str]) -> str:
        run, rest = match.groups()
        if match.end() == len(text):
            if not before_slot:
                return match[0]
            reads = not rest or reads_as_body(rest)
        else:
            reads = reads_as_body(rest)
        return run + match[0] if reads else match[0]

    return _RUN.sub(double, text)


def _guarded(literal: str, slot: str | None, known: Known) -> str:
    """Escape what would read as a reference in any spelling; `slot` is what stands after the literal."""
    following = slot or ""
    text = literal + following
    written = ""
    position = 0
    closing = -1
    while (opening := OPENING.search(literal, position)) is not None:
        written += literal[position : opening.start()]
        slashes, run = opening.groups()
        body = closed_body(text, opening, known)
        found = None
        if body is None and not is_closing(opening, closing):
            found = other_reference(literal, opening, known)
        if body is not None:
            written += slashes + run * 2 + body[0]
            position = closing = body.end()
        elif found is not None:
            kept = run[:-1] if run else ""
            written += slashes + kept if kept else slashes * 2
            written += "\\" + literal[opening.end() - (1 if run else 2) : found[1]]
            position = found[1]
        elif (
            run
            and opening.end() == len(literal)
            and following.startswith("$")
            and following[1:2] != "{"
        ):
            written += slashes + run * 2
            position = opening.end()
        else:
            written += slashes + (run or "{")
            position = opening.end() - (not run)
    written += literal[position:]
    if following and not (following.startswith("$") and following.endswith("$")):
        written += "\\" * (len(written) - len(written.rstrip("\\")))
    return written
