"""
What it takes to read plans, to turn them into sequences and back, and to begin to run them.

    python benchmarks/plans.py [--repeat 200] [--json FILE]

The plan has 50 lines: 49 aliases, each of a call that reads the one before, and a `return`. The broken one
has a slip on every line. Exits with 1 when the bound is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from refract_asp.plan import Context, Evaluation, parse_plan, to_plan, to_sequence
from tables import judged, options_of, p50, p95, table, write_json

LINES = 50
BOUND = 5.0
"""Milliseconds in which the plan is read, the median."""


def find(**_: object) -> dict[str, object]:
    """Stand for a tool; it is not called."""
    return {}


def plan_text(*, is_broken: bool) -> str:
    """Return a plan of 50 lines."""
    lines = ["v0 = find({city: 'Rome', days: [1, 2, 3], at: {id: start.id}});"]
    for number in range(1, LINES - 1):
        of = f"v{number - 1}.hits[0].id"
        lines.append(f"v{number} = find({{city: 'Rome', days: [1, 2, 3], at: {{id: {of}}}}});")
    lines.append(f"return v{LINES - 2}.hits;")
    text = "\n".join(lines)
    return (
        text.replace("find({city:", "await find({'city':").replace("}});", "},})")
        if is_broken
        else text
    )


def works() -> dict[str, Callable[[], object]]:
    """Return what is measured, by name."""
    text, broken = plan_text(is_broken=False), plan_text(is_broken=True)
    plan = parse_plan(text).require()
    assert parse_plan(broken, "relaxed").plan == plan
    sequence = to_sequence(plan)
    context = Context.of({"find": find}, {"start": {"id": 1}})
    return {
        "read": lambda: parse_plan(text),
        "read, a slip on every line": lambda: parse_plan(broken, "relaxed"),
        "print": lambda: str(plan),
        "to a sequence": lambda: to_sequence(plan),
        "from a sequence": lambda: to_plan(sequence),
        "evaluation, before the first call": lambda: Evaluation(plan, context),
    }


def main() -> int:
    """Run from the command line; 1 when the bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=200)
    options = parser.parse_args()
    every = works()
    times: dict[str, list[float]] = {name: [] for name in every}
    for _ in range(options.repeat):
        for name, work in every.items():
            begun = time.perf_counter()
            work()
            times[name].append(1000 * (time.perf_counter() - begun))
    ok = p50(times["read"]) < BOUND
    rows = [
        (
            name,
            f"{p50(each):.2f}",
            f"{p95(each):.2f}",
            *((f"< {BOUND:g}", judged(ok)) if name == "read" else ("", "")),
        )
        for name, each in times.items()
    ]
    print(table((f"ms, a plan of {LINES} lines", "p50", "p95", "must", ""), rows))
    write_json(
        options.json, {"milliseconds": {name: p50(each) for name, each in times.items()}, "ok": ok}
    )
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
