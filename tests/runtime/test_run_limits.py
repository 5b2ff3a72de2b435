"""How many calls run at a time, how long they may take, and what stops a run."""

from __future__ import annotations

import asyncio
import signal
import threading

import pytest
from small_runs import statuses

from refract_asp.errors import InputError
from refract_asp.runtime import Run, run, run_async
from waiting import PATIENCE, run_timeless


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

    done = run("\n".join(["work()"] * 6), [work], limit=limit)
    assert done.succeeded
    assert most == min(limit, 6)


def test_a_call_has_its_time() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    async def g() -> int:
        return 1

    work = run_async(
        'a = never()\nb = f(x="$a$")\nc = g()', {"never": never, "f": print, "g": g}, timeout=60
    )
    done = run_timeless(work)
    assert statuses(done) == ["failed", "skipped", "succeeded"]
    assert done.outcomes[0].error is not None
    assert done.outcomes[0].error.kind == "timeout"
    assert not done.timed_out


def test_all_of_it_has_its_time() -> None:
    cancelled = []

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def f() -> int:
        return 1

    work = run_async(
        'f()\na = never()\nb = f(x="$a$")\nc = never()',
        {"never": never, "f": f},
        total_timeout=60,
        limit=1,
    )
    done = run_timeless(work)
    assert statuses(done) == ["succeeded", "failed", "skipped", "skipped"]
    assert done.timed_out
    assert cancelled == [True]
    assert done.outcomes[1].error is not None
    assert done.outcomes[1].error.kind == "timeout"
    assert "time of the run" in done.outcomes[3].reason
    assert [event.kind for event in done.events][-3:] == ["failed", "skipped", "skipped"]


@pytest.mark.slow
def test_an_async_tool_that_will_not_be_cancelled_does_not_hold_it_either() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    async def leaves() -> int:
        asyncio.get_running_loop().create_task(stubborn())
        return 1

    done = run("stubborn()\nleaves()", [stubborn, leaves], timeout=0.02)
    assert statuses(done) == ["failed", "succeeded"]


def test_cancelling_cancels_all_that_runs() -> None:
    async def all_of_it() -> list[str]:
        seen: list[str] = []
        both = asyncio.Barrier(3)

        async def never(name: str) -> None:
            try:
                await both.wait()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append(name)
                raise

        work = asyncio.create_task(run_async('never(name="a")\nnever(name="b")', [never]))
        await both.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await asyncio.sleep(0)
        return seen

    assert sorted(asyncio.run(all_of_it())) == ["a", "b"]


def test_run_inside_of_a_running_loop_says_what_to_do() -> None:
    async def inside() -> None:
        run("f()", {"f": lambda: 1})

    with pytest.raises(InputError, match="await run_async"):
        asyncio.run(inside())


def test_run_from_a_thread() -> None:
    found: list[Run] = []
    thread = threading.Thread(target=lambda: found.append(run("f()", {"f": lambda: 1})))
    thread.start()
    thread.join()
    assert found[0].result == 1


def test_ctrl_c_stops_the_run_and_comes_out_again_and_again() -> None:
    """It is heard by the run that runs, whatever earlier runs left behind."""
    before = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        seen: list[str] = []

        async def press() -> None:
            asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")  # noqa: B023
                raise

        with pytest.raises(KeyboardInterrupt):
            run("press()\npress()", [press])
        assert seen == ["cancelled", "cancelled"]
        assert signal.getsignal(signal.SIGINT) == before
