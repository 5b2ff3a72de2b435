"""Finds weights under which the repairs that are wanted are the cheapest ones."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.costs.models import model_weights, with_weights
from refract_asp.costs.weighing import (
    Case,
    Conflict,
    Fit,
    Row,
    Score,
    Stopped,
    Unreachable,
    Weigher,
    Wish,
)
from refract_asp.errors import EncodingError, InputError, LimitError, shown
from refract_asp.formats import load_catalog, load_mappings
from refract_asp.formats.examples import load_examples
from refract_asp.model import Catalog, Mapping, RepairResult, Sequence
from refract_asp.model.comparison import same
from refract_asp.model.example import Example
from refract_asp.refractor import Refractor
from refract_asp.rules.program import model_file
from refract_asp.rules.wanted import Paid, cheaper_repairs, wanted_repairs, why_unreachable

MAX_EXAMPLES = 10_000
"""So many wanted repairs are taken: all of them are held, and repaired in each round."""
MAX_MISTAKES = 100
MAX_COMPILED = 8
MAX_CONFLICTS = 20
"""So many conflicts are explained; to find each costs some work."""
LAST_RESORT = "leave_unresolved"

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Is told of each pass over the examples, its title and their number; gives what is called for each done."""


@contextmanager
def unwatched(_title: str, _total: int) -> Iterator[Callable[[], None]]:
    """Show nothing."""
    yield lambda: None


