"""Sequences that are broken on purpose, with the repair that is expected of them."""

from refract_asp.bench.mutations.mutation import Mutation, Open
from refract_asp.bench.mutations.structure import EXTRA_KINDS, KINDS, mutate, mutate_token
from refract_asp.bench.mutations.tokens import Token

__all__ = ["EXTRA_KINDS", "KINDS", "Mutation", "Open", "Token", "mutate", "mutate_token"]
