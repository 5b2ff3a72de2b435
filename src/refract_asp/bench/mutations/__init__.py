"""Sequences that are broken on purpose, with the repair that is expected of them."""

from refract_asp.bench.mutations.kinds import (
    KINDS,
    SEVEN,
    kind_of,
    mutate,
    mutate_many,
    mutate_token,
    tokens,
)
from refract_asp.bench.mutations.mutation import Family, Kind, Mutation, Open
from refract_asp.bench.mutations.tokens import Token

__all__ = [
    "KINDS",
    "SEVEN",
    "Family",
    "Kind",
    "Mutation",
    "Open",
    "Token",
    "kind_of",
    "mutate",
    "mutate_many",
    "mutate_token",
    "tokens",
]
