"""
Leaves out the statements of a program that no fact can reach; the answers stay the same.

Grounding costs a little for every rule, whether anything matches it or not. A statement can only match
when each predicate of its positive body has a fact or a statement that derives it. Where the first
argument of a predicate is a constant, as in `in_violation(unknown_tool, Place)`, it counts as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

__all__ = ["ANY", "Signature", "Statement", "analyse", "reachable"]

Signature = tuple[str, int, str]
"""Name and arity of a predicate, and its first argument: a constant, "" for anything else, or ANY."""

ANY = "*"
"""As first argument: whatever constant is asked for."""


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
    body = list(node.body) if "body" in keys and node.body is not None else []
    for literal in body:
        if literal.ast_type is ASTType.Literal and literal.sign == Sign.NoSign:
            needs |= set(_atoms(literal.atom))
    head = [node.head] if "head" in keys else []
    derives = {signature for part in head for signature in _derived(part)}
    return Statement(node, frozenset(needs), frozenset(derives))


def _derived(head: AST) -> Iterator[Signature]:
    """Yield the predicates that a head derives; conditions of a choice only ask."""
    literals = []
    if head.ast_type is ASTType.Literal:
        literals = [head]
    elif head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        literals = [element.literal for element in head.elements]
    elif head.ast_type is ASTType.HeadAggregate:
        literals = [element.condition.literal for element in head.elements]
    for literal in literals:
        for name, arity, first in _atoms(literal.atom):
            yield name, arity, first or ANY


def _atoms(node: AST) -> Iterator[Signature]:
    """Yield the predicates of an atom; those in aggregates and conditions do not count."""
    if node.ast_type is ASTType.SymbolicAtom:
        pending = [node.symbol]
        while pending:
            term = pending.pop()
            if term.ast_type is ASTType.UnaryOperation:
                pending.append(term.argument)
            elif term.ast_type is ASTType.Pool:
                pending.extend(term.arguments)
            elif term.ast_type is ASTType.Function:
                yield term.name, len(term.arguments), _constant(term.arguments)
            elif term.ast_type is ASTType.SymbolicTerm:
                yield term.symbol.name, len(term.symbol.arguments), ""


def _constant(arguments: Collection[AST]) -> str:
    """Return the first argument when it is a constant, else the empty text."""
    for first in arguments:
        if first.ast_type is ASTType.SymbolicTerm and first.symbol.type is SymbolType.Function:
            return str(first.symbol)
        if first.ast_type is ASTType.Function and not first.arguments:
            return str(first.name)
        break
    return ""


def reachable(statements: Iterable[Statement], facts: Iterable[Signature]) -> list[AST]:
    """Return the statements that facts of these signatures can reach, in their order."""
    known = set(facts)
    plain = {signature[:2] for signature in known}
    left = list(statements)
    kept: set[int] = set()
    grown = True
    while grown:
        grown = False
        for number, statement in enumerate(left):
            if number not in kept and all(_is_met(need, known, plain) for need in statement.needs):
                kept.add(number)
                grown = True
                known |= statement.derives
                plain |= {signature[:2] for signature in statement.derives}
    return [statement.node for number, statement in enumerate(left) if number in kept]


def _is_met(need: Signature, known: set[Signature], plain: set[tuple[str, int]]) -> bool:
    name, arity, first = need
    if not first:
        return (name, arity) in plain
    return need in known or (name, arity, ANY) in known
