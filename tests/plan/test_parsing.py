"""What is a plan and what is not, where it stops being one, and which slips of models are mended."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import InputError, PlanError
from refract_asp.plan import UNDEFINED, Alias, Plan, PlanDiagnostic, parse_expression, parse_plan
from refract_asp.plan.context import MAX_ALIASES, Context, check_names, domain
from refract_asp.plan.syntax import FieldOf, IndexOf, Invocation, ListOf, Literal, Name, ObjectOf
from yaml_files import read_yaml

CORPUS: dict[str, Any] = read_yaml(Path(__file__).with_name("corpus.yaml"))


@pytest.mark.parametrize(("text", "value"), [*CORPUS["literals"].items(), ("undefined", UNDEFINED)])
def test_a_literal(text: str, value: object) -> None:
    assert parse_expression(text).require().result == Literal(value)


def test_every_form_of_an_expression() -> None:
    text = "f({a: [1, x], 'b c': null}).d['e f'][0][g()].at('9:00am', -2)"
    fields = (("a", ListOf((Literal(1), Name("x")))), ("b c", Literal(None)))
    made = Invocation(Name("f"), (ObjectOf(fields),))
    read = IndexOf(FieldOf(FieldOf(made, "d"), "e f"), Literal(0))
    read = IndexOf(read, Invocation(Name("g"), ()))
    whole = Invocation(FieldOf(read, "at"), (Literal("9:00am"), Literal(-2)))
    assert parse_expression(text).require().result == whole
    (wrong,) = parse_expression(f"{text} g()", "relaxed").diagnostics
    assert wrong.code == "syntax_error"


def test_comments_stay_with_their_alias() -> None:
    text = "/* one */ a = f(/* two */ 1); // three\n// four\nb = 2;\nreturn a // five\n// six"
    plan = parse_plan(text).require()
    comments = [alias.comments for alias in plan.aliases]
    assert comments == [("/* one */", "/* two */", "// three"), ("// four",)]
    assert plan.comments == ("// five", "// six")


def placed(each: PlanDiagnostic) -> str:
    return f"{each.place.line}:{each.place.column} {each.code}"


@pytest.mark.parametrize("text", CORPUS["refused"])
def test_what_is_no_plan(text: str) -> None:
    parsed = parse_plan(text)
    assert parsed.plan is None
    first = parsed.diagnostics[0]
    assert f"{placed(first)}: {first.message}" == CORPUS["refused"][text]


TOO_LARGE = [
    ("return " + "[" * 10_000, "too_deep", "64"),
    ("return " + "f(" * 100 + ")" * 100, "too_deep", "64"),
    ("return a" + ".b" * 20_000, "too_deep", "64"),
    ("x" * 1_000_000, "too_long", "1,000,000"),
]


@pytest.mark.parametrize(("text", "code", "met"), TOO_LARGE)
def test_what_is_too_large(text: str, code: str, met: str) -> None:
    first = parse_plan(text).diagnostics[0]
    assert (first.code, met in first.message, len(str(first)) < 400) == (code, True, True)


def test_the_first_mistake_of_each_statement_is_told() -> None:
    text = "a = new X();\nb = y + 1;\na = {k: 0x1, l: 2, l: 3};\nreturn z => z;"
    told = [placed(each) for each in parse_plan(text).diagnostics]
    assert told == ["1:5 excluded", "2:7 excluded", "3:9 number_form", "4:8 excluded"]


def test_places_count_characters() -> None:
    (diagnostic,) = parse_plan("a = '\U0001f600é'; return a + 1;").diagnostics
    assert diagnostic.place.column == len("a = '\U0001f600é'; return a ") + 1


def test_require_tells_every_place() -> None:
    with pytest.raises(PlanError, match=r"plan\.js, line 1, column 5(.|\n)*line 1, column 21"):
        parse_plan("a = new X(); return !a;").require("plan.js")


@pytest.mark.parametrize("text", [None, 3, b"return 1;", ["return 1;"]])
def test_what_cannot_be_read_at_all_is_refused(text: Any) -> None:
    with pytest.raises(InputError, match="a plan cannot be a value of type"):
        parse_plan(text)
    with pytest.raises(InputError, match="strict or relaxed"):
        parse_plan("return 1;", "loose")  # type: ignore[arg-type]


def test_threads_read_side_by_side() -> None:
    text = "a = f({x: 1}); return g({y: a.b});"
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda _: str(parse_plan(text).plan), range(200)))
    assert read == ["a = f({x: 1});\nreturn g({y: a.b});"] * 200


# -- slips ---------------------------------------------------------------------


@pytest.mark.parametrize("case", CORPUS["mended"], ids=lambda case: case["text"])
def test_a_slip_is_mended(case: dict[str, Any]) -> None:
    relaxed = parse_plan(case["text"], "relaxed")
    assert str(relaxed.plan) == case["plan"], relaxed.diagnostics
    found = [f"{each.code} {each.place.line}:{each.place.column}" for each in relaxed.repairs]
    assert (found, relaxed.diagnostics) == (case["slips"], ())
    strict = parse_plan(case["text"])
    assert (strict.plan, strict.repairs, bool(strict.diagnostics)) == (None, (), True)


@pytest.mark.parametrize("text", CORPUS["not_mended"])
def test_what_is_not_mended(text: str) -> None:
    relaxed = parse_plan(text, "relaxed")
    assert (relaxed.plan, relaxed.repairs, bool(relaxed.diagnostics)) == (None, (), True)


@pytest.mark.parametrize(("text", "said"), CORPUS["why_not_mended"].items())
def test_why_it_is_not_mended_is_told(text: str, said: str) -> None:
    assert said in str(parse_plan(text, "relaxed").diagnostics[0])


def test_what_stands_in_texts_and_comments_is_no_slip() -> None:
    text = "// don't, `a` “b” #c {'x': 1,}\na = 'const x = “y” # True';\nreturn f({a: \"await, None,]\"});"
    names = "use = 1;\nreturn f({True: use, let: a.None, const: a.await});"
    for each in (text, names):
        relaxed = parse_plan(each, "relaxed")
        assert relaxed.repairs == ()
        assert relaxed.plan == parse_plan(each).plan is not None


NONSENSE = [
    "'" * 30_000, "{a:" * 20_000, "@#!" * 20_000, "a b " * 5_000, "“" * 60_000, "`${" * 20_000,
    "```\n" * 15_000, "/* " * 20_000, "“a” " * 12_000, "~~~~~\n" * 9_000, "~" * 60_000,
    "\n" * 60_000 + "x", "'\\" * 30_000, "`\\" * 30_000, "return 1\n" * 5_000, "return \n" * 8_000,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", NONSENSE)
def test_long_nonsense_is_refused(text: str) -> None:
    assert parse_plan(text, "relaxed").plan is None


# -- which names of a plan are wrong, and what is said of each -------------------------


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


ALIASES = [
    "b = a; a = add(1, 2); return [b, add(a, 1)];",
    "user = 5; return user;",
    "departs = 1; return back.departs(departs);",
    "add = [1]; return add[0];",
]


@pytest.mark.parametrize("text", ALIASES)
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
