"""How a Python function takes its arguments, and what of that a tool is judged by."""

from __future__ import annotations

import dataclasses
import datetime
import inspect
import typing
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from pydantic_core import to_jsonable_python

from refract_asp.errors import InputError, LimitError, shown
from refract_asp.formats import load_catalog
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, plain
from refract_asp.model import Catalog

__all__ = ["Taken", "catalog_of_function", "json_view", "name_of", "readable", "taken"]

_KINDS = inspect._ParameterKind
_SCALARS = (datetime.date, datetime.time, datetime.timedelta, Decimal, PurePath, UUID)
_RECEIVERS = ("self", "cls")


@dataclasses.dataclass(slots=True)
class Taken:
    """
    The arguments of one call of a function, apart.

    Attributes:
        bound: what goes to the parameters that the function names.
        others: what was given by a name that it does not have.
    """

    bound: inspect.BoundArguments
    others: dict[str, Any]

    def named(self) -> dict[str, Any]:
        """Return what has a name: not what goes to `*args`."""
        several = {_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD}
        kinds = self.bound.signature.parameters
        named = {
            n: value for n, value in self.bound.arguments.items() if kinds[n].kind not in several
        }
        return {**named, **self.others}

    def with_named(self, values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return how the function is called with these named arguments in place of those that there are."""
        parameters = self.bound.signature.parameters
        kept = {n: v for n, v in self.bound.arguments.items() if n not in self.named()}
        named = {
            n
            for n, p in parameters.items()
            if p.kind not in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD)
        }
        kept |= {n: v for n, v in values.items() if n in named}
        bound = inspect.BoundArguments(self.bound.signature, kept)
        others = {n: v for n, v in values.items() if n not in named}
        return bound.args, {**bound.kwargs, **others}


def taken(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Taken:
    """
    Put arguments to the parameters of a function, as Python does; names that it does not have are kept apart.

    Raises:
        TypeError: there are too many by position, or one is given twice.
    """
    by_name = (_KINDS.POSITIONAL_OR_KEYWORD, _KINDS.KEYWORD_ONLY)
    parameters = signature.parameters
    known = {n: v for n, v in kwargs.items() if n in parameters and parameters[n].kind in by_name}
    others = {n: v for n, v in kwargs.items() if n not in known}
    return Taken(signature.bind_partial(*args, **known), others)


def json_view(value: Any, depth: int = 0) -> Any:
    """
    Return what a value is in JSON: a date is a text, a model or a dataclass an object, an enum its value.

    Raises:
        UnreadableError: JSON has nothing for it.

    Example:
        >>> json_view({"day": datetime.date(2024, 8, 15), "sizes": {3}})
        {'day': '2024-08-15', 'sizes': [3]}
    """
    if depth > MAX_DEPTH:
        return plain(value)  # which says that it is nested too deep
    if isinstance(value, Enum):
        return json_view(value.value, depth)
    if isinstance(value, dict):
        return {plain(name): json_view(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_view(inner, depth + 1) for inner in value]
    if isinstance(value, BaseModel):
        return json_view(dict(value), depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return json_view(fields, depth)
    return to_jsonable_python(value) if isinstance(value, _SCALARS) else plain(value)


def readable(name: str, value: Any) -> tuple[bool, Any]:
    """
    Return whether an argument can be judged, and what it is in JSON.

    Raises:
        LimitError: it is beyond the bounds of what is judged, so that nobody passes it by its size.
    """
    try:
        return True, plain(json_view(value))
    except UnreadableError as error:
        if error.kind is LimitError:
            raise LimitError(error.what, where=f"argument {shown(name)}", hint=error.hint) from None
        return False, None
    except RecursionError:
        raise LimitError("the value is nested too deep.", where=f"argument {shown(name)}") from None


def catalog_of_function(function: Callable[..., Any], name: str) -> Catalog:
    """
    Return a catalog of one tool, made from what a function says of itself.

    Left out are `self` and `cls` of methods and parameters of types that JSON does not have, as a session of
    a database: they are the caller's own matter and not judged.
    """
    signature = inspect.signature(function)
    try:
        hints = typing.get_type_hints(_plain_function(function), include_extras=True)
    except Exception as error:  # whatever text stands in a hint is looked up
        raise InputError(
            f"the type hints of {name} cannot be read: {error}",
            hint="Give a catalog, or types that it knows.",
        ) from None
    kept = []
    for number, parameter in enumerate(signature.parameters.values()):
        is_receiver = number == 0 and parameter.name in _RECEIVERS and parameter.name not in hints
        if not is_receiver and _has_schema(hints.get(parameter.name, Any)):
            kept.append(parameter.replace(annotation=hints.get(parameter.name, parameter.empty)))

    def stand_in() -> None: ...

    stand_in.__name__ = name if name.isidentifier() else "function"
    stand_in.__doc__ = inspect.getdoc(function)
    output = hints.get("return", Any)
    annotations = {p.name: p.annotation for p in kept if p.annotation is not p.empty}
    stand_in.__annotations__ = annotations | ({"return": output} if _has_schema(output) else {})
    stand_in.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    tool = load_catalog([stand_in]).tools[0]
    return Catalog(tools=(tool.model_copy(update={"name": name}),), format="functions")


def name_of(function: Any) -> str:
    """Return the name of a function, of what a partial calls, or of the class of an object."""
    while hasattr(function, "func"):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _plain_function(function: Any) -> Any:
    """Return what holds the hints: not a partial, and of a class or an object that is called its method."""
    while hasattr(function, "func"):
        function = function.func
    function = inspect.unwrap(function)
    if isinstance(function, type):
        return inspect.getattr_static(function, "__init__")
    return function if inspect.isroutine(function) else type(function).__call__


def _has_schema(hint: Any) -> bool:
    try:
        TypeAdapter(hint).json_schema()
    except (PydanticUserError, TypeError, ValueError, NameError, RecursionError):
        return False
    return True
