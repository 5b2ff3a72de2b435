"""labels.lp: a lost label is explained once, for all that read from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import held

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"page")).
in_tool("Book"). in_effect("Book", read). in_param("Book", ("key";"page")).
"""
FIND = 'in_call(0). in_name(0, "Find"). in_arg(0, "query").'
LABELLED = FIND + 'in_label(0, "b").'
BOOK = """
in_call(1). in_name(1, "Book"). in_label(1, "c"). in_arg(1, ("key";"page")).
in_ref(1, "key", 0, "a", "key"). in_ref(1, "page", 0, "a", "page"). in_lost(1, ("key";"page"), 0, "a").
in_path_distance("key", "Find", "key", 0). in_path_distance("page", "Find", "page", 0).
"""
READER = """
in_call(2). in_name(2, "Book"). in_label(2, "d"). in_arg(2, "key").
in_ref(2, "key", 0, "b", "key"). in_producer(2, "key", 0, 0).
"""
RELABEL, NEW, APART = (
    'out_explained("a",0)',
    'out_explained("a",new("a"))',
    'out_explained("a",apart)',
)

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def test_one_new_label_explains_all_references_to_it(optima: Optima) -> None:
    answer = optima(TOOLS + LABELLED + BOOK)
    assert answer.chosen == {RELABEL}
    assert answer.paid() == ['rename_label,1,"a"']


def test_a_call_without_a_label_gets_it(optima: Optima) -> None:
    answer = optima(TOOLS + FIND + BOOK)
    assert answer.chosen == {RELABEL}
    assert answer.paid() == ['add_label,1,"a"']


def test_a_label_that_others_read_stays(optima: Optima) -> None:
    """So each reference is pointed to its bearer on its own."""
    answer = optima(TOOLS + LABELLED + BOOK + READER)
    assert answer.chosen == {APART, 'out_mend(1,"key",0,0,"key")', 'out_mend(1,"page",0,0,"page")'}
    assert 'out_penalty(repoint,1,reference(1,"key",0))' in answer.only


def test_a_bearer_returns_all_that_is_read(possible: Possible) -> None:
    facts = (TOOLS + LABELLED + BOOK).replace(
        'in_gives("Find", ("key";"page"))', 'in_gives("Find", "key")'
    )
    assert {RELABEL, NEW, APART} & possible(facts) == {APART}


def test_a_bearer_is_in_reach_of_the_first_reader(possible: Possible) -> None:
    assert RELABEL in possible(TOOLS + LABELLED + BOOK + "in_reach(1).")
    assert RELABEL not in possible(TOOLS + LABELLED + BOOK + "in_reach(0).")


def test_an_executed_call_is_no_bearer(possible: Possible) -> None:
    """It keeps the label under which it was executed; only the reference to it can be wrong."""
    executed = LABELLED.replace("(0", "(-1") + "in_executed(-1)."
    found = possible(TOOLS + executed + BOOK)
    assert RELABEL.replace("0", "-1") not in found
    assert 'out_mend(1,"key",0,-1,"key")' in found


def test_a_bearer_whose_tool_is_open_may_return_it(possible: Possible) -> None:
    """Of the tools that it may get one returns all that is read, so the label may be its own."""
    facts = (TOOLS + LABELLED + BOOK).replace('in_name(0, "Find")', 'in_name(0, "Fnd")')
    near = 'in_tool_distance(0, ("Find";"Book"), 20).'
    spelling = "name_by(spelling). :- dropped(1, K). :- explained(L, 0), mended(1, K, 0)."
    assert RELABEL in possible(facts + near, rules=spelling)
    assert RELABEL not in possible(facts + near, rules=spelling + ':- not name(0, "Book").')
    assert RELABEL not in possible(facts + near.replace('"Find";', ""), rules=spelling)


def test_a_bearer_stands_before_all_the_readers(possible: Possible) -> None:
    """Call 0 reads from the label as well, so call 0 is not it."""
    early = 'in_ref(0, "query", 0, "a", "key"). in_lost(0, "query", 0, "a").'
    assert RELABEL in possible(TOOLS + LABELLED + BOOK)
    assert RELABEL not in possible(TOOLS + LABELLED + BOOK + early)


