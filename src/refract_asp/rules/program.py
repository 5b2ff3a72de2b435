"""Loads encodings once, checks them, and replays them into a fresh clingo control for every question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Literal

from clingo import Control, MessageCode, Symbol, SymbolType
from clingo.ast import AST, ASTType, ProgramBuilder

from refract_asp.errors import ConstantError, EncodingError, LimitError, UnrankedError, shown
from refract_asp.resources import cost_model_path, encodings_path
from refract_asp.rules.reading import MAX_WEIGHT, RANGE, load, message_error, short_name
from refract_asp.rules.slicing import Signature, Statement, analyse, reachable

__all__ = ["CHECK_FILES", "REPAIR_FILES", "Program", "check_program", "floor_run", "repair_program"]

CHECK_FILES = ("defined.lp", "given.lp", "admissible.lp")
"""The files that `check` loads; nothing in them is a choice, so grounding alone gives the answer."""

REPAIR_FILES = (
    "defined.lp",
    "domain.lp",
    "admissible.lp",
    "dataflow.lp",
    "recovery/rename_tool.lp",
    "recovery/delete_call.lp",
    "recovery/arguments.lp",
    "recovery/transform.lp",
    "recovery/labels.lp",
    "recovery/references.lp",
    "recovery/ask.lp",
    "recovery/earlier_output.lp",
    "recovery/memory.lp",
    "recovery/default.lp",
    "recovery/constant.lp",
    "recovery/new_call.lp",
    "edits.lp",
    "coherence.lp",
    "risk.lp",
    "modes/repair.lp",
    "costs/minimize.lp",
    "show.lp",
)
"""The files that `repair` loads, before the cost model."""

SOLVE_OPTIONS = ("--opt-strategy=usc,oll,stratify", "--opt-mode=optN")
MAX_SLICES = 512

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
        paths: the files that were read, in order.
    """

    options: tuple[str, ...] = ()
    nodes: list[AST] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    overridden: dict[str, int] = field(default_factory=dict)
    folder: Path = Path()
    paths: list[Path] = field(default_factory=list)
    _variants: dict[tuple[str, ...], Program] = field(default_factory=dict)
    _statements: list[Statement] = field(default_factory=list)
    _slices: dict[frozenset[Signature], list[AST]] = field(default_factory=dict)

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

    def with_modes(self, *modes: str) -> Program:
        """
        Return the same program with further files of `modes/`; it is made once.

        `relaxed` takes the place of `repair`, which forbids what it only counts.
        """
        with TREES:
            found = self._variants.get(modes)
            if found is None:
                found = Program(self.options, overridden=dict(self.overridden), folder=self.folder)
                instead = self.folder / "modes/repair.lp" if "relaxed" in modes else None
                added = [self.folder / f"modes/{mode}.lp" for mode in modes]
                for path in [*(path for path in self.paths if path != instead), *added]:
                    _add(found, path)
                self._variants[modes] = found
            return found

    def constant(self, name: str, otherwise: int) -> int:
        """Return the value of a constant, as the user gave it or as it stands in the encodings."""
        return self.overridden.get(name, self.constants.get(name, otherwise))

    def sliced(self, signatures: frozenset[Signature]) -> list[AST]:
        """Return the statements that such facts can reach; what is found is kept for the next time."""
        nodes = self._slices.get(signatures)
        if nodes is None:
            if not self._statements:
                self._statements = analyse(self.nodes)
            if len(self._slices) >= MAX_SLICES:
                self._slices.clear()
            nodes = self._slices[signatures] = reachable(self._statements, signatures)
        return nodes

    def control(self, facts: Iterable[Symbol], signatures: frozenset[Signature] | None = None) -> Control:
        """
        Return a grounded control with the encodings and the facts.

        Args:
            facts: what is stated.
            signatures: those of the facts, to leave out what they cannot reach; None takes everything.

        Raises:
            EncodingError: clingo found fault with the encodings.
        """
        messages: list[tuple[MessageCode, str]] = []
        control = Control(
            [*self.options, *(f"-c {name}={value}" for name, value in self.overridden.items())],
            logger=lambda code, message: messages.append((code, message)),
            message_limit=50,
        )
        with TREES:
            nodes = self.nodes if signatures is None else self.sliced(signatures)
            with ProgramBuilder(control) as builder:
                for node in nodes:
                    builder.add(node)
        with control.backend() as backend:
            for symbol in facts:
                backend.add_rule([backend.add_atom(symbol)])
        try:
            control.ground([("base", [])])
        except MemoryError:
            raise LimitError("there is not enough memory for this sequence and catalog.") from None
        except RuntimeError as error:
            raise message_error(messages, str(error)) from None
        serious = [m for m in messages if m[0] is not MessageCode.Other]
        if serious:
            raise message_error(serious, "")
        return control


