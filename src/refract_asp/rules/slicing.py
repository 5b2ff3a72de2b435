"""
Leaves out the statements of a program that no fact can reach; the answers stay the same.

Grounding costs a little for every rule, whether anything matches it or not. A statement can only match
when each predicate of its positive body has a fact or a statement that derives it. Where the first
argument of a predicate is a constant, as in `in_violation(unknown_tool, Place)`, it counts as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

# Name and arity of a predicate, and its first argument: a constant, "" for anything else, or ANY.
Signature = tuple[str, int, str]

# As first argument: whatever constant is asked for.
ANY = "*"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with the predicates that it needs and derives."""

    node: AST
    needs: frozenset[Signature]
    derives: frozenset[Signature]


def analyse(nodes: Iterable[AST]) -> list[Statement]:
    """Find out what each statement needs and derives; declarations alone say nothing."""
    return [_statement(node) for node in nodes if node.ast_type is not ASTType.Defined]


def _statement(node: AST) -> Statement:
    keys = node.keys()
    needs: set[Signature] = set()
    if node.ast_type in (ASTType.ProjectSignature, ASTType.ShowSignature) and node.name:
        needs.add((node.name, node.arity, ""))
    for literal in (node.body or ()) if "body" in keys else ():
        if literal.ast_type is ASTType.Literal and literal.sign == Sign.NoSign:
            needs.update(_atoms(literal.atom))
    literals = []  # of the head; conditions of a choice only ask
    if "head" in keys:
        kind = node.head.ast_type
        if kind is ASTType.Literal:
            literals = [node.head]
        elif kind in (ASTType.Aggregate, ASTType.Disjunction):
            literals = [element.literal for element in node.head.elements]
        elif kind is ASTType.HeadAggregate:
            literals = [element.condition.literal for element in node.head.elements]
    atoms = (atom for literal in literals for atom in _atoms(literal.atom))
    derives = frozenset((name, arity, first or ANY) for name, arity, first in atoms)
    return Statement(node, frozenset(needs), derives)


def _atoms(node: AST) -> Iterator[Signature]:
    """Yield the predicates of an atom; those in aggregates and conditions do not count."""
    pending = [node.symbol] if node.ast_type is ASTType.SymbolicAtom else []
    while pending:
        term = pending.pop()
        if term.ast_type is ASTType.UnaryOperation:
            pending.append(term.argument)
        elif term.ast_type is ASTType.Pool:
            pending.extend(term.arguments)
        elif term.ast_type is ASTType.Function:
            yield term.name, len(term.arguments), _constant(term.arguments[0:1])
        elif term.ast_type is ASTType.SymbolicTerm:
            yield term.symbol.name, len(term.symbol.arguments), ""


def _constant(first: Iterable[AST]) -> str:
    """Return the first argument when it is a constant, else the empty text."""
    for term in first:
        if term.ast_type is ASTType.SymbolicTerm and term.symbol.type is SymbolType.Function:
            return str(term.symbol)
        if term.ast_type is ASTType.Function and not term.arguments:
            return str(term.name)
    return ""


def reachable(statements: Iterable[Statement], facts: Iterable[Signature]) -> list[AST]:
    """Return the statements that facts of these signatures can reach, in their order."""
    known = set(facts)
    plain = {(name, arity) for name, arity, _ in known}

    def is_met(need: Signature) -> bool:
        name, arity, first = need
        if not first:
            return (name, arity) in plain
        return need in known or (name, arity, ANY) in known

    left = list(enumerate(statements))
    kept: dict[int, AST] = {}
    count = -1
    while len(kept) > count:
        count = len(kept)
        for number, statement in left:
            if number not in kept and all(map(is_met, statement.needs)):
                kept[number] = statement.node
                known |= statement.derives
                plain |= {(name, arity) for name, arity, _ in statement.derives}
    return [kept[number] for number in sorted(kept)]
