"""
Check all gold sequences and list what is flagged.

    python benchmarks/gold.py [--json FILE]
"""

from __future__ import annotations

import sys
from collections import Counter

from inputs import DATASETS, load_gold, refractor_of
from measuring import finished, options_of, table


def main() -> int:
    options = options_of(__doc__).parse_args()
    verdicts: Counter[tuple[str, str]] = Counter()
    codes: Counter[str] = Counter()
    flagged: list[dict[str, object]] = []
    for gold in load_gold():
        found = refractor_of(gold.name).check(gold.sequence)
        verdicts[gold.name, found.verdict] += 1
        if found.verdict == "valid":
            continue
        codes.update(violation.code for violation in found.violations)
        lines = str(gold.sequence).splitlines()
        messages = [f"{v.code}, call {v.call + 1}: {v.message}" for v in found.violations]
        flagged.append({"case": gold.key, "calls": lines, "violations": messages})
        print("\n".join([f"== {gold.key}: {found.verdict}", *(f"   {line}" for line in lines)]))
        print("\n".join(f" ! {message}" for message in messages), end="\n\n")
    names = sorted({verdict for _, verdict in verdicts}, reverse=True)
    rows = [[name, *(verdicts[name, verdict] for verdict in names)] for name in DATASETS]
    rows.append(["together", *(sum(verdicts[name, v] for name in DATASETS) for v in names)])
    print(table(("data set", *names), rows))
    counts = ", ".join(f"{code} {n}" for code, n in codes.most_common())
    print(f"\nflagged: {len(flagged)}; violations: {counts or 'none'}")
    return finished(options.json, [], flagged=flagged)


if __name__ == "__main__":
    sys.exit(main())
