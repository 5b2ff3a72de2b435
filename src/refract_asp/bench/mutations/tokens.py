"""The places of a sequence that can be broken, and sequences with one of them changed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from refract_asp.model import (
    Ask,
    Call,
    Catalog,
    Constant,
    Parameter,
    Reference,
    Sequence,
    Source,
    Structure,
    Template,
    Tool,
)
from refract_asp.model.paths import FieldPath
from refract_asp.model.sources import replace_reference, slots_of

__all__ = [
    "Passed",
    "Read",
    "Token",
    "arguments",
    "gives",
    "is_plain",
    "is_same_use",
    "is_shown_elsewhere",
    "last_name",
    "one_producer",
    "paths_read",
    "place_text",
    "read_at",
    "reads_of",
    "source_text",
    "tools_that_fit",
    "tools_that_give",
    "unused_label",
    "value_text",
    "with_argument",
    "with_ask",
    "with_call",
    "with_reference",
    "without_argument",
]


class Read(NamedTuple):
    """A reference inside an argument; `producer` is the earlier call that it resolves to, or None."""

    call: int
    parameter: str
    slot: int
    reference: Reference
    producer: int | None


def reads_of(sequence: Sequence) -> list[Read]:
    """Return every reference in the order of the text; a label given twice means its last use before."""
    found = []
    bearer: dict[str, int] = {}
    for index, call in enumerate(sequence.calls):
        for parameter, source in call.arguments.items():
            for slot, inner in enumerate(slots_of(source), 1):
                if isinstance(inner, Reference):
                    found.append(Read(index, parameter, slot, inner, bearer.get(inner.label)))
        if call.label is not None:
            bearer[call.label] = index
    return found


def gives(tool: Tool | None, path: FieldPath) -> bool:
    """Whether the tool declares the field by name; indexes behind the last name are not judged."""
    if tool is None:
        return False
    plain: FieldPath = tuple(0 if isinstance(step, int) else step for step in path)
    while plain and isinstance(plain[-1], int):
        plain = plain[:-1]
    return tool.returns_path(path) and any(field.path == plain for field in tool.output_fields)


def tools_that_give(catalog: Catalog, paths: Iterable[FieldPath]) -> list[str]:
    """Name the tools that declare every one of the paths."""
    wanted = list(paths)
    return [tool.name for tool in catalog if all(gives(tool, path) for path in wanted)]


def tools_that_fit(catalog: Catalog, call: Call, paths: Iterable[FieldPath]) -> list[str]:
    """Name the tools that take exactly the arguments of the call and give what is read from it."""
    wanted = list(paths)
    return [
        tool.name
        for tool in catalog
        if all(p in tool.parameters for p in call.arguments)
        and all(p.name in call.arguments for p in tool.parameters.values() if p.required)
        and all(gives(tool, path) for path in wanted)
    ]


def one_producer(sequence: Sequence, catalog: Catalog, lost: Read) -> bool:
    """
    Whether a lost reference can be told from what is left ("informed" in docs/evaluation.md).

    One earlier call declares the field, or several do and one of them feeds the same call
    through a sibling without giving it this very field already.
    """
    candidates = _givers(sequence, catalog, lost)
    if candidates == {lost.producer}:
        return True
    siblings = [
        read
        for read in reads_of(sequence)
        if read.call == lost.call and (read.parameter, read.slot) != (lost.parameter, lost.slot)
    ]
    feeding = candidates & {read.producer for read in siblings}
    already = {read.producer for read in siblings if read.reference.path == lost.reference.path}
    return (feeding - already or feeding) == {lost.producer}


def is_shown_elsewhere(sequence: Sequence, catalog: Catalog, lost: Read) -> bool:
    """
    Whether the sequence itself shows what filled a parameter, where no sibling tells it.

    One of the calls that declare the field alone gives it to a parameter of the same name elsewhere.
    """
    candidates: set[int | None] = set(_givers(sequence, catalog, lost))
    siblings = {read.producer for read in reads_of(sequence) if read.call == lost.call}
    elsewhere = {read.producer for read in reads_of(sequence) if is_same_use(read, lost)}
    return not candidates & (siblings - {lost.producer}) and candidates & elsewhere == {
        lost.producer
    }


def is_same_use(read: Read, other: Read) -> bool:
    """Whether two calls read the same field as a parameter of the same name."""
    use = (read.parameter, read.reference.path)
    return read.call != other.call and use == (other.parameter, other.reference.path)


def _givers(sequence: Sequence, catalog: Catalog, lost: Read) -> set[int]:
    """Return the earlier calls that declare the field."""
    return {
        index
        for index, call in enumerate(sequence.calls[: lost.call])
        if gives(catalog.by_name.get(call.name), lost.reference.path)
    }


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
    free = [
        f"var{n}" for n in range(1, len(sequence.calls) + SPARE_LABELS + 1) if f"var{n}" not in used
    ]
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


def place_text(sequence: Sequence, token: Token) -> str:
    """Name the call of a token: `call 2 (var2, SearchHotels)`."""
    call = sequence.calls[token.call]
    return f"call {token.call + 1} ({call.label or 'no label'}, {call.name})"


def source_text(source: Source) -> str:
    """Print what an argument is bound to."""
    if isinstance(source, Template):
        return "".join(map(str, source.parts))
    return value_text(source.value) if isinstance(source, Constant | Structure) else str(source)


def value_text(value: object) -> str:
    """Print a value as JSON, or as Python where references stand in it."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return repr(value)
