"""Loads encodings once, checks them, and replays them into a fresh clingo control for every question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from clingo import Control, MessageCode, Symbol
from clingo.ast import AST, ASTType, ProgramBuilder, parse_files

from refract_asp.errors import ConstantError, EncodingError, UnrankedError, shown
from refract_asp.resources import cost_model_path, encodings_path
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
    "recovery/labels.lp",
    "recovery/references.lp",
    "recovery/ask.lp",
    "recovery/earlier_output.lp",
    "recovery/memory.lp",
    "recovery/default.lp",
    "recovery/constant.lp",
    "recovery/new_call.lp",
    "edits.lp",
    "risk.lp",
    "modes/repair.lp",
    "costs/minimize.lp",
    "show.lp",
)
"""The files that `repair` loads, before the cost model."""

SOLVE_OPTIONS = ("--opt-strategy=usc,oll,stratify", "--opt-mode=optN", "--project=project")
MAX_WEIGHT = 1_000_000
MAX_SLICES = 512
MAX_FILE = 1_000_000

_REFUSED = {
    ASTType.Script: "a script",
    ASTType.External: "an #external",
    ASTType.TheoryAtom: "a theory atom",
    ASTType.TheoryDefinition: "a theory",
}


@dataclass(slots=True)
class Program:
    """
    Encodings that were read and checked; `control` gives a clingo control that holds them.

    Attributes:
        options: what clingo is started with.
        nodes: the statements of all files, parsed.
        constants: name to value of each `#const` in them.
        overridden: values that the user gave to some of them.
    """

    options: tuple[str, ...] = ()
    nodes: list[AST] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    overridden: dict[str, int] = field(default_factory=dict)
    _statements: list[Statement] = field(default_factory=list)
    _slices: dict[frozenset[Signature], list[AST]] = field(default_factory=dict)

    def says(self, fact: str) -> bool:
        """Whether the encodings hold a fact, as `confirms(never)`."""
        return any(node.ast_type is ASTType.Rule and str(node) == f"{fact}." for node in self.nodes)

    @property
    def confirm(self) -> Literal["risky", "new", "never"]:
        """What the cost model wants to have confirmed; "risky" where it says nothing."""
        return "never" if self.says("confirms(never)") else "new" if self.says("confirms(new)") else "risky"

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
        with ProgramBuilder(control) as builder:
            for node in self.nodes if signatures is None else self.sliced(signatures):
                builder.add(node)
        with control.backend() as backend:
            for symbol in facts:
                backend.add_rule([backend.add_atom(symbol)])
        try:
            control.ground([("base", [])])
        except RuntimeError as error:
            raise _message_error(messages, str(error)) from None
        serious = [m for m in messages if m[0] is not MessageCode.Other]
        if serious:
            raise _message_error(serious, "")
        return control


_LOCATION = re.compile(r"^(.*?):(\d+):(\d+)(?:-[\d:]+)?: (?:info|error|warning): (.*)$", re.S)


_DIRECTIVE = re.compile(r"^[^%\n\"]*#(script|include)\b", re.M)


def _short(path: Path | str) -> str:
    """Return the name of a shipped encoding without the folder of the installation."""
    folder = encodings_path()
    return str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else str(path)


def _message_error(messages: list[tuple[MessageCode, str]], fallback: str) -> EncodingError:
    """Turn what clingo remarked into an error of our own, with file and line."""
    if not messages:
        return EncodingError(shown(fallback) or "grounding failed.")
    match = _LOCATION.match(messages[0][1].strip())
    if match is None:
        return EncodingError(shown(messages[0][1]))
    detail = " ".join(match[4].split())
    return EncodingError(
        f"{shown(detail)}.",
        where=f"{_short(match[1])}:{match[2]}",
        hint="encodings/README.md lists the predicates; inputs are declared in defined.lp.",
    )


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE:
            raise EncodingError("the file is larger than 1 MB.", where=str(path))
        return path.read_text("utf-8")
    except OSError as error:
        raise EncodingError(
            f"the file cannot be read ({error.strerror or 'unknown reason'}).",
            where=str(path),
            hint="Check the path, or leave out --encodings to use the shipped set.",
        ) from None
    except UnicodeDecodeError:
        raise EncodingError("the file is not UTF-8 text.", where=str(path)) from None


def parse(path: Path) -> tuple[list[AST], dict[str, int]]:
    """
    Parse an encoding and refuse what an encoding may not do.

    Raises:
        EncodingError: the file does not parse, or holds a script, an #include or the like.
    """
    nodes: list[AST] = []
    constants: dict[str, int] = {}
    messages: list[tuple[MessageCode, str]] = []
    text = _read(path)
    name = _short(path)
    found = _DIRECTIVE.search(text)
    if found:
        raise EncodingError(
            f"#{found[1]} is not allowed in an encoding.",
            where=f"{name}:{text[: found.start(1)].count(chr(10)) + 1}",
            hint="Pass every file with --encoding instead.",
        )

    def visit(node: AST) -> None:
        nodes.append(node)

    try:
        parse_files([str(path)], visit, logger=lambda code, message: messages.append((code, message)))
    except RuntimeError as error:
        raise _message_error(messages, str(error)) from None
    kept = []
    for node in nodes:
        where = f"{name}:{node.location.begin.line}"
        if node.ast_type in _REFUSED:
            raise EncodingError(f"{_REFUSED[node.ast_type]} is not allowed in an encoding.", where=where)
        if node.ast_type is ASTType.Program and (node.name != "base" or node.parameters):
            raise EncodingError("only the program part `base` is used.", where=where)
        if node.ast_type is ASTType.Definition:
            constants[node.name] = _constant(node, where)
        if node.ast_type is not ASTType.Comment:
            kept.append(node)
    return kept, constants


def _constant(node: AST, where: str) -> int:
    value = node.value
    if value.ast_type is not ASTType.SymbolicTerm or not str(value.symbol).lstrip("-").isdigit():
        raise ConstantError(f"the constant {node.name} is not a whole number.", where=where)
    number = int(value.symbol.number)
    if not 0 <= number <= MAX_WEIGHT:
        raise ConstantError(
            f"the constant {node.name} is {number}.", where=where, hint="It must be from 0 to 1,000,000."
        )
    return number


@lru_cache(maxsize=256)
def _parsed(path: Path, _stamp: tuple[int, int]) -> tuple[list[AST], dict[str, int]]:
    return parse(path)


def _load(path: Path) -> tuple[list[AST], dict[str, int]]:
    try:
        status = path.stat()
    except OSError as error:
        raise EncodingError(
            f"the file cannot be read ({error.strerror or 'unknown reason'}).", where=str(path)
        ) from None
    return _parsed(path, (status.st_mtime_ns, status.st_size))


def check_program(encodings: Path | None = None) -> Program:
    """Return the program that shows the violations of a given sequence."""
    folder = encodings or encodings_path()
    program = Program()
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
    program = Program(options=SOLVE_OPTIONS)
    names = [*REPAIR_FILES, "modes/defensive.lp"] if defensive else list(REPAIR_FILES)
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
    program.control(())  # so that a slip is told before any question is asked
    return program


def _add(program: Program, path: Path) -> None:
    nodes, constants = _load(path)
    twice = sorted(constants.keys() & program.constants.keys())
    if twice:
        raise ConstantError(
            f"the constant {twice[0]} is defined twice.",
            where=str(path),
            hint=f"Give it another value with -c {twice[0]}=NUMBER.",
        )
    program.constants.update(constants)
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
