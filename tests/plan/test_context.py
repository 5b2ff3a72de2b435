"""Contexts: what names are bound to, and that nothing of them changes or leaks."""

from __future__ import annotations

import functools
import math
from datetime import UTC, datetime
from typing import Any

import pytest

from refract_asp.errors import InputError, LimitError
from refract_asp.model import Memory
from refract_asp.plan import Context, dates, domain, evaluate, parse_plan
from refract_asp.runtime import Tools, bind


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


@pytest.mark.parametrize(
    "value",
    [math.nan, {1, 2}, b"bytes", object(), [len], {"a": [fetch]}, {1: 2}, 10**5000, "\ud800"],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_value_is_refused_with_its_name(value: Any) -> None:
    with pytest.raises(InputError, match="the value of 'strange'"):
        Context({"strange": value})


def test_values_that_hold_themselves_are_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    table: dict[str, Any] = {"a": 1}
    table["self"] = table["again"] = table
    for value in (endless, table):
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


@pytest.mark.parametrize(
    ("tools", "memory"),
    [
        ({"find": len}, {"find": 1}),
        ({"a.b": len}, {"a": {"b": 1}}),
        ({"a.b": len}, {"a": 1}),
        ({"a": len, "a.b": len}, {}),
    ],
)
def test_a_name_is_bound_once(tools: dict[str, Any], memory: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="bound twice"):
        Context.of(tools, memory)


def test_dates_and_moments_become_texts() -> None:
    at = datetime(2024, 8, 12, 9, 30, tzinfo=UTC)
    given = {"now": at, "trip": {"days": (at.date(), [at.time()])}}
    assert Context(given).memory.values == {
        "now": "2024-08-12T09:30:00+00:00",
        "trip": {"days": ["2024-08-12", ["09:30:00"]]},
    }
    plan = parse_plan("return {a: now.plus(1, hour), b: later()};").require()
    context = dates().merged(Context({"now": at, "later": lambda: at.date()}))
    assert evaluate(plan, context) == {"a": "2024-08-12T10:30:00+00:00", "b": "2024-08-12"}
