"""Who reads what: references resolved to the calls that produce them, and what is known of their fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from refract_asp.model import Call, Catalog, Reference, Sequence, Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.sources import slots_of

__all__ = [
    "Read",
    "gives",
    "is_same_use",
    "is_shown_elsewhere",
    "one_producer",
    "reads_of",
    "tools_that_fit",
    "tools_that_give",
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
    return not candidates & (siblings - {lost.producer}) and candidates & elsewhere == {lost.producer}


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
