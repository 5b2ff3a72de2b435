"""
Which calls of a sequence wait for which others, and the stages that follow from it.

A call waits for those whose outputs it reads. Besides, where the effects of the tools are known, a call that
changes something outside does not overtake another such one: they are made in the order of the sequence.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from collections.abc import Sequence as Listed
from typing import Literal, NamedTuple, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.model import Call, Catalog, Reference, Sequence
from refract_asp.model.sequence import all_calls, slots_of

Order: TypeAlias = Literal["declared", "risky", "data"]
"""
Which calls keep their order although no data flows between them: those of tools that are declared `write` or
`destructive` ("declared"), those of unknown effect as well ("risky"), or none ("data").
"""

_KEPT: dict[Order, frozenset[str]] = {
    "declared": frozenset({"write", "destructive"}),
    "risky": frozenset({"write", "destructive", "unknown"}),
    "data": frozenset(),
}


class Read(NamedTuple):
    """
    A reference inside a call.

    Attributes:
        call: index of the call that reads, from 0; the number of calls means what the sequence returns.
        reference: what it reads.
        producer: index of the last call before it that has the label, or None where memory is read.
        parameter: the argument that it stands in, or the name of what is returned.
        slot: the how manieth of the references and asks inside that, from 1.
    """

    call: int
    reference: Reference
    producer: int | None
    parameter: str
    slot: int


def reads_of(sequence: Sequence) -> Iterator[Read]:
    """
    Yield every reference of a sequence, in the order of the text.

    Example:
        >>> sequence = Sequence.load('var1 = Search(query="London")\\nBook(id="$var1.id$", day="$day$")')
        >>> [(read.call, str(read.reference), read.producer) for read in reads_of(sequence)]
        [(1, '$var1.id$', 0), (1, '$day$', None)]
    """
    producers: dict[str, int] = {}
    for index, call in enumerate(all_calls(sequence)):
        for parameter, source in call.arguments.items():
            for slot, inner in enumerate(slots_of(source), 1):
                if isinstance(inner, Reference):
                    yield Read(index, inner, producers.get(inner.label), parameter, slot)
        if call.label is not None:
            producers[call.label] = index


def needs_of(sequence: Sequence) -> list[set[int]]:
    """
    Return for each call, and last for what is returned, the calls whose outputs it reads.

    Example:
        >>> needs_of(Sequence.load("a = Search()\\nb = Pay()\\nBook(id='$a.id$', day='$day$')"))
        [set(), set(), {0}, set()]
    """
    needs: list[set[int]] = [set() for _ in range(len(sequence.calls) + 1)]
    for read in reads_of(sequence):
        if read.producer is not None:
            needs[read.call].add(read.producer)
    return needs


def unmade(sequence: Sequence) -> frozenset[int]:
    """
    Return the calls that running a sequence leaves out, by their indexes.

    A plan makes only the calls that what it returns reads, themselves or through others, and those that a
    repair kept; every other sequence makes all of its calls.

    Example:
        >>> unmade(Sequence.load("mail = send({to: 'ada'}); return find({q: 2});"))
        frozenset({0})
    """
    if sequence.format != "plan":
        return frozenset()
    needs = needs_of(sequence)
    left = [*sequence.kept, *([sequence.result] if sequence.result is not None else [])]
    made: set[int] = set()
    while left:
        call = left.pop()
        if call not in made:
            made.add(call)
            left += needs[call]
    return frozenset(range(len(sequence.calls))) - made


def without_unmade(sequence: Sequence) -> Sequence:
    """Return a sequence with those of its calls alone that running it makes."""
    gone = unmade(sequence)
    kept = tuple(call for number, call in enumerate(sequence.calls) if number not in gone)
    return sequence.model_copy(update={"calls": kept}) if gone else sequence


def order_of(
    calls: Listed[Call], catalog: Catalog | None, order: Order = "declared"
) -> list[tuple[int, ...]]:
    """
    Return for each call those before it that it does not overtake because of what their tools change.

    Without a catalog nothing is known of that, and there are none.

    Raises:
        InputError: there is no such order.

    Example:
        >>> catalog = Catalog.load({"tools": [{"name": "Pay", "effect": "write"}, {"name": "Get"}]})
        >>> order_of(Sequence.load("Pay()\\nGet()\\nPay()").calls, catalog)
        [(), (), (0,)]
    """
    if order not in _KEPT:
        raise InputError(f"order cannot be {shown(order)!r}.", hint="Use declared, risky or data.")
    found: list[tuple[int, ...]] = []
    last: int | None = None
    for index, call in enumerate(calls):
        tool = catalog.by_name.get(call.name) if catalog is not None else None
        keeps = tool is not None and tool.effect in _KEPT[order]
        found.append((last,) if keeps and last is not None else ())
        if keeps:
            last = index
    return found


def stages(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
) -> tuple[tuple[int, ...], ...]:
    """
    Group the calls by how long the longest way to them is: those of one stage do not wait for each other.

    They are for readers. A run does not wait for a stage: each call starts the moment its inputs are there.

    Args:
        sequence: the calls; references lead to the last call before that has the label, else to memory.
        catalog: the tools, where calls that change something are to keep their order.
        order: which calls these are, see `Order`.
        inline: names of local functions, which are called while the arguments of a call are made. They are in
            no stage. Nor are calls of a plan that nobody reads, as running it leaves them out.

    Returns:
        The stages in order, each with the indexes of its calls, from 0.

    Example:
        >>> sequence = Sequence.load('a = f(x=1)\\nb = g(x=2)\\nc = h(y="$a.p$", z="$b[0].q$")')
        >>> stages(sequence)
        ((0, 1), (2,))
    """
    needs, kept = needs_of(sequence), order_of(sequence.calls, catalog, order)
    gone = unmade(sequence)
    ends: list[int] = []
    found: dict[int, list[int]] = {}
    for number, call in enumerate(sequence.calls):
        waits = needs[number].union(kept[number], (n for n in sequence.kept if n < number))
        begin = max((ends[each] for each in waits), default=0)
        takes_time = number not in gone and call.name not in inline
        ends.append(begin + takes_time)
        if takes_time:
            found.setdefault(begin, []).append(number)
    return tuple(map(tuple, found.values()))
