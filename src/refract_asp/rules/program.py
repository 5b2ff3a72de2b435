"""Loads encodings once, checks them, and replays them into a fresh clingo control for every question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from threading import RLock
from typing import Literal, TypeAlias

from clingo import Control, MessageCode, Number, Symbol, SymbolType
from clingo.ast import AST, ASTType, ProgramBuilder, Transformer

from refract_asp.errors import ConstantError, EncodingError, OutOfMemoryError, UnrankedError, shown
from refract_asp.resources import cost_model_path, encodings_path
from refract_asp.rules.files import CHECK_FILES, FORBIDDEN_FILE, HOUSE_RULES_FILE, REPAIR_FILES
from refract_asp.rules.grounding import GroundingWatch, check_atoms, refuse_contradiction
from refract_asp.rules.policy import (
    COMPARED,
    Parts,
    alike,
    for_check,
    forbids,
    not_for_check,
    refusals,
    unranked_kinds,
)
from refract_asp.rules.reading import MAX_WEIGHT, asked, load, message_error, predicates
from refract_asp.rules.slicing import Signature, Statement, analyse, reachable

__all__ = [
    "DOUBTS",
    "NAMES_FILES",
    "Lexicon",
    "Program",
    "check_program",
    "floor_run",
    "lexicon",
    "model_file",
    "read_parts",
    "repair_program",
]

SOLVE_OPTIONS = ("--opt-strategy=usc,oll,stratify", "--opt-mode=optN")
UNDECLARED = "--warn=no-atom-undefined"
"""Clingo is not to remark on predicates that nothing derives, which was done when the files were read."""
MAX_SLICES = 512
MAX_PROGRAMS = 32
"""So many programs are kept for further catalogs: one for each set of files, cost model and constants."""

WORDS_FILE = "words.lp"
"""What words in names mean; a question gets what is said there of its own words."""

NAMES_FILES = ("defined.lp", "likeness.lp", "names.lp")
"""What names say of what a repair may choose; its answers enter the repair as facts."""
DOUBTS = (
    ("destroys", 1),
    ("tool_doubt", 3),
    ("mixed", 2),
    ("parameter_doubt", 5),
    ("form_doubt", 6),
    ("path_doubt", 4),
)
"""What is read of that; the repair gets each with `in_` before it."""

Lexicon: TypeAlias = Mapping[str, tuple[Symbol, ...]]
"""The facts about each word."""

EMPTY_SHOW = "no atoms over signature occur in program"
"""What clingo remarks where nothing is there to show; with other facts there may be."""

TREES = RLock()
"""
Held by whoever touches a parsed statement. Clingo lets go of Python's own lock when it reads one, and
counts its references without any: two threads at once bring the process down.
"""


class _Values(Transformer):
    """Puts the values of constants in their place."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802 (the name is clingo's)
        symbol = node.symbol
        is_name = (
            symbol.type is SymbolType.Function
            and not symbol.arguments
            and symbol.name in self.values
        )
        return node.update(symbol=Number(self.values[symbol.name])) if is_name else node


