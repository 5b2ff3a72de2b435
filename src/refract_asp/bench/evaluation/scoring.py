"""What an answer is worth, judged by what is expected of its case, in the words of docs/evaluation.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from refract_asp.bench.evaluation.case import Case
from refract_asp.bench.evaluation.judging import confirmed, equivalent, exact, silently_filled
from refract_asp.bench.evaluation.systems import Answer
from refract_asp.model import Sequence, Verdict
from refract_asp.model.closeness import distance
from refract_asp.model.sources import Ask, slots_of

__all__ = ["Judge", "Score", "score_of"]

Judge = Callable[[Sequence], Verdict]
"""Says what `check` says of a sequence, with the memory of its case."""

_CLAIMS: dict[Verdict | None, tuple[Verdict, ...]] = {
    None: ("valid", "needs_input"),
    "valid": ("valid",),
    "repaired": ("valid",),
    "needs_input": ("valid", "needs_input"),
}
"""What `check` has to say of an answer that comes with a verdict; the other verdicts claim nothing."""


Count = Annotated[int, Field(ge=0, le=10**9)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Score(BaseModel):
    """
    What one answer is worth.

    Attributes:
        verdict: what the system says of the given sequence; None where it does not judge.
        error: why there is no answer, or None.
        detected: whether it says that something is wrong, or changes something where it does not judge
            (no verdict, or "unknown").
        exact: whether the answer is the expected sequence token for token.
        restored: whether it is, up to labels and the order of independent calls, or another good answer is.
        near: whether it is restored, or an answer that is as good to the system is.
        confirmed: whether a value that should be asked for was filled and has to be confirmed, and all else
            is right.
        asks: how many values the answer asks for.
        asked_rightly: whether it asks for exactly what the expected sequence asks for.
        executable: whether `check` finds the answer valid as it stands.
        sound: whether `check` finds nothing wrong with it, or the system does not say that it is right.
        silent: parameters that hold something which nobody gave, asked for or will confirm.
        edits: how many edits were made.
        changed: in how many tokens the answer differs from the given sequence.
        off: in how many tokens it differs from the expected one.
        optimal: whether it is proven that no answer is cheaper.
        ambiguous: whether another answer is as cheap and means something else.
        truncated: whether a bound cut the search.
        check_seconds: what finding what is wrong took.
        seconds: what finding the answer took.
        answer: the answer, a line for each call, without secrets; only kept where it is not as expected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Verdict | None = None
    error: str | None = None
    detected: bool = False
    exact: bool = False
    restored: bool = False
    near: bool = False
    confirmed: bool = False
    asks: Count = 0
    asked_rightly: bool = False
    executable: bool = False
    sound: bool = True
    silent: tuple[str, ...] = ()
    edits: Count | None = None
    changed: Count = 0
    off: Count = 0
    optimal: bool | None = None
    ambiguous: bool | None = None
    truncated: bool | None = None
    check_seconds: Seconds | None = None
    seconds: Seconds | None = None
    answer: tuple[str, ...] | None = None


def score_of(case: Case, answer: Answer, judge: Judge) -> Score:
    """
    Judge an answer to a case.

    Example:
        >>> from refract_asp.bench.evaluation.cases import read_cases
        >>> tools = {"tools": [{"name": "Pay", "parameters": {"amount": {}}}]}
        >>> row = {"catalog": tools, "sequence": "Py(amount=3)", "expected": "Pay(amount=3)"}
        >>> case = next(read_cases([row]))
        >>> score = score_of(case, Answer(Sequence.load("Pay(amount=4)")), lambda sequence: "valid")
        >>> score.detected, score.restored, score.executable, score.off
        (True, False, True, 1)
    """
    sequence, expected = answer.sequence, case.expected
    said = judge(sequence)
    restored = _restores(sequence, case)
    origins = answer.origins if answer.origins is not None else tuple(_origins(case.sequence, sequence))
    return Score(
        verdict=answer.verdict,
        detected=_claims_fault(answer, case),
        exact=exact(sequence, expected),
        restored=restored,
        near=restored or any(_restores(other, case) for other in answer.alternatives),
        confirmed=confirmed(sequence, expected),
        asks=len(sequence.asks),
        asked_rightly=_asked(sequence) == _asked(expected),
        executable=said == "valid",
        sound=said in _CLAIMS[answer.verdict] if answer.verdict in _CLAIMS else True,
        silent=tuple(silently_filled(sequence, origins, case.sequence, expected, case.open)),
        edits=answer.edits,
        changed=distance(case.sequence, sequence),
        off=0 if restored else distance(sequence, expected),
        optimal=answer.optimal,
        ambiguous=answer.ambiguous,
        truncated=answer.truncated,
        check_seconds=answer.check_seconds,
        seconds=answer.seconds,
    )


def _claims_fault(answer: Answer, case: Case) -> bool:
    """Whether an answer says that something is wrong; one that does not judge says so by a change."""
    if answer.verdict in (None, "unknown"):
        return not exact(answer.sequence, case.sequence)
    return answer.verdict != "valid"


def _restores(answer: Sequence, case: Case) -> bool:
    return equivalent(answer, case.expected, case.open) or any(equivalent(answer, each) for each in case.also)


def _asked(sequence: Sequence) -> Counter[tuple[str, str]]:
    """Return for which parameters of which tools values are asked, and how often."""
    return Counter(
        (call.name, parameter)
        for call in sequence.calls
        for parameter, source in call.arguments.items()
        for slot in slots_of(source)
        if isinstance(slot, Ask)
    )


def _origins(given: Sequence, answer: Sequence) -> Iterator[int | None]:
    """Tell for each call of an answer which given one it is: in order if there are as many, else by label."""
    if len(given.calls) == len(answer.calls):
        yield from range(len(given.calls))
        return
    labels = {call.label: index for index, call in enumerate(given.calls) if call.label is not None}
    for call in answer.calls:
        yield labels.get(call.label) if call.label is not None else None
