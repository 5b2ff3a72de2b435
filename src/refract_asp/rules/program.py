"""Loads encodings once, checks them, and replays them into a fresh clingo control for every question."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from filecmp import cmpfiles
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import RLock
from typing import Literal, TypeAlias

from clingo import Control, Function, MessageCode, Number, Symbol, SymbolType
from clingo.ast import AST, ASTType, ProgramBuilder, Sign, Transformer

from refract_asp.errors import ConstantError, EncodingError, OutOfMemoryError, meant, shown
from refract_asp.resources import cost_model_path, encodings_path
from refract_asp.rules import policy, reading
from refract_asp.rules.likeness import Limits
from refract_asp.rules.reading import ENTRIES, MAX_WEIGHT, Parts, Predicate, asked, predicates
from refract_asp.rules.symbols import TABLES

# --- which files of the encodings make up each program ----------------------------------------------

# What `repair` loads besides, where rules of one's own forbid something; `check` has the first of them.
HOUSE_RULES = ("modes/forbidden.lp", "modes/house_rules.lp")
# What `check` and `repair` load besides, where rules of one's own ask which call stands before which.
ORDER_GIVEN, ORDER = "modes/order_given.lp", "modes/order.lp"
# What `check` loads besides where the sequence is a plan.
PLAN_GIVEN = "modes/unused_calls_given.lp"
# The second takes the place of the first: it counts what the first forbids.
STRICT, RELAXED = "modes/nothing_wrong.lp", "modes/relaxed.lp"
# The files that Python loads by their name, for some questions.
MODES = (
    *(*HOUSE_RULES, ORDER_GIVEN, ORDER, PLAN_GIVEN, STRICT, RELAXED),
    *("modes/defensive.lp", "modes/ties.lp"),
    *(f"modes/{name}.lp" for name in ("insist", "wanted", "alternatives", "pareto")),
)
# What `repair.lp` names for plain clingo, and Python reads where a model is based on it.
WEIGHTS_FILE = "costs/weights.lp"
# What words in names mean; a question gets the facts about its own words.
WORDS_FILE = "words.lp"
# What names say of what a repair may choose; its answers enter the repair as facts.
NAMES_FILES = (
    "defined.lp", "likeness.lp",
    *(f"names/{name}.lp" for name in ("meanings", "effects", "tools", "arguments", "forms", "wrappers",
                                      "references")),
)  # fmt: skip
# The predicates that Python reads from its answers; a repair gets each as a fact, with `in_` before it.
DOUBTS: list[Predicate] = [(name, arity) for name, arity in TABLES["doubts"]]

SOLVE_OPTIONS = ("--opt-strategy=usc,oll,stratify", "--opt-mode=optN")
# Clingo is not to remark on predicates that nothing derives, which was done when the files were read.
UNDECLARED = "--warn=no-atom-undefined"
# What clingo remarks where nothing is there to show; with other facts there may be.
EMPTY_SHOW = "no atoms over signature occur in program"
# the name of a predicate in a rule as it is printed
NAMED = re.compile(r"\b[a-z_]\w*(?=\()")
# For so many questions all statements are grounded: to find out what each needs takes longer.
MAX_WHOLE = 4
# So many slices of a program are kept.
MAX_SLICES = 512
# So many programs are kept for further catalogs: one for each set of files, cost model and constants.
MAX_PROGRAMS = 32

# The facts about each word.
Lexicon: TypeAlias = Mapping[str, tuple[Symbol, ...]]

# Held by whoever touches a parsed statement. Clingo lets go of Python's own lock when it reads one, and
# counts its references without any: two threads at once bring the process down.
TREES = RLock()


# --- which statements facts can reach --------------------------------------------------------------

# A predicate and its arguments: a constant or the name of a function, "" for anything else.
Signature: TypeAlias = tuple[str, tuple[str, ...]]


def anything(name: str, arity: int) -> Signature:
    """Return the signature of a predicate whose arguments may be anything."""
    return name, ("",) * arity


def signature_of(symbol: Symbol) -> Signature:
    """
    Return the signature of a fact.

    Example:
        >>> from clingo import parse_term
        >>> signature_of(parse_term("in_violation(unknown_tool,call(0))"))
        ('in_violation', ('unknown_tool', 'call'))
    """
    arguments = symbol.arguments
    names = (each.name if each.type is SymbolType.Function else "" for each in arguments)
    return symbol.name, tuple(names)


@dataclass(eq=False)
class Statement:
    """
    A statement with the predicates that it needs and derives, which are looked up when they are asked for.

    Grounding costs a little for every rule, whether anything matches it or not. A statement can only match
    when each predicate of its positive body has a fact or a statement that derives it. Arguments that are
    constants or functions count as well, as in `in_violation(unknown_tool, call(X))`.
    """

    node: AST

    @cached_property
    def _body(self) -> set[Signature]:
        """What the positive body asks; what stands in aggregates and conditions does not count."""
        needs: set[Signature] = set()
        node = self.node
        if node.ast_type in (ASTType.ProjectSignature, ASTType.ShowSignature) and node.name:
            needs.add(anything(node.name, node.arity))
        for literal in getattr(node, "body", None) or ():
            is_atom = literal.ast_type is ASTType.Literal and literal.sign == Sign.NoSign
            if is_atom and literal.atom.ast_type is ASTType.SymbolicAtom:
                first, *others = reading.terms_of(literal.atom)
                # of a pool of atoms one is enough, so that it demands nothing
                if (known := reading.predicate_of(first)) and not others:
                    needs.add((known[0], _names(getattr(first, "arguments", ()))))
        return needs

    @cached_property
    def predicates(self) -> frozenset[Predicate]:
        """The predicates that have to hold something."""
        return frozenset((name, len(each)) for name, each in self._body)

    @cached_property
    def needs(self) -> list[tuple[Predicate, tuple[str, ...]]]:
        """Those of them that have to hold certain constants or functions, with these."""
        return [((name, len(each)), each) for name, each in self._body if any(each)]

    @cached_property
    def derives(self) -> frozenset[Signature]:
        """What it derives or chooses."""
        heads = reading.derived(self.node)
        return frozenset((head.predicate[0], _names(head.arguments)) for head in heads)


def _names(arguments: Iterable[AST]) -> tuple[str, ...]:
    """Return which constant or function each argument is, "" for what may be anything."""
    return tuple(
        "" if getattr(each, "external", 0) else (reading.predicate_of(each) or ("",))[0]
        for each in arguments
    )


def reachable(statements: Collection[Statement], facts: Collection[Signature]) -> list[AST]:
    """Return the statements that facts of these signatures can reach, in their order; the answers stay the same."""
    known = defaultdict[Predicate, set[tuple[str, ...]]](set)
    for name, arguments in facts:
        known[name, len(arguments)].add(arguments)
    left, count = dict(enumerate(statements)), -1
    while len(left) != count:
        count = len(left)
        for number in [n for n, each in left.items() if known.keys() >= each.predicates]:
            if all(_fits_any(wanted, known[predicate]) for predicate, wanted in left[number].needs):
                for name, arguments in left.pop(number).derives:
                    known[name, len(arguments)].add(arguments)
    return [each.node for number, each in enumerate(statements) if number not in left]


def _fits_any(wanted: tuple[str, ...], held: Iterable[tuple[str, ...]]) -> bool:
    """Whether what is held at one place at least may be what is wanted, argument by argument."""
    return any(all(map(_may_be, wanted, each)) for each in held)


def _may_be(one: str, other: str) -> bool:
    return not one or not other or one == other


class _Values(Transformer):
    """Puts the values of constants in their place."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802 (the name is clingo's)
        symbol = node.symbol
        is_word = symbol.type is SymbolType.Function and not symbol.arguments
        if is_word and symbol.name in self.values:
            return node.update(symbol=Number(self.values[symbol.name]))
        return node


