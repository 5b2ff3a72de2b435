"""States into which forms the values of arguments may be brought, and where references would not fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from clingo import Function, Number, Symbol

from refract_asp.errors import RefractError, shown
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.model.schemas import ANY, is_compatible, type_of
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sources import numbered, slots_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import fits_inside, is_held_fit, is_unfit, types_read
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import FAR, is_kin
from refract_asp.rules.repetition import value_index
from refract_asp.rules.schemas.dialects import Hole, source_of, value_of
from refract_asp.rules.schemas.recasting import Recast, recasts
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import plain, text

__all__ = [
    "find_inner_calls",
    "state_clashes",
    "state_forms",
    "state_inner",
]


MAX_TEXT = 2000
"""Longer texts are not looked at for a call."""


def find_inner_calls(instance: Instance, is_admissible: Callable[[Call], bool]) -> None:
    """
    Note which arguments that do not fit hold a call of a known tool instead of a value.

    Only a call that could be made as it stands, and that reads from no other one, is taken.

    Args:
        instance: the sequence; what is found is noted there.
        is_admissible: whether a call is right on its own.
    """
    for number, parameter in instance.unfit:
        call = _call_in(instance.call(number).arguments[parameter])
        if call is not None and instance.index.get(call.name) is not None and is_admissible(call):
            instance.inner[number, parameter] = call


def _call_in(source: Source) -> Call | None:
    """Return the one call that a value is, as an object or as text."""
    if not isinstance(source, Constant):
        return None
    for data in _readings(source.value):
        try:
            calls = Sequence.load(data).calls
        except RefractError:
            continue
        if len(calls) == 1 and calls[0].malformed is None and not calls[0].confirms:
            call = calls[0]
            if not any(True for argument in call.arguments.values() for _ in slots_of(argument)):
                return call
    return None


def _readings(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield [value]
    elif isinstance(value, str) and len(value) <= MAX_TEXT and ("(" in value or "{" in value):
        if value.lstrip().startswith("{"):
            try:
                yield [json.loads(value)]
            except (ValueError, RecursionError):
                return
        else:
            yield value


def state_inner(evidence: Evidence, call: int, parameter: str, tool: str, target: str) -> bool:
    """
    State which outputs of the call inside an argument could be what the parameter wants.

    Returns:
        Whether there is one; then the argument is no value that could come into another form.
    """
    inner = evidence.instance.inner.get((call, parameter))
    if inner is None:
        return False
    index = evidence.index
    fits = index.fits(inner.name, tool, target)
    fitting = [fit for fit in fits if not index.clashes(inner.name, fit[0], tool, target)]
    found = [(path, distance) for path, _, distance in fitting[: evidence.bounds.paths]]
    stated: list[FieldPath] = []
    for path, distance in found if fits else [((), FAR)]:
        # what lies inside one that fits, or bears the same name farther down, is not meant beside it
        is_second = any(
            path[: len(other)] == other or _leaf(path) == _leaf(other) for other in stated
        )
        if not is_second and not index.clashes(inner.name, path, tool, target):
            stated.append(path)
            form = Function("inner", [text(path_text(path))])
            evidence.add("in_recast", call, parameter, tool, target, form, 1 + distance)
    return bool(stated)


def _leaf(path: FieldPath) -> str | None:
    """Return the last name in a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), None)


NOTHING = Function("nothing")


def state_forms(evidence: Evidence, call: int, parameter: str, tool: str, target: str) -> None:
    """
    State whether an argument fits a parameter, and if not which forms of it do.

    Args:
        evidence: what is stated so far.
        call: the number of a given call.
        parameter: the argument as it was given.
        tool: the tool that the call has or may get.
        target: the parameter of that tool to which the argument goes or may go.
    """
    if not evidence.is_new("forms", call, parameter, tool, target):
        return
    evidence.targets.setdefault((call, parameter), set()).add((tool, target))
    instance = evidence.instance
    validator = instance.index.validator(tool, target)
    source = instance.call(call).arguments[parameter]
    if validator is None or source.kind == "ask":
        return
    try:
        if source.kind == "reference":
            _state_wrapped(evidence, call, parameter, tool, target, validator)
            return
        if not is_unfit(instance, call, parameter, tool, target):
            return
        evidence.add("in_unfit", call, parameter, tool, target)
        if state_inner(evidence, call, parameter, tool, target):
            return
        value = _with_types(evidence, call, parameter)
        cut = _cut(evidence, call, parameter)
        for recast in recasts(value, validator, cut)[: evidence.bounds.forms]:
            _state_form(evidence, call, parameter, tool, target, recast)
        _state_elements(evidence, call, parameter, tool, target, value, validator)
    except BrokenSchemaError:
        return  # a tool that is only one of several that were meant, or the call is left alone anyway
    declared = evidence.index.tools[tool].parameters.get(target)
    is_own = (tool, target) == (instance.call(call).name, parameter)
    if is_own and source == Constant() and declared is not None and not declared.required:
        evidence.add("in_recast", call, parameter, tool, target, NOTHING, 1)


