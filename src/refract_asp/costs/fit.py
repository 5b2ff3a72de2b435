"""
Finds weights under which the repairs that are wanted are the cheapest ones.

Weights are whole numbers. Of each example one way to the wanted repair has to be cheaper than all other known
repairs, by 1. The solver HiGHS, used through scipy, gives up as few examples as possible, and then changes the
weights as little as possible, each counted alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from collections.abc import Mapping as MappingOf
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import Field

from refract_asp.costs.models import ExampleTaker, weights_with, with_weights
from refract_asp.errors import EncodingError, InputError, LimitError, placed, shown
from refract_asp.model import Catalog, Mapping, RepairResult, Sequence
from refract_asp.model.catalog import Prepared
from refract_asp.model.comparison import same
from refract_asp.model.example import Example
from refract_asp.model.paths import Frozen
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.report.terminal import count
from refract_asp.rules.wanted import Paid, cheaper_repairs, wanted_repairs, why_unreachable

MAX_EXAMPLES = 10_000
"""So many wanted repairs are taken: all of them are held, and repaired in each round."""
MAX_CONFLICTS = 20
"""So many conflicts are explained; to find each costs some work."""
SCHEMA_VERSION = 1
LAST_RESORT = "leave_unresolved"
LARGEST = 1_000_000
"""No weight may be larger."""
SEARCHED = 1_000
"""A weight is sought up to this number, or up to four times what it is."""
FAR = 20
"""To leave a call unresolved stays so many times dearer than anything else, where it was."""
MAX_NODES = 20_000
"""So many branches are looked at; a bound that, unlike one of time, leaves the answer the same."""

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Gets the title of each pass over the examples and their number; returns what is called after each example."""


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


def fit(
    examples: Any,
    catalog: Any = None,
    start: str | Path = "default",
    *,
    rounds: int = 30,
    keep_going: bool = False,
    **options: Any,
) -> Fit:
    """
    Find weights under which the wanted repairs of a data set are the cheapest ones.

    Args:
        examples: a data set, as anything that `load_examples` takes.
        catalog: the tools of all examples that bring no catalog of their own.
        start: the cost model whose weights are changed, a name or a file.
        rounds: how many weights are tried at most.
        keep_going: whether entries that cannot be read or repaired are counted and passed over.
        options: further ones of `Fitter`.

    Raises:
        InputError: an entry cannot be read or repaired; or scipy is not installed.
        EncodingError: the model cannot be used, or has criteria on several levels.

    Example:
        >>> catalog = {"tools": [{"name": "Pay", "parameters": {"amount": {"required": True}}}]}
        >>> found = fit([{"sequence": "Py(amount=3)", "expected": "Pay(amount=3)"}], catalog)
        >>> found.is_satisfied, found.changed
        (True, {})
    """
    fitter = Fitter(start, catalog, **options).take(examples, keep_going=keep_going)
    return fitter.fit(rounds=rounds, keep_going=keep_going)


@dataclass(slots=True, eq=False)
class _Fitted:
    """
    An example and what is known of it.

    Attributes:
        example: the example.
        wanted: the repair that is wanted.
        catalog: its tools.
        mappings: which outputs may fill which parameters in it.
        ways: what each way to the wanted repair pays; None where nobody asked yet.
        reason: why there is no such way, if there is none.
        others: what other repairs pay that were as cheap once.
        is_exact: whether the answer was the wanted repair with the weights tried last.
        is_tied: whether it was, and another repair costs the same.
    """

    example: Example
    wanted: Sequence
    catalog: Catalog
    mappings: tuple[Mapping, ...]
    ways: tuple[Paid, ...] | None = None
    reason: str = ""
    others: dict[Paid, None] = field(default_factory=dict)
    is_exact: bool = False
    is_tied: bool = False


