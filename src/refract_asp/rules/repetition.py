"""
Which calls may turn out to be the same: two under one label, or one that was executed too often.

Whether they are is for the rules to say, which know what a repair makes of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator

from clingo import Symbol

from refract_asp.model import Reference, Structure, Template
from refract_asp.model.paths import path_text
from refract_asp.model.sources import Source, numbered
from refract_asp.rules.instance import Instance
from refract_asp.rules.symbols import fact, memory

__all__ = [
    "number_facts",
    "repetition_facts",
    "skeleton",
    "value_facts",
    "value_index",
]


def skeleton(source: Source) -> object:
    """Return what is constant in a source, with a mark where each reference stands."""
    if isinstance(source, Reference):
        return ("reference",)
    if isinstance(source, Template):
        return (
            "text",
            *(("reference",) if isinstance(part, Reference) else part for part in source.parts),
        )
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return (
                "object",
                *sorted((key, repr(skeleton(inner))) for key, inner in source.value.items()),
            )
        return ("list", *(skeleton(inner) for inner in source.value))
    return source


def value_index(instance: Instance, source: Source) -> int:
    """Return the number of a value, whatever its references read; equal values have equal numbers."""
    return _index(instance, skeleton(source))


def _index(instance: Instance, value: object) -> int:
    return instance.values.setdefault(repr(value), len(instance.values))


def repetition_facts(instance: Instance, max_tries: int, every: bool = False) -> Iterator[Symbol]:
    """
    State the pairs of calls that may be the same, and the values that such calls pass.

    What a reference reads, as a whole argument or inside one, the rules know.

    Args:
        instance: the sequence, its references resolved.
        max_tries: how often a call may be executed.
        every: whether the values of all calls are stated, as rules of the user's may compare them.
    """
    possible = [*instance.copies.items(), *_possible_pairs(instance, max_tries)]
    instance.pairs = list(dict.fromkeys(possible))
    for pair in instance.pairs:
        yield fact("in_pair", *pair)
    instance.tells_values = every or bool(instance.pairs)
    paired = dict.fromkeys(number for pair in instance.pairs for number in pair)
    for number in range(-len(instance.history), len(instance.sequence.calls)) if every else paired:
        yield from value_facts(instance, number)


def value_facts(instance: Instance, number: int) -> Iterator[Symbol]:
    """State the values that a call passes; what its references read the rules know."""
    yield fact("in_paired", number)
    for parameter, source in instance.call(number).arguments.items():
        reads = [*_executed_reads(instance, number, parameter, source)] if number < 0 else []
        # what cannot be read any more is no value that another call could pass
        value = source if None in reads else skeleton(source)
        if not isinstance(source, Reference) or None in reads:
            yield fact("in_value", number, parameter, _index(instance, value))
        if None not in reads:
            yield from (symbol for symbols in reads if symbols for symbol in symbols)


def _executed_reads(
    instance: Instance, number: int, parameter: str, source: Source
) -> Iterator[tuple[Symbol, ...] | None]:
    """Yield, for each reference of an executed call, the facts that say where it read, or None."""
    for slot, reference in numbered(source):
        place = (number, parameter, slot)
        origin = instance.executed[place]
        path = path_text(reference.path)
        if isinstance(origin, str) and any(
            instance.call(n).label == origin for n in range(number, 0)
        ):
            yield None  # memory holds what came later under that label
            continue
        if isinstance(origin, str) and instance.memory.holds(origin, reference.path):
            held = memory(origin)
            yield (
                fact("in_name", held, held),
                fact("in_tool", held),
                fact("in_gives", held, path),
                fact("in_ref", *place, reference.label, path),
                fact("in_producer", *place, held),
            )
            continue
        tool = instance.tool(origin) if isinstance(origin, int) else None
        if isinstance(origin, int) and tool is not None and tool.returns_path(reference.path):
            yield (
                fact("in_gives", tool.name, path),
                fact("in_ref", *place, reference.label, path),
                fact("in_producer", *place, origin),
            )
        else:
            yield None


def _possible_pairs(instance: Instance, max_tries: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs that have the same tool, or may get it; the nearest ones, if there are many."""
    left = instance.index.bounds.pairs
    for first, second in _pairs(instance, max_tries):
        same = instance.call(first).name == instance.call(second).name
        if same or instance.tool(first) is None or instance.tool(second) is None:
            if not left:
                most = instance.index.bounds.pairs
                instance.truncated[f"pairs of calls beyond {most} that could be the same"] = None
                return
            left -= 1
            yield first, second


