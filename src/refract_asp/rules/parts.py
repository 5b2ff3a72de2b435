"""The files of a repair program by whose they are: the set itself, the cost model, rules of one's own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from clingo.ast import AST, ASTType, BinaryOperator

from refract_asp.errors import shown
from refract_asp.rules.anatomy import Head, Predicate, constant_of, derived, number_of

__all__ = ["FORBIDDEN", "MODEL_ONLY", "OF_HOUSE_RULES", "Parts", "alike", "value_of"]

MODEL_ONLY: frozenset[Predicate] = frozenset(
    {
        ("criterion_off", 1),
        ("name_by", 1),
        ("ask_named_after", 1),
        ("confirms", 1),
        ("may_delete", 1),
        ("call_for", 1),
    }
)
"""What only a cost model may state, besides criteria and penalties of a kind of its own."""

FORBIDDEN: frozenset[Predicate] = frozenset({("forbidden", 1), ("forbidden", 2)})
"""What is wrong by a rule of one's own: a place, or a place and a text that says why."""

OF_HOUSE_RULES: frozenset[Predicate] = FORBIDDEN | {("precede", 2)}
"""What only rules of one's own may derive, besides criteria and penalties of a kind of their own."""


@dataclass(slots=True)
class Parts:
    """
    The statements of a repair program.

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

    def heads(self, nodes: Iterable[AST], predicate: Predicate) -> Iterator[tuple[AST, tuple[AST, ...]]]:
        """Yield the statements that derive a predicate, each with the arguments of the head."""
        for node in nodes:
            for head in self.derived(node):
                if head.predicate == predicate:
                    yield node, head.arguments

    def kinds(self, nodes: Iterable[AST]) -> set[str]:
        """Return the kinds of penalties that statements derive."""
        return {constant_of(arguments[0]) for _, arguments in self.heads(nodes, ("penalty", 3))} - {""}

    def levels(self) -> dict[int, set[str]]:
        """Return the levels on which criteria of the model stand, each with the constants that name it."""
        found: dict[int, set[str]] = {}
        for _, (_, priority, _) in self.heads([*self.core, *self.model], ("criterion", 3)):
            number = value_of(priority, self.constants)
            if number is not None:
                found.setdefault(number, set()).add(constant_of(priority))
        return found


def value_of(term: AST, constants: Mapping[str, int]) -> int | None:
    """Return the number that a term without variables stands for, or None."""
    number = number_of(term)
    if number is not None:
        return number
    if constant_of(term):
        return constants.get(constant_of(term))
    if term.ast_type is ASTType.BinaryOperation:
        left, right = value_of(term.left, constants), value_of(term.right, constants)
        if left is not None and right is not None:
            if term.operator_type == BinaryOperator.Plus:
                return left + right
            if term.operator_type == BinaryOperator.Minus:
                return left - right
            if term.operator_type == BinaryOperator.Multiplication:
                return left * right
    return None


def alike(name: object, known: Collection[str], most: int = 3) -> str:
    """
    Return a hint that names what may have been meant, or nothing.

    Example:
        >>> alike("weight_aks", ["weight_ask", "priority_edits"])
        'Did you mean weight_ask?'
    """
    near = get_close_matches(shown(name), sorted(known), most, 0.75)
    return f"Did you mean {' or '.join(near)}?" if near else ""
