"""Kinds that lose a value for good, so that it has to be asked for."""

from __future__ import annotations

import random
from typing import Any

from refract_asp.bench.mutations.mutation import Kind, Mutation, invented, misfits, types_taken
from refract_asp.bench.mutations.tokens import (
    Token,
    arguments,
    is_plain,
    place_text,
    source_text,
    value_text,
    with_argument,
    with_ask,
    with_call,
    without_argument,
)
from refract_asp.model import Catalog, Constant, Sequence

__all__ = [
    "HARMLESS",
    "KINDS",
]


def _constants(sequence: Sequence, catalog: Catalog) -> list[Token]:
    return [passed.token for passed in arguments(sequence, catalog) if is_plain(passed.source)]


def _required_constants(sequence: Sequence, catalog: Catalog) -> list[Token]:
    found = arguments(sequence, catalog)
    return [
        passed.token for passed in found if passed.declared.required and is_plain(passed.source)
    ]


def _lost_constant(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    call, name = sequence.calls[token.call], token.parameter or ""
    source = call.arguments[name]
    known = catalog.by_name[call.name].parameters[name].known_values
    told = known and Constant(value=known[0])
    return Mutation(
        kind="lost_constant",
        broken=without_argument(sequence, token),
        expected=with_argument(sequence, token, told) if told else with_ask(sequence, token),
        token=token,
        what=f"{place_text(sequence, token)}: argument {name}={source_text(source)} is gone",
        informed=bool(told),
        required=True,
    )


def _replaced(
    kind: str, sequence: Sequence, catalog: Catalog, token: Token, value: Any, variant: str = ""
) -> Mutation | None:
    """Return the mutation that puts a value in place of one that is lost by that; None where it fits."""
    call, name = sequence.calls[token.call], token.parameter or ""
    tool = catalog.by_name[call.name]
    if not misfits(tool, name, value):
        return None
    source = call.arguments[name]
    return Mutation(
        kind=kind,
        broken=with_argument(sequence, token, Constant(value=value)),
        expected=with_ask(sequence, token),
        token=token,
        what=f"{place_text(sequence, token)}: {name} is {value_text(value)} instead of {source_text(source)}",
        variant=variant,
        informed=False,
        required=tool.parameters[name].required,
    )


def _null_required(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    return _replaced("null_required", sequence, catalog, token, None)


def _wrong_type(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    tool, name = catalog.by_name[sequence.calls[token.call].name], token.parameter or ""
    taken = types_taken(tool, name)
    thing = {invented(rng): rng.randint(100, 999), invented(rng): invented(rng)}
    candidates: list[tuple[str, Any]] = []
    if "string" not in taken:
        candidates.append(("word", invented(rng)))
    if not taken & {"string", "number", "integer"}:
        candidates.append(("number", rng.randint(100, 999)))
    if "object" not in taken:
        candidates.append(("object", thing))
    rng.shuffle(candidates)
    for variant, value in candidates:
        # What fits as the one element of a list, or as its text, could be meant so.
        if "array" not in taken or (
            misfits(tool, name, [value]) and misfits(tool, name, [str(value)])
        ):
            found = _replaced("wrong_type", sequence, catalog, token, value, variant)
            if found is not None:
                return found
    return None


def _members(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the constants that are one of several members of an enumeration."""
    return [
        passed.token
        for passed in arguments(sequence, catalog)
        if is_plain(passed.source) and len(passed.declared.json_schema.get("enum") or ()) > 1
    ]


def _wrong_member(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    return _replaced("wrong_member", sequence, catalog, token, invented(rng), "invented")


def _bounded(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the numbers that have a least or a greatest value."""
    return [
        passed.token
        for passed in arguments(sequence, catalog)
        if isinstance(getattr(passed.source, "value", None), int | float)
        and any(isinstance(passed.declared.json_schema.get(key), int | float) for key in _BOUNDS)
    ]


_BOUNDS = {"maximum": 1, "exclusiveMaximum": 1, "minimum": -1, "exclusiveMinimum": -1}
"""The bounds of a number, and on which side of them it is wrong."""


def _out_of_range(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call, name = sequence.calls[token.call], token.parameter or ""
    schema = catalog.by_name[call.name].parameters[name].json_schema
    given = [key for key in _BOUNDS if isinstance(schema.get(key), int | float)]
    key = rng.choice(given)
    value = schema[key] + _BOUNDS[key] * rng.randint(1, 99)
    return _replaced("out_of_range", sequence, catalog, token, value, key)


KINDS = (
    Kind(
        "lost_constant",
        "a required argument that is a constant is gone",
        "never, but where the catalog says the value: by a default, a constant, an enumeration of one",
        "values",
        _required_constants,
        _lost_constant,
    ),
    Kind(
        "null_required",
        "a required argument is null, which it may not be",
        "never",
        "values",
        _required_constants,
        _null_required,
    ),
    Kind(
        "wrong_type",
        "a value of another type stands for a constant: a word, a number or an object of two fields",
        "never",
        "values",
        _constants,
        _wrong_type,
    ),
    Kind(
        "wrong_member",
        "an invented word stands for a member of an enumeration",
        "never",
        "values",
        _members,
        _wrong_member,
    ),
    Kind(
        "out_of_range",
        "a number is beyond its bounds",
        "never",
        "values",
        _bounded,
        _out_of_range,
    ),
)


def _several(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the calls with several arguments."""
    del catalog
    return [Token(i) for i, call in enumerate(sequence.calls) if len(call.arguments) > 1]


def _argument_order(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del catalog, rng
    call = sequence.calls[token.call]
    turned = dict(reversed(call.arguments.items()))
    broken = with_call(sequence, token.call, call.model_copy(update={"arguments": turned}))
    return Mutation(
        kind="argument_order",
        broken=broken,
        expected=broken,
        token=token,
        what=f"{place_text(sequence, token)}: the arguments stand in another order",
    )


def _optional(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the optional arguments of tools whose parameters depend on nothing else."""
    return [
        passed.token
        for passed in arguments(sequence, catalog)
        if not passed.declared.required and passed.tool.input_schema is None
    ]


def _optional_left_out(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del catalog, rng
    broken = without_argument(sequence, token)
    return Mutation(
        kind="optional_left_out",
        broken=broken,
        expected=broken,
        token=token,
        what=f"{place_text(sequence, token)}: the optional argument {token.parameter} is gone",
        required=False,
    )


HARMLESS = (
    Kind(
        "argument_order",
        "the arguments of a call stand in another order",
        "always: nothing is wrong",
        "harmless",
        _several,
        _argument_order,
    ),
    Kind(
        "optional_left_out",
        "an optional argument is gone",
        "always: nothing is wrong, and nothing tells that it was there",
        "harmless",
        _optional,
        _optional_left_out,
    ),
)
