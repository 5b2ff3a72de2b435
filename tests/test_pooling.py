"""Several processes that work on chunks: in order, few at a time, and what becomes of those that die."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import InputError
from refract_asp.pooling import AHEAD, check_travels, in_order, in_time, unheard_interrupts
from waiting import PATIENCE, is_running, until

ROOT = Path(__file__).resolve().parents[1]
LONG = 3600.0
DIED = "the process died, most likely for want of memory."
LATE = "no answer in 0.1 s. It did not come back, and its process was ended."


def begin() -> Callable[[int], int]:
    return doubled


def begin_badly() -> Callable[[int], int]:
    os._exit(9)


def doubled(number: int) -> int:
    """Later ones are done sooner; at 13 the process dies, at 99 it does not come back in time."""
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 99:
        with in_time(0.1):
            time.sleep(LONG)
    time.sleep(0.05 if number == 0 else 0)
    return 2 * number


def lost(number: int, why: str) -> int:
    assert why == (LATE if number == 99 else DIED)
    return -number


def chunks(count: int, taken: list[int] | None = None) -> Iterator[list[int]]:
    for number in range(count):
        if taken is not None:
            taken.append(number)
        yield [2 * number, 2 * number + 1]


def test_results_come_in_order() -> None:
    assert list(in_order(begin, chunks(6), 2, lost)) == [2 * number for number in range(12)]


def test_chunks_are_taken_as_there_is_room() -> None:
    taken: list[int] = []
    results = in_order(begin, chunks(10**9, taken), 1, lost)
    for read in range(5):
        assert next(results) == 2 * read
        assert len(taken) <= read // 2 + 1 + AHEAD
    results.close()


@pytest.mark.slow
def test_a_process_that_dies_costs_the_item_that_it_died_of() -> None:
    found = list(in_order(begin, chain(chunks(12), [[98, 99]]), 2, lost, 0.1))
    doubles = [-13 if number == 13 else 2 * number for number in range(24)]
    assert found == [*doubles, 196, -99]


@pytest.mark.slow
def test_processes_that_do_not_begin_are_told_once() -> None:
    with pytest.raises(InputError, match="end before they begin") as caught:
        list(in_order(begin_badly, chunks(1), 1, lost))
    assert '`if __name__ == "__main__":`' in caught.value.hint


def test_what_is_raised_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(begin_to_divide, chunks(1), 1, lost))


def begin_to_divide() -> Callable[[int], int]:
    return (1).__floordiv__


def test_what_goes_to_another_process_is_given_as_it_goes_or_refused() -> None:
    assert pickle.loads(check_travels({"a": open}, "an option", "Do not.")) == {"a": open}
    for what in (lambda: None, (each for each in "x")):
        with pytest.raises(InputError, match="an option cannot go to another process: ") as caught:
            check_travels(what, "an option", "Do not.")
        assert caught.value.hint == "Do not."


PARENT = """
import os, sys, time
from refract_asp.pooling import in_order

def begin():
    return work

def work(item):
    time.sleep(3600 if item == 1 else 0)
    return os.getpid()

if __name__ == "__main__":
    for process in in_order(begin, iter([[0], [1], [1]]), 2, print):
        print(process, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_processes_end_with_the_one_that_began_them(how: int, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, "utf-8")
    given: Any = {"env": {**os.environ, "PYTHONPATH": str(ROOT / "src")}, "text": True}
    given |= {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "start_new_session": True}
    parent = subprocess.Popen([sys.executable, str(script)], **given)
    child = int(parent.stdout.readline())
    os.kill(parent.pid, how)
    parent.wait(PATIENCE)
    parent.stdout.close()
    assert until(lambda: not is_running(child), "the end of the process")


class Pressing:
    """Ctrl-C is pressed while it goes, where Python drops what is raised."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_python_drops_is_heard_once(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: dropped.append(lost.exc_type))
    with unheard_interrupts() as hear:
        hear()
        Pressing()
        with pytest.raises(KeyboardInterrupt):
            hear()
    assert not dropped
    Pressing()
    assert dropped == [KeyboardInterrupt]
