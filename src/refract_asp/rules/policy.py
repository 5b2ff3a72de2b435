"""
What files of the user's may say: which predicates they derive, which levels and weights they use.

Most of it is read from the statements, before anything is grounded; the rest is judged when they are: how much
is grounded, with which weights, and whether there is an answer at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from clingo import Control, Observer, Symbol, SymbolType
from clingo.ast import AST, ASTType

from refract_asp.errors import ConstantError, EncodingError, shown
from refract_asp.rules.reading import (
    MAX_WEIGHT,
    RANGE,
    Head,
    Predicate,
    asked,
    constant_of,
    derived,
    files_of,
    predicate_of,
    predicates,
    short_name,
    terms_of,
    value_of,
    walk,
    where,
)

MODEL_VALUES = {
    "name_by": {"spelling", "fit"},
    "confirms": {"risky", "new", "never"},
    "ask_named_after": {"field"},
    "may_delete": {"unknown_tool"},
    "call_for": {"common_name"},
}
"""What a cost model may state besides criteria and penalties."""

MODEL_HEADS = frozenset({("criterion_off", 1), *((name, 1) for name in MODEL_VALUES)})
"""What only a cost model may state, besides criteria and penalties of a kind of its own."""

FORBIDDEN = frozenset({("forbidden", 1), ("forbidden", 2)})
"""What is wrong by a rule of one's own: a place, or a place and a text that says why."""

HOUSE_RULE_HEADS = FORBIDDEN | {("precede", 2)}
"""What only rules of one's own may derive, besides criteria and penalties of a kind of their own."""

RESERVED = 100
"""Priorities from here on belong to modes, as goals and compression."""

MAX_RULES = 1_000_000
"""Rules that a program with files of the user's may come to when it is grounded for a question."""
MAX_SUM = 2**31 - 1
"""What the weights of a level may come to together."""
PATIENCE = 5.0
"""Seconds that an answer without any facts may take; who needs longer is not judged here."""


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One thing that is wrong with an encoding.

    Attributes:
        code: what kind of thing it is, in one word.
        what: what is wrong, in a sentence.
        where: file and line, or the file alone.
        hint: what to do.
        severity: "error" where nothing is repaired with such a file, "warning" where it may be meant.
    """

    code: str
    what: str
    where: str = ""
    hint: str = ""
    severity: Literal["error", "warning"] = "error"

    def as_error(self) -> EncodingError:
        """Return the error that `repair` raises for it."""
        kind = ConstantError if self.code in ("weight", "constant") else EncodingError
        return kind(self.what, where=self.where, hint=self.hint)


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a unit of a kind of penalty costs; the constants are empty where none is written."""

    kind: str
    priority: int | None
    weight: int | None
    priority_constant: str = ""
    weight_constant: str = ""


@dataclass(slots=True)
class Parts:
    """
    The statements of a program by whose they are.

    Attributes:
        core: those of the set, as it is shipped or as `--encodings` gives it; a model of it included.
        model: those of a cost model that is a file of the user's.
        own: those of further files of the user's.
        ranking: those of the cost model, wherever it comes from.
        constants: the value of each constant, as it is used.
    """

    core: list[AST] = field(default_factory=list)
    model: list[AST] = field(default_factory=list)
    own: list[AST] = field(default_factory=list)
    ranking: list[AST] = field(default_factory=list)
    constants: Mapping[str, int] = field(default_factory=dict)
    _derived: dict[int, list[Head]] = field(default_factory=dict)

    @property
    def users(self) -> list[AST]:
        """The statements that are the user's."""
        return [*self.model, *self.own]

    @property
    def all(self) -> list[AST]:
        """Every statement."""
        return [*self.core, *self.model, *self.own]

    def derived(self, node: AST) -> list[Head]:
        """Return what a rule derives; it is found out once."""
        found = self._derived.get(id(node))
        if found is None:
            found = self._derived[id(node)] = derived(node)
        return found

    def heads(
        self, nodes: Iterable[AST], predicate: Predicate
    ) -> Iterator[tuple[AST, tuple[AST, ...]]]:
        """Yield the statements that derive a predicate, each with the arguments of the head."""
        for node in nodes:
            for head in self.derived(node):
                if head.predicate == predicate:
                    yield node, head.arguments

    def kinds(self, nodes: Iterable[AST]) -> set[str]:
        """Return the kinds of penalties that statements derive."""
        heads = self.heads(nodes, ("penalty", 3))
        return {constant_of(arguments[0]) for _, arguments in heads} - {""}

    def criteria(self, nodes: Iterable[AST]) -> Iterator[tuple[AST, Criterion]]:
        """Yield what statements rank, each with the statement; a kind that is no word is text as written."""
        for node, (kind, *terms) in self.heads(nodes, ("criterion", 3)):
            priority, weight = (value_of(term, self.constants) for term in terms)
            yield node, Criterion(str(kind), priority, weight, *map(constant_of, terms))

    def switched_off(self, nodes: Iterable[AST]) -> Iterator[tuple[AST, str]]:
        """Yield the kinds that statements leave free, each with the statement."""
        for node, (kind,) in self.heads(nodes, ("criterion_off", 1)):
            yield node, str(kind)

    def minimized(self) -> list[AST]:
        """Return the weak constraints of the user's."""
        return [node for node in self.users if node.ast_type is ASTType.Minimize]

    def places(self, predicate: Predicate, kind: str = "") -> str:
        """Return file and line of the rules that derive a predicate: for a kind, or for any where none does."""
        heads = [
            (constant_of(first), node) for node, (first, *_) in self.heads(self.all, predicate)
        ]
        of_kind = [node for word, node in heads if word == kind]
        of_kind = of_kind or [node for word, node in heads if not word]
        return ", ".join(dict.fromkeys(map(where, of_kind)))


