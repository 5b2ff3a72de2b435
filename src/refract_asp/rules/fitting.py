"""
Which given values and references do not fit the schemas of their parameters, as facts.

Constants are judged by every keyword; of what is read only the type is known, but for memory, which
holds values. Whether that makes a call inadmissible, and what to do, the encodings say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from clingo import Function, Symbol

from refract_asp.errors import shown
from refract_asp.model import Call, Reference, Source
from refract_asp.model.paths import Fault, FieldPath, path_text, with_leaves, without
from refract_asp.model.schema_words import number_in
from refract_asp.model.schemas import ANY, is_compatible, type_of
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sequence import numbered
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import words
from refract_asp.rules.program import known_words
from refract_asp.rules.schemas.dialects import Hole, value_of
from refract_asp.rules.schemas.recasting import recasts
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import Facts, Giver, fact, memory, plain
from refract_asp.rules.waiting import go_on
from refract_asp.rules.wrappers import text_call

# The JSON types that something may have.
Types: TypeAlias = frozenset[str]
# Keywords of which the wording tells values, or how they are made.
TELLS_VALUES = frozenset({
    "const", "enum", "pattern", "not", "contains", "minContains", "maxContains", "anyOf", "oneOf",
})  # fmt: skip


def state_fits(instance: Instance) -> None:
    """State which arguments do not fit, which references read another type, and what cannot be judged."""
    unmendable = instance.unmendable
    for number, call in enumerate(instance.sequence.calls):
        go_on()
        if call.malformed is not None:
            unmendable[number] = ("malformed_arguments", None, call.malformed)
        if instance.tool(number) is None or call.malformed is not None:
            continue
        parameter = None
        try:
            for parameter, source in call.arguments.items():
                ends = (call.name, parameter)
                if is_unfit(instance, number, parameter, *ends):
                    instance.unfit[number, parameter] = None
                    instance.add("in_unfit", number, parameter, *ends)
                    continue
                for slot, reference in numbered(source) if source.kind != "template" else ():
                    place = (number, parameter, slot)
                    feeder, is_recalled = instance.feeder(place), place in instance.recalled
                    giver = memory(reference.label) if is_recalled else feeder and feeder.name
                    if giver and is_clash(instance, place, giver, reference.path, *ends):
                        state_clash(instance, place, giver, path_text(reference.path), *ends)
            parameter = None
            faults = _faults_together(instance.index, call)
            if faults:
                reason = "; ".join(f"expected {fault.expected}" for fault in faults[:3])
                unmendable[number] = ("invalid_arguments", None, reason)
        except BrokenSchemaError as error:
            unmendable[number] = ("broken_schema", parameter, str(error))
    for number, (code, _, _) in unmendable.items():
        if code != "invalid_arguments":
            instance.add("in_unmendable", number, Function(code))
            instance.add("in_unjudged", number)
    if unmendable:  # that arguments do not go together is stated when a question is asked
        instance.predicates |= {("in_unmendable", 2), ("in_unjudged", 1)}


def state_nested(instance: Instance, folder: Path) -> None:
    """State which texts are a call of a tool, and what the encodings say of words of their parameters."""
    for number, call in enumerate(instance.sequence.calls):
        for parameter, source in call.arguments.items():
            found = text_call(instance.index, source)
            if found is not None:
                instance.nested[number, parameter] = found
                instance.add("in_nested", number, parameter)
                for word in words(parameter):
                    instance.add("in_word", parameter, word)
                    for meaning in known_words(folder)[0].get(word, ()):
                        instance.add(meaning.name, *meaning.arguments)


def is_clash(instance: Instance, place: Place, giver: Giver, path: FieldPath, *ends: str) -> bool:
    """
    Whether what a tool, or memory, has at a path does not fit where a reference stands.

    What lies inside a value is judged where the value fits as far as it is known.

    Raises:
        BrokenSchemaError: the schema of the parameter cannot be judged.
    """
    (call, parameter, slot), index = place, instance.index
    if slot == 0 and isinstance(giver, str):
        return index.clashes(giver, path, *ends)
    validator = index.validator(*ends)
    if validator is None:
        return False
    source, reference = instance.call(call).arguments[parameter], instance.references[place]
    if not isinstance(giver, str):
        label, known = plain(giver.arguments[0]), instance.memory
        if not known.holds(label, path):
            return False
        value = known.at(label, path)
        return not validator.is_valid(value if slot == 0 else filled(source, reference, value))
    types = index.types_at(giver, path)
    return types != ANY and not fits_inside(validator, source, reference, types)


def state_clash(facts: Facts, place: Place, giver: Giver, path: str, *ends: str) -> None:
    """State that what a tool, or memory, has at a path does not fit where a reference stands."""
    if place[2] == 0:
        facts.add("in_clash", giver, path, *ends)
    else:
        facts.add("in_clash_inside", *place, giver, path, *ends)


def _faults_together(index: CatalogIndex, call: Call) -> list[Fault]:
    """
    Return why the arguments of a call do not go together, though each may fit for itself.

    Raises:
        BrokenSchemaError: the schema of the tool cannot be judged.
    """
    validator = index.rules_of(call.name) if index.get(call.name) is not None else None
    if validator is None:
        return []
    whole = {parameter: value_of(source) for parameter, source in call.arguments.items()}
    return [fault for fault in validator.faults(whole) if not fault.path]


def note_what_is_open(instance: Instance) -> None:
    """
    Note what is not judged, or judged by less than it says.

    That is: paths into outputs without a schema, numbers in texts that pass, rules of the catalog that count
    for nothing, and arguments that are kept.
    """
    silent: dict[str, Reference] = {}
    for place, reference in instance.references.items():
        tool = instance.feeder(place)
        if tool is not None and tool.output_schema is None and reference.path:
            silent.setdefault(tool.name, reference)
    for name, reference in silent.items():
        message = f"{shown(name)} says nothing of its output, so paths into it are not judged"
        instance.notes.append(f"{message}, as {shown(reference)}.")
    for number, call in enumerate(instance.sequence.calls if instance.index.lenient else ()):
        for parameter, source in call.arguments.items() if instance.tool(number) else ():
            with suppress(BrokenSchemaError):
                if _numbers_in_texts(instance, source, call.name, parameter):
                    message = f"{shown(parameter)} of call {number + 1} holds a number as a text"
                    instance.notes.append(f"{message}, which is taken as it is lenient.")
    for call in instance.sequence.calls:
        for each in instance.index.loose.get(call.name, ()):
            if each.place.partition(".")[0] in ("", *call.arguments):
                instance.notes.append(f"the catalog: {each}")
    for number, call in enumerate(instance.sequence.calls if instance.undeclared == "keep" else ()):
        tool = instance.tool(number)
        if tool is not None and not tool.additional_parameters:
            for parameter in without(call.arguments, tool.parameters):
                what = f"{shown(parameter)} of call {number + 1}"
                instance.notes.append(f"{what} is not declared by {shown(call.name)}.")


def discord_facts(numbers: Iterable[int]) -> list[Symbol]:
    """State that the arguments of these calls do not go together, whatever each of them is."""
    code = Function("invalid_arguments")
    return [fact("in_unmendable", number, code) for number in sorted(numbers)]


def apart_facts(chosen: Iterable[tuple[int, Iterable[Symbol]]], first: int = 0) -> Iterator[Symbol]:
    """State with which choices the arguments of a call do not go together; sets are numbered from `first`."""
    for number, (call, choices) in enumerate(chosen, start=first):
        yield fact("in_apart", number, call)
        for choice in choices:
            yield fact("in_apart_choice", number, choice)


def discordant(instance: Instance, calls: Iterable[tuple[int | None, Call]]) -> set[int]:
    """
    Return which calls have arguments that do not go together, by the numbers that are given with them.

    A call of number None was added, of a tool that asks nothing of that kind.
    """

    def go_together(call: Call) -> bool:
        try:
            return not _faults_together(instance.index, call)
        except BrokenSchemaError:
            return False

    return {number for number, call in calls if number is not None and not go_together(call)}


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
    is_valid = validator.is_valid(value_of(source, texts=instance.texts))
    return not is_valid and not _numbers_in_texts(instance, source, tool, target)


def _numbers_in_texts(instance: Instance, source: Source, tool: str, parameter: str) -> bool:
    """Whether an argument does not fit as it is, and would if exact numbers in texts of it were numbers."""
    validator = instance.index.validator(tool, parameter)
    if not instance.index.lenient or validator is None or source.kind in ("reference", "ask"):
        return False
    value = value_of(source, texts=instance.texts)
    return not validator.is_valid(value) and any(
        all(
            step.rule == "text_to_number" and number_in(step.before.strip('"')) is not None
            for step in form.steps
        )
        for form in recasts(value, validator, instance.index.limits)[0]
    )


def fits_inside(validator: Validator, source: Source, read: Reference, types: Types) -> bool:
    """Whether a source still fits when one of its references reads one of these types."""
    return validator.is_valid(value_of(source, lambda each: types if each is read else ANY))


def filled(source: Source, read: Reference, held: object) -> Any:
    """Return a source as a value in which what is held stands for one of its references."""

    def put(value: Any) -> Any:
        return held if isinstance(value, Hole) and value.source is read else value

    return with_leaves(value_of(source), put)


def may_stand(instance: Instance, place: Place, tools: Collection[str], types: Types) -> bool:
    """Whether a value of one of these types may stand where a reference does, if one of the tools is used."""
    number, parameter, slot = place
    source = instance.call(number).arguments[parameter]

    def stands(tool: str) -> bool:
        if slot == 0:
            return is_compatible(types, instance.index.taken_types(tool, parameter))
        validator = instance.index.validator(tool, parameter)
        if validator is None or source.kind != "structure":
            return True
        try:
            return fits_inside(validator, source, instance.references[place], types)
        except BrokenSchemaError:
            return True

    declared = [parameter in instance.index.tools[tool].parameters for tool in tools]
    return not all(declared) or not tools or any(map(stands, tools))


def types_read(instance: Instance, place: Place) -> frozenset[str]:
    """Return the JSON types that a given reference may read."""
    reference = instance.references.get(place)
    if reference is None:
        return ANY
    if place in instance.recalled:
        return held_types(instance, reference.label, reference.path)
    feeder = instance.feeder(place)
    if feeder is None or not feeder.returns_path(reference.path):
        return ANY
    return instance.index.types_at(feeder.name, reference.path)


def held_types(instance: Instance, label: str, path: FieldPath) -> frozenset[str]:
    """Return the JSON type of what memory holds at a place, every one where it holds nothing."""
    holds = instance.memory.holds(label, path)
    return frozenset({type_of(instance.memory.at(label, path))}) if holds else ANY


def may_be_held(instance: Instance, held: tuple[str, FieldPath], tool: str, parameter: str) -> bool:
    """Whether what memory holds surely fits a parameter; not where that cannot be judged."""
    known, fits = instance.memory, instance.index.fits_schema
    return not known.holds(*held) or fits(tool, parameter, known.at(*held))


def faults_of(instance: Instance, number: int, parameter: str) -> tuple[Fault, ...]:
    """Return what in an argument does not fit its parameter, without telling a secret."""
    call = instance.call(number)
    validator = instance.index.validator(call.name, parameter)
    if validator is None:
        return ()
    value = value_of(call.arguments[parameter], texts=instance.texts)
    secret = instance.index.secrets.places(call.name, parameter, value)

    found = []
    for fault in validator.faults(value):
        hidden = {"given": HIDDEN}
        if fault.keyword in TELLS_VALUES:
            hidden["expected"] = "another value"
        is_hidden = any(touches(fault.path, place) for place in secret)
        found.append(fault.model_copy(update=hidden) if is_hidden else fault)
    return tuple(found)


def touches(path: FieldPath, place: FieldPath) -> bool:
    """Whether one of two places lies in the other one, or is it."""
    return path[: len(place)] == place or place[: len(path)] == path
