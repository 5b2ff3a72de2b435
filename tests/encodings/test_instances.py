"""encodings/examples: one instance for a file, with what the file derives of it and what it does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from clingo import Symbol, parse_term
from encoding_runs import files_of, run

from refract_asp.resources import encodings_path
from refract_asp.rules.program import SOLVE_OPTIONS
from refract_asp.rules.reading import ENTRIES

ROOT = encodings_path()
EXAMPLES = sorted(
    str(path.relative_to(ROOT / "examples")) for path in (ROOT / "examples").rglob("*.lp")
)
WITHOUT = {
    "costs", "defined", "likeness", "modes/defined", "modes/relaxed", "modes/nothing_wrong",
    "modes/ties", "modes/wanted", "names", "show", "words", *(name.removesuffix(".lp") for name in ENTRIES),
}  # fmt: skip
"""Files that derive nothing of their own, or whose tests are tables of instances already."""


def header(text: str) -> dict[str, str]:
    """Return the sections of the comment with which an example begins."""
    lines = [line[1:].strip() for line in text.partition("\n\n")[0].splitlines()[1:]]
    found: dict[str, str] = {}
    for line in lines:
        match = re.match(r"(Shows|Loads|Derives|Not):\s+(.*)", line)
        if match:
            name = match[1]
        found[name] = f"{found.get(name, '')} {match[2] if match else line}".strip()
    return found


def symbols(text: str) -> set[Symbol]:
    """Return the atoms that are listed, one after a blank."""
    return {parse_term(each) for each in re.split(r"(?<=[)\w]) (?=\w+\()", text) if each}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_derives_what_it_says(name: str) -> None:
    path = ROOT / "examples" / name
    said = header(path.read_text("utf-8"))
    files = files_of(*said["Loads"].split())
    assert name in files, "the file of which it is an example is not loaded"
    last: set[Symbol] = set()
    paths: list[Path] = [ROOT / each for each in files]
    for model in run(SOLVE_OPTIONS, [*paths, path], ""):
        last = {*model.symbols(atoms=True), *model.symbols(shown=True)}
    assert last, "there is no admissible sequence"
    assert symbols(said.get("Derives", "")) - last == set()
    assert symbols(said.get("Not", "")) & last == set()
    assert symbols(said["Derives"])


def test_every_file_has_an_example() -> None:
    files = {str(path.relative_to(ROOT).with_suffix("")) for path in ROOT.rglob("*.lp")}
    files = {name for name in files if not name.startswith(("examples/", "costs/"))}
    assert files - WITHOUT == {name.removesuffix(".lp") for name in EXAMPLES}
