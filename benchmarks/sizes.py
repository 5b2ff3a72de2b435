"""
How check and repair grow: catalogs of 10 to 10,000 tools, sequences of 1 to 300 calls, 0 to 50 % broken.

    python benchmarks/sizes.py [--seeds 3] [--full] [--json FILE]

Two things are varied at a time, the others are as in the middle; with `--full` all against each other.
Exits with 1 when a repair is not proven optimal, or takes more than the bound.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Iterable
from itertools import product

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.bench.sizes import COUPLINGS, Coupling, synthetic_sequence
from scale import break_many
from seal_data import catalog_of_size
from tables import judged, options_of, p50, table, write_json

TOOLS = (10, 100, 1000, 4000, 10_000)
CALLS = (1, 10, 30, 100, 300)
SHARES = (0.0, 0.1, 0.3, 0.5)
MIDDLE = (1000, 30, 0.3, "random")
SECONDS = 30.0
"""No repair may take longer, whatever is broken."""
KIB_PER_UNIT = 1024 if sys.platform == "darwin" else 1

Dials = tuple[int, int, float, Coupling]
"""Tools of the catalog, calls, the share of them that is broken, and how they read from each other."""


def dials(full: bool) -> list[Dials]:
    """Return what is measured, small catalogs first."""
    if full:
        return list(product(TOOLS, CALLS, SHARES, COUPLINGS))
    tools, _, share, _ = MIDDLE
    wanted: dict[Dials, None] = {}
    wanted |= dict.fromkeys((size, n, share, "random") for size, n in product(TOOLS, (1, 10, 30)))
    wanted |= dict.fromkeys((tools, n, share, each) for n, each in product(CALLS, COUPLINGS))
    wanted |= dict.fromkeys((tools, n, each, "random") for n, each in product(CALLS, SHARES))
    return sorted(wanted, key=lambda each: (each[0], each[1], each[2], COUPLINGS.index(each[3])))


def broken_sequence(catalog: Catalog, wanted: Dials, seed: int) -> Sequence:
    """Return a sequence with so many broken calls; of few calls one is broken, unless none is to be."""
    _, calls, share, coupling = wanted
    sequence = synthetic_sequence(catalog, calls, coupling, seed)
    if not share:
        return sequence
    rng = random.Random(f"sizes:{wanted}:{seed}")
    return break_many(sequence, catalog, max(share, 1 / calls), rng)[0]


def measured(refractor: Refractor, wanted: Dials, sequences: Iterable[Sequence]) -> dict[str, object]:
    """Return the row of a table: medians over the sequences, and the worst of the repairs."""
    checks, repairs, unproven, unknown = [], [], 0, 0
    for sequence in sequences:
        start = time.perf_counter()
        refractor.check(sequence)
        middle = time.perf_counter()
        result = refractor.repair(sequence, time_limit=2 * SECONDS)
        repairs.append(time.perf_counter() - middle)
        checks.append(middle - start)
        unproven += not result.optimal
        unknown += result.verdict == "unknown"
    ok = not unproven and max(repairs) <= SECONDS
    return {
        "tools": wanted[0],
        "calls": wanted[1],
        "broken": f"{wanted[2]:.0%}",
        "coupling": wanted[3],
        "check p50 (ms)": round(1000 * p50(checks), 1),
        "repair p50 (ms)": round(1000 * p50(repairs), 1),
        "worst (ms)": round(1000 * max(repairs), 1),
        "unproven": unproven,
        "memory (MB)": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_UNIT / 1024),
        "": judged(ok),
    }


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="sequences for each row")
    parser.add_argument("--full", action="store_true", help="all sizes against each other; takes an hour")
    options = parser.parse_args()
    found: list[dict[str, object]] = []
    catalogs: dict[int, Refractor] = {}
    for wanted in dials(options.full):
        if wanted[0] not in catalogs:
            catalogs = {wanted[0]: Refractor(catalog_of_size(wanted[0]))}
        refractor = catalogs[wanted[0]]
        refractor.repair(broken_sequence(refractor.catalog, (wanted[0], 2, 0.3, "chain"), 99))  # warms up
        sequences = [broken_sequence(refractor.catalog, wanted, seed) for seed in range(options.seeds)]
        found.append(measured(refractor, wanted, sequences))
    print(table(list(found[0]), [list(row.values()) for row in found]))
    ok = all(row[""] == "ok" for row in found)
    worst = max(float(str(row["worst (ms)"])) for row in found) / 1000
    print(f"\nall proven optimal, the worst in {worst:.1f} s, must be <= {SECONDS:g} s: {judged(ok)}")
    write_json(options.json, found)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