def fit(
    examples: Any,
    catalog: Any = None,
    start: str | Path = "default",
    *,
    holdout: float = 0.0,
    seed: int = 0,
    rounds: int = 30,
    time_limit: float | None = None,
    keep_going: bool = False,
    **options: Any,
) -> Fit:
    """
    Find weights under which the wanted repairs of a data set are the cheapest ones.

    Args:
        examples: a data set, as anything that `load_examples` takes.
        catalog: the tools of all examples that bring no catalog of their own.
        start: the cost model whose weights are changed, a name or a file.
        holdout: the share of the examples that is not fitted to, but counted before and after.
        seed: which ones these are.
        rounds: how many weights are tried at most.
        time_limit: seconds after which no more are tried, or None.
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
    fitter = Fitter(start, catalog, **options)
    for example in load_examples(examples, mistakes=fitter.skip if keep_going else None):
        try:
            fitter.add(example)
        except InputError as error:
            if not keep_going:
                raise
            fitter.skip(error)
    return fitter.fit(
        holdout=holdout, seed=seed, rounds=rounds, time_limit=time_limit, keep_going=keep_going
    )


class Fitter:
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
        constants: values for constants of the encodings.
        mappings: which outputs may fill which parameters, in all examples.
        encodings: files with rules of one's own.
        encodings_dir: folder that takes the place of the shipped encodings.
        options: further options of `Refractor`.

    Raises:
        EncodingError: the model cannot be used, or has criteria on several levels.
        InputError: scipy is not installed.
    """

    def __init__(
        self,
        start: str | Path = "default",
        catalog: Any = None,
        *,
        constants: MappingOf[str, int] | None = None,
        mappings: Any = (),
        encodings: Iterable[Path | str] = (),
        encodings_dir: Path | str | None = None,
        **options: Any,
    ) -> None:
        """Read the cost model and compile the catalog."""
        folder = None if encodings_dir is None else Path(encodings_dir)
        own = tuple(map(Path, encodings))
        self._path = model_file(start, folder)
        self._constants = dict(constants or {})
        self._catalog = None if catalog is None else load_catalog(catalog)
        self._mappings = load_mappings(mappings)
        self._options = {**options, "encodings": own, "encodings_dir": encodings_dir}
        self.model = model_weights(self._path, folder, own, self._constants)
        if len(self.model.levels) > 1:
            levels = ", ".join(map(str, sorted(self.model.levels, reverse=True)))
            raise EncodingError(
                f"its criteria are on several levels ({levels}), and weights are fitted within one.",
                where=shown(self._path.name),
                hint="Put all criteria on one level, with weights of a size that keeps them apart.",
            )
        self._text = self._path.read_text("utf-8")
        with_weights(self._text, self.model.values)
        last = self.model.constants.get(LAST_RESORT)
        self.weigher = Weigher(dict(self.model.values), last)
        self._compiled: dict[tuple[int, tuple[Mapping, ...]], tuple[Catalog, Refractor]] = {}
        self._compiled_with: dict[str, int] = {}
        self._cases: list[_Fitted] = []
        self._without = self._skipped = 0
        self._mistakes: list[str] = []
        self._digest = hashlib.sha256()

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
        catalog = example.catalog or self._catalog
        if catalog is None:
            hint = "Give one for all, or name one in each example."
            raise InputError("there is no catalog for it.", where=example.place, hint=hint)
        if len(self._cases) >= MAX_EXAMPLES:
            what = f"there are more than {MAX_EXAMPLES:,} wanted repairs."
            raise LimitError(what, where=example.place, hint="Take a sample of them.")
        mappings = (*self._mappings, *example.mappings)
        self._cases.append(_Fitted(example, example.expected, catalog, mappings))
        self._digest.update(f"{example.sequence}\0{example.expected}\0".encode("utf-8", "replace"))

    def skip(self, error: InputError) -> None:
        """Count an entry that cannot be read or repaired."""
        self._skipped += 1
        if len(self._mistakes) < MAX_MISTAKES:
            self._mistakes.append(str(error))

    def fit(
        self,
        *,
        holdout: float = 0.0,
        seed: int = 0,
        rounds: int = 30,
        time_limit: float | None = None,
        keep_going: bool = False,
        watch: Watch = unwatched,
    ) -> Fit:
        """
        Fit the weights to the examples that were taken.

        Args:
            holdout: the share that is not fitted to, from 0 to below 1.
            seed: which ones these are.
            rounds: how many weights are tried at most.
            time_limit: seconds after which no more are tried, or None.
            keep_going: whether examples that cannot be repaired are counted and passed over.
            watch: is told how far it is.

        Raises:
            InputError: an example cannot be repaired; the message names its place.
        """
        if rounds < 1:
            raise InputError(f"{rounds} rounds are too few.", hint="At least one is needed.")
        held = self._held_out(holdout, seed)
        fitted = [case for case in self._cases if case not in held]
        search = _Search(self, fitted, watch, keep_going)
        end = None if time_limit is None else time.monotonic() + time_limit
        start = self.model.values
        held_before = search.measured(held, start, "held out, before") if held else None
        stopped = search.run(rounds, end)
        is_whole = stopped != "interrupted"
        held_after = held_before if search.best == start else None
        if held and search.best != start and is_whole:
            held_after = search.measured(held, search.best, "held out, after")
        self._cases = [case for case in self._cases if case in (*search.cases, *held)]
        conflicts, unexplained = search.explained(prove=is_whole)
        name, before, after = shown(self._path.stem, 80), search.before, search.after
        note = (
            f"the weights of {name!r} to {after.examples} example{'' if after.examples == 1 else 's'}; "
            f"of their wanted repairs {before.exact} were found before, {after.exact} are now; data "
            f"{self._digest.hexdigest()[:12]}."
        )
        return Fit(
            start=name,
            weights=search.best,
            changed={n: (w, search.best[n]) for n, w in start.items() if w != search.best[n]},
            fixed=tuple(sorted(self.model.kinds.keys() - self.model.constants.keys())),
            before=before,
            after=after,
            held_out_before=held_before,
            held_out_after=held_after,
            unreachable=tuple(
                Unreachable(name=case.example.name, place=case.example.place, reason=case.reason)
                for case in search.cases
                if case.reason and not case.is_exact
            ),
            conflicts=conflicts,
            unexplained=unexplained,
            without=self._without,
            skipped=self._skipped,
            mistakes=tuple(self._mistakes),
            rounds=search.rounds,
            stopped=stopped,
            model=with_weights(self._text, search.best, note),
        )

    def _held_out(self, share: float, seed: int) -> list[_Fitted]:
        """Return the examples that are not fitted to, in their order."""
        if not 0 <= share < 1:
            what = f"the share {share} cannot be held out."
            raise InputError(what, hint="Name one from 0 to below 1.")
        drawn = random.Random(seed).sample(self._cases, round(share * len(self._cases)))
        return [case for case in self._cases if case in drawn]

    def repaired(self, case: _Fitted, weights: dict[str, int]) -> RepairResult:
        """Repair an example with such weights."""
        if self._compiled_with != weights or len(self._compiled) >= MAX_COMPILED:
            self._compiled.clear()
            self._compiled_with = dict(weights)
        key = (id(case.catalog), case.mappings)
        if key not in self._compiled:
            options = {**self._options, "constants": {**self._constants, **weights}}
            options |= {"mappings": case.mappings, "cost_model": self._path}
            self._compiled[key] = (case.catalog, Refractor(case.catalog, **options))
        example = case.example
        try:
            refractor = self._compiled[key][1]
            return refractor.repair(example.sequence, example.memory, example.history or ())
        except InputError as error:
            where = ": ".join(part for part in (example.place, error.where) if part)
            raise type(error)(error.what, where=where, hint=error.hint) from None


