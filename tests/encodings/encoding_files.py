"""What the files of encodings/ and their README.md say, read for the tests of the contract."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from clingo.ast import AST, ASTType, Transformer, parse_files, parse_string

from refract_asp.resources import cost_model_names, encodings_path
from refract_asp.rules.reading import ENTRIES

ROOT = encodings_path()
RULES = (path.relative_to(ROOT) for path in ROOT.rglob("*.lp") if "examples" not in path.parts)
FILES = sorted({*map(str, RULES)} - {*ENTRIES})
"""The files that hold rules; an entry names some of them."""
MODELS = [f"costs/{name}.lp" for name in cost_model_names()]
README = (ROOT / "README.md").read_text("utf-8")

Signature = tuple[str, int]

# --- the files ------------------------------------------------------------------------------------


@dataclass
class File:
    """What a file derives, asks, shows and defines."""

    text: str
    heads: set[Signature] = field(default_factory=set)
    bodies: set[Signature] = field(default_factory=set)
    shown: dict[Signature, str] = field(default_factory=dict)
    rules: list[AST] = field(default_factory=list)
    defined: set[Signature] = field(default_factory=set)
    constants: dict[str, int] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)


class _Atoms(Transformer):
    """Collects the predicates and the variables of a piece of a program."""

    def __init__(self) -> None:
        self.atoms: set[Signature] = set()
        self.variables: set[str] = set()

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802
        self.atoms.add((node.symbol.name, len(node.symbol.arguments)))
        self.visit_sequence(node.symbol.arguments)
        return node

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        self.variables.add(node.name)
        return node


def atoms_of(parts: Any) -> _Atoms:
    found = _Atoms()
    for part in parts:
        found(part)
    return found


@cache
def read(name: str) -> File:
    """Read a file of the encodings."""
    found = File((ROOT / name).read_text("utf-8"))

    def visit(node: AST) -> None:
        kind = node.ast_type
        found.variables |= atoms_of([node]).variables
        if kind is ASTType.Rule:
            conditions = []
            heads = [node.head]
            if node.head.ast_type is ASTType.Aggregate:
                heads = [element.literal for element in node.head.elements]
                conditions = [part for element in node.head.elements for part in element.condition]
            found.heads |= atoms_of(heads).atoms
            found.bodies |= atoms_of([*node.body, *conditions]).atoms
            found.rules.append(node)
        elif kind is ASTType.ShowTerm:
            found.shown[node.term.name, len(node.term.arguments)] = str(node.term)
            found.bodies |= atoms_of(node.body).atoms
        elif kind in (ASTType.Edge, ASTType.Minimize):
            found.bodies |= atoms_of(node.body).atoms
        elif kind is ASTType.Defined:
            found.defined.add((node.name, node.arity))
        elif kind is ASTType.Definition:
            found.constants[node.name] = node.value.symbol.number

    parse_files([str(ROOT / name)], visit)
    return found


def everywhere(attribute: str) -> set[Signature]:
    return set().union(*(getattr(read(name), attribute) for name in FILES))


DECLARED = read("defined.lp").defined | read("modes/defined.lp").defined
HOOKS = {("forbidden", 1), ("forbidden", 2), ("excused", 1), ("let_be", 1), ("swapped", 2)}
"""What rules of one's own or files for them derive, so that the shipped files may go without."""

CANDIDATES = {
    ("tool_of", 2), ("deletable", 1), ("rename_candidate", 4), ("droppable", 3), ("form", 4), ("offer", 5),
    ("bearer", 2), ("supplies", 2), ("rebind_candidate", 5), ("alike", 2), ("added", 1), ("pattern", 3),
}  # fmt: skip
"""What recovery patterns derive, so that any of them may be left out."""

DECLARED -= CANDIDATES

WORDS = read("words.lp").heads
"""What is said of words in names; Python states it of the words that occur."""

OPTIONS = {each for each in DECLARED - HOOKS - WORDS if not each[0].startswith("in_")}


def derived_in() -> dict[Signature, set[str]]:
    found: dict[Signature, set[str]] = defaultdict(set)
    for name in FILES:
        for signature in read(name).heads - OPTIONS - WORDS - {("", 0)}:
            found[signature].add(name)
    return found


# --- the page -------------------------------------------------------------------------------------


def tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield each table under the last heading before it, as rows of cells, without the header."""
    heading, rows = "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif rows:
            yield heading, rows[2:]
            rows = []


TABLES = dict(tables(README))
INPUTS = ("Sequence", "Catalog and memory", "Evidence", "Names")
INPUTS += ("What is wrong, and how to go about it", "Goals", "Fewer calls", "Plans")


def code(cell: str) -> list[str]:
    """Return what stands in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def signature(term: str) -> Signature:
    """Return name and arity of an atom as it is printed."""
    found: list[AST] = []
    parse_string(f"{term}.", found.append)
    (atom,) = atoms_of([found[-1].head]).atoms
    return atom


def told(*headings: str) -> dict[Signature, list[str]]:
    """Return the predicates that tables tell of, with their rows."""
    return {signature(code(row[0])[0]): row for heading in headings for row in TABLES[heading]}


def heads_of(name: str, predicate: str) -> list[tuple[str, ...]]:
    """Return the arguments of each head of that predicate in a file."""
    heads = (rule.head for rule in read(name).rules if str(rule.head).startswith(f"{predicate}("))
    return [tuple(map(str, head.atom.symbol.arguments)) for head in heads]
