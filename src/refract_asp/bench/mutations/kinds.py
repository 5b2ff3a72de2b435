"""All kinds of mutations, and how one is made."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from refract_asp.bench.mutations import forms, names, references, steps, values
from refract_asp.bench.mutations.mutation import Kind, Mutation, Open
from refract_asp.bench.mutations.tokens import Token, is_same_use, reads_of, with_ask
from refract_asp.errors import InputError, shown
from refract_asp.model import Ask, Call, Catalog, Sequence, Source

__all__ = [
    "KINDS",
    "MAX_PARTS",
    "SEVEN",
    "kind_of",
    "mutate",
    "mutate_many",
    "mutate_token",
    "tokens",
]


_ALL = (
    *names.KINDS,
    *references.KINDS,
    *steps.KINDS,
    *forms.KINDS,
    *values.KINDS,
    *values.HARMLESS,
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ALL})
"""Every kind by its name: names, references, steps, values, and last what is harmless."""

SEVEN = (
    "tool_name",
    "label",
    "missing_label",
    "missing_reference",
    "parameter_name",
    "made_up_label",
    "made_up_field",
)
"""The kinds that the first figures were measured with: one wrong token, whose call is still there."""


def kind_of(name: str) -> Kind:
    """
    Return a kind by its name.

    Raises:
        InputError: no kind bears the name; the message names those there are.
    """
    found = KINDS.get(name)
    if found is None:
        raise InputError(
            f"there is no kind of mutation {shown(name)!r}.", hint=f"There are: {', '.join(KINDS)}."
        )
    return found


def mutate(sequence: Sequence, catalog: Catalog, kind: str, seed: str | int = 0) -> Mutation | None:
    """
    Break a sequence at one place of a kind, chosen by seed.

    Args:
        sequence: a valid sequence.
        catalog: its tools.
        kind: one of `KINDS`.
        seed: the same one breaks the same sequence in the same way, whatever the hash seed.

    Returns:
        None when the sequence has no such place.

    Raises:
        InputError: no kind bears the name.

    Example:
        >>> tool = {"name": "Search", "parameters": {"query": {"required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> broken = mutate(Sequence.load('a = Search(query="Rome")'), catalog, "lost_constant")
        >>> str(broken.broken), str(broken.expected)
        ('a = Search()', 'ask(query)\\na = Search(query=query)')
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
    """Break a chosen place; None when nothing wrong is found for it."""
    return kind_of(kind).breaks(sequence, catalog, token, rng)


def tokens(sequence: Sequence, catalog: Catalog, kind: str) -> list[Token]:
    """Return the places of the sequence that may be broken in this way, in the order of the text."""
    return kind_of(kind).places(sequence, catalog)


MAX_PARTS = 20
"""At most so many mutations are put into one sequence."""
ATTEMPTS = 60
"""So often a place is looked for, for each part."""

Mark: TypeAlias = tuple[str, object]
"""A token by sort and place: ("name", 1), ("label", 1), ("argument", (1, "query")), ("new label", "var9")."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A mutation, what it changes, and on what else its repair rests."""

    mutation: Mutation
    touched: frozenset[Mark]
    rests_on: frozenset[Mark]

    def is_apart(self, other: _Part) -> bool:
        """Whether neither touches what the other one touches or rests on."""
        return not (
            self.touched & (other.touched | other.rests_on) or other.touched & self.rests_on
        )


def mutate_many(
    sequence: Sequence,
    catalog: Catalog,
    kinds: Iterable[str] | None = None,
    count: int = 3,
    seed: str | int = 0,
) -> Mutation | None:
    """
    Break a sequence at several places that do not touch each other.

    Args:
        sequence: a valid sequence.
        catalog: its tools.
        kinds: which kinds are mixed, each as likely; by default all that break something.
        count: how many mutations, from 1 to 20.
        seed: the same one breaks the same sequence in the same way, whatever the hash seed.

    Returns:
        A mutation of kind "mix", its single mutations as `parts`; None when no so many places were found.

    Raises:
        InputError: no kind bears a name, or the count is out of range.
    """
    if not 1 <= count <= MAX_PARTS:
        raise InputError(
            f"a mix of {count} mutations is not made.", hint=f"1 to {MAX_PARTS} can be mixed."
        )
    chosen = [
        kind
        for kind in map(kind_of, KINDS if kinds is None else kinds)
        if kind.family != "harmless"
    ]
    if not chosen:
        raise InputError("nothing is to be mixed.", hint="Name a kind that breaks something.")
    rng = random.Random(f"{seed}:mix:{count}")
    places = {kind.name: tokens(sequence, catalog, kind.name) for kind in chosen}
    names = [name for name, found in places.items() if found]
    parts: list[_Part] = []
    for _ in range(ATTEMPTS * count if names else 0):
        kind = rng.choice(names)
        mutation = mutate_token(sequence, catalog, kind, rng.choice(places[kind]), rng)
        if mutation is None:
            continue
        part = _Part(mutation, _touched(sequence, mutation), _rests_on(sequence, mutation))
        if all(part.is_apart(other) for other in parts):
            parts.append(part)
        if len(parts) == count:
            parts.sort(
                key=lambda part: (part.mutation.token.call, part.mutation.token.parameter or "")
            )
            return _mixed(sequence, [part.mutation for part in parts])
    return None


def _pairs(sequence: Sequence, mutation: Mutation) -> Iterator[tuple[int | None, Call]]:
    """Yield the calls of the broken sequence, each with which it was before."""
    origins = mutation.origins or range(len(sequence.calls))
    return zip(origins, mutation.broken.calls, strict=True)


def _all_of(sequence: Sequence, index: int) -> set[Mark]:
    """Return every token of a call."""
    call = sequence.calls[index]
    return {("name", index), ("label", index), *(("argument", (index, p)) for p in call.arguments)}


def _touched(sequence: Sequence, mutation: Mutation) -> frozenset[Mark]:
    """Return the tokens that a mutation changes."""
    marks: set[Mark] = set()
    seen = []
    for index, call in _pairs(sequence, mutation):
        if index is None:  # a copy of the call at the token: what it copies stays as it is
            marks |= _all_of(sequence, mutation.token.call)
            continue
        seen.append(index)
        given = sequence.calls[index]
        if call.name != given.name:
            marks.add(("name", index))
        if call.label != given.label:
            marks |= (
                {("label", index), ("new label", call.label)} if call.label else {("label", index)}
            )
        marks |= {("argument", (index, p)) for p in _changed(given, call)}
    for index in range(len(sequence.calls)):
        if index not in seen:
            marks |= _all_of(sequence, index)
    if seen != sorted(seen):
        marks |= _all_of(sequence, mutation.token.call)
    known = {call.label for call in sequence.calls} | {
        r.reference.label for r in reads_of(sequence)
    }
    marks |= {
        ("new label", read.reference.label)
        for read in reads_of(mutation.broken)
        if read.reference.label not in known
    }
    if len(mutation.expected.calls) != len(sequence.calls):
        marks |= _all_of(sequence, mutation.token.call)
    return frozenset(marks)


def _changed(given: Call, call: Call) -> set[str]:
    """Return the parameters whose arguments differ."""
    return {
        p
        for p in given.arguments.keys() | call.arguments.keys()
        if given.arguments.get(p) != call.arguments.get(p)
    }


def _rests_on(sequence: Sequence, mutation: Mutation) -> frozenset[Mark]:
    """Return the tokens from which the repair is told, besides those that are changed."""
    token, reads = mutation.token, reads_of(sequence)
    marks: set[Mark] = {("name", token.call)}
    touched = _touched(sequence, mutation)
    for read in reads:
        is_changed = ("argument", (read.call, read.parameter)) in touched
        if is_changed and read.producer is not None:  # what it reads has to be there
            marks |= {("name", read.producer), ("label", read.producer)}
            marks |= {("argument", (r.call, r.parameter)) for r in reads if is_same_use(r, read)}
        is_borne = ("label", read.producer) in touched or ("name", read.producer) in touched
        if is_borne:  # who reads it tells what it was
            marks |= {("name", read.call), ("argument", (read.call, read.parameter))}
    if kind_of(mutation.kind).family == "names" or mutation.kind == "missing_reference":
        marks |= _all_of(sequence, token.call) - {
            ("label", token.call)
        }  # which name is free, or fits best
    return frozenset(marks)


def _mixed(sequence: Sequence, parts: SequenceOf[Mutation]) -> Mutation:
    """Put together what each part changed."""
    expected, start = _expected(sequence, parts)
    return Mutation(
        kind="mix",
        broken=_broken(sequence, parts),
        expected=expected,
        token=parts[0].token,
        what="; ".join(part.what for part in parts),
        variant="+".join(part.kind for part in parts),
        informed=all(part.informed or part.asks for part in parts),
        note="; ".join(part.note for part in parts if part.note),
        open=tuple(Open(start[each.call], each.parameters) for part in parts for each in part.open),
        parts=tuple(parts),
    )


def _broken(sequence: Sequence, parts: SequenceOf[Mutation]) -> Sequence:
    """Return the sequence with the changes of every part."""
    order: list[tuple[int | None, Call | None]] = [(n, None) for n in range(len(sequence.calls))]
    for part in parts:
        order = _reordered(order, sequence, part)
    calls = [_merged(sequence, index, parts) if call is None else call for index, call in order]
    return sequence.model_copy(update={"calls": tuple(call for call in calls if call is not None)})


def _reordered(
    order: list[tuple[int | None, Call | None]], sequence: Sequence, part: Mutation
) -> list[tuple[int | None, Call | None]]:
    """Return which calls stand where after a part: calls gone, added or moved."""
    if part.origins is None:
        return order
    pairs = list(_pairs(sequence, part))
    left = [index for index, _ in pairs if index is not None]
    kept = [each for each in order if each[0] is None or each[0] in left]
    if left != sorted(left):  # one call moved before another
        place = left.index(part.token.call)
        after = left[place + 1]
        moved = next(each for each in kept if each[0] == part.token.call)
        kept.remove(moved)
        kept.insert(next(n for n, each in enumerate(kept) if each[0] == after), moved)
    for place, (index, call) in enumerate(pairs):
        if index is None:
            after = next(other for other, _ in pairs[place + 1 :] if other is not None)
            kept.insert(next(n for n, each in enumerate(kept) if each[0] == after), (None, call))
    return kept


def _merged(sequence: Sequence, index: int | None, parts: SequenceOf[Mutation]) -> Call | None:
    """Return a call with what every part changed of it."""
    if index is None:
        return None
    given = merged = sequence.calls[index]
    for part in parts:
        call = next((call for other, call in _pairs(sequence, part) if other == index), given)
        if call.name != given.name:
            merged = merged.model_copy(update={"name": call.name})
        if call.label != given.label:
            merged = merged.model_copy(update={"label": call.label})
        if _changed(given, call):
            arguments = _arguments(given, call, merged.arguments)
            merged = merged.model_copy(update={"arguments": arguments})
    return merged


def _arguments(given: Call, call: Call, merged: dict[str, Source]) -> dict[str, Source]:
    """Return arguments with the changes from one call to another made in them, at their places."""
    lost = [p for p in given.arguments if p not in call.arguments]
    new = [p for p in call.arguments if p not in given.arguments]
    names = dict(zip(lost, new, strict=True)) if len(lost) == len(new) else {}
    found = {}
    for name, source in merged.items():
        if name in names:
            found[names[name]] = call.arguments[names[name]]
        elif name not in lost:
            is_changed = name in call.arguments and call.arguments[name] != given.arguments.get(
                name
            )
            found[name] = call.arguments[name] if is_changed else source
    return found | {name: call.arguments[name] for name in new if name not in found}


def _expected(sequence: Sequence, parts: SequenceOf[Mutation]) -> tuple[Sequence, list[int]]:
    """Return what is expected of all parts, and where each call of the sequence starts in that."""
    asked = sequence
    for part in parts:
        if len(part.expected.calls) == len(sequence.calls):
            asked = _with_expected(asked, sequence, part)
    calls: list[Call] = []
    start = []
    for index, call in enumerate(asked.calls):
        start.append(len(calls))
        more = [
            part
            for part in parts
            if part.token.call == index and len(part.expected.calls) > len(sequence.calls)
        ]
        for part in more:
            calls += part.expected.calls[
                index : index + 1 + len(part.expected.calls) - len(sequence.calls)
            ]
        if not more:
            calls.append(call)
    return asked.model_copy(update={"calls": tuple(calls)}), start


def _with_expected(asked: Sequence, sequence: Sequence, part: Mutation) -> Sequence:
    """Return the sequence with what a part expects in place of what was there."""
    index = part.token.call
    wanted = part.expected.calls[index]
    for name in sorted(_changed(sequence.calls[index], wanted)):
        source = wanted.arguments[name]
        if isinstance(source, Ask):
            asked = with_ask(asked, Token(index, name))
        else:
            call = asked.calls[index]
            changed = call.model_copy(update={"arguments": {**call.arguments, name: source}})
            asked = asked.model_copy(
                update={"calls": (*asked.calls[:index], changed, *asked.calls[index + 1 :])}
            )
    return asked
