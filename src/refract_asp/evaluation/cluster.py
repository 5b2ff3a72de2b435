"""
Answers entries on a dask cluster that runs already (extra `dask`).

The question, with its catalog, goes to the cluster once; chunks of entries follow as results come back. Dask
does again elsewhere what a lost worker had.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dask import config
from dask.utils import parse_timedelta
from distributed import CancelledError, Client, Future, KilledWorker, Security, get_worker, rpc

from refract_asp.errors import LONGEST_TEXT, InputError, RefractError, shown
from refract_asp.evaluation.answering import Answered, Asker, Entry, Question, versions
from refract_asp.pooling import check_travels

# This many tasks are under way for each thread of the cluster.
AHEAD = 4
# The setting of dask that says how long a run waits for a worker, or for the file of a scheduler.
PATIENCE = "refract-asp.patience"
# After this many seconds without a result the run checks whether the cluster is still there.
LOOK = 2.0
RESUME = "With -o FILE the run can be resumed with --resume."
# Entries are as long as they are, and no program text goes to the scheduler.
QUIET = {
    "distributed.admin.large-graph-warning-threshold": "1 TiB",
    "distributed.diagnostics.computations.nframes": 0,
}


def clustered(
    question: Question, chunks: Iterator[list[Entry]], scheduler: str, told: Callable[[str], None]
) -> Generator[Answered]:
    """
    Answer entries on a cluster, in their order.

    Files that options name, and catalogs beside the data, are read by the workers: they have to be there.

    Args:
        question: what is asked.
        chunks: the entries, a list for each task; they are taken as the cluster has room for them.
        scheduler: its address, or the file that `dask scheduler --scheduler-file` writes.
        told: called with one line of text when the run waits for the cluster.

    Raises:
        InputError: the cluster is not there, has no workers, has other versions, or is lost; an option cannot
            go to another process.
    """
    options = {name: _anywhere(value) for name, value in question.options.items()}
    hint = "Name files and shipped models in the options, or use no cluster."
    raw = check_travels(replace(question, options=options), "an option", hint)
    given = config.get(PATIENCE, "60 s")
    try:
        patience = float(parse_timedelta(given))
    except (ValueError, TypeError, KeyError):
        what = f"the setting {PATIENCE} of dask is no time: {shown(given)}."
        raise InputError(what, hint="Write a time such as 10 minutes.") from None
    address, path = scheduler, Path(scheduler)
    if path.suffix == ".json":  # the scheduler may have yet to write it
        end, where = time.monotonic() + patience, shown(scheduler, LONGEST_TEXT)
        if not path.is_file():
            told(f"Waiting up to {patience:g} s for a scheduler to write {where}.")
        while time.monotonic() <= end:
            with suppress(OSError, ValueError, TypeError, KeyError):
                address = str(json.loads(path.read_bytes())["address"])
                break
            time.sleep(0.1)
        else:
            what = "this is no file that dask scheduler --scheduler-file writes."
            none = f"there is no such file after {patience:g} s."
            raise InputError(what if path.is_file() else none, where=where)
    where = shown(address, LONGEST_TEXT)

    async def knock() -> None:
        # a client waits for ever for what is no scheduler, and leaves threads
        timeout = parse_timedelta(config.get("distributed.comm.timeouts.connect"))
        how = Security().get_connection_args("client")
        async with rpc(address, timeout=2 * timeout, connection_args=how) as scheduler:
            try:
                await asyncio.wait_for(scheduler.identity(), timeout)
            except TimeoutError:
                raise OSError(f"it did not answer in {timeout:g} s") from None

    with config.set(QUIET), ExitStack() as ending:  # what dask logs is kept off the terminal
        for name in ("distributed", "distributed.client"):
            logger = logging.getLogger(name)
            ending.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)
        try:
            with ThreadPoolExecutor(1) as pool:  # a loop may run in this thread, as in a notebook
                pool.submit(asyncio.run, knock()).result()
            client = Client(address, set_as_default=False)
        except Exception as error:  # of many kinds: no connection, no such protocol, no certificate
            why = shown(error, LONGEST_TEXT).rstrip(".") or type(error).__name__
            hint = "Give the address that dask scheduler prints, as tcp://10.0.0.1:8786."
            raise InputError(f"there is no cluster: {why}.", where=where, hint=hint) from None
        # the generator of rows may be closed after the client's threads have ended
        atexit.register(client.close)
        ending.callback(atexit.unregister, client.close)
        ending.callback(client.close)
        yield from _Cluster(client, where, patience, told).answers(question, raw, chunks)


def _anywhere(value: Any) -> Any:
    """Return an option with files that are named as seen from any folder."""
    if isinstance(value, Path):
        return value.absolute()
    return type(value)(map(_anywhere, value)) if type(value) in (list, tuple) else value


@dataclass
class _Cluster:
    """A cluster that answers a question, and what is under way there."""

    client: Client
    where: str
    patience: float
    told: Callable[[str], None]

    def answers(
        self, question: Question, raw: bytes, chunks: Iterator[list[Entry]]
    ) -> Iterator[Answered]:
        """Yield the answers in the order of the entries."""
        self._wait_for_a_worker()
        try:
            self.client.run(versions)
        except Exception as error:  # as of a package that is not there, of which a task would die
            raise self._failed(error) from None
        shared = self.client.submit(hold, raw, versions(), pure=False)
        self._result(shared)

        def begun(chunk: list[Entry]) -> Future:
            # as bytes, in which dask looks for nothing of its own
            return self.client.submit(work, shared, pickle.dumps(chunk), pure=False)

        waiting: deque[tuple[list[Entry], Future]] = deque()
        while True:
            room = max(1, self._threads()) * AHEAD
            while len(waiting) < room and (chunk := next(chunks, None)) is not None:
                waiting.append((chunk, begun(chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            with suppress(KilledWorker):
                yield from self._result(future)
                continue
            # with nothing beside them, so that a worker that dies has died of the entry that it had
            for _, other in waiting:
                with suppress(KilledWorker):
                    self._result(other)
            for entry in chunk:
                try:
                    yield from self._result(begun([entry]))
                except KilledWorker:
                    why = "the workers that took it died, or did not come back in time."
                    yield Asker.unanswered(question, entry, why)

    def _threads(self) -> int:
        try:
            return sum(map(int, self.client.nthreads().values()))
        except OSError:
            raise self._failed() from None

    def _result(self, future: Future) -> Any:
        """Wait for a result for as long as there is a cluster."""
        while True:
            try:
                return future.result(timeout=LOOK)
            except TimeoutError:
                self._wait_for_a_worker()
            except KilledWorker:
                raise
            except Exception as error:
                raise self._failed(error) from None

    def _wait_for_a_worker(self) -> None:
        """Wait for a worker where there is none."""
        if self.client.status != "running" or self._threads():
            return  # what has become of the scheduler shows at the next result
        limit = f"{self.patience:g} s"
        self.told(f"The cluster at {self.where} has no worker yet; waiting up to {limit}.")
        try:
            self.client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError:
            what, hint = f"the cluster has no worker after {limit}.", "dask worker ADDRESS"
            raise InputError(what, where=self.where, hint=f"Start one: {hint}. {RESUME}") from None

    def _failed(self, error: Exception | None = None) -> InputError:
        """Return the error for a scheduler that has gone, or for what a worker raised."""
        what, hint = "the cluster was lost: its scheduler has gone.", f"Start it again. {RESUME}"
        is_there = self.client.status == "running" and not isinstance(error, CancelledError)
        if error is not None and is_there:
            kind = "" if isinstance(error, RefractError) else f"{type(error).__name__}: "
            why = shown(f"{kind}{error}", LONGEST_TEXT).rstrip(".")
            what = f"a worker cannot do it: {why}."
            hint = "Workers need the packages of this process, and the files that options name."
        return InputError(what, where=self.where, hint=hint)


# -- on a worker -----------------------------------------------------------------

# What a thread keeps between its chunks; threads share nothing, as catalogs are read little by little.
_HELD = threading.local()


def hold(question: bytes, needed: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """Compile a question, so that what is wrong with it on a worker is reported before any entry."""
    _asker(question, needed)
    return question, needed


def work(question: tuple[bytes, dict[str, str]], chunk: bytes) -> list[Answered]:
    """Answer entries; one that does not come back in time ends the process, where nothing else runs in it."""
    asker = _asker(*question)
    limit = asker.question.time_limit if get_worker().state.nthreads == 1 else None
    return [asker.answered(entry, limit) for entry in pickle.loads(chunk)]


def _asker(question: bytes, needed: dict[str, str]) -> Asker:
    """Return what answers a question, which each thread of a worker compiles once."""
    if getattr(_HELD, "question", None) != question:
        if (here := versions()) != needed:
            told, wanted = (", ".join(map(" ".join, each.items())) for each in (here, needed))
            raise InputError(f"it has {told}.", hint=f"Install there {wanted}.")
        _HELD.asker, _HELD.question = Asker(pickle.loads(question)), question
    asker: Asker = _HELD.asker
    return asker
