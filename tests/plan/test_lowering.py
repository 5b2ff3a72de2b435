"""Plans as sequences and back: labels, paths, positions, comments, what is returned, and their repairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Sequence, check, repair
from refract_asp.errors import FormatError, InputError, PlanError
from refract_asp.model import Call, Reference, Template
from refract_asp.plan import dates, described, parse_plan, to_plan, to_sequence, with_helpers
from yaml_files import read_yaml

from .made import shape

CORPUS = read_yaml(Path(__file__).with_name("corpus.yaml"))
TEXT = {"type": "string"}
NEEDED = {"type": "string", "required": True}
FLIGHT = {"airline": NEEDED, "flight": {"type": "integer", "required": True}}
CATALOG: dict[str, Any] = {
    "tools": [
        {"name": "flightInfo", "effect": "read", "parameters": FLIGHT,
         "returns": {"departs": TEXT, "arrives": TEXT}},
        {"name": "other", "effect": "read", "parameters": {"start": NEEDED, "end": NEEDED}},
    ]
}  # fmt: skip


def lowered(text: str) -> Sequence:
    return to_sequence(parse_plan(text, "relaxed").require())


@pytest.mark.parametrize(("text", "lines"), CORPUS["lowered"].items())
def test_a_plan_is_lowered(text: str, lines: list[str]) -> None:
    sequence = lowered(text)
    assert sequence.dump("pretty") == lines
    assert Sequence.load(lines) == sequence
    plan = to_plan(sequence)
    assert shape(plan) == shape(parse_plan(text, "relaxed").require())


@pytest.mark.parametrize(("text", "what"), CORPUS["not_lowered"].items())
def test_what_no_sequence_can_say(text: str, what: str) -> None:
    with pytest.raises(PlanError, match="line 1, column") as caught:
        lowered(text)
    assert what in str(caught.value)


def test_long_chains_of_aliases_are_lowered() -> None:
    chain = "".join(f"a{n} = a{n - 1};\n" for n in range(1, 1900))
    lines = lowered(f"a0 = f();\n{chain}return g({{x: a1899}});").dump("pretty")
    assert lines[-1] == 'var1 = g(x="$a0$")'


@pytest.mark.parametrize("case", CORPUS["not_raised"], ids=lambda case: case["what"])
def test_what_no_plan_can_say(case: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=case["what"]):
        Sequence.load(case["lines"]).dump("plan")


def test_labels_that_no_plan_has_get_others() -> None:
    lines = ["étage = f()", 'f2 = g(x="$étage.a$")', 'var2 = f2(y="$f2$")', 'h(z="$var2$")']
    assert Sequence.load(lines).dump("plan") == (
        "var1 = f();\nvar3 = g({x: var1.a});\nvar2 = f2({y: var3});\nreturn h({z: var2});"
    )


def test_a_label_given_twice_means_its_last_use() -> None:
    plan = Sequence.load(["a = f()", 'a = g(x="$a$")', 'h(y="$a$")']).dump("plan")
    assert plan == "a = f();\nvar1 = g({x: a});\nreturn h({y: var1});"
    given = to_plan(Sequence.load("a = f()\na = g()"))
    assert str(given) == "a = f();\nreturn {a: a, var1: g()};"


def test_an_object_by_position_stays_one() -> None:
    text = "o = {a: 1};\nreturn f(o);"
    assert str(to_plan(lowered(text))) == "value1 = {a: 1};\nreturn f(value1);"
    assert lowered("return f({a: 1});") != lowered(text)


def test_a_broken_plan_is_repaired_and_printed_as_a_plan() -> None:
    text = """\
// when it leaves
const flight = flightinfo({airline: 'AA', flight: 1234,});
return other({start: flight.departs, end: flight.arives}); // both
"""
    result = repair(text, CATALOG)
    assert (result.verdict, len(result.notes)) == ("repaired", 2)
    assert result.sequence.dump().splitlines() == [
        "// when it leaves",
        "flight = flightInfo({airline: 'AA', flight: 1234});",
        "// both",
        "return other({start: flight.departs, end: flight.arrives});",
    ]


def test_calls_inside_calls_stay_there() -> None:
    text = "return other({start: flightInfo({airline: 'AA', fligt: 1}).departs, end: 'x'});"
    assert repair(text, CATALOG).sequence.dump() == text.replace("fligt", "flight")
    text = "return f({a: g({x: 1}), b: h({x: 2})});"
    *others, last = (given := lowered(text)).calls
    assert str(to_plan(given)) == text
    # none stands behind one that is made after it
    turned = last.model_copy(update={"arguments": dict(reversed(last.arguments.items()))})
    moved = given.model_copy(update={"calls": (*others, turned)})
    assert str(to_plan(moved)) == "var1 = g({x: 1});\nreturn f({b: h({x: 2}), a: var1});"
    added = given.model_copy(
        update={"calls": (others[0], Call(name="k", label="k1"), others[1], last)}
    )
    between = "var1 = g({x: 1});\nk1 = k();\nreturn f({a: var1, b: h({x: 2})});"
    assert str(to_plan(added)) == between
    reader = Call(name="k", label="k1", arguments={"x": Reference(label="var3")})
    read = given.model_copy(update={"calls": (*given.calls, reader)})
    assert str(to_plan(read)).endswith("\nk1 = k({x: var3});\nreturn var3;")
    # nor inside a text, which holds plain references alone
    told = last.model_copy(
        update={"arguments": {"a": Template(parts=("<", Reference(label="var1"), ">"))}}
    )
    assert "return f({a: `<${var1}>`});" in str(
        to_plan(given.model_copy(update={"calls": (others[0], told)}))
    )


def test_a_lost_call_is_added_as_an_alias() -> None:
    result = repair("return other({start: flight.departs, end: flight.arrives});", CATALOG)
    answers = {ask.name: 7 if ask.parameter == "flight" else "AA" for ask in result.asks}
    plan = result.answer(answers, confirmed=True).dump("plan")
    assert plan.startswith("flight = flightInfo({")


def test_a_plan_that_is_right_is_printed_as_it_stood() -> None:
    text = "f1=flightInfo( {airline:'AA',flight:1} ) ; return other({start:f1.departs,end:f1.arrives})\n"
    result = repair(text, CATALOG)
    assert (result.verdict, result.sequence.dump()) == ("valid", text)


def test_local_functions_are_tools_for_the_rules() -> None:
    helpers = dates("2024-08-15")
    plan = "return other({start: next(Thursday).at('9:00am'), end: tomorow});"
    sequence = Sequence.load(plan)
    catalog, memory = with_helpers(sequence, helpers, described(helpers))
    known = {"tools": [*CATALOG["tools"], *catalog.dump()["tools"]]}
    assert check(plan.replace("tomorow", "tomorrow"), known, helpers.memory).verdict == "valid"
    assert memory.values == {"Thursday": "Thursday"}
    result = repair(plan, known, helpers.memory)
    assert result.sequence.dump() == plan.replace("tomorow", "tomorrow")


def test_a_plan_that_cannot_be_read_names_its_place() -> None:
    with pytest.raises(FormatError, match="line 1, column 18"):
        Sequence.load("return f({a: 1}) + 2;", "plan")
    with pytest.raises(InputError, match="a text with a plan is needed"):
        Sequence.load([1], "plan")
