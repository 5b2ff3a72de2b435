"""
Names of plans: which say nothing, in which order aliases are evaluated, and what is called.

Nothing here is recursive in the number of aliases: chains and circles of them may be of any length.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Literal, NamedTuple

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.plan import syntax
from refract_asp.plan.context import Context, Path
from refract_asp.plan.syntax import Expression, Place, Plan, PlanCode, PlanDiagnostic
from refract_asp.report.suggestions import find_similar_items

__all__ = ["check_names", "circle", "in_order"]

MAX_ALIASES = 2_000
"""Aliases of a plan."""
MAX_TOLD = 20
"""So many wrong names of one plan are told."""
MOST_LISTED = 8
"""So many names are listed where none is near."""


def names_in(expression: Expression, names: Container[str]) -> Iterator[str]:
    """Yield those of the names that stand in an expression, from left to right."""
    for each in syntax.walk(expression):
        if isinstance(each, syntax.Name) and each.name in names:
            yield each.name


def alias_reads(plan: Plan) -> dict[str, tuple[str, ...]]:
    """
    Return which aliases each alias reads, each once, in the order in which they stand.

    Example:
        >>> from refract_asp.plan.syntax import Alias
        >>> alias_reads(Plan((Alias("a", syntax.Name("x")), Alias("b", syntax.Name("a"))), syntax.Name("b")))
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
    seen = set(seen or ())
    left = [(name, False) for name in reversed(list(wanted))]
    while left:
        name, is_over = left.pop()
        if is_over:
            ordered.append(name)
        elif name not in seen:
            seen.add(name)
            left.append((name, True))
            left += ((each, False) for each in reversed(tuple(reads[name])))
    return ordered


def circle(reads: Mapping[str, tuple[str, ...]]) -> list[str]:
    """
    Return aliases that read each other, the first one again at the end; none where there are no such.

    Example:
        >>> circle({"a": ("b",), "b": ("c", "a"), "c": ()})
        ['a', 'b', 'a']
    """
    try:
        TopologicalSorter(reads).prepare()
    except CycleError as error:
        ring: list[str] = error.args[1][:0:-1]  # each reads the one before, the first stands twice
        written = list(reads)
        at = ring.index(min(ring, key=written.index))
        return [*ring[at:], *ring[: at + 1]]
    return []


# -- what names lead to --------------------------------------------------------


class Callee(NamedTuple):
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


def dotted(expression: Expression) -> tuple[syntax.Name | None, Path]:
    """
    Return the name that fields are read from, and the path; no name where it is another expression.

    Example:
        >>> dotted(syntax.FieldOf(syntax.Name("back"), "departs"))[1]
        ('back', 'departs')
    """
    fields: list[str] = []
    while isinstance(expression, syntax.FieldOf):
        fields.append(expression.name)
        expression = expression.of
    if not isinstance(expression, syntax.Name):
        return None, ()
    return expression, (expression.name, *reversed(fields))


def binding_path(expression: Expression, context: Context, aliases: Container[str]) -> Path | None:
    """
    Return the path of a binding when an expression is nothing but that.

    A field of a value of the context is no binding, nor is anything of an alias.
    """
    name, path = dotted(expression)
    if name is None or name.name in aliases or context.kind(path[:1]) is None:
        return None
    return path if len(path) == 1 or context.kind(path[:-1]) == "namespace" else None


def callee(call: syntax.Invocation, context: Context, aliases: Container[str]) -> Callee | None:
    """Return what a call calls: a member of a namespace first, then a method; None where it is nothing."""
    function = call.function
    path = binding_path(function, context, aliases)
    if path is not None:
        kind = context.kind(path)
        return Callee(kind, path) if kind == "domain" or kind == "function" else None
    if isinstance(function, syntax.FieldOf) and function.name in context.methods:
        return Callee("method", (function.name,), function.of)
    return None


def meant(name: str, known: Iterable[str]) -> str:
    """
    Say which name was probably meant, or which there are.

    Example:
        >>> meant("Thirsday", ["Oslo", "Thursday"]), meant("x", [])
        ('Did you mean Thursday?', 'There are none.')
    """
    names = list(dict.fromkeys(known))
    if near := find_similar_items(name, names, max_results=3, method="fuzzy"):
        return f"Did you mean {' or '.join(shown(each, 40) for each in near)}?"
    listed = ", ".join(shown(each, 40) for each in names[:MOST_LISTED])
    more = ", ..." if len(names) > MOST_LISTED else ""
    return f"There are: {listed}{more}." if names else "There are none."


# -- which are wrong -----------------------------------------------------------


