"""
Turns sequences back into plans.

A call that stood inside another expression, and that one argument reads, stands there again; every other call
is an alias under its label. What a plan has no words for is refused: what is still to be asked or confirmed,
arguments that cannot be read, names that are no plain words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from refract_asp.errors import FormatError, shown
from refract_asp.formats.chat import refuse_open
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import is_position
from refract_asp.model.sources import slots_of
from refract_asp.plan.lowering import WHOLE, Kept, Written, to_sequence
from refract_asp.plan.syntax import (
    NOWHERE,
    PLAIN_NAME,
    Alias,
    Expression,
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Plan,
    TextOf,
    is_reserved,
)

__all__ = [
    "Aliases",
    "function",
    "is_plain",
    "key",
    "literal",
    "normalised",
    "plain",
    "to_plan",
    "written_of",
]


def literal(value: Any) -> Expression:
    """Return a JSON value as an expression."""
    if isinstance(value, dict):
        return ObjectOf(tuple((key(name), literal(inner)) for name, inner in value.items()))
    if isinstance(value, list | tuple):
        return ListOf(tuple(literal(inner) for inner in value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return Literal(int(value))
    return Literal(value)


def function(name: str) -> Expression:
    """Return the name of a tool, with or without dots, as what is called."""
    first, *others = name.split(".")
    found: Expression = Name(plain(first))
    for step in others:
        found = FieldOf(found, plain(step))
    return found


def is_plain(name: str) -> bool:
    """Whether a name can stand in a plan as it is."""
    return PLAIN_NAME.fullmatch(name) is not None and not is_reserved(name)


def plain(name: str) -> str:
    """Return a name that can stand in a plan; a `FormatError` says that it cannot."""
    if is_plain(name):
        return name
    raise FormatError(
        f"a plan cannot say the name {shown(name)!r}.",
        hint="Names are made of the letters A to Z, digits and `_`; print it as pretty.",
    )


def key(name: str) -> str:
    """Return the key of a field, which may be any text that is not reserved."""
    if is_reserved(name):
        raise FormatError(
            f"a plan cannot say the name {shown(name)!r}.", hint="Print it as pretty."
        )
    return name


class Aliases:
    """
    Finds out who reads what in a sequence, and names each call that does not stand inside another expression.

    Attributes:
        producers: for each call, and last for what is returned, which call each label means there.
        result: which call the sequence gives back, None where it says what it returns.
        names: the names of the calls that are aliases.
    """

    def __init__(self, sequence: Sequence) -> None:
        """Look at who reads what, then name the calls."""
        self.names: dict[int, str] = {}
        self._sequence = sequence
        self._is_plan = sequence.format == "plan"
        self._readers: Counter[int] = Counter()
        self._reader: dict[int, int] = {}  # the last one
        self._slot: dict[int, int] = {}  # and where in it, counted through all that is read
        self._slots_met = 0
        self._in_texts: set[int] = set()
        self.producers = self._resolved()
        self.result = self._result_index()
        self._name_all()

    def unread(self) -> list[int]:
        """Return the calls besides the result that nobody reads and that are made all the same."""
        if self._is_plan:
            return []
        every = range(len(self._sequence.calls))
        return [index for index in every if not self._readers[index] and index != self.result]

    def fresh(self, stem: str) -> str:
        """Return a name that nothing bears yet, and keep it."""
        labels = {call.label for call in self._sequence.calls}
        number = 1
        while (name := f"{stem}{number}") in self._taken or name in labels:
            number += 1
        self._taken.add(name)
        return name

    def own_name(self, index: int | None) -> str:
        """Return the name under which a call is returned beside others."""
        if index is None:
            return self.fresh("var")
        label = self._sequence.calls[index].label
        is_free = label is not None and is_plain(label) and label not in self.names.values()
        return self.names.get(index) or (
            label if label is not None and is_free else self.fresh("var")
        )

    # -- who reads what ----------------------------------------------------------

    def _resolved(self) -> list[dict[str, int]]:
        """Return for each call, and for what is returned, which call each label means there."""
        found: list[dict[str, int]] = []
        labels: dict[str, int] = {}
        returns = [self._sequence.returns] if self._sequence.returns is not None else [{}]
        for index, arguments in enumerate(
            [*(call.arguments for call in self._sequence.calls), *returns]
        ):
            found.append(dict(labels))
            for source in arguments.values():
                self._count(source, labels, index)
            if index < len(self._sequence.calls):
                label = self._sequence.calls[index].label
                if label is not None:
                    labels[label] = index
        return found

    def _count(self, source: Source, labels: dict[str, int], reader: int) -> None:
        for slot in slots_of(source):
            if isinstance(slot, Reference) and slot.label in labels:
                self._readers[labels[slot.label]] += 1
                self._reader[labels[slot.label]] = reader
                self._slots_met += 1
                self._slot[labels[slot.label]] = self._slots_met
        self._in_texts.update(labels[each] for each in _labels_in_texts(source) if each in labels)

    def _result_index(self) -> int | None:
        """Return which call the sequence gives back, None where it says what it returns."""
        return self._sequence.result if self._sequence.returns is None else None

    # -- names -------------------------------------------------------------------

    def _name_all(self) -> None:
        """Give a name to each call that does not stand inside another expression."""
        calls = self._sequence.calls
        self._taken = {_root(call.name) for call in calls} | self._free_names()
        named: set[int] = set()
        for index in reversed(range(len(calls))):
            if not self._stands_inside(index, named):
                named.add(index)
        for index in sorted(named):
            label = calls[index].label
            if label is None or label in self._taken or not is_plain(label):
                label = self.fresh("var")
            self._taken.add(label)
            self.names[index] = label

    def _stands_inside(self, index: int, named: set[int]) -> bool:
        """
        Whether a call stands where it is read: it does in a plan, unless an alias stands between.

        Calls are made in the order in which they are written, so none stands behind one that follows it.
        """
        written = written_of(self._sequence.calls[index])
        if index == self.result and not self._readers[index]:
            return written is None or not written.is_alias
        if (
            written is None
            or written.is_alias
            or self._readers[index] != 1
            or index in self._in_texts
        ):
            return False
        reader, slot = self._reader[index], self._slot[index]
        return not any(
            between in named or (self._reader.get(between) == reader and self._slot[between] < slot)
            for between in range(index + 1, reader)
        )

    def _free_names(self) -> set[str]:
        found: set[str] = set()
        returns = self._sequence.returns or {}
        for index, arguments in enumerate(
            [*(call.arguments for call in self._sequence.calls), returns]
        ):
            for source in arguments.values():
                for slot in slots_of(source):
                    if isinstance(slot, Reference) and slot.label not in self.producers[index]:
                        found.add(slot.label)
        return found


def written_of(call: Call) -> Written | None:
    """Return how a call stood in the plan that it was read from, or None."""
    return call.written if isinstance(call.written, Written) else None


def _labels_in_texts(source: Source) -> Iterator[str]:
    if isinstance(source, Template):
        yield from (part.label for part in source.parts if isinstance(part, Reference))
    elif isinstance(source, Structure):
        inner: list[Any] = (
            list(source.value.values()) if isinstance(source.value, dict) else source.value
        )
        for each in inner:
            yield from _labels_in_texts(each)


def _root(name: str) -> str:
    return name.partition(".")[0]


def to_plan(sequence: Sequence) -> Plan:
    """
    Return a sequence as a plan.

    What the plan returns is what the sequence returns, else its last call. A plan runs only what it returns
    or what that reads, so where other calls are read by nobody, they are returned as well, by their names;
    in a sequence that was read from a plan they stay aliases that nothing reads.

    Raises:
        FormatError: the sequence holds what no plan can say.

    Example:
        >>> from refract_asp import Sequence
        >>> print(to_plan(Sequence.load('a = Search(query="x")\\nb = Log()\\nShow(id="$a.id$")')))
        a = Search({query: 'x'});
        b = Log();
        return {b: b, var1: Show({id: a.id})};
    """
    refuse_open(sequence.model_copy(update={"returns": None}), "a plan")
    return _Raising(sequence).plan()


class _Raising:
    """Says each call, from the first to the last, as the aliases name them."""

    def __init__(self, sequence: Sequence) -> None:
        self._sequence = sequence
        self._named = Aliases(sequence)
        self._names = self._named.names
        self._inline: dict[int, Expression] = {}
        self._aliases: list[Alias] = []

    def plan(self) -> Plan:
        comments: tuple[str, ...] = ()
        for index, call in enumerate(self._sequence.calls):
            written = written_of(call)
            expression = self._call(index, call)
            said = (*comments, *(written.comments if written is not None else ()))
            if index in self._names:
                self._aliases.append(Alias(self._names[index], expression, said, expression.place))
                comments = ()
            else:
                self._inline[index] = expression
                comments = said
        kept = self._sequence.written
        last = kept.comments if isinstance(kept, Kept) else ()
        return Plan(tuple(self._aliases), self._returned(), (*comments, *last))

    def _call(self, index: int, call: Call) -> Expression:
        if call.malformed is not None:
            what = f"call {index + 1} ({shown(call.name, 60)}) cannot be printed: {call.malformed}"
            raise FormatError(what, hint="Ask for the call again, or print it as pretty.")
        producers = self._named.producers[index]
        named = [
            (name, self._expression(source, producers)) for name, source in call.arguments.items()
        ]
        written = written_of(call)
        place = written.place if written is not None else NOWHERE
        by_position = bool(named) and (
            all(is_position(name) for name, _ in named)
            or (written is not None and written.names == tuple(name for name, _ in named))
        )
        if not by_position:
            for name, _ in named:
                if is_position(name):
                    what = f"call {index + 1} ({shown(call.name, 60)}) has arguments by name and by position."
                    raise FormatError(what, hint="Name them all, as its tool does.")
            fields = tuple((key(name), value) for name, value in named)
            return Invocation(function(call.name), (ObjectOf(fields),) if fields else (), place)
        values = [value for _, value in named]
        if written is not None and written.is_method:
            return Invocation(FieldOf(values[0], plain(call.name)), tuple(values[1:]), place)
        if len(values) == 1 and isinstance(
            values[0], ObjectOf
        ):  # braces would give its fields by name
            name = self._named.fresh("value")
            self._aliases.append(Alias(name, values[0]))
            values = [Name(name)]
        return Invocation(function(call.name), tuple(values), place)

    def _returned(self) -> Expression:
        returns, unread = self._sequence.returns, self._named.unread()
        producers = self._named.producers[-1]
        if returns is None:
            result = (
                self._value_of(self._named.result)
                if self._named.result is not None
                else Literal(None)
            )
            if not unread:
                return result
            fields = [(self._names[index], self._value_of(index)) for index in unread]
            label = self._named.own_name(self._named.result)
            return ObjectOf((*fields, (label, result)))
        if list(returns) == [WHOLE] and not unread:
            return self._expression(returns[WHOLE], producers)
        said = [
            (key(name), self._expression(source, producers)) for name, source in returns.items()
        ]
        names = {name for name, _ in said}
        return ObjectOf(
            (
                *said,
                *(
                    (self._names[i], self._value_of(i))
                    for i in unread
                    if self._names[i] not in names
                ),
            )
        )

    def _value_of(self, index: int) -> Expression:
        return Name(self._names[index]) if index in self._names else self._inline[index]

    def _expression(self, source: Source, producers: dict[str, int]) -> Expression:
        if isinstance(source, Constant):
            return literal(source.value)
        if isinstance(source, Reference):
            return self._reference(source, producers)
        if isinstance(source, Template):
            return TextOf(tuple(self._part(part, producers) for part in source.parts))
        if isinstance(source, Structure):
            value: dict[str, Source] | list[Source] = source.value
            if isinstance(value, dict):
                inner = (
                    (key(name), self._expression(each, producers)) for name, each in value.items()
                )
                return ObjectOf(tuple(inner))
            return ListOf(tuple(self._expression(each, producers) for each in value))
        raise AssertionError("asks were refused")  # pragma: no cover

    def _part(self, part: str | Source, producers: dict[str, int]) -> str | Expression:
        return part if isinstance(part, str) else self._expression(part, producers)

    def _reference(self, reference: Reference, producers: dict[str, int]) -> Expression:
        index = producers.get(reference.label)
        found: Expression = (
            self._value_of(index) if index is not None else Name(plain(reference.label))
        )
        for step in reference.path:
            found = (
                IndexOf(found, Literal(step))
                if isinstance(step, int)
                else FieldOf(found, key(step))
            )
        return found


def normalised(plan: Plan) -> Plan:
    """
    Return a plan with an alias for each call, named `var1`, `var2`, ... in order, and for nothing else.

    Two plans that make the same calls in the same order and return the same are the same so written. Comments
    are left out.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> print(normalised(parse_plan("x = 5; return g({a: f({b: x}).c});").plan))
        var1 = f({b: 5});
        var2 = g({a: var1.c});
        return var2;
    """
    sequence = to_sequence(plan)
    names = {call.label: f"var{number}" for number, call in enumerate(sequence.calls, 1)}
    calls = []
    for call in sequence.calls:
        arguments = {name: _renamed(source, names) for name, source in call.arguments.items()}
        written = call.written
        kept = Written(True, written.is_result, written.is_method)
        calls.append(
            call.model_copy(
                update={"arguments": arguments, "label": names[call.label], "written": kept}
            )
        )
    returns = sequence.returns
    if returns is not None:
        returns = {name: _renamed(source, names) for name, source in returns.items()}
    return to_plan(Sequence(calls=tuple(calls), returns=returns, format="plan"))


def _renamed(source: Source, names: Mapping[str | None, str]) -> Source:
    if isinstance(source, Reference):
        return source.model_copy(update={"label": names.get(source.label, source.label)})
    if isinstance(source, Template):
        parts: list[Any] = [
            each if isinstance(each, str) else _renamed(each, names) for each in source.parts
        ]
        return Template(parts=tuple(parts))
    if isinstance(source, Structure):
        value: dict[str, Source] | list[Source] = source.value
        if isinstance(value, dict):
            return Structure(value={name: _renamed(each, names) for name, each in value.items()})
        return Structure(value=[_renamed(each, names) for each in value])
    return source
