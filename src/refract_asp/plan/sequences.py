"""
Turns plans into sequences, so that the same rules check and repair them, and sequences back into plans.

    flight = flightInfo({airline: 'AA'});             flight = flightInfo(airline="AA")
    return other({start: flight.departs});            var1 = other(start="$flight.departs$")

A call inside a call gets a label of its own and stands before it; `.field` and `[0]` become paths; an alias
of a call is its label, an alias of anything else is put where it is read. Arguments that are not one object
have positions (`*1`, `*2`), and a method has for its first what it is called on. A `return` that is not the
last call becomes what the sequence returns, under the name `*1` where it is no object.

On the way back, a call that stood inside another expression, and that one argument reads, stands there again;
every other call is an alias under its label. What a plan has no words for is refused: what is still to be
asked for or confirmed, arguments that cannot be read, names that are no plain words.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from refract_asp.errors import LONGEST_TEXT, FormatError, PlanError, shown
from refract_asp.formats.references import structure_of
from refract_asp.formats.source import refuse_open
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import POSITION, as_whole, elements_of, is_position
from refract_asp.model.sequence import all_calls
from refract_asp.model.stages import reads_of
from refract_asp.plan import syntax
from refract_asp.plan.context import alias_reads, circle, dotted, in_order
from refract_asp.plan.syntax import Expression, Place, Plan

WHOLE = f"{POSITION}1"
"""The name under which a sequence returns a value that is no object."""
# How many calls a plan may have.
MAX_CALLS = 2000


@dataclass(frozen=True, slots=True)
class Written:
    """
    How a call stood in its plan.

    Attributes:
        is_alias: whether its label was written as an alias; else it stood inside another expression.
        is_result: whether it is what the plan returns.
        is_method: whether it is called on its first argument: `date.at('9:00am')`.
        comments: the comments that stood at it.
        place: where it stood.
        names: the parameters that its arguments by position got from a catalog, in their order.
    """

    is_alias: bool
    is_result: bool = False
    is_method: bool = False
    comments: tuple[str, ...] = ()
    place: Place = syntax.NOWHERE
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a plan stands in no call: its other comments, and its text where it was read from one."""

    comments: tuple[str, ...] = ()
    text: str | None = None


def kept_text(sequence: Sequence) -> str | None:
    """Return the text of the plan that a sequence was read from; None where it was read from no text."""
    return sequence.written.text if isinstance(sequence.written, Kept) else None


def to_sequence(plan: Plan) -> Sequence:
    """
    Return the calls of a plan in an order in which each stands behind what it reads.

    A call that nothing reads is among them, though running the plan leaves it out: it may be what a broken
    name was meant for.

    Raises:
        PlanError: an alias is read by itself, or an index is computed, which no sequence can say.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> plan = parse_plan("return domainC({x: domainA({y: 'foo'}).field1, z: domainB()[0]});").plan
        >>> print(to_sequence(plan))
        var1 = domainA(y="foo")
        var2 = domainB()
        var3 = domainC(x="$var1.field1$", z="$var2[0]$")
    """
    reads = alias_reads(plan)
    lowering = _Lowering(plan)
    if ring := circle(reads):
        what = f"aliases read each other in a circle: {shown(' -> '.join(ring), LONGEST_TEXT)}."
        raise PlanError(what, where=str(lowering.aliases[ring[0]].place))
    for name in in_order(reads, reads):
        lowering.bind(lowering.aliases[name])
    returns = lowering.returned()
    kept = Kept(lowering.comments)  # those that stood at no call
    return Sequence(calls=tuple(lowering.calls), returns=returns, format="plan", written=kept)


