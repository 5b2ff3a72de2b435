"""Finds further answer sets in order of cost, no two of which make the same choices and more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from clingo import Control, Function, Symbol, SymbolicAtom

from refract_asp.rules.solve import Deadline, solve

__all__ = ["CHOICES", "behind", "block", "choice_atoms", "forbid", "further_models", "is_cheaper"]

CHOICES = {
    "out_tool": "name",
    **{
        f"out_{name}": name
        for name in (
            "explained", "renamed", "dropped", "fill", "mend", "recast", "deleted", "moved", "unresolved",
        )
    },
}  # fmt: skip
"""What is shown of each choice, and the predicate behind it."""


def choice_atoms(shown: Iterable[Symbol]) -> frozenset[Symbol]:
    """Return the atoms that an answer set chose, from what it shows."""
    return frozenset(
        Function(CHOICES[symbol.name], symbol.arguments) for symbol in shown if symbol.name in CHOICES
    )


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
    if atom is None and choice.name == "mend":
        atom = control.symbolic_atoms[Function("rerouted", choice.arguments)]
    return atom


def forbid(control: Control, atoms: Iterable[SymbolicAtom]) -> None:
    """Forbid atoms, but for those that hold in any case."""
    with control.backend() as backend:
        for atom in atoms:
            if not atom.is_fact:
                backend.add_rule([], [atom.literal])


def is_cheaper(cost: dict[int, int], other: dict[int, int]) -> bool:
    """Whether a cost is below another one, the highest level first; a level that is not there costs 0."""
    levels = sorted(cost.keys() | other.keys(), reverse=True)
    return [cost.get(level, 0) for level in levels] < [other.get(level, 0) for level in levels]


def further_models(
    control: Control,
    deadline: Deadline,
    priorities: Collection[int],
    at_most: dict[int, int] | None = None,
) -> Iterator[tuple[Sequence[Symbol], dict[int, int]]]:
    """
    Yield what the next cheapest answer sets show, and what each costs, in order of cost.

    Each is forbidden when it is found, so that none comes twice.

    Args:
        control: a grounded control in which all that is known already is forbidden.
        deadline: when to stop.
        priorities: the levels of the cost model.
        at_most: dearer ones are not wanted.
    """
    control.configuration.solve.opt_mode = "opt"  # type: ignore[union-attr]
    while not deadline.is_over:
        answer = solve(control, deadline, 1, priorities)
        if not answer.models or not answer.optimal:
            return
        if at_most is not None and is_cheaper(at_most, answer.cost):
            return
        yield answer.models[0], answer.cost
        block(control, answer.models[0])
