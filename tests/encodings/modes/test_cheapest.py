"""modes/cheapest.lp: what the goals do not need is left out, and what is known is read from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import call, held, returning, tool

TOOLS = (
    tool("Find", "read", takes="mail", gives="id", needs="mail")
    + tool("Person", "read", takes="id mail", gives="id info")
    + tool("Papers", "read", takes="id", gives="papers", needs="id")
    + tool("Book", "write", takes="id info", needs="id")
)
FIND = call(0, "Find", "a", mail=3)
PERSON = call(1, "Person", "b", mail=3)
PAPERS = call(2, "Papers", "c", id=("a", "id", 0)) + 'in_loose(2, "id", 0). '
SAME = 'in_same_field("id", "Person", "id"). in_same_field("id", "Find", "id"). '
GOAL = 'in_goal(0). in_yields(0, "Papers"). in_goal_place(0, 3). '
BOTH = GOAL + 'in_goal(1). in_yields(1, "Person"). in_goal_place(1, 3). '
MOVED = 'out_mend(2,"id",0,1,"id")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


@pytest.fixture
def cheapest(optima: Optima) -> Optima:
    return lambda facts, **options: optima(TOOLS + facts, fewer=True, **options)


@pytest.fixture
def may(possible: Possible) -> Possible:
    return lambda facts, **options: possible(TOOLS + facts, fewer=True, **options)


# --- what nobody needs ----------------------------------------------------------------------------


def test_what_the_goals_do_not_need_goes(cheapest: Optima) -> None:
    """Also what changes something: it was not asked for."""
    answer = cheapest(FIND + PERSON + PAPERS + call(3, "Book", "d", id=("c", "papers", 2)) + GOAL)
    assert answer.chosen == {"out_deleted(1)", "out_deleted(3)"}
    assert sorted(answer.paid("make_call")) == ["make_call,1,0", "make_call,1,2"]


def test_what_is_returned_is_needed(cheapest: Optima) -> None:
    facts = FIND + PERSON + PAPERS + GOAL + returning(3)
    facts += 'in_arg(3, "x"). in_ref(3, "x", 0, "b", "info"). in_producer(3, "x", 0, 1). '
    assert cheapest(facts).chosen == set()


def test_what_was_executed_is_no_call_to_save(cheapest: Optima) -> None:
    facts = call(-1, "Find", "a", mail=3) + call(0, "Papers", "c", id=("a", "id", -1)) + GOAL
    answer = cheapest(facts)
    assert answer.chosen == set()
    assert answer.paid("make_call") == ["make_call,1,0"]


def test_a_call_that_goes_meets_no_goal(cheapest: Optima) -> None:
    """Not even one whose tool has to be found first."""
    facts = (
        call(0, "Fnd", "a", mail=3)
        + 'in_tool_distance(0, "Find", 5). '
        + GOAL.replace("Papers", "Find")
    )
    assert cheapest(facts).chosen == {'out_tool(0,"Find")'}


def test_a_call_that_nobody_needs_gets_no_tool(cheapest: Optima) -> None:
    facts = FIND + PAPERS + call(3, "Fnd", "d", mail=4) + 'in_tool_distance(3, "Find", 5). ' + GOAL
    assert cheapest(facts).chosen == {"out_deleted(3)"}


def test_a_call_that_cannot_be_read_may_go_too(cheapest: Optima) -> None:
    facts = (
        FIND
        + PAPERS
        + call(3, "Find", "d")
        + "in_unmendable(3, malformed_arguments). in_unjudged(3). "
        + GOAL
    )
    assert cheapest(facts).chosen == {"out_deleted(3)"}


# --- another call that speaks of the same ---------------------------------------------------------


def test_the_same_is_read_from_a_call_that_speaks_of_the_same(cheapest: Optima) -> None:
    """That is done to save a call, not to mend a fault, so it counts only once."""
    answer = cheapest(FIND + PERSON + PAPERS + SAME + BOTH)
    assert answer.chosen == {"out_deleted(0)", MOVED}
    assert answer.cost[101] == 0


@pytest.mark.parametrize(
    ("person", "same"),
    [
        (call(1, "Person", "b", mail=3, id=8), True),
        (call(1, "Person", "b", mail=4), False),
        (call(1, "Person", "b"), False),
        (call(1, "Person", "b", id=("a", "id", 0)), False),
    ],
    ids=[
        "it says more",
        "it speaks of another",
        "it speaks of nothing",
        "it reads what the other gave",
    ],
)
def test_it_passes_all_that_the_other_passes(person: str, same: bool, may: Possible) -> None:
    assert (MOVED in may(FIND + person + PAPERS + SAME + BOTH)) == same


def test_that_both_pass_some_value_says_nothing(may: Possible) -> None:
    """As `limit=10`; what the first one was asked for besides is lost."""
    facts = FIND + 'in_arg(0, "limit"). in_value(0, "limit", 10). in_param("Find", "limit"). '
    person = PERSON.replace('"mail"', '"limit"').replace(", 3)", ", 10)")
    assert MOVED not in may(facts + person + 'in_param("Person", "limit"). ' + PAPERS + SAME + BOTH)


def test_what_both_read_counts(may: Possible) -> None:
    """The same path of the same call."""
    root = call(-1, "Person", "r", mail=9) + 'in_gives("Person", "mail"). '
    first = call(0, "Find", "a", mail=("r", "mail", -1))

    def moved(path: str) -> bool:
        return MOVED in may(
            root + first + call(1, "Person", "b", mail=("r", path, -1)) + PAPERS + SAME + BOTH
        )

    assert moved("mail")
    assert not moved("info")


def test_a_field_that_is_mapped_serves_too(may: Possible) -> None:
    facts = FIND + PERSON + PAPERS + BOTH
    mapped = 'in_mapping("Person", "info", "Papers", "id"). '
    read = 'out_mend(2,"id",0,1,"info")'
    assert read in may(facts + mapped)
    assert read not in may(facts)
    assert read not in may(facts + mapped.replace('"Papers"', '"Book"'))
    assert read not in may(FIND + call(1, "Person", "b", mail=4) + PAPERS + BOTH + mapped)


def test_what_is_not_loose_stays(may: Possible) -> None:
    facts = FIND + PERSON + PAPERS + SAME + BOTH
    assert MOVED not in may(facts.replace('in_loose(2, "id", 0). ', ""))


def test_a_call_that_stands_later_moves_before_its_reader(cheapest: Optima) -> None:
    facts = FIND + call(1, "Papers", "c", id=("a", "id", 0)) + 'in_loose(1, "id", 0). '
    facts += call(2, "Person", "b", mail=3) + SAME + BOTH
    answer = cheapest(facts)
    read = {"out_deleted(0)", 'out_mend(1,"id",0,2,"id")'}
    assert answer.answers
    for each in answer.answers:
        assert read < each
        assert {atom for atom in each if "out_moved" in atom} in (
            {"out_moved(1)"},
            {"out_moved(2)"},
        )


def test_what_a_call_was_given_and_gives_back_is_one(may: Possible) -> None:
    """Person is asked by the id and gives an id; the papers may be those of the id that was given."""
    person = call(1, "Person", "b", id=("a", "id", 0))
    papers = call(2, "Papers", "c", id=("b", "id", 1)) + 'in_loose(2, "id", 0). '
    echoed = 'out_mend(2,"id",0,0,"id")'
    assert echoed in may(FIND + person + papers + SAME + GOAL)
    assert echoed not in may(FIND + person + papers + GOAL)
    other = person.replace('"a", "id"', '"a", "key"') + 'in_gives("Find", "key"). '
    assert echoed not in may(FIND + other + papers + SAME + GOAL), "another field was given"


# --- what memory holds ----------------------------------------------------------------------------

HELD = held("m", "id")
FROM_MEMORY = 'out_mend(2,"id",0,memory("m"),"id")'


@pytest.mark.slow
@pytest.mark.parametrize(
    "evidence",
    [
        'in_same_field("id", memory("m"), "id"). ',
        'in_mapping(memory("m"), "id", "Papers", "id"). ',
        'in_equal_name(memory("m"), "id", "Papers", "id"). ',
    ],
    ids=["the same field", "a mapping", "an equal name"],
)
def test_what_memory_holds_need_not_be_found(
    evidence: str, cheapest: Optima, may: Possible
) -> None:
    assert cheapest(FIND + PAPERS + HELD + evidence + GOAL).chosen == {
        "out_deleted(0)",
        FROM_MEMORY,
    }
    assert FROM_MEMORY not in may(FIND + PAPERS + HELD + GOAL)
    assert FROM_MEMORY not in may(
        (FIND + PAPERS + HELD + evidence + GOAL).replace('in_loose(2, "id", 0). ', "")
    )


def test_it_takes_the_place_of_one_call(may: Possible) -> None:
    """It cannot be what two different calls gave; a reader that goes needs nothing."""
    second = call(1, "Find", "b", mail=4)
    reader = call(3, "Papers", "d", id=("b", "id", 1)) + 'in_loose(3, "id", 0). '
    facts = (
        FIND + second + PAPERS + reader + HELD + 'in_same_field("id", memory("m"), "id"). ' + GOAL
    )
    both = (
        ':- not mend(2, "id", 0, memory("m"), "id"). :- not mend(3, "id", 0, memory("m"), "id"). '
    )
    assert not may(facts, rules=both + ":- deleted(2). :- deleted(3).")
    assert may(facts, rules=both + ":- deleted(2).")
    same = facts.replace('"b", "id")', '"a", "id")').replace(
        'in_producer(3, "id", 0, 1)', 'in_producer(3, "id", 0, 0)'
    )
    assert may(same, rules=both + ":- deleted(2). :- deleted(3).")


# --- arguments that say nothing new ---------------------------------------------------------------

ALSO = call(1, "Person", "b", mail=3, id=("a", "id", 0)) + 'in_loose(1, "id", 0). '
PERSON_ONLY = 'in_goal(0). in_yields(0, "Person"). in_goal_place(0, 3). '
DROPPED = 'out_dropped(1,"id")'


def test_an_argument_goes_that_the_call_says_anyway(cheapest: Optima) -> None:
    answer = cheapest(FIND + ALSO + PERSON_ONLY)
    assert answer.chosen == {"out_deleted(0)", DROPPED}
    assert answer.cost[101] == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('in_value(1, "mail", 3)', 'in_value(1, "mail", 4)'),
        ('in_loose(1, "id", 0). ', ""),
        ("in_goal(0). ", 'in_goal(0). in_required("Person", "id"). '),
        ('in_value(0, "mail", 3). ', 'in_value(0, "mail", 3). in_value(0, "limit", 7). '),
    ],
    ids=[
        "it says something else",
        "it may not",
        "it is required",
        "the other one was asked for more",
    ],
)
def test_no_other_argument_goes(old: str, new: str, may: Possible) -> None:
    facts = FIND + ALSO + PERSON_ONLY
    assert DROPPED in may(facts)
    assert old in facts
    assert DROPPED not in may(facts.replace(old, new))


def test_an_argument_that_goes_reads_nothing_else(may: Possible) -> None:
    facts = FIND + ALSO + HELD + 'in_same_field("id", memory("m"), "id"). ' + PERSON_ONLY
    assert not may(
        facts, rules=':- not dropped(1, "id"). :- not mend(1, "id", 0, memory("m"), "id").'
    )


def test_a_reference_that_is_mended_does_not_follow_the_call_that_stands_for_a_copy(
    cheapest: Optima,
) -> None:
    """It reads from one place, whatever stands for the call that it read from."""
    facts = (
        FIND + call(1, "Find", "b", mail=3) + "in_rival(1, 0). " + call(2, "Person", "p", mail=3)
    )
    facts += call(3, "Papers", "c", id=("b", "id", 1)) + 'in_loose(3, "id", 0). ' + SAME
    facts += 'in_goal(0). in_yields(0, "Papers"). in_goal_place(0, 4). '
    forced = 'want :- replaced(1, 0), mend(3, "id", 0, 2, "id"). :- not want.'
    (answer,) = cheapest(facts, rules=forced).answers
    assert {atom for atom in answer if atom.startswith("out_mend(")} == {
        'out_mend(3,"id",0,2,"id")'
    }
