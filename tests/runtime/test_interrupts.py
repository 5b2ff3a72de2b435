"""Ctrl-C is heard by the run that runs, whatever earlier runs left behind."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator

import pytest

from refract_asp.runtime import run


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


def test_a_run_is_interrupted_after_another_one() -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run("press()", [press])