@dataclass(slots=True)
class Program:
    """
    Encodings that were read and checked; `control` gives a clingo control that holds them.

    Attributes:
        options: what clingo is started with.
        nodes: the statements of all files, parsed.
        constants: name to value of each `#const` in them.
        overriding: those that take the place of another definition, as `[override]` says.
        overridden: values that the user gave to some of them.
        folder: the folder of the encodings.
        files: the files of it that are read, by their names there.
        others: the cost model, and the files of rules and patterns of the user's.
        parts: the statements by whose they are; what becomes of the user's is judged when it is grounded.
        forbids: whether rules of the user's forbid something.
        compares: whether they compare the values that calls pass.
        notes: what of them has no effect in `check`, so that it may not be meant.
        whole: so many questions more keep statements that no fact can reach; the answers are the same.
        asks: the names of the predicates that the rules in `names/` ask.
        names: that program, for the one that repairs.
    """

    options: tuple[str, ...] = ()
    nodes: list[AST] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    overriding: set[str] = field(default_factory=set)
    overridden: dict[str, int] = field(default_factory=dict)
    folder: Path = Path()
    files: list[str] = field(default_factory=list)
    others: tuple[Path, ...] = ()
    parts: Parts = field(default_factory=Parts)
    forbids: bool = False
    compares: bool = False
    notes: tuple[str, ...] = ()
    whole: float = MAX_WHOLE
    asks: frozenset[str] = frozenset()
    names: Program | None = None
    _variants: dict[tuple[str, ...], Program] = field(default_factory=dict, init=False)
    _folded: list[Statement] = field(default_factory=list, init=False)
    _slices: dict[frozenset[Signature] | None, list[AST]] = field(default_factory=dict, init=False)
    _said: set[str] = field(default_factory=set, init=False)
    # what was found out of a statement under some values; programs with further files share it
    _known: dict[tuple[int, object], tuple[AST, Statement]] = field(default_factory=dict)

    def says(self, fact: str) -> bool:
        """Whether the encodings hold a fact, as `confirms(never)`."""
        if not self._said:
            with TREES:
                rules = (node for node in self.nodes if node.ast_type is ASTType.Rule)
                self._said = {str(rule) for rule in rules if not rule.body}
        return f"{fact}." in self._said

    @property
    def has_own_rules(self) -> bool:
        """Whether the user changed the core or added patterns, so that answers may be unsound."""
        return bool(self.parts.patterns or self.parts.changed)

    @property
    def confirm(self) -> Literal["risky", "new", "never"]:
        """What the cost model wants to have confirmed; "risky" where it says nothing."""
        if self.says("confirms(never)"):
            return "never"
        return "new" if self.says("confirms(new)") else "risky"

    def constant(self, name: str, otherwise: int) -> int:
        """Return the value of a constant, as the user gave it or as it stands in the encodings."""
        return self.overridden.get(name, self.constants.get(name, otherwise))

    def add(self, path: Path) -> list[AST]:
        """Read a file into the program and return its statements."""
        nodes, constants = reading.load(path)
        definitions = [node for node in nodes if node.ast_type is ASTType.Definition]
        overriding = {node.name for node in definitions if not node.is_default}
        for name in sorted(constants.keys() & self.constants.keys() - overriding - self.overriding):
            what = f"the constant {name} is defined twice."
            hint = f"Write #const {name} = {constants[name]}. [override] where it is to count."
            raise ConstantError(what, where=str(path), hint=hint)
        kept = {name: self.constants[name] for name in self.overriding - overriding}
        self.constants.update(constants | kept)
        self.overriding |= overriding
        added = [node for node in nodes if node.ast_type is not ASTType.Program]
        self.nodes += added
        return added

    def load(self, *names: str) -> list[AST]:
        """Read files of the set, for an entry those that it names, but none twice; return their statements."""
        added: list[AST] = []
        for name in names:
            for each in reading.included(self.folder, name) if name in ENTRIES else (name,):
                if each not in self.files:
                    added += self.add(self.folder / each)
                    self.files.append(each)
        return added

    def with_files(self, *names: str) -> Program:
        """Return the same program with further files of the set, or those of an entry; it is made once."""
        names = tuple(dict.fromkeys(names))
        if not names:
            return self
        with TREES:
            found = self._variants.get(names)
            if found is None:
                gone = str(self.folder / STRICT) if RELAXED in names else ""
                found = self._variants[names] = replace(
                    self,
                    nodes=[node for node in self.nodes if node.location.begin.filename != gone],
                    constants=dict(self.constants),
                    overriding=set(self.overriding),
                    files=list(self.files),
                )
                found.load(*names)
            return found

    def as_given(self) -> list[AST]:
        """Return all statements; clingo lets no [override] stand for which the user gave a value."""
        constants = ASTType.Definition
        return [
            n for n in self.nodes if n.ast_type is not constants or n.name not in self.overridden
        ]

    def sliced(self, signatures: frozenset[Signature] | None) -> list[AST]:
        """
        Return the statements that such facts can reach, or all; kept for the next time.

        Values stand in place of constants, so that no question has to define them.
        """
        if not self._folded:
            values = self.constants | self.overridden
            names = re.compile(rf"\b(?:{'|'.join(map(re.escape, values)) or '(?!)'})\b")
            fold, stated = _Values(values), frozenset(values.items())
            for node in self.nodes:
                if node.ast_type in (ASTType.Definition, ASTType.Defined):
                    continue
                key = id(node), stated
                if key not in self._known:
                    # visiting every part of a statement takes ten times as long as printing it
                    folded = fold.visit(node) if names.search(str(node)) else node
                    self._known[key] = node, Statement(folded)
                self._folded.append(self._known[key][1])
        if signatures not in self._slices:
            if len(self._slices) >= MAX_SLICES:
                self._slices.clear()
            nodes = [statement.node for statement in self._folded]
            if signatures is not None:
                nodes = reachable(self._folded, signatures)
            self._slices[signatures] = nodes
        return self._slices[signatures]

    def answers(self, facts: list[Symbol], wanted: Iterable[Predicate] = DOUBTS) -> list[Symbol]:
        """Return what `names/` derives from facts, each as an input of the programs, with `in_` before it."""
        signatures = frozenset(anything(each.name, len(each.arguments)) for each in facts)
        control = self.control(facts, signatures)
        return [
            Function(f"in_{atom.symbol.name}", atom.symbol.arguments)
            for predicate in wanted
            for atom in control.symbolic_atoms.by_signature(*predicate)
        ]

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
        options = [*self.options, *((UNDECLARED,) if is_checked else ())]
        options += [f"-c {name}={value}" for name, value in self.overridden.items()]
        control = Control(options, lambda *message: messages.append(message), message_limit=50)
        watch = policy.GroundingWatch(control, self.parts) if self.parts.theirs else None
        with TREES:
            is_whole = self.whole > 0 or not is_checked
            self.whole -= 1
            nodes = self.as_given() if is_whole else self.sliced(signatures)
            with ProgramBuilder(control) as builder:
                for node in nodes:
                    builder.add(node)
        with control.backend() as backend:
            for symbol in facts:
                backend.add_rule([backend.add_atom(symbol)])
        try:
            control.ground([("base", [])])
        except MemoryError:
            what = "there is not enough memory for this sequence, catalog and rules."
            hint = "Look for rules of your own that make ever more atoms, or repair the sequence in parts."
            raise OutOfMemoryError(what, hint=hint) from None
        except RuntimeError as error:
            if watch is not None:
                with TREES:
                    watch.refuse_endless()
            raise reading.message_error(messages, str(error)) from None
        serious = [m for m in messages if m[0] is not MessageCode.Other and EMPTY_SHOW not in m[1]]
        if serious:
            with TREES:
                raise reading.message_error(serious, "", self.nodes)
        if watch is not None:
            with TREES:
                policy.check_atoms(control, self.parts)
                watch.refuse_weights()
        return control


