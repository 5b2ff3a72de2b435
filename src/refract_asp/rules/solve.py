"""Runs clingo: the cheapest answer sets, a proof that they are, and a time limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clingo import Control, Function, Model, Symbol, SymbolicAtom

from refract_asp.errors import EncodingError
from refract_asp.rules.choices import Weights
from refract_asp.rules.symbols import TABLES
from refract_asp.rules.waiting import SLICE, Deadline

# So many equally cheap answers are compared to find what is undecided.
MAX_OPTIMA = 16

# What is shown of each choice, and the predicate behind it.
CHOICES: dict[str, str] = TABLES["choices"]


@dataclass(slots=True)
class Found:
    """
    What clingo found.

    Attributes:
        models: the shown symbols of each cheapest answer set found, the first one being the answer.
        cost: cost of the first by priority.
        lower_bound: proven lower bound by priority, None where nothing is proven.
        optimal: whether it is proven that nothing is cheaper.
        is_over: whether the time ran out.
    """

    models: list[Sequence[Symbol]] = field(default_factory=list)
    cost: dict[int, int] = field(default_factory=dict)
    lower_bound: dict[int, int | None] = field(default_factory=dict)
    optimal: bool = False
    is_over: bool = False


def solve(control: Control, deadline: Deadline, optima: int, weights: Weights) -> Found:
    """
    Solve a grounded control for its cheapest answer sets; keep the best so far when time runs out.

    A level of the weights at which nothing can be paid costs 0.
    """
    found, levels = Found(), list[int]()
    free = {level: 0 for by_level in weights.values() for level in by_level}

    def on_model(model: Model) -> bool:
        levels[:] = model.priority
        paid = free | dict(zip(levels, model.cost, strict=True))
        found.cost = dict(sorted(paid.items(), reverse=True))
        is_cheapest = model.optimality_proven or not model.cost  # of nothing to pay nothing is less
        if not (is_cheapest and found.optimal):
            found.models.clear()
        found.models.append(model.symbols(shown=True))
        found.optimal |= is_cheapest
        return not is_cheapest or len(found.models) < optima

    try:
        # On a thread of clingo: Ctrl-C in a callback of this one would end the process.
        with control.solve(on_model=on_model, async_=True) as handle:
            while not handle.wait(SLICE if deadline.left is None else min(SLICE, deadline.left)):
                if deadline.is_over:
                    break
            found.is_over = not handle.wait(0)
            if found.is_over:
                handle.cancel()
            result = handle.get()
    except RuntimeError as error:
        if not re.search("weight|overflow|too large", str(error), re.I):
            raise
        what = "the weights of one level are too large together."
        hint = "Lower the weights of the cost model, or of rules of your own."
        raise EncodingError(what, hint=hint) from None
    found.optimal |= bool(result.exhausted and found.models)
    if found.optimal:
        found.lower_bound = dict(found.cost)
    else:  # a level at which nothing can be paid has 0
        proven = control.statistics.get("summary", {}).get("lower", ()) if found.cost else ()
        bounds = dict.fromkeys(levels) | dict(zip(levels, map(int, proven), strict=False))
        found.lower_bound = {level: bounds.get(level, 0) for level in found.cost}
    return found


def choice_atoms(shown: Iterable[Symbol]) -> frozenset[Symbol]:
    """Return the atoms that an answer set chose, from what it shows."""
    chosen = (symbol for symbol in shown if symbol.name in CHOICES)
    return frozenset(Function(CHOICES[symbol.name], symbol.arguments) for symbol in chosen)


def block(control: Control, *answers: Iterable[Symbol]) -> None:
    """Forbid answer sets, by what they show, and all that make the same choices as one of them and more."""
    with control.backend() as backend:
        for shown in answers:
            found = [behind(control, atom) for atom in sorted(choice_atoms(shown))]
            known = [atom for atom in found if atom is not None]
            if len(known) == len(found):  # else no answer set of this control has it
                backend.add_rule([], [atom.literal for atom in known if not atom.is_fact])


def behind(control: Control, choice: Symbol) -> SymbolicAtom | None:
    """Return the atom of a choice; what is read from the call that stands for a copy has one of its own."""
    atom = control.symbolic_atoms[choice]
    if atom is None and choice.name == "rebind":
        atom = control.symbolic_atoms[Function("rerouted", choice.arguments)]
    return atom


def is_cheaper(cost: dict[int, int], other: dict[int, int]) -> bool:
    """Whether a cost is below another one, the highest level first; a level that is not there costs 0."""
    levels = sorted(cost.keys() | other.keys(), reverse=True)
    return [cost.get(level, 0) for level in levels] < [other.get(level, 0) for level in levels]


def further_models(
    control: Control, deadline: Deadline, weights: Weights, at_most: dict[int, int] | None = None
) -> Iterator[tuple[Sequence[Symbol], dict[int, int]]]:
    """
    Yield what the next cheapest answer sets show, and what each costs, in order of cost.

    Each is forbidden when it is found, so that none comes twice.

    Args:
        control: a grounded control in which all that is known already is forbidden.
        deadline: when to stop.
        weights: those of the cost model.
        at_most: dearer ones are not wanted.
    """
    control.configuration.solve.opt_mode = "opt"  # type: ignore[union-attr]
    while not deadline.is_over:
        found = solve(control, deadline, 1, weights)
        if not found.models or not found.optimal:
            return
        if at_most is not None and is_cheaper(at_most, found.cost):
            return
        yield found.models[0], found.cost
        block(control, found.models[0])
