"""What a lost label or a wrong reference may stand for: other calls, other paths, memory, missing calls."""

from __future__ import annotations

from itertools import islice

from refract_asp.errors import shown
from refract_asp.model import Reference
from refract_asp.model.paths import FieldPath, parse_path, path_text
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
from refract_asp.rules.index import Fit
from refract_asp.rules.instance import RETURNS, Place
from refract_asp.rules.likeness import FAR, fit_distance, mismatch, name_distance, path_distance

__all__ = ["mends", "producers", "state_fits_of_near"]

_Found = tuple[FieldPath, int]
"""A path, and how far it is from the one that is written."""

NEAR_PATH = 10
"""Up to this distance a path may have been meant in place of one that is there."""

NEAR_NAMED = 14
MARGIN_NAMED = 2
"""A tool may have given an output whose name is so near, unless another one is nearer by more than that."""

DEEPER = 1
"""
How far a path is that goes on from the one that was written, if none is shallower or has a better type; else
twice as far. Their order in the catalog says nothing.
"""


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
        found, cut = _nearest_named(names, evidence.bounds.producers)
    if cut:
        evidence.cut(f"tools that return what is read from {shown(label)}")
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
        evidence.add("in_supplier", label, name)
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
    return (
        place[0] == len(evidence.instance.sequence.calls)
        and not evidence.instance.references[place].path
    )


def _nearest_named(names: dict[str, dict[str, int]], most: int) -> tuple[list[str], bool]:
    """Return the tools that are like one of the names, if no other one is clearly nearer, nearest first."""
    distances: dict[str, int] = {}
    for near in names.values():
        for tool, distance in near.items():
            distances[tool] = min(distance, distances.get(tool, FAR))
    ranked = sorted(
        (distance, tool) for tool, distance in distances.items() if distance <= NEAR_NAMED
    )
    found = [tool for distance, tool in ranked if distance <= ranked[0][0] + MARGIN_NAMED]
    return found[:most], len(found) > most


def mends(evidence: Evidence, place: Place, reach: int, *, is_there: bool = False) -> None:
    """
    State to which paths of which calls within reach, and labels, a reference could be pointed instead.

    Where what it reads `is_there`, and only of another type, nothing is meant that it is not like.
    """
    call, parameter, number = place
    reference = evidence.instance.references[place]
    written = evidence.instance.written(place)
    readers = evidence.possible_tools(call)
    is_variable = place in evidence.instance.lost and reference.label in evidence.instance.variables
    producer = evidence.instance.producers.get(place)
    own = evidence.possible_tools(producer) if producer is not None else ()
    before = own if producer is not None and producer < call else ()
    where = (parameter, number and place, is_there)
    for name in dict.fromkeys([*evidence.earlier_tools(call, reach), *before]):
        if not evidence.is_new("mend", name, written, where, readers, name in own, is_variable):
            continue
        tool = evidence.tool(name)
        evidence.look_at(name)
        if is_variable:
            found = _called(evidence, name, reference.label, readers, parameter)
        elif name in own:
            found = _of_own(evidence, name, place, readers)
        else:
            found = _of_other(evidence, name, place, readers)
            # a call of which nothing says what it returns is no better than the one that was meant
            if producer is None and written not in found and tool.returns_path(reference.path):
                found = {written: (reference.path, 0), **found}
        for text, (path, distance) in found.items():
            if not may_stand(
                evidence.instance, place, readers, evidence.index.types_at(name, path)
            ):
                continue
            if (
                is_there
                and distance > NEAR_PATH
                and not _is_fit(evidence, name, path, readers, parameter)
            ):
                continue
            evidence.state_gives(name, text)
            evidence.state_near(written, name, text, distance)
            for reader in readers:
                state_reference_fit(evidence, name, path, reader, parameter)
            if call == len(evidence.instance.sequence.calls):
                evidence.state_fit(name, text, RETURNS, parameter, FAR)
    _mends_from_memory(evidence, place, written)


