"""A function behind the decorator: right calls run untouched, faulty ones are told, fixable ones mended."""

import asyncio
import datetime
import functools
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from declaring import ENDLESS, nested
from refract_asp import Catalog, Memory, Refractor, RepairResult
from refract_asp.errors import InputError, LimitError, ToolFailedError, ToolTimeoutError
from refract_asp.integrations import guarded
from refract_asp.runtime.tools import bind
from waiting import PATIENCE
from yaml_files import tables

TABLES = tables(__file__)

HOTELS = "TripadvisorSearchHotels"
LOCATION = "TripadvisorSearchLocation"
TRAVEL = Catalog.load("travel").filter([HOTELS, LOCATION])
DAYS = {"checkIn": "2024-08-15", "checkOut": "2024-08-18"}
LOST = {**DAYS, "geoId": "$var1.geoId$"}
ORDERED = TABLES["ordered"]
SHOP = Catalog.load({"tools": [{"name": "order", "effect": "write", "parameters": ORDERED}]})


def hotels(location: Any = None, **options: Any) -> tuple[Callable[..., Any], list[Any]]:
    """Return a guarded search, with a function for the location search, and what it was called with."""
    ran: list[Any] = []
    tools = {} if location is None else {LOCATION: location}

    @guarded(TRAVEL, tool=HOTELS, tools=tools, **options)
    def search_hotels(checkIn: str, checkOut: str, geoId: str | None = None) -> str:  # noqa: N803
        ran.append((checkIn, checkOut, geoId))
        return f"hotels in {geoId}"

    return search_hotels, ran


def order(item: str, count: int = 1, gift: Any = None) -> tuple[Any, ...]:
    return item, count, gift


# -- right calls ---------------------------------------------------------------


def test_arguments_and_results_are_the_very_objects() -> None:
    items = ["a"]

    @guarded()
    def same(values: list[str]) -> list[str]:
        return values

    assert same(items) is items
    assert same.__name__ == "same"


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


@pytest.mark.parametrize(("args", "kwargs"), TABLES["every way to give arguments"])
def test_every_way_to_give_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    def f(a: int, /, b: str = "x", *rest: float, c: bool = True, **more: int) -> Any:
        return a, b, rest, c, more

    assert guarded()(f)(*args, **kwargs) == f(*args, **kwargs)


def test_extra_arguments_by_position_stay_where_they_are_in_a_repair() -> None:
    @guarded(execute_if_fixed=True)
    def f(a: int, b: str, *rest: object, c: int = 0) -> Any:
        return a, b, rest, c

    assert f("1", "x", 8, 9, c="3") == (1, "x", (8, 9), 3)


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
    assert (desk.send("a", times="2"), desk.sent, Desk().sent) == (2, ["a", "a"], [])
    assert (Desk.named("x"), Desk.plain("x")) == ("Deskx", "x")
    assert isinstance(desk.send(), RepairResult)


def test_a_made_up_parameter_is_renamed() -> None:
    thing = object()

    @guarded(TRAVEL, tool=LOCATION, execute_if_fixed=True)
    def search(query: Any) -> Any:
        return query

    assert search(qury="London") == "London"
    assert search(qury=thing) is thing


# -- calls that are needed before --------------------------------------------------


def test_a_recovery_call_runs_first_and_feeds_memory() -> None:
    seen: list[Any] = []
    memory: dict[str, Any] = {"query": "London"}

    def search_location(query: str) -> dict[str, str]:
        seen.append((query, list(ran)))
        return {"geoId": f"id of {query}"}

    search_hotels, ran = hotels(search_location, memory=memory, execute_if_fixed=True)
    assert search_hotels(**LOST) == "hotels in id of London"
    assert seen == [("London", [])]
    assert memory == {"query": "London", "var1": {"geoId": "id of London"}}
    assert search_hotels(**LOST) == "hotels in id of London"
    assert len(seen) == 1, "what is known is not looked for again"


async def location_of(query: str) -> dict[str, str]:
    await asyncio.sleep(0)
    return {"geoId": query}


async def test_async_stays_async_and_sync_runs_inside_a_loop() -> None:
    tools = {LOCATION: location_of}
    how: dict[str, Any] = {"memory": {"query": "Rome"}, "execute_if_fixed": True}

    @guarded(TRAVEL, tool=HOTELS, tools=tools, **how)
    async def search(checkIn: str, checkOut: str, geoId: str | None = None) -> str | None:  # noqa: N803
        await asyncio.sleep(0)
        return geoId

    search_hotels, _ = hotels(location_of, **how)
    assert inspect.iscoroutinefunction(search)
    assert await search(**DAYS, geoId="x") == "x"
    assert await search(**LOST) == "Rome"
    assert search_hotels(**DAYS) == "hotels in Rome"


async def slow(query: str) -> None:
    await asyncio.sleep(PATIENCE)


def broken(query: str) -> None:
    raise ValueError(query)


@pytest.mark.parametrize("location", [broken, bind(slow, timeout=0.02)])
def test_a_recovery_call_that_fails_is_an_error_of_the_tool(location: Any) -> None:
    search_hotels, ran = hotels(location, memory={"query": "x"}, execute_if_fixed=True)
    with pytest.raises(ToolFailedError if location is broken else ToolTimeoutError):
        search_hotels(**DAYS)
    assert ran == []


@pytest.mark.parametrize("given", [{}, None, {"geoId": ["not", "a", "text"]}, {"geoId": 42}])
def test_a_recovery_call_that_gives_something_else_than_was_promised(given: Any) -> None:
    search_hotels, ran = hotels(lambda query: given, memory={"query": "x"}, execute_if_fixed=True)
    assert isinstance(search_hotels(**DAYS), RepairResult)
    assert ran == []


