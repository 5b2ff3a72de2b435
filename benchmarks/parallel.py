"""Throughput of two threads and of two processes against one."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from nestful_data import refractor_of
from refract_asp import Refractor, Sequence
from tables import p50

__all__ = ["processes_ratio", "threads_ratio"]

ROUNDS = 5
WARM_UP = 20


def seconds(action: Callable[[], object]) -> float:
    """Return how long the action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def repair_all(refractor: Refractor, items: list[Sequence]) -> None:
    """Repair one after the other."""
    for sequence in items:
        refractor.repair(sequence)


def threads_ratio(refractor: Refractor, items: list[Sequence]) -> float:
    """Return the throughput of two threads on one shared `Refractor` against that of one."""
    ratios = []
    for _ in range(ROUNDS):
        alone = seconds(lambda: repair_all(refractor, items))
        threads = [
            threading.Thread(target=repair_all, args=(refractor, items[half::2])) for half in (0, 1)
        ]

        def both(threads: list[threading.Thread] = threads) -> None:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        ratios.append(alone / seconds(both))
    return p50(ratios)


def worker(connection: Connection, items: list[Sequence]) -> None:
    """Repair the items that are asked for by `(start, step)`, until None comes; runs in its own process."""
    refractor = refractor_of("executable")
    repair_all(refractor, items[:WARM_UP])
    connection.send("ready")
    while (part := connection.recv()) is not None:
        repair_all(refractor, items[part[0] :: part[1]])
        connection.send("done")


def processes_ratio(items: list[Sequence]) -> float:
    """Return the throughput of two processes against that of one, each with its own `Refractor`."""
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in range(2)]
    processes = [context.Process(target=worker, args=(far, items)) for _, far in pipes]
    near = [mine for mine, _ in pipes]
    for process in processes:
        process.start()
    for connection in near:
        connection.recv()

    def repaired(parts: list[tuple[Connection, tuple[int, int]]]) -> None:
        for connection, part in parts:
            connection.send(part)
        for connection, _ in parts:
            connection.recv()

    ratios = []
    for _ in range(ROUNDS):
        alone = seconds(lambda: repaired([(near[0], (0, 1))]))
        ratios.append(alone / seconds(lambda: repaired([(near[0], (0, 2)), (near[1], (1, 2))])))
    for connection in near:
        connection.send(None)
    for process in processes:
        process.join()
    return p50(ratios)
