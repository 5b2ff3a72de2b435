"""
How many broken sequences the repair restores exactly: one token of each kind, and several kinds mixed.

Kinds for which NESTFUL has few places are broken in sequences made over other catalogs, too (`--made`).

    python benchmarks/restore.py [--seed N] [--kinds a,b] [--mix N] [--misses [KIND]] [--jobs N] [--json FILE]

Exits with 1 when a figure of the contract is missed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, zip_longest

from made_data import FEW, made_cases, made_refractor
from nestful_data import Case, load_cases, telling_refractor_of
from outcomes import Outcome, miss_data, miss_text, outcome_of
from refract_asp import Refractor
from refract_asp.bench.mutations import KINDS, SEVEN, Mutation, mutate, mutate_many
from tables import judged, options_of, percent, table, write_json

MUST_OF_THE_SEVEN = 0.98
MUST_IN_ALL = 0.97
MUST_PER_KIND = 0.95
MUST_BE_ASKED = 0.97
MUST_OF_MIXES = 0.9
WITH_ALTERNATIVES = frozenset({"missing_step", "missing_reference"})
"""Where only idleness speaks for what was lost, an equally cheap repair counts too."""
MIXES = 2
"""How many mixes are made of each sequence."""
HARMLESS = frozenset(kind.name for kind in KINDS.values() if kind.family == "harmless")


@dataclass
class Tally:
    """The outcomes, and the gold sequences that were left out because `check` flags them."""

    outcomes: list[Outcome] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Work:
    """
    What is broken and repaired, by one process or several.

    Attributes:
        load: gives the sequences.
        refractor: gives what repairs those of a data set.
        kinds: how they are broken, once for each.
        mixed: so many kinds at once besides; 0 is none.
        seed: that of what is drawn.
    """

    load: Callable[[], list[Case]]
    refractor: Callable[[str], Refractor]
    kinds: tuple[str, ...]
    mixed: int
    seed: int

    def share(self, start: int, step: int) -> list[list[Outcome] | str]:
        """Return the outcomes of every so many-th sequence, or the key of one that `check` flags."""
        return [self.outcomes(case) for case in self.load()[start::step]]

    def outcomes(self, case: Case) -> list[Outcome] | str:
        """Break one sequence once per kind, and twice by several kinds at once, and repair it."""
        refractor = self.refractor(case.name)
        if refractor.check(case.sequence).verdict != "valid":
            return case.key
        found = []
        for mutation in mutations(case, self.kinds, self.seed, self.mixed):
            alternatives = bool(
                WITH_ALTERNATIVES & {part.kind for part in mutation.parts or (mutation,)}
            )
            found.append(outcome_of(refractor, case.key, mutation, alternatives=alternatives))
        return found


def run(work: Work, jobs: int) -> Tally:
    """Do the work in so many processes; the tally is in the order of the sequences."""
    with ProcessPoolExecutor(jobs) as pool:
        shares = pool.map(work.share, range(jobs), [jobs] * jobs)
        turns = zip_longest(*shares)
    tally = Tally()
    for each in chain.from_iterable(turns):
        if isinstance(each, str):
            tally.left_out.append(each)
        else:
            tally.outcomes += each or ()
    return tally


def mutations(case: Case, kinds: tuple[str, ...], seed: int, mixed: int) -> list[Mutation]:
    """Return what is broken in one sequence; kinds of which it has no place are left out."""
    found = [
        mutate(case.sequence, case.catalog, kind, f"{seed}:{case.name}:{case.index}")
        for kind in kinds
    ]
    for number in range(MIXES if mixed else 0):
        chosen = f"{seed}:{case.name}:{case.index}:{number}"
        found.append(
            mutate_many(
                case.sequence,
                case.catalog,
                [kind for kind in kinds if kind not in HARMLESS],
                mixed,
                chosen,
            )
        )
    return [mutation for mutation in found if mutation is not None]


@dataclass(frozen=True, slots=True)
class Summary:
    """
    Counts over the outcomes of one kind, or of several under one name; a pair is (restored, of).

    `informed` counts what can be told, `lost` what is lost for good, so that an ask for exactly it is wanted.
    """

    kind: str
    n: int
    restored: int
    informed: tuple[int, int]
    lost: tuple[int, int]
    by_alternative: int
    confirmed: int
    called_valid: int
    silently_filled: int
    unsound: int
    unproven: int
    variants: dict[str, tuple[int, int]]
    verdicts: dict[str, int]

    def line(self) -> list[object]:
        """Return the cells of the table's line, as `HEAD` names them."""
        counts = [self.by_alternative, self.confirmed, self.called_valid, self.silently_filled]
        return [
            self.kind, self.n, percent(self.restored, self.n),
            *_pair(self.informed), *_pair(self.lost), *counts, self.unsound, self.unproven,
            " ".join(f"{name}={count}" for name, count in self.verdicts.items()),
        ]  # fmt: skip