def is_kind(text: str) -> bool:
    """Whether a kind that is written is one, and no variable or pool, which only grounding resolves."""
    return text.lstrip("_")[:1].islower()


def alike(name: object, known: Collection[str], most: int = 3) -> str:
    """
    Return a hint that names what may have been meant, or nothing.

    Example:
        >>> alike("weight_aks", ["weight_ask", "priority_edits"])
        'Did you mean weight_ask?'
    """
    near = get_close_matches(shown(name), sorted(known), most, 0.75)
    return f"Did you mean {' or '.join(near)}?" if near else ""


def arities(name: str, known: Iterable[Predicate]) -> str:
    """Return a hint that names how many arguments predicates of a name have, or nothing."""
    numbers = sorted(arity for each, arity in known if each == name)
    return f"It has {' or '.join(map(str, numbers))} arguments." if numbers else ""


# --- what is refused by what is written ----------------------------------------------------------------


def refusals(parts: Parts) -> Iterator[Finding]:
    """Yield what is refused in files of the user's, and misspelt values of any cost model."""
    for name, values in MODEL_VALUES.items():
        for node, (value,) in parts.heads(parts.ranking, (name, 1)):
            if constant_of(value) not in values:
                hint = f"It may be {' or '.join(sorted(values))}."
                yield Finding("saying", f"{name} cannot be {shown(value, 60)}.", where(node), hint)
    levels = [value for name, value in parts.constants.items() if name.startswith("priority_")]
    if parts.users or any(value >= RESERVED for value in levels):
        for judged in (_statements, _heads, _unknown, _weights, _levels, _shared_levels):
            yield from judged(parts)


_STATEMENTS = {
    ASTType.ProjectAtom: "#project",
    ASTType.ProjectSignature: "#project",
    ASTType.Edge: "#edge",
    ASTType.Heuristic: "#heuristic",
}


def _statements(parts: Parts) -> Iterator[Finding]:
    """Refuse statements that would change what Python reads of an answer, or call Python."""
    for node in parts.users:
        if node.ast_type in _STATEMENTS:
            what = f"{_STATEMENTS[node.ast_type]} is not allowed in an encoding."
            yield Finding("statement", what, where(node))
        if node.ast_type is ASTType.ShowTerm:  # Python would read it as an output of ours
            name, term = (predicate_of(node.term) or ("", 0))[0], shown(node.term, 60)
            if name.startswith("out_"):
                what = f"{term}: what begins with out_ is shown by show.lp alone."
                yield Finding("statement", what, where(node), "Show it under another name.")
            elif not name:
                what = f"{term}: only a term with a name of its own may be shown."
                yield Finding("statement", what, where(node), "Show it inside of one, as mine(X).")
        for each in walk(node):
            if each.ast_type is ASTType.Function and each.external:
                what = f"{shown(each, 60)}: a function of Python is not allowed in an encoding."
                yield Finding("statement", what, where(node))


