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

`spellings` tells in which other ways references are written, and when these are read. Where whoever writes
has no labels, only some names are referred to (`Known.only`): every other `$name$` is text without an escape.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from refract_asp.formats.origin import Origin
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
from refract_asp.model import Ask, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import LABEL, FieldPath, Spelling, spelt, unquoted

__all__ = [
    "NO_LABELS",
    "OPENING",
    "Known",
    "Part",
    "closed_body",
    "is_closing",
    "known_of",
    "of_parts",
    "other_reference",
    "other_text",
    "read_source",
    "reads_as_body",
    "splits",
    "to_source",
]


_LABEL = r"[^\W\d]\w*+(?:-\w++)*"
_INDEX = r"\[[0-9]{1,9}\]"
_QUOTED = r"\['[^'$]*+'\]"
_WORD = r"\w++(?:-\w++)*"
_NARROW = re.compile(rf"\$({_LABEL})((?:\.{_WORD}|{_INDEX}|{_QUOTED})*)")
_WIDE = rf"\s*+({_LABEL})((?:\.[^$.\[\]{{}}]++|{_INDEX}|{_QUOTED})*)\s*+"
_BRACES = re.compile(rf"\$\{{{_WIDE}\}}")
_CURLY = re.compile(rf"\{{\{{{_WIDE}\}}\}}")
_STEP = re.compile(r"\.([^$.\[\]]+)|\[([0-9]+)\]|(\['[^'$]*'\])")
_PLAIN = re.compile(_LABEL)
_STEM = re.compile(r"\d+$")

OPENING = re.compile(r"(\\*+)(?:(\$++)|\{\{)")
"""Where a reference may begin: backslashes, then dollars or two braces."""


class Known:
    """The labels by which references in other spellings are told from text."""

    def __init__(
        self, labels: Iterable[str | None], *, kin: bool = True, only: Iterable[str] | None = None
    ) -> None:
        """
        Take the labels of a sequence; with `kin` those that are written like them count as well.

        `only` are the names that `$...$` may refer to besides; None where it may refer to any.
        """
        self.labels = frozenset(label for label in labels if label)
        self.only = None if only is None else frozenset(only)
        self._stems = (
            frozenset(_STEM.sub("", label[:200]) for label in self.labels) if kin else frozenset()
        )

    def __bool__(self) -> bool:
        """Whether there is anything by which references are told from text."""
        return bool(self.labels) or self.only is not None

    def also(self, labels: Iterable[str]) -> Known:
        """Return these labels and some more, as those of memory."""
        more = Known((), kin=False, only=self.only)
        more.labels = self.labels.union(labels)
        more._stems = self._stems
        return more

    def bears(self, label: str) -> bool:
        """Whether a call bears the label, or one with another number."""
        if label in self.labels:
            return True
        stem = _STEM.sub("", label[:200])
        return stem != label and stem in self._stems

    def takes(self, name: str) -> bool:
        """Whether a name between two dollars is a reference."""
        return self.only is None or name in self.only or self.bears(name)


NO_LABELS = Known(())


def known_of(sequence: Sequence, format: str | None = None) -> Known:
    """
    Return by what references are told from text in a sequence as it was judged.

    A `format` with labels takes every `$x$` for a reference, unless the sequence was read from it.
    """
    names = sequence.names if format in (None, sequence.format) else None
    return Known((call.label for call in sequence.calls), only=names)


def other_reference(
    text: str, opening: re.Match[str], known: Known
) -> tuple[Reference, int] | None:
    """Return the reference that begins at the end of an opening, in its spelling, and where it ends."""
    if opening[2]:
        start = opening.end() - 1
        braces = text[opening.end() : opening.end() + 1] == "{"
        match = (_BRACES if braces else _NARROW).match(text, start)
    else:
        braces = False
        match = _CURLY.match(text, opening.end() - 2)
    if match is None or not known.bears(match[1]):
        return None
    path = _path(match[2])
    if path is None:
        return None
    spelling: Spelling = "braces" if braces else "dollar" if opening[2] else "curly"
    found = Reference.model_construct(label=match[1], path=path, spelling=spelling, text=match[0])
    return found, match.end()


def _path(steps: str) -> FieldPath | None:
    path: list[str | int] = []
    for field, index, name in _STEP.findall(steps):
        if field and not field.strip():
            return None
        path.append(field.strip() or (int(index) if index else unquoted(name)))
    return tuple(path)


def splits(label: str, steps: str, known: Known) -> bool:
    """
    Whether `$label.path$` rather opens a reference in another spelling, as in `$var1.x, $var2.y`.

    So it is when the last field would end in a blank, a comma, a semicolon or a backslash. The label
    counts as it would be read there: `$var1-` begins with `$var1`.
    """
    if not (steps[-1:].isspace() or steps[-1:] in (",", ";", "\\")):
        return False
    plain = _PLAIN.match(label)
    return plain is not None and known.bears(plain[0])


def other_text(reference: Reference, spelling: Spelling) -> str | None:
    """Print a reference in another spelling; None where it cannot be so written."""
    return spelt(reference.label, reference.path, spelling)


Part: TypeAlias = str | Reference | Ask

# No part of a reference may hold a dollar but its two ends, so each search stops at the next dollar:
# the time is linear in the length of the text.
_QUOTED_REFERENCES = r"\['[^'$]*+'\]"
_HEAD = rf"(?:{LABEL.pattern}|{_QUOTED_REFERENCES})"
# (Groups that repeat are not possessive: before 3.11.4 Python keeps half of a repetition that fails.)
_STEPS = rf"(?:\.[^$.\[\]]++|\[[0-9]{{1,9}}\]|{_QUOTED_REFERENCES})*"
_WHOLE = re.compile(rf"\$({_HEAD})({_STEPS})\$")
_BODY = re.compile(rf"({_HEAD})({_STEPS})")
_SCAN = re.compile(rf"((?:\$\$)*+)\$({_HEAD})({_STEPS})\$|(\$++)({_HEAD}{_STEPS}(?=\$))?")
_STEP_REFERENCES = re.compile(r"\.([^$.\[\]]+)|\[([0-9]+)\]|(\['[^'$]*'\])")


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


def to_source(
    value: Any, asks: Collection[str] = (), known: Known = NO_LABELS, depth: int = 0
) -> Source:
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
    if whole is not None and known.takes(_name(whole[1])):
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
    if not known.takes(_name(body[1])):
        return None
    if splits(body[1], body[2], known) or (
        body[2].endswith("\\") and _is_guarded(text, body.end(), known)
    ):
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
    name = _name(head)
    text = f"${head}{steps}$"
    if not steps:
        return Ask(name=name) if name in asks else Reference(label=name, text=text)
    path = tuple(
        field if field else int(index) if index else unquoted(name_)
        for field, index, name_ in _STEP_REFERENCES.findall(steps)
    )
    return Reference(label=name, path=path, text=text)


def _name(head: str) -> str:
    return unquoted(head) if head[0] == "[" else head


def is_closing(opening: re.Match[str], closing: int) -> bool:
    """Whether this is the dollar that closes an escaped reference; it opens none in another spelling."""
    return opening.start() == closing and opening[0] == "$"


def reads_as_body(text: str) -> bool:
    """Whether a text between two dollars makes them a reference."""
    return _BODY.fullmatch(text) is not None
