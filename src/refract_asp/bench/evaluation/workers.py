"""
Runs the cases of a bench in several processes.

One that dies, or is ended because a system does not come back, costs that system that case, and nothing else.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from refract_asp.bench.evaluation.case import Case, Digests
from refract_asp.errors import InputError, shown

if TYPE_CHECKING:
    from refract_asp.bench.evaluation.running import Bench
    from refract_asp.bench.evaluation.runs import RunRow
    from refract_asp.model import Catalog

__all__ = ["rows_of"]

CHUNK = 4
"""So many cases of one catalog go to a process at once."""
AHEAD = 2
"""So many such chunks wait for each process."""
END = 2.0
"""So many seconds after its time a system is ended that has not come back."""


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
    """Yield the rows of chunks that were under way when a process died; find the system that it died of."""
    alone = _Alone(bench)
    try:
        for chunk in chunks:
            for number, case in enumerate(chunk.cases, chunk.start):
                one = _Chunk(number, (case,), chunk.catalog)
                rows = alone.rows(one, None)
                if isinstance(rows, list):
                    yield from rows
                else:
                    yield _joined([_row_of(alone, one, name) for name in bench.systems])
    finally:
        alone.end()


class _Alone:
    """A process that works on one case at a time, and is replaced when it dies."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._pool = _pool(bench, 1)

    def rows(self, chunk: _Chunk, only: str | None) -> list[RunRow] | str:
        """Return the rows of a chunk, or why there are none."""
        future = self._pool.submit(_work, chunk, only)
        processes = list((self._pool._processes or {}).values())
        try:
            return future.result()
        except BrokenProcessPool:
            for process in processes:
                process.join(5)
            ended = any(process.exitcode == 1 for process in processes)  # that is how `_in_time` ends one
            self.end()
            self._pool = _pool(self.bench, 1)
            if ended and self.bench.time_limit is not None:
                return f"{self.bench.too_late} It did not come back, and its process was ended."
            return "the process died, most likely for want of memory."

    def end(self) -> None:
        """End the process."""
        _end(self._pool)


def _row_of(alone: _Alone, chunk: _Chunk, name: str) -> RunRow:
    """Return the row of one case with one system."""
    rows = alone.rows(chunk, name)
    return rows[0] if isinstance(rows, list) else alone.bench.lost(chunk.cases[0], name, rows)


def _joined(rows: list[RunRow]) -> RunRow:
    """Return the rows of one case, one for each system, as one."""
    told = next((row for row in rows if row.given is not None), rows[0])
    return told.model_copy(update={"scores": {name: row.scores[name] for row in rows for name in row.scores}})


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
    threading.Thread(target=_end_with_parent, name="refract-asp parent", daemon=True).start()
    if bench.time_limit is not None:
        bench.guard = partial(_in_time, bench.time_limit + END)
    _BENCH = bench


def _end_with_parent() -> None:
    """End this process when the one that wants its rows is gone, however that came."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


@contextmanager
def _in_time(seconds: float) -> Iterator[None]:
    """End this process, whatever it does, when what is done here takes longer."""
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def _work(chunk: _Chunk, only: str | None = None) -> list[RunRow]:
    from dataclasses import replace

    assert _BENCH is not None
    if chunk.catalog not in _CATALOGS:
        if len(_CATALOGS) >= _MAX_CATALOGS:
            del _CATALOGS[next(iter(_CATALOGS))]
        _CATALOGS[chunk.catalog] = chunk.cases[0].catalog
    catalog = _CATALOGS[chunk.catalog]  # the same object as before, so that it is compiled once
    cases = [replace(case, catalog=catalog) for case in chunk.cases]
    return [_BENCH.row(case, number, only) for number, case in enumerate(cases, chunk.start)]
