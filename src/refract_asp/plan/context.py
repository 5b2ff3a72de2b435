"""
What the names of a plan mean: tools, functions and values, and how much a plan may ask for.

A plan reaches nothing but what is bound here. Names are looked up in this table, fields in JSON values;
no attribute of any object is ever read for a plan.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

from refract_asp.errors import InputError, LimitError, ToolFailedError, shown
from refract_asp.formats import load_catalog
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, plain
from refract_asp.model import Catalog, Memory, Parameter, Reference, Sequence, Tool
from refract_asp.model.sequence import slots_of
from refract_asp.plan.syntax import is_reserved
from refract_asp.settings import whole_number

if TYPE_CHECKING:
    from refract_asp.runtime.tools import BindOptions, Bound, Tools

__all__ = ["Context", "Limits", "described", "domain", "for_reading", "with_helpers"]


# -- how large things may be ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """
    How much a plan may ask for; beyond it the plan is refused, or its evaluation stops with an error.

    Attributes:
        depth: how deep values, and expressions, may be nested.
        size: elements of one value; ten characters of text count as one more.
        calls: calls of a plan, of domains and of local functions.
        aliases: aliases of a plan.

    Raises:
        InputError: one of them is no whole number in its range.

    Example:
        >>> Limits(calls=10).calls
        10
    """

    depth: int = MAX_DEPTH
    size: int = 1_000_000
    calls: int = 2_000
    aliases: int = 10_000

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        for each in fields(self):
            most = MAX_DEPTH if each.name == "depth" else 1_000_000_000
            whole_number(each.name, getattr(self, each.name), least=1, most=most)

    def both(self, other: Limits) -> Limits:
        """Return the stricter ones of both."""
        names = (each.name for each in fields(self))
        return Limits(**{name: min(getattr(self, name), getattr(other, name)) for name in names})

    def too_large(self) -> LimitError:
        """Return the error for a value beyond the limit."""
        what = f"a value is larger than {self.size:,} elements, ten characters of text being one."
        return LimitError(what, hint="Pass on only what is needed.")


def text_size(text: str) -> int:
    """Return the size of a text."""
    return 1 + len(text) // 10


class Sizes:
    """
    Measures values, each list and object once, however often it stands in others.

    A list is one, and its elements; an object is one, its keys and its values; a text is one, and one more
    for every ten characters; everything else is one.

    Example:
        >>> Sizes(Limits()).of(["ab", {"c": None}])
        5
    """

    def __init__(self, limits: Limits) -> None:
        """Measure against these limits."""
        self._limits = limits
        # by id: the value, so that its id stays its own, its size and depth
        self._known: dict[int, tuple[Any, int, int]] = {}

    def of(self, value: object) -> int:
        """
        Return the size of a value.

        Raises:
            LimitError: it is too large, or nested too deep, as one that holds itself is.
        """
        size, _ = self._measured(value, self._limits.depth)
        if size > self._limits.size:
            raise self._limits.too_large()
        return size

    def copied(self, value: object) -> Any:
        """
        Return a copy of a JSON value within the limits.

        Raises:
            InputError: it is no JSON value; the message says what is wrong with it, and where inside it.
            LimitError: it is too large, or nested too deep.
        """
        self.of(value)
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
        if isinstance(value, str):
            return text_size(value), 0
        if not isinstance(value, list | tuple | dict):
            return 1, 0
        known = self._known.get(id(value))
        if known is not None and known[2] <= left:
            return known[1], known[2]
        if left <= 0:
            what = f"lists and objects are nested deeper than {self._limits.depth}."
            raise LimitError(what, hint="Flatten the value.")
        size, depth = 1, 0
        if isinstance(value, dict):
            size += sum(text_size(key) for key in value if isinstance(key, str))
        for inner in value.values() if isinstance(value, dict) else value:
            inner_size, inner_depth = self._measured(inner, left - 1)
            size += inner_size
            depth = max(depth, inner_depth)
        self._known[id(value)] = (value, size, depth + 1)
        return size, depth + 1


# -- bindings ------------------------------------------------------------------

Kind: TypeAlias = Literal["domain", "function", "value", "namespace"]
"""What a name is bound to: a tool, a local function, a JSON value, or a table of more names."""
Path: TypeAlias = tuple[str, ...]
"""A name, and what follows it behind dots: `("back", "departs")`."""

_DEEPEST = 16
"""How deep namespaces may lie in each other."""


@dataclass(frozen=True, slots=True)
class _Binding:
    """What a path leads to: a `Bound`, a function, a value that nobody else holds, or bindings by name."""

    kind: Kind
    what: Any


def _usable(name: object, path: Path) -> str:
    """Return a name when a binding may bear it."""
    if not isinstance(name, str) or not name:
        raise InputError(f"{shown(repr(name))} is no name.", hint="Names are texts.")
    if is_reserved(name):
        what = f"the name {shown('.'.join(path))!r} is reserved."
        raise InputError(what, hint="Give it another name.")
    return name


def _namespace(names: Mapping[str, object], sizes: Sizes, path: Path) -> _Binding:
    if len(path) > _DEEPEST:
        raise InputError(f"namespaces are nested deeper than {_DEEPEST}.", hint="Bind flat names.")
    made = {}
    for name, given in names.items():
        inner = (*path, name if isinstance(name, str) else "")
        made[_usable(name, inner)] = _binding(given, sizes, inner)
    return _Binding("namespace", made)


def _binding(given: object, sizes: Sizes, path: Path) -> _Binding:
    """Say what something is bound as."""
    if callable(given) or not isinstance(given, str | int | float | list | None):
        from refract_asp.runtime.tools import Bound, bind

        if isinstance(given, Bound) or callable(given):
            bound = given if isinstance(given, Bound) else bind(given)
            is_domain = bound is given or bound.is_async
            return _Binding("domain", bound) if is_domain else _Binding("function", given)
        if isinstance(given, Mapping):
            if _holds(given, Bound):
                return _namespace(given, sizes, path)
            given = dict(given)
    try:
        return _Binding("value", sizes.copied(given))
    except InputError as error:
        where = f"the value of {shown('.'.join(path))!r}"
        raise type(error)(error.what, where=where, hint=error.hint) from None


def _holds(given: Mapping[Any, object], kind: type) -> bool:
    """Whether a mapping holds a function at some depth; one that holds itself is looked at once."""
    seen: set[int] = set()
    left: list[Mapping[Any, object]] = [given]
    while left:
        mapping = left.pop()
        if id(mapping) not in seen:
            seen.add(id(mapping))
            for inner in mapping.values():
                if callable(inner) or isinstance(inner, kind):
                    return True
                if isinstance(inner, Mapping):
                    left.append(inner)
    return False


def _bound_twice(path: Path) -> InputError:
    hint = "Give one of both another name."
    return InputError(f"{shown('.'.join(path))!r} is bound twice.", hint=hint)


def _values(namespace: _Binding) -> dict[str, Any]:
    """Return the values that a namespace holds at any depth."""
    found: dict[str, Any] = {}
    for name, binding in namespace.what.items():
        if binding.kind == "value":
            found[name] = binding.what
        elif binding.kind == "namespace" and (inner := _values(binding)):
            found[name] = inner
    return found


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
        limits: how much a plan may ask for.

    Raises:
        InputError: a name is reserved or no text, a value is not JSON, a method is async.
        LimitError: a value is too large, or nested too deep.

    Example:
        >>> context = Context({"user": "ada", "add": lambda a, b: a + b, "trips": {"next": lambda: 7}})
        >>> context.kind("user"), context.kind("add"), context.kind("trips"), context.kind("trips.next")
        ('value', 'function', 'namespace', 'function')
    """

    __slots__ = ("_limits", "_methods", "_names")

    def __init__(
        self,
        bindings: Mapping[str, object] | None = None,
        *,
        methods: Mapping[str, Callable[..., Any]] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Copy the values, and sort the functions."""
        self._limits = limits if limits is not None else Limits()
        for given, called in ((bindings, "bindings"), (methods, "methods")):
            if given is not None and not isinstance(given, Mapping):
                what = f"{called} cannot be a value of type {shown(type(given).__name__)}."
                raise InputError(what, hint="Give a mapping of names.")
        self._names = _namespace(dict(bindings or {}), Sizes(self._limits), ())
        self._methods = dict(methods or {})
        for name, method in self._methods.items():
            _usable(name, (name,) if isinstance(name, str) else ())
            if _binding(method, Sizes(self._limits), (name,)).kind != "function":
                hint = "A method is called while the plan is evaluated; bind what has to wait as a domain."
                raise InputError(f"the method {shown(name)!r} is no sync function.", hint=hint)

    @classmethod
    def of(
        cls,
        tools: Mapping[str, Any],
        memory: Memory | Mapping[str, Any] | None = None,
        *,
        methods: Mapping[str, Callable[..., Any]] | None = None,
        limits: Limits | None = None,
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

        values = memory.values if isinstance(memory, Memory) else dict(memory or {})
        made = cls(values, methods=methods, limits=limits)
        for name, bound in (tools if isinstance(tools, Tools) else Tools(tools)).items():
            parts = tuple(name.split("."))
            path = parts if all(parts) else (name,)
            for part in path:
                _usable(part, path)
            made._put(path, _Binding("domain", bound))
        return made

    def _put(self, path: Path, binding: _Binding) -> None:
        """Bind a path that is free, while the context is made."""
        members = self._names.what
        for step in path[:-1]:
            inner = members.setdefault(step, _Binding("namespace", {}))
            if inner.kind == "value" and isinstance(inner.what, dict):
                values = {key: _Binding("value", value) for key, value in inner.what.items()}
                inner = members[step] = _Binding("namespace", values)
            if inner.kind != "namespace":
                raise _bound_twice(path)
            members = inner.what
        if path[-1] in members:
            raise _bound_twice(path)
        members[path[-1]] = binding

    @property
    def limits(self) -> Limits:
        """How much a plan may ask for."""
        return self._limits

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
        return Memory(values=Sizes(self._limits).copied(_values(self._names)))

    def bound(self, kind: Kind, path: Path = ()) -> dict[str, Any]:
        """Return what of a kind is bound, at any depth, by names with dots."""
        found: dict[str, Any] = {}
        for name in self.members(path):
            inner = (*path, name)
            if self.kind_at(inner) == kind:
                found[".".join(inner)] = self.at(inner, kind)
            found |= self.bound(kind, inner)
        return found

    def kind(self, name: str) -> Kind | None:
        """
        Return what a name is bound to, or None; a name in a namespace is written with a dot.

        Example:
            >>> Context({"zero": 0}).kind("zero"), Context().kind("zero")
            ('value', None)
        """
        return self.kind_at(tuple(name.split(".")))

    def kind_at(self, path: Path) -> Kind | None:
        """Return what a path is bound to, or None."""
        found = self._at(path)
        return None if found is None else found.kind

    def members(self, path: Path = ()) -> tuple[str, ...]:
        """Return the names in the namespace at a path, none where there is no namespace."""
        found = self._at(path)
        return tuple(found.what) if found is not None and found.kind == "namespace" else ()

    def value(self, name: str) -> Any:
        """
        Return a copy of the value of a name.

        Raises:
            InputError: no value bears the name.
        """
        return Sizes(self._limits).copied(self.at(tuple(name.split(".")), "value"))

    def at(self, path: Path, kind: Kind) -> Any:
        """
        Return what a path is bound to: a `Bound`, a function, or a value, which must not be changed.

        Raises:
            InputError: nothing of that kind is.
        """
        found = self._at(path)
        if found is None or found.kind != kind:
            raise InputError(f"{shown('.'.join(path))!r} is no {kind} of the context.")
        return found.what

    def method(self, name: str) -> Callable[..., Any] | None:
        """Return the function that is called behind a value by that name."""
        return self._methods.get(name)

    def merged(self, other: Context) -> Context:
        """
        Return a context with the names of both; where both bind a name, the other one says what it means.

        Of the limits the stricter ones hold.

        Example:
            >>> both = Context({"a": 1, "b": 1}).merged(Context({"b": 2}))
            >>> both.value("a"), both.value("b")
            (1, 2)
        """
        if not isinstance(other, Context):
            kind = type(other).__name__
            raise InputError(f"a context cannot be merged with a value of type {kind}.")
        made = Context(limits=self._limits.both(other._limits))
        made._names.what.update({**self._names.what, **other._names.what})
        made._methods.update({**self._methods, **other._methods})
        return made

    def _at(self, path: Path) -> _Binding | None:
        found: _Binding | None = self._names
        for step in path:
            if found is None or found.kind != "namespace":
                return None
            found = found.what.get(step)
        return found

    def __eq__(self, other: object) -> bool:
        """Whether both bind the same names to the same."""
        if not isinstance(other, Context):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Print which names there are."""
        return f"Context({', '.join(map(shown, self.names))})"


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
        >>> context = Context({"add": lambda a, b: a + b})
        >>> [(tool.name, list(tool.parameters), tool.effect) for tool in described(context)]
        [('add', ['a', 'b'], 'read')]
    """
    known = load_catalog(catalog) if catalog is not None else Catalog()
    local = local_functions(context).items()
    added = [_tool(name, function) for name, function in local if name not in known.by_name]
    kept = {} if catalog is None else {"name": known.name, "format": known.format}
    return Catalog(tools=(*known, *added), **kept)


def _tool(name: str, function: Callable[..., Any]) -> Tool:
    try:
        tool = load_catalog([function]).tools[0]
        return tool.model_copy(update={"name": name, "effect": "read"})
    except (
        InputError
    ):  # it has no name of its own, or hints that cannot be read: its parameters tell
        pass
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return Tool(name=name, effect="read", additional_parameters=True)
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = {
        each.name: Parameter(name=each.name, required=each.default is each.empty)
        for each in given
        if each.kind not in rest
    }
    takes_more = any(each.kind in rest for each in given)
    return Tool(name=name, effect="read", parameters=named, additional_parameters=takes_more)


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
    sources = [*(each for call in sequence.calls for each in call.arguments.values())]
    slots = [
        slot for each in (*sources, *(sequence.returns or {}).values()) for slot in slots_of(each)
    ]
    read = {slot.label for slot in slots if isinstance(slot, Reference)}
    added = {name: value for name, value in helpers.memory.values.items() if name in read}
    local = [tool for tool in described(helpers) if tool.name in called]
    kept = {"name": catalog.name, "format": catalog.format}
    whole = Catalog(tools=(*catalog, *local), **kept) if local else catalog
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
        try:
            found = found.merged(Context.of({tool.name: unbound}))
        except InputError:
            continue
    return found
