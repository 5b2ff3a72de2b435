"""
Names of plans: which say nothing, in which order aliases are evaluated, and which calls are made.

Nothing here is recursive in the number of aliases: chains and circles of them may be of any length.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from rapidfuzz.distance import OSA

from refract_asp.errors import shown
from refract_asp.plan.context import Context, Limits, Path
from refract_asp.plan.diagnostics import PlanCode, PlanDiagnostic, refused
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
    "Numbering",
    "Planned",
    "alias_reads",
    "binding_path",
    "check_names",
    "cycles",
    "dotted",
    "in_order",
    "nearest",
]


def names_in(expression: Expression, names: Container[str]) -> Iterator[str]:
    """Yield those of the names that stand in an expression, from left to right."""
    left = [expression]
    while left:
        each = left.pop()
        if isinstance(each, Name) and each.name in names:
            yield each.name
        left += reversed(parts_of(each))


def alias_reads(plan: Plan) -> dict[str, tuple[str, ...]]:
    """
    Return which aliases each alias reads, each once, in the order in which they stand.

    Example:
        >>> from refract_asp.plan.syntax import Alias
        >>> alias_reads(Plan((Alias("a", Name("x")), Alias("b", Name("a"))), Name("b")))
        {'a': (), 'b': ('a',)}
    """
    names = {alias.name for alias in plan.aliases}
    return {
        alias.name: tuple(dict.fromkeys(names_in(alias.value, names))) for alias in plan.aliases
    }


def in_order(
    wanted: Iterable[str], reads: Mapping[str, Iterable[str]], seen: set[str] | None = None
) -> list[str]:
    """
    Return the wanted aliases and all that they read, what is read first; those in `seen` are left out.

    Example:
        >>> in_order(["c"], {"a": (), "b": ("a",), "c": ("b", "a")})
        ['a', 'b', 'c']
    """
    ordered: list[str] = []
    seen = set() if seen is None else seen
    for start in wanted:
        if start in seen:
            continue
        seen.add(start)
        path: list[tuple[str, Iterator[str]]] = [(start, iter(reads[start]))]
        while path:
            name, rest = path[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                ordered.append(name)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(reads[following])))
    return ordered


def cycles(reads: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    """
    Return of each group of aliases that read each other a shortest way around, from the one written first.

    Example:
        >>> cycles({"a": ("b",), "b": ("c", "a"), "c": (), "d": ("d",)})
        [['a', 'b'], ['d']]
    """
    written = {name: number for number, name in enumerate(reads)}
    readers: dict[str, list[str]] = {name: [] for name in reads}
    for name, others in reads.items():
        for other in others:
            readers[other].append(name)
    found: list[list[str]] = []
    seen: set[str] = set()
    for name in reversed(in_order(reads, reads)):  # the groups are those of Kosaraju
        if name not in seen:
            group = in_order([name], readers, seen)
            if len(group) > 1 or name in reads[name]:
                first = min(group, key=written.__getitem__)
                found.append(_around(set(group), first, reads))
    return sorted(found, key=lambda way: written[way[0]])


def _around(group: set[str], start: str, reads: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return a shortest way from an alias back to itself, inside its group."""
    before: dict[str, str] = {}
    reached = [start]
    for name in reached:
        if start in reads[name]:
            way = [name]
            while way[-1] != start:
                way.append(before[way[-1]])
            return way[::-1]
        for other in reads[name]:
            if other in group and other not in before:
                before[other] = name
                reached.append(other)
    return [start]


# -- what names lead to --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Callee:
    """
    What a call calls.

    Attributes:
        kind: a tool, a local function, or a function behind a value.
        path: how the context names it; of a method only its name.
        of: the expression whose value a method is called behind.
    """

    kind: Literal["domain", "function", "method"]
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
    return path if len(path) == 1 or context.kind_at(path[:-1]) == "namespace" else None


def callee(call: Invocation, context: Context, aliases: Container[str]) -> Callee | None:
    """Return what a call calls: a member of a namespace first, then a method; None where it is nothing."""
    function = call.function
    path = binding_path(function, context, aliases)
    if path is not None:
        kind = context.kind_at(path)
        return Callee(kind, path) if kind == "domain" or kind == "function" else None
    if isinstance(function, FieldOf) and context.method(function.name) is not None:
        return Callee("method", (function.name,), function.of)
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


