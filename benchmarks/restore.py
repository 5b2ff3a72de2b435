"""
How many broken sequences the repair restores exactly: one token of each kind, and several kinds mixed.

Kinds for which NESTFUL has few places are broken in sequences made over other catalogs, too (`--made`).

    python benchmarks/restore.py [--seed N] [--mix N] [--made N] [--limit N] [--misses [KIND]] [--json FILE]

Exits with 1 when a figure of the contract is missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from inputs import SEVEN, Gold, is_valid, load_gold, made_gold
from measuring import Figure, finished, options_of, percent, table
from refract_asp.bench.mutations import KINDS, mutate, mutate_many
from refract_asp.evaluation import Case, Refract, Run, RunRow, misses_of, run
from refract_asp.evaluation.systems import Score

BOUNDS = {"all kinds": 0.97, "the seven": 0.98, "mix": 0.9}
MUST_PER_KIND = 0.95
MUST_BE_ASKED = 0.97
ALTERNATIVES = 15
# Where only idleness speaks for what was lost, an equally cheap repair counts too.
WITH_ALTERNATIVES = ("missing_step", "missing_reference")
# How many mixes are made of each sequence.
MIXES = 2
BREAKING = tuple(kind.name for kind in KINDS.values() if kind.family != "harmless")
# The kinds that need typed parameters; NESTFUL has few places for them.
FEW = (
    "lost_index", "json_text", "as_text", "as_number", "scalar_for_list", "enum_spelling", "null_optional",
    "wrong_member", "out_of_range",
)  # fmt: skip


def broken(gold: Iterable[Gold], kinds: Iterable[str], mixed: int, seed: int) -> Iterator[Case]:
    """Yield each sequence broken once per kind, and twice by several kinds at once."""
    for each in gold:
        own = f"{seed}:{each.name}:{each.index}"
        found = [mutate(each.sequence, each.catalog, kind, own) for kind in kinds]
        for number in range(MIXES if mixed else 0):
            chosen = f"{own}:{number}"
            found.append(mutate_many(each.sequence, each.catalog, BREAKING, mixed, chosen))
        for number, mutation in enumerate(found):
            if mutation is not None:
                kinds_of = ",".join(part.kind for part in mutation.parts or (mutation,))
                dials: dict[str, str | int] = {"kinds": kinds_of}
                yield Case.of(mutation, each.catalog, f"{each.key}/{number}", dials=dials)


def answered(cases: Iterable[Case], jobs: int) -> Run:
    """Return what the repair makes of the cases."""
    return run(cases, {"refract": Refract(alternatives=ALTERNATIVES)}, jobs=jobs)


def score(row: RunRow) -> Score:
    return row.scores["refract"]


def restored(row: RunRow) -> bool:
    """Whether the answer is as expected, or where that counts an equally cheap one is."""
    kinds = str(row.dials.get("kinds", row.kind)).split(",")
    return score(row).restored or (score(row).near and bool({*kinds} & {*WITH_ALTERNATIVES}))


def split(rows: Iterable[RunRow], chosen: Callable[[RunRow], bool]) -> tuple[int, int]:
    """Return how many of the chosen rows are restored, and how many there are."""
    found = [restored(row) for row in rows if chosen(row)]
    return sum(found), len(found)


def is_lost(row: RunRow) -> bool:
    return bool(row.asks) and not row.informed


HEAD = (
    "kind", "n", "informed", "", "lost: asked", "", "alternative", "confirmed", "valid!", "silent",
    "unsound", "unproven", "verdicts",
)  # fmt: skip


def line(name: str, rows: list[RunRow]) -> list[object]:
    """Return the cells of a table's line, as `HEAD` names them."""
    informed, lost = split(rows, lambda row: row.informed), split(rows, is_lost)
    pairs = [cell for good, n in (informed, lost) for cell in (f"{good}/{n}", percent(good, n))]
    counts = [
        lambda row: restored(row) and not score(row).restored,
        lambda row: score(row).confirmed,
        lambda row: score(row).verdict == "valid",
        lambda row: score(row).silent,
        lambda row: not score(row).sound,
        lambda row: not score(row).optimal,
    ]
    verdicts = Counter(str(score(row).verdict) for row in rows)
    told = " ".join(f"{verdict}={n}" for verdict, n in sorted(verdicts.items()))
    return [name, len(rows), *pairs, *(sum(map(bool, map(each, rows))) for each in counts), told]


