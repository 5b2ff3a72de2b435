"""What could fill a parameter: earlier outputs, memory, defaults, constants, and calls that may be added."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from clingo import Symbol

from refract_asp.errors import shown
from refract_asp.model import Constant, Mapping, Parameter, Reference, Tool
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.model.schemas import JsonSchema
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import may_be_held
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import COMMON_WORDS, FAR, fit_distance, fold, leaf_names, mismatch
from refract_asp.rules.repetition import value_index
from refract_asp.rules.symbols import memory

__all__ = [
    "backed_paths",
    "earlier_outputs",
    "fillers",
    "inputs",
    "json_type",
    "lost_outputs",
    "mapping_weight",
    "memory_values",
    "nearest",
    "state_constants",
    "state_fit",
    "state_memory",
    "state_reference_fit",
    "value_distances",
]


IS_DEFAULT = 3
IS_MEMBER = 2
IS_GIVEN_ELSEWHERE = 5
HAS_FORMAT = 5
ONLY_ONE_FITS = 7
ONLY_ONE_LEFT = 9

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def value_distances(
    instance: Instance, call: int, parameter: str, tool: Tool, free: Sequence[Parameter]
) -> Iterator[tuple[str, int]]:
    """
    Yield the free parameters of a tool to which the value of an argument points, with distances.

    A value points to a parameter that has it as default or as member of its enumeration, that gets
    the same value in another call, that wants its format, that is called like the field it refers
    to, that alone takes its type, or that alone is left.
    """
    source = instance.call(call).arguments[parameter]
    kind = _type_of(instance, call, parameter)
    types = instance.index.parameter_type
    taking = [other for other in free if mismatch(kind, types(tool.name, other.name)) == 0]
    for other in taking:
        found = [FAR]
        if len(taking) == 1:
            found.append(ONLY_ONE_FITS)
        if isinstance(source, Constant):
            found += _constant_distances(instance, call, source, other)
        elif isinstance(source, Reference) and (call, parameter, 0) in instance.producers:
            feeder = instance.tool(instance.producers[call, parameter, 0])
            if feeder is not None and source.path and feeder.returns_path(source.path):
                found.append(instance.index.fit(feeder.name, source.path, tool.name, other.name))
        if min(found) < FAR:
            yield other.name, min(found)
    if len(free) == 1 and not taking:
        yield free[0].name, ONLY_ONE_LEFT


def _constant_distances(
    instance: Instance, call: int, source: Constant, other: Parameter
) -> Iterator[int]:
    schema = other.json_schema
    if "default" in schema and _same(schema["default"], source.value):
        yield IS_DEFAULT
    if any(_same(member, source.value) for member in schema.get("enum") or ()):
        yield IS_MEMBER
    if isinstance(source.value, str) and _DATE.fullmatch(source.value) and _wants_date(schema):
        yield HAS_FORMAT
    for number, given in enumerate(instance.sequence.calls):
        elsewhere = given.arguments.get(other.name)
        if (
            number != call
            and isinstance(elsewhere, Constant)
            and _same(elsewhere.value, source.value)
        ):
            yield IS_GIVEN_ELSEWHERE


def _wants_date(schema: JsonSchema) -> bool:
    said = f"{schema.get('format', '')} {schema.get('type', '')} {schema.get('description', '')}".lower()
    return schema.get("format") == "date" or "yyyy-mm-dd" in said


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other


def _type_of(instance: Instance, call: int, parameter: str) -> str:
    """Return the JSON type of an argument, as far as it is known."""
    source = instance.call(call).arguments[parameter]
    if isinstance(source, Constant):
        return json_type(source.value)
    if source.kind == "template":
        return "string"
    if source.kind == "structure":
        return "object" if isinstance(source.value, dict) else "array"
    producer = instance.producers.get((call, parameter, 0))
    tool = instance.tool(producer) if producer is not None else None
    if isinstance(source, Reference) and tool is not None and tool.returns_path(source.path):
        return tool.type_at(source.path)
    return "any"


def json_type(value: object) -> str:
    """
    Return the JSON type of a value.

    Example:
        >>> json_type(True), json_type(1), json_type([])
        ('boolean', 'integer', 'array')
    """
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", dict: "object", list: "array"}
    return names.get(type(value), "null")


Candidate = TypeVar("Candidate", bound=tuple[Any, ...])

_INDEX = re.compile(r"\[\d+\]")

NEAR_MEMORY = 7
"""Values of memory are considered up to this distance."""
UNSURE = 10
"""How far a mapping of weight 0 sets the pair apart; one of weight 1 makes it equal."""


def fillers(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """
    State what could fill a parameter of a call, or of one that is added before it.

    What earlier calls give is stated when it is known how far back they are looked at; see `earlier`.
    """
    known = evidence.depths.get((tool, parameter, call))
    if known is not None and known <= depth:
        return
    evidence.depths[tool, parameter, call] = depth
    if known is not None:  # where it is less deep, more calls may follow
        _sources(evidence, call, tool, parameter, depth)
        return
    evidence.looks += 1 + len(evidence.mappings_to(tool, parameter))
    index = evidence.index
    wanted = index.parameter_type(tool, parameter)
    evidence.seeking.setdefault((tool, parameter), {})[call] = None
    _memory_fits(evidence, tool, parameter, wanted)
    for value in index.known_value(tool, parameter):
        number = value_index(evidence.instance, Constant(value=value))
        evidence.add("in_default", tool, parameter, number)
    _sources(evidence, call, tool, parameter, depth)


def state_fit(
    evidence: Evidence,
    name: str,
    path: FieldPath,
    text: str,
    tool: str,
    parameter: str,
    distance: int,
) -> None:
    """State how well a path of one tool fits a parameter of another, and what speaks for it."""
    if not evidence.is_new("fit", name, text, tool, parameter):
        return
    evidence.state_gives(name, text)
    evidence.add(
        "in_rank", name, text, tool, parameter, evidence.index.rank(name, path, tool, parameter)
    )
    weight = mapping_weight(evidence, name, text, tool, parameter)
    if weight is not None:
        evidence.add("in_mapping", name, text, tool, parameter)
        distance = round(UNSURE * (1 - weight))
    evidence.state_fit(name, text, tool, parameter, distance)
    if is_telling_name(path, parameter):
        evidence.add("in_equal_name", name, text, tool, parameter)
    if evidence.index.suggested(name, path, tool, parameter) is not None:
        evidence.add("in_suggested", name, text, tool, parameter)


def is_equal_name(path: FieldPath, parameter: str) -> bool:
    """Whether a path ends in a field, or in parent and field, that is called like the parameter."""
    return fold(parameter) in {fold(name) for name in leaf_names(path)}


def is_telling_name(path: FieldPath, parameter: str) -> bool:
    """Whether the name is equal and tells something; `title` or `date` may belong to anything."""
    return is_equal_name(path, parameter) and fold(parameter) not in COMMON_WORDS


def backed_paths(evidence: Evidence, name: str, tool: str, parameter: str) -> list[FieldPath]:
    """Return the paths that the sequence itself, or a mapping, feeds to this parameter."""
    found = {path: None for feeder, path in evidence.fed(parameter) if feeder == name}
    for mapping in evidence.mappings_to(tool, parameter):
        for path in _mapped_paths(mapping, evidence.index.tools[name]):
            found[path] = None
    return list(found)


def _mapped_paths(mapping: Mapping, source: Tool) -> Iterable[FieldPath]:
    """Yield the paths of a tool that a mapping allows."""
    for text in (mapping.source, mapping.source.removeprefix(f"{source.name}.")):
        try:
            path = parse_path(text)
        except ValueError:
            continue
        if source.output_schema is not None and source.returns_path(path):
            yield path


def mapping_weight(
    evidence: Evidence, name: str, text: str, tool: str, parameter: str
) -> float | None:
    """Return the weight of the mapping of a path of a tool to a parameter, None where there is none."""
    weights = [
        mapping.weight
        for mapping in evidence.mappings_to(tool, parameter)
        if mapping.source in (text, f"{name}.{text}")
    ]
    return max(weights, default=None)


def _memory_fits(evidence: Evidence, tool: str, parameter: str, wanted: str) -> None:
    """State what memory holds that is named like the parameter, or mapped to it."""
    if not evidence.is_new("memory", tool, parameter):
        return
    mappings = evidence.mappings_to(tool, parameter)
    found: list[tuple[int, int, str, FieldPath, bool]] = []
    for number, (label, path, kind) in enumerate(memory_values(evidence)):
        text = path_text(path)
        name = text or label  # a context variable is called like its label
        weights = [m.weight for m in mappings if m.source == name or m.source.endswith("." + name)]
        distance = fit_distance(path or (label,), kind, parameter, wanted)
        if weights:
            distance = round(UNSURE * (1 - max(weights)))
        if distance <= NEAR_MEMORY and may_be_held(
            evidence.instance, Reference(label=label, path=path), tool, parameter
        ):
            found.append((distance, number, label, path, bool(weights)))
    for distance, _, label, path, is_mapped in nearest(evidence, found):
        text = path_text(path)
        held = state_memory(evidence, label, text)
        evidence.state_fit(held, text, tool, parameter, distance)
        if is_equal_name(path or (label,), parameter):
            evidence.add("in_equal_name", held, text, tool, parameter)
            evidence.add("in_source", held, text, tool, parameter)
        if is_mapped:
            evidence.add("in_mapping", held, text, tool, parameter)


def nearest(evidence: Evidence, found: list[Candidate]) -> list[Candidate]:
    """Return the nearest values of memory, which begin with distance and number; say if some are cut off."""
    if len(found) > evidence.bounds.recalled:
        evidence.cut("values of memory that could be meant")
    return sorted(found, key=lambda each: each[:2])[: evidence.bounds.recalled]


def state_memory(evidence: Evidence, label: str, path: str) -> Symbol:
    """State that memory holds a value, as if a call had given it; return what stands for its label."""
    held = memory(label)
    evidence.add("in_name", held, held)
    evidence.add("in_tool", held)
    evidence.state_gives(held, path)
    return held


def memory_values(evidence: Evidence) -> list[tuple[str, FieldPath, str]]:
    """Return what memory holds: label, path and JSON type of each value, shallow ones first, bounded."""
    if evidence.remembered is None:
        is_whole = evidence.instance.level != "cheapest"  # else modes/compress.lp sees to it
        borne = {call.label for call in evidence.instance.sequence.calls if is_whole}
        values = (
            (label, path, kind)
            for label, value in evidence.instance.memory.values.items()
            if label not in borne  # what is printed would read from the call
            for path, kind in _paths_of(evidence, value)
        )
        evidence.remembered = list(islice(values, evidence.bounds.memory_values + 1))
        if len(evidence.remembered) > evidence.bounds.memory_values:
            evidence.cut("values that memory holds")
            del evidence.remembered[evidence.bounds.memory_values :]
    return evidence.remembered


def _paths_of(evidence: Evidence, value: object) -> Iterable[tuple[FieldPath, str]]:
    """Yield the paths into a value, shallow ones first, with their types; of a list its first element."""
    level: list[tuple[FieldPath, object]] = [((), value)]
    while level:
        following: list[tuple[FieldPath, object]] = []
        for path, inner in level:
            if not isinstance(inner, dict | list):
                yield path, json_type(inner)
            elif inner and len(path) == evidence.bounds.memory_depth:
                evidence.cut("values that memory holds")
            else:
                steps = inner.items() if isinstance(inner, dict) else list(enumerate(inner[:1]))
                following.extend(((*path, step), each) for step, each in steps)
        level = following


def _sources(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """State which tools could be called to fill a parameter: by a mapping or a rare equal name."""
    if depth >= evidence.allowed.depth:
        return
    found = {
        (name, path)
        for name, path in evidence.index.rare_sources(parameter)
        if (is_equal_name if evidence.options.common_names else is_telling_name)(path, parameter)
        and mismatch(
            evidence.index.tools[name].type_at(path), evidence.index.parameter_type(tool, parameter)
        )
        == 0
    }
    for mapping in evidence.mappings_to(tool, parameter):
        leaf = re.split(r"[.\[]", _INDEX.sub("", mapping.source))[-1]
        names, cut = evidence.index.returners(leaf or mapping.source)
        if cut and not _named(evidence, mapping):
            evidence.cut(f"tools that return {shown(leaf or mapping.source)}")
        for name in (*names, *_named(evidence, mapping)):
            found |= {(name, p) for p in _mapped_paths(mapping, evidence.index.tools[name])}
    for name, path in sorted(found, key=str):
        source = evidence.index.tools[name]
        if not evidence.may_add(name) or name == tool or source.effect != "read":
            continue
        if evidence.index.clashes(name, path, tool, parameter):
            continue
        evidence.tool(name)
        evidence.add("in_source", name, path_text(path), tool, parameter)
        distance = evidence.index.fit(name, path, tool, parameter)
        state_fit(evidence, name, path, path_text(path), tool, parameter, distance)
        inputs(evidence, call, source, depth + 1)


def _named(evidence: Evidence, mapping: Mapping) -> list[str]:
    """Return the tools that the source of a mapping begins with, as `Search.results` does."""
    steps = mapping.source.split(".")
    names = (".".join(steps[:length]) for length in range(1, len(steps)))
    return [name for name in names if name in evidence.index.tools]


def inputs(evidence: Evidence, call: int, tool: Tool, depth: int) -> None:
    """State what could fill the required parameters of a call that is added before call number `call`."""
    for parameter in tool.parameters.values():
        if parameter.required:
            fillers(evidence, call, tool.name, parameter.name, depth)
            state_constants(evidence, tool.name, parameter.name)


def state_constants(evidence: Evidence, tool: str, parameter: str) -> None:
    """State the constants that the sequence gives to a parameter of this name, the commonest first."""
    if not evidence.is_new("constants", tool, parameter):
        return
    found: dict[str, list[Constant]] = {}
    for call in evidence.instance.sequence.calls:
        source = call.arguments.get(parameter)
        if isinstance(source, Constant) and evidence.index.fits_schema(
            tool, parameter, source.value
        ):
            found.setdefault(json.dumps(source.value, sort_keys=True, default=str), []).append(
                source
            )
    ranked = sorted(found.values(), key=len, reverse=True)
    if len(ranked) > evidence.bounds.constants:
        evidence.cut(f"constants that are given to {shown(parameter)}")
    for same in ranked[: evidence.bounds.constants]:
        evidence.add("in_constant", tool, parameter, len(evidence.constants))
        evidence.constants.append(same[0])


def state_reference_fit(
    evidence: Evidence, name: str, path: FieldPath, tool: str, parameter: str
) -> None:
    """State how well a path of one tool fits a parameter of another."""
    distance = evidence.index.fit(name, path, tool, parameter) if path else FAR
    state_fit(evidence, name, path, path_text(path), tool, parameter, distance)


def lost_outputs(evidence: Evidence, tool: str, parameter: str) -> None:
    """State which outputs of the tools that a missing call may have had could fill a parameter."""
    if evidence.gaps:
        for name in evidence.suppliers:
            _state_fits(evidence, name, tool, parameter)


def _state_fits(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """
    State which outputs of one tool are like a parameter of another, and how many are not.

    What is not is stated by `earlier_outputs`, where it may be of use.
    """
    if not evidence.is_new("fits", name, tool, parameter):
        return
    evidence.look_at(name)
    fits = evidence.index.fits(name, tool, parameter)
    backed = backed_paths(evidence, name, tool, parameter)
    if not backed and (not fits or fits[0][2] == FAR):
        unlike = evidence.index.unlike(name, tool, parameter)
    else:
        found = {fit[1]: fit for fit in evidence.best_fits(name, tool, parameter)}
        for path in backed:
            text = path_text(path)
            found[text] = (path, text, evidence.index.fit(name, path, tool, parameter))
        unlike = 0
        for path, text, distance in found.values():
            if evidence.index.clashes(name, path, tool, parameter):
                continue
            unlike += distance == FAR
            if distance < FAR or path in backed:
                state_fit(evidence, name, path, text, tool, parameter, distance)
    if unlike:
        evidence.unlike[name, tool, parameter] = unlike
        evidence.add("in_unlike", name, tool, parameter, unlike)


def earlier_outputs(evidence: Evidence, reach: int) -> None:
    """
    State which outputs of the calls within reach could fill the parameters for which values are looked for.

    What has nothing in common with a parameter is offered where few calls are idle before a place
    (`recovery/earlier_output.lp`), and of a call that is missing. Where there are more it is enough to
    know how many.
    """
    idle = _idle_calls(evidence)
    for (tool, parameter), places in evidence.seeking.items():
        whole = list(evidence.index.tools) if evidence.bounds.whole else None
        near = {place: whole or evidence.earlier_tools(place, reach) for place in places}
        for names in near.values():
            for name in names:
                _state_fits(evidence, name, tool, parameter)
        for place, names in near.items():
            if not _is_crowded(evidence, idle, place, reach, tool, parameter):
                for name in names:
                    _state_unlike(evidence, name, tool, parameter)
        for name in evidence.suppliers if evidence.gaps else ():
            if evidence.is_known("fits", name, tool, parameter):
                _state_unlike(evidence, name, tool, parameter)


def _idle_calls(evidence: Evidence) -> list[int]:
    """Return the calls that can be read, and that no other call reads, in order."""
    instance = evidence.instance
    end = len(instance.sequence.calls)
    used = {producer for (call, _, _), producer in instance.producers.items() if call < end}
    calls = (
        number for number in instance.earlier(end) if number >= 0 or number in instance.readable
    )
    return [number for number in calls if number not in used]


def _is_crowded(
    evidence: Evidence, idle: list[int], place: int, reach: int, tool: str, parameter: str
) -> bool:
    """Whether more idle outputs than are offered stand before a place."""
    if not evidence.needs_likeness:
        return False
    left = evidence.options.weak_offers
    for position in range(bisect_left(idle, place) - 1, bisect_left(idle, place - reach) - 1, -1):
        giver = evidence.instance.tool(idle[position])
        left -= evidence.unlike.get((giver.name, tool, parameter), 0) if giver is not None else 0
        if left < 0:
            return True
    return False


def _state_unlike(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """State the outputs of one tool that have nothing in common with a parameter of another."""
    if not evidence.is_new("unlike", name, tool, parameter):
        return
    for path, text, distance in evidence.best_fits(name, tool, parameter):
        if distance == FAR:
            state_fit(evidence, name, path, text, tool, parameter, distance)
