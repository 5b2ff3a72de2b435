"""Finds weights under which the repairs that are wanted are the cheapest ones."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any

from refract_asp.costs.fitted import Fit, Unreachable
from refract_asp.costs.models import model_weights, with_weights
from refract_asp.costs.rounds import Rounds, Watch, unwatched
from refract_asp.costs.weighing import Weigher
from refract_asp.costs.wishes import Fitted
from refract_asp.errors import EncodingError, InputError, LimitError, shown
from refract_asp.formats import load_catalog, load_mappings
from refract_asp.formats.examples import load_examples
from refract_asp.model import Catalog, Mapping, RepairResult
from refract_asp.model.example import Example
from refract_asp.refractor import Refractor
from refract_asp.resources import cost_model_path

__all__ = ["MAX_EXAMPLES", "Fitter", "fit"]

MAX_EXAMPLES = 10_000
"""So many wanted repairs are taken: all of them are held, and repaired in each round."""
MAX_MISTAKES = 100
MAX_COMPILED = 8
LAST_RESORT = "leave_unresolved"


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


def _how_many(examples: int) -> str:
    return f"{examples} example{'' if examples == 1 else 's'}"


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
        is_file = isinstance(start, Path) or str(start).endswith(".lp")
        self._path = Path(start) if is_file else cost_model_path(str(start), folder)
        self._constants = dict(constants or {})
        self._catalog = None if catalog is None else load_catalog(catalog)
        self._mappings = load_mappings(mappings)
        self._options = {**options, "encodings": tuple(encodings), "encodings_dir": encodings_dir}
        extra = tuple(Path(path) for path in self._options["encodings"])
        self._model = model_weights(self._path, folder, extra, self._constants)
        if len(self._model.levels) > 1:
            levels = ", ".join(map(str, sorted(self._model.levels, reverse=True)))
            raise EncodingError(
                f"its criteria are on several levels ({levels}), and weights are fitted within one.",
                where=shown(self._path.name),
                hint="Put all criteria on one level, with weights of a size that keeps them apart.",
            )
        self._text = self._path.read_text("utf-8")
        with_weights(self._text, self._model.values)
        last = self._model.constants.get(LAST_RESORT)
        self._weigher = Weigher(dict(self._model.values), last)
        self._compiled: dict[tuple[int, tuple[Mapping, ...]], tuple[Catalog, Refractor]] = {}
        self._compiled_with: dict[str, int] = {}
        self._cases: list[Fitted] = []
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
            what, hint = (
                "it has goals, and weights are fitted without.",
                "Take the goals out of the data.",
            )
            raise InputError(what, where=example.place, hint=hint)
        catalog = example.catalog or self._catalog
        if catalog is None:
            hint = "Give one for all, or name one in each example."
            raise InputError("there is no catalog for it.", where=example.place, hint=hint)
        if len(self._cases) >= MAX_EXAMPLES:
            what = f"there are more than {MAX_EXAMPLES:,} wanted repairs."
            raise LimitError(what, where=example.place, hint="Take a sample of them.")
        mappings = (*self._mappings, *example.mappings)
        self._cases.append(Fitted(example, example.expected, catalog, mappings))
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
        if not 0 <= holdout < 1:
            raise InputError(
                f"the share {holdout} cannot be held out.", hint="Name one from 0 to below 1."
            )
        if rounds < 1:
            raise InputError(f"{rounds} rounds are too few.", hint="At least one is needed.")
        held = self._held_out(holdout, seed)
        fitted = [case for case in self._cases if case not in held]
        drop = self._drop if keep_going else None
        run = Rounds(self._model, self._weigher, fitted, self._repaired, watch, drop)
        end = None if time_limit is None else time.monotonic() + time_limit
        held_before = held_after = None
        if held:
            kept_out = [case for case in self._cases if case in held]
            held_before = run.measured(kept_out, run.weights, "held out, before")
        stopped = run.search(rounds, end)
        if held and run.best == run.weights:
            held_after = held_before
        elif held and stopped != "interrupted":
            still = [case for case in self._cases if case in held]
            held_after = run.measured(still, run.best, "held out, after")
        conflicts, unexplained = run.explained(prove=stopped != "interrupted")
        changed = {n: (w, run.best[n]) for n, w in self._model.values.items() if w != run.best[n]}
        note = (
            f"the weights of {self._name!r} to {_how_many(run.after.examples)}; of their wanted repairs "
            f"{run.before.exact} were found before, {run.after.exact} are now; data "
            f"{self._digest.hexdigest()[:12]}."
        )
        return Fit(
            start=self._name,
            weights=run.best,
            changed=changed,
            fixed=tuple(sorted(self._model.kinds.keys() - self._model.constants.keys())),
            before=run.before,
            after=run.after,
            held_out_before=held_before,
            held_out_after=held_after,
            unreachable=tuple(
                Unreachable(name=case.example.name, place=case.example.place, reason=case.reason)
                for case in run.cases
                if case.reason and not case.is_exact
            ),
            conflicts=conflicts,
            unexplained=unexplained,
            without=self._without,
            skipped=self._skipped,
            mistakes=tuple(self._mistakes),
            rounds=run.rounds,
            stopped=stopped,
            model=with_weights(self._text, run.best, note),
        )

    # -- steps -----------------------------------------------------------------

    @property
    def _name(self) -> str:
        """The name of the model, without the folder that it is in."""
        return shown(self._path.stem, 80)

    def _held_out(self, share: float, seed: int) -> set[Fitted]:
        count = round(share * len(self._cases))
        return set(random.Random(seed).sample(self._cases, count))

    def _drop(self, case: Fitted, error: InputError) -> None:
        """Leave out an example that cannot be repaired."""
        self._cases.remove(case)
        self.skip(error)

    def _repaired(self, case: Fitted, weights: dict[str, int]) -> RepairResult:
        """Repair an example with such weights."""
        if self._compiled_with != weights:
            self._compiled.clear()
            self._compiled_with = dict(weights)
        key = (id(case.catalog), case.mappings)
        if key not in self._compiled:
            if len(self._compiled) >= MAX_COMPILED:
                del self._compiled[next(iter(self._compiled))]
            refractor = Refractor(
                case.catalog,
                mappings=case.mappings,
                cost_model=self._path,
                constants={**self._constants, **weights},
                **self._options,
            )
            self._compiled[key] = (case.catalog, refractor)
        example = case.example
        try:
            return self._compiled[key][1].repair(
                example.sequence, example.memory, example.history or ()
            )
        except InputError as error:
            where = ": ".join(part for part in (example.place, error.where) if part)
            raise type(error)(error.what, where=where, hint=error.hint) from None
