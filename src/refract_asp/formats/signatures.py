"""The schemas that functions and classes of Python give by type hints, and what their docstrings say."""

from __future__ import annotations

import collections.abc
import contextlib
import functools
import inspect
import typing
import warnings
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python

from refract_asp.errors import shown
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.model.schemas import JsonSchema

__all__ = ["Signature", "described", "model_schema", "read_signature"]

_KINDS = inspect.Parameter
_NO_TYPE = "Give it a type that JSON has, or fill it in beforehand with functools.partial."
_AWAITED = (collections.abc.Awaitable, collections.abc.Coroutine)


@dataclass(frozen=True)
class Signature:
    """What a function says of itself."""

    description: str
    input_schema: JsonSchema
    output_schema: JsonSchema | None


def read_signature(function: Any, name: str, place: FieldPlace, origin: Origin) -> Signature:
    """
    Return what a function says of itself; it is not called.

    Raises:
        FormatError: it has no signature, a hint that cannot be resolved or a type that JSON does not have.

    Example:
        >>> def search(query: str, limit: int = 10) -> str: "Find books."
        >>> read_signature(search, "search", (), Origin()).input_schema["required"]
        ['query']
    """
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        what = f"Python cannot tell the parameters of {shown(name, 80)}."
        raise origin.error(what, place, "Wrap it in a function of your own.") from None
    hints = _hints(function, name, place, origin)
    description, texts = described(function)
    return _Reader(name, place, origin).read(parameters, hints, description, texts)


class _Reader:
    """The schema of a function's arguments, while it is built."""

    def __init__(self, name: str, place: FieldPlace, origin: Origin) -> None:
        self.name = name
        self.place = place
        self.origin = origin
        self.properties: dict[str, JsonSchema] = {}
        self.required: list[str] = []
        self.adapters: dict[str, TypeAdapter[Any]] = {}
        self.additional: Any = None

    def read(
        self,
        parameters: typing.Mapping[str, inspect.Parameter],
        hints: dict[str, Any],
        description: str,
        texts: dict[str, str],
    ) -> Signature:
        for name, parameter in parameters.items():
            if parameter.kind is not _KINDS.VAR_POSITIONAL:
                self._add(parameter, hints.get(name, Any))
        schemas, shared = self._schemas()
        schema: JsonSchema = {"type": "object", "properties": {}}
        for name, own in self.properties.items():
            text = {"description": texts[name]} if name in texts else {}
            schema["properties"][name] = {**text, **schemas[name], **own}
        if self.required:
            schema["required"] = self.required
        if self.additional is not None:
            schema["additionalProperties"] = schemas.get(self.additional) or True
        if shared:
            schema["$defs"] = shared
        return Signature(description, schema, _output(hints.get("return", _KINDS.empty), texts.get("return")))

    def _add(self, parameter: inspect.Parameter, hint: Any) -> None:
        name = parameter.name
        default = parameter.default
        if isinstance(default, FieldInfo):
            hint = Annotated[hint, default]
        self.adapters[name] = self._adapter(name, hint)
        if parameter.kind is _KINDS.VAR_KEYWORD:
            self.additional = name
            return
        own: JsonSchema = {}
        if default is _KINDS.empty:
            fields = [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, FieldInfo)]
            if all(part.is_required() for part in fields):
                self.required.append(name)
        elif isinstance(default, FieldInfo):
            if default.is_required():
                self.required.append(name)
        else:
            with contextlib.suppress(PydanticSerializationError, ValueError, RecursionError):
                own["default"] = to_jsonable_python(default)  # what JSON cannot hold stays out
        self.properties[name] = own

    def _adapter(self, name: str, hint: Any) -> TypeAdapter[Any]:
        try:
            return TypeAdapter(hint)
        except (PydanticUserError, TypeError, NameError, RecursionError) as error:
            raise self._no_schema(name, error) from None

    def _schemas(self) -> tuple[dict[str, JsonSchema], JsonSchema]:
        """Return the schema of each parameter, and the definitions that they share."""
        mode: typing.Literal["validation"] = "validation"
        for name, adapter in self.adapters.items():
            try:
                _quietly(adapter.json_schema)
            except (PydanticUserError, TypeError, ValueError, RecursionError) as error:
                raise self._no_schema(name, error) from None
        made, shared = _quietly(
            TypeAdapter.json_schemas, [(name, mode, adapter) for name, adapter in self.adapters.items()]
        )
        return {name: dict(schema) for (name, _), schema in made.items()}, dict(shared.get("$defs", {}))

    def _no_schema(self, name: str, error: Exception) -> Exception:
        reason = shown(str(error).partition("\n")[0].partition(". ")[0], 160).rstrip(".")
        what = (
            f"no schema can be made of the type of {shown(name, 80)!r} of {shown(self.name, 80)}: {reason}."
        )
        return self.origin.error(what, (*self.place, name), _NO_TYPE)


