"""What a repair costs, and why each of its edits is as it is."""

from __future__ import annotations

from typing import Any, Literal

from refract_asp.model.edits import Edit, Violation
from refract_asp.model.paths import Frozen
from refract_asp.model.result import SCHEMA_VERSION, RepairResult, Verdict
from refract_asp.resources import packaged


def meaning_of(criterion: str) -> str:
    """
    Return what is paid for.

    Example:
        >>> meaning_of("move_call")
        'a call moves'
    """
    return str(packaged("model/words")["criteria"].get(criterion, "a penalty of this cost model"))


class Criterion(Frozen):
    """What a repair pays under one criterion of the cost model, and what that means."""

    name: str
    cost: int
    meaning: str


class Reason(Frozen):
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


class Explanation(Frozen):
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
    reasons = []
    for edit in result.edits:
        violations = tuple(result.violations[number] for number in edit.answers)
        reasons.append(Reason(edit=edit, violations=violations))
    criteria = tuple(Criterion(name=n, cost=cost, meaning=meaning_of(n)) for n, cost in costs)
    fields: dict[str, Any] = {"criteria": criteria, "reasons": tuple(reasons)}
    fields |= {"total": result.total, "optimal": result.optimal, "cost_model": result.cost_model}
    return Explanation(verdict=result.verdict, **fields)


def difference(cost: dict[int, int], base: dict[int, int]) -> dict[int, int]:
    """
    Return what one repair costs more than another one, by priority, highest first.

    Example:
        >>> difference({2: 20}, {3: 0, 2: 8})
        {3: 0, 2: 12}
    """
    levels = sorted(cost.keys() | base.keys(), reverse=True)
    return {level: cost.get(level, 0) - base.get(level, 0) for level in levels}


class Contrast(Frozen):
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
