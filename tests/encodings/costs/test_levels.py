"""
The cost models with several levels: slot_filling, maps_first, calls_first and prune.

Their weights are those of `default`, so on one level they are `default`. Each criterion is tried on
the instance that it decides there: what the levels choose, and what the weight chooses on one level.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from costs.made import (
    ALONE,
    APART,
    ASKED,
    CALLABLE,
    CALLS,
    DROPPED,
    EXACT,
    FNDX,
    LOST_KEY,
    MEND_ASKED,
    NEEDS_KEY,
    NEW,
    NOTED,
    OTHER,
    OWN,
    OWN_ASKED,
    RENAMED,
    SLIP,
    SOURCE,
    TOOLS,
    USED,
    explained,
    filled,
    fit,
    meant,
    mended,
    slip,
)
from costs.test_default import DECIDED
from refract_asp.resources import cost_model_path

ONE_LEVEL = {
    "slot_filling": ("unresolved", "fill"),
    "maps_first": ("unresolved", "ask", "call"),
    "calls_first": ("unresolved", "ask", "use_again"),
    "prune": ("unresolved", "negative", "edits"),
}
"""The levels of each model, but that of the other edits where it is 2 already."""

ASK_IT = {APART, MEND_ASKED}
DROP_IT = {APART, 'out_dropped(2,"key")'}
DROP_BOTH = DROP_IT | {'out_dropped(2,"page")'}
GOES = {"out_deleted(0)"}

# model: criterion: what the levels choose, where weights would choose otherwise
OTHERWISE: dict[str, dict[str, set[str]]] = {
    "slot_filling": {
        "spread": {MEND_ASKED},
        "fill": {ASKED},
        "fill_added": ASK_IT,
        "reuse_constant": ASK_IT,
        "add_call": ASK_IT,
        "ask": {ASKED},
        "ask_added": ASK_IT,
        "ask_own": {ASKED},
        "add_own_call": {ASKED},
        "fit_distance": {ASKED},
        "split": ASK_IT | {mended("ask", parameter="page")},
        "busy": ASK_IT | {mended("ask", parameter="page")},
        "ignored_gap": {explained("0")},
        "same_twice": {ASKED},
        "named_distance": {APART, mended("ask", parameter="x")},
    },
    "maps_first": {
        "reuse_constant": {*NEW, 'out_fill(new("z"),"query",constant(0),"")'},
        "ignored_gap": {explained("0")},
    },
    "calls_first": {},
    "prune": {
        "add_label": DROP_IT,
        "rename_label": DROP_IT,
        "repoint": DROP_IT,
        "repath": {'out_dropped(2,"key")'},
        "rename_parameter": {DROPPED},
        "fill_added": DROP_IT,
        "reuse_constant": DROP_IT,
        "drop_undeclared": {DROPPED},
        "add_call": DROP_IT,
        "rename_tool": GOES,
        "ask_added": DROP_IT,
        "drop_declared": DROP_IT,
        "leave_unresolved": GOES,
        "tool_distance": GOES,
        "parameter_distance": {DROPPED},
        "path_distance": {'out_dropped(2,"key")'},
        "split": DROP_BOTH,
        "busy": DROP_BOTH,
        "leave_label": {'out_dropped(2,"key")'},
    },
}

# model: the criteria whose instance a level decides, as the weights do, whatever they are
FIRM = {
    "slot_filling": "delete_copy rename_label repoint rename_tool leave_unresolved leave_label drop_declared",
    "maps_first": "move_call delete_copy add_label transform form_distance hoist spread repath fill "
    "fill_added add_call rename_tool ask ask_added ask_own add_own_call leave_unresolved tool_distance "
    "path_distance fit_distance",
    "calls_first": "move_call delete_copy add_label rename_label repoint transform form_distance hoist "
    "spread repath fill add_call rename_tool ask ask_added ask_own add_own_call leave_unresolved "
    "leave_label tool_distance path_distance fit_distance",
    "prune": "move_call delete_copy",
}

# model: the criteria that decide by their weight, though for another repair than on one level
INSTEAD = {"prune": {"ignored_gap": DROP_IT, "ignored_number": DROP_IT}}

Optima = Callable[..., Any]


def one_level(model: str) -> dict[str, int]:
    """Return the constants that put all criteria of a model on one level."""
    levels = {f"priority_{name}": 2 for name in ONE_LEVEL[model]}
    own = {
        "prune": {"weight_delete_call": 9999},
        "calls_first": {"weight_use_again": 0},
    }  # not in `default`
    return levels | own.get(model, {}) | {"weight_leave_unresolved": 2000}


@pytest.mark.slow
@pytest.mark.parametrize("criterion", DECIDED)
@pytest.mark.parametrize("model", ONE_LEVEL)
def test_a_criterion_decides(model: str, criterion: str, optima: Optima) -> None:
    facts, chosen, constants, instead = DECIDED[criterion]
    levels = one_level(model)
    if criterion in OTHERWISE[model]:
        assert OTHERWISE[model][criterion] != chosen
        assert optima(facts, model=model).chosen == OTHERWISE[model][criterion]
        assert optima(facts, model=model, constants=levels).chosen == chosen
        assert optima(facts, model=model, constants=levels | constants).chosen == instead
    elif criterion in FIRM[model].split():
        assert optima(facts, model=model).chosen == chosen
        assert optima(facts, model=model, constants=constants).chosen == chosen
        assert optima(facts, model=model, constants=levels | constants).chosen == instead
    else:
        assert optima(facts, model=model).chosen == chosen
        instead = INSTEAD.get(model, {}).get(criterion, instead)
        assert optima(facts, model=model, constants=constants).chosen == instead


def test_to_delete_a_call_decides(optima: Optima) -> None:
    """The one criterion that decides nothing in `default`: a tool that does not exist, and nobody reads."""
    facts = FNDX + 'in_tool_distance(0, "Find", 15).'
    assert optima(facts, model="prune").chosen == GOES
    costly = one_level("prune") | {"weight_delete_call": 100}
    assert optima(facts, model="prune", constants=costly).chosen == {'out_tool(0,"Find")'}
    assert (
        optima(facts, model="prune", constants=costly | {"weight_delete_call": 20}).chosen == GOES
    )


BOTH = ALONE + 'in_required("Book", "key").' + SOURCE + 'in_default("Find", "query", 1).'
FRESH = {f'out_tool({OWN},"Find")', filled(OWN, "key"), f'out_fill({OWN},"query",default,"")'}
TWO_WAYS = NEEDS_KEY + fit("key", 5) + SOURCE + 'in_default("Find", "query", 1).'
ONE_LOST = CALLS + OTHER + USED + LOST_KEY + EXACT + CALLABLE + 'in_constant("Find", "query", 0).'

# model: instance, what is chosen, two constants that change places, what is chosen then
SWAPPED: dict[str, tuple[str, set[str], tuple[str, str], set[str]]] = {
    "default": (
        NOTED + meant(5),
        {RENAMED},
        ("weight_rename_parameter", "weight_drop_undeclared"),
        {DROPPED},
    ),
    "refraction": (
        ONE_LOST,
        {APART, mended("1", "key")},
        ("weight_repoint", "weight_add_call"),
        {*NEW, 'out_fill(new("z"),"query",constant(0),"")'},
    ),
    "slot_filling": (
        NEEDS_KEY + fit("key", 5),
        {ASKED},
        ("priority_fill", "priority_edits"),
        {filled("0", "key")},
    ),
    "maps_first": (
        ALONE + 'in_required("Book", "key").' + SOURCE,
        OWN_ASKED,
        ("priority_call", "priority_ask"),
        {ASKED},
    ),
    "calls_first": (
        TWO_WAYS,
        FRESH,
        ("priority_use_again", "priority_edits"),
        {filled("0", "key")},
    ),
    "prune": (NOTED + meant(5), {DROPPED}, ("priority_negative", "priority_edits"), {RENAMED}),
}


@pytest.mark.parametrize("model", SWAPPED)
def test_two_levels_or_weights_that_change_places_give_another_repair(
    model: str, optima: Optima
) -> None:
    facts, chosen, (one, other), instead = SWAPPED[model]
    text = cost_model_path(model).read_text("utf-8")
    stated = {
        name: int(value) for name, value in re.findall(r"^#const (\w+) = (\d+)\.", text, re.M)
    }
    swapped = {one: stated[other], other: stated[one]}
    assert optima(facts, model=model).chosen == chosen
    assert optima(facts, model=model, constants=swapped).chosen == instead


@pytest.mark.parametrize(
    ("model", "chosen"),
    [
        ("default", {filled("0", "key")}),
        ("slot_filling", {ASKED}),
        ("maps_first", {filled("0", "key")}),
        ("calls_first", FRESH),
    ],
)
def test_ask_fill_or_call(model: str, chosen: set[str], optima: Optima) -> None:
    """One value is missing, which an earlier call, a new one and the user could give."""
    assert optima(TWO_WAYS, model=model).chosen == chosen


def test_a_call_comes_before_an_ask_and_after_what_is_there(optima: Optima) -> None:
    assert optima(BOTH, model="maps_first").chosen == FRESH
    assert optima(BOTH, model="slot_filling").chosen == {ASKED}


STALE = {f"use_again,1,{place}" for place in ('argument(2,"key")', 'reference(2,"key",0)')}


@pytest.mark.parametrize(
    ("facts", "choice", "paid"),
    [
        (NEEDS_KEY + fit("key", 5), 'fill(2, "key", 0, "key")', True),
        (NEEDS_KEY + 'in_default("Book", "key", 1).', 'fill(2, "key", default, "")', True),
        (NEEDS_KEY, 'fill(2, "key", ask, "")', False),
        (TWO_WAYS, f'fill(2, "key", {OWN}, "key")', False),
        (CALLS + OTHER + LOST_KEY + EXACT, 'mend(2, "key", 0, 1, "key")', True),
        (CALLS + OTHER + LOST_KEY + EXACT, 'mend(2, "key", 0, ask, "")', False),
        (CALLS + OTHER + LOST_KEY + EXACT, 'explained("z", 1)', False),
        (SLIP + slip(5), 'mend(2, "key", 0, 0, "key")', False),
    ],
)
def test_what_is_used_again(facts: str, choice: str, paid: bool, optima: Optima) -> None:
    """A kind of penalty that `calls_first` derives itself."""
    answers = optima(facts, model="calls_first", rules=f":- not {choice}.")
    assert bool(answers.paid("use_again")) is paid
    assert set(answers.paid("use_again")) <= STALE


def test_to_use_again_decides(optima: Optima) -> None:
    assert optima(TWO_WAYS, model="calls_first").chosen == FRESH
    free = optima(TWO_WAYS, model="calls_first", constants={"weight_use_again": 0})
    assert free.chosen == {filled("0", "key")}


@pytest.mark.parametrize("model", ONE_LEVEL)
def test_every_criterion_has_its_instance(model: str) -> None:
    ranked = re.findall(r"^criterion\((\w+),", cost_model_path(model).read_text("utf-8"), re.M)
    assert {*DECIDED, "delete_call"} == set(ranked) - {"use_again"}


def test_prune_keeps_what_is_required_and_what_is_read(optima: Optima) -> None:
    read = FNDX.replace(TOOLS, "") + CALLS.replace('in_name(0, "Find").', "") + 'in_arg(2, "key").'
    read += (
        'in_ref(2, "key", 0, "a", "key"). in_producer(2, "key", 0, 0). in_required("Book", "key").'
    )
    read += 'in_tool_distance(0, "Find", 15).'
    assert optima(read, model="prune").chosen == {'out_tool(0,"Find")'}


WEIGHT = re.compile(r"^#const (weight_\w+) = (\d+)\.", re.M)


@pytest.mark.parametrize("model", ONE_LEVEL)
def test_weights_are_those_of_default(model: str) -> None:
    """The files are whole, so that one may be copied alone; this keeps the copies alike."""
    same = dict(WEIGHT.findall(cost_model_path("default").read_text("utf-8")))
    here = dict(WEIGHT.findall(cost_model_path(model).read_text("utf-8")))
    own = {"weight_use_again": "1"} if model == "calls_first" else {}
    assert here == same | own | {"weight_leave_unresolved": "1"}
