"""
NESTFUL sequences: a list of `{"name", "arguments", "label"}`.

Read are such a list, one such object, and an object that holds the list as "output" (a row of the NESTFUL
data). Other keys, as "input", "errors" and "response", are passed over. What the sequence gives back
stands in a last entry named "var_result", or under the key "var_result" beside "output". A label may
begin with a dollar, as in newer NESTFUL data: `$var_1` is `var_1` (and `$$x` is `$x`). A bare name is
written as `$name$`. Arguments may be JSON text, in which slips are mended; where those of every call are,
`dialects` reads the list, and prints it as it stood.

What the format has no words for stands in pseudo entries; they have no key "label", while each call is
written with one, be it null:

    {"name": "ask", "arguments": {"date": null}}                                  a value to ask for
    {"name": "confirm", "kind": "argument", "arguments": {"date": "$var7.date$"}} confirms before a call
    {"name": "confirm", "kind": "tool", "arguments": {"Search": null}}
    {"name": "confirm", "kind": "drop", "arguments": {"adults": null}}
    {"name": "var_result", "arguments": {"flights": "$var3$"}}                    what it gives back

A call whose arguments cannot be used is printed with null for them, and the reason under "malformed".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.pretty_reader import confirm_of
from refract_asp.formats.reference_texts import source_value
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.registry import Format
from refract_asp.formats.shapes import decoded, read_object
from refract_asp.formats.values import Twice, UnreadableError, check_text, json_text, parse_json
from refract_asp.model import (
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmTool,
    Sequence,
    Source,
)

__all__ = ["FORMAT"]

_FOREIGN = frozenset(
    {"function", "input", "parameters", "query_parameters", "output_parameters", "inputSchema", "description",
     "args", "kwargs", "action_input", "type"}
)  # fmt: skip
_KINDS = ("argument", "tool", "drop")
_KEYS = frozenset(
    {"name", "label", "arguments", "malformed", "errors", "response", "id", "type", "kind"}
)
"""What may stand beside the name of a call that has no arguments."""
_SHAPE = 'Write {"name": ..., "arguments": {...}, "label": ...}.'


def _is_entry(data: Any) -> bool:
    if not isinstance(data, dict) or "name" not in data:
        return False
    if "arguments" not in data:
        return not _FOREIGN.intersection(data)
    arguments = data["arguments"]
    if arguments is None:
        return "malformed" in data
    return arguments != [] and not isinstance(arguments, str)


def _detects(data: Any) -> bool:
    if isinstance(data, dict):
        return "output" in data or _is_entry(data)
    return isinstance(data, list | tuple) and (not data or any(_is_entry(entry) for entry in data))


def _read(data: Any, origin: Origin) -> Sequence:
    entries, base, result = _entries(data, origin)
    alone = isinstance(data, dict) and "output" not in data
    pseudo = [_pseudo(entry) if isinstance(entry, dict) else "" for entry in entries]
    asks: dict[str, None] = {}
    for kind, entry in zip(pseudo, entries, strict=True):
        if kind == "ask":
            asks.update(dict.fromkeys(entry["arguments"]))
    calls: list[Call] = []
    confirms: list[tuple[FieldPlace, Any]] = []
    labels = (entry.get("label") for kind, entry in zip(pseudo, entries, strict=True)
              if not kind and isinstance(entry, dict))  # fmt: skip
    reading = _Reading(
        origin, asks, Known(label.removeprefix("$") for label in labels if isinstance(label, str))
    )
    returns = None if result is None else reading.sources(result, ("var_result",))
    for index, (kind, entry) in enumerate(zip(pseudo, entries, strict=True)):
        place = () if alone else (*base, index)
        if not kind:
            calls.append(reading.call(entry, place, confirms, len(calls) + 1))
            confirms = []
        elif kind == "confirm":
            confirms.append((place, entry))
        elif kind == "var_result":
            if returns is not None:
                raise origin.error(
                    "the sequence has two var_result.", place, "Remove one of the two."
                )
            returns = reading.sources(entry.get("arguments"), (*place, "arguments"))
    if confirms:
        raise origin.error(
            "no call follows this confirm.", confirms[0][0], "Put it directly before its call."
        )
    if reading.nameless and len(reading.nameless) == len(calls):
        raise reading.nameless[0]
    return Sequence(
        calls=tuple(calls),
        asks=tuple(asks),
        returns=returns,
        format="nestful",
        notes=tuple(reading.notes),
    )


def _entries(data: Any, origin: Origin) -> tuple[list[Any], FieldPlace, Any]:
    """Return the entries, where they stand, and what stands under "var_result"."""
    if isinstance(data, list | tuple):
        return list(data), (), None
    if not isinstance(data, dict):
        raise origin.error("a list of calls is needed.", hint=_SHAPE)
    if "output" not in data:
        return [data], (), None
    entries = data["output"]
    if isinstance(entries, str):
        entries = parse_json(entries, Origin(origin.at(("output",))), lenient=True)
    if not isinstance(entries, list | tuple):
        raise origin.error("a list of calls is needed.", ("output",), _SHAPE)
    return list(entries), ("output",), data.get("var_result")


def _pseudo(entry: dict[str, Any]) -> str:
    """Return which pseudo entry this is, the empty text for a call."""
    name = entry.get("name")
    if name not in ("ask", "confirm", "var_result") or "label" in entry:
        return ""
    arguments = entry.get("arguments")
    if name == "ask":
        asks = (
            isinstance(arguments, dict)
            and arguments
            and all(value is None for value in arguments.values())
        )
        return "ask" if asks else ""
    return name if name == "var_result" or entry.get("kind") in _KINDS else ""


@dataclass
class _Reading:
    """What reading the entries is about; `nameless` tells of those that bear no name."""

    origin: Origin
    asks: Collection[str]
    known: Known
    nameless: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def call(
        self, entry: Any, place: FieldPlace, confirms: list[tuple[FieldPlace, Any]], number: int
    ) -> Call:
        name, label, malformed = "", None, None
        arguments: dict[str, Source] = {}
        try:
            if not isinstance(entry, dict):
                raise self.origin.error("an object is needed for each call.", place, _SHAPE)
            name = self.text(
                entry.get("name"), (*place, "name"), "the name of the tool is needed, as a text."
            )
        except InputError as error:
            self.nameless.append(error)
            return Call(name="", malformed=str(error), written=entry)
        try:
            if entry.get("label") is not None:
                label = self.text(
                    entry["label"], (*place, "label"), "the label has to be a text or null."
                ).removeprefix("$")
            if isinstance(entry, Twice):
                raise entry.error.at(self.origin, *place)
            beside = [key for key in entry if key not in _KEYS] if "arguments" not in entry else []
            if beside:
                what = f"the call has no arguments, but {shown(beside[0], 80)!r} beside its name."
                raise self.origin.error(what, place, _SHAPE)
            if entry.get("arguments", {}) is None and isinstance(entry.get("malformed"), str):
                malformed = self.text(entry["malformed"], (*place, "malformed"), "")
            else:
                arguments = self.arguments(entry, place, f"call {number} ({shown(name, 60)})")
        except InputError as error:
            malformed = str(error)
        opened = tuple(self.confirm(c, at, name, arguments) for at, c in confirms)
        return Call(
            name=name,
            arguments=arguments,
            label=label,
            confirms=opened,
            malformed=malformed,
            written=entry,
        )

    def text(self, value: Any, place: FieldPlace, what: str) -> str:
        if not isinstance(value, str):
            raise self.origin.error(what, place, _SHAPE)
        try:
            return check_text(value)
        except UnreadableError as error:
            raise error.at(self.origin, *place) from None

    def arguments(self, entry: dict[str, Any], place: FieldPlace, call: str) -> dict[str, Source]:
        try:
            value, slips = decoded(entry.get("arguments"))
        except UnreadableError as error:
            raise error.at(self.origin, *place, "arguments") from None
        if slips:
            self.notes.append(f"{call}, arguments: mended {', '.join(slips)}.")
        return self.sources(value, (*place, "arguments"))

    def sources(self, value: Any, place: FieldPlace) -> dict[str, Source]:
        if not isinstance(value, dict):
            raise self.origin.error("an object of names and values is needed.", place, _SHAPE)
        try:
            return read_object(value, self.known, self.asks)
        except UnreadableError as error:
            raise error.at(self.origin, *place) from None

    def confirm(
        self, entry: Any, place: FieldPlace, tool: str, arguments: dict[str, Source]
    ) -> Confirm:
        shows = self.sources(entry.get("arguments"), (*place, "arguments"))
        if len(shows) != 1:
            raise self.origin.error("a confirm names one thing.", (*place, "arguments"))
        ((name, source),) = shows.items()
        return confirm_of(
            entry["kind"], name, source, tool, arguments, lambda: self.origin.at(place)
        )


def _write(sequence: Sequence) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = [
        {"name": "ask", "arguments": {name: None}} for name in sequence.asks
    ]
    known = known_of(sequence, "nestful")
    for call in sequence.calls:
        arguments = _values(call.arguments, known)
        for confirm in call.confirms:
            name = call.name if isinstance(confirm, ConfirmTool) else confirm.parameter
            value = arguments.get(name) if isinstance(confirm, ConfirmArgument) else None
            entries.append({"name": "confirm", "kind": confirm.kind, "arguments": {name: value}})
        label = (
            f"${call.label}"
            if call.label is not None and call.label.startswith("$")
            else call.label
        )
        if call.malformed is not None:
            entries.append(
                {"name": call.name, "arguments": None, "label": label, "malformed": call.malformed}
            )
            continue
        before = (
            call.written if sequence.format == "nestful" and isinstance(call.written, dict) else {}
        )
        printed = json_text(arguments) if isinstance(before.get("arguments"), str) else arguments
        entries.append({"name": call.name, "arguments": printed, "label": label})
    if sequence.returns is not None:
        entries.append({"name": "var_result", "arguments": _values(sequence.returns, known)})
    return entries


def _values(sources: dict[str, Source], known: Known) -> dict[str, Any]:
    return {name: source_value(source, known) for name, source in sources.items()}


FORMAT: Format[Sequence] = Format(
    name="nestful",
    kind="sequence",
    looks='objects with "name", "arguments" and "label", as a list or under "output"',
    detects=_detects,
    read=_read,
    write=_write,
)
