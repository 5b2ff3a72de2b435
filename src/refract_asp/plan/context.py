"""
What the names of a plan mean: tools, functions and values; which are unknown, and which read which.

A plan reaches nothing but what is bound here. Names are looked up in this table, fields in JSON values;
no attribute of any object is ever read for a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date, time
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack

from refract_asp.errors import LONGEST_TEXT, InputError, LimitError, ToolFailedError, placed, shown
from refract_asp.formats import load_catalog
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, plain
from refract_asp.model import Catalog, Memory, Sequence, Tool
from refract_asp.model.paths import only, without
from refract_asp.model.stages import reads_of
from refract_asp.plan import syntax
from refract_asp.plan.syntax import Expression, Place, Plan, PlanCode, PlanDiagnostic, is_reserved
from refract_asp.report.suggestions import find_similar_items

if TYPE_CHECKING:
    from refract_asp.runtime.tools import BindOptions, Bound, Tools

# -- how large things may be ---------------------------------------------------

MAX_SIZE = 1_000_000
"""Elements of one value; ten characters of text count as one more."""


def too_large() -> LimitError:
    """Return the error for a value beyond the bound."""
    what = f"a value is larger than {MAX_SIZE:,} elements, ten characters of text being one."
    return LimitError(what, hint="Pass on only what is needed.")


def text_size(text: str) -> int:
    """Return the size of a text."""
    return 1 + len(text) // 10


def _dated(value: Any) -> Any:
    """Return a value in which dates and moments are texts."""
    if isinstance(value, dict):
        return {key: _dated(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_dated(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | time) else value


class Sizes:
    """
    Measures values, each list and object once, however often it stands in others.

    A list is one, and its elements; an object is one, its keys and its values; a text is one, and one more
    for every ten characters; everything else is one.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        # by id: the value, so that its id stays its own, its size and depth
        self._known: dict[int, tuple[Any, int, int]] = {}

    def check(self, value: object) -> None:
        """
        Refuse a value beyond the bounds.

        Raises:
            LimitError: it is too large, or nested too deep, as one that holds itself is.
        """
        if self._measured(value, MAX_DEPTH)[0] > MAX_SIZE:
            raise too_large()

    def copied(self, value: object) -> Any:
        """
        Return a copy of a JSON value within the bounds; dates and moments become texts, as in ISO 8601.

        Raises:
            InputError: it is no JSON value; the message says what is wrong with it, and where inside it.
            LimitError: it is too large, or nested too deep.
        """
        self.check(value)
        try:
            try:
                return plain(value)
            except UnreadableError:  # few values hold a date
                return plain(_dated(value))
        except UnreadableError as error:
            steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.place)
            inside = "".join(steps).lstrip(".")
            kind = error.kind if issubclass(error.kind, LimitError) else InputError
            what = f"{inside}: {error.what}" if inside else error.what
            raise kind(what, hint=error.hint) from None

    def _measured(self, value: object, left: int) -> tuple[int, int]:
        """Return size and depth of a value that may be nested so much deeper."""
        if not isinstance(value, list | tuple | dict):
            return text_size(value) if isinstance(value, str) else 1, 0
        known = self._known.get(id(value))
        if known is not None and known[2] <= left:
            return known[1], known[2]
        if left <= 0:
            what = f"lists and objects are nested deeper than {MAX_DEPTH}."
            raise LimitError(what, hint="Flatten the value.")
        size, depth, parts = 1, 0, value
        if isinstance(value, dict):
            size += sum(text_size(key) for key in value if isinstance(key, str))
            parts = list(value.values())
        for inner in parts:
            inner_size, inner_depth = self._measured(inner, left - 1)
            size, depth = size + inner_size, max(depth, inner_depth)
        self._known[id(value)] = (value, size, depth + 1)
        return size, depth + 1


# -- bindings ------------------------------------------------------------------

Kind: TypeAlias = Literal["domain", "function", "value", "namespace"]
"""What a name is bound to: a tool, a local function, a JSON value, or a table of more names."""
Path: TypeAlias = tuple[str, ...]
"""A name, and what follows it behind dots: `("back", "departs")`."""


Methods: TypeAlias = Mapping[str, Callable[..., Any]]
"""Functions that are called behind a value, by name."""


def _path(name: str | Path) -> Path:
    return tuple(name.split(".")) if isinstance(name, str) else name


_DEEPEST = 16
"""How deep namespaces may lie in each other."""


class _Binding(NamedTuple):
    """What a path leads to: a `Bound`, a function, or a value that is not shared."""

    kind: Kind
    what: Any = None


