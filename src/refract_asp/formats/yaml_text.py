"""
YAML as JSON values: with the line of each value, and with nothing guessed.

Read from the events of PyYAML's safe loader, so no tag can build an object. A plain scalar is null, true,
false, a number or a text as in YAML 1.2; a date or a time stays text, and so does a number with a leading
zero. `yes`, `no`, `on` and `off`, which YAML 1.1 takes for true and false, are refused: a list of countries
must not silently lose Norway. Keys are texts, and unique; a whole number is a text there, as it is in JSON
(`200:`). Aliases and merge keys are followed within a bound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.values import (
    MAX_DEPTH,
    UnreadableError,
    check_number,
    check_text,
    json_text,
)

__all__ = [
    "MAX_TEXT",
    "parse_yaml",
    "reads_as_text",
    "yaml_text",
]


MAX_TEXT = 20_000_000
MAX_ALIASED = 100_000
"""How many values aliases may repeat in one document."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_UNSURE = frozenset(
    form for word in ("yes", "no", "on", "off") for form in (word, word.title(), word.upper())
)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TAG = "tag:yaml.org,2002:"
_MERGE = object()


@dataclass
class _Frame:
    """A container that is being read."""

    value: Any
    anchor: str | None
    line: int
    start: int
    lines: dict[Any, int] = field(default_factory=dict)
    key: Any = None
    merged: list[Any] = field(default_factory=list)


