"""references.lp: a reference that cannot stay reads another path, another call, or memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import held, pair

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"page")).
in_tool("Look"). in_effect("Look", read). in_param("Look", "query"). in_gives("Look", ("key";"text")).
in_tool("Book"). in_effect("Book", read). in_param("Book", "key"). in_required("Book", "key").
"""
CALLS = (
    TOOLS
    + """
in_call(0..2). in_name(0, "Find"). in_name(1, "Look"). in_name(2, "Book"). in_arg(0..1, "query").
in_label(0, "a"). in_label(1, "b"). in_label(2, "c"). in_arg(2, "key").
"""
)
SLIP = CALLS + 'in_ref(2, "key", 0, "a", "kye"). in_producer(2, "key", 0, 0).'
LOST = CALLS + 'in_ref(2, "key", 0, "z", "key"). in_lost(2, "key", 0, "z").'
RECALLED = CALLS + 'in_ref(2, "key", 0, "m", "kye"). in_producer(2, "key", 0, memory("m")).'
HELD = held("m", "key") + 'in_fit(memory("m"), "key", "Book", "key", 0).'
APART = ':- not explained("z", apart).'
ASKED = 'out_mend(2,"key",0,ask,"")'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def mends(atoms: set[str]) -> set[str]:
    """Return where the reference may read, as `origin,path`."""
    return {
        a.removeprefix('out_mend(2,"key",0,')[:-1]
        for a in atoms
        if a.startswith("out_mend") and a != ASKED
    }


def distance(path: str, tool: str, other: str, units: int) -> str:
    return f'in_path_distance("{path}", {tool}, "{other}", {units}).'


def test_a_slip_in_a_path_is_mended_in_place(optima: Optima) -> None:
    answer = optima(
        SLIP + distance("kye", '"Find"', "key", 7) + 'in_fit("Find", "key", "Book", "key", 0).'
    )
    assert answer.chosen == {'out_mend(2,"key",0,0,"key")'}
    assert 'repath,1,reference(2,"key",0)' in answer.paid()


def test_the_call_that_is_read_offers_its_paths_however_unlike(possible: Possible) -> None:
    near = SLIP + distance("kye", '"Find"', "key", 7)
    assert mends(possible(near + distance("kye", '"Find"', "page", 19))) == {'0,"key"', '0,"page"'}
    other_path, other_tool = (
        distance("kay", '"Find"', "page", 1),
        distance("kye", '"Look"', "page", 1),
    )
    assert mends(possible(near + other_path + other_tool)) == {'0,"key"'}


def test_another_call_that_returns_the_very_path_is_read(
    optima: Optima, possible: Possible
) -> None:
    facts = LOST + distance("key", '"Look"', "key", 0)
    assert mends(possible(facts)) == {'1,"key"'}
    assert optima(facts, rules=APART).chosen == {
        'out_explained("z",apart)',
        'out_mend(2,"key",0,1,"key")',
    }


def test_where_one_call_returns_the_very_path_another_path_is_dearer(optima: Optima) -> None:
    """Be it a slip or what would fit."""
    exact = distance("key", '"Find"', "key", 0)
    slip = distance("key", '"Look"', "text", 3)
    fits = distance("key", '"Look"', "text", 15) + 'in_fit("Look", "text", "Book", "key", 2).'
    for other in (slip, fits):
        assert mends(optima(LOST + other, rules=APART).chosen) == {'1,"text"'}
        assert mends(optima(LOST + other + exact, rules=APART).chosen) == {'0,"key"'}


@pytest.mark.parametrize(
    ("units", "fit", "tried"),
    [(10, 20, True), (11, 20, False), (11, 19, True), (19, 0, True)],
    ids=["a slip", "no slip, no fit", "it fits somewhat", "it fits"],
)
def test_both_label_and_path_may_be_wrong(
    units: int, fit: int, tried: bool, possible: Possible
) -> None:
    facts = (
        LOST
        + distance("key", '"Look"', "text", units)
        + f'in_fit("Look", "text", "Book", "key", {fit}).'
    )
    assert mends(possible(facts)) == ({'1,"text"'} if tried else set())


