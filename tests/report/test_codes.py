"""The page of diagnostics: which codes it has, and what is read from it."""

import re
from pathlib import Path
from typing import get_args

import pytest
from clingo.ast import AST, ASTType, parse_files

from refract_asp.errors import InputError
from refract_asp.model.diagnostic import Tag, tag_meanings, tag_of
from refract_asp.model.edits import ViolationCode
from refract_asp.report.advice import Adviser
from refract_asp.report.codes import code_entries, codes_text, entry_of, entry_text
from refract_asp.resources import diagnostics_page, encodings_path, packaged

ROOT = Path(__file__).resolve().parents[2]
CODES = set(get_args(ViolationCode))
FROM_PYTHON = {"needless_call"}
"""Told of the calls that a repair leaves out; no rule says it."""
WORDED_ELSEWHERE = {"needless_call"}
"""Its message is made of the call that stands for another one."""


def derived() -> set[str]:
    """Return the codes in the heads of the encodings; the variable among them is of `in_unmendable`."""
    found: set[str] = set()

    def visit(node: AST) -> None:
        symbol = getattr(getattr(getattr(node, "head", None), "atom", None), "symbol", None)
        if node.ast_type is ASTType.Rule and getattr(symbol, "name", "") == "violation":
            found.add(str(symbol.arguments[0]))

    parse_files([str(path) for path in sorted(encodings_path().rglob("*.lp"))], visit)
    return found - {"Code"}


def places() -> dict[str, set[str]]:
    """Return the codes by the places that CONTRIBUTING lists for a new one."""
    contract = (encodings_path() / "README.md").read_text("utf-8")
    table = contract.split("## Violations")[1].split("\n## ")[0]
    (line,) = re.findall(r"^\| `in_unmendable\(X, Code\)`.*", contract, re.M)
    unmendable = set(re.findall(r"\(`(\w+)`\)", line))
    words = packaged("model/words")
    examples = {path.stem for path in (ROOT / "docs/examples/codes").iterdir()}
    return {
        "the rules": derived() | unmendable | FROM_PYTHON,
        "ViolationCode in model/edits.py": set(CODES),
        "messages in model/words.yaml": set(words["messages"]) | WORDED_ELSEWHERE,
        "tips or a method of Adviser": CODES & {*vars(Adviser), *words["tips"]},
        "tag_of_code in model/words.yaml": set(words["tag_of_code"]),
        "encodings/README.md": set(re.findall(r"^\| `(\w+)` \|", table, re.M)) | FROM_PYTHON,
        "a heading of docs/diagnostics.md": set(code_entries()),
        "docs/examples/codes": examples & CODES,
    }


def test_codes_are_the_same_everywhere() -> None:
    """Rules, types, messages, advice, tags, the contract, the page and the examples know the same codes."""
    found = places()
    every = set().union(*found.values())
    gaps = {place: every - known for place, known in found.items() if every - known}
    assert not gaps, "see 'A new violation code' in CONTRIBUTING.md"


def test_the_page_lists_the_tags() -> None:
    table = diagnostics_page().read_text("utf-8").split("## Tags")[1]
    assert dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", table, re.M)) == tag_meanings()
    assert set(get_args(Tag)) == tag_meanings().keys()


@pytest.mark.parametrize("code", sorted(CODES))
def test_entry(code: str) -> None:
    """An entry is whole, and its example, which the tests of the documents run, shows the code."""
    entry = code_entries()[code]
    assert entry.summary.endswith(".")
    assert entry.cause
    assert entry.fix
    assert entry.tag == tag_of(entry.code)  # type: ignore[arg-type]
    assert len(re.findall(r"^\$ refract-asp check .+$", entry.example, re.M)) == 1
    assert f"[{code}]" in " ".join(entry.example.split())
    assert re.search(r"^  (Common fix|Tip): ", entry.example, re.M)


def test_tags_are_told_too() -> None:
    assert all(entry_of(tag).summary for tag in tag_meanings())
    assert entry_of("missing_parameter").example, "a code goes before a tag of the same name"


@pytest.mark.parametrize("name", ["unknown_tol", "Unknown_Tool", "", "qq\x1b[31m\n"])
def test_an_unknown_code(name: str) -> None:
    hint = "Did you mean 'unknown_tool'" if "nown" in name else "lists all codes"
    with pytest.raises(InputError, match=hint) as caught:
        entry_of(name)
    assert str(caught.value).isprintable()


def test_width() -> None:
    """Prose keeps to the width; examples stay as they are."""
    width = 60
    for entry in code_entries().values():
        prose = entry_text(entry.model_copy(update={"example": ""}), width=width)
        lines = f"{prose}\n{codes_text([entry], width=width)}".splitlines()
        assert all(len(line) <= max(width, 45) for line in lines)
        assert "\x1b[1m" in entry_text(entry, color=True, width=width)
        assert "`" not in prose
        assert "Example:" not in prose
