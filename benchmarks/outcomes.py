"""What a repair made of a broken sequence, with what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

from refract_asp.bench.mutations.mutation import Mutation
from refract_asp.evaluation.cases import Case
from refract_asp.evaluation.scoring import Score, score_of
from refract_asp.evaluation.systems import Answer
from refract_asp.model import RepairResult, Sequence
from refract_asp.model.comparison import canonical, digests
from refract_asp.refractor import Refractor

__all__ = ["Outcome", "miss_data", "miss_text", "outcome_of"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What the repair made of one mutation.

    Attributes:
        key: which sequence it is, on one word.
        alternatives: whether equally cheap repairs count as restored too.
    """

    key: str
    mutation: Mutation
    result: RepairResult
    score: Score
    alternatives: bool

    @property
    def how(self) -> str:
        """
        How it was restored, with the empty text for a miss.

        "exact", "alternative" (an equally cheap repair is the original), or "confirmed" (a lost constant was
        filled and has to be confirmed).
        """
        if self.score.restored:
            return "exact"
        if self.alternatives and self.score.near:
            return "alternative"
        return "confirmed" if self.score.confirmed else ""

    @property
    def restored(self) -> bool:
        """Whether the mutation counts as restored."""
        return self.how in ("exact", "alternative")

    @property
    def silent(self) -> tuple[str, ...]:
        """Parameters whose lost constants were filled without ask or confirm."""
        return self.score.silent

    @property
    def unsound(self) -> bool:
        """Whether the answer is said to be right, and `check` finds fault with it."""
        return not self.score.sound


def outcome_of(
    refractor: Refractor, key: str, mutation: Mutation, *, alternatives: bool
) -> Outcome:
    """Repair the broken sequence; `alternatives` tells whether equally cheap repairs count too."""
    result = refractor.repair(mutation.broken)
    case = Case.of(mutation, refractor.catalog, key)
    score = score_of(case, Answer.of(result), lambda sequence: refractor.check(sequence).verdict)
    return Outcome(key, mutation, result, score, alternatives)


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
