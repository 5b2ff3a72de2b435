"""costs/refraction.lp: what it does as the document does it, and each criterion that decides."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import held

from costs.made import (
    ALONE,
    APART,
    ASKED,
    BOTH_LOST,
    CALLABLE,
    CALLS,
    COPY,
    DROPPED,
    EARLY,
    ELEMENTS,
    EXACT,
    FNDX,
    FORM,
    HOISTED,
    INNER,
    LOOK,
    LOST_KEY,
    LOST_PAGE,
    MEND_ASKED,
    NEEDS_KEY,
    NEW,
    NEW_ASKED,
    NOTED,
    OTHER,
    OWN_ASKED,
    RECAST,
    SLIP,
    SOURCE,
    SPLIT,
    SPREAD,
    TOGETHER,
    UNFIT,
    USED,
    explained,
    filled,
    fit,
    meant,
    mended,
    slip,
)
from refract_asp.resources import cost_model_path
from refract_asp.rules.program import Files, repair_program

SUGGESTED = 'in_suggested("Find", "key", "Book", "key").'
MAPPED = fit("page", 3) + 'in_mapping("Find", "page", "Book", "key").'
OFFERED = FNDX + 'in_offered(0, ("Find";"Look")). in_tool_distance(0, ("Find";"Look"), 90).'

# criterion: instance, what is chosen, the constant that is changed, what is chosen then
DECIDED: dict[str, tuple[str, set[str], dict[str, int], set[str]]] = {
    "move_call": (
        EARLY,
        {"out_moved(2)"},
        {"weight_move_call": 99},
        {'out_mend(0,"key",0,ask,"")', 'out_mend(1,"key",0,ask,"")'},
    ),
    "add_label": (
        CALLS.replace('in_label(0, "a").', "") + LOST_KEY,
        {explained("0")},
        {"weight_add_label": 50},
        {APART, MEND_ASKED},
    ),
    "rename_label": (
        CALLS + LOST_KEY + EXACT,
        {APART, mended("0", "key")},
        {"weight_rename_label": 15},
        {explained("0")},
    ),
    "repoint": (
        CALLS + OTHER + USED + LOST_KEY + EXACT + CALLABLE,
        {APART, mended("1", "key")},
        {"weight_repoint": 30},
        NEW_ASKED,
    ),
    "transform": (UNFIT + FORM, {RECAST}, {"weight_transform": 99}, {MEND_ASKED}),
    "form_distance": (UNFIT + FORM, {RECAST}, {"weight_form_distance": 9}, {MEND_ASKED}),
    "hoist": (UNFIT + INNER, {HOISTED}, {"weight_hoist": 60}, {MEND_ASKED}),
    "spread": (UNFIT + ELEMENTS, {SPREAD}, {"weight_spread": 30}, {MEND_ASKED}),
    "repath": (SLIP + slip(1), {MEND_ASKED}, {"weight_repath": 30}, {mended("0", "key")}),
    "rename_parameter": (
        NOTED + meant(1),
        {DROPPED},
        {"weight_rename_parameter": 10},
        {'out_renamed(2,"nt","note")'},
    ),
    "fill": (NEEDS_KEY + MAPPED, {filled("0", "page")}, {"weight_fill": 50}, {ASKED}),
    "fill_added": (
        ALONE + LOST_KEY + CALLABLE + 'in_default("Find", "query", 1).',
        {*NEW, 'out_fill(new("z"),"query",default,"")'},
        {"weight_fill_added": 5},
        NEW_ASKED,
    ),
    "guess": (NEEDS_KEY + fit("key", 0), {ASKED}, {"weight_guess": 10}, {filled("0", "key")}),
    "suggestion": (
        NEEDS_KEY + fit("key", 15) + SUGGESTED,
        {filled("0", "key")},
        {"weight_suggestion": 31},
        {ASKED},
    ),
    "reuse_constant": (
        ALONE + LOST_KEY + CALLABLE + 'in_constant("Find", "query", 0).',
        {*NEW, 'out_fill(new("z"),"query",constant(0),"")'},
        {"weight_reuse_constant": 9},
        NEW_ASKED,
    ),
    "drop_undeclared": (
        NOTED + meant(1),
        {DROPPED},
        {"weight_drop_undeclared": 600},
        {'out_renamed(2,"nt","note")'},
    ),
    "add_call": (
        ALONE + LOST_KEY + CALLABLE,
        NEW_ASKED,
        {"weight_add_call": 50},
        {APART, MEND_ASKED},
    ),
    "rename_tool": (
        OFFERED,
        {'out_tool(0,"Find")'},
        {"weight_rename_tool": 1500},
        {"out_deleted(0)"},
    ),
    "ask": (NEEDS_KEY + MAPPED, {filled("0", "page")}, {"weight_ask": 5}, {ASKED}),
    "ask_added": (
        ALONE + LOST_KEY + CALLABLE,
        NEW_ASKED,
        {"weight_ask_added": 30},
        {APART, MEND_ASKED},
    ),
    "ask_own": (
        ALONE + 'in_required("Book", "key").' + SOURCE,
        OWN_ASKED,
        {"weight_ask_own": 30},
        {ASKED},
    ),
    "add_own_call": (
        ALONE + 'in_required("Book", "key").' + SOURCE,
        OWN_ASKED,
        {"weight_add_own_call": 30},
        {ASKED},
    ),
    "drop_declared": (
        ALONE + LOST_KEY,
        {APART, MEND_ASKED},
        {"weight_drop_declared": 30},
        {APART, 'out_dropped(2,"key")'},
    ),
    "delete_copy": (
        COPY,
        {"out_deleted(1)", 'out_dropped(1,"colour")'},
        {"weight_delete_copy": 3000},
        {"out_unresolved(1)"},
    ),
    "delete_call": (
        FNDX,
        {"out_deleted(0)"},
        {"weight_delete_call": 3000},
        {"out_unresolved(0)"},
    ),
    "leave_unresolved": (
        FNDX,
        {"out_deleted(0)"},
        {"weight_leave_unresolved": 900},
        {"out_unresolved(0)"},
    ),
    "split": (BOTH_LOST, TOGETHER, {"weight_split": 0}, SPLIT),
    "busy": (BOTH_LOST, TOGETHER, {"weight_busy": 10}, SPLIT),
    "same_twice": (
        NEEDS_KEY
        + MAPPED
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "a", "page"). in_producer(2, "note", 0, 0).',
        {filled("0", "page")},
        {"weight_same_twice": 40},
        {ASKED},
    ),
    "leave_label": (SLIP + LOOK, {mended("1", "kye")}, {"weight_leave_label": 30}, {MEND_ASKED}),
}

Optima = Callable[..., Any]


@pytest.mark.slow
@pytest.mark.parametrize("criterion", DECIDED)
def test_a_criterion_decides(criterion: str, optima: Optima) -> None:
    facts, chosen, constants, instead = DECIDED[criterion]
    assert optima(facts, model="refraction").chosen == chosen
    assert optima(facts, model="refraction", constants=constants).chosen == instead


def test_to_repoint_is_cheaper_than_a_call_and_that_cheaper_than_to_repoint_twice(
    optima: Optima,
) -> None:
    """The order of the document: one reference is mended, two are explained by a call that is missing."""
    one = CALLS + OTHER + USED + LOST_KEY + EXACT + CALLABLE
    constant = 'in_constant("Find", "query", 0).'
    new = {*NEW, 'out_fill(new("z"),"query",constant(0),"")'}
    assert optima(one + constant, model="refraction").chosen == {APART, mended("1", "key")}
    assert optima(one + constant + LOST_PAGE, model="refraction").chosen == new


def test_a_name_that_is_alike_says_nothing(optima: Optima) -> None:
    """Neither a tool, nor a parameter, nor a path, nor a field is found by its spelling."""
    assert optima(FNDX + 'in_tool_distance(0, "Find", 1).', model="refraction").chosen == {
        "out_deleted(0)"
    }
    assert optima(NOTED + meant(1), model="refraction").chosen == {DROPPED}
    assert optima(SLIP + slip(1), model="refraction").chosen == {MEND_ASKED}
    assert optima(NEEDS_KEY + fit("key", 0), model="refraction").chosen == {ASKED}


FITS = NEEDS_KEY + fit("key", 6)
IN_SOURCE = 'in_source("{}", "key", "Book", "key").'
SHOWN = """
in_call(1). in_name(1, "Book"). in_label(1, "b"). in_arg(1, "key"). in_ref(1, "key", 0, "a", "{}").
in_producer(1, "key", 0, 0). in_fit("Find", "page", "Book", "key", 20).
"""
IN_MEMORY = NEEDS_KEY + held("m", "key") + 'in_fit(memory("m"), "key", "Book", "key", 2).'
SAME_MAPPED = 'in_mapping("Find", "key", "Book", "key").'
GUESS = ['guess,1,argument(2,"key")']


@pytest.mark.parametrize(
    ("facts", "origin", "expected"),
    [
        (FITS, "0", GUESS),
        (FITS + IN_SOURCE.format("Find"), "0", []),
        (FITS + IN_SOURCE.format("Look"), "0", GUESS),
        (FITS + 'in_mapping("Find", "key", "Book", "key").', "0", []),
        (FITS + 'in_mapping("Find", "page", "Book", "key").', "0", GUESS),
        (FITS + SHOWN.format("key"), "0", []),
        (FITS + SHOWN.format("page"), "0", GUESS),
        (IN_MEMORY, 'memory("m")', GUESS),
        (IN_MEMORY + 'in_source(memory("m"), "key", "Book", "key").', 'memory("m")', []),
        (NEEDS_KEY, "ask", []),
    ],
    ids=[
        "a likeness of names",
        "few tools return it",
        "few tools return it, but this one",
        "a mapping",
        "a mapping of another field",
        "the sequence does so elsewhere",
        "... with another field",
        "a likeness of names in memory",
        "the very name in memory",
        "an ask",
    ],
)
def test_what_nothing_but_likeness_speaks_for_is_a_guess(
    facts: str, origin: str, expected: list[str], optima: Optima
) -> None:
    """A kind of penalty that this model derives itself."""
    choice = f':- not fill(2, "key", {origin}, "{"" if origin == "ask" else "key"}").'
    assert optima(facts, model="refraction", rules=choice).paid("guess") == expected


@pytest.mark.parametrize(
    ("backing", "expected"),
    [("", ['suggestion,1,argument(2,"key")']), (IN_SOURCE.format("Find"), []), (SAME_MAPPED, [])],
)
def test_what_a_computed_mapping_says_is_no_guess_and_comes_last(
    backing: str, expected: list[str], optima: Optima
) -> None:
    answer = optima(FITS + SUGGESTED + backing, model="refraction")
    assert answer.paid("guess") == []
    assert answer.paid("suggestion") == expected


def test_a_call_may_be_added_for_a_field_of_a_common_name() -> None:
    """Python offers such calls to this model alone."""
    assert repair_program(Files("refraction")).says("call_for(common_name)")
    assert not repair_program(Files("default")).says("call_for(common_name)")


def test_nothing_has_to_be_confirmed_and_asks_are_named_after_the_field() -> None:
    program = repair_program(Files("refraction"))
    assert program.confirm == "never"
    assert program.says("ask_named_after(field)")


def test_every_criterion_has_its_instance() -> None:
    ranked = re.findall(
        r"^criterion\((\w+),", cost_model_path("refraction").read_text("utf-8"), re.M
    )
    assert set(DECIDED) == set(ranked)
