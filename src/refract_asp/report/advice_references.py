"""Advice on references that cannot stay: what can be read instead."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from refract_asp.errors import shown
from refract_asp.model.diagnostic import Available, Listing
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import ANY, json_types, type_of
from refract_asp.report.advice import Advice, Lookup, change
from refract_asp.report.available import (
    Fields,
    fields_of_tool,
    fields_of_value,
    listing_of_fields,
    listing_of_names,
    name_text,
    parameter_type,
    reference_like,
)
from refract_asp.report.similar import similar_paths
from refract_asp.rules.fitting import may_stand, types_read

__all__ = ["read_before_written", "type_mismatch", "unknown_field", "unknown_label", "unknown_variable"]


def unknown_field(at: Lookup) -> Advice:
    """List what can be read there, and the fields whose names are like the one that was written."""
    title, fields = _source(at)
    listing = _listed(at, title, fields, fields.types)
    found = similar_paths(at.reference.path, list(fields.types), fuzzy=at.limits.fuzzy)
    meant = found[: at.limits.suggestions]
    suggestions = tuple(_write(at, path) for path in meant)
    best = next((path for path in found if _may_stand(at, fields.types[path])), None) or next(
        iter(found), None
    )
    if best is not None:
        return Advice(available=listing, suggestions=suggestions, fix=_change(at, _write(at, best)))
    fitting = [path for path, kind in fields.types.items() if _may_stand(at, kind)]
    first = next(iter(fitting or fields.types), None)
    tip = f"Try {_write(at, first)}" if first is not None else "There is nothing in it that can be read"
    return Advice(available=listing, tip=tip)


def type_mismatch(at: Lookup) -> Advice:
    """List the fields that have the right type, those inside what is read first."""
    given = _kinds_text(types_read(at.instance, at.place))
    expected = _wanted(at)
    _, fields = _source(at)
    start = at.reference.path
    fitting = _right(fields, expected) or [
        path for path, kind in fields.types.items() if kind != "any" and _may_stand(at, kind)
    ]
    inside = [path for path in fitting if path[: len(start)] == start and path != start]
    right = inside or [path for path in fitting if path != start]
    kind = f" ({expected})" if expected else ""
    listing = _listed(at, f"Available fields with the right type{kind}", fields, right, at.limits.right_type)
    meant = similar_paths((at.parameter,), right, fuzzy=at.limits.fuzzy)[: at.limits.suggestions]
    suggestions = tuple(_write(at, path) for path in meant)
    best = meant[0] if meant else right[0] if len(right) == 1 else None
    tip = None
    if best is None:
        wanted = expected or "a value of another type"
        tip = f"Try {_write(at, right[0])}" if right else f"Read {wanted} from elsewhere, or write it"
    return Advice(
        expected=expected,
        given=given,
        available=listing if right else None,
        suggestions=suggestions,
        fix=_change(at, _write(at, best)) if best is not None else None,
        tip=tip,
    )


def _right(fields: Fields, wanted: str | None) -> list[FieldPath]:
    """Return the fields that have just the type that is wanted."""
    types = json_types(wanted) if wanted not in (None, "any") else frozenset()
    return [path for path, kind in fields.types.items() if kind in types]


def unknown_label(at: Lookup) -> Advice:
    """List the labels that are borne; those with a like name, or that give what is read, may be meant."""
    reference = at.reference
    labels: dict[str, str] = {}
    able: list[str] = []
    giving: list[str] = []
    for number in reversed(at.instance.earlier(at.number)):
        call = at.instance.call(number)
        if call.label is None or call.label in labels:
            continue
        labels[call.label] = call.name
        tool = at.instance.tool(number)
        if tool is None or tool.returns_path(reference.path):
            able.append(call.label)
        if tool is not None and reference.path and tool.declares_path(reference.path):
            giving.append(call.label)
    for label in at.instance.memory.values:
        if label not in labels:
            labels[label] = "memory"
            if at.instance.memory.holds(label, reference.path):
                able.append(label)
                giving += [label] if reference.path else []
    ordered = list(labels)[::-1]
    entries = [Available(text=name_text(label), note=name_text(labels[label])) for label in ordered]
    listing = listing_of_names("Labels that can be read here", entries, at.limits.fields)
    named = at.similar(reference.label, giving or able, len(labels))
    meant = list(dict.fromkeys([*named, *giving]))[: at.limits.suggestions]
    suggestions = tuple(_write(at, reference.path, label) for label in meant)
    sure = bool(named) or len(giving) == 1
    tip = "Give the label to the call that returns it, or add that call before this one"
    return Advice(
        available=listing if entries else None,
        suggestions=suggestions,
        fix=_change(at, suggestions[0]) if suggestions and sure else None,
        tip=None if suggestions and sure else tip,
    )


def unknown_variable(at: Lookup) -> Advice:
    """List the names that memory knows."""
    values = at.instance.memory.values
    entries = [Available(text=name_text(name), type=type_of(value)) for name, value in values.items()]
    meant = at.similar(at.reference.label, values)
    suggestions = tuple(_write(at, (), label) for label in meant)
    tip = f"Ask for {name_text(at.reference.label)}, or give its value in memory"
    return Advice(
        available=listing_of_names("What memory holds", entries, at.limits.fields) if entries else None,
        suggestions=suggestions,
        fix=_change(at, suggestions[0]) if suggestions else None,
        tip=None if suggestions else tip,
    )


def read_before_written(at: Lookup) -> Advice:
    """Say which call has to come first."""
    later = at.instance.producers[at.place]
    return Advice(fix=f"Move {at.call_text(later)} before {at.call_text(at.number)}")


def _source(at: Lookup) -> tuple[str, Fields]:
    """Return what a reference reads from, and what can be read there."""
    label, depth = name_text(at.reference.label), at.limits.depth
    producer = at.instance.producers.get(at.place)
    if producer is None:
        value = at.instance.memory.values.get(at.reference.label)
        return f"What memory holds under {label}", fields_of_value(value, depth)
    tool = at.instance.tool(producer)
    title = f"Available outputs of {label} ({name_text(at.instance.call(producer).name)})"
    return title, fields_of_tool(tool, depth) if tool is not None else Fields({}, is_cut=False)


def _listed(
    at: Lookup, title: str, fields: Fields, paths: Iterable[FieldPath], most: int | None = None
) -> Listing:
    return listing_of_fields(
        title, fields, paths, partial(_write, at), at.limits.fields if most is None else most
    )


def _write(at: Lookup, path: FieldPath, label: str | None = None) -> str:
    text = reference_like(at.reference, label if label is not None else at.reference.label, path)
    return shown(text)


def _change(at: Lookup, new: str) -> str | None:
    return change(shown(at.reference.spelt()), new)


def _may_stand(at: Lookup, kind: str) -> bool:
    """Whether a value of a type may stand where the reference does."""
    call = at.instance.call(at.number)
    tools = [call.name] if at.instance.tool(at.number) is not None else []
    types = ANY if kind == "any" else frozenset({kind})
    return may_stand(at.instance, at.place, tools, types)


def _wanted(at: Lookup) -> str | None:
    """Return the type that is wanted where the reference stands, if it stands alone."""
    tool = at.instance.tool(at.number)
    if at.violation.reference or tool is None or at.parameter not in tool.parameters:
        return None
    return parameter_type(tool.parameters[at.parameter], tool)


def _kinds_text(types: frozenset[str]) -> str:
    """Name JSON types, as "integer or null"."""
    if types >= ANY:
        return "any"
    return " or ".join(sorted(types - ({"integer"} if "number" in types else set())))
