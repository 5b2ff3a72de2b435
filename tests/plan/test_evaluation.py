"""Evaluation: which calls a plan needs, what they are given, and what the plan gives."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from refract_asp.errors import BadArgumentError, PlanError, ToolFailedError
from refract_asp.plan import parse_plan
from refract_asp.plan.context import Context, domain
from refract_asp.plan.evaluation import MAX_CALLS, Evaluation, evaluate
from refract_asp.plan.syntax import (
    Alias,
    Expression,
    Invocation,
    ListOf,
    Literal,
    Name,
    Plan,
)


async def tool(*arguments: Any, **named: Any) -> Any:
    return named or list(arguments)


def add(a: int, b: int) -> int:
    return a + b


CONTEXT = Context(
    {
        "f": tool,
        "g": tool,
        "maps": {"route": tool, "far": lambda n: n * 10, "home": {"city": "Rome"}},
        "add": add,
        "table": {"b": {"c": 1010}, "list": [1, 2, 3], "at": "field"},
        "zero": 0,
        "half": 0.5,
        "two": 2.0,
        "no": False,
        "empty": "",
        "nothing": None,
    },
    methods={"at": lambda value, time="noon": f"{value} at {time}", "far": lambda value: "method"},
)


def plan_of(text: str) -> Plan:
    return parse_plan(text).require()


def value_of(expression: str, context: Context = CONTEXT) -> Any:
    return evaluate(plan_of(f"return {expression};"), context)


def evaluation_of(text: str, context: Context = CONTEXT) -> Evaluation:
    return Evaluation(plan_of(text), context)


def shape(evaluation: Evaluation) -> list[tuple[str, str | None, tuple[int, ...]]]:
    return [(each.tool, each.label, each.needs) for each in evaluation.invocations]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[zero, no, empty, nothing]", [0, False, "", None]),
        ("{a: undefined, b: [undefined, 1]}", {"b": [None, 1]}),
        ("undefined", None),
        ("add(1, 2)", 3),
        ("add({a: 1, b: 2})", 3),
        ("table.b.c", 1010),
        ("table.list[add(1, 1)]", 3),
        ("[10, 20][1]", 20),
        ("table.list[two]", 3),
        ("{a: 1}.a", 1),
        ("maps.far(2)", 20),
        ("maps.home.city", "Rome"),
        ("maps.home.city.at('9am')", "Rome at 9am"),
        ("table.at", "field"),
        ("table.b.c.at(undefined)", "1010 at noon"),
        ("'x'.far()", "method"),
    ],
)
def test_expressions_have_values(expression: str, expected: Any) -> None:
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("table.q", "has no field 'q'. There are: b, list, at."),
        ("table.lst", "Did you mean list?"),
        ("table.list.length", "a list has no field 'length'. Name an element first"),
        ("table.b.c.d", "a number has no field 'd'"),
        ("nothing.d", "null has no field 'd'"),
        ("{}.a", "has no field 'a'. There are none."),
        ("table.list[10]", r"no element \[10\]: it has 3 elements."),
        ("[][0]", "it has 0 elements"),
        ("table.list[table.b.c]", r"no element \[1010\]"),
        ("table[zero]", "an object has no elements"),
        ("table.list[empty]", "a text is no index"),
        ("table.list[no]", "a boolean is no index"),
        ("table.list[half]", "0.5 is no index"),
        ("empty[0]", "a text has no elements"),
        ("undefined.at()", "undefined has no method 'at'"),
    ],
)
def test_what_is_not_there_is_an_error_that_says_what_is(expression: str, said: str) -> None:
    with pytest.raises(PlanError, match=said) as raised:
        value_of(expression)
    assert raised.value.where.startswith("line 1, column")


def test_calls_are_numbered_as_they_stand_and_arguments_before_the_call() -> None:
    evaluation = evaluation_of(
        "b = f(1); a = g(f(2), f(3)); return g({x: a, y: [b.z, maps.route(b)]});"
    )
    assert shape(evaluation) == [
        ("f", "b", ()),
        ("f", None, ()),
        ("f", None, ()),
        ("g", "a", (1, 2)),
        ("maps.route", None, (0,)),
        ("g", None, (0, 3, 4)),
    ]
    assert evaluation.result_needs == (5,)
    assert [each.place.column for each in evaluation.invocations][:2] == [5, 17]


def test_what_return_does_not_need_is_left_out_and_told() -> None:
    evaluation = evaluation_of("u = f(1); v = g(2); return f({v: v});")
    assert shape(evaluation) == [("g", "v", ()), ("f", None, (0,))]
    assert [each.code for each in evaluation.warnings] == ["unused_alias"]


def test_what_local_functions_and_methods_are_given_is_needed() -> None:
    evaluation = evaluation_of("a = add(f(1)[0], 2).at('x'); return g([a]);")
    assert shape(evaluation) == [("f", None, ()), ("g", None, (0,))]
    assert evaluation.arguments(1, {0: [5]}) == ({}, (["7 at x"],))


def test_one_object_passes_names_and_anything_else_positions() -> None:
    evaluation = evaluation_of(
        "o = {x: 1}; u = undefined; return [f({x: 1, y: undefined}), f(o), f({x: 1}, 2), f(), f({}), f(u, 1, u)];"
    )
    assert [evaluation.arguments(number, {}) for number in range(6)] == [
        ({"x": 1}, ()),
        ({}, ({"x": 1},)),
        ({}, ({"x": 1}, 2)),
        ({}, ()),
        ({}, ()),
        ({}, (None, 1)),
    ]


def test_tools_that_take_one_object_get_it_however_it_is_written() -> None:
    context = Context({"f": domain(lambda given: given, takes_object=True)})
    evaluation = evaluation_of("o = {x: 1}; return [f(o), f({x: 1}), f(), f(o, 1), f(2)];", context)
    assert [evaluation.arguments(number, {}) for number in range(3)] == [
        ({"x": 1}, ()),
        ({"x": 1}, ()),
        ({}, ()),
    ]
    for number in (3, 4):
        with pytest.raises(PlanError, match="f takes one object"):
            evaluation.arguments(number, {})


def test_an_alias_does_not_hide_a_field_and_hides_a_binding() -> None:
    assert evaluate(plan_of("list = 5; zero = 7; return [table.list, list, zero];"), CONTEXT) == [
        [1, 2, 3],
        5,
        7,
    ]
    assert evaluate(plan_of("far = 1; return maps.far(far);"), CONTEXT) == 10


def test_local_functions_run_once_however_often_they_are_read() -> None:
    seen: list[int] = []

    def note(n: int) -> int:
        seen.append(n)
        if n < 0:
            raise ValueError("below zero")
        return n

    context = CONTEXT.merged(Context({"note": note}))
    evaluation = evaluation_of("a = note(1); b = f(a); return g(a, b, add(a, note(2)));", context)
    assert evaluation.arguments(0, {}) == ({}, (1,))
    assert evaluation.arguments(1, {0: "x"}) == ({}, (1, "x", 3))
    assert evaluation.arguments(1, {0: "x"}) == ({}, (1, "x", 3))
    assert seen == [1, 2]
    failing = evaluation_of("a = note(-1); b = f(a); c = g(a); return [b, c];", context)
    for number in (0, 1):
        with pytest.raises(ToolFailedError, match="below zero"):
            failing.arguments(number, {})
    assert seen == [1, 2, -1]


def test_evaluating_is_lazy() -> None:
    context = CONTEXT.merged(Context({"fail": lambda: 1 / 0}))
    evaluation = evaluation_of("a = fail(); b = f(1); return [b, a];", context)
    assert evaluation.arguments(0, {}) == ({}, (1,))
    with pytest.raises(ToolFailedError, match="fail failed: ZeroDivisionError"):
        evaluation.result({0: 1})


def raising(error: BaseException) -> Callable[[], Any]:
    def function() -> Any:
        raise error

    return function


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        SystemExit(3),
        GeneratorExit(),
        asyncio.CancelledError(),
        RecursionError(),
        BaseException(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_local_function_raises_has_its_place(error: BaseException) -> None:
    with pytest.raises(ToolFailedError, match=type(error).__name__) as raised:
        value_of("[1, fail()]", Context({"fail": raising(error)}))
    assert raised.value.where == "line 1, column 12"
    assert raised.value.__cause__ is error
    with pytest.raises(KeyboardInterrupt):
        value_of("fail()", Context({"fail": raising(KeyboardInterrupt())}))
    with pytest.raises(ToolFailedError, match=r"Bind it with domain\("):
        value_of("later()", Context({"later": lambda: tool()}))


@pytest.mark.parametrize(
    "given_back",
    [len, object(), {1, 2}, math.nan, b"x", {1: 2}, "\ud800"],
    ids=lambda each: type(each).__name__,
)
def test_what_is_no_json_value_does_not_come_back(given_back: Any) -> None:
    with pytest.raises(ToolFailedError, match="what give gave is no usable value"):
        value_of("give()", Context({"give": lambda: given_back}))
    evaluation = evaluation_of("return g(f());")
    with pytest.raises(PlanError, match="what f gave is no usable value"):
        evaluation.arguments(1, {0: given_back})


@pytest.mark.parametrize(
    "call", ["add(1)", "add(1, 2, 3)", "add({a: 1, c: 2})", "add({a: 1}, 2, 3)"]
)
def test_arguments_that_a_local_function_does_not_take_are_told(call: str) -> None:
    with pytest.raises(BadArgumentError, match=r"It takes \(a"):
        value_of(call)


def test_functions_cannot_change_the_context_nor_what_others_read() -> None:
    def spoil(value: dict[str, Any]) -> int:
        value.clear()
        return 1

    context = CONTEXT.merged(Context({"spoil": spoil}))
    before = context.memory
    evaluation = evaluation_of("r = f(); return [spoil(table), spoil(r), table, r, g(r)];", context)
    answer = {"deep": {"x": 1}}
    evaluation.arguments(1, {0: answer})[1][0]["deep"].clear()
    result = evaluation.result({0: answer, 1: answer})
    assert result == [1, 1, CONTEXT.value("table"), answer, answer]
    result[2].clear()
    answer["deep"].clear()
    assert evaluation.result({0: answer, 1: answer})[3] == {"deep": {"x": 1}}
    assert context.memory == before


def test_wrong_names_are_refused_all_at_once_before_anything_runs() -> None:
    with pytest.raises(PlanError) as raised:
        evaluation_of("a = nope(1); b = c; c = b; return [usr, add];")
    said = str(raised.value)
    assert all(
        word in said for word in ("nope", "read each other: b, c, b", "usr", "'add' is no value")
    )


def test_evaluate_runs_no_tools() -> None:
    with pytest.raises(PlanError, match="f is a tool"):
        value_of("[f(1)]")


def test_texts_are_put_together_of_texts_and_json() -> None:
    plan = parse_plan("return `${'a'} ${table.list} ${nothing} ${1.5}`;", mode="relaxed").require()
    assert evaluate(plan, CONTEXT) == "a [1, 2, 3] null 1.5"


def chained(length: int, start: Expression, step: Callable[[Expression], Expression]) -> Plan:
    aliases = [Alias("a0", start)]
    aliases += [Alias(f"a{n}", step(Name(f"a{n - 1}"))) for n in range(1, length)]
    return Plan(tuple(reversed(aliases)), Name(f"a{length - 1}"))


@pytest.mark.slow
def test_long_chains_of_aliases_are_no_recursion() -> None:
    assert evaluate(chained(2_000, Literal(7), lambda before: before)) == 7
    count = chained(
        MAX_CALLS, Literal(0), lambda before: Invocation(Name("add"), (before, Literal(1)))
    )
    assert evaluate(count, CONTEXT) == MAX_CALLS - 1
    calls = chained(
        1_000, Invocation(Name("f"), ()), lambda before: Invocation(Name("f"), (before,))
    )
    evaluation = Evaluation(calls, CONTEXT)
    assert [each.needs for each in evaluation.invocations[:3]] == [(), (0,), (1,)]
    assert evaluation.arguments(999, {998: 5}) == ({}, (5,))


def test_values_that_grow_too_large_or_deep_are_refused() -> None:
    doubled = chained(60, ListOf((Literal("x"),)), lambda before: ListOf((before, before)))
    with pytest.raises(PlanError, match="larger than"):
        evaluate(doubled)
    with pytest.raises(PlanError, match="nested deeper"):
        evaluate(chained(80, Literal(1), lambda before: ListOf((before,))))
    text = "; ".join(
        [f"a0 = '{'x' * 100}'", *(f"a{n} = `${{a{n - 1}}}${{a{n - 1}}}`" for n in range(1, 40))]
    )
    with pytest.raises(PlanError, match="larger than"):
        evaluate(parse_plan(f"{text}; return a39;", mode="relaxed").require())


def test_the_limit_of_calls() -> None:
    calls = [Invocation(Name("add"), (Literal(n), Literal(2))) for n in range(MAX_CALLS + 1)]
    with pytest.raises(PlanError, match="more than 2,000 calls"):
        evaluate(Plan((), ListOf(tuple(calls))), CONTEXT)
