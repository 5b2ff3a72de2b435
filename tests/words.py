"""
Finds phrases that readers stumble over, in the documents, the help, the messages and the comments.

Run as a script (`make lint`); it prints each place with what to write, and exits with 1 when there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTEAD = {
    r"what there is\b(?! (?:to|no))": "the valid options, what exists",
    r"\b(?:go|goes|gone) on with\b": "resume, continue",
    r"\bon (?:its|their) own account\b": "that no reference requires",
    r"\bbears?\b": "has, have",
    r"\btells of\b": "reports, describes",
    r"\bis no goal\b|\bis no line of\b": "is not a ...",
    r"\bin order to\b": "to",
    r"\butiliz": "use",
    r"\bplease note\b": "leave it out",
}
FOLDERS = {"src": (".py", ".yaml", ".j2"), "docs": (".md",), "encodings": (".lp", ".md")}
KEPT = {"CHANGELOG.md"}


def main() -> int:
    """Print what is found; return 1 where there is any."""
    found = 0
    paths = [
        path
        for name, ends in FOLDERS.items()
        for path in (ROOT / name).rglob("*")
        if path.suffix in ends
    ]
    for path in sorted([*paths, *(each for each in ROOT.glob("*.md") if each.name not in KEPT)]):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for phrase, better in INSTEAD.items():
                if match := re.search(phrase, line, re.IGNORECASE):
                    print(f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: write: {better}")
                    found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
