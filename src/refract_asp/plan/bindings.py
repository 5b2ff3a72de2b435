"""What a name of a plan can be bound to, and how what is given is sorted into that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.plan.limits import Sizes, checked
from refract_asp.plan.reserved import is_reserved

if TYPE_CHECKING:
    from refract_asp.runtime.tools import Bound

__all__ = [
    "KINDS",
    "Binding",
    "Domain",
    "Function",
    "Kind",
    "Namespace",
    "Path",
    "Value",
    "binding_of",
    "bound_twice",
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
    return InputError(f"{shown('.'.join(path))!r} is bound twice.", hint="Give one of both another name.")


def usable(name: object, path: Path) -> str:
    """Return a name when a binding may bear it."""
    if not isinstance(name, str) or not name:
        raise InputError(f"{shown(repr(name))} is no name.", hint="Names are texts.")
    if is_reserved(name):
        raise InputError(f"the name {shown('.'.join(path))!r} is reserved.", hint="Give it another name.")
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
