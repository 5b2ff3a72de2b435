"""Runs the cases of a bench in several processes; one that dies costs the case that killed it, no other."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from refract_asp.bench.evaluation.case import Case, Digests
from refract_asp.errors import InputError, shown

if TYPE_CHECKING:
    from refract_asp.bench.evaluation.running import Bench
    from refract_asp.bench.evaluation.runs import RunRow
    from refract_asp.model import Catalog

__all__ = ["rows_of"]

CHUNK = 16
"""So many cases of one catalog go to a process at once."""
AHEAD = 2
"""So many such chunks wait for each process."""


class _Chunk(NamedTuple):
    """Cases that follow each other and share a catalog, which is told by its hash."""

    start: int
    cases: tuple[Case, ...]
    catalog: str


def rows_of(bench: Bench, cases: Iterable[Case], jobs: int) -> Generator[RunRow]:
    """
    Yield the rows of the cases in their order.

    Raises:
        InputError: a system cannot go to another process.
    """
    try:
        pickle.dumps(bench)
    except Exception as error:
        raise InputError(
            f"a system cannot go to another process: {shown(error)}.",
            hint="Put its function at the top of a module, or use one job.",
        ) from None
    chunks = _chunks(cases)
    waiting: deque[tuple[_Chunk, Future[list[RunRow]]]] = deque()
    pool = _pool(bench, jobs)
    try:
        while True:
            while len(waiting) < jobs * AHEAD and (chunk := next(chunks, None)) is not None:
                waiting.append((chunk, pool.submit(_work, chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            try:
                yield from future.result()
            except BrokenProcessPool:
                broken = [chunk, *(each for each, _ in waiting)]
                waiting.clear()
                _end(pool)
                yield from _one_by_one(bench, broken)
                pool = _pool(bench, jobs)
    finally:
        _end(pool)


def _one_by_one(bench: Bench, chunks: Iterable[_Chunk]) -> Iterator[RunRow]:
    """Yield the rows of chunks that were under way when a process died, and find the case that it died of."""
    pool = _pool(bench, 1)
    try:
        for chunk in chunks:
            for number, case in enumerate(chunk.cases, chunk.start):
                try:
                    yield from pool.submit(_work, _Chunk(number, (case,), chunk.catalog)).result()
                except BrokenProcessPool:
                    yield bench.lost(case, "the process died, most likely for want of memory.")
                    _end(pool)
                    pool = _pool(bench, 1)
    finally:
        _end(pool)


def _chunks(cases: Iterable[Case]) -> Iterator[_Chunk]:
    digests = Digests()
    start = 0
    held: list[Case] = []
    for case in cases:
        if held and (len(held) >= CHUNK or case.catalog is not held[0].catalog):
            yield _Chunk(start, tuple(held), digests.catalog(held[0].catalog))
            start += len(held)
            held = []
        held.append(case)
    if held:
        yield _Chunk(start, tuple(held), digests.catalog(held[0].catalog))


def _pool(bench: Bench, jobs: int) -> ProcessPoolExecutor:
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=partial(_begin, bench))


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool at once: nobody waits for what they do."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


# -- in the process ------------------------------------------------------------

_BENCH: Bench | None = None
_CATALOGS: dict[str, Catalog] = {}
_MAX_CATALOGS = 8


def _begin(bench: Bench) -> None:
    global _BENCH  # noqa: PLW0603 - what a process of the pool keeps between its chunks
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is heard by whoever started this, and ends it
    _BENCH = bench


def _work(chunk: _Chunk) -> list[RunRow]:
    from dataclasses import replace

    assert _BENCH is not None
    if chunk.catalog not in _CATALOGS:
        if len(_CATALOGS) >= _MAX_CATALOGS:
            del _CATALOGS[next(iter(_CATALOGS))]
        _CATALOGS[chunk.catalog] = chunk.cases[0].catalog
    catalog = _CATALOGS[chunk.catalog]  # the same object as before, so that it is compiled once
    cases = [replace(case, catalog=catalog) for case in chunk.cases]
    return [_BENCH.row(case, number) for number, case in enumerate(cases, chunk.start)]
