"""What in a sequence is meant as a reference, once it is known what memory and the history hold."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

from refract_asp.formats import references
from refract_asp.formats.references import Known, Part, of_parts, other_reference, stood_text
from refract_asp.model import Ask, Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import LABEL, FieldPath
from refract_asp.model.sequence import slots_of

# Whether a tool says that it returns something at a path.
Declares: TypeAlias = Callable[[str, FieldPath], bool]
Change: TypeAlias = Callable[[Source], Source]
Done: TypeAlias = Callable[[Call], None]

# A longer text is no reference.
MAX_WRITTEN = 500

_DOLLARS = re.compile(rf"\$({LABEL.pattern})([.\[][^$]*)\$")
_NOTATION = re.compile(
    r"\$?(?:\{\{(?P<roots>[^{}$]+)\}\}|\{(?P<braces>[^{}$]+)\}|<(?P<angles>[^<>$]+)>|(?P<bare>[^{}<>$]+))"
)
_DOTTED = re.compile(rf"\s*({LABEL.pattern})((?:\.{LABEL.pattern}|\[[^\[\]\s]*\])+)\s*")
_ANY_STEP = re.compile(r"\.([^.\[\]]*)|\[([^\[\]]*)\]")
# Words for an element, of which the first number counts, else the first element.
_ANY_INDEX = re.compile(r"(\d{1,9})?[-+\d:*]*|first|last|any|all|[a-z]")
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
    slots = chain.from_iterable(map(slots_of, (*bound, *(sequence.returns or {}).values())))
    outside = {slot.label for slot in slots if isinstance(slot, Reference) and slot.text is None}
    before = Known(borne)
    after = Known(borne if labels else (), only={*names, *outside, *sequence.asks})

    def read(source: Source) -> Source:
        if isinstance(source, Ask) or (isinstance(source, Reference) and source.text is None):
            return source
        if isinstance(source, Constant) and not _has_opening(source.value):
            return source
        return references.to_source(
            references.to_value(source, before, print_slot=stood_text), sequence.asks, after
        )

    return _changed(sequence, read).model_copy(update={"names": after.only})


def respell(sequence: Sequence, labels: Collection[str]) -> Sequence:
    """
    Read references in other spellings to labels that no call of the sequence has, as those of memory.

    Text that was escaped stays as it was written. The sequence itself comes back when nothing changes.

    Example:
        >>> sequence = Sequence.load([{"name": "Pay", "arguments": {"to": "${known.id}"}}])
        >>> respell(sequence, ["known"]).calls[0].arguments["to"].label
        'known'
    """
    known = Known(set(labels).difference(call.label or "" for call in sequence.calls), kin=False)

    def parts_of(text: str) -> Iterator[Part]:
        """Yield the parts of a text; what is escaped stays as it is written."""
        end = position = 0
        while (opening := references.OPENING.search(text, position)) is not None:
            found = None if len(opening[1]) % 2 else other_reference(text, opening, known)
            position = opening.end() - (not opening[2])
            # `$name$` is no other spelling: where it is text, its author wrote it so
            if found is not None and not (
                found[0].spelling == "dollar" and text[found[1] : found[1] + 1] == "$"
            ):
                yield text[end : opening.end() - (1 if opening[2] else 2)]
                yield found[0]
                end = position = found[1]
        yield text[end:]

    def read(source: Source) -> Source:
        parts: Any = source.parts if isinstance(source, Template) else (source.value,)  # type: ignore[union-attr]
        now = [p for part in parts for p in (parts_of(part) if isinstance(part, str) else (part,))]
        return source if len(now) == len(parts) else of_parts(now)

    def respelt(source: Source) -> Source:
        if isinstance(source, Constant) and not _has_opening(source.value):
            return source
        return _rewritten(source, read)

    return _changed(sequence, respelt, returns=False) if known else sequence


def mark_malformed(sequence: Sequence, executed: Iterable[Call], declares: Declares) -> Sequence:
    """
    Read values that clearly mean a reference but cannot be read as one, with what they were written as.

    `$label.steps$` means one whatever its steps are. In another notation a value means one only where a call
    before has the label, and in one that holds other things as well, only if its tool declares the path.

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
    only_known = sequence.names is not None

    def read(source: Source) -> Source:
        text = source.value if isinstance(source, Constant) else ""
        if isinstance(source, Template):  # `$l.items[-1].id$` begins like another spelling
            first, *rest = source.parts
            is_text = all(isinstance(part, str) for part in rest)
            if is_text and isinstance(first, Reference):
                text = first.spelt() + "".join(map(str, rest))
        elif len(text) > MAX_WRITTEN:
            return source
        return _meant(text, tools, declares, only_known=only_known) or source

    def done(call: Call) -> None:
        if call.label:
            tools[call.label] = call.name

    return _changed(sequence, partial(_rewritten, change=read), done)


