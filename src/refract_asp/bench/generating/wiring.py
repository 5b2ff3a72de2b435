"""Which tool each call uses, and from which calls it reads."""

from __future__ import annotations

from refract_asp.bench.generating.dials import Coupling, Dials
from refract_asp.bench.generating.naming import chance

__all__ = ["producers", "slots"]

_SECOND = 0.3
"""How often a call that reads at random reads from two."""


def slots(dials: Dials, seed: object) -> list[int]:
    """
    Return for each call the number of its tool: a new one, or with `reuse` one that was called before.

    Example:
        >>> slots(Dials(calls=4), 0), len(set(slots(Dials(calls=4, reuse=0.7), 0)))
        ([0, 1, 2, 3], 2)
    """
    again = dials.calls - dials.needed
    order = sorted(range(1, dials.calls), key=lambda call: (chance(seed, "again", call), call))
    repeated = set(order[:again])
    found: list[int] = []
    fresh = 0
    for call in range(dials.calls):
        if call in repeated:
            found.append(found[int(chance(seed, "which", call) * call)])
        else:
            found.append(fresh)
            fresh += 1
    return found


def producers(calls: int, coupling: Coupling, share: float, seed: object) -> list[list[int]]:
    """
    Return for each of so many calls those that it reads from.

    `share` of them read where that is left to chance.

    Example:
        >>> producers(3, "chain", 0.5, seed=0), producers(3, "fan-in", 0.5, seed=0)
        ([[], [0], [1]], [[], [], [0, 1]])
    """
    found: list[list[int]] = [[] for _ in range(calls)]
    for call in range(1, calls):
        if coupling == "chain":
            found[call] = [call - 1]
        elif coupling == "fan-out":
            found[call] = [0]
        elif coupling == "fan-in" and call == calls - 1:
            found[call] = list(range(call))
        elif coupling == "random" and chance(seed, "reads", call) < share:
            chosen = {int(chance(seed, "first", call) * call)}
            if chance(seed, "two", call) < _SECOND:
                chosen.add(int(chance(seed, "second", call) * call))
            found[call] = sorted(chosen)
    return found