@dataclass(slots=True)
class Program:
    """
    Encodings that were read and checked; `control` gives a clingo control that holds them.

    Attributes:
        options: what clingo is started with.
        nodes: the statements of all files, parsed.
        constants: name to value of each `#const` in them.
        overridden: values that the user gave to some of them.
        folder: the folder of the encodings.
        parts: the statements by whose they are; what becomes of the user's is judged when it is grounded.
        forbids: whether rules of the user's forbid something.
        compares: whether they compare the values that calls pass.
        whole: whether statements that no fact can reach are kept; the answers are the same, only later.
        asks: the names of the predicates that `names.lp` asks.
        names: that program, for the one that repairs.
    """

    options: tuple[str, ...] = ()
    nodes: list[AST] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    overridden: dict[str, int] = field(default_factory=dict)
    folder: Path = Path()
    parts: Parts = field(default_factory=Parts)
    forbids: bool = False
    compares: bool = False
    whole: bool = False
    asks: frozenset[str] = frozenset()
    names: Program | None = None
    _variants: dict[tuple[str, ...], Program] = field(default_factory=dict)
    _statements: list[Statement] = field(default_factory=list)
    _slices: dict[frozenset[Signature] | None, list[AST]] = field(default_factory=dict)

    def says(self, fact: str) -> bool:
        """Whether the encodings hold a fact, as `confirms(never)`."""
        with TREES:
            return self._says(fact)

    def _says(self, fact: str) -> bool:
        return any(node.ast_type is ASTType.Rule and str(node) == f"{fact}." for node in self.nodes)

    @property
    def confirm(self) -> Literal["risky", "new", "never"]:
        """What the cost model wants to have confirmed; "risky" where it says nothing."""
        return (
            "never"
            if self.says("confirms(never)")
            else "new"
            if self.says("confirms(new)")
            else "risky"
        )

    def with_files(self, *names: str) -> Program:
        """
        Return the same program with further files of the set; it is made once.

        `modes/relaxed.lp` takes the place of `modes/repair.lp`, which forbids what it only counts.
        """
        names = tuple(dict.fromkeys(names))
        if not names:
            return self
        with TREES:
            found = self._variants.get(names)
            if found is None:
                instead = (
                    str(self.folder / "modes/repair.lp") if "modes/relaxed.lp" in names else ""
                )
                found = replace(
                    self,
                    nodes=[node for node in self.nodes if node.location.begin.filename != instead],
                    constants=dict(self.constants),
                    _variants={},
                    _statements=[],
                    _slices={},
                )
                for name in names:
                    _add(found, self.folder / name)
                self._variants[names] = found
            return found

    def constant(self, name: str, otherwise: int) -> int:
        """Return the value of a constant, as the user gave it or as it stands in the encodings."""
        return self.overridden.get(name, self.constants.get(name, otherwise))

    def _folded(self) -> list[AST]:
        """Return the statements with values in place of constants, so that no question defines them."""
        values = self.constants | self.overridden
        names = re.compile(rf"\b(?:{'|'.join(map(re.escape, values))})\b") if values else None
        fold = _Values(values)
        # visiting every part of a statement takes ten times as long as printing it
        return [
            fold.visit(node) if names is not None and names.search(str(node)) else node
            for node in self.nodes
            if node.ast_type is not ASTType.Definition
        ]

    def sliced(self, signatures: frozenset[Signature] | None) -> list[AST]:
        """Return the statements that such facts can reach, or all; kept for the next time."""
        nodes = self._slices.get(signatures)
        if nodes is None:
            if not self._statements:
                self._statements = analyse(self._folded())
            if len(self._slices) >= MAX_SLICES:
                self._slices.clear()
            if signatures is None:
                nodes = [statement.node for statement in self._statements]
            else:
                nodes = reachable(self._statements, signatures)
            self._slices[signatures] = nodes
        return nodes

    def control(
        self,
        facts: Iterable[Symbol],
        signatures: frozenset[Signature] | None = None,
        *,
        is_checked: bool = True,
    ) -> Control:
        """
        Return a grounded control with the encodings and the facts.

        Args:
            facts: what is stated.
            signatures: those of the facts, to leave out what they cannot reach; None takes everything.
            is_checked: whether it is known that each predicate is derived or declared. Else that is found
                out, which takes all statements.

        Raises:
            EncodingError: clingo found fault with the encodings.
        """
        messages: list[tuple[MessageCode, str]] = []
        control = Control(
            [
                *self.options,
                *((UNDECLARED,) if is_checked else ()),
                *(f"-c {name}={value}" for name, value in self.overridden.items()),
            ],
            logger=lambda code, message: messages.append((code, message)),
            message_limit=50,
        )
        watch = GroundingWatch(control, self.parts.users) if self.parts.users else None
        with TREES:
            nodes = self.sliced(None if self.whole else signatures) if is_checked else self.nodes
            with ProgramBuilder(control) as builder:
                for node in nodes:
                    builder.add(node)
        with control.backend() as backend:
            for symbol in facts:
                backend.add_rule([backend.add_atom(symbol)])
        try:
            control.ground([("base", [])])
        except MemoryError:
            raise OutOfMemoryError(
                "there is not enough memory for this sequence, catalog and rules.",
                hint="Look for rules of your own that make ever more atoms, or repair the sequence in parts.",
            ) from None
        except RuntimeError as error:
            if watch is not None:
                with TREES:
                    watch.refuse_endless()
            raise message_error(messages, str(error)) from None
        serious = [m for m in messages if m[0] is not MessageCode.Other and EMPTY_SHOW not in m[1]]
        if serious:
            raise message_error(serious, "")
        if watch is not None:
            with TREES:
                watch.refuse_weights(self.parts.constants)
                check_atoms(control, self.parts)
        return control


Stamp: TypeAlias = tuple[tuple[str, int, int], ...]
"""What files are read, when each was changed and its size."""
Constants: TypeAlias = tuple[tuple[str, object, type], ...]
"""Values of constants; 1 and True are two things."""


def _stamp(folder: Path, others: Iterable[Path]) -> Stamp:
    """Return the stamp of all rules of a folder and of other files; a file that is not there has none."""
    files = [*sorted(folder.rglob("*.lp")), *others]
    found = ((str(path), path.stat()) for path in files if path.is_file())
    return tuple((name, status.st_mtime_ns, status.st_size) for name, status in found)


