"""Takes statements apart: which predicates a statement derives and asks, and which terms stand where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clingo import SymbolType
from clingo.ast import AST, ASTType, Position, Sign

from refract_asp.rules.reading import short_name

__all__ = [
    "Head",
    "Predicate",
    "arguments_of",
    "asked",
    "constant_of",
    "derived",
    "number_of",
    "positive",
    "predicate_of",
    "predicates",
    "terms_of",
    "variables",
    "walk",
    "where",
]

Predicate = tuple[str, int]
"""Name and arity."""


def where(node: AST) -> str:
    """Return file and line of a statement or a part of it."""
    begin = _begin(node)
    return f"{short_name(begin.filename)}:{begin.line}"


def children(node: AST) -> Iterator[AST]:
    """Yield the direct parts of a piece of a program."""
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif child is not None:
            yield from child


def walk(node: AST) -> Iterator[AST]:
    """Yield a piece of a program and all its parts."""
    yield node
    for child in children(node):
        yield from walk(child)


def terms_of(atom: AST) -> Iterator[AST]:
    """Yield the terms that an atom stands for: one, or several where it holds a pool, as `p(1;2)`."""
    pending = [atom.symbol]
    while pending:
        term = pending.pop(0)
        if term.ast_type is ASTType.UnaryOperation:
            pending.insert(0, term.argument)
        elif term.ast_type is ASTType.Pool:
            pending[:0] = term.arguments
        else:
            yield term


def predicate_of(term: AST) -> Predicate | None:
    """Return name and arity of the term of an atom."""
    if term.ast_type is ASTType.Function:
        return term.name, len(term.arguments)
    if term.ast_type is ASTType.SymbolicTerm and term.symbol.type is SymbolType.Function:
        return term.symbol.name, len(term.symbol.arguments)
    return None


def arguments_of(term: AST) -> list[AST]:
    """Return the arguments of the term of an atom."""
    return list(term.arguments) if term.ast_type is ASTType.Function else []


def predicates(atoms: Iterable[AST]) -> set[Predicate]:
    """Return the predicates of atoms."""
    found = {predicate_of(term) for atom in atoms for term in terms_of(atom)}
    return {each for each in found if each is not None}


def _head_literals(head: AST) -> Iterator[tuple[AST, list[AST]]]:
    """Yield each literal that a head derives, with the condition under which it stands."""
    if head.ast_type is ASTType.Literal:
        yield head, []
    elif head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        for element in head.elements:
            yield element.literal, list(element.condition)
    elif head.ast_type is ASTType.HeadAggregate:
        for element in head.elements:
            yield element.condition.literal, list(element.condition.condition)


@dataclass(frozen=True, slots=True)
class Head:
    """What a rule derives: the predicate, the arguments, and the condition under which a choice offers it."""

    predicate: Predicate
    arguments: tuple[AST, ...]
    condition: tuple[AST, ...] = ()


def derived(node: AST) -> list[Head]:
    """Return what a rule derives, or may choose."""
    if node.ast_type is not ASTType.Rule:
        return []
    return [
        Head(predicate, tuple(arguments_of(term)), tuple(condition))
        for literal, condition in _head_literals(node.head)
        if literal.ast_type is ASTType.Literal and literal.atom.ast_type is ASTType.SymbolicAtom
        for term in terms_of(literal.atom)
        if (predicate := predicate_of(term)) is not None
    ]


def asked(node: AST) -> Iterator[AST]:
    """Yield the atoms that a statement asks: those of its body, and of conditions anywhere in it."""
    made: set[tuple[int, int]] = set()
    if node.ast_type is ASTType.Rule:
        made = {_position(literal) for literal, _ in _head_literals(node.head)}
        parts = [node.head, *node.body]
    else:
        parts = list(node.body) if node.ast_type in _WITH_BODY else []
    for part in parts:
        for each in walk(part):
            if each.ast_type is ASTType.SymbolicAtom and _position(each) not in made:
                yield each


_WITH_BODY = (ASTType.Edge, ASTType.Heuristic, ASTType.Minimize, ASTType.ProjectAtom, ASTType.ShowTerm)


def _begin(node: AST) -> Position:
    """Return where a piece of a program begins; an atom bears no place, its term does."""
    located = node.symbol if node.ast_type is ASTType.SymbolicAtom else node
    begin: Position = located.location.begin
    return begin


def _position(node: AST) -> tuple[int, int]:
    begin = _begin(node)
    return begin.line, begin.column


def positive(literals: Iterable[AST]) -> Iterator[AST]:
    """Yield the atoms that stand positively and by themselves."""
    for literal in literals:
        if (
            literal.ast_type is ASTType.Literal
            and literal.sign == Sign.NoSign
            and literal.atom.ast_type is ASTType.SymbolicAtom
        ):
            yield literal.atom


def variables(node: AST) -> set[str]:
    """Return the names of the variables in a piece of a program."""
    return {each.name for each in walk(node) if each.ast_type is ASTType.Variable}


def number_of(term: AST) -> int | None:
    """Return the number that a term is."""
    if term.ast_type is ASTType.SymbolicTerm and term.symbol.type is SymbolType.Number:
        return int(term.symbol.number)
    return None


def constant_of(term: AST) -> str:
    """Return the word that a term is, as `ask` or the name of a constant, else the empty text."""
    if term.ast_type is ASTType.SymbolicTerm and term.symbol.type is SymbolType.Function:
        return "" if term.symbol.arguments else str(term.symbol.name)
    if term.ast_type is ASTType.Function and not term.arguments and not term.external:
        return str(term.name)
    return ""
