"""
How many of the 400 sequences with a generated error are detected, and repaired to the given gold.

    python benchmarks/generated.py [--calls-only] [--kinds a,b] [--misses [KIND]] [--json FILE]

Exits with 1 when a figure of the contract is missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict, dataclass

from generated_data import INDUCED, Row, load_rows
from nestful_data import telling_refractor_of
from outcomes import Outcome, miss_data, miss_text, outcome_of
from refract_asp.model import Violation
from tables import judged, options_of, percent, table, write_json

MUST_BE_RESTORED = 0.9


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and what the repair made of it; detected: a violation is found that its gold has not."""

    row: Row
    outcome: Outcome
    detected: bool

    @property
    def how(self) -> str:
        """How it was restored; "asked" where the gold came back with asks for what is lost of it."""
        how = self.outcome.how
        asks = len(self.outcome.result.sequence.asks) - len(self.outcome.mutation.expected.asks)
        return "asked" if how == "exact" and asks > 0 else how


def judge(row: Row) -> Judged:
    """Repair the broken sequence of a row."""
    outcome = outcome_of(telling_refractor_of(row.source), row.key, row.mutation, alternatives=True)
    result = outcome.result
    more = Counter(map(_said, result.violations)) - Counter(map(_said, row.flaws))
    return Judged(row, outcome, detected=result.verdict != "valid" and bool(more))


def _said(violation: Violation) -> tuple[str, str, str | None, str | None]:
    """Return what a violation says wherever its call stands."""
    return violation.code, violation.tool, violation.parameter, violation.given


@dataclass(frozen=True, slots=True)
class Summary:
    """
    Counts over the rows of one kind, or of all; a split is (restored, of).

    `unasked` counts misses that are called repaired: nothing is asked or to be confirmed.
    """

    kind: str
    n: int
    detected: int
    restored: int
    exact: int
    alternative: int
    asked: int
    confirmed: int
    unasked: int
    silently_filled: int
    unsound: int
    unproven: int
    splits: dict[str, tuple[int, int]]
    verdicts: dict[str, int]

    def line(self) -> list[object]:
        """Return the cells of the table's line, as `HEAD` names them."""
        splits = [f"{good}/{n}" if n else "-" for good, n in self.splits.values()]
        hows = [self.exact, self.alternative, self.asked, self.confirmed]
        return [
            self.kind, self.n, self.detected, self.restored, percent(self.restored, self.n), *hows,
            *splits, self.unasked, self.silently_filled, self.unsound, self.unproven,
            " ".join(f"{name}={count}" for name, count in self.verdicts.items()),
        ]  # fmt: skip


HEAD = (
    "kind", "n", "detected", "restored", "of all", "exact", "alternative", "asked", "(confirmed)",
    "executable", "glaive", "sound gold", "unasked", "silent", "unsound", "unproven", "verdicts",
)  # fmt: skip


def summary(kind: str, found: list[Judged]) -> Summary:
    """Count the rows."""

    def split(chosen: list[Judged]) -> tuple[int, int]:
        return sum(j.outcome.restored for j in chosen), len(chosen)

    hows = Counter(j.how for j in found)
    return Summary(
        kind=kind,
        n=len(found),
        detected=sum(j.detected for j in found),
        restored=sum(j.outcome.restored for j in found),
        exact=hows["exact"],
        alternative=hows["alternative"],
        asked=hows["asked"],
        confirmed=hows["confirmed"],
        unasked=sum(not j.how and j.outcome.result.verdict == "repaired" for j in found),
        silently_filled=sum(bool(j.outcome.silent) for j in found),
        unsound=sum(j.outcome.unsound for j in found),
        unproven=sum(not j.outcome.result.optimal for j in found),
        splits={
            "executable": split([j for j in found if j.row.source == "executable"]),
            "glaive": split([j for j in found if j.row.source == "glaive"]),
            "sound": split([j for j in found if not j.row.mended]),
        },
        verdicts=dict(sorted(Counter(j.outcome.result.verdict for j in found).items())),
    )


def figures(found: list[Judged]) -> list[tuple[str, str, str, bool]]:
    """Return every figure of the contract: name, measured, bound, whether it is kept."""
    n = len(found)
    detected = sum(j.detected for j in found)
    restored = sum(j.outcome.restored for j in found)
    unsound = sum(j.outcome.unsound for j in found)
    measured = f"{percent(restored, n)} ({restored} of {n})"
    return [
        ("detected", f"{detected} of {n}", "all", detected == n),
        ("restored", measured, f">= {MUST_BE_RESTORED:.0%}", restored >= MUST_BE_RESTORED * n),
        ("called repaired, flagged by check", str(unsound), "none", unsound == 0),
    ]


def main() -> int:
    """Run from the command line; 1 when a figure is missed."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--calls-only", action="store_true", help="leave out what the sequences return"
    )
    parser.add_argument("--kinds", default=",".join(INDUCED), help="separated by commas")
    parser.add_argument("--misses", nargs="?", const="all", metavar="KIND", help="print every miss")
    options = parser.parse_args()
    kinds = tuple(options.kinds.split(","))
    if unknown := set(kinds) - set(INDUCED):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}; known: {', '.join(INDUCED)}")

    found = [judge(row) for row in load_rows(options.calls_only) if row.induced in kinds]
    misses = [j for j in found if not (j.outcome.restored and j.detected)]
    for miss in misses:
        if options.misses in ("all", miss.row.induced):
            print(miss_text(miss.outcome), end="\n\n")
    rows = [summary(kind, [j for j in found if j.row.induced == kind]) for kind in kinds]
    rows.append(summary("together", found))
    print(table(HEAD, [row.line() for row in rows]))
    flagged = [j.row.key for j in found if j.row.flaws]
    without = sum(j.row.calls_only for j in found)
    print(f"\ngold flagged by check ({len(flagged)}): {', '.join(flagged) or 'none'}")
    print(f"judged without what they return: {without}")
    print(
        f"compared with the repair of the gold, which no repair can be: {sum(j.row.mended for j in found)}\n"
    )
    kept = figures(found)
    print(
        table(("figure", "measured", "must", ""), [(n, m, b, judged(ok)) for n, m, b, ok in kept])
    )
    write_json(
        options.json,
        {
            "calls_only": options.calls_only,
            "rows": [asdict(row) for row in rows],
            "flagged": flagged,
            "figures": [{"name": n, "measured": m, "must": b, "ok": ok} for n, m, b, ok in kept],
            "misses": [
                {**miss_data(j.outcome), "row": j.row.index, "detected": j.detected} for j in misses
            ],
        },
    )
    return 0 if all(ok for *_, ok in kept) else 1


if __name__ == "__main__":
    sys.exit(main())
