"""What a lost label or a wrong reference may stand for: other calls, other paths, memory, missing calls."""

from __future__ import annotations

from refract_asp.model import Reference
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.schemas import type_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fillers import (
    NEAR_MEMORY,
    backed_paths,
    inputs,
    mapping_weight,
    memory_values,
    nearest,
    state_memory,
    state_reference_fit,
)
from refract_asp.rules.fitting import may_be_held, may_stand
from refract_asp.rules.index import MAX_OWN_PATHS, MAX_PATHS, MAX_PRODUCERS
from refract_asp.rules.instance import RETURNS, Place
from refract_asp.rules.likeness import FAR, fit_distance, mismatch, name_distance, path_distance

__all__ = ["mends", "producers"]

_Found = tuple[FieldPath, int]
"""A path, and how far it is from the one that is written."""

NEAR_PATH = 10
"""Up to this distance a path may have been meant in place of one that is there."""

NEAR_NAMED = 14
MARGIN_NAMED = 2
"""A tool may have given an output whose name is so near, unless another one is nearer by more than that."""

DEEPER = 1
"""How far a path is that goes on from the one that was written; the first of them is the nearest."""


def producers(evidence: Evidence, label: str, readers: list[Place]) -> None:
    """State which tools return all that is read from a lost label, and what they need."""
    paths = list(dict.fromkeys(evidence.instance.references[place].path for place in readers))
    first = min(place[0] for place in readers)
    first = min(first, evidence.gaps.get(label, first))
    for name in evidence.earlier_tools(first):
        for path in paths:
            if evidence.index.tools[name].returns_path(path):
                evidence.tool(name)
                evidence.state_gives(name, path_text(path))
    names = {
        p: evidence.index.named(p)
        for c, p, n in readers
        if n == 0 and _is_returned_whole(evidence, (c, p, n))
    }
    found, cut = evidence.index.producers(paths)
    if names and not any(paths):
        found, cut = _nearest_named(names)
    if cut:
        evidence.truncated[f"tools that return what is read from {label[:40]}"] = None
    for parameter, near in names.items():
        for name in dict.fromkeys([*evidence.earlier_tools(first), *found]):
            evidence.add(
                "in_named",
                len(evidence.instance.sequence.calls),
                parameter,
                name,
                min(near.get(name, FAR), FAR),
            )
    for name in found:
        if not evidence.may_add(name):
            continue
        tool = evidence.tool(name)
        evidence.add("in_callable", name)
        evidence.suppliers[name] = None
        for path in paths:
            evidence.state_gives(name, path_text(path))
        for call, parameter, number in readers:
            if number == 0:
                for reader in evidence.possible_tools(call):
                    path = evidence.instance.references[call, parameter, number].path
                    state_reference_fit(evidence, name, path, reader, parameter)
        inputs(evidence, first, tool, 0)


def _is_returned_whole(evidence: Evidence, place: Place) -> bool:
    """Whether a sequence returns at this place all that some call gives."""
    return place[0] == len(evidence.instance.sequence.calls) and not evidence.instance.references[place].path


def _nearest_named(names: dict[str, dict[str, int]]) -> tuple[list[str], bool]:
    """Return the tools that are like one of the names, if no other one is clearly nearer, nearest first."""
    distances: dict[str, int] = {}
    for near in names.values():
        for tool, distance in near.items():
            distances[tool] = min(distance, distances.get(tool, FAR))
    ranked = sorted((distance, tool) for tool, distance in distances.items() if distance <= NEAR_NAMED)
    found = [tool for distance, tool in ranked if distance <= ranked[0][0] + MARGIN_NAMED]
    return found[:MAX_PRODUCERS], len(found) > MAX_PRODUCERS


