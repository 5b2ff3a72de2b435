"""
Traces with calls that were made again: what `compress` leaves, and how long that takes.

    python benchmarks/fewer.py [--calls 30] [--seeds 20] [--json FILE]

Exits with 1 when a trace takes longer than the bound, or does not come back as it was before the calls
that do nothing new were put in.
"""

from __future__ import annotations

import random
import sys
import time

from inputs import catalog_of, long_sequence, refractor_of, renamed, valid_gold
from measuring import Figure, finished, options_of, p50, table_of
from refract_asp import Catalog, Sequence
from refract_asp.model import Call
from refract_asp.model.comparison import canonical

ROUNDS = 5


def thrashed(sequence: Sequence, catalog: Catalog, length: int, rng: random.Random) -> Sequence:
    """Put copies and failed attempts into a sequence until it has `length` calls; some copies are read."""
    spots = rng.sample(range(len(sequence.calls)), length - len(sequence.calls))
    calls: list[Call] = []
    copies: dict[str, str] = {}
    for number, given in enumerate(sequence.calls):
        call = given.model_copy(update={"arguments": renamed(given, copies, rng)})
        declared = catalog.by_name[call.name].parameters
        required = [name for name in call.arguments if name in declared and declared[name].required]
        if number in spots and required and rng.random() < 0.5:
            lost = rng.choice(required)
            kept = {name: source for name, source in call.arguments.items() if name != lost}
            calls.append(call.model_copy(update={"arguments": kept, "label": f"try{number}"}))
            calls.append(call)
        else:
            calls.append(call)
            if number in spots:
                calls.append(call.model_copy(update={"label": f"again{number}"}))
                copies[call.label or ""] = f"again{number}"
    return Sequence(calls=tuple(calls))


def main() -> int:
    options = options_of(__doc__, calls=30, seeds=20).parse_args()
    refractor, gold = refractor_of("executable"), valid_gold(("executable",))
    found: list[dict[str, object]] = []
    slowest, wrong = 0.0, 0
    for seed in range(options.seeds):
        rng = random.Random(f"fewer:{seed}")
        wanted = refractor.compress(long_sequence(gold, options.calls * 2 // 3, rng)).sequence
        length = min(options.calls, 2 * len(wanted.calls))
        trace = thrashed(wanted, catalog_of("executable"), length, rng)
        took = []
        for _ in range(ROUNDS):
            start = time.process_time()
            result = refractor.compress(trace)
            took.append(time.process_time() - start)
        same = canonical(result.sequence) == canonical(wanted)
        slowest, wrong = max(slowest, 1000 * p50(took)), wrong + (not (same and result.optimal))
        sizes = {"calls": len(trace.calls), "wanted": len(wanted.calls)}
        left = {"left": len(result.sequence.calls), "same": same, "ms": round(1000 * p50(took), 1)}
        found.append({"seed": seed, **sizes, **left})
    print(table_of(found))
    figures = [
        Figure(f"the slowest of {len(found)} (ms of the processor)", slowest, "<=", 100.0),
        Figure("not as they were", wrong, "==", 0, str(wrong)),
    ]
    return finished(options.json, figures, rows=found)


if __name__ == "__main__":
    sys.exit(main())
