"""The dials of generated cases: what each one sets, and in which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from refract_asp.bench.generating.words import NAMESPACES, chance
from refract_asp.errors import InputError, shown

__all__ = ["COUPLINGS", "Coupling", "Dials", "check_number", "coupling_named", "grid", "producers"]

Coupling: TypeAlias = Literal["independent", "chain", "fan-out", "fan-in", "random"]
"""How calls read from each other: not at all, each from the one before, all from the first, the last from
all, or some from any before them."""

COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)

MAX_TOOLS = 10_000
MAX_CALLS = 300

COUNTS = {"tools": (1, MAX_TOOLS), "calls": (1, MAX_CALLS), "namespaces": (0, len(NAMESPACES))}
"""The dials that are whole numbers, with the least and the greatest; all others but one are shares."""
READS_TWICE = 0.3
"""How often a call that reads at random reads from two."""


@dataclass(frozen=True, slots=True)
class Dials:
    """
    What a generated case is like; a share is a number from 0 to 1.

    Attributes:
        tools: size of the catalog: the tools that are called and distractors.
        calls: length of the sequence.
        coupling: how calls read from each other.
        share: how many calls read from earlier ones, with the coupling "random".
        reuse: how many calls use a tool that was called before; the others have one of their own.
        likeness: how many distractors are named like a tool that is called, with one word or letter
            changed as long as there are such names; the others have no word in common with those.
        typed: how many parameters take an enumeration, a whole number, a flag, a list or an object;
            the others take any text.
        optional: how many of the parameters with constants are optional; about half of these are passed.
        renamed: how many references are read into a parameter that is not called like the field.
        namespaces: how many services the tools belong to, whose names stand before theirs; 0 is none.

    Raises:
        InputError: a dial is out of range, or there are too few tools for the calls.

    Example:
        >>> Dials(tools=100, coupling="fan-in").calls
        5
    """

    tools: int = 20
    calls: int = 5
    coupling: Coupling = "chain"
    share: float = 0.5
    reuse: float = 0.0
    likeness: float = 0.5
    typed: float = 0.5
    optional: float = 0.3
    renamed: float = 0.0
    namespaces: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        for each in fields(self):
            if each.name != "coupling":
                check_number(each.name, getattr(self, each.name))
        coupling_named(self.coupling)
        if self.needed > self.tools:
            raise InputError(
                f"{self.tools} tools are too few for {self.calls} calls, which use {self.needed}.",
                where="tools",
                hint=f"Take at least {self.needed}, or let more calls use a tool again (reuse).",
            )

    @property
    def needed(self) -> int:
        """
        How many tools the sequence calls.

        Example:
            >>> Dials(calls=5).needed, Dials(calls=5, reuse=0.5).needed, Dials(calls=5, reuse=1).needed
            (5, 3, 1)
        """
        return self.calls - round(self.reuse * (self.calls - 1))

    def data(self) -> dict[str, Any]:
        """Return the dials by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def text(self) -> str:
        """
        Say the dials that are not as they are by default, and the first two.

        Example:
            >>> Dials(tools=100, likeness=1.0).text()
            'tools=100,calls=5,likeness=1'
        """
        said = []
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("tools", "calls") or value != each.default:
                said.append(f"{each.name}={f'{value:g}' if isinstance(value, float) else value}")
        return ",".join(said)


def check_number(name: str, value: Any) -> None:
    """
    Refuse a value that a dial cannot have.

    Raises:
        InputError: it is out of range.
    """
    is_share = name not in COUNTS
    least, most = (0, 1) if is_share else COUNTS[name]
    is_number = isinstance(value, int | float if is_share else int) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        what = "share" if is_share else f"number of {name}"
        hint = "one from 0 to 1" if is_share else f"a whole number from {least} to {most}"
        raise InputError(f"{shown(value)} is no {what}.", where=name, hint=f"Take {hint}.")


def coupling_named(name: str) -> Coupling:
    """
    Return the coupling of that name.

    Raises:
        InputError: there is none.
    """
    for each in COUPLINGS:
        if each == name:
            return each
    hint = f"There are {', '.join(COUPLINGS)}."
    raise InputError(f"there is no coupling {shown(name)!r}.", where="coupling", hint=hint)


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
            if chance(seed, "two", call) < READS_TWICE:
                chosen.add(int(chance(seed, "second", call) * call))
            found[call] = sorted(chosen)
    return found


def grid(values: Mapping[str, SequenceOf[Any]], base: Dials | None = None) -> Iterator[Dials]:
    """
    Yield the dials for every combination of some values, the last one changing fastest.

    Raises:
        InputError: there is no such dial, or a combination cannot be.

    Example:
        >>> [(d.tools, d.coupling) for d in grid({"tools": [10, 20], "coupling": ["chain", "fan-in"]})]
        [(10, 'chain'), (10, 'fan-in'), (20, 'chain'), (20, 'fan-in')]
    """
    known = [each.name for each in fields(Dials)]
    for name in values:
        if name not in known:
            hint = f"Known: {', '.join(known)}."
            raise InputError(f"there is no dial {shown(name)!r}.", hint=hint)
    base = base or Dials()
    for chosen in product(*values.values()):
        yield replace(base, **dict(zip(values, chosen, strict=True)))
