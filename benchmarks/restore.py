"""
How many sequences with one broken token the repair restores exactly.

    python benchmarks/restore.py [--seed N] [--kinds a,b] [--limit N] [--misses [KIND]] [--json FILE]

Exits with 1 when a figure of the contract is missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict, dataclass, field

from nestful_data import Case, load_cases, refractor_of
from refract_asp.bench.evaluation.outcomes import Outcome, miss_data, miss_text, outcome_of
from refract_asp.bench.mutations import SEVEN, mutate
from tables import judged, options_of, percent, table, write_json

MUST_IN_ALL = 0.98
MUST_PER_KIND = 0.95
KINDS = (*SEVEN, "missing_step", "lost_constant")
WITH_ALTERNATIVES = ("missing_step", "missing_reference")


@dataclass
class Tally:
    """The outcomes, and the gold sequences that were left out because `check` flags them."""

    outcomes: list[Outcome] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def run(cases: list[Case], kinds: tuple[str, ...], seed: int) -> Tally:
    """Break each sequence once per kind and repair it."""
    tally = Tally()
    for case in cases:
        refractor = refractor_of(case.name)
        if refractor.check(case.sequence).verdict != "valid":
            tally.left_out.append(case.key)
            continue
        for kind in kinds:
            mutation = mutate(case.sequence, case.catalog, kind, f"{seed}:{case.name}:{case.index}")
            if mutation is None:
                continue
            alternatives = kind in WITH_ALTERNATIVES
            tally.outcomes.append(outcome_of(refractor, case.key, mutation, alternatives=alternatives))
    return tally


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over the outcomes of one kind, or of several under one name; a split is (restored, of)."""

    kind: str
    n: int
    informed: int
    restored: int
    restored_informed: int
    by_alternative: int
    confirmed: int
    called_valid: int
    silently_filled: int
    unsound: int
    unproven: int
    splits: dict[str, tuple[int, int]]
    verdicts: dict[str, int]

    def line(self) -> list[object]:
        """Return the cells of the table's line, as `HEAD` names them."""
        splits = [f"{good}/{n}" if n else "-" for good, n in self.splits.values()]
        counts = [self.by_alternative, self.confirmed, self.called_valid, self.silently_filled]
        return [
            self.kind, self.n, self.restored, percent(self.restored, self.n),
            self.informed, self.restored_informed, percent(self.restored_informed, self.informed),
            *splits, *counts, self.unsound, self.unproven,
            " ".join(f"{name}={count}" for name, count in self.verdicts.items()),
        ]  # fmt: skip


HEAD = (
    "kind", "n", "restored", "of all", "informed", "restored", "of informed",
    "misspelt", "invented", "required", "optional",
    "alternative", "confirmed", "valid!", "silent", "unsound", "unproven", "verdicts",
)  # fmt: skip


def summary(kind: str, outcomes: list[Outcome]) -> Summary:
    """Count the outcomes."""

    def split(chosen: list[Outcome]) -> tuple[int, int]:
        return sum(o.restored for o in chosen), len(chosen)

    informed = split([o for o in outcomes if o.mutation.informed])
    return Summary(
        kind=kind,
        n=len(outcomes),
        informed=informed[1],
        restored=sum(o.restored for o in outcomes),
        restored_informed=informed[0],
        by_alternative=sum(o.how == "alternative" for o in outcomes),
        confirmed=sum(o.how == "confirmed" for o in outcomes),
        called_valid=sum(o.result.verdict == "valid" for o in outcomes),
        silently_filled=sum(bool(o.silent) for o in outcomes),
        unsound=sum(o.unsound for o in outcomes),
        unproven=sum(not o.result.optimal for o in outcomes),
        splits={
            "misspelt": split([o for o in outcomes if o.mutation.variant == "misspelt"]),
            "invented": split([o for o in outcomes if o.mutation.variant == "invented"]),
            "required": split([o for o in outcomes if o.mutation.required is True]),
            "optional": split([o for o in outcomes if o.mutation.required is False]),
        },
        verdicts=dict(sorted(Counter(o.result.verdict for o in outcomes).items())),
    )


def summaries(tally: Tally, kinds: tuple[str, ...]) -> list[Summary]:
    """Count by kind; the row "the seven" holds the kinds of the contract together."""
    rows = [summary(kind, [o for o in tally.outcomes if o.mutation.kind == kind]) for kind in kinds]
    return [*rows, summary("the seven", [o for o in tally.outcomes if o.mutation.kind in SEVEN])]


def figures(tally: Tally, kinds: tuple[str, ...]) -> list[tuple[str, str, str, bool]]:
    """Return every figure of the contract: name, measured, bound, whether it is kept."""
    found: list[tuple[str, str, str, bool]] = []

    def share(name: str, outcomes: list[Outcome], must: float) -> None:
        informed = [o for o in outcomes if o.mutation.informed]
        # A lost constant that is confirmed is as good as one that is asked for.
        good = sum(o.restored or o.how == "confirmed" for o in informed)
        n = len(informed)
        if n:
            found.append((name, f"{percent(good, n)} ({good} of {n})", f">= {must:.0%}", good >= must * n))

    share("restored, the seven kinds", [o for o in tally.outcomes if o.mutation.kind in SEVEN], MUST_IN_ALL)
    for kind in kinds:
        share(f"restored, {kind}", [o for o in tally.outcomes if o.mutation.kind == kind], MUST_PER_KIND)
    valid = sum(o.result.verdict == "valid" for o in tally.outcomes)
    silent = sum(bool(o.silent) for o in tally.outcomes if o.mutation.kind == "lost_constant")
    unsound = sum(o.unsound for o in tally.outcomes)
    found.append(("broken and called valid", str(valid), "none", valid == 0))
    found.append(("lost constants filled silently", str(silent), "none", silent == 0))
    found.append(("called repaired, flagged by check", str(unsound), "none", unsound == 0))
    return found


def main() -> int:
    """Run from the command line; 1 when a figure is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--limit", type=int, help="sequences of each data set")
    parser.add_argument("--misses", nargs="?", const="all", metavar="KIND", help="print every miss")
    parser.add_argument("--informed", action="store_true", help="only misses that could be known")
    options = parser.parse_args()
    kinds = tuple(options.kinds.split(","))
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}; known: {', '.join(KINDS)}")

    tally = run(load_cases(limit=options.limit), kinds, options.seed)
    rows = summaries(tally, kinds)
    misses = [o for o in tally.outcomes if not o.restored]
    if options.misses:
        for outcome in misses:
            chosen = options.misses in ("all", outcome.mutation.kind)
            if chosen and (outcome.mutation.informed or not options.informed):
                print(miss_text(outcome), end="\n\n")
    print(table(HEAD, [row.line() for row in rows]))
    print(f"\nleft out, flagged by check ({len(tally.left_out)}): {', '.join(tally.left_out) or 'none'}\n")
    kept = figures(tally, kinds)
    print(table(("figure", "measured", "must", ""), [(n, m, b, judged(ok)) for n, m, b, ok in kept]))
    write_json(
        options.json,
        {
            "seed": options.seed,
            "rows": [asdict(row) for row in rows],
            "left_out": tally.left_out,
            "figures": [{"name": n, "measured": m, "must": b, "ok": ok} for n, m, b, ok in kept],
            "misses": [miss_data(o) for o in misses],
        },
    )
    return 0 if all(ok for *_, ok in kept) else 1


if __name__ == "__main__":
    sys.exit(main())
