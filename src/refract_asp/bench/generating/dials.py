"""The dials of generated cases: what each one sets, and in which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from refract_asp.bench.generating.vocabulary import NAMESPACES
from refract_asp.errors import InputError, shown

__all__ = ["COUPLINGS", "MAX_CALLS", "MAX_TOOLS", "Coupling", "Dials", "coupling_named", "grid"]

Coupling: TypeAlias = Literal["independent", "chain", "fan-out", "fan-in", "random"]
"""How calls read from each other: not at all, each from the one before, all from the first, the last from
all, or some from any before them."""

COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)

MAX_TOOLS = 10_000
MAX_CALLS = 300

_COUNTS = {"tools": (1, MAX_TOOLS), "calls": (1, MAX_CALLS), "namespaces": (0, len(NAMESPACES))}
_SHARES = ("share", "reuse", "likeness", "typed", "optional", "renamed")


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
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                what = f"{shown(value)} is no number of {name}."
                raise InputError(what, where=name, hint=f"Take a whole number from {least} to {most}.")
        coupling_named(self.coupling)
        for name in _SHARES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InputError(f"{shown(value)} is no share.", where=name, hint="Take one from 0 to 1.")
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
        said = [
            f"{each.name}={_number(getattr(self, each.name))}"
            for each in fields(self)
            if each.name in ("tools", "calls") or getattr(self, each.name) != each.default
        ]
        return ",".join(said)


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


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
            raise InputError(f"there is no dial {shown(name)!r}.", hint=f"Known: {', '.join(known)}.")
    base = base or Dials()
    for chosen in product(*values.values()):
        yield replace(base, **dict(zip(values, chosen, strict=True)))