def _cut(evidence: Evidence, call: int, parameter: str) -> Callable[[], None]:
    """Return what tells that not all forms of an argument were looked at."""
    return lambda: evidence.cut(f"forms of {shown(parameter)} of call {call + 1}")


def _with_types(evidence: Evidence, call: int, parameter: str) -> object:
    """Return an argument as a value that knows what types its references read."""
    source = evidence.instance.call(call).arguments[parameter]
    read = {
        id(reference): _types_settled(evidence, (call, parameter, slot))
        for slot, reference in numbered(source)
    }
    return value_of(source, lambda reference: read[id(reference)])


def _types_settled(evidence: Evidence, place: Place) -> frozenset[str]:
    """Return the types that a reference reads; none where another call may come to be read."""
    instance = evidence.instance
    reference = instance.references.get(place)
    is_lost = place in instance.lost or (
        reference is not None
        and place in instance.recalled
        and not instance.memory.holds(reference.label, reference.path)
    )
    is_open = place in instance.producers and instance.tool(instance.producers[place]) is None
    return frozenset() if is_lost or is_open else types_read(instance, place)


def _state_form(
    evidence: Evidence, call: int, parameter: str, tool: str, target: str, recast: Recast
) -> None:
    number = value_index(evidence.instance, source_of(recast.value))
    known = evidence.forms.get((call, parameter, number))
    if known is None or recast.distance < known.distance:
        evidence.forms[call, parameter, number] = recast
    evidence.add("in_recast", call, parameter, tool, target, number, recast.distance)
    given, left = evidence.instance.call(call).arguments[parameter], source_of(recast.value)
    kept = {id(slot) for slot in slots_of(left)}
    for slot, reference in numbered(given):
        if id(reference) not in kept:
            evidence.add("in_form_without", call, parameter, number, slot)
    _state_keys(evidence, call, parameter, tool, target, number, recast)


def _state_keys(
    evidence: Evidence,
    call: int,
    parameter: str,
    tool: str,
    target: str,
    number: int,
    recast: Recast,
) -> None:
    """State which keys inside a value a form renames, leaves out or takes away around all of it."""
    ends = (call, parameter, tool, target, number)
    is_secret = evidence.index.secrets.is_argument(tool, target)  # then its keys are, too
    for step in recast.steps:
        if step.rule == "rename_key":
            key, field = (HIDDEN, "") if is_secret else (str(step.path[-1]), step.after.strip('"'))
            evidence.state_meant(key, field)
            evidence.say("in_moved", *ends, key, field)
        elif step.rule == "drop_key":
            evidence.say("in_left_out", *ends)
        elif step.rule == "unwrap" and not step.path and not is_secret:
            source = evidence.instance.call(call).arguments[parameter]
            for wrapper in source.value if isinstance(source, Constant | Structure) else ():
                if isinstance(wrapper, str) and is_kin(wrapper, target):
                    evidence.state_kin(parameter, target, True)  # what is inside says where it goes


def _state_wrapped(
    evidence: Evidence, call: int, parameter: str, tool: str, target: str, validator: Validator
) -> None:
    """State that what a reference reads may be put into a list, where that is what is wanted."""
    source = evidence.instance.call(call).arguments[parameter]
    hole = Hole(source, types_read(evidence.instance, (call, parameter, 0)))
    cut = _cut(evidence, call, parameter)
    if not validator.is_valid(hole):
        for recast in recasts(hole, validator, cut)[: evidence.bounds.forms]:
            _state_form(evidence, call, parameter, tool, target, recast)


def _state_elements(
    evidence: Evidence,
    call: int,
    parameter: str,
    tool: str,
    target: str,
    value: object,
    validator: Validator,
) -> None:
    """State that a value is a list of values that each would fit."""
    if not isinstance(value, list) or not 2 <= len(value) <= evidence.allowed.depth + 1:
        return
    if all(validator.is_valid(element) for element in value):
        each = Function("each", [Number(len(value))])
        evidence.add("in_recast", call, parameter, tool, target, each, 1)