def test_what_fits_is_tried_where_it_is_compared_and_for_this_call(possible: Possible) -> None:
    """Look returns a word and a text, but nobody compared the word; the text fits another tool only."""
    facts = LOST + distance("key", '"Look"', "text", 15) + 'in_gives("Look", "word").'
    facts += 'in_fit("Look", "word", "Book", "key", 0). in_fit("Look", "text", "Else", "key", 0).'
    assert mends(possible(facts)) == set()


def test_how_far_a_slip_goes_is_a_constant(possible: Possible) -> None:
    facts = LOST + distance("key", '"Look"', "text", 11)
    assert mends(possible(facts, constants={"near_path": 11})) == {'1,"text"'}


def test_memory_is_read_instead(optima: Optima) -> None:
    answer = optima(LOST + distance("key", 'memory("m")', "key", 0) + HELD, rules=APART)
    assert 'out_mend(2,"key",0,memory("m"),"key")' in answer.chosen
    assert answer.paid("repoint") == ['repoint,1,reference(2,"key",0)']


def test_another_path_into_memory_is_read(optima: Optima) -> None:
    answer = optima(RECALLED + distance("kye", 'memory("m")', "key", 7) + HELD)
    assert 'out_mend(2,"key",0,memory("m"),"key")' in answer.chosen
    assert answer.paid("repoint") == []


def test_memory_must_hold_what_is_read(possible: Possible) -> None:
    facts = RECALLED + distance("kye", 'memory("m")', "key", 7)
    assert mends(possible(facts + HELD)) == {'memory("m"),"key"'}
    assert mends(possible(facts + held("m", "page"))) == set()


def test_a_call_after_the_reader_is_not_read(possible: Possible) -> None:
    facts = (
        TOOLS
        + 'in_call(0..1). in_name(0, "Book"). in_arg(0, "key"). in_name(1, "Find"). in_label(1, "a").'
    )
    facts += 'in_ref(0, "key", 0, "z", "key"). in_lost(0, "key", 0, "z"). in_arg(1, "query").'
    facts += distance("key", '"Find"', "key", 0) + distance("key", '"Find"', "page", 5)
    assert 'out_mend(0,"key",0,1,"key")' not in possible(facts)
    early = facts.replace('in_lost(0, "key", 0, "z")', 'in_producer(0, "key", 0, 1)')
    found = possible(early)
    assert "out_moved(0)" in found
    assert not any("out_mend(0" in atom and "ask" not in atom for atom in found)


def test_an_executed_call_is_read_only_where_that_is_possible(possible: Possible) -> None:
    """A call whose label is borne by a later one is executed, but none that can still be read."""
    executed = 'in_executed(-1). in_name(-1, "Look").' + distance("key", '"Look"', "text", 3)
    assert mends(possible(LOST + executed)) == {'1,"text"'}
    assert mends(possible(LOST + executed + "in_call(-1).")) == {'1,"text"', '-1,"text"'}


def test_what_is_dropped_is_not_read(optima: Optima) -> None:
    """So the call that it would read need not come before it."""
    facts = (
        TOOLS
        + 'in_call(0..1). in_name(0, "Book"). in_arg(0, ("key";"colour")). in_name(1, "Find").'
    )
    facts += 'in_arg(1, "query"). in_label(1, "a"). in_ref(0, "colour", 0, "a", "key").'
    facts += 'in_producer(0, "colour", 0, 1).'
    assert optima(facts).chosen == {'out_dropped(0,"colour")'}


def test_what_can_stay_is_not_mended(possible: Possible) -> None:
    facts = (
        SLIP.replace("kye", "key") + distance("key", '"Look"', "key", 0) + 'in_arg(1, "colour").'
    )
    assert mends(possible(facts)) == set()
    assert ASKED not in possible(facts)


