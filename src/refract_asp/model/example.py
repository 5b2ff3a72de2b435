"""Examples: the sequences of a data set, each with what is known, and the repair that is wanted."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from refract_asp.model.catalog import Catalog
from refract_asp.model.goals import Goal
from refract_asp.model.memory import Mapping, Memory
from refract_asp.model.sequence import Sequence

__all__ = ["Example"]


class Example(BaseModel):
    """
    One sequence of a data set.

    Attributes:
        sequence: the calls as they were written.
        expected: the repair that is wanted, or None where nobody said it.
        catalog: the tools that may be called, or None for those of the whole data set.
        memory: values already known.
        history: calls that were already executed.
        mappings: which outputs may fill which parameters, here besides those for the whole data set.
        goals: what the sequence has to bring about.
        id: its name, or None.
        meta: whatever else is to be kept with it.
        place: where it stood: file and line, or file and index.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sequence: Sequence
    expected: Sequence | None = None
    catalog: Catalog | None = None
    memory: Memory | None = None
    history: Sequence | None = None
    mappings: tuple[Mapping, ...] = ()
    goals: tuple[Goal, ...] = ()
    id: str | None = None
    meta: dict[str, Any] = {}
    place: str = ""

    @property
    def name(self) -> str:
        """
        Its id, else where it stood.

        Example:
            >>> Example(sequence=Sequence(), place="calls.jsonl:3").name
            'calls.jsonl:3'
        """
        return self.id if self.id is not None else self.place
