"""Evaluation: which calls a plan needs, what they are given, and what the plan gives."""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import BadArgumentError, PlanError, ToolFailedError
from refract_asp.plan import Alias, Context, Expression, Plan, domain, parse_plan
from refract_asp.plan.evaluation import MAX_CALLS, Evaluation, evaluate
from refract_asp.plan.syntax import Invocation, ListOf, Literal, Name
from yaml_files import read_yaml

CORPUS = read_yaml(Path(__file__).with_name("corpus.yaml"))


async def tool(*arguments: Any, **named: Any) -> Any:
    return named or list(arguments)


def add(a: int, b: int) -> int:
    return a + b


CONTEXT = Context(
    {
        "f": tool, "g": tool, "add": add, "zero": 0, "half": 0.5, "two": 2.0, "no": False, "empty": "",
        "nothing": None,
        "maps": {"route": tool, "far": lambda n: n * 10, "home": {"city": "Rome"}},
        "table": {"b": {"c": 1010}, "list": [1, 2, 3], "at": "field"},
    },
    methods={"at": lambda value, time="noon": f"{value} at {time}", "far": lambda value: "method"},
)  # fmt: skip


def plan_of(text: str) -> Plan:
    return parse_plan(text, "relaxed").require()


def value_of(expression: str, context: Context = CONTEXT) -> Any:
    return evaluate(plan_of(f"return {expression};"), context)


def evaluation_of(text: str, **bindings: Any) -> Evaluation:
    return Evaluation(plan_of(text), CONTEXT.merged(Context(bindings)))


def shape(evaluation: Evaluation) -> list[tuple[str, str | None, tuple[int, ...]]]:
    return [(each.tool, each.label, each.needs) for each in evaluation.invocations]


@pytest.mark.parametrize(("expression", "expected"), CORPUS["evaluated"].items())
def test_expressions_have_values(expression: str, expected: Any) -> None:
    assert value_of(expression) == expected


@pytest.mark.parametrize(("expression", "said"), CORPUS["not_evaluated"].items())
def test_what_is_not_there_is_an_error_that_says_what_is(expression: str, said: str) -> None:
    with pytest.raises(PlanError, match=said) as raised:
        value_of(expression)
    assert raised.value.where.startswith("line 1, column")


def test_calls_are_numbered_as_they_stand_and_arguments_before_the_call() -> None:
    text = "b = f(1); a = g(f(2), f(3)); return g({x: a, y: [b.z, maps.route(b)]});"
    evaluation = evaluation_of(text)
    inner = [("f", "b", ()), ("f", None, ()), ("f", None, ()), ("g", "a", (1, 2))]
    assert shape(evaluation) == [*inner, ("maps.route", None, (0,)), ("g", None, (0, 3, 4))]
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
    calls = "f({x: 1, y: undefined}), f(o), f({x: 1}, 2), f(), f({}), f(u, 1, u)"
    evaluation = evaluation_of(f"o = {{x: 1}}; u = undefined; return [{calls}];")
    given = [evaluation.arguments(number, {}) for number in range(6)]
    positions: list[tuple[Any, ...]] = [({"x": 1},), ({"x": 1}, 2), (), (), (None, 1)]
    assert given == [({"x": 1}, ()), *(({}, each) for each in positions)]


def test_tools_that_take_one_object_get_it_however_it_is_written() -> None:
    text = "o = {x: 1}; return [t(o), t({x: 1}), t(), t(o, 1), t(2)];"
    evaluation = evaluation_of(text, t=domain(lambda given: given, takes_object=True))
    given = [evaluation.arguments(number, {}) for number in range(3)]
    assert given == [({"x": 1}, ()), ({"x": 1}, ()), ({}, ())]
    for number in (3, 4):
        with pytest.raises(PlanError, match="t takes one object"):
            evaluation.arguments(number, {})


def test_an_alias_does_not_hide_a_field_and_hides_a_binding() -> None:
    plan = plan_of("list = 5; zero = 7; far = 1; return [table.list, list, zero, maps.far(far)];")
    assert evaluate(plan, CONTEXT) == [[1, 2, 3], 5, 7, 10]


def test_local_functions_run_once_however_often_they_are_read() -> None:
    seen: list[int] = []

    def note(n: int) -> int:
        seen.append(n)
        if n < 0:
            raise ValueError("below zero")
        return n

    evaluation = evaluation_of("a = note(1); b = f(a); return g(a, b, add(a, note(2)));", note=note)
    assert evaluation.arguments(0, {}) == ({}, (1,))
    for _ in range(2):
        assert evaluation.arguments(1, {0: "x"}) == ({}, (1, "x", 3))
    assert seen == [1, 2]
    failing = evaluation_of("a = note(-1); b = f(a); c = g(a); return [b, c];", note=note)
    for number in (0, 1):
        with pytest.raises(ToolFailedError, match="below zero"):
            failing.arguments(number, {})
    assert seen == [1, 2, -1]


