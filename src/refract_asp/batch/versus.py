"""Two runs side by side: what got worse from the first to the second, and what got better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from refract_asp.batch.changes import (
    UNLIKELY,
    Change,
    FaultChange,
    Move,
    Moved,
    TagChange,
    ToolChange,
    Versus,
)
from refract_asp.batch.measures import MEASURES, Measure
from refract_asp.batch.pairs import Kept, Pair, Side, paired
from refract_asp.batch.row import Row
from refract_asp.batch.summary import MOST
from refract_asp.batch.tally import OUTCOMES, Tally
from refract_asp.costs.sign_test import sign_test
from refract_asp.errors import InputError
from refract_asp.model.shares import share
from refract_asp.model.tags import MEANINGS

__all__ = ["Versus", "versus"]


def versus(a: Iterable[Row], b: Iterable[Row], *, most: int = MOST) -> Versus:
    """
    Compare two runs, the first one before and the second one after a change.

    The sequences are paired by id, else by what came in, else by place or number. A little is held of each
    row: some hundred bytes.

    Args:
        a: the rows of the first run.
        b: the rows of the second one.
        most: how many entries each list has at most.

    Raises:
        InputError: the runs share no sequence that was treated alike.
        FormatError: a row cannot be read.

    Example:
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "repair"}
        >>> found = versus([Row(verdict="repaired", **head)], [Row(verdict="needs_input", **head)])
        >>> [(each.name, each.before, each.after) for each in found.got_worse]
        [('a.jsonl:1', 'repaired', 'needs_input')]
    """
    one, other = Side(a), Side(b)
    all_pairs, only_a, only_b = paired(one, other)
    alike = [(by, pair) for by, pair in all_pairs if pair[0].mode == pair[1].mode]
    if not alike:
        if all_pairs:
            modes = f"{all_pairs[0][1][0].mode} and {all_pairs[0][1][1].mode}"
            raise InputError(f"the two runs did not do the same: {modes}.", hint="Run both in one mode.")
        raise InputError("the two runs share no sequence.", hint="Run both on the same data.")
    pairs = [pair for _, pair in alike]
    by = Counter(by for by, _ in alike)
    moved = [pair for pair in pairs if pair[0].outcome != pair[1].outcome]
    worse = [pair for pair in moved if _is_worse(pair)]
    better = [pair for pair in moved if not _is_worse(pair)]
    differ = [
        second.name
        for first, second in pairs
        if first.digest == second.digest and first.calls != second.calls
    ]
    return Versus(
        sequences=len(pairs),
        paired_by={each: by[each] for each in ("id", "input", "place", "number") if by[each]},
        same_input=sum(first.digest == second.digest for first, second in pairs),
        unlike=len(all_pairs) - len(alike),
        changes=tuple(_changes(pairs)),
        moves=tuple(_moves(pairs)),
        worse=len(worse),
        better=len(better),
        got_worse=tuple(_moved(pair, pair[1]) for pair in worse[:most]),
        got_better=tuple(_moved(pair, pair[0]) for pair in better[:most]),
        new_faults=tuple(_faults(pairs, other, most, 1)),
        gone_faults=tuple(_faults(pairs, one, most, 0)),
        tags=tuple(_tags(pairs)),
        tools=tuple(_tools(pairs)[:most]),
        differing=len(differ),
        differ=tuple(differ[:most]),
        only_a=len(only_a),
        only_b=len(only_b),
        names_only_a=tuple(row.name for row in only_a[:most]),
        names_only_b=tuple(row.name for row in only_b[:most]),
    )


# -- verdicts ------------------------------------------------------------------


def _is_worse(pair: Pair) -> bool:
    return OUTCOMES.index(pair[1].outcome) > OUTCOMES.index(pair[0].outcome)


def _moved(pair: Pair, told: Kept) -> Moved:
    first, second = pair
    return Moved(
        name=second.name,
        a=first.number,
        b=second.number,
        before=first.outcome,
        after=second.outcome,
        same_input=first.digest == second.digest,
        why=told.why,
    )


def _moves(pairs: list[Pair]) -> Iterator[Move]:
    counts = Counter((first.outcome, second.outcome) for first, second in pairs)
    for before in OUTCOMES:
        for after in OUTCOMES:
            if counts[before, after]:
                yield Move(before=before, after=after, count=counts[before, after])


# -- shares --------------------------------------------------------------------


def _changes(pairs: list[Pair]) -> Iterator[Change]:
    sides = (Tally(), Tally())
    for pair in pairs:
        for tally, row in zip(sides, pair, strict=True):
            tally.add(row.counted)
    before, after = (tally.figures().shares for tally in sides)
    none = share(0, 0)
    more, less = [0] * len(MEASURES), [0] * len(MEASURES)
    for first, second in pairs:
        ones = dict(first.counted[2])
        for number, there in second.counted[2]:
            here = ones.get(number)
            if here is None or there is None:
                continue
            rise = there[0] * here[1] - here[0] * there[1]
            more[number] += rise > 0
            less[number] += rise < 0
    for number, measure in enumerate(MEASURES):
        if measure.name in before or measure.name in after:
            one, other = before.get(measure.name, none), after.get(measure.name, none)
            p_value = sign_test(less[number], more[number])
            yield Change(
                name=measure.name,
                a=one,
                b=other,
                only_a=less[number],
                only_b=more[number],
                p_value=p_value,
                worse=p_value <= UNLIKELY and _has_worsened(measure, less[number], more[number]),
            )


def _has_worsened(measure: Measure, less: int, more: int) -> bool:
    return less > more if measure.better == "more" else more > less if measure.better == "less" else False


def _tags(pairs: list[Pair]) -> list[TagChange]:
    found = []
    for tag in MEANINGS:
        both = [(tag in first.tags, tag in second.tags) for first, second in pairs]
        only_a = sum(first and not second for first, second in both)
        only_b = sum(second and not first for first, second in both)
        if only_a or only_b:
            found.append(
                TagChange(
                    tag=tag,
                    a=share(sum(first for first, _ in both), len(both)),
                    b=share(sum(second for _, second in both), len(both)),
                    only_a=only_a,
                    only_b=only_b,
                    p_value=sign_test(only_a, only_b),
                )
            )
    return sorted(found, key=lambda each: -(each.difference or 0.0))


def _tools(pairs: list[Pair]) -> list[ToolChange]:
    counts: dict[str, list[int]] = {}
    for pair in pairs:
        rates: dict[str, list[float | None]] = {}
        for side, row in enumerate(pair):
            for tool, calls, faulty in row.tools:
                count = counts.setdefault(tool, [0, 0, 0, 0, 0, 0])
                count[2 * side] += faulty
                count[2 * side + 1] += calls
                rates.setdefault(tool, [None, None])[side] = faulty / calls
        for tool, (before, after) in rates.items():
            rise = (after or 0.0) - (before or 0.0)
            counts[tool][4] += rise < 0
            counts[tool][5] += rise > 0
    found = [
        ToolChange(
            tool=tool,
            a=share(count[0], count[1]),
            b=share(count[2], count[3]),
            only_a=count[4],
            only_b=count[5],
            p_value=sign_test(count[4], count[5]),
        )
        for tool, count in counts.items()
        if count[4] or count[5]
    ]
    return sorted(found, key=lambda each: (each.only_a - each.only_b, each.tool))


def _faults(pairs: list[Pair], side: Side, most: int, index: int) -> Iterator[FaultChange]:
    """Yield the faults that only one side has: the first one (0) or the second one (1)."""
    counts = Counter(key for pair in pairs for key in pair[index].faults)
    others = {key for pair in pairs for key in pair[1 - index].faults}
    ranked = sorted(
        ((count, key) for key, count in counts.items() if key not in others),
        key=lambda item: (-item[0], [str(part) for part in item[1]]),
    )
    for count, key in ranked[:most]:
        code, tool, parameter, attempted = key
        yield FaultChange(
            code=code,
            tool=tool,
            parameter=parameter,
            attempted=attempted,
            sequences=count,
            example=side.examples.get(key),
        )
