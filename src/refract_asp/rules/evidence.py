"""
What a repair may want to know beyond the sequence itself: near names, producers, fitting outputs.

Only what the violations call for is stated; every list is bounded, and a bound that cut something
off is reported. Which of it is used, and at what cost, the encodings decide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clingo import Symbol

from refract_asp.model import Call, Constant, Mapping, Tool, Violation
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.rules.index import MAX_OWN_PATHS, MAX_PATHS, CatalogIndex, Fit
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import COMMON_WORDS, FAR, fit_distance, fold, leaf_names, mismatch, name_distance, path_distance
from refract_asp.rules.numbering import number_facts
from refract_asp.rules.symbols import fact
from refract_asp.rules.values import json_type, value_distances

__all__ = ["Allowed", "Evidence", "gather"]

NEAR_MEMORY = 7
"""Values of memory are considered up to this distance."""
MAX_CONSTANTS = 8
MAX_MEMORY_PATHS = 2000
MAX_RENAMES = 30


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which tools a repair may use for added and renamed calls; None stands for no restriction."""

    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    depth: int = 2

    def __contains__(self, tool: str) -> bool:
        """Whether the tool may be used."""
        return tool not in self.without and (self.only is None or tool in self.only)


@dataclass(frozen=True, slots=True)
class Options:
    """What of the encodings tells which evidence cannot matter: whether tools go by spelling, and when."""

    by_fit: bool = False
    clear_distance: int = 100
    clear_margin: int = 100
    alike_distance: int = 100


@dataclass(slots=True)
class Evidence:
    """The facts for a repair, in the order in which they were found, each once."""

    instance: Instance
    allowed: Allowed
    mappings: tuple[Mapping, ...]
    facts: dict[Symbol, None] = field(default_factory=dict)
    constants: list[Constant] = field(default_factory=list)
    truncated: dict[str, None] = field(default_factory=dict)
    candidates: dict[int, tuple[str, ...]] = field(default_factory=dict)
    options: Options = field(default_factory=lambda: Options())
    _wanted: set[tuple[str, str, int]] = field(default_factory=set)
    _stated: set[object] = field(default_factory=set)
    _order: list[tuple[int, str]] | None = None

    @property
    def index(self) -> CatalogIndex:
        """The index of the catalog."""
        return self.instance.index

    def add(self, name: str, *arguments: Symbol | str | int) -> None:
        """State a fact."""
        self.facts[fact(name, *arguments)] = None

    def tool(self, name: str) -> Tool:
        """Return a tool and state what it is."""
        if self.is_new(name):
            for symbol in self.index.tool_facts(name):
                self.facts[symbol] = None
        return self.index.tools[name]

    def possible_tools(self, number: int) -> tuple[str, ...]:
        """Return the tool of a call, or those that it may get when its own is unknown."""
        tool = self.instance.tool(number)
        return (tool.name,) if tool is not None else self.candidates.get(number, ())

    def is_new(self, *key: object) -> bool:
        """Whether this is asked for the first time; what was stated once need not be found again."""
        if key in self._stated:
            return False
        self._stated.add(key)
        return True

    def earlier_tools(self, number: int) -> list[str]:
        """Return the tools of the calls before a call, in order of their first use."""
        if self._order is None:
            first: dict[str, int] = {}
            for other in self.instance.earlier(len(self.instance.sequence.calls)):
                for name in self.possible_tools(other):
                    first.setdefault(name, other)
            self._order = [(other, name) for name, other in first.items()]
        return [name for other, name in self._order if other < number]


