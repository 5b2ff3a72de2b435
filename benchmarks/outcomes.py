"""What a repair made of a broken sequence, compared with the sequence before it was broken."""

from __future__ import annotations

from dataclasses import dataclass

from mutations import Mutation
from refract_asp import Refractor
from refract_asp.model import RepairResult, Sequence
from refract_asp.model.sameness import canonical, digests
from restoration import filled_silently, is_confirmed, is_restored

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
        silent=tuple(filled_silently(result, mutation)),
        unsound=result.verdict == "repaired" and again != "valid",
    )


def _judge(result: RepairResult, mutation: Mutation, alternatives: bool) -> str:
    """Say how the mutation was restored, with the empty text for a miss."""
    if is_restored(result.sequence, mutation):
        return "exact"
    if alternatives and any(is_restored(sequence, mutation) for sequence in _equally_cheap(result)):
        return "alternative"
    return "confirmed" if is_confirmed(result, mutation) else ""


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
    missing = canonical(mutation.wanted) - canonical(result.sequence)
    for digest, call in zip(digests(mutation.wanted), mutation.wanted.calls, strict=True):
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
        "wanted": str(mutation.wanted).splitlines(),
    }
