"""What a lost label or a wrong reference may stand for: other calls, other paths, memory, missing calls."""

from __future__ import annotations

from refract_asp.model.paths import FieldPath, path_text
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fillers import (
    NEAR_MEMORY,
    backed_paths,
    inputs,
    memory_values,
    nearest,
    state_memory,
    state_reference_fit,
)
from refract_asp.rules.index import MAX_OWN_PATHS, MAX_PATHS
from refract_asp.rules.instance import RETURNS, Place
from refract_asp.rules.likeness import FAR, fit_distance, name_distance, path_distance

__all__ = ["mends", "producers"]


def producers(evidence: Evidence, label: str, readers: list[Place]) -> None:
    """State which tools return all that is read from a lost label, and what they need."""
    paths = list(dict.fromkeys(evidence.instance.references[place].path for place in readers))
    first = min(place[0] for place in readers)
    for name in evidence.earlier_tools(first):
        for path in paths:
            if evidence.index.tools[name].returns_path(path):
                evidence.tool(name)
                evidence.add("in_gives", name, path_text(path))
    found, cut = evidence.index.producers(paths)
    if cut:
        evidence.truncated[f"tools that return what is read from {label[:40]}"] = None
    for name in found:
        if name not in evidence.allowed:
            continue
        tool = evidence.tool(name)
        evidence.add("in_callable", name)
        for path in paths:
            evidence.add("in_gives", name, path_text(path))
        for call, parameter, number in readers:
            if number == 0:
                for reader in evidence.possible_tools(call):
                    path = evidence.instance.references[call, parameter, number].path
                    state_reference_fit(evidence, name, path, reader, parameter)
        inputs(evidence, first, tool, 0)


def mends(evidence: Evidence, place: Place) -> None:
    """State to which paths of which calls and labels a reference could be pointed instead."""
    evidence.looks += 1
    call, parameter, _ = place
    reference = evidence.instance.references[place]
    written = evidence.instance.written(place)
    readers = evidence.possible_tools(call)
    is_variable = place in evidence.instance.lost and reference.label in evidence.instance.variables
    producer = evidence.instance.producers.get(place)
    own = evidence.possible_tools(producer) if producer is not None else ()
    for name in evidence.earlier_tools(call):
        if not evidence.is_new("mend", name, written, parameter, readers, name in own, is_variable):
            continue
        tool = evidence.tool(name)
        found: dict[str, tuple[FieldPath, int]] = {}
        if is_variable:
            for reader in readers:
                for path, text, _ in evidence.index.fits(name, reader, parameter)[:MAX_PATHS]:
                    found[text] = (path, name_distance(reference.label, text))
        else:
            if tool.returns_path(reference.path):
                found[written] = (reference.path, 0)
            if written:
                for path, text, distance in evidence.index.near_paths(name, written):
                    found.setdefault(text, (path, distance))
                for reader in readers:
                    limit = MAX_OWN_PATHS if name in own else MAX_PATHS
                    fits = evidence.index.fits(name, reader, parameter)[:limit]
                    for path in [f[0] for f in fits] + backed_paths(evidence, name, reader, parameter):
                        text = path_text(path)
                        found.setdefault(text, (path, path_distance(written, text)))
        for text, (path, distance) in found.items():
            evidence.add("in_gives", name, text)
            evidence.add("in_path_distance", written, name, text, distance)
            for reader in readers:
                state_reference_fit(evidence, name, path, reader, parameter)
            if call == len(evidence.instance.sequence.calls):
                evidence.add("in_fit", name, text, RETURNS, parameter, FAR)
    _mends_from_memory(evidence, place, written)


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
            distance = fit_distance(names, kind, reference.label, "any")
        else:
            distance = path_distance(written, path_text(path))
        readers = {
            reader: fit_distance(names, kind, parameter, evidence.index.parameter_type(reader, parameter))
            for reader in tools
        }
        near = min(distance, *readers.values(), FAR)
        if near <= NEAR_MEMORY:
            found.append((near, number, min(distance, FAR), label, path, readers))
    for _, _, distance, label, path, readers in nearest(evidence, found):
        text = path_text(path)
        held = state_memory(evidence, label, text)
        evidence.add("in_path_distance", written, held, text, distance)
        for reader, fit in readers.items():
            evidence.add("in_fit", held, text, reader, parameter, fit)
        if is_returned:
            evidence.add("in_fit", held, text, RETURNS, parameter, FAR)