def gather(
    instance: Instance,
    violations: Iterable[Violation],
    places: Sequence[tuple[int, str | None, int | None]],
    allowed: Allowed,
    mappings: tuple[Mapping, ...] = (),
    options: Options | None = None,
) -> Evidence:
    """State everything that the repair of these violations, at these places, may need."""
    evidence = Evidence(instance, allowed, mappings, options=options or Options())
    by_code: dict[str, list[tuple[int, str | None, int | None]]] = {}
    for violation, place in zip(violations, places, strict=True):
        by_code.setdefault(violation.code, []).append(place)
    offered = {call: _candidates(evidence, call) for call, _, _ in by_code.get("unknown_tool", ())}
    for call, names in offered.items():
        _tools_for(evidence, call, names)
    for call, parameter, _ in by_code.get("undeclared_parameter", ()):
        _renames(evidence, call, parameter or "", evidence.possible_tools(call))
    for call, parameter, _ in by_code.get("missing_parameter", ()):
        for tool in evidence.possible_tools(call):
            _fillers(evidence, call, tool, parameter or "", 0)
    lost: dict[str, list[Place]] = {}
    for code in ("unknown_label", "unknown_field", "unknown_variable", "read_before_written"):
        for call, parameter, number in by_code.get(code, ()):
            place = (call, parameter or "", number or 0)
            _mends(evidence, place)
            if code == "unknown_label" or place in instance.recalled:
                lost.setdefault(instance.references[place].label, []).append(place)
    for label, readers in lost.items():
        _producers(evidence, label, readers)
    for call, _, _ in by_code.get("unknown_tool", ()):
        for place, producer in instance.producers.items():
            if producer == call:
                _mends(evidence, place)
    number_facts(evidence.add, instance)
    return evidence


def _paths_read(instance: Instance, call: int) -> list[FieldPath]:
    found = (instance.references[place].path for place, other in instance.producers.items() if other == call)
    return list(dict.fromkeys(found))


def _candidates(evidence: Evidence, call: int) -> list[str]:
    """
    Find the tools that a call may have meant; return those that are offered for their arguments.

    Where the rules will find a clear neighbour in spelling nothing else is offered; see
    `recovery/rename_tool.lp`, whose constants decide.
    """
    instance, options = evidence.instance, evidence.options
    given = instance.call(call)
    near = [(name, d) for name, d in evidence.index.neighbours(given.name) if name in evidence.allowed]
    reach = max(options.alike_distance, options.clear_distance)
    clear = bool(near) and near[0][1] <= options.clear_distance and not options.by_fit
    if clear and all(distance >= near[0][1] + options.clear_margin for _, distance in near[1:]):
        near, offered, cut = near[:1], [], False
    else:
        near = [(name, distance) for name, distance in near if distance <= reach + options.clear_margin]
        offered, cut = evidence.index.takers(given.arguments, _paths_read(instance, call))
    if cut:
        evidence.truncated[f"tools that take the arguments of call {call + 1}"] = None
    names = dict.fromkeys(name for name in (*(name for name, _ in near), *offered) if name in evidence.allowed)
    evidence.candidates[call] = tuple(names)
    return offered


def _tools_for(evidence: Evidence, call: int, offered: list[str]) -> None:
    """State what the tools are that a call may have meant, and what they would need."""
    instance = evidence.instance
    given = instance.call(call)
    read = _paths_read(instance, call)
    for other in range(len(instance.sequence.calls)) if offered else ():
        if other != call and _is_repetition(given, instance.call(other)):
            evidence.add("in_same_arguments", call, other)
    for name in evidence.candidates[call]:
        tool = evidence.tool(name)
        evidence.add("in_tool_distance", call, name, evidence.index.distance(given.name, name))
        if name in offered:
            evidence.add("in_offered", call, name)
        for path in read:
            if tool.returns_path(path):
                evidence.add("in_gives", name, path_text(path))
        for parameter in given.arguments:
            if parameter in tool.parameters:
                evidence.add("in_param", name, parameter)
            elif not tool.additional_parameters:
                _renames(evidence, call, parameter, (name,))
        for wanted in tool.parameters.values():
            if wanted.required and wanted.name not in given.arguments:
                _fillers(evidence, call, name, wanted.name, 0)


