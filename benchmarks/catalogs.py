"""
Loading and compiling catalogs of 10 to 10,000 tools, and one repair: time and peak memory of the process.

    python benchmarks/catalogs.py [--sizes 10,100,1000,4000,10000] [--repeat 3] [--json FILE]

Each row is a process of its own: without the cache, with an empty one, and with one that knows the catalog.
This process holds no catalog: on Linux a child's peak memory counts what its parent held when it was started.
Exits with 1 when the largest catalog takes too long or too much memory.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from nestful_data import data_folder
from seal_data import catalog_of_size
from tables import judged, options_of, p50, table, write_json

SECONDS = 5.0
MEGABYTES = 300.0
SIZES = (10, 100, 1000, 4000, 10_000)
REAL = ("openapi/kubecoreapi.json", "openapi/kubeappsapi.json")
KIB_PER_UNIT = 1024 if sys.platform == "darwin" else 1
"""`ru_maxrss` counts bytes on macOS and KiB elsewhere."""

CHILD = """
import json, resource, sys, time
from pathlib import Path
from refract_asp import Catalog, Refractor
started = time.perf_counter()
catalog = Catalog.load(Path(sys.argv[1]))
loaded = time.perf_counter()
refractor = Refractor(catalog)
compiled = time.perf_counter()
tool = next(tool for tool in catalog if tool.parameters)
refractor.repair(f'var1 = {tool.name[:-1]}_({next(iter(tool.parameters))}="x")')
answered = time.perf_counter()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([len(catalog), loaded - started, compiled - loaded, answered - compiled, memory]))
"""


def write_catalog(path: Path, count: int) -> None:
    """Write a catalog of so many tools, in JSON or YAML; runs in a process of its own."""
    from refract_asp.formats.yaml_text import yaml_text

    data = catalog_of_size(count).dump()
    path.write_text(
        yaml_text(data) if path.suffix == ".yaml" else json.dumps(data), encoding="utf-8"
    )


def written(path: Path, count: int) -> Path:
    """Have a catalog written."""
    process = multiprocessing.get_context("spawn").Process(target=write_catalog, args=(path, count))
    process.start()
    process.join()
    return path


def measured(path: Path, cache: str) -> list[float]:
    """Return what one process took: tools, seconds to load, to compile and to repair, peak memory in MB."""
    environment = {**os.environ, "REFRACT_ASP_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{path.name} failed:\n{done.stderr}")
    *row, memory = json.loads(done.stdout)
    return [*row, memory / KIB_PER_UNIT / 1024]


def rows_of(path: Path, folder: Path, repeat: int) -> list[dict[str, object]]:
    """Return a row for the catalog of a file without the cache, with an empty one, and with a full one."""
    found = []
    for kind in ("off", "empty", "full"):
        runs = []
        for turn in range(repeat):
            cache = {
                "off": "off",
                "empty": f"{folder}/{path.name}.{turn}",
                "full": f"{folder}/{path.name}.0",
            }
            runs.append(measured(path, cache[kind]))
        columns = [p50(column) for column in zip(*runs, strict=True)]
        found.append(
            {
                "catalog": path.name,
                "tools": int(columns[0]),
                "file (MB)": round(path.stat().st_size / 1e6, 2),
                "cache": kind,
                "load (s)": round(columns[1], 3),
                "compile (s)": round(columns[2], 3),
                "first repair (s)": round(columns[3], 3),
                "memory (MB)": round(columns[4]),
            }
        )
    return found


def main() -> int:
    """Run from the command line; 1 when a bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), help="numbers of tools, with commas"
    )
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            found += rows_of(written(folder / f"tools-{size}.json", size), folder, options.repeat)
        largest = found[-3:]
        found += rows_of(
            written(folder / f"tools-{sizes[-1]}.yaml", sizes[-1]), folder, options.repeat
        )
        for real in REAL:
            found += rows_of(data_folder() / real, folder, options.repeat)
    print(table(list(found[0]), [list(row.values()) for row in found]))
    slow = max(float(str(row["load (s)"])) + float(str(row["compile (s)"])) for row in largest)
    large = max(float(str(row["memory (MB)"])) for row in largest)
    figures = [
        (f"{sizes[-1]} tools loaded and compiled (s)", slow, SECONDS),
        (f"{sizes[-1]} tools: peak memory (MB)", large, MEGABYTES),
    ]
    rows = [
        (name, f"{value:.2f}", f"<= {bound:g}", judged(value <= bound))
        for name, value, bound in figures
    ]
    print("\n" + table(("figure", "measured", "must", ""), rows))
    names = ("name", "measured", "bound")
    judgements = [dict(zip(names, figure, strict=True)) for figure in figures]
    write_json(options.json, {"rows": found, "figures": judgements})
    return 0 if all(value <= bound for _, value, bound in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