# --- the programs that check and repair --------------------------------------------------------------


@dataclass(frozen=True)
class Files:
    """
    Which files make up a program.

    Attributes:
        cost_model: name of a model in `costs/`, or the path of a file.
        encodings: folder to take the place of the shipped encodings.
        own: files with rules of one's own.
        patterns: files with recovery patterns of one's own.
        defensive: whether everything newly introduced is to be confirmed.
        constants: values for constants of the encodings.

    Raises:
        ConstantError: a value is out of range.
    """

    cost_model: str | Path = "default"
    encodings: Path | None = None
    own: tuple[Path, ...] = ()
    patterns: tuple[Path, ...] = ()
    defensive: bool = False
    constants: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        """Refuse values that no constant can have."""
        for name, value in self.constants:
            is_number = isinstance(value, int) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= MAX_WEIGHT:
                what = f"the constant {shown(name)} cannot be {shown(value)}."
                raise ConstantError(what, hint="It must be a whole number from 0 to 1,000,000.")

    @property
    def folder(self) -> Path:
        """The folder of the encodings."""
        return self.encodings or encodings_path()

    @property
    def model(self) -> Path:
        """The file of the cost model."""
        return model_file(self.cost_model, self.encodings)

    @cached_property
    def is_shipped(self) -> bool:
        """Whether no file and no value is the user's, so that mistakes may be looked for when they are read."""
        given = {name for name, _ in self.constants} - {"max_new_calls"}
        is_own = bool(self.encodings or self.own or self.patterns or given)
        return not is_own and self.model.parent == encodings_path() / "costs"

    @cached_property
    def stamp(self) -> tuple[object, ...]:
        """What files are read, when each was changed and its size; looked up once, for both programs."""
        is_set = (self.folder / "repair.lp").is_file()  # else a folder may be large, or vanish
        held = sorted(self.folder.rglob("*.lp"), key=str) if is_set else ()
        files = (*held, *self.own, *self.patterns, self.model)
        return tuple((str(path), reading.stamp_of(path)) for path in files)