class Fitter(ExampleTaker):
    """
    Takes examples one by one, and fits the weights of a cost model to them.

    The weights are sought by cutting planes. All examples are repaired with the weights at hand. Where the
    answer is not the wanted repair, it says what the weights have to do: the wanted repair, to which
    `modes/wanted.lp` holds the rules, has to cost less than what was found. New weights do so for as many
    examples as possible, and are as near to the first ones as can be. That is repeated until nothing new is
    found.

    Args:
        start: the cost model whose weights are changed, a name or a file.
        catalog: the tools of all examples that bring no catalog of their own.
        options: options of a repair by name, as of `Refractor`.

    Raises:
        EncodingError: the model cannot be used, or has criteria on several levels.
        InputError: scipy is not installed.
    """

    def __init__(self, start: str | Path = "default", catalog: Any = None, **options: Any) -> None:
        """Read the cost model and the catalog."""
        how = RepairOptions.of(None, options)
        super().__init__(catalog, how.mappings)
        self._path, self.model = weights_with(how, start)
        if len(self.model.levels) > 1:
            levels = ", ".join(map(str, sorted(self.model.levels, reverse=True)))
            what = (
                f"its criteria are on several levels ({levels}), and weights are fitted within one."
            )
            hint = "Put all criteria on one level, with weights of a size that keeps them apart."
            raise EncodingError(what, where=shown(self._path.name), hint=hint)
        (self._level,) = self.model.levels
        self._text = self._path.read_text("utf-8")
        self._weigher = Weigher(dict(self.model.values), self.model.constants.get(LAST_RESORT))

        def compiled(catalog: Catalog, mappings: Any, weights: dict[str, int]) -> Refractor:
            own: Any = {"mappings": mappings, "constants": {**(how.constants or {}), **weights}}
            return Refractor(catalog, replace(how, cost_model=self._path, **own))

        self._refractors = Prepared(compiled)
        self._cases: list[_Fitted] = []
        self._without = 0

    def add(self, example: Example) -> None:
        """
        Take an example; one without a wanted repair is only counted.

        Raises:
            InputError: it has goals, or no catalog; the message names its place.
            LimitError: there are too many.
        """
        if example.expected is None:
            self._without += 1
            return
        if example.goals:
            what = "it has goals, and weights are fitted without."
            raise InputError(what, where=example.place, hint="Take the goals out of the data.")
        catalog, mappings = self._given(example)
        if len(self._cases) >= MAX_EXAMPLES:
            what = f"there are more than {MAX_EXAMPLES:,} wanted repairs."
            raise LimitError(what, where=example.place, hint="Take a sample of them.")
        self._cases.append(_Fitted(example, example.expected, catalog, mappings))

    def fit(self, *, rounds: int = 30, keep_going: bool = False, watch: Watch | None = None) -> Fit:
        """
        Fit the weights to the examples that were taken.

        Args:
            rounds: how many weights are tried at most.
            keep_going: whether examples that cannot be repaired are counted and passed over.
            watch: is called to report progress.

        Raises:
            InputError: an example cannot be repaired; the message names its place.
        """
        if rounds < 1:
            raise InputError(f"{rounds} rounds are too few.", hint="At least one is needed.")
        weights = best = dict(self.model.values)
        before = after = Score()
        exact: set[_Fitted] = set()
        tried: list[dict[str, int]] = []
        stopped: Stopped = "settled"
        try:
            while weights not in tried:
                known = self._known()
                title = f"round {len(tried) + 1}" if tried else "before"
                score = self._measured(weights, keep_going, title, watch)
                # of equally good weights the first are the nearest to where it started
                if not tried or score.exact > after.exact:
                    best, after = weights, score
                    exact = {case for case in self._cases if case.is_exact}
                before = before if tried else score
                tried.append(weights)
                if all(case.is_exact for case in self._cases if not case.reason):
                    stopped = "satisfied"
                    break
                if len(tried) > 1 and known == self._known():
                    break
                if len(tried) >= rounds:
                    stopped = "rounds"
                    break
                weights = self._weigher.weights([*self._demands().values()]) or weights
        except KeyboardInterrupt:
            stopped = "interrupted"
        name, start = shown(self._path.stem, 80), self.model.values
        changed = {each: best[each] for each, weight in start.items() if weight != best[each]}
        note = (
            f"the weights of {name!r} to {count(after.examples, 'example')}; "
            f"of their wanted repairs {before.exact} were found before, {after.exact} are now."
        )
        return Fit(
            start=name,
            weights=best,
            changed={each: (start[each], weight) for each, weight in changed.items()},
            fixed=tuple(sorted(self.model.kinds.keys() - self.model.constants.keys())),
            before=before,
            after=after,
            **self._explained(exact, prove=stopped != "interrupted"),
            without=self._without,
            skipped=self._skipped,
            mistakes=tuple(self._mistakes),
            rounds=len(tried),
            stopped=stopped,
            model=with_weights(self._text, changed, note, start),
        )

    # -- round by round --------------------------------------------------------

    def _known(self) -> int:
        """Return how many other repairs are known."""
        return sum(len(case.others) for case in self._cases)

    def _measured(
        self, weights: dict[str, int], keep_going: bool, title: str, watch: Watch | None
    ) -> Score:
        """
        Repair all examples with weights and count the wanted repairs.

        A repair that is not the wanted one shows what is cheaper. An example that cannot be repaired is removed.
        """
        with watch(title, len(self._cases)) if watch else nullcontext(lambda: None) as done:
            for case in list(self._cases):
                refractor = self._refractors(case.catalog, case.mappings, weights)
                given = case.example
                try:
                    with placed(given.place):
                        result = refractor.repair(given.sequence, given.memory, given.history or ())
                except InputError as error:
                    if not keep_going:
                        raise
                    self.skip(error)
                    self._cases.remove(case)
                    continue
                case.is_exact = same(result.sequence, case.wanted)
                case.is_tied = case.is_exact and result.ambiguous
                if not case.is_exact:
                    self._learn(case, result, weights)
                done()
        exact = sum(case.is_exact for case in self._cases)
        tied = sum(case.is_tied for case in self._cases)
        return Score(examples=len(self._cases), exact=exact, tied=tied)

    def _learn(self, case: _Fitted, result: RepairResult, weights: dict[str, int]) -> None:
        """Find the ways to the wanted repair, and what is as cheap as the cheapest of them."""
        if case.ways is None:
            case.ways = wanted_repairs(result, case.wanted)
            case.reason = "" if case.ways else why_unreachable(result, case.wanted)
        if not case.ways:
            return
        kinds = {
            kind: weights.get(self.model.constants.get(kind, ""), weight)
            for kind, weight in self.model.kinds.items()
        }
        costs: list[Counter[int]] = [Counter(dict(way.rest)) for way in case.ways]
        for way, cost in zip(case.ways, costs, strict=True):
            cost[self._level] += way.weighed(kinds)
        cheapest = min(costs, key=lambda cost: sorted(cost.items(), reverse=True))
        others = cheaper_repairs(result, case.wanted, dict(cheapest))
        # one that pays just the same decides nothing, unless nothing else does
        unlike = [other for other in others if other not in case.ways]
        case.others.update(dict.fromkeys(unlike or others))

    # -- what examples ask of the weights ----------------------------------------

    def _demands(self, constants: dict[str, str] | None = None) -> dict[_Fitted, Case]:
        """
        Return what each example asks of the weights of which other repairs are known.

        By default those are the constants of the model; `constants` names others by kind.
        """
        found = {}
        named = self.model.constants if constants is None else constants
        for number, case in enumerate(self._cases):
            if case.others:
                ways = []
                for way in case.ways or ():
                    rows = (self._row(way, other, named) for other in case.others)
                    ways.append(tuple(dict.fromkeys(row for row in rows if row is not None)))
                found[case] = Case(str(number), tuple(ways))
        return found

    def _row(self, way: Paid, other: Paid, constants: dict[str, str]) -> Row | None:
        """Return what makes a way cheaper than another repair; None where it is anyway."""
        more = Counter(dict(way.rest))
        more.subtract(dict(other.rest))
        for level in sorted(more, reverse=True):
            if level > self._level and more[level]:
                return None if more[level] < 0 else Row((), 1)
        coefficients: Counter[str] = Counter()
        least = 1 + more[self._level]
        units_more = Counter(dict(way.units))
        units_more.subtract(dict(other.units))
        for kind, units in units_more.items():
            if kind in constants:
                coefficients[constants[kind]] -= units
            else:
                least += units * self.model.kinds[kind]
        return Row(tuple(sorted(each for each in coefficients.items() if each[1])), least)

    def _explained(self, exact: set[_Fitted], *, prove: bool) -> dict[str, Any]:
        """Say which examples no rule brings, which cannot be had together, and of which nothing is known."""
        demands = self._demands()
        others = [demand for case, demand in demands.items() if case in exact]
        unreachable, conflicts, unexplained = [], list[Conflict](), []
        for case in self._cases:
            name, place = case.example.name, case.example.place
            if case.reason and not case.is_exact:
                unreachable.append(Unreachable(name=name, place=place, reason=case.reason))
            if case in exact or case.reason:
                continue
            found = None
            if prove and case in demands and len(conflicts) < MAX_CONFLICTS:
                found = self._weigher.conflict(demands[case], others)
            if found is None:
                unexplained.append(name)
            else:
                conflicts.append(self._conflict([self._cases[int(each.name)] for each in found]))
        known = {"unreachable": tuple(unreachable), "conflicts": tuple(conflicts)}
        return {**known, "unexplained": tuple(unexplained)}

    def _conflict(self, cases: list[_Fitted]) -> Conflict:
        """Return the conflict between examples, with the kinds whose own weights would keep them apart."""
        kinds, constants = self.model.kinds, self.model.constants
        demands = self._demands({kind: kind for kind in kinds})
        one, *others = (demands[case] for case in cases)
        rows = (row for demand in (one, *others) for way in demand.ways for row in way)
        paid = {kind for row in rows for kind, _ in row.coefficients}
        owned = Counter(constants.values())
        shared = sorted(kind for kind in paid if owned[constants.get(kind, "")] != 1)
        by_kind = Weigher({kind: max(1, weight) for kind, weight in kinds.items()})
        is_separable = bool(shared) and by_kind.conflict(one, others) is None
        names = tuple(case.example.name for case in cases)
        return Conflict(examples=names, separable=tuple(shared) if is_separable else ())


