"""What a repair made of a broken sequence, compared with the sequence before it was broken."""

from __future__ import annotations

from dataclasses import dataclass

from refract_asp.bench.evaluation.judging import confirmed, equivalent, silently_filled
from refract_asp.bench.mutations.mutation import Mutation
from refract_asp.model import RepairResult, Sequence
from refract_asp.model.sameness import canonical, digests
from refract_asp.refractor import Refractor

__all__ = ["Outcome", "miss_data", "miss_text", "outcome_of"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What the repair made of one mutation.

    Attributes:
        key: which sequence it is, on one word.
        how: "exact", "alternative" (an equally cheap repair is the original), "confirmed" (a lost
            constant was filled and has to be confirmed), or the empty text for a miss.
        silent: parameters whose lost constants were filled without ask or confirm.
        unsound: whether the answer was called repaired and `check` finds fault with it.
    """

    key: str
    mutation: Mutation
    result: RepairResult
    how: str
    silent: tuple[str, ...] = ()
    unsound: bool = False

    @property
    def restored(self) -> bool:
        """Whether the mutation counts as restored."""
        return self.how in ("exact", "alternative")


def outcome_of(refractor: Refractor, key: str, mutation: Mutation, *, alternatives: bool) -> Outcome:
    """Repair the broken sequence; `alternatives` tells whether equally cheap repairs count too."""
    result = refractor.repair(mutation.broken)
    again = refractor.check(result.sequence).verdict
    return Outcome(
        key,
        mutation,
        result,
        how=_judge(result, mutation, alternatives),
        silent=tuple(silently_filled(result, mutation.broken, mutation.expected, mutation.open)),
        unsound=result.verdict == "repaired" and again != "valid",
    )


def _judge(result: RepairResult, mutation: Mutation, alternatives: bool) -> str:
    """Say how the mutation was restored, with the empty text for a miss."""
    if _restores(result.sequence, mutation):
        return "exact"
    if alternatives and any(_restores(sequence, mutation) for sequence in _equally_cheap(result)):
        return "alternative"
    return "confirmed" if confirmed(result, mutation.expected) else ""


def _restores(answer: Sequence, mutation: Mutation) -> bool:
    return equivalent(answer, mutation.expected, mutation.open)


def _equally_cheap(result: RepairResult) -> list[Sequence]:
    """Return the other repairs of the same cost."""
    return [other.sequence for other in result.alternatives if other.total == result.total]


def miss_text(outcome: Outcome) -> str:
    """Print one miss: what was broken, what came back, what was wanted."""
    mutation, result = outcome.mutation, outcome.result
    informed = "" if mutation.informed else "  [the information is lost]"
    title = " ".join(word for word in (mutation.kind, mutation.variant, outcome.key) if word)
    lines = [f"== {title}{informed}", f"   {mutation.what}"]
    if mutation.note:
        lines.append(f"   {mutation.note}")
    flags = ["optimal" if result.optimal else "NOT OPTIMAL"]
    flags += ["ambiguous"] * result.ambiguous + [f"silently filled: {p}" for p in outcome.silent]
    lines.append(f"   verdict {result.verdict}; {', '.join(flags)}; cost {result.cost}")
    lines.append(result.diff().rstrip() or "  (no difference)")
    missing = canonical(mutation.expected) - canonical(result.sequence)
    for digest, call in zip(digests(mutation.expected), mutation.expected.calls, strict=True):
        if digest in missing:
            lines.append(f"wanted: {Sequence(calls=(call,))}")
    return "\n".join(lines)


def miss_data(outcome: Outcome) -> dict[str, object]:
    """Return one miss as data."""
    mutation, result = outcome.mutation, outcome.result
    return {
        "case": outcome.key,
        "kind": mutation.kind,
        "variant": mutation.variant,
        "informed": mutation.informed,
        "what": mutation.what,
        "note": mutation.note,
        "verdict": result.verdict,
        "how": outcome.how,
        "answer": str(result.sequence).splitlines(),
        "wanted": str(mutation.expected).splitlines(),
    }
