"""How alike two sequences are: token by token, call by call, and as a whole."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template


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
    # The row that each column goes with; the last column is no real one.
    holder = [-1] * (width + 1)
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
        number: its index in the sequence; what is returned follows the last call.
        digest: the hash of all it says; equal calls have equal ones.
        tool: the tool that is called, and whether its arguments could not be read; None for what is returned.
        arguments: the form of each argument as JSON, in which a reference names the digest of what it reads.
    """

    number: int
    digest: str
    tool: tuple[str, bool] | None
    arguments: dict[str, str]


def canonical(sequence: Sequence, others: Mapping[int, Call] | None = None) -> Counter[str]:
    """
    Return the multiset of the hashes of the calls, and of what is returned.

    Args:
        sequence: the sequence.
        others: calls that are taken in place of those at an index.
    """
    return Counter(each.digest for each in told(sequence, others))


def digests(sequence: Sequence) -> list[str]:
    """Return the hash of each call in order."""
    return [each.digest for each in told(sequence) if each.tool is not None]


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

    def tell(tool: tuple[str, bool] | None, arguments: Mapping[str, Source]) -> None:
        forms = {parameter: _form(source, producer) for parameter, source in arguments.items()}
        text = json.dumps([tool, forms], sort_keys=True)
        texts = {parameter: json.dumps(form, sort_keys=True) for parameter, form in forms.items()}
        found.append(Told(len(found), hashlib.sha256(text.encode()).hexdigest(), tool, texts))

    for index, given in enumerate(sequence.calls):
        call = (others or {}).get(index, given)
        tell((call.name, call.malformed is not None), call.arguments)
        if given.label is not None:
            producer[given.label] = found[-1].digest
    if sequence.returns is not None:
        tell(None, sequence.returns)
    return found


def _form(source: Source, producer: Mapping[str, str]) -> Form:
    if isinstance(source, Constant):
        return ["constant", json.dumps(source.value, sort_keys=True)]
    if isinstance(source, Reference):
        if source.label in producer:
            return ["call", producer[source.label], list(source.path)]
        return ["free", source.label, list(source.path)]
    if isinstance(source, Template):
        parts = source.parts
        return ["text", [["part", x] if isinstance(x, str) else _form(x, producer) for x in parts]]
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
_DIGEST = attrgetter("digest")
_READ = re.compile(r'"([0-9a-f]{64})"')
"""The digest that a reference names inside the form of an argument."""


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

    def order(side: list[Told]) -> tuple[int, list[str]]:
        return len(side), sorted(map(_DIGEST, side))

    one, other = sorted((told(left), told(right)), key=order)  # whichever was given first
    pairs, alone = _partners(one, other)
    equal = {(first.digest, second.digest) for first, second in pairs}
    differing = 0
    for first, second in pairs:
        both = first.arguments.keys() & second.arguments.keys()
        differing += 2 * (len(first.arguments) + len(second.arguments) - 2 * len(both))
        differing += first.tool != second.tool
        for parameter in both:
            mine, yours = first.arguments[parameter], second.arguments[parameter]
            reads = zip(_READ.findall(mine), _READ.findall(yours), strict=False)
            # A reference to the partner of a call reads the same.
            is_same = _READ.sub("", mine) == _READ.sub("", yours)
            differing += not (is_same and all(a == b or (a, b) in equal for a, b in reads))
    return differing + sum(map(_alone, alone))


def paired_calls(left: Sequence, right: Sequence) -> tuple[tuple[int, int], ...]:
    """
    Return which calls are compared with which: pairs of indexes, of those that have a partner.

    What is returned has the index that follows the last call.

    Example:
        >>> given = Sequence.load('Pay(sum=3)\\na = Search(query="Rome")')
        >>> paired_calls(given, Sequence.load('x = Search(query="London")'))
        ((1, 0),)
    """
    pairs, _ = _partners(told(left), told(right))
    return tuple(sorted((first.number, second.number) for first, second in pairs))


def _partners(one: list[Told], other: list[Told]) -> tuple[list[_Pair], list[Told]]:
    """Pair equal calls, then the others at the least cost; return those without a partner, too."""
    pairs, *rest = _matched(one, other, _DIGEST)
    tools = {each.digest: each.tool for each in (*one, *other)}
    alone: list[Told] = []
    for is_call in (True, False):
        sides = [[each for each in side if (each.tool is not None) is is_call] for side in rest]
        firsts, seconds = (sorted(side, key=_DIGEST) for side in sides)
        found, left_over = _paired(firsts, seconds, tools)
        pairs += found
        alone += left_over
    return pairs, alone


def _matched(
    one: list[Told], other: list[Told], key: Callable[[Told], object]
) -> tuple[list[_Pair], list[Told], list[Told]]:
    """Pair calls of the same key in order; return what is left of both sides, too."""
    waiting: dict[object, deque[Told]] = defaultdict(deque)
    for call in other:
        waiting[key(call)].append(call)
    pairs, left = list[_Pair](), list[Told]()
    for call in one:
        if partners := waiting[key(call)]:
            pairs.append((call, partners.popleft()))
        else:
            left.append(call)
    return pairs, left, [call for calls in waiting.values() for call in calls]


def _alone(call: Told) -> int:
    return 1 + 2 * len(call.arguments)


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
    if len(other) > MAX_PAIRED:  # those of the same tool in order, then the others in order
        pairs, left, rest = _matched(one, other, lambda each: each.tool)
        return [*pairs, *zip(left, rest, strict=False)], rest[len(left) :]
    # Without what they read from being equal, too: references name the tools that they read from.
    loose = {
        each.digest: {
            parameter: _READ.sub(lambda match: json.dumps(tools.get(match[1])), text)
            for parameter, text in each.arguments.items()
        }
        for each in (*one, *other)
    }

    def cost(first: Told, second: Told) -> int:
        """Return what a pair pays, less what the second call would pay alone, which is the same for all."""
        mine, yours = loose[first.digest], loose[second.digest]
        both = mine.keys() & yours.keys()
        apart = len(mine) + len(yours) - 2 * len(both)
        tokens = (first.tool != second.tool) + 2 * apart + sum(mine[p] != yours[p] for p in both)
        unlike = sum(first.arguments[p] != second.arguments[p] for p in both)
        return _FINE * (tokens - _alone(second)) + min(unlike, _FINE - 1)

    chosen = assigned([[cost(first, second) for second in other] for first in one])
    taken = set(chosen)
    pairs = [(one[row], other[column]) for row, column in enumerate(chosen)]
    return pairs, [call for column, call in enumerate(other) if column not in taken]
