"""All kinds of mutations, and how one is made."""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType

from refract_asp.bench.mutations import forms, harmless, names, references, steps, values
from refract_asp.bench.mutations.kind import Kind
from refract_asp.bench.mutations.mutation import Mutation
from refract_asp.bench.mutations.tokens import Token
from refract_asp.errors import InputError, shown
from refract_asp.model import Catalog, Sequence

__all__ = ["KINDS", "SEVEN", "kind_of", "mutate", "mutate_token", "tokens"]

_ALL = (*names.KINDS, *references.KINDS, *steps.KINDS, *forms.KINDS, *values.KINDS, *harmless.KINDS)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ALL})
"""Every kind by its name: names, references, steps, values, and last what is harmless."""

SEVEN = (
    "tool_name",
    "label",
    "missing_label",
    "missing_reference",
    "parameter_name",
    "made_up_label",
    "made_up_field",
)
"""The kinds that the first figures were measured with: one wrong token, whose call is still there."""


def kind_of(name: str) -> Kind:
    """
    Return a kind by its name.

    Raises:
        InputError: no kind bears the name; the message names those there are.
    """
    found = KINDS.get(name)
    if found is None:
        raise InputError(
            f"there is no kind of mutation {shown(name)!r}.", hint=f"There are: {', '.join(KINDS)}."
        )
    return found


def mutate(sequence: Sequence, catalog: Catalog, kind: str, seed: str | int = 0) -> Mutation | None:
    """
    Break a sequence at one place of a kind, chosen by seed.

    Args:
        sequence: a valid sequence.
        catalog: its tools.
        kind: one of `KINDS`.
        seed: the same one breaks the same sequence in the same way, whatever the hash seed.

    Returns:
        None when the sequence has no such place.

    Raises:
        InputError: no kind bears the name.

    Example:
        >>> tool = {"name": "Search", "parameters": {"query": {"required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> broken = mutate(Sequence.load('a = Search(query="Rome")'), catalog, "lost_constant")
        >>> str(broken.broken), str(broken.expected)
        ('a = Search()', 'ask(query)\\na = Search(query=query)')
    """
    rng = random.Random(f"{seed}:{kind}")
    found = tokens(sequence, catalog, kind)
    rng.shuffle(found)
    for token in found:
        mutation = mutate_token(sequence, catalog, kind, token, rng)
        if mutation is not None:
            return mutation
    return None


def mutate_token(
    sequence: Sequence, catalog: Catalog, kind: str, token: Token, rng: random.Random
) -> Mutation | None:
    """Break a chosen place; None when nothing wrong is found for it."""
    return kind_of(kind).breaks(sequence, catalog, token, rng)


def tokens(sequence: Sequence, catalog: Catalog, kind: str) -> list[Token]:
    """Return the places of the sequence that may be broken in this way, in the order of the text."""
    return kind_of(kind).places(sequence, catalog)
