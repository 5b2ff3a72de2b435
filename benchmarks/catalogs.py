"""
Loading and compiling catalogs of 10 to 10,000 tools, and one repair: time and peak memory of the process.

    python benchmarks/catalogs.py [--repeat 3] [--json FILE]

Each row is a process of its own: without the cache, with an empty one, and with one that knows the catalog.
This process holds no catalog. Exits with 1 when the largest catalog takes too long or too much memory.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from inputs import data_folder
from measuring import MEMORY, Figure, child, finished, options_of, p50, table_of

SIZES = (10, 100, 1000, 4000, 10_000)
REAL = ("openapi/kubecoreapi.json", "openapi/kubeappsapi.json")
MEASURE = f"""
import json, resource, sys, time
from pathlib import Path
from refract_asp import Catalog, Refractor
started = time.perf_counter()
catalog = Catalog.load(Path(sys.argv[1]))
loaded = time.perf_counter()
refractor = Refractor(catalog)
compiled = time.perf_counter()
tool = next(tool for tool in catalog if tool.parameters)
refractor.repair(f'var1 = {{tool.name[:-1]}}_({{next(iter(tool.parameters))}}="x")')
answered = time.perf_counter()
times = loaded - started, compiled - loaded, answered - compiled
print(json.dumps([len(catalog), *times, {MEMORY}]))
"""
WRITE = """
import json, sys
from pathlib import Path
from inputs import catalog_of_size
from refract_asp.formats.yaml_text import yaml_text
path, data = Path(sys.argv[1]), catalog_of_size(int(sys.argv[2])).dump()
path.write_text(yaml_text(data) if path.suffix == ".yaml" else json.dumps(data), "utf-8")
"""


def rows_of(path: Path, folder: Path, repeat: int) -> list[dict[str, object]]:
    """Return a row for the catalog of a file without the cache, with an empty one, and with a full one."""
    found = []
    for kind, cache in (("off", "off"), ("empty", "{}"), ("full", "0")):
        caches = [
            cache if kind == "off" else f"{folder}/{path.name}.{cache.format(turn)}"
            for turn in range(repeat)
        ]
        runs = [child(MEASURE, str(path), REFRACT_ASP_CACHE=each) for each in caches]
        tools, load, compiled, first, memory = (p50(each) for each in zip(*runs, strict=True))
        found.append(
            {
                "catalog": path.name,
                "tools": int(tools),
                "file (MB)": round(path.stat().st_size / 1e6, 2),
                "cache": kind,
                "load (s)": round(load, 3),
                "compile (s)": round(compiled, 3),
                "first repair (s)": round(first, 3),
                "memory (MB)": round(memory),
            }
        )
    return found


def main() -> int:
    options = options_of(__doc__, repeat=3).parse_args()
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [(folder / f"tools-{size}.json", size) for size in SIZES]
        for path, size in (*files, (folder / f"tools-{SIZES[-1]}.yaml", SIZES[-1])):
            child(WRITE, str(path), str(size))
            found += rows_of(path, folder, options.repeat)
        for real in REAL:
            found += rows_of(data_folder() / real, folder, options.repeat)
    print(table_of(found))
    largest = [row for row in found if row["catalog"] == f"tools-{SIZES[-1]}.json"]
    slow = max(float(str(row["load (s)"])) + float(str(row["compile (s)"])) for row in largest)
    large = max(float(str(row["memory (MB)"])) for row in largest)
    figures = [
        Figure(f"{SIZES[-1]} tools loaded and compiled (s)", slow, "<=", 5.0),
        Figure(f"{SIZES[-1]} tools: peak memory (MB)", large, "<=", 300.0),
    ]
    return finished(options.json, figures, rows=found)


if __name__ == "__main__":
    sys.exit(main())
