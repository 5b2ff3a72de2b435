"""Several processes that work on chunks: in order, few at a time, and what becomes of those that die."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from refract_asp.errors import InputError
from refract_asp.pooling import AHEAD, Alone, check_travels, in_order, in_time
from waiting import PATIENCE, is_running, until

ROOT = Path(__file__).resolve().parents[1]
LONG = 3600.0


def begin() -> None:
    """Nothing has to be done before the first chunk."""


def begin_badly() -> None:
    os._exit(9)


def doubled(chunk: list[int]) -> list[int]:
    """Later chunks are done sooner; at 13 the process dies, at 99 it does not come back in time."""
    for number in chunk:
        if number == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 99:
            with in_time(0.1):
                time.sleep(LONG)
    time.sleep(0.05 if chunk[0] == 0 else 0)
    return [2 * number for number in chunk]


def one_by_one(chunks: list[list[int]], seen: list[list[int]]) -> Iterator[int]:
    seen += chunks
    alone: Alone[list[int]] = Alone(begin, 0.1)
    try:
        for chunk in chunks:
            for number in chunk:
                found = alone.result(doubled, [number])
                yield found[0] if isinstance(found, list) else -number
    finally:
        alone.end()


def chunks(count: int, taken: list[int] | None = None) -> Iterator[list[int]]:
    for number in range(count):
        if taken is not None:
            taken.append(number)
        yield [2 * number, 2 * number + 1]


def test_results_come_in_the_order_of_the_chunks() -> None:
    seen: list[list[int]] = []
    found = list(in_order(doubled, chunks(6), 2, begin, partial(one_by_one, seen=seen)))
    assert found == [2 * number for number in range(12)]
    assert seen == []


def test_chunks_are_taken_as_there_is_room() -> None:
    taken: list[int] = []
    results = in_order(doubled, chunks(10**9, taken), 1, begin, partial(one_by_one, seen=[]))
    for read in range(5):
        assert next(results) == 2 * read
        assert len(taken) <= read // 2 + 1 + AHEAD
    results.close()


@pytest.mark.slow
def test_a_process_that_dies_costs_the_item_that_it_died_of() -> None:
    seen: list[list[int]] = []
    found = list(in_order(doubled, chunks(12), 2, begin, partial(one_by_one, seen=seen)))
    assert found == [-13 if number == 13 else 2 * number for number in range(24)]
    assert [12, 13] in seen
    assert len(seen) <= 2 * AHEAD


@pytest.mark.slow
def test_why_nothing_came_is_told() -> None:
    alone: Alone[list[int]] = Alone(begin, 0.1)
    try:
        assert alone.result(doubled, [13]) == "the process died, most likely for want of memory."
        told = "no answer in 0.1 s. It did not come back, and its process was ended."
        assert alone.result(doubled, [99]) == told
        assert alone.result(doubled, [4]) == [8]
    finally:
        alone.end()


@pytest.mark.slow
def test_processes_that_do_not_begin_are_told_once() -> None:
    def again(chunks: list[list[int]]) -> Iterator[int]:
        yield from Alone(begin_badly, None).result(doubled, chunks[0])  # type: ignore[misc]

    with pytest.raises(InputError, match="end before they begin") as caught:
        list(in_order(doubled, chunks(1), 1, begin_badly, again))
    assert '`if __name__ == "__main__":`' in caught.value.hint


def test_what_is_raised_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(dividing, chunks(1), 1, begin, partial(one_by_one, seen=[])))


def dividing(chunk: list[int]) -> list[int]:
    return [number // chunk[0] for number in chunk]


def test_what_goes_to_another_process_is_given_as_it_goes_or_refused() -> None:
    assert pickle.loads(check_travels({"a": open}, "an option", "Do not.")) == {"a": open}
    for what in (lambda: None, (each for each in "x")):
        with pytest.raises(InputError, match="an option cannot go to another process: ") as caught:
            check_travels(what, "an option", "Do not.")
        assert caught.value.hint == "Do not."


PARENT = """
import os, sys, time
from refract_asp.pooling import in_order

def work(chunk):
    time.sleep(3600 if chunk == 1 else 0)
    return [os.getpid()]

if __name__ == "__main__":
    for process in in_order(work, iter([0, 1, 1]), 2, int, iter):
        print(process, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_processes_end_with_the_one_that_began_them(
    how: signal.Signals, tmp_path: Path
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, "utf-8")
    parent = subprocess.Popen(
        [sys.executable, str(script)], env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.kill(parent.pid, how)
    parent.wait(PATIENCE)
    parent.stdout.close()
    until(lambda: not is_running(child), "the end of the process")