def _heads(parts: Parts) -> Iterator[Finding]:
    """Refuse heads that belong to the core: its predicates, the inputs and the outputs."""
    reserved = {head.predicate for node in parts.core for head in parts.derived(node)}
    kinds = parts.kinds(parts.core)
    ranked = {criterion.kind for _, criterion in parts.criteria(parts.ranking)}
    for node, (first, *_) in parts.heads(parts.users, ("penalty", 3)):
        kind = constant_of(first)
        if not kind or kind in kinds:
            what = f"penalty({shown(kind or 'Kind', 40)}, ...) belongs to the core."
            yield Finding("core", what, where(node), "Give the kind a name of its own, as a word.")
    for node, (first, *_) in parts.heads(parts.own, ("criterion", 3)):
        if (kind := constant_of(first)) in ranked:
            what = f"{shown(kind, 40)} is ranked by the cost model already."
            yield Finding("core", what, where(node), "Change its weight with -c, or the model.")
    allowed = {("penalty", 3), ("criterion", 3)}
    for nodes, also in ((parts.model, MODEL_HEADS), (parts.own, HOUSE_RULE_HEADS)):
        for node in nodes:
            for head in parts.derived(node):
                owner = _owner(head.predicate, reserved)
                if owner and head.predicate not in allowed | also:
                    name, arity = head.predicate
                    hint = _VIOLATION if name == "violation" else _ALLOWED
                    yield Finding("core", f"{name}/{arity} {owner}.", where(node), hint)
    for node, (first, second) in parts.heads(parts.own, ("precede", 2)):
        if str(first) == str(second):
            what = f"{shown(first, 60)} cannot stand before itself."
            yield Finding("order", what, where(node), "Add X != Y, or correct the rule.")


_ALLOWED = (
    "A cost model may state criterion/3, criterion_off/1 and the like, and penalties of a kind of its own; "
    "other files precede/2, forbidden/1, forbidden/2, and penalties of a kind of their own."
)
_VIOLATION = "Derive forbidden(Place) or forbidden(Place, Text) instead; its code is `forbidden`."


def _owner(predicate: Predicate, reserved: set[Predicate]) -> str:
    if predicate in HOUSE_RULE_HEADS:
        return "is no matter of a cost model; put the rule into a file for --encoding"
    if predicate in MODEL_HEADS:
        return "is stated by a cost model alone"
    is_ours = predicate in reserved or predicate[0].startswith(("in_", "out_"))
    return "belongs to the core, and may be asked but not derived" if is_ours else ""


def _unknown(parts: Parts) -> Iterator[Finding]:
    """Refuse atoms that nothing derives and that are no input."""
    known = {head.predicate for node in parts.all for head in parts.derived(node)}
    known |= {(node.name, node.arity) for node in parts.all if node.ast_type is ASTType.Defined}
    for node in parts.users:
        atoms = {predicate_of(term): atom for atom in asked(node) for term in terms_of(atom)}
        for predicate, atom in atoms.items():
            if predicate is not None and predicate not in known:
                name, arity = predicate
                hint = arities(name, known) or alike(name, {each for each, _ in known})
                what = f"nothing derives {shown(name, 60)}/{arity}, and it is no input."
                hint = hint or "encodings/README.md lists them all."
                yield Finding("predicate", what, where(atom), hint)


def no_constants(
    parts: Parts, term: AST, prefixes: str | tuple[str, ...] = ""
) -> Iterator[Finding]:
    """Yield the words in a term that look like constants and are none."""
    for each in walk(term):
        name = constant_of(each)
        if name and name not in parts.constants and name.startswith(prefixes):
            hint = alike(name, parts.constants)
            what = f"there is no constant {shown(name, 60)}."
            yield Finding("constant", what, where(each), hint)


def _weights(parts: Parts) -> Iterator[Finding]:
    """Refuse words that are no constant where a number is meant, and numbers out of range."""
    terms: list[AST] = []
    numbers: list[tuple[AST, AST, str]] = []
    for node in parts.users:
        if node.ast_type is ASTType.Minimize:
            terms += [node.weight, node.priority]
            numbers.append((node, node.weight, "weight"))
        for _, (_, *ranks) in parts.heads([node], ("criterion", 3)):
            terms += ranks
            numbers.append((node, ranks[1], "weight"))
        for _, (_, units, _) in parts.heads([node], ("penalty", 3)):
            numbers.append((node, units, "units of a penalty"))
    for term in terms:
        for finding in no_constants(parts, term):
            hint = finding.hint or "Define it with #const."
            yield Finding(finding.code, finding.what, finding.where, hint)
    for node, term, word in numbers:
        number = value_of(term, parts.constants)
        if number is not None and not 0 <= number <= MAX_WEIGHT:
            what = f"{shown(term, 40)} is out of range for the {word}."
            yield Finding("weight", what, where(node), RANGE)


