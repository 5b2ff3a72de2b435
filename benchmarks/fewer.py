"""
Traces with calls that were made again: what `compress` leaves, and how long that takes.

    python benchmarks/fewer.py [--calls 30] [--seeds 20] [--json FILE]

Exits with 1 when a trace takes longer than the bound, or does not come back as it was before the calls
that do nothing new were put in.
"""

from __future__ import annotations

import random
import sys
import time

from nestful_data import catalog_of, load_cases, refractor_of
from refract_asp import Catalog, Sequence
from refract_asp.model import Call, Reference
from refract_asp.model.comparison import canonical
from refract_asp.model.sequence import replace_reference, slots_of
from scale import long_sequence
from tables import judged, options_of, table, write_json

BOUND = 0.1
ROUNDS = 5


def thrashed(sequence: Sequence, catalog: Catalog, length: int, rng: random.Random) -> Sequence:
    """Put copies and failed attempts into a sequence until it has `length` calls; some copies are read."""
    left = length - len(sequence.calls)
    spots = rng.sample(range(len(sequence.calls)), left)
    calls: list[Call] = []
    copies: dict[str, str] = {}
    for number, given in enumerate(sequence.calls):
        arguments = {}
        for parameter, source in given.arguments.items():
            read = {
                place: slot.model_copy(update={"label": copies[slot.label]})
                for place, slot in enumerate(slots_of(source), 1)
                if isinstance(slot, Reference) and slot.label in copies and rng.random() < 0.5
            }
            arguments[parameter] = replace_reference(source, dict(read))[0] if read else source
        call = given.model_copy(update={"arguments": arguments})
        declared = catalog.by_name[call.name].parameters
        required = [name for name in call.arguments if name in declared and declared[name].required]
        if number in spots and required and rng.random() < 0.5:
            lost = rng.choice(required)
            kept = {name: source for name, source in call.arguments.items() if name != lost}
            calls.append(call.model_copy(update={"arguments": kept, "label": f"try{number}"}))
            calls.append(call)
        else:
            calls.append(call)
            if number in spots:
                calls.append(call.model_copy(update={"label": f"again{number}"}))
                copies[call.label or ""] = f"again{number}"
    return Sequence(calls=tuple(calls))


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=20, help="how many, from 0 on")
    options = parser.parse_args()

    catalog = catalog_of("executable")
    refractor = refractor_of("executable")
    cases = [
        c for c in load_cases(("executable",)) if refractor.check(c.sequence).verdict == "valid"
    ]
    found: list[dict[str, object]] = []
    for seed in range(options.seeds):
        rng = random.Random(f"fewer:{seed}")
        joined = long_sequence(cases, options.calls * 2 // 3, rng)
        wanted = refractor.compress(joined).sequence
        trace = thrashed(wanted, catalog, min(options.calls, 2 * len(wanted.calls)), rng)
        took = []
        for _ in range(ROUNDS):
            start = time.process_time()
            result = refractor.compress(trace)
            took.append(time.process_time() - start)
        same = canonical(result.sequence) == canonical(wanted)
        found.append(
            {
                "seed": seed,
                "calls": len(trace.calls),
                "wanted": len(wanted.calls),
                "left": len(result.sequence.calls),
                "same": same,
                "verdict": result.verdict,
                "ms": round(1000 * sorted(took)[ROUNDS // 2], 1),
                "": judged(same and result.optimal and sorted(took)[ROUNDS // 2] <= BOUND),
            }
        )
    print(table(list(found[0]), [list(row.values()) for row in found]))
    ok = all(row[""] == "ok" for row in found)
    worst = max(float(str(row["ms"])) for row in found)
    print(
        f"\nworst of {len(found)}: {worst:.1f} ms, must be <= {1000 * BOUND:.0f} ms: {judged(ok)}"
    )
    write_json(options.json, found)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