# -- which weights meet the demands ----------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """A demand on the weights: the sum of each coefficient times its weight is at least so much."""

    coefficients: tuple[tuple[str, int], ...]
    least: int

    def holds(self, weights: MappingOf[str, int]) -> bool:
        """Whether weights meet it."""
        return sum(factor * weights[name] for name, factor in self.coefficients) >= self.least


@dataclass(frozen=True, slots=True)
class Case:
    """An example: it is satisfied when all rows of one of the ways hold."""

    name: str
    ways: tuple[tuple[Row, ...], ...]

    def holds(self, weights: MappingOf[str, int]) -> bool:
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
            what = "fitting weights needs scipy, which is not installed."
            raise InputError(what, hint="Install it with: pip install 'refract-asp[fit]'") from None

    def weights(self, cases: Collection[Case]) -> dict[str, int] | None:
        """Return the best weights for the cases, or None where none were found in bounds."""
        first = self._solve(cases)
        second = first and self._solve(cases, sum(not case.holds(first) for case in cases))
        return second or first

    def possible(self, cases: Collection[Case]) -> bool:
        """Whether some weights in the bounds of the search satisfy all cases."""
        return self._solve(cases, 0) is not None

    def conflict(self, case: Case, others: Collection[Case]) -> list[Case] | None:
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

    def _solve(self, cases: Collection[Case], given_up: int | None = None) -> dict[str, int] | None:
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
        cells = [(at, i, factor) for at, (line, _) in enumerate(rows) for i, factor in line.items()]
        lines, columns, factors = zip(*cells, strict=True)
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
    case: Case, first: int, column: MappingOf[str, int], bounds: list[tuple[int, int]]
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