def _is_repetition(call: Call, other: Call) -> bool:
    """Whether one of two calls has all the arguments of the other one."""
    first, second = call.arguments, other.arguments
    shared = first.keys() & second.keys()
    return len(shared) == min(len(first), len(second)) and all(first[p] == second[p] for p in shared)


def _renames(evidence: Evidence, call: int, parameter: str, tools: Iterable[str]) -> None:
    """State how far an undeclared argument is from the parameters that its tool declares."""
    arguments = evidence.instance.call(call).arguments
    for name in tools:
        tool = evidence.tool(name)
        free = [other for other in tool.parameters.values() if other.name not in arguments]
        ranked = sorted(
            (not other.required, name_distance(parameter, other.name), number)
            for number, other in enumerate(free)
        )
        if len(ranked) > MAX_RENAMES:
            evidence.truncated[f"parameters that {parameter[:40]} of call {call + 1} may have meant"] = None
        for _, distance, number in ranked[:MAX_RENAMES]:
            evidence.add("in_param", name, free[number].name)
            evidence.add("in_parameter_distance", parameter, name, free[number].name, distance)
        for other_name, distance in value_distances(evidence.instance, call, parameter, tool, free):
            evidence.add("in_value_distance", call, parameter, name, other_name, distance)


def _fillers(evidence: Evidence, call: int, tool: str, parameter: str, depth: int) -> None:
    """State what could fill a parameter of a call, or of one that is added before it."""
    key = (tool, parameter, call)
    if key in evidence._wanted:
        return
    evidence._wanted.add(key)
    index = evidence.index
    wanted = index.parameter_type(tool, parameter)
    for name in evidence.earlier_tools(call):
        _state_fits(evidence, name, tool, parameter)
    _memory_fits(evidence, tool, parameter, wanted)
    declared = index.tools[tool].parameters[parameter].json_schema
    if "default" in declared or "const" in declared or len(declared.get("enum") or ()) == 1:
        evidence.add("in_default", tool, parameter)
    _sources(evidence, call, tool, parameter, depth)


