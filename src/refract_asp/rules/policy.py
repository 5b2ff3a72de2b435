"""
What files of the user's may say: which predicates they derive, which levels and weights they use.

All of it is read from the statements, before anything is grounded; `grounding` judges what comes of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

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
    predicate_of,
    predicates,
    short_name,
    terms_of,
    value_of,
    walk,
    where,
)

__all__ = [
    "COMPARED",
    "HOUSE_RULE_HEADS",
    "MODEL_HEADS",
    "RESERVED",
    "Criterion",
    "Finding",
    "Parts",
    "alike",
    "for_check",
    "forbids",
    "is_kind",
    "not_for_check",
    "refusals",
    "unranked_kinds",
]

MODEL_VALUES = {
    "name_by": {"spelling", "fit"},
    "confirms": {"risky", "new", "never"},
    "ask_named_after": {"field"},
    "may_delete": {"unknown_tool"},
    "call_for": {"common_name"},
}
"""What a cost model may state besides criteria and penalties."""

MODEL_HEADS: frozenset[Predicate] = frozenset(
    {("criterion_off", 1), *((name, 1) for name in MODEL_VALUES)}
)
"""What only a cost model may state, besides criteria and penalties of a kind of its own."""

FORBIDDEN: frozenset[Predicate] = frozenset({("forbidden", 1), ("forbidden", 2)})
"""What is wrong by a rule of one's own: a place, or a place and a text that says why."""

HOUSE_RULE_HEADS: frozenset[Predicate] = FORBIDDEN | {("precede", 2)}
"""What only rules of one's own may derive, besides criteria and penalties of a kind of their own."""

RESERVED = 100
"""Priorities from here on belong to modes, as goals and compression."""


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
        return {constant_of(arguments[0]) for _, arguments in self.heads(nodes, ("penalty", 3))} - {
            ""
        }

    def criteria(self, nodes: Iterable[AST]) -> Iterator[tuple[AST, Criterion]]:
        """Yield what statements rank, each with the statement; a kind that is no word is text as written."""
        for node, (kind, *terms) in self.heads(nodes, ("criterion", 3)):
            priority, weight = (value_of(term, self.constants) for term in terms)
            yield node, Criterion(str(kind), priority, weight, *map(constant_of, terms))

    def switched_off(self, nodes: Iterable[AST]) -> Iterator[tuple[AST, str]]:
        """Yield the kinds that statements leave free, each with the statement."""
        for node, (kind,) in self.heads(nodes, ("criterion_off", 1)):
            yield node, str(kind)


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


def refusals(parts: Parts) -> Iterator[Finding]:
    """Yield what is refused in files of the user's, and misspelt values of any cost model."""
    for name, values in MODEL_VALUES.items():
        for node, (value,) in parts.heads(parts.ranking, (name, 1)):
            if constant_of(value) not in values:
                hint = f"It may be {' or '.join(sorted(values))}."
                yield Finding("saying", f"{name} cannot be {shown(value, 60)}.", where(node), hint)
    levels = [name for name in parts.constants if name.startswith("priority_")]
    if not parts.users and all(parts.constants[name] < RESERVED for name in levels):
        return
    for node in parts.users:
        yield from _statement(node)
    yield from _heads(parts)
    yield from _orders(parts)
    yield from _unknown(parts)
    yield from _weights(parts)
    yield from _levels(parts)
    yield from _shared_levels(parts)


_STATEMENTS = {
    ASTType.ProjectAtom: "#project",
    ASTType.ProjectSignature: "#project",
    ASTType.Edge: "#edge",
    ASTType.Heuristic: "#heuristic",
}


def _statement(node: AST) -> Iterator[Finding]:
    """Refuse a statement that would change what Python reads of an answer, or call Python."""
    if node.ast_type in _STATEMENTS:
        what = f"{_STATEMENTS[node.ast_type]} is not allowed in an encoding."
        yield Finding("statement", what, where(node))
    if node.ast_type is ASTType.ShowTerm:  # Python would read it as an output of ours
        name = (predicate_of(node.term) or ("", 0))[0]
        if name.startswith("out_"):
            what = f"{shown(node.term, 60)}: what begins with out_ is shown by show.lp alone."
            yield Finding("statement", what, where(node), "Show it under another name.")
        elif not name:
            what = f"{shown(node.term, 60)}: only a term with a name of its own may be shown."
            yield Finding("statement", what, where(node), "Show it inside of one, as mine(X).")
    for each in walk(node):
        if each.ast_type is ASTType.Function and each.external:
            what = f"{shown(each, 60)}: a function of Python is not allowed in an encoding."
            yield Finding("statement", what, where(node))


_ALLOWED = (
    "A cost model may state criterion/3, criterion_off/1 and the like, and penalties of a kind of its own; "
    "other files precede/2, forbidden/1, forbidden/2, and penalties of a kind of their own."
)
_OWN_VIOLATION = (
    "Derive forbidden(Place) or forbidden(Place, Text) instead; its code is `forbidden`."
)


