"""
Into which form a value is brought, through `repair`: one tool, one parameter, one value.

A row of `cases.json` tells what the repaired call passes, and by which rules; or that the value is untouched,
or asked for, where no form is clear.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from declaring import tool
from growth import assert_linear
from properties.made import refractor, same
from refract_asp import Catalog, Refractor, Sequence
from refract_asp.model import Ask, Call, Constant
from refract_asp.model.edits import Rule
from refract_asp.resources import encodings_path
from refract_asp.rules.schemas.validation import Validator

INT, TEXT, OBJECT = {"type": "integer"}, {"type": "string"}, {"type": "object"}
LONG = "x" * 1_000_000
ROWS: dict[str, Any] = json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))


def lists(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def names(size: int, value: Callable[[int], Any]) -> dict[str, Any]:
    return {f"k{n}": value(n) for n in range(size)}


def closed(size: int) -> dict[str, Any]:
    return {**OBJECT, "properties": names(size, lambda _: INT), "additionalProperties": False}


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = {"next": value}
    return value


NODE = {**OBJECT, "properties": {"v": INT, "next": {"$ref": "#"}}}
MANY, STEPS_SHOWN = [*range(10_000)], ["text_to_number"] * 100
ROWS["large"] = [
    {"schema": INT, "given": "9" * 5000, "is": "asked"},
    {"schema": INT, "given": LONG, "is": "asked"},
    {"schema": INT, "given": nested(5, 60), "is": "asked"},
    {"schema": TEXT, "given": LONG, "is": "untouched"},
    {"schema": {"multipleOf": 0.25}, "given": 10**3000, "is": "untouched"},
    {"schema": OBJECT, "given": "{" * 100_000, "is": "asked"},
    {"schema": lists({}), "given": "[" * 100_000, "is": "asked"},
    {"schema": OBJECT, "given": f'{{"a": "{LONG}"}}', "then": {"a": LONG}, "by": ["parse_text"]},
    {"schema": NODE, "given": nested({"v": 1}, 60), "is": "untouched"},
    {"schema": closed(999), "given": {f"x{n}": n for n in range(9999)}, "is": "asked"},
    {"schema": lists(INT), "given": [*map(str, MANY)], "then": MANY, "by": STEPS_SHOWN},
]
EVERY = [(f"{group} {n}", row) for group, rows in ROWS.items() for n, row in enumerate(rows)]
VERDICTS = {"untouched": "valid", "asked": "needs_input"}


def taking(schema: Any, required: bool = True, name: str = "Do", effect: str = "unknown") -> Any:
    """Return a tool that takes what a schema tells."""
    return tool(name, effect, p={"schema": schema, "required": required})


def repaired(schema: Any, value: Any, required: bool = True, effect: str = "write") -> Any:
    given = Sequence(calls=(Call(name="Do", arguments={"p": Constant(value=value)}),))
    catalog = Catalog.load({"tools": [taking(schema, required, effect=effect)]})
    result = refractor(catalog).repair(given)
    assert result.optimal
    if result.verdict == "valid":
        assert same(result.sequence, given)
    return result


@pytest.mark.slow
@pytest.mark.parametrize(("name", "row"), EVERY, ids=[name for name, _ in EVERY])
def test_what_becomes_of_a_value(name: str, row: dict[str, Any]) -> None:
    result = repaired(row["schema"], row["given"])
    now = result.sequence.calls[0].arguments["p"]
    if "is" in row:
        assert (result.verdict, str(now)[:80]) == (VERDICTS[row["is"]], str(now)[:80])
        if "part" in row:
            assert str(result.sequence).endswith(f"\nDo(p={row['part']})")
        else:
            assert isinstance(now, Ask) == (row["is"] == "asked")
        if row["is"] == "asked":
            assert [violation.code for violation in result.violations] == ["invalid_value"]
            assert result.violations[0].faults
        return
    # a key that is left out takes its value with it, and words that are not taken say something, too
    is_open = {"drop_key", "enum_word", "number_in_text", "split_words"} & set(row["by"])
    assert result.verdict == ("needs_input" if is_open else "repaired")
    assert repr(now) == repr(Constant(value=row["then"]))
    (edit,) = result.edits
    assert edit.kind == "transform"
    assert [step.rule for step in edit.steps] == row["by"]
    assert all(step.before and step.after for step in edit.steps)


def test_there_are_rows_for_every_rule() -> None:
    assert {rule for _, row in EVERY for rule in row.get("by", ())} == set(get_args(Rule))


UNIQUE = lists(OBJECT, uniqueItems=True)
GROWING: dict[str, Callable[[int], tuple[Any, Any]]] = {
    "elements": lambda size: (lists(INT), [str(n) for n in range(size)]),
    "elements in a text": lambda size: (lists(INT), str([*range(size)])),
    "elements that differ": lambda size: (UNIQUE, [{"n": n} for n in range(size)]),
    "keys": lambda size: ({"additionalProperties": INT}, names(size, str)),
    "no fields": lambda size: (closed(size), {f"x{n}": n for n in range(size)}),
    "members": lambda size: ({"enum": [f"member {n}" for n in range(size)]}, "MEMBER 7"),
    "branches": lambda size: (
        {"anyOf": [{**OBJECT, "properties": {f"k{n}": INT}} for n in range(size)]},
        {"k1": "1"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("made", GROWING.values(), ids=GROWING)
def test_the_work_is_linear_in_the_size(made: Callable[[int], tuple[Any, Any]]) -> None:
    assert_linear(lambda size: repaired(*made(size)), 200)


def test_a_null_of_an_optional_parameter_is_left_out() -> None:
    result = repaired(INT, None, required=False)
    assert (result.verdict, result.sequence.calls[0].arguments) == ("repaired", {})
    (edit,) = result.edits
    assert (edit.kind, edit.pattern) == ("drop_argument", "transformation")
    assert not result.confirms
    # else an optional argument is not dropped
    assert repaired(INT, "many", required=False).verdict == "needs_input"


def test_a_list_for_one_value_is_made_into_calls_where_that_is_harmless() -> None:
    result = repaired(TEXT, ["a", "b", "c"], effect="read")
    assert result.verdict == "repaired"
    passed = [call.arguments["p"] for call in result.sequence.calls]
    assert passed == [Constant(value=value) for value in "abc"]
    assert [edit.kind for edit in result.edits] == ["split_call"]
    assert result.origins == (0, None, None)


# a write, what may be one, too many, and one that does not fit
ASKED = [(["a", "b"], "write"), (["a", "b"], "unknown"), ([*"abcd"], "read"), (["a", 5], "read")]


@pytest.mark.parametrize(("value", "effect"), ASKED)
def test_else_it_is_asked(value: Any, effect: str) -> None:
    assert repaired(TEXT, value, effect=effect).verdict == "needs_input"


def test_a_step_tells_where_and_what() -> None:
    (edit,) = repaired({**OBJECT, "properties": {"a": lists(INT)}}, {"a": [1, "2"]}).edits
    assert edit.kind == "transform"
    (step,) = edit.steps
    assert (step.path, step.before, step.after) == (("a", 1), '"2"', "2")


def test_many_equal_slips_are_not_dearer_than_an_ask() -> None:
    few, many = repaired(lists(INT), ["1", "2"]), repaired(lists(INT), [str(n) for n in range(500)])
    assert few.cost == many.cost


FAR: dict[str, tuple[Any, Any]] = {
    "enum": ({"enum": ["Economy", "Business"]}, "economy"),
    "enum_plural": ({"enum": ["ferry", "highway"]}, "ferries"),
    "enum_slip": ({"enum": ["business", "economy"]}, "bussiness"),
    **{
        rule: (row["schema"], row["given"])
        for rule in get_args(Rule)
        for _, row in EVERY
        if row.get("by") == [rule] and rule != "enum"
    },
}


LIKENESS = (encodings_path() / "likeness.lp").read_text("utf-8")
STEPS = re.findall(r"^#const step_(\w+)", LIKENESS, re.M)
VALUES = {step: 100 * (n + 1) for n, step in enumerate(STEPS)}


@pytest.fixture(scope="module")
def far() -> Refractor:
    tools = [taking(row[0], name=f"Do_{step}") for step, row in FAR.items()]
    constants = {f"step_{step}": value for step, value in VALUES.items()}
    constants |= {"farthest_form": 100_000, "weight_ask": 100_000}
    return Refractor({"tools": tools}, constants=constants)


# what is asked for is paid as an ask, and what a nested call gives has no step of its own
@pytest.mark.parametrize("step", sorted(VALUES.keys() - {"ask", "inner"}))
def test_the_encodings_say_how_far_each_step_is(step: str, far: Refractor) -> None:
    cost = far.repair([{"name": f"Do_{step}", "arguments": {"p": FAR[step][1]}}]).cost
    # beside the step, names of keys may be unlike
    assert 0 <= cost["form_distance"] - VALUES[step] < 50


def test_the_encodings_say_how_far_other_forms_are() -> None:
    def distance(schema: Any, value: Any, **constants: int) -> int:
        made = Refractor({"tools": [taking(schema, required=False)]}, constants=constants)
        return made.repair([{"name": "Do", "arguments": {"p": value}}]).cost["form_distance"]

    two, key = (lists(INT), ["1", "2"]), {**OBJECT, "properties": {"to": TEXT}, "required": ["to"]}
    assert distance(*two) == 2
    assert distance(*two, several_parts=5) == 6
    assert distance(*two, several_parts=5, farthest_form=3) == 3
    assert distance(key, {"zzz": "x"}) == 11
    assert distance(key, {"zzz": "x"}, only_key=4) == 5


LENGTHS = [
    (["zebra", "otter"], "zebru", {"slip_letters": 5}, [None, 4]),
    (["cat", "dog"], "cats", {"plural_letters": 3}, [8, 2]),
    (["up", "down"], "up now", {"word_letters": 2}, [None, 8]),
]


@pytest.mark.parametrize(("members", "value", "constants", "distances"), LENGTHS)
def test_how_long_a_member_is(members: Any, value: str, constants: Any, distances: Any) -> None:
    calls = [{"name": "Do", "arguments": {"p": value}}]
    tools = {"tools": [taking({"enum": members})]}
    costs = [Refractor(tools, constants=each).repair(calls).cost for each in ({}, constants)]
    assert [cost.get("form_distance") for cost in costs] == distances


def test_one_of_several_schemas_may_turn_out_right_where_a_reference_stands() -> None:
    schema = lists({"oneOf": [INT, {"type": "number"}]})
    tools = [tool("Find", returns={"n": INT}), taking(schema, required=False)]
    common = refractor(Catalog.load({"tools": tools}))
    assert common.check('a = Find()\nDo(p=["$a.n$"])').verdict == "valid"
    assert common.check("Do(p=[1])").verdict == "invalid"


# -- how faults are worded -------------------------------------------------------------


# schema, value, what is expected, and what was given
TABLE = json.loads(Path(__file__).with_name("wording.json").read_text("utf-8"))


@pytest.mark.parametrize(("schema", "value", "expected", "given"), TABLE)
def test_faults_are_worded(schema: Any, value: Any, expected: str, given: str) -> None:
    found = Validator(schema, formats=True).faults(value)
    assert [(each.expected, each.given) for each in found] == [(expected, given)]


def test_words_are_bounded() -> None:
    names = {f"{'n' * 50}{number}": {} for number in range(1000)}
    closed = Validator({"properties": names, "additionalProperties": False})
    (found,) = closed.faults({"x": "v" * 10_000})
    assert len(found.expected) < 210
    assert len(found.given) < 110