def model_file(cost_model: str | Path, encodings: Path | None = None) -> Path:
    """Return the file of a cost model that is given by its name or its path."""
    is_file = isinstance(cost_model, Path) or str(cost_model).endswith(".lp")
    return Path(cost_model) if is_file else cost_model_path(str(cost_model), encodings)


@reading.until_changed(lambda files: files.stamp, MAX_PROGRAMS)
def check_program(files: Files) -> Program:
    """
    Return the program that shows the violations of a given sequence.

    Of rules of one's own those are used that forbid something, with their constants; the cost model is not.

    Raises:
        EncodingError: what is forbidden depends on what a repair chooses.
    """
    program = Program(folder=files.folder)
    with TREES:
        program.load("check.lp")
        program.parts.changed = changed(files.folder)
        loaded = [reading.load(path) for path in files.own]
        own = [node for nodes, _ in loaded for node in nodes]
        for finding in policy.unstated(own):
            raise finding.as_error()
        unseen = policy.unseen(Parts(own=own), program.nodes) if own else ()
        program.notes = tuple(f"{each.where}: {each.what} {each.hint}" for each in unseen)
        if policy.forbids(own):
            program.forbids, program.others = True, files.own
            needed = policy.for_check(own)
            if policy.orders(needed):
                program.load(ORDER_GIVEN)
            for finding in policy.not_for_check(needed, program.nodes):
                raise finding.as_error()
            program.nodes += needed
            program.constants = {name: n for _, values in loaded for name, n in values.items()}
            given = files.constants
            program.overridden = {name: n for name, n in given if name in program.constants}
            program.parts.own = needed
            program.parts.constants = program.constants | program.overridden
            program.compares = any(policy.COMPARED & predicates(asked(node)) for node in needed)
        program.control((), is_checked=False)
    return program


