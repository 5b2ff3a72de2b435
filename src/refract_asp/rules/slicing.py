"""
Which statements facts can reach: grounding costs a little for every rule, whether anything matches it or not.

What may stand at each place of an atom is followed through the rules: a number, a text, or which constant or
function. A rule that needs `name(new(Label), Tool)` is left out where no call can be added.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from clingo import Symbol
from clingo.ast import AST, ASTType, Sign

from refract_asp.ports import regex
from refract_asp.rules import reading
from refract_asp.rules.reading import Predicate
from refract_asp.rules.symbols import ANYTHING, NUMBER, Signature, kind_of, signature_of

# What may stand at a place, as bits, or a variable by its name.
Bits: TypeAlias = int
Place: TypeAlias = Bits | str
Atom: TypeAlias = tuple[Predicate, tuple[Place, ...]]

EVERY: Bits = -1
_BITS: dict[str, Bits] = {ANYTHING: EVERY}
_WORD = regex(r"[_']*[a-z][\w']*")
# So many slices of a program are kept.
MAX_SLICES = 512


def _bit(kind: str) -> Bits:
    # Two threads may give one bit to two names, which leaves too many rules in, and never one out.
    return _BITS.get(kind) or _BITS.setdefault(kind, 1 << len(_BITS))


@dataclass(frozen=True, slots=True)
class Statement:
    """
    A statement: it can only match when each atom of its positive body has a fact, or a statement that derives it.

    Attributes:
        node: the statement.
        needs: the atoms of its positive body.
        derives: the atoms that it derives or chooses, each with the conditions of a choice.
        words: all names in it, of predicates and others.
    """

    node: AST
    needs: tuple[Atom, ...]
    derives: tuple[tuple[Atom, tuple[Atom, ...]], ...]
    words: frozenset[str]

    @classmethod
    def of(cls, node: AST) -> Statement:
        """Find out what a statement needs and derives; what stands in aggregates of bodies does not count."""
        needs = tuple(_atoms(getattr(node, "body", None) or ()))
        derives = [
            ((head.predicate, tuple(map(_place, head.arguments))), tuple(_atoms(head.condition)))
            for head in reading.derived(node)
        ]
        return cls(node, needs, tuple(derives), frozenset(_WORD.findall(str(node))))


def _atoms(literals: Iterable[AST]) -> Iterator[Atom]:
    """Yield the atoms that have to hold; of a pool of atoms one is enough, so it demands nothing."""
    for literal in literals:
        is_atom = literal.ast_type is ASTType.Literal and literal.sign == Sign.NoSign
        if is_atom and literal.atom.ast_type is ASTType.SymbolicAtom:
            first, *others = reading.terms_of(literal.atom)
            predicate = reading.predicate_of(first)
            if predicate is not None and not others:
                yield predicate, tuple(map(_place, getattr(first, "arguments", ())))


def _place(term: AST) -> Place:
    """Return the name of a variable, or what a term may be."""
    if term.ast_type is ASTType.Variable and term.name != "_":
        return str(term.name)
    bits = 0
    for each in reading.options(term):
        if each.ast_type is ASTType.SymbolicTerm:
            bits |= _bit(kind_of(each.symbol))
        elif each.ast_type is ASTType.BinaryOperation:
            bits |= _bit(NUMBER)
        else:
            is_known = each.ast_type is ASTType.Function and not each.external
            bits |= _bit(each.name) if is_known else EVERY
    return bits


class Slices:
    """
    The statements of a program, of which each question gets those that its facts can reach.

    Attributes:
        statements: those that depend on what is asked.
        atoms: what the others derive, whatever is asked.
    """

    def __init__(self, statements: Sequence[Statement], atoms: list[Symbol]) -> None:
        """Note which statements need what."""
        self.statements, self.atoms = statements, atoms
        self._slices: dict[frozenset[Signature], tuple[list[AST], list[Symbol]]] = {}
        self._held: dict[Predicate, list[Bits]] = {}
        _hold(self._held, map(signature_of, self.atoms))
        self._needed = [dict(each.needs).keys() for each in statements]
        self._readers = defaultdict[Predicate, list[int]](list)
        for number, each in enumerate(statements):
            further = (atom for _, atoms in each.derives for atom in atoms)
            for predicate in dict((*each.needs, *further)):
                self._readers[predicate].append(number)

    def reachable(self, facts: frozenset[Signature] | None) -> tuple[list[AST], list[Symbol]]:
        """
        Return the statements that such facts can reach, or all, in their order, and the atoms for them.

        The answers stay the same. Both are kept for the next time.
        """
        if facts is None:
            return [each.node for each in self.statements], self.atoms
        if facts not in self._slices:
            if len(self._slices) >= MAX_SLICES:
                self._slices.clear()
            kept = [self.statements[number] for number in sorted(self._reached(facts))]
            words = frozenset[str]().union(*(each.words for each in kept))
            asked = [atom for atom in self.atoms if atom.name in words]
            self._slices[facts] = [each.node for each in kept], asked
        return self._slices[facts]

    def _reached(self, facts: Iterable[Signature]) -> set[int]:
        kept, held, needed = set[int](), dict(self._held), self._needed
        _hold(held, facts)
        waiting = {n: None for n, predicates in enumerate(needed) if held.keys() >= predicates}
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            each = self.statements[number]
            variables = _match(each.needs, held, {})
            if variables is None:
                continue
            kept.add(number)
            for (predicate, places), further in each.derives:
                bound = _match(further, held, variables) if further else variables
                if bound is None:
                    continue
                bits = [p if isinstance(p, int) else bound.get(p, EVERY) for p in places]
                if _grows(held, predicate, bits):
                    readers = self._readers.get(predicate, ())
                    waiting |= {n: None for n in readers if held.keys() >= needed[n]}
        return kept


def _hold(held: dict[Predicate, list[Bits]], facts: Iterable[Signature]) -> None:
    for name, kinds in facts:
        _grows(held, (name, len(kinds)), [_bit(kind) for kind in kinds])


def _grows(held: dict[Predicate, list[Bits]], predicate: Predicate, bits: list[Bits]) -> bool:
    """Note what may stand at the places of a predicate; whether that is new."""
    known = held.get(predicate)
    held[predicate] = bits if known is None else list(map(operator.or_, known, bits))
    return known != held[predicate]


def _match(
    atoms: Iterable[Atom], held: Mapping[Predicate, list[Bits]], known: Mapping[str, Bits]
) -> dict[str, Bits] | None:
    """Return what each variable may be where all the atoms hold, None where they cannot."""
    variables = dict(known)
    for predicate, places in atoms:
        if predicate not in held:
            return None
        for place, bits in zip(places, held[predicate], strict=True):
            both = bits & (place if isinstance(place, int) else variables.get(place, EVERY))
            if not both:
                return None
            if isinstance(place, str):
                variables[place] = both
    return variables
