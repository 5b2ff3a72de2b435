"""
Finds phrases that readers stumble over, in the documents, the help, the messages and the comments.

Run as a script (`make lint`); it prints each place with what to write, and exits with 1 when there is any.
"""

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
    r"\bwhatever there is\b": "everything that exists",
    r"\bnothing to speak of\b": "negligible",
    r"\bto be had\b": "available",
    r"\bprior to\b": "before",
    r"\bleverag": "use",
    r"\bbe asked or confirmed\b|\basked from the user\b": "asked for, asked of the user",
    r"\b(?:values?|arguments?|parts?) (?:is|are|may be) asked\b(?! (?:for|of))": "asked for",
}
IN_PAGES = {
    r"\bnobody\b(?! reads from)": "who exactly: no call, no input, the user does not",
    r"\bsomebody\b": "you, the user",
    r"\b(?:came|comes?) of\b": "the result, the outcome",
    r"\bone's own\b": "your own",
    r"\b(?:is|are|was|were) told\b": "reports, shows, prints",
    r"\btells? (?:of|what|when|which|how)\b": "says, shows",
    r"\bborne\b": "has",
    r"\bbe it\b": "whether",
    r"\bso (?:many|much)\b": "that many, the number",
    r"\bsays? nothing of\b": "does not declare",
    r"\b(?:goes|gone) on\b": "continues",
    r"\bas (?:it|they) stood\b": "unchanged",
    r"\bis none of\b": "is not a",
    r"\bof which nothing\b": "name the actor",
    r"\bstands? (?:there|behind|under|at)\b": "is",
    r"\bheard\b": "takes effect",
    r"\bputs? (?:it |them )?right\b": "fixes, corrects",
    r"\ball the same\b": "still",
    r"\bis not there\b": "is missing, does not exist",
    r", as `": "such as",
    r"\bspeaks? of\b": "is about",
}
"""Phrases that the revised pages for users are free of; their examples may show them."""
NOT_REVISED = {"bounds.md", "commands.md", "options.md", "predicates.md", "formats.md"}
"""Pages that are generated: their words are those of the program and the rules."""
PAGES = (ROOT / "docs", ROOT / "docs" / "frameworks")
MORE_PAGES = (ROOT / "README.md", ROOT / "encodings" / "README.md")
NOT_OURS = ("```", "<!-- files:", "<!-- end of files")
"""Lines that begin or end an example, or a table that is generated."""
FOLDERS = {"src": (".py", ".yaml", ".j2"), "docs": (".md",), "encodings": (".lp", ".md")}
KEPT = {"CHANGELOG.md"}


def main() -> int:
    """Print what is found; return 1 where there is any."""
    found = 0
    every = [(path, ends) for name, ends in FOLDERS.items() for path in (ROOT / name).rglob("*")]
    paths = [path for path, ends in every if path.suffix in ends]
    for path in sorted([*paths, *(each for each in ROOT.glob("*.md") if each.name not in KEPT)]):
        revised = (path.parent in PAGES and path.name not in NOT_REVISED) or path in MORE_PAGES
        in_example = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            in_example ^= line.startswith(NOT_OURS)
            phrases = INSTEAD if in_example or not revised else INSTEAD | IN_PAGES
            for phrase, better in phrases.items():
                if match := re.search(phrase, line, re.IGNORECASE):
                    print(f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: write: {better}")
                    found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
