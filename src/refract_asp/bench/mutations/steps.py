"""Kinds that break steps: calls that are gone, there twice, too late, or inside another one."""

from __future__ import annotations

import random
from collections import Counter

from refract_asp.bench.mutations.mutation import (
    Kind,
    Mutation,
    Open,
    is_told,
    is_written,
    misfits,
    wrong_name,
)
from refract_asp.bench.mutations.references import read_calls
from refract_asp.bench.mutations.tokens import (
    Token,
    paths_read,
    place_text,
    reads_of,
    source_text,
    tools_that_give,
    with_argument,
    with_call,
)
from refract_asp.model import Call, Catalog, Constant, Reference, Sequence
from refract_asp.model.paths import path_text
from refract_asp.model.sources import slots_of

__all__ = ["KINDS"]


def _missing_step(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    call = sequence.calls[token.call]
    paths = paths_read(sequence, token.call)
    tools = tools_that_give(catalog, paths)
    read = ", ".join(
        f"{p}={source_text(s)}" for p, s in call.arguments.items() if not isinstance(s, Constant)
    )
    chosen = _reads_by_choice(call, catalog)
    return Mutation(
        kind="missing_step",
        broken=with_call(sequence, token.call, None),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: the call is gone",
        open=_constants_of(token.call, call),
        informed=all(paths) and tools == [call.name] and not chosen,
        note=f"{len(tools)} tools give {', '.join(map(path_text, paths))}: {', '.join(tools)}"
        + (f"; the lost call read {read}" if read else "")
        + (f"; nothing demands {', '.join(chosen)}" if chosen else ""),
        origins=_without(sequence, token.call),
    )


def _constants_of(index: int, call: Call) -> tuple[Open, ...]:
    """Return what nobody can know of a lost call: its constants."""
    unknown = frozenset(p for p, source in call.arguments.items() if isinstance(source, Constant))
    return (Open(index, unknown),) if unknown else ()


def _reads_by_choice(call: Call, catalog: Catalog) -> list[str]:
    """Return the parameters that hold a reference and need not be passed: nothing tells that they were."""
    parameters = catalog.by_name[call.name].parameters if call.name in catalog.by_name else {}
    return [
        p
        for p, source in call.arguments.items()
        if not (p in parameters and parameters[p].required)
        and any(isinstance(slot, Reference) for slot in slots_of(source))
    ]


def _without(sequence: Sequence, index: int) -> tuple[int | None, ...]:
    """Return the calls that are left when one is gone."""
    return tuple(n for n in range(len(sequence.calls)) if n != index)


def _labelled(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the calls of known tools under a label of their own."""
    times = Counter(call.label for call in sequence.calls)
    return [
        Token(i)
        for i, call in enumerate(sequence.calls)
        if call.label is not None and times[call.label] == 1 and call.name in catalog.by_name
    ]


def _repeated_call(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    variant = rng.choice(("copy", "attempt"))
    before = call if variant == "copy" else _attempt(call, catalog, rng)
    if before is None:
        return None
    count = len(sequence.calls)
    return Mutation(
        kind="repeated_call",
        broken=with_call(sequence, token.call, before, call),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: the call is made twice under one label"
        + ("" if variant == "copy" else f", first as {Sequence(calls=(before,))}"),
        variant=variant,
        origins=(*range(token.call), None, *range(token.call, count)),
    )


def _attempt(call: Call, catalog: Catalog, rng: random.Random) -> Call | None:
    """Return the call with a required argument left out, or with one under a wrong name."""
    tool = catalog.by_name[call.name]
    given = [p for p in call.arguments if p in tool.parameters]
    required = [p for p in given if tool.parameters[p].required]
    ways = ["without"] * bool(required) + ["misnamed"] * bool(
        given and not tool.additional_parameters
    )
    if not ways:
        return None
    if rng.choice(ways) == "without":
        gone = rng.choice(required)
        left = {p: source for p, source in call.arguments.items() if p != gone}
        return call.model_copy(update={"arguments": left})
    chosen = rng.choice(given)
    wrong = wrong_name(chosen, rng, lambda word: word in tool.parameters or word in call.arguments)
    if wrong is None:
        return None
    changed = {wrong[0] if p == chosen else p: source for p, source in call.arguments.items()}
    return call.model_copy(update={"arguments": changed})


def _late(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the readers that may be put before what they read, where a repair may put them back."""
    labels = [call.label for call in sequence.calls if call.label is not None]
    if len(set(labels)) < len(labels):
        return []
    found = []
    for index in dict.fromkeys(r.call for r in reads_of(sequence) if r.producer is not None):
        nearest = max(
            r.producer for r in reads_of(sequence) if r.call == index and r.producer is not None
        )
        passed = sequence.calls[nearest : index + 1]
        tools = [catalog.by_name.get(call.name) for call in passed]
        if all(tools) and sum(is_written(tool) for tool in tools if tool is not None) < 2:
            found.append(Token(index))
    return found


def _call_order(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del catalog, rng
    moved = token.call
    nearest = max(
        r.producer for r in reads_of(sequence) if r.call == moved and r.producer is not None
    )
    order = [*range(nearest), moved, *range(nearest, moved), *range(moved + 1, len(sequence.calls))]
    calls = tuple(sequence.calls[index] for index in order)
    return Mutation(
        kind="call_order",
        broken=sequence.model_copy(update={"calls": calls}),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: the call stands before call {nearest + 1}, from which it reads",
        origins=tuple(order),
    )


def _sole_readers(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the arguments that alone read from a call, of which all arguments are constant."""
    reads = reads_of(sequence)
    times = Counter(r.producer for r in reads)
    labels = Counter(call.label for call in sequence.calls)
    found = []
    for read in reads:
        reader = sequence.calls[read.call]
        if read.producer is None or times[read.producer] > 1 or read.parameter is None:
            continue
        inner = sequence.calls[read.producer]
        tool = catalog.by_name.get(reader.name)
        is_whole = isinstance(reader.arguments[read.parameter], Reference)
        is_plain = all(isinstance(source, Constant) for source in inner.arguments.values())
        is_known = (
            tool is not None and read.parameter in tool.parameters and inner.name in catalog.by_name
        )
        if is_whole and is_plain and is_known and labels[inner.label] == 1:
            found.append(Token(read.call, read.parameter, read.slot))
    return found


def _inner_call(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    read = next(
        r for r in reads_of(sequence) if (r.call, r.parameter) == (token.call, token.parameter)
    )
    if read.producer is None:
        return None
    inner = sequence.calls[read.producer]
    taker = catalog.by_name[sequence.calls[token.call].name]
    name = token.parameter or ""
    given = {p: s.value for p, s in inner.arguments.items() if isinstance(s, Constant)}
    forms = {
        "object": {"name": inner.name, "arguments": given},
        "text": str(Sequence(calls=(inner.model_copy(update={"label": None}),))),
    }
    possible = [variant for variant, value in forms.items() if misfits(taker, name, value)]
    if not possible:
        return None
    variant = rng.choice(possible)
    written = with_argument(sequence, token, Constant(value=forms[variant]))
    return Mutation(
        kind="inner_call",
        broken=with_call(written, read.producer, None),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: {name} holds the call of {inner.name} from which it read",
        variant=variant,
        informed=is_told(catalog.by_name[inner.name], read.reference.path, taker, name),
        note=f"it read {path_text(read.reference.path)}",
        origins=_without(sequence, read.producer),
    )


KINDS = (
    Kind(
        "missing_step",
        "a call that others read is gone",
        "one tool declares all the fields that are read from it, and it read nothing into an optional "
        "parameter, as nothing tells that; its constants are lost, so that a constant or an ask may stand "
        "for each",
        "steps",
        read_calls,
        _missing_step,
    ),
    Kind(
        "repeated_call",
        "a call is made twice under one label: as it is, or first as an attempt that lacks an argument or "
        "misnames one",
        "always: the right call has all that the attempt has",
        "steps",
        _labelled,
        _repeated_call,
    ),
    Kind(
        "call_order",
        "a call stands before the one from which it reads",
        "always: no two calls that are declared to change something pass each other",
        "steps",
        _late,
        _call_order,
    ),
    Kind(
        "inner_call",
        "a call is written inside the argument that read from it, as an object or as text",
        "type and name of the parameter tell the field that was read, as for type_mismatch",
        "steps",
        _sole_readers,
        _inner_call,
    ),
)
