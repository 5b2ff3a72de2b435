"""Refuses what files of the user's may not do; each refusal says the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clingo.ast import AST, ASTType, UnaryOperator

from refract_asp.errors import shown
from refract_asp.rules.anatomy import (
    Predicate,
    asked,
    constant_of,
    number_of,
    predicate_of,
    terms_of,
    walk,
    where,
)
from refract_asp.rules.findings import Finding
from refract_asp.rules.growth import growing
from refract_asp.rules.parts import MODEL_ONLY, OF_HOUSE_RULES, Parts, alike, value_of
from refract_asp.rules.reading import MAX_WEIGHT, RANGE

__all__ = ["RESERVED", "payers", "ranks_by_rule", "reckoned", "reckoned_weights", "refusals"]

RESERVED = 100
"""Priorities from here on belong to modes, as goals and compression."""

_ALLOWED = (
    "A cost model may state criterion/3, criterion_off/1 and the like, and penalties of a kind of its own; "
    "other files precede/2, forbidden/1, forbidden/2, and penalties of a kind of their own."
)
_OWN_VIOLATION = "Derive forbidden(Place) or forbidden(Place, Text) instead; its code is `forbidden`."


def refusals(parts: Parts) -> Iterator[Finding]:
    """Yield what is refused in files of the user's, before anything is grounded."""
    levels = [name for name in parts.constants if name.startswith("priority_")]
    if not parts.users and all(parts.constants[name] < RESERVED for name in levels):
        return
    yield from _statements(parts.users)
    yield from _redefined(parts)
    yield from _unknown(parts)
    yield from _weights(parts)
    yield from _ranges(parts)
    yield from _levels(parts)
    for node in growing(parts.all, parts.users, parts.derived):
        yield Finding(
            "endless",
            f"the rule makes ever larger terms: {shown(node, 80)}",
            where(node),
            "Bound what grows, as with N < 10; else it is grounded without end.",
        )


_STATEMENTS = {
    ASTType.ProjectAtom: "#project",
    ASTType.ProjectSignature: "#project",
    ASTType.Edge: "#edge",
    ASTType.Heuristic: "#heuristic",
}


def _statements(nodes: Iterable[AST]) -> Iterator[Finding]:
    """Refuse statements that would change what Python reads of an answer, or call Python."""
    for node in nodes:
        if node.ast_type in _STATEMENTS:
            what = f"{_STATEMENTS[node.ast_type]} is not allowed in an encoding."
            yield Finding("statement", what, where(node))
        if node.ast_type is ASTType.ShowTerm:
            yield from _shown(node)
        for each in walk(node):
            if each.ast_type is ASTType.Function and each.external:
                what = f"{shown(each, 60)}: a function of Python is not allowed in an encoding."
                yield Finding("statement", what, where(node))


def _shown(node: AST) -> Iterator[Finding]:
    """Refuse to show what may come to an output: that is how Python would read it."""
    name = (predicate_of(node.term) or ("", 0))[0]
    if name.startswith("out_"):
        what = f"{shown(node.term, 60)}: what begins with out_ is shown by show.lp alone."
        yield Finding("statement", what, where(node), "Show it under another name.")
    elif not name:
        what = f"{shown(node.term, 60)}: only a term with a name of its own may be shown."
        yield Finding("statement", what, where(node), "Show it inside of one, as mine(X).")


