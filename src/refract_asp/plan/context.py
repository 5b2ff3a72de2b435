"""
What the names of a plan mean: tools, functions and values.

A plan reaches nothing but what is bound here. Names are looked up in this table, fields in JSON values;
no attribute of any object is ever read for a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack

from refract_asp.errors import InputError, LimitError, ToolFailedError, shown
from refract_asp.formats import load_catalog
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, plain
from refract_asp.model import Catalog, Memory, Sequence, Tool
from refract_asp.model.stages import reads_of
from refract_asp.plan.syntax import is_reserved

if TYPE_CHECKING:
    from refract_asp.runtime.tools import BindOptions, Bound, Tools

__all__ = ["Context", "described", "domain", "for_reading", "with_helpers"]


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
        Return a copy of a JSON value within the bounds.

        Raises:
            InputError: it is no JSON value; the message says what is wrong with it, and where inside it.
            LimitError: it is too large, or nested too deep.
        """
        self.check(value)
        try:
            return plain(value)
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


def _path(name: str | Path) -> Path:
    return tuple(name.split(".")) if isinstance(name, str) else name


_DEEPEST = 16
"""How deep namespaces may lie in each other."""


class _Binding(NamedTuple):
    """What a path leads to: a `Bound`, a function, or a value that nobody else holds."""

    kind: Kind
    what: Any = None


def _holds_functions(given: Mapping[Any, object]) -> bool:
    """Whether a mapping holds a function at some depth."""
    from refract_asp.runtime.tools import Bound

    seen: set[int] = set()  # one that holds itself is looked at once
    left = [given]
    while left:
        mapping = left.pop()
        if id(mapping) not in seen:
            seen.add(id(mapping))
            if any(callable(inner) or isinstance(inner, Bound) for inner in mapping.values()):
                return True
            left += (inner for inner in mapping.values() if isinstance(inner, Mapping))
    return False


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
            is a JSON value and copied.
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
        self,
        bindings: Mapping[str, object] | None = None,
        *,
        methods: Mapping[str, Callable[..., Any]] | None = None,
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
            try:
                copy = Sizes().copied(dict(given) if isinstance(given, Mapping) else given)
            except InputError as error:
                where = f"the value of {whole!r}"
                raise type(error)(error.what, where=where, hint=error.hint) from None
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
    def methods(self) -> Mapping[str, Callable[..., Any]]:
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
            InputError: no value bears the name.
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
    added = []
    for name, function in local_functions(context).items():
        if name not in known.by_name:
            try:
                tool = load_catalog([function]).tools[0]
            except InputError:  # it has no name of its own, or hints that cannot be read
                tool = Tool(name=name, additional_parameters=True)
            added.append(tool.model_copy(update={"name": name, "effect": "read"}))
    return _with_tools(known, added)


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
    added = {name: value for name, value in helpers.memory.values.items() if name in read}
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