def _pair(pair: tuple[int, int]) -> list[str]:
    return [f"{pair[0]}/{pair[1]}" if pair[1] else "-", percent(*pair)]


HEAD = (
    "kind", "n", "as expected", "informed", "", "lost: asked", "",
    "alternative", "confirmed", "valid!", "silent", "unsound", "unproven", "verdicts",
)  # fmt: skip


def summary(kind: str, outcomes: list[Outcome]) -> Summary:
    """Count the outcomes."""

    def split(chosen: list[Outcome]) -> tuple[int, int]:
        return sum(o.restored for o in chosen), len(chosen)

    of_parameters = {True: "required", False: "optional"}
    variants = sorted({o.mutation.variant for o in outcomes if not o.mutation.parts} - {""})
    splits = {name: split([o for o in outcomes if o.mutation.variant == name]) for name in variants}
    for required, name in of_parameters.items():
        chosen = [o for o in outcomes if o.mutation.required is required]
        if 0 < len(chosen) < len(outcomes):
            splits[name] = split(chosen)
    return Summary(
        kind=kind,
        n=len(outcomes),
        restored=sum(o.restored for o in outcomes),
        informed=split([o for o in outcomes if o.mutation.informed]),
        lost=split([o for o in outcomes if o.mutation.asks and not o.mutation.informed]),
        by_alternative=sum(o.how == "alternative" for o in outcomes),
        confirmed=sum(o.how == "confirmed" for o in outcomes),
        called_valid=sum(o.result.verdict == "valid" for o in outcomes),
        silently_filled=sum(bool(o.silent) for o in outcomes),
        unsound=sum(o.unsound for o in outcomes),
        unproven=sum(not o.result.optimal for o in outcomes),
        variants=splits,
        verdicts=dict(sorted(Counter(o.result.verdict for o in outcomes).items())),
    )


def summaries(tally: Tally) -> list[Summary]:
    """Count by kind, of all single ones together, of the first seven kinds, and of mixes."""
    single = [o for o in tally.outcomes if not o.mutation.parts]
    found = {o.mutation.kind for o in single}
    rows = [
        summary(kind, [o for o in single if o.mutation.kind == kind])
        for kind in KINDS
        if kind in found
    ]
    rows.append(summary("all kinds", [o for o in single if o.mutation.kind not in HARMLESS]))
    rows.append(summary("the seven", [o for o in single if o.mutation.kind in SEVEN]))
    rows.append(summary("mix", [o for o in tally.outcomes if o.mutation.parts]))
    return [row for row in rows if row.n]


def figures_of_made(tally: Tally) -> list[tuple[str, str, str, bool]]:
    """Return the figures of what was made over other catalogs."""
    found = []
    for row in summaries(tally):
        good, n = row.informed if row.informed[1] else row.lost
        if row.kind in FEW:
            share = f"{percent(good, n)} ({good} of {n})"
            found.append(
                (f"made, {row.kind}", share, f">= {MUST_PER_KIND:.0%}", good >= MUST_PER_KIND * n)
            )
    return found


