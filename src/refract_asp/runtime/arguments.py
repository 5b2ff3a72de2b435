"""
Reads the arguments of a call, and checks them by the signature of the function and by the catalog.

A text becomes a date or a member of an Enum where the type hint of the parameter is one. Pydantic judges the
hints in its strict mode for JSON: "75" and `true` are no integers. A model of pydantic follows its own
settings. A hint of which pydantic can make no schema, or that cannot be resolved, judges nothing.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from refract_asp import errors
from refract_asp.errors import BadArgumentError, InputError, near, shown
from refract_asp.formats.chat import lacks_arguments
from refract_asp.formats.functions import unwrapped
from refract_asp.formats.values import UnreadableError, check_text, plain, read_json_text
from refract_asp.model import Call, Catalog, Constant, Sequence
from refract_asp.model.paths import is_position, only, with_leaves, without
from refract_asp.model.secrets import SecretRule
from refract_asp.model.sequence import Reference, constants_of, slots_of

if TYPE_CHECKING:
    from refract_asp.refractor import Refractor
    from refract_asp.rules.index import CatalogIndex


MAX_ERROR = 200
"""Most characters of a message to the model about one mistake."""
MAX_ERRORS = 2000
"""Most characters of a message to the model about all mistakes in a call."""
_KINDS = inspect.Parameter


class Arguments(NamedTuple):
    """What a call is made with: by name, and by position before those."""

    named: dict[str, Any]
    positional: tuple[Any, ...] = ()

    @classmethod
    def of(cls, values: dict[str, Any]) -> Arguments:
        """Return values by name, in which places stand as names, too."""
        places = sorted(filter(is_position, values), key=lambda name: int(name[1:]))
        return cls(without(values, places), tuple(values[place] for place in places))

    @classmethod
    def of_call(cls, call: Call) -> Arguments:
        """
        Return the values that a call gives by name, and those by position.

        Raises:
            MissingArgumentsError, MalformedArgumentsError: there are none at all, or they cannot be read.
            BadArgumentError: one of them is not known here: it reads another call or has to be asked for, or the
                call has to be confirmed first.
        """
        if call.malformed is not None:
            if lacks_arguments(call):
                raise missing(call.name)
            what = shown(call.malformed, errors.LONGEST_TEXT)
            raise errors.MalformedArgumentsError(what, tool=call.name)
        for name, source in call.arguments.items():
            if not isinstance(source, Constant):
                slot = next(slots_of(source), None)
                is_read = isinstance(slot, Reference)
                open_ = f"reads {slot}" if is_read else f"has to be asked for ({slot})"
                what = f"{shown(name, 60)} {shown(open_)}, whose value is not known here."
                raise BadArgumentError(what, tool=call.name, hint="Give the value itself.")
        if call.confirms:
            raise BadArgumentError("the call has to be confirmed first.", tool=call.name)
        return cls.of(constants_of(call.arguments))


def bad_arguments(mistakes: Iterable[str], tool: str) -> BadArgumentError:
    """
    Return the error that reports all mistakes of a call, as far as there is room.

    Example:
        >>> print(bad_arguments(["Get has no parameter cty.", "Get requires city."], "Get"))
        Get has no parameter cty. Get requires city.
    """
    told = dict.fromkeys(each[:-1] if each.endswith("?.") else each for each in mistakes)
    messages = [shown(each, MAX_ERROR - 3) for each in told]
    kept, room = 0, MAX_ERRORS - MAX_ERROR
    while kept < len(messages) and len(messages[kept]) < room:
        room -= len(messages[kept]) + 1
        kept += 1
    more = f" ({len(messages) - kept} more)" if kept < len(messages) else ""
    return BadArgumentError(" ".join(messages[:kept]) + more, tool=tool)


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
        held = unwrapped(function)
        if inspect.isclass(held):
            held = held.__init__
        elif not inspect.isroutine(held):
            held = type(held).__call__
        self._names = getattr(inspect.unwrap(held), "__globals__", {})
        self._hints: dict[str, Any] = dict.fromkeys(self._known, Any)
        for name, each in self._known.items():
            # a hint may name what is not there at run time, or be no type of data
            with suppress(Exception):
                if each.annotation is not _KINDS.empty:
                    holder = types.SimpleNamespace(__annotations__={name: each.annotation})
                    read = typing.get_type_hints(holder, self._names, include_extras=True)
                    TypeAdapter(read[name])
                    self._hints[name] = read[name]
        self._model = self._made()
        # the only parameter and its type, where it is made of all arguments
        self._whole: tuple[str, Any] | None = None
        if len(self._known) == 1 and not self._is_open:
            ((name, kind),) = self._hints.items()
            is_named = self._known[name].kind is not _KINDS.POSITIONAL_ONLY
            is_class = isinstance(kind, type) and (
                issubclass(kind, BaseModel) or is_dataclass(kind)
            )
            if is_named and (is_class or typing.is_typeddict(kind)):
                self._whole = name, kind

    def read(self, tool: str, named: dict[str, Any], positional: tuple[Any, ...] = ()) -> Arguments:
        """
        Return arguments as the function takes them.

        A function with one parameter that is a model or a dataclass gets it, made of all arguments.

        Raises:
            BadArgumentError: it does not take them; the message lists all mistakes, `__cause__` is what Python or
                pydantic raised.
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
            placed = only(placed, self._known)
            if twice := next((name for name in placed if name in named), None):
                raise TypeError(f"{shown(twice)} is given by name and by position")
            read = self._decoded({**named, **placed})
            bare = {n for n, each in self._known.items() if each.kind is _KINDS.POSITIONAL_ONLY}
            first = [*placed, *(name for name in self._known if name in bare & named.keys())]
            given = Arguments(
                without(read, first), (*(read[each] for each in first), *positional[len(placed) :])
            )
            self._signature.bind(*given.positional, **given.named)
        except ValidationError as error:
            raise bad_arguments(self._messages(tool, error), tool) from error
        except Exception as error:  # of a validator of the caller as well
            raise bad_arguments([f"{shown(error, MAX_ERROR - 4)}."], tool) from error
        return given

    def _made(self) -> type[BaseModel]:
        """Return the model of all parameters, each under a name that no other attribute of a model has."""
        fields: dict[str, Any] = {}
        for number, (name, annotation) in enumerate(self._hints.items()):
            hint, default = annotation, self._known[name].default
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

    def _of_all(self, kind: Any, named: dict[str, Any]) -> Any:
        """Return the only parameter, made of all arguments; a dataclass is judged as hints are."""
        own = isinstance(kind, type) and issubclass(kind, BaseModel)
        text = json.dumps(named if own else _with_integers(named))
        found = TypeAdapter(kind).validate_json(text, strict=None if own else True)
        known = named if own else typing.get_type_hints(kind)
        if foreign := [name for name in named if name not in known]:
            raise TypeError(f"there is no parameter {shown(foreign[0])}.{self._meant(foreign[0])}")
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

    def _messages(self, tool: str, error: ValidationError) -> Iterable[str]:
        """Yield a sentence for each mistake."""
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
        """Return a question that names the parameter that was probably meant; empty where there is none."""
        known = self._known if self._whole is None else typing.get_type_hints(self._whole[1])
        return f" {near(name, known)}".rstrip()


