"""The repairs that trade kinds of edits for one another."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.costs import pareto
from refract_asp.formats.examples import load_examples

REPAIRS = Path(__file__).parents[2] / "docs" / "examples" / "repairs.jsonl"
OVER = ("ask", "fill", "add_call")


@pytest.mark.parametrize("weights", [(35, 13, 22), (1, 13, 90), (80, 60, 2)])
def test_none_beats_another_and_any_weights_choose_one(
    weights: tuple[int, ...], catalog: Catalog
) -> None:
    fronts = {front.name: front for front in pareto(REPAIRS, catalog, over=OVER).fronts}
    constants = {f"weight_{kind}": weight for kind, weight in zip(OVER, weights, strict=True)}
    refractor = Refractor(catalog, constants=constants)
    for example in load_examples(REPAIRS):
        repairs = fronts[example.name].repairs if example.name in fronts else ()
        answer = refractor.repair(example.sequence, example.memory).sequence.dump("pretty")
        assert not repairs or tuple(answer) in [each.calls for each in repairs]
        paid = [[*each.units.values(), *each.rest.values()] for each in repairs]
        for mine, theirs in permutations(paid, 2):
            assert any(one < other for one, other in zip(mine, theirs, strict=True))
