"""What a lost label or a wrong reference may stand for: other calls, other paths, memory, missing calls."""

from __future__ import annotations

from collections.abc import Iterable
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
    nearest,
    state_fit,
    state_memory,
)
from refract_asp.rules.fitting import may_be_held, may_stand
from refract_asp.rules.instance import RETURNS, Place
from refract_asp.rules.likeness import (
    FAR,
    Fit,
    fit_distance,
    mismatch,
    name_distance,
    path_distance,
)

# Up to this distance a path may have been meant in place of one that is there.
NEAR_PATH = 10

# A tool may have given an output whose name is so near, unless another one is nearer by more than
# that.
NEAR_NAMED = 14
MARGIN_NAMED = 2

# How far a path is that goes on from the one that was written, if none is shallower or has a
# better type; else twice as far. Their order in the catalog says nothing.
DEEPER = 1


def producers(evidence: Evidence, label: str, readers: list[Place]) -> None:
    """State which tools return all that is read from a lost label, and what they need."""
    instance, index = evidence.instance, evidence.index
    paths = list(dict.fromkeys(instance.references[place].path for place in readers))
    first = min(call for call, _, _ in readers)
    first = min(first, evidence.gaps.get(label, first))
    before = evidence.earlier_tools(first)
    for name in before:
        for path in paths:
            if index.tools[name].returns_path(path):
                evidence.tool(name)
                evidence.state_gives(name, path_text(path))
    # what a sequence returns may be named after all that some call gives
    whole = [p for call, p, slot in readers if (call, slot) == (instance.end, 0)]
    named = {
        parameter: index.named(parameter)
        for parameter in whole
        if not instance.references[instance.end, parameter, 0].path
    }
    found, is_cut = index.producers(paths)
    if named and not any(paths):
        found, is_cut = _nearest_named(named, evidence.bounds.producers)
    if is_cut:
        evidence.cut(f"tools that return what is read from {shown(label)}")
    for parameter, near in named.items():
        for name in dict.fromkeys([*before, *found]):
            distance = min(near.get(name, FAR), FAR)
            evidence.add("in_named", instance.end, parameter, name, distance)
    for name in filter(evidence.may_add, found):
        tool = evidence.tool(name)
        evidence.add("in_supplier", label, name)
        evidence.suppliers[name] = None
        for path in paths:
            evidence.state_gives(name, path_text(path))
        for place in readers:
            for reader in evidence.possible_tools(place[0]) if place[2] == 0 else ():
                state_fit(evidence, name, instance.references[place].path, reader, place[1])
        inputs(evidence, first, tool, 0)


def _nearest_named(named: dict[str, dict[str, int]], most: int) -> tuple[list[str], bool]:
    """Return the tools that are like one of the names, if no other one is clearly nearer, nearest first."""
    names = {name for near in named.values() for name in near}
    distances = ((min(near.get(name, FAR) for near in named.values()), name) for name in names)
    ranked = sorted(each for each in distances if each[0] <= NEAR_NAMED)
    found = [name for distance, name in ranked if distance <= ranked[0][0] + MARGIN_NAMED]
    return found[:most], len(found) > most


def mends(evidence: Evidence, place: Place, reach: int, *, is_there: bool = False) -> None:
    """
    State to which paths of which calls within reach, and labels, a reference could be pointed instead.

    Where what it reads `is_there`, and only of another type, nothing is meant that it is not like.
    """
    instance = evidence.instance
    call, parameter, slot = place
    open_place = _OpenPlace(evidence, place)
    written, path_read, readers = open_place.written, open_place.path, open_place.tools
    producer = instance.producers.get(place)
    own = evidence.possible_tools(producer) if producer is not None else ()
    before = own if producer is not None and producer < call else ()
    where = (parameter, slot and place, is_there, readers, open_place.is_variable)
    for name in dict.fromkeys([*evidence.earlier_tools(call, reach), *before]):
        if not evidence.is_new("mend", name, written, where, name in own):
            continue
        tool = evidence.tool(name)
        evidence.look_at(name)
        if open_place.is_variable:
            found = open_place.called(name)
        elif name in own:
            found = open_place.of_own(name)
        else:
            found = open_place.of_other(name)
            # a call of which nothing says what it returns is no better than the one that was meant
            if producer is None and path_read not in found and tool.returns_path(path_read):
                found = {path_read: 0, **found}
        for path, distance in found.items():
            if is_there and distance > NEAR_PATH and not open_place.is_alike(name, path):
                continue
            if open_place.may_read(name, path):
                evidence.state_near(written, name, path_text(path), distance)
                evidence.state_gives(name, path_text(path))
                for reader in readers:
                    state_fit(evidence, name, path, reader, parameter)
                if call == instance.end:
                    evidence.state_fit(name, path_text(path), RETURNS, parameter, FAR)
    open_place.recall()