def _redefined(parts: Parts) -> Iterator[Finding]:
    """Refuse heads that belong to the core: its predicates, the inputs and the outputs."""
    core = {head.predicate for node in parts.core for head in parts.derived(node)}
    kinds = parts.kinds(parts.core)
    ranked = {constant_of(first) for _, (first, _, _) in parts.heads(parts.ranking, ("criterion", 3))}
    for nodes, allowed, is_model in (
        (parts.model, MODEL_ONLY, True),
        (parts.own, OF_HOUSE_RULES, False),
    ):
        for node in nodes:
            for head in parts.derived(node):
                predicate = head.predicate
                if predicate == ("precede", 2) and len({str(each) for each in head.arguments}) == 1:
                    what = f"{shown(head.arguments[0], 60)} cannot stand before itself."
                    yield Finding("order", what, where(node), "Add X != Y, or correct the rule.")
                if predicate in allowed:
                    continue
                name, arity = predicate
                first = constant_of(head.arguments[0]) if head.arguments else ""
                if predicate == ("penalty", 3):
                    if not first or first in kinds:
                        what = f"penalty({shown(first or 'Kind', 40)}, ...) belongs to the core."
                        yield Finding(
                            "core", what, where(node), "Give the kind a name of its own, as a word."
                        )
                    continue
                if predicate == ("criterion", 3):
                    if not is_model and first in ranked:
                        what = f"{shown(first, 40)} is ranked by the cost model already."
                        yield Finding("core", what, where(node), "Change its weight with -c, or the model.")
                    continue
                if predicate in core or predicate in MODEL_ONLY | OF_HOUSE_RULES or _is_contract(name):
                    what = f"{name}/{arity} {_whose(predicate, is_model)}."
                    hint = _OWN_VIOLATION if name == "violation" else _ALLOWED
                    yield Finding("core", what, where(node), hint)


def _is_contract(name: str) -> bool:
    return name.lstrip("-").startswith(("in_", "out_"))


def _whose(predicate: Predicate, is_model: bool) -> str:
    if predicate in OF_HOUSE_RULES and is_model:
        return "is no matter of a cost model; put the rule into a file for --encoding"
    if predicate in MODEL_ONLY:
        return "is stated by a cost model alone"
    return "belongs to the core, and may be asked but not derived"


def _unknown(parts: Parts) -> Iterator[Finding]:
    """Refuse atoms that nothing derives and that are no input."""
    known: set[Predicate] = set()
    for node in parts.all:
        known |= {head.predicate for head in parts.derived(node)}
        if node.ast_type is ASTType.Defined:
            known.add((node.name, node.arity))
    for node in parts.users:
        told: set[Predicate] = set()
        for atom in asked(node):
            for term in terms_of(atom):
                predicate = predicate_of(term)
                if predicate is None or predicate in known or predicate in told:
                    continue
                told.add(predicate)
                name, arity = predicate
                others = sorted({number for each, number in known if each == name})
                hint = alike(name, {each for each, _ in known})
                if others:
                    hint = f"It has {' or '.join(map(str, others))} arguments."
                what = f"nothing derives {shown(name, 60)}/{arity}, and it is no input."
                yield Finding("predicate", what, where(atom), hint or "encodings/README.md lists them all.")


def _weights(parts: Parts) -> Iterator[Finding]:
    """Refuse words that are no constant where a number is meant."""
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
                    yield Finding("constant", f"there is no constant {shown(name, 60)}.", where(each), hint)


def _ranges(parts: Parts) -> Iterator[Finding]:
    """Refuse units and weights that are numbers out of range."""
    for predicate, place, word in ((("penalty", 3), 1, "units"), (("criterion", 3), 2, "weight")):
        for node, arguments in parts.heads(parts.users, predicate):
            term = arguments[place]
            number = value_of(term, parts.constants)
            if term.ast_type is ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
                number = -(value_of(term.argument, parts.constants) or 0)
            if number is not None and not 0 <= number <= MAX_WEIGHT:
                what = f"{shown(term, 40)} is out of range for the {word} of {predicate[0]}/3."
                yield Finding("weight", what, where(node), RANGE)


