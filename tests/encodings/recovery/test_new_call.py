"""new_call.lp: a call that a lost label demands, or one on its own account to fill a parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import returning

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_required("Find", "query").
in_gives("Find", ("key";"page")). in_supplier("a", "Find").
in_tool("Book"). in_effect("Book", read). in_param("Book", ("key";"page")).
"""
BOOK = TOOLS + 'in_call(0). in_name(0, "Book"). in_label(0, "b").'
LOST = (
    BOOK
    + """
in_arg(0, ("key";"page")). in_ref(0, "key", 0, "a", "key"). in_ref(0, "page", 0, "a", "page").
in_lost(0, ("key";"page"), 0, "a").
"""
)
MISSING = BOOK + 'in_required("Book", "key"). in_source("Find", "key", "Book", "key").'
OWN = 'own(0,"key","Find")'
NEW = 'out_tool(new("a"),"Find")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def added(atoms: set[str]) -> set[str]:
    """Return the calls that may be added."""
    return {
        a.removeprefix("out_tool(")[:-1]
        for a in atoms
        if a.startswith(("out_tool(new", "out_tool(own"))
    }


# --- demanded by a lost label ---------------------------------------------------------------------


def test_a_lost_label_demands_a_call_that_returns_all_that_is_read(optima: Optima) -> None:
    answer = optima(LOST)
    assert answer.chosen == {
        'out_explained("a",new("a"))',
        NEW,
        'out_fill(new("a"),"query",ask,"")',
    }
    assert answer.paid() == ['add_call,1,new("a")', 'ask_added,1,argument(new("a"),"query")']


@pytest.mark.parametrize(
    "changed",
    [
        ('in_supplier("a", "Find")', 'in_supplier("b", "Find")'),
        ('in_gives("Find", ("key";"page"))', 'in_gives("Find", "key")'),
    ],
    ids=["the tool may not be called", "it returns only a part"],
)
def test_no_other_call_is_demanded(changed: tuple[str, str], possible: Possible) -> None:
    assert added(possible(LOST.replace(*changed))) == set()


LOOKS = 'in_supplier("a", "Look").'


def test_every_tool_that_returns_it_may_be_called(possible: Possible) -> None:
    other = 'in_tool("Look"). in_effect("Look", write). in_gives("Look", ("key";"page")).'
    assert added(possible(LOST + other + LOOKS)) == {'new("a"),"Find"', 'new("a"),"Look"'}


def test_one_call_is_made_for_one_label(possible: Possible) -> None:
    other = 'in_tool("Look"). in_effect("Look", read). in_gives("Look", ("key";"page")).'
    both = ':- not name(new("a"), "Find"). :- not name(new("a"), "Look").'
    assert possible(LOST + other + LOOKS, rules=both) == set()


def test_a_call_that_lacks_a_value_reads_it_from_the_one_whose_number_is_missing(
    optima: Optima, possible: Possible
) -> None:
    """Somebody returns what the lost call gave; it stood before the call that lacks the value."""
    facts = """
    in_tool("Find"). in_effect("Find", read). in_gives("Find", ("";"key")). in_supplier("b1", "Find").
    in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
    in_call(0). in_name(0, "Book"). in_label(0, "b2"). in_fit("Find", "key", "Book", "key", 0).
    in_arg(1, "x"). in_ref(1, "x", 0, "b1", ""). in_lost(1, "x", 0, "b1").
    """ + returning(1)
    read = 'out_fill(0,"key",new("b1"),"key")'
    found = optima(facts + 'in_gap("b1", 0).').chosen
    assert found == {read, 'out_explained("b1",new("b1"))', 'out_tool(new("b1"),"Find")'}
    assert read not in possible(facts + 'in_gap("b1", 1).')
    assert read not in possible(facts)
    assert read not in possible(facts + 'in_gap("b1", 0).', rules=':- not explained("b1", apart).')


def test_an_added_call_finds_its_arguments_before_the_first_reader(possible: Possible) -> None:
    """A call before the reader may feed it, the reader itself and later ones may not."""
    calls = """
    in_tool("Name"). in_effect("Name", read). in_gives("Name", "query").
    in_call(-1;1). in_name((-1;1), "Name"). in_label(-1, "x"). in_label(1, "y"). in_executed(-1).
    in_fit("Name", "query", "Find", "query", 0).
    """
    found = possible(LOST + calls)
    assert 'out_fill(new("a"),"query",-1,"query")' in found
    assert 'out_fill(new("a"),"query",1,"query")' not in found


