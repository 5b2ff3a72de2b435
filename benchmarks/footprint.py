"""
Import time, time of the whole command for the demo, of a check and of help; peak memory of a repair.

Modules are compiled before, as they are by an installation, whatever the environment says of that.

    python benchmarks/footprint.py [--repeat 5] [--json FILE]

This process imports nothing of the project. Exits with 1 when a bound is missed.
"""

from __future__ import annotations

import os
import resource
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
CALLS = """
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = TripadvisorSearchLocation(query="London")
"""
# Each command, what has to be loaded in any case, and the bound: processor time, the shortest of each.
LEAN = {
    "check of three calls": (
        ("check", "calls.txt", "--catalog", "travel"),
        "import pydantic, clingo, jsonschema, yaml",
        1.6,
    ),
    "solve --help": (("solve", "--help"), "import typer, rich.console", 1.5),
    "--help": (("--help",), "import typer, rich.console", 1.5),
}
REPAIR = f"""
import json, resource, sys
from inputs import catalog_of
from refract_asp import Sequence, repair
result = repair(Sequence.load(sys.stdin.read()), catalog_of("executable"))
assert result.verdict == "repaired", result.verdict
print(json.dumps({MEMORY}))
"""


def command_of(words: list[str]) -> str:
    """Return the program that runs the command line and prints nothing."""
    return f"""
import contextlib, io, sys
from refract_asp.cli import main
sys.argv = ["refract-asp", *{words!r}]
with contextlib.redirect_stdout(io.StringIO()):
    try:
        main()
    except SystemExit as end:
        sys.exit(end.code)
"""


def used(program: str, folder: str) -> float:
    """Return the processor time that a program takes, all of its process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child(program, PYTHONPYCACHEPREFIX=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
        calls = Path(folder) / "calls.txt"
        calls.write_text(CALLS, "utf-8")
        lean = []
        for name, (words, least, bound) in LEAN.items():
            given = [str(calls) if word == calls.name else word for word in words]
            turns = [
                (used(command_of(given), folder), used(least, folder))
                for _ in range(options.repeat + 1)
            ]
            ratio = min(own for own, _ in turns[1:]) / min(base for _, base in turns[1:])
            lean.append(Figure(f"refract-asp {name}, against `{least}`", ratio, "<=", bound))
    memory = float(child(REPAIR, text=DEMO.read_text("utf-8")))
    print(f"bare python: {bare:.3f} s; best of {options.repeat}")
    name = "from refract_asp import repair, without python itself (s)"
    figures = [
        Figure(name, imported - bare, "<", 0.3),
        Figure("refract-asp solve of the demo, whole process (s)", solved, "<", 0.8),
        Figure("peak memory of a repair (MB)", memory, "<", 120.0),
        *lean,
    ]
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
