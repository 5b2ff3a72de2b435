"""A sequence that was broken on purpose, and what a repair should make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from refract_asp.bench.mutations.tokens import Token
from refract_asp.model import Sequence

__all__ = ["Mutation", "Open"]


class Open(NamedTuple):
    """
    Arguments of an expected call that nobody can know any more.

    Attributes:
        call: the index of the call in the expected sequence.
        parameters: each may be asked for, hold any constant, or be absent.
    """

    call: int
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Mutation:
    """
    A sequence with one wrong token.

    Attributes:
        kind: the name of its kind.
        broken: the sequence with the wrong token.
        expected: what the repair should be; an ask stands where a value is lost for good.
        token: where it was broken; the call counts in the sequence before.
        what: what was changed, for people.
        variant: "misspelt" or "invented" for names, else the empty text.
        informed: whether the information is still there, see docs/evaluation.md.
        required: whether the parameter concerned is required, None where no parameter is.
        note: what is left to tell the original by; it explains misses and counts for nothing.
        open: what of the expected calls may differ.
    """

    kind: str
    broken: Sequence
    expected: Sequence
    token: Token
    what: str
    variant: str = ""
    informed: bool = True
    required: bool | None = None
    note: str = ""
    open: tuple[Open, ...] = ()