def _levels(parts: Parts) -> Iterator[Finding]:
    """Refuse levels that are reserved, or met by accident, and tuples that would fall together with ours."""
    levels = parts.levels()
    kinds = parts.kinds(parts.all)
    of_model = {id(node) for node in parts.model}
    of_users = {id(node) for node in parts.users}
    for node, (_, priority, _) in parts.heads([*parts.ranking, *parts.users], ("criterion", 3)):
        name = constant_of(priority)
        if id(node) in of_users and value_of(priority, parts.constants) is None:
            if not name or name in parts.constants:
                yield _no_level(priority, node)
            continue
        yield from _reserved(priority, parts, where(node))
    for node in parts.users:
        if node.ast_type is not ASTType.Minimize:
            continue
        number = value_of(node.priority, parts.constants)
        name = constant_of(node.priority)
        if name and name not in parts.constants:
            continue
        if number is None:
            yield _no_level(node.priority, node)
            continue
        yield from _reserved(node.priority, parts, where(node))
        shared = number in levels
        if shared and id(node) not in of_model and name not in levels[number] - {""}:
            names = " or ".join(f"@ {each}" for each in sorted(levels[number] - {""}))
            hint = f"Write {names} to weigh there, or use a level of your own." if names else "Use another."
            yield Finding("level", f"the cost model uses the priority {number}.", where(node), hint)
        elif shared and _may_collapse(node, kinds):
            terms = shown(", ".join(map(str, node.terms)), 60)
            what = f"the tuple [..., {terms}] may fall together with one of ours, and count once."
            yield Finding("tuple", what, where(node), "Begin the tuple with a word of your own.")


def _no_level(priority: AST, node: AST) -> Finding:
    what = f"the priority {shown(priority, 40)} is no number and no constant."
    return Finding("level", what, where(node), "Levels are fixed: write a number, or a constant.")


def _reserved(priority: AST, parts: Parts, place: str) -> Iterator[Finding]:
    number = value_of(priority, parts.constants)
    if number is not None and number >= RESERVED:
        what = (
            f"the priority {shown(priority, 40)} is {number}; from {RESERVED} on they are reserved for modes."
        )
        yield Finding("level", what, place, f"Use one from 0 to {RESERVED - 1}.")


def _may_collapse(node: AST, kinds: set[str]) -> bool:
    """Whether a tuple may equal one of ours, which are a kind and a place: clingo counts equal ones once."""
    if len(node.terms) != 2:
        return False
    first = node.terms[0]
    if first.ast_type is ASTType.Pool:
        return any(not constant_of(each) or constant_of(each) in kinds for each in first.arguments)
    return first.ast_type is ASTType.Variable or constant_of(first) in kinds


def reckoned_weights(nodes: Iterable[AST]) -> list[AST]:
    """Return the weak constraints whose weight is known only after grounding."""
    return [
        node
        for node in nodes
        if node.ast_type is ASTType.Minimize
        and number_of(node.weight) is None
        and not constant_of(node.weight)
    ]


def payers(parts: Parts) -> list[AST]:
    """Return the statements of the user's that pay for something."""
    penalties = [node for node, _ in parts.heads(parts.users, ("penalty", 3))]
    return [node for node in parts.users if node.ast_type is ASTType.Minimize] + penalties


def ranks_by_rule(parts: Parts) -> bool:
    """Whether it depends on the sequence what the user's files rank; then only grounding tells it."""
    heads = (("criterion", 3), ("criterion_off", 1))
    return any(list(node.body) for each in heads for node, _ in parts.heads(parts.users, each))


def reckoned(parts: Parts) -> list[tuple[Predicate, AST]]:
    """
    Return what is known of the user's rules only after grounding, each with its rule.

    That is who stands before whom, and penalties and criteria whose units or weights are no numbers,
    or make more than one unit of something that may be dear.
    """
    found: list[tuple[Predicate, AST]] = []
    for predicate, place in ((("penalty", 3), 1), (("criterion", 3), 2), (("precede", 2), 0)):
        for node, arguments in parts.heads(parts.users, predicate):
            number = value_of(arguments[place], parts.constants)
            if predicate == ("precede", 2) or number is None or (place == 1 and number > 1):
                found.append((predicate, node))
    return found
