"""
Many sequences: what a row costs beyond its repair, two workers against one, dask, the memory of the parent.

    python benchmarks/batch.py [--count 5000] [--json FILE]

The sequences are those of NESTFUL, as they are and broken, again and again. All is measured in this one run;
what is compared is measured in turns. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from inputs import SEVEN, catalog_of, load_gold
from measuring import MEMORY, Figure, child, finished, options_of, p50, seconds
from refract_asp import Refractor
from refract_asp.bench.mutations import mutate
from refract_asp.evaluation.answering import Asker, Entry, Question
from refract_asp.evaluation.engine import engine_of, pooled

DATA = "executable"
ROUNDS = 5
TURNS = 2
FEW, MANY = 1_000, 50_000
# So many sequences are repaired here and there.
REPAIRED = 200
PARENT = f"""
import contextlib, json, resource, sys
from refract_asp.cli import main
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr):
    main()
print(json.dumps({MEMORY}))
"""


def lines() -> list[bytes]:
    """Return the sequences, each as it is and broken in one way, as lines of a data set."""
    found = []
    for number, gold in enumerate(load_gold((DATA,))):
        found.append({"sequence": gold.sequence.dump("nestful"), "id": gold.key})
        mutation = mutate(gold.sequence, gold.catalog, SEVEN[number % len(SEVEN)])
        if mutation is not None:
            found.append({"sequence": mutation.broken.dump("nestful"), "id": f"{gold.key} broken"})
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
    for _ in range(ROUNDS + 1):
        row = alone = 0.0
        for entry, sequence in pairs:
            alone += seconds(refractor.repair, sequence)
            row += seconds(asker.answered, entry)
        shares.append(row / alone - 1)
    return p50(shares[1:])  # the first round warms up


def answering(given: list[bytes], count: int, workers: int, scheduler: str | None = None) -> float:
    """Return how long it takes to answer so many, beginning with the first answer: starting up is aside."""
    question = Question(catalog_of(DATA))
    if workers == 1:  # in a process beside this one, so that what differs is their number alone
        answers = pooled(question, entries(given, count), 1)
    else:
        answers = engine_of(question, workers, scheduler)(question, entries(given, count))
    next(answers)
    return seconds(list, answers)


def throughput(given: list[bytes], count: int) -> tuple[float, float, float]:
    """Return the seconds that one worker takes, two, and two of a dask cluster, in turns."""
    from distributed import LocalCluster

    one = two = dask = 0.0
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**workers, dashboard_address=":0") as cluster:
        scheduler = cluster.scheduler_address
        answering(given, len(given), 2, scheduler)  # compiles the catalog there
        for _ in range(TURNS):
            one += answering(given, count // TURNS, 1)
            two += answering(given, count // TURNS, 2)
            dask += answering(given, count // TURNS, 2, scheduler)
    return one, two, dask


def parent_memory(given: list[bytes], count: int, folder: Path) -> float:
    """Return how many MB the parent of a run takes at most, by the command as people run it."""
    data, catalog = folder / f"{count}.jsonl", folder / "catalog.json"
    with data.open("wb") as file:
        file.writelines(line + b"\n" for line in islice(cycle(given), count))
    catalog.write_text(json.dumps(catalog_of(DATA).dump("native")), "utf-8")
    words = ["batch", "run", str(data), "--catalog", str(catalog), "--mode", "check"]
    words += ["--workers", "2", "-o", str(folder / "out.jsonl"), "--restart"]
    return float(child(PARENT, *words))


def main() -> int:
    options = options_of(__doc__, count=5_000).parse_args()
    count, given = options.count, lines()
    print(
        f"{len(given)} sequences of NESTFUL, one half of them broken, again and again", flush=True
    )
    figures = [Figure("a row beyond its repair", beyond(given), "<=", 0.2)]
    one, two, dask = throughput(given, count)
    what = f"against one worker, {count:,} sequences"
    figures.append(Figure(f"two workers {what}", one / two, ">=", 1.6))
    figures.append(Figure(f"two of dask {what}", one / dask, ">=", 1.3))
    with tempfile.TemporaryDirectory() as name:
        few, many = (parent_memory(given, each, Path(name)) for each in (FEW, MANY))
    what = f"memory of the parent, {MANY:,} sequences against {FEW:,}"
    figures.append(Figure(what, many / few, "<=", 1.1))
    print(f"one worker took {1000 * one / count:.1f} ms a sequence; the parent {few:.0f} MB")
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
