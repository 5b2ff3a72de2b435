"""When sequences are the same, and how far they are from each other when they are not."""

from __future__ import annotations

import pytest

from refract_asp import Sequence
from refract_asp.model import Call, Constant, Reference, Source
from refract_asp.model.comparison import MAX_PAIRED, canonical, digests, distance, same

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


def test_an_error_is_not_paid_by_all_that_read_from_it() -> None:
    chain = 'a = A(x=1)\nb = B(x="$a.y$")\nc = C(x="$b.y$")\nd = D(x="$c.y$")'
    assert distance(of(chain), of(chain.replace("A(x=1)", "A(x=2)"))) == 1


def test_who_reads_from_whom_decides_between_equal_partners() -> None:
    wanted = 'a = A(x=1)\nb = A(x=2)\nc = B(x="$a.y$", z="$b.y$")'
    asked = 'ask(x)\na = A(x=x)\nb = A(x=x)\nc = B(x="$a.y$", z="$b.y$")'
    assert distance(of(wanted), of(asked)) == 2


def test_independent_calls_may_change_places() -> None:
    lines = WANTED.splitlines()
    assert same(of(WANTED), of("\n".join([lines[1], lines[0], lines[2]])))


def test_a_call_is_missed_once_for_each_time_that_it_stands_there() -> None:
    twice = 'a = A(x=1)\nb = A(x=1)\nc = B(x="$a.y$")'
    once = 'a = A(x=1)\nc = B(x="$a.y$")'
    assert (distance(of(twice), of(once)), same(of(twice), of(once))) == (3, False)


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


def test_nothing_against_something() -> None:
    assert distance(Sequence(), Sequence()) == 0
    assert distance(Sequence(), of(WANTED)) == distance(of(WANTED), Sequence()) == 13


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
