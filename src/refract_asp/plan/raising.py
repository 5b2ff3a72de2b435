"""
Turns sequences back into plans.

A call that stood inside another expression, and that one argument reads, stands there again; every other call
is an alias under its label. What a plan has no words for is refused: what is still to be asked or confirmed,
arguments that cannot be read, names that are no plain words.
"""

from __future__ import annotations

from refract_asp.errors import FormatError, shown
from refract_asp.formats.document_writer import refuse_open
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.positions import is_position
from refract_asp.plan.aliases import Aliases, written_of
from refract_asp.plan.lowering import WHOLE, Kept
from refract_asp.plan.spelling import function, key, literal, plain
from refract_asp.plan.syntax import (
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
)

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
                self._aliases.append(Alias(self._names[index], expression, said))
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
        named = [(name, self._expression(source, producers)) for name, source in call.arguments.items()]
        written = written_of(call)
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
            return Invocation(function(call.name), (ObjectOf(fields),) if fields else ())
        values = [value for _, value in named]
        if written is not None and written.is_method:
            return Invocation(FieldOf(values[0], plain(call.name)), tuple(values[1:]))
        if len(values) == 1 and isinstance(values[0], ObjectOf):  # braces would give its fields by name
            name = self._named.fresh("value")
            self._aliases.append(Alias(name, values[0]))
            values = [Name(name)]
        return Invocation(function(call.name), tuple(values))

    def _returned(self) -> Expression:
        returns, unread = self._sequence.returns, self._named.unread()
        producers = self._named.producers[-1]
        if returns is None:
            result = self._value_of(self._named.result) if self._named.result is not None else Literal(None)
            if not unread:
                return result
            fields = [(self._names[index], self._value_of(index)) for index in unread]
            label = self._named.own_name(self._named.result)
            return ObjectOf((*fields, (label, result)))
        if list(returns) == [WHOLE] and not unread:
            return self._expression(returns[WHOLE], producers)
        said = [(key(name), self._expression(source, producers)) for name, source in returns.items()]
        names = {name for name, _ in said}
        return ObjectOf(
            (*said, *((self._names[i], self._value_of(i)) for i in unread if self._names[i] not in names))
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
                inner = ((key(name), self._expression(each, producers)) for name, each in value.items())
                return ObjectOf(tuple(inner))
            return ListOf(tuple(self._expression(each, producers) for each in value))
        raise AssertionError("asks were refused")  # pragma: no cover

    def _part(self, part: str | Source, producers: dict[str, int]) -> str | Expression:
        return part if isinstance(part, str) else self._expression(part, producers)

    def _reference(self, reference: Reference, producers: dict[str, int]) -> Expression:
        index = producers.get(reference.label)
        found: Expression = self._value_of(index) if index is not None else Name(plain(reference.label))
        for step in reference.path:
            found = IndexOf(found, Literal(step)) if isinstance(step, int) else FieldOf(found, key(step))
        return found
