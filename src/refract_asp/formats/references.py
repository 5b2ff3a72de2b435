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

`spellings` tells in which other ways references are written, and when these are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, TypeAlias

from refract_asp.formats.origin import Origin
from refract_asp.formats.spellings import NO_LABELS, OPENING, Known, other_reference, splits
from refract_asp.formats.values import (
    MAX_DEPTH,
    Twice,
    UnreadableError,
    check_key,
    check_number,
    check_text,
    not_json,
    too_deep,
)
from refract_asp.model import Ask, Constant, Reference, Source, Structure, Template
from refract_asp.model.paths import LABEL, unquoted

__all__ = ["Part", "closed_body", "is_closing", "of_parts", "read_source", "reads_as_body", "to_source"]

Part: TypeAlias = str | Reference | Ask

# No part of a reference may hold a dollar but its two ends, so each search stops at the next dollar:
# the time is linear in the length of the text.
_QUOTED = r"\['[^'$]*+'\]"
_HEAD = rf"(?:{LABEL.pattern}|{_QUOTED})"
# (Groups that repeat are not possessive: before 3.11.4 Python keeps half of a repetition that fails.)
_STEPS = rf"(?:\.[^$.\[\]]++|\[[0-9]{{1,9}}\]|{_QUOTED})*"
_WHOLE = re.compile(rf"\$({_HEAD})({_STEPS})\$")
_BODY = re.compile(rf"({_HEAD})({_STEPS})")
_SCAN = re.compile(rf"((?:\$\$)*+)\$({_HEAD})({_STEPS})\$|(\$++)({_HEAD}{_STEPS}(?=\$))?")
_STEP = re.compile(r"\.([^$.\[\]]+)|\[([0-9]+)\]|(\['[^'$]*'\])")


def read_source(
    value: Any, asks: Collection[str] = (), where: str = "", labels: Collection[str] = ()
) -> Source:
    """
    Return the source that a JSON value stands for.

    Args:
        value: a JSON value, with references in its texts.
        asks: names that are asked from the user: `$name$` of one of these is an `Ask`.
        where: the place of the value, for messages.
        labels: those that calls bear; references to them are read in other spellings too.

    Raises:
        FormatError: the value, or something in it, is not JSON.
        LimitError: it is nested deeper than 64.

    Example:
        >>> read_source("$var1.skyId$")
        Reference(kind='reference', label='var1', path=('skyId',), bare=False)
    """
    try:
        return to_source(value, asks, Known(labels) if labels else NO_LABELS)
    except UnreadableError as error:
        raise error.at(Origin(where)) from None


def to_source(value: Any, asks: Collection[str] = (), known: Known = NO_LABELS, depth: int = 0) -> Source:
    """Do what `read_source` does, but raise `UnreadableError`."""
    if isinstance(value, str):
        return _text_source(value, asks, known)
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
            if isinstance(value, Twice):
                raise value.error
            fields: dict[str, Source] = {}
            for key, inner in value.items():
                step = None
                step = check_key(key)
                fields[step] = to_source(inner, asks, known, depth + 1)
            if all(type(source) is Constant for source in fields.values()):
                return Constant(value={key: source.value for key, source in fields.items()})  # type: ignore[union-attr]
            return Structure(value=fields)
        items: list[Source] = []
        for inner in value:
            step = len(items)
            items.append(to_source(inner, asks, known, depth + 1))
    except UnreadableError as error:
        raise (error if step is None else error.inside(step)) from None
    if all(type(source) is Constant for source in items):
        return Constant(value=[source.value for source in items])  # type: ignore[union-attr]
    return Structure(value=items)


