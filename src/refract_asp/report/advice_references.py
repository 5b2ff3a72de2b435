"""Advice on references that cannot stay: what can be read instead."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import islice

from refract_asp.errors import shown
from refract_asp.model import Tool
from refract_asp.model.diagnostic import Available, Listing
from refract_asp.model.paths import FieldPath, path_text, shared_steps
from refract_asp.model.schemas import ANY, json_types, type_of, types_text
from refract_asp.report.advice import Advice, Lookup
from refract_asp.report.suggestions import (
    Fields,
    change,
    fields_of_tool,
    fields_of_value,
    listing_of_fields,
    listing_of_names,
    name_text,
    parameter_type,
    reference_like,
    similar_paths,
)
from refract_asp.rules.fitting import may_be_held, may_stand, types_read
from refract_asp.rules.likeness import FAR, leaf_names, meaning_distance, path_distance

__all__ = [
    "malformed_reference",
    "read_before_written",
    "type_mismatch",
    "unknown_field",
    "unknown_label",
    "unknown_variable",
]

NEAR = 10
"""Up to this distance (of 20) a path is spelt like another one."""
MAX_LABELS = 300
"""So many labels are compared with one that is lost."""
MAX_COMPARED = 1_000
"""So many paths are compared with what was written."""


def unknown_field(at: Lookup) -> Advice:
    """List what can be read there, and the fields whose names are like the one that was written."""
    title, fields = _source(at)
    path = at.reference.path
    by_nearness = sorted(fields.types, key=lambda each: -shared_steps(path, each))
    paths = by_nearness if len(by_nearness) > at.limits.fields else fields.types
    listing = _listed(at, title, fields, paths)
    entered = tuple(0 if isinstance(step, int) else step for step in path)
    found = similar_paths(path, list(fields.types), fuzzy=at.limits.fuzzy)
    if entered != path and entered in fields.types:  # an element that is not there
        found = [entered, *(each for each in found if each != entered)]
    suggestions = at.shown(_write(at, each) for each in found)
    best = next((each for each in found if _may_stand(at, fields.types[each])), None)
    if best is not None:
        return Advice(available=listing, suggestions=suggestions, fix=_change(at, _write(at, best)))
    if found:
        fix, tip = _change(at, _write(at, found[0])), _below(at, fields, found[0])
        return Advice(available=listing, suggestions=suggestions, fix=fix, tip=tip)
    return Advice(available=listing, tip=_first(at, fields, by_nearness))


def malformed_reference(at: Lookup) -> Advice:
    """Suggest the reference that comes nearest, and list what can be read where that is none."""
    advice = unknown_field(at)
    _, fields = _source(at)
    path = tuple(0 if isinstance(step, int) else step for step in at.reference.path)
    if path and path not in fields.types:
        return advice
    near = _write(at, at.reference.path)
    tip = "A reference is written $label.path$; the elements of a list are [0], [1], and so on"
    return Advice(suggestions=at.shown([near]), fix=_change(at, near), tip=tip)


def _below(at: Lookup, fields: Fields, path: FieldPath) -> str:
    """Say that what was probably meant has another type, and what in it has the right one."""
    wanted = _wanted(at)
    inside = [each for each in _right(fields, wanted) if each[: len(path)] == path]
    inside = inside or [each for each in fields.types if each[: len(path)] == path and each != path]
    fitting = [each for each in inside if _may_stand(at, fields.types[each])]
    told = f"{_write(at, path)} is of the type {fields.types[path]}"
    told += f", and {wanted} is wanted" if wanted else ", which does not fit here"
    return f"{told}; in it there is {_write(at, fitting[0])}" if fitting else told


def _first(at: Lookup, fields: Fields, paths: list[FieldPath]) -> str:
    """Say what to try where no name is alike: what is spelt most like it, else the first that fits."""
    fitting = [path for path in paths if _may_stand(at, fields.types[path])] or paths
    if not fitting:
        return "There is nothing in it that can be read"
    written = path_text(at.reference.path)
    near = min(fitting[:MAX_COMPARED], key=lambda path: path_distance(written, path_text(path)))
    if path_distance(written, path_text(near)) <= NEAR:
        return f"Try {_write(at, near)}"
    return (
        f"Nothing there has a name like it; try {_write(at, fitting[0])} if that is what is meant"
    )


def type_mismatch(at: Lookup) -> Advice:
    """List the fields that have the right type, those inside what is read first."""
    given = types_text(types_read(at.instance, at.place))
    expected = _wanted(at)
    _, fields = _source(at)
    start = at.reference.path
    fitting = _right(fields, expected) or [
        path for path, kind in fields.types.items() if kind != "any" and _may_stand(at, kind)
    ]
    fitting = [path for path in fitting if _is_held_right(at, path)]
    inside = [path for path in fitting if path[: len(start)] == start and path != start]
    right = inside or [path for path in fitting if path != start]
    kind = f" ({expected})" if expected else ""
    listing = _listed(
        at, f"Available fields with the right type{kind}", fields, right, at.limits.right_type
    )
    meant = _named_like(at.parameter, right)
    suggestions = at.shown(_write(at, path) for path in meant)
    best = meant[0] if meant else right[0] if len(right) == 1 else None
    tip = None
    if best is None:
        wanted = expected or "a value of another type"
        tip = (
            f"Try {_write(at, right[0])}" if right else f"Read {wanted} from elsewhere, or write it"
        )
    return Advice(
        expected=expected,
        given=given,
        available=listing if right else None,
        suggestions=suggestions,
        fix=_change(at, _write(at, best)) if best is not None else None,
        tip=tip,
    )


def _is_held_right(at: Lookup, path: FieldPath) -> bool:
    """Whether a value of memory fits besides its type; of what calls return only the type is known."""
    tool = at.instance.tool(at.number)
    if at.place in at.instance.producers or at.violation.reference or tool is None:
        return True
    if at.parameter not in tool.parameters:
        return True
    held = at.reference.model_copy(update={"path": path})
    return may_be_held(at.instance, held, tool.name, at.parameter)


def _named_like(parameter: str, paths: list[FieldPath]) -> list[FieldPath]:
    """Return the paths whose names have words in common with that of a parameter, nearest first."""
    ranked = []
    for path in paths[:MAX_COMPARED]:
        distance = min(
            (meaning_distance(name, parameter) for name in leaf_names(path)), default=FAR
        )
        if distance < FAR:
            ranked.append((distance, len(path), path))
    return [path for _, _, path in sorted(ranked, key=lambda each: each[:2])]


def _right(fields: Fields, wanted: str | None) -> list[FieldPath]:
    """Return the fields that have just the type that is wanted."""
    words = wanted.split(" or ") if wanted not in (None, "any") else []
    types = frozenset(kind for word in words for kind in json_types(word))
    return [path for path, kind in fields.types.items() if kind in types]


def unknown_label(at: Lookup) -> Advice:
    """List the labels that are borne; those with a like name, or that give what is read, may be meant."""
    reference = at.reference
    labels: dict[str, str] = {}
    types: dict[str, frozenset[str]] = {}
    giving: list[str] = []
    for number in reversed(at.instance.earlier(at.number)):
        call = at.instance.call(number)
        if call.label is None or call.label in labels:
            continue
        labels[call.label] = call.name
        tool = at.instance.tool(number)
        found, declares = _given_by(at, tool, reference.path)
        if found is not None:
            types[call.label] = found
        if declares and reference.path:
            giving.append(call.label)
    for label in at.instance.memory.values:
        if label not in labels:
            labels[label] = "memory"
            if at.instance.memory.holds(label, reference.path):
                types[label] = frozenset({type_of(at.instance.memory.at(label, reference.path))})
                giving += [label] if reference.path else []
    entries = [
        Available(text=name_text(label), note=name_text(labels[label]))
        for label in islice(reversed(labels), at.limits.fields)
    ]
    more = len(labels) - len(entries)
    listing = Listing(title="Labels that can be read here", entries=tuple(entries), more=more)
    named = at.similar(reference.label, list(giving or types)[:MAX_LABELS])  # the latest ones
    meant = list(dict.fromkeys([*named, *giving]))
    fitting = [label for label in meant if _may_be(at, types[label])]
    sure = (bool(named) or len(giving) == 1) and bool(fitting)
    tip = "Give the label to the call that returns it, or add that call before this one"
    return Advice(
        available=listing if labels else None,
        suggestions=at.shown(_write(at, reference.path, label) for label in [*fitting, *meant]),
        fix=_change(at, _write(at, reference.path, fitting[0])) if sure else None,
        tip=None if sure else tip,
    )


def _given_by(at: Lookup, tool: Tool | None, path: FieldPath) -> tuple[frozenset[str] | None, bool]:
    """Return the types that a tool may give at a path, None where it gives none, and whether it says so."""
    if tool is None:
        return ANY, False
    key = ("given", tool.name, path)
    if key not in at.cache:
        types = tool.types_at(path) if tool.returns_path(path) else None
        at.cache[key] = types, tool.declares_path(path)
    given: tuple[frozenset[str] | None, bool] = at.cache[key]
    return given


def unknown_variable(at: Lookup) -> Advice:
    """List the names that memory knows."""
    values = at.instance.memory.values
    entries = [
        Available(text=name_text(name), type=type_of(value)) for name, value in values.items()
    ]
    meant = at.similar(at.reference.label, values)
    fitting = [label for label in meant if _may_stand(at, type_of(values[label]))]
    tip = f"Ask for {name_text(at.reference.label)}, or give its value in memory"
    return Advice(
        available=listing_of_names("What memory holds", entries, at.limits.fields)
        if entries
        else None,
        suggestions=at.shown(_write(at, (), label) for label in [*fitting, *meant]),
        fix=_change(at, _write(at, (), fitting[0])) if fitting else None,
        tip=None if fitting else tip,
    )


def read_before_written(at: Lookup) -> Advice:
    """Say which call has to stand elsewhere, if that is enough."""
    reader, later = at.number, at.instance.producers[at.place]
    if reader == later:
        return Advice(
            tip="Let it read from an earlier call; a call cannot read what it returns itself"
        )
    reads: dict[int, set[int]] = {}
    for (number, _, _), producer in at.instance.producers.items():
        reads.setdefault(number, set()).add(producer)
    first, second = at.call_text(later), at.call_text(reader)
    if reader in _reached(reads, later):
        return Advice(
            tip=f"{first[:1].upper()}{first[1:]} reads from {second} in turn; let one of them read elsewhere"
        )
    if not any(reader <= each < later for each in reads.get(later, ())):
        return Advice(fix=f"Move {first} before {second}")
    if not any(reader in reads.get(each, ()) for each in range(reader + 1, later + 1)):
        return Advice(fix=f"Move {second} behind {first}")
    return Advice(tip=f"Order the calls so that {first} comes before {second}")


def _reached(reads: dict[int, set[int]], start: int) -> set[int]:
    """Return the calls from which a call reads, directly or through others."""
    found: set[int] = set()
    todo = [start]
    while todo:
        for each in reads.get(todo.pop(), ()):
            if each not in found:
                found.add(each)
                todo.append(each)
    return found


def _source(at: Lookup) -> tuple[str, Fields]:
    """Return what a reference reads from, and what can be read there."""
    label = at.reference.label
    producer = at.instance.producers.get(at.place)
    key = ("fields", label if producer is None else producer)
    if key not in at.cache:
        at.cache[key] = _looked_up(at, label, producer)
    found: tuple[str, Fields] = at.cache[key]
    return found


def _looked_up(at: Lookup, label: str, producer: int | None) -> tuple[str, Fields]:
    if producer is None:
        value = at.instance.memory.values.get(label)
        return f"What memory holds under {name_text(label)}", fields_of_value(
            value, at.limits.depth
        )
    tool = at.instance.tool(producer)
    title = (
        f"Available outputs of {name_text(label)} ({name_text(at.instance.call(producer).name)})"
    )
    return title, fields_of_tool(tool, at.limits.depth) if tool is not None else Fields(
        {}, is_cut=False
    )


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
    return _may_be(at, ANY if kind == "any" else frozenset({kind}))


def _may_be(at: Lookup, types: frozenset[str]) -> bool:
    """Whether a value of one of some types may."""
    call = at.instance.call(at.number)
    tools = [call.name] if at.instance.tool(at.number) is not None else []
    return may_stand(at.instance, at.place, tools, types)


def _wanted(at: Lookup) -> str | None:
    """Return the type that is wanted where the reference stands, if it stands alone."""
    tool = at.instance.tool(at.number)
    if at.violation.reference or tool is None or at.parameter not in tool.parameters:
        return None
    return parameter_type(tool.parameters[at.parameter], tool)
