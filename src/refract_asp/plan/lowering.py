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

import itertools
import json
from dataclasses import dataclass, replace
from typing import Any

from refract_asp.errors import LONGEST_TEXT, PlanError, shown
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.paths import POSITION, is_position
from refract_asp.plan import syntax
from refract_asp.plan.names import alias_reads, circle, dotted, in_order
from refract_asp.plan.syntax import Expression, Place, Plan

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
        values = (*(alias.value for alias in plan.aliases), plan.result)
        named = (
            each.name
            for value in values
            for each in syntax.walk(value)
            if isinstance(each, syntax.Name)
        )
        self._taken = {*self.aliases, *named}
        names = (f"var{number}" for number in itertools.count(1))
        self._free = (name for name in names if name not in self._taken)

    def bind(self, alias: syntax.Alias) -> None:
        """Take an alias, whose expression reads only such as were taken before."""
        self.comments += alias.comments
        if self._is_undefined(alias.value):
            self._undefined.add(alias.name)
        self._bound[alias.name] = self._source(alias.value, alias.name)

    def returned(self) -> dict[str, Source] | None:
        """Return what is given back; None where it is the last call."""
        result = self._plan.result
        self.comments += self._plan.comments
        if isinstance(result, syntax.Invocation):
            self._call(result, None, is_result=True)
            return None
        source = self._source(result)
        last = self.calls[-1] if self.calls else None
        if last is not None and source == Reference(label=last.label):
            written = replace(last.written, is_result=True)
            self.calls[-1] = last.model_copy(update={"written": written})
            return None
        value = source.value if isinstance(source, Constant | Structure) else None
        if isinstance(value, dict) and WHOLE not in value:
            return _fields(source)
        return {WHOLE: source}

    def _call(
        self, call: syntax.Invocation, alias: str | None = None, *, is_result: bool = False
    ) -> Reference:
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
        written = Written(alias is not None, is_result, is_method, comments, call.place)
        self.calls.append(Call(name=name, arguments=arguments, label=label, written=written))
        return Reference(label=label)

    def _source(self, expression: Expression, alias: str | None = None) -> Source:
        if isinstance(expression, syntax.Literal):
            return Constant(
                value=None if expression.value is syntax.UNDEFINED else expression.value
            )
        if isinstance(expression, syntax.Name):
            return self._bound.get(expression.name) or Reference(label=expression.name)
        if isinstance(expression, syntax.Invocation):
            return self._call(expression, alias)
        if isinstance(expression, syntax.FieldOf):
            return _inside(self._source(expression.of), expression.name, expression)
        if isinstance(expression, syntax.IndexOf):
            of, step = self._source(expression.of), self._source(expression.index)
            if not isinstance(step, Constant) or type(step.value) is not int or step.value < 0:
                raise _cannot(expression, "its index is computed")
            return _inside(of, step.value, expression)
        if isinstance(expression, syntax.TextOf):
            parts = expression.parts
            return _template(
                [each if isinstance(each, str) else self._source(each) for each in parts]
            )
        if isinstance(expression, syntax.ListOf):
            return _collected([self._source(each) for each in expression.items])
        fields = expression.fields
        return _collected(
            {name: self._source(each) for name, each in fields if not self._is_undefined(each)}
        )

    def _is_undefined(self, expression: Expression) -> bool:
        if isinstance(expression, syntax.Name):
            return expression.name in self._undefined
        return isinstance(expression, syntax.Literal) and expression.value is syntax.UNDEFINED


def _collected(value: list[Source] | dict[str, Source]) -> Source:
    """Return a list or an object; a constant where nothing in it refers to anything."""
    parts = value.values() if isinstance(value, dict) else value
    known = [each.value for each in parts if isinstance(each, Constant)]
    if len(known) < len(value):
        return Structure(value=value)
    is_object = isinstance(value, dict)
    return Constant(value=dict(zip(value, known, strict=True)) if is_object else known)


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
    place = "" if expression.place == syntax.NOWHERE else str(expression.place)
    return PlanError(f"`{text}` cannot be said in a sequence: {why}.", where=place)
