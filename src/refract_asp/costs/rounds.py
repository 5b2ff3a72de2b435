"""Tries weights round by round: what they repair, what that says of better ones, and which are the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from refract_asp.costs.fitted import Conflict, Score, Stopped
from refract_asp.costs.models import ModelWeights
from refract_asp.costs.weighing import Case, Weigher
from refract_asp.costs.wishes import Fitted, Wishes
from refract_asp.errors import InputError
from refract_asp.model import RepairResult
from refract_asp.model.comparison import same
from refract_asp.rules.wanted import cheaper_repairs, wanted_repairs, why_unreachable

__all__ = ["Rounds", "Watch", "unwatched"]

MAX_CONFLICTS = 20
"""So many conflicts are explained; to find each costs some work."""

Repaired: TypeAlias = Callable[[Fitted, dict[str, int]], RepairResult]
Dropped: TypeAlias = Callable[[Fitted, InputError], None]
Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Is told of each pass over the examples, its title and their number; gives what is called for each done."""


@contextmanager
def unwatched(_title: str, _total: int) -> Iterator[Callable[[], None]]:
    """Show nothing."""
    yield lambda: None


@dataclass(slots=True)
class Rounds:
    """
    One search for weights, round by round.

    Attributes:
        model: the model whose weights are sought.
        weigher: what finds weights.
        cases: the examples that are fitted to.
        repaired: repairs an example with weights.
        watch: is told how far it is.
        dropped: is told of an example that cannot be repaired and is left out; None where that is an error.
        weights: the weights it starts from.
        best: the best ones so far; of equally good ones the first, which are the nearest to the start.
        before: what the weights at the start do.
        after: what the best ones do.
        rounds: how often weights were tried.
    """

    model: ModelWeights
    weigher: Weigher
    cases: list[Fitted]
    repaired: Repaired
    watch: Watch
    dropped: Dropped | None
    weights: dict[str, int] = field(default_factory=dict)
    best: dict[str, int] = field(default_factory=dict)
    before: Score = field(default_factory=Score)
    after: Score = field(default_factory=Score)
    rounds: int = 0
    _exact: set[Fitted] = field(default_factory=set)

    @property
    def _wishes(self) -> Wishes:
        return Wishes(self.model)

    def _case(self, number: int) -> Case:
        return self._wishes.case(str(number), self.cases[number])

    def __post_init__(self) -> None:
        """Start from the weights of the model."""
        self.weights = dict(self.model.values)
        self.best = dict(self.weights)

    def search(self, rounds: int, end: float | None) -> Stopped:
        """Try weights until nothing new is found; keep the best ones."""
        weights = self.weights
        tried: list[dict[str, int]] = []
        try:
            while True:
                title = f"round {self.rounds + 1}" if self.rounds else "before"
                known = sum(len(case.others) for case in self.cases)
                score = self.measured(
                    self.cases, weights, title, end if self.rounds else None, learn=True
                )
                if score is None:
                    return "time"
                self.rounds += 1
                self._keep(weights, score)
                tried.append(weights)
                if all(case.is_exact for case in self.cases if not case.reason):
                    return "satisfied"
                if self.rounds > 1 and known == sum(len(case.others) for case in self.cases):
                    return "settled"
                if self.rounds >= rounds:
                    return "rounds"
                if end is not None and time.monotonic() >= end:
                    return "time"
                demands = [
                    self._case(number) for number, case in enumerate(self.cases) if case.others
                ]
                left = None if end is None else end - time.monotonic()
                found = self.weigher.weights(demands, left)
                if found is None or found in tried:
                    return "settled"
                weights = found
        except KeyboardInterrupt:
            return "interrupted"

    def _keep(self, weights: dict[str, int], score: Score) -> None:
        """Note how good weights are; of equally good ones the first are the nearest to where it started."""
        if self.rounds == 1:
            self.before = score
        if self.rounds == 1 or score.exact > self.after.exact:
            self.best, self.after = weights, score
            self._exact = {case for case in self.cases if case.is_exact}

    def measured(
        self,
        cases: Sequence[Fitted],
        weights: dict[str, int],
        title: str,
        end: float | None = None,
        *,
        learn: bool = False,
    ) -> Score | None:
        """
        Repair examples with weights and count the wanted repairs; None when the time ran out.

        With `learn` those that are not as wanted tell what is cheaper.
        """
        gone: list[Fitted] = []
        with self.watch(title, len(cases)) as done:
            for case in cases:
                if end is not None and time.monotonic() >= end:
                    return None
                try:
                    result = self.repaired(case, weights)
                except InputError as error:
                    if self.dropped is None:
                        raise
                    self.dropped(case, error)
                    gone.append(case)
                    continue
                case.is_exact = same(result.sequence, case.wanted)
                case.is_tied = case.is_exact and result.ambiguous
                if learn and not case.is_exact:
                    self._learn(case, result, weights)
                done()
        for case in gone:
            if case in self.cases:
                self.cases.remove(case)
        left = [case for case in cases if case not in gone]
        return Score(
            examples=len(left),
            exact=sum(case.is_exact for case in left),
            tied=sum(case.is_tied for case in left),
        )

    def _learn(self, case: Fitted, result: RepairResult, weights: dict[str, int]) -> None:
        """Find the ways to the wanted repair, and what is as cheap as the cheapest of them."""
        if case.ways is None:
            found = wanted_repairs(result, case.wanted)
            case.ways = found.found
            if not found.found:
                case.reason = why_unreachable(result, case.wanted)
        if not case.ways:
            return
        costs = [self._wishes.cost(way, weights) for way in case.ways]
        at_most = min(costs, key=lambda cost: sorted(cost.items(), reverse=True))
        others = cheaper_repairs(result, case.wanted, at_most)
        # one that pays just the same decides nothing, unless nothing else does
        unlike = [other for other in others if other not in case.ways]
        case.others.update(dict.fromkeys(unlike or others))

    def explained(self, *, prove: bool = True) -> tuple[tuple[Conflict, ...], tuple[str, ...]]:
        """Say which of the examples that are not satisfied cannot be, and of which nothing is known."""
        cases = {case: self._case(number) for number, case in enumerate(self.cases) if case.others}
        others = [demand for case, demand in cases.items() if case in self._exact]
        conflicts: list[Conflict] = []
        unexplained = []
        for case in self.cases:
            if case in self._exact or case.reason:
                continue
            found = None
            if prove and case in cases and len(conflicts) < MAX_CONFLICTS:
                found = self.weigher.conflict(cases[case], others)
            if found is None:
                unexplained.append(case.example.name)
            else:
                members = [self.cases[int(each.name)] for each in found]
                conflicts.append(self._wishes.conflict(members, found, self.weigher))
        return tuple(conflicts), tuple(unexplained)
