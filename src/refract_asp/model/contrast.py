"""What "why not ...?" answers about a repair."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from refract_asp.model.edits import Violation
from refract_asp.model.result import SCHEMA_VERSION, RepairResult

__all__ = ["Contrast", "difference"]


def difference(cost: dict[int, int], base: dict[int, int]) -> dict[int, int]:
    """
    Return what one repair costs more than another one, by priority, highest first.

    Example:
        >>> difference({2: 20}, {3: 0, 2: 8})
        {3: 0, 2: 12}
    """
    levels = sorted(cost.keys() | base.keys(), reverse=True)
    return {level: cost.get(level, 0) - base.get(level, 0) for level in levels}


class Contrast(BaseModel):
    """
    A repair that was not chosen, beside the one that was.

    Attributes:
        statement: what was asked for.
        result: the cheapest repair that has it, or None when no repair has it or none was found in time.
        is_answer: whether the answer itself does that.
        extra: how much more it costs than the answer, by priority, highest first; 0 everywhere when it is
            as cheap. Empty without a result.
        reason: why no repair has it, in one sentence; empty with a result.
        violations: what would be wrong with the sequence that has it. `call` is the index in the given
            sequence, or in the sequence that would come out for a call that is added.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    schema_version: int = SCHEMA_VERSION
    statement: str
    result: RepairResult | None = None
    is_answer: bool = False
    extra: dict[int, int] = {}
    reason: str = ""
    violations: tuple[Violation, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether some repair has it."""
        return self.result is not None
