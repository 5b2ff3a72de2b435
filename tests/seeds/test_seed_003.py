"""Seed 003, word for word: its examples read, lowered, staged and run."""

import asyncio
from typing import Any

from refract_asp import Sequence
from refract_asp.model.stages import stages
from refract_asp.plan import Context, dates, evaluate, parse_expression, parse_plan, to_sequence
from refract_asp.runtime import Run, run, run_async
from waiting import PATIENCE, run_timeless

CHAINED = """\
return domainC({
  slot3: domainA({slot1: 'foo'}).field1,
  slot4: domainB({slot2: 'bar'})[0].field2,
});
"""
ALIASES = """\
flight = flightInfo({airline: 'AA', flight: 1234});
return other({start: flight.departs, end: flight.arrives});
"""


async def turns(number: int) -> None:
    """Let the event loop turn: what takes more turns ends later, on a busy machine too."""
    for _ in range(number):
        await asyncio.sleep(0)


async def domain_a(slot1: str) -> dict[str, Any]:
    await turns(400)
    return {"field1": len(slot1)}


async def domain_b(slot2: str) -> list[dict[str, Any]]:
    await turns(200)
    return [{"field2": slot2}]


async def domain_c(slot3: int, slot4: str) -> str:
    return f"{slot3} {slot4}"


def trace(done: Run) -> list[str]:
    words = {"started": "start", "finished": "end"}
    return [f"{words[event.kind]} {event.tool[-1]}" for event in done.events]


def test_the_chained_calls_are_read() -> None:
    strict = parse_plan(CHAINED)
    assert strict.plan is None
    assert [(each.code, each.place.line) for each in strict.diagnostics] == [("trailing_comma", 3)]
    relaxed = parse_plan(CHAINED, "relaxed")
    assert [(each.code, each.place.line) for each in relaxed.repairs] == [("trailing_comma", 3)]
    assert relaxed.diagnostics == ()


def test_the_chained_calls_are_a_sequence() -> None:
    sequence = Sequence.load(CHAINED)
    assert sequence.dump("pretty") == [
        'var1 = domainA(slot1="foo")',
        'var2 = domainB(slot2="bar")',
        'var3 = domainC(slot3="$var1.field1$", slot4="$var2[0].field2$")',
    ]
    names = [{sequence.calls[call].name for call in stage} for stage in stages(sequence)]
    assert names == [{"domainA", "domainB"}, {"domainC"}]


def test_the_chained_calls_run_with_all_the_concurrency_there_is() -> None:
    tools = {"domainA": domain_a, "domainB": domain_b, "domainC": domain_c}
    done = run_timeless(run_async(CHAINED, tools))
    assert done.result == "3 bar"
    assert trace(done) == ["start A", "start B", "end B", "end A", "start C", "end C"]


def test_an_alias_is_evaluated_once() -> None:
    asked: list[tuple[str, int]] = []

    async def flight_info(airline: str, flight: int) -> dict[str, str]:
        asked.append((airline, flight))
        return {"departs": "2024-08-15T09:00:00Z", "arrives": "2024-08-15T12:00:00Z"}

    tools = {"flightInfo": flight_info, "other": lambda start, end: f"{start} to {end}"}
    assert run(ALIASES, tools).result == "2024-08-15T09:00:00Z to 2024-08-15T12:00:00Z"
    assert asked == [("AA", 1234)]
    calls = to_sequence(parse_plan(ALIASES).require()).dump("pretty")
    assert calls == [
        'flight = flightInfo(airline="AA", flight=1234)',
        'var1 = other(start="$flight.departs$", end="$flight.arrives$")',
    ]


def test_the_date_helpers() -> None:
    context = dates("2024-08-13T15:30:00", timezone="America/New_York")  # a Tuesday
    for text, moment in (
        ("next(Thursday).at('9:00am');", "2024-08-15T09:00:00-04:00"),
        ("last(Tuesday).plus(23, day).at('9:00am');", "2024-08-29T09:00:00-04:00"),
    ):
        assert evaluate(parse_expression(text).require(), context) == moment


def test_constants_of_the_context() -> None:
    context = Context({"now": "2024-08-13", "user": "ada", "account": 0})
    plan = parse_plan("return {who: user, of: account, since: now};").require()
    assert evaluate(plan, context) == {"who": "ada", "of": 0, "since": "2024-08-13"}


def test_a_fast_chain_does_not_wait_for_a_slow_one() -> None:
    """The slow call ends only when the fast chain is over: with stages it would never."""
    fast_calls = 0
    is_over = asyncio.Event()

    async def slow(x: int) -> int:
        await asyncio.wait_for(is_over.wait(), PATIENCE)
        return x

    async def fast(x: int) -> int:
        nonlocal fast_calls
        fast_calls += 1
        if fast_calls == 2:
            is_over.set()
        return x

    plan = "a = slow({x: 1}); b = fast({x: 2}); return [slow({x: a}), fast({x: b})];"
    assert run(plan, [slow, fast]).result == [1, 2]
