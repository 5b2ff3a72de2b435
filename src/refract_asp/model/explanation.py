"""What a repair costs, and why each of its edits is as it is."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from refract_asp.model.criteria import meaning_of
from refract_asp.model.edits import Edit, Violation
from refract_asp.model.result import SCHEMA_VERSION, RepairResult, Verdict

__all__ = ["Criterion", "Explanation", "Reason", "explanation_of"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Criterion(_Part):
    """What a repair pays under one criterion of the cost model, and what that means."""

    name: str
    cost: int
    meaning: str


class Reason(_Part):
    """
    Why an edit is as it is.

    Attributes:
        edit: the edit.
        violations: what was wrong, and is mended by it.
        outcome: what happens without it: another repair is "dearer" or "equal"; "none" mends it; the edit
            "follows" from others and is no choice of its own; or that is "unknown", since nothing more
            can be asked of a result that was loaded from data, or the time ran out.
        extra: how much more the cheapest repair without it costs, by priority, highest first.
        instead: the edits of that repair that this one does not have.
        unresolved: given calls that would stay as they are, by their index.
    """

    edit: Edit
    violations: tuple[Violation, ...] = ()
    outcome: Literal["dearer", "equal", "none", "follows", "unknown"] = "unknown"
    extra: dict[int, int] = {}
    instead: tuple[Edit, ...] = ()
    unresolved: tuple[int, ...] = ()


class Explanation(_Part):
    """
    What a repair costs and why.

    Attributes:
        verdict: that of the result.
        total: what it costs, by priority, highest first.
        optimal: whether it is proven that no repair is cheaper.
        cost_model: what ranked the edits.
        criteria: the cost by criterion, highest first.
        reasons: one for each edit, in their order.
    """

    schema_version: int = SCHEMA_VERSION
    verdict: Verdict
    total: dict[int, int] = {}
    optimal: bool = True
    cost_model: str = "default"
    criteria: tuple[Criterion, ...] = ()
    reasons: tuple[Reason, ...] = ()


def explanation_of(result: RepairResult) -> Explanation:
    """Explain a result by what its data say; nothing is compared."""
    costs = sorted(result.cost.items(), key=lambda item: (-item[1], item[0]))
    return Explanation(
        verdict=result.verdict,
        total=result.total,
        optimal=result.optimal,
        cost_model=result.cost_model,
        criteria=tuple(Criterion(name=name, cost=cost, meaning=meaning_of(name)) for name, cost in costs),
        reasons=tuple(
            Reason(edit=edit, violations=tuple(result.violations[number] for number in edit.answers))
            for edit in result.edits
        ),
    )
