r"""
References inside texts, and sources as JSON values: how they are read and how they are printed.

A reference is `$name$` or `$label.path$`. The label is a letter or `_`, then word characters or
dashes; a path continues with `.field` (anything but `$ . [ ]`) or `[n]`. Names that cannot be written
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

Where a call has the label, `$label.path`, `${label.path}` and `{{label.path}}` are references too, and a
backslash before them makes them text. Where whoever writes has no labels, only some names are referred to
(`Known.only`): every other `$name$` is text without an escape.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Any, TypeAlias

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.formats import values
from refract_asp.formats.values import Origin, Twice, UnreadableError, located
from refract_asp.model import Ask, Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import LABEL, FieldPath, Spelling, quoted, reference_text, unquoted
from refract_asp.model.stages import reads_of
from refract_asp.ports import regex

# A text may have so many references; a sequence with more is refused later anyway.
MAX_REFERENCES = 20_000

Part: TypeAlias = str | Reference | Ask
_SOURCES = (Ask, Constant, Reference, Structure, Template)
Printer: TypeAlias = Callable[[Reference | Ask], str]

_LABEL = r"[^\W\d]\w*+(?:-\w++)*"
_INDEX = r"\[[0-9]{1,9}\]"
_QUOTED = r"\['[^'$]*+'\]"
_WORD = r"\w++(?:-\w++)*"
_NARROW = regex(rf"\$({_LABEL})((?:\.{_WORD}|{_INDEX}|{_QUOTED})*)")
_WIDE = rf"\s*+({_LABEL})((?:\.[^$.\[\]{{}}]++|{_INDEX}|{_QUOTED})*)\s*+"
_BRACES = regex(rf"\$\{{{_WIDE}\}}")
_CURLY = regex(rf"\{{\{{{_WIDE}\}}\}}")
_STEP = regex(r"\.([^$.\[\]]+)|\[([0-9]+)\]|(\['[^'$]*'\])")
_PLAIN = regex(_LABEL)
_STEM = regex(r"\d+$")
# No part of a reference may hold a dollar but its two ends, so each search stops at the next dollar:
# the time is linear in the length of the text.
# (Groups that repeat are not possessive: before 3.11.4 Python keeps half of a repetition that fails.)
BODY = regex(rf"({LABEL.pattern}|{_QUOTED})((?:\.[^$.\[\]]++|{_INDEX}|{_QUOTED})*)")
_WHOLE = regex(rf"\${BODY.pattern}\$")
# Where a reference may begin: backslashes, then dollars or two braces.
OPENING = regex(r"(\\*+)(?:(\$++)|\{\{)")


class Known:
    """The labels by which references in other spellings are distinguished from text."""

    def __init__(
        self, labels: Iterable[str | None], *, kin: bool = True, only: Iterable[str] | None = None
    ) -> None:
        """
        Take the labels of a sequence; with `kin` those that are written like them count as well.

        `only` are the names that `$...$` may refer to besides; None where it may refer to any.
        """
        self.labels = frozenset(label for label in labels if label)
        self.only = None if only is None else frozenset(only)
        stems = (_STEM.sub("", label[:200]) for label in self.labels) if kin else ()
        self._stems = frozenset(stems)

    def __bool__(self) -> bool:
        """Whether there is anything by which references are distinguished from text."""
        return bool(self.labels) or self.only is not None

    def also(self, labels: Iterable[str]) -> Known:
        """Return these labels and some more, as those of memory."""
        more = Known((), only=self.only)
        more.labels = self.labels.union(labels)
        more._stems = self._stems
        return more

    def has(self, label: str) -> bool:
        """Whether a call has the label, or one with another number."""
        stem = _STEM.sub("", label[:200])
        return label in self.labels or (stem != label and stem in self._stems)

    def takes(self, name: str) -> bool:
        """Whether a name between two dollars is a reference."""
        return self.only is None or name in self.only or self.has(name)


NO_LABELS = Known(())


def known_of(sequence: Sequence, format: str | None = None) -> Known:
    """
    Return the labels and names that distinguish references from text in a sequence, as it was read.

    A `format` with labels takes every `$x$` for a reference, unless the sequence was read from it.
    """
    names = sequence.names if format in (None, sequence.format) else None
    return Known((call.label for call in sequence.calls), only=names)


# -- reading ---------------------------------------------------------------------------


def read_source(
    value: Any, asks: Collection[str] = (), where: str = "", labels: Collection[str] = ()
) -> Source:
    """
    Return the source that a JSON value stands for.

    Args:
        value: a JSON value, with references in its texts.
        asks: names that are asked of the user: `$name$` of one of these is an `Ask`.
        where: the place of the value, for messages.
        labels: those of the calls; references to them are read in other spellings too.

    Raises:
        FormatError: the value, or something in it, is not JSON.
        LimitError: it is nested deeper than 64.

    Example:
        >>> read_source("$var1.skyId$")
        Reference(kind='reference', label='var1', path=('skyId',), bare=False)
    """
    with located(Origin(where)):
        return to_source(value, asks, Known(labels) if labels else NO_LABELS)


def to_source(value: Any, asks: Collection[str] = (), known: Known = NO_LABELS) -> Source:
    """Do what `read_source` does, but raise `UnreadableError`."""

    def of_text(text: str) -> Any:
        values.check_text(text)
        if "$" not in text and not (known and "{{" in text):
            return text
        whole = _WHOLE.fullmatch(text)
        if whole is not None and known.takes(_name(whole[1])):
            return _slot(whole[1], whole[2], asks)
        return of_parts(_parts(text, asks, known))

    return _source(values.rebuilt(value, of_text, _held))


def _source(value: Any) -> Source:
    return value if isinstance(value, _SOURCES) else Constant(value=value)


def _held(value: Any) -> Any:
    """Return an object or a list of values and sources: as values where all of these are constants."""
    inside = list(value.values()) if isinstance(value, dict) else value
    held: list[Any] = [each.value if type(each) is Constant else each for each in inside]
    is_plain = not any(isinstance(each, _SOURCES) for each in held)
    if not is_plain:
        held = list(map(_source, inside))
    whole = dict(zip(value, held, strict=True)) if isinstance(value, dict) else held
    return whole if is_plain else Structure(value=whole)


def sources_of(raw: Any, known: Known, asks: Collection[str] = ()) -> dict[str, Source]:
    """
    Return the sources that an object of names and values holds.

    Raises:
        UnreadableError: it is no object, or a value in it is not JSON.
    """
    if not isinstance(raw, dict):
        raise UnreadableError("an object of names and values is needed.")
    if isinstance(raw, Twice):
        raise raw.error
    sources: dict[str, Source] = {}
    for key, value in raw.items():
        name = values.check_key(key)
        try:
            sources[name] = to_source(value, asks, known)
        except UnreadableError as error:
            raise error.inside(name) from None
    return sources


def structure_of(value: dict[str, Source] | list[Source]) -> Source:
    """Return the source that holds other ones: a constant where all of these are."""
    return _source(_held(value))


def of_parts(parts: Iterable[Part]) -> Source:
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
        if len(parts) > 2 * MAX_REFERENCES:
            what = f"a text has more than {MAX_REFERENCES:,} references."
            raise UnreadableError(what, "Give it in parts.", LimitError)
        literal += text[position : opening.start()]
        slashes, run = opening.groups()
        body = _closed_body(text, opening, known)
        found = None if body else other_reference(text, opening, known, closing)
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
        elif found is None:
            literal += slashes + (run or "{")
            position = opening.end() - (not run)
        else:
            reference, position = found
            before = run[:-1] if run else ""
            literal += slashes + before if before else "\\" * (len(slashes) // 2)
            if not before and len(slashes) % 2:
                literal += text[opening.end() - (1 if run else 2) : position]
            else:
                parts += (literal, reference)
                literal = ""
    return [*parts, literal + text[position:]]


def other_reference(
    text: str, opening: re.Match[str], known: Known, closing: int = -1
) -> tuple[Reference, int] | None:
    """
    Return the reference that begins at the end of an opening, in its spelling, and where it ends.

    A single dollar at `closing` closes an escaped reference, and opens none.
    """
    if opening.start() == closing and opening[0] == "$":
        return None
    end = opening.end()
    spelling: Spelling = "curly"
    if opening[2]:
        spelling = "braces" if text[end : end + 1] == "{" else "dollar"
    form, width = {"curly": (_CURLY, 2), "braces": (_BRACES, 1), "dollar": (_NARROW, 1)}[spelling]
    match = form.match(text, end - width)
    if match is None or not known.has(match[1]):
        return None
    path = _path(match[2], strip=True)
    if path is None:
        return None
    found = Reference.model_construct(label=match[1], path=path, spelling=spelling, text=match[0])
    return found, match.end()


def _path(steps: str, *, strip: bool = False) -> FieldPath | None:
    """Return the steps of a reference; None where a field is nothing once it is stripped."""
    path: list[str | int] = []
    for field, index, name in _STEP.findall(steps):
        step = field.strip() if strip else field
        if field and not step:
            return None
        path.append(step or (int(index) if index else unquoted(name)))
    return tuple(path)


def _closed_body(text: str, opening: re.Match[str], known: Known) -> re.Match[str] | None:
    """Return label and path of `$label.path$`, or None when what begins here is not so written."""
    body = _closed(text, opening.end()) if opening[2] else None
    if body is None or not known:
        return body
    if not known.takes(_name(body[1])) or _splits(body, known):
        return None
    following = OPENING.match(text, body.end()) if body[2].endswith("\\") else None
    if following is not None and following[2] == "$" and other_reference(text, following, known):
        # as in `$a.\$var1.x`: the backslash is the escape of the next reference, no part of a name
        inner = _closed(text, following.end())
        if inner is None or _splits(inner, known):
            return None
    return body


def _closed(text: str, position: int) -> re.Match[str] | None:
    """Return label and path that begin here and end before a dollar."""
    body = BODY.match(text, position)
    return body if body is not None and text[body.end() : body.end() + 1] == "$" else None


def _splits(body: re.Match[str], known: Known) -> bool:
    """
    Whether `$label.path$` rather opens a reference in another spelling, as in `$var1.x, $var2.y`.

    So it is when the last field would end in a blank, a comma, a semicolon or a backslash. The label
    counts as it would be read there: `$var1-` begins with `$var1`.
    """
    if not (body[2][-1:].isspace() or body[2][-1:] in (",", ";", "\\")):
        return False
    plain_label = _PLAIN.match(body[1])
    return plain_label is not None and known.has(plain_label[0])


def _slot(head: str, steps: str, asks: Collection[str]) -> Reference | Ask:
    name = _name(head)
    if not steps and name in asks:
        return Ask(name=name)
    return Reference(label=name, path=_path(steps) or (), text=f"${head}{steps}$")


def _name(head: str) -> str:
    return unquoted(head) if head[0] == "[" else head


# -- printing --------------------------------------------------------------------------


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
    for step in slot.path:
        if slot.written is None and isinstance(step, int) and not 0 <= step < 10**9:
            what = f"the index {step} in a path cannot be printed."
            raise FormatError(what, where=shown(str(slot)))
    return slot.spelt()


def stood_text(slot: Reference | Ask) -> str:
    """
    Print a reference as it stood in the text that it was read from, else as `slot_text` does.

    Example:
        >>> stood_text(Reference(label="x", path=("a",), text="$x['a']$"))
        "$x['a']$"
    """
    if not isinstance(slot, Reference) or slot.text is None:
        return slot_text(slot)
    stands = to_source(slot.text, (), Known([slot.label])) == slot
    return slot.text if stands else slot_text(slot)


def source_value(source: Source, labels: Collection[str | None] | Known = ()) -> Any:
    """
    Return the JSON value that stands for a source; the inverse of `read_source`.

    Args:
        source: what to print.
        labels: those of the calls, or what distinguishes references from text; text that would read
            as a reference is escaped. Whoever prints many sources gives a `Known`, or the labels are
            gathered anew for each.

    Raises:
        FormatError: a constant is not a JSON value.
        LimitError: it is nested deeper than 64.

    Example:
        >>> source_value(Constant(value="$var1.x$")), source_value(Constant(value="$100-$200"))
        ('$$var1.x$', '$100-$200')
    """
    with located(Origin()):
        return to_value(source, labels if isinstance(labels, Known) else Known(labels))


def to_value(source: Source, known: Known, depth: int = 0, print_slot: Printer = slot_text) -> Any:
    """Do what `source_value` does, but raise `UnreadableError`."""
    if isinstance(source, Constant):

        def escaped(text: str) -> str:
            is_plain = "$" not in values.check_text(text) and "{{" not in text
            return text if is_plain else _joined_text((text,), known, slot_text)

        return values.rebuilt(source.value, escaped, values.unchanged, depth)
    if isinstance(source, Template):
        return _joined_text(source.parts, known, print_slot)
    if isinstance(source, Structure):
        if depth >= values.MAX_DEPTH:
            raise values.too_deep()
        if isinstance(source.value, dict):
            inside = source.value.items()
            return {key: to_value(each, known, depth + 1, print_slot) for key, each in inside}
        return [to_value(inner, known, depth + 1, print_slot) for inner in source.value]
    return print_slot(source)


def _joined_text(parts: tuple[Part, ...], known: Known, print_slot: Printer) -> str:
    """
    Print the parts of a text, with what would read as a reference escaped.

    What reads back as something else, because of what stands beside a reference, is printed with plain
    dollars and quoted names.
    """
    references = [part for part in parts if isinstance(part, Reference)]
    foreign = [each.label for each in references if each.spelling != "dollars"]
    if not all(map(known.has, foreign)):
        known = known.also(foreign)
    merged: list[Part] = []
    for is_text, group in groupby(parts, lambda part: isinstance(part, str)):
        pieces = list(group)
        merged += ["".join(map(str, pieces))] if is_text else pieces
    text = _joined(merged, known, print_slot)
    if known and ("$" in text or "{{" in text):
        asks = {part.name for part in parts if isinstance(part, Ask)}
        if repr(to_source(text, asks, known)) != repr(of_parts(merged)):

            def in_quotes(slot: Reference | Ask) -> str:
                if isinstance(slot, Ask):
                    return str(slot)
                steps = (f"[{key}]" if isinstance(key, int) else quoted(key) for key in slot.path)
                return f"{reference_text(slot.label)[:-1]}{''.join(steps)}$"

            text = _joined(merged, known, in_quotes)
    return text


def _joined(parts: list[Part], known: Known, print_slot: Printer) -> str:
    """Print literals, each with an eye on the slot after it, and slots."""
    text = ""
    following = ""
    for part in reversed(parts):
        if isinstance(part, str):
            text = _guarded(part, following, known) + text
            following = ""
        else:
            following = print_slot(part)
            text = following + text
    return text


def _guarded(literal: str, following: str, known: Known) -> str:
    """Escape what would read as a reference in any spelling; `following` is what stands after the literal."""
    text = literal + following
    written = ""
    position = 0
    closing = -1
    while (opening := OPENING.search(literal, position)) is not None:
        written += literal[position : opening.start()]
        slashes, run = opening.groups()
        body = _closed_body(text, opening, known)
        found = None if body else other_reference(literal, opening, known, closing)
        before_dollar = opening.end() == len(literal) and following.startswith("$")
        if body is not None:
            written += slashes + run * 2 + body[0]
            position = closing = body.end()
        elif found is not None:
            kept = run[:-1] if run else ""
            written += slashes + kept if kept else slashes * 2
            written += "\\" + literal[opening.end() - (1 if run else 2) : found[1]]
            position = found[1]
        elif run and before_dollar and following[1:2] != "{":
            written += slashes + run * 2
            position = opening.end()
        else:
            written += slashes + (run or "{")
            position = opening.end() - (not run)
    written += literal[position:]
    if known and following and not (following.startswith("$") and following.endswith("$")):
        written += "\\" * (len(written) - len(written.rstrip("\\")))
    return written


# -- what is meant as a reference, by memory and history -------------------------------

# Whether a tool says that it returns something at a path.
Declares: TypeAlias = Callable[[str, FieldPath], bool]
Change: TypeAlias = Callable[[Source], Source]
Done: TypeAlias = Callable[[Call], None]

# A longer text is no reference.
MAX_WRITTEN = 500

_DOLLARS = regex(rf"\$({LABEL.pattern})([.\[][^$]*)\$")
_NOTATION = regex(
    r"\$?(?:\{\{(?P<roots>[^{}$]+)\}\}|\{(?P<braces>[^{}$]+)\}|<(?P<angles>[^<>$]+)>|(?P<bare>[^{}<>$]+))\$?"
)
# What an earlier call returned, in words.
_TOLD = regex(r"<(?:the )?(?:result|output|response)s? (?:of|from) ([\w.:/-]+)>", re.I)
_DOTTED = regex(rf"\s*({LABEL.pattern}|\d{{1,4}})((?:\.{LABEL.pattern}|\[[^\[\]\s]*\])+)\s*")
_ANY_STEP = regex(r"\.([^.\[\]]*)|\[([^\[\]]*)\]")
# Words for an element, of which the first number counts, else the first element.
_ANY_INDEX = regex(r"(\d{1,9})?[-+\d:*]*|first|last|any|all|[a-z]")
_CONTROL = regex(r"[\x00-\x1f\x7f-\x9f]+")


def with_names(sequence: Sequence, names: Collection[str], *, labels: bool = True) -> Sequence:
    """
    Return a sequence in whose texts `$...$` refers only to some names; everywhere else it is text.

    Such text is what stood there, to the byte. References outside of texts, as the names of the printed form,
    and what is asked for stay what they are.

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
    slots = (read.reference for read in reads_of(sequence))
    outside = {slot.label for slot in slots if slot.text is None}
    before = Known(borne)
    after = Known(borne if labels else (), only={*names, *outside, *sequence.asks})

    def read(source: Source) -> Source:
        if isinstance(source, Ask) or (isinstance(source, Reference) and source.text is None):
            return source
        if isinstance(source, Constant) and not _has_opening(source.value):
            return source
        return to_source(to_value(source, before, print_slot=stood_text), sequence.asks, after)

    return with_sources(sequence, read).model_copy(update={"names": after.only})


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
        while (opening := OPENING.search(text, position)) is not None:
            found = None if len(opening[1]) % 2 else other_reference(text, opening, known)
            position = opening.end() - (not opening[2])
            # `$name$` is no other spelling: where it is text, its author wrote it so
            is_text = found and found[0].spelling == "dollar" and text.startswith("$", found[1])
            if found is not None and not is_text:
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

    return with_sources(sequence, respelt, returns=False) if known else sequence


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
        told = _TOLD.fullmatch(text)
        found = [each for each in tools if told[1] in (each, tools[each])] if told else []
        if len(found) == 1:
            return Reference(label=found[0], written=text)
        return _meant(text, tools, declares, only_known=only_known) or source

    def done(call: Call) -> None:
        if call.label:
            tools[call.label] = call.name

    return with_sources(sequence, partial(_rewritten, change=read), done)


def with_sources(
    sequence: Sequence, change: Change, done: Done = lambda _: None, *, returns: bool = True
) -> Sequence:
    """
    Return a sequence with other sources; what does not change is the same object.

    `done` is called with each call after its arguments; with `returns`, what is given back changes as well.
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
        if BODY.fullmatch(text[1:-1]) or (only_known and dollars[1] not in tools):
            return None  # it was escaped, or nothing there has a label: it is text
        path = _meant_path(dollars[2], dollars[1] in tools)
        return None if path is None else Reference(label=dollars[1], path=path, written=text)
    notation = _NOTATION.fullmatch(text)
    body = _DOTTED.fullmatch(notation[str(notation.lastgroup)]) if notation is not None else None
    path = _meant_path(body[2], True) if body is not None else None
    if notation is None or body is None or path is None:
        return None
    # a mere `1.html` is the name of a file
    label = body[1] if notation["bare"] == text else _borne(body[1], tools)
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


def _borne(label: str, tools: Iterable[str]) -> str:
    """Return the label that has a number, as is meant by `$1.id$`; any other one is itself."""
    bearers = (each for each in tools if re.sub(r"^\D+", "", each) == label)
    return next(bearers, label) if label.isdigit() else label


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
