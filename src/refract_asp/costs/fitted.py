"""What fitting weights to examples gives."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1

Stopped: TypeAlias = Literal["satisfied", "settled", "rounds", "time", "interrupted"]
"""
Why no more was tried: all that can be had is there ("satisfied"), no other weights would be better as far as
is known ("settled"), or the rounds or the time are over, or somebody stopped it.
"""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Score(_Part):
    """
    How many examples are answered with the wanted repair.

    Attributes:
        examples: how many there are.
        exact: how many of them are answered with the wanted repair.
        tied: for how many of these another repair costs the same, so that something else decides.
    """

    examples: int = 0
    exact: int = 0
    tied: int = 0


class Unreachable(_Part):
    """An example whose wanted repair no weights can bring, since no rule leads there, and why."""

    name: str
    place: str = ""
    reason: str


class Wish(_Part):
    """
    What one example asks of the weights: that one repair be cheaper than another.

    Attributes:
        name: the id of the example, else where it stands.
        place: where it stands.
        wanted: what the wanted repair pays, in units of each kind of penalty, less what both pay.
        other: what another repair pays that has to be dearer, less what both pay.
    """

    name: str
    place: str = ""
    wanted: dict[str, int] = {}
    other: dict[str, int] = {}


class Conflict(_Part):
    """
    Examples that no weights satisfy together, though without any one of them some would.

    A single one means that its wanted repair is never the cheapest.

    Attributes:
        examples: their names.
        wishes: what they ask of the weights and cannot have together; empty where a wanted repair can come
            about in several ways, none of which is cheap enough.
    """

    examples: tuple[str, ...]
    wishes: tuple[Wish, ...] = ()


class Fit(_Part):
    """
    Weights that were fitted to examples, and what they do.

    Attributes:
        start: the cost model that it started from, by name.
        weights: each weight that could be changed, by the name of its constant.
        changed: those that were, before and after.
        fixed: the kinds of penalties whose weight is no constant of its own in the model file; they stay.
        before: how many wanted repairs the model brought that it started from.
        after: how many the fitted one brings.
        held_out_before: likewise for the examples that were held out.
        held_out_after: likewise.
        unreachable: the examples whose wanted repair no rule brings.
        conflicts: which examples no weights satisfy together.
        unexplained: the other ones that are not satisfied: better weights may exist.
        without: how many examples say no wanted repair.
        skipped: how many entries of the data could not be read or repaired.
        mistakes: what was wrong with the first of those.
        rounds: how often weights were tried.
        stopped: why no more was tried.
        model: the text of the model file with the fitted weights.
    """

    schema_version: int = SCHEMA_VERSION
    start: str
    weights: dict[str, int]
    changed: dict[str, tuple[int, int]] = {}
    fixed: tuple[str, ...] = ()
    before: Score = Score()
    after: Score = Score()
    held_out_before: Score | None = None
    held_out_after: Score | None = None
    unreachable: tuple[Unreachable, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unexplained: tuple[str, ...] = ()
    without: int = 0
    skipped: int = 0
    mistakes: tuple[str, ...] = ()
    rounds: int = 0
    stopped: Stopped = "satisfied"
    model: str = ""

    @property
    def is_satisfied(self) -> bool:
        """Whether every example is answered with its wanted repair."""
        return self.after.exact == self.after.examples
