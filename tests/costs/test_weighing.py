"""Finding whole numbers as weights: against all there are, on small problems."""

from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Catalog, Refractor
from refract_asp.costs import pareto
from refract_asp.costs.fit import Case, Row, Weigher
from refract_asp.formats.examples import load_examples

NAMES = ("a", "b", "c")
FEW = 9


def case(name: str, *ways: list[tuple[dict[str, int], int]]) -> Case:
    rows = ([Row(tuple(sorted(counts.items())), least) for counts, least in way] for way in ways)
    return Case(name, tuple(map(tuple, rows)))


def cheaper(name: str, dear: str, cheap: str) -> Case:
    """Ask for one weight to be above another one."""
    return case(name, [({dear: 1, cheap: -1}, 1)])


def far(start: dict[str, int], weights: dict[str, int]) -> int:
    return sum(abs(start[name] - weights[name]) for name in start)


ROWS = st.tuples(
    st.dictionaries(st.sampled_from(NAMES), st.integers(-2, 2).filter(bool), max_size=3),
    st.integers(-2, 3),
)
WAYS = st.lists(ROWS, min_size=1, max_size=2)
CASES = st.lists(st.lists(WAYS, min_size=1, max_size=2), min_size=1, max_size=4)
STARTS = st.fixed_dictionaries({name: st.integers(0, 4) for name in NAMES})


@given(CASES, STARTS)
@settings(max_examples=examples(50), derandomize=True, database=None)
def test_as_many_cases_as_can_be_with_weights_as_near_as_can_be(
    drawn: list[list[list[tuple[dict[str, int], int]]]], start: dict[str, int]
) -> None:
    cases = [case(str(number), *ways) for number, ways in enumerate(drawn)]
    found = Weigher(start).weights(cases)
    assert found is not None
    ranges = [range(min(1, start[name]), FEW) for name in NAMES]  # what cost something goes on to
    every = [dict(zip(NAMES, values, strict=True)) for values in product(*ranges)]
    most = max(sum(each.holds(weights) for each in cases) for weights in every)
    mine = sum(each.holds(found) for each in cases)
    assert mine >= most
    nearest = [far(start, w) for w in every if sum(each.holds(w) for each in cases) == mine]
    assert not nearest or far(start, found) <= min(nearest)


@pytest.mark.slow
def test_a_circle_is_a_conflict_and_the_rest_is_none() -> None:
    circle = [cheaper("1", "a", "b"), cheaper("2", "b", "c"), cheaper("3", "c", "a")]
    other = case("4", [({"a": 1}, 1)])
    weigher = Weigher({"a": 1, "b": 1, "c": 1})
    found = weigher.conflict(circle[2], [other, *circle[:2]])
    assert found is not None
    assert {each.name for each in found} == {"1", "2", "3"}
    assert weigher.conflict(other, circle[:2]) is None


def test_a_case_that_no_weights_satisfy_is_a_conflict_alone_and_spoils_no_other() -> None:
    hopeless = case("x", [({"a": -1}, 1)])
    weigher = Weigher({"a": 1, "b": 1})
    assert weigher.conflict(hopeless, [cheaper("y", "a", "b")]) == [hopeless]
    found = weigher.weights([hopeless, cheaper("y", "a", "b")])
    assert found["a"] > found["b"]


FROM = [{"last": 2000, "a": 30, "b": 1000}, {"last": 40, "a": 30, "b": 3}]


@pytest.mark.parametrize("start", FROM)
def test_to_leave_a_call_stays_far_dearer(start: dict[str, int]) -> None:
    found = Weigher(start, "last").weights([case("x", [({"a": 1}, 90)]), cheaper("y", "b", "a")])
    assert found["a"] >= 90
    assert found["b"] > found["a"]
    assert found["last"] >= start["last"]
    for name in ("a", "b"):
        assert found["last"] >= min(20, start["last"] // start[name]) * found[name]


# -- the repairs that trade kinds of edits for one another -----------------------------


REPAIRS = Path(__file__).parents[2] / "docs" / "examples" / "repairs.jsonl"
OVER = ("ask", "fill", "add_call")


@pytest.mark.parametrize("weights", [(35, 13, 22), (1, 13, 90), (80, 60, 2)])
def test_none_beats_another_and_any_weights_choose_one(weights: Any, catalog: Catalog) -> None:
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
