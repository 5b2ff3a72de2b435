"""Judges what files of the user's are grounded to: how much, with which weights, and to what answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clingo import Control, Observer, Symbol, SymbolType
from clingo.ast import AST, ASTType

from refract_asp.errors import ConstantError, EncodingError, shown
from refract_asp.rules.policy import Parts
from refract_asp.rules.reading import (
    MAX_WEIGHT,
    RANGE,
    Predicate,
    constant_of,
    derived,
    files_of,
    value_of,
    where,
)

__all__ = ["GroundingWatch", "check_atoms", "refuse_contradiction"]

MAX_RULES = 1_000_000
"""Rules that a program with files of the user's may come to when it is grounded for a question."""

MAX_SUM = 2**31 - 1
"""What the weights of a level may come to together."""

PATIENCE = 5.0
"""Seconds that an answer without any facts may take; who needs longer is not judged here."""


class GroundingWatch(Observer):
    """
    Stops grounding that makes too many rules, and keeps the weights of each level.

    An exception raised here ends the grounding, which nothing else does from within the process. What
    takes long without making a rule is not seen; a process with limits (`--isolate`) ends that.
    """

    def __init__(self, control: Control, users: Sequence[AST]) -> None:
        """Observe what is grounded; `users` are the statements of the user's."""
        self.rules = 0
        self.least: dict[int, int] = {}
        self.most: dict[int, int] = {}
        self.sums: dict[int, int] = {}
        self._control = control
        self._users = users
        control.register_observer(self)

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:  # noqa: ARG002
        """Count a rule; clingo calls this."""
        self.rules += 1
        if self.rules > MAX_RULES:
            raise RuntimeError

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        """Keep the least, the greatest and the sum of the weights of a level; clingo calls this."""
        for _, weight in literals:
            self.least[priority] = min(weight, self.least.get(priority, 0))
            self.most[priority] = max(weight, self.most.get(priority, 0))
            self.sums[priority] = abs(weight) + self.sums.get(priority, 0)

    def refuse_endless(self) -> None:
        """
        Refuse rules of the user's that made too many rules.

        Raises:
            EncodingError: naming those that derive the most atoms.
        """
        if self.rules <= MAX_RULES:
            return
        at: dict[Predicate, list[str]] = {}
        for node in self._users:
            for head in derived(node):
                at.setdefault(head.predicate, []).append(where(node))
        atoms = self._control.symbolic_atoms
        most = max(at, key=lambda each: sum(1 for _ in atoms.by_signature(*each)), default=None)
        raise EncodingError(
            f"the rules are grounded to more than {MAX_RULES:,}"
            + (f", most of them for {most[0]}/{most[1]}." if most else "."),
            where=", ".join(dict.fromkeys(at[most])) if most else files_of(self._users),
            hint="Bound what grows, as with N < 10; else it is grounded without end.",
        )

    def refuse_weights(self, constants: Mapping[str, int]) -> None:
        """
        Refuse weights below 0, too large ones, and levels that together overflow.

        Raises:
            ConstantError: naming the statements of the user's that pay for something.
        """
        minimizing = [node for node in self._users if node.ast_type is ASTType.Minimize]
        for level, weight in self.sums.items():
            if weight > MAX_SUM:
                payers = [
                    n for n in self._users if any(h.predicate == ("penalty", 3) for h in derived(n))
                ]
                raise ConstantError(
                    f"the weights of the level {level} come to {weight} together.",
                    where=", ".join(dict.fromkeys(where(node) for node in [*minimizing, *payers])),
                    hint=f"At most {MAX_SUM:,} fit; use smaller ones.",
                )
        reckoned = [node for node in minimizing if value_of(node.weight, constants) is None]
        own = {value_of(node.priority, constants) for node in reckoned}
        for level, weight in [*self.least.items(), *self.most.items()]:
            if reckoned and (weight < 0 or (weight > MAX_WEIGHT and level in own)):
                raise ConstantError(
                    f"the weight {shown(reckoned[0].weight, 40)} comes to {weight}.",
                    where=", ".join(where(node) for node in reckoned),
                    hint=RANGE,
                )


def check_atoms(control: Control, parts: Parts) -> None:
    """
    Refuse what rules come to: criteria and penalties out of range, orders of what is no call.

    Raises:
        ConstantError: a priority, a weight or units are no number in range, as a misspelt constant is none.
        EncodingError: a criterion is for no kind, or something is ordered that is no call.
    """
    weights: dict[Symbol, int] = {}
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, *numbers = atom.symbol.arguments
        if kind.type is not SymbolType.Function or kind.arguments:
            raise EncodingError(
                f"{shown(atom.symbol)}: {shown(kind)} is no kind of penalty.",
                where=_places(parts, "criterion", str(kind)),
                hint="Kinds are written without quotes, as ask.",
            )
        for number in numbers:
            is_number = number.type is SymbolType.Number
            if not is_number or not 0 <= number.number <= MAX_WEIGHT:
                why = "out of range" if is_number else "not a number"
                raise ConstantError(
                    f"{shown(atom.symbol)}: {shown(number)} is {why}.",
                    where=_places(parts, "criterion", str(kind)),
                    hint=RANGE if is_number else "Define it with #const, or correct its name.",
                )
        weights[kind] = max(numbers[1].number, weights.get(kind, 0))
    if not parts.users:
        return
    kinds = parts.kinds(parts.users)
    for atom in control.symbolic_atoms.by_signature("penalty", 3):
        kind, units, _ = atom.symbol.arguments
        weight = weights.get(kind, 0)
        if str(kind) in kinds and (
            units.type is not SymbolType.Number
            or not 0 <= units.number <= MAX_WEIGHT
            or units.number * weight > MAX_WEIGHT
        ):
            raise ConstantError(
                f"{shown(atom.symbol, 80)} with the weight {weight} is out of range.",
                where=_places(parts, "penalty", str(kind)),
                hint=RANGE,
            )
    for atom in control.symbolic_atoms.by_signature("precede", 2):
        first, second = atom.symbol.arguments
        if (first == second and atom.is_fact) or not (_is_call(first) and _is_call(second)):
            places = dict.fromkeys(
                where(node) for node, _ in parts.heads(parts.own, ("precede", 2))
            )
            raise EncodingError(
                f"{shown(atom.symbol, 80)} orders what is no call, or stands before itself.",
                where=", ".join(places),
                hint="Both are calls, and not the same one, as in precede(X, Y) :- feeds(X, Y).",
            )


def _places(parts: Parts, predicate: str, kind: str) -> str:
    """Return file and line of the rules that derive a predicate for a kind of penalty."""
    heads = [
        (constant_of(first), node) for node, (first, *_) in parts.heads(parts.all, (predicate, 3))
    ]
    of_kind = [node for word, node in heads if word == kind] or [
        node for word, node in heads if not word
    ]
    return ", ".join(dict.fromkeys(where(node) for node in of_kind))


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


def refuse_contradiction(control: Control, users: Sequence[AST]) -> None:
    """
    Refuse rules of the user's that leave no answer even where nothing is given, and so none anywhere.

    Raises:
        EncodingError: naming their files.
    """
    control.configuration.solve.opt_mode = "ignore"  # type: ignore[union-attr]
    with control.solve(async_=True) as handle:
        if not handle.wait(PATIENCE):
            handle.cancel()
        elif handle.get().unsatisfiable:
            raise EncodingError(
                "with these rules no sequence at all is admissible.",
                where=files_of(users),
                hint="One contradicts itself or the others, or demands what a sequence need not have.",
            )
