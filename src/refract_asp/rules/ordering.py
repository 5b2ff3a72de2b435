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
    precede: Collection[tuple[CallId, CallId]] = (),
) -> list[CallId]:
    """
    Return given and added calls in order.

    Args:
        kept: the given calls that stay, by their numbers.
        moved: those of them that need not keep their place.
        reads: for every call the calls that it reads from; added calls appear as keys.
        precede: pairs of calls of which the first has to stand before the second.

    Calls that do not move keep their order; a moved one stands as near to its old place as the data
    flow allows; an added one directly before its first reader.
    """
    sources: dict[CallId, list[CallId]] = {call: list(found) for call, found in reads.items()}
    given: list[tuple[int, int]] = []
    for first, second in sorted(precede, key=str):
        if isinstance(first, int) and isinstance(second, int):
            given.append((first, second))
        else:  # an added call stands where it is needed, as if what comes after it read from it
            sources.setdefault(second, []).append(first)
    order = sorted(kept) if not moved else _sorted_by_flow(kept, moved, sources, given)
    result: list[CallId] = []
    placed: set[CallId] = set(kept)

    def place(call: CallId) -> None:
        for source in sources.get(call, ()):
            if source not in placed:
                placed.add(source)
                place(source)
                result.append(source)

    for call in order:
        place(call)
        result.append(call)
    for call in reads:
        if call not in placed and not isinstance(call, int):
            placed.add(call)
            place(call)
            result.append(call)
    return result


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