def _typed(constants: Mapping[str, int] | None) -> Constants:
    """Return values of constants as a key; what is no number is refused later, so that its text will do."""
    return tuple(
        (name, value if isinstance(value, int) else shown(value), type(value))
        for name, value in (constants or {}).items()
    )


def check_program(
    encodings: Path | None = None,
    extra: Iterable[Path] = (),
    constants: Mapping[str, int] | None = None,
) -> Program:
    """
    Return the program that shows the violations of a given sequence.

    Args:
        encodings: folder to take the place of the shipped encodings.
        extra: files with rules of one's own, of which those are used that forbid something.
        constants: values of constants; those of files that are not loaded here are left out.

    Raises:
        EncodingError: what is forbidden depends on what a repair chooses.
    """
    folder, own = encodings or encodings_path(), tuple(map(Path, extra))
    return _check_program(folder, own, _typed(constants), _stamp(folder, own))


@lru_cache(maxsize=MAX_PROGRAMS)
def _check_program(
    folder: Path, extra: tuple[Path, ...], constants: Constants, _files: Stamp
) -> Program:
    program = Program(folder=folder)
    with TREES:
        for name in CHECK_FILES:
            _add(program, folder / name)
        own = [node for path in extra for node in load(Path(path))[0]]
        if forbids(own):
            program.forbids = True
            _add(program, folder / FORBIDDEN_FILE)
            needed = for_check(own)
            for finding in not_for_check(needed, program.nodes):
                raise finding.as_error()
            program.nodes += needed
            program.constants = {
                name: n for path in extra for name, n in load(Path(path))[1].items()
            }
            given = {name: value for name, value, _ in constants if isinstance(value, int)}
            program.overridden = {name: given[name] for name in program.constants if name in given}
            program.parts = Parts(own=needed, constants=program.constants | program.overridden)
            program.compares = any(COMPARED & predicates(asked(node)) for node in needed)
        program.control((), is_checked=False)
    return program


def repair_program(
    cost_model: str | Path = "default",
    encodings: Path | None = None,
    extra: Iterable[Path] = (),
    constants: Mapping[str, int] | None = None,
    defensive: bool = False,
) -> Program:
    """
    Return the program that repairs under a cost model.

    Args:
        cost_model: name of a model in `costs/`, or the path of a file.
        encodings: folder to take the place of the shipped encodings.
        extra: files with rules of one's own.
        constants: values for constants of the encodings.
        defensive: whether everything newly introduced is to be confirmed.

    Raises:
        EncodingError: a file cannot be read or used; the message names file and line.
        UnknownCostModelError: no cost model bears the name.
        ConstantError: a constant is unknown, or its value is out of range.
    """
    own = tuple(map(Path, extra))
    folder = encodings or encodings_path()
    files = _stamp(folder, (*own, model_file(cost_model, encodings)))
    return _repair_program(cost_model, encodings, own, _typed(constants), defensive, files)


@lru_cache(maxsize=MAX_PROGRAMS)
def _repair_program(
    cost_model: str | Path,
    encodings: Path | None,
    extra: tuple[Path, ...],
    constants: Constants,
    defensive: bool,
    _files: Stamp,
) -> Program:
    program = Program(options=SOLVE_OPTIONS, folder=encodings or encodings_path())
    with TREES:
        parts = read_parts(program, cost_model, encodings, extra, defensive=defensive)
    for name, value, _ in constants:
        if name not in program.constants:
            known = f"Known: {', '.join(sorted(program.constants))}."
            hint = " ".join(filter(None, (alike(name, program.constants), known)))
            raise ConstantError(f"there is no constant {shown(name)!r}.", hint=hint)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_WEIGHT:
            raise ConstantError(
                f"the constant {name} cannot be {shown(value)}.",
                hint="It must be a whole number from 0 to 1,000,000.",
            )
        program.overridden[name] = value
    program.names = names_program(program.folder, program.overridden)
    with TREES:
        parts.constants = program.constants | program.overridden
        for finding in refusals(parts):
            raise finding.as_error()
        program.parts = parts
        control = program.control(
            (), is_checked=False
        )  # a slip is told before any question is asked
        check_atoms(control, parts)
        if not list(control.symbolic_atoms.by_signature("name_by", 1)):
            raise EncodingError(
                "the cost model does not say how a tool that does not exist is found.",
                hint="Add name_by(spelling) or name_by(fit).",
            )
        # where a rule with a body ranks it depends on the sequence what is ranked
        ranking = [*parts.criteria(parts.users), *parts.switched_off(parts.users)]
        if parts.users and not any(list(node.body) for node, _ in ranking):
            for finding in unranked_kinds(
                parts
            ):  # whatever the input, it is the file that lacks something
                raise UnrankedError(finding.what, where=finding.where, hint=finding.hint)
        if parts.users:
            refuse_contradiction(control, parts.users)
    return program


