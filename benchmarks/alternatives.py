"""
Alternatives, `why_not` and `explain` of broken NESTFUL sequences, as ratios to the repair alone.

    python benchmarks/alternatives.py [--repeat 300] [--seed N] [--json FILE]

The ratios are medians over sequences; each sequence is timed in turn. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import random
import sys
from dataclasses import asdict, dataclass

from nestful_data import catalog_of
from refract_asp import Refractor, RepairResult
from tables import judged, options_of, p50, p95, table, write_json
from units import WARM_UP, Broken, broken_sequences, seconds, valid_cases

WANTED = 10


@dataclass(frozen=True, slots=True)
class Ratio:
    """How long something takes beside the repair alone, the median and the 95th percentile, and its bound."""

    name: str
    p50: float
    p95: float
    bound: float | None
    ms: float

    @property
    def ok(self) -> bool:
        """Whether the bound is kept."""
        return self.bound is None or self.p50 <= self.bound


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


def measure(broken: list[Broken], repeat: int) -> tuple[list[Ratio], float]:
    """Time each question in turn; return the ratios and how many alternatives there were on average."""
    names = sorted({each.name for each in broken})
    plain = {name: Refractor(catalog_of(name)) for name in names}
    equal = {name: Refractor(catalog_of(name), alternatives=WANTED) for name in names}
    best = {
        name: Refractor(catalog_of(name), alternatives=WANTED, next_best=True) for name in names
    }
    ratios: dict[str, list[float]] = {}
    times: dict[str, list[float]] = {}
    found = 0
    for turn in range(-WARM_UP, repeat):
        item = broken[turn % len(broken)]
        result = best[item.name].repair(item.sequence)
        asked = question_of(result)
        took = {
            "repair": seconds(plain[item.name].repair, item.sequence),
            "alternatives": seconds(equal[item.name].repair, item.sequence),
            "next best": seconds(best[item.name].repair, item.sequence),
            "why_not": seconds(result.why_not, asked),
            "explanation": seconds(result.explanation),
        }
        if turn >= 0:
            found += len(result.alternatives)
            for name, value in took.items():
                ratios.setdefault(name, []).append(value / took["repair"])
                times.setdefault(name, []).append(value)
    bounds = {"alternatives": 2.0, "why_not": 3.0}
    rows = [
        Ratio(name, p50(values), p95(values), bounds.get(name), p50(times[name]) * 1000)
        for name, values in ratios.items()
    ]
    return rows, found / repeat


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cases = valid_cases()
    random.Random(options.seed).shuffle(cases)
    figures, found = measure(broken_sequences(cases, options.seed), options.repeat)
    print(f"{found:.1f} alternatives on average, next best ones included, of up to {WANTED}\n")
    rows = [
        (
            f.name,
            f"{f.p50:.2f}",
            f"{f.p95:.2f}",
            f"<= {f.bound:g}" if f.bound else "",
            f"{f.ms:.2f}",
            judged(f.ok),
        )
        for f in figures
    ]
    print(table(("times the repair alone", "p50", "p95", "must (p50)", "ms", ""), rows))
    write_json(options.json, [{**asdict(f), "ok": f.ok} for f in figures])
    return 0 if all(f.ok for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