# --- round by round --------------------------------------------------------------------------------


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


@dataclass(slots=True)
class _Search:
    """
    One search for weights, round by round.

    Attributes:
        fitter: the model whose weights are sought, and what repairs examples.
        cases: the examples that are fitted to.
        watch: is told how far it is.
        keep_going: whether an example that cannot be repaired is left out.
        best: the best weights so far; of equally good ones the first, which are the nearest to the start.
        before: what the weights at the start do.
        after: what the best ones do.
        rounds: how often weights were tried.
    """

    fitter: Fitter
    cases: list[_Fitted]
    watch: Watch
    keep_going: bool
    best: dict[str, int] = field(default_factory=dict)
    before: Score = field(default_factory=Score)
    after: Score = field(default_factory=Score)
    rounds: int = 0
    exact: set[_Fitted] = field(default_factory=set)

    def run(self, rounds: int, end: float | None) -> Stopped:
        """Try weights until nothing new is found; keep the best ones."""
        weights = self.best = dict(self.fitter.model.values)
        tried: list[dict[str, int]] = []
        try:
            while True:
                title = f"round {self.rounds + 1}" if self.rounds else "before"
                known = self._known()
                limit = end if self.rounds else None
                score = self.measured(self.cases, weights, title, limit, learn=True)
                if score is None:
                    return "time"
                self.rounds += 1
                tried.append(weights)
                self._keep(weights, score)
                left = None if end is None else end - time.monotonic()
                is_settled = self.rounds > 1 and known == self._known()
                if stopped := self._stopped(is_settled, rounds, left):
                    return stopped
                found = self.fitter.weigher.weights([*self._demands().values()], left)
                if found is None or found in tried:
                    return "settled"
                weights = found
        except KeyboardInterrupt:
            return "interrupted"

    def _known(self) -> int:
        return sum(len(case.others) for case in self.cases)

    def _keep(self, weights: dict[str, int], score: Score) -> None:
        """Note how good weights are; of equally good ones the first are the nearest to where it started."""
        if self.rounds == 1:
            self.before = score
        if self.rounds == 1 or score.exact > self.after.exact:
            self.best, self.after = weights, score
            self.exact = {case for case in self.cases if case.is_exact}

    def _stopped(self, is_settled: bool, rounds: int, left: float | None) -> Stopped | None:
        """Return why no more weights are tried, if there is a reason."""
        if all(case.is_exact for case in self.cases if not case.reason):
            return "satisfied"
        if is_settled or self.rounds >= rounds:
            return "settled" if is_settled else "rounds"
        return "time" if left is not None and left <= 0 else None

    def measured(
        self,
        cases: list[_Fitted],
        weights: dict[str, int],
        title: str,
        end: float | None = None,
        *,
        learn: bool = False,
    ) -> Score | None:
        """
        Repair examples with weights and count the wanted repairs; None when the time ran out.

        With `learn` those that are not as wanted tell what is cheaper. What cannot be repaired leaves the list.
        """
        with self.watch(title, len(cases)) as done:
            for case in list(cases):
                if end is not None and time.monotonic() >= end:
                    return None
                try:
                    result = self.fitter.repaired(case, weights)
                except InputError as error:
                    if not self.keep_going:
                        raise
                    self.fitter.skip(error)
                    cases.remove(case)
                    continue
                case.is_exact = same(result.sequence, case.wanted)
                case.is_tied = case.is_exact and result.ambiguous
                if learn and not case.is_exact:
                    self._learn(case, result, weights)
                done()
        exact, tied = (sum(getattr(c, name) for c in cases) for name in ("is_exact", "is_tied"))
        return Score(examples=len(cases), exact=exact, tied=tied)

    def _learn(self, case: _Fitted, result: RepairResult, weights: dict[str, int]) -> None:
        """Find the ways to the wanted repair, and what is as cheap as the cheapest of them."""
        if case.ways is None:
            case.ways = wanted_repairs(result, case.wanted).found
            case.reason = "" if case.ways else why_unreachable(result, case.wanted)
        if not case.ways:
            return
        kinds = {
            kind: weights.get(self.fitter.model.constants.get(kind, ""), weight)
            for kind, weight in self.fitter.model.kinds.items()
        }
        costs = []
        for way in case.ways:
            cost = Counter(dict(way.rest))
            cost[self.level] += way.weighed(kinds)
            costs.append(dict(cost))
        at_most = min(costs, key=lambda cost: sorted(cost.items(), reverse=True))
        others = cheaper_repairs(result, case.wanted, at_most)
        # one that pays just the same decides nothing, unless nothing else does
        unlike = [other for other in others if other not in case.ways]
        case.others.update(dict.fromkeys(unlike or others))

    @property
    def level(self) -> int:
        """The one level of the criteria."""
        return next(iter(self.fitter.model.levels))

    def explained(self, *, prove: bool = True) -> tuple[tuple[Conflict, ...], tuple[str, ...]]:
        """Say which of the examples that are not satisfied cannot be, and of which nothing is known."""
        cases = self._demands()
        others = [demand for case, demand in cases.items() if case in self.exact]
        conflicts: list[Conflict] = []
        unexplained = []
        for case in self.cases:
            if case in self.exact or case.reason:
                continue
            found = None
            if prove and case in cases and len(conflicts) < MAX_CONFLICTS:
                found = self.fitter.weigher.conflict(cases[case], others)
            if found is None:
                unexplained.append(case.example.name)
            else:
                conflicts.append(self._conflict(found))
        return tuple(conflicts), tuple(unexplained)

    # -- what examples ask of the weights ----------------------------------------

    def _demands(self) -> dict[_Fitted, Case]:
        """Return what each example asks of the weights of which other repairs are known."""
        found = {}
        for number, case in enumerate(self.cases):
            if case.others:
                ways = ((self._row(way, other) for other in case.others) for way in case.ways or ())
                rows = (tuple(dict.fromkeys(row for row in way if row is not None)) for way in ways)
                found[case] = Case(str(number), tuple(rows))
        return found

    def _row(self, way: Paid, other: Paid) -> Row | None:
        """Return what makes a way cheaper than another repair; None where it is anyway."""
        more = Counter(dict(way.rest))
        more.subtract(dict(other.rest))
        for level in sorted(more, reverse=True):
            if level > self.level and more[level]:
                return None if more[level] < 0 else Row((), 1)
        coefficients: Counter[str] = Counter()
        least = 1 + more[self.level]
        for kind, units in _difference(way, other).items():
            if kind in self.fitter.model.constants:
                coefficients[self.fitter.model.constants[kind]] -= units
            else:
                least += units * self.fitter.model.kinds[kind]
        return Row(tuple(sorted(each for each in coefficients.items() if each[1])), least)

    def _conflict(self, demands: list[Case]) -> Conflict:
        """Say what examples ask of the weights that cannot be had together."""
        members = [self.cases[int(demand.name)] for demand in demands]
        wishes = []
        if all(len(demand.ways) == 1 for demand in demands):
            rows = self.fitter.weigher.conflicting_rows([r for d in demands for r in d.ways[0]])
            for case in members:
                (way, *_) = case.ways or ()
                for other in case.others:
                    row = self._row(way, other)
                    if row in rows:
                        rows.remove(row)
                        more = _difference(way, other)
                        wish = Wish(
                            name=case.example.name,
                            place=case.example.place,
                            wanted={kind: units for kind, units in more.items() if units > 0},
                            other={kind: -units for kind, units in more.items() if units < 0},
                        )
                        wishes.append(wish)
        return Conflict(examples=tuple(c.example.name for c in members), wishes=tuple(wishes))


def _difference(way: Paid, other: Paid) -> dict[str, int]:
    """Return how much more of each kind the first one pays."""
    more = Counter(dict(way.units))
    more.subtract(dict(other.units))
    return dict(sorted(more.items()))
