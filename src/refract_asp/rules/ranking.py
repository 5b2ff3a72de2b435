"""Which kinds of penalties a cost model ranks: as its file says it, or as its rules come to it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from clingo import Control, Symbol, SymbolType
from clingo.ast import AST, ProgramBuilder

from refract_asp.rules.anatomy import Head, constant_of, derived
from refract_asp.rules.parts import value_of

__all__ = ["Criterion", "criteria_of", "off_of"]


Found = TypeVar("Found", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a unit of a kind of penalty costs; the constants are empty where none is written."""

    kind: str
    priority: int | None
    weight: int | None
    priority_constant: str = ""
    weight_constant: str = ""


def criteria_of(nodes: Sequence[AST], constants: Mapping[str, int]) -> list[tuple[AST, Criterion]]:
    """Return what statements rank, each with the statement; where a kind is no word they are grounded."""
    found: list[tuple[AST, Criterion]] = []
    for node, head in _heads(nodes, ("criterion", 3)):
        kind, priority, weight = head.arguments
        if constant_of(kind) and not list(node.body):
            values = value_of(priority, constants), value_of(weight, constants)
            found.append(
                (node, Criterion(constant_of(kind), *values, constant_of(priority), constant_of(weight)))
            )
        else:
            found += [(node, each) for each in _grounded(nodes, node, head, constants)]
    return _each_once(found)


def off_of(nodes: Sequence[AST]) -> list[tuple[AST, str]]:
    """Return the kinds that statements switch off, each with the statement."""
    found: list[tuple[AST, str]] = []
    for node, head in _heads(nodes, ("criterion_off", 1)):
        if constant_of(head.arguments[0]) and not list(node.body):
            found.append((node, constant_of(head.arguments[0])))
        else:
            found += [(node, str(symbol.arguments[0])) for symbol in _atoms(nodes, {}, "criterion_off", 1)]
    return _each_once(found)


def _each_once(found: list[tuple[AST, Found]]) -> list[tuple[AST, Found]]:
    """Drop what one statement says twice, as a rule with several heads; equal statements count each."""
    return list({(id(node), each): (node, each) for node, each in found}.values())


def _heads(nodes: Sequence[AST], predicate: tuple[str, int]) -> list[tuple[AST, Head]]:
    return [(node, head) for node in nodes for head in derived(node) if head.predicate == predicate]


def _grounded(nodes: Sequence[AST], node: AST, head: Head, constants: Mapping[str, int]) -> list[Criterion]:
    """Return the criteria to which a rule comes, together with what it asks."""
    others = [each for each in nodes if each is node or not _heads([each], ("criterion", 3))]
    found = []
    names = [constant_of(term) for term in head.arguments[1:]]
    for symbol in _atoms(others, constants, "criterion", 3):
        kind, *numbers = symbol.arguments
        priority, weight = (each.number if each.type is SymbolType.Number else None for each in numbers)
        found.append(Criterion(str(kind), priority, weight, *names))
    return sorted(found, key=lambda each: each.kind)


def _atoms(nodes: Sequence[AST], constants: Mapping[str, int], name: str, arity: int) -> list[Symbol]:
    """Return the atoms of a predicate to which these statements come; what they lack is no matter here."""
    control = Control([f"-c {name}={value}" for name, value in constants.items()], logger=_unheard)
    with ProgramBuilder(control) as builder:
        for node in nodes:
            builder.add(node)
    control.ground([("base", [])])
    return [atom.symbol for atom in control.symbolic_atoms.by_signature(name, arity)]


def _unheard(*message: object) -> None:
    """Let a remark of clingo pass."""
