"""Plans as sequences and back: labels, paths, positions, comments, what is returned, and their repairs."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Sequence, check, repair
from refract_asp.errors import FormatError, InputError, PlanError
from refract_asp.plan import (
    dates,
    described,
    normalised,
    parse_plan,
    to_plan,
    to_sequence,
    with_helpers,
)

CATALOG: dict[str, Any] = {
    "tools": [
        {
            "name": "flightInfo",
            "effect": "read",
            "parameters": {
                "airline": {"type": "string", "required": True},
                "flight": {"type": "integer", "required": True},
            },
            "returns": {"departs": {"type": "string"}, "arrives": {"type": "string"}},
        },
        {
            "name": "other",
            "effect": "read",
            "parameters": {
                "start": {"type": "string", "required": True},
                "end": {"type": "string", "required": True},
            },
        },
    ]
}


def lowered(text: str) -> Sequence:
    return to_sequence(parse_plan(text, "relaxed").require())


# ruff: noqa: E501 - a row is a plan
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = f(); return g({x: a.b['c d'][0]});", ["a = f()", "var1 = g(x=\"$a.b.c d[0]$\")"]),
        ("x = 5; y = x; return f({a: y, b: [y, z.q]});", ['var1 = f(a=5, b=[5, "$z.q$"])']),
        ("o = {a: {b: 1}, l: [f()]}; return g({p: o.a.b, q: o.l[0].r});",
         ["var1 = f()", 'var2 = g(p=1, q="$var1.r$")']),
        ("u = undefined; return f({a: undefined, b: u, c: [u, undefined]});", ["var1 = f(c=[null, null])"]),
        ("return f(1, x, {a: 2});", ['var1 = f(*1=1, *2="$x$", *3={"a": 2})']),
        ("return maps.route({to: next(Thursday).at('9:00am')});",
         ['var1 = next(*1="$Thursday$")', 'var2 = at(*1="$var1$", *2="9:00am")', 'var3 = maps.route(to="$var2$")']),
        ("a = g({x: b}); b = f(); return a;", ["b = f()", 'a = g(x="$b$")']),
        ("var1 = f(); return g({x: h({y: var1.z})});",
         ["var1 = f()", 'var2 = h(y="$var1.z$")', 'var3 = g(x="$var2$")']),
        ("return f({t: `to ${a.b} for ${1}`});", ['var1 = f(t="to $a.b$ for 1")']),
        ("a = f(); b = g(); return {q: a.x, r: [b, 1]};", ["a = f()", "b = g()", 'return {"q": "$a.x$", "r": ["$b$", 1]}']),
        ("a = f(); b = g(); return a;", ["a = f()", "b = g()", 'return {"*1": "$a$"}']),
        ("a = f(); return a;", ["a = f()"]),
        ("return [1, 'two'];", ['return {"*1": [1, "two"]}']),
        ("return {};", ["return {}"]),
        ("return f(1, undefined);", ["var1 = f(*1=1)"]),
        ("x = {p: f()}; return g({a: h(), b: x});", ["var1 = f()", "var2 = h()", 'var3 = g(a="$var2$", b={"p": "$var1$"})']),
        ("return f({t: '$100 and $a.b$'});", ['var1 = f(t="$100 and $$a.b$")']),
    ],
)  # fmt: skip
def test_a_plan_is_lowered(text: str, lines: list[str]) -> None:
    sequence = lowered(text)
    assert sequence.dump("pretty") == lines
    assert Sequence.load(lines) == sequence
    plan = to_plan(sequence)
    assert normalised(plan) == normalised(parse_plan(text, "relaxed").require())


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a = b; b = a; return 1;", "a -> b -> a"),
        ("q = f({x: q}); return q;", "q -> q"),
        ("a = f(); return b[a];", "its index is computed"),
        ("return b[f()];", "its index is computed"),
        ("o = {a: 1}; return o.b;", "there is nothing of that name"),
        ("l = [1]; return l[1];", "there is nothing of that name"),
        ("n = 5; return n.b;", "there is nothing of that name"),
        ("a = f(); return a({x: 1});", "what is called is an alias"),
        ("return f({'*1': 5});", "position of an argument"),
    ],
)
def test_what_no_sequence_can_say(text: str, what: str) -> None:
    with pytest.raises(PlanError, match="line 1, column") as caught:
        lowered(text)
    assert what in str(caught.value)


def test_long_chains_of_aliases_are_lowered() -> None:
    chain = "".join(f"a{n} = a{n - 1};\n" for n in range(1, 1900))
    assert (
        lowered(f"a0 = f();\n{chain}return g({{x: a1899}});").dump("pretty")[-1]
        == 'var1 = g(x="$a0$")'
    )


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["ask(a)", "f(x=a)"], "has still to be asked"),
        (["confirm(f)", "f(x=1)"], "has still to be confirmed"),
        (['"find it"(x=1)'], "cannot say the name 'find it'"),
        (["google-maps.route(x=1)"], "cannot say the name 'google-maps'"),
        (['f(x="$a-b.c$")'], "cannot say the name 'a-b'"),
        (['f("__proto__"=1)'], "cannot say the name '__proto__'"),
        (['f(x={"constructor": 1})'], "cannot say the name 'constructor'"),
        (["f(*1=1, x=2)"], "by name and by position"),
        (['f(! "cut off")'], "cannot be printed"),
    ],
)
def test_what_no_plan_can_say(lines: list[str], what: str) -> None:
    with pytest.raises(FormatError, match=what):
        Sequence.load(lines).dump("plan")


def test_labels_that_no_plan_has_get_others() -> None:
    lines = ["étage = f()", 'f2 = g(x="$étage.a$")', 'var2 = f2(y="$f2$")', 'h(z="$var2$")']
    assert Sequence.load(lines).dump("plan") == (
        "var1 = f();\nvar3 = g({x: var1.a});\nvar2 = f2({y: var3});\nreturn h({z: var2});"
    )


def test_a_label_given_twice_means_its_last_use() -> None:
    lines = ["a = f()", 'a = g(x="$a$")', 'h(y="$a$")']
    plan = Sequence.load(lines).dump("plan")
    again = Sequence.load(plan, "plan").dump("pretty")
    assert [line.partition(" = ")[2] for line in again[:2]] == ["f()", again[1].partition(" = ")[2]]
    assert again[1].partition(" = ")[2] == f'g(x="${again[0].partition(" = ")[0]}$")'


def test_an_object_by_position_stays_one() -> None:
    text = "o = {a: 1};\nreturn f(o);"
    assert str(to_plan(lowered(text))) == "value1 = {a: 1};\nreturn f(value1);"
    assert lowered("return f({a: 1});") != lowered(text)


@pytest.mark.slow
def test_a_broken_plan_is_repaired_and_printed_as_a_plan() -> None:
    text = """\
