"""What an answer is worth, judged by what is expected of its case, in the words of docs/evaluation.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import islice, permutations
from typing import Annotated

from pydantic import Field

from refract_asp.bench.mutations.mutation import Open
from refract_asp.evaluation.cases import Case
from refract_asp.evaluation.systems import Answer, Seconds
from refract_asp.model import Ask, Call, ConfirmArgument, Constant, Sequence, Verdict
from refract_asp.model.comparison import canonical, digests, distance, same
from refract_asp.model.paths import Frozen
from refract_asp.model.sequence import slots_of

# At most so many ways are tried to tell which calls stand for those that are partly open.
MAX_PLACES = 200


def exact(answer: Sequence, expected: Sequence) -> bool:
    """
    Whether the answer is the expected sequence token for token, labels and order included.

    Under which name something is asked, and what has still to be confirmed, counts for nothing.
    """
    if [call.label for call in answer.calls] != [call.label for call in expected.calls]:
        return False
    return digests(answer) == digests(expected) and same(answer, expected)


def equivalent(answer: Sequence, expected: Sequence, open: SequenceOf[Open] = ()) -> bool:
    """
    Whether both hold the same calls with the same arguments, up to labels and the order of independent calls.

    An ask equals an ask, and nothing else. What is `open` in an expected call may be asked for, be any
    constant, or be absent.

    Example:
        >>> wanted = Sequence.load('x = Search(query="Rome")')
        >>> equivalent(Sequence.load('ask(query)\\ny = Search(query=query)'), wanted)
        False
        >>> equivalent(Sequence.load('y = Search(query="Paris")'), wanted, [Open(0, frozenset({"query"}))])
        True
    """
    if not open:
        return same(answer, expected)
    calls = [expected.calls[each.call] for each in open]
    wanted = canonical(expected, {o.call: _without(c, o) for o, c in zip(open, calls, strict=True)})

    def fits(index: int, each: Call) -> bool:
        call = answer.calls[index]
        return call.name == each.name and call.arguments.keys() <= each.arguments.keys()

    any_of = [n for n in range(len(answer.calls)) if any(fits(n, each) for each in calls)]
    # the ways in which calls of the answer may stand for those that are partly open
    for chosen in islice(permutations(any_of, len(open)), MAX_PLACES):
        others = {n: _without(answer.calls[n], o) for n, o in zip(chosen, open, strict=True)}
        if all(map(fits, chosen, calls)) and canonical(answer, others) == wanted:
            return True
    return False


def _without(call: Call, open: Open) -> Call:
    """Return the call without what may stand for its open arguments."""
    left = {
        p: source
        for p, source in call.arguments.items()
        if p not in open.parameters or not isinstance(source, Ask | Constant)
    }
    return call.model_copy(update={"arguments": left})


def confirmed(answer: Sequence, expected: Sequence) -> bool:
    """Whether a value that should be asked for was filled and has to be confirmed, and all else is right."""
    wanted = canonical(expected)
    for index, call in enumerate(answer.calls):
        for parameter in _asked_of(expected, call.name) & _to_confirm(call):
            asking = {**call.arguments, parameter: Ask(name=parameter)}
            if canonical(answer, {index: call.model_copy(update={"arguments": asking})}) == wanted:
                return True
    return False


def _silently_filled(answer: Answer, case: Case) -> Iterator[str]:
    """
    Name the parameters that hold something which nobody gave, asked for or will confirm.

    Looked at are those that the expected sequence asks for, and in added calls those that are open.
    """
    calls, given, expected = answer.sequence.calls, case.sequence.calls, case.expected
    origins = answer.origins
    if origins is None and len(given) == len(calls):
        origins = tuple(range(len(given)))
    elif origins is None:
        labels = {call.label: n for n, call in enumerate(given) if call.label is not None}
        origins = tuple(labels.get(call.label or "") for call in calls)
    right = set(digests(expected))
    for call, digest, origin in zip(calls, digests(answer.sequence), origins, strict=True):
        lost = _asked_of(expected, call.name) if digest not in right else set()
        known = given[origin].arguments.keys() if origin is not None else set()
        for each in case.open if origin is None else ():
            if expected.calls[each.call].name == call.name:
                lost |= each.parameters
        for parameter in sorted(lost - known - _to_confirm(call)):
            if parameter in call.arguments and not isinstance(call.arguments[parameter], Ask):
                yield parameter


def _asked_of(expected: Sequence, tool: str) -> set[str]:
    """Return the parameters of the tool that the expected sequence asks for."""
    return {
        parameter
        for call in expected.calls
        if call.name == tool
        for parameter, source in call.arguments.items()
        if isinstance(source, Ask)
    }


def _to_confirm(call: Call) -> set[str]:
    return {confirm.parameter for confirm in call.confirms if isinstance(confirm, ConfirmArgument)}


# Says what `check` says of a sequence, with the memory of its case.
Judge = Callable[[Sequence], Verdict]

# What `check` has to say of an answer that comes with a verdict; the other verdicts claim nothing.
_CLAIMS: dict[Verdict | None, tuple[Verdict, ...]] = {
    None: ("valid", "needs_input"),
    "valid": ("valid",),
    "repaired": ("valid",),
    "needs_input": ("valid", "needs_input"),
}


Count = Annotated[int, Field(ge=0, le=10**9)]


class Score(Frozen):
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
        off: in how many tokens it differs from the expected one.
        optimal: whether it is proven that no answer is cheaper.
        ambiguous: whether another answer is as cheap and means something else.
        truncated: whether a bound cut the search.
        check_seconds: what finding what is wrong took.
        seconds: what finding the answer took.
        answer: the answer, a line for each call, without secrets; only kept where it is not as expected.
    """

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
        >>> from refract_asp.evaluation.cases import read_cases
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
    detected = answer.verdict != "valid"
    if answer.verdict in (None, "unknown"):  # one that does not judge says so by a change
        detected = not exact(sequence, case.sequence)
    claims = ("verdict", "edits", "optimal", "ambiguous", "truncated", "check_seconds", "seconds")
    return Score(
        **{name: getattr(answer, name) for name in claims},
        detected=detected,
        exact=exact(sequence, expected),
        restored=restored,
        near=restored or any(_restores(other, case) for other in answer.alternatives),
        confirmed=confirmed(sequence, expected),
        asks=len(sequence.asks),
        asked_rightly=_asked(sequence) == _asked(expected),
        executable=said == "valid",
        sound=answer.verdict not in _CLAIMS or said in _CLAIMS[answer.verdict],
        silent=tuple(_silently_filled(answer, case)),
        off=0 if restored else distance(sequence, expected),
    )


def _restores(answer: Sequence, case: Case) -> bool:
    return equivalent(answer, case.expected, case.open) or any(
        equivalent(answer, each) for each in case.also
    )


def _asked(sequence: Sequence) -> Counter[tuple[str, str]]:
    """Return for which parameters of which tools values are asked, and how often."""
    return Counter(
        (call.name, parameter)
        for call in sequence.calls
        for parameter, source in call.arguments.items()
        for slot in slots_of(source)
        if isinstance(slot, Ask)
    )
