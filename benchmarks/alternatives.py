"""
Alternatives, `why_not` and `explain` of broken NESTFUL sequences, as ratios to the repair alone.

    python benchmarks/alternatives.py [--repeat 300] [--seed N] [--json FILE]

The ratios are medians over sequences; each sequence is timed in turn. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import sys
from functools import partial

from inputs import DATASETS, broken_gold, catalog_of
from measuring import Figure, Works, finished, in_turns, options_of, p50, p95
from refract_asp import Refractor, RepairResult

WANTED = 10
BOUNDS = {"alternatives": 2.0, "why_not": 3.0}


def question_of(result: RepairResult) -> str:
    """Ask for something that the repair did not do: to keep what it changed, or else to ask for it."""
    edit = result.edits[0] if result.edits else None
    if edit is None or edit.call is None or edit.call >= len(result.given.calls):
        return "keep call 1"
    if edit.kind in ("rebind", "transform", "drop_argument"):
        return f"keep call {edit.call + 1}.{edit.parameter}"
    if edit.kind == "fill":
        return f"ask call {edit.call + 1}.{edit.parameter}"
    return f"keep call {edit.call + 1}"


def main() -> int:
    options = options_of(__doc__, repeat=300, seed=0).parse_args()
    broken, found = broken_gold(options.seed), []
    kinds = {"repair": {}, "alternatives": {"alternatives": WANTED}}
    kinds["next best"] = {"alternatives": WANTED, "next_best": True}
    ready = {
        (name, kind): Refractor(catalog_of(name), **more)
        for name in DATASETS
        for kind, more in kinds.items()
    }

    def works(turn: int) -> Works:
        name, sequence = broken[turn % len(broken)]
        result = ready[name, "next best"].repair(sequence)
        found.append(len(result.alternatives))
        repairs = {kind: partial(ready[name, kind].repair, sequence) for kind in kinds}
        asked = partial(result.why_not, question_of(result))
        return {**repairs, "why_not": asked, "explanation": result.explanation}

    times = in_turns(options.repeat, works)
    alone = times.pop("repair")
    print(f"{sum(found) / len(found):.1f} alternatives on average, of up to {WANTED}")
    figures = []
    for name, each in times.items():
        ratios = [took / repair for took, repair in zip(each, alone, strict=True)]
        told = f"{p50(ratios):.2f}; p95 {p95(ratios):.2f}; {1000 * p50(each):.2f} ms"
        sign = "<=" if name in BOUNDS else ""
        title = f"{name}, times the repair alone, p50"
        figures.append(Figure(title, p50(ratios), sign, BOUNDS.get(name, 0), told))
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