def _check_criteria(control: Control, program: Program) -> None:
    """Refuse criteria whose priority or weight is no number in range, as a misspelt constant is none."""
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, *numbers = atom.symbol.arguments
        if kind.type is not SymbolType.Function or kind.arguments:
            raise EncodingError(
                f"{shown(atom.symbol)}: {shown(kind)} is no kind of penalty.",
                where=_place_of(program, "criterion", str(kind)),
                hint="Kinds are written without quotes, as ask.",
            )
        for number in numbers:
            if number.type is not SymbolType.Number:
                raise ConstantError(
                    f"{shown(atom.symbol)}: {shown(number)} is not a number.",
                    where=_place_of(program, "criterion", str(kind)),
                    hint="Define it with #const, or correct its name.",
                )
            if not 0 <= number.number <= MAX_WEIGHT:
                raise ConstantError(
                    f"{shown(atom.symbol)}: {number} is out of range.",
                    where=_place_of(program, "criterion", str(kind)),
                    hint=RANGE,
                )


SAYINGS = {
    "name_by": {"spelling", "fit"},
    "confirms": {"risky", "new", "never"},
    "ask_named_after": {"field"},
    "may_delete": {"unknown_tool"},
    "call_for": {"common_name"},
}
"""What a cost model may say besides weights."""


def _check_sayings(control: Control, program: Program) -> None:
    """Refuse what a cost model says to nobody: a misspelt value, or no way at all to find a tool."""
    for name, values in SAYINGS.items():
        for atom in control.symbolic_atoms.by_signature(name, 1):
            value = str(atom.symbol.arguments[0])
            if value not in values:
                raise EncodingError(
                    f"{name} cannot be {shown(value)}.",
                    where=_place_of(program, name, value, ")"),
                    hint=f"It may be {' or '.join(sorted(values))}.",
                )
    if not list(control.symbolic_atoms.by_signature("name_by", 1)):
        raise EncodingError(
            "the cost model does not say how a tool that does not exist is found.",
            hint="Add name_by(spelling) or name_by(fit).",
        )


def _place_of(program: Program, predicate: str, first: str, after: str = ",") -> str:
    """Return file and line of the rule whose head is this predicate with this first argument."""
    for node in program.nodes:
        if node.ast_type is ASTType.Rule and str(node.head).startswith(f"{predicate}({first}{after}"):
            begin = node.location.begin
            return f"{short_name(begin.filename)}:{begin.line}"
    return ""


def check_program(encodings: Path | None = None) -> Program:
    """Return the program that shows the violations of a given sequence."""
    folder = encodings or encodings_path()
    program = Program()
    with TREES:
        for name in CHECK_FILES:
            _add(program, folder / name)
        program.control(())
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
    folder = encodings or encodings_path()
    is_file = isinstance(cost_model, Path) or str(cost_model).endswith(".lp")
    model = Path(cost_model) if is_file else cost_model_path(str(cost_model), encodings)
    program = Program(options=SOLVE_OPTIONS, folder=folder)
    names = [*REPAIR_FILES, "modes/defensive.lp"] if defensive else list(REPAIR_FILES)
    with TREES:
        for path in [*(folder / name for name in names), model, *extra]:
            _add(program, Path(path))
    for name, value in (constants or {}).items():
        if name not in program.constants:
            known = ", ".join(sorted(program.constants))
            raise ConstantError(f"there is no constant {shown(name)!r}.", hint=f"Known: {known}.")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_WEIGHT:
            raise ConstantError(
                f"the constant {name} cannot be {shown(value)}.",
                hint="It must be a whole number from 0 to 1,000,000.",
            )
        program.overridden[name] = value
    with TREES:
        control = program.control(())  # a slip is told before any question is asked
        _check_criteria(control, program)
        _check_sayings(control, program)
    return program


def _add(program: Program, path: Path) -> None:
    nodes, constants = load(path)
    twice = sorted(constants.keys() & program.constants.keys())
    if twice:
        raise ConstantError(
            f"the constant {twice[0]} is defined twice.",
            where=str(path),
            hint=f"Give it another value with -c {twice[0]}=NUMBER.",
        )
    program.constants.update(constants)
    program.paths.append(path)
    for node in nodes:
        if node.ast_type is ASTType.Program:
            continue
        program.nodes.append(node)


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
