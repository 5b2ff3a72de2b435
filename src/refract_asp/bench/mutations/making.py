"""Breaks a sequence at one place, or at several that do not touch each other."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import accumulate, chain
from typing import TypeAlias

# The module of the kinds is imported for what it declares.
from refract_asp.bench.mutations import kinds as _kinds
from refract_asp.bench.mutations.mutation import (
    KINDS,
    Kind,
    Mutation,
    Open,
    Token,
    is_same_use,
    labels_of,
    reads_of,
    with_argument,
    with_ask,
)
from refract_asp.errors import InputError, shown
from refract_asp.model import Ask, Call, Catalog, Sequence

del _kinds

# At most so many mutations are put into one sequence.
MAX_PARTS = 20
# So often a place is looked for, for each part.
ATTEMPTS = 60


def kind_of(name: str) -> Kind:
    """
    Return a kind by its name.

    Raises:
        InputError: no kind bears the name; the message names those there are.
    """
    if name not in KINDS:
        hint = f"There are: {', '.join(KINDS)}."
        raise InputError(f"there is no kind of mutation {shown(name)!r}.", hint=hint)
    return KINDS[name]


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
    found = kind_of(kind).places(sequence, catalog)
    rng.shuffle(found)
    made = (KINDS[kind].breaks(sequence, catalog, token, rng) for token in found)
    return next(filter(None, made), None)


# A token by sort and place: ("name", 1), ("label", 1), ("argument", (1, "query")), ("new label", "var9").
Mark: TypeAlias = tuple[str, object]


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
        hint = f"1 to {MAX_PARTS} can be mixed."
        raise InputError(f"a mix of {count} mutations is not made.", hint=hint)
    wanted = map(kind_of, KINDS if kinds is None else kinds)
    chosen = [each for each in wanted if each.family != "harmless"]
    if not chosen:
        raise InputError("nothing is to be mixed.", hint="Name a kind that breaks something.")
    rng = random.Random(f"{seed}:mix:{count}")
    places = {each: each.places(sequence, catalog) for each in chosen}
    possible = [each for each, found in places.items() if found]
    parts: list[tuple[Mutation, set[Mark], set[Mark]]] = []
    for _ in range(ATTEMPTS * count if possible else 0):
        kind = rng.choice(possible)
        mutation = kind.breaks(sequence, catalog, rng.choice(places[kind]), rng)
        if mutation is None:
            continue
        touched = _touched(sequence, mutation)
        rests_on = _rests_on(sequence, mutation, touched)
        # Neither may touch what the other one touches or rests on.
        if any(touched & (mine | other) or mine & rests_on for _, mine, other in parts):
            continue
        parts.append((mutation, touched, rests_on))
        if len(parts) == count:
            found = [each for each, _, _ in parts]
            found.sort(key=lambda each: (each.token.call, each.token.parameter or ""))
            return _mixed(sequence, found)
    return None


# -- whether two touch each other ------------------------------------------------


def _pairs(sequence: Sequence, mutation: Mutation) -> Iterator[tuple[int | None, Call]]:
    """Yield the calls of the broken sequence, each with which it was before."""
    origins = mutation.origins or range(len(sequence.calls))
    return zip(origins, mutation.broken.calls, strict=True)


def _tokens(pairs: Iterable[tuple[int | None, Call]]) -> dict[Mark, object]:
    """Return what stands at the tokens of some calls, of which each has an index."""
    found: dict[Mark, object] = {}
    for index, call in pairs:
        if index is not None:
            found["name", index], found["label", index] = call.name, call.label
            for parameter, source in call.arguments.items():
                found["argument", (index, parameter)] = source
    return found


def _changed(given: Call, call: Call) -> set[str]:
    """Return the parameters whose arguments differ."""
    old, new = given.arguments, call.arguments
    return {p for p in old.keys() | new.keys() if old.get(p) != new.get(p)}


def _touched(sequence: Sequence, mutation: Mutation) -> set[Mark]:
    """Return the tokens that a mutation changes."""
    pairs = list(_pairs(sequence, mutation))
    left = [index for index, _ in pairs if index is not None]
    old, new = _tokens(enumerate(sequence.calls)), _tokens(pairs)
    marks = {mark for mark in old.keys() | new.keys() if old.get(mark, mark) != new.get(mark, mark)}
    is_moved = left != sorted(left)
    # What an added call copies, or what is to be split into several, has to stay as it is.
    is_copied = len(left) < len(pairs) or len(mutation.expected.calls) != len(sequence.calls)
    if is_moved or is_copied:
        whole = mutation.token.call
        marks |= _tokens([(whole, sequence.calls[whole])]).keys()
    labels = labels_of(mutation.broken) - labels_of(sequence)
    return marks | {("new label", label) for label in labels}


def _rests_on(sequence: Sequence, mutation: Mutation, touched: set[Mark]) -> set[Mark]:
    """Return the tokens from which the repair is told, besides those that are changed."""
    call, reads = mutation.token.call, reads_of(sequence)
    marks: set[Mark] = {("name", call)}
    for read in reads:
        where: Mark = ("argument", (read.call, read.parameter))
        if where in touched and read.producer is not None:  # what it reads has to be there
            marks |= {("name", read.producer), ("label", read.producer)}
            marks |= {("argument", (r.call, r.parameter)) for r in reads if is_same_use(r, read)}
        if {("label", read.producer), ("name", read.producer)} & touched:
            marks |= {("name", read.call), where}  # who reads it tells what it was
    if kind_of(mutation.kind).family == "names" or mutation.kind == "missing_reference":
        # They tell which name is free, or fits best.
        marks |= _tokens([(call, sequence.calls[call])]).keys() - {("label", call)}
    return marks


# -- putting together what each part changed --------------------------------------


def _mixed(sequence: Sequence, parts: SequenceOf[Mutation]) -> Mutation:
    expected = sequence
    spread: dict[int, tuple[Call, ...]] = {}
    for part in parts:
        index = part.token.call
        more = len(part.expected.calls) - len(sequence.calls)
        if more:
            spread[index] = part.expected.calls[index : index + 1 + more]
            continue
        wanted = part.expected.calls[index]
        for name in sorted(_changed(sequence.calls[index], wanted)):
            token, source = Token(index, name), wanted.arguments[name]
            if isinstance(source, Ask):
                expected = with_ask(expected, token)
            else:
                expected = with_argument(expected, token, source)
    whole = [spread.get(index, (call,)) for index, call in enumerate(expected.calls)]
    start = list(accumulate(map(len, whole), initial=0))
    return Mutation(
        kind="mix",
        broken=_broken(sequence, parts),
        expected=expected.model_copy(update={"calls": tuple(chain.from_iterable(whole))}),
        token=parts[0].token,
        what="; ".join(part.what for part in parts),
        variant="+".join(part.kind for part in parts),
        informed=all(part.informed or part.asks for part in parts),
        open=tuple(Open(start[each.call], each.parameters) for part in parts for each in part.open),
        parts=tuple(parts),
    )


def _broken(sequence: Sequence, parts: SequenceOf[Mutation]) -> Sequence:
    """Return the sequence with all that the parts change, take away, move and add."""
    calls = list(sequence.calls)
    order: list[int | Call] = [*range(len(calls))]  # a call that was added stands itself
    for part in parts:
        for index, call in _pairs(sequence, part):
            if index is not None:
                calls[index] = _merged(sequence.calls[index], call, calls[index])
        origins = range(len(calls)) if part.origins is None else part.origins
        left = [index for index in origins if index is not None]
        order = [each for each in order if isinstance(each, Call) or each in left]
        moved = part.token.call
        if left != sorted(left):
            order.remove(moved)
            order.insert(order.index(left[left.index(moved) + 1]), moved)
        for place, index in enumerate(origins):
            if index is None:
                after = next(each for each in origins[place:] if each is not None)
                order.insert(order.index(after), part.broken.calls[place])
    broken = tuple(each if isinstance(each, Call) else calls[each] for each in order)
    return sequence.model_copy(update={"calls": broken})


def _merged(given: Call, changed: Call, merged: Call) -> Call:
    """Return a call with the changes from one call to another made in it, those of arguments at their places."""
    old, now = given.arguments, changed.arguments
    lost = [p for p in old if p not in now]
    new = [p for p in now if p not in old]
    names = dict(zip(lost, new, strict=True)) if len(lost) == len(new) else {}
    found = {}
    for name, source in merged.arguments.items():
        other = names.get(name, name)
        if other in now and now[other] != old.get(other):
            found[other] = now[other]
        elif name not in lost:
            found[name] = source
    update: dict[str, object] = {"arguments": found | {p: now[p] for p in new if p not in found}}
    for key in ("name", "label"):
        if getattr(changed, key) != getattr(given, key):
            update[key] = getattr(changed, key)
    return merged.model_copy(update=update)
