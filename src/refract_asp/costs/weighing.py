"""
Finds whole numbers as weights such that wanted repairs are cheaper than others; HiGHS does it, through scipy.

Of each case one way to the wanted repair has to be cheaper than all others that are known, by 1. As few
cases as possible are given up, and then the weights are changed as little as possible, each counted alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import Field

from refract_asp.errors import InputError
from refract_asp.model.paths import Frozen

LARGEST = 1_000_000
"""No weight may be larger."""
SEARCHED = 1_000
"""A weight is sought up to this number, or up to four times what it is."""
FAR = 20
"""To leave a call unresolved stays so many times dearer than anything else, where it was."""
MAX_NODES = 20_000
"""So many branches are looked at; a bound that, unlike one of time, leaves the answer the same."""


@dataclass(frozen=True, slots=True)
class Row:
    """A demand on the weights: the sum of each coefficient times its weight is at least so much."""

    coefficients: tuple[tuple[str, int], ...]
    least: int

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

    def __post_init__(self) -> None:
        """Look for scipy."""
        try:
            import scipy.optimize  # noqa: F401
        except ImportError:
            hint = "Install it with: pip install 'refract-asp[fit]'"
            raise InputError(
                "fitting weights needs scipy, which is not installed.", hint=hint
            ) from None

    def weights(self, cases: Sequence[Case]) -> dict[str, int] | None:
        """Return the best weights for the cases, or None where none were found in bounds."""
        first = self._solve(cases)
        second = first and self._solve(cases, sum(not case.holds(first) for case in cases))
        return second or first

    def possible(self, cases: Sequence[Case]) -> bool:
        """Whether some weights in the bounds of the search satisfy all cases."""
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

        def impossible(known: list[Case], grown: bool, rest: list[Case]) -> list[Case]:
            """Return part of the rest that is impossible with what is known, all of it needed (QuickXplain)."""
            if grown and not self.possible([case, *known]):
                return []
            if len(rest) == 1:
                return rest
            left, right = rest[: len(rest) // 2], rest[len(rest) // 2 :]
            second = impossible([*known, *left], True, right)
            return [*impossible([*known, *second], bool(second), left), *second]

        return [case, *impossible([], False, list(others))]

    def _solve(self, cases: Sequence[Case], given_up: int | None = None) -> dict[str, int] | None:
        """Find weights; with `given_up` at most so many cases are, and the weights are changed least."""
        import numpy
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array

        start, last = self.start, self.last_resort
        column = {name: index for index, name in enumerate(sorted(start))}
        bounds = []
        for name in column:  # what costs nothing may be done for nothing, but for the last resort
            least, most = min(1, start[name]), max(SEARCHED, 4 * start[name])
            if name == last:
                least, most = start[name], FAR * most
            bounds.append((least, min(LARGEST, most)))
        # The columns are the weights, how far each is from where it starts, then of each case whether it is
        # given up and which of its ways holds. A row is its entries by column, and what they come to at least.
        count, lost = len(column), list[int]()
        size, rows = 2 * count, list[tuple[dict[int, int], int]]()
        for name, index in column.items():
            rows.append(({count + index: 1, index: -1}, -start[name]))
            rows.append(({count + index: 1, index: 1}, start[name]))
            ratio = 0 if last in (None, name) else min(FAR, start[last] // max(1, start[name]))
            if last is not None and ratio:
                rows.append(({column[last]: 1, index: -ratio}, 0))
        for case in cases:
            lost.append(size)
            rows += _rows(case, size, column, bounds)
            size += 1 + len(case.ways)
        if given_up is not None:
            rows.append((dict.fromkeys(lost, -1), -given_up))
        entries = [
            (at, i, factor) for at, (line, _) in enumerate(rows) for i, factor in line.items()
        ]
        lines, columns, factors = zip(*entries, strict=True)
        matrix = coo_array((factors, (lines, columns)), shape=(len(rows), size)).tocsr()
        costs, free = numpy.zeros(size), [numpy.inf] * count
        costs[lost if given_up is None else slice(count, 2 * count)] = 1
        lowest, highest = zip(*bounds, strict=True)
        found: Any = milp(
            costs,
            integrality=[*[1] * count, *[0] * count, *[1] * (size - 2 * count)],
            bounds=Bounds(
                [*lowest, *[0] * (size - count)], [*highest, *free, *[1] * (size - 2 * count)]
            ),
            constraints=LinearConstraint(matrix, [each for _, each in rows], numpy.inf),
            options={"node_limit": MAX_NODES},
        )
        if found.x is None:
            return None
        weights = {name: round(found.x[index]) for name, index in column.items()}
        failing = sum(not case.holds(weights) for case in cases)
        return None if given_up is not None and failing > given_up else weights


def _rows(
    case: Case, first: int, column: Mapping[str, int], bounds: Sequence[tuple[int, int]]
) -> Iterator[tuple[dict[int, int], int]]:
    """Yield the rows of a case, whose columns begin at `first`: it is given up, or one of its ways holds."""
    ways = range(first + 1, first + 1 + len(case.ways))
    yield dict.fromkeys([first, *ways], 1), 1
    for way, demands in zip(ways, case.ways, strict=True):
        for row in demands:
            line = {column[name]: factor for name, factor in row.coefficients}
            lowest = sum(factor * bounds[at][factor < 0] for at, factor in line.items())
            slack = max(0, row.least - lowest)  # a way that need not hold demands nothing
            yield {**line, way: -slack}, row.least - slack


SCHEMA_VERSION = 1

Stopped: TypeAlias = Literal["satisfied", "settled", "rounds", "interrupted"]
"""
Why no more was tried: all that can be had is there ("satisfied"), no other weights would be better as far as
is known ("settled"), or the rounds are over, or somebody stopped it.
"""


class Score(Frozen):
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


class Unreachable(Frozen):
    """An example whose wanted repair no weights can bring, since no rule leads there, and why."""

    name: str
    place: str = ""
    reason: str


class Conflict(Frozen):
    """
    Examples that no weights satisfy together, though without any one of them some would.

    A single one means that its wanted repair is never the cheapest.

    Attributes:
        examples: their names.
        separable: the kinds of penalties that would keep them apart if each had a weight of its own; none where
            only a rule could, which tells by a penalty of a new kind what is better in what is wanted.
    """

    examples: tuple[str, ...]
    separable: tuple[str, ...] = ()


class Fit(Frozen):
    """
    Weights that were fitted to examples, and what they do.

    Attributes:
        start: the cost model that it started from, by name.
        weights: each weight that could be changed, by the name of its constant.
        changed: those that were, before and after.
        fixed: the kinds of penalties whose weight is no constant of its own in the model file; they stay.
        before: how many wanted repairs the model brought that it started from.
        after: how many the fitted one brings.
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
    changed: dict[str, tuple[int, int]] = Field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    before: Score = Score()
    after: Score = Score()
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
    def is_at_ceiling(self) -> bool:
        """Whether it is proven that no weights bring more of the wanted repairs."""
        return self.stopped in ("satisfied", "settled") and not self.unexplained

    @property
    def is_satisfied(self) -> bool:
        """Whether every example is answered with its wanted repair."""
        return self.after.exact == self.after.examples
