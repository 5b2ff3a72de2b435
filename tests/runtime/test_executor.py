"""Running: what starts when, what becomes of failures, and what stops a run."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import statuses
from tests.depth import examples

from refract_asp.errors import InputError
from refract_asp.runtime import Event, Run, bind, run, run_async
from waiting import PATIENCE, run_timeless


async def never() -> None:
    await asyncio.Event().wait()


async def one() -> int:
    return 1


def test_a_failure_skips_what_reads_it_and_nothing_else() -> None:
    def bad() -> None:
        raise ValueError("no\x1b[31m luck")

    def good(**more: Any) -> str:
        return "ok"

    text = 'a = bad()\nb = good(x="$a$")\nc = good(x="$b.y$")\nd = good()\ne = good(x="$d$")'
    done = run(text, [bad, good])
    assert statuses(done) == ["failed", "skipped", "skipped", "succeeded", "succeeded"]
    assert done.outcomes[0].error.kind == "tool_failed"
    assert done.outcomes[1].reason == "call 1 (bad), which it reads, failed."
    assert done.outcomes[2].reason == "call 2 (good), which it reads, was skipped."
    assert (done.result, done.has_result, done.succeeded) == ("ok", True, False)
    assert "\x1b" not in done.summary()


@pytest.mark.parametrize("is_left", [True, False], ids=["and returns", "and waits"])
def test_a_tool_that_cancels_itself_has_failed(is_left: bool) -> None:
    async def give_up() -> int:
        task = asyncio.current_task()
        task.cancel()
        if not is_left:
            await asyncio.sleep(0)
        return 1

    done = run("give_up()\nf()", {"give_up": give_up, "f": lambda: 2}, total_timeout=PATIENCE)
    assert (statuses(done), done.timed_out) == (["failed", "succeeded"], False)


@pytest.mark.parametrize("spares_host", [False, True])
def test_a_tool_that_cancels_other_calls_ends_the_run(spares_host: bool) -> None:
    async def main() -> None:
        host = {asyncio.current_task()} if spares_host else set()

        async def panic() -> None:
            for task in asyncio.all_tasks() - host - {asyncio.current_task()}:
                task.cancel()
            await asyncio.sleep(0)

        await run_async("panic()\nf()", {"panic": panic, "f": lambda: 2})

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


def test_a_long_chain_that_fails_at_its_start() -> None:
    calls = (f'v{n + 1} = f(x="$v{n}$")' for n in range(1, 3000))
    done = run("\n".join(["v1 = bad()", *calls]), {"f": lambda x: x})
    assert statuses(done) == ["failed"] + ["skipped"] * 2999


def test_what_cannot_be_called_fails_alone() -> None:
    tools = {"f": lambda: {"name": 1}, "g": lambda x: x}
    done = run('a = f()\ng(x="$a.id$")\nnope()\ng(x="$a.name$")', tools)
    assert statuses(done) == ["succeeded", "failed", "failed", "succeeded"]
    told = [(each.error.kind, each.error.tool, each.attempts) for each in done.outcomes[1:3]]
    assert told == [("bad_argument", "g", 0), ("unknown_tool", "nope", 0)]
    assert "There are: name." in str(done.outcomes[1].error)
    assert "There are: f, g." in str(done.outcomes[2].error)


@st.composite
def flows(draw: st.DrawFn) -> list[tuple[int, ...]]:
    size = draw(st.integers(1, 12))
    numbers = (st.integers(0, number - 1) for number in range(1, size))
    return [(), *(tuple(sorted(draw(st.sets(each, max_size=3)))) for each in numbers)]


@settings(max_examples=examples(60))
@given(flows(), st.sets(st.integers(0, 11), max_size=2))
def test_every_call_runs_once_and_as_soon_as_it_can(flow: list[Any], failing: set[int]) -> None:
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

    async def drive() -> Run:
        reads = ([f"$v{each}$" for each in needs] for needs in flow)
        calls = [
            {"name": "work", "label": f"v{n}", "arguments": {"number": n, "reads": read}}
            for n, read in enumerate(reads)
        ]
        running = asyncio.create_task(run_async(calls, [work], limit=100))
        while True:
            for _ in range(30):
                await asyncio.sleep(0)
            could = {n for n, needs in enumerate(flow) if all(over.get(each) for each in needs)}
            assert set(begun) == could
            waiting = [number for number in begun if number not in over]
            if not waiting:
                return await running
            number = waiting[-1]
            over[number] = number not in failing
            gates[number].set()

    done = asyncio.run(drive())
    assert sorted(begun) == sorted(set(begun))
    succeeded = {outcome.number for outcome in done.outcomes if outcome.status == "succeeded"}
    assert succeeded == set(begun) - failing
    assert [outcome.number for outcome in done.outcomes] == list(range(len(flow)))
    last = [event.number for event in done.events if event.kind not in ("started", "retried")]
    assert sorted(last) == list(range(len(flow)))


# -- again ---------------------------------------------------------------------


def flaky(times: int) -> Callable[[], str]:
    left = [times]

    def tool() -> str:
        if left[0]:
            left[0] -= 1
            raise OSError("again")
        return "at last"

    return tool


def test_retries_are_for_what_may_be_done_again_and_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "refract_asp.runtime")
    tools = {"again": bind(flaky(2), idempotent=True), "once": bind(flaky(1))}
    done = run("again()\nonce()", tools, retries=3, pause=0)
    assert statuses(done) == ["succeeded", "failed"]
    assert [outcome.attempts for outcome in done.outcomes] == [3, 1]
    told = [event.kind for event in done.events if event.tool == "again"]
    assert told == ["started", "retried", "retried", "finished"]
    records = [each for each in caplog.records if each.getMessage().startswith('run - "again"')]
    assert [record.levelname for record in records] == ["WARNING", "WARNING", "INFO"]
    assert [record.refract_repeated for record in records] == [0, 1, 0]  # type: ignore[attr-defined]
    again = {"again": bind(flaky(9), idempotent=True)}
    for call, attempts in (("again()", 3), ("again(made_up=1)", 1)):
        ended = run(call, again, retries=2, pause=0)
        assert (statuses(ended), ended.outcomes[0].attempts) == (["failed"], attempts)


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

    tools = {"spoil": bind(spoil, idempotent=True)}
    run([{"name": "spoil", "arguments": {"x": [1]}}], tools, retries=1, pause=0)
    assert seen == [[1], [1]]


# -- who hears of it -----------------------------------------------------------


def test_events_are_told_in_order() -> None:
    heard: list[Event] = []
    done = run("a = f()\nb = nope()", {"f": lambda: 1}, on_event=heard.append)
    assert tuple(heard) == done.events
    told = sorted((event.label, event.kind) for event in heard)
    assert told == [("a", "finished"), ("a", "started"), ("b", "failed")]
    assert [event.seconds for event in heard] == sorted(event.seconds for event in heard)


@pytest.mark.parametrize("raised", [ValueError, asyncio.CancelledError])
def test_a_listener_that_fails_is_logged(raised: Any, caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Event) -> None:
        raise raised("deaf")

    assert run("f()", {"f": lambda: 1}, on_event=fail).succeeded
    assert "deaf" in caplog.text


# -- limits --------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_as_many_run_as_the_limit_allows_and_no_more(limit: int) -> None:
    """Each call waits until as many run as may; one too many would be counted."""
    running, most = 0, 0
    full = asyncio.Event()

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == min(limit, 6):
            full.set()
        await asyncio.wait_for(full.wait(), PATIENCE)
        await asyncio.sleep(0)
        running -= 1

    assert run("\n".join(["work()"] * 6), [work], limit=limit).succeeded
    assert most == min(limit, 6)


def test_a_call_has_its_time() -> None:
    tools = {"never": never, "f": print, "g": one}
    done = run_timeless(run_async('a = never()\nb = f(x="$a$")\nc = g()', tools, timeout=60))
    assert (statuses(done), done.timed_out) == (["failed", "skipped", "succeeded"], False)
    assert done.outcomes[0].error.kind == "timeout"


def test_all_of_it_has_its_time() -> None:
    cancelled = []

    async def waits() -> None:
        try:
            await never()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    text = 'f()\na = waits()\nb = f(x="$a$")\nc = waits()'
    work = run_async(text, {"waits": waits, "f": one}, total_timeout=60, limit=1)
    done = run_timeless(work)
    assert statuses(done) == ["succeeded", "failed", "skipped", "skipped"]
    assert (done.timed_out, cancelled) == (True, [True])
    assert done.outcomes[1].error.kind == "timeout"
    assert "time of the run" in done.outcomes[3].reason
    assert [event.kind for event in done.events][-3:] == ["failed", "skipped", "skipped"]


@pytest.mark.slow
def test_an_async_tool_that_will_not_be_cancelled_does_not_hold_it_either() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await never()
            except asyncio.CancelledError:
                continue

    async def leaves() -> int:
        asyncio.get_running_loop().create_task(stubborn())
        return 1

    done = run("stubborn()\nleaves()", [stubborn, leaves], timeout=0.02)
    assert statuses(done) == ["failed", "succeeded"]


async def test_cancelling_cancels_all_that_runs() -> None:
    seen: list[str] = []
    both = asyncio.Barrier(3)

    async def waits(name: str) -> None:
        try:
            await both.wait()
            await never()
        except asyncio.CancelledError:
            seen.append(name)
            raise

    work = asyncio.create_task(run_async('waits(name="a")\nwaits(name="b")', [waits]))
    await both.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert sorted(seen) == ["a", "b"]


async def test_run_inside_of_a_running_loop_says_what_to_do_and_may_run_on_a_thread() -> None:
    with pytest.raises(InputError, match="await run_async"):
        run("f()", {"f": lambda: 1})
    found: list[Run] = []
    thread = threading.Thread(target=lambda: found.append(run("f()", {"f": lambda: 1})))
    thread.start()
    thread.join()
    assert found[0].result == 1


def test_ctrl_c_stops_the_run_and_comes_out_again_and_again() -> None:
    """It is heard by the run that runs, whatever earlier runs left behind."""
    before = signal.getsignal(signal.SIGINT)
    seen: list[str] = []

    async def press() -> None:
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        try:
            await never()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    for number in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            run("press()\npress()", [press])
        assert len(seen) == 2 * number
        assert signal.getsignal(signal.SIGINT) == before
