"""A function behind the decorator: right calls run untouched, faulty ones are told, fixable ones mended."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import functools
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from refract_asp import Catalog, Memory, Refractor, RepairResult
from refract_asp.errors import (
    InputError,
    LimitError,
    ToolFailedError,
    ToolTimeoutError,
)
from refract_asp.integrations import guarded
from refract_asp.runtime.tools import bind
from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
TRAVEL = Catalog.load(ROOT / "catalogs" / "travel.yaml").filter(
    ["TripadvisorSearchHotels", "TripadvisorSearchLocation"]
)
HOTELS = "TripadvisorSearchHotels"
LOCATION = "TripadvisorSearchLocation"
DAYS = {"checkIn": "2024-08-15", "checkOut": "2024-08-18"}
ORDERED = {
    "item": {"type": "string", "required": True},
    "count": {"type": "integer", "required": True},
    "gift": {"type": "boolean"},
}
SHOP = Catalog.load({"tools": [{"name": "order", "effect": "write", "parameters": ORDERED}]})


def hotels(**options: Any) -> tuple[Callable[..., Any], list[tuple[Any, ...]]]:
    ran: list[tuple[Any, ...]] = []

    @guarded(TRAVEL, tool=HOTELS, **options)
    def search_hotels(checkIn: str, checkOut: str, geoId: str | None = None) -> str:  # noqa: N803
        ran.append((checkIn, checkOut, geoId))
        return f"hotels in {geoId}"

    return search_hotels, ran


# -- the worked examples -------------------------------------------------------


def test_a_recovery_call_runs_first_and_feeds_memory() -> None:
    seen: list[Any] = []
    memory: dict[str, Any] = {"query": "London"}

    def search_location(query: str) -> dict[str, str]:
        seen.append((query, list(ran)))
        return {"geoId": f"id of {query}"}

    search_hotels, ran = hotels(
        memory=memory, execute_if_fixed=True, tools={LOCATION: search_location}
    )
    assert search_hotels(geoId="$var1.geoId$", **DAYS) == "hotels in id of London"
    assert seen == [("London", [])]
    assert memory == {"query": "London", "var1": {"geoId": "id of London"}}
    assert search_hotels(geoId="$var1.geoId$", **DAYS) == "hotels in id of London"
    assert len(seen) == 1, "what is known is not looked for again"


# -- right calls ---------------------------------------------------------------


def test_arguments_and_results_are_the_very_objects() -> None:
    items = ["a"]

    @guarded()
    def same(values: list[str]) -> list[str]:
        return values

    assert same(items) is items


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((1,), {}),
        ((1, "y"), {}),
        ((1, "y", 2.0, 3.0), {"c": False}),
        ((1,), {"b": "z", "extra": 5}),
    ],
)
def test_every_way_to_give_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    def f(a: int, /, b: str = "x", *rest: float, c: bool = True, **more: int) -> Any:
        return a, b, rest, c, more

    assert guarded()(f)(*args, **kwargs) == f(*args, **kwargs)


def test_extra_arguments_by_position_stay_where_they_are_in_a_repair() -> None:
    @guarded(execute_if_fixed=True)
    def f(a: int, b: str, *rest: object, c: int = 0) -> Any:
        return a, b, rest, c

    assert f("1", "x", 8, 9, c="3") == (1, "x", (8, 9), 3)  # type: ignore[arg-type]


def test_methods_of_every_kind() -> None:
    class Desk:
        def __init__(self) -> None:
            self.sent: list[str] = []

        @guarded(execute_if_fixed=True)
        def send(self, text: str, times: int = 1) -> int:
            self.sent += [text] * times
            return times

        @classmethod
        @guarded()
        def named(cls, text: str) -> str:
            return cls.__name__ + text

        @staticmethod
        @guarded()
        def plain(text: str) -> str:
            return text

    desk = Desk()
    assert desk.send("a", times="2") == 2  # type: ignore[arg-type]
    assert desk.sent == ["a", "a"]
    assert Desk().sent == []
    assert Desk.named("x") == "Deskx"
    assert Desk.plain("x") == "x"
    assert isinstance(desk.send(3), RepairResult) is False  # a number becomes a text
    assert isinstance(desk.send(), RepairResult)  # type: ignore[call-arg]


def test_async_stays_async() -> None:
    memory: dict[str, Any] = {"query": "Rome"}

    async def location(query: str) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"geoId": query.upper()}

    @guarded(TRAVEL, tool=HOTELS, memory=memory, tools={LOCATION: location}, execute_if_fixed=True)
    async def search(checkIn: str, checkOut: str, geoId: str | None = None) -> str | None:  # noqa: N803
        await asyncio.sleep(0)
        return geoId

    async def main() -> list[Any]:
        return [await search(**DAYS, geoId="x"), await search(**DAYS, geoId="$var1.geoId$")]

    assert inspect.iscoroutinefunction(search)
    assert asyncio.run(main()) == ["x", "ROME"]


def test_a_sync_function_recovers_inside_a_running_loop() -> None:
    async def location(query: str) -> dict[str, str]:
        return {"geoId": query}

    search_hotels, _ = hotels(
        memory={"query": "Rome"}, tools={LOCATION: location}, execute_if_fixed=True
    )

    async def main() -> Any:
        return search_hotels(**DAYS)

    assert asyncio.run(main()) == "hotels in Rome"


def test_a_default_of_the_function_counts_as_given() -> None:
    @guarded(SHOP)
    def order(item: str, count: int = 1) -> tuple[str, int]:
        return item, count

    assert order("tea") == ("tea", 1)


# -- names ---------------------------------------------------------------------


def test_a_made_up_parameter_is_renamed() -> None:
    thing = object()

    @guarded(TRAVEL, tool=LOCATION, execute_if_fixed=True)
    def search(query: Any) -> Any:
        return query

    assert search(qury="London") == "London"  # type: ignore[call-arg]
    assert search(qury=thing) is thing  # type: ignore[call-arg]


# -- state ---------------------------------------------------------------------


def with_state(**options: Any) -> Callable[..., Any]:
    @guarded(TRAVEL, tool=HOTELS, state="state", **options)
    def node(state: dict[str, Any]) -> dict[str, Any]:
        return state

    return node


def test_repaired_values_stand_in_a_copy_of_the_state() -> None:
    kept = object()
    state = {**DAYS, "rooms": "2", "messages": kept, "var1": {"geoId": "foo"}}
    before = dict(state)
    after = with_state(execute_if_fixed=True)(state=state)
    assert after == {**before, "rooms": 2, "geoId": "foo"}
    assert after["messages"] is kept
    assert state == before


def test_a_state_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="no dict"):
        with_state()(3)


# -- what is open, and what fails ------------------------------------------------


def test_a_recovery_call_that_fails_is_an_error_of_the_tool() -> None:
    def broken(query: str) -> None:
        raise ValueError(query)

    search_hotels, ran = hotels(
        memory={"query": "x"}, tools={LOCATION: broken}, execute_if_fixed=True
    )
    with pytest.raises(ToolFailedError, match="ValueError"):
        search_hotels(**DAYS)
    assert ran == []


def test_a_recovery_call_that_takes_too_long() -> None:
    async def slow(query: str) -> None:
        await asyncio.sleep(PATIENCE)

    search_hotels, ran = hotels(
        memory={"query": "x"}, tools={LOCATION: bind(slow, timeout=0.02)}, execute_if_fixed=True
    )
    with pytest.raises(ToolTimeoutError):
        search_hotels(**DAYS)
    assert ran == []


@pytest.mark.parametrize("given", [{}, None, {"geoId": ["not", "a", "text"]}, {"geoId": 42}])
def test_a_recovery_call_that_gives_something_else_than_was_promised(given: Any) -> None:
    search_hotels, ran = hotels(
        memory={"query": "x"}, tools={LOCATION: lambda query: given}, execute_if_fixed=True
    )
    assert isinstance(search_hotels(**DAYS), RepairResult)
    assert ran == []


def test_a_tool_output_that_looks_like_a_reference_is_text() -> None:
    memory = {"query": "x", "password": {"value": "secret"}}
    hostile = {"geoId": "${password.value}"}
    search_hotels, ran = hotels(
        memory=memory, tools={LOCATION: lambda query: hostile}, execute_if_fixed=True
    )
    search_hotels(**DAYS)
    assert ran[0][2] == "${password.value}"


def test_a_repair_with_a_tool_that_cannot_be_run_comes_back() -> None:
    refractor = Refractor(TRAVEL)  # which knows the location search, and nobody runs it

    @guarded(refractor, tool=HOTELS, memory={"query": "x"}, execute_if_fixed=True)
    def search(checkIn: str, checkOut: str, geoId: str | None = None) -> None:  # noqa: N803
        raise AssertionError

    result = search(**DAYS)
    assert isinstance(result, RepairResult)
    assert result.sequence.calls[0].name == LOCATION


# -- memory --------------------------------------------------------------------


def test_memory_may_be_a_function_for_each_call() -> None:
    current: dict[str, Any] = {}
    search_hotels, _ = hotels(memory=lambda: current, execute_if_fixed=True)
    current = {"var1": {"geoId": "a"}}
    assert search_hotels(**DAYS) == "hotels in a"
    current = {"var1": {"geoId": "b"}}
    assert search_hotels(**DAYS) == "hotels in b"


def test_a_memory_object_is_read_and_stays_as_it_is() -> None:
    memory = Memory(values={"query": "Rome"})
    tools = {LOCATION: lambda query: {"geoId": query}}
    search_hotels, _ = hotels(memory=memory, tools=tools, execute_if_fixed=True)
    assert search_hotels(**DAYS) == "hotels in Rome"
    assert memory.values == {"query": "Rome"}


# -- values that JSON does not have ------------------------------------------------


class Size(Enum):
    SMALL = "small"


class Guest(BaseModel):
    name: str


@dataclass
class Room:
    number: int


def test_what_has_a_form_in_json_is_judged_by_it() -> None:
    given = (datetime.date(2024, 8, 15), Guest(name="Ada"), Size.SMALL, Room(3))

    @guarded()
    def book(day: datetime.date, guest: Guest, size: Size, room: Room) -> tuple[Any, ...]:
        return day, guest, size, room

    assert book(*given) == given
    assert book(*given)[1] is given[1]
    result = book("tomorrow-ish", given[1], "huge", given[3])  # type: ignore[arg-type]
    assert isinstance(result, RepairResult)
    assert {v.parameter for v in result.violations} >= {"size"}


def test_what_has_none_is_passed_over() -> None:
    thing = object()

    @guarded(SHOP, execute_if_fixed=True)
    def order(item: Any, count: int, gift: Any = None) -> tuple[Any, ...]:
        return item, count, gift

    assert order(thing, 1) == (thing, 1, None)
    assert order(thing, "1", gift=float("nan"))[:2] == (thing, 1)  # type: ignore[arg-type]


def test_what_is_too_deep_is_refused() -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    around: list[Any] = []
    around.append(around)

    @guarded()
    def keep(values: Any) -> None:
        raise AssertionError

    for value in (deep, around):
        with pytest.raises(LimitError, match="argument values"):
            keep(value)


# -- options -------------------------------------------------------------------


def order(item: str, count: int) -> None: ...


@pytest.mark.parametrize(
    ("catalog", "options", "function"),
    [
        (SHOP, {"state": "nothing"}, order),
        (None, {"state": "item"}, order),
        (None, {"tools": {"a": print}}, order),
        (Refractor(SHOP), {"alternatives": 2}, order),
        (SHOP, {"tools": 3}, order),
        (TRAVEL, {"tool": "search"}, order),
        (ROOT / "catalogs" / "travel.yaml", {}, order),
        ({"tools": [{"nmae": "x"}]}, {}, order),
        (SHOP, {}, 3),
        (SHOP, {}, staticmethod(order)),
    ],
)
def test_options_that_cannot_be(catalog: Any, options: dict[str, Any], function: Any) -> None:
    with pytest.raises(InputError):
        guarded(catalog, **options)(function)("tea", 2)


@pytest.mark.parametrize("verdict", ["needs_input", "unrepairable"])
def test_what_is_open_comes_back(verdict: str) -> None:
    dropped = (
        {"colour": "green"} if verdict == "needs_input" else {"count": {}}
    )  # of a write: risky

    @guarded(SHOP, tool="order", execute_if_fixed=True)
    def buy(item: str, count: int, **more: Any) -> None:
        raise AssertionError

    given = {"item": "tea", "count": 1, **dropped}
    assert isinstance(buy(**given), RepairResult)


def test_what_raises_raises() -> None:
    """The function, its arguments as Python sees them, and the memory."""

    @guarded()
    def fails(text: str, *, key: int = 1) -> None:
        raise KeyError(text)

    with pytest.raises(KeyError, match="x"):
        fails("x")
    for args, kwargs in ((("a", "b"), {}), (("a",), {"text": "b"})):
        with pytest.raises(TypeError):
            fails(*args, **kwargs)

    def broken() -> Any:
        raise OSError("no database")

    search_hotels, ran = hotels(memory=broken)
    with pytest.raises(OSError, match="no database"):
        search_hotels(**DAYS, geoId="x")
    assert ran == []


@dataclasses.dataclass
class Booking:
    item: str
    counts: list[int] = dataclasses.field(default_factory=list)


def test_partials_and_objects_that_can_be_called() -> None:
    class Orders:
        def __call__(self, item: str, count: int) -> tuple[str, int]:
            return item, count

    def order(item: str, count: int, shop: str) -> tuple[str, int, str]:
        return item, count, shop

    assert guarded()(Orders())("tea", 2) == ("tea", 2)
    assert isinstance(guarded()(Orders())("tea"), RepairResult)  # type: ignore[call-arg]
    assert guarded(SHOP)(functools.partial(order, shop="a"))("tea", 2) == ("tea", 2, "a")
    assert guarded()(functools.partial(order, shop="a"))(item="tea", count=2) == ("tea", 2, "a")


def test_a_class_is_judged_by_what_it_is_made_of() -> None:
    made = guarded(execute_if_fixed=True)(Booking)
    assert made(item="tea", counts=["2"]) == Booking("tea", [2])  # type: ignore[list-item]
    assert made(item="tea") == Booking("tea")
    assert isinstance(made(), RepairResult)  # type: ignore[call-arg]


def test_many_threads_at_once() -> None:
    memory: dict[str, Any] = {"query": "Rome"}
    tools = {LOCATION: lambda query: {"geoId": query}}
    search_hotels, ran = hotels(memory=memory, tools=tools, execute_if_fixed=True)
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda number: search_hotels(**DAYS, geoId="$var1.geoId$"), range(24))
        )
    assert found == ["hotels in Rome"] * 24
    assert len(ran) == 24
