"""Runs two cost models over the same examples and counts where they differ."""

from __future__ import annotations

import json
import statistics
import time
from array import array
from collections import Counter
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any

from refract_asp.costs.models import ExampleTaker
from refract_asp.errors import placed, shown
from refract_asp.model import Catalog, Edit, Mapping, RepairResult, Sequence, Verdict
from refract_asp.model.catalog import Prepared
from refract_asp.model.comparison import distance, same
from refract_asp.model.example import Example
from refract_asp.model.paths import Frozen
from refract_asp.model.shares import sign_test
from refract_asp.refractor import Refractor


class ComparedModel(Frozen):
    """
    One of the two models, and how its repairs went.

    Attributes:
        name: the cost model as it was asked for, a name or a file.
        constants: the constants that were changed.
        median_seconds: what a repair took, the check before it included; None where nothing was repaired.
        unproven: how many answers are not proven to be the cheapest.
        unanswered: for how many examples the time ran out before any answer.
    """

    name: str
    constants: dict[str, int] = {}
    median_seconds: float | None = None
    unproven: int = 0
    unanswered: int = 0


class EditCount(Frozen):
    """How often edits of one kind are made by A alone, by B alone, and by both at the same place."""

    kind: str
    only_a: int = 0
    only_b: int = 0
    both: int = 0


class VerdictChange(Frozen):
    """How many examples have one verdict with A and another one with B."""

    a: Verdict
    b: Verdict
    examples: int


_COUNTED = ("inadmissible", "a_closer", "b_closer", "a_exact", "b_exact")


class Closeness(Frozen):
    """
    Which model is closer to the wanted repairs.

    Attributes:
        examples: how many examples have a wanted repair.
        inadmissible: for how many of them the wanted repair is wrong itself, so that no model reaches it.
        a_closer: for how many of them the answer of A differs from it in fewer tokens than that of B.
        b_closer: likewise for B.
        equal: for how many both differ in the same number of tokens.
        a_exact: for how many the answer of A is the wanted one, up to labels and order.
        b_exact: likewise for B.
        a_mean: in how many tokens the answers of A differ from the wanted ones, on average.
        b_mean: likewise for B.
        p_value: how likely a split between `a_closer` and `b_closer` at least as uneven would be if it were
            chance which model is closer (two-sided sign test).
    """

    examples: int
    inadmissible: int = 0
    a_closer: int
    b_closer: int
    equal: int
    a_exact: int
    b_exact: int
    a_mean: float
    b_mean: float
    p_value: float


class Answer(Frozen):
    """
    The answer of one model to one example.

    Attributes:
        verdict: the answer in one word.
        optimal: whether it is proven that nothing is cheaper.
        edits: what was changed.
        cost: what it costs under this model, by criterion.
        distance: in how many tokens it differs from the wanted repair; None where none is given.
        diff: the given sequence against the repaired one.
        seconds: what the repair took.
    """

    verdict: Verdict
    optimal: bool
    edits: tuple[Edit, ...]
    cost: dict[str, int]
    distance: int | None
    diff: str
    seconds: float


class Difference(Frozen):
    """
    An example to which the two models give different answers.

    Attributes:
        name: its id, else its place.
        place: its file and line, or its index.
        same_calls: whether both answers hold the same calls, up to labels and order.
        expected: the wanted repair, a line for each call; None where none is given.
        a: the answer of A.
        b: the answer of B.
    """

    name: str
    place: str
    same_calls: bool
    expected: tuple[str, ...] | None
    a: Answer
    b: Answer