def _called(
    evidence: Evidence, name: str, variable: str, tools: tuple[str, ...], parameter: str
) -> dict[str, _Found]:
    """Return the paths of a tool that are called like a variable, or like the parameter."""
    found = {}
    for tool in tools:
        for path, text, fit in evidence.best_fits(name, tool, parameter):
            distance = name_distance(variable, text)
            if _may_be_meant(evidence, distance, fit) or _is_mapped(
                evidence, name, text, tool, parameter
            ):
                found[text] = (path, distance)
    return found


def _of_own(
    evidence: Evidence, name: str, place: Place, tools: tuple[str, ...]
) -> dict[str, _Found]:
    """Return the paths that may be meant of the very tool that is read, whatever they are like."""
    index, most = evidence.index, evidence.bounds.own_paths
    path, written = evidence.instance.references[place].path, evidence.instance.written(place)
    _, parameter, _ = place
    found: dict[str, _Found] = {}
    if index.declares(name, path):
        found[written] = (path, 0)
    deeper = index.deeper(name, path)
    inside = {
        each: (_mismatch(evidence, name, each, tools, parameter), len(each))
        for each in deeper[:most]
    }
    for each, how in inside.items():
        found.setdefault(
            path_text(each), (each, DEEPER if how == min(inside.values()) else 2 * DEEPER)
        )
    left = set(deeper[most:])
    if left and any(
        fit[0] in left and fit[2] < FAR and _stands(evidence, name, fit, place, tools)
        for tool in tools
        for fit in index.fits(name, tool, parameter)
    ):
        evidence.cut(f"fields of {shown(name)} that go on from {shown(written) or 'its output'}")
    near, beyond = _near(evidence, name, place, tools)
    for each, text, distance in near:
        found.setdefault(text, (each, distance))
    for tool in tools:
        fits = _alike(evidence, name, place, tools, tool, most, beyond)
        for each in [fit[0] for fit in fits] + backed_paths(evidence, name, tool, parameter):
            text = path_text(each)
            found.setdefault(text, (each, path_distance(written, text)))
    return found


def _of_other(
    evidence: Evidence, name: str, place: Place, tools: tuple[str, ...]
) -> dict[str, _Found]:
    """
    Return the paths that may be meant of another tool: the same one, those spelt like it, those that fit.

    `recovery/references.lp` points no reference to others.
    """
    index = evidence.index
    path, written = evidence.instance.references[place].path, evidence.instance.written(place)
    _, parameter, _ = place
    found: dict[str, _Found] = {}
    if index.declares(name, path):
        found[written] = (path, 0)
    if not written:
        return found
    near, beyond = _near(evidence, name, place, tools)
    for each, text, distance in near:
        if _may_be_meant(evidence, distance):
            found.setdefault(text, (each, distance))
    for tool in tools:
        for each, text, fit in _alike(
            evidence, name, place, tools, tool, evidence.bounds.paths, beyond
        ):
            if fit == FAR and evidence.needs_likeness:
                break
            found.setdefault(text, (each, path_distance(written, text)))
        for each, text, distance in index.spelt(
            name, written, index.parameter_type(tool, parameter)
        ):
            if _may_be_meant(evidence, distance):
                found.setdefault(text, (each, distance))
        for each in backed_paths(evidence, name, tool, parameter):
            text = path_text(each)
            distance, fit = path_distance(written, text), index.fit(name, each, tool, parameter)
            if _may_be_meant(evidence, distance, fit) or _is_mapped(
                evidence, name, text, tool, parameter
            ):
                found.setdefault(text, (each, distance))
    return found


def _stands(evidence: Evidence, name: str, fit: Fit, place: Place, tools: tuple[str, ...]) -> bool:
    """Whether what a tool returns at a path may stand where the reference does."""
    return may_stand(evidence.instance, place, tools, evidence.index.types_at(name, fit[0]))


