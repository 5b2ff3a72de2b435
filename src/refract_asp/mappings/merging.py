"""Putting mappings of several origins together, in an order that does not depend on theirs."""

from __future__ import annotations

from collections.abc import Iterable

from refract_asp.model import Mapping

__all__ = ["merge", "ordered"]


def ordered(mappings: Iterable[Mapping]) -> tuple[Mapping, ...]:
    """Return mappings by target, those to one target by falling weight, equal ones by source."""
    return tuple(sorted(mappings, key=lambda each: (each.target, -each.weight, each.source)))


def merge(*mappings: Iterable[Mapping], given: Iterable[Mapping] = ()) -> tuple[Mapping, ...]:
    """
    Return all mappings, each pair of source and target once.

    Of equal pairs the larger weight stays. What is `given` by hand wins over all others, whatever
    their weights: the rest may have been learnt or computed.

    Example:
        >>> learnt = Mapping(source="A.id", target="B.aId", weight=0.5)
        >>> computed = Mapping(source="A.id", target="B.aId", weight=0.7)
        >>> merge([learnt], [computed])[0].weight, merge([computed], given=[learnt])[0].weight
        (0.7, 0.5)
    """
    by_pair: dict[tuple[str, str], Mapping] = {}
    for group in mappings:
        _keep_larger(by_pair, group)
    by_hand: dict[tuple[str, str], Mapping] = {}
    _keep_larger(by_hand, given)
    return ordered({**by_pair, **by_hand}.values())


def _keep_larger(found: dict[tuple[str, str], Mapping], mappings: Iterable[Mapping]) -> None:
    for mapping in mappings:
        pair = (mapping.source, mapping.target)
        if pair not in found or found[pair].weight < mapping.weight:
            found[pair] = mapping