class _OpenPlace:
    """A reference that may come to read elsewhere; finds which paths of a tool, with distances, it may mean."""

    def __init__(self, evidence: Evidence, place: Place) -> None:
        self.evidence, self.index, self.instance = evidence, evidence.index, evidence.instance
        self.place = place
        self.call, self.parameter, self.slot = place
        self.path = self.instance.references[place].path
        self.written = self.instance.written(place)
        self.is_variable = self.instance.is_variable(place)
        self.tools = evidence.possible_tools(self.call)

    def may_read(self, name: str, path: FieldPath) -> bool:
        """Whether what a tool returns at a path may stand where the reference does."""
        return may_stand(self.instance, self.place, self.tools, self.index.types_at(name, path))

    def is_alike(self, name: str, path: FieldPath) -> bool:
        """Whether a path is like the parameter of one of the tools by its name."""
        return any(self.index.fit(name, path, each, self.parameter) < FAR for each in self.tools)

    def called(self, name: str) -> dict[FieldPath, int]:
        """Return the paths of a tool that are called like the variable, or like the parameter."""
        label = self.instance.references[self.place].label
        found = {}
        for tool in self.tools:
            for path, text, fit in self.evidence.best_fits(name, tool, self.parameter):
                distance = name_distance(label, text)
                if self._is_meant(distance, fit) or self._is_mapped(name, path, tool):
                    found[path] = distance
        return found

    def of_own(self, name: str) -> dict[FieldPath, int]:
        """Return the paths that may be meant of the very tool that is read, whatever they are like."""
        evidence, index, most = self.evidence, self.index, self.evidence.bounds.own_paths
        found = {self.path: 0} if index.tools[name].declares_path(self.path) else {}
        deeper = index.deeper(name, self.path)
        wanted = [index.parameter_type(tool, self.parameter) for tool in self.tools]
        inside = {}
        for path in deeper[:most]:
            kind = index.tools[name].type_at(path)
            inside[path] = min((mismatch(kind, each) for each in wanted), default=0), len(path)
        for path, how in inside.items():
            found.setdefault(path, DEEPER if how == min(inside.values()) else 2 * DEEPER)
        left = set(deeper[most:])
        if left and any(
            fit[0] in left and fit[2] < FAR and self.may_read(name, fit[0])
            for tool in self.tools
            for fit in index.fits(name, tool, self.parameter)
        ):
            what = shown(self.written) or "its output"
            evidence.cut(f"fields of {shown(name)} that go on from {what}")
        near, is_cut = self._near(name)
        for path, _, distance in near:
            found.setdefault(path, distance)
        for tool in self.tools:
            alike = [fit[0] for fit in self._alike(name, tool, most, is_cut)]
            for path in (*alike, *backed_paths(evidence, name, tool, self.parameter)):
                found.setdefault(path, path_distance(self.written, path_text(path)))
        return found

    def of_other(self, name: str) -> dict[FieldPath, int]:
        """
        Return the paths that may be meant of another tool: the same one, those spelt like it, those that fit.

        `recovery/references.lp` points no reference to others.
        """
        evidence, index, written = self.evidence, self.index, self.written
        found = {self.path: 0} if index.tools[name].declares_path(self.path) else {}
        if not written:
            return found
        near, is_cut = self._near(name)
        self._add_meant(found, near)
        for tool in self.tools:
            for path, text, fit in self._alike(name, tool, evidence.bounds.paths, is_cut):
                if fit < FAR or not evidence.needs_likeness:
                    found.setdefault(path, path_distance(written, text))
            wanted = index.parameter_type(tool, self.parameter)
            self._add_meant(found, index.spelt(name, written, wanted))
            for path in backed_paths(evidence, name, tool, self.parameter):
                distance = path_distance(written, path_text(path))
                fit = index.fit(name, path, tool, self.parameter)
                if self._is_meant(distance, fit) or self._is_mapped(name, path, tool):
                    found.setdefault(path, distance)
        return found

    def _add_meant(self, found: dict[FieldPath, int], fits: Iterable[Fit]) -> None:
        for path, _, distance in fits:
            if self._is_meant(distance):
                found.setdefault(path, distance)

    def _near(self, name: str) -> tuple[tuple[Fit, ...], bool]:
        """Return the paths of a tool that are best in spelling, and whether others are cut off."""
        most = self.evidence.bounds.paths
        spelt = self.index.near_paths(name, self.written) if self.written else ()
        near = tuple(islice((fit for fit in spelt if self.may_read(name, fit[0])), most + 1))
        return near[:most], len(near) > most

    def _alike(self, name: str, tool: str, most: int, is_cut: bool) -> tuple[Fit, ...]:
        """
        Return the paths of a tool that are most like what the reference fills.

        What is neither among these nor best in spelling can only be better where something is cut off from
        both; `is_cut` tells whether it is from the other ones.
        """
        fits = self.index.fits(name, tool, self.parameter)
        found = tuple(islice((fit for fit in fits if self.may_read(name, fit[0])), most + 1))
        if is_cut and len(found) > most and found[most][2] < FAR:
            self.evidence.cut(f"fields of {shown(name)} that are like {shown(self.written)}")
        return found[:most]

    def _is_meant(self, distance: int, fit: int = FAR) -> bool:
        """Whether a path of another call may be meant, so far from the written one and from the parameter."""
        is_near = distance <= self.evidence.options.near_path or fit < FAR
        return is_near or not self.evidence.needs_likeness

    def _is_mapped(self, name: str, path: FieldPath, tool: str) -> bool:
        text = path_text(path)
        return mapping_weight(self.evidence, name, text, tool, self.parameter) is not None

    def recall(self) -> None:
        """State to which values of memory the reference could be pointed instead."""
        evidence, written, parameter = self.evidence, self.written, self.parameter
        label_read = self.instance.references[self.place].label
        is_returned = self.call == self.instance.end
        key = (written, self.is_variable, parameter, self.tools, is_returned)
        if not evidence.is_new("recall", *key):
            return
        wanted = {tool: self.index.parameter_type(tool, parameter) for tool in self.tools}
        found: list[tuple[int, int, int, str, FieldPath, dict[str, int]]] = []
        for number, (label, path, kind) in enumerate(evidence.memory_values):
            names: FieldPath = path or (label,)
            if self.is_variable or not path:
                spelling = path_distance(label_read, path_text(names))
                distance = min(fit_distance(names, kind, label_read, "any"), spelling)
            else:
                distance = path_distance(written, path_text(path))
            fits = {tool: fit_distance(names, kind, parameter, wanted[tool]) for tool in wanted}
            near = min(distance, *fits.values(), FAR)
            if near <= NEAR_MEMORY and self._may_recall(Reference(label=label, path=path)):
                found.append((near, number, min(distance, FAR), label, path, fits))
        for _, _, distance, label, path, fits in nearest(evidence, found):
            held, text = state_memory(evidence, label, path), path_text(path)
            evidence.state_near(written, held, text, distance)
            for tool, fit in fits.items():
                evidence.state_fit(held, text, tool, parameter, fit)
            if is_returned:
                evidence.state_fit(held, text, RETURNS, parameter, FAR)

    def _may_recall(self, held: Reference) -> bool:
        """Whether a value of memory fits where the reference stands."""
        if self.slot == 0:
            fits = (may_be_held(self.instance, held, each, self.parameter) for each in self.tools)
            return not self.tools or any(fits)
        value = self.instance.memory.at(held.label, held.path)
        return may_stand(self.instance, self.place, self.tools, frozenset({type_of(value)}))


def state_fits_of_near(evidence: Evidence) -> None:
    """
    State how well all that is near a path fits wherever that path is written.

    What one reference may mean is offered to all that are written alike, and each has to pay for it.
    """
    for place in sorted(evidence.open_places):
        call, parameter, _ = place
        written = evidence.instance.written(place)
        for giver, text in evidence.near.get(written, {}):
            if call == evidence.instance.end:
                evidence.state_fit(giver, text, RETURNS, parameter, FAR)
            if not isinstance(giver, str):
                continue
            for reader in evidence.possible_tools(call):
                if not evidence.is_known("fit", giver, text, reader, parameter):
                    state_fit(evidence, giver, parse_path(text), reader, parameter)
