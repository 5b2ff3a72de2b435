"""The generated errors of NESTFUL: broken sequences with the gold, and what was broken."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace

from nestful_data import PSEUDO_CALL, catalog_of, data_folder, refractor_of
from refract_asp import Catalog, Sequence
from refract_asp.bench.mutations import Mutation, mutate_token
from refract_asp.bench.mutations.mutation import Token, reads_of, with_ask, with_call
from refract_asp.model import Call, Constant, RepairResult, Violation

__all__ = ["INDUCED", "Row", "load_rows"]

INDUCED = (
    "missing_parameter",
    "made_up_parameter",
    "made_up_assignment",
    "missing_call",
    "bad_repeat",
)


@dataclass(frozen=True, slots=True)
class Row:
    """
    One broken sequence.

    Attributes:
        index: its line in the file, from 0.
        source: the data set whose tools it uses.
        induced: the kind of error that the generator made.
        mutation: what was broken, found by comparing broken and gold; its kind says how it is judged.
        flaws: what `check` finds in the gold.
        calls_only: whether the returns were left out, because those of the gold are not admissible.
        mended: whether the calls of the gold are not admissible either, and its repair is what is wanted.
    """

    index: int
    source: str
    induced: str
    mutation: Mutation
    flaws: tuple[Violation, ...]
    calls_only: bool
    mended: bool

    @property
    def key(self) -> str:
        """Name the row on one word: `executable/bad_repeat#160`."""
        return f"{self.source}/{self.induced}#{self.index}"


def load_rows(calls_only: bool = False) -> list[Row]:
    """Load the rows in the order of the file, with `var_result` as what they return or without it."""
    text = (data_folder() / "nestful" / "generated_errors.jsonl").read_text(encoding="utf-8")
    return [
        _row(index, json.loads(line), calls_only) for index, line in enumerate(text.splitlines())
    ]


def _row(index: int, data: dict[str, str], calls_only: bool) -> Row:
    source, induced = data["source"], data["induced"]
    broken, gold = Sequence.load(data["broken"]), Sequence.load(data["gold"])
    flaws = refractor_of(source).check(gold).violations
    without = calls_only or any(violation.call == len(gold.calls) for violation in flaws)
    if without:
        broken, gold = (s.model_copy(update={"returns": None}) for s in (broken, gold))
    mutation = _mutation(broken, gold, catalog_of(source), induced)
    mended = any(violation.call != len(gold.calls) for violation in flaws)
    if mended:
        mutation = _mended(mutation, refractor_of(source).repair(gold))
    return Row(index, source, induced, mutation, flaws, without, mended)


def _mended(mutation: Mutation, gold: RepairResult) -> Mutation:
    """Return the mutation with the repair of the gold as what is wanted, since no repair can be the gold."""
    token = replace(mutation.token, call=gold.origins.index(mutation.token.call))
    note = "; ".join(note for note in (mutation.note, "the gold itself has to be repaired") if note)
    expected = with_ask(gold.sequence, token) if mutation.kind == "lost_constant" else gold.sequence
    open = tuple(each._replace(call=gold.origins.index(each.call)) for each in mutation.open)
    return replace(mutation, expected=expected, token=token, note=note, open=open)


def _mutation(broken: Sequence, gold: Sequence, catalog: Catalog, induced: str) -> Mutation:
    """Find what was broken."""
    if len(broken.calls) < len(gold.calls):
        return _missing_call(broken, gold, catalog)
    if len(broken.calls) > len(gold.calls):
        index = _first_difference(broken.calls, gold.calls)
        return _unlike(
            broken, gold, Token(index), induced, f"is there before as {_shown(broken, index)}"
        )
    index = _first_difference(broken.calls, gold.calls)
    given, right = broken.calls[index].arguments, gold.calls[index].arguments
    parameter = next(p for p, source in right.items() if given.get(p) != source)
    token = Token(index, parameter)
    if parameter in given or given.keys() - right.keys():
        return _unlike(broken, gold, token, induced, f"is now {_shown(broken, index)}")
    if isinstance(right[parameter], Constant):
        return replace(_broken_as("lost_constant", gold, catalog, token), broken=broken)
    # The gold is what is wanted, though several calls may give the field.
    lost = _broken_as("missing_reference", gold, catalog, token)
    return replace(lost, broken=broken, expected=gold)


def _missing_call(broken: Sequence, gold: Sequence, catalog: Catalog) -> Mutation:
    """Find the lost call; what others read from it is often gone too."""
    label = next(iter({call.label for call in gold.calls} - {call.label for call in broken.calls}))
    index = next(n for n, call in enumerate(gold.calls) if call.label == label)
    others = [call for n, call in enumerate(gold.calls) if n != index]
    left = [read for read in reads_of(_with_returns(broken)) if read.reference.label == label]
    notes = [f"{read.reference} is still read as {read.parameter}" for read in left] or [
        "nothing reads it"
    ]
    notes += [
        f"gone with it: {parameter} of {call.label}"
        for call, given in zip(others, broken.calls, strict=True)
        for parameter in call.arguments
        if parameter not in given.arguments
    ]
    mutation = _broken_as("missing_step", gold, catalog, Token(index))
    # What is left to tell it by is not only a field: the name under which it is returned, a gap.
    return replace(mutation, broken=broken, informed=True, note="; ".join(notes))


def _broken_as(kind: str, gold: Sequence, catalog: Catalog, token: Token) -> Mutation:
    """Return the mutation that loses what stands at the token; there is nothing to choose."""
    mutation = mutate_token(gold, catalog, kind, token, random.Random(0))
    if mutation is None:
        raise ValueError(f"{kind} is impossible at {token}")
    return mutation


def _unlike(broken: Sequence, gold: Sequence, token: Token, kind: str, how: str) -> Mutation:
    """Return a mutation after which something stands there that was not there before."""
    return Mutation(kind, broken, gold, token, what=f"{_shown(gold, token.call)} {how}")


def _first_difference(left: SequenceOf[Call], right: SequenceOf[Call]) -> int:
    return next(n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)


def _shown(sequence: Sequence, index: int) -> str:
    return str(Sequence(calls=(sequence.calls[index],)))


def _with_returns(sequence: Sequence) -> Sequence:
    """Return the sequence with a last call that takes what it returns."""
    last = Call(name=PSEUDO_CALL, arguments=sequence.returns or {})
    return with_call(sequence, len(sequence.calls), last)
