"""Arguments of calls before the call: whether there are any, what they are, whether they fit the tool."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ValidationError

from refract_asp.errors import (
    LONGEST_TEXT,
    BadArgumentError,
    InputError,
    MalformedArgumentsError,
    MissingArgumentsError,
    shown,
)
from refract_asp.formats.chat import lacks_arguments
from refract_asp.formats.mending import read_json_text
from refract_asp.formats.values import UnreadableError, check_text, plain
from refract_asp.model import Call, Catalog, Constant, Sequence
from refract_asp.model.paths import is_position
from refract_asp.model.sources import Reference, slots_of
from refract_asp.refractor import Refractor
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.schemas.validation import BrokenSchemaError

if TYPE_CHECKING:
    from refract_asp.model.diagnostic import Diagnostic
    from refract_asp.model.secrets import SecretRule
    from refract_asp.runtime.tools import Bound

__all__ = ["ArgumentCheck", "Taken", "arguments_of_call", "decoded", "fitted", "taken_by"]


def decoded(raw: Any, tool: str) -> dict[str, Any]:
    """
    Return the arguments that were given as data or as JSON text, in which slips are mended.

    An empty text and the text `null` are no arguments, `{}`, as providers write them; None is none at all.

    Raises:
        MissingArgumentsError: there are none at all.
        MalformedArgumentsError: they cannot be read.

    Example:
        >>> decoded("{'temperature': 70,}", "set_current_temperature")
        {'temperature': 70}
    """
    if raw is None:
        raise _missing(tool)
    try:
        if isinstance(raw, str):
            raw = read_json_text(check_text(raw))[0] if raw.strip() else {}
            raw = {} if raw is None else raw
        value = plain(dict(raw) if isinstance(raw, Mapping) and type(raw) is not dict else raw)
        if isinstance(value, dict):
            return value
        raise UnreadableError("an object of names and values is needed.")
    except UnreadableError as error:
        place = f"{'.'.join(shown(step, 40) for step in error.place)}: " if error.place else ""
        raise MalformedArgumentsError(place + error.what, tool=tool, hint=error.hint) from None


def _missing(tool: str) -> MissingArgumentsError:
    return MissingArgumentsError(
        "the arguments are missing.", tool=tool, hint="An object without members is {}."
    )


def arguments_of_call(call: Call) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """
    Return the values that a call gives by name, and those by position.

    Raises:
        MissingArgumentsError, MalformedArgumentsError: there are none at all, or they cannot be read.
        BadArgumentError: one of them is not known here: it reads another call or has to be asked, or the call
            has to be confirmed first.
    """
    if call.malformed is not None:
        if lacks_arguments(call):
            raise _missing(call.name)
        raise MalformedArgumentsError(shown(call.malformed, LONGEST_TEXT), tool=call.name)
    for name, source in call.arguments.items():
        if not isinstance(source, Constant):
            slot = next(slots_of(source), None)
            open_ = f"reads {slot}" if isinstance(slot, Reference) else f"has to be asked ({slot})"
            raise BadArgumentError(
                f"{shown(name, 60)} {shown(open_)}, whose value is not known here.",
                tool=call.name,
                hint="Give the value itself.",
            )
    if call.confirms:
        raise BadArgumentError("the call has to be confirmed first.", tool=call.name)
    values = {
        name: source.value
        for name, source in call.arguments.items()
        if isinstance(source, Constant)
    }
    places = sorted((name for name in values if is_position(name)), key=lambda name: int(name[1:]))
    if not places or places != [f"*{number}" for number in range(1, len(places) + 1)]:
        return values, ()
    return {n: v for n, v in values.items() if n not in places}, tuple(
        values[name] for name in places
    )


class Taken(NamedTuple):
    """
    What the function of a tool takes, found out once for many calls.

    Attributes:
        signature: its signature, or None where it has none.
        model: its only parameter and the pydantic model that this is, or None.
    """

    signature: inspect.Signature | None
    model: tuple[str, type[BaseModel]] | None


def taken_by(bound: Bound) -> Taken:
    """Find out what the function of a tool takes."""
    try:
        signature = inspect.signature(bound.function)
    except (TypeError, ValueError):  # some functions in C have none
        return Taken(None, None)
    return Taken(signature, _model(bound.function, signature))


def fitted(
    bound: Bound, arguments: dict[str, Any], positional: tuple[Any, ...], taken: Taken | None = None
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """
    Return arguments that the function of a tool takes.

    A function with one parameter that is a pydantic model gets that model, made of all arguments. `taken` is
    what it takes, where that was found out before.

    Raises:
        BadArgumentError: it does not take them; `__cause__` is what Python or pydantic said.
    """
    if bound.takes_object:
        return arguments, positional
    signature, model = taken_by(bound) if taken is None else taken
    if signature is None:
        return arguments, positional
    try:
        if model is not None and not positional:
            name, kind = model
            return {name: kind.model_validate(arguments)}, ()
        signature.bind(*positional, **arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        what = f"{place}: {first['msg']}" if place else first["msg"]
        raise BadArgumentError(f"{shown(what, LONGEST_TEXT)}.", tool=bound.name) from error
    except TypeError as error:
        raise BadArgumentError(f"{shown(error, LONGEST_TEXT)}.", tool=bound.name) from error
    return arguments, positional


def _model(function: Any, signature: inspect.Signature) -> tuple[str, type[BaseModel]] | None:
    """Return the only parameter of a function, and the pydantic model that it is."""
    if len(signature.parameters) != 1:
        return None
    [parameter] = signature.parameters.values()
    if parameter.kind in (
        parameter.VAR_KEYWORD,
        parameter.VAR_POSITIONAL,
        parameter.POSITIONAL_ONLY,
    ):
        return None
    kind = parameter.annotation
    if isinstance(kind, str):
        try:
            kind = typing.get_type_hints(function).get(parameter.name)
        except Exception:  # a hint may name what is not there at run time
            return None
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return parameter.name, kind
    return None


class ArgumentCheck:
    """
    Says whether arguments fit what a catalog says of a tool: by JSON Schema first, which is fast.

    Only what does not fit goes through `Refractor.check`, whose diagnostics say what is wrong and what to
    change.

    Args:
        catalog: the tools, as anything that `Catalog.load` takes.
        secrets: says which values no message shows, see `Refractor`.

    Example:
        >>> tool = {"name": "Get", "parameters": {"amount": {"type": "number", "required": True}}}
        >>> check = ArgumentCheck({"tools": [tool]})
        >>> check.fits("Get", {"amount": 3})
        True
        >>> print(check.error("Get", {"amnt": 3}))
        Get has no parameter amnt. Change amnt to amount. (1 more)
    """

    def __init__(self, catalog: Any, *, secrets: SecretRule | None = None) -> None:
        """Index the catalog."""
        self.catalog = catalog if isinstance(catalog, Catalog) else Catalog.load(catalog)
        self._secrets = secrets
        self._index = CatalogIndex(self.catalog, secrets=secrets)

    @cached_property
    def _refractor(self) -> Refractor:
        return Refractor(self.catalog, secrets=self._secrets)

    def __contains__(self, name: object) -> bool:
        """Whether the catalog has a tool of that name."""
        return name in self.catalog.by_name

    def fits(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether JSON values fit a tool; those of a tool that the catalog does not have do."""
        tool = self.catalog.by_name.get(name)
        if tool is None:
            return True
        if not tool.additional_parameters and any(
            each not in tool.parameters for each in arguments
        ):
            return False
        if any(each.required and each.name not in arguments for each in tool.parameters.values()):
            return False
        try:
            for parameter, value in arguments.items():
                validator = self._index.validator(name, parameter)
                if validator is not None and not validator.is_valid(value):
                    return False
            together = self._index.rules_of(name)
            return together is None or together.is_valid(dict(arguments))
        except BrokenSchemaError:
            return False

    def diagnostics(self, name: str, arguments: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
        """
        Return what is wrong with the arguments of a call.

        Raises:
            InputError: there are too many of them to be looked at.
        """
        call = Call(
            name=name, arguments={key: Constant(value=value) for key, value in arguments.items()}
        )
        return self._refractor.check(Sequence(calls=(call,))).diagnostics()

    def error(self, name: str, arguments: Mapping[str, Any]) -> BadArgumentError | None:
        """Return the error to raise where the arguments do not fit: the first thing that is wrong."""
        if self.fits(name, arguments):
            return None
        return self.explained(name, arguments)

    def explained(self, name: str, arguments: Mapping[str, Any]) -> BadArgumentError | None:
        """Return the error for arguments that do not seem to fit, None where they do after all."""
        try:
            found = self.diagnostics(name, arguments)
        except InputError as error:
            return BadArgumentError(str(error), tool=name)
        if not found:
            return None
        first = found[0]
        advice = first.fix or (f"Did you mean {first.suggestions[0]}?" if first.suggestions else "")
        hint = advice if advice.endswith("?") or not advice else f"{advice}."
        more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
        return BadArgumentError(f"{first.message}.", tool=name, hint=f"{hint}{more}".strip())