def _levels(parts: Parts) -> Iterator[Finding]:
    """Refuse levels that are reserved, or that only grounding would tell."""
    of_users = {id(node) for node in parts.users}
    ranked = parts.heads([*parts.ranking, *parts.users], ("criterion", 3))
    used = [(node, priority) for node, (_, priority, _) in ranked]
    used += [(node, node.priority) for node in parts.minimized()]
    for node, priority in used:
        number = value_of(priority, parts.constants)
        if number is not None and not 0 <= number < RESERVED:
            reserved = f"{number}; from {RESERVED} on they are reserved for modes"
            why = "below 0" if number < 0 else reserved
            what = f"the priority {shown(priority, 40)} is {why}."
            yield Finding("level", what, where(node), f"Use one from 0 to {RESERVED - 1}.")
        elif number is None and id(node) in of_users and not constant_of(priority):
            what = f"the priority {shown(priority, 40)} is no number and no constant."
            hint = "Levels are fixed: write a number, or a constant."
            yield Finding("level", what, where(node), hint)


def _shared_levels(parts: Parts) -> Iterator[Finding]:
    """Refuse levels of the model that are met by accident, and tuples that would fall together with ours."""
    taken: dict[
        int | None, set[str]
    ] = {}  # each level of the model with the constants that name it
    for _, criterion in parts.criteria([*parts.core, *parts.model]):
        taken.setdefault(criterion.priority, set()).add(criterion.priority_constant)
    kinds = parts.kinds(parts.all)
    of_model = {id(node) for node in parts.model}
    for node in parts.minimized():
        number = value_of(node.priority, parts.constants)
        if number is None or number not in taken:
            continue
        names = sorted(taken[number] - {""})
        if id(node) not in of_model and constant_of(node.priority) not in names:
            constants = " or ".join(f"@ {each}" for each in names)
            hint = f"Write {constants} to weigh there, or use a level of your own."
            what = f"the cost model uses the priority {number}."
            yield Finding("level", what, where(node), hint if names else "Use another.")
            continue
        # ours are a kind and a place; clingo counts equal tuples once
        first = node.terms[0] if len(node.terms) == 2 else node
        options = first.arguments if first.ast_type is ASTType.Pool else [first]
        if any(o.ast_type is ASTType.Variable or constant_of(o) in kinds for o in options):
            terms = shown(", ".join(map(str, node.terms)), 60)
            what = f"the tuple [..., {terms}] may fall together with one of ours, and count once."
            yield Finding("tuple", what, where(node), "Begin the tuple with a word of your own.")


def unranked_kinds(parts: Parts) -> Iterator[Finding]:
    """Yield the kinds of penalties that rules derive and that no criterion ranks or switches off."""
    judged = [*parts.ranking, *parts.own]
    known = {criterion.kind for _, criterion in parts.criteria(judged)}
    known |= {kind for _, kind in parts.switched_off(judged)}
    if not all(map(is_kind, known)):
        return  # `unranked/1` tells it for each sequence
    hint = "Add criterion({0}, Priority, Weight), or criterion_off({0}) to leave it free."
    heads = parts.heads(parts.users, ("penalty", 3))
    places = {constant_of(kind): where(node) for node, (kind, *_) in heads}
    free = sorted(parts.kinds(parts.all) - known)
    for kind in free:
        if kind in places:
            what = f"nothing ranks the penalty {shown(kind, 60)}."
            yield Finding("unranked", what, places[kind], hint.format(kind))
    if ours := [kind for kind in free if kind not in places]:
        what = f"the cost model has no criterion for: {', '.join(ours)}."
        place = short_name(parts.ranking[0].location.begin.filename) if parts.ranking else ""
        yield Finding("unranked", what, place, hint.format("Kind"))


# --- what `check` loads of the user's rules ---------------------------------------------------------

COMPARED = frozenset({("passes", 3), ("in_value", 3), ("in_paired", 1)})
"""Who asks one of these wants the values of all calls."""

