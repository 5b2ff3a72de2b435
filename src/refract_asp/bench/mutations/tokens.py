"""The tokens of a sequence that can be broken, and sequences with one of them changed."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from refract_asp.bench.mutations.flow import Read, reads_of
from refract_asp.model import Ask, Call, Catalog, Constant, Reference, Sequence, Source
from refract_asp.model.paths import FieldPath
from refract_asp.model.sources import replace_reference, slots_of

__all__ = [
    "Token",
    "last_name",
    "paths_read",
    "read_at",
    "tokens",
    "unused_label",
    "with_ask",
    "with_call",
    "with_reference",
    "without_argument",
]

SPARE_LABELS = 20


@dataclass(frozen=True, slots=True)
class Token:
    """A place in a sequence: a call, an argument of it, a reference inside that (1, 2, ...; 0 is none)."""

    call: int
    parameter: str | None = None
    slot: int = 0


def tokens(sequence: Sequence, catalog: Catalog, kind: str) -> list[Token]:
    """Return the tokens of the sequence that can be broken in this way, in the order of the text."""
    calls = sequence.calls
    if kind == "tool_name":
        return [Token(i) for i, call in enumerate(calls) if call.name in catalog.by_name]
    if kind in ("label", "missing_label", "missing_step"):
        times = Counter(call.label for call in calls)
        read = {r.producer for r in reads_of(sequence)}
        return [Token(i) for i, call in enumerate(calls) if i in read and times[call.label] == 1]
    if kind in ("made_up_label", "made_up_field"):
        resolved = [r for r in reads_of(sequence) if r.producer is not None]
        return [
            Token(r.call, r.parameter, r.slot)
            for r in resolved
            if kind == "made_up_label" or last_name(r.reference.path) is not None
        ]
    takes = {
        "parameter_name": _is_declared,
        "missing_reference": _is_required_reference,
        "lost_constant": _is_required_constant,
    }
    return [
        Token(i, parameter)
        for i, call in enumerate(calls)
        for parameter, source in call.arguments.items()
        if takes[kind](catalog, call, parameter, source)
    ]


def _is_declared(catalog: Catalog, call: Call, parameter: str, source: Source) -> bool:
    del source
    tool = catalog.by_name.get(call.name)
    return tool is not None and not tool.additional_parameters and parameter in tool.parameters


def _is_required(catalog: Catalog, call: Call, parameter: str) -> bool:
    tool = catalog.by_name.get(call.name)
    return tool is not None and parameter in tool.parameters and tool.parameters[parameter].required


def _is_required_reference(catalog: Catalog, call: Call, parameter: str, source: Source) -> bool:
    return _is_required(catalog, call, parameter) and any(isinstance(s, Reference) for s in slots_of(source))


def _is_plain(source: Source) -> bool:
    """Whether a source is a constant; executable#84 holds a reference that lacks its closing dollar."""
    return isinstance(source, Constant) and not str(source.value).startswith("$var")


def _is_required_constant(catalog: Catalog, call: Call, parameter: str, source: Source) -> bool:
    return _is_required(catalog, call, parameter) and _is_plain(source)


def paths_read(sequence: Sequence, call: int) -> list[FieldPath]:
    """Return the distinct paths that are read from a call, in the order of the text."""
    return list(dict.fromkeys(r.reference.path for r in reads_of(sequence) if r.producer == call))


def last_name(path: FieldPath) -> int | None:
    """Return the position of the last field name in the path."""
    return max((n for n, step in enumerate(path) if isinstance(step, str)), default=None)


def read_at(sequence: Sequence, token: Token) -> Read:
    """Return the reference at the token."""
    place = (token.call, token.parameter, token.slot)
    return next(r for r in reads_of(sequence) if (r.call, r.parameter, r.slot) == place)


def unused_label(sequence: Sequence, rng: random.Random) -> str:
    """Return a `varN` that nothing bears or reads, N up to the number of calls and some."""
    used = {call.label for call in sequence.calls} | {r.reference.label for r in reads_of(sequence)}
    free = [f"var{n}" for n in range(1, len(sequence.calls) + SPARE_LABELS + 1) if f"var{n}" not in used]
    return rng.choice(free)


def with_call(sequence: Sequence, index: int, call: Call | None) -> Sequence:
    """Return the sequence with one call replaced, or left out."""
    calls = list(sequence.calls)
    calls[index : index + 1] = [] if call is None else [call]
    return sequence.model_copy(update={"calls": tuple(calls)})


def without_argument(sequence: Sequence, token: Token) -> Sequence:
    """Return the sequence without the argument at the token."""
    call = sequence.calls[token.call]
    left = {p: source for p, source in call.arguments.items() if p != token.parameter}
    return with_call(sequence, token.call, call.model_copy(update={"arguments": left}))


def with_reference(sequence: Sequence, token: Token, reference: Reference) -> Sequence:
    """Return the sequence with another reference at the token."""
    call = sequence.calls[token.call]
    name = token.parameter or ""
    source, _ = replace_reference(call.arguments[name], {token.slot: reference})
    arguments = {**call.arguments, name: source}
    return with_call(sequence, token.call, call.model_copy(update={"arguments": arguments}))


def with_ask(sequence: Sequence, token: Token) -> Sequence:
    """Return the sequence with an ask as the argument at the token."""
    call = sequence.calls[token.call]
    name = _ask_name(sequence, call, token.parameter or "")
    arguments = {**call.arguments, token.parameter or "": Ask(name=name)}
    asked = with_call(sequence, token.call, call.model_copy(update={"arguments": arguments}))
    return asked.model_copy(update={"asks": (*sequence.asks, name)})


def _ask_name(sequence: Sequence, call: Call, parameter: str) -> str:
    """Name an ask after its parameter, or after parameter and label where another ask has that name."""
    return parameter if parameter not in sequence.asks else f"{parameter}_{call.label or call.name}"
