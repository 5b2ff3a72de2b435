"""Two systems on the same cases, of one run or of two: who restores more, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from refract_asp.bench.evaluation.runs import Run, RunRow
from refract_asp.costs.sign_test import sign_test
from refract_asp.errors import InputError

__all__ = ["Compared", "Duel", "KindDuel", "compared", "duel"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class KindDuel(_Part):
    """On how many cases of a kind both answer as expected, and on how many only the one or the other does."""

    kind: str
    cases: int
    a: int
    b: int
    only_a: int
    only_b: int


class Duel(_Part):
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


class Compared(_Part):
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


def compared(a: Run, b: Run) -> Compared:
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
    told = [(one.kind, one.id, one.scores[a].restored, other.scores[b].restored) for one, other in rows]
    won = tuple(id for _, id, first, second in told if second and not first)
    lost = tuple(id for _, id, first, second in told if first and not second)
    kinds = []
    for kind in sorted({kind for kind, *_ in told}):
        of_kind = [(first, second) for each, _, first, second in told if each == kind]
        kinds.append(
            KindDuel(
                kind=kind,
                cases=len(of_kind),
                a=sum(first for first, _ in of_kind),
                b=sum(second for _, second in of_kind),
                only_a=sum(first and not second for first, second in of_kind),
                only_b=sum(second and not first for first, second in of_kind),
            )
        )
    return Duel(
        a=a,
        b=b,
        cases=len(told),
        a_right=sum(first for *_, first, _ in told),
        b_right=sum(second for *_, second in told),
        kinds=tuple(kinds),
        won=won,
        lost=lost,
        p_value=sign_test(len(lost), len(won)),
    )
