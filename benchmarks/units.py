"""
Floor, `check` and `repair` in units of a tiny clingo program; growth of the catalog, threads, processes.

    python benchmarks/units.py [--repeat 300] [--seed N] [--parts units,catalog,parallel] [--json FILE]

Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache

import clingo

from nestful_data import Case, catalog_of, load_cases, refractor_of
from parallel import processes_ratio, threads_ratio
from refract_asp import Catalog, Refractor, Sequence
from refract_asp.bench.mutations import SEVEN, mutate
from refract_asp.rules.program import Files, Program, repair_program
from seal_data import seal_tools
from tables import judged, options_of, p50, p95, table, write_json

PARTS = ("units", "catalog", "parallel")
WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure and its bound; `sign` says on which side of the bound it has to be."""

    name: str
    measured: float
    sign: str
    bound: float
    ms: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the bound is kept."""
        return self.measured <= self.bound if self.sign == "<=" else self.measured >= self.bound


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken sequence and the data set whose catalog it uses."""

    name: str
    sequence: Sequence


@cache
def floor_program() -> Program:
    """Compile it once."""
    return repair_program(Files())


def floor() -> None:
    """Ground and solve the files that `repair` loads with no facts at all: the floor of every repair."""
    control = floor_program().control(())
    with control.solve(yield_=True) as handle:
        for _ in handle:
            pass


def unit() -> None:
    """Ground and solve the small program that everything is measured in."""
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "a(1..5). {b(X)}:-a(X). :~b(X).[1,X]")
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        for _ in handle:
            pass


def seconds(action: Callable[..., object], *given: object) -> float:
    """Return how long the action takes."""
    start = time.perf_counter()
    action(*given)
    return time.perf_counter() - start


def valid_cases() -> list[Case]:
    """Load the gold sequences that `check` finds valid."""
    return [c for c in load_cases() if refractor_of(c.name).check(c.sequence).verdict == "valid"]


def broken_sequences(cases: list[Case], seed: int) -> list[Broken]:
    """Break every case once per kind, and shuffle."""
    found = []
    for case in cases:
        for kind in SEVEN:
            mutation = mutate(case.sequence, case.catalog, kind, f"{seed}:{case.name}:{case.index}")
            if mutation is not None:
                found.append(Broken(case.name, mutation.broken))
    random.Random(seed).shuffle(found)
    return found


def measure_units(cases: list[Case], broken: list[Broken], repeat: int) -> list[Figure]:
    """Time unit, floor, check and repair in turn; each round takes the next sequence."""
    times: dict[str, list[float]] = {"unit": [], "floor": [], "check": [], "repair": []}
    for turn in range(-WARM_UP, repeat):
        case, item = cases[turn % len(cases)], broken[turn % len(broken)]
        took = {
            "unit": seconds(unit),
            "floor": seconds(floor),
            "check": seconds(refractor_of(case.name).check, case.sequence),
            "repair": seconds(refractor_of(item.name).repair, item.sequence),
        }
        if turn >= 0:
            for name, value in took.items():
                times[name].append(value)
    one = p50(times["unit"])

    def figure(name: str, value: float, bound: float) -> Figure:
        return Figure(name, value / one, "<=", bound, value * 1000)

    print(f"unit: {one * 1000:.3f} ms (median of {repeat})\n")
    return [
        figure("floor, p50 (units)", p50(times["floor"]), 15),
        figure("check of a valid sequence, p50 (units)", p50(times["check"]), 6),
        figure("repair of a broken one, p50 (units)", p50(times["repair"]), 25),
        figure("repair of a broken one, p95 (units)", p95(times["repair"]), 50),
    ]


def measure_catalog(broken: list[Broken], repeat: int) -> list[Figure]:
    """Repair the same sequences with the catalog alone and with 4,000 tools more, in turn."""
    small = catalog_of("executable")
    large = Catalog(
        tools=(*small.tools, *(tool for tool in seal_tools() if tool.name not in small.by_name))
    )
    start = time.perf_counter()
    grown = Refractor(large)
    built = time.perf_counter() - start
    items = [b.sequence for b in broken if b.name == "executable"]
    times: dict[str, list[float]] = {"small": [], "large": []}
    different = 0
    for turn in range(-WARM_UP, repeat):
        sequence = items[turn % len(items)]
        order = [("small", refractor_of("executable")), ("large", grown)]
        took: dict[str, float] = {}
        answers = []
        for name, chosen in order if turn % 2 else reversed(order):
            start = time.perf_counter()
            answers.append(chosen.repair(sequence).sequence)
            took[name] = time.perf_counter() - start
        if turn >= 0:
            different += answers[0] != answers[1]
            for name, value in took.items():
                times[name].append(value)
    ratio = p50(times["large"]) / p50(times["small"])
    print(
        f"{len(large)} tools: built in {built * 1000:.0f} ms; {different} of {repeat} answers differ\n"
    )
    name = f"{len(large)} tools against {len(small)}, p50 (ratio)"
    return [Figure(name, ratio, "<=", 1.2, p50(times["large"]) * 1000)]


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", default=",".join(PARTS), help="separated by commas")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; known: {', '.join(PARTS)}")

    cases = valid_cases()
    random.Random(options.seed).shuffle(cases)
    broken = broken_sequences(cases, options.seed)
    figures: list[Figure] = []
    if "units" in parts:
        figures += measure_units(cases, broken, options.repeat)
    if "catalog" in parts:
        figures += measure_catalog(broken, options.repeat)
    if "parallel" in parts and (os.cpu_count() or 1) < 2:
        print("threads and processes are skipped: one core only\n")
    elif "parallel" in parts:
        items = [b.sequence for b in broken if b.name == "executable"][: options.repeat]
        threads, processes = (
            threads_ratio(refractor_of("executable"), items),
            processes_ratio(items),
        )
        figures.append(Figure("two threads against one (ratio)", threads, ">=", 1.3))
        figures.append(Figure("two processes against one (ratio)", processes, ">=", 1.6))
    rows = [
        (
            f.name,
            f"{f.measured:.2f}",
            f"{f.sign} {f.bound:g}",
            f"{f.ms:.2f}" if f.ms else "",
            judged(f.ok),
        )
        for f in figures
    ]
    print(table(("figure", "measured", "must", "ms", ""), rows))
    write_json(options.json, [{**asdict(f), "ok": f.ok} for f in figures])
    return 0 if all(f.ok for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
