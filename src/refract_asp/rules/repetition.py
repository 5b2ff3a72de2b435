"""
Which calls may turn out to be the same: two under one label, or one that was executed too often.

Whether they are is for the rules to say, which know what a repair makes of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice

from clingo import Symbol

from refract_asp.model import Reference, Structure, Template
from refract_asp.model.paths import path_text
from refract_asp.model.sequence import Source, numbered
from refract_asp.rules.instance import Instance
from refract_asp.rules.symbols import Facts, fact, memory


def skeleton(source: Source) -> object:
    """Return what is constant in a source, with a mark where each reference stands."""
    if isinstance(source, Reference):
        return ("reference",)
    if isinstance(source, Template):
        parts = (("reference",) if isinstance(each, Reference) else each for each in source.parts)
        return ("text", *parts)
    if not isinstance(source, Structure):
        return source
    if isinstance(source.value, dict):
        fields = ((key, repr(skeleton(inner))) for key, inner in source.value.items())
        return ("object", *sorted(fields))
    return ("list", *map(skeleton, source.value))


def value_index(instance: Instance, source: Source) -> int:
    """Return the number of a value, whatever its references read; equal values have equal numbers."""
    return _index(instance, skeleton(source))


def _index(instance: Instance, value: object) -> int:
    return instance.values.setdefault(repr(value), len(instance.values))


def state_repetition(instance: Instance, max_tries: int, every: bool = False) -> None:
    """
    State the pairs of calls that may be the same, and the values that such calls pass.

    What a reference reads, as a whole argument or inside one, the rules know.

    Args:
        instance: the sequence, its references resolved.
        max_tries: how often a call may be executed.
        every: whether the values of all calls are stated, as rules of the user's may compare them.
    """
    most = instance.index.bounds.pairs
    possible = list(islice(_pairs(instance, max_tries), most + 1))
    if len(possible) > most:
        instance.truncated[f"pairs of calls beyond {most} that could be the same"] = None
    instance.pairs = list(dict.fromkeys([*instance.copies.items(), *possible[:most]]))
    for pair in instance.pairs:
        instance.add("in_pair", *pair)
    paired = dict.fromkeys(number for pair in instance.pairs for number in pair)
    if every or paired:  # one program serves, whether they pass values or only what is read
        instance.predicates |= {("in_paired", 1), ("in_value", 3)}
    for number in instance.earlier(instance.end) if every else paired:
        instance.state(value_facts(instance, number))


def value_facts(instance: Instance, number: int) -> Iterator[Symbol]:
    """Yield facts of the values that a call passes; what its references read the rules know."""
    yield fact("in_paired", number)
    for parameter, source in instance.call(number).arguments.items():
        reads = _executed_reads(instance, number, parameter) if number < 0 else []
        if reads is None:
            # what cannot be read any more is no value that another call could pass
            yield fact("in_value", number, parameter, _index(instance, source))
        else:
            if not isinstance(source, Reference):
                yield fact("in_value", number, parameter, value_index(instance, source))
            yield from reads


def _executed_reads(instance: Instance, number: int, parameter: str) -> list[Symbol] | None:
    """Return facts of where the references of an executed call read, None where they cannot any more."""
    found = []
    for slot, reference in numbered(instance.call(number).arguments[parameter]):
        place, path = (number, parameter, slot), path_text(reference.path)
        origin = instance.executed[place]
        giver: Symbol | str
        if isinstance(origin, str):
            is_later = any(instance.call(other).label == origin for other in range(number, 0))
            if is_later or not instance.memory.holds(origin, reference.path):
                return None
            giver = memory(origin)
            found += [fact("in_name", giver, giver), fact("in_tool", giver)]
            found.append(fact("in_producer", *place, giver))
        else:
            tool = instance.tool(origin) if origin is not None else None
            if origin is None or tool is None or not tool.returns_path(reference.path):
                return None
            giver = tool.name
            found.append(fact("in_producer", *place, origin))
        found += [fact("in_gives", giver, path), fact("in_ref", *place, reference.label, path)]
    return found


def _pairs(instance: Instance, max_tries: int) -> Iterator[tuple[int, int]]:
    """
    Yield the pairs of calls that have the same tool, or may get it.

    Each call goes with what was executed too often, and with those of the same label before it, the
    nearest ones first.
    """
    spent = list(_spent(instance, max_tries))
    bearers: dict[str, list[int]] = defaultdict(list)
    for number, call in enumerate(instance.sequence.calls):
        before = bearers[call.label] if call.label is not None else []
        for other in (*spent, *reversed(before)):
            is_unknown = instance.tool(number) is None or instance.tool(other) is None
            if is_unknown or instance.call(other).name == call.name:
                yield number, other
        before.append(number)


def _spent(instance: Instance, max_tries: int) -> Iterator[int]:
    """Yield one of each group of equal calls that were executed as often as allowed."""
    tried: Counter[str] = Counter()
    for number, call in enumerate(instance.history, -len(instance.history)):
        reads, values = [], []
        for parameter, source in call.arguments.items():
            values.append((parameter, repr(skeleton(source))))
            for slot, reference in numbered(source):
                origin = instance.executed[number, parameter, slot] or reference.label
                reads.append((parameter, slot, origin, reference.path))
        key = repr((call.name, sorted(values), sorted(reads, key=repr)))
        tried[key] += 1
        if tried[key] == max_tries:
            yield number


# A larger hole between two neighbours is no lost call, but a number that was made up.
_NUMBERED = re.compile(r"(.*?)(\d{1,6})$", re.S)
MAX_JUMP = 2


def state_numbers(facts: Facts, instance: Instance) -> dict[str, int]:
    """
    State which labels the numbers of other labels let expect; return the missing ones with a call.

    `in_expected(Call, Label)` is the label that a call should bear by its place among numbered ones,
    `in_gap(Label, Call)` a number that is missing before a call where no other one stands for it.
    """
    gaps: dict[str, int] = {}
    labels = [call.label for call in instance.sequence.calls]
    matches = [_NUMBERED.match(label) if label else None for label in labels]
    common = Counter(match[1] for match in matches if match).most_common(1)
    if not common or (common[0][1] < 2 and len(labels) > 2):
        return gaps
    stem = common[0][0]
    numbers = {n: int(match[2]) for n, match in enumerate(matches) if match and match[1] == stem}
    kept = _rising(numbers, len(labels))
    if not kept or len(kept) * 2 < len(labels):
        return gaps
    before = -1
    last = -1 if numbers[kept[0]] <= kept[0] else 0
    for position in [*kept, len(labels)]:
        places = position - before - 1
        number = numbers[position] if position < len(labels) else last + places + 1
        missing = number - last - 1
        for offset in range(1, missing + 1):
            label = f"{stem}{last + offset}"
            if missing == places:
                facts.add("in_expected", before + offset, label)
            elif places < missing <= places + MAX_JUMP:
                gaps[label] = before + 1
                facts.add("in_gap", label, before + 1)
        before, last = position, number
    return gaps


def _rising(numbers: dict[int, int], count: int) -> list[int]:
    """Return the positions of a longest rising run of numbers without large jumps, earliest first."""
    tails: list[int] = []
    runs: list[list[int]] = []
    for position, number in numbers.items():
        if number > position + 1 + MAX_JUMP * 2 + count:
            continue
        slot = bisect_left(tails, number)
        tails[slot : slot + 1] = [number]
        runs[slot : slot + 1] = [[*(runs[slot - 1] if slot else []), position]]
    return runs[-1] if runs else []
