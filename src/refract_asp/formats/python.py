"""
Python call text, read as a syntax tree and never run.

    image = open_image("a.png", k=[1, 2])      a call and its label; `positions` tells of unnamed arguments
    blur(rotate(image, degrees=45), pixels=2)  a call inside a call is a step of its own, with a label
    open_image("a.png").rotate(45).blur()      so is each link of a chain
    show(image.size[0], image["author"])       fields of an output; a name that no call bears is a variable
    [f(a=1), g(b=2)]                           several calls in a list

Values are literals; `true`, `false` and `null` count as well, tuples and sets are lists. A name bound to
a value stands for it. Imports are passed over; `await` and `return` before a call do not matter. Whatever
else stands in an argument, as an f-string or a sum, makes its call malformed; statements that do anything
but call are errors. Python has no words for asks, confirms and what a sequence gives back.

A statement that did not change is printed as it stood; the calls of a changed one stand on their own lines.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence as Sequence_
from typing import Any

from refract_asp.errors import FormatError, InputError, shown
from refract_asp.formats.documents import refuse_open
from refract_asp.formats.origin import Origin, is_position
from refract_asp.formats.python_reader import Reader, Written
from refract_asp.formats.reference_texts import source_value
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.registry import Format
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure

__all__ = ["FORMAT", "call_text", "source_text"]


def _detects(data: Any) -> bool:
    return isinstance(data, str) and "(" in data


def _read(data: Any, origin: Origin) -> Sequence:
    if not isinstance(data, str):
        raise origin.error(
            "a text with Python calls is needed.", hint='As in `var1 = tool("x", n=2)`.'
        )
    reader = Reader(data, origin)
    reader.read()
    return Sequence(calls=tuple(reader.calls), format="python", written=data)


def _write(sequence: Sequence) -> str:
    refuse_open(sequence, "python")
    before: dict[tuple[int, int], Call] = {}
    if sequence.format == "python" and isinstance(sequence.written, str):
        again = Reader(sequence.written, Origin(), names=sequence.names)
        again.read()
        if _same(again.calls, sequence.calls):
            return sequence.written
        before = {(call.written.statement.number, call.written.index): call for call in again.calls}
    lines: list[str] = []
    known = known_of(sequence, "python")
    calls = list(sequence.calls)
    while calls:
        whole = _unchanged(calls, before)
        if whole:
            lines.append(calls[0].written.statement.text)
            del calls[:whole]
            continue
        lines.append(_line(calls.pop(0), len(lines) + 1, known))
    text = "\n".join(lines)
    _check(text, sequence)
    return text


def _check(text: str, sequence: Sequence) -> None:
    """Refuse to print what would be read as something else."""
    again = Reader(text, Origin(), names=known_of(sequence, "python").only)
    try:
        again.read()
        same = _same(again.calls, sequence.calls)
    except InputError:
        same = False
    if not same:
        raise FormatError(
            "the sequence cannot be said in Python: a label, tool or parameter has no name there.",
            hint="Print it as pretty or nestful.",
        )


def _same(read: list[Call], calls: tuple[Call, ...] | list[Call]) -> bool:
    return len(read) == len(calls) and all(_equal(r, c) for r, c in zip(read, calls, strict=True))


def _equal(read: Call, call: Call) -> bool:
    """Whether what was read is the call, under the names that its positions got."""
    names = iter(call.written.names if isinstance(call.written, Written) else ())
    arguments = {next(names, p) if is_position(p) else p: s for p, s in read.arguments.items()}
    if (read.malformed is None) != (call.malformed is None):
        return False
    said = (read.name, read.label, list(arguments.items()))
    return said == (call.name, call.label, list(call.arguments.items()))


def _unchanged(calls: list[Call], before: dict[tuple[int, int], Call]) -> int:
    """Return how many of the calls make up a whole statement that did not change, 0 for none."""
    first = calls[0].written
    if not isinstance(first, Written) or first.index:
        return 0
    whole = calls[: first.statement.calls]
    for index, call in enumerate(whole):
        written = call.written
        if not isinstance(written, Written) or written.statement is not first.statement:
            return 0
        read = before.get((written.statement.number, index))
        if written.index != index or read is None or not _equal(read, call):
            return 0
    return len(whole) if len(whole) == first.statement.calls else 0


def _line(call: Call, number: int, known: Known) -> str:
    if call.malformed is not None:
        what = f"call {number} ({shown(call.name, 60)}) cannot be printed: {call.malformed}"
        raise FormatError(what, hint="Ask for the call again, or print it as pretty.")
    return call_text(call, known)


def call_text(call: Call, labels: Sequence_[str] | Known = ()) -> str:
    """
    Print a call on one line, whatever it stood in; `labels` are those that calls bear.

    Example:
        >>> call_text(Call(name="f", label="x", arguments={"a": Reference(label="y", path=("b",))}))
        'x = f(a=y.b)'
    """
    positions = [
        _value(source, labels) for name, source in call.arguments.items() if is_position(name)
    ]
    named = [
        (name, _value(source, labels))
        for name, source in call.arguments.items()
        if not is_position(name)
    ]
    plain = [f"{name}={value}" for name, value in named if _is_name(name)]
    others = [f"{name!r}: {value}" for name, value in named if not _is_name(name)]
    arguments = ", ".join([*positions, *plain, *([f"**{{{', '.join(others)}}}"] if others else [])])
    return f"{f'{call.label} = ' if call.label is not None else ''}{call.name}({arguments})"


def source_text(source: Source, labels: Sequence_[str] | Known = ()) -> str:
    """
    Print what an argument is bound to; `labels` are those that calls bear.

    Example:
        >>> source_text(Constant(value=["a", True]))
        "['a', True]"
    """
    return _value(source, labels)


def _is_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _value(source: Source, labels: Sequence_[str] | Known) -> str:
    if isinstance(source, Reference) and _is_name(source.label) and (source.path or source.bare):
        steps = (f".{s}" if isinstance(s, str) and _is_name(s) else f"[{s!r}]" for s in source.path)
        return source.label + "".join(steps)
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return f"{{{', '.join(f'{key!r}: {_value(each, labels)}' for key, each in source.value.items())}}}"
        return f"[{', '.join(_value(each, labels) for each in source.value)}]"
    if isinstance(source, Constant) and not isinstance(source.value, str | dict | list):
        return repr(source.value)
    return repr(source_value(source, labels))


FORMAT: Format[Sequence] = Format(
    name="python",
    kind="sequence",
    looks='Python calls such as `x = f(1, "a")`, `a(1).b()` or `[f(a=1), g(b=2)]`, as one text',
    detects=_detects,
    read=_read,
    write=_write,
)
