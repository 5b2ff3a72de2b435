"""Reads the arguments of a call, and says whether they fit what a catalog says of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from refract_asp.errors import (
    LONGEST_TEXT,
    BadArgumentError,
    InputError,
    MalformedArgumentsError,
    MissingArgumentsError,
    shown,
)
from refract_asp.formats.chat import lacks_arguments
from refract_asp.formats.values import UnreadableError, check_text, plain, read_json_text
from refract_asp.model import Call, Catalog, Constant, Sequence
from refract_asp.model.secrets import SecretRule
from refract_asp.model.sequence import Reference, slots_of
from refract_asp.runtime.hints import Arguments, bad_arguments
from refract_asp.runtime.tools import Bound

if TYPE_CHECKING:
    from refract_asp.refractor import Refractor
    from refract_asp.rules.index import CatalogIndex

__all__ = ["ArgumentCheck", "arguments_of_call", "decoded", "fitted", "is_absent", "missing"]


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
        raise missing(tool)
    try:
        if isinstance(raw, str):
            raw = {} if is_absent(raw) else read_json_text(check_text(raw))[0]
        value = plain(dict(raw) if isinstance(raw, Mapping) and type(raw) is not dict else raw)
        if isinstance(value, dict):
            return value
        raise UnreadableError("an object of names and values is needed.")
    except UnreadableError as error:
        place = f"{'.'.join(shown(step, 40) for step in error.place)}: " if error.place else ""
        raise MalformedArgumentsError(place + error.what, tool=tool, hint=error.hint) from None


def is_absent(raw: Any) -> bool:
    """Whether this is the text that providers write where a model gave no arguments."""
    return isinstance(raw, str) and raw.strip() in ("", "null")


def missing(tool: str) -> MissingArgumentsError:
    """Return the error for a call without arguments."""
    hint = "An object without members is {}."
    return MissingArgumentsError("the arguments are missing.", tool=tool, hint=hint)


def arguments_of_call(call: Call) -> Arguments:
    """
    Return the values that a call gives by name, and those by position.

    Raises:
        MissingArgumentsError, MalformedArgumentsError: there are none at all, or they cannot be read.
        BadArgumentError: one of them is not known here: it reads another call or has to be asked, or the call
            has to be confirmed first.
    """
    if call.malformed is not None:
        if lacks_arguments(call):
            raise missing(call.name)
        raise MalformedArgumentsError(shown(call.malformed, LONGEST_TEXT), tool=call.name)
    for name, source in call.arguments.items():
        if not isinstance(source, Constant):
            slot = next(slots_of(source), None)
            open_ = f"reads {slot}" if isinstance(slot, Reference) else f"has to be asked ({slot})"
            what = f"{shown(name, 60)} {shown(open_)}, whose value is not known here."
            raise BadArgumentError(what, tool=call.name, hint="Give the value itself.")
    if call.confirms:
        raise BadArgumentError("the call has to be confirmed first.", tool=call.name)
    given = call.arguments.items()
    return Arguments.of({name: each.value for name, each in given if isinstance(each, Constant)})


def fitted(bound: Bound, arguments: dict[str, Any], positional: tuple[Any, ...] = ()) -> Arguments:
    """
    Return arguments that the function of a tool takes, see `Taken`.

    Raises:
        BadArgumentError: it does not take them; `__cause__` is what Python or pydantic said.
    """
    if bound.takes_object:
        return Arguments(arguments, positional)
    return bound.taken.read(bound.name, arguments, positional)


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
        >>> print(check.error("Get", {"amount": "3"}))
        amount should be number, not "3".
    """

    def __init__(self, catalog: Any, *, secrets: SecretRule | None = None) -> None:
        """Index the catalog."""
        self.catalog = catalog if isinstance(catalog, Catalog) else Catalog.load(catalog)
        self._secrets = secrets

    @cached_property
    def _index(self) -> CatalogIndex:
        from refract_asp.rules.index import CatalogIndex

        return CatalogIndex(self.catalog, secret_rule=self._secrets)

    @cached_property
    def _refractor(self) -> Refractor:
        from refract_asp.refractor import Refractor

        return Refractor(self.catalog, secrets=self._secrets)

    def error(self, name: str, arguments: Mapping[str, Any]) -> BadArgumentError | None:
        """Return the error to raise where the arguments do not fit; it tells all that is wrong with them."""
        from refract_asp.rules.schemas.validation import BrokenSchemaError

        tool = self.catalog.by_name.get(name)
        if tool is None:
            return None
        known, given = tool.parameters, arguments.keys()
        required = {each.name for each in known.values() if each.required}
        if required <= given and (tool.additional_parameters or given <= known.keys()):
            judged = [(self._index.validator(name, each), arguments[each]) for each in arguments]
            judged.append((self._index.rules_of(name), dict(arguments)))
            with suppress(BrokenSchemaError):
                if all(rules is None or rules.is_valid(value) for rules, value in judged):
                    return None
        sources = {key: Constant(value=value) for key, value in arguments.items()}
        call = Call(name=name, arguments=sources)
        try:
            found = self._refractor.check(Sequence(calls=(call,))).diagnostics()
        except InputError as error:  # there are too many of them to be looked at
            return BadArgumentError(str(error), tool=name)
        told = []
        for each in found:
            advice = each.fix or (
                f"Did you mean {each.suggestions[0]}?" if each.suggestions else ""
            )
            end = "." if advice and not advice.endswith("?") else ""
            told.append(f"{each.message}. {advice}{end}".strip())
        return bad_arguments(told, name) if told else None
