"""Two runs side by side: what got worse from the first to the second, and what got better."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from refract_asp.errors import InputError, shown
from refract_asp.evaluation.figures import Fault, FaultExample, Part
from refract_asp.evaluation.measures import MEASURES, OUTCOMES, Counted, Outcome, faulty_calls
from refract_asp.evaluation.rows import Mode, Row
from refract_asp.evaluation.summary import MAX_KINDS, MOST, example_of, fault_of, measured, why
from refract_asp.model.diagnostic import Tag, tag_meanings
from refract_asp.model.shares import Share, share, sign_test

if TYPE_CHECKING:
    from refract_asp.evaluation.runs import Run, RunRow


UNLIKELY = 0.05
"""A change that chance would bring no more often than so counts as one."""


class Changed(Part):
    """
    How a share changed over the sequences that both runs have.

    Attributes:
        a: the share in the first run.
        b: the share in the second one.
        only_a: for how many sequences it is larger in the first run; where sequences are counted, how many
            count only there.
        only_b: for how many it is larger in the second one.
        p_value: how likely a split between them at least as uneven would be if it were chance (exact sign
            test).
    """

    a: Share
    b: Share
    only_a: int
    only_b: int
    p_value: float

    @property
    def difference(self) -> float | None:
        """The second share less the first one; None where one of them is of nothing."""
        a, b = self.a.value, self.b.value
        return None if a is None or b is None else b - a

    @classmethod
    def of(cls, pairs: Iterable[tuple[Counted, Counted]], **named: Any) -> Self:
        """
        Return how a share changed, from what each sequence or case adds to it in the two runs.

        Only those that count in both runs say something of the change.
        """
        sums, only = [[0, 0], [0, 0]], [0, 0]
        for pair in pairs:
            for side, counted in zip(sums, pair, strict=True):
                if counted is not None:
                    side[0] += counted[0]
                    side[1] += counted[1]
            first, second = pair
            if first is not None and second is not None:
                before, after = (count / of if of else 0.0 for count, of in (first, second))
                only[0] += before > after
                only[1] += before < after
        a, b = (share(count, of) for count, of in sums)
        p_value = sign_test(*only)
        return cls(a=a, b=b, only_a=only[0], only_b=only[1], p_value=p_value, **named)


class Change(Changed):
    """
    How a measure changed, see `MEASURES`.

    Attributes:
        name: the name of the measure.
        worse: whether it got worse, and hardly by chance.
    """

    name: str
    worse: bool


class TagChange(Changed):
    """How the share of sequences with a kind of mistake changed."""

    tag: Tag


class ToolChange(Changed):
    """How the share of the calls of a tool in which something is wrong changed."""

    tool: str


class Moved(Part):
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


class Move(Part):
    """How many sequences had one verdict, and then another one, or the same."""

    before: Outcome
    after: Outcome
    count: int


class FaultChange(Fault):
    """A fault that only one of the runs has: how many sequences have it, and one of them where it is known."""

    sequences: int
    example: FaultExample | None = None


class Versus(Part):
    """
    Two runs side by side, over the sequences that both have.

    All names and texts are safe to print: on one line, bounded, without secrets.

    Attributes:
        sequences: how many both have.
        paired_by: by what how many of them were found to be the same.
        same_input: how many came in the same both times.
        unlike: how many were not treated alike, as one run only checked them; they are left out.
        changes: how each measure changed that some sequence counts for.
        moves: how many had which verdict before and after.
        worse: how many have a worse verdict in the second run.
        better: how many have a better one.
        got_worse: the first of those that got worse.
        got_better: the first of those that got better.
        new_faults: faults that only the second run has, the most frequent first.
        gone_faults: faults that only the first run has.
        tags: by kind of mistake, where the share of sequences that have it changed; what got worse first.
        tools: likewise by tool, with the share of its calls that are faulty.
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
    moves: tuple[Move, ...]
    worse: int
    better: int
    got_worse: tuple[Moved, ...] = ()
    got_better: tuple[Moved, ...] = ()
    new_faults: tuple[FaultChange, ...] = ()
    gone_faults: tuple[FaultChange, ...] = ()
    tags: tuple[TagChange, ...] = ()
    tools: tuple[ToolChange, ...] = ()
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


