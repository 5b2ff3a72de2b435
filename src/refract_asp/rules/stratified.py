"""Evaluates the stratified part of a program in Python: the rules under which no choice stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key, lru_cache
from typing import Any, TypeAlias

from clingo.ast import AST, ASTType, Sign

from refract_asp.rules.reading import (
    TREES,
    Predicate,
    asked,
    derived,
    predicate_of,
    predicates,
    walk,
)
from refract_asp.rules.symbols import SUPREMUM, Term, symbol_of, term_of

Row: TypeAlias = tuple[Term, ...]
Relations: TypeAlias = dict[Predicate, set[Row]]
"""What holds: of each predicate the arguments."""

NONE: frozenset[Row] = frozenset()
ONCE = (0,)
_SIGNS = {0: ">", 1: "<", 2: "<=", 3: ">=", 4: "!=", 5: "=="}
_OPERATORS = {3: "+", 4: "-", 5: "*"}


class Unwritten(Exception):  # noqa: N818 (no error of the user's)
    """A rule holds what is left to clingo."""


def compared(one: Term, other: Term) -> int:
    """Return a number below, at or above 0, as one term stands before, at or after another one for clingo."""
    if type(one) is int and type(other) is int:
        return one - other
    first, second = symbol_of(one), symbol_of(other)
    return -1 if first < second else int(first != second)


def least(rows: Collection[Row]) -> Term:
    """Return the least first term of rows, as `#min` does."""
    return min((row[0] for row in rows), key=cmp_to_key(compared), default=SUPREMUM)


def total(rows: Collection[Row]) -> int:
    """Return the sum of the first terms of rows that are numbers, as `#sum` does."""
    return sum(row[0] for row in rows if type(row[0]) is int)


_FUNCTIONS = {"#count": "len({})", "#min": "least({})", "#sum": "total({})"}


class Indexed:
    """Relations, and the rows of some of them by what stands at some places."""

    def __init__(self, rows: Relations) -> None:
        """Take relations, which may grow."""
        self.rows = rows
        self._kept: dict[tuple[Predicate, tuple[int, ...], int], dict[Row, list[Row]]] = {}

    def all(self, predicate: Predicate) -> Collection[Row]:
        """Return the rows of a predicate."""
        return self.rows.get(predicate, NONE)

    def by(self, predicate: Predicate, places: tuple[int, ...]) -> dict[Row, list[Row]]:
        """Return the rows of a predicate by what stands at some places."""
        rows = self.rows.get(predicate, NONE)
        key = predicate, places, len(rows)  # rows come, and never go
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = {}
            for row in rows:
                found.setdefault(tuple([row[place] for place in places]), []).append(row)
        return found


# --- from a body to Python ---------------------------------------------------------------------------


@dataclass(slots=True)
class Writer:
    """
    Writes the body of a rule as nested loops.

    Attributes:
        lines: what was written.
        depth: how deep the next line stands.
        loops: whether it stands in a loop, so that `continue` leaves it.
        bound: the variables that have a value.
    """

    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: bool = False
    bound: set[str] = field(default_factory=set)
    _names: int = 0

    def put(self, line: str) -> None:
        """Write a line."""
        self.lines.append(" " * self.depth + line)

    def loop(self, line: str) -> None:
        """Begin a loop; the next lines stand in it."""
        self.put(line)
        self.depth, self.loops = self.depth + 1, True

    def unless(self, condition: str) -> None:
        """Go on with the next round of the loop unless a condition holds."""
        self.put(f"if not ({condition}): {'continue' if self.loops else 'return'}")

    def name(self) -> str:
        """Return a name that is not in use."""
        self._names += 1
        return f"n{self._names}"

    # -- terms -------------------------------------------------------------------

    def is_bound(self, node: AST) -> bool:
        """Whether all variables of a term have a value."""
        return variables(node) <= self.bound

    def term(self, node: AST) -> str:
        """Return a term whose variables have values as Python writes it; what is reckoned with is a number."""
        match node.ast_type:
            case ASTType.Variable if variable(node) in self.bound:
                return variable(node)
            case ASTType.SymbolicTerm:
                return repr(term_of(node.symbol))
            case ASTType.Function if not node.external:
                parts = [repr(node.name), *map(self.term, node.arguments)]
                return f"({', '.join(parts)},)"
            case ASTType.BinaryOperation if node.operator_type in _OPERATORS:
                for each in (node.left, node.right):
                    if each.ast_type is ASTType.Variable:
                        self.unless(f"type({variable(each)}) is int")
                sign = _OPERATORS[node.operator_type]
                return f"({self.term(node.left)} {sign} {self.term(node.right)})"
        raise Unwritten

    def match(self, node: AST, value: str) -> None:
        """Go on where a value is what a term stands for, and bind its variables."""
        if node.ast_type is ASTType.Variable and node.name == "_":
            return
        if node.ast_type is ASTType.Variable and not self.is_bound(node):
            self.put(f"{variable(node)} = {value}")
            self.bound.add(variable(node))
        elif self.is_bound(node):
            self.unless(f"{self.term(node)} == {value}")
        elif node.ast_type is ASTType.Function and not node.external:
            size = len(node.arguments) + 1
            head = f"type({value}) is tuple and len({value}) == {size}"
            self.unless(f"{head} and {value}[0] == {node.name!r}")
            for place, each in enumerate(node.arguments, 1):
                self.match(each, f"{value}[{place}]")
        else:
            raise Unwritten

    # -- literals ------------------------------------------------------------------

    def scan(self, atom: AST) -> None:
        """Go through the rows that an atom matches."""
        predicate, arguments = parts_of(atom)
        known = [place for place, each in enumerate(arguments) if self.is_bound(each)]
        values = [self.term(arguments[place]) for place in known]
        if len(known) == len(arguments):
            self.unless(f"({' '.join(f'{each},' for each in values)}) in all({predicate!r})")
            return
        rows, row = f"all({predicate!r})", self.name()
        if known:
            key = f"({' '.join(f'{each},' for each in values)})"
            rows = f"by({predicate!r}, {tuple(known)!r}).get({key}, ())"
        self.loop(f"for {row} in {rows}:")
        for place, each in enumerate(arguments):
            if place not in known:
                self.match(each, f"{row}[{place}]")

    def negated(self, atom: AST) -> str:
        """Return the condition that no row matches an atom, as Python writes it."""
        predicate, arguments = parts_of(atom)
        return (
            f"({' '.join(f'{self.term(each)},' for each in arguments)}) not in all({predicate!r})"
        )

    def comparison(self, literal: AST) -> str:
        """Return a comparison whose variables have values as Python writes it."""
        atom = literal.atom
        if literal.sign == Sign.DoubleNegation or (literal.sign and len(atom.guards) > 1):
            raise Unwritten
        sides = [atom.term, *(guard.term for guard in atom.guards)]
        values = [self.term(each) for each in sides]
        told = [
            _comparison(one, guard.comparison, other)
            for one, guard, other in zip(values, atom.guards, values[1:], strict=False)
        ]
        return f"not ({told[0]})" if literal.sign else " and ".join(told)

    def assign(self, literal: AST) -> bool:
        """Bind the variable that a comparison equals to a term with a value; say whether it does."""
        atom = literal.atom
        if literal.sign or len(atom.guards) != 1 or atom.guards[0].comparison != 5:
            return False
        pair = atom.term, atom.guards[0].term
        for one, other in (pair, pair[::-1]):
            is_free = one.ast_type is ASTType.Variable and not self.is_bound(one)
            if is_free and self.is_bound(other):
                self.match(one, self.term(other))
                return True
        return False

    # -- bodies ----------------------------------------------------------------------

    def body(self, literals: Sequence[AST], *, is_partial: bool = False) -> None:
        """
        Go through all that satisfies literals, the most telling ones first.

        Raises:
            Unwritten: something cannot be told; with `is_partial` it is left out instead.
        """
        left = list(literals)
        everywhere = [v for each in literals if not is_local(each) for v in variables(each)]
        shared = {*everywhere, *self.bound}
        while left:
            if self._test(left):
                continue
            scans = [each for each in left if is_positive(each)]
            if scans:
                best = max(scans, key=self._worth)
                left = [each for each in left if each is not best]
                self.scan(best.atom)
                continue
            if any(self._aggregate(each, left, shared) for each in left if is_local(each)):
                continue
            if is_partial:
                return
            raise Unwritten

    def _test(self, left: list[AST]) -> bool:
        """Write one test or assignment of those that are left, if all that it asks has a value."""
        for each in left:
            if is_local(each) or is_positive(each):
                continue
            if each.atom.ast_type is ASTType.Comparison:
                if self.is_bound(each):
                    self.unless(self.comparison(each))
                elif not self.assign(each):
                    continue
            elif each.atom.ast_type is ASTType.SymbolicAtom and each.sign == Sign.Negation:
                if not variables(each) <= self.bound:
                    continue
                self.unless(self.negated(each.atom))
            else:
                continue
            left[:] = [other for other in left if other is not each]
            return True
        return False

    def _worth(self, literal: AST) -> tuple[bool, int, int]:
        """Return how much of an atom is known."""
        _, arguments = parts_of(literal.atom)
        known = sum(self.is_bound(each) for each in arguments)
        return known == len(arguments), known, -len(arguments)

    def _aggregate(self, literal: AST, left: list[AST], shared: set[str]) -> bool:
        """Write an aggregate or a conditional literal, if what it shares with the rest has a value."""
        is_condition = literal.ast_type is ASTType.ConditionalLiteral
        atom = literal if is_condition else literal.atom
        asked = elements_of(atom)
        guards = [] if is_condition else [atom.left_guard, atom.right_guard]
        if (
            not frozenset().union(*(variables(part) for each in asked for part in each)) & shared
            <= self.bound
        ):
            return False
        found, bound, flat = self.name(), set(self.bound), (self.depth, self.loops)
        self.put(f"{found} = set()")
        for number, each in enumerate(asked):
            self.loop("for _ in ONCE:")
            self.bound = set(bound)
            if is_condition:
                self.body(each[1:])
                self.put(f"if not ({self._holds(each[0])}): {found}.add(())")
            elif atom.ast_type is ASTType.Aggregate:
                self.body(each)
                self.put(f"{found}.add({self._identity(each[0], number)})")
            else:
                terms = atom.elements[number].terms
                self.body(each)
                self.put(f"{found}.add(({' '.join(f'{self.term(t)},' for t in terms)}))")
            self.bound = set(bound)
            self.depth, self.loops = flat
        left[:] = [other for other in left if other is not literal]
        if is_condition:
            self.unless(f"not {found}")
            return True
        function = "#count"
        if atom.ast_type is ASTType.BodyAggregate:
            function = {0: "#count", 1: "#sum", 3: "#min"}.get(int(atom.function), "")
        if function not in _FUNCTIONS or literal.sign == Sign.DoubleNegation:
            raise Unwritten
        value = self.name()
        self.put(f"{value} = {_FUNCTIONS[function].format(found)}")
        conditions = []
        for place, guard in enumerate(guards):
            if guard is None:
                continue
            if guard.comparison == 5 and not self.is_bound(guard.term) and not literal.sign:
                self.match(guard.term, value)
                continue
            one, other = (value, self.term(guard.term))[:: 1 if place else -1]
            conditions.append(_comparison(one, guard.comparison, other))
        if conditions:
            told = " and ".join(conditions)
            self.unless(f"not ({told})" if literal.sign else told)
        return True

    def _holds(self, literal: AST) -> str:
        """Return whether a literal holds whose variables have values, as Python writes it."""
        if not self.is_bound(literal):
            raise Unwritten
        if literal.atom.ast_type is ASTType.Comparison:
            return self.comparison(literal)
        absent = self.negated(literal.atom)
        return absent if literal.sign else f"not ({absent})"

    def _identity(self, literal: AST, number: int) -> str:
        """Return what tells a member of a set from others: what it says, not where it stands."""
        if literal.atom.ast_type is ASTType.SymbolicAtom:
            predicate, arguments = parts_of(literal.atom)
            told = [f"{int(literal.sign)}", repr(predicate), *map(self.term, arguments)]
        else:
            told = [f"{number + 3}", *sorted(variables(literal))]
        return f"({', '.join(told)},)"


def _comparison(one: str, sign: int, other: str) -> str:
    """Return a comparison of two values as Python writes it."""
    told = _SIGNS[int(sign)]
    return f"{one} {told} {other}" if told in ("==", "!=") else f"compared({one}, {other}) {told} 0"


def variable(node: AST) -> str:
    """Return a variable of a rule under a name that Python takes."""
    return f"v_{node.name.replace(chr(39), '_q')}"


@lru_cache(8192)  # a piece of a rule is asked again for each piece beside it
def variables(node: AST) -> frozenset[str]:
    """Return the variables of a piece of a rule, under the names that Python takes; `_` never has a value."""
    if node.ast_type is ASTType.Variable:
        return frozenset((variable(node),))
    found = frozenset[str]()
    for key in node.child_keys:
        child = getattr(node, key)
        parts = [child] if isinstance(child, AST) else child or ()
        found = found.union(*map(variables, parts))
    return found


@lru_cache(8192)
def parts_of(atom: AST) -> tuple[Predicate, list[AST]]:
    """Return the predicate of an atom and its arguments."""
    term = atom.symbol if atom.ast_type is ASTType.SymbolicAtom else None
    known = None if term is None else predicate_of(term)
    if term is None or known is None:
        raise Unwritten
    return known, list(term.arguments) if term.ast_type is ASTType.Function else []


def is_local(literal: AST) -> bool:
    """Whether a literal has variables of its own: an aggregate or a conditional literal."""
    inside = (ASTType.Aggregate, ASTType.BodyAggregate)
    return literal.ast_type is ASTType.ConditionalLiteral or literal.atom.ast_type in inside


def is_positive(literal: AST) -> bool:
    """Whether a literal says that an atom holds."""
    is_plain = literal.ast_type is ASTType.Literal and literal.sign == Sign.NoSign
    return is_plain and literal.atom.ast_type is ASTType.SymbolicAtom


def elements_of(atom: AST) -> list[list[AST]]:
    """Return the literals of each element of an aggregate, or of a conditional literal, what it counts first."""
    if atom.ast_type is ASTType.ConditionalLiteral:
        return [[atom.literal, *atom.condition]]
    if atom.ast_type is ASTType.Aggregate:
        return [[each.literal, *each.condition] for each in atom.elements]
    return [list(each.condition) for each in atom.elements]


# --- the part of a program that needs no search ------------------------------------------------------


Atom: TypeAlias = tuple[str, tuple[str, ...]]
"""A predicate with what its arguments have to be: a word or the name of a function, "" for anything."""


@dataclass(slots=True)
class Step:
    """
    A rule, or the test whether a statement can have an instance; its function is written when it is needed first.

    Attributes:
        number: that of its statement.
        head: what it derives; None for a test, which stops at the first instance.
        needs: the predicates of which each must have a row.
        asks: what it asks, and whether that has to be complete before.
        literals: its body.
        arguments: those of its head.
    """

    number: int
    head: Atom | None
    needs: tuple[Predicate, ...]
    asks: tuple[tuple[Atom, bool], ...]
    literals: Sequence[AST]
    arguments: Sequence[AST] = ()
    _run: Callable[..., None] | None = None

    def rows(self, indexed: Indexed) -> list[Row]:
        """
        Return what follows.

        Raises:
            Unwritten: the rule is left to clingo.
        """
        if self._run is None:
            with TREES:
                self._run = self._written()
        out: list[Row] = []
        self._run(indexed.all, indexed.by, out.append)
        return out

    def _written(self) -> Callable[..., None]:
        """Return the function; it holds words of the encodings, never of data."""
        writer, is_test = Writer(), self.head is None
        try:
            writer.body(self.literals, is_partial=is_test)
        except Unwritten:
            if not is_test:
                raise
            return lambda _all, _by, out: out(())
        if is_test:
            writer.put("out(()); return")
        else:
            row = " ".join(f"{writer.term(each)}," for each in self.arguments)
            writer.put(f"out(({row}))")
        names: dict[str, Any] = {"compared": compared, "least": least, "total": total, "ONCE": ONCE}
        exec("\n".join(["def run(all, by, out):", *writer.lines]), names)
        return names["run"]  # type: ignore[no-any-return]


def rule_of(number: int, node: AST) -> Step | None:
    """Return a rule whose head is one atom; None for any other statement."""
    head = node.head if node.ast_type is ASTType.Rule else None
    if head is None or head.ast_type is not ASTType.Literal or not is_positive(head):
        return None
    predicate, arguments = parts_of(head.atom)
    literals, needs = list(node.body), dict[Predicate, None]()
    asks: list[tuple[Atom, bool]] = []
    for literal in literals:
        is_open = is_positive(literal)
        for atom in atoms_in(literal):
            name, terms = parts_of(atom)
            asks.append((_atom(name[0], terms), not is_open))
            if is_open:
                needs[name] = None
    made = _atom(predicate[0], arguments)
    return Step(number, made, tuple(needs), tuple(asks), literals, arguments)


def test_of(number: int, node: AST, known: Collection[Predicate]) -> Step | None:
    """Return the test whether a statement can have an instance, by what it asks of the known predicates."""
    literals = [
        literal
        for literal in getattr(node, "body", None) or ()
        if literal.ast_type is ASTType.Literal
        and literal.atom.ast_type in (ASTType.SymbolicAtom, ASTType.Comparison)
        and predicates(atoms_in(literal)) <= known
    ]
    needs = tuple({parts_of(each.atom)[0]: None for each in literals if is_positive(each)})
    return Step(number, None, needs, (), literals) if needs else None


def atoms_in(piece: AST) -> Iterator[AST]:
    """Yield the atoms in a piece of a program."""
    return (each for each in walk(piece) if each.ast_type is ASTType.SymbolicAtom)


def words_of(terms: Iterable[AST]) -> tuple[str, ...]:
    """Return which word or function each term is, "" for what may be anything."""
    return tuple("" if getattr(t, "external", 0) else (predicate_of(t) or ("",))[0] for t in terms)


def may_be(atom: Atom, other: Atom) -> bool:
    """Whether one atom may be an instance of another one, or the other way round."""
    same = atom[0] == other[0] and len(atom[1]) == len(other[1])
    return same and all(not a or not b or a == b for a, b in zip(atom[1], other[1], strict=True))


def components(after: Sequence[Collection[int]]) -> list[list[int]]:
    """Return numbers in groups of such as come after each other, each behind those it comes after (Tarjan)."""
    found: list[list[int]] = []
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    pending: list[int] = []

    def visit(number: int) -> None:
        order[number] = low[number] = len(order)
        pending.append(number)
        for other in after[number]:
            if other not in order:
                visit(other)
            if other in low:
                low[number] = min(low[number], low[other])
        if low[number] == order[number]:
            at = pending.index(number)
            found.append(pending[at:])
            del pending[at:]
            for each in found[-1]:
                del low[each]

    for number in range(len(after)):
        if number not in order:
            visit(number)
    return found


class Stratified:
    """
    The part of a program under which no choice stands, and which other statements can have an instance then.

    By the splitting set theorem clingo gives the same answers where it gets what follows there as facts.

    Attributes:
        derived: the predicates that the part derives.
        others: the numbers of the statements that are left to clingo.
        static: what follows without any fact.
    """

    def __init__(self, nodes: Sequence[AST], *, is_open: bool) -> None:
        """Split statements; `is_open` says that facts may state what does not begin with `in_`."""
        heads = [{head.predicate for head in derived(node)} for node in nodes]
        rules = [[rule_of(n, each) for each in node.unpool()] for n, node in enumerate(nodes)]
        steps = [step for each in rules if all(each) for step in each if step]
        kept = {step.number for step in steps}
        chosen = set[Predicate]().union(*(h for n, h in enumerate(heads) if n not in kept))
        while True:
            steps = _without(steps, chosen)
            groups, round_about = _grouped(steps)
            if not round_about:
                break
            chosen |= round_about
        self.derived = {_predicate(step.head) for step in steps}
        self.others = sorted({*range(len(nodes))} - {step.number for step in steps})
        asks = [asked_by(node) for node in nodes]
        made = set[Predicate]().union(*heads)
        known = set[Predicate]().union(*asks) - made | self.derived
        # of each statement left: its tests, who may derive what else it needs, and what it has to be told
        self._tests = {
            n: [test_of(n, each, known) for each in nodes[n].unpool()] for n in self.others
        }
        makers = {
            n: [_atom(head.predicate[0], head.arguments) for head in derived(nodes[n])]
            for n in self.others
        }
        self._makers = {
            n: [
                frozenset(m for m, atoms in makers.items() if any(may_be(atom, a) for a in atoms))
                for atom in needed_by(nodes[n])
                if _predicate(atom) not in known
            ]
            for n in self.others
        }
        self._told = {n: asks[n] & known for n in self.others}
        places = {n: at for at, n in enumerate(self.others)}
        after = [{places[m] for m in frozenset().union(*self._makers[n])} for n in self.others]
        self._order = [[self.others[at] for at in sorted(group)] for group in components(after)]
        fixed = {p for p in known - self.derived if not (is_open or p[0].startswith("in_"))}
        self._rest: list[tuple[list[Step], bool]] = []
        self.static: Relations = {}
        for group in groups:
            wanted = {_predicate(atom) for step in group[0] for atom, _ in step.asks}
            ends = {_predicate(step.head) for step in group[0]}
            late = {_predicate(step.head) for each, _ in self._rest for step in each}
            if wanted <= fixed | ends and late.isdisjoint(ends):
                fixed |= ends
                self._follow(Indexed(self.static), [group])
            else:
                fixed -= ends
                self._rest.append(group)
        self._fixed = fixed
        self._refused = fixed | made - self.derived

    def evaluate(self, facts: Iterable[Term]) -> Indexed | None:
        """
        Return what follows from facts; None where they state what rules derive, alone or by a choice.

        Raises:
            Unwritten: a rule is left to clingo.
        """
        fixed, refused = self._fixed, self._refused
        rows = {p: held if p in fixed else {*held} for p, held in self.static.items()}
        for name, *arguments in facts:  # type: ignore[misc]
            predicate = name, len(arguments)
            if predicate in refused:
                return None
            found = rows.get(predicate)
            if found is None:
                found = rows[predicate] = set()
            found.add(tuple(arguments))
        indexed = Indexed(rows)
        self._follow(indexed, self._rest)
        return indexed

    def _follow(self, indexed: Indexed, groups: Iterable[tuple[list[Step], bool]]) -> None:
        """Add what follows, group by group."""
        rows = indexed.rows
        for steps, is_round in groups:
            is_growing = True
            while is_growing:
                is_growing = False
                for step in steps:
                    if all(map(rows.get, step.needs)) and (found := step.rows(indexed)):
                        held = rows.setdefault(_predicate(step.head), set())
                        before = len(held)
                        held.update(found)
                        is_growing |= is_round and len(held) > before

    def left(self, indexed: Indexed) -> tuple[list[int], set[Predicate]]:
        """Return the statements that may have an instance, by number, and the predicates that clingo is told of."""
        rows, live, told = indexed.rows, set[int](), set[Predicate]()
        for group in self._order:
            count = -1
            while count < len(live):
                count = len(live)
                for number in group:
                    if any(map(live.isdisjoint, self._makers[number])) or number in live:
                        continue
                    for test in self._tests[number]:
                        if test is None or (all(map(rows.get, test.needs)) and test.rows(indexed)):
                            live.add(number)
                            told |= self._told[number]
                            break
                if len(group) == 1:
                    break
        return sorted(live), told


def asked_by(node: AST) -> set[Predicate]:
    """Return all predicates that a statement asks, in conditions and directives too."""
    if node.ast_type in (ASTType.ProjectSignature, ASTType.ShowSignature):
        return {(node.name, node.arity)} if node.name else set()
    return predicates(asked(node))


def needed_by(node: AST) -> list[Atom]:
    """Return the atoms that have to hold for a statement to have an instance."""
    if node.ast_type in (ASTType.ProjectSignature, ASTType.ShowSignature):
        return [(node.name, ("",) * node.arity)] if node.name else []
    atoms = (each.atom for each in getattr(node, "body", None) or () if is_positive(each))
    return [_atom(predicate[0], terms) for predicate, terms in map(parts_of, atoms)]


def _atom(name: str, terms: Iterable[AST]) -> Atom:
    """Return an atom with what its arguments have to be."""
    return name, words_of(terms)


def _predicate(atom: Atom | None) -> Predicate:
    """Return the predicate of an atom."""
    return ("", 0) if atom is None else (atom[0], len(atom[1]))


def _without(steps: list[Step], chosen: set[Predicate]) -> list[Step]:
    """Return the rules under which nothing chosen stands; what others derive counts as chosen, too."""
    count = -1
    while count < len(chosen):
        count = len(chosen)
        for step in steps:
            if not chosen.isdisjoint(_predicate(atom) for atom, _ in step.asks):
                chosen.add(_predicate(step.head))
    return [step for step in steps if _predicate(step.head) not in chosen]


def _grouped(steps: list[Step]) -> tuple[list[tuple[list[Step], bool]], set[Predicate]]:
    """
    Return rules in groups of such as need each other, each behind those it needs, and whether it is repeated.

    Besides: what rules derive that need each other through `not`.
    """
    makers: dict[Predicate, list[int]] = {}
    for number, step in enumerate(steps):
        makers.setdefault(_predicate(step.head), []).append(number)
    after = [
        {
            other: None
            for atom, _ in step.asks
            for other in makers.get(_predicate(atom), ())
            if may_be(atom, steps[other].head or atom)
        }
        for step in steps
    ]
    groups: list[tuple[list[Step], bool]] = []
    round_about = set[Predicate]()
    for numbers in components(after):
        group = [steps[number] for number in sorted(numbers)]
        is_round = any(number in after[number] for number in numbers) or len(numbers) > 1
        groups.append((group, is_round))
        for step in group if is_round else ():
            closed = [atom for atom, is_closed in step.asks if is_closed]
            if any(may_be(atom, other.head or atom) for atom in closed for other in group):
                round_about.add(_predicate(step.head))
    return groups, round_about
