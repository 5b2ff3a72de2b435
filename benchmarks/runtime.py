"""
What running calls costs beside the calls themselves.

1,000 independent calls of 10 ms each, 100 at a time, take 0.1 s at best. The event loop alone, without this
package, takes its own time for that; the ratio says how much more the executor needs.

Limit: less than 0.3 s above the best there is.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable

from refract_asp import Catalog, Sequence
from refract_asp.runtime import run

CALLS, LIMIT, PAUSE = 1000, 100, 0.01
IDEAL = CALLS / LIMIT * PAUSE
WORST = 0.3
ROUNDS = 7


async def wait(x: int) -> int:
    """Take 10 ms."""
    await asyncio.sleep(PAUSE)
    return x


async def echo(x: int) -> int:
    """Take no time."""
    return x


def bare() -> None:
    """Make the same calls with a semaphore and nothing else."""

    async def all_of_them() -> None:
        free = asyncio.Semaphore(LIMIT)

        async def one(x: int) -> int:
            async with free:
                return await wait(x)

        await asyncio.gather(*(one(x) for x in range(CALLS)))

    asyncio.run(all_of_them())


def measured(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    independent = Sequence.load([{"name": "wait", "arguments": {"x": x}} for x in range(CALLS)])
    quick = Sequence.load([{"name": "echo", "arguments": {"x": x}} for x in range(CALLS)])
    chain = Sequence.load(
        [
            {"name": "echo", "arguments": {"x": f"$var{x}$" if x else 0}, "label": f"var{x + 1}"}
            for x in range(CALLS)
        ]
    )
    catalog = Catalog.load({"tools": [{"name": "wait", "parameters": {"x": {"type": "integer"}}}]})
    works: dict[str, Callable[[], object]] = {
        "event loop alone": bare,
        "executor": lambda: run(independent, [wait], limit=LIMIT),
        "executor, with catalog": lambda: run(independent, [wait], limit=LIMIT, catalog=catalog),
        "executor, calls of 0 ms": lambda: run(quick, [echo], limit=LIMIT),
        "executor, chain of 0 ms": lambda: run(chain, [echo], limit=LIMIT),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            times[name].append(measured(work))
    loop = statistics.median(times["event loop alone"])
    print(f"{CALLS} calls of {PAUSE * 1000:.0f} ms, {LIMIT} at a time; best {IDEAL:.2f} s")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:<24} {median:.3f} s  {median / loop:.2f} x the event loop alone")
    above = statistics.median(times["executor"]) - IDEAL
    print(f"above the best: {above:.3f} s (limit {WORST} s)")
    assert above < WORST, "the executor is too slow"


if __name__ == "__main__":
    main()
