"""When sequences are the same, and how far they are from each other when they are not."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Sequence
from refract_asp.model import Call, Constant, Reference, Source
from refract_asp.model.comparison import MAX_PAIRED, assigned, canonical, digests, distance, same

WANTED = """\
var1 = Airport(query="New York")
var2 = Airport(query="London")
var3 = Flights(origin="$var1.id$", target="$var2.id$", day=3)
"""


def of(text: str) -> Sequence:
    return Sequence.load(text, "pretty")


@pytest.mark.parametrize(
    ("changed", "tokens"),
    [
        ((), 0),
        ((("var1", "a"), ("var2", "b"), ("var3", "c")), 0),
        ((("New York", "Paris"),), 1),  # paid once, not by the reader as well
        ((('Airport(query="London")', 'Station(query="London")'),), 1),
        ((("query", "q"),), 2 * 4),  # two arguments go, and two come
        (((", day=3", ""),), 2),
        ((("day=3", "day=4"),), 1),
        ((("day=3", "day=3.0"),), 1),
        ((("day=3", "day=day"),), 1),
        ((("$var2.id$", "$var1.id$"),), 1),
        ((("$var2.id$", "$var2.name$"),), 1),
        ((('target="$var2.id$"', 'target="to $var2.id$"'),), 1),
        ((('var2 = Airport(query="London")\n', ""), ("$var2.id$", "London")), 4),
        ((("var3 =", 'var4 = Airport(query="Rome")\nvar3 ='),), 3),
        (
            (("New York", "x"), ("London", "New York"), ("x", "London")),
            2,
        ),  # both are read by the other one
    ],
)
def test_tokens_that_differ(changed: tuple[tuple[str, str], ...], tokens: int) -> None:
    text = WANTED
    for old, new in changed:
        assert old in text
        text = text.replace(old, new)
    assert distance(of(WANTED), of(text)) == tokens
    assert distance(of(text), of(WANTED)) == tokens
    assert same(of(WANTED), of(text)) is (tokens == 0)


@pytest.mark.parametrize(
    ("one", "other", "tokens"),
    [
        # An error is not paid by all that read from it.
        (
            'a = A(x=1)\nb = B(x="$a.y$")\nC(x="$b.y$")',
            'a = A(x=2)\nb = B(x="$a.y$")\nC(x="$b.y$")',
            1,
        ),
        # Who reads from whom decides between equal partners.
        (
            'a = A(x=1)\nb = A(x=2)\nc = B(x="$a.y$", z="$b.y$")',
            'ask(x)\na = A(x=x)\nb = A(x=x)\nc = B(x="$a.y$", z="$b.y$")',
            2,
        ),
        ("a = A(x=1)\nb = B(x=1)", "b = B(x=1)\na = A(x=1)", 0),  # independent calls
        # A call is missed once for each time that it stands there.
        ('a = A(x=1)\nb = A(x=1)\nc = B(x="$a.y$")', 'a = A(x=1)\nc = B(x="$a.y$")', 3),
        ("", WANTED, 13),
    ],
)
def test_distance(one: str, other: str, tokens: int) -> None:
    assert distance(of(one), of(other)) == distance(of(other), of(one)) == tokens
    assert same(of(one), of(other)) is (tokens == 0)


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
        return Sequence(
            calls=tuple(
                Call(name=f"T{n % tools}", arguments={"x": Constant(value=n + shift)})
                for n in range(800)
            )
        )

    assert MAX_PAIRED < 800
    assert distance(many(0, 3), many(1000, 3)) == 800
    assert distance(many(1000, 3), many(0, 3)) == 800
    assert distance(many(0, 3), many(0, 3)) == 0
    ahead = Sequence(calls=many(1000, 3).calls[:700])
    assert distance(many(0, 3), ahead) == distance(ahead, many(0, 3)) >= 700 + 100 * 3
