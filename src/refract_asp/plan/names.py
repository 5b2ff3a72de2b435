"""Finds names that say nothing: unknown ones, aliases that read themselves, functions that are no values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from rapidfuzz.distance import OSA

from refract_asp.errors import shown
from refract_asp.plan.context import Context, Path
from refract_asp.plan.diagnostics import PlanCode, PlanDiagnostic, refused
from refract_asp.plan.limits import Limits
from refract_asp.plan.order import alias_reads, cycles, in_order, names_in
from refract_asp.plan.syntax import (
    NOWHERE,
    Expression,
    FieldOf,
    Invocation,
    Name,
    ObjectOf,
    Place,
    Plan,
    is_reserved,
    parts_of,
    walk,
)

__all__ = [
    "Callee",
    "Numbering",
    "Planned",
    "binding_path",
    "callee",
    "check_names",
    "deepest",
    "dotted",
    "nearest",
]


Called: TypeAlias = Literal["domain", "function", "method"]


@dataclass(frozen=True, slots=True)
class Callee:
    """
    What a call calls.

    Attributes:
        kind: a tool, a local function, or a function behind a value.
        path: how the context names it; of a method only its name.
        of: the expression whose value a method is called behind.
    """

    kind: Called
    path: Path
    of: Expression | None = None


def dotted(expression: Expression) -> tuple[Name | None, Path]:
    """
    Return the name that fields are read from, and the path; no name where it is another expression.

    Example:
        >>> dotted(FieldOf(Name("back"), "departs"))[1]
        ('back', 'departs')
    """
    fields: list[str] = []
    while isinstance(expression, FieldOf):
        fields.append(expression.name)
        expression = expression.of
    if not isinstance(expression, Name):
        return None, ()
    return expression, (expression.name, *reversed(fields))


def binding_path(expression: Expression, context: Context, aliases: Container[str]) -> Path | None:
    """
    Return the path of a binding when an expression is nothing but that.

    A field of a value of the context is no binding, nor is anything of an alias.
    """
    name, path = dotted(expression)
    if name is None or name.name in aliases or context.kind_at(path[:1]) is None:
        return None
    if len(path) > 1 and context.kind_at(path[:-1]) != "namespace":
        return None
    return path


def callee(call: Invocation, context: Context, aliases: Container[str]) -> Callee | None:
    """Return what a call calls: a member of a namespace first, then a method; None where it is nothing."""
    function = call.function
    path = binding_path(function, context, aliases)
    if path is not None:
        kind = context.kind_at(path)
        if kind == "domain" or kind == "function":
            return Callee(kind, path)
        return None
    if isinstance(function, FieldOf) and context.method(function.name) is not None:
        return Callee("method", (function.name,), function.of)
    return None


MOST_HINTS = 20
"""So many unknown names are compared with those that there are."""
MOST_LISTED = 8
"""So many names are listed where none is near."""


def check_names(plan: Plan, context: Context | None = None) -> list[PlanDiagnostic]:
    """
    Say which names of a plan are wrong, in the order in which they stand.

    Without a context, every name that is called is a tool and every other one that is no alias is a value;
    so only what is wrong with any context is found. Where a name is bound does not matter: an alias may be
    read above the line that binds it, and hides a binding of the context.

    Codes: `unknown_name`, `unknown_member` (of a namespace), `unknown_method`, `reserved_name`, `alias_cycle`
    (read or not), `not_a_function` (it is called), `function_as_value`, `too_deep`, `too_many_aliases`; and
    the warning `unused_alias`.

    Example:
        >>> from refract_asp.plan.syntax import Alias
        >>> plan = Plan((Alias("a", Name("b")), Alias("b", Name("a"))), Name("usr"))
        >>> for each in check_names(plan, Context({"user": 1}))[:2]:
        ...     print(each.code, "-", each.message, each.hint)
        unknown_name - the name 'usr' is unknown. Did you mean user?
        alias_cycle - the aliases a, b read each other: a, b, a. Have one of them read something else.
    """
    limits = context.limits if context is not None else Limits()
    if len(plan.aliases) > limits.aliases:
        message = f"the plan has {len(plan.aliases):,} aliases, more than {limits.aliases:,}."
        return [PlanDiagnostic("too_many_aliases", message, plan.aliases[limits.aliases].place)]
    reader = _Reader(plan, context, limits)
    for alias in plan.aliases:
        if is_reserved(alias.name):
            reader.note_reserved(alias.name, alias.place)
        reader.read(alias.value)
    reader.read(plan.result)
    found = reader.found
    reads = alias_reads(plan)
    places = {alias.name: alias.place for alias in plan.aliases}
    for cycle in cycles(reads):
        found.append(_cycle(cycle, places))
    used = set(in_order(names_in(plan.result, places), reads))
    for name, place in places.items():
        if name not in used:
            message = f"nothing reads the alias {shown(name)!r}: it is not evaluated."
            hint = "Read it, or leave it out."
            found.append(PlanDiagnostic("unused_alias", message, place, None, hint, "warning"))
    return sorted(found, key=lambda each: each.place)


def deepest(expression: Expression, most: int) -> Expression | None:
    """Return an expression that is nested deeper than `most` in another one, or None."""
    left = [(expression, 0)]
    while left:
        each, depth = left.pop()
        if depth > most:
            return each
        left += ((inner, depth + 1) for inner in parts_of(each))
    return None


def nearest(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """
    Return the names that were probably meant, best first: those with few slips, then those that hold it.

    Example:
        >>> nearest("Thirsday", ["Tuesday", "Thursday", "day"]), nearest("dep", ["departs", "to"])
        (['Thursday'], ['departs'])
    """
    written = name.lower()[:100]
    ranked = []
    for each in names:
        other = each.lower()[:100]
        slips = OSA.distance(written, other, score_cutoff=2)
        if slips <= min(2, len(written) // 3):
            ranked.append((slips, each))
        elif len(written) > 2 and written in other:
            ranked.append((3, each))
    return [each for _, each in sorted(ranked)[:most]]


class _Reader:
    """Reads expressions, and notes what is wrong with their names."""

    def __init__(self, plan: Plan, context: Context | None, limits: Limits) -> None:
        self.found: list[PlanDiagnostic] = []
        self._context = context
        self._limits = limits
        self._aliases = {alias.name: alias.place for alias in plan.aliases}
        self._hints = 0

    def note_reserved(self, name: str, place: Place) -> None:
        """Note a name that no plan may use."""
        message = f"the name {shown(name)!r} is reserved."
        self._note("reserved_name", message, place, "Use another name.")

    def _note(self, code: PlanCode, message: str, place: Place, hint: str = "") -> None:
        self.found.append(PlanDiagnostic(code, message, place, None, hint))

    def read(self, expression: Expression) -> None:
        """Read an expression whose value is wanted, and all in it, however deep they lie."""
        deep = deepest(expression, self._limits.depth)
        if deep is not None:
            message = f"expressions are nested deeper than {self._limits.depth}."
            self._note("too_deep", message, deep.place, "Bind what lies inside to an alias.")
            return
        left = [expression]
        while left:
            each = left.pop()
            if isinstance(each, Name):
                self._name(each)
            elif isinstance(each, FieldOf):
                left += self._field(each)
            elif isinstance(each, Invocation):
                left += [*reversed(each.arguments), *self._called(each)]
            else:
                if isinstance(each, ObjectOf):
                    for key, value in each.fields:
                        if is_reserved(key):
                            self.note_reserved(key, value.place)
                left += reversed(parts_of(each))

    def _name(self, name: Name) -> None:
        """Note a name whose value is wanted when it has none."""
        if is_reserved(name.name):
            self.note_reserved(name.name, name.place)
        elif name.name not in self._aliases and self._context is not None:
            kind = self._context.kind_at((name.name,))
            if kind is None:
                self._unknown(name)
            elif kind != "value":
                self._no_value((name.name,), kind, name.place)

    def _unknown(self, name: Name) -> None:
        known = chain(self._aliases, self._context.names if self._context is not None else ())
        self._hints += 1
        message = f"the name {shown(name.name)!r} is unknown."
        self._note("unknown_name", message, name.place, self._meant(name.name, known))

    def _meant(self, name: str, known: Iterable[str]) -> str:
        """Say which name was probably meant, or which there are."""
        if self._hints > MOST_HINTS:
            return ""
        names = list(dict.fromkeys(known))
        near = nearest(name, names)
        if near:
            return f"Did you mean {' or '.join(map(shown, near))}?"
        if not names:
            return ""
        more = ", ..." if len(names) > MOST_LISTED else ""
        return f"There are: {', '.join(map(shown, names[:MOST_LISTED]))}{more}."

    def _no_value(self, path: Path, kind: str, place: Place) -> None:
        name = shown(".".join(path))
        if kind == "namespace":
            assert self._context is not None
            members = ", ".join(
                shown(member) for member in self._context.members(path)[:MOST_LISTED]
            )
            message, hint = f"{name!r} holds functions and is no value.", f"It has: {members}."
        else:
            message, hint = f"the function {name!r} is no value.", "Call it."
        self._note("function_as_value", message, place, hint)

    def _field(self, field: FieldOf) -> list[Expression]:
        """Note what is wrong with a field; return what is still to be read."""
        each: Expression = field
        while isinstance(each, FieldOf):
            if is_reserved(each.name):
                self.note_reserved(each.name, each.place)
            each = each.of
        if self._context is None:
            return [each]
        name, path = dotted(field)
        if name is None or not self._is_namespace(path[:1]):
            return [each]
        self._member(path, field.place)
        return []

    def _is_namespace(self, path: Path) -> bool:
        return (
            self._context is not None
            and path[0] not in self._aliases
            and self._context.kind_at(path) == "namespace"
        )

    def _member(self, path: Path, place: Place) -> None:
        """Note a path into a namespace that does not end at a value, or in one."""
        assert self._context is not None
        for end in range(1, len(path) + 1):
            kind = self._context.kind_at(path[:end])
            if kind is None:
                self._no_member(path[:end], place)
                return
            if kind == "value":
                return
            if kind != "namespace" or end == len(path):
                self._no_value(path[:end], kind, place)
                return

    def _no_member(self, path: Path, place: Place) -> None:
        assert self._context is not None
        self._hints += 1
        of, name = shown(".".join(path[:-1])), shown(path[-1])
        hint = self._meant(path[-1], self._context.members(path[:-1]))
        self._note("unknown_member", f"{of!r} has no {name!r}.", place, hint)

    def _called(self, call: Invocation) -> list[Expression]:
        """Note what is wrong with what is called; return what is still to be read."""
        function, context = call.function, self._context
        if isinstance(function, Name):
            if is_reserved(function.name):
                self.note_reserved(function.name, function.place)
            elif function.name in self._aliases:
                self._no_function(f"the alias {shown(function.name)!r}", call)
            elif context is not None and callee(call, context, self._aliases) is None:
                if context.kind_at((function.name,)) is None:
                    self._unknown(function)
                else:
                    self._no_function(repr(shown(function.name)), call)
            return []
        if not isinstance(function, FieldOf):
            self._no_function("this", call)
            return [function]
        if is_reserved(function.name):
            self.note_reserved(function.name, function.place)
            return [function.of]
        if context is None:  # a tool of a namespace, or a method
            return [] if dotted(function)[0] is not None else [function.of]
        found = callee(call, context, self._aliases)
        if found is not None:
            return [function.of] if found.kind == "method" else []
        path = binding_path(function, context, self._aliases)
        if path is None:
            self._no_method(function, context)
            return [function.of]
        if context.kind_at(path) is None:
            self._no_member(path, function.place)
        else:
            self._no_function(repr(shown(".".join(path))), call)
        return []

    def _no_method(self, function: FieldOf, context: Context) -> None:
        self._hints += 1
        message = f"there is no method {shown(function.name)!r}."
        self._note(
            "unknown_method", message, function.place, self._meant(function.name, context.methods)
        )

    def _no_function(self, what: str, call: Invocation) -> None:
        self._note("not_a_function", f"{what} is no function and cannot be called.", call.place)


def _cycle(cycle: list[str], places: Mapping[str, Place]) -> PlanDiagnostic:
    shortened = [*map(shown, cycle[:MOST_LISTED]), *(["..."] if len(cycle) > MOST_LISTED else [])]
    if len(cycle) == 1:
        message = f"the alias {shortened[0]!r} reads itself."
        return PlanDiagnostic(
            "alias_cycle", message, places[cycle[0]], None, "Have it read something else."
        )
    message = f"the aliases {', '.join(shortened)} read each other: {', '.join([*shortened, shown(cycle[0])])}."
    hint = "Have one of them read something else."
    return PlanDiagnostic("alias_cycle", message, places[cycle[0]], None, hint)


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
    place: Place = NOWHERE


class Numbering:
    """
    The calls of tools that the `return` of a plan needs.

    Args:
        plan: a plan whose names are checked.
        context: what they mean.

    Attributes:
        planned: the calls, arguments before the call, else as they stand; what an alias needs that stands
            further down comes before it.
        calls: the same as they are written.
        numbers: the number of each, by the id of the expression.
        callees: what the calls call, those of local functions too, by the id of the expression.
        expressions: what aliases are bound to.
        reads: which aliases are read to evaluate each that is needed, without those
            that only tools are given in it.
        result_needs: the numbers of the calls whose results are part of what is returned.

    Raises:
        PlanError: the plan has more calls than it may.
    """

    def __init__(self, plan: Plan, context: Context) -> None:
        """Number the calls."""
        self._context = context
        self._left = context.limits.calls
        self.expressions: dict[str, Expression] = {
            alias.name: alias.value for alias in plan.aliases
        }
        self.planned: list[Planned] = []
        self.calls: list[Invocation] = []
        self.numbers: dict[int, int] = {}
        self.callees: dict[int, Callee] = {}
        reads = alias_reads(plan)
        wanted = set(in_order(names_in(plan.result, self.expressions), reads))
        order = in_order((name for name in self.expressions if name in wanted), reads)
        needs: dict[
            str, int
        ] = {}  # the numbers as bits: sets would grow with the square of the plan
        for name in order:
            needs[name] = self._numbered(self.expressions[name], needs, name)
        self.result_needs = _bits(self._numbered(plan.result, needs, None))
        self.reads = {name: self.read_now(self.expressions[name]) for name in order}

    def _numbered(self, expression: Expression, needs: Mapping[str, int], label: str | None) -> int:
        """Number the invocations in an expression; return the bits of those whose results it needs."""
        if isinstance(expression, Name):
            return needs.get(expression.name, 0)
        if not isinstance(expression, Invocation):
            bits = 0
            for inner in parts_of(expression):
                bits |= self._numbered(inner, needs, None)
            return bits
        self._left -= 1
        if self._left < 0:
            message = f"the plan has more than {self._context.limits.calls:,} calls."
            raise refused([PlanDiagnostic("too_many_calls", message, expression.place)])
        found = callee(expression, self._context, self.expressions)
        assert found is not None, "names are checked"
        self.callees[id(expression)] = found
        bits = self._numbered(found.of, needs, None) if found.of is not None else 0
        for argument in expression.arguments:
            bits |= self._numbered(argument, needs, None)
        if found.kind != "domain":
            return bits
        number = len(self.planned)
        self.numbers[id(expression)] = number
        self.calls.append(expression)
        self.planned.append(
            Planned(number, ".".join(found.path), label, _bits(bits), expression.place)
        )
        return 1 << number

    def unread(self) -> tuple[Planned, ...]:
        """Return the calls of tools in aliases that nobody reads, numbered apart."""
        found: list[Planned] = []
        unread = {name: value for name, value in self.expressions.items() if name not in self.reads}
        for name, value in unread.items():
            for each in (part for part in walk(value) if isinstance(part, Invocation)):
                called = callee(each, self._context, self.expressions)
                if called is not None and called.kind == "domain":
                    label = name if each is value else None
                    found.append(Planned(len(found), ".".join(called.path), label, (), each.place))
        return tuple(found)

    def read_now(self, expression: Expression) -> tuple[str, ...]:
        """Return the aliases that are read to evaluate an expression, not those that its tools were given."""
        if id(expression) in self.numbers:
            return ()
        if isinstance(expression, Name):
            return (expression.name,) if expression.name in self.expressions else ()
        return tuple(
            dict.fromkeys(name for part in parts_of(expression) for name in self.read_now(part))
        )


def _bits(bits: int) -> tuple[int, ...]:
    """Return the numbers of the bits that are set."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)
