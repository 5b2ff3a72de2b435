"""
Answers entries on a dask cluster that runs already.

The question, with its catalog, goes to the workers once; chunks of entries follow as results come back, so
that few are under way at a time. A worker that is lost costs time: what it had is done again elsewhere.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refract_asp.batch.engine import chunks_of
from refract_asp.batch.question import Answered, Asker, Entry, Question
from refract_asp.batch.recording import versions
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.pooling import check_travels, in_time

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["clustered"]

CHUNK = 16
"""So many entries are one task."""
AHEAD = 2
"""So many tasks wait for each thread of the cluster."""
PATIENCE = 60.0
"""Seconds that somebody waits for the scheduler, and for a first worker."""


def clustered(question: Question, entries: Iterable[Entry], scheduler: str) -> Generator[Answered]:
    """
    Answer entries on the cluster at an address, or of a scheduler file.

    Raises:
        InputError: the extra `dask` is not installed; the cluster is not there, has no workers, has other
            versions, or is lost; an option cannot go to another process.
    """
    Asker(question)  # what is wrong with an option is told here, and once
    check_travels(question, "an option", "Name files and shipped models in the options, or use no cluster.")
    with _client(scheduler) as client:
        yield from _Cluster(client, scheduler, question).answers(entries)


class _Cluster:
    """A question that is scattered over a cluster, and the tasks that are under way there."""

    def __init__(self, client: Client, address: str, question: Question) -> None:
        self.client = client
        self.address = address
        self.question = question
        self._scatter()

    def answers(self, entries: Iterable[Entry]) -> Iterator[Answered]:
        """Yield the answers in the order of the entries."""
        chunks = chunks_of(entries, CHUNK)
        waiting: deque[tuple[list[Entry], Future]] = deque()
        while True:
            room = self._threads() * AHEAD
            while len(waiting) < room and (chunk := next(chunks, None)) is not None:
                waiting.append((chunk, self._submit(chunk)))
            if not waiting:
                return
            yield from self._result(*waiting.popleft())

    def _threads(self) -> int:
        """Return how many threads work by now; there may be more later."""
        return max(1, sum(map(int, self.client.nthreads().values())))

    def _submit(self, chunk: list[Entry]) -> Future:
        return self.client.submit(_work, self._shared, chunk, pure=False)

    def _scatter(self) -> None:
        self._shared = self.client.scatter(self.question, broadcast=True, hash=False)

    def _result(self, chunk: list[Entry], future: Future) -> list[Answered]:
        """Wait for a task; one whose data was lost with all workers is handed in again."""
        from distributed import KilledWorker

        while True:
            try:
                found: list[Answered] = future.result()
            except CancelledError:
                if self.client.status != "running":
                    raise self._lost() from None
                self._wait()
                self._scatter()
                future = self._submit(chunk)
            except KilledWorker:
                if len(chunk) == 1:
                    why = "the workers that took it died, or did not come back in time."
                    return [Asker.unanswered(self.question, chunk[0], why)]
                return [answer for entry in chunk for answer in self._result([entry], self._submit([entry]))]
            except OSError as error:  # those of the connection are of this kind, too
                raise self._lost(shown(error, LONGEST_TEXT)) from None
            else:
                return found

    def _wait(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise self._lost("it has no workers any more") from None

    def _lost(self, why: str = "its scheduler has gone") -> InputError:
        return InputError(
            f"the cluster was lost: {why}.",
            where=shown(self.address, LONGEST_TEXT),
            hint="Start it again; with -o FILE the run goes on with --resume.",
        )


@contextmanager
def _client(scheduler: str) -> Iterator[Client]:
    """Connect with a cluster whose workers can do the work."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a cluster needs the package distributed.", hint="Install it: pip install 'refract-asp[dask]'."
        ) from None
    where = shown(scheduler, LONGEST_TEXT)
    named: dict[str, Any] = {"address": scheduler}
    if Path(scheduler).is_file():
        named = {"scheduler_file": scheduler}
    try:
        client = Client(**named, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        said = shown(error, LONGEST_TEXT).rstrip(".") or "it does not answer"
        raise InputError(
            f"there is no cluster: {said}.",
            where=where,
            hint="Give the address that `dask scheduler` prints, as tcp://10.0.0.1:8786.",
        ) from None
    try:
        _check(client, where)
        yield client
    finally:
        client.close()


def _check(client: Client, where: str) -> None:
    """Refuse a cluster without workers, and one with other versions."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError(
            f"the cluster has no worker after {PATIENCE:g} s.",
            where=where,
            hint="Start one: dask worker ADDRESS.",
        ) from None
    here = versions()
    try:
        found = client.run(versions, on_error="return")
    except Exception as error:  # whatever comes of a package that is not there
        found = {"all": error}
    for worker, there in found.items():
        if there != here:
            has = shown(there, LONGEST_TEXT)
            raise InputError(
                f"the worker {shown(worker)} has other versions than this process: {has}.",
                where=where,
                hint=f"Install there what is here: {shown(here, LONGEST_TEXT)}.",
            )


# -- in the worker -------------------------------------------------------------

_ASKERS: dict[int, tuple[Question, Asker]] = {}
_LOCK = threading.Lock()


def _asker(question: Question) -> Asker:
    """Return what answers a question, which is compiled once in each process."""
    with _LOCK:
        if id(question) not in _ASKERS:
            _ASKERS.clear()
            _ASKERS[id(question)] = question, Asker(question)
        return _ASKERS[id(question)][1]


def _work(question: Question, chunk: list[Entry]) -> list[Answered]:
    from distributed import get_worker

    asker = _asker(question)
    is_alone = get_worker().state.nthreads == 1  # nobody else works in this process, so that it may be ended
    found = []
    for entry in chunk:
        with in_time(question.time_limit if is_alone else None):
            found.append(asker.answered(entry))
    return found