def mends(evidence: Evidence, place: Place, reach: int, *, is_there: bool = False) -> None:
    """
    State to which paths of which calls within reach, and labels, a reference could be pointed instead.

    Where what it reads `is_there`, and only of another type, nothing is meant that it is not like.
    """
    call, parameter, _ = place
    reference = evidence.instance.references[place]
    written = evidence.instance.written(place)
    readers = evidence.possible_tools(call)
    is_variable = place in evidence.instance.lost and reference.label in evidence.instance.variables
    producer = evidence.instance.producers.get(place)
    own = evidence.possible_tools(producer) if producer is not None else ()
    before = own if producer is not None and producer < call else ()
    for name in dict.fromkeys([*evidence.earlier_tools(call, reach), *before]):
        if not evidence.is_new("mend", name, written, parameter, readers, name in own, is_variable):
            continue
        tool = evidence.tool(name)
        if is_variable:
            found = _called(evidence, name, reference.label, readers, parameter)
        elif name in own:
            found = _of_own(evidence, name, reference.path, written, readers, parameter)
        else:
            found = _of_other(evidence, name, reference.path, written, readers, parameter)
            # a call of which nothing says what it returns is no better than the one that was meant
            if producer is None and written not in found and tool.returns_path(reference.path):
                found = {written: (reference.path, 0), **found}
        for text, (path, distance) in found.items():
            if not may_stand(evidence.instance, place, readers, evidence.index.types_at(name, path)):
                continue
            if is_there and distance > NEAR_PATH and not _is_fit(evidence, name, path, readers, parameter):
                continue
            evidence.state_gives(name, text)
            evidence.state_near(written, name, text, distance)
            for reader in readers:
                state_reference_fit(evidence, name, path, reader, parameter)
            if call == len(evidence.instance.sequence.calls):
                evidence.add("in_fit", name, text, RETURNS, parameter, FAR)
    _mends_from_memory(evidence, place, written)


def _called(
    evidence: Evidence, name: str, variable: str, tools: tuple[str, ...], parameter: str
) -> dict[str, _Found]:
    """Return the paths of a tool that are called like a variable, or like the parameter."""
    found = {}
    for tool in tools:
        for path, text, fit in evidence.index.fits(name, tool, parameter)[:MAX_PATHS]:
            distance = name_distance(variable, text)
            if _may_be_meant(evidence, distance, fit) or _is_mapped(evidence, name, text, tool, parameter):
                found[text] = (path, distance)
    return found


def _of_own(
    evidence: Evidence, name: str, path: FieldPath, written: str, tools: tuple[str, ...], parameter: str
) -> dict[str, _Found]:
    """Return the paths that may be meant of the very tool that is read, whatever they are like."""
    index = evidence.index
    found: dict[str, _Found] = {}
    if index.declares(name, path):
        found[written] = (path, 0)
    inside = sorted(
        index.deeper(name, path), key=lambda each: _mismatch(evidence, name, each, tools, parameter)
    )
    for number, each in enumerate(inside):
        found.setdefault(path_text(each), (each, DEEPER + min(number, DEEPER)))
    for each, text, distance in index.near_paths(name, written) if written else ():
        found.setdefault(text, (each, distance))
    for tool in tools:
        fits = index.fits(name, tool, parameter)[:MAX_OWN_PATHS]
        for each in [fit[0] for fit in fits] + backed_paths(evidence, name, tool, parameter):
            text = path_text(each)
            found.setdefault(text, (each, path_distance(written, text)))
    return found


