"""Counting over many rows in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from refract_asp.batch.figures import Figures
from refract_asp.batch.measures import MEASURES, Counted, Outcome, outcome_of
from refract_asp.batch.row import Row
from refract_asp.model.shares import share

__all__ = ["OUTCOMES", "Frequent", "Measured", "Tally", "measured"]

OUTCOMES: tuple[Outcome, ...] = (
    "valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", "error",
)  # fmt: skip
"""From the best to the worst."""
MAX_KINDS = 20_000
"""So many different things are counted at once; what is rare is forgotten beyond it."""

Measured = tuple[Outcome, int, tuple[tuple[int, Counted], ...]]
"""The outcome of a row, its number of calls, and what it adds to each measure that it counts for."""


def measured(row: Row) -> Measured:
    """Return what a row adds to the figures of every group that it belongs to."""
    found = ((number, measure.of(row)) for number, measure in enumerate(MEASURES))
    return outcome_of(row), row.count, tuple((number, each) for number, each in found if each is not None)


class Tally:
    """The figures of some rows, as they are being counted."""

    __slots__ = ("calls", "counts", "of", "outcomes", "sequences")

    def __init__(self) -> None:
        """Begin with none."""
        self.sequences = 0
        self.calls = 0
        self.outcomes: Counter[Outcome] = Counter()
        self.counts = [0] * len(MEASURES)
        self.of = [0] * len(MEASURES)

    def add(self, row: Measured) -> None:
        """Add a row."""
        outcome, calls, counted = row
        self.sequences += 1
        self.calls += calls
        self.outcomes[outcome] += 1
        for number, each in counted:
            if each is not None:
                self.counts[number] += each[0]
                self.of[number] += each[1]

    def figures(self) -> Figures:
        """Return what was counted."""
        return Figures(
            sequences=self.sequences,
            calls=self.calls,
            outcomes={
                each: share(self.outcomes[each], self.sequences) for each in OUTCOMES if self.outcomes[each]
            },
            shares={
                measure.name: share(self.counts[number], self.of[number])
                for number, measure in enumerate(MEASURES)
                if self.of[number]
            },
        )


class _Weighed(Protocol):
    @property
    def weight(self) -> int: ...


_Key = TypeVar("_Key", bound=Hashable)
_Held = TypeVar("_Held", bound=_Weighed)


class Frequent(Generic[_Key, _Held]):
    """
    What is counted by a key of which there may be any number.

    When there are too many, the lighter half is forgotten: what is frequent is told in the end, and
    `is_cut` says that the counts of what was forgotten in between are too low.
    """

    def __init__(self, make: Callable[[], _Held], most: int = MAX_KINDS) -> None:
        """Hold at most `most` at once."""
        self.make = make
        self.most = most
        self.held: dict[_Key, _Held] = {}
        self.is_cut = False

    def __getitem__(self, key: _Key) -> _Held:
        """Return what is counted by a key; a new one where there is none."""
        found = self.held.get(key)
        if found is None:
            if len(self.held) >= self.most:
                self._forget()
            found = self.held[key] = self.make()
        return found

    def _forget(self) -> None:
        self.is_cut = True
        ranked = sorted(self.held.items(), key=lambda item: -item[1].weight)  # the earlier ones of equals
        self.held = dict(ranked[: self.most // 2])
