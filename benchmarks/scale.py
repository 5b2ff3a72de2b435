"""
One repair of long sequences with many broken calls: wall time, proof of the optimum, verdict.

    python benchmarks/scale.py [--calls 180] [--share 0.3] [--seeds 6] [--json FILE]

Exits with 1 when a repair takes longer than the bound or is not proven optimal.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from nestful_data import Case, catalog_of, load_cases, refractor_of
from refract_asp import Catalog, Sequence
from refract_asp.bench.mutations import SEVEN, mutate_token, tokens
from refract_asp.model import Call, Reference
from refract_asp.model.comparison import canonical
from refract_asp.model.sequence import replace_reference, slots_of
from tables import judged, options_of, table, write_json

BOUND = 1.5


def relabelled(call: Call, names: dict[str, str], label: str) -> Call:
    """Return the call under another label, with its references renamed."""
    arguments = {}
    for parameter, source in call.arguments.items():
        renamed = {
            number: slot.model_copy(update={"label": names[slot.label]})
            for number, slot in enumerate(slots_of(source), 1)
            if isinstance(slot, Reference) and slot.label in names
        }
        arguments[parameter] = replace_reference(source, dict(renamed))[0] if renamed else source
    return call.model_copy(update={"arguments": arguments, "label": label})


def long_sequence(cases: list[Case], length: int, rng: random.Random) -> Sequence:
    """Join gold sequences in random order until there are `length` calls, labelled `var1` on."""
    calls: list[Call] = []
    while len(calls) < length:
        for case in rng.sample(cases, len(cases)):
            names: dict[str, str] = {}
            for call in case.sequence.calls[: length - len(calls)]:
                label = f"var{len(calls) + 1}"
                calls.append(relabelled(call, names, label))
                if call.label is not None:
                    names[call.label] = label
    return Sequence(calls=tuple(calls))


def break_many(
    sequence: Sequence, catalog: Catalog, share: float, rng: random.Random
) -> tuple[Sequence, Counter[str]]:
    """Break one token in each of a share of the calls, the kinds mixed; return what was done how often."""
    wanted = round(share * len(sequence.calls))
    done: Counter[str] = Counter()
    for index in rng.sample(range(len(sequence.calls)), len(sequence.calls)):
        if done.total() == wanted:
            break
        for kind in rng.sample(SEVEN, len(SEVEN)):
            places = [token for token in tokens(sequence, catalog, kind) if token.call == index]
            try:
                mutation = (
                    mutate_token(sequence, catalog, kind, rng.choice(places), rng)
                    if places
                    else None
                )
            except IndexError:  # there are so many that no label is left to rename to
                mutation = None
            if mutation is not None:
                sequence = mutation.broken
                done[kind] += 1
                break
    return sequence, done


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--calls", type=int, default=180)
    parser.add_argument("--share", type=float, default=0.3, help="of the calls that are broken")
    parser.add_argument("--seeds", type=int, default=6, help="how many, from 0 on")
    options = parser.parse_args()

    catalog = catalog_of("executable")
    refractor = refractor_of("executable")
    cases = [
        c for c in load_cases(("executable",)) if refractor.check(c.sequence).verdict == "valid"
    ]
    refractor.repair(cases[0].sequence)
    found: list[dict[str, object]] = []
    for seed in range(options.seeds):
        rng = random.Random(f"scale:{seed}")
        wanted = long_sequence(cases, options.calls, rng)
        broken, kinds = break_many(wanted, catalog, options.share, rng)
        start = time.perf_counter()
        result = refractor.repair(broken)
        took = time.perf_counter() - start
        found.append(
            {
                "seed": seed,
                "calls": len(broken.calls),
                "broken": kinds.total(),
                "gold": refractor.check(wanted).verdict,
                "seconds": round(took, 3),
                "optimal": result.optimal,
                "verdict": result.verdict,
                "calls as wanted": (canonical(result.sequence) & canonical(wanted)).total(),
                "unresolved": len(result.unresolved),
                "asks": len(result.asks),
                "": judged(result.optimal and took <= BOUND),
            }
        )
        print(f"seed {seed}: {', '.join(f'{kind} {n}' for kind, n in sorted(kinds.items()))}")
    print()
    print(table(list(found[0]), [list(row.values()) for row in found]))
    ok = all(row[""] == "ok" for row in found)
    worst = max(float(str(row["seconds"])) for row in found)
    print(
        f"\nworst of {len(found)}: {worst:.3f} s, must be <= {BOUND} s and proven optimal: {judged(ok)}"
    )
    write_json(options.json, found)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