# -- which are wrong -----------------------------------------------------------

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
        reader.is_free(alias.name, alias.place)
        reader.read(alias.value)
    reader.read(plan.result)
    reads = alias_reads(plan)
    places = {alias.name: alias.place for alias in plan.aliases}
    for cycle in cycles(reads):
        names = [*map(shown, cycle[:MOST_LISTED]), *(["..."] if len(cycle) > MOST_LISTED else [])]
        message, hint = f"the alias {names[0]!r} reads itself.", "Have it read something else."
        if len(cycle) > 1:
            message = (
                f"the aliases {', '.join(names)} read each other: {', '.join([*names, names[0]])}."
            )
            hint = "Have one of them read something else."
        reader.note("alias_cycle", message, places[cycle[0]], hint)
    used = set(in_order(names_in(plan.result, places), reads))
    unused = [
        PlanDiagnostic(
            "unused_alias",
            f"nothing reads the alias {shown(name)!r}: it is not evaluated.",
            place,
            hint="Read it, or leave it out.",
            severity="warning",
        )
        for name, place in places.items()
        if name not in used
    ]
    return sorted([*reader.found, *unused], key=lambda each: each.place)


class _Reader:
    """Reads expressions, and notes what is wrong with their names."""

    def __init__(self, plan: Plan, context: Context | None, limits: Limits) -> None:
        self.found: list[PlanDiagnostic] = []
        self._context = context
        self._limits = limits
        self._aliases = {alias.name for alias in plan.aliases}
        self._ordered = [alias.name for alias in plan.aliases]
        self._hints = 0

    def note(self, code: PlanCode, message: str, place: Place, hint: str = "") -> None:
        self.found.append(PlanDiagnostic(code, message, place, None, hint))

    def is_free(self, name: str, place: Place) -> bool:
        """Whether plans may use a name; else that is noted."""
        if is_reserved(name):
            message = f"the name {shown(name)!r} is reserved."
            self.note("reserved_name", message, place, "Use another name.")
        return not is_reserved(name)

    def read(self, expression: Expression) -> None:
        """Read an expression whose value is wanted, and all in it, however deep they lie."""
        most, levels = self._limits.depth, [(expression, 0)]
        while levels:
            each, depth = levels.pop()
            if depth > most:
                message = f"expressions are nested deeper than {most}."
                self.note("too_deep", message, each.place, "Bind what lies inside to an alias.")
                return
            levels += ((inner, depth + 1) for inner in parts_of(each))
        left = [expression]
        while left:
            each = left.pop()
            if isinstance(each, Name):
                if self.is_free(each.name, each.place) and each.name not in self._aliases:
                    self._value((each.name,), each.place)
            elif isinstance(each, FieldOf):
                left += self._field(each)
            elif isinstance(each, Invocation):
                left += [*reversed(each.arguments), *self._called(each)]
            else:
                if isinstance(each, ObjectOf):
                    for key, value in each.fields:
                        self.is_free(key, value.place)
                left += reversed(parts_of(each))

    def _field(self, field: FieldOf) -> list[Expression]:
        """Note what is wrong with a field; return what is still to be read."""
        each: Expression = field
        while isinstance(each, FieldOf):
            self.is_free(each.name, each.place)
            each = each.of
        name, path = dotted(field)
        is_bound = name is not None and name.name not in self._aliases
        if self._context is None or not is_bound or self._context.kind_at(path[:1]) != "namespace":
            return [each]
        self._value(path, field.place)
        return []

    def _value(self, path: Path, place: Place) -> None:
        """Note a path of the context that does not end at a value, or in one."""
        if self._context is None:
            return
        for end in range(1, len(path) + 1):
            kind, name = self._context.kind_at(path[:end]), shown(".".join(path[:end]))
            if kind is None:
                self._unknown(path[:end], place)
            elif kind == "namespace" and end == len(path):
                members = ", ".join(map(shown, self._context.members(path)[:MOST_LISTED]))
                message = f"{name!r} holds functions and is no value."
                self.note("function_as_value", message, place, f"It has: {members}.")
            elif kind not in ("namespace", "value"):
                message = f"the function {name!r} is no value."
                self.note("function_as_value", message, place, "Call it.")
            if kind != "namespace":
                return

    def _unknown(self, path: Path, place: Place) -> None:
        """Note that the last name of a path is bound to nothing."""
        assert self._context is not None
        *before, name = path
        if before:
            message = f"{shown('.'.join(before))!r} has no {shown(name)!r}."
            known: Iterable[str] = self._context.members(tuple(before))
            self.note("unknown_member", message, place, self._meant(name, known))
        else:
            message = f"the name {shown(name)!r} is unknown."
            known = chain(self._ordered, self._context.names)
            self.note("unknown_name", message, place, self._meant(name, known))

    def _meant(self, name: str, known: Iterable[str]) -> str:
        """Say which name was probably meant, or which there are."""
        self._hints += 1
        names = list(dict.fromkeys(known)) if self._hints <= MOST_HINTS else []
        if near := nearest(name, names):
            return f"Did you mean {' or '.join(map(shown, near))}?"
        more = ", ..." if len(names) > MOST_LISTED else ""
        return f"There are: {', '.join(map(shown, names[:MOST_LISTED]))}{more}." if names else ""

    def _called(self, call: Invocation) -> list[Expression]:
        """Note what is wrong with what is called; return what is still to be read."""
        function, context = call.function, self._context
        if not isinstance(function, Name | FieldOf):
            self._no_function("this", call)
            return [function]
        inner = [function.of] if isinstance(function, FieldOf) else []
        if not self.is_free(function.name, function.place):
            return inner
        if isinstance(function, Name) and function.name in self._aliases:
            self._no_function(f"the alias {shown(function.name)!r}", call)
            return []
        if context is None:  # a tool of a namespace, or a method
            return [] if dotted(function)[0] is not None else inner
        found = callee(call, context, self._aliases)
        if found is not None:
            return inner if found.kind == "method" else []
        path = binding_path(function, context, self._aliases)
        if path is None and isinstance(function, FieldOf):
            message = f"there is no method {shown(function.name)!r}."
            hint = self._meant(function.name, context.methods)
            self.note("unknown_method", message, function.place, hint)
            return inner
        path = path or dotted(function)[1]
        if context.kind_at(path) is None:
            self._unknown(path, function.place)
        else:
            self._no_function(repr(shown(".".join(path))), call)
        return []

    def _no_function(self, what: str, call: Invocation) -> None:
        self.note("not_a_function", f"{what} is no function and cannot be called.", call.place)


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
    place: Place = NOWHERE