// when it leaves
const flight = flightinfo({airline: 'AA', flight: 1234,});
return other({start: flight.departs, end: flight.arives}); // both
"""
    result = repair(text, CATALOG)
    assert result.verdict == "repaired"
    assert len(result.edits) >= 2
    assert len(result.notes) == 2
    assert (
        result.sequence.dump()
        == """\
// when it leaves
flight = flightInfo({airline: 'AA', flight: 1234});
// both
return other({start: flight.departs, end: flight.arrives});"""
    )


def test_calls_inside_calls_stay_there() -> None:
    text = "return other({start: flightInfo({airline: 'AA', fligt: 1}).departs, end: 'x'});"
    result = repair(text, CATALOG)
    assert result.sequence.dump() == text.replace("fligt", "flight")


def test_a_lost_call_is_added_as_an_alias() -> None:
    result = repair("return other({start: flight.departs, end: flight.arrives});", CATALOG)
    assert [edit.kind for edit in result.edits if edit.kind == "add_call"]
    assert (
        result.answer(
            {ask.name: 7 if ask.name == "flight" else "AA" for ask in result.asks}, confirmed=True
        )
        .dump("plan")
        .startswith("flight = flightInfo({")
    )


def test_a_plan_that_is_right_is_printed_as_it_stood() -> None:
    text = "f1=flightInfo( {airline:'AA',flight:1} ) ; return other({start:f1.departs,end:f1.arrives})\n"
    result = repair(text, CATALOG)
    assert result.verdict == "valid"
    assert result.sequence.dump() == text


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
    with pytest.raises(FormatError, match="line 1, column 8"):
        Sequence.load("return f({a: 1}) + 2;", "plan")
    with pytest.raises(InputError, match="a text with a plan is needed"):
        Sequence.load([1], "plan")
