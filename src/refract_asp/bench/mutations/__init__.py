"""Sequences that are broken on purpose, with the repair that is expected of them."""

from refract_asp.bench.mutations.making import kind_of as kind_of
from refract_asp.bench.mutations.making import mutate as mutate
from refract_asp.bench.mutations.making import mutate_many as mutate_many
from refract_asp.bench.mutations.mutation import KINDS as KINDS
from refract_asp.bench.mutations.mutation import Mutation as Mutation
from refract_asp.bench.mutations.mutation import Open as Open
