"""
Broken sequences: one token of a sequence made wrong, as docs/evaluation.md defines.

`mutate` chooses the token by seed; `mutate_token` breaks a chosen one.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from refract_asp.bench.mutations.flow import one_producer, reads_of, tools_that_fit, tools_that_give, words_of
from refract_asp.bench.mutations.mutation import Mutation, Open
from refract_asp.bench.mutations.tokens import (
    Token,
    last_name,
    paths_read,
    read_at,
    tokens,
    unused_label,
    with_ask,
    with_call,
    with_reference,
    without_argument,
)
from refract_asp.bench.mutations.words import wrong_name
from refract_asp.model import Call, Catalog, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import FieldPath, path_text

__all__ = ["EXTRA_KINDS", "KINDS", "mutate", "mutate_token"]

KINDS = (
    "tool_name",
    "label",
    "missing_label",
    "missing_reference",
    "parameter_name",
    "made_up_label",
    "made_up_field",
)
EXTRA_KINDS = ("missing_step", "lost_constant")


def mutate(sequence: Sequence, catalog: Catalog, kind: str, seed: str) -> Mutation | None:
    """
    Break one token of a kind, chosen by seed.

    Returns:
        None when the sequence has no token of that kind.
    """
    rng = random.Random(f"{seed}:{kind}")
    found = tokens(sequence, catalog, kind)
    rng.shuffle(found)
    for token in found:
        mutation = mutate_token(sequence, catalog, kind, token, rng)
        if mutation is not None:
            return mutation
    return None


def mutate_token(
    sequence: Sequence, catalog: Catalog, kind: str, token: Token, rng: random.Random
) -> Mutation | None:
    """Break the token; None when no wrong name could be found for it."""
    return _MUTATE[kind](sequence, catalog, token, rng)


def _tool_name(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    call = sequence.calls[token.call]
    wrong = wrong_name(call.name, rng, catalog.by_name.__contains__)
    if wrong is None:
        return None
    fit = tools_that_fit(catalog, call, paths_read(sequence, token.call))
    return Mutation(
        kind="tool_name",
        broken=with_call(sequence, token.call, call.model_copy(update={"name": wrong[0]})),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: tool {call.name} is now {wrong[0]}",
        variant=wrong[1],
        informed=wrong[1] == "misspelt" or fit == [call.name],
        note=f"{len(fit)} tools take these arguments and give what is read: {', '.join(fit)}",
    )


def _label(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    del catalog
    call = sequence.calls[token.call]
    fresh = unused_label(sequence, rng)
    return Mutation(
        kind="label",
        broken=with_call(sequence, token.call, call.model_copy(update={"label": fresh})),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: label {call.label} is now {fresh}",
    )


def _missing_label(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    del catalog, rng
    call = sequence.calls[token.call]
    return Mutation(
        kind="missing_label",
        broken=with_call(sequence, token.call, call.model_copy(update={"label": None})),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: label {call.label} is gone",
    )


def _missing_step(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    del rng
    call = sequence.calls[token.call]
    paths = paths_read(sequence, token.call)
    tools = tools_that_give(catalog, paths)
    read = ", ".join(f"{p}={_shown(s)}" for p, s in call.arguments.items() if not isinstance(s, Constant))
    return Mutation(
        kind="missing_step",
        broken=with_call(sequence, token.call, None),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: the call is gone",
        open=_constants_of(token.call, call),
        informed=all(paths) and tools == [call.name],
        note=f"{len(tools)} tools give {', '.join(map(path_text, paths))}: {', '.join(tools)}"
        + (f"; the lost call read {read}" if read else ""),
    )


def _parameter_name(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    name = token.parameter or ""
    parameters = catalog.by_name[call.name].parameters
    wrong = wrong_name(name, rng, lambda word: word in parameters or word in call.arguments)
    if wrong is None:
        return None
    arguments = {wrong[0] if p == name else p: source for p, source in call.arguments.items()}
    free = [p for p in parameters if p == name or p not in call.arguments]
    return Mutation(
        kind="parameter_name",
        broken=with_call(sequence, token.call, call.model_copy(update={"arguments": arguments})),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: parameter {name} is now {wrong[0]}",
        variant=wrong[1],
        required=parameters[name].required,
        note=("required" if parameters[name].required else "optional")
        + f"; parameters without argument: {', '.join(free)}",
    )


def _missing_reference(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    name = token.parameter or ""
    source = sequence.calls[token.call].arguments[name]
    informed, note = False, "the text or structure around the reference is lost with it"
    if isinstance(source, Reference):
        read = next(r for r in reads_of(sequence) if (r.call, r.parameter) == (token.call, name))
        informed = read.producer is not None and one_producer(sequence, catalog, read)
        field = path_text(source.path)
        common = words_of(name) & words_of(field)
        note = f"parameter {name} and field {field} share " + (", ".join(sorted(common)) or "no word")
    return Mutation(
        kind="missing_reference",
        broken=without_argument(sequence, token),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: argument {name}={_shown(source)} is gone",
        informed=informed,
        required=True,
        note=note,
    )


def _lost_constant(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    del catalog, rng
    source = sequence.calls[token.call].arguments[token.parameter or ""]
    return Mutation(
        kind="lost_constant",
        broken=without_argument(sequence, token),
        expected=with_ask(sequence, token),
        token=token,
        what=f"{_place(sequence, token)}: argument {token.parameter}={_shown(source)} is gone",
        required=True,
    )


def _made_up_label(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    read = read_at(sequence, token)
    fresh = read.reference.model_copy(update={"label": unused_label(sequence, rng)})
    return Mutation(
        kind="made_up_label",
        broken=with_reference(sequence, token, fresh),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: {token.parameter} reads {fresh} instead of {read.reference}",
        informed=one_producer(sequence, catalog, read),
    )


def _made_up_field(sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random) -> Mutation | None:
    read = read_at(sequence, token)
    producer = sequence.calls[read.producer] if read.producer is not None else None
    tool = catalog.by_name.get(producer.name) if producer is not None else None
    last = last_name(read.reference.path)
    if tool is None or last is None:
        return None
    path = read.reference.path

    def changed(word: str) -> FieldPath:
        return (*path[:last], word, *path[last + 1 :])

    # A field that the tool may return after all (its output is open there) would not be wrong.
    wrong = wrong_name(str(path[last]), rng, lambda word: tool.returns_path(changed(word)))
    if wrong is None:
        return None
    made_up = read.reference.model_copy(update={"path": changed(wrong[0])})
    return Mutation(
        kind="made_up_field",
        broken=with_reference(sequence, token, made_up),
        expected=sequence,
        token=token,
        what=f"{_place(sequence, token)}: {token.parameter} reads {made_up} instead of {read.reference}",
        variant=wrong[1],
        note=f"{tool.name} has {len(tool.output_fields)} output fields",
    )


_MUTATE: dict[str, Callable[[Sequence, Catalog, Token, random.Random], Mutation | None]] = {
    "tool_name": _tool_name,
    "label": _label,
    "missing_label": _missing_label,
    "missing_step": _missing_step,
    "parameter_name": _parameter_name,
    "missing_reference": _missing_reference,
    "lost_constant": _lost_constant,
    "made_up_label": _made_up_label,
    "made_up_field": _made_up_field,
}


def _constants_of(index: int, call: Call) -> tuple[Open, ...]:
    """Return what nobody can know of a lost call: its constants."""
    unknown = frozenset(p for p, source in call.arguments.items() if isinstance(source, Constant))
    return (Open(index, unknown),) if unknown else ()


def _place(sequence: Sequence, token: Token) -> str:
    call = sequence.calls[token.call]
    return f"call {token.call + 1} ({call.label or 'no label'}, {call.name})"


def _shown(source: Source) -> str:
    if isinstance(source, Template):
        return "".join(map(str, source.parts))
    return repr(source.value) if isinstance(source, Constant | Structure) else str(source)