def test_a_tool_output_that_looks_like_a_reference_is_text() -> None:
    memory = {"query": "x", "password": {"value": "secret"}}
    hostile = {"geoId": "${password.value}"}
    search_hotels, ran = hotels(lambda query: hostile, memory=memory, execute_if_fixed=True)
    search_hotels(**DAYS)
    assert ran[0][2] == "${password.value}"
    assert guarded(SHOP, references=False)(order)("$tea$") == ("$tea$", 1, None)


OPEN: list[Any] = [
    (Refractor(TRAVEL), HOTELS, DAYS, {"query": "x"}),  # nobody runs the location search
    (TRAVEL, HOTELS, DAYS, None),  # a value has to be asked for
    (SHOP, "order", {"item": "tea", "count": 1, "colour": "green"}, None),  # a confirm
    (SHOP, "order", {"item": "tea", "count": {}}, None),
]


@pytest.mark.parametrize(("catalog", "tool", "given", "memory"), OPEN)
def test_what_is_open_comes_back(catalog: Any, tool: str, given: Any, memory: Any) -> None:
    @guarded(catalog, tool=tool, memory=memory, execute_if_fixed=True)
    def never(**arguments: Any) -> None:
        raise AssertionError

    assert isinstance(never(**given), RepairResult)


# -- state and memory ------------------------------------------------------------


def test_repaired_values_stand_in_a_copy_of_the_state() -> None:
    @guarded(TRAVEL, tool=HOTELS, state="state", execute_if_fixed=True)
    def node(state: dict[str, Any]) -> dict[str, Any]:
        return state

    kept = object()
    state = {**DAYS, "rooms": "2", "messages": kept, "var1": {"geoId": "foo"}}
    before = dict(state)
    after = node(state=state)
    assert after == {**before, "rooms": 2, "geoId": "foo"}
    assert after["messages"] is kept
    assert state == before
    with pytest.raises(InputError, match="no dict"):
        node(3)  # type: ignore[arg-type]


def test_memory_may_be_a_function_or_an_object() -> None:
    current: dict[str, Any] = {}
    search_hotels, _ = hotels(memory=lambda: current, execute_if_fixed=True)
    for place in "ab":
        current = {"var1": {"geoId": place}}
        assert search_hotels(**DAYS) == f"hotels in {place}"
    memory = Memory(values={"query": "Rome"})
    search_hotels, _ = hotels(location_of, memory=memory, execute_if_fixed=True)
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
    beds: list[int] = field(default_factory=list)


def test_what_has_a_form_in_json_is_judged_by_it() -> None:
    given = (datetime.date(2024, 8, 15), Guest(name="Ada"), Size.SMALL, Room(3))

    @guarded()
    def book(day: datetime.date, guest: Guest, size: Size, room: Room) -> tuple[Any, ...]:
        return day, guest, size, room

    assert book(*given) == given
    assert book(*given)[1] is given[1]
    result = book("tomorrow-ish", given[1], "huge", given[3])
    assert isinstance(result, RepairResult)
    assert {v.parameter for v in result.violations} >= {"size"}


def test_what_has_none_is_passed_over() -> None:
    things = (object(), iter([1, 2]), float("nan"))
    buy = guarded(SHOP, tool="order", execute_if_fixed=True)(order)
    for thing in things:
        assert buy(thing, 1)[0] is thing
        assert buy("tea", "1", gift=thing) == ("tea", 1, thing)
    assert list(things[1]) == [1, 2], "nobody has used it up"


def test_what_is_too_deep_is_refused() -> None:
    @guarded()
    def keep(values: Any) -> None:
        raise AssertionError

    for value in (nested(200), ENDLESS):
        with pytest.raises(LimitError, match="argument values"):
            keep(value)


# -- options -------------------------------------------------------------------


IMPOSSIBLE: list[Any] = [
    (SHOP, {"state": "nothing"}, order),
    (None, {"state": "item"}, order),
    (None, {"tools": {"a": print}}, order),
    (Refractor(SHOP), {"alternatives": 2}, order),
    (SHOP, {"tools": 3}, order),
    (TRAVEL, {"tool": "search"}, order),
    ({"tools": [{"nmae": "x"}]}, {}, order),
    (SHOP, {}, 3),
    (SHOP, {}, staticmethod(order)),
]


@pytest.mark.parametrize(("catalog", "options", "function"), IMPOSSIBLE)
def test_options_that_cannot_be(catalog: Any, options: dict[str, Any], function: Any) -> None:
    with pytest.raises(InputError):
        guarded(catalog, **options)(function)("tea", 2)


class Orders:
    def __call__(self, item: str, count: int) -> tuple[str, int]:
        return item, count


def test_partials_classes_and_objects_that_can_be_called() -> None:
    def own(item: str, count: int, shop: str) -> tuple[str, int, str]:
        return item, count, shop

    partial = functools.partial(own, shop="a")
    assert guarded()(Orders())("tea", 2) == ("tea", 2)
    assert isinstance(guarded()(Orders())("tea"), RepairResult)
    assert guarded(SHOP, tool="order")(partial)("tea", 2) == ("tea", 2, "a")
    assert guarded()(partial)(item="tea", count=2) == ("tea", 2, "a")
    made = guarded(execute_if_fixed=True)(Room)
    assert made(number="3", beds=["2"]) == Room(3, [2])
    assert isinstance(made(), RepairResult)


def test_many_threads_at_once() -> None:
    how: Any = {"memory": {"query": "Rome"}, "execute_if_fixed": True}
    search_hotels, ran = hotels(lambda query: {"geoId": query}, **how)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: search_hotels(**LOST), range(24)))
    assert found == ["hotels in Rome"] * 24
    assert len(ran) == 24
