"""Mappings learnt from sequences: what was read from where, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.model import Call, Catalog, Mapping, Reference, Sequence
from refract_asp.model.paths import path_text
from refract_asp.refractor import Refractor

__all__ = ["learn", "merge", "ordered"]


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
    return ordered({**_largest(chain(*mappings)), **_largest(given)}.values())


def _largest(mappings: Iterable[Mapping]) -> dict[tuple[str, str], Mapping]:
    found: dict[tuple[str, str], Mapping] = {}
    for mapping in mappings:
        pair = (mapping.source, mapping.target)
        if pair not in found or found[pair].weight < mapping.weight:
            found[pair] = mapping
    return found


# How many uses that are fed otherwise are supposed beside those that were seen.
OTHER = 1


def learn(
    sequences: Iterable[Any], catalog: Catalog | None = None, min_count: int = 1
) -> tuple[Mapping, ...]:
    """
    Return what sequences show: each argument that is read as a whole from an earlier call is one vote.

    The weight of a pair is `votes / (uses + 1)`. `uses` counts how often the parameter was given a value
    at all, constants included: the weight is the share of them that came from this field, with one more
    supposed that did not (Laplace's smoothing). So what was seen once is unsure (0.5), what was seen nine
    times and never otherwise is nearly sure (0.9), and a parameter that mostly gets constants stays one
    to ask for. Labels mean their last bearer before the reader, indexes of lists stand as `[0]`, as
    catalogs write them. What reads a whole output, a part of a text, or from memory is no vote.

    Args:
        sequences: each as anything that `Sequence.load` takes.
        catalog: the tools; calls that are not admissible for them are passed over, as readers and as
            sources. Without one every call counts.
        min_count: how many votes a pair needs.

    Raises:
        InputError: a sequence cannot be read, or `min_count` is less than 1.

    Example:
        >>> flow = 'var1 = FindPlace(query="Rome")\\nvar2 = FindHotels(geoId="$var1.places[3].id$")'
        >>> [(found.source, found.target, found.weight) for found in learn([flow])]
        [('FindPlace.places[0].id', 'FindHotels.geoId', 0.5)]
    """
    if type(min_count) is not int or min_count < 1:
        raise InputError(f"min_count cannot be {shown(min_count)}.", hint="It must be 1 or more.")
    refractor = Refractor(catalog) if catalog is not None else None
    uses: Counter[str] = Counter()
    votes: Counter[tuple[str, str]] = Counter()
    for given in sequences:
        sequence = Sequence.load(given)
        violations = refractor.check(sequence).violations if refractor is not None else ()
        wrong = {violation.call for violation in violations}
        for target, source in _bound(sequence, wrong):
            uses[target] += 1
            if source is not None:
                votes[source, target] += 1
    return ordered(
        Mapping(
            source=source,
            target=target,
            weight=max(0.001, round(count / (uses[target] + OTHER), 3)),
        )
        for (source, target), count in votes.items()
        if count >= min_count
    )


def _bound(sequence: Sequence, wrong: set[int | None]) -> Iterator[tuple[str, str | None]]:
    """Yield each parameter that a right call gives a value, and the field of a right call it is read from."""
    bearers: dict[str, tuple[int, Call]] = {}
    for number, call in enumerate(sequence.calls):
        is_right = number not in wrong and call.malformed is None
        for parameter, source in call.arguments.items() if is_right else ():
            if source.kind == "ask":
                continue
            field = None
            if isinstance(source, Reference) and source.path and source.label in bearers:
                producer, giver = bearers[source.label]
                if producer not in wrong and giver.malformed is None:
                    entered = tuple(0 if isinstance(step, int) else step for step in source.path)
                    field = f"{giver.name}.{path_text(entered)}"
            yield f"{call.name}.{parameter}", field
        if call.label is not None:
            bearers[call.label] = (number, call)
