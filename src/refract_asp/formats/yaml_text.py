"""
YAML as JSON values: with the line of each value, and with nothing guessed.

Read from the events of PyYAML's safe loader, so no tag can build an object. A plain scalar is null, true,
false, a number or a text as in YAML 1.2; a date or a time stays text, and so does a number with a leading
zero. `yes`, `no`, `on` and `off`, which YAML 1.1 takes for true and false, are refused: a list of countries
must not silently lose Norway. Keys are texts, and unique; a whole number is a text there, as it is in JSON
(`200:`). Aliases and merge keys are followed within a bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from refract_asp.errors import FormatError, InputError, LimitError, shown
from refract_asp.formats import values
from refract_asp.formats.values import Origin, UnreadableError, located
from refract_asp.model.paths import as_list
from refract_asp.ports import regex

# Characters of a YAML document.
MAX_TEXT = 20_000_000
# How many values a document may hold; its parser takes some 10 us for each.
MAX_VALUES = 1_000_000
# How many values aliases may repeat in one document.
MAX_ALIASED = 100_000

_WORDS: dict[str, bool | None] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True)
_WORDS |= dict.fromkeys(("false", "False", "FALSE"), False)
_UNSURE = {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"}
_NUMBER = regex(
    r"(?P<integer>[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+)"
    r"|[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|(?P<endless>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = (None, *(_TAG + kind for kind in ("int", "float", "bool", "null")))
_MERGE = object()


def parse_yaml(text: str, origin: Origin) -> tuple[Any, dict[int, dict[Any, int]]]:
    """
    Read a YAML document; return its value, and for each container in it, by id, the lines of what it holds.

    Raises:
        FormatError: the text is not YAML, or holds what JSON cannot; the message names the line.
        LimitError: it is larger than 20 MB, holds more than 1,000,000 values, is nested deeper than 64, or
            repeats too much by aliases.
    """
    if len(text) > MAX_TEXT:
        what = f"the text is longer than {MAX_TEXT:,} characters."
        raise LimitError(what, where=origin.at(), hint="Split it.")
    with located(origin):
        values.check_text(text)
    import yaml

    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    reader = _Reader(events, origin)
    value = None
    documents = 0
    try:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                what = "the text holds more than one document."
                reader.need(documents == 1, what, event, "Split it.")
            elif isinstance(event, yaml.NodeEvent):
                value = reader.value(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        what = f"not valid YAML: {shown(problem or 'it cannot be read', 120)}."
        where = origin.at() if mark is None else origin.at_line(mark.line + 1)
        hint = "JSON has no comments." if text.lstrip().startswith(("//", "/*")) else ""
        if mark is not None and text[mark.index : mark.index + 1] == "\t":
            hint = "Indent with blanks, not with tabs."
        raise FormatError(what, where=where, hint=hint) from None
    return value, reader.lines


class _Reader:
    """Builds values from events."""

    def __init__(self, events: Iterator[Any], origin: Origin) -> None:
        self.events = events
        self.origin = origin
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.lines: dict[int, dict[Any, int]] = {}
        self.count = self.aliased = 0

    def value(self, event: Any, depth: int = 0, *, is_key: bool = False) -> Any:
        kind = type(event).__name__
        start = self.count
        if kind == "AliasEvent":
            return self.alias(event)
        self.count += 1
        what = f"it holds more than {MAX_VALUES:,} values."
        self.need(self.count <= MAX_VALUES, what, event, "Write it as JSON.", LimitError)
        if kind == "ScalarEvent":
            value = self.scalar(event, is_key)
        else:
            self.check_tag(event, (None, "!", _TAG + "map", _TAG + "seq"))
            what = f"lists and objects are nested deeper than {values.MAX_DEPTH}."
            self.need(depth < values.MAX_DEPTH, what, event, kind=LimitError)
            self.need(not is_key, "a key is a list or an object.", event, "Keys are texts.")
            is_list = kind == "SequenceStartEvent"
            value = self.sequence(depth + 1) if is_list else self.mapping(depth + 1)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.count - start)
        return value

    def alias(self, event: Any) -> Any:
        what = f"nothing is anchored as {shown(event.anchor, 80)!r} before this."
        self.need(event.anchor in self.anchors, what, event)
        value, size = self.anchors[event.anchor]
        self.count += size
        self.aliased += size
        what = f"the aliases repeat more than {MAX_ALIASED:,} values."
        hint = "Write the values out, or split the file."
        self.need(self.aliased <= MAX_ALIASED, what, event, hint, LimitError)
        return value

    def sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        lines = self.lines[id(items)] = {}
        while type(event := next(self.events)).__name__ != "SequenceEndEvent":
            lines[len(items)] = event.start_mark.line + 1
            items.append(self.value(event, depth))
        return items

    def mapping(self, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        lines = self.lines[id(fields)] = {}
        merged: list[Any] = []
        while type(event := next(self.events)).__name__ != "MappingEndEvent":
            key = self.value(event, is_key=True)
            held = next(self.events)
            if key is not _MERGE:
                self.check_key(key, event, lines)
                fields[key] = self.value(held, depth)
                continue
            value = self.value(held, depth)
            sources = as_list(value)
            are_objects = all(isinstance(source, dict) for source in sources)
            self.need(are_objects, "`<<` takes an object or a list of objects.", held)
            merged += sources
        for source in merged:
            for key, value in source.items():
                fields.setdefault(key, value)
        return fields

    def check_key(self, key: Any, event: Any, lines: dict[Any, int]) -> None:
        """Refuse a key that is no text or stands twice, else note its line."""
        is_group = isinstance(key, dict | list)
        self.need(not is_group, "a key is a list or an object.", event, "Keys are texts.")
        told = "" if isinstance(key, str) else values.json_text(key)
        self.need(not told, f"a key reads as {told}, not as a text.", event, "Put it in quotes.")
        what = f"the key {shown(key, 80)!r} stands twice (first in line {lines.get(key)})."
        self.need(key not in lines, what, event, "Remove one.")
        lines[key] = event.start_mark.line + 1

    def check_tag(self, event: Any, known: tuple[str | None, ...]) -> None:
        what = f"the tag {shown(event.tag, 80)} is not allowed."
        self.need(event.tag in known, what, event, "Leave it out.")

    def scalar(self, event: Any, is_key: bool) -> Any:
        text, tag = event.value, event.tag
        with located(Origin(self.where(event))):
            values.check_text(text)
        if tag in ("!", _TAG + "str") or (tag is None and not event.implicit[0]):
            return text
        if text == "<<" and tag is None and is_key:
            return _MERGE
        self.check_tag(event, _SCALAR_TAGS)
        if text in _WORDS:
            return _WORDS[text]
        what = f"`{text}` is a truth value to some readers of YAML and text to others."
        hint = f"Put it in quotes{'' if is_key else ', or write true or false'}."
        self.need(text not in _UNSURE, what, event, hint)
        number = _NUMBER.fullmatch(text)
        if number is None:
            return text
        what = f"{text} is not a JSON value."
        self.need(not number["endless"], what, event, "Use null or a text.")
        value = None
        with suppress(UnreadableError, ValueError):
            value = values.check_number(int(text, 0) if number["integer"] else float(text))
        self.need(value is not None, "the number is too large.", event, "Put it in quotes.")
        return text if is_key and isinstance(value, int) and str(value) == text else value

    def where(self, event: Any) -> str:
        return self.origin.at_line(event.start_mark.line + 1)

    def need(
        self, ok: bool, what: str, event: Any, hint: str = "", kind: type[InputError] = FormatError
    ) -> None:
        if not ok:
            raise kind(what, where=self.where(event), hint=hint)


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
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        """Quotes text by our own rules; nothing is repeated by aliases."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
            return True

    def text_node(dumper: Any, text: str) -> Any:
        lines = text.split("\n")
        is_other = text in _WORDS or text in _UNSURE or text == "<<" or _NUMBER.fullmatch(text)
        style = None
        if is_other or not all(line.isprintable() for line in lines):
            style = '"'
        elif len(lines) > 1:
            style = "|" if all(line == line.strip() for line in lines) and lines[0] else '"'
        return dumper.represent_scalar(_TAG + "str", text, style=style)

    Dumper.add_representer(str, text_node)
    options: Any = {"sort_keys": False, "default_flow_style": False, "width": 100}
    text: str = yaml.dump(value, Dumper=Dumper, allow_unicode=True, **options)
    if not text.replace("\n", "").isprintable():
        text = yaml.dump(value, Dumper=Dumper, **options)
    if len(text) > MAX_TEXT:
        what = f"as YAML this is longer than {MAX_TEXT:,} characters."
        raise LimitError(what, hint="Write it as JSON.")
    return text
