"""What the benchmarks share: options, times in turns, processes of their own, figures with their bounds."""

from __future__ import annotations

import argparse
import json
import operator
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
WARM_UP = 20
SIGNS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, "==": operator.eq}
# Peak memory of a process in MB, as a program for `child` says it; macOS counts bytes, others KiB.
MEMORY = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == 'darwin' else 2**10)"


class Figure(NamedTuple):
    """A measured figure and its bound, on the side of which that the sign says; without a bound it is told."""

    name: str
    measured: float
    sign: str = ""
    bound: float = 0.0
    told: str = ""

    @property
    def ok(self) -> bool:
        """Whether the bound is kept."""
        return not self.sign or SIGNS[self.sign](self.measured, self.bound)


def options_of(description: str | None, **numbers: int | float) -> argparse.ArgumentParser:
    """Return a parser that prints the module's text as help, takes `--json FILE`, and numbers by name."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found there")
    for name, usual in numbers.items():
        parser.add_argument(f"--{name}", type=type(usual), default=usual, help=f"[{usual}]")
    return parser


def finished(path: Path | None, figures: Iterable[Figure], **more: Any) -> int:
    """Print the figures, write all that was found where a file is named, and return the exit code."""
    listed = list(figures)
    rows = []
    for each in listed:
        must = f"{each.sign} {each.bound:g}" if each.sign else ""
        verdict = judged(each.ok) if each.sign else ""
        rows.append((each.name, each.told or f"{each.measured:.2f}", must, verdict))
    print("\n" + table(("figure", "measured", "must", ""), rows))
    if path is not None:
        found = [{**each._asdict(), "ok": each.ok} for each in listed]
        path.write_text(json.dumps({"figures": found, **more}, indent=1, default=str), "utf-8")
    return 0 if all(each.ok for each in listed) else 1


def judged(ok: bool) -> str:
    """Say whether a bound is kept; `all.py` counts these words."""
    return "ok" if ok else "MISSED"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the rows in columns, the first to the left and the others to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(head, *texts, strict=True)]
    lines = [list(head), ["-" * width for width in widths], *texts]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def table_of(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows of equal keys in columns."""
    return table(list(rows[0]), [list(row.values()) for row in rows])


def percent(part: int, whole: int) -> str:
    """Return the share as text, a dash where there is nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def p50(values: Sequence[float]) -> float:
    """Return the median."""
    return float(median(values))


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile: the value that 95 % do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]


def seconds(action: Callable[..., object], *given: object) -> float:
    """Return how long the action takes."""
    start = time.perf_counter()
    action(*given)
    return time.perf_counter() - start


Works = Mapping[str, Callable[[], object]]


def in_turns(
    repeat: int, works: Callable[[int], Works], warm_up: int = WARM_UP
) -> dict[str, list[float]]:
    """Return the seconds that each work of a turn takes, one after the other; the first turns warm up."""
    times: dict[str, list[float]] = defaultdict(list)
    for turn in range(-warm_up, repeat):
        for name, work in works(turn).items():
            took = seconds(work)
            if turn >= 0:
                times[name].append(took)
    return times


def child(program: str, *words: str, text: str = "", **environment: str) -> Any:
    """
    Run a program in a process of its own, beside the benchmarks, and return the JSON that it prints.

    On Linux its peak memory counts what its parent held when it was started.
    """
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        raise SystemExit(f"a process failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout or "null")
