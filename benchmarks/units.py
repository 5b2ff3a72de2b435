"""
Floor, `check` and `repair` in units of a tiny clingo program; growth of the catalog, threads, processes.

    python benchmarks/units.py [--repeat 300] [--seed N] [--parts units,catalog,parallel] [--json FILE]

Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection

import clingo

from inputs import broken_gold, catalog_of, refractor_of, valid_gold
from measuring import WARM_UP, Figure, Works, finished, in_turns, options_of, p50, p95, seconds
from refract_asp import Catalog, Refractor, Sequence
from refract_asp.bench.generating import Dials, generate
from refract_asp.rules.program import Files, Program, repair_program

PARTS = ("units", "catalog", "parallel")
ROUNDS = 5
FIRST = 30
Broken = list[tuple[str, Sequence]]


def floor(program: Program) -> None:
    """Ground and solve the files that `repair` loads with no facts at all: the floor of every repair."""
    solve_all(program.control(()))


def unit() -> None:
    """Ground and solve the small program that everything is measured in."""
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "a(1..5). {b(X)}:-a(X). :~b(X).[1,X]")
    control.ground([("base", [])])
    solve_all(control)


def solve_all(control: clingo.Control) -> None:
    with control.solve(yield_=True) as handle:
        for _ in handle:
            pass


def measure_units(broken: Broken, repeat: int, seed: int) -> list[Figure]:
    """Time unit, floor, check and repair in turn; each round takes the next sequence."""
    gold, program = valid_gold(), repair_program(Files())
    random.Random(seed).shuffle(gold)

    def works(turn: int) -> Works:
        right, (name, sequence) = gold[turn % len(gold)], broken[turn % len(broken)]
        return {
            "unit": unit,
            "floor": partial(floor, program),
            "check": partial(refractor_of(right.name).check, right.sequence),
            "repair": partial(refractor_of(name).repair, sequence),
        }

    times = in_turns(repeat, works)
    one = p50(times["unit"])
    print(f"unit: {one * 1000:.3f} ms (median of {repeat})")
    values = [
        ("floor, p50 (units)", p50(times["floor"]), 15),
        ("check of a valid sequence, p50 (units)", p50(times["check"]), 6),
        ("repair of a broken one, p50 (units)", p50(times["repair"]), 25),
        ("repair of a broken one, p95 (units)", p95(times["repair"]), 50),
    ]
    return [
        Figure(name, value / one, "<=", bound, f"{value / one:.1f}, {value * 1000:.2f} ms")
        for name, value, bound in values
    ]


def measure_first() -> Figure:
    """Repair with catalogs that were not seen before: each the same mistakes, twice."""
    ratios = []
    for seed in range(FIRST + WARM_UP):
        catalog = generate(Dials(tools=39), seed).catalog
        calls = f"x = {catalog.tools[3].name}z()\ny = {catalog.tools[5].name}(foo=1)"
        refractor = Refractor(catalog)
        first, second = (seconds(refractor.repair, calls) for _ in range(2))
        ratios.append(first / second)
    return Figure(
        "first repair with a catalog against its second", p50(ratios[WARM_UP:]), "<=", 1.3
    )


def measure_catalog(broken: Broken, repeat: int) -> Figure:
    """Repair the same sequences with the catalog alone and with 4,000 tools more, in turn."""
    small = catalog_of("executable")
    others = (tool for tool in catalog_of("seal") if tool.name not in small.by_name)
    large = Catalog(tools=(*small.tools, *others))
    both = {"small": refractor_of("executable"), "large": Refractor(large)}
    items = [sequence for name, sequence in broken if name == "executable"]

    def works(turn: int) -> Works:
        order = list(both) if turn % 2 else reversed(both)
        return {name: partial(both[name].repair, items[turn % len(items)]) for name in order}

    times = in_turns(repeat, works)
    ratio = p50(times["large"]) / p50(times["small"])
    return Figure(f"{len(large)} tools against {len(small)}, p50 (ratio)", ratio, "<=", 1.2)


# -- two at a time ------------------------------------------------------------------


def repair_all(refractor: Refractor, items: list[Sequence]) -> None:
    for sequence in items:
        refractor.repair(sequence)


def threads_ratio(items: list[Sequence]) -> float:
    """Return the throughput of two threads on one shared `Refractor` against that of one."""
    work: Callable[[list[Sequence]], None] = partial(repair_all, refractor_of("executable"))

    def both() -> None:
        threads = [threading.Thread(target=work, args=(items[half::2],)) for half in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return p50([seconds(work, items) / seconds(both) for _ in range(ROUNDS)])


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
    for _, far in pipes:
        context.Process(target=worker, args=(far, items)).start()
    near = [mine for mine, _ in pipes]
    for connection in near:
        connection.recv()

    def repaired(*parts: tuple[int, int]) -> None:
        for connection, part in zip(near, parts, strict=False):
            connection.send(part)
        for connection, _ in zip(near, parts, strict=False):
            connection.recv()

    ratios = [seconds(repaired, (0, 1)) / seconds(repaired, (0, 2), (1, 2)) for _ in range(ROUNDS)]
    for connection in near:
        connection.send(None)
    return p50(ratios)


def main() -> int:
    parser = options_of(__doc__, repeat=300, seed=0)
    parser.add_argument("--parts", default=",".join(PARTS), help="separated by commas")
    options = parser.parse_args()
    parts = options.parts.split(",")
    broken = broken_gold(options.seed)
    figures: list[Figure] = []
    if "units" in parts:
        figures += measure_units(broken, options.repeat, options.seed)
    if "catalog" in parts:
        figures.append(measure_catalog(broken, options.repeat))
        figures.append(measure_first())
    if "parallel" in parts and (os.cpu_count() or 1) > 1:
        items = [sequence for name, sequence in broken if name == "executable"][: options.repeat]
        figures.append(Figure("two threads against one", threads_ratio(items), ">=", 1.3))
        figures.append(Figure("two processes against one", processes_ratio(items), ">=", 1.6))
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