class Comparison(Frozen):
    """
    Where two cost models differ on a data set.

    Attributes:
        a: the first model.
        b: the second model.
        examples: how many were repaired by both.
        differing: how many of them have different answers: another verdict, edit or call.
        same_calls: how many of those hold the same calls all the same, up to labels and order.
        edits: for each kind of edit how often it is made.
        verdicts: which verdicts changed, the commonest change first.
        closeness: which model is closer to the wanted repairs; None where no example has one.
        differences: the examples that differ, in the order of the data; all, or as many as were to be kept.
        skipped: how many entries of the data could not be read or repaired.
        mistakes: what was wrong with the first of those.
        interrupted: whether only part of the data was looked at, since somebody stopped it.
    """

    schema_version: int = 1
    a: ComparedModel
    b: ComparedModel
    examples: int = 0
    differing: int = 0
    same_calls: int = 0
    edits: tuple[EditCount, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()
    closeness: Closeness | None = None
    differences: tuple[Difference, ...] = ()
    skipped: int = 0
    mistakes: tuple[str, ...] = ()
    interrupted: bool = False


# The fields of an edit about its cause, not about what it changes.
_ASIDE = {"cost", "answers", "risky", "label", "pattern"}


def compare(
    examples: Any,
    catalog: Any = None,
    a: str | Path = "default",
    b: str | Path = "refraction",
    *,
    keep_going: bool = False,
    **options: Any,
) -> Comparison:
    """
    Repair every example with two cost models, and say where they differ.

    Args:
        examples: a data set, as anything that `load_examples` takes.
        catalog: the tools of all examples that bring no catalog of their own.
        a: the name of the first cost model, or its file.
        b: the second one.
        keep_going: whether entries that cannot be read or repaired are counted and passed over.
        options: further ones of `Comparer`.

    Raises:
        InputError: an entry cannot be read or repaired; the message names its place.
        EncodingError: a model cannot be used.

    Example:
        >>> catalog = {"tools": [{"name": "Pay", "parameters": {"amount": {"required": True}}}]}
        >>> found = compare([{"sequence": "Py(amount=3)", "expected": "Pay(amount=3)"}], catalog)
        >>> found.examples, found.closeness.a_exact
        (1, 1)
    """
    return Comparer(a, b, catalog, **options).take(examples, keep_going=keep_going).comparison()


def _changes(result: RepairResult) -> Counter[tuple[str, str]]:
    """Return the edits by what they change where, and how often."""
    return Counter(
        (edit.kind, json.dumps(edit.model_dump(mode="json", exclude=_ASIDE), sort_keys=True))
        for edit in result.edits
    )


class Comparer(ExampleTaker):
    """
    Takes examples one by one and counts where two cost models differ; ask at any time for the comparison.

    Args:
        a: the name of the first cost model, or its file.
        b: the second one.
        catalog: the tools of all examples that bring no catalog of their own.
        constants: values for constants of the encodings, for both models.
        constants_a: further ones for A.
        constants_b: further ones for B.
        mappings: which outputs may fill which parameters, in all examples.
        keep: how many of the examples that differ are kept with both answers; None for all.
        options: further options of `Refractor`, the same for both, as `time_limit`.

    Raises:
        EncodingError: a model or a constant cannot be used.
    """

    def __init__(
        self,
        a: str | Path,
        b: str | Path,
        catalog: Any = None,
        *,
        constants: MappingOf[str, int] | None = None,
        constants_a: MappingOf[str, int] | None = None,
        constants_b: MappingOf[str, int] | None = None,
        mappings: Any = (),
        keep: int | None = None,
        **options: Any,
    ) -> None:
        """Compile the catalog and read both models."""
        super().__init__(catalog, mappings)
        shared = dict(constants or {})
        self._models = {
            "a": (a, shared | dict(constants_a or {})),
            "b": (b, shared | dict(constants_b or {})),
        }
        self._options = options
        self._refractors = Prepared(self._compiled)
        self._keep = keep
        self._counts: Counter[str] = Counter()
        self._seconds = {side: array("d") for side in self._models}
        self._edits = {name: Counter[str]() for name in ("only_a", "only_b", "both")}
        self._verdicts: Counter[tuple[Verdict, Verdict]] = Counter()
        self._differences: list[Difference] = []
        # a model that is wrong is refused first
        self._refractors(self._catalog or Catalog(), *self._mappings)

    def add(self, example: Example) -> bool:
        """
        Repair an example with both models.

        Returns:
            Whether the answers differ.

        Raises:
            InputError: it cannot be repaired, as when it is too large; the message names its place.
        """
        catalog, mappings = self._given(example)
        with placed(example.place):
            refractors = self._refractors(catalog, *mappings)
            given = (example.sequence, example.memory, example.history or (), example.goals)
            turn = -1 if self._counts["examples"] % 2 else 1  # who comes second finds warm caches
            found = []
            for refractor in refractors[::turn]:
                start = time.perf_counter()
                found.append((refractor.repair(*given), time.perf_counter() - start))
        (a, _), (b, _) = found[::turn]
        counts = self._counts
        counts["examples"] += 1
        a_answer = self._answer("a", *found[::turn][0], example.expected)
        b_answer = self._answer("b", *found[::turn][1], example.expected)
        if a_answer.distance is not None and b_answer.distance is not None:
            counts["wanted"] += 1
            wanted = refractors[0].check(example.expected, *given[1:])
            counts["inadmissible"] += wanted.verdict == "invalid"
            counts["a_closer"] += a_answer.distance < b_answer.distance
            counts["b_closer"] += b_answer.distance < a_answer.distance
        a_edits, b_edits = _changes(a), _changes(b)
        shares = {"only_a": a_edits - b_edits, "only_b": b_edits - a_edits}
        for name, changes in {**shares, "both": a_edits & b_edits}.items():
            self._edits[name].update(kind for kind, _ in changes.elements())
        if a.verdict != b.verdict:
            self._verdicts[a.verdict, b.verdict] += 1
        if (a.verdict, a_edits, a.sequence) == (b.verdict, b_edits, b.sequence):
            return False
        same_calls = same(a.sequence, b.sequence)
        counts["differing"] += 1
        counts["same_calls"] += same_calls
        if self._keep is None or len(self._differences) < self._keep:
            clean = example.expected and a._secrets.sequence(example.expected)
            difference = Difference(
                name=example.name,
                place=example.place,
                same_calls=same_calls,
                expected=clean and tuple(clean.dump("pretty")),
                a=a_answer.model_copy(update={"diff": a.diff()}),
                b=b_answer.model_copy(update={"diff": b.diff()}),
            )
            self._differences.append(difference)
        return True

    def _answer(
        self, side: str, result: RepairResult, seconds: float, wanted: Sequence | None
    ) -> Answer:
        """Count how a repair by one of the models went, and return its figures."""
        far = None if wanted is None else distance(result.sequence, wanted)
        counts, told = self._counts, ("verdict", "optimal", "edits", "cost")
        self._seconds[side].append(seconds)
        counts[f"{side}_unanswered"] += bool(result.note)
        counts[f"{side}_unproven"] += not result.note and not result.optimal
        counts[f"{side}_distance"] += far or 0
        counts[f"{side}_exact"] += far == 0
        answer = {name: getattr(result, name) for name in told}
        return Answer(**answer, distance=far, diff="", seconds=seconds)

    def comparison(self, *, interrupted: bool = False) -> Comparison:
        """Return what was found so far; `interrupted` says that this is not all of the data."""
        counts, wanted, edits = self._counts, self._counts["wanted"], self._edits
        changes = sorted(self._verdicts.items(), key=lambda item: (-item[1], item[0]))
        closeness = wanted and Closeness(
            examples=wanted,
            **{name: counts[name] for name in _COUNTED},
            equal=wanted - counts["a_closer"] - counts["b_closer"],
            a_mean=counts["a_distance"] / wanted,
            b_mean=counts["b_distance"] / wanted,
            p_value=sign_test(counts["a_closer"], counts["b_closer"]),
        )
        models = {
            side: ComparedModel(
                name=shown(cost_model),
                constants=constants,
                median_seconds=statistics.median(found) if (found := self._seconds[side]) else None,
                unproven=counts[f"{side}_unproven"],
                unanswered=counts[f"{side}_unanswered"],
            )
            for side, (cost_model, constants) in self._models.items()
        }
        return Comparison(
            **models,
            **{name: counts[name] for name in ("examples", "differing", "same_calls")},
            edits=tuple(
                EditCount(kind=kind, **{name: counts[kind] for name, counts in edits.items()})
                for kind in sorted(set().union(*edits.values()))
            ),
            verdicts=tuple(VerdictChange(a=a, b=b, examples=count) for (a, b), count in changes),
            closeness=closeness or None,
            differences=tuple(self._differences),
            skipped=self._skipped,
            mistakes=tuple(self._mistakes),
            interrupted=interrupted,
        )

    def _compiled(self, catalog: Catalog, *mappings: Mapping) -> list[Refractor]:
        how = {"mappings": mappings, **self._options}
        return [
            Refractor(catalog, cost_model=cost_model, constants=constants, **how)
            for cost_model, constants in self._models.values()
        ]