def test_a_call_bears_one_label(possible: Possible) -> None:
    facts = (
        TOOLS
        + LABELLED
        + BOOK.replace('in_lost(1, ("key";"page"), 0, "a")', 'in_lost(1, "key", 0, "a")')
    )
    facts = facts.replace('0, "a", "page")', '0, "z", "page")') + 'in_lost(1, "page", 0, "z").'
    both = ':- not explained("a", 0). :- not explained("z", 0).'
    assert {RELABEL, 'out_explained("z",0)'} <= possible(facts)
    assert possible(facts, rules=both) == set()
    neither = ':- not explained("a", apart). :- not explained("z", apart).'
    assert {APART, 'out_explained("z",apart)'} <= possible(facts, rules=neither)
    missing = ':- not explained("a", new("a")). :- not explained("z", new("z")).'
    assert {NEW, 'out_explained("z",new("z"))'} <= possible(
        facts + 'in_supplier(("a";"z"), "Find").', rules=missing
    )


def test_a_call_may_be_missing_where_a_tool_returns_what_is_read(possible: Possible) -> None:
    assert NEW not in possible(TOOLS + BOOK)
    assert NEW in possible(TOOLS + BOOK + 'in_supplier(("a";"z"), "Find").')


def test_what_is_explained_needs_no_mending(possible: Possible) -> None:
    facts = TOOLS + LABELLED + BOOK
    assert 'out_mend(1,"key",0,0,"key")' in possible(facts)
    assert possible(facts, rules=':- not explained("a", 0). :- mended(1, "key", 0).')
    unmended = ':- not explained("a", apart). :- mended(1, "key", 0). :- dropped(1, "key").'
    assert possible(facts, rules=unmended) == set()


@pytest.mark.parametrize("paths", [(), ("key",)], ids=["nothing", "one of two"])
def test_a_label_of_memory_that_holds_nothing_of_the_kind_is_lost_too(
    paths: tuple[str, ...], possible: Possible
) -> None:
    """The call behind it can be made again."""
    recalled = BOOK.replace(
        'in_lost(1, ("key";"page"), 0, "a")', 'in_producer(1, ("key";"page"), 0, memory("a"))'
    )
    assert NEW in possible(TOOLS + recalled + held("a", *paths) + 'in_supplier(("a";"z"), "Find").')


def test_what_memory_holds_is_read_from_there_all_the_same(possible: Possible) -> None:
    """Only the page is lost, so the call that gives it need not return the key."""
    facts = (TOOLS + BOOK).replace('in_gives("Find", ("key";"page"))', 'in_gives("Find", "page")')
    facts = facts.replace(
        'in_lost(1, ("key";"page"), 0, "a")', 'in_producer(1, ("key";"page"), 0, memory("a"))'
    )
    assert NEW in possible(
        facts + held("a", "key") + 'in_supplier(("a";"z"), "Find").', rules=":- dropped(1, K)."
    )


@pytest.mark.parametrize(
    ("paths", "found"), [(("key",), False), ((), True)], ids=["read", "not read"]
)
def test_a_label_under_which_memory_is_read_is_not_put_on_a_given_call(
    paths: tuple[str, ...], found: bool, possible: Possible
) -> None:
    """The key would be read from that call then; a call that is added gets another label where it must."""
    recalled = BOOK.replace(
        'in_lost(1, ("key";"page"), 0, "a")', 'in_producer(1, ("key";"page"), 0, memory("a"))'
    )
    assert (RELABEL in possible(TOOLS + LABELLED + recalled + held("a", *paths))) == found


def test_a_context_variable_is_not_explained_but_asked(optima: Optima, possible: Possible) -> None:
    facts = (
        TOOLS
        + LABELLED
        + 'in_ref(0, "query", 0, "a", ""). in_lost(0, "query", 0, "a"). in_variable("a").'
    )
    assert not {RELABEL, NEW, APART} & possible(facts + 'in_supplier(("a";"z"), "Find").')
    assert optima(facts).chosen == {'out_mend(0,"query",0,ask,"")'}
