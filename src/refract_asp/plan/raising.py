"""
Turns sequences back into plans.

A call that stood inside another expression, and that one argument reads, stands there again; every other call
is an alias under its label. What a plan has no words for is refused: what is still to be asked or confirmed,
arguments that cannot be read, names that are no plain words.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from refract_asp.errors import FormatError, shown
from refract_asp.formats.source import refuse_open
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import is_position
from refract_asp.model.stages import reads_of
from refract_asp.plan import syntax
from refract_asp.plan.lowering import WHOLE, Kept, Written
from refract_asp.plan.syntax import Expression, Plan

__all__ = ["to_plan"]


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


def _is_plain(name: str | None) -> bool:
    """Whether a name can stand in a plan as it is."""
    is_name = name is not None and syntax.PLAIN_NAME.fullmatch(name) is not None
    return is_name and not syntax.is_reserved(name or "")


def _plain(name: str) -> str:
    """Return a name that can stand in a plan."""
    if not _is_plain(name):
        hint = "Names are made of the letters A to Z, digits and `_`; print it as pretty."
        raise FormatError(f"a plan cannot say the name {shown(name)!r}.", hint=hint)
    return name


def _key(name: str) -> str:
    """Return the key of a field, which may be any text that is not reserved."""
    if syntax.is_reserved(name):
        what = f"a plan cannot say the name {shown(name)!r}."
        raise FormatError(what, hint="Print it as pretty.")
    return name


def _function(name: str) -> Expression:
    """Return what is called by a name with dots."""
    first, *others = map(_plain, name.split("."))
    found: Expression = syntax.Name(first)
    for step in others:
        found = syntax.FieldOf(found, step)
    return found


def _written(call: Call) -> Written:
    """Return how a call stood in the plan that it was read from, where it was."""
    return call.written if isinstance(call.written, Written) else Written(is_alias=False)


def _labels_in_texts(source: Source) -> Iterator[str]:
    if isinstance(source, Template):
        yield from (part.label for part in source.parts if isinstance(part, Reference))
    elif isinstance(source, Structure):
        for each in source.value.values() if isinstance(source.value, dict) else source.value:
            yield from _labels_in_texts(each)


class _Raising:
    """Names each call that does not stand inside another expression, then says each, from first to last."""

    def __init__(self, sequence: Sequence) -> None:
        calls = sequence.calls
        self._calls, self._sequence = calls, sequence
        # for each call, and last for what is returned, which call each label means there
        self._producers: list[dict[str, int | None]] = [{} for _ in range(len(calls) + 1)]
        # for each call that is read: who reads it, and where in all that is read
        self._reads: dict[int, list[tuple[int, int]]] = defaultdict(list)
        free: set[str] = set()
        for slot, read in enumerate(reads_of(sequence)):
            self._producers[read.call][read.reference.label] = read.producer
            if read.producer is None:
                free.add(read.reference.label)
            else:
                self._reads[read.producer].append((read.call, slot))
        read_in = [*(call.arguments for call in calls), sequence.returns or {}]
        self._in_texts = {
            self._producers[index].get(label)
            for index, sources in enumerate(read_in)
            for source in sources.values()
            for label in _labels_in_texts(source)
        }
        self._result = sequence.result if sequence.returns is None else None
        self._taken = {call.name.partition(".")[0] for call in calls} | free
        named: set[int] = set()
        for index in reversed(range(len(calls))):
            if not self._stands_inside(index, named):
                named.add(index)
        self._names: dict[int, str] = {}  # of the calls that are aliases
        for index in sorted(named):
            label = calls[index].label
            if label is None or label in self._taken or not _is_plain(label):
                label = self._fresh("var")
            self._taken.add(label)
            self._names[index] = label
        self._inline: dict[int, Expression] = {}
        self._aliases: list[syntax.Alias] = []

    def _stands_inside(self, index: int, named: set[int]) -> bool:
        """
        Whether a call stands where it is read: it does in a plan, unless an alias stands between.

        Calls are made in the order in which they are written, so none stands behind one that follows it.
        """
        written, reads = _written(self._calls[index]), self._reads[index]
        if index == self._result:  # it is returned besides, and made once
            return not reads and not written.is_alias
        is_alias = written.is_alias or self._calls[index].written is not written
        if is_alias or len(reads) != 1 or index in self._in_texts:
            return False
        [(reader, slot)] = reads
        between = range(index + 1, reader)
        last_reads = [self._reads[each][-1] for each in between if self._reads[each]]
        is_read_later = any(other == reader and at < slot for other, at in last_reads)
        return not is_read_later and named.isdisjoint(between)

    def _fresh(self, stem: str) -> str:
        """Return a name that nothing bears yet, and keep it."""
        taken = self._taken.union(call.label for call in self._calls if call.label is not None)
        name = next(each for n in itertools.count(1) if (each := f"{stem}{n}") not in taken)
        self._taken.add(name)
        return name

    def plan(self) -> Plan:
        comments: tuple[str, ...] = ()
        for index, call in enumerate(self._calls):
            expression = self._call(index, call)
            comments += _written(call).comments
            if index in self._names:
                alias = syntax.Alias(self._names[index], expression, comments, expression.place)
                self._aliases.append(alias)
                comments = ()
            else:
                self._inline[index] = expression
        kept = self._sequence.written
        comments += kept.comments if isinstance(kept, Kept) else ()
        result = self._returned()
        return Plan(tuple(self._aliases), result, comments)

    def _call(self, index: int, call: Call) -> Expression:
        what = f"call {index + 1} ({shown(call.name, 60)})"
        if call.malformed is not None:
            hint = "Ask for the call again, or print it as pretty."
            raise FormatError(f"{what} cannot be printed: {call.malformed}", hint=hint)
        written = _written(call)
        values = [self._expression(source, index) for source in call.arguments.values()]
        is_by_position = [is_position(name) for name in call.arguments]
        is_named = written.names == tuple(call.arguments)
        if not values or not (all(is_by_position) or is_named):
            if any(is_by_position):
                what = f"{what} has arguments by name and by position."
                raise FormatError(what, hint="Name them all, as its tool does.")
            fields = tuple(zip(map(_key, call.arguments), values, strict=True))
            given: tuple[Expression, ...] = (syntax.ObjectOf(fields),) if fields else ()
            return syntax.Invocation(_function(call.name), given, place=written.place)
        if written.is_method:
            method = syntax.FieldOf(values[0], _plain(call.name))
            return syntax.Invocation(method, tuple(values[1:]), place=written.place)
        if len(values) == 1 and isinstance(values[0], syntax.ObjectOf):
            # braces alone would give its fields by name
            alias = syntax.Alias(self._fresh("value"), values[0])
            self._aliases.append(alias)
            values = [syntax.Name(alias.name)]
        return syntax.Invocation(_function(call.name), tuple(values), place=written.place)

    def _returned(self) -> Expression:
        """Return what the plan returns: with it the calls that are made though nobody reads them."""
        returns, last, result = self._sequence.returns, len(self._calls), self._result
        is_plan = self._sequence.format == "plan"
        unread = [
            (self._names[index], self._value_of(index))
            for index in range(0 if is_plan else last)
            if not self._reads[index] and index != result
        ]
        if returns is not None:
            if list(returns) == [WHOLE] and not unread:
                return self._expression(returns[WHOLE], last)
            fields = {_key(name): self._expression(each, last) for name, each in returns.items()}
            # what is returned comes first, and keeps its names
            return syntax.ObjectOf(tuple((fields | dict(unread) | fields).items()))
        value = self._value_of(result) if result is not None else syntax.Literal(None)
        if not unread:
            return value
        # the result is returned beside others, under its own name where that is free
        name = self._names.get(result) if result is not None else None
        label = self._calls[result].label if result is not None else None
        if name is None and label is not None and _is_plain(label):
            name = label if label not in self._names.values() else None
        return syntax.ObjectOf((*unread, (name or self._fresh("var"), value)))

    def _value_of(self, index: int) -> Expression:
        return syntax.Name(self._names[index]) if index in self._names else self._inline[index]

    def _expression(self, source: Any, reader: int) -> Expression:
        """Return a source that a call reads, or what is returned; or a value in it."""
        if isinstance(source, Constant | Structure):
            return self._expression(source.value, reader)
        if isinstance(source, Reference):
            index = self._producers[reader][source.label]
            found = syntax.Name(_plain(source.label)) if index is None else self._value_of(index)
            for step in source.path:
                if isinstance(step, str):
                    found = syntax.FieldOf(found, _key(step))
                else:
                    found = syntax.IndexOf(found, syntax.Literal(step))
            return found
        if isinstance(source, Template):
            parts = source.parts
            read = (
                each if isinstance(each, str) else self._expression(each, reader) for each in parts
            )
            return syntax.TextOf(tuple(read))
        if isinstance(source, dict):
            fields = ((_key(name), self._expression(each, reader)) for name, each in source.items())
            return syntax.ObjectOf(tuple(fields))
        if isinstance(source, list | tuple):
            return syntax.ListOf(tuple(self._expression(each, reader) for each in source))
        is_whole = isinstance(source, float) and source.is_integer() and abs(source) < 2**53
        return syntax.Literal(int(source) if is_whole else source)
