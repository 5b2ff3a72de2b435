"""How one run differs from another one, as data."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from refract_asp.batch.figures import FaultExample
from refract_asp.batch.measures import Outcome
from refract_asp.batch.pairs import By
from refract_asp.model.edits import ViolationCode
from refract_asp.model.shares import Share
from refract_asp.model.tags import Tag

__all__ = ["UNLIKELY", "Change", "FaultChange", "Move", "Moved", "TagChange", "ToolChange", "Versus"]

UNLIKELY = 0.05
"""A change that chance would bring no more often than so counts as one."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Changed(_Part):
    """
    How a share changed over the sequences that both runs have.

    Attributes:
        a: the share in the first run.
        b: the share in the second one.
        only_a: for how many sequences it is larger in the first run; where sequences are counted, how many
            count only there.
        only_b: for how many it is larger in the second one.
        p_value: how likely a split between them at least as uneven would be if it were chance (exact sign
            test).
    """

    a: Share
    b: Share
    only_a: int
    only_b: int
    p_value: float

    @property
    def difference(self) -> float | None:
        """The second share less the first one; None where one of them is of nothing."""
        if self.a.value is None or self.b.value is None:
            return None
        return self.b.value - self.a.value


class Change(_Changed):
    """
    How a measure changed, see `measures.MEASURES`.

    Attributes:
        name: the name of the measure.
        worse: whether it got worse, and hardly by chance.
    """

    name: str
    worse: bool


class TagChange(_Changed):
    """How the share of sequences with a kind of mistake changed."""

    tag: Tag


class ToolChange(_Changed):
    """How the share of the calls of a tool in which something is wrong changed."""

    tool: str


class Moved(_Part):
    """
    A sequence whose verdict changed.

    Attributes:
        name: its id, or where it stood.
        a: its number in the first run.
        b: its number in the second one.
        before: its verdict in the first run.
        after: its verdict in the second one.
        same_input: whether it came in the same both times.
        why: what is wrong with it where its verdict is the worse one; empty where nothing is.
    """

    name: str
    a: int
    b: int
    before: Outcome
    after: Outcome
    same_input: bool
    why: str


class Move(_Part):
    """How many sequences had one verdict, and then another one, or the same."""

    before: Outcome
    after: Outcome
    count: int


class FaultChange(_Part):
    """
    A fault that only one of the runs has.

    Attributes:
        code: what is wrong.
        tool: the tool that the call names.
        parameter: the argument, or None when the call as a whole is wrong.
        attempted: the wrong token as it was written, or None when it is absent.
        sequences: how many sequences have it.
        example: one of them, where it is known.
    """

    code: ViolationCode
    tool: str
    parameter: str | None
    attempted: str | None
    sequences: int
    example: FaultExample | None = None


class Versus(_Part):
    """
    Two runs side by side, over the sequences that both have.

    All names and texts are safe to print: on one line, bounded, without secrets.

    Attributes:
        sequences: how many both have.
        paired_by: by what how many of them were found to be the same.
        same_input: how many came in the same both times.
        unlike: how many were not treated alike, as one run only checked them; they are left out.
        changes: how each measure changed that some sequence counts for.
        moves: how many had which verdict before and after.
        worse: how many have a worse verdict in the second run.
        better: how many have a better one.
        got_worse: the first of those that got worse.
        got_better: the first of those that got better.
        new_faults: faults that only the second run has, the most frequent first.
        gone_faults: faults that only the first run has.
        tags: by kind of mistake, where the share of sequences that have it changed; what got worse first.
        tools: likewise by tool, with the share of its calls that are faulty.
        differing: how many came in the same, and have other calls to be made in the end.
        differ: the names of the first of them.
        only_a: how many sequences only the first run has.
        only_b: how many only the second one has.
        names_only_a: the names of the first of them.
        names_only_b: likewise.
    """

    schema_version: Literal[1] = 1
    sequences: int
    paired_by: dict[By, int]
    same_input: int
    unlike: int = 0
    changes: tuple[Change, ...]
    moves: tuple[Move, ...]
    worse: int
    better: int
    got_worse: tuple[Moved, ...] = ()
    got_better: tuple[Moved, ...] = ()
    new_faults: tuple[FaultChange, ...] = ()
    gone_faults: tuple[FaultChange, ...] = ()
    tags: tuple[TagChange, ...] = ()
    tools: tuple[ToolChange, ...] = ()
    differing: int = 0
    differ: tuple[str, ...] = ()
    only_a: int = 0
    only_b: int = 0
    names_only_a: tuple[str, ...] = ()
    names_only_b: tuple[str, ...] = ()

    @property
    def worse_measures(self) -> tuple[str, ...]:
        """The names of the measures that got worse, and hardly by chance."""
        return tuple(change.name for change in self.changes if change.worse)

    @property
    def is_worse(self) -> bool:
        """Whether a sequence has a worse verdict, or a measure got worse, and hardly by chance."""
        return self.worse > 0 or bool(self.worse_measures)
