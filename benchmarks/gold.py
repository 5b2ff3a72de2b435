"""
Check all gold sequences and list what is flagged.

    python benchmarks/gold.py [--json FILE]
"""

from __future__ import annotations

import sys
from collections import Counter

from nestful_data import DATASETS, load_cases, refractor_of
from tables import options_of, table, write_json


def main() -> int:
    """Run from the command line."""
    parser = options_of(__doc__)
    options = parser.parse_args()

    verdicts: Counter[tuple[str, str]] = Counter()
    codes: Counter[str] = Counter()
    flagged: list[dict[str, object]] = []
    for case in load_cases():
        found = refractor_of(case.name).check(case.sequence)
        verdicts[case.name, found.verdict] += 1
        if found.verdict == "valid":
            continue
        codes.update(violation.code for violation in found.violations)
        lines = str(case.sequence).splitlines()
        messages = [f"{v.code}, call {v.call + 1}: {v.message}" for v in found.violations]
        flagged.append(
            {"case": case.key, "verdict": found.verdict, "calls": lines, "violations": messages}
        )
        print(f"== {case.key}: {found.verdict}")
        print("\n".join(f"   {line}" for line in lines))
        print("\n".join(f" ! {message}" for message in messages), end="\n\n")
    names = sorted({verdict for _, verdict in verdicts} | {"valid"}, reverse=True)
    rows = [[name, *(verdicts[name, verdict] for verdict in names)] for name in DATASETS]
    rows.append(
        ["together", *(sum(verdicts[name, verdict] for name in DATASETS) for verdict in names)]
    )
    print(table(("data set", *names), rows))
    counts = ", ".join(f"{code} {n}" for code, n in codes.most_common())
    print(f"\nflagged: {len(flagged)}; violations: {counts or 'none'}")
    write_json(options.json, flagged)
    return 0


if __name__ == "__main__":
    sys.exit(main())