@reading.until_changed(lambda files: files.stamp, MAX_PROGRAMS)
def repair_program(files: Files) -> Program:
    """
    Return the program that repairs under a cost model.

    Raises:
        EncodingError: a file cannot be read or used; the message names file and line.
        UnknownCostModelError: no cost model has the name.
        ConstantError: a constant is unknown.
    """
    program = Program(options=SOLVE_OPTIONS, folder=files.folder)
    with TREES:
        program.parts = parts = read_parts(program, files)
        for name, _ in files.constants:
            if name not in program.constants:
                hint = f"{meant(name, program.constants)} `refract-asp costs show` lists them."
                raise ConstantError(f"there is no constant {shown(name)!r}.", hint=hint)
        program.overridden = dict(files.constants)
        if (files.folder / NAMES_FILES[-1]).is_file():
            names = program.names = Program(folder=files.folder)
            for name in NAMES_FILES:
                names.add(files.folder / name)
            rules = (str(node) for node in names.nodes if node.ast_type is ASTType.Rule)
            names.asks = frozenset(name for rule in rules for name in NAMED.findall(rule))
            names.overridden = {n: value for n, value in files.constants if n in names.constants}
        parts.constants = program.constants | program.overridden
        # mistakes are reported before any question is asked
        if program.names is not None:
            program.names.control((), is_checked=False)
        for finding in policy.refusals(parts):
            raise finding.as_error()
        control = program.control((), is_checked=False)
        policy.check_atoms(control, parts)
        if not list(control.symbolic_atoms.by_signature("name_by", 1)):
            what = "the cost model does not say how a tool that does not exist is found."
            hint = "Add name_by(spelling) or name_by(fit)."
            raise EncodingError(what, where=reading.short_name(files.model), hint=hint)
        if not any(node.ast_type is ASTType.Minimize for node in program.nodes):
            what = "nothing is minimised, so every repair would be as cheap as any other."
            hint = 'Add the line #include "costs/minimize.lp". to repair.lp.'
            raise EncodingError(what, where=str(files.folder), hint=hint)
        if parts.users:
            for finding in policy.unranked_kinds(parts):
                raise finding.as_error()
            policy.refuse_contradiction(control, parts.users)
    return program


