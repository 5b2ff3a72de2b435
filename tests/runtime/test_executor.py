"""Running: what starts when, and what becomes of failures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import statuses, trace
from tests.depth import examples

from refract_asp.runtime import Run, run, run_async
from waiting import PATIENCE, run_timeless

EXAMPLE = """\
var1 = domainA(slot1="foo")
var2 = domainB(slot2="bar")
var3 = domainC(slot3="$var1.field1$", slot4="$var2[0].field2$")
"""


def test_the_first_example_of_the_seed() -> None:
    """P7: A takes 40 ms, B 20 ms; C begins when both are done."""

    async def domain_a(slot1: str) -> Any:
        await asyncio.sleep(0.04)
        return {"field1": 3}

    async def domain_b(slot2: str) -> Any:
        await asyncio.sleep(0.02)
        return [{"field2": slot2}]

    async def domain_c(slot3: int, slot4: str) -> Any:
        return f"{slot3} {slot4}"

    done = run_timeless(
        run_async(EXAMPLE, {"domainA": domain_a, "domainB": domain_b, "domainC": domain_c})
    )
    assert trace(done) == [
        "start domainA", "start domainB", "end domainB", "end domainA", "start domainC", "end domainC",
    ]  # fmt: skip
    assert done.result == "3 bar"
    assert done.succeeded


def test_a_ready_call_does_not_wait_for_a_slow_sibling() -> None:
    """P8: what reads the fast one begins, and lets the slow one end."""
    free = asyncio.Event()

    async def slow() -> int:
        await free.wait()
        return 1

    async def fast() -> int:
        return 2

    async def after(x: int) -> int:
        free.set()
        return x

    done = run(
        'a = slow()\nb = fast()\nc = after(x="$b$")\nd = after(x="$a$")',
        [slow, fast, after],
        timeout=PATIENCE,
    )
    assert done.values == {"a": 1, "b": 2, "c": 2, "d": 1}
    assert trace(done).index("start after") < trace(done).index("end slow")


def test_a_failure_skips_what_reads_it_and_nothing_else() -> None:
    def bad() -> None:
        raise ValueError("no\x1b[31m luck")

    def good(**more: Any) -> str:
        return "ok"

    text = 'a = bad()\nb = good(x="$a$")\nc = good(x="$b.y$")\nd = good()\ne = good(x="$d$")'
    done = run(text, [bad, good])
    assert statuses(done) == ["failed", "skipped", "skipped", "succeeded", "succeeded"]
    assert done.outcomes[0].error is not None
    assert done.outcomes[0].error.kind == "tool_failed"
    assert done.outcomes[1].reason == "call 1 (bad), which it reads, failed."
    assert done.outcomes[2].reason == "call 2 (good), which it reads, was skipped."
    assert done.result == "ok"
    assert done.has_result
    assert not done.succeeded
    assert "\x1b" not in done.summary()


@pytest.mark.parametrize(
    "raised", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, StopIteration]
)
@pytest.mark.parametrize("is_async", [True, False])
def test_whatever_a_tool_raises_is_its_failure(raised: type[BaseException], is_async: bool) -> None:
    async def bad_async() -> None:
        raise raised("x")

    def bad_sync() -> None:
        raise raised("x")

    done = run(
        "a = bad()\nb = good()", {"bad": bad_async if is_async else bad_sync, "good": lambda: 1}
    )
    assert statuses(done) == ["failed", "succeeded"]


def cancel_own_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return task


@pytest.mark.parametrize("is_left", [True, False], ids=["and returns", "and waits"])
def test_a_tool_that_cancels_itself_has_failed(is_left: bool) -> None:
    async def give_up() -> int:
        cancel_own_task()
        if not is_left:
            await asyncio.sleep(0)
        return 1

    done = run("give_up()\nf()", {"give_up": give_up, "f": lambda: 2}, total_timeout=PATIENCE)
    assert statuses(done) == ["failed", "succeeded"]
    assert not done.timed_out


def test_a_tool_that_cancels_everything_ends_the_run() -> None:
    async def panic() -> int:
        for task in asyncio.all_tasks():
            task.cancel()
        return 1

    with pytest.raises(asyncio.CancelledError):
        run("panic()\nf()", {"panic": panic, "f": lambda: 2}, total_timeout=PATIENCE)


def test_a_long_chain_that_fails_at_its_start() -> None:
    calls = [
        {"name": "f", "arguments": {"x": f"$v{n}$"}, "label": f"v{n + 1}"} for n in range(1, 3000)
    ]
    done = run([{"name": "bad", "arguments": {}, "label": "v1"}, *calls], {"f": lambda x: x})
    assert statuses(done) == ["failed"] + ["skipped"] * 2999


def test_what_reads_a_path_that_is_not_there_fails_alone() -> None:
    done = run(
        'a = f()\ng(x="$a.id$")\ng(x="$a.name$")', {"f": lambda: {"name": 1}, "g": lambda x: x}
    )
    assert statuses(done) == ["succeeded", "failed", "succeeded"]
    error = done.outcomes[1].error
    assert error is not None
    assert (error.kind, error.tool) == ("bad_argument", "g")
    assert "It has: name." in str(error)
    assert done.outcomes[1].attempts == 0


def test_an_unknown_tool_fails_alone() -> None:
    done = run("a = f()\nb = nope()", {"f": lambda: 1})
    assert statuses(done) == ["succeeded", "failed"]
    assert done.outcomes[1].error is not None
    assert done.outcomes[1].error.kind == "unknown_tool"


def test_no_tool_can_change_what_others_read() -> None:
    """P14."""

    def spoil(x: list[int]) -> int:
        x.append(9)
        return len(x)

    done = run(
        'a = f()\nb = spoil(x="$a$")\nc = spoil(x="$a$")', {"f": lambda: [1], "spoil": spoil}
    )
    assert done.values == {"a": [1], "b": 2, "c": 2}


@st.composite
def flows(draw: st.DrawFn) -> list[tuple[int, ...]]:
    size = draw(st.integers(1, 12))
    return [
        tuple(sorted(draw(st.sets(st.integers(0, number - 1), max_size=3)))) if number else ()
        for number in range(size)
    ]


@settings(max_examples=examples(60))
@given(flows(), st.sets(st.integers(0, 11), max_size=2))
def test_every_call_runs_once_and_as_soon_as_it_can(
    flow: list[tuple[int, ...]], failing: set[int]
) -> None:
    """
    Every call waits until all runs that could: if one was held back, nothing would go on.

    The calls are let go one by one; after each, exactly those run whose inputs are there.
    """
    begun: list[int] = []
    over: dict[int, bool] = {}
    gates: dict[int, asyncio.Event] = {}

    async def work(number: int, reads: list[int]) -> int:
        begun.append(number)
        assert all(over[each] for each in reads)
        gates[number] = asyncio.Event()
        await gates[number].wait()
        if number in failing:
            raise ValueError
        return number

    def could() -> set[int]:
        return {
            number
            for number, needs in enumerate(flow)
            if all(over.get(each, False) for each in needs)
        }

    async def drive() -> Run:
        calls = [
            {"name": "work", "label": f"v{number}",
             "arguments": {"number": number, "reads": [f"$v{each}$" for each in needs]}}
            for number, needs in enumerate(flow)
        ]  # fmt: skip
        running = asyncio.create_task(run_async(calls, [work], limit=100))
        while True:
            for _ in range(30):
                await asyncio.sleep(0)
            assert set(begun) == could()
            waiting = [number for number in begun if number not in over]
            if not waiting:
                return await running
            number = waiting[-1]
            over[number] = number not in failing
            gates[number].set()

    done = asyncio.run(drive())
    assert sorted(begun) == sorted(set(begun))
    assert {outcome.number for outcome in done.outcomes if outcome.status == "succeeded"} == set(
        begun
    ) - failing
    assert [outcome.number for outcome in done.outcomes] == list(range(len(flow)))
    last = [
        event for event in done.events if event.kind in ("finished", "failed", "skipped", "open")
    ]
    assert sorted(event.number for event in last) == list(range(len(flow)))