def _near(
    evidence: Evidence, name: str, place: Place, tools: tuple[str, ...]
) -> tuple[tuple[Fit, ...], bool]:
    """Return the paths of a tool that are best in spelling, and whether others are cut off."""
    written, most = evidence.instance.written(place), evidence.bounds.paths
    spelt = evidence.index.near_paths(name, written) if written else ()
    near = tuple(
        islice((each for each in spelt if _stands(evidence, name, each, place, tools)), most + 1)
    )
    return near[:most], len(near) > most


def _alike(
    evidence: Evidence,
    name: str,
    place: Place,
    tools: tuple[str, ...],
    tool: str,
    most: int,
    beyond: bool,
) -> tuple[Fit, ...]:
    """
    Return the paths of a tool that are most like what the reference fills.

    What is neither among these nor best in spelling can only be better where something is cut off from both;
    `beyond` tells whether it is from the other ones.
    """
    fits = evidence.index.fits(name, tool, place[1])
    fits = tuple(
        islice((fit for fit in fits if _stands(evidence, name, fit, place, tools)), most + 1)
    )
    if beyond and len(fits) > most and fits[most][2] < FAR:
        evidence.cut(
            f"fields of {shown(name)} that are like {shown(evidence.instance.written(place))}"
        )
    return fits[:most]


def state_fits_of_near(evidence: Evidence) -> None:
    """
    State how well all that is near a path fits wherever that path is written.

    What one reference may mean is offered to all that are written alike, and each has to pay for it.
    """
    for call, parameter, number in sorted(evidence.open_places):
        written = evidence.instance.written((call, parameter, number))
        if call == len(evidence.instance.sequence.calls):
            for giver, text in evidence.near.get(written, {}):
                evidence.state_fit(giver, text, RETURNS, parameter, FAR)
        for reader in evidence.possible_tools(call):
            if evidence.is_new("near", written, reader, parameter):
                for giver, text in evidence.near.get(written, {}):
                    if isinstance(giver, str) and not evidence.is_known(
                        "fit", giver, text, reader, parameter
                    ):
                        state_reference_fit(evidence, giver, parse_path(text), reader, parameter)


def _may_be_meant(evidence: Evidence, distance: int, fit: int = FAR) -> bool:
    """Whether a path of another call may be meant, so far from the written one and from the parameter."""
    return distance <= evidence.options.near_path or fit < FAR or not evidence.needs_likeness


def _is_mapped(evidence: Evidence, name: str, text: str, tool: str, parameter: str) -> bool:
    return mapping_weight(evidence, name, text, tool, parameter) is not None


def _mismatch(
    evidence: Evidence, name: str, path: FieldPath, tools: tuple[str, ...], parameter: str
) -> int:
    """Return what the type of a path counts against it where one of the tools takes the parameter."""
    kind = evidence.tool(name).type_at(path)
    return min(
        (mismatch(kind, evidence.index.parameter_type(tool, parameter)) for tool in tools),
        default=0,
    )


def _is_fit(
    evidence: Evidence, name: str, path: FieldPath, tools: tuple[str, ...], parameter: str
) -> bool:
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
            reader: fit_distance(
                names, kind, parameter, evidence.index.parameter_type(reader, parameter)
            )
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
            evidence.state_fit(held, text, reader, parameter, fit)
        if is_returned:
            evidence.state_fit(held, text, RETURNS, parameter, FAR)


def _may_recall(evidence: Evidence, place: Place, tools: tuple[str, ...], held: Reference) -> bool:
    """Whether a value of memory fits where a reference stands."""
    _, parameter, slot = place
    if slot == 0:
        return not tools or any(
            may_be_held(evidence.instance, held, tool, parameter) for tool in tools
        )
    value = evidence.instance.memory.at(held.label, held.path)
    return may_stand(evidence.instance, place, tools, frozenset({type_of(value)}))
