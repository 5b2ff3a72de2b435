"""
Every benchmark, one after the other, and one table at the end: which bounds are kept.

    python benchmarks/all.py [--only units,scale] [--json FILE]

Exits with 1 when a bound is missed or a benchmark fails. The bounds are those of each script, in the table of
benchmarks/README.md.
"""

from __future__ import annotations

import subprocess
import sys
import time

from measuring import HERE, Figure, finished, options_of

SCRIPTS = (
    "units", "scale", "sizes", "catalogs", "footprint", "reading", "alternatives", "diagnostics", "fewer",
    "plans", "runtime", "batch", "adapters", "proxy", "gold", "seal_gold", "restore", "generated", "maps",
)  # fmt: skip


def run(name: str) -> Figure:
    """Run a benchmark, show what it prints, and count the bounds that it misses; 1 where it fails otherwise."""
    print(f"\n=== {name}\n", flush=True)
    start = time.perf_counter()
    command = [sys.executable, str(HERE / f"{name}.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    kept = sum(line.endswith(" ok") for line in lines)
    missed = [line.strip() for line in lines if line.endswith("MISSED")]
    failed = len(missed) or int(process.returncode != 0)
    told = f"{kept} kept, {failed} missed, {time.perf_counter() - start:.0f} s"
    return Figure("; ".join([name, *missed]), failed, "==", 0, told)


def main() -> int:
    parser = options_of(__doc__)
    parser.add_argument("--only", default=",".join(SCRIPTS), help="names, separated by commas")
    options = parser.parse_args()
    if unknown := {*options.only.split(",")} - {*SCRIPTS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(SCRIPTS)}")
    return finished(options.json, map(run, options.only.split(",")))


if __name__ == "__main__":
    sys.exit(main())
