"""Sequences that are broken on purpose, with the repair that is expected of them."""

from refract_asp.bench.mutations.making import (
    SEVEN,
    kind_of,
    mutate,
    mutate_many,
    mutate_token,
    tokens,
)
from refract_asp.bench.mutations.mutation import KINDS, Family, Kind, Mutation, Open, Token

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
