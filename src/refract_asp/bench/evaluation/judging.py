"""Whether an answer is what was expected, in the sense of `refract_asp.model.sameness`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from itertools import permutations

from refract_asp.bench.mutations.mutation import Open
from refract_asp.model import Ask, Call, ConfirmArgument, Constant, Sequence
from refract_asp.model.sameness import canonical, digests, same

__all__ = ["confirmed", "equivalent", "exact", "silently_filled"]

MAX_PLACES = 200
"""At most so many ways are tried to tell which calls stand for those that are partly open."""


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
    wanted = canonical(expected, {each.call: _without(expected.calls[each.call], each) for each in open})
    return any(canonical(answer, others) == wanted for others in _stand_ins(answer, expected, open))


def _stand_ins(answer: Sequence, expected: Sequence, open: SequenceOf[Open]) -> Iterator[Mapping[int, Call]]:
    """Yield the ways in which calls of the answer may stand for those that are partly open."""
    fits = [
        [
            index
            for index, call in enumerate(answer.calls)
            if call.name == expected.calls[each.call].name
            and call.arguments.keys() <= expected.calls[each.call].arguments.keys()
        ]
        for each in open
    ]
    candidates = sorted({index for found in fits for index in found})
    for tried, chosen in enumerate(permutations(candidates, len(open))):
        if tried >= MAX_PLACES:
            return
        if all(index in found for index, found in zip(chosen, fits, strict=True)):
            yield {
                index: _without(answer.calls[index], each) for index, each in zip(chosen, open, strict=True)
            }


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
    return any(
        canonical(answer, {index: _asking(call, parameter)}) == wanted
        for index, call in enumerate(answer.calls)
        for parameter in _asked_of(expected, call.name) & _to_confirm(call)
    )


def silently_filled(
    answer: Sequence,
    origins: SequenceOf[int | None],
    broken: Sequence,
    expected: Sequence,
    open: SequenceOf[Open] = (),
) -> list[str]:
    """
    Name the parameters that hold something which nobody gave, asked for or will confirm.

    Looked at are those that the expected sequence asks for, and in added calls those that are open. `origins`
    tells for each call of the answer which of the broken ones it is, None for an added one.
    """
    right = set(digests(expected))
    found = []
    for call, digest, origin in zip(answer.calls, digests(answer), origins, strict=True):
        lost = _asked_of(expected, call.name) if digest not in right else set()
        if origin is None:
            lost |= {
                p for each in open if expected.calls[each.call].name == call.name for p in each.parameters
            }
        given = broken.calls[origin].arguments if origin is not None else {}
        found += [
            parameter
            for parameter in sorted(lost - given.keys() - _to_confirm(call))
            if not isinstance(call.arguments.get(parameter, _NOTHING), Ask)
        ]
    return found


_NOTHING = Ask(name="nothing")


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


def _asking(call: Call, parameter: str) -> Call:
    return call.model_copy(update={"arguments": {**call.arguments, parameter: Ask(name=parameter)}})
