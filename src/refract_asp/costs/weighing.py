"""
Finds whole numbers as weights such that wanted repairs are cheaper than others; HiGHS does it, through scipy.

Of each case one way to the wanted repair has to be cheaper than all others that are known, by 1. As few
cases as possible are given up, and then the weights are changed as little as possible, each counted alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from refract_asp.errors import InputError

LARGEST = 1_000_000
"""No weight may be larger."""
SEARCHED = 1_000
"""A weight is sought up to this number, or up to four times what it is."""
FAR = 20
"""To leave a call unresolved stays so many times dearer than anything else, where it was."""
MAX_NODES = 20_000
"""So many branches are looked at; a bound that, unlike one of time, leaves the answer the same."""

Line: TypeAlias = tuple[dict[int, int], int]
"""A row of the matrix by column, and what it comes to at least."""


@dataclass(frozen=True, slots=True)
class Row:
    """A demand on the weights: the sum of each coefficient times its weight is at least so much."""

    coefficients: tuple[tuple[str, int], ...]
    least: int

    def line(self, column: Mapping[str, int]) -> dict[int, int]:
        """Return its coefficients by the columns of the weights."""
        return {column[name]: factor for name, factor in self.coefficients}

    def holds(self, weights: Mapping[str, int]) -> bool:
        """Whether weights meet it."""
        return sum(factor * weights[name] for name, factor in self.coefficients) >= self.least


@dataclass(frozen=True, slots=True)
class Case:
    """An example: it is satisfied when all rows of one of the ways hold."""

    name: str
    ways: tuple[tuple[Row, ...], ...]

    def holds(self, weights: Mapping[str, int]) -> bool:
        """Whether weights satisfy it, as far as is known."""
        return any(all(row.holds(weights) for row in way) for way in self.ways)


@dataclass(slots=True)
class Weigher:
    """
    Finds weights near those to start from.

    Args:
        start: the weights to start from.
        last_resort: the constant that is the weight of leaving a call unresolved, if there is one.

    Raises:
        InputError: scipy is not installed.
    """

    start: dict[str, int]
    last_resort: str | None = None
    _names: list[str] = field(default_factory=list)
    _fixed_rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        """State what holds of the weights in any case."""
        try:
            import scipy.optimize  # noqa: F401
        except ImportError:
            raise InputError(
                "fitting weights needs scipy, which is not installed.",
                hint="Install it with: pip install 'refract-asp[fit]'",
            ) from None
        self._names = sorted(self.start)
        last = self.last_resort
        for name in self._names if last is not None else ():
            ratio = min(FAR, self.start[last or ""] // max(1, self.start[name]))
            if name != last and ratio >= 1:
                self._fixed_rows.append(Row(((last or "", 1), (name, -ratio)), 0))

    def weights(self, cases: Sequence[Case], seconds: float | None = None) -> dict[str, int] | None:
        """Return the best weights for the cases, or None where none were found in bounds, or in time."""
        hopeless = {case.name for case in cases if not self.possible([case])}
        sought = [case for case in cases if case.name not in hopeless]
        first = self._solve(sought, None, seconds)
        if first is None:
            return None
        weights, given_up = first
        second = self._solve(sought, given_up, seconds)
        return second[0] if second is not None else weights

    def possible(self, cases: Sequence[Case]) -> bool:
        """Whether some weights satisfy all cases; without ways to choose from, that it is not is proven."""
        if all(len(case.ways) == 1 for case in cases):
            return self._has_solution([row for case in cases for row in case.ways[0]])
        return self._solve(cases, 0) is not None

    def conflict(self, case: Case, others: Sequence[Case]) -> list[Case] | None:
        """
        Return few cases that no weights satisfy together, one of them `case`; None where some satisfy all.

        Without any one of them the others can be satisfied.
        """
        if not self.possible([case]):
            return [case]
        if self.possible([case, *others]):
            return None
        return [case, *_smallest(lambda some: self.possible([case, *some]), list(others))]

    def conflicting_rows(self, rows: Sequence[Row]) -> list[Row]:
        """Return few of the rows that contradict each other."""
        return _smallest(self._has_solution, list(rows))

    # -- the solver ------------------------------------------------------------

    def _bounds(self, name: str, largest: int) -> tuple[int, int]:
        least = min(1, self.start[name])  # what costs nothing may be done for nothing
        if name == self.last_resort:
            least, largest = self.start[name], FAR * largest
        return least, min(LARGEST, max(largest, 4 * self.start[name]))

    def _has_solution(self, rows: Iterable[Row]) -> bool:
        """Whether numbers meet all rows, whole or not; where none do, no whole ones do."""
        from scipy.optimize import linprog

        every = [*rows, *self._fixed_rows]
        if any(not row.coefficients and row.least > 0 for row in every):
            return False
        known = [dict(row.coefficients) for row in every]
        matrix = [[-row.get(name, 0) for name in self._names] for row in known]
        found: Any = linprog(
            [0] * len(self._names),
            A_ub=matrix or None,
            b_ub=[-row.least for row in every] or None,
            bounds=[self._bounds(name, LARGEST) for name in self._names],
            method="highs",
        )
        return bool(found.status != 2)

    def _ways(self, case: Case, first: int, column: Mapping[str, int]) -> Iterator[Line]:
        """Yield the rows of a case, whose columns begin at `first`: it is given up, or one of its ways holds."""
        ways = range(first + 1, first + 1 + len(case.ways))
        yield dict.fromkeys([first, *ways], 1), 1
        for way, rows in zip(ways, case.ways, strict=True):
            for row in rows:
                pairs = [(self._bounds(name, SEARCHED), f) for name, f in row.coefficients]
                lowest = sum(factor * bounds[factor < 0] for bounds, factor in pairs)
                slack = max(0, row.least - lowest)  # a way that need not hold demands nothing
                yield {**row.line(column), way: -slack}, row.least - slack

    def _solve(
        self, cases: Sequence[Case], given_up: int | None, seconds: float | None = None
    ) -> tuple[dict[str, int], int] | None:
        """
        Find weights that satisfy the cases, and how many are given up.

        With `given_up` at most so many are, and the weights are changed least; else as few as possible.
        """
        import numpy
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array

        count, start = len(self._names), self.start
        column = {name: index for index, name in enumerate(self._names)}
        # The columns are the weights, how far each is from where it starts, then of each case whether it is
        # given up and which of its ways holds.
        rows: list[Line] = []
        for name, index in column.items():
            rows.append(({count + index: 1, index: -1}, -start[name]))
            rows.append(({count + index: 1, index: 1}, start[name]))
        rows += [(row.line(column), row.least) for row in self._fixed_rows]
        lost, size = list[int](), 2 * count
        for case in cases:
            lost.append(size)
            rows += self._ways(case, size, column)
            size += 1 + len(case.ways)
        if given_up is not None:
            rows.append((dict.fromkeys(lost, -1), -given_up))
        entries = [
            (at, i, factor) for at, (line, _) in enumerate(rows) for i, factor in line.items()
        ]
        lines, columns, factors = zip(*entries, strict=True)
        matrix = coo_array((factors, (lines, columns)), shape=(len(rows), size)).tocsr()
        costs = numpy.zeros(size)
        costs[lost if given_up is None else slice(count, 2 * count)] = 1
        most = [self._bounds(name, SEARCHED)[1] for name in column]
        least = [self._bounds(name, SEARCHED)[0] for name in column]
        found: Any = milp(
            costs,
            integrality=[*[1] * count, *[0] * count, *[1] * (size - 2 * count)],
            bounds=Bounds(
                [*least, *[0] * (size - count)],
                [*most, *[numpy.inf] * count, *[1] * (size - 2 * count)],
            ),
            constraints=LinearConstraint(matrix, [least for _, least in rows], numpy.inf),
            options={
                "node_limit": MAX_NODES,
                "time_limit": numpy.inf if seconds is None else max(0.1, seconds),
            },
        )
        if found.x is None:
            return None
        weights = {name: round(found.x[index]) for name, index in column.items()}
        failing = sum(not case.holds(weights) for case in cases)
        if given_up is not None and failing > given_up:
            return None
        return weights, failing


def _smallest(is_possible: Any, every: list[Any]) -> list[Any]:
    """Return part of a list that is impossible, and of which every part is possible (QuickXplain)."""

    def explain(known: list[Any], grown: bool, rest: list[Any]) -> list[Any]:
        if grown and not is_possible(known):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        left, right = rest[:half], rest[half:]
        second = explain([*known, *left], True, right)
        first = explain([*known, *second], bool(second), left)
        return [*first, *second]

    return explain([], False, every) if every and not is_possible(every) else []


SCHEMA_VERSION = 1

Stopped: TypeAlias = Literal["satisfied", "settled", "rounds", "time", "interrupted"]
"""
Why no more was tried: all that can be had is there ("satisfied"), no other weights would be better as far as
is known ("settled"), or the rounds or the time are over, or somebody stopped it.
"""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Score(_Part):
    """
    How many examples are answered with the wanted repair.

    Attributes:
        examples: how many there are.
        exact: how many of them are answered with the wanted repair.
        tied: for how many of these another repair costs the same, so that something else decides.
    """

    examples: int = 0
    exact: int = 0
    tied: int = 0


class Unreachable(_Part):
    """An example whose wanted repair no weights can bring, since no rule leads there, and why."""

    name: str
    place: str = ""
    reason: str


class Wish(_Part):
    """
    What one example asks of the weights: that one repair be cheaper than another.

    Attributes:
        name: the id of the example, else where it stands.
        place: where it stands.
        wanted: what the wanted repair pays, in units of each kind of penalty, less what both pay.
        other: what another repair pays that has to be dearer, less what both pay.
    """

    name: str
    place: str = ""
    wanted: dict[str, int] = {}
    other: dict[str, int] = {}


class Conflict(_Part):
    """
    Examples that no weights satisfy together, though without any one of them some would.

    A single one means that its wanted repair is never the cheapest.

    Attributes:
        examples: their names.
        wishes: what they ask of the weights and cannot have together; empty where a wanted repair can come
            about in several ways, none of which is cheap enough.
    """

    examples: tuple[str, ...]
    wishes: tuple[Wish, ...] = ()


class Fit(_Part):
    """
    Weights that were fitted to examples, and what they do.

    Attributes:
        start: the cost model that it started from, by name.
        weights: each weight that could be changed, by the name of its constant.
        changed: those that were, before and after.
        fixed: the kinds of penalties whose weight is no constant of its own in the model file; they stay.
        before: how many wanted repairs the model brought that it started from.
        after: how many the fitted one brings.
        held_out_before: likewise for the examples that were held out.
        held_out_after: likewise.
        unreachable: the examples whose wanted repair no rule brings.
        conflicts: which examples no weights satisfy together.
        unexplained: the other ones that are not satisfied: better weights may exist.
        without: how many examples say no wanted repair.
        skipped: how many entries of the data could not be read or repaired.
        mistakes: what was wrong with the first of those.
        rounds: how often weights were tried.
        stopped: why no more was tried.
        model: the text of the model file with the fitted weights.
    """

    schema_version: int = SCHEMA_VERSION
    start: str
    weights: dict[str, int]
    changed: dict[str, tuple[int, int]] = {}
    fixed: tuple[str, ...] = ()
    before: Score = Score()
    after: Score = Score()
    held_out_before: Score | None = None
    held_out_after: Score | None = None
    unreachable: tuple[Unreachable, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unexplained: tuple[str, ...] = ()
    without: int = 0
    skipped: int = 0
    mistakes: tuple[str, ...] = ()
    rounds: int = 0
    stopped: Stopped = "satisfied"
    model: str = ""

    @property
    def is_satisfied(self) -> bool:
        """Whether every example is answered with its wanted repair."""
        return self.after.exact == self.after.examples
