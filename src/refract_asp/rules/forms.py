"""States into which forms the values of arguments may be brought, and where references would not fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from clingo import Function, Number, Symbol

from refract_asp.errors import shown
from refract_asp.model import Constant, Reference, Structure
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.model.schemas import ANY, is_compatible, type_of
from refract_asp.model.sources import numbered
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import fits_inside, is_held_fit, is_unfit, types_read
from refract_asp.rules.inner import state_inner
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.repetition import value_index
from refract_asp.rules.schemas.holes import Hole, source_of, value_of
from refract_asp.rules.schemas.recasting import Recast, recasts
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import plain

__all__ = ["state_clashes", "state_forms"]

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
    for giver, text in read:
        path = reference.path if text == written else parse_path(text)
        types = evidence.index.types_at(giver, path) if isinstance(giver, str) else None
        found.setdefault(types, []).append((giver, text, path))
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
        for giver, text, path in read:
            if types is not None or _is_held_clash(evidence, giver, path, tool, target):
                evidence.add("in_clash", giver, text, tool, target)


def _is_held_clash(evidence: Evidence, giver: Symbol | str, path: FieldPath, tool: str, target: str) -> bool:
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
        for giver, text in read:
            types = _types_given(evidence, giver, parse_path(text))
            if not fits_inside(validator, source, instance.references[place], types):
                evidence.add("in_clash_inside", *place, giver, text, tool, target)


def _types_given(evidence: Evidence, giver: Symbol | str, path: FieldPath) -> frozenset[str]:
    """Return the JSON types that a tool returns at a path, or that memory holds there."""
    if isinstance(giver, str):
        return evidence.index.types_at(giver, path)
    label, memory = plain(giver.arguments[0]), evidence.instance.memory
    return frozenset({type_of(memory.at(label, path))}) if memory.holds(label, path) else ANY


def _fitting(instance: Instance, call: int, parameter: str, tool: str, target: str) -> Validator | None:
    """Return what judges a parameter, if what is constant in an argument fits it; else None."""
    try:
        if target not in instance.index.tools[tool].parameters:
            return None
        if is_unfit(instance, call, parameter, tool, target):
            return None
    except BrokenSchemaError:
        return None
    return instance.index.validator(tool, target)
