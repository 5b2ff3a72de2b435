"""Many repairs in one process, in many threads and in processes started either way: same answers, same memory."""

import multiprocessing
import random
import resource
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.properties.fixed import INPUTS, MEMORY

from refract_asp import Refractor
from refract_asp.resources import catalog_path

from .test_soundness import SOAK

NAMES = sorted(INPUTS)


def ask(refractor: Refractor, name: str) -> str:
    return refractor.repair(INPUTS[name], memory=MEMORY).model_dump_json()


def all_answers(turn: int = 0) -> dict[str, str]:
    refractor = Refractor(catalog_path("travel"), cost_model=("default", "refraction")[turn % 2])
    return {name: ask(refractor, name) for name in NAMES}


def resident() -> int:
    """Return how many bytes of this process are in memory."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * resource.getpagesize()


@pytest.mark.slow
def test_a_hundred_threads_share_a_refractor() -> None:
    expected, shared = all_answers(), Refractor(catalog_path("travel"))
    names = random.Random(1).choices(NAMES, k=300)
    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda name: ask(shared, name), names))
    assert answers == [expected[name] for name in names]


EXECUTORS = [
    lambda: ThreadPoolExecutor(4),  # clingo does not guard parsed encodings, which are shared
    lambda: ProcessPoolExecutor(2, multiprocessing.get_context("fork")),
    lambda: ProcessPoolExecutor(2, multiprocessing.get_context("spawn")),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("made", EXECUTORS, ids=["threads", "fork", "spawn"])
def test_many_that_build_and_ask_at_once_give_the_same_answers(made: Any) -> None:
    expected = [all_answers(turn) for turn in range(2)]
    with made() as pool:
        assert list(pool.map(all_answers, range(8))) == expected * 4


@pytest.mark.soak
def test_memory_stays_flat() -> None:
    """20,000 repairs, after those that fill what is kept."""
    refractor, most = Refractor(catalog_path("travel")), 0
    for turn in range(2 * SOAK):
        # No two sequences are equal, so that whatever were kept of each would show. Their names and numbers
        # come again: clingo never forgets one, which is 70 bytes each.
        last = f"NoTool{turn % 149}(a={turn % 151})"
        refractor.repair(f"{INPUTS[NAMES[turn % len(NAMES)]]}\n{last}", memory=MEMORY)
        if turn == SOAK // 5:
            most = resident() * 105 // 100
    assert resident() < most