def groups(rows: Iterable[RunRow]) -> dict[str, list[RunRow]]:
    """Return the rows by kind, all single ones together, those of the first seven kinds, and mixes."""
    single = [row for row in rows if row.kind != "mix"]
    found = {kind: [row for row in single if row.kind == kind] for kind in KINDS}
    found["all kinds"] = [row for row in single if row.kind in BREAKING]
    found["the seven"] = [row for row in single if row.kind in SEVEN]
    found["mix"] = [row for row in rows if row.kind == "mix"]
    return {name: each for name, each in found.items() if each}


def share(name: str, pair: tuple[int, int], must: float) -> list[Figure]:
    """Return a share and its bound, where anything counts for it."""
    good, n = pair
    told = f"{percent(good, n)} ({good} of {n})"
    return [Figure(name, good / n, ">=", must, told)] if n else []


def none(name: str, found: Iterable[bool]) -> Figure:
    count = sum(map(bool, found))
    return Figure(name, count, "==", 0, str(count))


def main() -> int:
    parser = options_of(__doc__, seed=0, mix=3, made=40, jobs=2)
    parser.add_argument("--limit", type=int, help="sequences of each data set")
    parser.add_argument("--misses", nargs="?", const="all", metavar="KIND", help="print every miss")
    options = parser.parse_args()

    loaded = load_gold(limit=options.limit)
    right = list(filter(is_valid, loaded))
    left_out = [each.key for each in loaded if each not in right]
    told = answered(broken(right, KINDS, options.mix, options.seed), options.jobs)
    made = answered(broken(made_gold(options.made), FEW, 0, options.seed), options.jobs)
    for miss in (*misses_of(told, "refract"), *misses_of(made, "refract")):
        if options.misses in ("all", miss.kind):
            lines = [f"{sign} {text}" for part in (miss.answer, miss.wanted) for sign, text in part]
            print(
                "\n".join([f"== {miss.kind} {miss.id}: {miss.what}", miss.said, *lines]), end="\n\n"
            )
    by_kind, by_few = groups(told.rows), groups(made.rows)
    print(table(HEAD, [line(name, rows) for name, rows in by_kind.items()]))
    if made.rows:
        print("\nin sequences made over other catalogs:\n")
        print(table(HEAD, [line(name, by_few[name]) for name in FEW if name in by_few]))
    print(f"\nleft out, flagged by check ({len(left_out)}): {', '.join(left_out) or 'none'}")

    figures: list[Figure] = []
    for name, rows in by_kind.items():
        informed = split(rows, lambda row: row.informed)
        figures += share(f"restored, {name}", informed, BOUNDS.get(name, MUST_PER_KIND))
    asked = split(by_kind["all kinds"], is_lost)
    figures += share("asked for exactly what is lost", asked, MUST_BE_ASKED)
    for name in (each for each in FEW if each in by_few):
        pair = split(by_few[name], lambda row: row.informed)
        figures += share(
            f"made, {name}", pair if pair[1] else split(by_few[name], is_lost), MUST_PER_KIND
        )
    wrong = [row for row in told.rows if row.kind in (*BREAKING, "mix")]
    harmless = [row for row in told.rows if row.kind not in (*BREAKING, "mix")]
    lost = [row for row in told.rows if row.kind == "lost_constant"]
    figures += [
        none("broken and called valid", (score(row).verdict == "valid" for row in wrong)),
        none("harmless and not called valid", (score(row).verdict != "valid" for row in harmless)),
        none("lost constants filled silently", (bool(score(row).silent) for row in lost)),
        none("called repaired, flagged by check", (not score(row).sound for row in told.rows)),
    ]
    rows = {name: line(name, each) for name, each in by_kind.items()}
    misses = [row.model_dump() for row in (*told.rows, *made.rows) if not restored(row)]
    return finished(options.json, figures, rows=rows, left_out=left_out, misses=misses)


if __name__ == "__main__":
    sys.exit(main())
