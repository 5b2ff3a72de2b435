"""The places of a sequence that can be broken, and sequences with one of them changed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple

from refract_asp.bench.mutations.flow import Read, reads_of
from refract_asp.model import Ask, Call, Catalog, Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.sources import replace_reference

__all__ = [
    "Passed",
    "Token",
    "arguments",
    "is_plain",
    "last_name",
    "paths_read",
    "read_at",
    "unused_label",
    "with_argument",
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


class Passed(NamedTuple):
    """A declared argument of a known tool."""

    token: Token
    tool: Tool
    declared: Parameter
    source: Source


def arguments(sequence: Sequence, catalog: Catalog) -> list[Passed]:
    """Return the declared arguments of known tools, in the order of the text."""
    found = []
    for index, call in enumerate(sequence.calls):
        tool = catalog.by_name.get(call.name)
        if tool is not None:
            found += [
                Passed(Token(index, name), tool, tool.parameters[name], source)
                for name, source in call.arguments.items()
                if name in tool.parameters
            ]
    return found


def is_plain(source: Source) -> bool:
    """Whether a source is a constant; executable#84 holds a reference that lacks its closing dollar."""
    return isinstance(source, Constant) and not str(source.value).startswith("$var")


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


def with_call(sequence: Sequence, index: int, *calls: Call | None) -> Sequence:
    """Return the sequence with one call replaced by others, or by None left out."""
    whole = list(sequence.calls)
    whole[index : index + 1] = [call for call in calls if call is not None]
    return sequence.model_copy(update={"calls": tuple(whole)})


def with_argument(sequence: Sequence, token: Token, source: Source) -> Sequence:
    """Return the sequence with another argument at the token, as the last one where there is none."""
    call = sequence.calls[token.call]
    changed = {**call.arguments, token.parameter or "": source}
    return with_call(sequence, token.call, call.model_copy(update={"arguments": changed}))


def without_argument(sequence: Sequence, token: Token) -> Sequence:
    """Return the sequence without the argument at the token."""
    call = sequence.calls[token.call]
    left = {p: source for p, source in call.arguments.items() if p != token.parameter}
    return with_call(sequence, token.call, call.model_copy(update={"arguments": left}))


def with_reference(sequence: Sequence, token: Token, reference: Reference) -> Sequence:
    """Return the sequence with another reference at the token."""
    given = sequence.calls[token.call].arguments[token.parameter or ""]
    return with_argument(sequence, token, replace_reference(given, {token.slot: reference})[0])


def with_ask(sequence: Sequence, token: Token) -> Sequence:
    """Return the sequence with an ask as the argument at the token."""
    name = _ask_name(sequence, sequence.calls[token.call], token.parameter or "")
    asked = with_argument(sequence, token, Ask(name=name))
    return asked.model_copy(update={"asks": (*sequence.asks, name)})


def _ask_name(sequence: Sequence, call: Call, parameter: str) -> str:
    """
    Name an ask after its parameter, after parameter and label, or with a number where that is taken.

    The name of a label, or of a value from memory that some call reads, is taken as well: written as a line,
    such a reference would read the ask.
    """
    taken = {*sequence.asks, *(each.label for each in sequence.calls if each.label)}
    taken |= {read.reference.label for read in reads_of(sequence)}
    names = [parameter, f"{parameter}_{call.label or call.name}"]
    names += [f"{parameter}_{n}" for n in range(2, len(taken) + 3)]
    return next(name for name in names if name not in taken)
