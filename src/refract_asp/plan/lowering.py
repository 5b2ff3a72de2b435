"""
Turns plans into sequences, so that the same rules check and repair them.

    flight = flightInfo({airline: 'AA'});             flight = flightInfo(airline="AA")
    return other({start: flight.departs});            var1 = other(start="$flight.departs$")

A call inside a call gets a label of its own and stands before it; `.field` and `[0]` become paths; an alias
of a call is its label, an alias of anything else is put where it is read. Arguments that are not one object
have positions (`*1`, `*2`), and a method has for its first what it is called on. A `return` that is not the
last call becomes what the sequence returns, under the name `*1` where it is no object.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from refract_asp.errors import LONGEST_TEXT, PlanError, shown
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import POSITION, is_position
from refract_asp.plan.names import alias_reads, cycles, dotted, in_order
from refract_asp.plan.syntax import (
    NOWHERE,
    UNDEFINED,
    Expression,
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Place,
    Plan,
    TextOf,
    expression_text,
    walk,
)

__all__ = ["WHOLE", "Kept", "Written", "kept_text", "to_sequence"]

WHOLE = f"{POSITION}1"
"""The name under which a sequence returns a value that is no object."""
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
    place: Place = NOWHERE
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
    lowering = _Lowering(plan)
    reads = alias_reads(plan)
    for circle in cycles(reads):
        place = lowering.place_of(circle[0])
        way = shown(" -> ".join([*circle, circle[0]]), LONGEST_TEXT)
        what = f"aliases read each other in a circle: {way}."
        raise PlanError(what, where=str(place), hint="Bind one of them to something else.")
    for name in in_order(reads, reads):
        lowering.bind(name)
    returns = lowering.returned()
    return Sequence(
        calls=tuple(lowering.calls), returns=returns, format="plan", written=lowering.kept()
    )


@dataclass
class _Lowering:
    plan: Plan
    calls: list[Call] = field(default_factory=list)
    _bound: dict[str, Source] = field(default_factory=dict)
    _comments: tuple[str, ...] = ()
    _undefined: set[str] = field(default_factory=set)  # aliases that are bound to it
    _number: int = 0

    def __post_init__(self) -> None:
        self._aliases = {alias.name: alias for alias in self.plan.aliases}
        everything = [alias.value for alias in self.plan.aliases]
        self._taken = set(self._aliases)
        for expression in (*everything, self.plan.result):
            self._taken.update(each.name for each in walk(expression) if isinstance(each, Name))

    def place_of(self, name: str) -> Place:
        return self._aliases[name].place

    def bind(self, name: str) -> None:
        alias = self._aliases[name]
        self._comments += alias.comments
        if self._is_undefined(alias.value):
            self._undefined.add(name)
        if isinstance(alias.value, Invocation):
            self._bound[name] = self._call(alias.value, name)
        else:
            self._bound[name] = self._source(alias.value)

    def returned(self) -> dict[str, Source] | None:
        """Lower what is returned; None where it is the last call."""
        result = self.plan.result
        self._comments += self.plan.comments
        if isinstance(result, Invocation):
            self._call(result, None, is_result=True)
            return None
        source = self._source(result)
        last = self.calls[-1].label if self.calls else None
        if isinstance(source, Reference) and not source.path and source.label == last:
            call = self.calls[-1]
            written = replace(call.written, is_result=True)
            self.calls[-1] = call.model_copy(update={"written": written})
            return None
        if isinstance(result, ObjectOf) and WHOLE not in dict(result.fields):
            return _fields(source)
        return {WHOLE: source}

    def kept(self) -> Kept:
        """Return the comments that stood at no call."""
        return Kept(self._comments)

    def _call(self, call: Invocation, alias: str | None, *, is_result: bool = False) -> Reference:
        comments, self._comments = self._comments, ()
        arguments: dict[str, Source] = {}
        root, path = dotted(call.function)
        name = ".".join(path) if root is not None and root.name not in self._aliases else None
        is_method = name is None
        given = call.arguments
        if name is None:
            if not isinstance(call.function, FieldOf):
                raise _cannot(call, "what is called is an alias, not a tool")
            name = call.function.name
            arguments[WHOLE] = self._source(call.function.of)
        if not is_method and len(given) == 1 and isinstance(given[0], ObjectOf):
            arguments = _fields(self._source(given[0]))
            if any(map(is_position, arguments)):
                raise _cannot(call, "a key is written as the position of an argument")
        else:
            while given and self._is_undefined(given[-1]):
                given = given[:-1]
            for number, each in enumerate(given, len(arguments) + 1):
                arguments[f"{POSITION}{number}"] = self._source(each)
        label = alias if alias is not None else self._fresh()
        if len(self.calls) >= MAX_CALLS:
            raise _cannot(call, f"there are more than {MAX_CALLS} calls")
        written = Written(alias is not None, is_result, is_method, comments, call.place)
        self.calls.append(Call(name=name, arguments=arguments, label=label, written=written))
        return Reference(label=label)

    def _fresh(self) -> str:
        self._number += 1
        while f"var{self._number}" in self._taken:
            self._number += 1
        return f"var{self._number}"

    def _source(self, expression: Expression) -> Source:
        if isinstance(expression, Literal):
            return Constant(value=None if expression.value is UNDEFINED else expression.value)
        if isinstance(expression, Name):
            found = self._bound.get(expression.name)
            return found if found is not None else Reference(label=expression.name)
        if isinstance(expression, Invocation):
            return self._call(expression, None)
        if isinstance(expression, FieldOf):
            return self._inside(self._source(expression.of), expression.name, expression)
        if isinstance(expression, IndexOf):
            of, step = self._source(expression.of), self._source(expression.index)
            if not isinstance(step, Constant) or type(step.value) is not int or step.value < 0:
                raise _cannot(expression, "its index is computed")
            return self._inside(of, step.value, expression)
        if isinstance(expression, TextOf):
            return _template(
                [each if isinstance(each, str) else self._source(each) for each in expression.parts]
            )
        if isinstance(expression, ListOf):
            return _structure([self._source(each) for each in expression.items])
        return _structure(
            {
                name: self._source(value)
                for name, value in expression.fields
                if not self._is_undefined(value)
            }
        )

    def _is_undefined(self, expression: Expression) -> bool:
        if isinstance(expression, Name):
            return expression.name in self._undefined
        return isinstance(expression, Literal) and expression.value is UNDEFINED

    def _inside(self, source: Source, step: str | int, expression: Expression) -> Source:
        """Return what lies in a source, which an alias may have been bound to."""
        if isinstance(source, Reference):
            return source.model_copy(update={"path": (*source.path, step)})
        value: Any = source.value if isinstance(source, Constant | Structure) else None
        if isinstance(step, str):
            is_there = isinstance(value, dict) and step in value
        else:
            is_there = isinstance(value, list) and step < len(value)
        if not is_there:
            raise _cannot(expression, "there is nothing of that name in what it is read from")
        inner: Source = (
            value[step] if isinstance(source, Structure) else Constant(value=value[step])
        )
        return inner


def _fields(source: Source) -> dict[str, Source]:
    if isinstance(source, Constant):
        return {name: Constant(value=value) for name, value in dict(source.value).items()}
    if isinstance(source, Structure) and isinstance(source.value, dict):
        return dict(source.value)
    raise AssertionError("only objects have fields")  # pragma: no cover


def _structure(value: dict[str, Source] | list[Source]) -> Source:
    """Return an object or a list, as a constant where nothing in it refers to anything."""
    if isinstance(value, dict):
        constants = {name: each.value for name, each in value.items() if isinstance(each, Constant)}
        return Constant(value=constants) if len(constants) == len(value) else Structure(value=value)
    items = [each.value for each in value if isinstance(each, Constant)]
    return Constant(value=items) if len(items) == len(value) else Structure(value=value)


def _template(parts: list[str | Source]) -> Source:
    joined: list[Any] = []
    for part in parts:
        text: Any = part
        if isinstance(part, Constant):
            text = part.value if isinstance(part.value, str) else json.dumps(part.value)
        elif isinstance(part, Template):
            joined += part.parts
            continue
        if isinstance(text, str) and joined and isinstance(joined[-1], str):
            joined[-1] += text
        else:
            joined.append(text)
    if all(isinstance(part, str) for part in joined):
        return Constant(value="".join(joined))
    if not all(isinstance(part, str | Reference) for part in joined):
        raise PlanError(
            "a template holds more than texts and references.", hint="Use plain references."
        )
    return Template(parts=tuple(joined))


def _cannot(expression: Expression, why: str) -> PlanError:
    text = shown(expression_text(expression))
    place = "" if expression.place == NOWHERE else str(expression.place)
    return PlanError(f"`{text}` cannot be said in a sequence: {why}.", where=place)
