"""What may fill a place: outputs, other paths and labels, memory, defaults, constants, and calls to add."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate, islice, product

from clingo import Symbol

from refract_asp.errors import shown
from refract_asp.model import Constant, Mapping, Tool
from refract_asp.model.paths import FieldPath, parse_path, path_text, without
from refract_asp.rules import likeness
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import held_types, may_be_held, may_stand
from refract_asp.rules.index import indexed_as
from refract_asp.rules.instance import RETURNS, Place
from refract_asp.rules.likeness import FAR, Fit, fit_distance, fold, mismatch, path_distance
from refract_asp.rules.problem import value_index
from refract_asp.rules.symbols import memory

# What is reported when a bound cuts some off.
RECALLED = "values of memory that could be meant"

_INDEX = re.compile(r"\[\d+\]")


def fillers(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """
    State what could fill a parameter of a call, or of one that is added before it.

    What earlier calls give is stated when it is known how far back they are looked at; see
    `earlier_outputs`.
    """
    places = evidence.seeking.setdefault((tool, parameter), {})
    known = places.get(call)
    if known is not None and known <= depth:
        return
    places[call] = depth
    if known is None:  # else it is less deep, and more calls may follow
        evidence.looks += 1 + len(evidence.mappings_to(tool, parameter))
        _state_memory_fits(evidence, tool, parameter)
        for value in evidence.index.known_value(tool, parameter):
            number = value_index(evidence.instance, Constant(value=value))
            evidence.add("in_default", tool, parameter, number)
            if not evidence.index.tools[tool].parameters[parameter].known_values:
                evidence.add("in_told", tool, parameter)
    if depth < evidence.allowed.depth:
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
    what = f"constants that are given to {shown(parameter)}"
    for same in evidence.first(ranked, evidence.bounds.constants, what):
        evidence.add("in_constant", tool, parameter, len(evidence.constants))
        evidence.constants.append(same[0])


# -- fits and mappings ---------------------------------------------------------


def state_fit(evidence: Evidence, name: str, path: FieldPath, tool: str, parameter: str) -> None:
    """State how well a path of one tool fits a parameter of another, and what speaks for it."""
    text, ends, index = path_text(path), (name, path, tool, parameter), evidence.index
    stated = (name, text, tool, parameter)
    if not evidence.is_new("fit", *stated):
        return
    distance = index.fit(*ends) if path else FAR
    evidence.state_gives(name, text)
    evidence.add("in_rank", *stated, index.rank(*ends))
    weight = mapping_weight(evidence, *stated)
    if weight is not None:
        evidence.add("in_mapping", *stated)
        distance = round(evidence.options.unsure_mapping * (1 - weight))
    evidence.state_distance("in_fit", *stated, distance=distance)
    if index.clashes(*ends):
        evidence.add("in_clash", *stated)
    if _is_equal_name(path, parameter, index.limits.common):
        evidence.add("in_equal_name", *stated)
    if index.suggested(*ends) is not None:
        evidence.add("in_suggested", *stated)


def _is_equal_name(path: FieldPath, parameter: str, common: Collection[str] = ()) -> bool:
    """Whether a path ends in a field, or in parent and field, called like the parameter, by no common name."""
    name = fold(parameter)
    return name in map(fold, likeness.leaf_names(path)) and name not in common


def backed_paths(evidence: Evidence, name: str, tool: str, parameter: str) -> list[FieldPath]:
    """Return the paths that the sequence itself, or a mapping, feeds to this parameter."""
    found = [path for feeder, path in evidence.fed.get(parameter, ()) if feeder == name]
    for mapping in evidence.mappings_to(tool, parameter):
        found += _mapped_paths(mapping, evidence.index.tools[name])
    return list(dict.fromkeys(found))


def _mapped_paths(mapping: Mapping, source: Tool) -> Iterator[FieldPath]:
    """Yield the paths of a tool that a mapping allows."""
    for text in (mapping.source, mapping.source.removeprefix(f"{source.name}.")):
        with suppress(ValueError):
            path = parse_path(text)
            if source.output_schema is not None and source.returns_path(path):
                yield path


def mapping_weight(evidence: Evidence, name: str, text: str, *ends: str) -> float | None:
    """Return the weight of the mapping of a path of a tool to a parameter, None where there is none."""
    mappings, sources = evidence.mappings_to(*ends), (text, f"{name}.{text}")
    return max((each.weight for each in mappings if each.source in sources), default=None)


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
        distance = fit_distance(path or (label,), kind, parameter, wanted, evidence.index.limits)
        if weights:
            distance = round(evidence.options.unsure_mapping * (1 - max(weights)))
        is_near = distance <= evidence.options.near_memory
        if is_near and may_be_held(evidence.instance, (label, path), tool, parameter):
            found.append((distance, number, label, path, bool(weights)))
    ranked = evidence.first(sorted(found), evidence.bounds.recalled, RECALLED)
    for distance, _, label, path, is_mapped in ranked:
        text = path_text(path)
        ends = (evidence.hold(label, text), text, tool, parameter)
        evidence.state_distance("in_fit", *ends, distance=distance)
        if _is_equal_name(path or (label,), parameter):
            evidence.add("in_equal_name", *ends)
            evidence.add("in_source", *ends)
        if is_mapped:
            evidence.add("in_mapping", *ends)


# -- calls that may be added ---------------------------------------------------


def _sources(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """State which tools could be called to fill a parameter: by a mapping or a rare equal name."""
    index, is_telling = evidence.index, not evidence.options.common_names
    wanted = index.parameter_type(tool, parameter)
    found = {
        (name, path)
        for name, path in index.rare_sources(parameter)
        if _is_equal_name(path, parameter, evidence.index.limits.common if is_telling else ())
        and mismatch(index.tools[name].type_at(path), wanted) == 0
    }
    for mapping in evidence.mappings_to(tool, parameter):
        leaf = re.split(r"[.\[]", _INDEX.sub("", mapping.source))[-1] or mapping.source
        steps = mapping.source.split(".")  # it may begin with a tool, as `Search.results` does
        begins = (".".join(steps[:length]) for length in range(1, len(steps)))
        named = [name for name in begins if name in index.tools]
        names, most = index.returners(leaf), evidence.bounds.producers
        if len(names) > most and not named:
            evidence.cut(f"tools that return {shown(leaf)}")
        for name in (*names[:most], *named):
            found |= {(name, path) for path in _mapped_paths(mapping, index.tools[name])}
    for name, path in sorted(found, key=str):
        source = index.tools[name]
        is_fit = evidence.may_add(name) and name != tool
        if is_fit and not index.clashes(name, path, tool, parameter):
            evidence.tool(name)
            evidence.add("in_source", name, path_text(path), tool, parameter)
            evidence.say("in_sought", parameter)
            evidence.state_words(parameter)
            state_fit(evidence, name, path, tool, parameter)
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
                state_fit(evidence, name, path, tool, parameter)
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
    idle = [number for number in instance.live if number not in used]
    most = evidence.options.weak_offers
    for (tool, parameter), places in evidence.seeking.items():
        near = {place: evidence.earlier_tools(place, reach) for place in places}
        for names in near.values():
            for name in names:
                state_outputs(evidence, name, tool, parameter)
        for place, names in near.items():
            within = idle[bisect_left(idle, place - reach) : bisect_left(idle, place)]
            givers = filter(None, map(instance.tool, reversed(within)))
            offers = (evidence.unlike.get((giver.name, tool, parameter), 0) for giver in givers)
            is_crowded = evidence.needs_likeness and any(each > most for each in accumulate(offers))
            if not is_crowded:
                for name in names:
                    _state_unlike(evidence, name, tool, parameter)
        for name in evidence.suppliers if evidence.gaps else ():
            if evidence.is_known("fits", name, tool, parameter):
                _state_unlike(evidence, name, tool, parameter)


def _state_unlike(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """State the outputs of one tool that have nothing in common with a parameter of another."""
    if evidence.is_new("unlike", name, tool, parameter):
        for path, _, distance in evidence.best_fits(name, tool, parameter):
            if distance == FAR:
                state_fit(evidence, name, path, tool, parameter)


# -- calls that are missing ----------------------------------------------------


def producers(evidence: Evidence, label: str, readers: list[Place]) -> None:
    """State which tools return all that is read from a lost label, and what they need."""
    instance, index = evidence.instance, evidence.index
    paths = list(dict.fromkeys(instance.references[place].path for place in readers))
    first = min([evidence.gaps.get(label, instance.end), *(call for call, _, _ in readers)])
    _state_alike(evidence, label, readers)
    before = evidence.earlier_tools(first)
    for name, path in product(before, paths):
        if index.tools[name].returns_path(path):
            evidence.tool(name)
            evidence.state_gives(name, path_text(path))
            if not index.tools[name].declares_path(path):  # nothing says so
                evidence.add("in_supposed", name, path_text(path))
    # what a sequence returns may be named after all that some call gives
    at_end = [place for place in readers if (place[0], place[2]) == (instance.end, 0)]
    whole = [place[1] for place in at_end if not instance.references[place].path]
    named = {parameter: index.named(parameter) for parameter in whole}
    is_whole = named and not any(paths)
    near_by = (evidence.options.near_named, evidence.options.named_margin)
    many = index.nearest(named.values(), *near_by) if is_whole else index.producers(paths)
    what = f"tools that return what is read from {shown(label)}"
    found = evidence.first(many, evidence.bounds.producers, what)
    for parameter, near in named.items():
        for name in dict.fromkeys([*before, *found]):
            evidence.add("in_named", instance.end, parameter, name, near.get(name, FAR))
    for name in filter(evidence.may_add, found):
        tool = evidence.tool(name)
        evidence.add("in_supplier", label, name)
        evidence.suppliers[name] = None
        _state_takes(evidence, tool, paths)
        for path in paths:
            evidence.state_gives(name, path_text(path))
        for place in readers:
            for reader in evidence.possible_tools(place[0]) if place[2] == 0 else ():
                state_fit(evidence, name, instance.references[place].path, reader, place[1])
        inputs(evidence, first, tool, 0)


def _state_takes(evidence: Evidence, tool: Tool, paths: list[FieldPath]) -> None:
    """State whether a tool may be called with nothing, and which paths give back what it requires."""
    required = [each.name for each in tool.parameters.values() if each.required]
    if tool.parameters and not required:
        evidence.add("in_optional_only", tool.name)
    own = set(likeness.words(tool.name))
    for path, parameter in product(paths, required):
        # it returns what it is given: `patient_id`, or `id` of a tool for patients
        is_echo = _is_equal_name(path, parameter)
        if len(path) == 1:
            field, wanted = set(likeness.words(str(path[0]))), set(likeness.words(parameter))
            is_echo = bool(field) and field <= wanted and wanted - field <= own
        if is_echo:
            evidence.add("in_echo", tool.name, path_text(path), parameter)


def _state_label(evidence: Evidence, label: str) -> None:
    """State what a label says."""
    for word in likeness.label_words(label) if evidence.is_new("label", label) else ():
        is_number = len(word) == 1 or word.isdecimal()
        said = ("in_label_counts", label) if is_number else ("in_label_word", label, word)
        evidence.say(*said)
        evidence.say_meaning(word)


def _state_alike(evidence: Evidence, label: str, readers: list[Place]) -> None:
    """State which labels before its readers, and of memory, are spelt like a lost one, and what all say."""
    instance, first = evidence.instance, min(call for call, _, _ in readers)
    holders: dict[str, Symbol | int] = {each: memory(each) for each in instance.memory.values}
    for number in instance.live:
        own = instance.call(number).label
        if number < first:
            evidence.state_words(instance.call(number).name)
            holders |= {} if own is None else {own: number}
    for each in (label, *holders):
        _state_label(evidence, each)
    for own, holder in holders.items():
        distance = likeness.label_distance(label, own)
        if distance is not None and own != label:
            evidence.add("in_label_distance", label, holder, distance)


# -- other paths and labels ----------------------------------------------------


class OpenPlace:
    """A reference that may come to read elsewhere; finds which paths of a tool, with distances, it may mean."""

    def __init__(self, evidence: Evidence, place: Place) -> None:
        """Look at the reference and at the tools that it may be given to."""
        self.evidence, self.index, self.instance = evidence, evidence.index, evidence.instance
        self.place = place
        self.call, self.parameter, self.slot = place
        reference = self.instance.references[place]
        self.label, self.path = reference.label, reference.path
        self.written = self.instance.written(place)
        self.is_variable = self.instance.is_variable(place)
        self.known = None if self.is_variable else self.path
        self.tools = evidence.possible_tools(self.call)

    def mend(self, reach: int, *, is_there: bool = False) -> None:
        """
        State to which paths of which calls within reach, and labels, it could be pointed instead.

        Where what it reads `is_there`, and only of another type, nothing is meant that it is not like.
        """
        evidence, index, tools = self.evidence, self.index, self.tools
        evidence.state_words(self.parameter)
        _state_label(evidence, self.label)
        producer = self.instance.producers.get(self.place)
        own = evidence.possible_tools(producer) if producer is not None else ()
        before = own if producer is not None and producer < self.call else ()
        is_lost = producer is None and not self.is_variable
        where = (self.parameter, self.slot and self.place, is_there, tools, self.is_variable)
        for name in dict.fromkeys([*evidence.earlier_tools(self.call, reach), *before]):
            if not evidence.is_new("mend", name, self.written, where, name in own):
                continue
            tool = evidence.tool(name)
            evidence.state_words(name)
            evidence.look_at(name)
            found = self.called(name) if self.is_variable else self.spelt(name, name in own)
            # a call of which nothing says what it returns is no better than the one that was meant
            if is_lost and self.path not in found and tool.returns_path(self.path):
                found = {self.path: 0, **found}
            for path, distance in found.items():
                # what is there is only meant otherwise where that is like the parameter of one of the tools
                fits = (index.fit(name, path, each, self.parameter) for each in tools)
                is_near = distance <= evidence.options.near_path or any(far < FAR for far in fits)
                if (is_near or not is_there) and self.may_read(name, path):
                    evidence.state_near(self.written, self.known, name, path_text(path), distance)
                    evidence.state_gives(name, path_text(path))
                    _state_fits(evidence, name, path_text(path), self.place)
        self.recall()

    def may_read(self, name: str, path: FieldPath) -> bool:
        """Whether what a tool returns at a path may stand where the reference does."""
        return may_stand(self.instance, self.place, self.tools, self.index.types_at(name, path))

    def called(self, name: str) -> dict[FieldPath, int]:
        """Return the paths of a tool that are called like the variable, or like the parameter."""
        found = {}
        for tool in self.tools:
            for path, text, fit in self.evidence.best_fits(name, tool, self.parameter):
                distance = likeness.name_distance(self.label, text)
                if self._is_meant(distance, fit) or self._is_mapped(name, path, tool):
                    found[path] = distance
        return found

    def spelt(self, name: str, is_own: bool) -> dict[FieldPath, int]:
        """
        Return the paths of a tool that may be meant: the same one, those spelt like it, those that fit.

        Of the very tool that is read those that go on from it too, whatever they are like;
        `recovery/references.lp` points no reference to others of another tool.
        """
        found = {self.path: 0} if self.index.tools[name].declares_path(self.path) else {}
        if is_own:
            found |= without(self._deeper(name), found)
        elif not self.written:
            return found
        most = self.evidence.bounds.paths
        spelt = self.index.near_paths(name, self.written) if self.written else ()
        near = self._readable(name, spelt, most)
        meant = [path for path, _, far in near[:most] if is_own or self._is_meant(far)]
        for reader in self.tools:
            meant += self._fitting(name, reader, is_own, len(near) > most)
        # which member of a list is read is no part of the mistake
        tool = self.index.tools[name]
        indexed = (indexed_as(path, self.path, tool) for path in meant)
        others = (path for path in indexed if path not in found)
        return found | {path: path_distance(self.written, path_text(path)) for path in others}

    def _deeper(self, name: str) -> dict[FieldPath, int]:
        """Return the paths of the tool that is read that go on from the one that is written."""
        evidence, index, most = self.evidence, self.index, self.evidence.bounds.own_paths
        deeper = index.deeper(name, self.path)
        wanted = [index.parameter_type(tool, self.parameter) for tool in self.tools]
        inside = {}
        for path in deeper[:most]:
            kind = index.tools[name].type_at(path)
            inside[path] = min((mismatch(kind, each) for each in wanted), default=0), len(path)
        left = set(deeper[most:])
        fits = (each for tool in self.tools for each in index.fits(name, tool, self.parameter))
        alike = (path for path, _, distance in fits if path in left and distance < FAR)
        if left and any(self.may_read(name, path) for path in alike):
            what = shown(self.written) or "its output"
            evidence.cut(f"fields of {shown(name)} that go on from {what}")
        best = min(inside.values(), default=None)
        # if none is shallower or has a better type; their order in the catalog says nothing
        by = evidence.options.deeper
        return {path: by if how == best else 2 * by for path, how in inside.items()}

    def _readable(self, name: str, paths: Iterable[Fit], most: int) -> tuple[Fit, ...]:
        """Return the first paths of a tool that may be read here, one too many if some are cut off."""
        return tuple(islice((fit for fit in paths if self.may_read(name, fit[0])), most + 1))

    def _fitting(self, name: str, tool: str, is_own: bool, is_cut: bool) -> Iterator[FieldPath]:
        """
        Yield the paths that may be meant where the reference is given to one of the possible tools.

        What is neither among the most alike nor best in spelling can only be better where something is cut
        off from both; `is_cut` tells whether it is from the other ones.
        """
        index, evidence = self.index, self.evidence
        most = evidence.bounds.own_paths if is_own else evidence.bounds.paths
        alike = self._readable(name, index.fits(name, tool, self.parameter), most)
        if is_cut and len(alike) > most and alike[most][2] < FAR:
            evidence.cut(f"fields of {shown(name)} that are like {shown(self.written)}")
        is_any = is_own or not evidence.needs_likeness
        yield from (path for path, _, fit in alike[:most] if is_any or fit < FAR)
        for path in backed_paths(evidence, name, tool, self.parameter):
            distance = path_distance(self.written, path_text(path))
            is_meant = self._is_meant(distance, index.fit(name, path, tool, self.parameter))
            if is_own or is_meant or self._is_mapped(name, path, tool):
                yield path

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
        if not evidence.is_new("recall", written, self.is_variable, parameter, self.tools):
            return
        limits = self.index.limits
        wanted = {tool: self.index.parameter_type(tool, parameter) for tool in self.tools}
        found: list[tuple[int, int, int, str, FieldPath, dict[str, int]]] = []
        for number, (label, path, kind) in enumerate(evidence.memory_values):
            names: FieldPath = path or (label,)
            if self.is_variable or not path:
                spelt = (
                    path_distance(self.label, path_text(each)) for each in (names, (label, *path))
                )
                distance = min(fit_distance(names, kind, self.label, "any", limits), *spelt)
            else:
                distance = path_distance(written, path_text(path))
            fits = {
                tool: fit_distance(names, kind, parameter, kinds, limits)
                for tool, kinds in wanted.items()
            }
            near = min(distance, *fits.values(), FAR)
            if near <= evidence.options.near_memory and self.may_recall((label, path)):
                found.append((near, number, min(distance, FAR), label, path, fits))
        ranked = evidence.first(sorted(found), evidence.bounds.recalled, RECALLED)
        for _, _, distance, label, path, fits in ranked:
            text = path_text(path)
            giver = evidence.hold(label, text)
            if not self.path:
                whole = path_text((label, *path))
                evidence.state_meant(self.label, whole)
                evidence.say("in_renamed_value", self.label, label, text, whole)
            evidence.state_near(written, self.known, giver, text, distance)
            for tool, fit in fits.items():
                evidence.state_distance("in_fit", giver, text, tool, parameter, distance=fit)
                # what fits inside a list need not fit in its place
                if self.slot and not may_be_held(self.instance, (label, path), tool, parameter):
                    evidence.add("in_clash", giver, text, tool, parameter)
            _state_fits(evidence, giver, text, self.place)

    def may_recall(self, held: tuple[str, FieldPath]) -> bool:
        """Whether a value of memory, by its label and path, fits where the reference stands."""
        if self.slot == 0:
            fits = (may_be_held(self.instance, held, each, self.parameter) for each in self.tools)
            return not self.tools or any(fits)
        return may_stand(self.instance, self.place, self.tools, held_types(self.instance, *held))


def near_enough(evidence: Evidence, reach: int) -> int:
    """Return how many calls before a reader are looked at, fewer where references may come to read too much."""
    instance, most, paths, total = evidence.instance, evidence.bounds.candidates, Counter[str](), 0
    for place in evidence.open_places:
        written = instance.written(place)
        if written not in paths:
            per_tool = Counter(giver for giver, _ in evidence.near.get(written, ()))
            paths[written] = max(per_tool.values(), default=0)
        total += paths[written] * min(reach, place[0] + len(instance.history))
    every = min(reach, instance.end + len(instance.history))
    return reach if total <= most else max(evidence.bounds.reach, every * most // total)


def _state_fits(evidence: Evidence, giver: Symbol | str, text: str, place: Place) -> None:
    """State how well what a tool, or memory, has at a path fits where a reference stands."""
    call, parameter, _ = place
    if call == evidence.instance.end:
        evidence.state_distance("in_fit", giver, text, RETURNS, parameter, distance=FAR)
    if not isinstance(giver, str):
        return
    ends = [(reader, parameter) for reader in evidence.possible_tools(call)]
    for end in (*ends, *sorted(evidence.targets.get((call, parameter), ()))):
        if not evidence.is_known("fit", giver, text, *end):
            state_fit(evidence, giver, parse_path(text), *end)


def state_fits_of_near(evidence: Evidence) -> None:
    """
    State how well all that is near a path fits wherever that path is written.

    What one reference may mean is offered to all that are written alike, and each has to pay for it.
    """
    for place in sorted(evidence.open_places):
        for giver, text in evidence.near.get(evidence.instance.written(place), {}):
            _state_fits(evidence, giver, text, place)
