"""recovery/goal_call.lp: a goal that is not met gets a call that meets it, or calls change places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import call, held, tool

TOOLS = (
    tool("Find", "read", takes="query size", gives="key", needs="query")
    + tool("Book", "write", takes="key")
    + tool("Look", "read", takes="word", gives="query")
)
BOOK = call(0, "Book", "b", key=4)
WANTED = 'in_goal(0). in_yields(0, "Find"). in_goal_place(0, 1). in_callable("Find"). '
BOUND = WANTED + 'in_paired(goal(0)). in_goal_value(0, "query", 7). '
MISSES_QUERY = call(0, "Find", "f") + WANTED
ADDED = 'out_tool(goal(0),"Find")'
ASKED = 'out_fill(goal(0),"query",ask,"")'
OPEN = "out_unresolved(goal(0))"

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


# --- a call for the goal --------------------------------------------------------------------------


def test_a_goal_gets_a_call_that_meets_it(optima: Optima) -> None:
    """It is worth as much as a given one: what it needs is asked at the same price."""
    answer = optima(TOOLS + BOOK + WANTED)
    assert answer.chosen == {ADDED, ASKED}
    assert answer.paid() == ["add_call,1,goal(0)", 'ask,1,argument(goal(0),"query")']


def test_where_nothing_meets_it_the_goal_stays_open(optima: Optima) -> None:
    answer = optima(TOOLS + BOOK + WANTED.replace("in_callable", "in_tool"))
    assert answer.chosen == {OPEN}
    assert answer.paid() == ["leave_unresolved,1,goal(0)"]


def test_one_call_is_made_for_one_goal(optima: Optima, possible: Possible) -> None:
    facts = TOOLS + BOOK + WANTED + 'in_yields(0, "Look"). in_callable("Look"). '
    assert optima(facts).chosen == {'out_tool(goal(0),"Look")'}
    assert ADDED in possible(facts)
    assert not possible(facts, rules=':- not name(goal(0), "Look"). :- not name(goal(0), "Find").')


def test_no_call_is_made_for_a_goal_that_is_met(possible: Possible) -> None:
    facts = TOOLS + call(0, "Find", "f", query=3) + WANTED + call(1, "Book", "b", colour=1)
    assert not {ADDED, OPEN} & possible(facts)


def test_a_call_that_is_mended_meets_it_too(optima: Optima) -> None:
    facts = TOOLS + call(0, "Fnd", "f", query=3) + WANTED + 'in_tool_distance(0, "Find", 5). '
    assert optima(facts).chosen == {'out_tool(0,"Find")'}


def test_it_looks_for_values_before_its_place(possible: Possible) -> None:
    facts = TOOLS + call(0, "Look", "l", word=3) + 'in_fit("Look", "query", "Find", "query", 0). '
    read = 'out_fill(goal(0),"query",0,"query")'
    assert read in possible(facts + WANTED)
    assert read not in possible(facts + WANTED.replace("place(0, 1)", "place(0, 0)"))


def test_a_constant_of_the_sequence_may_be_meant(possible: Possible) -> None:
    facts = (
        TOOLS + BOOK + WANTED + 'in_constant("Find", "query", 0). in_constant("Find", "size", 1). '
    )
    found = {atom for atom in possible(facts) if "constant" in atom and "fill" in atom}
    assert found == {'out_fill(goal(0),"query",constant(0),"")'}


# --- what the goal binds --------------------------------------------------------------------------


def test_what_the_goal_binds_is_passed(optima: Optima) -> None:
    """Nothing else would meet it; also where the tool does not require it."""
    answer = optima(TOOLS + BOOK + BOUND + 'in_goal_value(0, "size", 8). ')
    assert answer.chosen == {
        ADDED,
        'out_fill(goal(0),"query",bound(0),"")',
        'out_fill(goal(0),"size",bound(0),"")',
    }


def test_what_the_goal_reads_is_read(optima: Optima) -> None:
    facts = TOOLS + BOOK + held("m", "q") + call(1, "Look", "l", word=3)
    goal = WANTED + 'in_paired(goal(0)). in_goal_read(0, "query", memory("m"), "q"). '
    goal += 'in_goal_read(0, "size", 1, "query"). in_confirm(risky). '
    answer = optima(facts + goal)
    assert answer.chosen == {
        ADDED,
        'out_fill(goal(0),"query",memory("m"),"q")',
        'out_fill(goal(0),"size",1,"query")',
    }
    assert not any("out_risky" in atom for atom in answer.only), "the goal says so"


@pytest.mark.parametrize(
    ("bound", "origin"),
    [
        ('in_goal_value(0, "query", 7). ', 'bound(0),""'),
        (held("m", "q") + 'in_goal_read(0, "query", memory("m"), "q"). ', 'memory("m"),"q"'),
        (call(-1, "Look", "l", word=3) + 'in_goal_read(0, "query", -1, "query"). ', '-1,"query"'),
    ],
    ids=["a value", "from memory", "from a call"],
)
def test_a_given_call_that_lacks_it_gets_it_from_the_goal(
    bound: str, origin: str, optima: Optima
) -> None:
    answer = optima(TOOLS + MISSES_QUERY + bound)
    assert answer.chosen == {f'out_fill(0,"query",{origin})'}


def test_no_call_gets_what_is_bound_for_another_tool(possible: Possible) -> None:
    facts = (
        TOOLS + call(0, "Look", "l") + 'in_required("Look", "query"). in_param("Look", "query"). '
    )
    facts += held("m", "q") + call(-1, "Look", "k", word=3, query=3) + BOUND
    facts += 'in_goal_read(0, "query", memory("m"), "q"). in_goal_read(0, "query", -1, "query"). '
    found = {atom for atom in possible(facts) if 'out_fill(0,"query"' in atom}
    assert found == {'out_fill(0,"query",ask,"")'}


def test_a_given_call_reads_only_from_calls_before_it(possible: Possible) -> None:
    facts = (
        TOOLS
        + MISSES_QUERY
        + call(1, "Look", "l", word=3)
        + 'in_goal_read(0, "query", 1, "query"). '
    )
    assert 'out_fill(0,"query",1,"query")' not in possible(facts)


def test_a_call_for_a_goal_that_does_not_pass_what_is_bound_does_not_meet_it(
    possible: Possible,
) -> None:
    rules = ':- not name(goal(0), "Find"). :- not fill(goal(0), "query", ask, "").'
    assert possible(TOOLS + BOOK + WANTED, rules=rules)
    assert not possible(TOOLS + BOOK + BOUND, rules=rules)


# --- risks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "field", "risky"),
    [
        ("write", True, True),
        ("unknown", True, True),
        ("read", True, False),
        ("write", False, False),
    ],
)
def test_a_tool_that_was_not_named_is_not_called_without_a_word(
    effect: str, field: bool, risky: bool, optima: Optima
) -> None:
    facts = TOOLS.replace('in_effect("Find", read)', f'in_effect("Find", {effect})') + BOOK + WANTED
    answer = optima(facts + ("in_goal_field(0). " if field else ""))
    assert ("out_risky(call(goal(0)),not_read_only)" in answer.only) == risky


# --- order ----------------------------------------------------------------------------------------

ORDER = 'in_goal(0). in_yields(0, "Look"). in_goal_before(0, "Look", "Book"). '
LATE = call(0, "Book", "b", key=4) + call(1, "Look", "l", word=3) + ORDER + "in_goal_place(0, 0). "
LOOKS = 'in_callable("Look"). '


def moved(answer: Any) -> set[frozenset[str]]:
    """Return what moves in each answer."""
    return {frozenset(atom for atom in each if "out_moved" in atom) for each in answer.answers}


def test_calls_change_places(optima: Optima) -> None:
    answer = optima(TOOLS + LATE)
    assert moved(answer) == {frozenset({"out_moved(0)"}), frozenset({"out_moved(1)"})}
    assert all("out_precede(1,0)" in each for each in answer.answers)


def test_what_stands_between_may_move_and_nothing_else(possible: Possible) -> None:
    """What needs the call that moves goes with it."""
    facts = TOOLS + call(-1, "Book", "x", key=4) + call(0, "Find", "f", query=1) + ORDER
    facts += call(1, "Book", "b", key=4) + call(2, "Find", "g", query=("b", "number", 1))
    facts += call(3, "Look", "l", word=3) + call(4, "Find", "h", query=2)
    facts += 'in_gives("Book", "number"). in_goal_place(0, 1). '
    found = {atom for atom in possible(facts) if "out_moved" in atom}
    assert found == {"out_moved(1)", "out_moved(2)", "out_moved(3)"}


def test_nothing_moves_where_the_order_is_kept(possible: Possible) -> None:
    facts = TOOLS + call(0, "Look", "l", word=3) + call(1, "Book", "b", colour=4) + ORDER
    found = possible(facts + "in_goal_place(0, 1). ")
    assert "out_precede(0,1)" in found
    assert not any("out_moved" in atom for atom in found)


def test_calls_are_made_before_each_that_has_to_wait(optima: Optima) -> None:
    """One call is enough for all of them."""
    facts = TOOLS + call(0, "Book", "b", key=4) + call(1, "Book", "c", key=5) + ORDER + LOOKS
    answer = optima(facts + "in_goal_place(0, 0). ")
    assert answer.chosen == {'out_tool(goal(0),"Look")'}
    assert {"out_precede(goal(0),0)", "out_precede(goal(0),1)"} <= answer.only


def test_a_call_that_is_demanded_anyway_may_come_first(optima: Optima) -> None:
    facts = TOOLS + call(0, "Book", "b", key=4) + ORDER + LOOKS + "in_goal_place(0, 0). "
    facts += call(1, "Find", "f") + 'in_arg(1, "query"). in_ref(1, "query", 0, "z", "query"). '
    facts += 'in_lost(1, "query", 0, "z"). in_supplier("z", "Look"). '
    answer = optima(facts)
    assert answer.chosen == {'out_explained("z",new("z"))', 'out_tool(new("z"),"Look")'}
    assert 'out_precede(new("z"),0)' in answer.only


def test_an_added_call_comes_after_the_one_that_has_to_be_first(optima: Optima) -> None:
    """The goal was met as long as nobody had to wait; a call that is added has to."""
    facts = TOOLS + call(0, "Look", "l", word=3) + ORDER + "in_goal_place(0, 1). "
    facts += 'in_goal(1). in_yields(1, "Book"). in_goal_place(1, 1). in_callable("Book"). '
    answer = optima(facts)
    assert answer.chosen == {'out_tool(goal(1),"Book")'}
    assert "out_precede(0,goal(1))" in answer.only


def test_a_call_for_a_goal_may_need_another_one_before_it(optima: Optima) -> None:
    facts = TOOLS + ORDER + LOOKS + "in_goal_place(0, 0). "
    facts += 'in_goal(1). in_yields(1, "Book"). in_goal_place(1, 0). in_callable("Book"). '
    answer = optima(facts)
    assert answer.chosen == {'out_tool(goal(0),"Look")', 'out_tool(goal(1),"Book")'}
    assert "out_precede(goal(0),goal(1))" in answer.only


def test_what_was_executed_need_not_be_put_in_order(optima: Optima, possible: Possible) -> None:
    """It is no choice, so it makes no second answer."""
    executed = call(-2, "Look", "l", word=3) + call(-1, "Book", "x", key=4)
    found = possible(TOOLS + executed + LATE)
    assert not any("out_precede(-" in atom or ",-1)" in atom for atom in found)


def test_what_was_executed_comes_before_all_calls(optima: Optima) -> None:
    facts = TOOLS + call(-1, "Look", "l", word=3) + call(0, "Book", "b", key=4, colour=5) + ORDER
    assert optima(facts + "in_goal_place(0, 0). ").chosen == {'out_dropped(0,"colour")'}


def test_an_added_call_cannot_wait_for_one_that_comes_after_its_reader(possible: Possible) -> None:
    """A call for the lost label would have to stand before the first call and after the second."""
    facts = (
        TOOLS + call(0, "Find", "f") + 'in_arg(0, "query"). in_ref(0, "query", 0, "z", "number"). '
    )
    facts += 'in_lost(0, "query", 0, "z"). in_gives("Book", "number"). in_supplier("z", "Book"). '
    facts += call(1, "Look", "l", word=3) + ORDER + "in_goal_place(0, 2). "
    reads = ':- mended(0, "query", 0).'
    assert not possible(facts, rules=reads)
    assert possible(facts.replace("in_goal(0). ", ""), rules=reads)


def test_several_calls_may_come_first(optima: Optima) -> None:
    facts = TOOLS + call(0, "Look", "l", word=3) + call(1, "Look", "k", word=4) + ORDER
    facts += call(2, "Book", "b", key=4, colour=5) + "in_goal_place(0, 2). "
    assert optima(facts).chosen == {'out_dropped(2,"colour")'}


def test_who_stands_before_whom_is_no_choice_where_neither_moves(possible: Possible) -> None:
    """An added call need not come first where a given one does."""
    facts = TOOLS + call(0, "Look", "l", word=3) + call(1, "Book", "b", key=4) + ORDER
    facts += (
        "in_goal_place(0, 1). "
        + call(2, "Find", "f")
        + 'in_arg(2, "query"). in_lost(2, "query", 0, "z"). '
    )
    facts += 'in_ref(2, "query", 0, "z", "query"). ' + LOOKS
    found = {atom for atom in possible(facts) if "out_precede" in atom}
    assert found == {"out_precede(0,1)"}


def test_a_call_that_is_left_out_does_not_come_first(possible: Possible) -> None:
    """Then the other one waits for nobody, and the goal is not met."""
    facts = TOOLS + call(0, "Look", "l", word=3) + call(1, "Book", "b", key=4) + ORDER
    facts += "in_goal_place(0, 1). "
    assert possible(facts, rules=":- not deleted(0).", fewer=True) >= {
        "out_deleted(0)",
        "out_deleted(1)",
    }
    assert not possible(facts, rules=":- not deleted(0). :- deleted(1).", fewer=True)