def _state_fits(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """State which outputs of one tool could fill a parameter of another, and how unlike they are."""
    if not evidence.is_new("fits", name, tool, parameter):
        return
    found: dict[str, Fit] = {}
    for fit in evidence.index.fits(name, tool, parameter)[:MAX_PATHS]:
        found[fit[1]] = fit
    for path in _backed(evidence, name, tool, parameter):
        text = path_text(path)
        found[text] = (path, text, evidence.index.fit(name, path, tool, parameter))
    for path, text, distance in found.values():
        _state_fit(evidence, name, path, text, tool, parameter, distance)


def _state_fit(
    evidence: Evidence, name: str, path: FieldPath, text: str, tool: str, parameter: str, distance: int
) -> None:
    if not evidence.is_new("fit", name, text, tool, parameter):
        return
    evidence.add("in_gives", name, text)
    evidence.add("in_rank", name, text, tool, parameter, evidence.index.rank(name, path, tool, parameter))
    evidence.add("in_fit", name, text, tool, parameter, distance)
    if is_telling_name(path, parameter):
        evidence.add("in_equal_name", name, text, tool, parameter)
    weight = _mapping_weight(evidence, name, text, tool, parameter)
    if weight is not None:
        evidence.add("in_mapping", name, text, tool, parameter, round(10 * (1 - weight)))


def is_equal_name(path: FieldPath, parameter: str) -> bool:
    """Whether a path ends in a field, or in parent and field, that is called like the parameter."""
    return fold(parameter) in {fold(name) for name in leaf_names(path)}


def is_telling_name(path: FieldPath, parameter: str) -> bool:
    """Whether the name is equal and tells something; `title` or `date` may belong to anything."""
    return is_equal_name(path, parameter) and fold(parameter) not in COMMON_WORDS


def _backed(evidence: Evidence, name: str, tool: str, parameter: str) -> list[FieldPath]:
    """Return the paths that the sequence itself, or a mapping, feeds to this parameter."""
    instance = evidence.instance
    found: dict[FieldPath, None] = {}
    for (call, other, number), producer in instance.producers.items():
        if other == parameter and number == 0:
            feeder = instance.tool(producer)
            path = instance.references[call, other, number].path
            if feeder is not None and feeder.name == name and feeder.returns_path(path):
                found[path] = None
    for mapping in evidence.mappings:
        for path in _mapped_paths(mapping, evidence.index.tools[name], tool, parameter):
            found[path] = None
    return list(found)


def _mapped_paths(mapping: Mapping, source: Tool, tool: str, parameter: str) -> Iterable[FieldPath]:
    """Yield the paths of a tool that a mapping allows to fill a parameter."""
    if mapping.target not in (parameter, f"{tool}.{parameter}"):
        return
    for text in (mapping.source, mapping.source.removeprefix(f"{source.name}.")):
        try:
            path = parse_path(text)
        except ValueError:
            continue
        if source.output_schema is not None and source.returns_path(path):
            yield path


def _mapping_weight(evidence: Evidence, name: str, text: str, tool: str, parameter: str) -> float | None:
    weights = [
        mapping.weight
        for mapping in evidence.mappings
        if mapping.target in (parameter, f"{tool}.{parameter}") and mapping.source in (text, f"{name}.{text}")
    ]
    return max(weights, default=None)


def _memory_fits(evidence: Evidence, tool: str, parameter: str, wanted: str) -> None:
    """State what memory holds that is named like the parameter, or mapped to it."""
    for label, value in evidence.instance.memory.values.items():
        for number, (path, kind) in enumerate(_paths_of(value)):
            if number >= MAX_MEMORY_PATHS:
                evidence.truncated[f"values that memory holds under {label[:40]}"] = None
                break
            text = path_text(path)
            weight = max(
                (
                    mapping.weight
                    for mapping in evidence.mappings
                    if mapping.target in (parameter, f"{tool}.{parameter}")
                    and (mapping.source == text or mapping.source.endswith("." + text))
                ),
                default=None,
            )
            names: FieldPath = path or (label,)
            distance = fit_distance(names, kind, parameter, wanted)
            if weight is not None:
                distance = round(10 * (1 - weight))
            if distance <= NEAR_MEMORY:
                evidence.add("in_holds", label, text)
                evidence.add("in_recall_fit", label, text, tool, parameter, distance)
                held = fact("memory", label)
                if is_equal_name(names, parameter):
                    evidence.add("in_equal_name", held, text, tool, parameter)
                if weight is not None:
                    evidence.add("in_mapping", held, text, tool, parameter, round(10 * (1 - weight)))


def _paths_of(value: object) -> Iterable[tuple[FieldPath, str]]:
    """Yield the paths into a value, shallow ones first, with the JSON type that each holds."""
    level: list[tuple[FieldPath, object]] = [((), value)]
    while level:
        following: list[tuple[FieldPath, object]] = []
        for path, inner in level:
            if not isinstance(inner, dict | list):
                yield path, json_type(inner)
            elif len(path) < 6:
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
        if is_equal_name(path, parameter)
        and mismatch(evidence.index.tools[name].type_at(path), evidence.index.parameter_type(tool, parameter)) == 0
    }
    for mapping in evidence.mappings:
        if mapping.target in (parameter, f"{tool}.{parameter}"):
            leaf = re.split(r"[.\[]", mapping.source)[-1]
            for name in evidence.index.returners(leaf or mapping.source):
                found |= {(name, p) for p in _mapped_paths(mapping, evidence.index.tools[name], tool, parameter)}
    for name, path in sorted(found, key=str):
        source = evidence.index.tools[name]
        if name not in evidence.allowed or name == tool or source.effect != "read":
            continue
        evidence.tool(name)
        evidence.add("in_callable", name)
        evidence.add("in_source", name, path_text(path), tool, parameter)
        distance = evidence.index.fit(name, path, tool, parameter)
        _state_fit(evidence, name, path, path_text(path), tool, parameter, distance)
        _inputs(evidence, call, source, depth + 1)


