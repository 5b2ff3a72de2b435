"""
Gathers what a repair may want to know beyond the sequence itself: near names, producers, fitting outputs.

Only what the violations call for is stated; every list is bounded, and a bound that cut something
off is reported. Which of it is used, and at what cost, the encodings decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clingo import Function
from rapidfuzz.distance import OSA

from refract_asp.model import Call, Violation
from refract_asp.model.paths import POSITION, is_position, path_text
from refract_asp.rules.compression import loose_evidence, rival_evidence
from refract_asp.rules.evidence import Allowed, ByTarget, Evidence, Options
from refract_asp.rules.fillers import (
    earlier_outputs,
    fillers,
    inputs,
    lost_outputs,
    value_distances,
)
from refract_asp.rules.forms import state_clashes, state_forms
from refract_asp.rules.goals import goal_evidence
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import FAR, fold, is_slip, name_distance, words
from refract_asp.rules.mends import mends, producers, state_fits_of_near
from refract_asp.rules.program import DOUBTS
from refract_asp.rules.repetition import number_facts
from refract_asp.rules.slicing import ANY

__all__ = [
    "gather",
    "state_everything",
]


def state_everything(evidence: Evidence) -> None:
    """State all tools, whose outputs fit which parameters, and where every argument could go."""
    instance, index = evidence.instance, evidence.index
    end = len(instance.sequence.calls)
    read = [reference.path for reference in instance.references.values()]
    for name in index.tools:
        tool = evidence.tool(name)
        for parameter in tool.parameters:
            evidence.add("in_param", name, parameter)
        for path in dict.fromkeys([*(path for path, _ in index.outputs(name)), *read]):
            if tool.returns_path(path):
                evidence.state_gives(name, path_text(path))
        if evidence.may_add(name):
            inputs(evidence, end, tool, 0)
    for number, call in enumerate(instance.sequence.calls):
        if instance.tool(number) is None:
            _state_names(evidence, number)
        for name in evidence.possible_tools(number):
            for parameter in index.tools[name].parameters:
                if parameter in call.arguments:
                    state_forms(evidence, number, parameter, name, parameter)
                fillers(evidence, number, name, parameter, 0)


def _state_names(evidence: Evidence, number: int) -> None:
    """State how unlike the name of a call is to that of every tool, and which tools take its arguments."""
    index, call = evidence.index, evidence.instance.call(number)
    for name in index.tools:
        if name in evidence.allowed:
            evidence.add("in_tool_distance", number, name, index.distance(call.name, name))
    for name in index.takers(call.arguments, evidence.instance.paths_read(number))[0]:
        if name in evidence.allowed:
            evidence.add("in_offered", number, name)


DESTRUCTIVE = Function("destructive")


def gather(
    instance: Instance,
    violations: Sequence[Violation],
    places: Sequence[tuple[int, str | None, int | None]],
    allowed: Allowed,
    mappings: ByTarget | None = None,
    options: Options | None = None,
) -> Evidence:
    """State everything that the repair of these violations, at these places, may need."""
    evidence = Evidence(instance, allowed, mappings or {}, options=options or Options())
    evidence.truncated |= instance.truncated
    by_code: dict[str, list[tuple[int, str | None, int | None]]] = {}
    paired = {number for pair in instance.pairs for number in pair}
    for violation, place in zip(violations, places, strict=True):
        by_code.setdefault(violation.code, []).append(place)
        if place[0] in paired and place[1] is not None:
            evidence.add("in_faulty", place[0])
    for used in map(instance.tool, range(len(instance.sequence.calls))):
        if used is not None and used.effect == "unknown":
            evidence.state_words(used.name)
    offered = {call: _candidates(evidence, call) for call, _, _ in by_code.get("unknown_tool", ())}
    for call, names in offered.items():
        _tools_for(evidence, call, names)
    for call, parameter, _ in by_code.get("undeclared_parameter", ()):
        _renames(evidence, call, parameter or "", evidence.possible_tools(call))
    for call, parameter, _ in by_code.get("missing_parameter", ()):
        for tool in evidence.possible_tools(call):
            for kept in instance.call(call).arguments if instance.undeclared == "keep" else ():
                if kept not in instance.index.tools[tool].parameters:
                    _renames(evidence, call, kept, (tool,))
            fillers(evidence, call, tool, parameter or "", 0)
    for call, parameter, number in by_code.get("forbidden", ()):
        if number is not None:
            evidence.open(place=(call, parameter or "", number), is_there=True)
        elif parameter is not None:
            for tool in evidence.possible_tools(call):
                fillers(evidence, call, tool, parameter, 0)
    for code in ("unknown_field", "forbidden"):
        for call, parameter, number in by_code.get(code, ()):
            if (call, parameter, number) in instance.producers:
                evidence.unbound.add((call, parameter or "", number or 0))
    lost: dict[str, list[Place]] = {}
    for call, parameter, _ in by_code.get("invalid_value", ()):
        for tool in evidence.possible_tools(call):
            state_forms(evidence, call, parameter or "", tool, parameter or "")
    for code in (
        "unknown_label",
        "unknown_field",
        "unknown_variable",
        "malformed_reference",
        "read_before_written",
        "type_mismatch",
    ):
        for call, parameter, number in by_code.get(code, ()):
            place = (call, parameter or "", number or 0)
            evidence.open(place, is_there=code == "type_mismatch")
            if code == "type_mismatch" and number == 0:
                for tool in evidence.possible_tools(call):
                    state_forms(evidence, call, parameter or "", tool, parameter or "")
            if code == "unknown_label" or place in instance.recalled:
                lost.setdefault(instance.references[place].label, []).append(place)
    evidence.gaps = number_facts(evidence.add, instance)
    for label, readers in lost.items():
        producers(evidence, label, readers)
    for call, parameter, _ in by_code.get("missing_parameter", ()):
        for tool in evidence.possible_tools(call):
            lost_outputs(evidence, tool, parameter or "")
    for call, _, _ in by_code.get("unknown_tool", ()):
        for place, producer in instance.producers.items():
            if producer == call:
                path, tools = instance.references[place].path, evidence.possible_tools(call)
                evidence.open(
                    place, is_there=all(instance.index.tools[t].returns_path(path) for t in tools)
                )
    goal_evidence(evidence, [number for number, _, _ in by_code.get("unmet_goal", ())])
    if instance.level == "cheapest":
        rival_evidence(evidence, violations)
    if instance.level == "cheapest" and instance.goals:
        loose_evidence(evidence, violations)
    if evidence.bounds.whole:
        state_everything(evidence)
    _state_reach(evidence)
    state_fits_of_near(evidence)
    state_clashes(evidence)
    _state_doubts(evidence)
    return evidence


def _state_doubts(evidence: Evidence) -> None:
    """Ask `names.lp` which names speak for what a repair may choose, and state its doubts."""
    names = evidence.options.names
    if names is None:
        return
    known = [
        symbol
        for symbol in (*evidence.instance.facts, *evidence.facts)
        if symbol.name in names.asks
    ]
    if not evidence.said and DESTRUCTIVE not in {symbol.arguments[-1] for symbol in known}:
        return
    facts = [*known, *evidence.said]
    control = names.control(
        facts, frozenset((symbol.name, len(symbol.arguments), ANY) for symbol in facts)
    )
    for signature in DOUBTS:
        for atom in control.symbolic_atoms.by_signature(*signature):
            evidence.add(f"in_{atom.symbol.name}", *atom.symbol.arguments)


def _state_reach(evidence: Evidence) -> None:
    """
    State how many calls back is looked for a value: all of them, unless that is too much work; and what
    may come from there.
    """
    calls = len(evidence.instance.sequence.calls) + len(evidence.instance.history)
    reach = max(evidence.bounds.reach, evidence.bounds.looks // max(1, evidence.looks))
    if reach < calls:
        evidence.cut(f"calls more than {reach} before their reader")
    evidence.add("in_reach", reach)
    for place, is_there in evidence.open_places.items():
        mends(evidence, place, reach, is_there=is_there)
    earlier_outputs(evidence, reach)


def _candidates(evidence: Evidence, call: int) -> list[str]:
    """
    Find the tools that a call may have meant; return those that are offered for their arguments.

    Where the rules will find a clear neighbour in spelling nothing else is offered; see
    `recovery/rename_tool.lp`, whose constants decide.
    """
    instance, options = evidence.instance, evidence.options
    given = instance.call(call)
    found, beyond = evidence.index.near_names(given.name)
    near = [(name, distance) for name, distance in found if name in evidence.allowed]
    reach = max(options.alike_distance, options.clear_distance)
    offered: list[str] = []
    cut = False
    clear = bool(near) and near[0][1] <= options.clear_distance and not options.by_fit
    clear = clear and all(distance >= near[0][1] + options.clear_margin for _, distance in near[1:])
    if (
        beyond < near[0][1] + options.clear_margin
        if clear
        else beyond <= reach and not options.by_fit
    ):
        evidence.cut(f"tools with a name like that of call {call + 1}")
    if clear:
        near = near[:1]
    else:
        near = [
            (name, distance) for name, distance in near if distance <= reach + options.clear_margin
        ]
        offered, cut = evidence.index.takers(given.arguments, instance.paths_read(call))
    if cut:
        evidence.cut(f"tools that take the arguments of call {call + 1}")
    names = dict.fromkeys(
        name for name in (*(name for name, _ in near), *offered) if name in evidence.allowed
    )
    evidence.candidates[call] = tuple(names)
    return offered


def _tools_for(evidence: Evidence, call: int, offered: list[str]) -> None:
    """State what the tools are that a call may have meant, and what they would need."""
    instance = evidence.instance
    given = instance.call(call)
    read = instance.paths_read(call)
    for other in range(len(instance.sequence.calls)) if offered else ():
        if other != call and _is_repetition(given, instance.call(other)):
            evidence.add("in_same_arguments", call, other)
    for name in evidence.candidates[call]:
        tool = evidence.tool(name)
        evidence.add("in_tool_distance", call, name, evidence.index.distance(given.name, name))
        evidence.state_meant(given.name, name)
        _foreign_words(evidence, call, name)
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
                _renames(evidence, call, parameter, (name,))
        for wanted in tool.parameters.values():
            if wanted.required and wanted.name not in given.arguments:
                fillers(evidence, call, name, wanted.name, 0)


def _foreign_words(evidence: Evidence, call: int, name: str) -> None:
    """State which words of the name that was given are in neither the name nor a parameter of a tool."""
    own = set(words(name))
    known = own.union(*(words(parameter) for parameter in evidence.index.tools[name].parameters))
    for word in words(evidence.instance.call(call).name):
        is_typed_wrongly = word not in evidence.options.lexicon and any(
            max(len(word), len(other)) > 3 and OSA.distance(word, other) == 1 for other in own
        )
        if word not in known and not is_typed_wrongly:
            evidence.say("in_foreign", call, name, word)


def _is_repetition(call: Call, other: Call) -> bool:
    """Whether one of two calls has all the arguments of the other one; none at all say nothing."""
    first, second = call.arguments, other.arguments
    shared = first.keys() & second.keys()
    if not shared and (first or second):
        return False
    return len(shared) == min(len(first), len(second)) and all(
        first[p] == second[p] for p in shared
    )


def _renames(evidence: Evidence, call: int, parameter: str, tools: Iterable[str]) -> None:
    """
    State how far an undeclared argument is from the parameters that its tool declares and that are
    free: by its name, or by its value, whichever explains it better.
    """
    arguments = evidence.instance.call(call).arguments
    for name in tools:
        tool = evidence.tool(name)
        free = [other for other in tool.parameters.values() if other.name not in arguments]
        by_value = dict(value_distances(evidence.instance, call, parameter, tool, free))
        same = [other for other in tool.parameters.values() if fold(other.name) == fold(parameter)]
        # What is only written in another way means that, and nothing else where that is passed too.
        free = [other for other in same if other in free] if same else free
        ranked = sorted(
            (
                not other.required,
                min(name_distance(parameter, other.name), by_value.get(other.name, FAR)),
                number,
            )
            for number, other in enumerate(free)
        )
        undeclared = sum(other not in tool.parameters for other in arguments)
        bounds = evidence.bounds
        most = max(2, min(bounds.renames, bounds.all_renames // undeclared))
        if most < bounds.renames:
            ranked.sort(key=lambda each: each[1])
        if len(ranked) > most:
            evidence.cut(f"parameters that undeclared arguments of call {call + 1} may have meant")
        for _, distance, number in ranked[:most]:
            evidence.add("in_param", name, free[number].name)
            evidence.add(
                "in_parameter_distance", call, parameter, name, free[number].name, distance
            )
            if (
                is_position(parameter)
                and f"{POSITION}{list(tool.parameters).index(free[number].name) + 1}" == parameter
            ):
                evidence.state_kin(parameter, free[number].name, True)  # the position is its name
            else:
                evidence.state_meant(parameter, free[number].name)
            if is_slip(parameter, free[number].name):
                evidence.add("in_slip", call, parameter, name, free[number].name)
            state_forms(evidence, call, parameter, name, free[number].name)
