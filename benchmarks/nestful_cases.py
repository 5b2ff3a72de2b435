"""
Writes the NESTFUL gold sequences that break nothing as cases, to be mutated, run or given to a peer.

    python benchmarks/nestful_cases.py FOLDER
    refract-asp bench mutate FOLDER/cases.jsonl -o FOLDER/broken.jsonl
    refract-asp bench run FOLDER/broken.jsonl
"""

from __future__ import annotations

import sys
from pathlib import Path

from inputs import valid_gold
from measuring import options_of
from refract_asp.evaluation.cases import Case, write_cases


def main() -> int:
    parser = options_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for gold in valid_gold():
        dials: dict[str, str | int] = {"dataset": gold.name, "calls": len(gold.sequence.calls)}
        sequence = gold.sequence
        cases.append(Case(gold.key, sequence, gold.catalog, sequence, kind="none", dials=dials))
    print(f"{write_cases(folder / 'cases.jsonl', cases)} cases: {folder / 'cases.jsonl'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
