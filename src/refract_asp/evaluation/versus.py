"""Two runs side by side: what got worse from the first to the second, and what got better."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from refract_asp.errors import InputError, shown
from refract_asp.evaluation import summary as figures
from refract_asp.evaluation.rows import Mode, Row
from refract_asp.evaluation.summary import Fault, FaultFigures, Measured, Outcome, measures
from refract_asp.model.paths import Frozen
from refract_asp.model.shares import Share, share, sign_test

if TYPE_CHECKING:
    from refract_asp.evaluation.runs import Run, RunRow


# A change that chance would bring no more often than so counts as one.
UNLIKELY = 0.05


class Change(Frozen):
    """
    How a share changed over the sequences that both runs have, see `measures`.

    Attributes:
        name: the name of the measure.
        a: the share in the first run.
        b: the share in the second one.
        only_a: for how many sequences it is larger in the first run; where sequences are counted, how many
            count only there.
        only_b: for how many it is larger in the second one.
        p_value: how likely a split between them at least as uneven would be if it were chance (exact sign
            test).
        worse: whether it got worse, and hardly by chance.
    """

    name: str
    a: Share
    b: Share
    only_a: int
    only_b: int
    p_value: float
    worse: bool

    @property
    def difference(self) -> float | None:
        """The second share less the first one; None where one of them is of nothing."""
        a, b = self.a.value, self.b.value
        return None if a is None or b is None else b - a


class Moved(Frozen):
    """
    A sequence whose verdict changed.

    Attributes:
        name: its id, or where it stood.
        a: its number in the first run.
        b: its number in the second one.
        before: its verdict in the first run.
        after: its verdict in the second one.
        same_input: whether it came in the same both times.
        why: what is wrong with it where its verdict is the worse one; empty where nothing is.
    """

    name: str
    a: int
    b: int
    before: Outcome
    after: Outcome
    same_input: bool
    why: str


class Versus(Frozen):
    """
    Two runs side by side, over the sequences that both have.

    All names and texts are safe to print: on one line, bounded, without secrets.

    Attributes:
        sequences: how many both have.
        paired_by: by what how many of them were found to be the same.
        same_input: how many came in the same both times.
        unlike: how many were not treated alike, as one run only checked them; they are left out.
        changes: how each measure changed that some sequence counts for.
        worse: how many have a worse verdict in the second run.
        better: how many have a better one.
        got_worse: the first of those that got worse.
        got_better: the first of those that got better.
        new_faults: faults that only the second run has, the most frequent first.
        gone_faults: faults that only the first run has.
        differing: how many came in the same, and have other calls to be made in the end.
        differ: the names of the first of them.
        only_a: how many sequences only the first run has.
        only_b: how many only the second one has.
        names_only_a: the names of the first of them.
        names_only_b: likewise.
    """

    schema_version: Literal[1] = 1
    sequences: int
    paired_by: dict[By, int]
    same_input: int
    unlike: int = 0
    changes: tuple[Change, ...]
    worse: int
    better: int
    got_worse: tuple[Moved, ...] = ()
    got_better: tuple[Moved, ...] = ()
    new_faults: tuple[FaultFigures, ...] = ()
    gone_faults: tuple[FaultFigures, ...] = ()
    differing: int = 0
    differ: tuple[str, ...] = ()
    only_a: int = 0
    only_b: int = 0
    names_only_a: tuple[str, ...] = ()
    names_only_b: tuple[str, ...] = ()

    @property
    def worse_measures(self) -> tuple[str, ...]:
        """The names of the measures that got worse, and hardly by chance."""
        return tuple(change.name for change in self.changes if change.worse)

    @property
    def is_worse(self) -> bool:
        """Whether a sequence has a worse verdict, or a measure got worse, and hardly by chance."""
        return self.worse > 0 or bool(self.worse_measures)


# By what two sequences are paired.
By: TypeAlias = Literal["id", "input", "place", "number"]


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What is kept of a row until it is compared; `calls` is a hash of the calls as they are to be made."""

    number: int
    name: str
    id: str | None
    place: str
    digest: str
    mode: Mode
    measured: Measured
    faults: tuple[Fault, ...]
    calls: bytes
    why: str

    @property
    def rank(self) -> int:
        """By what its verdict is compared: the less the better."""
        return figures.OUTCOMES.index(self.measured.outcome)


_Pair: TypeAlias = tuple[_Kept, _Kept]
# What a sequence or a case adds to each measure in the two runs.
_Counts: TypeAlias = Sequence[tuple[figures.Counted, ...]]


