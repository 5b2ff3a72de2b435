"""
Writes docs/bounds.md: every bound in the code, with its number and the words that stand beside it there.

A bound is a constant whose name begins with MAX, MOST, LONGEST or LARGEST. `make reference` runs this; a test
fails when the page is stale, or when a bound has no words.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "refract_asp"
PAGE = ROOT / "docs" / "bounds.md"
NAMED = re.compile(r"_?(?:MAX|MOST|LONGEST|LARGEST)(?:_[A-Z_]+)?")
HEAD = """\
# Bounds

Every fixed bound, by the module that contains it, from the code itself; `make reference` writes this page.
[How it works](how-it-works.md#what-is-left-out) explains what happens beyond those that you may meet.

| bound | number | what it is |
|---|---|---|
"""


def bounds_of(path: Path) -> Iterator[tuple[str, int | float, str]]:
    """Yield the bounds of a module: name, number and what is said of it; names without a line between share it."""
    text = path.read_text("utf-8")
    lines, body = text.splitlines(), ast.parse(text).body
    said, last = "", -1
    for node, following in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if NAMED.fullmatch(name) is None:
            continue
        above = node.lineno - 2
        while lines[above].startswith("# ") and not lines[above].startswith("# --"):
            above -= 1
        words = " ".join(line[2:] for line in lines[above + 1 : node.lineno - 1])
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            words = str(following.value.value)
        said = words or (said if node.lineno == last + 1 else "")
        last = node.lineno
        number = eval(compile(ast.Expression(node.value), str(path), "eval"), {"__builtins__": {}})
        yield name, number, " ".join(said.split())


def bounds() -> dict[str, tuple[int | float, str]]:
    """Return all bounds, by module and name."""
    return {
        f"{'.'.join(path.relative_to(SOURCE).with_suffix('').parts).replace('.__init__', '')}.{name}": (
            number,
            said,
        )
        for path in sorted(SOURCE.rglob("*.py"))
        for name, number, said in bounds_of(path)
    }


def page() -> str:
    """Return the page."""
    rows = (f"| `{n}` | {number:,} | {said} |\n" for n, (number, said) in bounds().items())
    return HEAD + "".join(row.replace("\\|", "|") for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"{PAGE.name}: {len(bounds())} bounds\n")
