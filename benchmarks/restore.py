"""
How many sequences with one broken token the repair restores exactly.

    python benchmarks/restore.py [--seed N] [--kinds a,b] [--limit N] [--misses [KIND]] [--json FILE]

Exits with 1 when a figure of the contract is missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict, dataclass, field

from canonical import canonical, digests, filled_silently, is_confirmed, is_restored
from mutations import EXTRA_KINDS, KINDS, Mutation, mutate
from nestful_data import Case, load_cases, refractor_of
from refract_asp.model import RepairResult, Sequence
from tables import judged, options_of, percent, table, write_json

MUST_IN_ALL = 0.98
MUST_PER_KIND = 0.95
WITH_ALTERNATIVES = ("missing_step", "missing_reference")


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What the repair made of one mutation.

    Attributes:
        how: "exact", "alternative" (an equally cheap repair is the original), "confirmed" (a lost
            constant was filled and has to be confirmed), or the empty text for a miss.
        silent: parameters whose lost constants were filled without ask or confirm.
        unsound: whether the answer was called repaired and `check` finds fault with it.
    """

    case: Case
    mutation: Mutation
    result: RepairResult
    how: str
    silent: tuple[str, ...] = ()
    unsound: bool = False

    @property
    def restored(self) -> bool:
        """Whether the mutation counts as restored."""
        return self.how in ("exact", "alternative")


@dataclass
class Tally:
    """The outcomes, and the gold sequences that were left out because `check` flags them."""

    outcomes: list[Outcome] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def equally_cheap(result: RepairResult) -> list[Sequence]:
    """Return the other repairs of the same cost."""
    return [other.sequence for other in result.alternatives if other.total == result.total]


def judge(result: RepairResult, mutation: Mutation) -> str:
    """Say how the mutation was restored, with the empty text for a miss."""
    if is_restored(result.sequence, mutation):
        return "exact"
    if mutation.kind in WITH_ALTERNATIVES and any(is_restored(s, mutation) for s in equally_cheap(result)):
        return "alternative"
    return "confirmed" if is_confirmed(result, mutation) else ""


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
            result = refractor.repair(mutation.broken)
            again = refractor.check(result.sequence).verdict
            tally.outcomes.append(
                Outcome(
                    case,
                    mutation,
                    result,
                    how=judge(result, mutation),
                    silent=tuple(filled_silently(result, mutation)),
                    unsound=result.verdict == "repaired" and again != "valid",
                )
            )
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
    return [*rows, summary("the seven", [o for o in tally.outcomes if o.mutation.kind in KINDS])]


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

    share("restored, the seven kinds", [o for o in tally.outcomes if o.mutation.kind in KINDS], MUST_IN_ALL)
    for kind in kinds:
        share(f"restored, {kind}", [o for o in tally.outcomes if o.mutation.kind == kind], MUST_PER_KIND)
    valid = sum(o.result.verdict == "valid" for o in tally.outcomes)
    silent = sum(bool(o.silent) for o in tally.outcomes if o.mutation.kind == "lost_constant")
    unsound = sum(o.unsound for o in tally.outcomes)
    found.append(("broken and called valid", str(valid), "none", valid == 0))
    found.append(("lost constants filled silently", str(silent), "none", silent == 0))
    found.append(("called repaired, flagged by check", str(unsound), "none", unsound == 0))
    return found


def miss_text(outcome: Outcome) -> str:
    """Print one miss: what was broken, what came back, what was wanted."""
    mutation, result = outcome.mutation, outcome.result
    informed = "" if mutation.informed else "  [the information is lost]"
    lines = [f"== {mutation.kind} {mutation.variant} {outcome.case.key}{informed}", f"   {mutation.what}"]
    if mutation.note:
        lines.append(f"   {mutation.note}")
    flags = ["optimal" if result.optimal else "NOT OPTIMAL"]
    flags += ["ambiguous"] * result.ambiguous + [f"silently filled: {p}" for p in outcome.silent]
    lines.append(f"   verdict {result.verdict}; {', '.join(flags)}; cost {result.cost}")
    lines.append(result.diff().rstrip() or "  (no difference)")
    missing = canonical(mutation.wanted) - canonical(result.sequence)
    for digest, call in zip(digests(mutation.wanted), mutation.wanted.calls, strict=True):
        if digest in missing:
            lines.append(f"wanted: {Sequence(calls=(call,))}")
    return "\n".join(lines)


def main() -> int:
    """Run from the command line; 1 when a figure is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS + EXTRA_KINDS), help="separated by commas")
    parser.add_argument("--limit", type=int, help="sequences of each data set")
    parser.add_argument("--misses", nargs="?", const="all", metavar="KIND", help="print every miss")
    parser.add_argument("--informed", action="store_true", help="only misses that could be known")
    options = parser.parse_args()
    kinds = tuple(options.kinds.split(","))
    if unknown := set(kinds) - set(KINDS + EXTRA_KINDS):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}; known: {', '.join(KINDS + EXTRA_KINDS)}")

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
            "misses": [_miss_data(o) for o in misses],
        },
    )
    return 0 if all(ok for *_, ok in kept) else 1


def _miss_data(outcome: Outcome) -> dict[str, object]:
    mutation, result = outcome.mutation, outcome.result
    return {
        "case": outcome.case.key,
        "kind": mutation.kind,
        "variant": mutation.variant,
        "informed": mutation.informed,
        "what": mutation.what,
        "note": mutation.note,
        "verdict": result.verdict,
        "how": outcome.how,
        "answer": str(result.sequence).splitlines(),
        "wanted": str(mutation.wanted).splitlines(),
    }


if __name__ == "__main__":
    sys.exit(main())
