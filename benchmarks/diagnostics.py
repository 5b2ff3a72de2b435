"""
Diagnostics of broken sequences: what they take beyond `check`, and whether they say what was meant.

    python benchmarks/diagnostics.py [--repeat 200] [--seed N] [--json FILE]

Timed are sequences of ten calls, joined from NESTFUL gold, in half of which a token is broken. What was
meant is looked for in gold with one broken token: among the suggestions, and in the change that is told; by
`check` alone, with fuzzy suggestions, and of a repair. Exits with 1 when the bound is missed.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from functools import partial

from inputs import break_many, catalog_of, long_sequence, refractor_of, valid_gold
from measuring import Figure, Works, finished, in_turns, options_of, p50, p95, table
from refract_asp.bench.mutations import Mutation, mutate
from refract_asp.bench.mutations.mutation import reads_of
from refract_asp.model.diagnostic import Diagnostic, Limits

# What has a name that was meant.
KINDS = ("tool_name", "parameter_name", "made_up_label", "made_up_field")
MILLISECONDS = 10.0


def meant(mutation: Mutation) -> str:
    """Return the token that was broken, as it stood there."""
    token = mutation.token
    if mutation.kind == "tool_name":
        return mutation.expected.calls[token.call].name
    if mutation.kind == "parameter_name":
        return token.parameter or ""
    reads = reads_of(mutation.expected)
    where = (token.call, token.parameter, token.slot)
    return next(str(read.reference) for read in reads if read[:3] == where)


def count(kind: str, seed: int) -> Counter[str]:
    """Count how often what was meant is suggested, and told as the change."""
    found: Counter[str] = Counter()
    for gold in valid_gold():
        mutation = mutate(gold.sequence, gold.catalog, kind, f"{seed}:{gold.name}:{gold.index}")
        if mutation is None:
            continue
        wanted, refractor = meant(mutation), refractor_of(gold.name)

        def changes(all_of_them: list[Diagnostic], wanted: str = wanted) -> bool:
            return any((each.fix or "").endswith(f" to {wanted}") for each in all_of_them)

        report = refractor.check(mutation.broken)
        fuzzy = report.diagnostics(Limits(fuzzy=True))
        found["n"] += 1
        found["suggested"] += any(wanted in each.suggestions for each in report.diagnostics())
        found["fuzzy"] += any(wanted in each.suggestions for each in fuzzy)
        found["change of check"] += changes(report.diagnostics())
        found["change of repair"] += changes(refractor.repair(mutation.broken).diagnostics())
    return found


def main() -> int:
    options = options_of(__doc__, repeat=200, seed=0).parse_args()
    refractor, gold = refractor_of("executable"), valid_gold(("executable",))
    broken = []
    for number in range(50):
        rng = random.Random(f"diagnostics:{options.seed}:{number}")
        joined = long_sequence(gold, 10, rng)
        broken.append(break_many(joined, catalog_of("executable"), 0.5, rng))

    def works(turn: int) -> Works:
        sequence = broken[turn % len(broken)]
        report = refractor.check(sequence)
        found = report.diagnostics()
        return {
            "check": partial(refractor.check, sequence),
            "diagnostics": report.diagnostics,
            "their text": lambda: [str(each) for each in found],
        }

    figures = []
    for name, each in in_turns(options.repeat, works).items():
        told = f"p50 {1000 * p50(each):.2f}; p95 {1000 * p95(each):.2f}"
        sign = "<=" if name == "diagnostics" else ""
        figures.append(Figure(f"{name} (ms, p95)", 1000 * p95(each), sign, MILLISECONDS, told))
    counts = {kind: count(kind, options.seed) for kind in KINDS}
    shares = [
        (kind, *(f"{n / found['n']:.1%}" if name != "n" else n for name, n in found.items()))
        for kind, found in counts.items()
    ]
    print(table(("what was meant", *counts["tool_name"]), shares))
    return finished(options.json, figures, meant=counts)


if __name__ == "__main__":
    sys.exit(main())
