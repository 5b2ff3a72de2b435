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
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import Literal, NamedTuple

from refract_asp import Refractor, Sequence
from refract_asp.bench.generating import COUPLINGS, Coupling, Dials, from_catalog, generate
from scale import break_many
from seal_data import catalog_of_size
from tables import judged, options_of, p50, table, write_json

TOOLS = (10, 100, 1000, 4000, 10_000)
CALLS = (1, 10, 30, 100, 300)
SHARES = (0.0, 0.1, 0.3, 0.5)
SECONDS = 30.0
"""No repair may take longer, whatever is broken."""
KIB_PER_UNIT = 1024 if sys.platform == "darwin" else 1


class Sizes(NamedTuple):
    """
    What is measured in one row.

    Attributes:
        source: whose tools they are: `made` up around the sequence, or those of `seal` and made-up ones.
        tools: how many there are.
        calls: how many the sequence has.
        broken: the share of them that is broken.
        coupling: how they read from each other, as far as the tools allow.
    """

    source: Literal["made", "seal"] = "made"
    tools: int = 1000
    calls: int = 30
    broken: float = 0.3
    coupling: Coupling = "random"


MIDDLE = Sizes()


def rows(full: bool) -> list[Sizes]:
    """Return what is measured, small catalogs first."""
    if full:
        return [
            Sizes("made", *each)
            for tools in TOOLS
            for each in product((tools,), CALLS, SHARES, COUPLINGS)
        ]
    wanted: dict[Sizes, None] = {}
    for source in ("made", "seal"):
        wanted |= {
            MIDDLE._replace(source=source, tools=n, calls=k): None
            for n in TOOLS
            for k in (1, 10, 30)
        }
    wanted |= {MIDDLE._replace(calls=k, coupling=each): None for k in CALLS for each in COUPLINGS}
    wanted |= {MIDDLE._replace(calls=k, broken=each): None for k in CALLS for each in SHARES}
    return sorted(
        wanted, key=lambda each: (each.source, each.tools, each.calls, each.broken, each.coupling)
    )


@cache
def seal_refractor(tools: int) -> Refractor:
    """Compile the first tools of Seal-Tools, and made-up ones beyond."""
    return Refractor(catalog_of_size(tools))


def broken_cases(wanted: Sizes, seeds: int) -> Iterator[tuple[Refractor, Sequence]]:
    """Yield broken sequences with what repairs them; of few calls one is broken, unless none is to be."""
    for seed in range(seeds):
        if wanted.source == "seal":
            refractor = seal_refractor(wanted.tools)
            case = from_catalog(refractor.catalog, wanted.calls, seed, coupling=wanted.coupling)
        else:
            fewer = min(
                1.0, wanted.tools / 2 / wanted.calls
            )  # half of the tools are left as distractors
            dials = Dials(wanted.tools, wanted.calls, wanted.coupling, reuse=1 - fewer)
            case = generate(dials, seed)
            refractor = Refractor(case.catalog)
        share = max(wanted.broken, 1 / wanted.calls) if wanted.broken else 0.0
        rng = random.Random(f"sizes:{wanted}:{seed}")
        yield refractor, break_many(case.sequence, case.catalog, share, rng)[0]


def measured(wanted: Sizes, cases: Iterable[tuple[Refractor, Sequence]]) -> dict[str, object]:
    """Return the row of a table: medians over the sequences, and the worst of the repairs."""
    checks, repairs, unproven, unknown = [], [], 0, 0
    for refractor, sequence in cases:
        refractor.repair(sequence.model_copy(update={"calls": sequence.calls[:1]}))  # warms up
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
        **wanted._asdict(),
        "broken": f"{wanted.broken:.0%}",
        "check p50 (ms)": round(1000 * p50(checks), 1),
        "repair p50 (ms)": round(1000 * p50(repairs), 1),
        "worst (ms)": round(1000 * max(repairs), 1),
        "unproven": unproven,
        "memory (MB)": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_UNIT / 1024
        ),
        "": judged(ok),
    }


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="sequences for each row")
    parser.add_argument(
        "--full", action="store_true", help="all sizes against each other; takes an hour"
    )
    options = parser.parse_args()
    found = [measured(wanted, broken_cases(wanted, options.seeds)) for wanted in rows(options.full)]
    print(table(list(found[0]), [list(row.values()) for row in found]))
    ok = all(row[""] == "ok" for row in found)
    worst = max(float(str(row["worst (ms)"])) for row in found) / 1000
    print(
        f"\nall proven optimal, the worst in {worst:.1f} s, must be <= {SECONDS:g} s: {judged(ok)}"
    )
    write_json(options.json, found)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
