"""What could fill a parameter: earlier outputs, memory, defaults, constants, and calls that may be added."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, TypeVar

from clingo import Symbol

from refract_asp.errors import shown
from refract_asp.model import Constant, Mapping, Reference, Tool
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import may_be_held
from refract_asp.rules.likeness import COMMON_WORDS, FAR, fit_distance, fold, leaf_names, mismatch
from refract_asp.rules.repetition import value_index
from refract_asp.rules.symbols import memory

Candidate = TypeVar("Candidate", bound=tuple[Any, ...])

# Values of memory are considered up to this distance.
NEAR_MEMORY = 7
# How far a mapping of weight 0 sets the pair apart; one of weight 1 makes it equal.
UNSURE = 10

_INDEX = re.compile(r"\[\d+\]")


def fillers(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """
    State what could fill a parameter of a call, or of one that is added before it.

    What earlier calls give is stated when it is known how far back they are looked at; see
    `earlier_outputs`.
    """
    places = evidence.seeking.setdefault((tool, parameter), {})
    is_new = call not in places
    if not is_new and places[call] <= depth:
        return
    places[call] = depth
    if is_new:  # else it is less deep, and more calls may follow
        evidence.looks += 1 + len(evidence.mappings_to(tool, parameter))
        _state_memory_fits(evidence, tool, parameter)
        for value in evidence.index.known_value(tool, parameter):
            number = value_index(evidence.instance, Constant(value=value))
            evidence.add("in_default", tool, parameter, number)
    _sources(evidence, call, tool, parameter, depth)


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
    fits = evidence.index.fits_schema
    for call in evidence.instance.sequence.calls:
        source = call.arguments.get(parameter)
        if isinstance(source, Constant) and fits(tool, parameter, source.value):
            key = json.dumps(source.value, sort_keys=True, default=str)
            found.setdefault(key, []).append(source)
    ranked = sorted(found.values(), key=len, reverse=True)
    if len(ranked) > evidence.bounds.constants:
        evidence.cut(f"constants that are given to {shown(parameter)}")
    for same in ranked[: evidence.bounds.constants]:
        evidence.add("in_constant", tool, parameter, len(evidence.constants))
        evidence.constants.append(same[0])


# -- fits and mappings ---------------------------------------------------------


def state_fit(
    evidence: Evidence,
    name: str,
    path: FieldPath,
    tool: str,
    parameter: str,
    distance: int | None = None,
) -> None:
    """State how well a path of one tool fits a parameter of another, and what speaks for it."""
    text, ends, index = path_text(path), (name, path, tool, parameter), evidence.index
    if not evidence.is_new("fit", name, text, tool, parameter):
        return
    if distance is None:
        distance = index.fit(*ends) if path else FAR
    evidence.state_gives(name, text)
    evidence.add("in_rank", name, text, tool, parameter, index.rank(*ends))
    weight = mapping_weight(evidence, name, text, tool, parameter)
    if weight is not None:
        evidence.add("in_mapping", name, text, tool, parameter)
        distance = round(UNSURE * (1 - weight))
    evidence.state_fit(name, text, tool, parameter, distance)
    if _is_equal_name(path, parameter, is_telling=True):
        evidence.add("in_equal_name", name, text, tool, parameter)
    if index.suggested(*ends) is not None:
        evidence.add("in_suggested", name, text, tool, parameter)


def _is_equal_name(path: FieldPath, parameter: str, *, is_telling: bool) -> bool:
    """
    Whether a path ends in a field, or in parent and field, that is called like the parameter.

    A name that is telling is not `title` or `date`, which may belong to anything.
    """
    if is_telling and fold(parameter) in COMMON_WORDS:
        return False
    return fold(parameter) in map(fold, leaf_names(path))


def backed_paths(evidence: Evidence, name: str, tool: str, parameter: str) -> list[FieldPath]:
    """Return the paths that the sequence itself, or a mapping, feeds to this parameter."""
    found = [path for feeder, path in evidence.fed(parameter) if feeder == name]
    for mapping in evidence.mappings_to(tool, parameter):
        found += _mapped_paths(mapping, evidence.index.tools[name])
    return list(dict.fromkeys(found))


def _mapped_paths(mapping: Mapping, source: Tool) -> Iterator[FieldPath]:
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
    mappings = evidence.mappings_to(tool, parameter)
    weights = (each.weight for each in mappings if each.source in (text, f"{name}.{text}"))
    return max(weights, default=None)


# -- memory --------------------------------------------------------------------


def _state_memory_fits(evidence: Evidence, tool: str, parameter: str) -> None:
    """State what memory holds that is named like the parameter, or mapped to it."""
    if not evidence.is_new("memory", tool, parameter):
        return
    wanted = evidence.index.parameter_type(tool, parameter)
    mappings = evidence.mappings_to(tool, parameter)
    found: list[tuple[int, int, str, FieldPath, bool]] = []
    for number, (label, path, kind) in enumerate(evidence.memory_values):
        name = path_text(path) or label  # a context variable is called like its label
        weights = [m.weight for m in mappings if m.source == name or m.source.endswith("." + name)]
        distance = fit_distance(path or (label,), kind, parameter, wanted)
        if weights:
            distance = round(UNSURE * (1 - max(weights)))
        held = Reference(label=label, path=path)
        if distance <= NEAR_MEMORY and may_be_held(evidence.instance, held, tool, parameter):
            found.append((distance, number, label, path, bool(weights)))
    for distance, _, label, path, is_mapped in nearest(evidence, found):
        ends = (state_memory(evidence, label, path), path_text(path), tool, parameter)
        evidence.state_fit(*ends, distance)
        if _is_equal_name(path or (label,), parameter, is_telling=False):
            evidence.add("in_equal_name", *ends)
            evidence.add("in_source", *ends)
        if is_mapped:
            evidence.add("in_mapping", *ends)


def nearest(evidence: Evidence, found: list[Candidate]) -> list[Candidate]:
    """Return the nearest values of memory, which begin with distance and number; say if some are cut off."""
    if len(found) > evidence.bounds.recalled:
        evidence.cut("values of memory that could be meant")
    return sorted(found, key=lambda each: each[:2])[: evidence.bounds.recalled]


def state_memory(evidence: Evidence, label: str, path: FieldPath) -> Symbol:
    """State that memory holds a value, as if a call had given it; return what stands for its label."""
    held = memory(label)
    evidence.add("in_name", held, held)
    evidence.add("in_tool", held)
    evidence.state_gives(held, path_text(path))
    return held


# -- calls that may be added ---------------------------------------------------


def _sources(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """State which tools could be called to fill a parameter: by a mapping or a rare equal name."""
    if depth >= evidence.allowed.depth:
        return
    index, is_telling = evidence.index, not evidence.options.common_names
    wanted = index.parameter_type(tool, parameter)
    found = {
        (name, path)
        for name, path in index.rare_sources(parameter)
        if _is_equal_name(path, parameter, is_telling=is_telling)
        and mismatch(index.tools[name].type_at(path), wanted) == 0
    }
    for mapping in evidence.mappings_to(tool, parameter):
        leaf = re.split(r"[.\[]", _INDEX.sub("", mapping.source))[-1] or mapping.source
        steps = mapping.source.split(".")  # it may begin with a tool, as `Search.results` does
        begins = (".".join(steps[:length]) for length in range(1, len(steps)))
        named = [name for name in begins if name in index.tools]
        names, is_cut = index.returners(leaf)
        if is_cut and not named:
            evidence.cut(f"tools that return {shown(leaf)}")
        for name in (*names, *named):
            found |= {(name, path) for path in _mapped_paths(mapping, index.tools[name])}
    for name, path in sorted(found, key=str):
        source = index.tools[name]
        is_fit = evidence.may_add(name) and name != tool and source.effect == "read"
        if is_fit and not index.clashes(name, path, tool, parameter):
            evidence.tool(name)
            evidence.add("in_source", name, path_text(path), tool, parameter)
            state_fit(evidence, name, path, tool, parameter, index.fit(name, path, tool, parameter))
            inputs(evidence, call, source, depth + 1)


# -- earlier outputs -----------------------------------------------------------


def state_outputs(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """
    State which outputs of one tool are like a parameter of another, and how many are not.

    What is not is stated by `earlier_outputs`, where it may be of use.
    """
    if not evidence.is_new("fits", name, tool, parameter):
        return
    evidence.look_at(name)
    index = evidence.index
    fits = index.fits(name, tool, parameter)
    backed = backed_paths(evidence, name, tool, parameter)
    unlike = 0
    if not backed and (not fits or fits[0][2] == FAR):
        unlike = index.unlike(name, tool, parameter)
    else:
        found = {path: distance for path, _, distance in evidence.best_fits(name, tool, parameter)}
        found |= {path: index.fit(name, path, tool, parameter) for path in backed}
        for path, distance in found.items():
            if index.clashes(name, path, tool, parameter):
                continue
            unlike += distance == FAR
            if distance < FAR or path in backed:
                state_fit(evidence, name, path, tool, parameter, distance)
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
    instance = evidence.instance
    used = {giver for (call, _, _), giver in instance.producers.items() if call < instance.end}
    idle = [
        number
        for number in instance.earlier(instance.end)
        if number not in used and (number >= 0 or number in instance.readable)
    ]
    for (tool, parameter), places in evidence.seeking.items():
        near = {place: evidence.earlier_tools(place, reach) for place in places}
        for names in near.values():
            for name in names:
                state_outputs(evidence, name, tool, parameter)
        for place, names in near.items():
            within = idle[bisect_left(idle, place - reach) : bisect_left(idle, place)]
            if not _is_crowded(evidence, within, tool, parameter):
                for name in names:
                    _state_unlike(evidence, name, tool, parameter)
        for name in evidence.suppliers if evidence.gaps else ():
            if evidence.is_known("fits", name, tool, parameter):
                _state_unlike(evidence, name, tool, parameter)


def _is_crowded(evidence: Evidence, idle: list[int], tool: str, parameter: str) -> bool:
    """Whether the idle calls before a place have more outputs than are offered."""
    if not evidence.needs_likeness:
        return False
    left = evidence.options.weak_offers
    for number in reversed(idle):
        giver = evidence.instance.tool(number)
        left -= evidence.unlike.get((giver.name, tool, parameter), 0) if giver is not None else 0
        if left < 0:
            return True
    return False


def _state_unlike(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """State the outputs of one tool that have nothing in common with a parameter of another."""
    if evidence.is_new("unlike", name, tool, parameter):
        for path, _, distance in evidence.best_fits(name, tool, parameter):
            if distance == FAR:
                state_fit(evidence, name, path, tool, parameter, distance)
