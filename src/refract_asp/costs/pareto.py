"""Finds, of each sequence of a data set, the repairs that trade kinds of edits for one another."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import Field

from refract_asp.costs.models import ExampleTaker, weights_with
from refract_asp.errors import EncodingError, InputError, placed, shown
from refract_asp.model import Catalog, Mapping
from refract_asp.model.catalog import Prepared
from refract_asp.model.comparison import same
from refract_asp.model.example import Example
from refract_asp.model.paths import Frozen
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.rules.policy import alike
from refract_asp.rules.wanted import pareto_front

SCHEMA_VERSION = 1
MAX_REPAIRS = 50
"""So many repairs of one sequence are looked for."""


class Trade(Frozen):
    """
    A repair that no other one beats: none pays as little of everything and less of something.

    Attributes:
        units: the units of each kind that is looked at.
        rest: what all its other penalties cost under the model, by level, the highest first.
        calls: the repaired sequence, a line for each call.
        is_wanted: whether it is the wanted repair, up to labels and order.
    """

    units: dict[str, int]
    rest: dict[int, int]
    calls: tuple[str, ...]
    is_wanted: bool = False


class Front(Frozen):
    """
    The repairs of a sequence that no other one beats.

    Attributes:
        name: its id, else where it stands.
        place: where it stands.
        repairs: the repairs, the one that is cheapest under the model first.
        has_wanted: whether the data says which repair is wanted.
    """

    name: str
    place: str
    repairs: tuple[Trade, ...]
    has_wanted: bool = False


class Pareto(Frozen):
    """
    The repairs of a data set that trade kinds of edits for one another.

    Attributes:
        model: the cost model, by name.
        over: the kinds of penalties that are looked at, each on its own.
        fronts: what was found for each sequence in which something is wrong.
        admissible: in how many sequences nothing is wrong.
        skipped: how many entries of the data could not be read or repaired.
        mistakes: what was wrong with the first of those.
        interrupted: whether only part of the data was looked at, since somebody stopped it.
    """

    schema_version: int = SCHEMA_VERSION
    model: str
    over: tuple[str, ...]
    fronts: tuple[Front, ...] = Field(default=())
    admissible: int = 0
    skipped: int = 0
    mistakes: tuple[str, ...] = ()
    interrupted: bool = False


def pareto(
    examples: Any,
    catalog: Any = None,
    model: str | Path = "default",
    *,
    over: Iterable[str],
    **options: Any,
) -> Pareto:
    """
    Find the repairs of each sequence that trade some kinds of edits, and all the rest, for one another.

    No weights of these kinds make another repair the answer than one of those that are returned.

    Args:
        examples: a data set, as anything that `load_examples` takes.
        catalog: the tools of all examples that bring no catalog of their own.
        model: a cost model, a name or a file: it weighs all other kinds, and says which repair comes first.
        over: the kinds of penalties that are looked at, each on its own.
        options: further options of `Refractor`, as `time_limit`.

    Raises:
        InputError: an entry cannot be read or repaired; the message names its place.
        EncodingError: the model cannot be used, or does not rank one of the kinds.

    Example:
        >>> tool = {"name": "Pay", "parameters": {"amount": {"required": True}}}
        >>> found = pareto(["Pay()"], {"tools": [tool]}, over=["ask", "add_call"])
        >>> [repair.units for repair in found.fronts[0].repairs]
        [{'ask': 1, 'add_call': 0}]
    """
    return ParetoFinder(model, catalog, over, **options).take(examples).pareto()


class ParetoFinder(ExampleTaker):
    """
    Takes examples one by one and finds the repairs of each that no other repair beats.

    Args:
        model: the name of a cost model, or its file.
        catalog: the tools of all examples that bring no catalog of their own.
        over: the kinds of penalties that are looked at, each on its own.
        options: options of a repair by name, as of `Refractor`.

    Raises:
        EncodingError: the model cannot be used, or does not rank one of the kinds.
    """

    def __init__(
        self, model: str | Path, catalog: Any, over: Iterable[str], **options: Any
    ) -> None:
        """Read the cost model and the catalog."""
        how = RepairOptions.of(None, options)
        super().__init__(catalog, options.pop("mappings", ()))
        path, weights = weights_with(how, model)
        self.over = tuple(dict.fromkeys(over))
        for kind in self.over:
            if kind not in weights.kinds:
                what = f"the model {shown(path.stem)} ranks no kind {shown(kind)}."
                kinds = ", ".join(sorted(weights.kinds))
                hint = alike(kind, weights.kinds) or f"Its kinds are {kinds}."
                raise EncodingError(what, hint=hint)
        if not self.over:
            raise InputError("no kind to look at is named.", hint="Name some: ask, add_call, ...")
        self._model = path.stem

        def compiled(catalog: Catalog, *mappings: Mapping) -> Refractor:
            return Refractor(catalog, cost_model=path, mappings=mappings, **options)

        self._refractors = Prepared(compiled)
        self._fronts: list[Front] = []
        self._admissible = 0

    def add(self, example: Example) -> None:
        """
        Find the repairs of an example.

        Raises:
            InputError: it cannot be repaired; the message names its place.
        """
        catalog, mappings = self._given(example)
        refractor = self._refractors(catalog, *mappings)
        if example.goals:
            hint = "Take the goals out of the data."
            raise InputError("it has goals.", where=example.place, hint=hint)
        with placed(example.place):
            result = refractor.repair(example.sequence, example.memory, example.history or ())
        if result.verdict == "valid":
            self._admissible += 1
            return
        wanted = example.expected
        repairs = tuple(
            Trade(
                units=units,
                rest=rest,
                calls=tuple(result._secrets.sequence(sequence).dump("pretty")),
                is_wanted=wanted is not None and same(sequence, wanted),
            )
            for units, rest, sequence in pareto_front(result, self.over, MAX_REPAIRS)
        )
        named = {"name": example.name, "place": example.place}
        self._fronts.append(Front(**named, repairs=repairs, has_wanted=wanted is not None))

    def pareto(self, *, interrupted: bool = False) -> Pareto:
        """Return what was found so far; `interrupted` says that this is not all of the data."""
        return Pareto(
            model=self._model,
            over=self.over,
            fronts=tuple(self._fronts),
            admissible=self._admissible,
            skipped=self._skipped,
            mistakes=tuple(self._mistakes),
            interrupted=interrupted,
        )