By: TypeAlias = Literal["id", "input", "place", "number"]
"""By what two sequences are paired."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """
    What is kept of a row until it is compared.

    `tools` holds for each tool in how many of its calls something is wrong, and how many there are; `calls` is
    a hash of the calls as they are to be made.
    """

    number: int
    name: str
    id: str | None
    place: str
    digest: str
    mode: Mode
    outcome: Outcome
    counted: tuple[Counted, ...]
    tags: frozenset[Tag]
    tools: tuple[tuple[str, Counted], ...]
    faults: frozenset[Fault]
    calls: bytes
    why: str


_Pair: TypeAlias = tuple[_Kept, _Kept]


class _Side:
    """One of two runs: what is kept of its rows, and an example for each of its faults."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.examples: dict[Fault, FaultExample] = {}
        self._same: dict[Hashable, Any] = {}
        self.rows = [self._kept(row) for row in rows]

    def _kept(self, row: Row) -> _Kept:
        faults = [fault_of(found) for found in row.diagnostics]
        for fault, found in zip(faults, row.diagnostics, strict=True):
            if fault not in self.examples and len(self.examples) < MAX_KINDS:
                self.examples[fault] = example_of(row, found)
        names = [shown(name) for name in row.tools]
        faulty = Counter(names[number] for number in faulty_calls(row) if number < len(names))
        outcome, _, counted = measured(row)
        return _Kept(
            number=row.number,
            name=shown(row.name),
            id=row.id,
            place=row.place,
            digest=row.digest,
            mode=row.mode,
            outcome=outcome,
            counted=self._one(counted),
            tags=self._one(frozenset(fault.tag for fault in row.tags)),
            tools=self._one(tuple((n, (faulty[n], of)) for n, of in Counter(names).items())),
            faults=self._one(frozenset(faults)),
            calls=hashlib.sha256(json.dumps(row.calls, sort_keys=True).encode()).digest()[:16],
            why=why(row),
        )

    def _one(self, value: Any) -> Any:
        """Return the one object that stands for equal ones."""
        if len(self._same) > MAX_KINDS:
            self._same.clear()
        return self._same.setdefault(value, value)


def _paired(a: _Side, b: _Side) -> tuple[list[tuple[By, _Pair]], list[_Kept], list[_Kept]]:
    """
    Return which sequences of two runs are the same, and which only one of them has.

    Those of one id are the same where it is unique; then those that came in with the same text, one after
    the other; then those of one place; and where both runs have as many, those of one number.
    """
    pairs: list[tuple[By, _Pair]] = []
    left, right = a.rows, b.rows
    keys: list[tuple[By, Callable[[_Kept], Hashable]]] = [
        ("id", lambda row: row.id),
        ("input", lambda row: row.digest or None),
        ("place", lambda row: row.place or None),
    ]
    if len(left) == len(right):
        keys.append(("number", lambda row: row.number))
    for by, key in keys:
        both: dict[Hashable, tuple[list[_Kept], list[_Kept]]] = {}
        for side, rows in enumerate((left, right)):
            for row in rows:
                if (value := key(row)) is not None:
                    both.setdefault(value, ([], []))[side].append(row)
        found = [
            pair
            for ones, others in both.values()
            if by == "input" or len(ones) == len(others) == 1
            for pair in zip(ones, others, strict=False)
        ]
        pairs += [(by, pair) for pair in found]
        gone = {id(row) for pair in found for row in pair}
        left, right = ([row for row in rows if id(row) not in gone] for rows in (left, right))
    pairs.sort(key=lambda each: each[1][1].number)
    return pairs, left, right