# --- on its own account ---------------------------------------------------------------------------


def test_a_tool_may_be_called_to_fill_a_parameter(optima: Optima) -> None:
    """Cheaper than an ask, since what it needs itself is at hand."""
    facts = MISSING + 'in_default("Find", "query", 1).'
    answer = optima(facts + 'in_fit("Find", "key", "Book", "key", 0).')
    assert answer.chosen == {
        f'out_tool({OWN},"Find")',
        f'out_fill(0,"key",{OWN},"key")',
        f'out_fill({OWN},"query",default,"")',
    }
    assert f"add_own_call,1,{OWN}" in answer.paid()


@pytest.mark.parametrize(
    ("fact", "instead"),
    [
        ('in_source("Find", "key", "Book", "key").', ""),
        ('in_source("Find", "key", "Book", "key").', 'in_source("Find", "key", "Else", "key").'),
        ('in_effect("Find", read).', 'in_effect("Find", write).'),
        ('in_effect("Find", read).', 'in_effect("Find", unknown).'),
    ],
    ids=[
        "nothing says that it gives the value",
        "it gives that of another tool",
        "it writes",
        "nobody knows",
    ],
)
def test_only_tools_that_change_nothing_and_give_the_value_are_called(
    fact: str, instead: str, possible: Possible
) -> None:
    assert added(possible(MISSING)) == {f'{OWN},"Find"'}
    assert fact in MISSING
    assert added(possible(MISSING.replace(fact, instead))) == set()


def test_a_parameter_that_is_there_needs_no_call(possible: Possible) -> None:
    assert added(possible(MISSING + 'in_arg(0, ("key";"colour")).')) == set()


def test_a_second_parameter_may_read_from_the_same_call(optima: Optima) -> None:
    facts = (
        MISSING
        + """
    in_required("Book", "page"). in_source("Find", "page", "Book", "page"). in_default("Find", "query", 1).
    in_fit("Find", "key", "Book", "key", 0). in_fit("Find", "page", "Book", "page", 0).
    """
    )
    answer = optima(facts)
    assert f'out_fill(0,"page",{OWN},"page")' in answer.chosen
    assert answer.paid("add_own_call") == [f"add_own_call,1,{OWN}"]


def test_nobody_reads_from_an_own_call_that_is_not_made(possible: Possible) -> None:
    facts = MISSING + 'in_required("Book", "page"). in_source("Find", "page", "Book", "page").'
    read = f':- not fill(0, "page", {OWN}, "page").'
    assert possible(facts, rules=read)
    assert not possible(facts, rules=read + f':- fill(0, "key", {OWN}, Path).')


@pytest.mark.slow
def test_how_many_and_how_deep_is_bounded(possible: Possible) -> None:
    """What an added call needs may come from another one, two deep at most."""
    deeper = "".join(
        f"""
        in_tool("T{n}"). in_effect("T{n}", read). in_param("T{n}", "p"). in_required("T{n}", "p").
        in_gives("T{n}", "q").
        """
        for n in range(3)
    )
    links = """
    in_source("T0", "q", "Find", "query"). in_source("T1", "q", "T0", "p"). in_source("T2", "q", "T1", "p").
    """
    facts = MISSING + deeper + links

    def depth(constants: dict[str, int]) -> int:
        return max(
            (call.count("own(") for call in added(possible(facts, constants=constants))), default=0
        )

    assert [depth({"max_new_calls": bound}) for bound in (0, 1, 2, 3)] == [0, 1, 2, 3]
    assert depth({}) == 2


def test_calls_on_their_own_account_are_counted_together(possible: Possible) -> None:
    """Two calls are broken in the same way; with one call to spare only one of them gets it."""
    facts = MISSING + 'in_call(1). in_name(1, "Book"). in_label(1, "c").'
    both = (
        f':- not fill(0, "key", {OWN}, "key"). :- not fill(1, "key", own(1, "key", "Find"), "key").'
    )
    assert possible(facts, rules=both)
    assert not possible(facts, rules=both, constants={"max_new_calls": 1})
