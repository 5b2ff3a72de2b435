"""
Mappings for the 4,076 tools of Seal-Tools: wall time and peak memory of computing them all; and what
`new_maps` adds to one repair. And how many of the pairs that NESTFUL's gold sequences read are found.

    python benchmarks/maps.py [--json FILE]

Exits with 1 when a bound is missed. This process imports nothing of the project: on Linux a child's peak
memory counts what its parent held when it was started.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tables import judged, options_of, table, write_json

SECONDS, MIB = 60.0, 2048.0
COMPUTE = """
import json, resource, sys, time
from seal_data import seal_catalog
from refract_asp.mappings import compute
catalog = seal_catalog()
start = time.perf_counter()
found = compute(catalog)
took = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
targets = len({mapping.target for mapping in found})
sizes = {"tools": len(catalog), "mappings": len(found), "targets": targets}
print(json.dumps({**sizes, "seconds": took, "mib": peak}))
"""
REPAIR = """
import json, time
from seal_data import seal_catalog
from refract_asp import Refractor
calls = 'a = getEmailAddress(name="Ann")\\nb = updateUserEmail(user_id="7")'
times = {}
for new_maps in (False, True):
    refractor = Refractor(seal_catalog(), new_maps=new_maps)
    for turn in ("first", "later"):
        start = time.perf_counter()
        refractor.repair(calls)
        times[f"{turn} repair, new_maps={new_maps}"] = time.perf_counter() - start
print(json.dumps(times))
"""
PAIRS = """
import json
from nestful_data import DATASETS, catalog_of, load_cases
from refract_asp.mappings import CatalogMaps, learn
found = {}
for name in DATASETS:
    catalog, seen = catalog_of(name), {}
    for pair in learn([case.sequence for case in load_cases((name,))], catalog):
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


def run(program: str) -> Any:
    """Run a program in a process of its own and return what it prints."""
    here = str(Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=here
    )
    if done.returncode != 0:
        raise SystemExit(f"it failed:\n{done.stderr}")
    return json.loads(done.stdout)


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    options = options_of(__doc__).parse_args()
    computed: dict[str, float] = run(COMPUTE)
    repairs: dict[str, float] = run(REPAIR)
    pairs: dict[str, dict[str, int]] = run(PAIRS)
    seconds, mib = computed["seconds"], computed["mib"]
    print(
        f"{computed['tools']} tools: {computed['mappings']} mappings for {computed['targets']} parameters\n"
    )
    rows = [
        (
            "computing all mappings (s)",
            f"{seconds:.1f}",
            f"< {SECONDS:g}",
            judged(seconds < SECONDS),
        ),
        ("peak memory (MB)", f"{mib:.0f}", f"< {MIB:g}", judged(mib < MIB)),
        *((f"{name} (s)", f"{took:.3f}", "", "") for name, took in repairs.items()),
    ]
    print(table(("figure", "measured", "must", ""), rows))
    print("\nparameters that NESTFUL's gold reads from a field, and how many of them get it:\n")
    print(
        table(("catalog", *pairs["glaive"]), [(name, *row.values()) for name, row in pairs.items()])
    )
    write_json(options.json, {"computed": computed, "repairs": repairs, "pairs": pairs})
    return 0 if seconds < SECONDS and mib < MIB else 1


if __name__ == "__main__":
    sys.exit(main())