class _Side:
    """One of two runs: what is kept of its rows, and an example for each of its faults."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.examples: dict[Fault, tuple[Fault, figures.FaultExample]] = {}
        self.rows: list[_Kept] = []
        same: dict[Measured, Measured] = {}  # one object stands for equal ones
        told = ("number", "id", "place", "digest", "mode")
        for row in rows:
            faults = []
            for fault, example in figures.faults_of(row):
                if fault in self.examples or len(self.examples) < figures.MAX_KINDS:
                    faults.append(self.examples.setdefault(fault, (fault, example))[0])
            measured = Measured.of(row)
            kept = _Kept(
                **{name: getattr(row, name) for name in told},
                name=shown(row.name),
                measured=same.setdefault(measured, measured),
                faults=tuple(dict.fromkeys(faults)),
                calls=hashlib.sha256(json.dumps(row.calls, sort_keys=True).encode()).digest()[:16],
                why=figures.why(row),
            )
            self.rows.append(kept)


def _paired(a: _Side, b: _Side) -> tuple[list[tuple[By, _Pair]], list[_Kept], list[_Kept]]:
    """
    Return which sequences of two runs are the same, and which only one of them has.

    Those of one id are the same where it is unique; then those that came in with the same text, one after
    the other; then those of one place; and where both runs have as many, those of one number.
    """
    pairs: list[tuple[By, _Pair]] = []
    left, right = a.rows, b.rows
    names: dict[By, str] = {"id": "id", "input": "digest", "place": "place", "number": "number"}
    for by, key in ((by, attrgetter(name)) for by, name in names.items()):
        if by == "number" and len(a.rows) != len(b.rows):
            break
        both: dict[Any, tuple[list[_Kept], list[_Kept]]] = {}
        for side, rows in enumerate((left, right)):
            for row in rows:
                if key(row) not in (None, ""):
                    both.setdefault(key(row), ([], []))[side].append(row)
        gone: set[_Kept] = set()
        for ones, others in both.values():
            if by == "input" or len(ones) == len(others) == 1:
                found = list(zip(ones, others, strict=False))
                pairs += [(by, pair) for pair in found]
                gone.update(*found)
        left, right = ([row for row in rows if row not in gone] for rows in (left, right))
    if not pairs:
        raise InputError("the two runs share no sequence.", hint="Run both on the same data.")
    pairs.sort(key=lambda each: each[1][1].number)
    return pairs, left, right


def compare_rows(a: Iterable[Row], b: Iterable[Row], *, most: int = figures.MOST) -> Versus:
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
        >>> found = compare_rows([Row(verdict="repaired", **head)], [Row(verdict="needs_input", **head)])
        >>> [(each.name, each.before, each.after) for each in found.got_worse]
        [('a.jsonl:1', 'repaired', 'needs_input')]
    """
    one, other = _Side(a), _Side(b)
    all_pairs, only_a, only_b = _paired(one, other)
    alike = [(by, pair) for by, pair in all_pairs if pair[0].mode == pair[1].mode]
    if not alike:
        modes = " and ".join(row.mode for row in all_pairs[0][1])
        what = f"the two runs did not do the same: {modes}."
        raise InputError(what, hint="Run both in one mode.")
    pairs = [pair for _, pair in alike]
    by = Counter(by for by, _ in alike)
    worse = [pair for pair in pairs if pair[0].rank < pair[1].rank]
    better = [pair for pair in pairs if pair[0].rank > pair[1].rank]
    counted = [(first.measured.counted, second.measured.counted) for first, second in pairs]
    same = [pair for pair in pairs if pair[0].digest == pair[1].digest]
    differ = [second.name for first, second in same if first.calls != second.calls]
    return Versus(
        sequences=len(pairs),
        paired_by={each: by[each] for each in get_args(By) if by[each]},
        same_input=len(same),
        unlike=len(all_pairs) - len(alike),
        changes=tuple(_changes("sequences", counted)),
        worse=len(worse),
        better=len(better),
        got_worse=tuple(map(_moved, worse[:most])),
        got_better=tuple(map(_moved, better[:most])),
        new_faults=tuple(_faults(pairs, other, most, 1)),
        gone_faults=tuple(_faults(pairs, one, most, 0)),
        differing=len(differ),
        differ=tuple(differ[:most]),
        only_a=len(only_a),
        only_b=len(only_b),
        names_only_a=tuple(row.name for row in only_a[:most]),
        names_only_b=tuple(row.name for row in only_b[:most]),
    )


def _moved(pair: _Pair) -> Moved:
    first, second = pair
    told: dict[str, Any] = {"name": second.name, "a": first.number, "b": second.number}
    told |= {"before": first.measured.outcome, "after": second.measured.outcome}
    why = max(pair, key=attrgetter("rank")).why
    return Moved(**told, same_input=first.digest == second.digest, why=why)


