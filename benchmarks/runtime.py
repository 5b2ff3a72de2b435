"""
What running calls costs beside the calls themselves.

1,000 independent calls of 10 ms, 100 at a time, take 0.1 s at best. The event loop alone needs some time for
that, too; the ratio says how much the executor adds. It exits with 1 when a bound is missed.

    python benchmarks/runtime.py [--repeat 7] [--json FILE]
"""

from __future__ import annotations

import asyncio
import sys
import time

from measuring import Figure, Works, finished, in_turns, options_of, p50
from refract_asp import Catalog, Sequence
from refract_asp.runtime import run

CALLS, LIMIT, PAUSE = 1000, 100, 0.01
IDEAL = CALLS / LIMIT * PAUSE
# Sync functions take as long as it takes to start a thread for each.
BOUNDED = ("executor", "executor, with a catalog")


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


async def bare() -> None:
    """Make the same calls with a semaphore and nothing else."""
    free = asyncio.Semaphore(LIMIT)

    async def one(x: int) -> int:
        async with free:
            return await wait(x)

    await asyncio.gather(*(one(x) for x in range(CALLS)))


def works() -> Works:
    """Return what is measured, by name; the first is what the others are compared with."""

    def calls(name: str, argument: str = "") -> Sequence:
        given = [f"${argument}{x}$" if argument and x else x for x in range(CALLS)]
        labels = [f"var{x + 1}" for x in range(CALLS)]
        rows = zip(given, labels, strict=True)
        return Sequence.load(
            [{"name": name, "arguments": {"x": x}, "label": label} for x, label in rows]
        )

    independent, quick, chain = calls("wait"), calls("echo"), calls("echo", "var")
    catalog = Catalog.load({"tools": [{"name": "wait", "parameters": {"x": {"type": "integer"}}}]})
    return {
        "event loop alone": lambda: asyncio.run(bare()),
        "executor": lambda: run(independent, [wait], limit=LIMIT),
        "executor, with a catalog": lambda: run(independent, [wait], limit=LIMIT, catalog=catalog),
        "executor, sync functions": lambda: run(independent, {"wait": block}, limit=LIMIT),
        "executor, calls of 0 ms": lambda: run(quick, [echo], limit=LIMIT),
        "executor, a chain of 0 ms": lambda: run(chain, [echo], limit=LIMIT),
    }


def main() -> int:
    options = options_of(__doc__, repeat=7).parse_args()
    every = works()
    times = in_turns(options.repeat, lambda _: every, warm_up=0)
    alone = p50(times["event loop alone"])
    figures = []
    for name, each in times.items():
        above = p50(each) - IDEAL
        told = f"{above:.3f}; {p50(each) / alone:.2f}x the loop alone"
        sign = "<" if name in BOUNDED else ""
        figures.append(Figure(f"{name}, s above {IDEAL:g} s", above, sign, 0.3, told))
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
