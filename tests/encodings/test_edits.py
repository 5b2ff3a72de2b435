"""Each kind of penalty of edits.lp, coherence.lp and the patterns once, with its units, at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from edit_cases import ARGUMENT, CASES, FITS, LOST, NEEDS_KEY, NOISE, SLIP, Case, fill, mend
from encoding_facts import tool
from encoding_files import heads_of

from refract_asp.rules.program import REPAIR_FILES


def named(each: Case) -> str:
    return f"{each.kind}-{'paid' if each.paid else 'free'}"


@pytest.mark.parametrize("each", CASES, ids=named)
def test_a_penalty_is_derived_once_with_its_units(each: Case, optima: Callable[..., Any]) -> None:
    choice = f"want :- {each.choice}. :- not want."
    place = 'argument(new("z"),"query")'
    expected = [f"{each.kind},{paid.replace('X', place)}" for paid in each.paid]
    assert optima(each.facts + NOISE, rules=choice).paid(each.kind) == expected


def test_every_kind_has_a_case_that_pays_and_where_it_can_one_that_does_not() -> None:
    kinds = {kind for name in REPAIR_FILES for kind, _, _ in heads_of(name, "penalty")}
    assert {each.kind for each in CASES if each.paid} == kinds


# --- ties -----------------------------------------------------------------------------------------


def test_an_ask_ranks_before_a_guess_and_the_better_fit_before_the_other(
    optima: Callable[..., Any],
) -> None:
    facts = NEEDS_KEY + FITS + 'in_rank("Find", "key", "Book", "key", 3).' + NOISE
    asked = optima(facts, rules=":- not " + fill("ask", "") + ".").only
    filled = optima(facts, rules=":- not " + fill("0") + ".").only
    assert not any("out_rank" in atom for atom in asked)
    assert {atom for atom in filled if "out_rank" in atom} == {f"out_rank(4,{ARGUMENT})"}


def test_a_mended_reference_ranks_by_its_path_too(optima: Callable[..., Any]) -> None:
    facts = SLIP + 'in_path_distance("kye","Find","key",7). in_rank("Find","key","Book","key",2).'
    assert f"out_rank(3,{ARGUMENT})" in optima(facts, rules=":- not " + mend("0") + ".").only


@pytest.mark.parametrize(
    ("effect", "rank"), [("read", 0), ("unknown", 1000), ("write", 1000), ("destructive", 3000)]
)
@pytest.mark.parametrize(
    ("facts", "choice", "model"),
    [
        (LOST + 'in_supplier("z", "Other").', 'name(new("z"), "Other")', "default"),
        (
            tool("Book", "read")
            + 'in_call(0). in_name(0, "Bokx"). in_label(0, "c"). in_offered(0, ("Book";"Other")).'
            + 'in_tool_distance(0, ("Book";"Other"), 60).',
            'name(0, "Other")',
            "refraction",
        ),
        (
            'in_goal(0). in_yields(0, "Other"). in_goal_field(0). in_goal_place(0, 0). in_callable("Other").',
            'name(goal(0), "Other")',
            "default",
        ),
    ],
    ids=["a label demands it", "a call is mended", "a goal wants it"],
)
def test_a_tool_that_is_chosen_ranks_by_what_it_may_do(
    facts: str, choice: str, model: str, effect: str, rank: int, optima: Callable[..., Any]
) -> None:
    """Whatever else speaks for it among equals, what changes nothing comes first."""
    stated = facts + tool("Other", effect, gives="key")
    found = optima(stated, rules=f"want :- {choice}. :- not want.", model=model).only
    ranks = [
        int(a.removeprefix("out_rank(").partition(",")[0])
        for a in found
        if a.startswith("out_rank")
    ]
    assert sum(ranks) == rank


def test_a_given_call_of_a_tool_that_destroys_has_no_rank(optima: Callable[..., Any]) -> None:
    facts = SLIP.replace('in_effect("Find", read)', 'in_effect("Find", destructive)')
    assert facts != SLIP
    assert not any(
        "out_rank" in a for a in optima(facts, rules=":- not " + mend("ask", "") + ".").only
    )
