"""What the benchmarks' command lines share: options, tables, bounds, JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["judged", "options_of", "p50", "p95", "percent", "table", "write_json"]


def options_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser that prints the module's text as help and takes `--json FILE`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found there")
    return parser


def write_json(path: Path | None, data: Any) -> None:
    """Write the data, when a file was named."""
    if path is not None:
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")


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


def percent(part: int, whole: int) -> str:
    """Return the share as text, a dash where there is nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def judged(ok: bool) -> str:
    """Say whether a bound is kept."""
    return "ok" if ok else "MISSED"


def p50(values: Sequence[float]) -> float:
    """Return the median."""
    return float(median(values))


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile: the value that 95 % do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]