GIVEN = frozenset({
    ("in_call", 1), ("in_name", 2), ("in_label", 2), ("in_unlabelled", 1), ("in_arg", 2), ("in_ref", 5),
    ("in_producer", 4), ("in_tool", 1), ("in_effect", 2), ("in_required", 2), ("in_param", 2),
    ("in_takes_any", 1), ("in_gives", 2), ("in_lost", 4), ("in_variable", 1), ("in_returns", 1),
    ("in_executed", 1), ("in_unjudged", 1), ("in_unmendable", 2), ("in_undeclared", 1), ("in_unfit", 4),
    ("in_clash", 4), ("in_clash_inside", 7), ("in_pair", 2), ("in_paired", 1), ("in_value", 3),
})  # fmt: skip
"""The inputs that `check` gets; the others are evidence for a repair."""


def forbids(nodes: Sequence[AST]) -> bool:
    """Whether rules of the user's forbid something."""
    return any(head.predicate in FORBIDDEN for node in nodes for head in derived(node))


def for_check(nodes: Sequence[AST]) -> list[AST]:
    """Return those of the user's statements on which it depends what is forbidden, in their order."""
    heads = {id(node): {head.predicate for head in derived(node)} for node in nodes}
    needed: set[Predicate] = set(FORBIDDEN)
    kept: set[int] = set()
    while more := [node for node in nodes if id(node) not in kept and heads[id(node)] & needed]:
        for node in more:
            kept.add(id(node))
            needed |= predicates(asked(node))
    lasting = (ASTType.Definition, ASTType.Defined)
    return [node for node in nodes if id(node) in kept or node.ast_type in lasting]


def not_for_check(nodes: Sequence[AST], core: Sequence[AST]) -> Iterator[Finding]:
    """
    Yield what of the user's rules `check` cannot know, since it is chosen in a repair only.

    Args:
        nodes: what `for_check` returned.
        core: the statements of the check program.
    """
    known = {head.predicate for node in (*core, *nodes) for head in derived(node)} | GIVEN
    known |= {(node.name, node.arity) for node in nodes if node.ast_type is ASTType.Defined}
    hint = "What is forbidden may depend on name/2, arg/2, reads/5, passes/3 and inputs of the sequence."
    for node in nodes:
        if node.ast_type is ASTType.Rule and node.head.ast_type is not ASTType.Literal:
            what = f"check chooses nothing, and what is forbidden depends on a choice: {shown(node, 80)}"
            yield Finding("check", what, where(node), hint)
        for name, arity in sorted(predicates(asked(node)) - known):
            what = f"check does not know {name}/{arity}, on which it depends what is forbidden."
            yield Finding("check", what, where(node), hint)


# --- what is refused by what it is grounded to -------------------------------------------------------


class GroundingWatch(Observer):
    """
    Stops grounding that makes too many rules, and keeps the weights of each level.

    An exception raised here ends the grounding, which nothing else does from within the process. What
    takes long without making a rule is not seen; a process with limits (`--isolate`) ends that.
    """

    def __init__(self, control: Control, parts: Parts) -> None:
        """Observe what is grounded of a program."""
        self.rules = 0
        self.weights: dict[int, list[int]] = {}
        self._control = control
        self._parts = parts
        control.register_observer(self)

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:  # noqa: ARG002
        """Count a rule; clingo calls this."""
        self.rules += 1
        if self.rules > MAX_RULES:
            raise RuntimeError

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        """Keep the sum, the least and the greatest of the weights of a level; clingo calls this."""
        known = self.weights.setdefault(priority, [0, 0, 0])
        for _, weight in literals:
            known[:] = known[0] + abs(weight), min(known[1], weight), max(known[2], weight)

    def refuse_endless(self) -> None:
        """
        Refuse rules of the user's that made too many rules.

        Raises:
            EncodingError: naming those that derive the most atoms.
        """
        if self.rules <= MAX_RULES:
            return
        at: dict[Predicate, list[str]] = {}
        for node in self._parts.users:
            for head in self._parts.derived(node):
                at.setdefault(head.predicate, []).append(where(node))
        atoms = self._control.symbolic_atoms
        most = max(at, key=lambda each: sum(1 for _ in atoms.by_signature(*each)), default=None)
        mostly = f", most of them for {most[0]}/{most[1]}." if most else "."
        raise EncodingError(
            f"the rules are grounded to more than {MAX_RULES:,}{mostly}",
            where=", ".join(dict.fromkeys(at[most])) if most else files_of(self._parts.users),
            hint="Bound what grows, as with N < 10; else it is grounded without end.",
        )

    def refuse_weights(self) -> None:
        """
        Refuse weights below 0, too large ones, and levels that together overflow.

        Raises:
            ConstantError: naming the statements of the user's that pay for something.
        """
        constants, minimizing = self._parts.constants, self._parts.minimized()
        for level, (total, _, _) in self.weights.items():
            if total > MAX_SUM:
                heads = self._parts.heads(self._parts.users, ("penalty", 3))
                payers = [*minimizing, *(node for node, _ in heads)]
                raise ConstantError(
                    f"the weights of the level {level} come to {total} together.",
                    where=", ".join(dict.fromkeys(map(where, payers))),
                    hint=f"At most {MAX_SUM:,} fit; use smaller ones.",
                )
        reckoned = [node for node in minimizing if value_of(node.weight, constants) is None]
        own = {value_of(node.priority, constants) for node in reckoned}
        for level, (_, least, most) in self.weights.items() if reckoned else ():
            if least < 0 or (most > MAX_WEIGHT and level in own):
                raise ConstantError(
                    f"the weight {shown(reckoned[0].weight, 40)} comes to {least if least < 0 else most}.",
                    where=", ".join(map(where, reckoned)),
                    hint=RANGE,
                )


