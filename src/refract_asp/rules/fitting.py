"""
Which given values and references do not fit the schemas of their parameters, as facts.

Constants are judged by every keyword; of what is read only the type is known, but for memory, which
holds values. Whether that makes a call inadmissible, and what to do, the encodings say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from clingo import Function, Symbol

from refract_asp.model import Call, Reference, Source, Tool
from refract_asp.model.paths import Fault, FieldPath, path_text
from refract_asp.model.schemas import ANY, is_compatible, type_of
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sources import numbered
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.schemas.dialects import value_of
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import fact, memory

__all__ = [
    "clashes_inside",
    "discord_facts",
    "discordant",
    "faults_of",
    "fit_facts",
    "fits_inside",
    "is_held_fit",
    "is_unfit",
    "may_be_held",
    "may_stand",
    "touches",
    "types_read",
]


TELLS_VALUES = frozenset({
    "const", "enum", "pattern", "not", "contains", "minContains", "maxContains", "anyOf", "oneOf",
})  # fmt: skip
"""Keywords of which the wording tells values, or how they are made."""


def fit_facts(instance: Instance) -> Iterator[Symbol]:
    """
    State which arguments do not fit, which references read another type, and which calls cannot be judged.

    Args:
        instance: the sequence, its references resolved; what is found is noted there too.
    """
    for number, call in enumerate(instance.sequence.calls):
        if call.malformed is not None:
            instance.unmendable[number] = ("malformed_arguments", None, call.malformed)
        tool = instance.tool(number)
        if tool is None or call.malformed is not None:
            continue
        parameter = None
        try:
            for parameter, source in call.arguments.items():
                for symbol in _argument_facts(instance, number, tool, parameter, source):
                    if symbol.name != "in_unfit":
                        instance.clashes.append(symbol)
                    yield symbol
            parameter = None
            _judge_together(instance, number, call, tool)
        except BrokenSchemaError as error:
            instance.unmendable[number] = ("broken_schema", parameter, str(error))
    for number, (code, _, _) in instance.unmendable.items():
        if code != "invalid_arguments":
            yield fact("in_unmendable", number, Function(code))
            yield fact("in_unjudged", number)


def discord_facts(numbers: Iterable[int]) -> list[Symbol]:
    """State that the arguments of these calls do not go together, whatever each of them is."""
    return [
        fact("in_unmendable", number, Function("invalid_arguments")) for number in sorted(numbers)
    ]


def discordant(instance: Instance, calls: Iterable[tuple[int | None, Call]]) -> set[int]:
    """
    Return which calls have arguments that do not go together, by the numbers that are given with them.

    A call of number None was added, of a tool that asks nothing of that kind.
    """
    found = set()
    for number, call in calls:
        validator = instance.index.rules_of(call.name) if instance.index.get(call.name) else None
        if number is None or validator is None:
            continue
        whole = {parameter: value_of(source) for parameter, source in call.arguments.items()}
        try:
            if any(not fault.path for fault in validator.faults(whole)):
                found.add(number)
        except BrokenSchemaError:
            found.add(number)
    return found


def _argument_facts(
    instance: Instance, number: int, tool: Tool, parameter: str, source: Source
) -> Iterator[Symbol]:
    if source.kind == "reference":
        place = (number, parameter, 0)
        if place in instance.producers:
            producer = instance.tool(instance.producers[place])
            if producer is not None and instance.index.clashes(
                producer.name, source.path, tool.name, parameter
            ):
                yield fact("in_clash", producer.name, path_text(source.path), tool.name, parameter)
        elif place in instance.recalled and not is_held_fit(instance, source, tool.name, parameter):
            yield fact(
                "in_clash", memory(source.label), path_text(source.path), tool.name, parameter
            )
        return
    if is_unfit(instance, number, parameter, tool.name, parameter):
        instance.unfit[number, parameter] = tool.name
        yield fact("in_unfit", number, parameter, tool.name, parameter)
    elif source.kind == "structure":
        yield from clashes_inside(instance, number, tool.name, parameter, source)


def is_unfit(instance: Instance, number: int, parameter: str, tool: str, target: str) -> bool:
    """
    Whether what is constant in an argument does not fit a parameter; a reference may read anything.

    Raises:
        BrokenSchemaError: the schema of the parameter cannot be judged.
    """
    source = instance.call(number).arguments[parameter]
    validator = instance.index.validator(tool, target)
    if validator is None or source.kind in ("reference", "ask"):
        return False
    return not validator.is_valid(value_of(source))


def clashes_inside(
    instance: Instance, number: int, tool: str, parameter: str, source: Source
) -> Iterator[Symbol]:
    """State which references inside a structure read a type that does not fit where they stand."""
    validator = instance.index.validator(tool, parameter)
    if validator is None:
        return
    for slot, reference in numbered(source):
        place = (number, parameter, slot)
        types = types_read(instance, place)
        if types != ANY and not fits_inside(validator, source, reference, types):
            origin = instance.producers.get(place)
            held = memory(reference.label) if origin is None else None
            name = held if held is not None else instance.call(origin).name  # type: ignore[arg-type]
            yield fact("in_clash_inside", *place, name, path_text(reference.path), tool, parameter)


def fits_inside(
    validator: Validator, source: Source, reference: Reference, types: frozenset[str]
) -> bool:
    """Whether a source still fits when one of its references reads one of these types."""
    return validator.is_valid(value_of(source, lambda each: types if each is reference else ANY))


def may_stand(
    instance: Instance, place: Place, tools: Collection[str], types: frozenset[str]
) -> bool:
    """Whether a value of one of these types may stand where a reference does, if one of the tools is used."""
    number, parameter, slot = place
    source = instance.call(number).arguments[parameter]
    possible = False
    for tool in tools:
        owner = instance.index.tools[tool]
        declared = owner.parameters.get(parameter)
        if declared is None:
            return True
        if slot == 0:
            possible |= is_compatible(types, instance.index.taken_types(tool, parameter))
        else:
            possible |= _stands_inside(instance, tool, parameter, source, place, types)
    return possible or not tools


def _stands_inside(
    instance: Instance,
    tool: str,
    parameter: str,
    source: Source,
    place: Place,
    types: frozenset[str],
) -> bool:
    validator = instance.index.validator(tool, parameter)
    if validator is None or source.kind != "structure":
        return True
    try:
        return fits_inside(validator, source, instance.references[place], types)
    except BrokenSchemaError:
        return True


def types_read(instance: Instance, place: Place) -> frozenset[str]:
    """Return the JSON types that a given reference may read."""
    reference = instance.references.get(place)
    if reference is None:
        return ANY
    if place in instance.producers:
        producer = instance.tool(instance.producers[place])
        if producer is None or not producer.returns_path(reference.path):
            return ANY
        return instance.index.types_at(producer.name, reference.path)
    if place in instance.recalled and instance.memory.holds(reference.label, reference.path):
        return frozenset({type_of(instance.memory.at(reference.label, reference.path))})
    return ANY


def is_held_fit(instance: Instance, reference: Reference, tool: str, parameter: str) -> bool:
    """
    Whether what memory holds where a reference reads fits a parameter; what it does not hold may.

    Raises:
        BrokenSchemaError: the schema of the parameter cannot be judged.
    """
    validator = instance.index.validator(tool, parameter)
    if validator is None or not instance.memory.holds(reference.label, reference.path):
        return True
    return validator.is_valid(instance.memory.at(reference.label, reference.path))


def may_be_held(instance: Instance, reference: Reference, tool: str, parameter: str) -> bool:
    """Whether what memory holds surely fits a parameter; not where that cannot be judged."""
    try:
        return is_held_fit(instance, reference, tool, parameter)
    except BrokenSchemaError:
        return False


def _judge_together(instance: Instance, number: int, call: Call, tool: Tool) -> None:
    """Note a call whose arguments fit each for itself, but not together."""
    validator = instance.index.rules_of(tool.name)
    if validator is None:
        return
    whole = {parameter: value_of(source) for parameter, source in call.arguments.items()}
    faults = [fault for fault in validator.faults(whole) if not fault.path]
    if faults:
        reason = "; ".join(f"expected {fault.expected}" for fault in faults[:3])
        instance.unmendable[number] = ("invalid_arguments", None, reason)


def faults_of(instance: Instance, number: int, parameter: str) -> tuple[Fault, ...]:
    """Return what in an argument does not fit its parameter."""
    call = instance.call(number)
    validator = instance.index.validator(call.name, parameter)
    if validator is None:
        return ()
    value = value_of(call.arguments[parameter])
    places = instance.index.secrets.places(call.name, parameter, value)
    faults = validator.faults(value)
    return tuple(_without_secrets(fault, places) for fault in faults) if places else faults


def _without_secrets(fault: Fault, places: Collection[FieldPath]) -> Fault:
    """Return a fault that tells no secret: neither what stands there, nor which values would be right."""
    if not any(touches(fault.path, place) for place in places):
        return fault
    tells_values = fault.keyword in TELLS_VALUES
    return fault.model_copy(
        update={"given": HIDDEN, "expected": "another value" if tells_values else fault.expected}
    )


def touches(path: FieldPath, place: FieldPath) -> bool:
    """Whether one of two places lies in the other one, or is it."""
    return path[: len(place)] == place or place[: len(path)] == path
