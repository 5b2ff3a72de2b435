"""Names of plans: which are wrong, and what was probably meant."""

from __future__ import annotations

import pytest

from refract_asp.plan import parse_plan
from refract_asp.plan.context import Context, Limits
from refract_asp.plan.diagnostics import PlanDiagnostic
from refract_asp.plan.names import check_names
from refract_asp.plan.syntax import (
    Alias,
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Plan,
)


async def flights(airline: str) -> dict[str, str]:
    return {"departs": airline}


CONTEXT = Context(
    {
        "flights": flights,
        "add": lambda a, b: a + b,
        "user": "ada",
        "back": {"departs": lambda n: n + 1, "city": {"name": "Rome"}},
    },
    methods={"plus": lambda value, n: value + n},
)


def found(text: str, context: Context | None = CONTEXT) -> list[PlanDiagnostic]:
    return check_names(parse_plan(text).require(), context)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("user", ""),
        ("back.city.name", ""),
        ("back.departs(user).plus(1)", ""),
        ("flights({airline: user}).departs", ""),
        ("usr", "unknown_name the name 'usr' is unknown. Did you mean user?"),
        ("flight({})", "unknown_name the name 'flight' is unknown. Did you mean flights?"),
        ("back.depart(1)", "unknown_member 'back' has no 'depart'. Did you mean departs?"),
        ("back.zone", "unknown_member 'back' has no 'zone'. There are: departs, city."),
        ("user.plu(1)", "unknown_method there is no method 'plu'. Did you mean plus?"),
        ("user(1)", "not_a_function 'user' is no function and cannot be called."),
        ("back.city(1)", "not_a_function 'back.city' is no function and cannot be called."),
        ("add", "function_as_value the function 'add' is no value. Call it."),
        (
            "{k: back.departs}.k",
            "function_as_value the function 'back.departs' is no value. Call it.",
        ),
        (
            "back",
            "function_as_value 'back' holds functions and is no value. It has: departs, city.",
        ),
        ("add.x", "function_as_value the function 'add' is no value. Call it."),
    ],
)
def test_wrong_names_are_told_with_what_was_meant(expression: str, expected: str) -> None:
    said = [
        f"{each.code} {each.message} {each.hint}".strip() for each in found(f"return {expression};")
    ]
    assert said == ([expected] if expected else [])


def test_aliases_hide_bindings_and_no_fields_and_may_be_read_above() -> None:
    for text in (
        "b = a; a = add(1, 2); return [b, add(a, 1)];",
        "user = 5; return user;",
        "departs = 1; return back.departs(departs);",
        "add = [1]; return add[0];",
    ):
        assert found(text) == []
    (wrong,) = found("flights = 1; return flights(1);")
    assert (
        str(wrong) == "line 1, column 21: the alias 'flights' is no function and cannot be called."
    )


def test_cycles_are_told_once_each_read_or_not() -> None:
    text = "p = q; q = [r]; r = {k: p}; s = s; t = p; return 1;"
    cycles = [each for each in found(text) if each.code == "alias_cycle"]
    assert [each.message for each in cycles] == [
        "the aliases p, q, r read each other: p, q, r, p.",
        "the alias 's' reads itself.",
    ]
    assert all(each.severity == "error" for each in cycles)


def test_what_nothing_reads_is_a_warning_though_other_unused_ones_read_it() -> None:
    warnings = [
        each for each in found("a = 1; b = a; c = 2; return c;") if each.severity == "warning"
    ]
    assert [(each.code, each.place.column) for each in warnings] == [
        ("unused_alias", 1),
        ("unused_alias", 8),
    ]


def test_without_a_context_only_what_no_context_allows_is_wrong() -> None:
    assert found("a = f(x.y); return maps.route(a.b.c(), z);", None) == []
    codes = [each.code for each in found("a = 1; b = c; c = b; return a(1);", None)]
    assert codes == ["alias_cycle", "unused_alias", "unused_alias", "not_a_function"]


def test_reserved_names_are_refused_in_trees_made_by_hand() -> None:
    value = FieldOf(ObjectOf((("__proto__", Literal(1)),)), "constructor")
    plan = Plan(
        (Alias("toString", Literal(1)),),
        ListOf((value, Name("__class__"), FieldOf(Name("user"), "valueOf"))),
    )
    codes = [each.code for each in check_names(plan, CONTEXT)]
    assert codes.count("reserved_name") == 5
    called = Plan((), Invocation(FieldOf(Name("user"), "__init__"), ()))
    assert [each.code for each in check_names(called, CONTEXT)] == ["reserved_name"]


def test_what_is_called_must_be_a_name_or_a_field() -> None:
    plan = Plan((), Invocation(IndexOf(Name("user"), Literal(0)), (Name("nope"),)))
    assert [each.code for each in check_names(plan, CONTEXT)] == ["not_a_function", "unknown_name"]


@pytest.mark.slow
def test_trees_deeper_than_the_limit_are_refused_without_recursion() -> None:
    deep: ListOf | Literal = Literal(1)
    for _ in range(50_000):
        deep = ListOf((deep,))
    assert [each.code for each in check_names(Plan((), deep), CONTEXT)] == ["too_deep"]


@pytest.mark.slow
def test_long_chains_and_cycles_are_no_recursion() -> None:
    names = [f"a{number}" for number in range(10_000)]
    chain = [Alias(name, Name(before)) for name, before in zip(names[1:], names, strict=False)]
    plan = Plan((Alias("a0", Literal(1)), *reversed(chain)), Name("a9999"))
    assert check_names(plan) == []
    ring = Plan((Alias("a0", Name("a9999")), *chain), Name("a9999"))
    (cycle,) = check_names(ring)
    assert cycle.code == "alias_cycle"
    assert len(cycle.message) < 200


def test_more_aliases_than_the_limit_are_refused() -> None:
    plan = Plan((Alias("a", Literal(1)), Alias("b", Literal(1))), Name("a"))
    assert [each.code for each in check_names(plan, Context(limits=Limits(aliases=1)))] == [
        "too_many_aliases"
    ]
