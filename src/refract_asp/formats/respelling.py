"""References in other spellings to labels that only memory knows; `spellings` tells how they are written."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from refract_asp.formats.references import Part, of_parts
from refract_asp.formats.spellings import OPENING, Known, other_reference
from refract_asp.model import Constant, Sequence, Source, Structure, Template

__all__ = ["respell"]


def respell(sequence: Sequence, labels: Collection[str]) -> Sequence:
    """
    Read references in other spellings to labels that the sequence itself does not bear, as those of memory.

    Text that was escaped stays as it was written. The sequence itself comes back when nothing changes.

    Example:
        >>> sequence = Sequence.load([{"name": "Pay", "arguments": {"to": "${known.id}"}}])
        >>> respell(sequence, ["known"]).calls[0].arguments["to"].label
        'known'
    """
    known = Known(set(labels).difference(call.label for call in sequence.calls if call.label), kin=False)
    if not known:
        return sequence
    calls = []
    changed = False
    for call in sequence.calls:
        arguments = {name: _respelt(source, known) for name, source in call.arguments.items()}
        if any(arguments[name] is not source for name, source in call.arguments.items()):
            changed = True
            call = call.model_copy(update={"arguments": arguments})  # noqa: PLW2901
        calls.append(call)
    return sequence.model_copy(update={"calls": tuple(calls)}) if changed else sequence


def _respelt(source: Source, known: Known) -> Source:
    """Return the source itself when nothing in it is to be read otherwise."""
    if isinstance(source, Constant):
        return _constant(source.value, source, known)
    if isinstance(source, Template):
        if not any(isinstance(part, str) and ("$" in part or "{{" in part) for part in source.parts):
            return source
        parts: list[Part] = []
        for part in source.parts:
            parts += _others(part, known) if isinstance(part, str) else [part]
        return source if len(parts) == len(source.parts) else of_parts(parts)
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            fields = {key: _respelt(inner, known) for key, inner in source.value.items()}
            same = all(fields[key] is inner for key, inner in source.value.items())
            return source if same else Structure(value=fields)
        items = [_respelt(inner, known) for inner in source.value]
        same = all(item is inner for item, inner in zip(items, source.value, strict=True))
        return source if same else Structure(value=items)
    return source


def _constant(value: Any, source: Source, known: Known) -> Source:
    """Return the source for a constant value, or `source` when it stays one."""
    if isinstance(value, str):
        if "$" not in value and "{{" not in value:
            return source
        parts = _others(value, known)
        return source if len(parts) == 1 and isinstance(parts[0], str) else of_parts(parts)
    if not isinstance(value, dict | list) or not _has_opening(value):
        return source
    inner: dict[str, Source] | list[Source]
    if isinstance(value, dict):
        inner = {key: _constant(each, Constant(value=each), known) for key, each in value.items()}
        sources: Iterable[Source] = inner.values()
    else:
        sources = inner = [_constant(each, Constant(value=each), known) for each in value]
    return source if all(isinstance(each, Constant) for each in sources) else Structure(value=inner)


def _has_opening(value: Any) -> bool:
    if isinstance(value, str):
        return "$" in value or "{{" in value
    if isinstance(value, dict | list):
        return any(map(_has_opening, value.values() if isinstance(value, dict) else value))
    return False


def _others(text: str, known: Known) -> list[Part]:
    """Return the references in other spellings among the text; what is escaped stays as it is."""
    parts: list[Part] = []
    literal = ""
    position = 0
    while (opening := OPENING.search(text, position)) is not None:
        literal += text[position : opening.start()]
        slashes, run = opening.groups()
        found = other_reference(text, opening, known) if len(slashes) % 2 == 0 else None
        if found is None:
            literal += slashes + (run or "{")
            position = opening.end() - (not run)
        else:
            literal += slashes + (run[:-1] if run else "")
            parts += ([literal] if literal else []) + [found[0]]
            literal = ""
            position = found[1]
    literal += text[position:]
    return [*parts, literal] if literal or not parts else parts
