"""modes/compress.lp: calls that do nothing new are left out, and nothing that is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import Read, call, held, returning, tool

TOOLS = (
    tool("Find", "read", takes="query size", gives="key page")
    + tool("Note", "read", takes="key page", gives="number")
    + tool("Book", "write", takes="key page", gives="number")
)
FIRST = call(0, "Find", "a", query=3)
COPY = call(1, "Find", "b", query=3) + "in_rival(1, 0). "
TWICE = FIRST + COPY
READER = call(2, "Note", "c", key=("b", "key", 1))
GONE = {"out_deleted(1)", "out_replaced(1,0)"}
REPLACED = "out_replaced(1,0)"

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


@pytest.fixture
def compressed(optima: Optima) -> Optima:
    return lambda facts, **options: optima(TOOLS + facts, fewer=True, **options)


@pytest.fixture
def may(possible: Possible) -> Possible:
    return lambda facts, **options: possible(TOOLS + facts, fewer=True, **options)


def attempt(**wrong: int | Read) -> str:
    """State a call in which something is wrong, and one that may stand for it."""
    return call(0, "Find", "a", **wrong) + call(1, "Find", "b", query=3) + "in_rival(0, 1). "


# --- copies ---------------------------------------------------------------------------------------


def test_a_copy_goes_and_who_read_from_it_reads_from_the_first(compressed: Optima) -> None:
    answer = compressed(TWICE + READER)
    assert answer.chosen == {*GONE, 'out_mend(2,"key",0,0,"key")'}
    assert answer.paid("make_call") == []
    assert answer.paid("delete_copy") == ["delete_copy,1,1"]


def test_it_goes_whatever_that_costs(compressed: Optima) -> None:
    """Fewer calls come before cheaper edits."""
    answer = compressed(TWICE, constants={"weight_delete_copy": 1000, "weight_add_label": 1000})
    assert answer.chosen == GONE
    assert answer.cost == {101: 0, 100: 0, 2: 1000}
    kept = compressed(TWICE, rules=":- deleted(1).")
    assert kept.paid("make_call") == ["make_call,1,1"]
    assert kept.cost == {101: 0, 100: 1, 2: 0}


def test_of_two_equal_calls_the_first_stays(may: Possible) -> None:
    facts = FIRST + call(1, "Find", "b", query=3)
    assert "out_replaced(0,1)" not in may(facts + "in_rival(0, 1). ")
    assert REPLACED in may(facts + "in_rival(1, 0). ")


def test_who_stands_for_another_one_stays(compressed: Optima, may: Possible) -> None:
    facts = TWICE + call(2, "Find", "c", query=3) + "in_rival(2, 0..1). "
    assert compressed(facts).chosen == {*GONE, "out_deleted(2)", "out_replaced(2,0)"}
    assert not may(facts, rules=":- not replaced(2, 1). :- not replaced(1, 0).")
    assert not may(facts, rules=":- not replaced(2, 1). :- not replaced(2, 0).")


@pytest.mark.parametrize(
    "other",
    [
        call(1, "Find", "b", query=4),
        call(1, "Find", "b", size=3),
        call(1, "Find", "b", query=3, size=3),
    ],
    ids=["another value", "another parameter", "it says more"],
)
def test_what_says_something_else_is_no_copy(other: str, may: Possible) -> None:
    assert REPLACED not in may(FIRST + other + "in_rival(1, 0). ")


def test_what_says_less_is_no_copy(may: Possible) -> None:
    assert REPLACED not in may(call(0, "Find", "a", query=3, size=4) + COPY)


def test_what_reads_the_same_is_a_copy(may: Possible) -> None:
    """The same path of one call: another one, or the same of another call, is something else."""
    facts = call(0, "Find", "a", query=3) + call(1, "Find", "z", query=4)
    facts += call(2, "Note", "b", key=("a", "key", 0)) + "in_rival(3, 2). "

    def copied(*read: Any) -> bool:
        return "out_replaced(3,2)" in may(facts + call(3, "Note", "c", key=read))

    assert copied("a", "key", 0)
    assert not copied("a", "page", 0)
    assert not copied("z", "key", 1)


def test_what_reads_the_same_of_a_copy_is_a_copy(compressed: Optima) -> None:
    facts = (
        TWICE
        + call(2, "Note", "c", key=("a", "key", 0))
        + READER.replace("(2", "(3").replace('"c"', '"d"')
    )
    answer = compressed(facts + "in_rival(3, 2). ")
    assert answer.chosen == {*GONE, "out_deleted(3)", "out_replaced(3,2)"}


def test_what_becomes_another_call_is_no_copy(may: Possible) -> None:
    """The tool of the other one has to be found; or it goes itself."""
    facts = TWICE.replace('in_name(0, "Find")', 'in_name(0, "Nte")')
    rules = "name_by(spelling)."
    assert REPLACED not in may(facts + 'in_tool_distance(0, "Note", 5). ', rules=rules)
    assert REPLACED in may(facts + 'in_tool_distance(0, "Find", 5). ', rules=rules)


# --- what changes something -----------------------------------------------------------------------


@pytest.mark.parametrize("effect", ["write", "destructive"])
def test_what_changes_something_is_not_made_twice_by_mistake(effect: str, may: Possible) -> None:
    assert REPLACED not in may(TWICE.replace("Find", "Do") + tool("Do", effect, takes="query"))


@pytest.mark.parametrize(("effect", "risky"), [("read", False), ("unknown", True)])
def test_what_may_change_something_is_not_left_out_without_a_word(
    effect: str, risky: bool, compressed: Optima
) -> None:
    answer = compressed(TWICE.replace("Find", "Do") + tool("Do", effect, takes="query"))
    assert answer.chosen == GONE
    assert ("out_risky(call(1),repeated)" in answer.only) == risky


def test_a_failed_attempt_is_left_out_without_a_word(compressed: Optima) -> None:
    """Nothing was changed by it, so the next one is not the second."""
    facts = attempt(query=3, colour=3).replace("Find", "Do") + tool("Do", "write", takes="query")
    answer = compressed(facts)
    assert answer.chosen == {"out_deleted(0)", "out_replaced(0,1)"}
    assert not any("out_risky" in atom for atom in answer.only)


@pytest.mark.parametrize(
    ("between", "copied"),
    [
        (call(1, "Book", "x", key=4), False),
        (call(1, "Note", "x", key=4), True),
        (call(1, "Bok", "x", key=4) + 'in_tool_distance(1, "Book", 5). ', False),
    ],
    ids=["something is changed", "nothing is", "something is, in the end"],
)
def test_what_was_read_before_a_change_is_read_again(
    between: str, copied: bool, may: Possible
) -> None:
    facts = FIRST + between + call(2, "Find", "b", query=3) + "in_rival(2, 0). "
    assert (
        "out_replaced(2,0)" in may(facts, rules="name_by(spelling). :- unresolved(1).")
    ) == copied


def test_an_executed_change_counts_though_nobody_can_read_from_it(may: Possible) -> None:
    facts = call(-2, "Find", "a", query=3) + call(-1, "Book", key=4).replace("in_call(-1). ", "")
    assert "out_replaced(0,-2)" not in may(
        facts + call(0, "Find", "b", query=3) + "in_rival(0, -2). "
    )


def test_a_change_that_is_left_out_changes_nothing(may: Possible) -> None:
    wrong = call(1, "Book", "x", key=4, colour=4) + call(3, "Book", "y", key=4) + "in_rival(1, 3). "
    facts = FIRST + wrong + call(2, "Find", "b", query=3) + "in_rival(2, 0). "
    assert "out_replaced(2,0)" in may(facts)
    assert not may(facts, rules=":- not replaced(2, 0). :- deleted(1).")


# --- attempts -------------------------------------------------------------------------------------

WRONG = {
    "a parameter that nobody knows": attempt(query=3, colour=3),
    "a value that does not fit": attempt(query=4) + 'in_unfit(0, "query", "Find", "query"). ',
    "a reference to nothing": attempt(query=("z", "key", 9))
    .replace("in_producer(0", "in_lost(0")
    .replace("0, 9)", '0, "z")'),
    "a tool that nobody knows": attempt(query=3).replace('in_name(0, "Find")', 'in_name(0, "Fnd")')
    + 'in_tool_distance(0, "Find", 5). ',
    "something is missing": attempt().replace("in_arg(0", "in_arg(9")
    + 'in_required("Find", "query"). ',
}


@pytest.mark.parametrize("case", WRONG)
def test_an_attempt_that_was_made_again_goes(case: str, compressed: Optima) -> None:
    chosen = {atom for atom in compressed(WRONG[case]).chosen if "apart" not in atom}
    assert chosen == {"out_deleted(0)", "out_replaced(0,1)"}


def test_a_later_call_stands_for_an_attempt_and_says_more(compressed: Optima) -> None:
    facts = attempt(query=3, colour=3) + 'in_arg(1, "size"). in_value(1, "size", 8). '
    assert compressed(facts).chosen == {"out_deleted(0)", "out_replaced(0,1)"}


@pytest.mark.parametrize(
    "facts",
    [
        attempt(query=3, colour=4),
        attempt(size=4) + 'in_unfit(0, "size", "Find", "size"). ',
        attempt(size=("z", "key", 9))
        .replace("in_producer(0", "in_lost(0")
        .replace("0, 9)", '0, "z")'),
    ],
    ids=["what nobody knows", "what does not fit", "what reads nothing"],
)
def test_what_was_wrong_was_put_right(facts: str, may: Possible) -> None:
    """The other call says nothing of it, so it is no second attempt at the same."""
    assert "out_replaced(0,1)" not in may(facts)


def test_a_reference_that_stood_under_a_wrong_name_stands_under_another(may: Possible) -> None:
    first = call(0, "Find", "a", query=3)

    def replaced(path: str) -> bool:
        facts = call(1, "Note", "b", colour=("a", "key", 0)) + call(
            2, "Note", "c", key=("a", path, 0)
        )
        return "out_replaced(1,2)" in may(first + facts + "in_rival(1, 2). ")

    assert replaced("key")
    assert not replaced("page")


def test_what_is_right_in_an_attempt_has_to_be_in_the_other_call(may: Possible) -> None:
    facts = attempt(query=4, colour=3)
    assert "out_replaced(0,1)" not in may(facts)
    read = call(0, "Find", "a", query=3) + call(1, "Note", "b", key=("a", "key", 0), colour=5)
    assert "out_replaced(1,2)" not in may(read + call(2, "Note", "c", page=5) + "in_rival(1, 2). ")


# --- who reads from what is left out --------------------------------------------------------------

EXECUTED = call(-1, "Find", "x", query=3)
AGAIN = call(0, "Find", "a", query=3) + "in_rival(0, -1). "
READS = call(1, "Note", "b", key=("a", "key", 0))
RECALLED = held("x", "key") + 'in_recalled(-1, "x"). '


def test_what_was_executed_is_not_repeated(compressed: Optima) -> None:
    answer = compressed(EXECUTED + AGAIN + READS)
    assert answer.chosen == {"out_deleted(0)", "out_replaced(0,-1)", 'out_mend(1,"key",0,-1,"key")'}


def test_what_it_gave_is_read_from_memory(compressed: Optima) -> None:
    answer = compressed(EXECUTED + AGAIN + READS + RECALLED)
    assert answer.chosen == {
        "out_deleted(0)",
        "out_replaced(0,-1)",
        'out_mend(1,"key",0,memory("x"),"key")',
    }


def test_it_is_repeated_where_memory_does_not_hold_what_is_read(compressed: Optima) -> None:
    assert (
        compressed(EXECUTED + AGAIN + READS + RECALLED.replace('"key"', '"page"')).chosen == set()
    )


@pytest.mark.slow
def test_a_label_means_the_last_call_that_bears_it(may: Possible) -> None:
    """What was executed under it, or is held by memory, can be read no more after a call that bears it."""
    hides = call(1, "Note", "x", key=4)
    late = READS.replace("(1", "(2")
    for facts in (EXECUTED + AGAIN + hides + late, EXECUTED + AGAIN + hides + late + RECALLED):
        assert "out_replaced(0,-1)" not in may(facts)
        assert "out_replaced(0,-1)" in may(facts.replace('in_label(1, "x")', 'in_label(1, "y")'))
        assert "out_replaced(0,-1)" in may(
            facts.replace("(1", "(3").replace('in_label(3, "x")', 'in_label(3, "x")')
        )


def test_a_call_that_goes_hides_nothing(compressed: Optima) -> None:
    """The very call that was executed bears the label again, and goes."""
    facts = EXECUTED + AGAIN.replace('"a"', '"x"') + READS.replace('"a"', '"x"') + RECALLED
    assert "out_replaced(0,-1)" in compressed(facts).chosen


def test_a_reader_that_goes_reads_nothing(may: Possible) -> None:
    """So nobody minds what its label would mean."""
    hides = call(1, "Note", "x", key=4)
    for facts in (EXECUTED, EXECUTED + RECALLED):
        facts += AGAIN + hides + READS.replace("(1", "(2")
        assert not may(facts, rules=":- not replaced(0, -1).")
        assert may(facts, rules=":- not replaced(0, -1). deleted(2).")


def test_what_is_read_before_what_would_stand_for_it_stays(may: Possible) -> None:
    """The attempt is read before it is made again."""
    first = call(0, "Find", "a", query=3, colour=3)

    def replaced(again: int, reader: int) -> bool:
        facts = (
            first
            + call(again, "Find", "c", query=3)
            + call(reader, "Note", "b", key=("a", "key", 0))
        )
        return f"out_replaced(0,{again})" in may(facts + f"in_rival(0, {again}). ")

    assert replaced(again=1, reader=2)
    assert not replaced(again=2, reader=1)


def test_what_is_wrong_with_a_reference_is_mended_on_its_own(compressed: Optima) -> None:
    """It reads a field that neither the copy nor the first call has; yet the copy goes."""
    facts = TWICE + call(2, "Note", "c", key=("b", "kye", 1))
    facts += 'in_path_distance("kye", "Find", "key", 3). '
    answer = compressed(facts)
    assert answer.chosen == {*GONE, 'out_mend(2,"key",0,0,"key")'}
    assert answer.paid("repath") == ['repath,1,reference(2,"key",0)']


def test_what_a_sequence_returns_is_read_from_the_first(compressed: Optima) -> None:
    facts = (
        TWICE
        + returning(2)
        + 'in_arg(2, "x"). in_ref(2, "x", 0, "b", "key"). in_producer(2, "x", 0, 1). '
    )
    assert compressed(facts).chosen == {*GONE, 'out_mend(2,"x",0,0,"key")'}


# --- what only such calls read --------------------------------------------------------------------


def feeding(effect: str = "read") -> str:
    """State a chain that leads to an attempt; the call that stands for it reads nothing of it."""
    lost = 'in_gives("Find", "kye"). '
    facts = call(0, "Do", "a", query=3) + call(1, "Do", "b", query=("a", "key", 0))
    facts += (
        call(2, "Note", "c", key=("b", "kye", 1)) + call(3, "Note", "d", key=6) + "in_rival(2, 3). "
    )
    return tool("Do", effect, takes="query", gives="key") + lost + facts


def test_what_only_fed_a_call_that_goes_goes_too(compressed: Optima) -> None:
    """And what fed that."""
    answer = compressed(feeding())
    assert answer.chosen == {
        "out_deleted(0)",
        "out_deleted(1)",
        "out_deleted(2)",
        "out_replaced(2,3)",
    }


@pytest.mark.parametrize(
    ("effect", "goes"), [("write", False), ("destructive", False), ("unknown", True)]
)
def test_what_changes_something_is_made_all_the_same(
    effect: str, goes: bool, compressed: Optima
) -> None:
    assert ("out_deleted(1)" in compressed(feeding(effect)).chosen) == goes


def test_what_somebody_else_reads_stays(compressed: Optima) -> None:
    answer = compressed(feeding() + call(4, "Note", "e", page=("b", "key", 1)))
    assert answer.chosen == {"out_deleted(2)", "out_replaced(2,3)"}
    assert sorted(answer.paid("make_call")) == ["make_call,1,0", "make_call,1,1"]


def test_what_was_executed_is_no_call_to_save(compressed: Optima) -> None:
    facts = feeding().replace("(0", "(-1").replace('"a", "key", 0)', '"a", "key", 0)')
    facts = (
        facts.replace('in_producer(1, "query", 0, 0)', 'in_producer(1, "query", 0, -1)')
        + "in_executed(-1). "
    )
    answer = compressed(facts)
    assert "out_deleted(-1)" not in answer.chosen
    assert answer.paid("make_call") == []


def test_of_two_reasons_to_leave_a_call_out_one_is_told(compressed: Optima, may: Possible) -> None:
    """That it is a copy is told before that nobody needs it, and never both."""
    facts = (
        TWICE
        + call(2, "Note", "c", key=("b", "kye", 1))
        + call(3, "Note", "d", key=6)
        + "in_rival(2, 3). "
    )
    answers = compressed(facts).answers
    assert len(answers) == 2
    assert {(REPLACED in each, "out_rank(1,1)" in each) for each in answers} == {
        (True, False),
        (False, True),
    }


# --- what is needed is no call to save ------------------------------------------------------------


def needing(*, fit: int) -> str:
    """State a chain to an attempt, and a call that lacks a value which the chain gives."""
    facts = feeding() + call(4, "Last", "e") + tool("Last", "read", takes="key", needs="key")
    return facts + f'in_fit("Do", "key", "Last", "key", {fit}). '


def test_a_call_that_a_fault_needs_stays(compressed: Optima) -> None:
    answer = compressed(needing(fit=5))
    assert {atom for atom in answer.chosen if "fill" in atom} <= {
        'out_fill(4,"key",1,"key")',
        'out_fill(4,"key",0,"key")',
    }
    assert answer.paid("ask") == []


MISSING = call(4, "Last", "e") + tool("Last", "read", takes="key", needs="key")
EARLY = call(0, "Note", "n", key=("a", "key", 1)) + call(1, "Find", "a", query=3)


@pytest.mark.parametrize(
    ("facts", "cost"),
    [
        (MISSING, {101: 35, 2: 35}),
        (
            call(0, "Find", None, query=3) + MISSING + 'in_fit("Find", "key", "Last", "key", 0). ',
            {101: 13, 2: 18},
        ),
        (EARLY, {101: 0, 2: 4}),
        (feeding(), {101: 0, 2: 12}),
        (
            TWICE
            + call(2, "Note", "c", key=("b", "kye", 1))
            + 'in_path_distance("kye", "Find", "key", 3). '
            + 'in_fit("Find", "key", "Note", "key", 0). ',
            {101: 14, 2: 36},
        ),
    ],
    ids=[
        "a fault",
        "a label that is needed for it",
        "a move",
        "calls that go",
        "where a copy was read",
    ],
)
def test_only_what_a_fault_costs_counts_before_the_number_of_calls(
    facts: str, cost: dict[int, int], compressed: Optima
) -> None:
    """Else what is done to save a call would speak against it."""
    found = compressed(facts).cost
    assert {level: paid for level, paid in found.items() if level != 100} == cost
