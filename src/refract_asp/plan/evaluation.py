"""
Evaluates plans: says which tools are called with what, and what the plan gives once they have answered.

Nothing is executed but functions of the context, and nothing of the plan twice: an alias is evaluated when
something reads it, and then kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from refract_asp.errors import (
    InputError,
    LimitError,
    PlanError,
    RefractError,
    ToolFailedError,
    shown,
)
from refract_asp.formats.values import json_text
from refract_asp.plan.access import Volume, call_local, element_of, field_of, where, wrong
from refract_asp.plan.context import Context
from refract_asp.plan.diagnostics import PlanDiagnostic, refused
from refract_asp.plan.limits import text_size, too_large
from refract_asp.plan.names import Numbering, Planned, binding_path, check_names
from refract_asp.plan.order import Unkept, in_order
from refract_asp.plan.syntax import (
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
)

if TYPE_CHECKING:
    from refract_asp.runtime.tools import Tools

__all__ = ["Evaluation", "Planned", "evaluate"]


class Evaluation:
    """
    One evaluation of a plan, step by step as its tools answer.

    An evaluation belongs to one run: what it has once evaluated stays. Only what `return` needs is in it.

    An invocation whose only argument is written as an object passes the fields of it by name; any other
    arguments are passed by position, but for tools that take one object. `undefined` leaves out a field of an
    object and an argument at the end, and is null in a list and before another argument. Calls of local
    functions and methods are made where they stand, each at most once.

    Args:
        plan: the plan.
        context: what its names mean; none but aliases and `tools` by default.
        tools: functions by name, which are domains as well; a name of the context comes first.

    Raises:
        PlanError: names of the plan are wrong, or it is beyond a limit; the message lists all of it.

    Example:
        >>> plan = Plan((), Invocation(Name("fetch"), (ObjectOf((("url", Name("home")),)),)))
        >>> evaluation = Evaluation(plan, Context({"home": "/"}), tools={"fetch": lambda url: url})
        >>> evaluation.invocations[0].tool, evaluation.arguments(0, {})
        ('fetch', ({'url': '/'}, ()))
        >>> evaluation.result({0: "hello"})
        'hello'
    """

    def __init__(
        self, plan: Plan, context: Context | None = None, tools: Mapping[str, Any] | None = None
    ) -> None:
        """Check the names, and number the calls of tools."""
        self._context = context if context is not None else Context()
        if tools:
            self._context = Context.of(tools, limits=self._context.limits).merged(self._context)
        self._plan = plan
        self._limits = self._context.limits
        found = check_names(plan, self._context)
        self.warnings: tuple[PlanDiagnostic, ...] = tuple(
            each for each in found if each.severity == "warning"
        )
        if len(self.warnings) < len(found):
            raise refused(found)
        self._numbering = Numbering(plan, self._context)
        self._expressions = self._numbering.expressions
        self._volume = Volume(self._limits)
        self._kept: dict[str, Any] = {}
        self._failed: dict[str, RefractError] = {}
        self._answers: dict[int, Any] = {}
        self._called_once: dict[int, Any] = {}

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self._plan

    @property
    def context(self) -> Context:
        """What its names mean, with the tools that were given."""
        return self._context

    @property
    def tools(self) -> Tools:
        """The functions of the tools that may be called, by name."""
        return self._context.tools

    @property
    def invocations(self) -> tuple[Planned, ...]:
        """
        The calls of tools that `return` needs, in the order in which they stand, arguments before the call.

        What an alias needs that stands further down comes before it.
        """
        return tuple(self._numbering.planned)

    @property
    def result_needs(self) -> tuple[int, ...]:
        """The numbers of the calls whose results are part of what is returned."""
        return self._numbering.result_needs

    def unread(self) -> tuple[Planned, ...]:
        """Return the calls of tools in aliases that nobody reads; they are not made, and numbered apart."""
        return self._numbering.unread()

    def arguments(
        self, number: int, values: Mapping[int, Any]
    ) -> tuple[dict[str, Any], tuple[Any, ...]]:
        """
        Return what an invocation is called with, by name and by position; both are copies.

        Args:
            number: which invocation.
            values: what those that it needs have given, by number.

        Raises:
            PlanError: there is no such field or element, or a value is beyond a limit; it says where.
            ToolError: a local function failed; it says where.
        """
        call = self._numbering.calls[number]
        for argument in call.arguments:
            self._ready(self._numbering.read_now(argument), values)
        named, positional = self._given(call, values)
        path = self._numbering.callees[id(call)].path
        if not positional or not self._context.bound_at(path).takes_object:
            return named, positional
        if len(positional) == 1 and isinstance(positional[0], dict):
            return positional[0], ()
        raise wrong(
            f"{shown('.'.join(path))} takes one object, which holds its arguments.", call.place
        )

    def result(self, values: Mapping[int, Any]) -> Any:
        """
        Return a copy of what the plan returns; `undefined` is None.

        Args:
            values: what the invocations in `result_needs` have given, by number.

        Raises:
            PlanError, ToolError: as `arguments` does.
        """
        result = self._plan.result
        self._ready(self._numbering.read_now(result), values)
        value = self._value(result, values)
        return None if value is UNDEFINED else self._volume.copied(value, result.place)

    # what is evaluated

    def _ready(self, names: tuple[str, ...], values: Mapping[int, Any]) -> None:
        """Evaluate aliases that are not yet, what they read first; chains of them may be of any length."""
        left = [name for name in names if name not in self._kept]
        if not left:
            return
        reads = Unkept(self._numbering.reads, self._kept)
        for name in in_order(left, reads):
            if name in self._failed:
                raise self._failed[name]
            expression = self._expressions[name]
            try:
                self._kept[name] = self._value(expression, values)
            except _AbsentError:
                raise
            except RefractError as error:
                self._failed[name] = error
                raise

    def _value(self, expression: Expression, values: Mapping[int, Any]) -> Any:
        """Return the value of an expression; the aliases in it are evaluated."""
        if isinstance(expression, Literal):
            return expression.value
        if isinstance(expression, Name):
            if expression.name in self._expressions:
                return self._kept[expression.name]
            return self._context.value_at((expression.name,))
        if isinstance(expression, FieldOf):
            path = binding_path(expression, self._context, self._expressions)
            if path is not None and len(path) > 1:
                return self._context.value_at(path)
            return field_of(self._value(expression.of, values), expression)
        if isinstance(expression, IndexOf):
            return element_of(
                self._value(expression.of, values),
                self._value(expression.index, values),
                expression,
            )
        if isinstance(expression, Invocation):
            if id(expression) in self._numbering.numbers:
                return self._answer(self._numbering.numbers[id(expression)], values)
            if id(expression) not in self._called_once:
                self._called_once[id(expression)] = self._called(expression, values)
            return self._called_once[id(expression)]
        try:
            made = self._made(expression, values)
            self._volume.measured(made)
        except LimitError as error:
            raise wrong(error.what, expression.place, error.hint) from None
        return made

    def _made(self, expression: ListOf | ObjectOf | TextOf, values: Mapping[int, Any]) -> Any:
        """Return a list, an object or a text made of the values in it."""
        if isinstance(expression, ListOf):
            items = [self._value(item, values) for item in expression.items]
            return [None if item is UNDEFINED else item for item in items]
        if isinstance(expression, ObjectOf):
            fields = ((key, self._value(inner, values)) for key, inner in expression.fields)
            return {key: value for key, value in fields if value is not UNDEFINED}
        texts: list[str] = []
        size = 0
        for part in expression.parts:
            text = (
                part if isinstance(part, str) else self._text(self._value(part, values), part.place)
            )
            size += text_size(text)
            if size > self._limits.size:
                raise too_large(self._limits)
            texts.append(text)
        self._volume.weighed(size, expression.place)
        return "".join(texts)

    def _text(self, value: Any, place: Place) -> str:
        """Return a value as it stands in a text."""
        if isinstance(value, str):
            return value
        if value is UNDEFINED:
            raise wrong("a text cannot hold undefined.", place, "Use a value.")
        return json_text(self._volume.copied(value, place))

    def _answer(self, number: int, values: Mapping[int, Any]) -> Any:
        """Return what an invocation gave; it is copied once, so that nobody else holds it."""
        if number not in self._answers:
            planned = self._numbering.planned[number]
            if number not in values:
                name = shown(planned.tool)
                what = f"the result of call {number + 1} ({name}) is not there."
                raise _AbsentError(what, where=where(planned.place))
            try:
                self._answers[number] = self._volume.taken_in(values[number], planned.place)
            except PlanError:
                raise
            except InputError as error:
                what = f"what {shown(planned.tool)} gave is no usable value: {error.what}"
                raise wrong(what, planned.place, error.hint) from None
        return self._answers[number]

    # what is passed on

    def _given(
        self, call: Invocation, values: Mapping[int, Any]
    ) -> tuple[dict[str, Any], tuple[Any, ...]]:
        """Return copies of the arguments of a call, by name and by position."""
        arguments = call.arguments
        found = [self._value(argument, values) for argument in arguments]
        if len(arguments) == 1 and isinstance(arguments[0], ObjectOf):
            named: dict[str, Any] = self._volume.copied(found[0], call.place)
            return named, ()
        while found and found[-1] is UNDEFINED:
            found.pop()
        return {}, tuple(
            None if value is UNDEFINED else self._volume.copied(value, argument.place)
            for value, argument in zip(found, arguments, strict=False)
        )

    def _called(self, call: Invocation, values: Mapping[int, Any]) -> Any:
        """Call a local function, or a method, and return a copy of what it gives."""
        found = self._numbering.callees[id(call)]
        name = shown(".".join(found.path))
        named, positional = self._given(call, values)
        if found.of is not None:
            function = self._context.method(found.path[0])
            behind = self._value(found.of, values)
            if behind is UNDEFINED:
                raise wrong(f"undefined has no method {name!r}.", call.place)
            positional = (self._volume.copied(behind, found.of.place), *positional)
        else:
            function = self._context.function_at(found.path)
        assert function is not None, "names are checked"
        if len(named) + len(positional) > self._limits.arguments:
            raise wrong(
                f"{name} is called with more than {self._limits.arguments} arguments.", call.place
            )
        given = call_local(function, named, positional, name, call.place)
        return self._given_by(given, name, call.place)

    def _given_by(self, given: Any, name: str, place: Place) -> Any:
        """Return a copy of what a local function gave."""
        try:
            return self._volume.taken_in(given, place)
        except PlanError:
            raise
        except InputError as error:
            what = f"what {name} gave is no usable value: {error.what}"
            raise ToolFailedError(what, tool=name, where=where(place), hint=error.hint) from None


class _AbsentError(PlanError):
    """A result was not given; it may be the next time."""


def evaluate(plan: Plan | Expression, context: Context | None = None) -> Any:
    """
    Return the value of a plan, or of an expression, that calls no tools.

    Raises:
        PlanError: it calls a tool, its names are wrong, or it cannot be evaluated.
        ToolError: a local function failed.

    Example:
        >>> evaluate(Invocation(Name("add"), (Literal(1), Literal(2))), Context({"add": lambda a, b: a + b}))
        3
    """
    evaluation = Evaluation(plan if isinstance(plan, Plan) else Plan((), plan), context)
    for planned in evaluation.invocations:
        what = f"{shown(planned.tool)} is a tool, whose call has to be scheduled."
        raise wrong(what, planned.place, "Run the plan.")
    return evaluation.result({})
