"""Contexts: what names are bound to, and that nothing of them changes or leaks."""

import functools
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from declaring import ENDLESS
from refract_asp import Sequence, check, repair
from refract_asp.errors import FormatError, InputError, LimitError, PlanError
from refract_asp.model import Call, Memory, Reference, Template
from refract_asp.plan import Context, dates, described, domain, evaluate, parse_plan, with_helpers
from refract_asp.plan.sequences import to_plan, to_sequence
from refract_asp.runtime import Tools, bind
from yaml_files import read_yaml, tables

from .made import shape

TABLES = tables(__file__)


async def fetch(url: str) -> str:
    return url


class Search:
    async def __call__(self, query: str) -> str:
        return query


def test_async_functions_are_domains_and_other_ones_are_local() -> None:
    forced, bound = domain(len, timeout=3), bind(len, idempotent=True)
    domains = {"fetch": fetch, "partly": functools.partial(fetch, "x"), "search": Search()}
    domains |= {"forced": forced, "bound": bound}
    context = Context({**domains, "add": lambda a, b: a + b})
    kinds = {name: context.kind(name) for name in context.names}
    assert kinds == {**dict.fromkeys(domains, "domain"), "add": "function"}
    assert (context.tools["forced"].timeout, context.tools["bound"].idempotent) == (3, True)


def test_namespaces_hold_functions_at_some_depth_and_their_domains_have_dotted_names() -> None:
    maps = {"road": {"route": fetch, "units": "km"}, "version": 2}
    context = Context({"maps": maps, "plain": {"a": {"b": 1}}})
    names = ("maps", "maps.road.route", "maps.version", "plain", "plain.a")
    kinds = [context.kind(name) for name in names]
    assert kinds == ["namespace", "domain", "value", "value", None]
    assert list(context.tools) == ["maps.road.route"]
    values = {"maps": {"road": {"units": "km"}, "version": 2}, "plain": {"a": {"b": 1}}}
    assert context.memory.values == values
    assert Context({"a": {"b": {"c": {"d": fetch}}}}).kind("a.b.c.d") == "domain"


@pytest.mark.parametrize("value", [0, 0.0, False, "", None, [], {}])
def test_values_that_say_no_are_values(value: Any) -> None:
    context = Context({"name": value})
    assert (context.kind("name"), context.value("name")) == ("value", value)


def test_values_are_copied_on_the_way_in_and_out() -> None:
    trips = {"ids": [1, 2]}
    context = Context({"trips": trips})
    for copy in (trips, context.value("trips"), context.memory.values["trips"]):
        copy["ids"].append(3)
    assert context.value("trips") == {"ids": [1, 2]}


NO_VALUES = [math.nan, {1, 2}, b"bytes", object(), [len], {"a": [fetch]}, {1: 2}, 10**5000]
NO_VALUES += ["\ud800"]


@pytest.mark.parametrize("value", NO_VALUES, ids=lambda value: type(value).__name__)
def test_what_is_no_json_value_is_refused_with_its_name(value: Any) -> None:
    with pytest.raises(InputError, match="the value of 'strange'"):
        Context({"strange": value})


def test_values_that_hold_themselves_are_refused() -> None:
    table: dict[str, Any] = {"a": 1}
    table["self"] = table["again"] = table
    for value in (ENDLESS, table):
        with pytest.raises(LimitError, match="nested deeper"):
            Context({"endless": value})
    table["call"] = len
    with pytest.raises(InputError, match="namespaces are nested deeper"):
        Context({"table": table})


@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString", "__class__", "", 7])
def test_reserved_names_and_what_is_no_name_are_refused(name: Any) -> None:
    for bindings in ({name: 1}, {"table": {name: len}}):
        with pytest.raises(InputError):
            Context(bindings)
    with pytest.raises(InputError):
        Context(methods={name: len})


def test_methods_are_sync_functions_and_bindings_a_mapping() -> None:
    for method in (fetch, 3):
        with pytest.raises(InputError, match="no sync function"):
            Context(methods={"at": method})  # type: ignore[dict-item]
    wrong: Any
    for wrong in ([1], "text", 3):
        with pytest.raises(InputError, match="mapping of names"):
            Context(wrong)
        with pytest.raises(InputError, match="mapping of names"):
            Context(methods=wrong)


def test_the_other_context_wins() -> None:
    one = Context({"a": 1, "b": {"call": len}}, methods={"m": len})
    both = one.merged(Context({"b": 2, "c": fetch}))
    assert (both.value("a"), both.value("b"), both.kind("c")) == (1, 2, "domain")
    assert (both.kind("b.call"), one.kind("c"), list(both.methods)) == (None, None, ["m"])


def test_tools_and_memory_make_a_context() -> None:
    tools = Tools({"maps.route": fetch, "find": len})
    context = Context.of(tools, Memory(values={"maps": {"home": "Rome"}}))
    assert (context.value("maps.home"), list(context.tools)) == ("Rome", ["maps.route", "find"])
    assert context.memory.values == {"maps": {"home": "Rome"}}


BOUND_TWICE = [
    ({"find": len}, {"find": 1}),
    ({"a.b": len}, {"a": {"b": 1}}),
    ({"a.b": len}, {"a": 1}),
    ({"a": len, "a.b": len}, {}),
]


@pytest.mark.parametrize(("tools", "memory"), BOUND_TWICE)
def test_a_name_is_bound_once(tools: dict[str, Any], memory: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="bound twice"):
        Context.of(tools, memory)


def test_dates_and_moments_become_texts() -> None:
    at = datetime(2024, 8, 12, 9, 30, tzinfo=UTC)
    given = {"now": at, "trip": {"days": (at.date(), [at.time()])}}
    trip = {"days": ["2024-08-12", ["09:30:00"]]}
    assert Context(given).memory.values == {"now": "2024-08-12T09:30:00+00:00", "trip": trip}
    plan = parse_plan("return {a: now.plus(1, hour), b: later()};").require()
    context = dates().merged(Context({"now": at, "later": lambda: at.date()}))
    assert evaluate(plan, context) == {"a": "2024-08-12T10:30:00+00:00", "b": "2024-08-12"}


# -- plans as sequences and back -------------------------------------------------------


CORPUS = read_yaml(Path(__file__).with_name("corpus.yaml"))
CATALOG: dict[str, Any] = TABLES["catalog"]


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
    plan = "var1 = f();\nvar3 = g({x: var1.a});\nvar2 = f2({y: var3});\nreturn h({z: var2});"
    assert Sequence.load(lines).dump("plan") == plan


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
    lines = TABLES["a broken plan is repaired and printed as a plan"]
    assert result.sequence.dump().splitlines() == lines


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
    four = (others[0], Call(name="k", label="k1"), others[1], last)
    added = given.model_copy(update={"calls": four})
    between = "var1 = g({x: 1});\nk1 = k();\nreturn f({a: var1, b: h({x: 2})});"
    assert str(to_plan(added)) == between
    reader = Call(name="k", label="k1", arguments={"x": Reference(label="var3")})
    read = given.model_copy(update={"calls": (*given.calls, reader)})
    assert str(to_plan(read)).endswith("\nk1 = k({x: var3});\nreturn var3;")
    # nor inside a text, which holds plain references alone
    text_with_one = Template(parts=("<", Reference(label="var1"), ">"))
    told = last.model_copy(update={"arguments": {"a": text_with_one}})
    inside = to_plan(given.model_copy(update={"calls": (others[0], told)}))
    assert "return f({a: `<${var1}>`});" in str(inside)


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
