"""When sequences are the same, and how far they are from each other when they are not."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Sequence
from refract_asp.model import Call, Constant, Reference, Source
from refract_asp.model.comparison import MAX_PAIRED, assigned, canonical, digests, distance, same
from yaml_files import read_yaml

CASES = read_yaml(Path(__file__).parent / "closeness.yaml")
WANTED = """\
var1 = Airport(query="New York")
var2 = Airport(query="London")
var3 = Flights(origin="$var1.id$", target="$var2.id$", day=3)
"""


def of(text: str) -> Sequence:
    return Sequence.load(text, "pretty")


@pytest.mark.parametrize("case", CASES["changed"], ids=lambda case: str(case["texts"]))
def test_tokens_that_differ(case: dict[str, Any]) -> None:
    tokens = case["tokens"]
    text = WANTED
    for old, new in case["texts"]:
        assert old in text
        text = text.replace(old, new)
    assert distance(of(WANTED), of(text)) == tokens
    assert distance(of(text), of(WANTED)) == tokens
    assert same(of(WANTED), of(text)) is (tokens == 0)


@pytest.mark.parametrize("case", CASES["distances"])
def test_distance(case: dict[str, Any]) -> None:
    one, other, tokens = of(case["one"]), of(case["other"]), case["tokens"]
    assert distance(one, other) == distance(other, one) == tokens
    assert same(one, other) is (tokens == 0)


def test_what_is_returned_counts() -> None:
    bare = of(WANTED)
    returning = bare.model_copy(update={"returns": {"flights": Reference(label="var3")}})
    other = bare.model_copy(update={"returns": {"flights": Reference(label="var2")}})
    empty: dict[str, Source] = {}
    assert distance(bare, returning) == 3
    assert distance(returning, other) == 1
    assert distance(bare, bare.model_copy(update={"returns": empty})) == 1
    assert len(digests(returning)) == 3
    assert canonical(returning).total() == 4


def test_unreadable_arguments_are_not_no_arguments() -> None:
    none, broken = Call(name="A"), Call(name="A", malformed="it is cut off")
    assert distance(Sequence(calls=(none,)), Sequence(calls=(broken,))) == 1


@given(st.lists(st.lists(st.integers(-9, 9), min_size=5, max_size=5), max_size=5))
@settings(max_examples=examples(200), derandomize=True, database=None)
def test_no_other_assignment_is_cheaper(costs: list[list[int]]) -> None:
    chosen = assigned(costs)
    assert len(set(chosen)) == len(costs)
    least = min(
        sum(costs[row][column] for row, column in enumerate(columns))
        for columns in permutations(range(5), len(costs))
    )
    assert sum(costs[row][column] for row, column in enumerate(chosen)) == least


@pytest.mark.slow
def test_many_calls_are_paired_within_their_tools() -> None:
    def many(shift: int, tools: int) -> Sequence:
        given = [(f"T{n % tools}", {"x": Constant(value=n + shift)}) for n in range(800)]
        return Sequence(calls=tuple(Call(name=name, arguments=each) for name, each in given))

    assert MAX_PAIRED < 800
    assert distance(many(0, 3), many(1000, 3)) == 800
    assert distance(many(1000, 3), many(0, 3)) == 800
    assert distance(many(0, 3), many(0, 3)) == 0
    ahead = Sequence(calls=many(1000, 3).calls[:700])
    assert distance(many(0, 3), ahead) == distance(ahead, many(0, 3)) >= 700 + 100 * 3