def _quietly(make: Any, *arguments: Any) -> Any:
    """Call a maker of schemas without its warnings of defaults that JSON does not have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments)


def _hints(function: Any, name: str, place: FieldPlace, origin: Origin) -> dict[str, Any]:
    while isinstance(function, functools.partial):
        function = function.func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        function = type(function).__call__
    try:
        return typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    except Exception as error:  # whatever the evaluation of a hint raises
        reason = shown(error, 120).rstrip(".")
        raise origin.error(
            f"a type hint of {shown(name, 80)} cannot be resolved: {reason}.",
            place,
            "Import the type where the function is defined, also at run time.",
        ) from None


def _output(hint: Any, text: str | None) -> JsonSchema | None:
    """Return the schema of what a function returns, or None when nothing can be said of it."""
    if hint is _KINDS.empty:
        return None
    if typing.get_origin(hint) in _AWAITED:
        hint = typing.get_args(hint)[-1]
    try:
        schema = dict(_quietly(functools.partial(TypeAdapter(hint).json_schema, mode="serialization")))
    except (PydanticUserError, TypeError, ValueError, NameError, RecursionError):
        return None
    return {"description": text, **schema} if text else schema


def model_schema(model: type, place: FieldPlace, origin: Origin) -> JsonSchema:
    """
    Return the JSON Schema of a pydantic model (also of its first version), a dataclass or a TypedDict.

    Raises:
        FormatError: it has a field of a type that JSON does not have, or that cannot be resolved.
    """
    make = getattr(model, "model_json_schema", None) or getattr(model, "schema", None)
    try:
        schema = _quietly(make if make is not None else TypeAdapter(model).json_schema)
    except Exception as error:  # whatever the model's own code raises
        reason = shown(str(error).partition("\n")[0], 160).rstrip(".")
        what = f"no schema can be made of {shown(model.__name__, 80)}: {reason}."
        raise origin.error(what, place, "Give its fields types that JSON has.") from None
    if not isinstance(schema, dict):
        raise origin.error(f"{shown(model.__name__, 80)} gives no JSON Schema.", place)
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


def described(thing: Any) -> tuple[str, dict[str, str]]:
    """
    Return what the docstring of a function or class says of it, and of its parameters by name.

    What it returns stands under `return`.

    Example:
        >>> def search(query: str) -> None:
        ...     "Find books.\\n\\nArgs:\\n    query: What to look for."
        >>> described(search)
        ('Find books.', {'query': 'What to look for.'})
    """
    while isinstance(thing, functools.partial):
        thing = thing.func
    if not (inspect.isroutine(thing) or inspect.isclass(thing)):
        thing = type(thing)
    text = thing.__doc__
    if not isinstance(text, str) or not text.strip():
        return "", {}
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(text)
    except (ParseError, ValueError, IndexError):  # what it cannot take apart is a description as a whole
        return inspect.cleandoc(text), {}
    about = "\n\n".join(part.strip() for part in (parsed.short_description, parsed.long_description) if part)
    texts = {entry.arg_name: entry.description for entry in parsed.params if entry.description}
    if parsed.returns is not None and parsed.returns.description:
        texts["return"] = parsed.returns.description
    return about, texts