def compare_rows(a: Iterable[Row], b: Iterable[Row], *, most: int = MOST) -> Versus:
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
    if not alike and all_pairs:
        modes = " and ".join(row.mode for row in all_pairs[0][1])
        what = f"the two runs did not do the same: {modes}."
        raise InputError(what, hint="Run both in one mode.")
    if not alike:
        raise InputError("the two runs share no sequence.", hint="Run both on the same data.")
    pairs = [pair for _, pair in alike]
    by = Counter(by for by, _ in alike)
    moved: list[list[_Pair]] = [[], [], []]  # those that stay, got worse, got better
    moves: Counter[tuple[int, int]] = Counter()
    for pair in pairs:
        before, after = (OUTCOMES.index(row.outcome) for row in pair)
        moves[before, after] += 1
        moved[(after > before) - (after < before)].append(pair)
    _, worse, better = moved
    same = [pair for pair in pairs if pair[0].digest == pair[1].digest]
    differ = [second.name for first, second in same if first.calls != second.calls]
    return Versus(
        sequences=len(pairs),
        paired_by={each: by[each] for each in get_args(By) if by[each]},
        same_input=len(same),
        unlike=len(all_pairs) - len(alike),
        changes=tuple(_changes(pairs)),
        moves=tuple(
            Move(before=OUTCOMES[before], after=OUTCOMES[after], count=moves[before, after])
            for before, after in sorted(moves)
        ),
        worse=len(worse),
        better=len(better),
        got_worse=tuple(_moved(worse[:most], 1)),
        got_better=tuple(_moved(better[:most], 0)),
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


def _moved(pairs: list[_Pair], worse: int) -> Iterator[Moved]:
    """Yield how verdicts changed; why is told of the run (0 or 1) in which they are worse."""
    for first, second in pairs:
        yield Moved(
            name=second.name,
            a=first.number,
            b=second.number,
            before=first.outcome,
            after=second.outcome,
            same_input=first.digest == second.digest,
            why=(first, second)[worse].why,
        )


def _changes(pairs: list[_Pair]) -> Iterator[Change]:
    for number, measure in enumerate(MEASURES):
        counted = ((first.counted[number], second.counted[number]) for first, second in pairs)
        found = Change.of(counted, name=measure.name, worse=False)
        rise = found.only_b - found.only_a
        is_worse = {"more": rise < 0, "less": rise > 0, None: False}[measure.better]
        if found.a.of or found.b.of:
            yield found.model_copy(update={"worse": is_worse and found.p_value <= UNLIKELY})


def _tags(pairs: list[_Pair]) -> list[TagChange]:
    found = [
        TagChange.of(
            (((int(tag in one.tags), 1), (int(tag in two.tags), 1)) for one, two in pairs), tag=tag
        )
        for tag in tag_meanings()
    ]
    changed = [each for each in found if each.only_a or each.only_b]
    return sorted(changed, key=lambda each: -(each.difference or 0.0))


def _tools(pairs: list[_Pair]) -> list[ToolChange]:
    by_tool: dict[str, list[tuple[Counted, Counted]]] = {}
    for pair in pairs:
        first, second = (dict(row.tools) for row in pair)
        for tool in {**first, **second}:
            both = (first.get(tool, (0, 0)), second.get(tool, (0, 0)))
            by_tool.setdefault(tool, []).append(both)
    found = [ToolChange.of(counted, tool=tool) for tool, counted in by_tool.items()]
    changed = [each for each in found if each.only_a or each.only_b]
    return sorted(changed, key=lambda each: (each.only_a - each.only_b, each.tool))


def _faults(pairs: list[_Pair], side: _Side, most: int, index: int) -> Iterator[FaultChange]:
    """Yield the faults that only one side has: the first one (0) or the second one (1)."""
    counts = Counter(fault for pair in pairs for fault in pair[index].faults)
    others = {fault for pair in pairs for fault in pair[1 - index].faults}
    ranked = sorted(
        ((count, fault) for fault, count in counts.items() if fault not in others),
        key=lambda item: (-item[0], [str(part) for _, part in item[1]]),
    )
    for count, fault in ranked[:most]:
        yield FaultChange(**dict(fault), sequences=count, example=side.examples.get(fault))


class KindDuel(Part):
    """On how many cases of a kind both answer as expected, and on how many only the one or the other does."""

    kind: str
    cases: int
    a: int
    b: int
    only_a: int
    only_b: int


class Duel(Part):
    """
    Two systems on the cases that both were run on.

    A right case counts as answered when it is left as it is.

    Attributes:
        a: the name of the first system.
        b: the name of the second one.
        cases: how many cases both were run on.
        a_right: how many of them the first one answers as expected.
        b_right: likewise the second one.
        kinds: the same by kind.
        won: the ids of the cases that only the second one answers as expected.
        lost: the ids of those that only the first one does.
        p_value: how likely a split between won and lost at least as uneven would be if it were chance
            (McNemar's test, exact: the sign test over the cases that differ).
    """

    a: str
    b: str
    cases: int
    a_right: int
    b_right: int
    kinds: tuple[KindDuel, ...]
    won: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float


class Compared(Part):
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
        duels=tuple(_duel(equal, *pair) for pair in pairs),
        cases=len(equal),
        changed=len(shared) - len(equal),
        only_a=len(a.rows) - len(shared),
        only_b=len(b.rows) - len(shared),
    )


def duel(run: Run, a: str, b: str) -> Duel:
    """Compare two systems of one run."""
    return _duel([(row, row) for row in run.rows], a, b)


def _duel(rows: Iterable[tuple[RunRow, RunRow]], a: str, b: str) -> Duel:
    found = [
        (one.kind, one.id, one.scores[a].restored, two.scores[b].restored) for one, two in rows
    ]
    kinds = []
    for kind in sorted({kind for kind, *_ in found}):
        restored = [(first, second) for each, _, first, second in found if each == kind]
        change = Changed.of(((int(one), 1), (int(two), 1)) for one, two in restored)
        only = {"only_a": change.only_a, "only_b": change.only_b}
        counts = {"a": change.a.count, "b": change.b.count}
        kinds.append(KindDuel(kind=kind, cases=len(restored), **counts, **only))
    won = tuple(id for _, id, first, second in found if second and not first)
    lost = tuple(id for _, id, first, second in found if first and not second)
    return Duel(
        a=a,
        b=b,
        cases=len(found),
        a_right=sum(kind.a for kind in kinds),
        b_right=sum(kind.b for kind in kinds),
        kinds=tuple(kinds),
        won=won,
        lost=lost,
        p_value=sign_test(len(lost), len(won)),
    )