def check_atoms(control: Control, parts: Parts) -> None:
    """
    Refuse what rules come to: criteria and penalties out of range, orders of what is no call.

    Raises:
        ConstantError: a priority, a weight or units are no number in range, as a misspelt constant is none.
        EncodingError: a criterion is for no kind, or something is ordered that is no call.
    """

    def in_range(number: Symbol) -> bool:
        return number.type is SymbolType.Number and 0 <= number.number <= MAX_WEIGHT

    weights: dict[Symbol, int] = {}
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, *numbers = atom.symbol.arguments
        if kind.type is not SymbolType.Function or kind.arguments:
            raise EncodingError(
                f"{shown(atom.symbol)}: {shown(kind)} is no kind of penalty.",
                where=parts.places(("criterion", 3), str(kind)),
                hint="Kinds are written without quotes, as ask.",
            )
        for number in numbers:
            if not in_range(number):
                is_number = number.type is SymbolType.Number
                raise ConstantError(
                    f"{shown(atom.symbol)}: {shown(number)} is "
                    + ("out of range." if is_number else "not a number."),
                    where=parts.places(("criterion", 3), str(kind)),
                    hint=RANGE if is_number else "Define it with #const, or correct its name.",
                )
        weights[kind] = max(numbers[1].number, weights.get(kind, 0))
    if not parts.users:
        return
    kinds = parts.kinds(parts.users)
    for atom in control.symbolic_atoms.by_signature("penalty", 3):
        kind, units, _ = atom.symbol.arguments
        weight = weights.get(kind, 0)
        is_fine = in_range(units) and units.number * weight <= MAX_WEIGHT
        if str(kind) in kinds and not is_fine:
            what = f"{shown(atom.symbol, 80)} with the weight {weight} is out of range."
            raise ConstantError(what, where=parts.places(("penalty", 3), str(kind)), hint=RANGE)
    for atom in control.symbolic_atoms.by_signature("precede", 2):
        first, second = atom.symbol.arguments
        if (first == second and atom.is_fact) or not (_is_call(first) and _is_call(second)):
            ordering = (node for node, _ in parts.heads(parts.own, ("precede", 2)))
            raise EncodingError(
                f"{shown(atom.symbol, 80)} orders what is no call, or stands before itself.",
                where=", ".join(dict.fromkeys(map(where, ordering))),
                hint="Both are calls, and not the same one, as in precede(X, Y) :- feeds(X, Y).",
            )


def _is_call(symbol: Symbol) -> bool:
    """Whether a symbol is a call, as `choices` reads one."""
    if symbol.type is not SymbolType.Function:
        return symbol.type is SymbolType.Number
    match symbol.positive, symbol.name, symbol.arguments:
        case True, "new", [_]:
            return True
        case True, "goal", [number]:
            return number.type is SymbolType.Number
        case True, "own", [reader, _, _]:
            return _is_call(reader)
    return False


def refuse_contradiction(control: Control, users: Sequence[AST]) -> None:
    """
    Refuse rules of the user's that leave no answer even where nothing is given, and so none anywhere.

    Raises:
        EncodingError: naming their files.
    """
    control.configuration.solve.opt_mode = "ignore"  # type: ignore[union-attr]
    with control.solve(async_=True) as handle:
        if not handle.wait(PATIENCE):
            handle.cancel()
        elif handle.get().unsatisfiable:
            raise EncodingError(
                "with these rules no sequence at all is admissible.",
                where=files_of(users),
                hint="One contradicts itself or the others, or demands what a sequence need not have.",
            )
