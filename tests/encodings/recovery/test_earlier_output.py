"""earlier_output.lp: what fits, what is backed, and what merely nobody uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import pair, returning, unlike

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"page")).
in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
"""
CALLS = (
    TOOLS
    + """
in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").
in_name(1, "Book"). in_label(1, "b").
"""
)
USED = """
in_call(2). in_name(2, "Book"). in_label(2, "c"). in_arg(2, "key").
in_ref(2, "key", 0, "a", "page"). in_producer(2, "key", 0, 0).
"""
KEY, PAGE, ASKED = (
    'out_fill(1,"key",0,"key")',
    'out_fill(1,"key",0,"page")',
    'out_fill(1,"key",ask,"")',
)

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def fit(path: str, distance: int) -> str:
    return f'''
    in_fit("Find", "{path}", "Book", "key", {distance}). in_rank("Find", "{path}", "Book", "key", 0).
    '''


def test_a_likeness_of_names_speaks_for_a_value(optima: Optima) -> None:
    answer = optima(CALLS + fit("key", 0) + fit("page", 5))
    assert answer.chosen == {KEY}
    assert answer.paid() == [
        'fill,1,argument(1,"key")',
        'fit_distance,0,argument(1,"key")',
    ]


def test_what_does_not_fit_is_not_offered(possible: Possible) -> None:
    assert {KEY, PAGE, ASKED} & possible(CALLS + fit("key", 19)) == {KEY, ASKED}
    assert {KEY, PAGE, ASKED} & possible(CALLS) == {ASKED}


def test_the_call_must_come_before(possible: Possible) -> None:
    later = (
        TOOLS
        + """
    in_call(0..1). in_name(1, "Find"). in_label(1, "a"). in_arg(1, "query"). in_name(0, "Book").
    """
    )
    assert 'out_fill(0,"key",1,"key")' not in possible(later + fit("key", 0))


def test_the_call_must_be_one_that_can_be_read(possible: Possible) -> None:
    """One whose label is borne by a later call was executed, but nobody can read from it any more."""
    executed = 'in_executed(-1). in_name(-1, "Find").' + fit("key", 0)
    read = KEY.replace("0", "-1")
    assert read not in possible(CALLS + executed)
    assert read in possible(CALLS + executed + "in_call(-1).")


def test_what_the_sequence_does_elsewhere_backs_a_value(optima: Optima) -> None:
    """The page feeds the key of another booking, so it weighs nothing that the names are unlike."""
    answer = optima(CALLS + USED + fit("page", 19))
    assert answer.chosen == {PAGE}
    assert answer.paid() == ['fill,1,argument(1,"key")']


def test_a_mapping_backs_a_value(optima: Optima) -> None:
    """How unsure it is stands in the place of the likeness; at 20 nothing but the mapping speaks for it."""
    mapping = 'in_mapping("Find", "page", "Book", "key").'
    answer = optima(CALLS + fit("key", 14) + fit("page", 3) + mapping)
    assert answer.chosen == {PAGE}
    assert answer.paid() == ['fill,1,argument(1,"key")', 'fit_distance,3,argument(1,"key")']
    idle = unlike("key", "page")
    assert optima(CALLS + idle, rules=f":- not {PAGE[4:]}.").paid() == ['ask,1,argument(1,"key")']
    assert optima(CALLS + idle + mapping).chosen == {PAGE}


def test_a_call_that_nobody_reads_is_offered_without_any_likeness(possible: Possible) -> None:
    assert KEY in possible(CALLS + unlike("key"))
    assert KEY not in possible(CALLS + USED + unlike("key"))


def test_a_call_that_feeds_the_reader_anyway_is_offered_too(possible: Possible) -> None:
    facts = CALLS + unlike("key") + 'in_param("Book", "note"). in_arg(1, "note").'
    feeds = 'in_ref(1, "note", 0, "a", "page"). in_producer(1, "note", 0, 0).'
    other = USED.replace('"page"', '"key"').replace("in_arg(2", 'in_param("Book", "x"). in_arg(2')
    assert KEY in possible(facts + feeds)
    assert KEY not in possible(facts + other.replace('2, "key", 0', '2, "x", 0'))


@pytest.mark.parametrize("paths", [("key",), ("key", "page")], ids=["one", "several"])
def test_an_idle_value_is_as_dear_as_an_ask_which_ranks_first(
    paths: tuple[str, ...], optima: Optima
) -> None:
    ranked = "".join(f'in_rank("Find", "{path}", "Book", "key", 0).' for path in paths)
    found = optima(CALLS + unlike(*paths) + ranked)
    assert len(found.answers) == 1 + len(paths)
    assert [rank(answer) for answer in found.answers if ASKED in answer] == [0]
    assert {rank(answer) for answer in found.answers if ASKED not in answer} == {1}


def test_to_return_what_a_call_gives_is_not_to_use_it(possible: Possible) -> None:
    returned = (
        returning(2) + 'in_arg(2, "x"). in_ref(2, "x", 0, "a", "page"). in_producer(2, "x", 0, 0).'
    )
    assert KEY in possible(CALLS + unlike("key") + returned)


def rank(answer: frozenset[str]) -> int:
    """Return the sum of the ranks, by which the decoder tells equals apart."""
    return sum(
        int(a.removeprefix("out_rank(").partition(",")[0]) for a in answer if "out_rank" in a
    )


@pytest.mark.parametrize(("count", "offered"), [(6, True), (7, False)])
def test_weak_offers_are_made_while_they_are_few(
    count: int, offered: bool, possible: Possible
) -> None:
    paths = [f"p{number}" for number in range(count)]
    weak = unlike(*paths) + "".join(f'in_gives("Find", "{path}").' for path in paths)
    found = [
        atom
        for atom in possible(CALLS + weak)
        if atom.startswith("out_fill(1") and "ask" not in atom
    ]
    assert len(found) == (count if offered else 0)
    assert any("p0" in atom for atom in possible(CALLS + weak, constants={"weak_offers": 7}))


def test_no_value_makes_a_call_that_was_tried_too_often(possible: Possible) -> None:
    """The executed call read its key from the same call; another path of it was not tried."""
    executed = CALLS.replace("in_call(0..1).", "in_call(1). in_call(-2..-1). in_executed(-2..-1).")
    tried = """
    in_name(-1, "Book"). in_arg(-1, "key"). in_ref(-1, "key", 0, "a", "key"). in_producer(-1, "key", 0, -2).
    """
    facts = executed.replace("(0", "(-2") + tried + pair(1, -1) + fit("key", 0) + fit("page", 0)
    found = possible(facts, rules=":- unresolved(1).")
    assert KEY.replace("0", "-2") not in found
    assert {PAGE.replace("0", "-2"), ASKED} <= found


@pytest.mark.parametrize(("reach", "expected"), [(2, {KEY.replace("1,", "2,", 1)}), (1, set())])
def test_earlier_calls_are_looked_at_as_far_as_the_reach(
    reach: int, expected: set[str], possible: Possible
) -> None:
    """The call that gives the value stands two before the one that wants it."""
    facts = (
        CALLS.replace("(1", "(2").replace("0..1", "0..2") + 'in_name(1, "Book"). in_arg(1, "key").'
    )
    found = possible(facts + fit("key", 0) + f"in_reach({reach}).")
    assert {atom for atom in found if "out_fill(2" in atom and "ask" not in atom} == expected
