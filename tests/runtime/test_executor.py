"""Running: what starts when, and what becomes of failures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import statuses
from tests.depth import examples

from refract_asp.runtime import Event, Run, bind, run, run_async
from waiting import PATIENCE, run_timeless


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


def test_a_tool_that_cancels_other_calls_ends_the_run() -> None:
    async def main() -> None:
        host = asyncio.current_task()

        async def panic() -> None:
            for task in asyncio.all_tasks() - {host, asyncio.current_task()}:
                task.cancel()
            await asyncio.sleep(0)

        await run_async("panic()\nf()", {"panic": panic, "f": lambda: 2})

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


def test_a_long_chain_that_fails_at_its_start() -> None:
    calls = [
        {"name": "f", "arguments": {"x": f"$v{n}$"}, "label": f"v{n + 1}"} for n in range(1, 3000)
    ]
    done = run([{"name": "bad", "arguments": {}, "label": "v1"}, *calls], {"f": lambda x: x})
    assert statuses(done) == ["failed"] + ["skipped"] * 2999


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ('g(x="$a.id$")', "bad_argument", "There are: name."),
        ("nope()", "unknown_tool", "There are: f, g."),
    ],
)
def test_what_cannot_be_called_fails_alone(text: str, kind: str, said: str) -> None:
    tools = {"f": lambda: {"name": 1}, "g": lambda x: x}
    done = run(f'a = f()\n{text}\ng(x="$a.name$")', tools)
    assert statuses(done) == ["succeeded", "failed", "succeeded"]
    error = done.outcomes[1].error
    assert error is not None
    assert (error.kind, error.tool, done.outcomes[1].attempts) == (kind, text[: text.index("(")], 0)
    assert said in str(error)


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


# -- again ---------------------------------------------------------------------


def flaky(times: int) -> Callable[[], str]:
    left = [times]

    def tool() -> str:
        if left[0]:
            left[0] -= 1
            raise OSError("again")
        return "at last"

    return tool


def test_retries_are_for_what_may_be_done_again() -> None:
    tools = {"again": bind(flaky(2), idempotent=True), "once": bind(flaky(1))}
    done = run("again()\nonce()", tools, retries=3, pause=0)
    assert statuses(done) == ["succeeded", "failed"]
    assert [outcome.attempts for outcome in done.outcomes] == [3, 1]
    assert [event.kind for event in done.events if event.tool == "again"] == [
        "started", "retried", "retried", "finished",
    ]  # fmt: skip


def test_retries_end() -> None:
    done = run("again()", {"again": bind(flaky(9), idempotent=True)}, retries=2, pause=0)
    assert (statuses(done), done.outcomes[0].attempts) == (["failed"], 3)


def test_attempts_that_fail_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "refract_asp.runtime"):
        run("again()", {"again": bind(flaky(2), idempotent=True)}, retries=2, pause=0)
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "INFO"]
    assert [record.refract_repeated for record in caplog.records] == [0, 1, 0]  # type: ignore[attr-defined]
    assert caplog.text.count("OSError: again") >= 2  # with the traceback


def test_the_whole_time_is_over_while_a_call_waits_to_be_made_again() -> None:
    async def fail() -> None:
        raise OSError("again")

    tools = {"again": bind(fail, idempotent=True), "f": str}
    work = run_async('a = again()\nf(x="$a$")', tools, retries=9, pause=5, total_timeout=4)
    done = run_timeless(work)
    assert statuses(done) == ["failed", "skipped"]
    assert (done.outcomes[0].attempts, done.timed_out) == (1, True)


def test_a_retry_gets_the_arguments_anew() -> None:
    seen = []

    def spoil(x: list[int]) -> int:
        seen.append(list(x))
        x.append(9)
        if len(seen) == 1:
            raise OSError
        return 1

    run(
        [{"name": "spoil", "arguments": {"x": [1]}}],
        {"spoil": bind(spoil, idempotent=True)},
        retries=1,
        pause=0,
    )
    assert seen == [[1], [1]]


# -- who hears of it -----------------------------------------------------------


def test_events_are_told_in_order() -> None:
    heard: list[Event] = []
    done = run("a = f()\nb = nope()", {"f": lambda: 1}, on_event=heard.append)
    assert tuple(heard) == done.events
    assert [event.kind for event in heard if event.label == "a"] == ["started", "finished"]
    assert [event.kind for event in heard if event.label == "b"] == ["failed"]
    assert [event.seconds for event in heard] == sorted(event.seconds for event in heard)


@pytest.mark.parametrize("raised", [ValueError, asyncio.CancelledError])
def test_a_listener_that_fails_is_logged(
    raised: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(event: Event) -> None:
        raise raised("deaf")

    with caplog.at_level(logging.WARNING, "refract_asp.runtime"):
        assert run("f()", {"f": lambda: 1}, on_event=fail).succeeded
    assert "deaf" in caplog.text