def read_parts(program: Program, files: Files) -> Parts:
    """Read the files of a repair program into it, and tell whose statements they are."""
    if files.encodings is not None:
        refuse_unnamed(files.encodings)
    program.folder, parts = files.folder, Parts(constants=program.constants)
    parts.ranking, _ = reading.load(files.model)
    if any(parts.heads(parts.ranking, ("based_on", 1))):
        parts.weights = program.load(WEIGHTS_FILE)
        parts.core += parts.weights
    else:
        program.files.append(WEIGHTS_FILE)
    parts.core += program.load("repair.lp", *(("modes/defensive.lp",) if files.defensive else ()))
    parts.changed = changed(files.folder)
    parts.ranking = program.add(files.model)
    is_shipped = files.model.resolve().parent == (files.folder / "costs").resolve()
    (parts.core if is_shipped else parts.model).extend(parts.ranking)
    program.others = (files.model, *files.own, *files.patterns)
    paths = (*files.own, *files.patterns)
    names = Counter(path.name for path in paths)
    if twice := [path for path in paths if names[path.name] > 1]:
        what = f"two files of rules are called {shown(twice[0].name, 80)}."
        hint = "Give each a name of its own, so that messages can tell them apart."
        raise EncodingError(what, where=", ".join(map(str, twice)), hint=hint)
    for path in files.own:
        parts.own += program.add(path)
    for path in files.patterns:
        parts.patterns += program.add(path)
    if policy.forbids(parts.own):
        parts.core += program.load(*HOUSE_RULES)
    if policy.orders(parts.own):
        parts.core += program.load(ORDER)
    return parts


def changed(folder: Path) -> list[AST]:
    """Return the statements of those files of a set of encodings that are not as they are shipped."""
    if folder == encodings_path():
        return []
    named = {*chain(*(reading.included(folder, entry) for entry in ENTRIES), MODES)} - {WORDS_FILE}
    same, _, _ = cmpfiles(folder, encodings_path(), named, shallow=False)
    own = (folder / name for name in sorted(named.difference(same)))
    return [node for path in own if path.is_file() for node in reading.load(path)[0]]


def refuse_unnamed(folder: Path) -> None:
    """
    Refuse a set of encodings with a file that nothing loads.

    Raises:
        EncodingError: naming the file, and the line that loads it.
    """
    named = {name for entry in ENTRIES for name in reading.included(folder, entry)}
    named |= {*ENTRIES, *MODES, *NAMES_FILES, WORDS_FILE}
    for path in sorted(folder.rglob("*.lp")):
        name = path.relative_to(folder)
        # of a file that the shipped set has, a line was taken away
        is_known = str(name) in named or (encodings_path() / name).is_file()
        if not is_known and name.parts[0] not in ("costs", "house_rules", "examples"):
            what = "no entry file names this file, so nothing would load it."
            hint = f'Add the line #include "{shown(name)}". to repair.lp, or take the file away.'
            raise EncodingError(what, where=str(path), hint=hint)


def limits_of(program: Program) -> Limits:
    """Return up to where the encodings take names as alike; without such a limit all are."""
    return Limits(program.constants | program.overridden, *known_words(program.folder)[1:])


@reading.until_changed(lambda folder: reading.stamp_of(folder / WORDS_FILE), 8)
def known_words(folder: Path) -> tuple[Lexicon, frozenset[str], frozenset[tuple[str, ...]]]:
    """
    Return what a set of encodings says of words: what a question states, by word, and what Python asks.

    That is which words are common, and which are short for others. There is nothing without such a file.
    """
    program = Program(folder=folder)
    if (folder / WORDS_FILE).is_file():
        with TREES:
            program.add(folder / WORDS_FILE)
    control = program.control((), is_checked=False)  # its atoms are gone when it is
    every = control.symbolic_atoms
    named = [(name, arity) for name, arity, _ in every.signatures]
    stated = {each: [atom.symbol for atom in every.by_signature(*each)] for each in named}
    common = frozenset(each.arguments[0].string for each in stated.pop(("common", 1), ()))
    pairs = (each.arguments for each in stated.pop(("short", 2), ()))
    short = frozenset((word.string, whole.string) for word, whole in pairs)
    beside: dict[Symbol, list[Symbol]] = {}
    for symbol in stated.get(("contrary", 2), ()):
        for meaning in symbol.arguments:
            beside.setdefault(meaning, []).append(symbol)
    found: dict[str, list[Symbol]] = {}
    for symbol in chain.from_iterable(stated.values()):
        for word in symbol.arguments:
            if word.type is SymbolType.String:
                others = beside.get(symbol.arguments[0], ())
                found.setdefault(word.string, []).extend([symbol, *others])
    return {word: tuple(symbols) for word, symbols in found.items()}, common, short
