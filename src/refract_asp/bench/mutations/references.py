"""Kinds that break labels and what is read from them."""

from __future__ import annotations

import random
from collections import Counter

from refract_asp.bench.mutations.mutation import (
    Kind,
    Mutation,
    is_told,
    types_taken,
    words_in,
    wrong_name,
)
from refract_asp.bench.mutations.tokens import (
    Token,
    arguments,
    is_shown_elsewhere,
    last_name,
    one_producer,
    place_text,
    read_at,
    reads_of,
    source_text,
    unused_label,
    with_ask,
    with_call,
    with_reference,
    without_argument,
)
from refract_asp.model import Catalog, Reference, Sequence, Tool
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.schemas import is_compatible
from refract_asp.model.sources import slots_of

__all__ = ["KINDS"]


def read_calls(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the calls that are read under a label of their own."""
    del catalog
    times = Counter(call.label for call in sequence.calls)
    read = {r.producer for r in reads_of(sequence)}
    return [
        Token(i) for i, call in enumerate(sequence.calls) if i in read and times[call.label] == 1
    ]


def _label(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del catalog
    call = sequence.calls[token.call]
    fresh = unused_label(sequence, rng)
    return Mutation(
        kind="label",
        broken=with_call(sequence, token.call, call.model_copy(update={"label": fresh})),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: label {call.label} is now {fresh}",
    )


def _missing_label(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del catalog, rng
    call = sequence.calls[token.call]
    return Mutation(
        kind="missing_label",
        broken=with_call(sequence, token.call, call.model_copy(update={"label": None})),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: label {call.label} is gone",
    )


def _resolved(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the references that read from an earlier call."""
    del catalog
    return [
        Token(r.call, r.parameter, r.slot) for r in reads_of(sequence) if r.producer is not None
    ]


def _resolved_fields(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return those of them that read a field."""
    del catalog
    return [
        Token(r.call, r.parameter, r.slot)
        for r in reads_of(sequence)
        if r.producer is not None and last_name(r.reference.path) is not None
    ]


def _made_up_label(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    read = read_at(sequence, token)
    fresh = read.reference.model_copy(update={"label": unused_label(sequence, rng)})
    return Mutation(
        kind="made_up_label",
        broken=with_reference(sequence, token, fresh),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: {token.parameter} reads {fresh} instead of {read.reference}",
        informed=one_producer(sequence, catalog, read),
    )


def _made_up_field(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    read = read_at(sequence, token)
    tool = _producing_tool(sequence, catalog, token)
    last = last_name(read.reference.path)
    if tool is None or last is None:
        return None
    path = read.reference.path

    def changed(word: str) -> FieldPath:
        return (*path[:last], word, *path[last + 1 :])

    # A field that the tool may return after all (its output is open there) would not be wrong.
    wrong = wrong_name(str(path[last]), rng, lambda word: tool.returns_path(changed(word)))
    if wrong is None:
        return None
    made_up = read.reference.model_copy(update={"path": changed(wrong[0])})
    return Mutation(
        kind="made_up_field",
        broken=with_reference(sequence, token, made_up),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: {token.parameter} reads {made_up} instead of {read.reference}",
        variant=wrong[1],
        note=f"{tool.name} has {len(tool.output_fields)} output fields",
    )


def _producing_tool(sequence: Sequence, catalog: Catalog, token: Token) -> Tool | None:
    """Return the tool that the reference at the token reads from."""
    producer = read_at(sequence, token).producer
    return None if producer is None else catalog.by_name.get(sequence.calls[producer].name)


def _required_reading(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the required arguments with a reference in them."""
    return [
        passed.token
        for passed in arguments(sequence, catalog)
        if passed.declared.required
        and any(isinstance(slot, Reference) for slot in slots_of(passed.source))
    ]


def _missing_reference(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    name = token.parameter or ""
    source = sequence.calls[token.call].arguments[name]
    informed, note = False, "the text or structure around the reference is lost with it"
    if isinstance(source, Reference):
        read = next(r for r in reads_of(sequence) if (r.call, r.parameter) == (token.call, name))
        informed = read.producer is not None and (
            one_producer(sequence, catalog, read) or is_shown_elsewhere(sequence, catalog, read)
        )
        field = path_text(source.path)
        common = set(words_in(name)) & set(words_in(field))
        note = f"parameter {name} and field {field} share " + (
            ", ".join(sorted(common)) or "no word"
        )
    return Mutation(
        kind="missing_reference",
        broken=without_argument(sequence, token),
        expected=sequence if informed else with_ask(sequence, token),
        token=token,
        what=f"{place_text(sequence, token)}: argument {name}={source_text(source)} is gone",
        informed=informed,
        required=True,
        note=note,
    )


def _whole_reading(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the arguments of known tools that are one field of an earlier call of a known tool."""
    found = []
    for token in _resolved_fields(sequence, catalog):
        call = sequence.calls[token.call]
        tool = catalog.by_name.get(call.name)
        is_whole = isinstance(call.arguments[token.parameter or ""], Reference)
        if is_whole and tool is not None and token.parameter in tool.parameters:
            producer = _producing_tool(sequence, catalog, token)
            if producer is not None and producer.output_schema is not None:
                found.append(token)
    return found


def _type_mismatch(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    read = read_at(sequence, token)
    giver = _producing_tool(sequence, catalog, token)
    taker = catalog.by_name[sequence.calls[token.call].name]
    name, path = token.parameter or "", read.reference.path
    if giver is None or not giver.declares_path(path):
        return None
    taken = types_taken(taker, name)
    wrong = [
        field.path
        for field in giver.output_fields
        if not is_compatible(giver.types_at(field.path), taken)
    ]
    possible: dict[str, FieldPath] = {}
    if not is_compatible(giver.types_at(()), taken):
        possible["whole"] = ()
    if wrong:
        possible["field"] = rng.choice(wrong)
    if not possible:
        return None
    variant = rng.choice(list(possible))
    # What lies inside the field that is read now could be meant as well.
    inside = [
        field.path
        for field in giver.output_fields
        if variant == "field" and field.path[: len(possible[variant])] == possible[variant]
    ]
    instead = read.reference.model_copy(update={"path": possible[variant]})
    return Mutation(
        kind="type_mismatch",
        broken=with_reference(sequence, token, instead),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: {name} reads {instead} instead of {read.reference}",
        variant=variant,
        informed=is_told(giver, path, taker, name)
        and not any(is_compatible(giver.types_at(inner), taken) for inner in inside),
        required=taker.parameters[name].required,
        note=f"{giver.name} has {len(giver.output_fields)} output fields",
    )


def _indexed(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the references to earlier calls of known tools whose path enters a list."""
    return [
        token
        for token in _resolved(sequence, catalog)
        if _producing_tool(sequence, catalog, token) is not None
        and any(isinstance(step, int) for step in read_at(sequence, token).reference.path)
    ]


def _lost_index(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    read = read_at(sequence, token)
    giver = _producing_tool(sequence, catalog, token)
    path = tuple(step for step in read.reference.path if isinstance(step, str))
    if giver is None or giver.returns_path(path):
        return None
    instead = read.reference.model_copy(update={"path": path})
    return Mutation(
        kind="lost_index",
        broken=with_reference(sequence, token, instead),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: {token.parameter} reads {instead} instead of {read.reference}",
        informed=all(step in (0,) for step in read.reference.path if isinstance(step, int)),
    )


KINDS = (
    Kind(
        "label",
        "a label that is read becomes one that nothing bears or reads",
        "always",
        "references",
        read_calls,
        _label,
    ),
    Kind(
        "missing_label",
        "a label that is read is gone",
        "always",
        "references",
        read_calls,
        _missing_label,
    ),
    Kind(
        "missing_reference",
        "a required argument with a reference in it is gone",
        "the argument was the reference alone, and one earlier call declares its field; or one of those that "
        "do feeds the same call through another argument that does not carry this field already; or none "
        "does, and one gives it elsewhere to a parameter of this name; else an ask is expected",
        "references",
        _required_reading,
        _missing_reference,
    ),
    Kind(
        "made_up_label",
        "a reference names a label that nothing bears",
        "one earlier call declares its field; or one of those that do feeds the same call through another "
        "reference that does not read this field already",
        "references",
        _resolved,
        _made_up_label,
    ),
    Kind(
        "made_up_field",
        "the field that a reference reads is misspelt by 1 to 3 edits, or an invented word stands for it",
        "always: the call that is read is there, and the parameter that it fills",
        "references",
        _resolved_fields,
        _made_up_field,
    ),
    Kind(
        "type_mismatch",
        "a reference reads the whole output, or another field, of a type that the parameter does not take",
        "of the fields of a type that fits one alone is called like the parameter, else shares a word with "
        "it, else is there, shallow ones before deep ones; and none lies inside the field that is read",
        "references",
        _whole_reading,
        _type_mismatch,
    ),
    Kind(
        "lost_index",
        "a reference into a list does not say which element",
        "the first element was meant",
        "references",
        _indexed,
        _lost_index,
    ),
)
