"""Which names of a plan are wrong, and what is said of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from refract_asp.plan import Alias, Context, Plan, check_names, parse_plan
from refract_asp.plan.context import MAX_ALIASES, domain
from refract_asp.plan.syntax import Literal, Name
from yaml_files import read_yaml

CORPUS = read_yaml(Path(__file__).with_name("corpus.yaml"))
CONTEXT = Context(
    {
        "flights": domain(lambda **given: given),
        "add": lambda a, b: a + b,
        "user": "ada",
        "back": {"departs": lambda n: n, "city": {"name": "Rome"}},
    },
    methods={"plus": lambda value, count: value},
)


def told(text: str, context: Context | None = CONTEXT) -> list[str]:
    found = check_names(parse_plan(text).require(), context)
    return [f"{each.code} {each.message} {each.hint}".strip() for each in found]


@pytest.mark.parametrize(("expression", "expected"), CORPUS["wrong_names"].items())
def test_wrong_names_are_told_with_what_was_meant(expression: str, expected: str | None) -> None:
    assert told(f"return {expression};") == ([expected] if expected else [])


@pytest.mark.parametrize(
    "text",
    [
        "b = a; a = add(1, 2); return [b, add(a, 1)];",
        "user = 5; return user;",
        "departs = 1; return back.departs(departs);",
        "add = [1]; return add[0];",
    ],
)
def test_aliases_hide_bindings_and_no_fields_and_may_be_read_above(text: str) -> None:
    assert told(text) == []


def test_an_alias_is_no_function() -> None:
    (wrong,) = told("flights = 1; return flights(1);")
    assert wrong == "not_a_function the alias 'flights' is no function and cannot be called."


def test_a_circle_is_told_read_or_not() -> None:
    found = check_names(parse_plan("p = q; q = [r]; r = {k: p}; t = p; return 1;").require())
    (cycle,) = [each for each in found if each.severity == "error"]
    assert (cycle.code, cycle.message) == ("alias_cycle", "aliases read each other: p, q, r, p.")
    assert "s, s." in told("s = s; return 1;")[0]


def test_what_nothing_reads_is_a_warning_though_other_unused_ones_read_it() -> None:
    found = check_names(parse_plan("a = 1; b = a; c = 2; return c;").require(), CONTEXT)
    warnings = [(each.code, each.place.column, each.severity) for each in found]
    assert warnings == [("unused_alias", 1, "warning"), ("unused_alias", 8, "warning")]


def test_without_a_context_only_what_no_context_allows_is_wrong() -> None:
    assert told("a = f(x.y); return maps.route(a.b.c(), z);", None) == []
    codes = [each.split()[0] for each in told("a = 1; b = c; c = b; return a(1);", None)]
    assert codes == ["alias_cycle", "unused_alias", "unused_alias", "not_a_function"]


@pytest.mark.slow
def test_long_chains_and_circles_are_no_recursion_and_bounded() -> None:
    names = [f"a{number}" for number in range(MAX_ALIASES)]
    chain = [Alias(name, Name(before)) for name, before in zip(names[1:], names, strict=False)]
    plan = Plan((Alias("a0", Literal(1)), *reversed(chain)), Name(names[-1]))
    assert check_names(plan) == []
    ring = Plan((Alias("a0", Name(names[-1])), *chain), Name(names[-1]))
    (cycle,) = check_names(ring)
    assert (cycle.code, len(cycle.message) < 400) == ("alias_cycle", True)
    (more,) = check_names(Plan((*plan.aliases, Alias("more", Literal(1))), Name("more")))
    assert more.code == "too_many_aliases"
