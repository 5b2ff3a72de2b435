"""What examples ask of the weights: that the wanted repair be cheaper than another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from refract_asp.costs.fitted import Conflict, Wish
from refract_asp.costs.models import ModelWeights
from refract_asp.costs.weighing import Case, Row, Weigher
from refract_asp.model import Catalog, Sequence
from refract_asp.model import Mapping as OutputMapping
from refract_asp.model.example import Example
from refract_asp.rules.wanted import Paid

__all__ = ["Fitted", "Wishes"]


@dataclass(slots=True, eq=False)
class Fitted:
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
    mappings: tuple[OutputMapping, ...]
    ways: tuple[Paid, ...] | None = None
    reason: str = ""
    others: dict[Paid, None] = field(default_factory=dict)
    is_exact: bool = False
    is_tied: bool = False


@dataclass(frozen=True, slots=True)
class Wishes:
    """Turns what repairs pay into demands on the weights of a model."""

    model: ModelWeights

    @property
    def level(self) -> int:
        """The one level of its criteria."""
        return next(iter(self.model.levels))

    def cost(self, way: Paid, weights: Mapping[str, int]) -> dict[int, int]:
        """Return what a way costs with such weights, by level."""
        model = self.model
        kinds = {
            kind: weights[model.constants[kind]] if kind in model.constants else weight
            for kind, weight in model.kinds.items()
        }
        cost = dict(way.rest)
        cost[self.level] = cost.get(self.level, 0) + way.weighed(kinds)
        return cost

    def case(self, name: str, fitted: Fitted) -> Case:
        """Return what an example asks of the weights."""
        ways = []
        for way in fitted.ways or ():
            rows = (self._row(way, other) for other in fitted.others)
            ways.append(tuple(dict.fromkeys(row for row in rows if row is not None)))
        return Case(name, tuple(ways))

    def _row(self, way: Paid, other: Paid) -> Row | None:
        """Return what makes a way cheaper than another repair; None where it is anyway."""
        model, level = self.model, self.level
        mine, yours = dict(way.rest), dict(other.rest)
        for above in sorted(
            {each for each in mine.keys() | yours.keys() if each > level}, reverse=True
        ):
            if mine.get(above, 0) != yours.get(above, 0):
                return None if mine.get(above, 0) < yours.get(above, 0) else Row((), 1)
        coefficients: dict[str, int] = {}
        least = 1 + mine.get(level, 0) - yours.get(level, 0)
        for kind, units in _difference(way, other).items():
            if kind in model.constants:
                name = model.constants[kind]
                coefficients[name] = coefficients.get(name, 0) - units
            else:
                least += units * model.kinds[kind]
        kept = tuple(sorted((name, factor) for name, factor in coefficients.items() if factor))
        return Row(kept, least)

    def conflict(self, members: list[Fitted], cases: list[Case], weigher: Weigher) -> Conflict:
        """Say what examples ask of the weights that cannot be had together."""
        names = tuple(each.example.name for each in members)
        if any(len(case.ways) != 1 for case in cases):
            return Conflict(examples=names)
        rows = weigher.conflicting_rows([row for case in cases for row in case.ways[0]])
        wishes = []
        for each in members:
            way = (each.ways or ())[0]
            for other in each.others:
                row = self._row(way, other)
                if row in rows:
                    rows.remove(row)
                    wishes.append(_wish(each, way, other))
        return Conflict(examples=names, wishes=tuple(wishes))


def _difference(way: Paid, other: Paid) -> dict[str, int]:
    """Return how much more of each kind the first one pays."""
    mine, yours = dict(way.units), dict(other.units)
    kinds = sorted(mine.keys() | yours.keys())
    return {kind: mine.get(kind, 0) - yours.get(kind, 0) for kind in kinds}


def _wish(fitted: Fitted, way: Paid, other: Paid) -> Wish:
    more = _difference(way, other)
    return Wish(
        name=fitted.example.name,
        place=fitted.example.place,
        wanted={kind: units for kind, units in more.items() if units > 0},
        other={kind: -units for kind, units in more.items() if units < 0},
    )
