"""
Writes docs/predicates.md: every predicate of the encodings, its meaning, where it is derived and used; and the
table of the files in encodings/README.md, from their headers and the entry files.

The meanings are those of encodings/README.md; of a predicate that one file alone knows, the words above
the rule that derives it. `make predicates` runs this; a test fails when the page is stale.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from clingo.ast import AST, ASTType, parse_files

from refract_asp.rules.reading import ENTRIES, Predicate, asked, derived, included, predicates

ROOT = Path(__file__).resolve().parents[1]
ENCODINGS = ROOT / "encodings"
PAGE = ROOT / "docs" / "predicates.md"
README = ENCODINGS / "README.md"

HEAD = """\
# Predicates

Every predicate of [`encodings/`](../encodings/README.md), from its files. This page is written by
`make predicates`; how to read the variables stands [there](../encodings/README.md#how-things-are-written).
"""
SECTIONS = {
    "Input": "What Python states of the sequence, the catalog and the memory.",
    "What a cost model or rules of your own may say": "These the shipped files ask, and may go without.",
    "What the files share": "Your own rules may ask them.",
    "Inside one file": "Your own rules may ask them too, but they change more easily.",
    "Output": "What Python reads of an answer.",
}


def files() -> list[Path]:
    """Return the files of the encodings, by name."""
    found = [path for path in ENCODINGS.rglob("*.lp") if ENCODINGS / "examples" not in path.parents]
    return sorted(found, key=lambda path: (len(path.relative_to(ENCODINGS).parts), path))


def statements(path: Path) -> list[AST]:
    """Return the statements of a file."""
    nodes: list[AST] = []
    parse_files([str(path)], nodes.append)
    return nodes


def told() -> dict[Predicate, tuple[str, str]]:
    """Return how encodings/README.md writes each predicate of its tables, and its meaning."""
    found: dict[Predicate, tuple[str, str]] = {}
    for line in (ENCODINGS / "README.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        match = re.fullmatch(r"`([a-z]+_\w+|\w+(?=\())(?:\((.*)\))?`", cells[0]) if cells else None
        if match and len(cells) > 1:
            at = 2 if cells[1].startswith("`") and len(cells) > 3 else 1
            arity = len(re.sub(r"\([^()]*\)", "", match[2]).split(",")) if match[2] else 0
            meaning = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cells[at])
            found.setdefault((match[1], arity), (cells[0], meaning))
    return found


def words_above(path: Path, line: int) -> str:
    """Return the comment above the block of rules in which a line stands."""
    lines = path.read_text("utf-8").splitlines()
    at = line - 1
    while at > 0 and not lines[at - 1].startswith("%") and lines[at - 1].strip():
        at -= 1
    found: list[str] = []
    while at > 0 and lines[at - 1].startswith("% ") and not lines[at - 1].startswith("% ---"):
        at -= 1
        found.insert(0, lines[at].removeprefix("% "))
    text = " ".join(found)
    return re.sub(r" \[\d\]", "", text).replace("|", "\\|")


def page() -> str:
    """Return the text of docs/predicates.md."""
    meanings = told()
    made: dict[Predicate, list[str]] = defaultdict(list)
    used: dict[Predicate, list[str]] = defaultdict(list)
    above: dict[Predicate, str] = {}
    shape: dict[Predicate, str] = {}
    declared: list[Predicate] = []
    shown: set[Predicate] = set()
    for path in files():
        name = str(path.relative_to(ENCODINGS))
        for node in () if name in ENTRIES else statements(path):
            for head in derived(node):
                _note(made[head.predicate], name)
                if head.predicate not in above:
                    above[head.predicate] = words_above(path, node.location.begin.line)
                    arguments = ", ".join(map(str, head.arguments))
                    shape[head.predicate] = (
                        f"{head.predicate[0]}({arguments})" if arguments else head.predicate[0]
                    )
            for predicate in predicates(asked(node)):
                _note(used[predicate], name)
            if node.ast_type is ASTType.Defined and name == "defined.lp":
                declared.append((node.name, node.arity))
            if node.ast_type is ASTType.ShowTerm:
                predicate = (node.term.name, len(node.term.arguments))
                _note(made[predicate], name)
                shape[predicate] = str(node.term).replace(",", ", ")
                shown.add(predicate)
    rows: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for predicate in dict.fromkeys([*declared, *made]):
        name, arity = predicate
        term, meaning = meanings.get(
            predicate, (f"`{shape.get(predicate, name)}`", above.get(predicate, ""))
        )
        if predicate in shown:
            section = "Output"
        elif name.startswith("in_"):
            section = "Input"
        elif predicate in declared and not any(
            file.startswith("recovery/") for file in made[predicate]
        ):
            section = "What a cost model or rules of your own may say"
        else:
            everywhere = {*made[predicate], *used[predicate]}
            section = "What the files share" if len(everywhere) > 1 else "Inside one file"
        by = _listed(made[predicate]) or ("Python" if name.startswith("in_") else "you")
        to = "Python" if predicate in shown else _listed(used[predicate]) or "Python"
        row = f"| {term} | {meaning} | {by} | {to} |"
        rows[section].append((f"{name}/{arity}", row))
    blocks = [HEAD]
    for section, words in SECTIONS.items():
        lines = [row for _, row in sorted(rows[section])]
        table = "\n".join(
            ["| predicate | meaning | derived in | used in |", "|---|---|---|---|", *lines]
        )
        blocks.append(f"## {section}\n\n{words}\n\n{table}\n")
    return "\n".join(blocks)


def readme() -> str:
    """Return the text of encodings/README.md with the table of the files."""
    entries = {entry: included(ENCODINGS, entry) for entry in ENTRIES}
    begun = set(entries["repair.lp"])  # goals.lp and compress.lp begin with it
    rows = ["| file | what it is for | named by |", "|---|---|---|"]
    for path in files():
        name = str(path.relative_to(ENCODINGS))
        head = path.read_text("utf-8").partition("\n\n")[0]
        purpose = re.sub(r"\n% +", " ", head.partition("Purpose:")[2].partition("\n% Derived")[0])
        first = re.split(r"(?<=[a-z)`\"])\. |; loaded|\n", purpose.strip())[0].rstrip(".")
        named = [
            entry
            for entry, listed in entries.items()
            if name in listed and (entry in ("check.lp", "repair.lp") or name not in begun)
        ]
        rows.append(f"| `{name}` | {first} | {_listed(named)} |")
    text = README.read_text("utf-8")
    table = "\n".join(rows)
    return re.sub(
        r"(?s)(<!-- files:.*?-->\n).*(?=<!-- end of files -->)", rf"\g<1>\n{table}\n\n", text
    )


def _note(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    written = {PAGE: page(), README: readme()}
    if sys.argv[1:] == ["--check"]:
        stale = [path.name for path, text in written.items() if path.read_text("utf-8") != text]
        sys.exit(f"{', '.join(stale)} is stale: run `make predicates`" if stale else 0)
    for path, text in written.items():
        path.write_text(text, "utf-8")