_Bits: TypeAlias = int
"""Numbers as the bits that are set: sets of them would grow with the square of the plan."""


class Numbering:
    """
    The calls of tools that the `return` of a plan, whose names are checked, needs.

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
        self.expressions: dict[str, Expression] = {each.name: each.value for each in plan.aliases}
        self.planned: list[Planned] = []
        self.calls: list[Invocation] = []
        self.numbers: dict[int, int] = {}
        self.callees: dict[int, Callee] = {}
        reads = alias_reads(plan)
        wanted = set(in_order(names_in(plan.result, self.expressions), reads))
        order = in_order((name for name in self.expressions if name in wanted), reads)
        needs: dict[str, _Bits] = {}
        for name in order:
            needs[name] = self._numbered(self.expressions[name], needs, name)
        self.result_needs = _numbers(self._numbered(plan.result, needs, None))
        self.reads = {name: self.read_now(self.expressions[name]) for name in order}

    def _numbered(
        self, expression: Expression, needs: Mapping[str, _Bits], label: str | None
    ) -> _Bits:
        """Number the invocations in an expression; return those whose results it needs."""
        if isinstance(expression, Name):
            return needs.get(expression.name, 0)
        parts = parts_of(expression)
        found: Callee | None = None
        if isinstance(expression, Invocation):
            if len(self.callees) == self._context.limits.calls:
                message = f"the plan has more than {self._context.limits.calls:,} calls."
                raise refused([PlanDiagnostic("too_many_calls", message, expression.place)])
            found = callee(expression, self._context, self.expressions)
            assert found is not None, "names are checked"
            self.callees[id(expression)] = found
            parts = (*([found.of] if found.of is not None else ()), *expression.arguments)
        bits = 0
        for part in parts:
            bits |= self._numbered(part, needs, None)
        if not isinstance(expression, Invocation) or found is None or found.kind != "domain":
            return bits
        number = self.numbers[id(expression)] = len(self.planned)
        tool, place = ".".join(found.path), expression.place
        self.calls.append(expression)
        self.planned.append(Planned(number, tool, label, _numbers(bits), place))
        return 1 << number

    def unread(self) -> tuple[Planned, ...]:
        """Return the calls of tools in aliases that nobody reads, numbered apart."""
        found: list[Planned] = []
        for name, value in self.expressions.items():
            calls = [part for part in walk(value) if isinstance(part, Invocation)]
            for each in calls if name not in self.reads else ():
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
        inner = (name for part in parts_of(expression) for name in self.read_now(part))
        return tuple(dict.fromkeys(inner))


def _numbers(bits: _Bits) -> tuple[int, ...]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)
