"""Breaks a sequence at one place, or at several that do not touch each other."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple, TypeAlias

# The module of the kinds is imported for what it declares.
from refract_asp.bench.mutations import kinds as _kinds
from refract_asp.bench.mutations.mutation import (
    KINDS,
    Kind,
    Mutation,
    Open,
    Token,
    is_same_use,
    reads_of,
    with_argument,
    with_ask,
)
from refract_asp.errors import InputError, shown
from refract_asp.model import Ask, Call, Catalog, Sequence, Source

del _kinds

# The kinds that the first figures were measured with: one wrong token, whose call is still there.
SEVEN = (
    "tool_name", "label", "missing_label", "missing_reference", "parameter_name", "made_up_label",
    "made_up_field",
)  # fmt: skip
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
        raise InputError(
            f"there is no kind of mutation {shown(name)!r}.", hint=f"There are: {', '.join(KINDS)}."
        )
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


class _Part(NamedTuple):
    """A mutation, what it changes, and on what else its repair rests."""

    mutation: Mutation
    touched: set[Mark]
    rests_on: set[Mark]

    def is_apart(self, other: _Part) -> bool:
        """Whether neither touches what the other one touches or rests on."""
        both = other.touched | other.rests_on
        return not (self.touched & both or other.touched & self.rests_on)


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
    wanted = map(kind_of, KINDS if kinds is None else kinds)
    chosen = [each for each in wanted if each.family != "harmless"]
    if not chosen:
        raise InputError("nothing is to be mixed.", hint="Name a kind that breaks something.")
    rng = random.Random(f"{seed}:mix:{count}")
    places = {each: each.places(sequence, catalog) for each in chosen}
    possible = [each for each, found in places.items() if found]
    parts: list[_Part] = []
    for _ in range(ATTEMPTS * count if possible else 0):
        kind = rng.choice(possible)
        mutation = kind.breaks(sequence, catalog, rng.choice(places[kind]), rng)
        if mutation is None:
            continue
        touched = _touched(sequence, mutation)
        part = _Part(mutation, touched, _rests_on(sequence, mutation, touched))
        if all(part.is_apart(other) for other in parts):
            parts.append(part)
        if len(parts) == count:
            found = [each.mutation for each in parts]
            found.sort(key=lambda each: (each.token.call, each.token.parameter or ""))
            return _mixed(sequence, found)
    return None


# -- whether two touch each other ------------------------------------------------


def _pairs(sequence: Sequence, mutation: Mutation) -> Iterator[tuple[int | None, Call]]:
    """Yield the calls of the broken sequence, each with which it was before."""
    origins = mutation.origins or range(len(sequence.calls))
    return zip(origins, mutation.broken.calls, strict=True)


def _all_of(sequence: Sequence, index: int) -> set[Mark]:
    """Return every token of a call."""
    call = sequence.calls[index]
    return {("name", index), ("label", index), *(("argument", (index, p)) for p in call.arguments)}


def _changed(given: Call, call: Call) -> set[str]:
    """Return the parameters whose arguments differ."""
    old, new = given.arguments, call.arguments
    return {p for p in old.keys() | new.keys() if old.get(p) != new.get(p)}


def _touched(sequence: Sequence, mutation: Mutation) -> set[Mark]:
    """Return the tokens that a mutation changes."""
    pairs = list(_pairs(sequence, mutation))
    left = [index for index, _ in pairs if index is not None]
    whole = set(range(len(sequence.calls))) - set(left)
    is_moved = left != sorted(left)
    # What an added call copies, or what is to be split into several, has to stay as it is.
    is_copied = len(left) < len(pairs) or len(mutation.expected.calls) != len(sequence.calls)
    if is_moved or is_copied:
        whole.add(mutation.token.call)
    marks = {mark for index in whole for mark in _all_of(sequence, index)}
    for index, call in pairs:
        if index is None:
            continue
        given = sequence.calls[index]
        marks |= {("argument", (index, p)) for p in _changed(given, call)}
        if call.name != given.name:
            marks.add(("name", index))
        if call.label != given.label:
            marks.add(("label", index))
            if call.label:
                marks.add(("new label", call.label))
    known = {call.label for call in sequence.calls}
    known |= {read.reference.label for read in reads_of(sequence)}
    labels = {read.reference.label for read in reads_of(mutation.broken)}
    return marks | {("new label", label) for label in labels - known}


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
        marks |= _all_of(sequence, call) - {("label", call)}
    return marks


# -- putting together what each part changed --------------------------------------


def _mixed(sequence: Sequence, parts: SequenceOf[Mutation]) -> Mutation:
    expected, start = _expected(sequence, parts)
    order: list[int | Call] = [*range(len(sequence.calls))]  # a call that was added stands itself
    for part in parts:
        if part.origins is not None:
            _reorder(order, part, part.origins)
    broken = (each if isinstance(each, Call) else _merged(sequence, each, parts) for each in order)
    return Mutation(
        kind="mix",
        broken=sequence.model_copy(update={"calls": tuple(broken)}),
        expected=expected,
        token=parts[0].token,
        what="; ".join(part.what for part in parts),
        variant="+".join(part.kind for part in parts),
        informed=all(part.informed or part.asks for part in parts),
        open=tuple(Open(start[each.call], each.parameters) for part in parts for each in part.open),
        parts=tuple(parts),
    )


def _reorder(order: list[int | Call], part: Mutation, origins: SequenceOf[int | None]) -> None:
    """Take the calls that a part takes away out of the order, move those it moves, and add those it adds."""
    left = [index for index in origins if index is not None]
    order[:] = [each for each in order if isinstance(each, Call) or each in left]
    moved = part.token.call
    if left != sorted(left):
        order.remove(moved)
        order.insert(order.index(left[left.index(moved) + 1]), moved)
    for place, index in enumerate(origins):
        if index is None:
            after = next(each for each in origins[place:] if each is not None)
            order.insert(order.index(after), part.broken.calls[place])


def _merged(sequence: Sequence, index: int, parts: SequenceOf[Mutation]) -> Call:
    """Return a call with what every part changed of it."""
    given = merged = sequence.calls[index]
    for part in parts:
        call = next((call for other, call in _pairs(sequence, part) if other == index), given)
        changes: dict[str, object] = {
            key: getattr(call, key)
            for key in ("name", "label")
            if getattr(call, key) != getattr(given, key)
        }
        if _changed(given, call):
            changes["arguments"] = _merged_arguments(given, call, merged.arguments)
        merged = merged.model_copy(update=changes)
    return merged


def _merged_arguments(given: Call, call: Call, merged: dict[str, Source]) -> dict[str, Source]:
    """Return arguments with the changes from one call to another made in them, at their places."""
    lost = [p for p in given.arguments if p not in call.arguments]
    new = [p for p in call.arguments if p not in given.arguments]
    names = dict(zip(lost, new, strict=True)) if len(lost) == len(new) else {}
    found = {}
    for name, source in merged.items():
        now = names.get(name, name)
        if now in call.arguments and call.arguments[now] != given.arguments.get(now):
            found[now] = call.arguments[now]
        elif name not in lost:
            found[name] = source
    return found | {name: call.arguments[name] for name in new if name not in found}


def _expected(sequence: Sequence, parts: SequenceOf[Mutation]) -> tuple[Sequence, list[int]]:
    """Return what is expected of all parts, and where each call of the sequence starts in that."""
    asked = sequence
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
            is_ask = isinstance(source, Ask)
            asked = with_ask(asked, token) if is_ask else with_argument(asked, token, source)
    calls: list[Call] = []
    start = []
    for index, call in enumerate(asked.calls):
        start.append(len(calls))
        calls += spread.get(index, (call,))
    return asked.model_copy(update={"calls": tuple(calls)}), start
