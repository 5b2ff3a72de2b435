"""
What the names of a plan mean: tools, functions and values.

A plan reaches nothing but what is bound here. Names are looked up in this table, fields in JSON values;
no attribute of any object is ever read for a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.model import Memory
from refract_asp.plan.limits import Limits, Sizes, checked
from refract_asp.plan.syntax import is_reserved

if TYPE_CHECKING:
    from refract_asp.runtime.tools import Bound, Isolation, Tools

__all__ = [
    "KINDS",
    "Binding",
    "Context",
    "Domain",
    "Function",
    "Kind",
    "Namespace",
    "Path",
    "Value",
    "binding_of",
    "bound_twice",
    "domain",
    "leaves",
    "namespace_of",
    "usable",
    "values_of",
]


Kind: TypeAlias = Literal["domain", "function", "value", "namespace"]
"""What a name is bound to: a tool, a local function, a JSON value, or a table of more names."""
Path: TypeAlias = tuple[str, ...]
"""A name, and what follows it behind dots: `("back", "departs")`."""

_DEEPEST = 16
"""How deep namespaces may lie in each other."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A tool: its call is scheduled."""

    bound: Bound


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is called where it stands, while the plan is evaluated."""

    function: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value; nobody else holds it, nobody changes it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Namespace:
    """A table of names."""

    members: dict[str, Binding] = field(default_factory=dict)


Binding: TypeAlias = Domain | Function | Value | Namespace
"""What a path can lead to."""
KINDS: dict[type, Kind] = {
    Domain: "domain",
    Function: "function",
    Value: "value",
    Namespace: "namespace",
}
"""How each of them is called."""


def bound_twice(path: Path) -> InputError:
    """Return the error for a path that something else is bound to."""
    return InputError(
        f"{shown('.'.join(path))!r} is bound twice.", hint="Give one of both another name."
    )


def usable(name: object, path: Path) -> str:
    """Return a name when a binding may bear it."""
    if not isinstance(name, str) or not name:
        raise InputError(f"{shown(repr(name))} is no name.", hint="Names are texts.")
    if is_reserved(name):
        raise InputError(
            f"the name {shown('.'.join(path))!r} is reserved.", hint="Give it another name."
        )
    return name


def namespace_of(names: Mapping[str, object], sizes: Sizes, path: Path) -> Namespace:
    """Return a table of names, each with what is given for it."""
    if len(path) > _DEEPEST:
        raise InputError(f"namespaces are nested deeper than {_DEEPEST}.", hint="Bind flat names.")
    made = Namespace()
    for name, given in names.items():
        inner = (*path, name if isinstance(name, str) else "")
        made.members[usable(name, inner)] = binding_of(given, sizes, inner)
    return made


def binding_of(given: object, sizes: Sizes, path: Path) -> Binding:
    """Say what something is bound as."""
    if not callable(given) and isinstance(given, str | int | float | list | None):
        return _value(given, sizes, path)
    from refract_asp.runtime.tools import Bound, bind

    if isinstance(given, Bound):
        return Domain(given)
    if callable(given):
        bound = bind(given)
        return Domain(bound) if bound.is_async else Function(given)
    if isinstance(given, Mapping) and _holds_functions(given, Bound):
        return namespace_of(given, sizes, path)
    return _value(dict(given) if isinstance(given, Mapping) else given, sizes, path)


def _value(given: object, sizes: Sizes, path: Path) -> Value:
    try:
        return Value(checked(given, sizes))
    except InputError as error:
        name = shown(".".join(path))
        raise type(error)(error.what, where=f"the value of {name!r}", hint=error.hint) from None


def _holds_functions(given: Mapping[Any, object], kinds: type) -> bool:
    """Whether a mapping holds a function at some depth; one that holds itself is looked at once."""
    seen: set[int] = set()
    left: list[Mapping[Any, object]] = [given]
    while left:
        mapping = left.pop()
        if id(mapping) in seen:
            continue
        seen.add(id(mapping))
        for inner in mapping.values():
            if callable(inner) or isinstance(inner, kinds):
                return True
            if isinstance(inner, Mapping):
                left.append(inner)
    return False


def leaves(namespace: Namespace, path: Path) -> Iterator[tuple[Path, Binding]]:
    """Yield what is bound in a namespace and in those that it holds."""
    for name, binding in namespace.members.items():
        if isinstance(binding, Namespace):
            yield from leaves(binding, (*path, name))
        else:
            yield (*path, name), binding


def values_of(namespace: Namespace) -> dict[str, Any]:
    """Return the values that a namespace holds at any depth."""
    found: dict[str, Any] = {}
    for name, binding in namespace.members.items():
        if isinstance(binding, Value):
            found[name] = binding.value
        elif isinstance(binding, Namespace):
            inner = values_of(binding)
            if inner:
                found[name] = inner
    return found


def domain(
    function: Callable[..., Any],
    *,
    idempotent: bool = False,
    timeout: float | None = None,
    takes_object: bool = False,
    isolation: Isolation = "none",
) -> Bound:
    """
    Make a function a domain, though it is sync: its calls are scheduled, and run beside each other.

    The options are those of `refract_asp.runtime.tools.bind`.

    Example:
        >>> Context({"fetch": domain(lambda url: url)}).kind("fetch")
        'domain'
    """
    from refract_asp.runtime.tools import bind

    return bind(
        function,
        idempotent=idempotent,
        timeout=timeout,
        takes_object=takes_object,
        isolation=isolation,
    )


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
                kind = shown(type(given).__name__)
                raise InputError(
                    f"{called} cannot be a value of type {kind}.", hint="Give a mapping of names."
                )
        self._names = namespace_of(dict(bindings or {}), Sizes(self._limits), ())
        self._methods = dict(methods or {})
        for name, method in self._methods.items():
            usable(name, (name,) if isinstance(name, str) else ())
            if not isinstance(binding_of(method, Sizes(self._limits), (name,)), Function):
                raise InputError(
                    f"the method {shown(name)!r} is no sync function.",
                    hint="A method is called while the plan is evaluated; bind what has to wait as a domain.",
                )

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
                usable(part, path)
            made._put(path, Domain(bound))
        return made

    def _put(self, path: Path, binding: Binding) -> None:
        """Bind a path that is free, while the context is made."""
        members = self._names.members
        for step in path[:-1]:
            inner = members.get(step)
            if inner is None:
                inner = members[step] = Namespace()
            elif isinstance(inner, Value) and isinstance(inner.value, dict):
                found = {key: Value(value) for key, value in inner.value.items()}
                inner = members[step] = Namespace(dict(found))
            elif not isinstance(inner, Namespace):
                raise bound_twice(path)
            members = inner.members
        if path[-1] in members:
            raise bound_twice(path)
        members[path[-1]] = binding

    @property
    def limits(self) -> Limits:
        """How much a plan may ask for."""
        return self._limits

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are bound, without those in namespaces."""
        return tuple(self._names.members)

    @property
    def methods(self) -> Mapping[str, Callable[..., Any]]:
        """The functions that are called behind a value, by name."""
        return dict(self._methods)

    @property
    def tools(self) -> Tools:
        """The domains, by name; what lies in a namespace has its name before it, and a dot."""
        from dataclasses import replace

        from refract_asp.runtime.tools import Tools

        found = (
            (".".join(path), binding.bound)
            for path, binding in leaves(self._names, ())
            if isinstance(binding, Domain)
        )
        return Tools({name: replace(bound, name=name) for name, bound in found})

    @property
    def memory(self) -> Memory:
        """A copy of the values, by name; of a namespace, those that it holds."""
        return Memory(values=checked(values_of(self._names), Sizes(self._limits)))

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
        return None if found is None else KINDS[type(found)]

    def members(self, path: Path = ()) -> tuple[str, ...]:
        """Return the names in the namespace at a path, none where there is no namespace."""
        found = self._at(path)
        return tuple(found.members) if isinstance(found, Namespace) else ()

    def value(self, name: str) -> Any:
        """
        Return a copy of the value of a name.

        Raises:
            InputError: no value bears the name.
        """
        found = self._at(tuple(name.split(".")))
        if not isinstance(found, Value):
            raise InputError(f"{shown(name)!r} is no value of the context.")
        return checked(found.value, Sizes(self._limits))

    def value_at(self, path: Path) -> Any:
        """Return the value at a path itself: it must not be changed."""
        found = self._at(path)
        if not isinstance(found, Value):
            raise InputError(f"{shown('.'.join(path))!r} is no value of the context.")
        return found.value

    def function_at(self, path: Path) -> Callable[..., Any]:
        """Return the local function at a path."""
        found = self._at(path)
        if not isinstance(found, Function):
            raise InputError(f"{shown('.'.join(path))!r} is no local function.")
        return found.function

    def bound_at(self, path: Path) -> Bound:
        """Return the function of the domain at a path, and how it may be run."""
        found = self._at(path)
        if not isinstance(found, Domain):
            raise InputError(f"{shown('.'.join(path))!r} is no domain.")
        return found.bound

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
            raise InputError(
                f"a context cannot be merged with a value of type {type(other).__name__}."
            )
        made = Context(limits=self._limits.both(other._limits))
        made._names.members.update(self._names.members)
        made._names.members.update(other._names.members)
        made._methods.update(self._methods)
        made._methods.update(other._methods)
        return made

    def _at(self, path: Path) -> Binding | None:
        found: Binding | None = self._names
        for step in path:
            if not isinstance(found, Namespace):
                return None
            found = found.members.get(step)
        return found

    def __eq__(self, other: object) -> bool:
        """Whether both bind the same names to the same."""
        if not isinstance(other, Context):
            return NotImplemented
        return (self._names, self._methods, self._limits) == (
            other._names,
            other._methods,
            other._limits,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Print which names there are."""
        return f"Context({', '.join(map(shown, self._names.members))})"