def model_file(cost_model: str | Path, encodings: Path | None = None) -> Path:
    """Return the file of a cost model that is given by its name or its path."""
    is_file = isinstance(cost_model, Path) or str(cost_model).endswith(".lp")
    return Path(cost_model) if is_file else cost_model_path(str(cost_model), encodings)


def read_parts(
    program: Program,
    cost_model: str | Path = "default",
    encodings: Path | None = None,
    extra: Iterable[Path] = (),
    *,
    defensive: bool = False,
) -> Parts:
    """Read the files of a repair program into it, and tell whose statements they are."""
    folder = encodings or encodings_path()
    model = model_file(cost_model, encodings)
    names = [*REPAIR_FILES, "modes/defensive.lp"] if defensive else list(REPAIR_FILES)
    parts = Parts()
    for name in names:
        parts.core += _add(program, folder / name)
    parts.ranking = _add(program, model)
    if model.resolve().parent == (folder / "costs").resolve():
        parts.core += parts.ranking
    else:
        parts.model += parts.ranking
    for path in extra:
        parts.own += _add(program, Path(path))
    parts.constants = program.constants
    if forbids(parts.own):
        for name in (FORBIDDEN_FILE, HOUSE_RULES_FILE):
            parts.core += _add(program, folder / name)
    return parts


def lexicon(folder: Path) -> Lexicon:
    """Return what a set of encodings says of words in names; nothing where it has no such file."""
    path = folder / WORDS_FILE
    return _lexicon(path, path.stat().st_mtime_ns) if path.is_file() else {}


def names_program(folder: Path, overridden: Mapping[str, int]) -> Program | None:
    """Return the program that says which names speak for which; None where a set of encodings has none."""
    if not (folder / NAMES_FILES[-1]).is_file():
        return None
    program = Program(folder=folder)
    with TREES:
        for name in NAMES_FILES:
            _add(program, folder / name)
        program.asks = frozenset(
            name for node in program.nodes for name, _ in predicates(asked(node))
        )
    program.overridden = {
        name: value for name, value in overridden.items() if name in program.constants
    }
    program.control((), is_checked=False)
    return program


@lru_cache(maxsize=8)
def _lexicon(path: Path, _stamp: int) -> Lexicon:
    program = Program(folder=path.parent)
    with TREES:
        _add(program, path)
    control = program.control((), is_checked=False)  # its atoms are gone when it is
    stated = [atom.symbol for atom in control.symbolic_atoms]
    beside: dict[Symbol, list[Symbol]] = {}
    for symbol in stated:
        for meaning in symbol.arguments if symbol.name == "contrary" else ():
            beside.setdefault(meaning, []).append(symbol)
    found: dict[str, list[Symbol]] = {}
    for symbol in stated:
        for word in symbol.arguments:
            if word.type is SymbolType.String:
                found.setdefault(word.string, []).extend(
                    [symbol, *beside.get(symbol.arguments[0], ())]
                )
    return {word: tuple(symbols) for word, symbols in found.items()}


def _add(program: Program, path: Path) -> list[AST]:
    """Read a file into a program and return its statements."""
    nodes, constants = load(path)
    twice = sorted(constants.keys() & program.constants.keys())
    if twice:
        raise ConstantError(
            f"the constant {twice[0]} is defined twice.",
            where=str(path),
            hint=f"Give it another value with -c {twice[0]}=NUMBER.",
        )
    program.constants.update(constants)
    added = [node for node in nodes if node.ast_type is not ASTType.Program]
    program.nodes += added
    return added


def unranked(control: Control, cost_model: str) -> None:
    """
    Refuse a cost model that forgets a kind of penalty.

    Raises:
        UnrankedError: naming every such kind.
    """
    kinds = sorted(
        str(atom.symbol.arguments[0]) for atom in control.symbolic_atoms.by_signature("unranked", 1)
    )
    if kinds:
        raise UnrankedError(
            f"the cost model has no criterion for: {', '.join(kinds)}.",
            where=cost_model,
            hint="Add criterion(Kind, Priority, Weight), or criterion_off(Kind) to leave it free.",
        )


@cache
def _floor_program() -> Program:
    return repair_program()


def floor_run() -> None:
    """Ground and solve the files that `repair` loads with no facts at all: the floor of every repair."""
    control = _floor_program().control(())
    with control.solve(yield_=True) as handle:
        for _ in handle:
            pass
