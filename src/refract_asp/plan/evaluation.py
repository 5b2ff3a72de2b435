"""
Evaluates plans: says which tools are called with what, and what the plan gives once they have answered.

Nothing is executed but functions of the context, and nothing of the plan twice: an alias is evaluated when
something reads it, and then kept.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from refract_asp import errors
from refract_asp.errors import InputError, shown
from refract_asp.formats.values import json_text
from refract_asp.plan import context as names
from refract_asp.plan import syntax
from refract_asp.plan.context import MAX_SIZE, Context, Sizes, text_size, too_large
from refract_asp.plan.syntax import Expression, Place, Plan, PlanDiagnostic

MAX_CALLS = 2_000
"""Calls of a plan, of tools and of local functions."""


def _wrong(what: str, place: Place, hint: str = "") -> errors.PlanError:
    """Return the error for an expression that stands at a place."""
    return errors.PlanError(what, where=str(place), hint=hint)


# -- fields and elements -------------------------------------------------------


def _kind_of(value: Any) -> str:
    """Say what a value is."""
    if value is None or value is syntax.UNDEFINED:
        return "null" if value is None else "undefined"
    kinds = ((bool, "a boolean"), (int | float, "a number"), (str, "a text"), (list, "a list"))
    return next((word for kind, word in kinds if isinstance(value, kind)), "an object")


def field_in(value: Any, name: str) -> Any:
    """
    Return the field of an object.

    Raises:
        InputError: there is none; the message lists what exists, names are bounded.

    Example:
        >>> field_in({"b": 1}, "b")
        1
    """
    if isinstance(value, dict):
        if name in value:
            return value[name]
        raise InputError(f"the object has no field {shown(name)!r}.", hint=names.meant(name, value))
    hint = f"Name an element first, as in [0].{shown(name)}." if isinstance(value, list) else ""
    raise InputError(f"{_kind_of(value)} has no field {shown(name)!r}.", hint=hint)


def element_in(value: Any, index: Any) -> Any:
    """
    Return the element of a list.

    Raises:
        InputError: there is none; the message lists what exists.

    Example:
        >>> element_in([5, 6], 1)
        6
    """
    if not isinstance(value, list):
        hint = "Fields are read with a dot." if isinstance(value, dict) else ""
        raise InputError(f"{_kind_of(value)} has no elements.", hint=hint)
    if isinstance(index, float) and index.is_integer():
        index = int(index)
    if type(index) is not int:
        said = shown(index, 40) if isinstance(index, float) else _kind_of(index)
        raise InputError(f"{said} is no index.", hint="Use a whole number from 0.")
    if 0 <= index < len(value):
        return value[index]
    count = f"{len(value)} element{'s' if len(value) != 1 else ''}"
    text = shown(index) if abs(index) < 10**50 else "..."
    raise InputError(f"the list has no element [{text}]: it has {count}.")


# -- which calls are made ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Planned:
    """
    A call of a tool that a plan needs.

    Attributes:
        number: its number, from 0, by which its result is given.
        tool: the name of the tool, with dots where it lies in a namespace.
        label: the alias that is bound to the call and nothing else, or None.
        needs: the numbers of the calls whose results its arguments are made of, smaller than its own.
        place: where the call stands.
    """

    number: int
    tool: str
    label: str | None
    needs: tuple[int, ...]
    place: Place = syntax.NOWHERE


_Bits: TypeAlias = int
"""Numbers as the bits that are set: sets of them would grow with the square of the plan."""
_Needs: TypeAlias = dict[str, _Bits]
"""The calls that each alias needs."""
Values: TypeAlias = Mapping[int, Any]
"""What calls gave, by their numbers."""
Passed: TypeAlias = tuple[dict[str, Any], tuple[Any, ...]]
"""Arguments by name, and those by position."""


def _numbers(bits: _Bits) -> tuple[int, ...]:
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


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
        context: what its names mean; none but aliases by default.
        kept: aliases of calls that are made, one after the other and before what the plan returns, although
            nothing reads them.

    Attributes:
        invocations: the calls of tools that `return` needs, in the order in which they stand, arguments
            before the call. What an alias needs that stands further down comes before it.
        result_needs: the numbers of the calls whose results are part of what is returned.
        warnings: what is odd about its names.

    Raises:
        PlanError: names of the plan are wrong, or it is beyond a limit; the message lists all of it.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> plan = parse_plan("return fetch({url: home});").require()
        >>> context = Context.of({"fetch": lambda url: url}, {"home": "/"})
        >>> evaluation = Evaluation(plan, context)
        >>> evaluation.invocations[0].tool, evaluation.arguments(0, {})
        ('fetch', ({'url': '/'}, ()))
        >>> evaluation.result({0: "hello"})
        'hello'
    """

    def __init__(
        self, plan: Plan, context: Context | None = None, kept: Iterable[str] = ()
    ) -> None:
        """Check the names, and number the calls of tools."""
        context = context if context is not None else Context()
        self.plan, self.context = plan, context
        found = names.check_names(plan, context)
        if any(each.severity == "error" for each in found):
            raise syntax.refused(found)
        self.kept = frozenset(kept)
        kept_at = {each.place for each in plan.aliases if each.name in self.kept}
        self.warnings = tuple(each for each in found if each.place not in kept_at)
        self._expressions = {each.name: each.value for each in plan.aliases}
        # the calls of tools, arguments before the call, else as they stand; and as they are written
        self._planned: list[Planned] = []
        self._calls: list[syntax.Invocation] = []
        # by the id of the expression: the number of such a call, and what any call calls
        self._numbers: dict[int, int] = {}
        self._callees: dict[int, names.Callee] = {}
        reads = names.alias_reads(plan)
        read = (*names.names_in(plan.result, self._expressions), *self.kept)
        wanted = set(names.in_order(read, reads))
        order = names.in_order((name for name in self._expressions if name in wanted), reads)
        needs: _Needs = {}
        for name in order:
            needs[name] = self._numbered(self._expressions[name], needs, name)
        self.result_needs = _numbers(self._numbered(plan.result, needs, None))
        self.invocations = tuple(self._planned)
        # which aliases are read to evaluate each, without those that only tools are given in it
        self._reads = {name: self._read_now(self._expressions[name]) for name in order}
        self._sizes = Sizes()
        self._kept: dict[str, Any] = {}
        self._once: dict[int, Any] = {}  # what calls gave, by the id of the expression

    def unread(self) -> tuple[Planned, ...]:
        """Return the calls of tools in aliases that are not read; they are not made, and numbered separately."""
        found: list[Planned] = []
        for name, value in self._expressions.items():
            calls = [part for part in syntax.walk(value) if isinstance(part, syntax.Invocation)]
            for each in calls if name not in self._reads else ():
                called = names.callee(each, self.context, self._expressions)
                if called is not None and called.kind == "domain":
                    label = name if each is value else None
                    found.append(Planned(len(found), ".".join(called.path), label, (), each.place))
        return tuple(found)

    def arguments(self, number: int, values: Values) -> Passed:
        """
        Return what an invocation is called with, by name and by position; both are copies.

        Args:
            number: which invocation.
            values: what those that it needs have given, by number.

        Raises:
            PlanError: there is no such field or element, or a value is beyond a limit; it says where.
            ToolError: a local function failed; it says where.
        """
        call = self._calls[number]
        for argument in call.arguments:
            self._ready(argument, values)
        named, positional = self._given(call, values)
        path = self._callees[id(call)].path
        if not positional or not self.context.at(path, "domain").takes_object:
            return named, positional
        if len(positional) == 1 and isinstance(positional[0], dict):
            return positional[0], ()
        what = f"{shown('.'.join(path))} takes one object, which holds its arguments."
        raise _wrong(what, call.place)

    def result(self, values: Values) -> Any:
        """
        Return a copy of what the plan returns; `undefined` is None.

        Args:
            values: what the invocations in `result_needs` have given, by number.

        Raises:
            PlanError, ToolError: as `arguments` does.
        """
        result = self.plan.result
        self._ready(result, values)
        value = self._value(result, values)
        return None if value is syntax.UNDEFINED else self._copied(value, result.place)

    def _numbered(self, expression: Expression, needs: _Needs, label: str | None) -> _Bits:
        """Number the invocations in an expression; return those whose results it needs."""
        if isinstance(expression, syntax.Name):
            return needs.get(expression.name, 0)
        parts, found = syntax.parts_of(expression), None
        if isinstance(expression, syntax.Invocation):
            if len(self._callees) == MAX_CALLS:
                message = f"the plan has more than {MAX_CALLS:,} calls."
                raise syntax.refused([PlanDiagnostic("too_many_calls", message, expression.place)])
            found = names.callee(expression, self.context, self._expressions)
            assert found is not None, "names are checked"
            self._callees[id(expression)] = found
            parts = (*([found.of] if found.of is not None else ()), *expression.arguments)
        bits = 0
        for part in parts:
            bits |= self._numbered(part, needs, None)
        if not isinstance(expression, syntax.Invocation) or found is None or found.kind != "domain":
            return bits
        number = self._numbers[id(expression)] = len(self._planned)
        self._calls.append(expression)
        needed, tool = _numbers(bits), ".".join(found.path)
        self._planned.append(Planned(number, tool, label, needed, expression.place))
        return 1 << number

    def _read_now(self, expression: Expression) -> tuple[str, ...]:
        """Return the aliases that are read to evaluate an expression, not those that its tools were given."""
        if id(expression) in self._numbers:
            return ()
        if isinstance(expression, syntax.Name):
            return (expression.name,) if expression.name in self._expressions else ()
        inner = (name for part in syntax.parts_of(expression) for name in self._read_now(part))
        return tuple(dict.fromkeys(inner))

    # what is evaluated

    def _ready(self, expression: Expression, values: Values) -> None:
        """Evaluate the aliases that an expression reads, what they read first; chains may be of any length."""
        read = self._read_now(expression)
        if all(name in self._kept for name in read):
            return
        for name in names.in_order(read, self._reads, set(self._kept)):
            try:
                self._kept[name] = self._value(self._expressions[name], values)
            except errors.RefractError as error:
                self._kept[name] = error
                raise

    def _value(self, expression: Expression, values: Values) -> Any:
        """Return the value of an expression; the aliases in it are evaluated."""
        match expression:
            case syntax.Literal():
                return expression.value
            case syntax.Name(name=name):
                if name not in self._expressions:
                    return self.context.at((name,), "value")
                if isinstance(kept := self._kept[name], errors.RefractError):
                    raise kept
                return kept
            case syntax.FieldOf() | syntax.IndexOf():
                return self._inside(expression, values)
            case syntax.Invocation():
                if (key := id(expression)) not in self._once:
                    asked = self._answer if key in self._numbers else self._called
                    self._once[key] = asked(expression, values)
                return self._once[key]
        try:
            made = self._made(expression, values)
            self._sizes.check(made)
        except errors.LimitError as error:
            raise _wrong(error.what, expression.place, error.hint) from None
        return made

    def _inside(self, expression: syntax.FieldOf | syntax.IndexOf, values: Values) -> Any:
        """Return a field or an element."""
        path = names.binding_path(expression, self.context, self._expressions)
        if path is not None and len(path) > 1:
            return self.context.at(path, "value")
        of = self._value(expression.of, values)
        if isinstance(expression, syntax.FieldOf):
            read = partial(field_in, of, expression.name)
        else:
            read = partial(element_in, of, self._value(expression.index, values))
        try:
            return read()
        except InputError as error:
            raise _wrong(error.what, expression.place, error.hint) from None

    def _copied(self, value: Any, place: Place) -> Any:
        """Return a copy of a value that is handed out."""
        try:
            return self._sizes.copied(value)
        except InputError as error:
            raise _wrong(f"a value cannot be used: {error.what}", place, error.hint) from None

    def _made(self, of: syntax.ListOf | syntax.ObjectOf | syntax.TextOf, values: Values) -> Any:
        """Return a list, an object or a text made of the values in it."""
        if isinstance(of, syntax.ListOf):
            items = [self._value(item, values) for item in of.items]
            return [None if item is syntax.UNDEFINED else item for item in items]
        if isinstance(of, syntax.ObjectOf):
            fields = ((key, self._value(inner, values)) for key, inner in of.fields)
            return {key: value for key, value in fields if value is not syntax.UNDEFINED}
        texts: list[str] = []
        size = 0
        for part in of.parts:
            value = part if isinstance(part, str) else self._value(part, values)
            if not isinstance(part, str) and value is syntax.UNDEFINED:
                raise _wrong("a text cannot hold undefined.", part.place, "Use a value.")
            if not isinstance(part, str) and not isinstance(value, str):
                value = json_text(self._copied(value, part.place))
            size += text_size(value)
            if size > MAX_SIZE:
                raise too_large()
            texts.append(value)
        return "".join(texts)

    def _answer(self, call: syntax.Invocation, values: Values) -> Any:
        """Return a copy of what an invocation gave, so that it is not shared."""
        number = self._numbers[id(call)]
        tool = self.invocations[number].tool
        if number not in values:
            what = f"the result of call {number + 1} ({shown(tool)}) is not there."
            raise _wrong(what, call.place)
        return self._taken(values[number], tool, call.place, errors.PlanError)

    def _taken(self, given: Any, name: str, place: Place, kind: type[errors.RefractError]) -> Any:
        """Return a copy of what a tool or a local function gave."""
        try:
            return Sizes().copied(given)  # whoever holds it may change it
        except InputError as error:
            what = f"what {shown(name)} gave is no usable value: {error.what}"
            tool = {"tool": name} if kind is errors.ToolFailedError else {}
            raise kind(what, where=str(place), hint=error.hint, **tool) from None

    # what is passed on

    def _given(self, call: syntax.Invocation, values: Values) -> Passed:
        """Return copies of the arguments of a call, by name and by position."""
        arguments = call.arguments
        found = [self._value(argument, values) for argument in arguments]
        if len(arguments) == 1 and isinstance(arguments[0], syntax.ObjectOf):
            named: dict[str, Any] = self._copied(found[0], call.place)
            return named, ()
        while found and found[-1] is syntax.UNDEFINED:
            found.pop()
        plain = (None if value is syntax.UNDEFINED else value for value in found)
        pairs = zip(plain, arguments, strict=False)
        return {}, tuple(self._copied(value, argument.place) for value, argument in pairs)

    def _called(self, call: syntax.Invocation, values: Values) -> Any:
        """Call a local function, or a method, and return a copy of what it gives."""
        found = self._callees[id(call)]
        name = shown(".".join(found.path))
        named, positional = self._given(call, values)
        if found.of is not None:
            function = self.context.methods[found.path[0]]
            behind = self._value(found.of, values)
            if behind is syntax.UNDEFINED:
                raise _wrong(f"undefined has no method {name!r}.", call.place)
            positional = (self._copied(behind, found.of.place), *positional)
        else:
            function = self.context.at(found.path, "function")
        where = str(call.place)
        try:
            signature = inspect.signature(function)
            signature.bind(*positional, **named)
        except TypeError as error:
            takes = shown(", ".join(signature.parameters), 200)
            what, hint = f"{name} cannot be called so: {shown(error, 200)}.", f"It takes ({takes})."
            raise errors.BadArgumentError(what, tool=name, where=where, hint=hint) from None
        except ValueError:  # some built-in functions have no signature
            pass
        try:
            given = function(*positional, **named)
        except KeyboardInterrupt:
            raise
        except InputError as error:
            what = f"{name}: {shown(error.what, 300)}"
            raise _wrong(what, call.place, shown(error.hint, 300)) from error
        except BaseException as error:  # a SystemExit, too, is no reason to end everything
            what = f"{name} failed: {shown(f'{type(error).__name__}: {shown(error, 200)}', 250)}"
            raise errors.ToolFailedError(what, tool=name, where=where) from error
        if inspect.iscoroutine(given):
            given.close()
            what, hint = f"{name} gave something to await.", "Bind it with domain(...)."
            raise errors.ToolFailedError(what, tool=name, where=where, hint=hint)
        return self._taken(given, name, call.place, errors.ToolFailedError)


def evaluate(plan: Plan | Expression, context: Context | None = None) -> Any:
    """
    Return the value of a plan, or of an expression, that calls no tools.

    Raises:
        PlanError: it calls a tool, its names are wrong, or it cannot be evaluated.
        ToolError: a local function failed.

    Example:
        >>> from refract_asp.plan import parse_expression
        >>> evaluate(parse_expression("add(1, 2)").require(), Context({"add": lambda a, b: a + b}))
        3
    """
    evaluation = Evaluation(plan if isinstance(plan, Plan) else Plan((), plan), context)
    for each in evaluation.invocations:
        what = f"{shown(each.tool)} is a tool, whose call has to be scheduled."
        raise _wrong(what, each.place, "Run the plan.")
    return evaluation.result({})