class _Builder:
    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.lines: dict[int, dict[Any, int]] = {}
        self.count = 0
        self.aliased = 0
        self.documents = 0
        self.root: Any = None

    def event(self, event: Any, kind: str) -> None:
        line = event.start_mark.line + 1
        if kind == "ScalarEvent":
            self.count += 1
            value = self._scalar(event, line)
            if type(value) is int and self._wants_key() and str(value) == event.value:
                value = event.value
            self._add(value, line, event.anchor, 1)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            if event.tag not in (None, "!", _TAG + "map", _TAG + "seq"):
                self._fail(f"the tag {shown(event.tag, 80)} is not allowed.", line, "Leave it out.")
            if len(self.stack) >= MAX_DEPTH:
                where = self._where(line)
                raise LimitError(
                    f"lists and objects are nested deeper than {MAX_DEPTH}.", where=where
                )
            if self._wants_key():
                self._fail("a key is a list or an object.", line, "Keys are texts.")
            self.count += 1
            self.stack.append(_Frame({} if kind[0] == "M" else [], event.anchor, line, self.count))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            frame = self.stack.pop()
            for source in frame.merged:
                for key, value in source.items():
                    frame.value.setdefault(key, value)
            self.lines[id(frame.value)] = frame.lines
            self._add(frame.value, frame.line, frame.anchor, self.count - frame.start + 1)
        elif kind == "AliasEvent":
            if event.anchor not in self.anchors:
                self._fail(f"nothing is anchored as {shown(event.anchor, 80)!r} before this.", line)
            value, size = self.anchors[event.anchor]
            self.aliased += size
            if self.aliased > MAX_ALIASED:
                what = f"the aliases repeat more than {MAX_ALIASED:,} values."
                raise LimitError(
                    what, where=self._where(line), hint="Write the values out, or split the file."
                )
            self.count += size
            self._add(value, line, None, size)
        elif kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                self._fail("the text holds more than one document.", line, "Split it.")

    def _add(self, value: Any, line: int, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self.anchors[anchor] = (value, size)
        if not self.stack:
            self.root = value
            return
        frame = self.stack[-1]
        if isinstance(frame.value, list):
            frame.lines[len(frame.value)] = line
            frame.value.append(value)
        elif frame.key is None:
            self._key(frame, value, line)
        else:
            if frame.key is _MERGE:
                merged = value if isinstance(value, list) else [value]
                if not all(isinstance(source, dict) for source in merged):
                    self._fail("`<<` takes an object or a list of objects.", line)
                frame.merged.extend(merged)
            else:
                frame.value[frame.key] = value
            frame.key = None

    def _key(self, frame: _Frame, key: Any, line: int) -> None:
        if key is _MERGE:
            frame.key = key
            return
        if isinstance(key, dict | list):
            self._fail("a key is a list or an object.", line, "Keys are texts.")
        if not isinstance(key, str):
            self._fail(
                f"a key reads as {json_text(key)}, not as a text.", line, "Put it in quotes."
            )
        if key in frame.lines:
            first = frame.lines[key]
            self._fail(
                f"the key {shown(key, 80)!r} stands twice (first in line {first}).",
                line,
                "Remove one.",
            )
        frame.lines[key] = line
        frame.key = key

    def _wants_key(self) -> bool:
        return (
            bool(self.stack)
            and isinstance(self.stack[-1].value, dict)
            and self.stack[-1].key is None
        )

    def _scalar(self, event: Any, line: int) -> Any:
        text: str = event.value
        tag: str | None = event.tag
        try:
            check_text(text)
        except UnreadableError as error:
            self._fail(error.what, line)
        if tag in ("!", _TAG + "str") or (tag is None and not event.implicit[0]):
            return text
        if text == "<<" and tag is None and self._wants_key():
            return _MERGE
        if tag not in (None, _TAG + "int", _TAG + "float", _TAG + "bool", _TAG + "null"):
            self._fail(f"the tag {shown(tag, 80)} is not allowed.", line, "Leave it out.")
        if text in _NULL:
            return None
        if text in _BOOL:
            return _BOOL[text]
        if text in _UNSURE:
            hint = "Put it in quotes" + ("." if self._wants_key() else ", or write true or false.")
            self._fail(
                f"`{text}` is a truth value to some readers of YAML and text to others.", line, hint
            )
        try:
            if _INTEGER.fullmatch(text):
                return check_number(int(text))
            if _HEXADECIMAL.fullmatch(text):
                return check_number(int(text, 16))
            if _FLOAT.fullmatch(text):
                return check_number(float(text))
        except (UnreadableError, ValueError):
            self._fail("the number is too large.", line, "Put it in quotes.")
        if _NOT_FINITE.fullmatch(text):
            self._fail(f"{text} is not a JSON value.", line, "Use null or a text.")
        return text

    def _where(self, line: int) -> str:
        place = self.origin.at()
        return f"{place}:{line}" if place else f"line {line}"

    def _fail(self, what: str, line: int, hint: str = "") -> NoReturn:
        raise FormatError(what, where=self._where(line), hint=hint)


def reads_as_text(text: str) -> bool:
    """
    Whether a plain scalar of this text is a text, and not null, a truth value, a number or refused.

    Example:
        >>> reads_as_text("Norway"), reads_as_text("no"), reads_as_text("1e3")
        (True, False, False)
    """
    words = text in _NULL or text in _BOOL or text in _UNSURE or text == "<<"
    return not words and not any(
        form.fullmatch(text) for form in (_INTEGER, _HEXADECIMAL, _FLOAT, _NOT_FINITE)
    )


def parse_yaml(text: str, origin: Origin) -> tuple[Any, Origin]:
    """
    Read a YAML document; return its value, and the origin with the lines of that value.

    Raises:
        FormatError: the text is not YAML, or holds what JSON cannot; the message names the line.
        LimitError: it is larger than 20 MB, nested deeper than 64, or repeats too much by aliases.
    """
    if len(text) > MAX_TEXT:
        raise LimitError(
            f"the text is longer than {MAX_TEXT:,} characters.", where=origin.at(), hint="Split it."
        )
    try:
        check_text(text)
    except UnreadableError as error:
        raise error.at(origin) from None
    import yaml

    builder = _Builder(origin)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.event(event, type(event).__name__)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = (
            getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        )
        where = origin.at()
        if mark is not None:
            where = f"{where}:{mark.line + 1}" if where else f"line {mark.line + 1}"
        raise FormatError(f"not valid YAML: {shown(problem, 120)}.", where=where) from None
    return builder.root, Origin(origin.name, builder.lines, builder.root)


def yaml_text(value: Any) -> str:
    """
    Print a JSON value as YAML, a key or an element a line.

    Text that could be taken for something else stands in quotes; what does not print is escaped.

    Raises:
        LimitError: the text would be longer than what is read back.

    Example:
        >>> print(yaml_text({"tools": [{"name": "no", "effect": "read"}]}), end="")
        tools:
        - name: "no"
          effect: read
    """
    text: str = _dumped(value)
    if not text.replace("\n", "").isprintable():
        text = "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text)
    if len(text) > MAX_TEXT:
        what = f"as YAML this is longer than {MAX_TEXT:,} characters."
        raise LimitError(what, where=Origin().at(), hint="Write it as JSON.")
    return text


def _escaped(character: str) -> str:
    """Return the escape that a character has between double quotes, where all of them stand."""
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _dumped(value: Any) -> Any:
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        """Quotes text by our own rules; nothing is repeated by aliases."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
            return True

    def text_node(dumper: Any, text: str) -> Any:
        lines = text.split("\n")
        if not all(line.isprintable() for line in lines) or not reads_as_text(text):
            style = '"'
        elif len(lines) > 1:
            style = "|" if all(line == line.strip() for line in lines) and lines[0] else '"'
        else:
            style = None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, text_node)
    return yaml.dump(
        value,
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=100,
    )
