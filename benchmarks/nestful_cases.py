"""
Writes the NESTFUL gold sequences that break nothing as cases, to be mutated, run or given to a peer.

    python benchmarks/nestful_cases.py FOLDER [--datasets executable,glaive] [--limit N]
    refract-asp bench mutate FOLDER/cases.jsonl -o FOLDER/broken.jsonl
    refract-asp bench run FOLDER/broken.jsonl
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from nestful_data import DATASETS, load_cases, refractor_of
from refract_asp.evaluation.cases import Case, write_cases


def gold(names: tuple[str, ...], limit: int | None) -> Iterator[Case]:
    """Yield each gold sequence that `check` finds no fault with, as what is expected of itself."""
    for case in load_cases(names, limit):
        if refractor_of(case.name).check(case.sequence).verdict == "valid":
            dials = {"dataset": case.name, "calls": len(case.sequence.calls)}
            yield Case(
                case.key, case.sequence, case.catalog, case.sequence, kind="none", dials=dials
            )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--datasets", default=",".join(DATASETS), help="separated by commas")
    parser.add_argument("--limit", type=int, help="sequences of each data set")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    names = tuple(options.datasets.split(","))
    print(
        f"{write_cases(options.folder / 'cases.jsonl', gold(names, options.limit))} cases written"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
