r"""
References inside texts, and sources as JSON values.

A reference is `$name$` or `$label.path$`. The label is a letter or `_`, then word characters or
dashes; a path goes on with `.field` (anything but `$ . [ ]`) or `[n]`. Names that cannot be written
so stand quoted, with `%24`, `%27` and `%25` for `$`, `'` and `%`:

    $var1.Exchange Rate$     field "Exchange Rate" of var1
    $var1[0].id$             first element, then field "id"
    $var1['@odata.id']$      field "@odata.id"
    $['page size']$          the name "page size"

A text that is one reference is a `Reference`; one with references among other text a `Template`.

The escape: directly before what would read as a reference, each literal dollar is written twice, and
only there. In a row of dollars before `name$`, each pair is one literal dollar and a last odd one
opens a reference:

    $$var1.x$                the text "$var1.x$"
    $$$var1.x$               a dollar, then the reference
    $100-$200, US$$, $x      stand as they are
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.values import (
    MAX_DEPTH,
    UnreadableError,
    check_key,
    check_number,
    check_text,
    not_json,
    plain,
    too_deep,
)
from refract_asp.model import Ask, Constant, Reference, Source, Structure, Template
from refract_asp.model.paths import LABEL, unquoted

__all__ = ["read_source", "slot_text", "source_value"]

# No part of a reference may hold a dollar but its two ends, so each search stops at the next dollar:
# the time is linear in the length of the text.
_QUOTED = r"\['[^'$]*+'\]"
_HEAD = rf"(?:{LABEL.pattern}|{_QUOTED})"
_STEPS = rf"(?:\.[^$.\[\]]++|\[[0-9]{{1,9}}\]|{_QUOTED})*+"
_WHOLE = re.compile(rf"\$({_HEAD})({_STEPS})\$")
_BODY = re.compile(_HEAD + _STEPS)
_SCAN = re.compile(rf"((?:\$\$)*+)\$({_HEAD})({_STEPS})\$|(\$++)({_HEAD}{_STEPS}(?=\$))?")
_STEP = re.compile(r"\.([^$.\[\]]+)|\[([0-9]+)\]|(\['[^'$]*'\])")
_RUN = re.compile(r"(\$++)([^$]*+)")


def read_source(value: Any, asks: Collection[str] = (), where: str = "") -> Source:
    """
    Return the source that a JSON value stands for.

    Args:
        value: a JSON value, with references in its texts.
        asks: names that are asked from the user: `$name$` of one of these is an `Ask`.
        where: the place of the value, for messages.

    Raises:
        FormatError: the value, or something in it, is not JSON.
        LimitError: it is nested deeper than 64.

    Example:
        >>> read_source("$var1.skyId$")
        Reference(kind='reference', label='var1', path=('skyId',), bare=False)
    """
    try:
        return to_source(value, asks)
    except UnreadableError as error:
        raise error.at(Origin(where)) from None


def to_source(value: Any, asks: Collection[str], depth: int = 0) -> Source:
    """Do what `read_source` does, but raise `UnreadableError`."""
    if isinstance(value, str):
        return _text_source(value, asks)
    if value is None or isinstance(value, bool):
        return Constant(value=value)
    if isinstance(value, int | float):
        return Constant(value=check_number(value))
    if not isinstance(value, dict | list | tuple):
        raise not_json(value)
    if depth >= MAX_DEPTH:
        raise too_deep()
    step: str | int | None = None
    try:
        if isinstance(value, dict):
            fields: dict[str, Source] = {}
            for key, inner in value.items():
                step = None
                step = check_key(key)
                fields[step] = to_source(inner, asks, depth + 1)
            if all(type(source) is Constant for source in fields.values()):
                return Constant(value={key: source.value for key, source in fields.items()})  # type: ignore[union-attr]
            return Structure(value=fields)
        items: list[Source] = []
        for inner in value:
            step = len(items)
            items.append(to_source(inner, asks, depth + 1))
    except UnreadableError as error:
        raise (error if step is None else error.inside(step)) from None
    if all(type(source) is Constant for source in items):
        return Constant(value=[source.value for source in items])  # type: ignore[union-attr]
    return Structure(value=items)


def _text_source(text: str, asks: Collection[str]) -> Source:
    check_text(text)
    if "$" not in text:
        return Constant(value=text)
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return _slot(whole[1], whole[2], asks)
    parts: list[str | Reference | Ask] = []
    literal = ""
    end = 0
    for match in _SCAN.finditer(text):
        literal += text[end : match.start()]
        end = match.end()
        pairs, head, steps, run, body = match.groups()
        if head is not None:
            literal += "$" * (len(pairs) // 2)
            if literal:
                parts.append(literal)
            parts.append(_slot(head, steps, asks))
            literal = ""
        elif body is not None:
            literal += "$" * (len(run) // 2) + body
        else:
            literal += run
    literal += text[end:]
    if not parts:
        return Constant(value=literal)
    if literal:
        parts.append(literal)
    return Template(parts=tuple(parts))


def _slot(head: str, steps: str, asks: Collection[str]) -> Reference | Ask:
    name = unquoted(head) if head[0] == "[" else head
    if not steps:
        return Ask(name=name) if name in asks else Reference(label=name)
    path = tuple(
        field if field else int(index) if index else unquoted(name_)
        for field, index, name_ in _STEP.findall(steps)
    )
    return Reference(label=name, path=path)


def slot_text(slot: Reference | Ask) -> str:
    """
    Print a reference or an ask as it stands inside a text; `read_source` reads it back.

    Example:
        >>> slot_text(Reference(label="var1", path=("items", 0, "geo.lat")))
        "$var1.items[0]['geo.lat']$"
    """
    for step in slot.path if isinstance(slot, Reference) else ():
        if isinstance(step, int) and not 0 <= step < 10**9:
            raise FormatError(f"the index {step} in a path cannot be printed.", where=shown(str(slot)))
    return str(slot)


def source_value(source: Source) -> Any:
    """
    Return the JSON value that stands for a source; the inverse of `read_source`.

    Raises:
        FormatError: a constant is not a JSON value.
        LimitError: it is nested deeper than 64.

    Example:
        >>> source_value(Constant(value="$var1.x$")), source_value(Constant(value="$100-$200"))
        ('$$var1.x$', '$100-$200')
    """
    try:
        return _value(source, 0)
    except UnreadableError as error:
        raise error.at(Origin()) from None


def _value(source: Source, depth: int) -> Any:
    if isinstance(source, Constant):
        if isinstance(source.value, str):
            return _written((check_text(source.value),))
        return _escaped(plain(source.value, depth))
    if isinstance(source, Template):
        return _written(source.parts)
    if isinstance(source, Structure):
        if depth >= MAX_DEPTH:
            raise LimitError(f"a source is nested deeper than {MAX_DEPTH}.", hint="Flatten the value.")
        if isinstance(source.value, dict):
            return {key: _value(inner, depth + 1) for key, inner in source.value.items()}
        return [_value(inner, depth + 1) for inner in source.value]
    return slot_text(source)


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return _written((value,))
    if isinstance(value, list):
        return [_escaped(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _escaped(inner) for key, inner in value.items()}
    return value


def _written(parts: Iterable[str | Reference | Ask]) -> str:
    """Print the parts of a text, with literal dollars written twice where they would read as references."""
    text = ""
    literal = ""
    for part in parts:
        if isinstance(part, str):
            literal += part
        else:
            text += _literal(literal, before_slot=True) + slot_text(part)
            literal = ""
    return text + _literal(literal, before_slot=False)


def _literal(text: str, before_slot: bool) -> str:
    if "$" not in text:
        return text

    def double(match: re.Match[str]) -> str:
        run, rest = match.groups()
        if match.end() == len(text):
            if not before_slot:
                return match[0]
            reads = not rest or _BODY.fullmatch(rest)
        else:
            reads = _BODY.fullmatch(rest)
        return run + match[0] if reads else match[0]

    return _RUN.sub(double, text)
