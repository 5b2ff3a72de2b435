"""
Finds rules that would be grounded without end, as `p(X + 1) :- p(X).` or `p(f(X)) :- p(X).`

Each place of a predicate gets a rank: how much larger than what is given its terms may become. A rule
passes the rank of the place where it reads a variable on to the place where it writes it, with the
depth of what it writes around it; a comparison with something smaller bounds a variable. Where no
finite ranks satisfy all rules (where the program is not argument-restricted), terms may grow without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clingo.ast import AST, ASTType, BinaryOperator, ComparisonOperator, Sign

from refract_asp.rules.anatomy import (
    Head,
    Predicate,
    arguments_of,
    constant_of,
    derived,
    number_of,
    positive,
    predicate_of,
    predicates,
    terms_of,
    variables,
    walk,
)

__all__ = ["growing"]

Slot = tuple[str, int, int]
"""A predicate and the place of one of its arguments."""

UP, DOWN = "up", "down"
Link = tuple[int, frozenset[str]]
"""A bound of a variable: the rank is at most that of these variables and so much more."""

_AGGREGATES = (ASTType.BodyAggregate, ASTType.Aggregate)
_LESS = (ComparisonOperator.LessThan, ComparisonOperator.LessEqual)
_MORE = (ComparisonOperator.GreaterThan, ComparisonOperator.GreaterEqual)


@dataclass(slots=True)
class _Rule:
    """What one rule says of ranks."""

    node: AST
    slot: Slot
    written: dict[str, tuple[int, str]]
    """Of each variable of the head argument: the depth of what is around it, and which way it grows."""
    read: dict[str, list[tuple[Slot, int]]]
    """Where each variable is read in the body, and at which depth there."""
    links: dict[tuple[str, str], list[Link]] = field(default_factory=dict)
    """What bounds a variable from above ("up") or below ("down")."""


Heads = Callable[[AST], list[Head]]


def growing(nodes: Sequence[AST], blamed: Iterable[AST], heads: Heads = derived) -> list[AST]:
    """
    Return those of the `blamed` rules that make terms grow without end, in their order.

    Args:
        nodes: the whole program; only what the blamed rules derive, and what follows from it, is ranked.
        blamed: the rules that are judged.
        heads: tells what a rule derives.
    """
    suspects = [node for node in blamed if node.ast_type is ASTType.Rule]
    touched = _touched(nodes, suspects, heads)
    rules = [rule for node in nodes for rule in _rules(node, touched, heads)]
    ranks: dict[Slot, int] = {}
    step = max((depth for rule in rules for depth, _ in rule.written.values()), default=0)
    limit = max(1, step) * (len({rule.slot for rule in rules}) + 1)
    over: set[Slot] = set()
    for _ in range(limit + len(rules) + 2):
        changed = False
        for rule in rules:
            rank = _rank(rule, ranks)
            if rank <= ranks.get(rule.slot, 0):
                continue
            changed = True
            ranks[rule.slot] = min(rank, limit + 1)
            if rank > limit:
                over.add(rule.slot)
        if not changed:
            return []
        if over:
            break
    mine = {id(node) for node in suspects}
    large = {slot: limit for slot, rank in ranks.items() if rank > step}
    guilty = [  # who writes more than it reads into a place that has grown too large
        rule.node
        for rule in rules
        if id(rule.node) in mine and rule.slot in large and _rank(rule, large) > limit
    ]
    return list({id(node): node for node in guilty}.values())


def _touched(nodes: Sequence[AST], suspects: Sequence[AST], heads: Heads) -> set[Predicate]:
    """
    Return the predicates to which the suspects pass what they read, and all that follow from those.

    What states no more than constants, as `name_by(fit)`, makes nothing larger.
    """
    touched = {
        head.predicate
        for node in suspects
        for head in heads(node)
        if any(_written(argument) for argument in head.arguments)
    }
    rules = [
        ({head.predicate for head in heads(node)}, predicates(positive(node.body)))
        for node in nodes
        if node.ast_type is ASTType.Rule
    ]
    grown = True
    while grown:
        grown = False
        for made, needed in rules:
            if not made <= touched and needed & touched:
                touched |= made
                grown = True
    return touched


def _rules(node: AST, touched: set[Predicate], heads: Heads) -> Iterator[_Rule]:
    """Yield what a rule says of each argument that it writes."""
    for head in heads(node):
        if head.predicate not in touched or not head.arguments:
            continue
        body = [*node.body, *head.condition]
        read, links = _read(body), _links(body)
        for number, argument in enumerate(head.arguments):
            written = _written(argument)
            if written and not _is_wrapped(argument):
                yield _Rule(node, (*head.predicate, number), written, read, links)


def _is_wrapped(term: AST) -> bool:
    """Whether a term has finitely many values whatever is inside, as (X + 1) \\ 10."""
    return (
        term.ast_type is ASTType.BinaryOperation
        and term.operator_type in (BinaryOperator.Modulo, BinaryOperator.And)
        and (number_of(term.right) or 0) > 0
    )


def _read(body: Sequence[AST]) -> dict[str, list[tuple[Slot, int]]]:
    found: dict[str, list[tuple[Slot, int]]] = {}
    literals = list(body)
    for literal in body:
        if literal.ast_type is ASTType.Literal and literal.atom.ast_type in _AGGREGATES:
            literals += [part for element in literal.atom.elements for part in element.condition]
    for atom in positive(literals):
        for term in terms_of(atom):
            predicate = predicate_of(term)
            if predicate is None:
                continue
            for number, argument in enumerate(arguments_of(term)):
                for name, depth in _depths(argument).items():
                    found.setdefault(name, []).append(((*predicate, number), depth))
    return found


def _depths(term: AST, depth: int = 0) -> dict[str, int]:
    """Return how deep each variable stands inside a term; where it is reckoned with, one step outside."""
    if term.ast_type is ASTType.Variable:
        return {term.name: depth}
    found: dict[str, int] = {}
    if term.ast_type is ASTType.Function:
        for argument in term.arguments:
            for name, inner in _depths(argument, depth + 1).items():
                found[name] = max(inner, found.get(name, inner))
    else:
        for name in variables(term):
            found[name] = depth - 1
    return found


def _written(term: AST, depth: int = 0, way: str = UP) -> dict[str, tuple[int, str]]:
    """Return for each variable of a head argument how much is written around it, and which way it grows."""
    kind = term.ast_type
    if kind is ASTType.Variable:
        return {term.name: (depth, way)}
    parts: list[dict[str, tuple[int, str]]] = []
    if kind is ASTType.Function:
        parts = [_written(argument, depth + 1, UP) for argument in term.arguments]
    elif kind is ASTType.BinaryOperation:
        sinks = term.operator_type == BinaryOperator.Minus and (number_of(term.right) or -1) >= 0
        shrinks = term.operator_type in (BinaryOperator.Division, BinaryOperator.Modulo)
        parts = [
            _written(each, depth + (not shrinks), DOWN if sinks and way == UP else way)
            for each in (term.left, term.right)
        ]
    elif kind is ASTType.UnaryOperation:
        parts = [_written(term.argument, depth, way)]
    elif kind is ASTType.Interval:
        parts = [_written(term.left, depth, way), _written(term.right, depth, way)]
    elif kind is ASTType.Pool:
        parts = [_written(argument, depth, way) for argument in term.arguments]
    found: dict[str, tuple[int, str]] = {}
    for part in parts:
        for name, (inner, to) in part.items():
            found[name] = max(found.get(name, (inner, to)), (inner, to))
    return found


def _links(body: Sequence[AST]) -> dict[tuple[str, str], list[Link]]:
    """Return what comparisons and aggregates say of the size of variables."""
    found: dict[tuple[str, str], list[Link]] = {}

    def add(term: AST, ways: Sequence[str], extra: int, others: Iterable[str]) -> None:
        for each in walk(term) if term.ast_type is not ASTType.Variable else [term]:
            if each.ast_type is ASTType.Variable:
                for way in ways:
                    found.setdefault((each.name, way), []).append((extra, frozenset(others)))

    for literal in body:
        if literal.ast_type is not ASTType.Literal or literal.sign != Sign.NoSign:
            continue
        atom = literal.atom
        if atom.ast_type is ASTType.Comparison:
            left = atom.term
            for guard in atom.guards:
                right, how = guard.term, guard.comparison
                if how == ComparisonOperator.Equal:
                    add(left, (UP, DOWN), _extra(right) + _inverse(left), variables(right))
                    add(right, (UP, DOWN), _extra(left) + _inverse(right), variables(left))
                elif how in _LESS or how in _MORE:
                    ways = (UP, DOWN) if how in _LESS else (DOWN, UP)
                    for one, other, way in ((left, right, ways[0]), (right, left, ways[1])):
                        if _is_measure(other):
                            for each in _summands(one):
                                add(each, (way,), _extra(other), variables(other))
                left = right
        elif atom.ast_type in _AGGREGATES and atom.left_guard is not None:
            inner = _read([literal])
            for way in (UP, DOWN):
                for name in variables(atom.left_guard.term):
                    found.setdefault((name, way), []).append((1, frozenset(inner)))
    return found


def _extra(term: AST) -> int:
    """Return how much is reckoned onto the variables of a term."""
    return max((depth for depth, _ in _written(term).values()), default=0)


def _inverse(term: AST) -> int:
    """Return how much is reckoned onto the variables of a term solved for them, as X = Y - 1 for Y."""
    return _extra(term) if term.ast_type is ASTType.BinaryOperation else 0


def _summands(term: AST) -> list[AST]:
    """Return the variables that a bound of a term bounds the same way: itself, or those of a sum."""
    if term.ast_type is ASTType.Variable:
        return [term]
    if term.ast_type is ASTType.BinaryOperation:
        if term.operator_type == BinaryOperator.Plus:
            return [*_summands(term.left), *_summands(term.right)]
        if term.operator_type == BinaryOperator.Minus and number_of(term.right) is not None:
            return _summands(term.left)
    return []


def _is_measure(term: AST) -> bool:
    """Whether a term may bound numbers; a text, a tuple and #sup are larger than all of them."""
    if term.ast_type is ASTType.BinaryOperation:
        return _is_measure(term.left) and _is_measure(term.right)
    return term.ast_type is ASTType.Variable or number_of(term) is not None or bool(constant_of(term))


_ENDLESS = 1 << 20


def _rank(rule: _Rule, ranks: dict[Slot, int]) -> int:
    """Return the rank that a rule passes on to the place that it writes."""
    known: dict[tuple[str, str], int] = {}

    def of(name: str, way: str, path: frozenset[tuple[str, str]]) -> int:
        if (name, way) in known:
            return known[name, way]
        if (name, way) in path:
            return _ENDLESS
        found = [ranks.get(slot, 0) - depth for slot, depth in rule.read.get(name, ())]
        further = path | {(name, way)}
        for extra, others in rule.links.get((name, way), ()):
            found.append(extra + max((of(other, way, further) for other in others), default=0))
        rank = max(0, min(found)) if found else 0 if not path else _ENDLESS
        if not path:
            known[name, way] = rank
        return rank

    return max(depth + of(name, way, frozenset()) for name, (depth, way) in rule.written.items())
