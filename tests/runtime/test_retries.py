"""Calls that are made again when they fail."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from small_runs import statuses

from refract_asp.runtime import bind, run, run_async
from waiting import run_timeless


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