def figures(tally: Tally) -> list[tuple[str, str, str, bool]]:
    """Return every figure of the contract: name, measured, bound, whether it is kept."""
    found: list[tuple[str, str, str, bool]] = []
    rows = {row.kind: row for row in summaries(tally)}

    def share(name: str, pair: tuple[int, int], must: float) -> None:
        good, n = pair
        if n:
            found.append(
                (name, f"{percent(good, n)} ({good} of {n})", f">= {must:.0%}", good >= must * n)
            )

    bounds = {"all kinds": MUST_IN_ALL, "the seven": MUST_OF_THE_SEVEN, "mix": MUST_OF_MIXES}
    for kind, row in rows.items():
        share(f"restored, {kind}", row.informed, bounds.get(kind, MUST_PER_KIND))
    if "all kinds" in rows:
        share("asked for exactly what is lost", rows["all kinds"].lost, MUST_BE_ASKED)
    broken = [o for o in tally.outcomes if o.mutation.kind not in HARMLESS]
    counts = {
        "broken and called valid": sum(o.result.verdict == "valid" for o in broken),
        "harmless and not called valid": sum(
            o.result.verdict != "valid" for o in tally.outcomes if o.mutation.kind in HARMLESS
        ),
        "lost constants filled silently": sum(
            bool(o.silent) for o in broken if o.mutation.kind == "lost_constant"
        ),
        "called repaired, flagged by check": sum(o.unsound for o in tally.outcomes),
    }
    return [*found, *((name, str(count), "none", count == 0) for name, count in counts.items())]


def main() -> int:
    """Run from the command line; 1 when a figure is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--mix", type=int, default=3, help="how many kinds are mixed, 0 for none")
    parser.add_argument(
        "--made", type=int, default=40, help="sequences made over each other catalog"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument(
        "--variants", action="store_true", help="print how each kind does by its variants"
    )
    parser.add_argument("--limit", type=int, help="sequences of each data set")
    parser.add_argument("--misses", nargs="?", const="all", metavar="KIND", help="print every miss")
    parser.add_argument("--informed", action="store_true", help="only misses that could be known")
    options = parser.parse_args()
    kinds = tuple(options.kinds.split(","))
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}; known: {', '.join(KINDS)}")

    load = partial(load_cases, limit=options.limit)
    tally = run(Work(load, telling_refractor_of, kinds, options.mix, options.seed), options.jobs)
    rows = summaries(tally)
    few = tuple(kind for kind in kinds if kind in FEW)
    load = partial(made_cases, options.made if few else 0)
    made = run(Work(load, made_refractor, few, 0, options.seed), options.jobs)
    misses = [o for o in tally.outcomes + made.outcomes if not o.restored]
    if options.misses:
        for outcome in misses:
            is_chosen = options.misses in ("all", outcome.mutation.kind)
            if is_chosen and (
                outcome.mutation.informed or outcome.mutation.asks or not options.informed
            ):
                print(miss_text(outcome), end="\n\n")
    print(table(HEAD, [row.line() for row in rows]))
    if options.variants:
        lines = [
            (row.kind, name, *_pair(pair))
            for row in rows
            if row.kind in KINDS
            for name, pair in row.variants.items()
        ]
        print("\n" + table(("kind", "variant", "as expected", ""), lines))
    if made.outcomes:
        lines_of_made = [row.line() for row in summaries(made) if row.kind in FEW]
        print("\nin sequences made over other catalogs:\n\n" + table(HEAD, lines_of_made))
    print(
        f"\nleft out, flagged by check ({len(tally.left_out)}): {', '.join(tally.left_out) or 'none'}\n"
    )
    kept = figures(tally) + figures_of_made(made)
    print(
        table(("figure", "measured", "must", ""), [(n, m, b, judged(ok)) for n, m, b, ok in kept])
    )
    write_json(
        options.json,
        {
            "seed": options.seed,
            "rows": [asdict(row) for row in rows],
            "made": [asdict(row) for row in summaries(made)],
            "left_out": tally.left_out,
            "figures": [{"name": n, "measured": m, "must": b, "ok": ok} for n, m, b, ok in kept],
            "misses": [miss_data(o) for o in misses],
        },
    )
    return 0 if all(ok for *_, ok in kept) else 1


if __name__ == "__main__":
    sys.exit(main())