def _with_integers(value: Any) -> Any:
    """Return a copy of a JSON value with 75 for 75.0, which JSON Schema takes for an integer."""

    def whole(each: Any) -> Any:
        return int(each) if isinstance(each, float) and each.is_integer() else each

    return with_leaves(value, whole)


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
        what = place + error.what
        raise errors.MalformedArgumentsError(what, tool=tool, hint=error.hint) from None


def is_absent(raw: Any) -> bool:
    """Whether this is the text that providers write where a model gave no arguments."""
    return isinstance(raw, str) and raw.strip() in ("", "null")


def missing(tool: str) -> errors.MissingArgumentsError:
    """Return the error for a call without arguments."""
    hint = "An object without members is {}."
    return errors.MissingArgumentsError("the arguments are missing.", tool=tool, hint=hint)


class ArgumentCheck:
    """
    Checks whether arguments fit the declaration of a tool in a catalog: by JSON Schema first, which is fast.

    Only arguments that do not fit go through `Refractor.check`, whose diagnostics report what is wrong and
    what to change.

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
        """Return the error to raise where the arguments do not fit; it reports all their mistakes."""
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
        messages = []
        for each in found:
            meant = f"Did you mean {each.suggestions[0]}?" if each.suggestions else ""
            advice = each.fix or meant
            end = "." if advice and not advice.endswith("?") else ""
            messages.append(f"{each.message}. {advice}{end}".strip())
        return bad_arguments(messages, name) if messages else None
