"""
Measures the power of the tests: breaks one place of the project at a time and sees whether a test fails.

A mutant takes one rule of `encodings/` away, or turns one condition or branch of the Python over. The tests
of encodings, behaviour, properties and seeds that `make test` runs are run on it, for Python those of its
package first, until one fails: the mutant is killed. An adapter to a framework is tried in the environment that
`make test-frameworks` made for it, where there is one. A mutant that survives shows what none of the tests
asserts, or that two pieces say the same.

    python tests/mutants.py [--rules 150] [--places 100] [--seed 0] [--jobs 2] [--only encodings/risk.lp]

It prints what kills each mutant as it goes, then the survivors with their places, and ends with 1 where
fewer than 97 % of the rules or 85 % of the places are killed.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue

import clingo.ast
import pytest

from refract_asp.rules.reading import ENTRIES

ROOT = Path(__file__).resolve().parents[1]
LEAST = {"rules": 0.97, "places": 0.85}
LONGEST = 600
"""Seconds after which a mutant counts as killed: it does not come to an end."""
QUICK = "not (slow or data or browser or embeddings or soak)"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.+?)(?: - .*)?$", re.MULTILINE)
"""What the summary of pytest says of a test that fails."""
COMMON = ("tests/encodings", "tests/behaviour", "tests/seeds", "tests/properties")
OWN = {
    "evaluation": ("tests/batch", "tests/bench/evaluation"),
    "model": ("tests/model", "tests/formats", "tests/report", "tests/hostile"),
    "pooling": ("tests/test_pooling.py",),
    "rules": ("tests/rules", "tests/report", "tests/costs"),
}
"""The tests of a package or module where they are not the folder of its name: those of what reads it, too."""
NO_RULES = ("words.lp", "examples/", *ENTRIES)
"""Files of facts, and those that only name files."""

OPPOSITES: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}


@dataclass(frozen=True)
class Mutant:
    """One change: `new` stands where `old` stood, from byte `start` of a file on."""

    kind: str
    path: str
    line: int
    start: int
    old: bytes
    new: bytes

    def __str__(self) -> str:
        change = f" -> {self.new.decode()}" if self.new.strip() else ""
        return f"{self.path}:{self.line}: {' '.join(self.old.decode().split())}{change}"

    def apply(self, tree: Path) -> None:
        """Change the file in a copy of the project."""
        text = (ROOT / self.path).read_bytes()
        end = self.start + len(self.old)
        assert text[self.start : end] == self.old, self
        (tree / self.path).write_bytes(text[: self.start] + self.new + text[end:])

    def undo(self, tree: Path) -> None:
        """Put the file back."""
        shutil.copyfile(ROOT / self.path, tree / self.path)


def line_starts(text: bytes) -> list[int]:
    """Return where each line of a text starts, in bytes."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def rules_of(path: Path) -> Iterator[Mutant]:
    """Yield a mutant for each rule of an encoding: the rule is gone, its lines are not."""
    text = path.read_bytes()
    starts = line_starts(text)
    found: list[clingo.ast.AST] = []
    clingo.ast.parse_files([str(path)], found.append)
    for node in found:
        if node.ast_type is clingo.ast.ASTType.Rule:
            begin, end = node.location.begin, node.location.end
            start = starts[begin.line - 1] + begin.column - 1
            old = text[start : starts[end.line - 1] + end.column - 1]
            name = str(path.relative_to(ROOT))
            yield Mutant("rules", name, begin.line, start, old, b"\n" * old.count(b"\n"))


def places_of(path: Path) -> Iterator[Mutant]:
    """Yield mutants of a module: a condition negated, a comparison or a truth value turned over."""
    text = path.read_bytes()
    starts = line_starts(text)
    tree = ast.parse(text)
    unread = {  # what only the checker of types reads
        child for node in ast.walk(tree) if isinstance(node, ast.If)
        and "TYPE_CHECKING" in ast.unparse(node.test) for child in ast.walk(node)
    }  # fmt: skip

    def span(node: ast.expr) -> tuple[int, int]:
        last, column = node.end_lineno or 0, node.end_col_offset or 0  # parsed text has both
        return starts[node.lineno - 1] + node.col_offset, starts[last - 1] + column

    def mutant(node: ast.expr, new: str) -> Mutant:
        start, end = span(node)
        name = str(path.relative_to(ROOT))
        return Mutant("places", name, node.lineno, start, text[start:end], new.encode())

    for node in ast.walk(tree):
        if node in unread:
            continue
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield mutant(node.test, f"(not ({ast.unparse(node.test)}))")
        elif isinstance(node, ast.comprehension):
            yield from (mutant(test, f"(not ({ast.unparse(test)}))") for test in node.ifs)
        elif isinstance(node, ast.BoolOp):
            other = " or " if isinstance(node.op, ast.And) else " and "
            yield mutant(node, f"({other.join(f'({ast.unparse(each)})' for each in node.values)})")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            yield mutant(node, f"(({left}) {OPPOSITES[type(node.ops[0])]} ({right}))")
        elif isinstance(node, ast.Return) and ast.unparse(node) in ("return True", "return False"):
            assert isinstance(node.value, ast.Constant)
            yield mutant(node.value, str(not node.value.value))


def folders_for(mutant: Mutant) -> tuple[str, ...]:
    """Return the tests that a mutant is tried on."""
    if mutant.kind == "rules":
        return COMMON
    package = Path(mutant.path).relative_to("src/refract_asp").parts[0].removesuffix(".py")
    return *OWN.get(package, (f"tests/{package}",)), *COMMON


