"""
Import time, time of the whole command for the demo, peak memory of a repair.

Modules are compiled before, as they are by an installation, whatever the environment says of that.

    python benchmarks/footprint.py [--repeat 5] [--json FILE]

This process imports nothing of the project: on Linux a child's peak memory counts what its parent held
when it was started. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tables import judged, options_of, table, write_json

DEMO = """\
var1 = SkyScrapperSearchAirport(query="New York")
var20 = SkyScrapperSearchAirport(query="London")
var3 = SkyCrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", \
originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")
var4 = TripadvisorSearchLocation(query="London")
var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
"""
IMPORT = "from refract_asp import repair"
"""The package itself loads nothing before it is asked for."""
COMMAND = "import sys; from refract_asp.cli import main; sys.exit(main())"
REPAIR = """
import resource, sys
from nestful_data import catalog_of
from refract_asp import Sequence, repair
result = repair(Sequence.load(sys.stdin.read()), catalog_of("executable"))
assert result.verdict == "repaired", result.verdict
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
KIB_PER_UNIT = 1024 if sys.platform == "darwin" else 1
"""`ru_maxrss` counts bytes on macOS and KiB elsewhere."""


def compiled(folder: str) -> dict[str, str]:
    """Return an environment in which modules are compiled once, into a folder."""
    others = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**others, "PYTHONPYCACHEPREFIX": folder}


def best(command: list[str], repeat: int, environment: dict[str, str]) -> float:
    """Return the shortest wall time of a command that has to succeed, after one run to warm up."""
    times = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        times.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise SystemExit(
                f"{command} failed with {done.returncode}:\n{done.stdout}{done.stderr}"
            )
    return min(times[1:])


def peak_mib() -> float:
    """Return the peak memory of a process that does one repair."""
    here = str(Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-c", REPAIR],
        input=DEMO,
        capture_output=True,
        text=True,
        check=False,
        cwd=here,
    )
    if done.returncode != 0:
        raise SystemExit(f"the repair failed:\n{done.stderr}")
    return int(done.stdout) / KIB_PER_UNIT / 1024


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        environment = compiled(f"{folder}/bytecode")
        bare = best([sys.executable, "-c", "pass"], options.repeat, environment)
        imported = best([sys.executable, "-c", IMPORT], options.repeat, environment) - bare
        demo = Path(folder) / "demo.txt"
        demo.write_text(DEMO, encoding="utf-8")
        solve = [sys.executable, "-c", COMMAND, "solve", str(demo), "--catalog", "travel"]
        solved = best(solve, options.repeat, environment)
    measured = [
        ("from refract_asp import repair, without python itself (s)", imported, 0.3),
        ("refract-asp solve of the demo, whole process (s)", solved, 0.8),
        ("peak memory of a repair (MB)", peak_mib(), 120.0),
    ]
    print(f"bare python: {bare:.3f} s; best of {options.repeat}\n")
    rows = [
        (name, f"{value:.3f}", f"< {bound:g}", judged(value < bound))
        for name, value, bound in measured
    ]
    print(table(("figure", "measured", "must", ""), rows))
    data = [{"name": name, "measured": value, "must": bound} for name, value, bound in measured]
    write_json(options.json, data)
    return 0 if all(value < bound for _, value, bound in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
