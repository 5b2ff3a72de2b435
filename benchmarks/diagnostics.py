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
from dataclasses import asdict, dataclass

from nestful_data import Case, catalog_of, load_cases, refractor_of
from refract_asp import Report, Sequence
from refract_asp.bench.mutations import Mutation, mutate
from refract_asp.bench.mutations.mutation import reads_of
from refract_asp.model.diagnostic import Diagnostic, Limits
from scale import break_many, long_sequence
from tables import judged, options_of, p50, p95, table, write_json
from units import WARM_UP, seconds, valid_cases

CALLS = 10
BOUND = 10.0
"""Milliseconds beyond `check`, the 95th percentile."""
KINDS = ("tool_name", "parameter_name", "made_up_label", "made_up_field")
"""What has a name that was meant."""
FUZZY = Limits(fuzzy=True)


@dataclass(frozen=True, slots=True)
class Time:
    """What something takes in milliseconds, the median and the 95th percentile, and its bound."""

    name: str
    p50: float
    p95: float
    bound: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the bound is kept."""
        return self.bound is None or self.p95 <= self.bound


def ten_calls(seed: int, count: int) -> list[Sequence]:
    """Return broken sequences of ten calls."""
    cases = [case for case in load_cases(("executable",)) if case in valid_cases()]
    catalog = catalog_of("executable")
    found = []
    for number in range(count):
        rng = random.Random(f"diagnostics:{seed}:{number}")
        found.append(break_many(long_sequence(cases, CALLS, rng), catalog, 0.5, rng)[0])
    return found


def measure(broken: list[Sequence], repeat: int) -> list[Time]:
    """Time `check`, then the diagnostics of its report, then their texts."""
    refractor = refractor_of("executable")
    times: dict[str, list[float]] = {"check": [], "diagnostics": [], "their text": []}
    for turn in range(-WARM_UP, repeat):
        sequence = broken[turn % len(broken)]
        report = refractor.check(sequence)
        found = report.diagnostics()
        took = {
            "check": seconds(refractor.check, sequence),
            "diagnostics": seconds(report.diagnostics),
            "their text": seconds(lambda all_of_them=found: [str(each) for each in all_of_them]),
        }
        if turn >= 0:
            for name, value in took.items():
                times[name].append(value * 1000)
    bounds = {"diagnostics": BOUND}
    return [
        Time(name, p50(values), p95(values), bounds.get(name)) for name, values in times.items()
    ]


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


def count(cases: list[Case], seed: int) -> dict[str, Counter[str]]:
    """Count for each kind how often what was meant is suggested, and told as the change."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for case in cases:
        refractor = refractor_of(case.name)
        for kind in KINDS:
            mutation = mutate(case.sequence, case.catalog, kind, f"{seed}:{case.name}:{case.index}")
            if mutation is None:
                continue
            wanted, found = meant(mutation), counts[kind]
            report = refractor.check(mutation.broken)
            found["n"] += 1
            found["suggested"] += any(wanted in each.suggestions for each in report.diagnostics())
            found["fuzzy"] += any(wanted in each.suggestions for each in report.diagnostics(FUZZY))
            found["changed"] += any(_changes(each, wanted) for each in report.diagnostics())
            repaired: Report = refractor.repair(mutation.broken)
            found["repair"] += any(_changes(each, wanted) for each in repaired.diagnostics())
    return counts


def _changes(diagnostic: Diagnostic, wanted: str) -> bool:
    return (diagnostic.fix or "").endswith(f" to {wanted}")


def main() -> int:
    """Run from the command line; 1 when the bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    figures = measure(ten_calls(options.seed, 50), options.repeat)
    counts = count(valid_cases(), options.seed)
    rows = [
        (f.name, f"{f.p50:.2f}", f"{f.p95:.2f}", f"<= {f.bound:g}" if f.bound else "", judged(f.ok))
        for f in figures
    ]
    print(
        table((f"ms, {CALLS} calls, half of them broken", "p50", "p95", "must (p95)", ""), rows),
        end="\n\n",
    )
    head = ("what was meant", "n", "suggested", "fuzzy", "change of check", "change of repair")
    shares = [
        (
            kind,
            found["n"],
            *(
                f"{found[key] / found['n']:.1%}"
                for key in ("suggested", "fuzzy", "changed", "repair")
            ),
        )
        for kind, found in counts.items()
    ]
    print(table(head, shares))
    write_json(options.json, {"times": [asdict(f) for f in figures], "meant": counts})
    return 0 if all(f.ok for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
