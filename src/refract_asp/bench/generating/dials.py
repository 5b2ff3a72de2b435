"""The dials of generated cases: what each one sets, and in which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from itertools import product
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refract_asp.bench.generating.words import chance
from refract_asp.errors import InputError, shown

# How calls read from each other: not at all, each from the one before, all from the first, the last from
# all, or some from any before them.
Coupling: TypeAlias = Literal["independent", "chain", "fan-out", "fan-in", "random"]
COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]

# How often a call that reads at random reads from two.
READS_TWICE = 0.3


class Dials(BaseModel):
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

    Raises:
        InputError: a dial is out of range, or there are too few tools for the calls.

    Example:
        >>> Dials(tools=100, coupling="fan-in").calls
        5
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    tools: int = Field(20, ge=1, le=10_000)
    calls: int = Field(5, ge=1, le=300)
    coupling: Coupling = "chain"
    share: Share = 0.5
    reuse: Share = 0.0
    likeness: Share = 0.5

    def __init__(self, **values: Any) -> None:
        """Refuse what is out of range."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name, known = str(first["loc"][0]), ", ".join(Dials.model_fields)
            if first["type"] == "extra_forbidden":
                what = f"there is no dial {shown(name)!r}."
                raise InputError(what, hint=f"Known: {known}.") from None
            what = f"{shown(first['input'])!r} cannot be set."
            raise InputError(what, where=name, hint=f"{first['msg']}.") from None
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

    def text(self) -> str:
        """
        Say the dials that are not as they are by default, and the first two.

        Example:
            >>> Dials(tools=100, likeness=1.0).text()
            'tools=100,calls=5,likeness=1'
        """
        said = {"tools": self.tools, "calls": self.calls, **self.model_dump(exclude_defaults=True)}
        texts = (f"{each:g}" if isinstance(each, float) else str(each) for each in said.values())
        return ",".join(map("=".join, zip(said, texts, strict=True)))


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
        match coupling:
            case "chain":
                found[call] = [call - 1]
            case "fan-out":
                found[call] = [0]
            case "fan-in" if call == calls - 1:
                found[call] = list(range(call))
            case "random" if chance(seed, "reads", call) < share:
                reads = ["first", *["second"] * (chance(seed, "two", call) < READS_TWICE)]
                found[call] = sorted({int(chance(seed, each, call) * call) for each in reads})
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
    usual = dict(base or Dials())
    for chosen in product(*values.values()):
        yield Dials(**{**usual, **dict(zip(values, chosen, strict=True))})