def _changed(
    sequence: Sequence, change: Change, done: Done = lambda _: None, *, returns: bool = True
) -> Sequence:
    """
    Return a sequence with other sources; what does not change is the same object.

    `done` is told of each call after its arguments; with `returns`, what is given back changes as well.
    """

    def changed(holder: Any, key: str) -> Any:
        before = getattr(holder, key)
        after = {name: change(source) for name, source in (before or {}).items()}
        same = all(map(operator.is_, after.values(), (before or {}).values()))
        return holder if same else holder.model_copy(update={key: after})

    calls: list[Call] = []
    for call in sequence.calls:
        calls.append(changed(call, "arguments"))
        done(call)
    if not all(map(operator.is_, calls, sequence.calls)):
        sequence = sequence.model_copy(update={"calls": tuple(calls)})
    return changed(sequence, "returns") if returns else sequence


def _rewritten(source: Source, change: Change) -> Source:
    """Return a source with each text and template in it changed; itself where none is."""
    if isinstance(source, Template):
        return change(source)
    held = source.value if isinstance(source, Constant | Structure) else None
    if isinstance(held, str):
        return change(source)
    if not isinstance(held, dict | list):
        return source
    before: list[Any] = list(held.values() if isinstance(held, dict) else held)
    if isinstance(source, Constant):
        before = [Constant(value=each) for each in before]
    after = [_rewritten(each, change) for each in before]
    if all(map(operator.is_, before, after)):
        return source
    return Structure(value=dict(zip(held, after, strict=True)) if isinstance(held, dict) else after)


def _has_opening(value: object) -> bool:
    if isinstance(value, str):
        return "$" in value or "{{" in value
    inside = value.values() if isinstance(value, dict) else value
    return isinstance(inside, Iterable) and any(map(_has_opening, inside))


def _meant(
    text: str, tools: dict[str, str], declares: Declares, *, only_known: bool
) -> Reference | None:
    """Return the reference that a whole text means, if it does; perhaps only one to a call before."""
    dollars = _DOLLARS.fullmatch(text)
    if dollars is not None:
        if references.BODY.fullmatch(text[1:-1]) or (only_known and dollars[1] not in tools):
            return None  # it was escaped, or nothing there has a label: it is text
        path = _meant_path(dollars[2], dollars[1] in tools)
        return None if path is None else Reference(label=dollars[1], path=path, written=text)
    notation = _NOTATION.fullmatch(text)
    body = _DOTTED.fullmatch(notation[notation.lastgroup or 0]) if notation is not None else None
    path = _meant_path(body[2], True) if body is not None else None
    if notation is None or body is None or path is None:
        return None
    label = body[1]
    if label not in tools and notation["roots"]:
        label, path = str(path[0]), path[1:]
    if label not in tools:
        return None
    is_declared = declares(tools[label], path)
    if not is_declared and path[1:] and declares(tools[label], path[1:]):
        path = path[1:]  # a word for the whole output, such as `result`, stood before it
    elif not is_declared and not notation["roots"]:
        return None
    return Reference(label=label, path=path, written=text)


def _meant_path(steps: str, is_label: bool) -> FieldPath | None:
    """
    Return the path that steps mean: indexes that are no numbers count as the first element.

    Where the label is none, each step has to be clear.
    """
    path: list[str | int] = []
    position = 0
    while match := _ANY_STEP.match(steps, position):
        position = match.end()
        field, index = match.groups()
        name = _CONTROL.sub("", field if index is None else index.strip("'\" ")).strip()
        if index is not None and (number := _ANY_INDEX.fullmatch(name)):
            path.append(int(number[1] or 0))
        elif name and (is_label or LABEL.fullmatch(name)):
            path.append(name)
        elif not is_label:
            return None
    return tuple(path) if position == len(steps) or is_label else None