def _text_source(text: str, asks: Collection[str], known: Known) -> Source:
    check_text(text)
    if "$" not in text:
        if known and "{{" in text:
            return of_parts(_parts(text, asks, known))
        return Constant(value=text)
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return _slot(whole[1], whole[2], asks)
    if known:
        return of_parts(_parts(text, asks, known))
    parts: list[Part] = []
    literal = ""
    end = 0
    for match in _SCAN.finditer(text):
        literal += text[end : match.start()]
        end = match.end()
        pairs, head, steps, run, body = match.groups()
        if head is not None:
            parts += (literal + "$" * (len(pairs) // 2), _slot(head, steps, asks))
            literal = ""
        elif body is not None:
            literal += "$" * (len(run) // 2) + body
        else:
            literal += run
    return of_parts([*parts, literal + text[end:]])


def of_parts(parts: list[Part]) -> Source:
    """Return the source that the parts of a text make up; its literals do not touch."""
    parts = [part for part in parts if part != ""]
    if len(parts) > 1:
        return Template(parts=tuple(parts))
    if not parts or isinstance(parts[0], str):
        return Constant(value=parts[0] if parts else "")
    return parts[0]


def _parts(text: str, asks: Collection[str], known: Known) -> list[Part]:
    """Return literals and references by turns, where references may be written in any spelling."""
    parts: list[Part] = []
    literal = ""
    position = 0
    closing = -1
    while (opening := OPENING.search(text, position)) is not None:
        literal += text[position : opening.start()]
        slashes, run = opening.groups()
        body = closed_body(text, opening, known)
        if body is not None:
            literal += slashes + "$" * (len(run) // 2)
            position = body.end()
            if len(run) % 2:
                parts += (literal, _slot(body[1], body[2], asks))
                literal = ""
                position += 1
            else:
                literal += body[0]
                closing = position
            continue
        found = None if is_closing(opening, closing) else other_reference(text, opening, known)
        if found is None:
            literal += slashes + (run or "{")
            position = opening.end() - (not run)
            continue
        position = found[1]
        before = run[:-1] if run else ""
        escaped = not before and len(slashes) % 2
        literal += slashes + before if before else "\\" * (len(slashes) // 2)
        if escaped:
            literal += text[opening.end() - (1 if run else 2) : position]
        else:
            parts += (literal, found[0])
            literal = ""
    return [*parts, literal + text[position:]]


def closed_body(text: str, opening: re.Match[str], known: Known) -> re.Match[str] | None:
    """Return label and path of `$label.path$`, or None when what begins here is not so written."""
    body = _closed(text, opening.end()) if opening[2] else None
    if body is None or not known:
        return body
    if splits(body[1], body[2], known) or (body[2].endswith("\\") and _is_guarded(text, body.end(), known)):
        return None
    return body


def _closed(text: str, position: int) -> re.Match[str] | None:
    """Return label and path that begin here and end before a dollar."""
    body = _BODY.match(text, position)
    return body if body is not None and text[body.end() : body.end() + 1] == "$" else None


def _is_guarded(text: str, position: int, known: Known) -> bool:
    r"""
    Whether a reference in another spelling begins at the dollar here, as in `$a.\$var1.x`.

    The backslash before it is then its escape, and no part of the name of a field.
    """
    opening = OPENING.match(text, position)
    if opening is None or opening[2] != "$" or other_reference(text, opening, known) is None:
        return False
    body = _closed(text, opening.end())
    return body is None or splits(body[1], body[2], known)


def _slot(head: str, steps: str, asks: Collection[str]) -> Reference | Ask:
    name = unquoted(head) if head[0] == "[" else head
    if not steps:
        return Ask(name=name) if name in asks else Reference(label=name)
    path = tuple(
        field if field else int(index) if index else unquoted(name_)
        for field, index, name_ in _STEP.findall(steps)
    )
    return Reference(label=name, path=path)


def is_closing(opening: re.Match[str], closing: int) -> bool:
    """Whether this is the dollar that closes an escaped reference; it opens none in another spelling."""
    return opening.start() == closing and opening[0] == "$"


def reads_as_body(text: str) -> bool:
    """Whether a text between two dollars makes them a reference."""
    return _BODY.fullmatch(text) is not None
