"""
Runs the cases of a bench in several processes.

One that dies, or is ended because a system does not come back, costs that system that case, and nothing else.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from refract_asp.bench.evaluation.case import Case, Digests
from refract_asp.pooling import Alone, check_travels, in_order, in_time

if TYPE_CHECKING:
    from refract_asp.bench.evaluation.running import Bench
    from refract_asp.bench.evaluation.runs import RunRow
    from refract_asp.model import Catalog

__all__ = ["rows_of"]

CHUNK = 4
"""So many cases of one catalog go to a process at once."""


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
    check_travels(bench, "a system", "Put its function at the top of a module, or use one job.")
    begin = partial(_begin, bench)
    return in_order(_work, _chunks(cases), jobs, begin, partial(_one_by_one, bench))


def _one_by_one(bench: Bench, chunks: Iterable[_Chunk]) -> Iterator[RunRow]:
    """Yield the rows of chunks that were under way when a process died; find the system that it died of."""
    alone: Alone[list[RunRow]] = Alone(partial(_begin, bench), bench.time_limit)
    try:
        for chunk in chunks:
            for number, case in enumerate(chunk.cases, chunk.start):
                one = _Chunk(number, (case,), chunk.catalog)
                rows = alone.result(_work, one, None)
                if isinstance(rows, list):
                    yield from rows
                else:
                    yield _joined([_row_of(bench, alone, one, name) for name in bench.systems])
    finally:
        alone.end()


def _row_of(bench: Bench, alone: Alone[list[RunRow]], chunk: _Chunk, name: str) -> RunRow:
    """Return the row of one case with one system."""
    rows = alone.result(_work, chunk, name)
    return rows[0] if isinstance(rows, list) else bench.lost(chunk.cases[0], name, rows)


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


# -- in the process ------------------------------------------------------------

_BENCH: Bench | None = None
_CATALOGS: dict[str, Catalog] = {}
_MAX_CATALOGS = 8


def _begin(bench: Bench) -> None:
    global _BENCH  # noqa: PLW0603 - what a process of the pool keeps between its chunks
    if bench.time_limit is not None:
        bench.guard = partial(in_time, bench.time_limit)
    _BENCH = bench


def _work(chunk: _Chunk, only: str | None = None) -> list[RunRow]:
    assert _BENCH is not None
    if chunk.catalog not in _CATALOGS:
        if len(_CATALOGS) >= _MAX_CATALOGS:
            del _CATALOGS[next(iter(_CATALOGS))]
        _CATALOGS[chunk.catalog] = chunk.cases[0].catalog
    catalog = _CATALOGS[chunk.catalog]  # the same object as before, so that it is compiled once
    cases = [replace(case, catalog=catalog) for case in chunk.cases]
    return [_BENCH.row(case, number, only) for number, case in enumerate(cases, chunk.start)]
