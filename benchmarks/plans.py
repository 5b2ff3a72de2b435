"""
What it takes to read plans, to turn them into sequences and back, and to begin to run them.

    python benchmarks/plans.py [--repeat 200] [--json FILE]

The plan has 50 lines: 49 aliases, each of a call that reads the one before, and a `return`. The broken one
has a slip on every line. Exits with 1 when the bound is missed.
"""

from __future__ import annotations

import sys

from measuring import Figure, Works, finished, in_turns, options_of, p50, p95
from refract_asp.plan import Context, Evaluation, parse_plan, to_plan, to_sequence

LINES = 50


def find(**_: object) -> dict[str, object]:
    """Stand for a tool; it is not called."""
    return {}


def plan_text() -> str:
    """Return a plan of 50 lines."""
    lines = ["v0 = find({city: 'Rome', days: [1, 2, 3], at: {id: start.id}});"]
    for number in range(1, LINES - 1):
        of = f"v{number - 1}.hits[0].id"
        lines.append(f"v{number} = find({{city: 'Rome', days: [1, 2, 3], at: {{id: {of}}}}});")
    return "\n".join([*lines, f"return v{LINES - 2}.hits;"])


def works() -> Works:
    """Return what is measured, by name."""
    text = plan_text()
    broken = text.replace("find({city:", "await find({'city':").replace("}});", "},})")
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
    options = options_of(__doc__, repeat=200).parse_args()
    every = works()
    figures = []
    for name, each in in_turns(options.repeat, lambda _: every).items():
        told = f"{1000 * p50(each):.2f}; p95 {1000 * p95(each):.2f}"
        sign = "<" if name == "read" else ""
        figures.append(
            Figure(f"{name}, {LINES} lines (ms, p50)", 1000 * p50(each), sign, 5.0, told)
        )
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
