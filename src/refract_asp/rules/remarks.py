"""Finds what a cost model or rules of one's own hardly mean: what is ranked, derived or defined in vain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clingo.ast import AST, ASTType

from refract_asp.errors import shown
from refract_asp.rules.anatomy import asked, constant_of, predicates, walk, where
from refract_asp.rules.findings import Finding
from refract_asp.rules.parts import MODEL_ONLY, OF_HOUSE_RULES, Parts, alike
from refract_asp.rules.ranking import criteria_of, off_of
from refract_asp.rules.reading import short_name
from refract_asp.rules.sayings import SAYINGS

__all__ = ["remarks"]

_READ_BY_PYTHON = MODEL_ONLY | OF_HOUSE_RULES | {("unranked", 1), ("criterion", 3), ("penalty", 3)}
"""What needs no rule that asks it."""


def remarks(parts: Parts) -> Iterator[Finding]:
    """Yield what is wrong with the criteria, and what is said to nobody."""
    yield from _criteria(parts)
    yield from _sayings(parts)
    yield from _unread(parts)
    yield from _constants(parts)


def _criteria(parts: Parts) -> Iterator[Finding]:
    """Compare the kinds of penalties that rules derive with those that the model ranks or switches off."""
    judged = [*parts.ranking, *parts.own]
    ranked = [(node, each.kind, each.priority) for node, each in criteria_of(judged, parts.constants)]
    off = off_of(judged)
    known = {kind for _, kind, _ in ranked} | {kind for _, kind in off}
    derived = {constant_of(arguments[0]): node for node, arguments in parts.heads(parts.all, ("penalty", 3))}
    mine = {id(node) for node in parts.users}
    free = sorted(kind for kind in derived if kind and kind not in known)
    for kind in free:
        if id(derived[kind]) in mine:
            what = f"nothing ranks the penalty {shown(kind, 60)}."
            yield Finding("unranked", what, where(derived[kind]), _rank_it(kind))
    free = [kind for kind in free if id(derived[kind]) not in mine]
    if free:
        what = f"the cost model has no criterion for: {', '.join(free)}."
        place = short_name(parts.ranking[0].location.begin.filename) if parts.ranking else ""
        yield Finding("unranked", what, place, _rank_it("Kind"))
    for each, kind in [*((node, kind) for node, kind, _ in ranked), *off]:
        if kind and kind not in derived:
            what = f"no rule derives a penalty of the kind {shown(kind, 60)}."
            yield Finding("unused", what, where(each), alike(kind, derived), "warning")
    for (kind, _), count in Counter((kind, level) for _, kind, level in ranked).items():
        if count > 1:
            place = next(where(node) for node, other, _ in reversed(ranked) if other == kind)
            what = f"{shown(kind, 60)} is ranked {count} times on one level; the weights add up."
            yield Finding("twice", what, place, "", "warning")
    switched = {kind for _, kind in off}
    for node, kind, _ in ranked:
        if kind in switched:
            what = f"{shown(kind, 60)} is ranked, and said to be off."
            yield Finding("twice", what, where(node), "It counts; leave one of them out.", "warning")


def _rank_it(kind: str) -> str:
    return f"Add criterion({kind}, Priority, Weight), or criterion_off({kind}) to leave it free."


def _sayings(parts: Parts) -> Iterator[Finding]:
    """Tell what a model says that nobody understands."""
    for name, values in SAYINGS.items():
        for node, (value,) in parts.heads(parts.ranking, (name, 1)):
            if str(value) not in values:
                hint = f"It may be {' or '.join(sorted(values))}."
                yield Finding("saying", f"{name} cannot be {shown(value, 60)}.", where(node), hint)


def _unread(parts: Parts) -> Iterator[Finding]:
    """Tell predicates of the user's that nobody asks; mostly their names are misspelt."""
    read = set(_READ_BY_PYTHON)
    for node in parts.all:
        read |= predicates(asked(node))
        if node.ast_type in (ASTType.ShowSignature, ASTType.ProjectSignature):
            read.add((node.name, node.arity))
    hooks = {name for name, _ in _READ_BY_PYTHON}
    for node in parts.users:
        for head in parts.derived(node):
            if head.predicate in read:
                continue
            name, arity = head.predicate
            others = sorted({number for each, number in read if each == name})
            if name in hooks or alike(name, hooks):
                hint = f"It has {' or '.join(map(str, others))} arguments." if others else alike(name, hooks)
                what = f"nobody asks {shown(name, 60)}/{arity}."
                yield Finding("unread", what, where(node), hint)
            else:
                hint = alike(name, {each for each, _ in read})
                yield Finding(
                    "unread", f"nobody asks {shown(name, 60)}/{arity}.", where(node), hint, "warning"
                )


def _constants(parts: Parts) -> Iterator[Finding]:
    """Tell constants that are used nowhere, and words that look like constants and are none."""
    words: set[str] = set()
    for node in parts.all:
        if node.ast_type is not ASTType.Definition:
            words |= {name for each in walk(node) if (name := constant_of(each))}
    for node in [*parts.ranking, *parts.own]:
        if node.ast_type is ASTType.Definition and node.name not in words:
            what = f"the constant {shown(node.name, 60)} is used nowhere."
            yield Finding("unused", what, where(node), "", "warning")
    for node in parts.users:
        yield from _words(node, parts)


def _words(node: AST, parts: Parts) -> Iterator[Finding]:
    """Tell words in a rule that are written like the constants of a model."""
    if node.ast_type is not ASTType.Rule or any(h.predicate == ("criterion", 3) for h in parts.derived(node)):
        return
    for each in walk(node):
        name = constant_of(each)
        if name.startswith(("weight_", "priority_")) and name not in parts.constants:
            what = f"there is no constant {shown(name, 60)}."
            yield Finding("constant", what, where(each), alike(name, parts.constants))
