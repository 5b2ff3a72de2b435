"""Into which form a value is brought, through `repair`: one tool, one parameter, one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from growth import assert_linear
from properties.made import refractor, same
from refract_asp import Catalog, RepairResult, Sequence
from refract_asp.model import Ask, Call, Constant

from .cases import ASKED, FITS, INT, OBJECT, ROWS, UNRESOLVED, Then, lists, record

EVERY = [(group, number, *row) for group, rows in ROWS.items() for number, row in enumerate(rows)]


def repaired(
    schema: Any, value: Any, *, required: bool = True, effect: str = "write"
) -> RepairResult:
    tool = {
        "name": "Do",
        "effect": effect,
        "parameters": {"p": {"schema": schema, "required": required}},
    }
    given = Sequence(calls=(Call(name="Do", arguments={"p": Constant(value=value)}),))
    result = refractor(Catalog.load({"tools": [tool]})).repair(given)
    assert result.optimal
    if result.verdict == "valid":
        assert same(result.sequence, given)
    return result


def named(row: tuple[Any, ...]) -> str:
    group, number, _, value, *_ = row
    return f"{group} {number}: {ascii(value)[:40]}"


@pytest.mark.slow
@pytest.mark.parametrize("row", EVERY, ids=named)
def test_what_becomes_of_a_value(row: tuple[Any, ...]) -> None:
    _, _, schema, value, then, *rules = row
    result = repaired(schema, value)
    now = result.sequence.calls[0].arguments["p"]
    if isinstance(then, Then):
        verdicts = {FITS: "valid", ASKED: "needs_input", UNRESOLVED: "unrepairable"}
        assert (result.verdict, str(now)[:80]) == (verdicts[then], str(now)[:80])
        assert isinstance(now, Ask) == (then is ASKED)
        if then is ASKED:
            assert [violation.code for violation in result.violations] == ["invalid_value"]
            assert result.violations[0].faults
        return
    # a key that is left out takes its value with it
    assert result.verdict == ("needs_input" if "drop_key" in rules else "repaired"), str(now)[:80]
    assert repr(now) == repr(Constant(value=then))
    (edit,) = result.edits
    assert edit.kind == "transform"
    assert [step.rule for step in edit.steps] == rules
    assert all(step.before and step.after for step in edit.steps)


def names(size: int, value: Callable[[int], Any]) -> dict[str, Any]:
    return {f"k{n}": value(n) for n in range(size)}


GROWING: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "elements": (lambda size: lists(INT), lambda size: [str(n) for n in range(size)]),
    "elements that cannot be": (lambda size: lists(INT), lambda size: ["x"] * size),
    "elements in a text": (lambda size: lists(INT), lambda size: str([*range(size)])),
    "different elements": (
        lambda size: lists(OBJECT, uniqueItems=True),
        lambda size: [{"n": n} for n in range(size)],
    ),
    "keys": (lambda size: {"additionalProperties": INT}, lambda size: names(size, str)),
    "fields": (lambda size: record(**names(size, lambda n: INT)), lambda size: names(size, str)),
    "no fields": (
        lambda size: record(closed=True, **names(size, lambda n: INT)),
        lambda size: {f"x{n}": n for n in range(size)},
    ),
    "members": (
        lambda size: {"enum": [f"member {n}" for n in range(size)]},
        lambda size: "MEMBER 7",
    ),
    "branches": (
        lambda size: {"anyOf": [record(**{f"k{n}": INT}) for n in range(size)]},
        lambda size: {"k1": "1"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_the_work_is_linear_in_the_size(name: str) -> None:
    schema, value = GROWING[name]
    assert_linear(lambda size: repaired(schema(size), value(size)), 200)


def test_there_are_rows_for_every_rule() -> None:
    from typing import get_args

    from refract_asp.model.edits import Rule

    told = {rule for rows in ROWS.values() for row in rows for rule in row[3:]}
    assert told == set(get_args(Rule))
    assert sum(map(len, ROWS.values())) >= 150


def test_a_null_of_an_optional_parameter_is_left_out() -> None:
    result = repaired({"type": "integer"}, None, required=False)
    assert result.verdict == "repaired"
    assert result.sequence.calls[0].arguments == {}
    assert [(edit.kind, edit.pattern) for edit in result.edits] == [
        ("drop_argument", "transformation")
    ]
    assert not result.confirms


@pytest.mark.parametrize(
    ("schema", "value", "verdict"),
    [({"type": ["integer", "null"]}, None, "valid"), (INT, "many", "needs_input")],
)
def test_else_an_optional_argument_is_not_dropped(schema: Any, value: Any, verdict: str) -> None:
    assert repaired(schema, value, required=False).verdict == verdict


def test_a_list_for_one_value_is_made_into_calls_where_that_is_harmless() -> None:
    result = repaired({"type": "string"}, ["a", "b", "c"], effect="read")
    assert result.verdict == "repaired"
    assert [call.arguments["p"] for call in result.sequence.calls] == [
        Constant(value=v) for v in "abc"
    ]
    assert [edit.kind for edit in result.edits] == ["split_call"]
    assert result.origins == (0, None, None)


@pytest.mark.parametrize(
    ("value", "effect"),
    [
        (["a", "b"], "write"),
        (["a", "b"], "unknown"),
        (["a", "b", "c", "d"], "read"),
        (["a", 5], "read"),
    ],
    ids=["a write", "unknown", "too many", "one does not fit"],
)
def test_else_it_is_asked(value: Any, effect: str) -> None:
    assert repaired({"type": "string"}, value, effect=effect).verdict == "needs_input"


def test_a_step_tells_where_and_what() -> None:
    (edit,) = repaired(record(a=lists(INT)), {"a": [1, "2"]}).edits
    assert edit.kind == "transform"
    (step,) = edit.steps
    assert step.rule == "text_to_number"
    assert (step.path, step.before, step.after) == (("a", 1), '"2"', "2")


def test_many_equal_slips_are_not_dearer_than_an_ask() -> None:
    few, many = repaired(lists(INT), ["1", "2"]), repaired(lists(INT), [str(n) for n in range(500)])
    assert few.cost == many.cost