def _changes(of: figures.Of, pairs: Sequence[_Counts]) -> Iterator[Change]:
    """Yield how each measure changed; only sequences that count in both runs say something of it."""
    for number, measure in enumerate(measures(of)):
        counted = [(first[number], second[number]) for first, second in pairs]
        a, b = map(figures.share_of, zip(*counted, strict=True))
        parts = [(one[0] / one[1], two[0] / two[1]) for one, two in counted if one and two]
        only_a = sum(before > after for before, after in parts)
        only_b = sum(before < after for before, after in parts)
        is_worse = {"more": only_b < only_a, "less": only_b > only_a, None: False}[measure.better]
        p_value = sign_test(only_a, only_b)
        alone = {"only_a": only_a, "only_b": only_b, "p_value": p_value}
        if a.of or b.of:
            worse = is_worse and p_value <= UNLIKELY
            yield Change(name=measure.name, a=a, b=b, worse=worse, **alone)


def _faults(pairs: list[_Pair], side: _Side, most: int, index: int) -> Iterator[FaultFigures]:
    """Yield the faults that only one side has: the first one (0) or the second one (1)."""
    counts = Counter(fault for pair in pairs for fault in pair[index].faults)
    others = {fault for pair in pairs for fault in pair[1 - index].faults}
    ranked = sorted(
        ((count, fault) for fault, count in counts.items() if fault not in others),
        key=lambda item: (-item[0], [str(part) for _, part in item[1]]),
    )
    for count, fault in ranked[:most]:
        sequences, example = share(count, len(pairs)), side.examples[fault][1]
        yield FaultFigures(**dict(fault), count=count, sequences=sequences, example=example)


class Duel(Frozen):
    """
    Two systems on the cases that both were run on.

    A right case counts as answered when it is left as it is.

    Attributes:
        a: the name of the first system.
        b: the name of the second one.
        changes: how each measure differs, see `measures`.
        won: the ids of the cases that only the second one answers as expected.
        lost: the ids of those that only the first one does.
        p_value: how likely a split between won and lost at least as uneven would be if it were chance
            (McNemar's test, exact: the sign test over the cases that differ).
    """

    a: str
    b: str
    changes: tuple[Change, ...]
    won: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float

    @classmethod
    def of(cls, rows: Iterable[tuple[RunRow, RunRow]], a: str, b: str) -> Duel:
        """Compare a system of one run with one of another run, over rows of the same cases."""
        scored = [(one, one.scores[a], two.scores[b]) for one, two in rows]
        counts = [
            tuple(tuple(each.counted(row, score) for each in measures("cases")) for score in both)
            for row, *both in scored
        ]
        won = tuple(row.id for row, first, second in scored if second.restored > first.restored)
        lost = tuple(row.id for row, first, second in scored if first.restored > second.restored)
        changes, p_value = tuple(_changes("cases", counts)), sign_test(len(lost), len(won))
        return cls(a=a, b=b, won=won, lost=lost, changes=changes, p_value=p_value)


class Compared(Frozen):
    """
    Two runs against each other.

    Attributes:
        duels: one for each system that both have; the only ones where each has one.
        cases: how many cases both have, and say the same.
        changed: how many have the same id, and do not say the same; they are left out.
        only_a: how many only the first run has.
        only_b: how many only the second one has.
    """

    duels: tuple[Duel, ...]
    cases: int
    changed: int
    only_a: int
    only_b: int


def compare_runs(a: Run, b: Run) -> Compared:
    """
    Compare two runs by the cases that they share: those of the same id that say the same.

    Raises:
        InputError: they share no system, or no case.
    """
    pairs = [(name, name) for name in a.systems if name in b.systems]
    if not pairs and len(a.systems) == len(b.systems) == 1:
        pairs = [(next(iter(a.systems)), next(iter(b.systems)))]
    if not pairs:
        raise InputError("the two runs share no system.", hint="Run the same systems, or one each.")
    others = {row.id: row for row in b.rows}
    shared = [(row, others[row.id]) for row in a.rows if row.id in others]
    equal = [(one, other) for one, other in shared if one.digest == other.digest]
    if not equal:
        raise InputError("the two runs share no case.", hint="Run both on the same cases.")
    return Compared(
        duels=tuple(Duel.of(equal, *pair) for pair in pairs),
        cases=len(equal),
        changed=len(shared) - len(equal),
        only_a=len(a.rows) - len(shared),
        only_b=len(b.rows) - len(shared),
    )