def _heads(parts: Parts) -> Iterator[Finding]:
    """Refuse heads that belong to the core: its predicates, the inputs and the outputs."""
    reserved = {head.predicate for node in parts.core for head in parts.derived(node)}
    reserved |= MODEL_HEADS | HOUSE_RULE_HEADS
    kinds = parts.kinds(parts.core)
    ranked = {criterion.kind for _, criterion in parts.criteria(parts.ranking)}
    for nodes, allowed in ((parts.model, MODEL_HEADS), (parts.own, HOUSE_RULE_HEADS)):
        for node in nodes:
            for head in parts.derived(node):
                name, arity = head.predicate
                first = constant_of(head.arguments[0]) if head.arguments else ""
                what = hint = ""
                if head.predicate == ("penalty", 3) and (not first or first in kinds):
                    what = f"penalty({shown(first or 'Kind', 40)}, ...) belongs to the core."
                    hint = "Give the kind a name of its own, as a word."
                elif head.predicate == ("criterion", 3) and nodes is parts.own and first in ranked:
                    what = f"{shown(first, 40)} is ranked by the cost model already."
                    hint = "Change its weight with -c, or the model."
                elif head.predicate in allowed | {("penalty", 3), ("criterion", 3)}:
                    continue
                elif head.predicate in reserved or name.startswith(("in_", "out_")):
                    what = f"{name}/{arity} {_owner(head.predicate)}."
                    hint = _OWN_VIOLATION if name == "violation" else _ALLOWED
                if what:
                    yield Finding("core", what, where(node), hint)


def _owner(predicate: Predicate) -> str:
    if predicate in HOUSE_RULE_HEADS:
        return "is no matter of a cost model; put the rule into a file for --encoding"
    if predicate in MODEL_HEADS:
        return "is stated by a cost model alone"
    return "belongs to the core, and may be asked but not derived"


def _orders(parts: Parts) -> Iterator[Finding]:
    """Refuse to put a call before itself."""
    for node, (first_call, second_call) in parts.heads(parts.own, ("precede", 2)):
        if str(first_call) == str(second_call):
            what = f"{shown(first_call, 60)} cannot stand before itself."
            yield Finding("order", what, where(node), "Add X != Y, or correct the rule.")


def _unknown(parts: Parts) -> Iterator[Finding]:
    """Refuse atoms that nothing derives and that are no input."""
    known = {head.predicate for node in parts.all for head in parts.derived(node)}
    known |= {(node.name, node.arity) for node in parts.all if node.ast_type is ASTType.Defined}
    for node in parts.users:
        atoms = {predicate_of(term): atom for atom in asked(node) for term in terms_of(atom)}
        for predicate, atom in atoms.items():
            if predicate is None or predicate in known:
                continue
            name, arity = predicate
            arities = sorted(number for each, number in known if each == name)
            hint = f"It has {' or '.join(map(str, arities))} arguments."
            if not arities:
                hint = (
                    alike(name, {each for each, _ in known})
                    or "encodings/README.md lists them all."
                )
            what = f"nothing derives {shown(name, 60)}/{arity}, and it is no input."
            yield Finding("predicate", what, where(atom), hint)


def _weights(parts: Parts) -> Iterator[Finding]:
    """Refuse words that are no constant where a number is meant, and numbers out of range."""
    for node in parts.users:
        terms = [node.weight, node.priority] if node.ast_type is ASTType.Minimize else []
        for head in parts.derived(node):
            if head.predicate == ("criterion", 3):
                terms += head.arguments[1:]
        for term in terms:
            for each in walk(term):
                name = constant_of(each)
                if name and name not in parts.constants:
                    hint = alike(name, parts.constants) or "Define it with #const."
                    yield Finding(
                        "constant", f"there is no constant {shown(name, 60)}.", where(each), hint
                    )
    numbers = [
        (node, node.weight, "weight") for node in parts.users if node.ast_type is ASTType.Minimize
    ]
    for node, (_, units, _) in parts.heads(parts.users, ("penalty", 3)):
        numbers.append((node, units, "units of a penalty"))
    for node, (_, _, weight) in parts.heads(parts.users, ("criterion", 3)):
        numbers.append((node, weight, "weight"))
    for node, term, word in numbers:
        number = value_of(term, parts.constants)
        if number is not None and not 0 <= number <= MAX_WEIGHT:
            yield Finding(
                "weight", f"{shown(term, 40)} is out of range for the {word}.", where(node), RANGE
            )


