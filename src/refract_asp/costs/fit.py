"""Finds weights under which the repairs that are wanted are the cheapest ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.costs.models import (
    ExampleTaker,
    constants_in,
    model_weights,
    repairing,
    with_weights,
)
from refract_asp.costs.weighing import (
    Case,
    Conflict,
    Fit,
    Row,
    Score,
    Stopped,
    Unreachable,
    Weigher,
)
from refract_asp.errors import EncodingError, InputError, LimitError, shown
from refract_asp.model import Catalog, Mapping, RepairResult, Sequence
from refract_asp.model.comparison import same
from refract_asp.model.example import Example
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.report.terminal import count
from refract_asp.rules.program import model_file
from refract_asp.rules.wanted import Paid, cheaper_repairs, wanted_repairs, why_unreachable

MAX_EXAMPLES = 10_000
"""So many wanted repairs are taken: all of them are held, and repaired in each round."""
MAX_COMPILED = 8
MAX_CONFLICTS = 20
"""So many conflicts are explained; to find each costs some work."""
LAST_RESORT = "leave_unresolved"

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Is told of each pass over the examples, its title and their number; gives what is called for each done."""


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
        self._options = RepairOptions.of(None, options)
        super().__init__(catalog, self._options.mappings)
        given = self._options.encodings_dir
        folder = None if given is None else Path(given)
        own = tuple(map(Path, self._options.encodings))
        self._path = model_file(start, folder)
        self._constants = dict(self._options.constants or {})
        self.model = model_weights(self._path, folder, own, tuple(self._constants.items()))
        if len(self.model.levels) > 1:
            levels = ", ".join(map(str, sorted(self.model.levels, reverse=True)))
            what = (
                f"its criteria are on several levels ({levels}), and weights are fitted within one."
            )
            hint = "Put all criteria on one level, with weights of a size that keeps them apart."
            raise EncodingError(what, where=shown(self._path.name), hint=hint)
        (self._level,) = self.model.levels
        self._text = self._path.read_text("utf-8")
        self._shared = self.model.values.keys() - constants_in(self._text).keys()
        self._weigher = Weigher(dict(self.model.values), self.model.constants.get(LAST_RESORT))
        self._compiled: dict[tuple[int, tuple[Mapping, ...]], tuple[Catalog, Refractor]] = {}
        self._compiled_with: dict[str, int] = {}
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
            watch: is told how far it is.

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
            model=with_weights(self._text, changed, note, self._shared),
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

        Those that are not as wanted tell what is cheaper. What cannot be repaired leaves the list.
        """
        with watch(title, len(self._cases)) if watch else nullcontext(lambda: None) as done:
            for case in list(self._cases):
                try:
                    result = self._repaired(case, weights)
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

    def _repaired(self, case: _Fitted, weights: dict[str, int]) -> RepairResult:
        if self._compiled_with != weights or len(self._compiled) >= MAX_COMPILED:
            self._compiled.clear()
            self._compiled_with = dict(weights)
        key, example = (id(case.catalog), case.mappings), case.example
        if key not in self._compiled:
            constants = {**self._constants, **weights}
            own: Any = {"mappings": case.mappings, "cost_model": self._path, "constants": constants}
            options = replace(self._options, **own)
            self._compiled[key] = (case.catalog, Refractor(case.catalog, options))
        with repairing(example):
            refractor = self._compiled[key][1]
            return refractor.repair(example.sequence, example.memory, example.history or ())

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
                ways = (
                    (self._row(way, other, named) for other in case.others)
                    for way in case.ways or ()
                )
                rows = (tuple(dict.fromkeys(row for row in way if row is not None)) for way in ways)
                found[case] = Case(str(number), tuple(rows))
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
        told = {"unreachable": tuple(unreachable), "conflicts": tuple(conflicts)}
        return {**told, "unexplained": tuple(unexplained)}

    def _conflict(self, cases: list[_Fitted]) -> Conflict:
        """Tell of a conflict whether weights of their own for some kinds would keep the examples apart."""
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
