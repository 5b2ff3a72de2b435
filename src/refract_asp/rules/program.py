"""Loads encodings once, checks them, and replays them into a fresh clingo control for every question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Literal

from clingo import Control, MessageCode, Symbol
from clingo.ast import AST, ASTType, ProgramBuilder

from refract_asp.errors import ConstantError, OutOfMemoryError, UnrankedError, shown
from refract_asp.resources import cost_model_path, encodings_path
from refract_asp.rules.anatomy import Predicate, asked, predicates
from refract_asp.rules.files import CHECK_FILES, FORBIDDEN_FILE, HOUSE_RULES_FILE, REPAIR_FILES
from refract_asp.rules.forbidden import COMPARED, for_check, forbids, not_for_check
from refract_asp.rules.guard import payers, ranks_by_rule, reckoned, reckoned_weights, refusals
from refract_asp.rules.parts import Parts, alike
from refract_asp.rules.reading import MAX_WEIGHT, load, message_error
from refract_asp.rules.remarks import remarks
from refract_asp.rules.sanity import WeightWatch, refuse_atoms, refuse_contradiction
from refract_asp.rules.sayings import check_criteria, check_sayings
from refract_asp.rules.slicing import Signature, Statement, analyse, reachable

__all__ = [
    "Program",
    "check_program",
    "floor_run",
    "model_file",
    "read_parts",
    "repair_program",
]

SOLVE_OPTIONS = ("--opt-strategy=usc,oll,stratify", "--opt-mode=optN")
UNDECLARED = "--warn=no-atom-undefined"
"""Clingo is not to remark on predicates that nothing derives, which was done when the files were read."""
MAX_SLICES = 512

EMPTY_SHOW = "no atoms over signature occur in program"
"""What clingo remarks where nothing is there to show; with other facts there may be."""

TREES = RLock()
"""
Held by whoever touches a parsed statement. Clingo lets go of Python's own lock when it reads one, and
counts its references without any: two threads at once bring the process down.
"""


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
        watched: weak constraints of the user's whose weight is known only after grounding.
        payers: all statements of the user's that pay for something.
        reckoned: rules of the user's of which it is known only then what they pay for or order.
        forbids: whether rules of the user's forbid something.
        compares: whether they compare the values that calls pass.
        whole: whether statements that no fact can reach are kept; the answers are the same, only later.
    """

    options: tuple[str, ...] = ()
    nodes: list[AST] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    overridden: dict[str, int] = field(default_factory=dict)
    folder: Path = Path()
    watched: list[AST] = field(default_factory=list)
    payers: list[AST] = field(default_factory=list)
    reckoned: list[tuple[Predicate, AST]] = field(default_factory=list)
    forbids: bool = False
    compares: bool = False
    whole: bool = False
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
        return "never" if self.says("confirms(never)") else "new" if self.says("confirms(new)") else "risky"

    def with_files(self, *names: str) -> Program:
        """
        Return the same program with further files of the set; it is made once.

        `modes/relaxed.lp` takes the place of `modes/repair.lp`, which forbids what it only counts.
        """
        with TREES:
            found = self._variants.get(names)
            if found is None:
                instead = str(self.folder / "modes/repair.lp") if "modes/relaxed.lp" in names else ""
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

    def sliced(self, signatures: frozenset[Signature] | None) -> list[AST]:
        """Return the statements that such facts can reach, or all; kept for the next time."""
        nodes = self._slices.get(signatures)
        if nodes is None:
            if not self._statements:
                self._statements = analyse(self.nodes)
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
        watch = WeightWatch() if self.payers else None
        if watch is not None:
            control.register_observer(watch)
        with TREES:
            nodes = self.nodes if signatures is None or self.whole else self.sliced(signatures)
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
            raise message_error(messages, str(error)) from None
        serious = [m for m in messages if m[0] is not MessageCode.Other and EMPTY_SHOW not in m[1]]
        if serious:
            raise message_error(serious, "")
        if watch is not None or self.reckoned:
            with TREES:
                if watch is not None:
                    watch.refuse(self.watched, self.payers, self.constants | self.overridden)
                refuse_atoms(control, self.reckoned)
        return control


def check_program(
    encodings: Path | None = None, extra: Iterable[Path] = (), constants: Mapping[str, int] | None = None
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
    folder = encodings or encodings_path()
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
            program.constants = {name: n for path in extra for name, n in load(Path(path))[1].items()}
            given = constants or {}
            program.overridden = {name: given[name] for name in program.constants if name in given}
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
    program = Program(options=SOLVE_OPTIONS, folder=encodings or encodings_path())
    with TREES:
        parts = read_parts(program, cost_model, encodings, extra, defensive=defensive)
    for name, value in (constants or {}).items():
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
    with TREES:
        parts.constants = program.constants | program.overridden
        for finding in refusals(parts):
            raise finding.as_error()
        program.watched = reckoned_weights(parts.users)
        program.payers = payers(parts)
        program.reckoned = reckoned(parts)
        control = program.control((), is_checked=False)  # a slip is told before any question is asked
        check_criteria(control, program.nodes)
        check_sayings(control, program.nodes)
        if parts.users and not ranks_by_rule(parts):
            for finding in remarks(parts):
                if finding.code == "unranked":  # whatever the input, it is the file that lacks something
                    raise UnrankedError(finding.what, where=finding.where, hint=finding.hint)
        if parts.users:
            refuse_contradiction(control, parts, program.overridden)
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
    if forbids(parts.own):
        for name in (FORBIDDEN_FILE, HOUSE_RULES_FILE):
            parts.core += _add(program, folder / name)
    return parts


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