def _of_other(
    evidence: Evidence, name: str, path: FieldPath, written: str, tools: tuple[str, ...], parameter: str
) -> dict[str, _Found]:
    """
    Return the paths that may be meant of another tool: the same one, those spelt like it, those that fit.

    `recovery/references.lp` points no reference to others.
    """
    index = evidence.index
    found: dict[str, _Found] = {}
    if index.declares(name, path):
        found[written] = (path, 0)
    if not written:
        return found
    for each, text, distance in index.near_paths(name, written):
        if _may_be_meant(evidence, distance):
            found.setdefault(text, (each, distance))
    for tool in tools:
        for each, text, fit in index.fits(name, tool, parameter)[:MAX_PATHS]:
            if fit == FAR and evidence.options.needs_likeness:
                break
            found.setdefault(text, (each, path_distance(written, text)))
        for each, text, distance in index.spelt(name, written, index.parameter_type(tool, parameter)):
            if _may_be_meant(evidence, distance):
                found.setdefault(text, (each, distance))
        for each in backed_paths(evidence, name, tool, parameter):
            text = path_text(each)
            distance, fit = path_distance(written, text), index.fit(name, each, tool, parameter)
            if _may_be_meant(evidence, distance, fit) or _is_mapped(evidence, name, text, tool, parameter):
                found.setdefault(text, (each, distance))
    return found


def _may_be_meant(evidence: Evidence, distance: int, fit: int = FAR) -> bool:
    """Whether a path of another call may be meant, so far from the written one and from the parameter."""
    options = evidence.options
    return distance <= options.near_path or fit < FAR or not options.needs_likeness


def _is_mapped(evidence: Evidence, name: str, text: str, tool: str, parameter: str) -> bool:
    return mapping_weight(evidence, name, text, tool, parameter) is not None


def _mismatch(evidence: Evidence, name: str, path: FieldPath, tools: tuple[str, ...], parameter: str) -> int:
    """Return what the type of a path counts against it where one of the tools takes the parameter."""
    kind = evidence.tool(name).type_at(path)
    return min((mismatch(kind, evidence.index.parameter_type(tool, parameter)) for tool in tools), default=0)


def _is_fit(evidence: Evidence, name: str, path: FieldPath, tools: tuple[str, ...], parameter: str) -> bool:
    """Whether a path is like the parameter of one of the tools by its name."""
    return any(evidence.index.fit(name, path, tool, parameter) < FAR for tool in tools)


def _mends_from_memory(evidence: Evidence, place: Place, written: str) -> None:
    """State to which values of memory a reference could be pointed instead."""
    call, parameter, _ = place
    reference = evidence.instance.references[place]
    is_returned = call == len(evidence.instance.sequence.calls)
    variable = place in evidence.instance.lost and reference.label in evidence.instance.variables
    tools = evidence.possible_tools(call)
    if not evidence.is_new("recall", written, variable, parameter, tools, is_returned):
        return
    found: list[tuple[int, int, int, str, FieldPath, dict[str, int]]] = []
    for number, (label, path, kind) in enumerate(memory_values(evidence)):
        names: FieldPath = path or (label,)
        if variable or not path:
            spelling = path_distance(reference.label, path_text(names))
            distance = min(fit_distance(names, kind, reference.label, "any"), spelling)
        else:
            distance = path_distance(written, path_text(path))
        readers = {
            reader: fit_distance(names, kind, parameter, evidence.index.parameter_type(reader, parameter))
            for reader in tools
        }
        near = min(distance, *readers.values(), FAR)
        recalled = Reference(label=label, path=path)
        if near <= NEAR_MEMORY and _may_recall(evidence, place, tools, recalled):
            found.append((near, number, min(distance, FAR), label, path, readers))
    for _, _, distance, label, path, readers in nearest(evidence, found):
        text = path_text(path)
        held = state_memory(evidence, label, text)
        evidence.state_near(written, held, text, distance)
        for reader, fit in readers.items():
            evidence.add("in_fit", held, text, reader, parameter, fit)
        if is_returned:
            evidence.add("in_fit", held, text, RETURNS, parameter, FAR)


def _may_recall(evidence: Evidence, place: Place, tools: tuple[str, ...], held: Reference) -> bool:
    """Whether a value of memory fits where a reference stands."""
    _, parameter, slot = place
    if slot == 0:
        return not tools or any(may_be_held(evidence.instance, held, tool, parameter) for tool in tools)
    value = evidence.instance.memory.at(held.label, held.path)
    return may_stand(evidence.instance, place, tools, frozenset({type_of(value)}))
