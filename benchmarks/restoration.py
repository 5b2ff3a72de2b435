"""Whether an answer is the sequence before a mutation, in the sense of `refract_asp.model.sameness`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mutations import Mutation
from refract_asp.model import Ask, Call, ConfirmArgument, Constant, RepairResult, Sequence
from refract_asp.model.sameness import canonical, same

__all__ = ["filled_silently", "is_confirmed", "is_restored"]


def is_restored(answer: Sequence, mutation: Mutation) -> bool:
    """
    Whether the answer is the sequence before the mutation.

    A lost constant has to be asked for, exactly once and for exactly its call and parameter. Of a lost
    step the constants are lost too: an ask or a constant may stand in their place, and optional ones
    may be absent. Where what is wanted is itself a repair, with asks, the answer has the same asks.
    """
    open_anyway = len(mutation.wanted.asks)
    if mutation.kind == "lost_constant":
        return len(answer.asks) == open_anyway + 1 and canonical(answer) == _asked(mutation)
    if mutation.kind == "missing_step":
        lost = mutation.wanted.calls[mutation.token.call]
        wanted = canonical(mutation.wanted, {mutation.token.call: _open(lost, lost)})
        return any(
            canonical(answer, {index: _open(call, lost)}) == wanted
            for index, call in enumerate(answer.calls)
            if call.name == lost.name and set(call.arguments) <= set(lost.arguments)
        )
    return len(answer.asks) == open_anyway and same(answer, mutation.wanted)


def is_confirmed(result: RepairResult, mutation: Mutation) -> bool:
    """Whether a lost constant was filled, confirmed at its place, and nothing else changed."""
    for index, call, parameter in _lost_constants(result, mutation):
        if mutation.kind == "lost_constant" and parameter in _confirmed(call):
            filled = call.model_copy(update={"arguments": {**call.arguments, parameter: Ask(name=parameter)}})
            return canonical(result.sequence, {index: filled}) == _asked(mutation)
    return False


def filled_silently(result: RepairResult, mutation: Mutation) -> list[str]:
    """Name the parameters whose constants were lost and that hold something neither asked nor confirmed."""
    return [
        parameter
        for _, call, parameter in _lost_constants(result, mutation)
        if not isinstance(call.arguments[parameter], Ask) and parameter not in _confirmed(call)
    ]


def _lost_constants(result: RepairResult, mutation: Mutation) -> Iterator[tuple[int, Call, str]]:
    """Yield the arguments of the answer that stand where the broken sequence had lost a constant."""
    for index, origin in enumerate(result.origins):
        call = result.sequence.calls[index]
        if mutation.kind == "lost_constant" and origin == mutation.token.call:
            parameters = [mutation.token.parameter or ""]
        elif mutation.kind == "missing_step" and origin is None:
            lost = mutation.wanted.calls[mutation.token.call]
            parameters = [p for p, source in lost.arguments.items() if isinstance(source, Constant)]
            parameters = parameters if call.name == lost.name else []
        else:
            parameters = []
        for parameter in parameters:
            if parameter in call.arguments:
                yield index, call, parameter


def _confirmed(call: Call) -> set[str]:
    return {confirm.parameter for confirm in call.confirms if isinstance(confirm, ConfirmArgument)}


def _asked(mutation: Mutation) -> Counter[str]:
    """Return what is wanted when the lost argument is an ask."""
    place, parameter = mutation.token.call, mutation.token.parameter or ""
    call = mutation.wanted.calls[place]
    arguments = {**call.arguments, parameter: Ask(name=parameter)}
    return canonical(mutation.wanted, {place: call.model_copy(update={"arguments": arguments})})


def _open(call: Call, lost: Call) -> Call:
    """Return the call without what may stand for the constants of the lost call."""
    unknown = {p for p, source in lost.arguments.items() if isinstance(source, Constant)}
    left = {
        p: source
        for p, source in call.arguments.items()
        if p not in unknown or not isinstance(source, Ask | Constant)
    }
    return call.model_copy(update={"arguments": left})
