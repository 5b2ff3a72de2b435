"""
NESTFUL sequences: a list of `{"name", "arguments", "label"}`.

Read are such a list, one such object, and an object that holds the list as "output" (a row of the NESTFUL
data). Other keys, as "input", "errors" and "response", are passed over. What the sequence gives back
stands in a last entry named "var_result", or under the key "var_result" beside "output". A label may
begin with a dollar, as in newer NESTFUL data: `$var_1` is `var_1` (and `$$x` is `$x`). A bare name is
written as `$name$`. Arguments may be JSON text, in which slips are mended; where those of every call are,
`dialects` reads the list, and prints it as it stood.

What the format has no words for stands in pseudo entries; they have no key "label", while each call is
written with one, be it null, but where it came without:

    {"name": "ask", "arguments": {"date": null}}                                  a value to ask for
    {"name": "confirm", "kind": "argument", "arguments": {"date": "$var7.date$"}} confirms before a call
    {"name": "confirm", "kind": "tool", "arguments": {"Search": null}}
    {"name": "confirm", "kind": "drop", "arguments": {"adults": null}}
    {"name": "var_result", "arguments": {"flights": "$var3$"}}                    what it gives back

A call whose arguments cannot be used is printed with null for them, and the reason under "malformed".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refract_asp.errors import shown
from refract_asp.formats.chat import Reading, Shape
from refract_asp.formats.pretty import confirm_of
from refract_asp.formats.references import Known, known_of, source_value, sources_of
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin, json_text, located, parse_json
from refract_asp.model import Call, Confirm, ConfirmArgument, ConfirmTool, Sequence, Source
from refract_asp.model.paths import object_of, without
from refract_asp.resources import packaged

_FOREIGN = frozenset(packaged("formats/places.json")["foreign"]["nestful"])
_KINDS = ("argument", "tool", "drop")
# What may stand beside the name of a call that has no arguments.
_KEYS = {"name", "label", "arguments", "malformed", "errors", "response", "id", "type", "kind"}
# What was said of a call that was read is not said of what became of it.
_RESULTS = {"malformed", "errors", "response"}
_SHAPE = 'Write {"name": ..., "arguments": {...}, "label": ...}.'
_ENTRY = Shape(name=("name",), arguments=("arguments",), id=(), loose=True, optional=True)


def _is_entry(data: Any) -> bool:
    match data:
        case {"name": _, "arguments": None}:
            return "malformed" in data
        case {"name": _, "arguments": arguments}:
            return arguments != [] and not isinstance(arguments, str)
        case {"name": _}:
            return not _FOREIGN.intersection(data)
    return False


def _detects(data: Any) -> bool:
    if isinstance(data, dict):
        return "output" in data or _is_entry(data)
    return isinstance(data, list | tuple) and (not data or any(map(_is_entry, data)))


def _read(data: Any, origin: Origin) -> Sequence:
    entries = list(_entries(data, origin))
    asks = [name for kind, entry, _ in entries if kind == "ask" for name in entry["arguments"]]
    held = [entry for kind, entry, _ in entries if not kind and isinstance(entry, dict)]
    reading = Reading(origin, Known(_label(entry.get("label")) for entry in held), asks)

    def sources(value: Any, at: Origin) -> dict[str, Source]:
        with located(at):
            return sources_of(value, reading.known, asks)

    result = data.get("var_result") if isinstance(data, dict) and "output" in data else None
    returns = None if result is None else sources(result, origin.inside("var_result"))
    calls: list[Call] = []
    confirms: list[tuple[dict[str, Any], Origin]] = []
    for kind, entry, at in entries:
        if kind == "confirm":
            confirms.append((entry, at))
        elif kind == "var_result":
            what = "the sequence has two var_result."
            at.need(returns is None, what, hint="Remove one of the two.")
            returns = sources(entry.get("arguments"), at.inside("arguments"))
        elif not kind:
            call = _call(reading, entry, at)
            opened: list[Confirm] = []
            for each, place in confirms:
                shows = sources(each.get("arguments"), place.inside("arguments"))
                place.need(len(shows) == 1, "a confirm names one thing.", "arguments")
                ((name, source),) = shows.items()
                opened.append(confirm_of(each["kind"], name, source, call, place.at))
                call = call.model_copy(update={"confirms": tuple(opened)})
            calls.append(call)
            confirms = []
    for _, at in confirms:
        raise at.error("no call follows this confirm.", hint="Put it directly before its call.")
    rest: Any = {"returns": returns, "format": "nestful", "notes": tuple(reading.notes)}
    if isinstance(data, dict) and "output" not in data and not origin.name:
        rest["written"] = data  # an object comes back as an object
    return Sequence(calls=reading.checked(calls), asks=tuple(dict.fromkeys(asks)), **rest)


def _entries(data: Any, origin: Origin) -> Iterator[tuple[str, Any, Origin]]:
    """Yield each entry, after the kind of pseudo entry that it is (empty for a call), with its place."""
    if isinstance(data, dict) and "output" not in data:
        yield _pseudo(data), data, origin
        return
    if isinstance(data, dict):
        origin, data = origin.inside("output"), data["output"]
        if isinstance(data, str):
            data = parse_json(data, Origin(origin.at()), lenient=True)
    origin.need(isinstance(data, list | tuple), "a list of calls is needed.", hint=_SHAPE)
    for index, entry in enumerate(data):
        yield _pseudo(entry), entry, origin.inside(index)


def _pseudo(entry: Any) -> str:
    match entry:
        case {"label": _}:
            return ""
        case {"name": "ask", "arguments": {**asked}} if asked:
            return "" if any(value is not None for value in asked.values()) else "ask"
        case {"name": "confirm", "kind": kind} if kind in _KINDS:
            return "confirm"
        case {"name": "var_result"}:
            return "var_result"
    return ""


def _label(value: Any) -> str | None:
    """Return a label without the dollar of newer NESTFUL data."""
    return value.removeprefix("$") if isinstance(value, str) else None


def _call(reading: Reading, entry: Any, at: Origin) -> Call:
    reading.origin = at
    call = reading.call(_ENTRY if isinstance(entry, dict) else None, entry)
    malformed = call.malformed
    if malformed is None and entry.get("arguments", {}) is None:
        malformed = entry.get("malformed")
    others = [key for key in entry if key not in _KEYS] if isinstance(entry, dict) else []
    if malformed is None and others and "arguments" not in entry:
        what = f"the call has no arguments, but {shown(others[0], 80)!r} beside its name."
        malformed = str(at.error(what, hint=_SHAPE))
    label = _label(call.label)
    if (label, malformed) == (call.label, call.malformed):
        return call
    return call.model_copy(update={"label": label, "malformed": malformed})


def _entry(call: Call, arguments: dict[str, Any], written: Any) -> dict[str, Any]:
    """Return the entry of a call in the form of the one that was written, with what stood beside it."""
    given, label = object_of(written), call.label
    label = f"${label}" if label is not None and label.startswith("$") else label
    entry = without(given, _RESULTS)
    entry |= {"name": call.name, "arguments": arguments, "label": label}
    if label is None and given and "label" not in given:
        del entry["label"]
    if call.malformed is not None:
        entry |= {"arguments": None, "malformed": call.malformed}
    elif isinstance(given.get("arguments"), str):
        entry["arguments"] = json_text(arguments)
    # without the key some names would stand for what is asked for, confirmed or returned
    return {**entry, "label": None} if _pseudo(entry) else entry


def _write(sequence: Sequence) -> list[dict[str, Any]] | dict[str, Any]:
    known = known_of(sequence, "nestful")

    def values(sources: dict[str, Source]) -> dict[str, Any]:
        return {name: source_value(source, known) for name, source in sources.items()}

    is_own = sequence.format == "nestful"
    entries: list[Any] = [{"name": "ask", "arguments": {name: None}} for name in sequence.asks]
    for call in sequence.calls:
        arguments = values(call.arguments)
        for confirm in call.confirms:
            name = call.name if isinstance(confirm, ConfirmTool) else confirm.parameter
            value = arguments.get(name) if isinstance(confirm, ConfirmArgument) else None
            entries.append({"name": "confirm", "kind": confirm.kind, "arguments": {name: value}})
        entries.append(_entry(call, arguments, call.written if is_own else None))
    if sequence.returns is not None:
        entries.append({"name": "var_result", "arguments": values(sequence.returns)})
    alone = sequence.written if is_own else None
    if isinstance(alone, dict) and [each.get("label") for each in entries] == [alone.get("label")]:
        said = entries[0].items()
        return {**alone, **{key: each for key, each in said if key in alone or key != "label"}}
    return entries


LOOKS = 'objects with "name", "arguments" and "label", as a list or under "output"'
FORMAT = Format("nestful", "sequence", LOOKS, _detects, _read, _write)
