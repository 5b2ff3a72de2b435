"""
Mappings for the 4,076 tools of Seal-Tools: wall time and peak memory of computing them all; and what
`new_maps` adds to one repair. And how many of the pairs that NESTFUL's gold sequences read are found.

    python benchmarks/maps.py [--json FILE]

Exits with 1 when a bound is missed. This process imports nothing of the project.
"""

from __future__ import annotations

import sys

from measuring import MEMORY, Figure, child, finished, options_of, table

COMPUTE = f"""
import json, resource, sys, time
from inputs import catalog_of
from refract_asp.mappings import compute
catalog = catalog_of("seal")
start = time.perf_counter()
found = compute(catalog)
took = time.perf_counter() - start
targets = len({{mapping.target for mapping in found}})
print(json.dumps([len(catalog), len(found), targets, took, {MEMORY}]))
"""
REPAIR = """
import json, time
from inputs import catalog_of
from refract_asp import Refractor
calls = 'a = getEmailAddress(name="Ann")\\nb = updateUserEmail(user_id="7")'
times = {}
for new_maps in (False, True):
    refractor = Refractor(catalog_of("seal"), new_maps=new_maps)
    for turn in ("first", "later"):
        start = time.perf_counter()
        refractor.repair(calls)
        times[f"{turn} repair, new_maps={new_maps}"] = time.perf_counter() - start
print(json.dumps(times))
"""
PAIRS = """
import json
from inputs import DATASETS, catalog_of, load_gold
from refract_asp.mappings import CatalogMaps, learn
found = {}
for name in DATASETS:
    catalog, seen = catalog_of(name), {}
    for pair in learn([gold.sequence for gold in load_gold((name,))], catalog):
        seen.setdefault(pair.target, set()).add(pair.source)
    maps = CatalogMaps(catalog)
    first = five = kept = 0
    for target, sources in seen.items():
        tool, _, parameter = target.rpartition(".")
        best = maps.best(tool, parameter, top_k=5, threshold=0.0)
        first += any(mapping.source in sources for mapping in best[:1])
        five += any(mapping.source in sources for mapping in best)
        kept += any(mapping.source in sources and mapping.weight >= 0.6 for mapping in best)
    found[name] = {"parameters": len(seen), "first": first, "among 5": five, "and >= 0.6": kept}
print(json.dumps(found))
"""


def main() -> int:
    options = options_of(__doc__).parse_args()
    tools, mappings, targets, took, memory = child(COMPUTE)
    repairs: dict[str, float] = child(REPAIR)
    pairs: dict[str, dict[str, int]] = child(PAIRS)
    print(f"{tools} tools: {mappings} mappings for {targets} parameters")
    print("\nparameters that NESTFUL's gold reads from a field, and how many of them get it:\n")
    print(table(("catalog", *pairs["glaive"]), [(name, *r.values()) for name, r in pairs.items()]))
    figures = [
        Figure("computing all mappings (s)", took, "<", 60.0),
        Figure("peak memory (MB)", memory, "<", 2048.0),
        *(Figure(f"{name} (s)", each) for name, each in repairs.items()),
    ]
    return finished(options.json, figures, pairs=pairs)


if __name__ == "__main__":
    sys.exit(main())
