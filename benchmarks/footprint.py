"""
Import time, time of the whole command for the demo, peak memory of a repair.

Modules are compiled before, as they are by an installation, whatever the environment says of that.

    python benchmarks/footprint.py [--repeat 5] [--json FILE]

This process imports nothing of the project. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from measuring import MEMORY, Figure, child, finished, options_of, seconds

DEMO = Path(__file__).resolve().parents[1] / "docs" / "examples" / "demo.txt"
# The package itself loads nothing before it is asked for.
IMPORT = "from refract_asp import repair"
SOLVE = f"""
import contextlib, io, sys
from refract_asp.cli import main
sys.argv = ["refract-asp", "solve", {str(DEMO)!r}, "--catalog", "travel"]
with contextlib.redirect_stdout(io.StringIO()):
    sys.exit(main())
"""
REPAIR = f"""
import json, resource, sys
from inputs import catalog_of
from refract_asp import Sequence, repair
result = repair(Sequence.load(sys.stdin.read()), catalog_of("executable"))
assert result.verdict == "repaired", result.verdict
print(json.dumps({MEMORY}))
"""


def main() -> int:
    options = options_of(__doc__, repeat=5).parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:

        def best(program: str) -> float:
            """Return the shortest wall time of a program, after one run to warm up."""

            def run() -> None:
                child(program, PYTHONPYCACHEPREFIX=folder)

            return min([seconds(run) for _ in range(options.repeat + 1)][1:])

        bare, imported, solved = map(best, ("pass", IMPORT, SOLVE))
    memory = float(child(REPAIR, text=DEMO.read_text("utf-8")))
    print(f"bare python: {bare:.3f} s; best of {options.repeat}")
    name = "from refract_asp import repair, without python itself (s)"
    figures = [
        Figure(name, imported - bare, "<", 0.3),
        Figure("refract-asp solve of the demo, whole process (s)", solved, "<", 0.8),
        Figure("peak memory of a repair (MB)", memory, "<", 120.0),
    ]
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