def first_failure(tree: Path, tests: Iterable[str], word: str = "") -> str | None:
    """Return which test fails first in a copy of the project, which may be changed; those with a word in front."""
    # what reads the encodings as texts would notice any rule that is gone
    which = ["-m", QUICK, "-p", "mutants", "--ignore", "tests/encodings/test_contract.py"]
    return failure(Path(sys.executable), tree, which, tests, word)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that speak of the changed file first, since most mutants do not survive them."""
    if word := os.environ.get("MUTANT"):
        items.sort(key=lambda item: word not in item.nodeid)


def adapter_failure(tree: Path, adapter: str) -> str | None:
    """Return which test of an adapter fails first with its framework; None where that is not installed."""
    python = ROOT / ".venv-frameworks" / adapter / "bin/python"
    if not python.exists():
        return None
    settings = ["-c", "tests/frameworks/pytest.ini", "--confcutdir", "tests/frameworks"]
    return failure(python, tree, settings, [f"tests/frameworks/test_{adapter}.py"])


def failure(
    python: Path, tree: Path, which: Iterable[str], tests: Iterable[str], word: str = ""
) -> str | None:
    """Return which of some tests fails first in a copy of the project."""
    command = [str(python), "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *which]
    command += [name for name in tests if (tree / name).exists()]
    own = {"PYTHONPATH": os.pathsep.join((str(tree / "src"), str(tree / "tests")))}
    # each copy keeps what Python compiled of it: to compile all of it anew takes as long as the tests
    environment = {**os.environ, **own, "MUTANT": word, "PYTHONDONTWRITEBYTECODE": ""}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return f"no end in {LONGEST} seconds"
    if done.returncode in (0, 5):  # 5: no test has these marks
        return None
    named = FAILED.search(done.stdout.decode(errors="replace"))
    return named[1] if named else "what does not start"


@contextmanager
def copies(number: int) -> Iterator[SimpleQueue[Path]]:
    """Give copies of the project, to change and to run its tests in."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    trees: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for index in range(number):
            for name in listed.stdout.splitlines():
                copy = Path(folder, str(index), name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, copy)
            trees.put(Path(folder, str(index)))
        yield trees


def killer(mutant: Mutant, trees: SimpleQueue[Path]) -> str | None:
    """Return the test that kills a mutant, if one does."""
    tree = trees.get()
    try:
        mutant.apply(tree)
        tests, own = folders_for(mutant), Path(mutant.path).stem
        if "integrations" in Path(mutant.path).parts and (found := adapter_failure(tree, own)):
            return found
        return first_failure(tree, tests, own)
    finally:
        mutant.undo(tree)
        trees.put(tree)


def chosen(options: argparse.Namespace) -> list[Mutant]:
    """Return the mutants that are tried: a seeded choice, or all of the files that are named."""
    rules = [mutant for path in sorted((ROOT / "encodings").rglob("*.lp"))
             if not str(path.relative_to(ROOT / "encodings")).startswith(NO_RULES)
             for mutant in rules_of(path)]  # fmt: skip
    places = [mutant for path in sorted((ROOT / "src").rglob("*.py")) for mutant in places_of(path)]
    if options.only:
        return [mutant for mutant in (*rules, *places) if mutant.path in options.only]

    def order(mutant: Mutant) -> bytes:
        # by what is changed alone, so that the choice stays where other lines come and go
        said = (str(options.seed).encode(), mutant.path.encode(), mutant.old, mutant.new.strip())
        return sha256(b"\n".join(said)).digest()

    return [
        *sorted(rules, key=order)[: options.rules],
        *sorted(places, key=order)[: options.places],
    ]


def main() -> int:
    """Try the mutants and print those that survive."""
    parser = argparse.ArgumentParser(description="Break the project and see whether tests fail.")
    parser.add_argument("--rules", type=int, default=150, help="how many rules are taken away")
    parser.add_argument("--places", type=int, default=100, help="how many places are changed")
    parser.add_argument("--seed", type=int, default=0, help="which rules and places are chosen")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--only", action="append", metavar="FILE", help="all mutants of a file")
    options = parser.parse_args()
    mutants = chosen(options)
    alive: dict[Mutant, bool] = {}
    with copies(options.jobs) as trees, ThreadPoolExecutor(options.jobs) as pool:
        tree = trees.get()
        if failure := first_failure(tree, (*COMMON, "tests/rules")):
            print(f"Before anything is changed, {failure} fails.")
            return 2
        trees.put(tree)
        killers = pool.map(partial(killer, trees=trees), mutants)
        for number, (mutant, test) in enumerate(zip(mutants, killers, strict=True), 1):
            alive[mutant] = test is None
            outcome = f"killed by {test}" if test else "SURVIVES"
            print(f"{number} of {len(mutants)}  {mutant}  {outcome}", flush=True)
    missed = False
    for kind, least in LEAST.items():
        of_kind = [mutant for mutant in mutants if mutant.kind == kind]
        if not of_kind:
            continue
        survivors = [mutant for mutant in of_kind if alive[mutant]]
        killed = len(of_kind) - len(survivors)
        missed |= killed < least * len(of_kind)
        share = f"{killed / len(of_kind):.1%}"
        print(f"{kind}: {killed} of {len(of_kind)} killed ({share}, at least {least:.0%})")
        for mutant in survivors:
            print(f"  survives  {mutant}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
