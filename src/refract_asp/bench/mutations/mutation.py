"""A sequence that was broken on purpose, and what a repair should make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from refract_asp.bench.mutations.tokens import Token
from refract_asp.model import Ask, Sequence
from refract_asp.model.sources import slots_of

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
    A sequence with something wrong in it.

    Attributes:
        kind: the name of its kind; "mix" of several.
        broken: the sequence with what is wrong.
        expected: what the repair should be; an ask stands where a value is lost for good.
        token: where it was broken; the call counts in the sequence before.
        what: what was changed, for people.
        variant: how, where a kind has several ways, as "misspelt" and "invented" for names; else empty.
        informed: whether what is left tells how the sequence was; each kind says by which rule. A mix is
            informed if each part is, or an ask is expected for what it loses.
        required: whether the parameter concerned is required, None where no parameter is.
        note: what is left to tell the original by; it explains misses and counts for nothing.
        open: what of the expected calls may differ.
        origins: for each call of the broken sequence which one it was before, None for one that was
            added; None where every call is where it was.
        parts: the single mutations that a mix consists of, each of the sequence as it was before all of them.
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
    origins: tuple[int | None, ...] | None = None
    parts: tuple[Mutation, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether a value is lost for good, so that an ask is expected for it."""
        return _asks(self.expected) > _asks(self.broken)


def _asks(sequence: Sequence) -> int:
    """Count the arguments that hold an ask."""
    return sum(
        isinstance(slot, Ask)
        for call in sequence.calls
        for source in call.arguments.values()
        for slot in slots_of(source)
    )
