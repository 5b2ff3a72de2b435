"""How alike two sequences are: token by token, call by call, and as a whole."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.model.sequence import (
    Call,
    Constant,
    Reference,
    Sequence,
    Source,
    Structure,
    Template,
)


def assigned(costs: list[list[int]]) -> list[int]:
    """
    Return a column for each row, all different, such that the sum of the costs is least.

    There may be no more rows than columns. Rows are added one by one, each along the shortest path of
    changes by reduced costs; the work grows with rows * rows * columns.

    Example:
        >>> assigned([[4, 1, 3], [2, 0, 5]])
        [1, 0]
    """
    width = len(costs[0]) if costs else 0
    row_price, column_price = [0] * len(costs), [0] * (width + 1)
    holder = [-1] * (
        width + 1
    )  # the row that each column goes with; the last column is no real one
    for added in range(len(costs)):
        nearest: list[float] = [math.inf] * width
        before = [width] * width
        free = set(range(width))
        holder[width] = added
        column = width
        while (row := holder[column]) >= 0:
            for other in free:
                reduced = costs[row][other] - row_price[row] - column_price[other]
                if reduced < nearest[other]:
                    nearest[other], before[other] = reduced, column
            column = min(free, key=lambda other: (nearest[other], other))
            step = int(nearest[column])
            for other in range(width + 1):
                if other in free:
                    nearest[other] -= step
                elif holder[other] >= 0:
                    row_price[holder[other]] += step
                    column_price[other] -= step
            free.discard(column)
        while column != width:  # every row on the path moves to the column that comes next
            holder[column] = holder[before[column]]
            column = before[column]
    chosen = {row: column for column, row in enumerate(holder[:width])}
    return [chosen[row] for row in range(len(costs))]


Form: TypeAlias = list[Any]
"""A source as data: its kind, and what it says. Equal sources have equal forms, whatever the labels are."""


@dataclass(frozen=True, slots=True)
class Told:
    """
    A call without its label, or what a sequence returns.

    Attributes:
        digest: the hash of all it says; equal calls have equal ones.
        tool: the tool that is called, and whether its arguments could not be read; None for what is returned.
        arguments: the form of each argument, in which a reference names the digest of what it reads from.
    """

    digest: str
    tool: tuple[str, bool] | None
    arguments: dict[str, Form]


def canonical(sequence: Sequence, others: Mapping[int, Call] | None = None) -> Counter[str]:
    """
    Return the multiset of the hashes of the calls, and of what is returned.

    Args:
        sequence: the sequence.
        others: calls that are taken in place of those at an index.
    """
    return Counter(each.digest for each in told(sequence, others))


def digests(sequence: Sequence, others: Mapping[int, Call] | None = None) -> list[str]:
    """Return the hash of each call in order; `others` are taken in place of the calls there."""
    return [each.digest for each in told(sequence, others) if each.tool is not None]


def same(left: Sequence, right: Sequence) -> bool:
    """
    Whether both hold the same calls with the same arguments.

    Example:
        >>> one = Sequence.load('a = Search(query="London")\\nb = Search(query="Rome")\\nGo(to="$a.id$")')
        >>> other = Sequence.load('b = Search(query="Rome")\\nx = Search(query="London")\\nGo(to="$x.id$")')
        >>> same(one, other)
        True
        >>> same(one, Sequence.load(str(one).replace("$a", "$b")))
        False
    """
    return canonical(left) == canonical(right)


def told(sequence: Sequence, others: Mapping[int, Call] | None = None) -> list[Told]:
    """Return each call in order without its label, and last what is returned where that is said."""
    found: list[Told] = []
    producer: dict[str, str] = {}
    for index, given in enumerate(sequence.calls):
        call = (others or {}).get(index, given)
        found.append(_told((call.name, call.malformed is not None), call.arguments, producer))
        if given.label is not None:
            producer[given.label] = found[-1].digest
    return found if sequence.returns is None else [*found, _told(None, sequence.returns, producer)]


def _told(
    tool: tuple[str, bool] | None, arguments: Mapping[str, Source], producer: Mapping[str, str]
) -> Told:
    forms = {parameter: _form(source, producer) for parameter, source in arguments.items()}
    text = json.dumps([tool, forms], sort_keys=True)
    return Told(hashlib.sha256(text.encode()).hexdigest(), tool, forms)


def _form(source: Source, producer: Mapping[str, str]) -> Form:
    if isinstance(source, Constant):
        return ["constant", json.dumps(source.value, sort_keys=True)]
    if isinstance(source, Reference):
        if source.label in producer:
            return ["call", producer[source.label], list(source.path)]
        return ["free", source.label, list(source.path)]
    if isinstance(source, Template):
        return [
            "text",
            [["part", x] if isinstance(x, str) else _form(x, producer) for x in source.parts],
        ]
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return ["object", {key: _form(inner, producer) for key, inner in source.value.items()}]
        return ["list", [_form(inner, producer) for inner in source.value]]
    return ["ask"]


MAX_PAIRED = 64
"""So many calls without an equal one are paired at the least cost: the work grows with the cube."""

_FINE = 1_000
"""What a token weighs while pairs are sought, against a source that is not equal to the letter."""

_Pair: TypeAlias = tuple[Told, Told]
_Forms: TypeAlias = dict[str, str]
"""The form of each argument as a text."""


def token_count(sequence: Sequence) -> int:
    """
    Return how many tokens a sequence has: one for each call, and two for each argument.

    Example:
        >>> token_count(Sequence.load('Search(query="London")'))
        3
    """
    return sum(map(_alone, told(sequence)))


def distance(left: Sequence, right: Sequence) -> int:
    """
    Return the number of tokens in which two sequences differ; 0 means that they are the same.

    Example:
        >>> wanted = Sequence.load('a = Search(query="London")\\nGo(to="$a.id$", day=3)')
        >>> distance(wanted, Sequence.load('b = Search(query="London")\\nGo(to="$b.id$", day=3)'))
        0
        >>> distance(wanted, Sequence.load('b = Search(query="Rome")\\nGo(to="$b.id$")'))
        3
    """
    one, other = sorted(  # whichever was given first
        (told(left), told(right)),
        key=lambda side: (len(side), sorted(each.digest for each in side)),
    )
    pairs, alone = _partners(one, other)
    equal = {(first.digest, second.digest) for first, second in pairs}
    return sum(map(_alone, alone)) + sum(_differing(*pair, equal) for pair in pairs)


def paired_calls(left: Sequence, right: Sequence) -> tuple[tuple[int, int], ...]:
    """
    Return which calls are compared with which: pairs of indexes, of those that have a partner.

    What is returned has the index that follows the last call.

    Example:
        >>> given = Sequence.load('Pay(sum=3)\\na = Search(query="Rome")')
        >>> paired_calls(given, Sequence.load('x = Search(query="London")'))
        ((1, 0),)
    """
    one, other = told(left), told(right)
    pairs, _ = _partners(one, other)
    # Of equal calls the first ones have partners.
    common = Counter(each.digest for each in one) & Counter(each.digest for each in other)
    equal = [
        each
        for each in {call.digest: call for call in one}.values()
        for _ in range(common[each.digest])
    ]
    places: tuple[dict[str, list[int]], ...] = ({}, {})
    for side, calls in zip(places, (one, other), strict=True):
        for index, each in enumerate(calls):
            side.setdefault(each.digest, []).append(index)
    every = [*((each, each) for each in equal), *pairs]
    found = [(places[0][a.digest].pop(0), places[1][b.digest].pop(0)) for a, b in every]
    return tuple(sorted(found))


def _partners(one: list[Told], other: list[Told]) -> tuple[list[_Pair], list[Told]]:
    """Pair the calls that have no equal one on the other side; return those without a partner, too."""
    first, second = (Counter(each.digest for each in calls) for calls in (one, other))
    known = {each.digest: each for each in (*one, *other)}
    rest = [
        [known[digest] for digest in sorted(left.elements())]
        for left in (first - second, second - first)
    ]
    tools = {digest: each.tool for digest, each in known.items()}
    pairs: list[_Pair] = []
    alone: list[Told] = []
    for is_call in (True, False):
        firsts, seconds = (
            [each for each in calls if (each.tool is not None) is is_call] for calls in rest
        )
        found, left_over = _paired(firsts, seconds, tools)
        pairs += found
        alone += left_over
    return pairs, alone


def _alone(call: Told) -> int:
    return 1 + 2 * len(call.arguments)


def _differing(first: Told, second: Told, equal: set[tuple[str, str]]) -> int:
    """Return how many tokens of a pair differ; `equal` holds the digests of the paired calls."""
    both = first.arguments.keys() & second.arguments.keys()
    apart = len(first.arguments) + len(second.arguments) - 2 * len(both)
    sources = sum(not _says_same(first.arguments[p], second.arguments[p], equal) for p in both)
    return (first.tool != second.tool) + 2 * apart + sources


def _says_same(first: Form, second: Form, equal: set[tuple[str, str]]) -> bool:
    if first[0] != second[0]:
        return False
    if first[0] == "call":
        is_paired = first[1] == second[1] or (first[1], second[1]) in equal
        return is_paired and bool(first[2] == second[2])
    if first[0] == "object":
        one, other = first[1], second[1]
        return one.keys() == other.keys() and all(
            _says_same(one[key], other[key], equal) for key in one
        )
    if first[0] in ("list", "text"):
        alike = len(first[1]) == len(second[1])
        return alike and all(
            _says_same(x, y, equal) for x, y in zip(first[1], second[1], strict=True)
        )
    return first == second


# -- who is paired with whom ---------------------------------------------------


def _paired(
    one: list[Told], other: list[Told], tools: dict[str, tuple[str, bool] | None]
) -> tuple[list[_Pair], list[Told]]:
    """Return the pairs, and the calls that are left without a partner."""
    if len(one) > len(other):
        pairs, rest = _paired(other, one, tools)
        return [(second, first) for first, second in pairs], rest
    if not one:
        return [], other
    if len(other) > MAX_PAIRED:
        return _paired_in_order(one, other)
    exact = {each.digest: _texts(each, None) for each in (*one, *other)}
    loose = {each.digest: _texts(each, tools) for each in (*one, *other)}
    costs = [[_cost(first, second, loose, exact) for second in other] for first in one]
    chosen = assigned(costs)
    taken = set(chosen)
    pairs = [(one[row], other[column]) for row, column in enumerate(chosen)]
    return pairs, [call for column, call in enumerate(other) if column not in taken]


def _paired_in_order(one: list[Told], other: list[Told]) -> tuple[list[_Pair], list[Told]]:
    """Pair calls of the same tool in order, then the others in order."""
    waiting: dict[Any, list[Told]] = {}
    for call in reversed(other):
        waiting.setdefault(call.tool, []).append(call)
    pairs: list[_Pair] = []
    left: list[Told] = []
    for call in one:
        if waiting.get(call.tool):
            pairs.append((call, waiting[call.tool].pop()))
        else:
            left.append(call)
    used = Counter(second.digest for _, second in pairs)
    rest = []
    for call in other:
        used[call.digest] -= 1
        if used[call.digest] < 0:
            rest.append(call)
    return [*pairs, *zip(left, rest, strict=False)], rest[len(left) :]


def _texts(call: Told, tools: dict[str, tuple[str, bool] | None] | None) -> _Forms:
    """Return the forms of a call as texts; with `tools` a reference names the tool that it reads from."""

    def view(form: Form) -> Form:
        if tools is None:
            return form
        if form[0] == "call":
            return ["call", tools.get(form[1]), form[2]]
        if form[0] == "object":
            return ["object", {key: view(inner) for key, inner in form[1].items()}]
        if form[0] in ("list", "text"):
            return [form[0], [view(inner) for inner in form[1]]]
        return form

    return {p: json.dumps(view(form), sort_keys=True) for p, form in call.arguments.items()}


def _cost(first: Told, second: Told, loose: dict[str, _Forms], exact: dict[str, _Forms]) -> int:
    """Return what a pair pays, less what the second call would pay alone, which is the same for all."""
    mine, yours = loose[first.digest], loose[second.digest]
    both = mine.keys() & yours.keys()
    apart = len(mine) + len(yours) - 2 * len(both)
    tokens = (first.tool != second.tool) + 2 * apart + sum(mine[p] != yours[p] for p in both)
    unlike = sum(exact[first.digest][p] != exact[second.digest][p] for p in both)
    return _FINE * (tokens - _alone(second)) + min(unlike, _FINE - 1)
