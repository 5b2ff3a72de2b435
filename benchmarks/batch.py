"""
Many sequences: what a row costs beyond its repair, two workers against one, dask, the memory of the parent.

    python benchmarks/batch.py [--count 5000] [--json FILE]

The sequences are those of NESTFUL, as they are and broken, again and again. All is measured in this one run;
what is compared is measured in turns. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path

from nestful_data import catalog_of, load_cases
from refract_asp import Refractor
from refract_asp.bench.mutations import SEVEN, mutate
from refract_asp.evaluation.answering import Asker, Entry, Question
from refract_asp.evaluation.engine import engine_of
from tables import judged, options_of, p50, table, write_json

MOST_BEYOND = 0.20
"""Of the time of `repair`: reading the line, tags, diagnostics, the row and its JSON."""
LEAST_OF_TWO = 1.6
LEAST_OF_DASK = 1.3
MOST_GROWTH = 1.10
DATA = "executable"
ROUNDS = 5
TURNS = 2
FEW, MANY = 1_000, 50_000
REPAIRED = 200
"""So many sequences are repaired here and there."""


@dataclass(frozen=True)
class Found:
    """What was measured, and its bound; it is told at once, as the whole takes minutes."""

    what: str
    value: float
    bound: float
    at_least: bool = True

    def __post_init__(self) -> None:
        """Print it."""
        print(f"{self.what}: {self.value:.2f}", flush=True)

    @property
    def is_kept(self) -> bool:
        """Whether it is on the right side of its bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def lines() -> list[bytes]:
    """Return the sequences, each as it is and broken in one way, as lines of a data set."""
    found = []
    for number, case in enumerate(load_cases((DATA,))):
        found.append({"sequence": case.sequence.dump("nestful"), "id": case.key})
        mutation = mutate(case.sequence, case.catalog, SEVEN[number % len(SEVEN)])
        if mutation is not None:
            found.append({"sequence": mutation.broken.dump("nestful"), "id": f"{case.key} broken"})
    return [json.dumps(each).encode() for each in found]


def entries(given: list[bytes], count: int) -> Iterator[Entry]:
    """Yield entries as a file of so many lines gives them."""
    for number, line in enumerate(islice(cycle(given), count)):
        yield Entry(number, f"traces.jsonl:{number + 1}", line)


def beyond(given: list[bytes]) -> float:
    """Return what rows take beyond the repairs of the same sequences, as a share of these."""
    catalog = catalog_of(DATA)
    asker, refractor = Asker(Question(catalog)), Refractor(catalog)
    pairs = [(entry, json.loads(entry.data)["sequence"]) for entry in entries(given, REPAIRED)]
    shares = []
    for number in range(ROUNDS + 1):
        row = alone = 0.0
        for entry, sequence in pairs:
            start = time.perf_counter()
            refractor.repair(sequence)
            middle = time.perf_counter()
            asker.answered(entry)
            alone += middle - start
            row += time.perf_counter() - middle
        if number:  # the first round warms up
            shares.append(row / alone - 1)
    return p50(shares)


def seconds(given: list[bytes], count: int, workers: int, scheduler: str | None = None) -> float:
    """Return how long it takes to answer so many, beginning with the first answer: starting up is aside."""
    question = Question(catalog_of(DATA))
    engine = engine_of(question, workers, scheduler) if workers > 1 or scheduler else pool_of_one
    answers = engine(question, entries(given, count))
    next(answers)
    start = time.perf_counter()
    for _ in answers:
        pass
    return time.perf_counter() - start


def pool_of_one(question: Question, given: Iterator[Entry]) -> Iterator[object]:
    """Answer in one process beside this one, so that what differs is their number alone."""
    from refract_asp.evaluation.engine import pooled

    return pooled(question, given, 1)


def throughput(given: list[bytes], count: int) -> tuple[float, float, float]:
    """Return the seconds that one worker takes, two, and two of a dask cluster, in turns."""
    one = two = dask = 0.0
    with cluster() as scheduler:
        seconds(given, len(given), 2, scheduler)  # compiles the catalog there
        for _ in range(TURNS):
            one += seconds(given, count // TURNS, 1)
            two += seconds(given, count // TURNS, 2)
            dask += seconds(given, count // TURNS, 2, scheduler)
    return one, two, dask


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """Start a dask cluster of two worker processes."""
    from distributed import LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**workers, dashboard_address=":0") as local:
        yield local.scheduler_address


PARENT = """
import resource, sys
from refract_asp.cli import main
try:
    main()
finally:
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def parent_memory(given: list[bytes], count: int, folder: Path) -> int:
    """Return how many kilobytes the parent of a run takes at most, by the command as people run it."""
    data = folder / f"{count}.jsonl"
    with data.open("wb") as file:
        for line in islice(cycle(given), count):
            file.write(line + b"\n")
    catalog = folder / "catalog.json"
    catalog.write_text(json.dumps(catalog_of(DATA).dump("native")), encoding="utf-8")
    words = [
        "batch",
        "run",
        str(data),
        "--catalog",
        str(catalog),
        "--mode",
        "check",
        "--workers",
        "2",
    ]
    command = [sys.executable, "-c", PARENT, *words, "-o", str(folder / "out.jsonl"), "--restart"]
    process = subprocess.run(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=True
    )
    return int(process.stderr.rpartition("peak ")[2])


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="sequences for workers and dask")
    count = parser.parse_args().count
    given = lines()
    print(
        f"{len(given)} sequences of NESTFUL, one half of them broken, again and again.", flush=True
    )
    found = [Found("a row beyond its repair", beyond(given), MOST_BEYOND, at_least=False)]
    one, two, dask = throughput(given, count)
    what = f"against one worker, {count:,} sequences"
    found.append(Found(f"two workers {what}", one / two, LEAST_OF_TWO))
    found.append(Found(f"two of dask {what}", one / dask, LEAST_OF_DASK))
    with tempfile.TemporaryDirectory() as name:
        few, many = (parent_memory(given, each, Path(name)) for each in (FEW, MANY))
    what = f"memory of the parent, {MANY:,} sequences against {FEW:,}"
    found.append(Found(what, many / few, MOST_GROWTH, at_least=False))
    print(
        f"\n(One worker took {1000 * one / count:.1f} ms a sequence; the parent {few / 1024:.0f} MB.)\n"
    )
    rows = [
        (each.what, f"{each.value:.2f}", f"{each.bound:.2f}", judged(each.is_kept))
        for each in found
    ]
    print(table(("measured", "found", "bound", ""), rows))
    write_json(parser.parse_args().json, [asdict(each) for each in found])
    return 0 if all(each.is_kept for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
