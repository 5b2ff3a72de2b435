"""
One repair of long sequences with many broken calls: wall time, proof of the optimum, verdict.

    python benchmarks/scale.py [--calls 180] [--share 0.3] [--seeds 6] [--json FILE]

Exits with 1 when a repair takes longer than the bound or is not proven optimal.
"""

from __future__ import annotations

import random
import sys
import time

from inputs import break_many, catalog_of, long_sequence, refractor_of, valid_gold
from measuring import Figure, finished, options_of, table_of
from refract_asp.model.comparison import canonical


def main() -> int:
    options = options_of(__doc__, calls=180, share=0.3, seeds=6).parse_args()
    refractor, gold = refractor_of("executable"), valid_gold(("executable",))
    refractor.repair(gold[0].sequence)
    found: list[dict[str, object]] = []
    times, unproven = [], 0
    for seed in range(options.seeds):
        rng = random.Random(f"scale:{seed}")
        wanted = long_sequence(gold, options.calls, rng)
        broken = break_many(wanted, catalog_of("executable"), options.share, rng)
        start = time.perf_counter()
        result = refractor.repair(broken)
        times.append(time.perf_counter() - start)
        unproven += not result.optimal
        found.append(
            {
                "seed": seed,
                "calls": len(broken.calls),
                "seconds": round(times[-1], 3),
                "optimal": result.optimal,
                "verdict": result.verdict,
                "calls as wanted": (canonical(result.sequence) & canonical(wanted)).total(),
                "unresolved": len(result.unresolved),
                "asks": len(result.asks),
            }
        )
    print(table_of(found))
    figures = [
        Figure(f"the worst of {options.seeds} (s)", max(times), "<=", 1.5),
        Figure("not proven optimal", unproven, "==", 0, str(unproven)),
    ]
    return finished(options.json, figures, rows=found)


if __name__ == "__main__":
    sys.exit(main())
