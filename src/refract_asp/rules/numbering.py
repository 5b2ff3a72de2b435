"""
What numbered labels give away: `var1, var2, var4` lacks a call, `var1, var20, var3` has a wrong label.

This is a convention, not a rule: it is stated as evidence, and only where a sequence keeps to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

from refract_asp.rules.instance import Instance

__all__ = ["number_facts"]

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
