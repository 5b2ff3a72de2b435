"""
What of a sequence is a reference, once it is known what memory and the history hold.

`respell` reads references in other spellings (see `spellings`) to labels that only memory knows;
`with_names` takes references to anything but some names for the text that they stood in; `mark_malformed`
reads what clearly means a reference and cannot be read as it is written: an index that is no number, another
notation around it, or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeAlias

from refract_asp.formats.reference_texts import stood_text, to_value
from refract_asp.formats.references import (
    OPENING,
    Known,
    Part,
    of_parts,
    other_reference,
    to_source,
)
from refract_asp.model import Ask, Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import LABEL, FieldPath
from refract_asp.model.sources import slots_of

__all__ = ["mark_malformed", "respell", "with_names"]

Declares: TypeAlias = Callable[[str, FieldPath], bool]
"""Whether a tool says that it returns something at a path."""

_Meant: TypeAlias = Callable[[str], Reference | None]

MAX_WRITTEN = 500
"""A longer text is no reference."""

_DOLLARS = re.compile(rf"\$({LABEL.pattern})([.\[][^$]*)\$")
_READABLE = re.compile(rf"{LABEL.pattern}(?:\.[^.\[\]\x00-\x1f]+|\[[0-9]{{1,9}}\]|\['[^']*'\])*")
_NOTATION = re.compile(
    r"\$?(?:\{\{(?P<roots>[^{}$]+)\}\}|\{(?P<braces>[^{}$]+)\}|<(?P<angles>[^<>$]+)>|(?P<bare>[^{}<>$]+))"
)
_DOTTED = re.compile(rf"\s*({LABEL.pattern})((?:\.{LABEL.pattern}|\[[^\[\]\s]*\])+)\s*")
_STEP = re.compile(r"\.([^.\[\]]*)|\[([^\[\]]*)\]")
_INDEX = re.compile(r"(\d{1,9})?[-+\d:*]*|first|last|any|all|[a-z]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def with_names(sequence: Sequence, names: Collection[str], *, labels: bool = True) -> Sequence:
    """
    Return a sequence in whose texts `$...$` refers only to some names; everywhere else it is text.

    Such text is what stood there, to the byte. References outside of texts, as the names of the printed form,
    and what is asked stay what they are.

    Args:
        sequence: a sequence as it was read.
        names: the names.
        labels: whether the labels of its calls count as well, in every spelling.

    Example:
        >>> sequence = Sequence.load([{"name": "Quote", "arguments": {"of": "$AAPL$", "on": "$day$"}}])
        >>> with_names(sequence, ["day"]).calls[0].arguments["of"]
        Constant(kind='constant', value='$AAPL$')
    """
    borne = [call.label for call in sequence.calls]
    bound = [source for call in sequence.calls for source in call.arguments.values()]
    outside = {
        slot.label
        for source in (*bound, *(sequence.returns or {}).values())
        for slot in slots_of(source)
        if isinstance(slot, Reference) and slot.text is None
    }
    before = Known(borne)
    after = Known(borne if labels else (), only={*names, *outside, *sequence.asks})

    def read(source: Source) -> Source:
        if isinstance(source, Ask) or (isinstance(source, Reference) and source.text is None):
            return source
        if isinstance(source, Constant) and not _has_opening(source.value):
            return source
        return to_source(to_value(source, before, print_slot=stood_text), sequence.asks, after)

    calls = []
    for call in sequence.calls:
        arguments = {name: read(source) for name, source in call.arguments.items()}
        same = all(arguments[name] is source for name, source in call.arguments.items())
        calls.append(call if same else call.model_copy(update={"arguments": arguments}))
    returns = sequence.returns and {name: read(source) for name, source in sequence.returns.items()}
    return sequence.model_copy(
        update={"calls": tuple(calls), "returns": returns, "names": after.only}
    )


def respell(sequence: Sequence, labels: Collection[str]) -> Sequence:
    """
    Read references in other spellings to labels that the sequence itself does not bear, as those of memory.

    Text that was escaped stays as it was written. The sequence itself comes back when nothing changes.

    Example:
        >>> sequence = Sequence.load([{"name": "Pay", "arguments": {"to": "${known.id}"}}])
        >>> respell(sequence, ["known"]).calls[0].arguments["to"].label
        'known'
    """
    known = Known(
        set(labels).difference(call.label for call in sequence.calls if call.label), kin=False
    )
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


def mark_malformed(sequence: Sequence, executed: Iterable[Call], declares: Declares) -> Sequence:
    """
    Read values that clearly mean a reference but cannot be read as one, with what they were written as.

    `$label.steps$` means one whatever its steps are. In another notation a value means one only where a call
    before bears the label, and in one that holds other things as well, only if its tool declares the path.

    Args:
        sequence: the calls.
        executed: calls that were made before.
        declares: whether a tool says that it returns something at a path.

    Example:
        >>> calls = "a = Find()\\nRead(id='$a.items[-1].id$')"
        >>> marked = mark_malformed(Sequence.load(calls), (), lambda tool, path: True)
        >>> marked.calls[1].arguments["id"]
        Reference(kind='reference', label='a', path=('items', 0, 'id'), bare=False)
    """
    tools = {call.label: call.name for call in executed if call.label}

    def meant(text: str) -> Reference | None:
        return _meant(text, tools, declares, only_known=sequence.names is not None)

    def marked(arguments: dict[str, Source]) -> dict[str, Source]:
        read = {name: _marked(source, meant) for name, source in arguments.items()}
        return (
            read
            if any(read[name] is not source for name, source in arguments.items())
            else arguments
        )

    calls = []
    for call in sequence.calls:
        arguments = marked(call.arguments)
        calls.append(
            call
            if arguments is call.arguments
            else call.model_copy(update={"arguments": arguments})
        )
        if call.label:
            tools[call.label] = call.name
    returns = marked(sequence.returns) if sequence.returns else sequence.returns
    if returns is sequence.returns and all(map(_is, calls, sequence.calls)):
        return sequence
    return sequence.model_copy(update={"calls": tuple(calls), "returns": returns})


def _is(one: object, other: object) -> bool:
    return one is other


def _marked(source: Source, meant: _Meant) -> Source:
    """Return the source itself when nothing in it is malformed; texts inside longer ones stay text."""
    if isinstance(source, Constant):
        return _marked_value(source.value, meant) or source
    if isinstance(source, Template) and isinstance(first := source.parts[0], Reference):
        # `$l.items[-1].id$` begins like a reference in another spelling
        if first.spelling == "dollar" and all(isinstance(part, str) for part in source.parts[1:]):
            text = first.spelt() + "".join(map(str, source.parts[1:]))
            return meant(text) or source
        return source
    if not isinstance(source, Structure):
        return source
    if isinstance(source.value, dict):
        fields = {key: _marked(inner, meant) for key, inner in source.value.items()}
        return (
            source
            if all(fields[key] is inner for key, inner in source.value.items())
            else Structure(value=fields)
        )
    items = [_marked(inner, meant) for inner in source.value]
    return source if all(map(_is, items, source.value)) else Structure(value=items)


def _marked_value(value: Any, meant: _Meant) -> Source | None:
    """Return the source for a constant in which something is malformed, else None."""
    if isinstance(value, str):
        return meant(value) if len(value) <= MAX_WRITTEN else None
    if isinstance(value, dict):
        fields = {key: _marked_value(inner, meant) for key, inner in value.items()}
        if any(fields.values()):
            return Structure(
                value={key: new or Constant(value=value[key]) for key, new in fields.items()}
            )
    if isinstance(value, list):
        items = [_marked_value(inner, meant) for inner in value]
        if any(items):
            return Structure(
                value=[new or Constant(value=old) for new, old in zip(items, value, strict=True)]
            )
    return None


def _meant(
    text: str, tools: dict[str, str], declares: Declares, *, only_known: bool
) -> Reference | None:
    """Return the reference that a whole text means, if it does; perhaps only one to a call before."""
    dollars = _DOLLARS.fullmatch(text)
    if dollars is not None:
        if _READABLE.fullmatch(text[1:-1]) or (only_known and dollars[1] not in tools):
            return None  # it was escaped, or nothing there bears a label: it is text
        path = _path(dollars[2], dollars[1] in tools)
        return None if path is None else Reference(label=dollars[1], path=path, written=text)
    notation = _NOTATION.fullmatch(text)
    body = _DOTTED.fullmatch(notation[notation.lastgroup or 0]) if notation is not None else None
    path = _path(body[2], True) if body is not None else None
    if notation is None or body is None or path is None:
        return None
    label = body[1]
    if label not in tools and notation["roots"] and path[0] in tools:
        label, path = str(path[0]), path[1:]
    if label not in tools:
        return None
    if path[1:] and not declares(tools[label], path) and declares(tools[label], path[1:]):
        path = path[1:]  # a word for the whole output, such as `result`, stood before it
    elif not notation["roots"] and not declares(tools[label], path):
        return None
    return Reference(label=label, path=path, written=text)


def _path(steps: str, is_label: bool) -> FieldPath | None:
    """
    Return the path that steps mean: indexes that are no numbers count as the first element.

    Where the label is none, each step has to be clear.
    """
    path: list[str | int] = []
    position = 0
    while match := _STEP.match(steps, position):
        position = match.end()
        field, index = match.groups()
        name = _CONTROL.sub("", field if index is None else index.strip("'\" ")).strip()
        if index is not None and (number := _INDEX.fullmatch(name)):
            path.append(int(number[1] or 0))
        elif name and (is_label or LABEL.fullmatch(name)):
            path.append(name)
        elif not is_label:
            return None
    return tuple(path) if position == len(steps) or is_label else None


def _respelt(source: Source, known: Known) -> Source:
    """Return the source itself when nothing in it is to be read otherwise."""
    if isinstance(source, Constant):
        return _constant(source.value, source, known)
    if isinstance(source, Template):
        if not any(
            isinstance(part, str) and ("$" in part or "{{" in part) for part in source.parts
        ):
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
