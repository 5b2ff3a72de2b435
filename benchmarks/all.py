"""
Every benchmark, one after the other, and one table at the end: which bounds are kept, and how near they are.

    python benchmarks/all.py [--only units,scale] [--json FILE]

Exits with 1 when a bound is missed or a benchmark fails. The bounds are those of each script, in the table of
benchmarks/README.md.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tables import judged, options_of, table, write_json

SCRIPTS = (
    "units", "scale", "sizes", "catalogs", "footprint", "reading", "alternatives", "diagnostics", "fewer",
    "plans", "runtime", "batch", "gold", "seal_gold", "restore", "generated", "maps",
)  # fmt: skip
HERE = Path(__file__).resolve().parent


def run(name: str) -> dict[str, Any]:
    """Run a benchmark, show what it prints, and return what it says of its bounds."""
    print(f"\n=== {name}\n", flush=True)
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(HERE / f"{name}.py")], stdout=subprocess.PIPE, text=True
    )
    lines = []
    for line in process.stdout or ():
        print(line, end="", flush=True)
        lines.append(line.rstrip())
    failed = process.wait() != 0
    kept = [line for line in lines if line.endswith(" ok")]
    missed = [line for line in lines if line.endswith("MISSED")]
    return {
        "benchmark": name,
        "kept": len(kept),
        "missed": len(missed),
        "seconds": round(time.perf_counter() - start),
        "told": missed or lines[-5:],
        "ok": not failed and not missed,
    }


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--only", default=",".join(SCRIPTS), help="names of benchmarks, separated by commas"
    )
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := set(names) - set(SCRIPTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(SCRIPTS)}")
    found = [run(name) for name in names]
    print("\n=== all\n")
    keys = ("benchmark", "kept", "missed", "seconds")
    rows = [(*(row[key] for key in keys), judged(bool(row["ok"]))) for row in found]
    print(table(("benchmark", "bounds kept", "missed", "seconds", ""), rows))
    for row in found:
        if not row["ok"]:
            print("\n".join(("", f"{row['benchmark']}:", *map(str, row["told"]))))
    write_json(options.json, found)
    return 0 if all(row["ok"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