def _levels(parts: Parts) -> Iterator[Finding]:
    """Refuse levels that are reserved, or that only grounding would tell."""
    of_users = {id(node) for node in parts.users}
    ranked = parts.heads([*parts.ranking, *parts.users], ("criterion", 3))
    used = [(node, priority) for node, (_, priority, _) in ranked]
    used += [(node, node.priority) for node in parts.users if node.ast_type is ASTType.Minimize]
    for node, priority in used:
        number = value_of(priority, parts.constants)
        if number is not None and not 0 <= number < RESERVED:
            why = (
                "below 0"
                if number < 0
                else f"{number}; from {RESERVED} on they are reserved for modes"
            )
            what = f"the priority {shown(priority, 40)} is {why}."
            yield Finding("level", what, where(node), f"Use one from 0 to {RESERVED - 1}.")
        elif (
            number is None and id(node) in of_users and not constant_of(priority)
        ):  # see `_weights`
            what = f"the priority {shown(priority, 40)} is no number and no constant."
            yield Finding(
                "level", what, where(node), "Levels are fixed: write a number, or a constant."
            )


def _shared_levels(parts: Parts) -> Iterator[Finding]:
    """Refuse levels of the model that are met by accident, and tuples that would fall together with ours."""
    taken: dict[
        int | None, set[str]
    ] = {}  # each level of the model with the constants that name it
    for _, criterion in parts.criteria([*parts.core, *parts.model]):
        taken.setdefault(criterion.priority, set()).add(criterion.priority_constant)
    kinds = parts.kinds(parts.all)
    of_model = {id(node) for node in parts.model}
    for node in parts.users:
        number = (
            value_of(node.priority, parts.constants) if node.ast_type is ASTType.Minimize else None
        )
        if number is None or number not in taken:
            continue
        names = sorted(taken[number] - {""})
        if id(node) not in of_model and constant_of(node.priority) not in names:
            hint = "Use another."
            if names:
                constants = " or ".join(f"@ {each}" for each in names)
                hint = f"Write {constants} to weigh there, or use a level of your own."
            yield Finding("level", f"the cost model uses the priority {number}.", where(node), hint)
        elif _may_collapse(node, kinds):
            terms = shown(", ".join(map(str, node.terms)), 60)
            what = f"the tuple [..., {terms}] may fall together with one of ours, and count once."
            yield Finding("tuple", what, where(node), "Begin the tuple with a word of your own.")


def _may_collapse(node: AST, kinds: set[str]) -> bool:
    """Whether a tuple may equal one of ours, which are a kind and a place: clingo counts equal ones once."""
    if len(node.terms) != 2:
        return False
    first = node.terms[0]
    options = first.arguments if first.ast_type is ASTType.Pool else [first]
    return any(each.ast_type is ASTType.Variable or constant_of(each) in kinds for each in options)


def unranked_kinds(parts: Parts) -> Iterator[Finding]:
    """Yield the kinds of penalties that rules derive and that no criterion ranks or switches off."""
    judged = [*parts.ranking, *parts.own]
    known = {criterion.kind for _, criterion in parts.criteria(judged)}
    known |= {kind for _, kind in parts.switched_off(judged)}
    if not all(map(is_kind, known)):
        return  # `unranked/1` tells it for each sequence
    hint = "Add criterion({0}, Priority, Weight), or criterion_off({0}) to leave it free."
    places = {
        constant_of(kind): where(node)
        for node, (kind, *_) in parts.heads(parts.users, ("penalty", 3))
    }
    free = sorted(parts.kinds(parts.all) - known)
    for kind in free:
        if kind in places:
            what = f"nothing ranks the penalty {shown(kind, 60)}."
            yield Finding("unranked", what, places[kind], hint.format(kind))
    free = [kind for kind in free if kind not in places]
    if free:
        what = f"the cost model has no criterion for: {', '.join(free)}."
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
    needed = set(FORBIDDEN)
    kept: set[int] = set()
    while more := [node for node in nodes if id(node) not in kept and heads[id(node)] & needed]:
        for node in more:
            kept.add(id(node))
            needed |= predicates(asked(node))
    lasting = (ASTType.Definition, ASTType.Defined)
    return [node for node in nodes if id(node) in kept or node.ast_type in lasting]


def not_for_check(nodes: Sequence[AST], core: Sequence[AST]) -> list[Finding]:
    """
    Return what of the user's rules `check` cannot know, since it is chosen in a repair only.

    Args:
        nodes: what `for_check` returned.
        core: the statements of the check program.
    """
    known = {head.predicate for node in (*core, *nodes) for head in derived(node)} | GIVEN
    known |= {(node.name, node.arity) for node in nodes if node.ast_type is ASTType.Defined}
    found: list[Finding] = []
    hint = "What is forbidden may depend on name/2, arg/2, reads/5, passes/3 and inputs of the sequence."
    for node in nodes:
        if node.ast_type is ASTType.Rule and node.head.ast_type is not ASTType.Literal:
            what = f"check chooses nothing, and what is forbidden depends on a choice: {shown(node, 80)}"
            found.append(Finding("check", what, where(node), hint))
        for name, arity in sorted(predicates(asked(node)) - known):
            what = f"check does not know {name}/{arity}, on which it depends what is forbidden."
            found.append(Finding("check", what, where(node), hint))
    return found