def _inputs(evidence: Evidence, call: int, tool: Tool, depth: int) -> None:
    """State what could fill the required parameters of a call that is added before call number `call`."""
    for parameter in tool.parameters.values():
        if parameter.required:
            _fillers(evidence, call, tool.name, parameter.name, depth)
            _constants(evidence, parameter.name)


def _constants(evidence: Evidence, parameter: str) -> None:
    """State the constants that the sequence gives to a parameter of this name, the commonest first."""
    if not evidence.is_new("constants", parameter):
        return
    found: dict[str, list[Constant]] = {}
    for call in evidence.instance.sequence.calls:
        source = call.arguments.get(parameter)
        if isinstance(source, Constant):
            found.setdefault(json.dumps(source.value, sort_keys=True, default=str), []).append(source)
    ranked = sorted(found.values(), key=len, reverse=True)
    if len(ranked) > MAX_CONSTANTS:
        evidence.truncated[f"constants that are given to {parameter[:40]}"] = None
    for same in ranked[:MAX_CONSTANTS]:
        evidence.add("in_constant", parameter, len(evidence.constants))
        evidence.constants.append(same[0])


def _producers(evidence: Evidence, label: str, readers: list[Place]) -> None:
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
                    _state_reference_fit(evidence, name, path, reader, parameter)
        _inputs(evidence, first, tool, 0)


def _state_reference_fit(evidence: Evidence, name: str, path: FieldPath, tool: str, parameter: str) -> None:
    distance = evidence.index.fit(name, path, tool, parameter) if path else FAR
    _state_fit(evidence, name, path, path_text(path), tool, parameter, distance)


def _mends(evidence: Evidence, place: Place) -> None:
    """State to which paths of which calls and labels a reference could be pointed instead."""
    call, parameter, _ = place
    reference = evidence.instance.references[place]
    written = path_text(reference.path)
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
            if written:
                for reader in readers:
                    limit = MAX_OWN_PATHS if name in own else MAX_PATHS
                    fits = evidence.index.fits(name, reader, parameter)[:limit]
                    for path in [f[0] for f in fits] + _backed(evidence, name, reader, parameter):
                        text = path_text(path)
                        found.setdefault(text, (path, path_distance(written, text)))
        for text, (path, distance) in found.items():
            evidence.add("in_gives", name, text)
            evidence.add("in_path_distance", written, name, text, distance)
            for reader in readers:
                _state_reference_fit(evidence, name, path, reader, parameter)
    _mends_from_memory(evidence, place, written)


def _mends_from_memory(evidence: Evidence, place: Place, written: str) -> None:
    """State to which values of memory a reference could be pointed instead."""
    call, parameter, _ = place
    reference = evidence.instance.references[place]
    variable = place in evidence.instance.lost and reference.label in evidence.instance.variables
    for label, value in evidence.instance.memory.values.items():
        for count, (path, kind) in enumerate(_paths_of(value)):
            if count >= MAX_MEMORY_PATHS:
                evidence.truncated[f"values that memory holds under {label[:40]}"] = None
                break
            text = path_text(path)
            if variable or not path:
                distance = fit_distance(path or (label,), kind, reference.label, "any")
            else:
                distance = path_distance(written, text)
            if distance <= NEAR_MEMORY:
                evidence.add("in_holds", label, text)
                evidence.add("in_path_distance", written, fact("memory", label), text, distance)
                for reader in evidence.possible_tools(call):
                    wanted = evidence.index.parameter_type(reader, parameter)
                    fit = fit_distance(path or (label,), kind, parameter, wanted)
                    evidence.add("in_recall_fit", label, text, reader, parameter, fit)
