"""
Answers entries on a dask cluster that runs already.

The question, with its catalog, goes to the cluster once; chunks of entries follow as results come back, so
that few are under way at a time. A worker that is lost costs time: what it had is done again elsewhere.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from refract_asp.batch.dask_client import Told, address_of, check_installed, connected, patience
from refract_asp.batch.dask_worker import Asked, asked, hold, packed, work
from refract_asp.batch.engine import chunks_of, tried
from refract_asp.batch.question import Answered, Asker, Entry, Question
from refract_asp.batch.recording import versions
from refract_asp.errors import LONGEST_TEXT, InputError, RefractError, shown

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["AHEAD", "CHUNK", "clustered"]

CHUNK = 16
"""So many entries are one task."""
AHEAD = 4
"""So many tasks are under way for each thread of the cluster."""
SOON = 2.0
"""Seconds without a worker after which it is said that one is waited for."""
LOOK = 2.0
"""Seconds without a result after which it is seen whether the cluster is still there."""
HINT = "Name files and shipped models in the options, or use no cluster."

Found = TypeVar("Found")


def clustered(
    question: Question, entries: Iterable[Entry], scheduler: str, told: Told = lambda _: None
) -> Generator[Answered]:
    """
    Answer entries on a cluster, in their order.

    Files that options name, and catalogs beside the data, are read by the workers: they have to be there.

    Args:
        question: what is asked.
        entries: the entries; they are taken as the cluster has room for them.
        scheduler: its address, or the file that `dask scheduler --scheduler-file` writes.
        told: is told in one line when the cluster keeps somebody waiting.

    Raises:
        InputError: the extra `dask` is not installed; the cluster is not there, has no workers, has other
            versions, or is lost; an option cannot go to another process.
    """
    tried(question)
    options = {name: _anywhere(value) for name, value in question.options.items()}
    ready = asked(replace(question, options=options), HINT)
    check_installed()
    patient = patience()
    address = address_of(scheduler, patient, told)
    with connected(address) as client:
        cluster = _Cluster(client, address, question, ready, patient, told)
        cluster.check()
        yield from cluster.answers(entries)


def _anywhere(value: Any) -> Any:
    """Return an option with files that are named as seen from any folder."""
    if isinstance(value, Path):
        return value.absolute()
    return type(value)(map(_anywhere, value)) if type(value) in (list, tuple) else value


@dataclass
class _Task:
    """Entries that are under way."""

    chunk: list[Entry]
    future: Future


class _Cluster:
    """A cluster that answers a question, and what is under way there."""

    def __init__(
        self, client: Client, address: str, question: Question, ready: Asked, patience: float, told: Told
    ) -> None:
        self.client = client
        self.where = shown(address, LONGEST_TEXT)
        self.question = question
        self.ready = ready
        self.told = told
        self.patience = patience
        self._room = (0, 0.0)

    def check(self) -> None:
        """Refuse a cluster without workers, one with other versions, and one that cannot be asked."""
        if not self._has_worker():
            raise InputError(
                f"the cluster has no worker after {self.patience:g} s.",
                where=self.where,
                hint="Start one: dask worker ADDRESS.",
            )
        here = versions()
        try:
            found = self.client.run(versions, on_error="return")
        except Exception as error:  # whatever comes of a package that is not there
            raise self._unlike("a worker", error) from None
        for worker, there in found.items():
            if there != here:
                raise self._unlike(f"the worker {shown(worker)}", there)
        self._ask()

    def answers(self, entries: Iterable[Entry]) -> Iterator[Answered]:
        """Yield the answers in the order of the entries."""
        chunks = chunks_of(entries, CHUNK)
        waiting: deque[_Task] = deque()
        while True:
            room = self._threads() * AHEAD
            while len(waiting) < room and (chunk := next(chunks, None)) is not None:
                waiting.append(self._begun(chunk))
            if not waiting:
                return
            found = self._result(waiting)
            waiting.popleft()
            yield from found

    # -- tasks -----------------------------------------------------------------

    def _ask(self) -> None:
        """Give the question to the cluster, which computes it again where all who have it are lost."""
        from distributed import CancelledError, KilledWorker

        self._shared = self.client.submit(hold, self.ready, pure=False)
        try:
            why = self._waited(self._shared.exception)
        except CancelledError:
            raise self._lost() from None
        if isinstance(why, KilledWorker):
            why = "it died when it read the options and the catalog, most likely for want of memory."
        if why is not None:
            raise self._unable(why)
        with suppress(OSError, KeyError):  # whoever has gone meanwhile is given it by another one later
            self.client.replicate([self._shared])

    def _begun(self, chunk: list[Entry]) -> _Task:
        return _Task(chunk, self.client.submit(work, self._shared, packed(chunk), pure=False))

    def _result(self, waiting: deque[_Task], *, is_alone: bool = False) -> list[Answered]:
        """Wait for the first task; find the entry whose workers die, and hand in again what was lost."""
        from distributed import CancelledError, KilledWorker

        while True:
            task = waiting[0]
            try:
                found: list[Answered] = self._waited(task.future.result)
            except CancelledError:
                self._again(waiting)
            except KilledWorker:
                if is_alone:
                    why = "the workers that took it died, or did not come back in time."
                    return [Asker.unanswered(self.question, task.chunk[0], why)]
                return self._one_by_one(task.chunk, waiting)
            except InputError:
                raise
            except Exception as error:
                if self.client.status == "running":
                    raise self._unable(error) from None
                raise self._lost(error) from None
            else:
                return found

    def _one_by_one(self, chunk: list[Entry], waiting: deque[_Task]) -> list[Answered]:
        """Answer entries with nothing beside them, so that a worker that dies has died of the one it had."""
        from distributed import CancelledError

        for task in waiting:
            with suppress(CancelledError):  # it is handed in again later
                self._waited(task.future.exception)
        found = []
        for entry in chunk:
            found += self._result(deque([self._begun([entry])]), is_alone=True)
        return found

    def _again(self, waiting: Iterable[_Task]) -> None:
        """Hand in again what the scheduler has forgotten: it was begun anew, or could not be reached."""
        if self.client.status == "connecting":
            self.told(f"The connection to the cluster at {self.where} is lost; trying again.")
        while self.client.status == "connecting":
            time.sleep(0.1)
        if self.client.status != "running":
            raise self._lost()
        self._look()
        self._ask()
        for task in waiting:
            if task.future.cancelled():
                task.future = self._begun(task.chunk).future

    # -- the state of the cluster ----------------------------------------------

    def _threads(self) -> int:
        """Return how many threads work, as of a second ago; there may be more later."""
        count, seen = self._room
        if not count or time.monotonic() - seen > 1:
            with suppress(OSError):  # the results will tell what has become of it
                count = sum(map(int, self.client.nthreads().values()))
            self._room = (max(1, count), time.monotonic())
        return self._room[0]

    def _waited(self, get: Callable[..., Found]) -> Found:
        """Wait for something of the cluster for as long as there is one."""
        while True:
            try:
                return get(timeout=LOOK)
            except TimeoutError:
                self._look()

    def _look(self) -> None:
        """Refuse to wait for workers that do not come."""
        if self.client.status == "running" and not self._has_worker():
            raise self._lost(f"it had no worker for {self.patience:g} s")

    def _has_worker(self) -> bool:
        """Wait for a worker; return whether there is one. A connection that is lost shows elsewhere."""
        try:
            with suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=min(SOON, self.patience))
                return True
            self.told(f"The cluster at {self.where} has no worker yet; waiting up to {self.patience:g} s.")
            with suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=max(0.1, self.patience - SOON))
                return True
        except OSError:
            return True
        return False

    # -- what is told ----------------------------------------------------------

    def _lost(self, why: object = "its scheduler has gone") -> InputError:
        return InputError(
            f"the cluster was lost: {shown(why, LONGEST_TEXT).rstrip('.')}.",
            where=self.where,
            hint="Start it again; with -o FILE the run goes on with --resume.",
        )

    def _unable(self, why: object) -> InputError:
        said = why if isinstance(why, RefractError | str) else f"{type(why).__name__}: {why}"
        return InputError(
            f"a worker cannot do it: {shown(said, LONGEST_TEXT).rstrip('.')}.",
            where=self.where,
            hint="Workers need the package of this process, and the files that options name.",
        )

    def _unlike(self, worker: str, there: object) -> InputError:
        here = ", ".join(f"{name} {version}" for name, version in versions().items())
        has = there if not isinstance(there, dict) else ", ".join(f"{n} {v}" for n, v in there.items())
        return InputError(
            f"{worker} has other packages than this process: {shown(has, LONGEST_TEXT).rstrip('.')}.",
            where=self.where,
            hint=f"Install there what is here: {here}.",
        )
