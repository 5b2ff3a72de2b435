"""Kinds that leave a sequence valid: they measure false alarms."""

from __future__ import annotations

import random

from refract_asp.bench.mutations.kind import Kind
from refract_asp.bench.mutations.mutation import Mutation
from refract_asp.bench.mutations.tokens import Token, arguments, with_call, without_argument
from refract_asp.bench.mutations.wording import place_text
from refract_asp.model import Catalog, Sequence

__all__ = ["KINDS"]


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


KINDS = (
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
