"""
How check and repair grow: catalogs of 10 to 10,000 tools, sequences of 1 to 300 calls, 0 to 50 % broken.

    python benchmarks/sizes.py [--seeds 3] [--json FILE]

Two things are varied at a time, the others are as in the middle. Exits with 1 when a repair is not proven
optimal, or takes more than the bound.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from inputs import break_many, catalog_of_size
from measuring import Figure, finished, options_of, p50, table_of
from refract_asp import Refractor, Sequence
from refract_asp.bench.generating import COUPLINGS, Dials, from_catalog, generate
from refract_asp.bench.generating.cases import Coupling

TOOLS = (10, 100, 1000, 4000, 10_000)
CALLS = (1, 10, 30, 100, 300)
SHARES = (0.0, 0.1, 0.3, 0.5)
# No repair may take longer, whatever is broken.
SECONDS = 30.0


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


def wanted_sizes() -> list[Sizes]:
    """Return what is measured, small catalogs first."""
    wanted = [Sizes("made", tools, calls) for tools in TOOLS for calls in (1, 10, 30)]
    wanted += [each._replace(source="seal") for each in wanted]
    wanted += [Sizes(calls=calls, coupling=each) for calls in CALLS for each in COUPLINGS]
    wanted += [Sizes(calls=calls, broken=each) for calls in CALLS for each in SHARES]
    return sorted(set(wanted))


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
        else:  # half of the tools are left as distractors
            reuse = 1 - min(1.0, wanted.tools / 2 / wanted.calls)
            sizes = {"tools": wanted.tools, "calls": wanted.calls}
            case = generate(Dials(**sizes, coupling=wanted.coupling, reuse=reuse), seed)
            refractor = Refractor(case.catalog)
        share = max(wanted.broken, 1 / wanted.calls) if wanted.broken else 0.0
        rng = random.Random(f"sizes:{wanted}:{seed}")
        yield refractor, break_many(case.sequence, case.catalog, share, rng)


def main() -> int:
    options = options_of(__doc__, seeds=3).parse_args()
    found: list[dict[str, object]] = []
    worst, unproven = 0.0, 0
    for wanted in wanted_sizes():
        checks, repairs = [], []
        for refractor, sequence in broken_cases(wanted, options.seeds):
            refractor.repair(sequence.model_copy(update={"calls": sequence.calls[:1]}))  # warms up
            start = time.perf_counter()
            refractor.check(sequence)
            middle = time.perf_counter()
            unproven += not refractor.repair(sequence, time_limit=2 * SECONDS).optimal
            repairs.append(time.perf_counter() - middle)
            checks.append(middle - start)
        worst = max(worst, *repairs)
        times = {
            "check p50 (ms)": round(1000 * p50(checks), 1),
            "repair p50 (ms)": round(1000 * p50(repairs), 1),
            "worst (ms)": round(1000 * max(repairs), 1),
        }
        found.append({**wanted._asdict(), **times})
    print(table_of(found))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"\npeak memory: {memory / (2**20 if sys.platform == 'darwin' else 2**10):.0f} MB")
    figures = [
        Figure("the worst repair (s)", worst, "<=", SECONDS),
        Figure("not proven optimal", unproven, "==", 0, str(unproven)),
    ]
    return finished(options.json, figures, rows=found)


if __name__ == "__main__":
    sys.exit(main())
