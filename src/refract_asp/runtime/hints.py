"""
Reads arguments as the signature and the type hints of a function say: a text becomes a date or a member of an Enum.

The hints are judged by pydantic in its strict mode for JSON: "75" and `true` are no integers. A model of pydantic
follows its own settings. A hint of which pydantic can make no schema, or that cannot be resolved, judges nothing.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import is_dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from refract_asp.errors import BadArgumentError, shown
from refract_asp.model.paths import is_position

__all__ = ["MAX_ERROR", "MAX_ERRORS", "Arguments", "Taken", "bad_arguments"]

MAX_ERROR = 200
"""Characters that the model is told of one mistake at most."""
MAX_ERRORS = 2000
"""Characters that the model is told of all that is wrong with a call at most."""
_KINDS = inspect.Parameter


class Arguments(NamedTuple):
    """What a call is made with: by name, and by position before those."""

    named: dict[str, Any]
    positional: tuple[Any, ...] = ()

    @classmethod
    def of(cls, values: dict[str, Any]) -> Arguments:
        """Return values by name, in which places stand as names, too."""
        places = sorted(filter(is_position, values), key=lambda name: int(name[1:]))
        named = {name: value for name, value in values.items() if name not in places}
        return cls(named, tuple(values[place] for place in places))


def bad_arguments(mistakes: Iterable[str], tool: str) -> BadArgumentError:
    """
    Return the error that tells all mistakes of a call, as far as they find room.

    Example:
        >>> print(bad_arguments(["Get has no parameter cty.", "Get requires city."], "Get"))
        Get has no parameter cty. Get requires city.
    """
    told = [shown(each, MAX_ERROR - 3) for each in dict.fromkeys(mistakes)]
    kept, room = 0, MAX_ERRORS - MAX_ERROR
    while kept < len(told) and len(told[kept]) < room:
        room -= len(told[kept]) + 1
        kept += 1
    more = f" ({len(told) - kept} more)" if kept < len(told) else ""
    return BadArgumentError(" ".join(told[:kept]) + more, tool=tool)


class Taken:
    """
    What a function takes, by its signature and its hints.

    Args:
        function: a function, an object that can be called, or a class.

    Example:
        >>> def set_temperature(temperature: int) -> None: ...
        >>> Taken(set_temperature).read("set_temperature", {"temperature": 75.0}).named
        {'temperature': 75}
    """

    def __init__(self, function: Any) -> None:
        """Read the signature; the hints are looked at when the first arguments come."""
        self._signature: inspect.Signature | None = None
        with suppress(TypeError, ValueError):  # some functions in C have none
            self._signature = inspect.signature(function)
        known = dict(self._signature.parameters) if self._signature is not None else {}
        self._is_open = any(each.kind is _KINDS.VAR_KEYWORD for each in known.values())
        several = (_KINDS.VAR_KEYWORD, _KINDS.VAR_POSITIONAL)
        self._known = {name: each for name, each in known.items() if each.kind not in several}
        held = function
        while isinstance(held, partial):
            held = held.func
        if inspect.isclass(held):
            held = held.__init__
        elif not inspect.isroutine(held):
            held = type(held).__call__
        self._names = getattr(inspect.unwrap(held), "__globals__", {})
        self._hints = {name: self._hint(name, each) for name, each in self._known.items()}
        self._model, self._whole = self._made(), self._read_whole()

    def read(self, tool: str, named: dict[str, Any], positional: tuple[Any, ...] = ()) -> Arguments:
        """
        Return arguments as the function takes them.

        A function with one parameter that is a model or a dataclass gets it, made of all arguments.

        Raises:
            BadArgumentError: it does not take them; the message lists all mistakes, `__cause__` is what Python or
                pydantic said.
        """
        if self._signature is None:
            return Arguments(named, positional)
        try:
            if self._whole is not None and not positional:
                name, kind = self._whole
                # not where all arguments stand under the name of the only parameter
                if named.keys() != {name} or name in typing.get_type_hints(kind):
                    return Arguments({name: self._of_all(kind, named)})
            placed = self._signature.bind_partial(*positional).arguments
            placed = {name: value for name, value in placed.items() if name in self._known}
            if twice := next((name for name in placed if name in named), None):
                raise TypeError(f"{shown(twice)} is given by name and by position")
            read = self._decoded({**named, **placed})
            bare = {n for n, each in self._known.items() if each.kind is _KINDS.POSITIONAL_ONLY}
            first = [*placed, *(name for name in self._known if name in bare & named.keys())]
            found = {name: read[name] for name in read if name not in first}
            given = Arguments(found, (*(read[each] for each in first), *positional[len(placed) :]))
            self._signature.bind(*given.positional, **given.named)
        except ValidationError as error:
            raise bad_arguments(self._told(tool, error), tool) from error
        except Exception as error:  # of a validator of the caller as well
            raise bad_arguments([f"{shown(error, MAX_ERROR - 4)}."], tool) from error
        return given

    def _hint(self, name: str, parameter: inspect.Parameter) -> Any:
        """Return the type that a parameter is to have, Any where nothing is known of it."""
        if parameter.annotation is _KINDS.empty:
            return Any
        try:
            told = types.SimpleNamespace(__annotations__={name: parameter.annotation})
            hint = typing.get_type_hints(told, self._names, include_extras=True)[name]
            TypeAdapter(hint)
        except Exception:  # it names what is not there at run time, or is no type of data
            return Any
        return hint

    def _made(self) -> type[BaseModel]:
        """Return the model of all parameters, each under a name that no other attribute of a model has."""
        fields: dict[str, Any] = {}
        for number, (name, told) in enumerate(self._hints.items()):
            hint, default = told, self._known[name].default
            settings: dict[str, Any] = {"alias": name}
            if isinstance(default, FieldInfo):
                hint = Annotated[hint, default]
                if not default.is_required():
                    settings["default"] = default.get_default(call_default_factory=True)
            elif default is not _KINDS.empty:
                settings["default"] = None
                hint = hint | None if default is None and hint is not Any else hint
            fields[f"p{number}"] = hint, Field(**settings)
        extra: Any = "allow" if self._is_open else "forbid"
        config = ConfigDict(strict=True, extra=extra, arbitrary_types_allowed=True)
        return create_model("Arguments", __config__=config, **fields)

    def _read_whole(self) -> tuple[str, Any] | None:
        """Return the only parameter and its type, where it is made of all arguments."""
        if len(self._known) != 1 or self._is_open:
            return None
        ((name, kind),) = self._hints.items()
        is_named = self._known[name].kind is not _KINDS.POSITIONAL_ONLY
        is_model = isinstance(kind, type) and (issubclass(kind, BaseModel) or is_dataclass(kind))
        if not is_named or not (is_model or typing.is_typeddict(kind)):
            return None
        return name, kind

    def _of_all(self, kind: Any, named: dict[str, Any]) -> Any:
        """Return the only parameter, made of all arguments; a dataclass is judged as hints are."""
        own = isinstance(kind, type) and issubclass(kind, BaseModel)
        text = json.dumps(named if own else _with_integers(named))
        found = TypeAdapter(kind).validate_json(text, strict=None if own else True)
        known = named if own else typing.get_type_hints(kind)
        if foreign := [name for name in named if name not in known]:
            raise TypeError(f"there is no parameter {shown(foreign[0])}{self._meant(foreign[0])}")
        return found

    def _decoded(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return values by name as the hints say; what has no hint stays as it is."""
        try:
            model = self._model.model_validate_json(json.dumps(values))
        except ValidationError:
            whole = _with_integers(values)
            if json.dumps(whole) == json.dumps(values):
                raise
            model = self._model.model_validate_json(json.dumps(whole))
        found = dict(values)
        for number, (name, hint) in enumerate(self._hints.items()):
            is_filled = isinstance(self._known[name].default, FieldInfo)
            value = getattr(model, f"p{number}")
            is_same = type(values.get(name)) is int and type(value) is float  # a float takes both
            if (hint is not Any and not is_same) if name in values else is_filled:
                found[name] = value
        return found

    def _told(self, tool: str, error: ValidationError) -> Iterable[str]:
        """Say each mistake as a sentence."""
        for each in error.errors(include_url=False, include_input=False):
            place, kind = ".".join(shown(step, 40) for step in each["loc"]), each["type"]
            if kind == "missing":
                yield f"{shown(tool, 60)} requires {place}."
            elif kind in ("extra_forbidden", "unexpected_keyword_argument"):
                yield f"{shown(tool, 60)} has no parameter {place}.{self._meant(place)}"
            else:
                message = each["msg"].rstrip(".")
                yield f"{place}: {message}." if place else f"{message}."

    def _meant(self, name: str) -> str:
        """Say which parameter may have been meant."""
        from refract_asp.report.suggestions import find_similar_items

        known = self._known if self._whole is None else typing.get_type_hints(self._whole[1])
        near = find_similar_items(name, known, max_results=1, method="fuzzy")
        return f" Did you mean {shown(near[0], 40)}?" if near else ""


def _with_integers(value: Any) -> Any:
    """Return a copy of a JSON value with 75 for 75.0, which JSON Schema takes for an integer."""
    if isinstance(value, dict):
        return {name: _with_integers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(_with_integers, value))
    return int(value) if isinstance(value, float) and value.is_integer() else value
