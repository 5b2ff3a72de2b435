"""Sequences that are broken on purpose, with the repair that is expected of them."""

# The module of the kinds is imported for what it declares.
from refract_asp.bench.mutations import kinds as kinds
from refract_asp.bench.mutations.mutation import KINDS as KINDS
from refract_asp.bench.mutations.mutation import Mutation as Mutation
from refract_asp.bench.mutations.mutation import Open as Open
from refract_asp.bench.mutations.mutation import kind_of as kind_of
from refract_asp.bench.mutations.mutation import mutate as mutate
from refract_asp.bench.mutations.mutation import mutate_many as mutate_many