def state_clashes(evidence: Evidence) -> None:
    """
    State which references would read another type than is wanted, where they may come to read.

    A label, a tool or a parameter may change its meaning in a repair; the path that is read from it
    stays. What a reference may be pointed to instead was looked at when it was offered.
    """
    instance = evidence.instance
    for place, reference in instance.references.items():
        call, parameter, slot = place
        targets = evidence.targets.get((call, parameter), set())
        is_open = place in evidence.open_places or bool(targets) or instance.tool(call) is None
        if call == len(instance.sequence.calls) or not is_open:
            continue
        written = path_text(reference.path)
        givers = dict.fromkeys(instance.givers.get(written, ())) | evidence.givers.get(written, {})
        read = dict.fromkeys((giver, written) for giver in givers) | evidence.near.get(written, {})
        wanted = targets | {(tool, parameter) for tool in evidence.possible_tools(call)}
        if slot != 0:
            _state_clashes_inside(evidence, place, read, wanted)
            continue
        if not all(evidence.is_known("clash", written, *each) for each in wanted):
            by_types = _by_types(evidence, reference, written, read)
            for tool, target in wanted:
                if evidence.is_new("clash", written, tool, target):
                    _state_clashes_of(evidence, by_types, tool, target)


_Read = tuple[Symbol | str, str, FieldPath]
"""Who may be read: a tool, or what stands for a label of memory; the path, printed and as it is."""


def _by_types(
    evidence: Evidence, reference: Reference, written: str, read: Iterable[tuple[Symbol | str, str]]
) -> dict[frozenset[str] | None, list[_Read]]:
    """Return what a reference may come to read, by its JSON types; what memory holds under None."""
    found: dict[frozenset[str] | None, list[_Read]] = {}
    for giver, spelling in read:
        path = reference.path if spelling == written else parse_path(spelling)
        types = evidence.index.types_at(giver, path) if isinstance(giver, str) else None
        found.setdefault(types, []).append((giver, spelling, path))
    return found


def _state_clashes_of(
    evidence: Evidence, by_types: dict[frozenset[str] | None, list[_Read]], tool: str, target: str
) -> None:
    """State what of that does not fit a parameter."""
    declared = target in evidence.index.tools[tool].parameters
    for types, read in by_types.items():
        if types is not None and (
            not declared or is_compatible(types, evidence.index.taken_types(tool, target))
        ):
            continue
        for giver, spelling, path in read:
            if types is not None or _is_held_clash(evidence, giver, path, tool, target):
                evidence.add("in_clash", giver, spelling, tool, target)


def _is_held_clash(
    evidence: Evidence, giver: Symbol | str, path: FieldPath, tool: str, target: str
) -> bool:
    """Whether what memory holds does not fit a parameter."""
    if isinstance(giver, str):
        return False
    held = Reference(label=plain(giver.arguments[0]), path=path)
    try:
        return not is_held_fit(evidence.instance, held, tool, target)
    except BrokenSchemaError:
        return False


def _state_clashes_inside(
    evidence: Evidence,
    place: Place,
    read: Iterable[tuple[Symbol | str, str]],
    wanted: Collection[tuple[str, str]],
) -> None:
    """State the same of a reference inside a value that fits; what does not is judged by its forms."""
    instance = evidence.instance
    call, parameter, _ = place
    source = instance.call(call).arguments[parameter]
    if not isinstance(source, Structure):
        return
    for tool, target in sorted(wanted):
        validator = _fitting(instance, call, parameter, tool, target)
        if validator is None:
            continue
        for giver, spelling in read:
            types = _types_given(evidence, giver, parse_path(spelling))
            if not fits_inside(validator, source, instance.references[place], types):
                evidence.add("in_clash_inside", *place, giver, spelling, tool, target)


def _types_given(evidence: Evidence, giver: Symbol | str, path: FieldPath) -> frozenset[str]:
    """Return the JSON types that a tool returns at a path, or that memory holds there."""
    if isinstance(giver, str):
        return evidence.index.types_at(giver, path)
    label, memory = plain(giver.arguments[0]), evidence.instance.memory
    return frozenset({type_of(memory.at(label, path))}) if memory.holds(label, path) else ANY


def _fitting(
    instance: Instance, call: int, parameter: str, tool: str, target: str
) -> Validator | None:
    """Return what judges a parameter, if what is constant in an argument fits it; else None."""
    try:
        if target not in instance.index.tools[tool].parameters:
            return None
        if is_unfit(instance, call, parameter, tool, target):
            return None
    except BrokenSchemaError:
        return None
    return instance.index.validator(tool, target)
