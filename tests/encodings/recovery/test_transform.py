"""transform.lp: a value that does not fit comes into a clear form, is spread over calls, dropped or asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import pair

from refract_asp.resources import encodings_path
from refract_asp.rules.schemas.recasting import MARGIN

TOOL = """
in_tool("Book"). in_effect("Book", read). in_param("Book", ("day";"size")). in_required("Book", "day").
"""
CALL = TOOL + 'in_call(0). in_name(0, "Book"). in_arg(0, "day").'
UNFIT = CALL + 'in_unfit(0, "day", "Book", "day").'
LIST = UNFIT + 'in_recast(0, "day", "Book", "day", each(3), 1).'
NULL = UNFIT.replace('in_required("Book", "day").', "")
NULL += 'in_recast(0, "day", "Book", "day", nothing, 1).'
ASKED = 'out_mend(0,"day",0,ask,"")'
SPREAD = 'out_recast(0,"day",each(3))'
LEFT_OUT = 'out_recast(0,"day",nothing)'

Optima = Callable[..., Any]
Possible = Callable[..., set[str]]


def form(
    value: int, distance: int, parameter: str = "day", tool: str = "Book", call: int = 0
) -> str:
    """State that the argument has that form, which fits a parameter of a tool."""
    return f'in_recast({call}, "day", "{tool}", "{parameter}", {value}, {distance}).'


def recast(value: int, call: int = 0) -> str:
    return f'out_recast({call},"day",{value})'


def choices(atoms: set[str]) -> set[str]:
    return {
        atom
        for atom in atoms
        if atom.startswith(("out_recast", "out_mend", "out_dropped", "out_renamed"))
    }


# --- forms ----------------------------------------------------------------------------------------


def test_a_value_comes_into_a_form_or_is_asked_for(optima: Optima, possible: Possible) -> None:
    assert choices(possible(UNFIT + form(4, 1))) == {recast(4), ASKED}
    assert optima(UNFIT + form(4, 1)).chosen == {recast(4)}


def test_what_has_no_form_is_asked_for(optima: Optima) -> None:
    assert optima(UNFIT).chosen == {ASKED}


def test_it_does_not_stay_as_it_is(every_answer: Callable[[str], list[frozenset[str]]]) -> None:
    for answer in every_answer(UNFIT + form(4, 1)):
        assert answer & {recast(4), ASKED}


def test_it_is_replaced_in_one_way(possible: Possible) -> None:
    both = ':- not recast(0, "day", 4). :- not mend(0, "day", 0, ask, "").'
    assert not possible(UNFIT + form(4, 1), rules=both)


@pytest.mark.parametrize(("farther", "clear"), [(3, False), (4, True)])
def test_a_form_is_clear_when_the_next_one_is_farther(
    farther: int, clear: bool, possible: Possible
) -> None:
    """Of two that could be meant neither is taken."""
    found = choices(possible(UNFIT + form(4, 1) + form(5, farther)))
    assert found == ({ASKED, recast(4)} if clear else {ASKED})


def test_how_clear_can_be_said(possible: Possible) -> None:
    facts = UNFIT + form(4, 1) + form(5, 3)
    assert recast(4) in possible(facts, constants={"clear_form": 2})


def test_python_means_the_same_by_clear() -> None:
    text = (encodings_path() / "recovery/transform.lp").read_text("utf-8")
    assert f"#const clear_form = {MARGIN}." in text


def test_a_form_for_another_tool_is_none(possible: Possible) -> None:
    """Nor does it make a form less clear."""
    facts = UNFIT + form(4, 1, tool="Look") + 'in_tool("Look").'
    assert choices(possible(facts)) == {ASKED}
    assert recast(5) in possible(facts + form(5, 1))


def test_an_argument_that_goes_elsewhere_comes_into_the_form_that_fits_there(
    optima: Optima, possible: Possible
) -> None:
    facts = TOOL.replace('("day";"size")', '"size"').replace('in_required("Book", "day").', "")
    facts += 'in_call(0). in_name(0, "Book"). in_arg(0, "day"). in_unfit(0, "day", "Book", "size").'
    facts += 'in_parameter_distance(0, "day", "Book", "size", 2).'
    renamed = 'out_renamed(0,"day","size")'
    assert optima(facts + form(4, 1, "size")).chosen == {renamed, recast(4)}
    assert recast(4) not in possible(facts + form(4, 1))
    assert recast(4) not in possible(facts + form(4, 1, "size"), rules=':- not dropped(0, "day").')


def test_a_call_that_gets_another_tool_has_its_values_in_the_form_of_that_one(
    possible: Possible,
) -> None:
    facts = (
        TOOL + 'in_call(0). in_name(0, "Bok"). in_arg(0, "day"). in_tool_distance(0, "Book", 5).'
    )
    facts += 'in_unfit(0, "day", "Book", "day"). name_by(spelling).'
    assert recast(4) in possible(facts + form(4, 1))
    assert recast(4) not in possible(facts + form(4, 1), rules=":- not unresolved(0).")


# --- references -----------------------------------------------------------------------------------

CLASH = (
    TOOL
    + 'in_call(0..1). in_name(0, "Find"). in_label(0, "a"). in_name(1, "Book"). in_arg(1, "day").'
    + 'in_tool("Find"). in_gives("Find", ("one";"many")).'
    + 'in_ref(1, "day", 0, "a", "one"). in_producer(1, "day", 0, 0).'
    + 'in_clash("Find", "one", "Book", "day").'
)
DEEPER = 'in_path_distance("one", "Find", "many", 1). in_fit("Find", "many", "Book", "day", 20).'


def test_what_a_reference_reads_may_be_put_into_a_list(optima: Optima) -> None:
    wrapped = 'in_recast(1, "day", "Book", "day", 4, 4).'
    assert optima(CLASH + wrapped).chosen == {recast(4, 1)}
    assert optima(CLASH).chosen == {'out_mend(1,"day",0,ask,"")'}


def test_a_reference_of_another_type_reads_where_the_type_fits(
    optima: Optima, possible: Possible
) -> None:
    mended = 'out_mend(1,"day",0,0,"many")'
    assert optima(CLASH + DEEPER).chosen == {mended}
    clash = 'in_clash("Find", "many", "Book", "day").'
    assert mended not in possible(CLASH + DEEPER + clash)


# --- lists and nulls ------------------------------------------------------------------------------


def test_a_list_in_place_of_a_value_may_mean_several_calls(
    optima: Optima, possible: Possible
) -> None:
    assert choices(possible(LIST)) == {SPREAD, ASKED}
    assert optima(LIST).chosen == {SPREAD}
    assert optima(LIST).paid("spread") == ['spread,2,argument(0,"day")']


@pytest.mark.parametrize(
    "facts",
    [
        LIST.replace("read)", "write)"),
        LIST.replace('in_effect("Book", read).', ""),
        LIST.replace("each(3)", "each(4)"),
        LIST
        + 'in_label(0, "a"). in_call(1). in_name(1, "Book"). in_arg(1, "day"). in_gives("Book", "n").'
        + 'in_ref(1, "day", 0, "a", "n"). in_producer(1, "day", 0, 0).',
        UNFIT + 'in_recast(0, "day", "Look", "day", each(3), 1). in_tool("Look").',
        UNFIT + 'in_recast(0, "day", "Book", "size", each(3), 1).',
    ],
    ids=[
        "it writes",
        "who knows what it does",
        "too many",
        "it is read",
        "another tool",
        "another parameter",
    ],
)
def test_a_list_is_asked_for_where_several_calls_are_not_the_same(
    facts: str, possible: Possible
) -> None:
    assert choices(possible(facts)) == {ASKED}


def test_a_list_is_asked_for_where_a_lost_label_makes_somebody_read_the_call(
    possible: Possible,
) -> None:
    lost = (
        LIST
        + 'in_unlabelled(0). in_call(1). in_name(1, "Book"). in_arg(1, "day"). in_gives("Book", "n").'
    )
    lost += 'in_ref(1, "day", 0, "a", "n"). in_lost(1, "day", 0, "a").'
    lost += 'in_violation(unknown_label, reference(1, "day", 0)).'
    assert SPREAD in possible(lost)
    assert SPREAD not in possible(lost, rules=':- not reads(1, "day", 0, 0, "n").')


def test_all_lists_together_add_no_more_calls_than_are_allowed(possible: Possible) -> None:
    two = LIST.replace("each(3)", "each(2)")
    other = 'in_call(1). in_name(1, "Book"). in_arg(1, "day"). in_unfit(1, "day", "Book", "day").'
    other += 'in_recast(1, "day", "Book", "day", each({0}), 1).'
    both = ':- not recast(0, "day", each(2)). :- not recast(1, "day", each({0})).'
    assert possible(two + other.format(2), rules=both.format(2))
    assert not possible(two + other.format(3), rules=both.format(3))
    assert possible(two + other.format(3), rules=both.format(3), constants={"max_new_calls": 3})


def test_one_call_is_spread_over_one_list(possible: Possible) -> None:
    facts = (
        LIST.replace("each(3)", "each(2)")
        + 'in_arg(0, "size"). in_unfit(0, "size", "Book", "size").'
    )
    facts += 'in_recast(0, "size", "Book", "size", each(2), 1).'
    assert {'out_recast(0,"day",each(2))', 'out_recast(0,"size",each(2))'} <= possible(facts)
    both = ':- not recast(0, "day", each(2)). :- not recast(0, "size", each(2)).'
    assert not possible(facts, rules=both)


def test_a_null_that_need_not_be_there_is_left_out(optima: Optima) -> None:
    answer = optima(NULL)
    assert answer.chosen == {LEFT_OUT}
    assert answer.paid() == ['form_distance,1,argument(0,"day")', 'transform,1,argument(0,"day")']


def test_a_null_that_is_required_is_asked_for(optima: Optima) -> None:
    assert optima(UNFIT).chosen == {ASKED}


def test_to_leave_out_a_null_is_no_risk(optima: Optima) -> None:
    facts = NULL.replace("read)", "write)") + "in_confirm(risky)."
    assert not any(atom.startswith(("out_risky", "out_confirm")) for atom in optima(facts).only)


# --- what is passed then --------------------------------------------------------------------------

TRIED = (
    UNFIT
    + form(4, 1)
    + 'in_call(-1). in_executed(-1). in_name(-1, "Book"). in_arg(-1, "day").'
    + 'in_value(0, "day", 3).'
    + pair(0, -1)
)


def test_a_value_in_another_form_counts_as_what_is_passed(possible: Possible) -> None:
    """No call is mended into one that was tried as often as allowed."""
    stays = ":- unresolved(0)."
    assert recast(4) in possible(TRIED + 'in_value(-1, "day", 5).', rules=stays)
    assert recast(4) in possible(TRIED + 'in_value(-1, "day", 3).', rules=stays)
    assert recast(4) not in possible(TRIED + 'in_value(-1, "day", 4).', rules=stays)


def test_what_cannot_be_judged_stays_as_it_is(optima: Optima) -> None:
    facts = CALL + "in_unmendable(0, broken_schema). in_unjudged(0)."
    assert optima(facts).chosen == {"out_unresolved(0)"}


INNER = (
    UNFIT
    + """
in_recast(0, "day", "Book", "day", inner("date"), 4). in_recast(0, "day", "Book", "day", inner("id"), 21).
"""
)


def test_a_call_inside_an_argument_is_made_before_and_read(optima: Optima) -> None:
    found = optima(INNER)
    assert [choices(each) for each in found.answers] == [{'out_recast(0,"day",inner("date"))'}]
    assert found.paid("hoist") == ['hoist,1,argument(0,"day")']
    assert found.paid("form_distance") == ['form_distance,4,argument(0,"day")']


def test_nothing_is_read_from_it_where_two_outputs_could_be_meant(optima: Optima) -> None:
    assert optima(INNER.replace("21", "5")).chosen == {ASKED}
    assert optima(INNER.replace("21", "6")).chosen == {'out_recast(0,"day",inner("date"))'}
