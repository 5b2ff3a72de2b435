"""
What running calls costs beside the calls themselves.

1,000 independent calls of 10 ms, 100 at a time, take 0.1 s at best. The event loop alone needs some time for
that, too; the ratio says how much the executor adds. It exits with 1 when a bound is missed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable

from refract_asp import Catalog, Sequence
from refract_asp.runtime import run
from tables import judged, options_of, p50, table, write_json

CALLS, LIMIT, PAUSE = 1000, 100, 0.01
IDEAL = CALLS / LIMIT * PAUSE
BOUND = 0.3
"""Seconds above the ideal."""
BOUNDED = ("executor", "executor, with a catalog")
"""Sync functions take as long as it takes to start a thread for each."""


async def wait(x: int) -> int:
    """Take 10 ms."""
    await asyncio.sleep(PAUSE)
    return x


def block(x: int) -> int:
    """Take 10 ms on a thread."""
    time.sleep(PAUSE)
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


def works() -> dict[str, Callable[[], object]]:
    """Return what is measured, by name; the first is what the others are compared with."""
    independent = Sequence.load([{"name": "wait", "arguments": {"x": x}} for x in range(CALLS)])
    quick = Sequence.load([{"name": "echo", "arguments": {"x": x}} for x in range(CALLS)])
    chain = Sequence.load(
        [
            {"name": "echo", "arguments": {"x": f"$var{x}$" if x else 0}, "label": f"var{x + 1}"}
            for x in range(CALLS)
        ]
    )
    catalog = Catalog.load({"tools": [{"name": "wait", "parameters": {"x": {"type": "integer"}}}]})
    return {
        "event loop alone": bare,
        "executor": lambda: run(independent, [wait], limit=LIMIT),
        "executor, with a catalog": lambda: run(independent, [wait], limit=LIMIT, catalog=catalog),
        "executor, sync functions": lambda: run(independent, {"wait": block}, limit=LIMIT),
        "executor, calls of 0 ms": lambda: run(quick, [echo], limit=LIMIT),
        "executor, a chain of 0 ms": lambda: run(chain, [echo], limit=LIMIT),
    }


def measure(rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each, interleaved."""
    every = works()
    times: dict[str, list[float]] = {name: [] for name in every}
    for _ in range(rounds):
        for name, work in every.items():
            begun = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - begun)
    return times


def main() -> int:
    """Run from the command line; 1 when the bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    times = measure(options.repeat)
    medians = {name: p50(each) for name, each in times.items()}
    alone = medians["event loop alone"]
    ok = {name: medians[name] - IDEAL < BOUND for name in medians if name in BOUNDED}
    rows = [
        (
            name,
            f"{median:.3f}",
            f"{median / alone:.2f}x",
            f"{median - IDEAL:.3f}" if "0 ms" not in name else "",
            *((f"< {BOUND:g}", judged(ok[name])) if name in ok else ("", "")),
        )
        for name, median in medians.items()
    ]
    title = f"s, {CALLS} calls of 10 ms, {LIMIT} at a time"
    print(table((title, "p50", "loop alone", f"above {IDEAL:g} s", "must", ""), rows))
    write_json(options.json, {"seconds": medians, "ok": all(ok.values())})
    return 0 if all(ok.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
