"""
Gathers what a repair may want to know beyond the sequence itself: near names, producers, fitting outputs.

Only what the violations call for is stated; every list is bounded, and a bound that cut something
off is reported. Which of it is used, and at what cost, the encodings decide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from clingo import Function
from rapidfuzz.distance import OSA

from refract_asp.model import Call, Constant, Parameter, Reference, Structure, Tool, Violation
from refract_asp.model.paths import POSITION, FieldPath, path_text
from refract_asp.rules.candidates import (
    earlier_outputs,
    fillers,
    inputs,
    mends,
    producers,
    state_fits_of_near,
    state_outputs,
)
from refract_asp.rules.compression import loose_evidence, rival_evidence
from refract_asp.rules.evidence import Allowed, ByTarget, Evidence, Options, json_type
from refract_asp.rules.forms import state_clashes, state_forms
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import FAR, fold, is_slip, mismatch, name_distance, words
from refract_asp.rules.problem import goal_reads, yielding
from refract_asp.rules.program import ANY, DOUBTS
from refract_asp.rules.repetition import state_numbers

# How far an argument is from a parameter to which its value points.
IS_DEFAULT = 3
IS_MEMBER = 2
IS_GIVEN_ELSEWHERE = 5
HAS_FORMAT = 5
ONLY_ONE_FITS = 7
ONLY_ONE_LEFT = 9

DESTRUCTIVE = Function("destructive")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class _Fault(NamedTuple):
    """A violation with its place: a call, its parameter ("" for none), and the number of a reference."""

    code: str
    call: int
    parameter: str
    slot: int | None

    @property
    def place(self) -> Place:
        return self.call, self.parameter, self.slot or 0


Collector: TypeAlias = Callable[[Evidence, _Fault], None]

# What states what a violation calls for, by its code, in the order in which the functions stand here; the
# late ones need to know which calls may be missing.
EARLY: list[tuple[str, Collector]] = []
LATE: list[tuple[str, Collector]] = []


def _collects(
    *codes: str, table: list[tuple[str, Collector]] = EARLY
) -> Callable[[Collector], Collector]:
    """Take a function for what violations of these codes call for."""

    def taken(collector: Collector) -> Collector:
        table.extend((code, collector) for code in codes)
        return collector

    return taken


def gather(
    instance: Instance,
    violations: Sequence[Violation],
    places: Sequence[tuple[int, str | None, int | None]],
    allowed: Allowed,
    mappings: ByTarget,
    options: Options,
) -> Evidence:
    """State everything that the repair of these violations, at these places, may need."""
    evidence = Evidence(instance, allowed, mappings, options)
    evidence.truncated |= instance.truncated
    faults: dict[str, list[_Fault]] = defaultdict(list)
    paired = {number for pair in instance.pairs for number in pair}
    for violation, (call, parameter, slot) in zip(violations, places, strict=True):
        faults[violation.code].append(_Fault(violation.code, call, parameter or "", slot))
        if call in paired and parameter is not None:
            evidence.add("in_faulty", call)
    for used in map(instance.tool, range(instance.end)):
        if used is not None and used.effect == "unknown":
            evidence.state_words(used.name)
    for code, collector in EARLY:
        for fault in faults[code]:
            collector(evidence, fault)
    evidence.gaps = state_numbers(evidence, instance)
    for label, readers in evidence.lost.items():
        producers(evidence, label, readers)
    for code, collector in LATE:
        for fault in faults[code]:
            collector(evidence, fault)
    _state_goals(evidence, [fault.call for fault in faults["unmet_goal"]])
    if instance.level == "cheapest":
        rival_evidence(evidence, violations)
        if instance.goals:
            loose_evidence(evidence, violations)
    _state_reach(evidence)
    state_fits_of_near(evidence)
    state_clashes(evidence)
    _state_doubts(evidence)
    return evidence


def _state_reach(evidence: Evidence) -> None:
    """
    State how many calls back is looked for a value: all of them, unless that is too much work; and what
    may come from there.
    """
    calls = evidence.instance.end + len(evidence.instance.history)
    reach = max(evidence.bounds.reach, evidence.bounds.looks // max(1, evidence.looks))
    if reach < calls:
        evidence.cut(f"calls more than {reach} before their reader")
    evidence.add("in_reach", reach)
    for place, is_there in evidence.open_places.items():
        mends(evidence, place, reach, is_there=is_there)
    earlier_outputs(evidence, reach)


def _state_doubts(evidence: Evidence) -> None:
    """Ask `names.lp` which names speak for what a repair may choose, and state its doubts."""
    names = evidence.options.names
    if names is None:
        return
    facts = (*evidence.instance.facts, *evidence.facts)
    known = [symbol for symbol in facts if symbol.name in names.asks]
    if evidence.said or any(symbol.arguments[-1] == DESTRUCTIVE for symbol in known):
        known += evidence.said
        signatures = {(symbol.name, len(symbol.arguments), ANY) for symbol in known}
        control = names.control(known, frozenset(signatures))
        for signature in DOUBTS:
            for atom in control.symbolic_atoms.by_signature(*signature):
                evidence.add(f"in_{atom.symbol.name}", *atom.symbol.arguments)


# -- tools ---------------------------------------------------------------------


@_collects("unknown_tool")
def _find_candidates(evidence: Evidence, fault: _Fault) -> None:
    """
    Find the tools that a call may have meant, and which of them are offered for its arguments.

    Where the rules will find a clear neighbour in spelling nothing else is offered; see
    `recovery/rename_tool.lp`, whose constants decide.
    """
    instance, options, call = evidence.instance, evidence.options, fault.call
    given = instance.call(call)
    found, beyond = evidence.index.near_names(given.name)
    near = [(name, distance) for name, distance in found if name in evidence.allowed]
    reach = max(options.alike_distance, options.clear_distance)
    nearest = near[0][1] if near and not options.by_fit else 101
    is_clear = nearest <= options.clear_distance and all(
        distance >= nearest + options.clear_margin for _, distance in near[1:]
    )
    is_near_cut = beyond < nearest + options.clear_margin
    if is_near_cut if is_clear else beyond <= reach and not options.by_fit:
        evidence.cut(f"tools with a name like that of call {call + 1}")
    offered: list[str] = []
    if is_clear:
        near = near[:1]
    else:
        near = [each for each in near if each[1] <= reach + options.clear_margin]
        offered, is_cut = evidence.index.takers(given.arguments, instance.paths_read(call))
        if is_cut:
            evidence.cut(f"tools that take the arguments of call {call + 1}")
    names = dict.fromkeys([*(name for name, _ in near), *offered])
    evidence.candidates[call] = tuple(name for name in names if name in evidence.allowed)
    evidence.offered[call] = offered


@_collects("unknown_tool")
def _state_candidates(evidence: Evidence, fault: _Fault) -> None:
    """State what the tools are that a call may have meant, and what they would need."""
    instance, call = evidence.instance, fault.call
    given, read, offered = instance.call(call), instance.paths_read(call), evidence.offered[call]
    for other in range(instance.end) if offered else ():
        if other != call and _is_repetition(given, instance.call(other)):
            evidence.add("in_same_arguments", call, other)
    for name in evidence.candidates[call]:
        tool = evidence.tool(name)
        evidence.add("in_tool_distance", call, name, evidence.index.distance(given.name, name))
        evidence.state_meant(given.name, name)
        _state_foreign_words(evidence, call, tool)
        if name in offered:
            evidence.add("in_offered", call, name)
        for path in read:
            if tool.returns_path(path):
                evidence.state_gives(name, path_text(path))
        for parameter in given.arguments:
            if parameter in tool.parameters:
                evidence.add("in_param", name, parameter)
                state_forms(evidence, call, parameter, name, parameter)
            elif not tool.additional_parameters:
                _state_renames(evidence, call, parameter, name)
        for wanted in tool.parameters.values():
            if wanted.required and wanted.name not in given.arguments:
                fillers(evidence, call, name, wanted.name, 0)


def _state_foreign_words(evidence: Evidence, call: int, tool: Tool) -> None:
    """State which words of the name that was given are in neither the name nor a parameter of a tool."""
    own = set(words(tool.name))
    known = own.union(*map(words, tool.parameters))
    for word in words(evidence.instance.call(call).name):
        is_typed_wrongly = word not in evidence.options.lexicon and any(
            max(len(word), len(other)) > 3 and OSA.distance(word, other) == 1 for other in own
        )
        if word not in known and not is_typed_wrongly:
            evidence.say("in_foreign", call, tool.name, word)


def _is_repetition(call: Call, other: Call) -> bool:
    """Whether one of two calls has all the arguments of the other one; none at all say nothing."""
    first, second = call.arguments, other.arguments
    shared = first.keys() & second.keys()
    if not shared and (first or second):
        return False
    is_part = len(shared) == min(len(first), len(second))
    return is_part and all(first[name] == second[name] for name in shared)


# -- arguments and references --------------------------------------------------


@_collects("undeclared_parameter")
def _state_undeclared(evidence: Evidence, fault: _Fault) -> None:
    for tool in evidence.possible_tools(fault.call):
        _state_renames(evidence, fault.call, fault.parameter, tool)


@_collects("missing_parameter")
def _state_missing(evidence: Evidence, fault: _Fault) -> None:
    is_keeping = evidence.instance.undeclared == "keep"
    kept = evidence.instance.call(fault.call).arguments if is_keeping else ()
    for tool in evidence.possible_tools(fault.call):
        for other in kept:
            if other not in evidence.index.tools[tool].parameters:
                _state_renames(evidence, fault.call, other, tool)
        fillers(evidence, fault.call, tool, fault.parameter, 0)


@_collects("forbidden")
def _state_forbidden(evidence: Evidence, fault: _Fault) -> None:
    if fault.slot is not None:
        evidence.open(fault.place, is_there=True)
        _note_unbound(evidence, fault.place)
    elif fault.parameter:
        for tool in evidence.possible_tools(fault.call):
            fillers(evidence, fault.call, tool, fault.parameter, 0)


def _note_unbound(evidence: Evidence, place: Place) -> None:
    if place in evidence.instance.producers:
        evidence.unbound.add(place)


@_collects("invalid_value")
def _state_value(evidence: Evidence, fault: _Fault) -> None:
    for tool in evidence.possible_tools(fault.call):
        state_forms(evidence, fault.call, fault.parameter, tool, fault.parameter)


@_collects(
    "unknown_label",
    "unknown_field",
    "unknown_variable",
    "malformed_reference",
    "read_before_written",
    "type_mismatch",
)
def _open_reference(evidence: Evidence, fault: _Fault) -> None:
    instance, place = evidence.instance, fault.place
    evidence.open(place, is_there=fault.code == "type_mismatch")
    if fault.code == "type_mismatch" and fault.slot == 0:
        _state_value(evidence, fault)
    if fault.code == "unknown_field":
        _note_unbound(evidence, place)
    if fault.code == "unknown_label" or place in instance.recalled:
        evidence.lost.setdefault(instance.references[place].label, []).append(place)


@_collects("missing_parameter", table=LATE)
def _state_lost_outputs(evidence: Evidence, fault: _Fault) -> None:
    """State which outputs of the tools that a missing call may have had could fill a parameter."""
    for tool in evidence.possible_tools(fault.call) if evidence.gaps else ():
        for name in evidence.suppliers:
            state_outputs(evidence, name, tool, fault.parameter)


@_collects("unknown_tool", table=LATE)
def _open_readers(evidence: Evidence, fault: _Fault) -> None:
    """Note that what reads from a call of an unknown tool may come to read elsewhere."""
    tools = [evidence.index.tools[name] for name in evidence.possible_tools(fault.call)]
    for place, producer in evidence.instance.producers.items():
        if producer == fault.call:
            path = evidence.instance.references[place].path
            evidence.open(place, is_there=all(tool.returns_path(path) for tool in tools))


# -- names of arguments --------------------------------------------------------


def _state_renames(evidence: Evidence, call: int, parameter: str, name: str) -> None:
    """
    State how far an undeclared argument is from the parameters that a tool declares and that are
    free: by its name, or by its value, whichever explains it better.
    """
    tool, bounds = evidence.tool(name), evidence.bounds
    arguments = evidence.instance.call(call).arguments
    free = [other for other in tool.parameters.values() if other.name not in arguments]
    by_value = dict(_value_distances(evidence.instance, call, parameter, tool, free))
    same = [other for other in tool.parameters.values() if fold(other.name) == fold(parameter)]
    # What is only written in another way means that, and nothing else where that is passed too.
    free = [other for other in same if other in free] if same else free
    ranked = []
    for number, other in enumerate(free):
        distance = min(name_distance(parameter, other.name), by_value.get(other.name, FAR))
        ranked.append((not other.required, distance, number))
    ranked.sort()
    undeclared = sum(other not in tool.parameters for other in arguments)
    most = max(2, min(bounds.renames, bounds.all_renames // undeclared))
    if most < bounds.renames:
        ranked.sort(key=lambda each: each[1])
    if len(ranked) > most:
        evidence.cut(f"parameters that undeclared arguments of call {call + 1} may have meant")
    for _, distance, number in ranked[:most]:
        target = free[number].name
        evidence.add("in_param", name, target)
        evidence.add("in_parameter_distance", call, parameter, name, target, distance)
        position = f"{POSITION}{list(tool.parameters).index(target) + 1}"
        if parameter == position:  # the position is its name
            evidence.state_kin(parameter, target, True)
        else:
            evidence.state_meant(parameter, target)
        if is_slip(parameter, target):
            evidence.add("in_slip", call, parameter, name, target)
        state_forms(evidence, call, parameter, name, target)


def _value_distances(
    instance: Instance, call: int, parameter: str, tool: Tool, free: Sequence[Parameter]
) -> Iterator[tuple[str, int]]:
    """
    Yield the free parameters of a tool to which the value of an argument points, with distances.

    A value points to a parameter that has it as default or as member of its enumeration, that gets
    the same value in another call, that wants its format, that is called like the field it refers
    to, that alone takes its type, or that alone is left.
    """
    source, index = instance.call(call).arguments[parameter], instance.index
    kind = "string" if source.kind == "template" else "any"
    read: list[tuple[str, FieldPath]] = []
    if isinstance(source, Constant | Structure):
        kind = json_type(source.value)
    elif isinstance(source, Reference) and (call, parameter, 0) in instance.producers:
        feeder = instance.tool(instance.producers[call, parameter, 0])
        if feeder is not None and feeder.returns_path(source.path):
            kind = feeder.type_at(source.path)
            read = [(feeder.name, source.path)] if source.path else []
    wanted = {other.name: index.parameter_type(tool.name, other.name) for other in free}
    taking = [other for other in free if mismatch(kind, wanted[other.name]) == 0]
    for other in taking:
        found = [ONLY_ONE_FITS if len(taking) == 1 else FAR]
        found += [index.fit(*output, tool.name, other.name) for output in read]
        if isinstance(source, Constant):
            found += _constant_distances(instance, call, source.value, other)
        if min(found) < FAR:
            yield other.name, min(found)
    if len(free) == 1 and not taking:
        yield free[0].name, ONLY_ONE_LEFT


def _constant_distances(
    instance: Instance, call: int, value: object, other: Parameter
) -> Iterator[int]:
    def is_same(given: object) -> bool:
        return type(given) is type(value) and given == value

    schema = other.json_schema
    if "default" in schema and is_same(schema["default"]):
        yield IS_DEFAULT
    if any(map(is_same, schema.get("enum") or ())):
        yield IS_MEMBER
    said = " ".join(str(schema.get(key, "")) for key in ("format", "type", "description"))
    wants_date = schema.get("format") == "date" or "yyyy-mm-dd" in said.lower()
    if isinstance(value, str) and _DATE.fullmatch(value) and wants_date:
        yield HAS_FORMAT
    for number, given in enumerate(instance.sequence.calls):
        elsewhere = given.arguments.get(other.name)
        if number != call and isinstance(elsewhere, Constant) and is_same(elsewhere.value):
            yield IS_GIVEN_ELSEWHERE


# -- goals, and everything -----------------------------------------------------


def _state_goals(evidence: Evidence, unmet: list[int]) -> None:
    """State which tools may be called for goals that are not met, and what could fill their parameters."""
    instance, mappings = evidence.instance, evidence.mappings
    for number in unmet:  # grows by the orders that calls for these goals would have to keep
        goal = instance.goals[number]
        tools = yielding(instance, goal, mappings)
        for other, later in enumerate(instance.goals):
            if later.kind == "before" and later.then in tools and other not in unmet:
                unmet.append(other)
    for number in unmet:
        goal = instance.goals[number]
        for name in filter(evidence.may_add, yielding(instance, goal, mappings)):
            tool = evidence.tool(name)
            evidence.add("in_callable", name)
            for parameter in tool.parameters.values():
                if parameter.required or parameter.name in goal.arguments:
                    evidence.add("in_param", name, parameter.name)
            inputs(evidence, instance.end, tool, 0)
            for target, reference, origin in goal_reads(instance, goal):
                giver = instance.tool(origin) if isinstance(origin, int) else None
                if giver is None:
                    continue
                path = path_text(reference.path)
                evidence.tool(giver.name)
                if giver.returns_path(reference.path):
                    evidence.state_gives(giver.name, path)
                if target in tool.parameters:
                    distance = evidence.index.fit(giver.name, reference.path, name, target)
                    evidence.state_distance(
                        "in_fit", giver.name, path, name, target, distance=distance
                    )