def check_names(plan: Plan, context: Context | None = None) -> list[PlanDiagnostic]:
    """
    Say which names of a plan are wrong, in the order in which they stand.

    Without a context, every name that is called is a tool and every other one that is no alias is a value;
    so only what is wrong with any context is found. Where a name is bound does not matter: an alias may be
    read above the line that binds it, and hides a binding of the context.

    Codes: `unknown_name`, `unknown_member` (of a namespace), `unknown_method`, `alias_cycle` (read or not),
    `not_a_function` (it is called), `function_as_value`, `too_many_aliases`; and the warning `unused_alias`.

    Example:
        >>> from refract_asp.plan.syntax import Alias
        >>> plan = Plan((Alias("a", syntax.Name("b")), Alias("b", syntax.Name("a"))), syntax.Name("usr"))
        >>> for each in check_names(plan, Context({"user": 1}))[:2]:
        ...     print(each.code, "-", each.message, each.hint)
        unknown_name - the name 'usr' is unknown. Did you mean user?
        alias_cycle - aliases read each other: a, b, a. Have one of them read something else.
    """
    places = {alias.name: alias.place for alias in plan.aliases}
    if len(plan.aliases) > MAX_ALIASES:
        message = f"the plan has {len(plan.aliases):,} aliases, more than {MAX_ALIASES:,}."
        return [PlanDiagnostic("too_many_aliases", message, plan.aliases[MAX_ALIASES].place)]
    reader = _Reader(places, context)
    for expression in (*(alias.value for alias in plan.aliases), plan.result):
        reader.read(expression)
    reads = alias_reads(plan)
    if ring := circle(reads):
        message = f"aliases read each other: {shown(', '.join(ring), LONGEST_TEXT)}."
        hint = "Have one of them read something else."
        reader.note("alias_cycle", message, places[ring[0]], hint)
    used = set(in_order(names_in(plan.result, places), reads))
    for name, place in places.items():
        if name not in used:
            message = f"nothing reads the alias {shown(name)!r}: it is not evaluated."
            about = (message, place, None, "Read it, or leave it out.")
            reader.found.append(PlanDiagnostic("unused_alias", *about, severity="warning"))
    return sorted(reader.found, key=lambda each: each.place)


class _Reader:
    """Reads expressions, and notes what is wrong with their names."""

    def __init__(self, aliases: Mapping[str, Place], context: Context | None) -> None:
        self.found: list[PlanDiagnostic] = []
        self._aliases, self._context = aliases, context

    def note(self, code: PlanCode, message: str, place: Place, hint: str = "") -> None:
        if len(self.found) < MAX_TOLD:
            self.found.append(PlanDiagnostic(code, message, place, None, hint))

    def read(self, expression: Expression) -> None:
        """Read an expression whose value is wanted, and all in it."""
        left = [expression]
        while left:
            each = left.pop()
            if isinstance(each, syntax.Invocation):
                left += [*reversed(each.arguments), *self._called(each)]
                continue
            name, path = dotted(each)
            is_bound = name is not None and name.name not in self._aliases
            if self._context is None or not is_bound:
                left += reversed(syntax.parts_of(each))
            elif len(path) == 1 or self._context.kind(path[:1]) == "namespace":
                self._value(path, each.place, self._context)
            elif isinstance(each, syntax.FieldOf):
                left.append(each.of)

    def _value(self, path: Path, place: Place, context: Context) -> None:
        """Note a path of the context that does not end at a value, or in one."""
        ends = (end for end in range(1, len(path)) if context.kind(path[:end]) != "namespace")
        path = path[: next(ends, len(path))]
        kind, name = context.kind(path), shown(".".join(path))
        if kind is None:
            self._unknown(path, place, context)
        elif kind == "namespace":
            message = f"{name!r} holds functions and is no value."
            self.note("function_as_value", message, place, meant("", context.members(path)))
        elif kind != "value":
            self.note("function_as_value", f"the function {name!r} is no value.", place, "Call it.")

    def _unknown(self, path: Path, place: Place, context: Context) -> None:
        """Note that the last name of a path is bound to nothing."""
        before, name = path[:-1], path[-1]
        known = (*(() if before else self._aliases), *context.members(before))
        code: PlanCode = "unknown_member" if before else "unknown_name"
        message = f"the name {shown(name)!r} is unknown."
        if before:
            message = f"{shown('.'.join(before))!r} has no {shown(name)!r}."
        self.note(code, message, place, meant(name, known))

    def _called(self, call: syntax.Invocation) -> list[Expression]:
        """Note what is wrong with what is called; return what is still to be read."""
        function, context = call.function, self._context
        assert isinstance(function, syntax.Name | syntax.FieldOf), "nothing else is read as called"
        inner = [function.of] if isinstance(function, syntax.FieldOf) else []
        root, path = dotted(function)
        is_alias = root is not None and root.name in self._aliases
        if context is None:
            if root is None or (is_alias and inner):  # a method of a value
                return inner
            if not is_alias:  # a tool, also of a namespace
                return []
        elif found := callee(call, context, self._aliases):
            return inner if found.kind == "method" else []
        elif inner and binding_path(function, context, self._aliases) is None:
            message = f"there is no method {shown(function.name)!r}."
            hint = meant(function.name, context.methods)
            self.note("unknown_method", message, function.place, hint)
            return inner
        elif not is_alias and context.kind(path) is None:
            self._unknown(path, function.place, context)
            return []
        what = f"{'the alias ' if is_alias else ''}{shown('.'.join(path))!r}"
        message = f"{what} is no function and cannot be called."
        self.note("not_a_function", message, call.place)
        return []