def _holds_functions(given: Mapping[Any, object]) -> bool:
    """Whether a mapping holds a function at some depth."""
    from refract_asp.runtime.tools import Bound

    found = {id(given): given}  # one that holds itself is looked at once
    left = [given]
    while left:
        inside = [each for each in left.pop().values() if isinstance(each, Mapping)]
        left += (each for each in inside if id(each) not in found)
        found |= {id(each): each for each in inside}
    every = (each for mapping in found.values() for each in mapping.values())
    return any(callable(each) or isinstance(each, Bound) for each in every)


def domain(function: Callable[..., Any], **options: Unpack[BindOptions]) -> Bound:
    """
    Make a function a domain, though it is sync: its calls are scheduled, and run beside each other.

    The options are those of `refract_asp.runtime.bind`.

    Example:
        >>> Context({"fetch": domain(lambda url: url)}).kind("fetch")
        'domain'
    """
    from refract_asp.runtime.tools import bind

    return bind(function, **options)


class Context:
    """
    What the names of a plan mean. A context never changes.

    Args:
        bindings: what each name is bound to. An async function, `domain(f)` or a `Bound` is a domain, that
            is a tool; another function is local: it is sync and called while the plan is evaluated. A
            mapping that holds functions at some depth is a namespace (`back.departs(123)`); anything else
            is a JSON value and copied; dates and moments in it become texts, as in ISO 8601.
        methods: functions that are called behind a value: `value.at('9:00am')` calls
            `methods["at"](value, "9:00am")`. They are sync.

    Raises:
        InputError: a name is reserved or no text, a value is not JSON, a method is async.
        LimitError: a value is too large, or nested too deep.

    Example:
        >>> context = Context({"user": "ada", "add": lambda a, b: a + b, "trips": {"next": lambda: 7}})
        >>> context.kind("user"), context.kind("add"), context.kind("trips"), context.kind("trips.next")
        ('value', 'function', 'namespace', 'function')
    """

    __slots__ = ("_bindings", "_methods")

    def __init__(
        self, bindings: Mapping[str, object] | None = None, *, methods: Methods | None = None
    ) -> None:
        """Copy the values, and sort the functions."""
        self._bindings: dict[Path, _Binding] = {}
        for given, called in ((bindings, "bindings"), (methods, "methods")):
            if given is not None and not isinstance(given, Mapping):
                what = f"{called} cannot be a value of type {shown(type(given).__name__)}."
                raise InputError(what, hint="Give a mapping of names.")
        for name, each in (bindings or {}).items():
            self._bind((name,), each)
        self._methods = dict(methods or {})
        for name, method in self._methods.items():
            if Context({name: method}).kind((name,)) != "function":
                hint = "A method is called while the plan is evaluated; bind what has to wait as a domain."
                raise InputError(f"the method {shown(name)!r} is no sync function.", hint=hint)

    def _bind(self, path: Path, given: object) -> None:
        """Bind a path while the context is made: say what it is bound as."""
        from refract_asp.runtime.tools import Bound, bind

        name, whole = path[-1], shown(".".join(map(str, path)))
        if not isinstance(name, str) or not name:
            raise InputError(f"{shown(repr(name))} is no name.", hint="Names are texts.")
        if is_reserved(name):
            raise InputError(f"the name {whole!r} is reserved.", hint="Give it another name.")
        if path in self._bindings:
            raise InputError(f"{whole!r} is bound twice.", hint="Give one of both another name.")
        if len(path) > _DEEPEST:
            what = f"namespaces are nested deeper than {_DEEPEST}."
            raise InputError(what, hint="Bind flat names.")
        if isinstance(given, Bound) or callable(given):
            bound = given if isinstance(given, Bound) else bind(given)
            is_domain = bound is given or bound.is_async
            made = _Binding("domain", bound) if is_domain else _Binding("function", given)
            self._bindings[path] = made
        elif isinstance(given, Mapping) and _holds_functions(given):
            self._bindings[path] = _Binding("namespace")
            for step, inner in given.items():
                self._bind((*path, step), inner)
        else:
            with placed(f"the value of {whole!r}"):
                copy = Sizes().copied(dict(given) if isinstance(given, Mapping) else given)
            self._bindings[path] = _Binding("value", copy)

    def _bind_tool(self, name: str, bound: object) -> None:
        """Bind a tool, whose name may have dots, beside the values."""
        parts = tuple(name.split("."))
        path = parts if all(parts) else (name,)
        for end in range(1, len(path)):
            there = self._bindings.get(path[:end])
            if there is None or (there.kind == "value" and isinstance(there.what, dict)):
                self._bindings.pop(path[:end], None)
                self._bind(path[:end], {})
                self._bindings[path[:end]] = _Binding("namespace")
                for step, value in (there.what if there is not None else {}).items():
                    self._bindings[*path[:end], step] = _Binding("value", value)
            elif there.kind != "namespace":
                what = f"{shown('.'.join(path[:end]))!r} is bound twice."
                raise InputError(what, hint="Give one of both another name.")
        self._bind(path, bound)

    @classmethod
    def of(
        cls, tools: Mapping[str, Any], memory: Memory | Mapping[str, Any] | None = None
    ) -> Context:
        """
        Make every tool a domain, and every name of the memory a value.

        A tool whose name has dots is reached as it is written: `maps.route({...})`.

        Raises:
            InputError: a tool and a value have one name, or one of them is reserved.

        Example:
            >>> context = Context.of({"maps.route": lambda to: [to]}, {"home": "Rome"})
            >>> context.kind("maps.route"), context.kind("home")
            ('domain', 'value')
        """
        from refract_asp.runtime.tools import Tools

        made = cls(memory.values if isinstance(memory, Memory) else memory)
        for name, bound in (tools if isinstance(tools, Tools) else Tools(tools)).items():
            made._bind_tool(name, bound)
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are bound, without those in namespaces."""
        return self.members()

    @property
    def methods(self) -> Methods:
        """The functions that are called behind a value, by name."""
        return dict(self._methods)

    @property
    def tools(self) -> Tools:
        """The domains, by name; what lies in a namespace has its name before it, and a dot."""
        from refract_asp.runtime.tools import Tools

        found = self.bound("domain").items()
        return Tools({name: replace(bound, name=name) for name, bound in found})

    @property
    def memory(self) -> Memory:
        """A copy of the values, by name; of a namespace, those that it holds."""
        found: dict[str, Any] = {}
        for path, binding in self._bindings.items():
            if binding.kind == "value":
                inner = found
                for step in path[:-1]:
                    inner = inner.setdefault(step, {})
                inner[path[-1]] = plain(binding.what)
        return Memory(values=found)

    def bound(self, kind: Kind) -> dict[str, Any]:
        """Return what of a kind is bound, at any depth, by names with dots."""
        every = self._bindings.items()
        return {".".join(path): binding.what for path, binding in every if binding.kind == kind}

    def kind(self, name: str | Path) -> Kind | None:
        """
        Return what a name is bound to, or None; a name in a namespace is written with a dot, or as a path.

        Example:
            >>> Context({"zero": 0}).kind("zero"), Context().kind("zero")
            ('value', None)
        """
        found = self._bindings.get(_path(name))
        return None if found is None else found.kind

    def members(self, path: Path = ()) -> tuple[str, ...]:
        """Return the names in the namespace at a path, none where there is no namespace."""
        return tuple(each[-1] for each in self._bindings if each[:-1] == path)

    def value(self, name: str) -> Any:
        """
        Return a copy of the value of a name.

        Raises:
            InputError: no value has the name.
        """
        return plain(self.at(name, "value"))

    def at(self, name: str | Path, kind: Kind) -> Any:
        """
        Return what a name is bound to: a `Bound`, a function, or a value, which must not be changed.

        Raises:
            InputError: nothing of that kind is.
        """
        found = self._bindings.get(_path(name))
        if found is None or found.kind != kind:
            raise InputError(f"{shown('.'.join(_path(name)))!r} is no {kind} of the context.")
        return found.what

    def merged(self, other: Context) -> Context:
        """
        Return a context with the names of both; where both bind a name, the other one says what it means.

        Example:
            >>> both = Context({"a": 1, "b": 1}).merged(Context({"b": 2}))
            >>> both.value("a"), both.value("b")
            (1, 2)
        """
        made, theirs = Context(), set(other.names)
        own = {path: each for path, each in self._bindings.items() if path[0] not in theirs}
        made._bindings.update({**own, **other._bindings})
        made._methods.update({**self._methods, **other._methods})
        return made


# -- for the rules -------------------------------------------------------------


def local_functions(context: Context) -> dict[str, Callable[..., Any]]:
    """
    Return the local functions and the methods of a context by name, those of namespaces with dots.

    Example:
        >>> sorted(local_functions(Context({"user": 1, "trips": {"next": lambda: 7}})))
        ['trips.next']
    """
    return {**context.methods, **context.bound("function")}


def described(context: Context, catalog: Any = None) -> Catalog:
    """
    Return a catalog with the local functions and the methods of a context added, as tools that only read.

    In the sequence of a plan these are calls like others, and a method has what it is called on for its first
    argument. What the catalog says itself of a name stays; it may be anything that `Catalog.load` takes.

    Example:
        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> [(tool.name, list(tool.parameters), tool.effect) for tool in described(Context({"add": add}))]
        [('add', ['a', 'b'], 'read')]
    """
    known = load_catalog(catalog) if catalog is not None else Catalog()
    local = without(local_functions(context), known.by_name)
    read = [tool.model_copy(update={"effect": "read"}) for tool in function_tools(local)]
    return _with_tools(known, read)


def function_tools(functions: Mapping[str, Callable[..., Any]]) -> list[Tool]:
    """
    Return functions as tools of their names, as far as their signatures and docstrings say what they take.

    Example:
        >>> def plus(a: int, b: int = 0) -> int: ...
        >>> [tool] = function_tools({"add": plus})
        >>> tool.name, [parameter.required for parameter in tool.parameters.values()]
        ('add', [True, False])
    """
    found = []
    for name, function in functions.items():
        try:
            tool = load_catalog([function]).tools[0]
        except InputError:  # it has no name of its own, or hints that cannot be read
            tool = Tool(name=name, additional_parameters=True)
        found.append(tool.model_copy(update={"name": name}))
    return found


def _with_tools(catalog: Catalog, tools: list[Tool]) -> Catalog:
    return Catalog(tools=(*catalog, *tools), name=catalog.name, format=catalog.format)


def with_helpers(
    sequence: Sequence, helpers: Context, catalog: Catalog, memory: Memory | None = None
) -> tuple[Catalog, Memory]:
    """
    Return the catalog and the memory with those helpers added that the sequence of a plan uses.

    Args:
        sequence: the calls of the plan.
        helpers: local functions, methods and values, as `dates()` gives them.
        catalog: the tools; what it says of a name stays.
        memory: values that are known; they come before those of the helpers.

    Example:
        >>> from refract_asp.plan import dates, parse_plan, to_sequence
        >>> sequence = to_sequence(parse_plan("return find({on: next(Thursday)});").require())
        >>> catalog, memory = with_helpers(sequence, dates(), Catalog.load({"tools": [{"name": "find"}]}))
        >>> list(catalog.by_name), memory.values
        (['find', 'next'], {'Thursday': 'Thursday'})
    """
    called = {call.name for call in sequence.calls} - set(catalog.by_name)
    read = {each.reference.label for each in reads_of(sequence)}
    added = only(helpers.memory.values, read)
    local = [tool for tool in described(helpers) if tool.name in called]
    whole = _with_tools(catalog, local) if local else catalog
    return whole, Memory(values={**added, **(memory.values if memory is not None else {})})


def for_reading(catalog: Catalog, memory: Memory | None = None) -> Context:
    """
    Return a context with the tools of a catalog and the values of a memory, for all but running.

    Tools whose names no plan can say are left out.

    Example:
        >>> tools = [{"name": "find"}, {"name": "toString"}]
        >>> for_reading(Catalog.load({"tools": tools}), Memory(values={"user": "ada"})).names
        ('user', 'find')
    """

    def unbound(**_: Any) -> Any:
        hint = "Give the tools themselves."
        raise ToolFailedError("no function is bound to this tool.", hint=hint)

    found = Context(memory.values if memory is not None else {})
    for tool in catalog:
        with suppress(InputError):
            found._bind_tool(tool.name, domain(unbound))
    return found


MAX_ALIASES = 2_000
"""Aliases of a plan."""
MAX_TOLD = 20
"""So many wrong names of one plan are told."""
MOST_LISTED = 8
"""So many names are listed where none is near."""


_Reads: TypeAlias = Mapping[str, Iterable[str]]
"""What each alias reads."""


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
    return {each.name: tuple(dict.fromkeys(names_in(each.value, names))) for each in plan.aliases}


def in_order(wanted: Iterable[str], reads: _Reads, seen: Iterable[str] = ()) -> list[str]:
    """
    Return the wanted aliases and all that they read, what is read first; those in `seen` are left out.

    Example:
        >>> in_order(["c"], {"a": (), "b": ("a",), "c": ("b", "a")})
        ['a', 'b', 'c']
    """
    ordered: list[str] = []
    seen = set(seen)
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


def circle(reads: _Reads) -> list[str]:
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
        at = ring.index(min(ring, key=list(reads).index))
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
        what = f"{shown('.'.join(before))!r} has no {shown(name)!r}"
        what = what if before else f"the name {shown(name)!r} is unknown"
        code: PlanCode = "unknown_member" if before else "unknown_name"
        self.note(code, f"{what}.", place, meant(name, known))

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