class _Lowering:
    """Makes the calls of a plan, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self.aliases = {alias.name: alias for alias in plan.aliases}
        self.calls: list[Call] = []
        self.comments: tuple[str, ...] = ()
        self._plan = plan
        self._bound: dict[str, Source] = {}
        self._undefined: set[str] = set()  # aliases that are bound to it
        every = syntax.walk(syntax.ListOf((*(each.value for each in plan.aliases), plan.result)))
        taken = {*self.aliases, *(each.name for each in every if isinstance(each, syntax.Name))}
        names = (f"var{number}" for number in itertools.count(1))
        self._free = (name for name in names if name not in taken)

    def bind(self, alias: syntax.Alias) -> None:
        """Take an alias, whose expression reads only such as were taken before."""
        self.comments += alias.comments
        if self._is_undefined(alias.value):
            self._undefined.add(alias.name)
        self._bound[alias.name] = self._source(alias.value, alias.name)

    def returned(self) -> dict[str, Source] | None:
        """Return what is given back; None where it is the last call."""
        self.comments += self._plan.comments
        source = self._source(self._plan.result)
        last = self.calls[-1] if self.calls else None
        if last is not None and source == Reference(label=last.label):
            written = replace(last.written, is_result=True)
            self.calls[-1] = last.model_copy(update={"written": written})
            return None
        value = source.value if isinstance(source, Constant | Structure) else None
        if isinstance(value, dict) and WHOLE not in value:
            return _fields(source)
        return {WHOLE: source}

    def _call(self, call: syntax.Invocation, alias: str | None) -> Source:
        comments, self.comments = self.comments, ()
        arguments: dict[str, Source] = {}
        root, path = dotted(call.function)
        name, given = ".".join(path), call.arguments
        is_method = root is None or root.name in self.aliases
        if is_method:
            if not isinstance(call.function, syntax.FieldOf):
                raise _cannot(call, "what is called is an alias, not a tool")
            name = call.function.name
            arguments[WHOLE] = self._source(call.function.of)
        if not is_method and len(given) == 1 and isinstance(given[0], syntax.ObjectOf):
            arguments = _fields(self._source(given[0]))
            if any(map(is_position, arguments)):
                raise _cannot(call, "a key is written as the position of an argument")
        else:
            while given and self._is_undefined(given[-1]):
                given = given[:-1]
            for number, each in enumerate(given, len(arguments) + 1):
                arguments[f"{POSITION}{number}"] = self._source(each)
        label = next(self._free) if alias is None else alias
        if len(self.calls) >= MAX_CALLS:
            raise _cannot(call, f"there are more than {MAX_CALLS} calls")
        written = Written(alias is not None, False, is_method, comments, call.place)
        self.calls.append(Call(name=name, arguments=arguments, label=label, written=written))
        return Reference(label=label)

    def _source(self, expression: Expression, alias: str | None = None) -> Source:
        match expression:
            case syntax.Literal(value=value):
                return Constant(value=None if value is syntax.UNDEFINED else value)
            case syntax.Name(name=name):
                return self._bound.get(name) or Reference(label=name)
            case syntax.Invocation():
                return self._call(expression, alias)
            case syntax.FieldOf():
                return _inside(self._source(expression.of), expression.name, expression)
            case syntax.IndexOf():
                of, step = self._source(expression.of), self._source(expression.index)
                if not isinstance(step, Constant) or type(step.value) is not int or step.value < 0:
                    raise _cannot(expression, "its index is computed")
                return _inside(of, step.value, expression)
            case syntax.TextOf(parts=parts):
                return _template([p if isinstance(p, str) else self._source(p) for p in parts])
            case syntax.ListOf(items=items):
                return structure_of([self._source(each) for each in items])
        said = ((name, each) for name, each in expression.fields if not self._is_undefined(each))
        return structure_of({name: self._source(each) for name, each in said})

    def _is_undefined(self, expression: Expression) -> bool:
        if isinstance(expression, syntax.Name):
            return expression.name in self._undefined
        return isinstance(expression, syntax.Literal) and expression.value is syntax.UNDEFINED


def _inside(source: Source, step: str | int, expression: Expression) -> Source:
    """Return what lies in a source, which an alias may have been bound to."""
    if isinstance(source, Reference):
        return source.model_copy(update={"path": (*source.path, step)})
    value: Any = source.value if isinstance(source, Constant | Structure) else None
    is_field = isinstance(step, str) and isinstance(value, dict) and step in value
    is_element = isinstance(step, int) and isinstance(value, list) and step < len(value)
    if not is_field and not is_element:
        raise _cannot(expression, "there is nothing of that name in what it is read from")
    inner: Source = value[step] if isinstance(source, Structure) else Constant(value=value[step])
    return inner


def _fields(source: Source) -> dict[str, Source]:
    """Return the fields of what an object became."""
    if isinstance(source, Structure) and isinstance(source.value, dict):
        return dict(source.value)
    assert isinstance(source, Constant), "only objects have fields"
    return {name: Constant(value=value) for name, value in source.value.items()}


def _template(parts: list[str | Source]) -> Source:
    joined: list[Any] = []
    for part in parts:
        inner: list[Any] = list(part.parts) if isinstance(part, Template) else [part]
        if isinstance(part, Constant):
            inner = [part.value if isinstance(part.value, str) else json.dumps(part.value)]
        if isinstance(inner[0], str) and joined and isinstance(joined[-1], str):
            joined[-1] += inner.pop(0)
        joined += inner
    if all(isinstance(part, str) for part in joined):
        return Constant(value="".join(joined))
    if not all(isinstance(part, str | Reference) for part in joined):
        what = "a template holds more than texts and references."
        raise PlanError(what, hint="Use plain references.")
    return Template(parts=tuple(joined))


def _cannot(expression: Expression, why: str) -> PlanError:
    text = shown(syntax.expression_text(expression))
    what = f"`{text}` cannot be said in a sequence: {why}."
    return PlanError(what, where=str(expression.place))


def to_plan(sequence: Sequence) -> Plan:
    """
    Return a sequence as a plan.

    What the plan returns is what the sequence returns, else its last call. A plan runs only what it returns
    or what that reads, so where other calls are read by nobody, they are returned as well, by their names;
    in a sequence that was read from a plan they stay aliases that nothing reads, but for those that a repair
    kept.

    Raises:
        FormatError: the sequence holds what no plan can say.

    Example:
        >>> from refract_asp import Sequence
        >>> print(to_plan(Sequence.load('a = Search(query="x")\\nb = Log()\\nShow(id="$a.id$")')))
        a = Search({query: 'x'});
        b = Log();
        return {b: b, var1: Show({id: a.id})};
    """
    return _Raising(sequence).plan()


def to_run(sequence: Sequence) -> tuple[Plan, tuple[str, ...]]:
    """
    Return a sequence that was read from a plan as the plan to run, and the aliases that a repair kept.

    Such an alias is evaluated before what the plan returns, which stays as it was.
    """
    raising = _Raising(sequence, returns_kept=False)
    return raising.plan(), tuple(raising.names[index] for index in sequence.kept)


def _is_plain(name: str) -> bool:
    """Whether a name can stand in a plan as it is."""
    return syntax.PLAIN_NAME.fullmatch(name) is not None and not syntax.is_reserved(name)


def _key(name: str, *, is_plain: bool = False) -> str:
    """Return the key of a field, which may be any text that is not reserved; or a name, which is plain."""
    if syntax.is_reserved(name) or (is_plain and not _is_plain(name)):
        hint = "Names are made of the letters A to Z, digits and `_`; print it as pretty."
        hint = hint if is_plain else "Print it as pretty."
        raise FormatError(f"a plan cannot say the name {shown(name)!r}.", hint=hint)
    return name


_plain = partial(_key, is_plain=True)


def _reached(of: Expression, path: Iterable[str | int]) -> Expression:
    """Return what lies in a value."""
    for step in path:
        element = syntax.IndexOf(of, syntax.Literal(step))
        of = syntax.FieldOf(of, _key(step)) if isinstance(step, str) else element
    return of


def _written(call: Call) -> Written:
    """Return how a call stood in the plan that it was read from, where it was."""
    return call.written if isinstance(call.written, Written) else Written(is_alias=False)


def _labels_in_texts(source: Source) -> Iterator[str]:
    if isinstance(source, Template):
        yield from (part.label for part in source.parts if isinstance(part, Reference))
    elif isinstance(source, Structure):
        for each in elements_of(source.value):
            yield from _labels_in_texts(each)


class _Raising:
    """Names each call that does not stand inside another expression, then says each, from first to last."""

    def __init__(self, sequence: Sequence, *, returns_kept: bool = True) -> None:
        refuse_open(sequence.model_copy(update={"returns": None}), "a plan")
        calls = sequence.calls
        self._returned_kept = sequence.kept if returns_kept else ()
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
        self._in_texts: set[int | None] = set()
        for producers, call in zip(self._producers, all_calls(sequence), strict=True):
            labels = chain.from_iterable(map(_labels_in_texts, call.arguments.values()))
            self._in_texts |= {producers.get(label) for label in labels}
        self._result = sequence.result if sequence.returns is None else None
        self._taken = {call.name.partition(".")[0] for call in calls} | free
        named: set[int] = set()
        for index in reversed(range(len(calls))):
            if not self._stands_inside(index, named):
                named.add(index)
        self.names: dict[int, str] = {}  # of the calls that are aliases
        for index in sorted(named):
            label = calls[index].label
            is_free = label is not None and label not in self._taken and _is_plain(label)
            self.names[index] = label if label and is_free else self._fresh("var")
            self._taken.add(self.names[index])
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
        if index in self._sequence.kept:
            return False
        is_alias = written.is_alias or self._calls[index].written is not written
        if is_alias or len(reads) != 1 or index in self._in_texts:
            return False
        [(reader, slot)] = reads
        between = range(index + 1, reader)
        last_reads = [self._reads[each][-1] for each in between if self._reads[each]]
        is_read_later = any(other == reader and at < slot for other, at in last_reads)
        return not is_read_later and named.isdisjoint(between)

    def _fresh(self, stem: str) -> str:
        """Return a name that nothing has yet, and keep it."""
        taken = self._taken.union(call.label for call in self._calls if call.label is not None)
        name = next(each for n in itertools.count(1) if (each := f"{stem}{n}") not in taken)
        self._taken.add(name)
        return name

    def plan(self) -> Plan:
        comments: tuple[str, ...] = ()
        for index, call in enumerate(self._calls):
            self._inline[index] = made = self._call(index, call)
            comments += _written(call).comments
            if name := self.names.get(index):
                self._aliases.append(syntax.Alias(name, made, comments, made.place))
                comments = ()
        kept = self._sequence.written
        comments += kept.comments if isinstance(kept, Kept) else ()
        result = self._returned()  # it may add an alias
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
        if values and written.is_method and (all(is_by_position) or is_named):
            method = syntax.FieldOf(values.pop(0), _plain(call.name))
            return syntax.Invocation(method, tuple(values), place=written.place)
        if values and not (all(is_by_position) or is_named):
            if any(is_by_position):
                what = f"{what} has arguments by name and by position."
                raise FormatError(what, hint="Name them all, as its tool does.")
            values = [syntax.ObjectOf(tuple(zip(map(_key, call.arguments), values, strict=True)))]
        elif len(values) == 1 and isinstance(values[0], syntax.ObjectOf):
            # braces alone would give its fields by name
            alias = syntax.Alias(self._fresh("value"), values[0])
            self._aliases.append(alias)
            values = [syntax.Name(alias.name)]
        first, *others = map(_plain, call.name.split("."))
        function = _reached(syntax.Name(first), others)
        return syntax.Invocation(function, tuple(values), place=written.place)

    def _returned(self) -> Expression:
        """Return what the plan returns: with it the calls that are made though they are not read."""
        returns, last, result = self._sequence.returns, len(self._calls), self._result
        left = self._returned_kept
        if self._sequence.format != "plan":
            left = tuple(n for n in range(last) if not self._reads[n] and n != result)
        unread = [(self.names[index], self._value_of(index)) for index in left]
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
        name = None if result is None else self.names.get(result, self._calls[result].label)
        is_free = isinstance(value, syntax.Name) or name not in self.names.values()
        if name is None or not _is_plain(name) or not is_free:
            name = self._fresh("var")
        return syntax.ObjectOf((*unread, (name, value)))

    def _value_of(self, index: int) -> Expression:
        return syntax.Name(self.names[index]) if index in self.names else self._inline[index]

    def _expression(self, source: Any, reader: int) -> Expression:
        """Return a source that a call reads, or what is returned; or a value in it."""
        read = partial(self._expression, reader=reader)
        match source:
            case Constant(value=value) | Structure(value=value):
                return read(value)
            case Reference(label=label, path=path):
                index = self._producers[reader][label]
                of = syntax.Name(_plain(label)) if index is None else self._value_of(index)
                return _reached(of, path)
            case Template(parts=parts):
                return syntax.TextOf(tuple(p if isinstance(p, str) else read(p) for p in parts))
            case dict():
                fields = ((_key(name), read(each)) for name, each in source.items())
                return syntax.ObjectOf(tuple(fields))
            case list() | tuple():
                return syntax.ListOf(tuple(map(read, source)))
        return syntax.Literal(as_whole(source))
