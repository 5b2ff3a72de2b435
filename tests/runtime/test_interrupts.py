"""Ctrl-C is heard by the run that runs, whatever earlier runs left behind."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator

import pytest

from refract_asp.runtime import run
from refract_asp.runtime.interrupts import watched


@pytest.fixture(autouse=True)
def _same_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) == before


async def press() -> None:
    asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
    await asyncio.Event().wait()


def test_a_run_is_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt):
        run("press()\npress()", [press])


def test_somebody_who_never_ends_is_forgotten() -> None:
    left = []

    async def watch() -> None:
        left.append(watched())
        left[-1].__enter__()

    before = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        run("watch()", [watch])
        assert signal.getsignal(signal.SIGINT) == before
        with pytest.raises(KeyboardInterrupt):
            run("press()", [press])
    for each in left:
        each.__exit__(None, None, None)
    with watched() as is_interrupted:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert is_interrupted()


def test_watchers_end_in_any_order() -> None:
    first, second = watched(), watched()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    second.__exit__(None, None, None)