def _pairs(instance: Instance, max_tries: int) -> Iterator[tuple[int, int]]:
    """Yield each call with what was executed too often, and with those of the same label before it."""
    spent = list(_spent(instance, max_tries))
    bearers: dict[str, list[int]] = {}
    for number, call in enumerate(instance.sequence.calls):
        for other in spent:
            yield number, other
        if call.label is not None:
            before = bearers.setdefault(call.label, [])
            for other in reversed(before):
                yield number, other
            before.append(number)


def _spent(instance: Instance, max_tries: int) -> Iterator[int]:
    """Yield one of each group of equal calls that were executed as often as allowed."""
    tried: dict[str, int] = {}
    for number, call in enumerate(instance.history, -len(instance.history)):
        reads = [
            (
                parameter,
                slot,
                instance.executed[number, parameter, slot] or reference.label,
                reference.path,
            )
            for parameter, source in call.arguments.items()
            for slot, reference in numbered(source)
        ]
        values = sorted(
            (parameter, repr(skeleton(source))) for parameter, source in call.arguments.items()
        )
        key = repr((call.name, values, sorted(reads, key=repr)))
        tried[key] = tried.get(key, 0) + 1
        if tried[key] == max_tries:
            yield number


_NUMBERED = re.compile(r"(.*?)(\d{1,6})$", re.S)
MAX_JUMP = 2
"""A larger hole between two neighbours is no lost call, but a number that was made up."""


def number_facts(add: Callable[..., None], instance: Instance) -> dict[str, int]:
    """
    State `in_expected(Call, Label)` for the label that a call should bear by its place among
    numbered ones, and `in_gap(Label, Call)` for a number that is missing before a call where no other
    one stands for it. Return these calls by label.
    """
    gaps: dict[str, int] = {}
    labels = [call.label for call in instance.sequence.calls]
    matches = [_NUMBERED.match(label) if label else None for label in labels]
    stems = Counter(match[1] for match in matches if match)
    if not stems:
        return gaps
    stem, count = stems.most_common(1)[0]
    if count < 2 and len(labels) > 2:
        return gaps
    numbers = [int(match[2]) if match and match[1] == stem else None for match in matches]
    kept = _rising(numbers)
    if not kept or len(kept) * 2 < len(labels):
        return gaps
    start = 0 if (numbers[kept[0]] or 0) <= kept[0] else 1
    before, number_before = -1, start - 1
    for position in [*kept, len(labels)]:
        places = position - before - 1
        number = numbers[position] if position < len(labels) else None
        if number is None:
            number = number_before + places + 1
        missing = number - number_before - 1
        if missing == places:
            for offset in range(1, places + 1):
                add("in_expected", before + offset, f"{stem}{number_before + offset}")
        elif places < missing <= places + MAX_JUMP:
            for offset in range(1, missing + 1):
                label = f"{stem}{number_before + offset}"
                gaps[label] = before + 1
                add("in_gap", label, before + 1)
        before, number_before = position, number
    return gaps


def _rising(numbers: list[int | None]) -> list[int]:
    """Return the positions of a longest rising run of numbers without large jumps, earliest first."""
    tails: list[int] = []
    ends: list[int] = []
    previous: dict[int, int] = {}
    for position, number in enumerate(numbers):
        if number is None or number > position + 1 + MAX_JUMP * 2 + len(numbers):
            continue
        slot = bisect_left(tails, number)
        previous[position] = ends[slot - 1] if slot else -1
        if slot == len(tails):
            tails.append(number)
            ends.append(position)
        else:
            tails[slot], ends[slot] = number, position
    chain = []
    position = ends[-1] if ends else -1
    while position >= 0:
        chain.append(position)
        position = previous[position]
    return chain[::-1]
