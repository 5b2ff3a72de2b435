"""Puts the calls of a repaired sequence in order, by the data flow and the moves that the rules chose."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import heappop, heappush
from itertools import pairwise

from refract_asp.rules.choices import CallId

__all__ = ["arrange"]


def arrange(
    kept: Collection[int],
    moved: Collection[int],
    reads: Mapping[CallId, Collection[CallId]],
    precede: Collection[tuple[int, int]] = (),
) -> list[CallId]:
    """
    Return given and added calls in order.

    Args:
        kept: the given calls that stay, by their numbers.
        moved: those of them that need not keep their place.
        reads: for every call the calls that it reads from; added calls appear as keys.
        precede: pairs of given calls of which the first has to stand before the second.

    Calls that do not move keep their order; a moved one stands as near to its old place as the data
    flow allows; an added one directly before its first reader.
    """
    order = sorted(kept) if not moved else _sorted_by_flow(kept, moved, reads, precede)
    result: list[CallId] = []
    placed: set[CallId] = set(kept)

    def place(call: CallId) -> None:
        for source in reads.get(call, ()):
            if source not in placed:
                placed.add(source)
                place(source)
                result.append(source)

    for call in order:
        place(call)
        result.append(call)
    return [*result, *(call for call in reads if call not in placed and not isinstance(call, int))]


def _sorted_by_flow(
    kept: Collection[int],
    moved: Collection[int],
    reads: Mapping[CallId, Collection[CallId]],
    precede: Collection[tuple[int, int]],
) -> list[CallId]:
    before: dict[int, set[int]] = {call: _given_sources(call, reads) & set(kept) for call in kept}
    unmoved = [call for call in sorted(kept) if call not in moved]
    for first, second in (*pairwise(unmoved), *precede):
        if first in before and second in before:
            before[second].add(first)
    ready: list[int] = []
    for call, sources in before.items():
        if not sources:
            heappush(ready, call)
    order: list[CallId] = []
    while ready:
        call = heappop(ready)
        order.append(call)
        for other, sources in before.items():
            if call in sources:
                sources.discard(call)
                if not sources:
                    heappush(ready, other)
    return order


def _given_sources(call: CallId, reads: Mapping[CallId, Collection[CallId]]) -> set[int]:
    """Return the given calls that a call reads from, also through added ones."""
    found: set[int] = set()
    for source in reads.get(call, ()):
        found |= {source} if isinstance(source, int) else _given_sources(source, reads)
    return found