def test_what_depends_on_the_tool_that_is_found_is_mended_only_with_the_other_one(
    possible: Possible,
) -> None:
    """The first call may be Find, which returns no text, or Look, which does."""
    facts = SLIP.replace("kye", "text").replace('in_name(0, "Find")', 'in_name(0, "Fond")')
    facts += 'in_tool_distance(0, ("Find";"Look"), 30).' + distance("text", '"Find"', "page", 12)
    spelling = "name_by(spelling)."
    stays = ":- mended(2, K, N)."
    assert possible(facts, rules=spelling + stays + ':- not name(0, "Look").')
    assert not possible(facts, rules=spelling + stays + ':- not name(0, "Find").')
    assert mends(possible(facts, rules=spelling + ':- not name(0, "Find").')) == {'0,"page"'}


def test_references_inside_a_template_are_mended_each_for_itself(optima: Optima) -> None:
    place = '2, "key"'
    facts = CALLS + f'in_ref({place}, 1, "a", "kye"). in_ref({place}, 2, "b", "txt").'
    facts += f"in_producer({place}, 1, 0). in_producer({place}, 2, 1)."
    facts += distance("kye", '"Find"', "key", 7) + distance("txt", '"Look"', "text", 5)
    assert optima(facts).chosen == {'out_mend(2,"key",1,0,"key")', 'out_mend(2,"key",2,1,"text")'}


def test_a_call_that_stays_unresolved_keeps_its_references_as_they_are(optima: Optima) -> None:
    """Nothing is made of a call whose tool nobody knows, so nothing is mended or asked in it."""
    facts = SLIP.replace('in_name(2, "Book")', 'in_name(2, "Bok")') + distance(
        "kye", '"Find"', "key", 7
    )
    assert optima(facts).chosen == {"out_unresolved(2)"}
    lost = LOST.replace('in_name(2, "Book")', 'in_name(2, "Bok")') + distance(
        "key", '"Look"', "key", 0
    )
    assert optima(lost, rules=APART).chosen == {"out_unresolved(2)", 'out_explained("z",apart)'}


def test_what_the_call_would_read_may_have_been_tried_too_often(possible: Possible) -> None:
    """The key of one executed call was tried in vain, so the reference is mended by another one."""
    facts = (
        LOST.replace("in_call(0..2).", "in_call(2). in_call(-3..-1). in_executed(-3..-1).")
        .replace("(0", "(-3")
        .replace("(1", "(-2")
    )
    facts += distance("key", '"Find"', "key", 0) + distance("key", '"Look"', "key", 0)
    tried = """
    in_name(-1, "Book"). in_arg(-1, "key"). in_value((2;-1), "key", 0).
    in_ref(-1, "key", 0, "a", "key"). in_producer(-1, "key", 0, {}).
    """
    facts, stays = facts + pair(2, -1), ":- unresolved(2)."
    assert mends(possible(facts, rules=stays)) == {'-3,"key"', '-2,"key"'}
    assert mends(possible(facts + tried.format(-3), rules=stays)) == {'-2,"key"'}
    assert mends(possible(facts + tried.format(-2), rules=stays)) == {'-3,"key"'}


def test_memory_of_any_label_is_a_candidate(possible: Possible) -> None:
    """Under the label that is read, and under another one."""
    facts = RECALLED + HELD + held("n", "key") + distance("kye", 'memory("m";"n")', "key", 3)
    assert mends(possible(facts)) == {'memory("m"),"key"', 'memory("n"),"key"'}


@pytest.mark.parametrize(
    ("reach", "expected"), [(2, {'0,"key"', '1,"key"'}), (1, {'1,"key"'}), (0, set())]
)
def test_other_calls_are_looked_at_as_far_as_the_reach(
    reach: int, expected: set[str], possible: Possible
) -> None:
    facts = LOST + distance("key", '"Find"', "key", 0) + distance("key", '"Look"', "key", 0)
    assert mends(possible(facts + f"in_reach({reach}).")) == expected


def test_the_call_that_is_read_is_always_in_reach(possible: Possible) -> None:
    assert mends(possible(SLIP + distance("kye", '"Find"', "key", 7) + "in_reach(1).")) == {
        '0,"key"'
    }
