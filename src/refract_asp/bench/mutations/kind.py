"""What a kind of mutation is."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from refract_asp.bench.mutations.mutation import Mutation
from refract_asp.bench.mutations.tokens import Token
from refract_asp.model import Catalog, Sequence

__all__ = ["Breaks", "Family", "Kind", "Places"]

Family: TypeAlias = Literal["names", "references", "steps", "values", "harmless"]
"""What is broken. A kind of "harmless" leaves the sequence valid: it measures false alarms."""

Places: TypeAlias = Callable[[Sequence, Catalog], list[Token]]
Breaks: TypeAlias = Callable[[Sequence, Catalog, Token, random.Random], Mutation | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """
    One kind of mutation.

    Attributes:
        name: its name.
        about: what it does, for people.
        informed: when what is left tells how the sequence was. It speaks of the sequence and the catalog,
            never of what a repair does.
        family: what is broken.
        places: returns the tokens that may be broken so, in the order of the text.
        breaks: breaks one; None where no wrong token is found for it.
    """

    name: str
    about: str
    informed: str
    family: Family
    places: Places
    breaks: Breaks