def test_evaluating_is_lazy() -> None:
    evaluation = evaluation_of("a = fail(); b = f(1); return [b, a];", fail=lambda: 1 / 0)
    assert evaluation.arguments(0, {}) == ({}, (1,))
    with pytest.raises(ToolFailedError, match="fail failed: ZeroDivisionError"):
        evaluation.result({0: 1})


KINDS = (ValueError, SystemExit, GeneratorExit, asyncio.CancelledError, BaseException)


@pytest.mark.parametrize("kind", [*KINDS, RecursionError])
def test_whatever_a_local_function_raises_has_its_place(kind: type[BaseException]) -> None:
    def fail(kind: type[BaseException] = kind) -> Any:
        raise kind

    with pytest.raises(ToolFailedError, match=kind.__name__) as raised:
        value_of("[1, fail()]", Context({"fail": fail}))
    assert raised.value.where == "line 1, column 12"
    assert type(raised.value.__cause__) is kind
    with pytest.raises(KeyboardInterrupt):
        value_of("fail()", Context({"fail": lambda: fail(KeyboardInterrupt)}))
    with pytest.raises(ToolFailedError, match=r"Bind it with domain\("):
        value_of("later()", Context({"later": lambda: tool()}))


@pytest.mark.parametrize("given", [len, object(), {1, 2}, math.nan, b"x", {1: 2}, "\ud800"])
def test_what_is_no_json_value_does_not_come_back(given: Any) -> None:
    with pytest.raises(ToolFailedError, match="what give gave is no usable value"):
        value_of("give()", Context({"give": lambda: given}))
    with pytest.raises(PlanError, match="what f gave is no usable value"):
        evaluation_of("return g(f());").arguments(1, {0: given})


@pytest.mark.parametrize("given", ["1", "1, 2, 3", "{a: 1, c: 2}", "{a: 1}, 2, 3"])
def test_arguments_that_a_local_function_does_not_take_are_told(given: str) -> None:
    with pytest.raises(BadArgumentError, match=r"It takes \(a, b\)"):
        value_of(f"add({given})")


def test_functions_cannot_change_the_context_nor_what_others_read() -> None:
    text = "r = f(); return [spoil(table), spoil(r), table, r, g(r)];"
    evaluation = evaluation_of(text, spoil=lambda value: value.clear() or 1)
    answer = {"deep": {"x": 1}}
    evaluation.arguments(1, {0: answer})[1][0]["deep"].clear()
    result = evaluation.result({0: answer, 1: answer})
    assert result == [1, 1, CONTEXT.value("table"), answer, answer]
    result[2].clear()
    answer["deep"].clear()
    assert evaluation.result({0: answer, 1: answer})[3] == {"deep": {"x": 1}}
    assert CONTEXT.value("table")["b"] == {"c": 1010}


def test_wrong_names_are_refused_all_at_once_before_anything_runs() -> None:
    with pytest.raises(PlanError) as raised:
        evaluation_of("a = nope(1); b = c; c = b; return [usr, add];")
    words = ("nope", "read each other: b, c, b", "usr", "'add' is no value")
    assert [word for word in words if word not in str(raised.value)] == []


def chained(length: int, start: Expression, step: Callable[[Expression], Expression]) -> Plan:
    aliases = [Alias("a0", start)]
    aliases += [Alias(f"a{n}", step(Name(f"a{n - 1}"))) for n in range(1, length)]
    return Plan(tuple(reversed(aliases)), Name(f"a{length - 1}"))


def called(name: str, *arguments: Expression) -> Invocation:
    return Invocation(Name(name), arguments)


@pytest.mark.slow
def test_long_chains_of_aliases_are_no_recursion() -> None:
    assert evaluate(chained(2_000, Literal(7), lambda before: before)) == 7
    count = chained(MAX_CALLS, Literal(0), lambda before: called("add", before, Literal(1)))
    assert evaluate(count, CONTEXT) == MAX_CALLS - 1
    chain = chained(1_000, called("f"), lambda before: called("f", before))
    evaluation = Evaluation(chain, CONTEXT)
    assert [each.needs for each in evaluation.invocations[:3]] == [(), (0,), (1,)]
    assert evaluation.arguments(999, {998: 5}) == ({}, (5,))


def test_what_grows_too_large_or_deep_is_refused() -> None:
    doubled = chained(60, ListOf((Literal("x"),)), lambda before: ListOf((before, before)))
    with pytest.raises(PlanError, match="larger than"):
        evaluate(doubled)
    with pytest.raises(PlanError, match="nested deeper"):
        evaluate(chained(80, Literal(1), lambda before: ListOf((before,))))
    texts = (f"a{n} = `${{a{n - 1}}}${{a{n - 1}}}`; " for n in range(1, 40))
    with pytest.raises(PlanError, match="larger than"):
        evaluate(plan_of(f"a0 = '{'x' * 100}'; {''.join(texts)}return a39;"))
    calls = [called("add", Literal(n), Literal(2)) for n in range(MAX_CALLS + 1)]
    with pytest.raises(PlanError, match="more than 2,000 calls"):
        evaluate(Plan((), ListOf(tuple(calls))), CONTEXT)
