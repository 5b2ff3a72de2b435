"""Tries a program with files of the user's on nothing at all, and watches weights that are reckoned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clingo import Control, Observer, Symbol, SymbolType
from clingo.ast import AST, ProgramBuilder

from refract_asp.errors import ConstantError, EncodingError, shown
from refract_asp.rules.anatomy import Predicate, constant_of, derived, where
from refract_asp.rules.parts import Parts, value_of
from refract_asp.rules.reading import MAX_WEIGHT, RANGE

__all__ = ["WeightWatch", "refuse_atoms", "refuse_contradiction"]

MAX_SUM = 2**31 - 1
"""What the weights of a level may come to together."""

PATIENCE = 5.0
"""Seconds that an answer without any facts may take; who needs longer is not judged here."""


def refuse_contradiction(control: Control, parts: Parts, constants: Mapping[str, int]) -> None:
    """
    Refuse rules that leave no answer even where nothing is given, and so none anywhere.

    Raises:
        EncodingError: naming the first statement with which there is none.
    """
    if _has_answer(control):
        return
    users = parts.users
    fine, bad = 0, len(users)  # with the first `fine` there is an answer, with the first `bad` none
    while bad - fine > 1:
        middle = (fine + bad) // 2
        if _has_answer(_grounded([*parts.core, *users[:middle]], constants)):
            fine = middle
        else:
            bad = middle
    node = users[bad - 1]
    raise EncodingError(
        f"with this rule no sequence at all is admissible: {shown(node, 80)}",
        where=where(node),
        hint="It contradicts itself or the others, or demands what a sequence need not have.",
    )


def _unheard(*message: object) -> None:
    """Let a remark of clingo pass."""


def _grounded(nodes: Sequence[AST], constants: Mapping[str, int]) -> Control:
    """Return a control with these statements alone; what they lack is no matter here."""
    control = Control([f"-c {name}={value}" for name, value in constants.items()], logger=_unheard)
    with ProgramBuilder(control) as builder:
        for node in nodes:
            builder.add(node)
    control.ground([("base", [])])
    return control


def _has_answer(control: Control) -> bool:
    """Whether there is an answer; where that is not known in time there may be one."""
    control.configuration.solve.opt_mode = "ignore"  # type: ignore[union-attr]
    with control.solve(async_=True) as handle:
        if not handle.wait(PATIENCE):
            handle.cancel()
            return True
        return not handle.get().unsatisfiable


def refuse_atoms(control: Control, reckoned: Sequence[tuple[Predicate, AST]]) -> None:
    """
    Refuse what rules of the user's come to: rewards, weights that overflow, orders of what is no call.

    Args:
        control: the grounded program.
        reckoned: the rules of the user's that are known only now, each with what it derives.

    Raises:
        ConstantError: naming the rules, one of which comes to units or weights out of range.
        EncodingError: naming the rules, one of which orders what is no call.
    """
    at = {
        name: ", ".join(dict.fromkeys(where(node) for (each, _), node in reckoned if each == name))
        for name in ("penalty", "criterion", "precede")
    }
    if at["precede"]:
        for atom in control.symbolic_atoms.by_signature("precede", 2):
            first, second = atom.symbol.arguments
            if (first == second and atom.is_fact) or not (_is_call(first) and _is_call(second)):
                raise EncodingError(
                    f"{shown(atom.symbol, 80)} orders what is no call, or stands before itself.",
                    where=at["precede"],
                    hint="Both are calls, and not the same one, as in precede(X, Y) :- feeds(X, Y).",
                )
    weights: dict[Symbol, int] = {}
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, _, weight = atom.symbol.arguments
        if _out_of_range(weight):
            raise ConstantError(
                f"{shown(atom.symbol, 80)} is out of range.", where=at["criterion"], hint=RANGE
            )
        weights[kind] = max(weight.number, weights.get(kind, 0))
    kinds = {
        constant_of(head.arguments[0]) for _, node in reckoned for head in derived(node) if head.arguments
    }
    for atom in control.symbolic_atoms.by_signature("penalty", 3):
        kind, units, _ = atom.symbol.arguments
        if str(kind) in kinds and (_out_of_range(units) or units.number * weights.get(kind, 0) > MAX_WEIGHT):
            raise ConstantError(
                f"{shown(atom.symbol, 80)} with the weight {weights.get(kind, 0)} is out of range.",
                where=", ".join(filter(None, (at["penalty"], at["criterion"]))),
                hint=RANGE,
            )


def _out_of_range(number: Symbol) -> bool:
    return number.type is not SymbolType.Number or not 0 <= number.number <= MAX_WEIGHT


def _is_call(symbol: Symbol) -> bool:
    """Whether a symbol is a call, as `choices` reads one."""
    if symbol.type is SymbolType.Number:
        return True
    if symbol.type is not SymbolType.Function or symbol.negative:
        return False
    arguments = symbol.arguments
    match symbol.name, len(arguments):
        case "new", 1:
            return True
        case "goal", 1:
            return arguments[0].type is SymbolType.Number
        case "own", 3:
            return _is_call(arguments[0])
    return False


class WeightWatch(Observer):
    """Sees each minimize statement as it is grounded, and remembers the weights of each level."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.least: dict[int, int] = {}
        self.most: dict[int, int] = {}
        self.sums: dict[int, int] = {}

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        """Keep the least, the greatest and the sum of the weights of a level; clingo calls this."""
        for _, weight in literals:
            self.least[priority] = min(weight, self.least.get(priority, 0))
            self.most[priority] = max(weight, self.most.get(priority, 0))
            self.sums[priority] = abs(weight) + self.sums.get(priority, 0)

    def refuse(self, suspects: Sequence[AST], payers: Sequence[AST], constants: Mapping[str, int]) -> None:
        """
        Refuse weights below 0, too large ones, and levels that together overflow.

        Args:
            suspects: the weak constraints of the user's whose weight is reckoned.
            payers: all statements of the user's that pay for something.
            constants: the value of each constant.

        Raises:
            ConstantError: naming those statements, one of which does.
        """
        for level, weight in self.sums.items():
            if weight > MAX_SUM:
                raise ConstantError(
                    f"the weights of the level {level} come to {weight} together.",
                    where=", ".join(dict.fromkeys(where(node) for node in payers)),
                    hint=f"At most {MAX_SUM:,} fit; use smaller ones.",
                )
        if not suspects:
            return
        place = ", ".join(where(node) for node in suspects)
        what = shown(suspects[0].weight, 40)
        own = {value_of(node.priority, constants) for node in suspects}
        for level, weight in [*self.least.items(), *self.most.items()]:
            if weight < 0 or (weight > MAX_WEIGHT and level in own):
                raise ConstantError(f"the weight {what} comes to {weight}.", where=place, hint=RANGE)
