"""What is told while calls run."""

from __future__ import annotations

import asyncio
import logging

import pytest

from refract_asp.runtime import Event, run


@pytest.mark.parametrize("is_async", [True, False])
def test_events_are_told_in_order(is_async: bool) -> None:
    heard: list[Event] = []

    async def listen(event: Event) -> None:
        await asyncio.sleep(0)
        heard.append(event)

    done = run(
        "a = f()\nb = nope()", {"f": lambda: 1}, on_event=listen if is_async else heard.append
    )
    assert tuple(heard) == done.events
    assert [event.kind for event in heard if event.label == "a"] == ["started", "finished"]
    assert [event.kind for event in heard if event.label == "b"] == ["failed"]
    assert [event.seconds for event in heard] == sorted(event.seconds for event in heard)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("raised", [ValueError, asyncio.CancelledError])
def test_a_listener_that_fails_is_logged(
    raised: type[BaseException], is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(event: Event) -> None:
        raise raised("deaf")

    async def fail_later(event: Event) -> None:
        raise raised("deaf")

    with caplog.at_level(logging.WARNING, "refract_asp.runtime"):
        assert run("f()", {"f": lambda: 1}, on_event=fail_later if is_async else fail).succeeded
    assert "deaf" in caplog.text
