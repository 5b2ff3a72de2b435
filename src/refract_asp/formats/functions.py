"""
Python functions, pydantic models and tool objects as catalogs.

    def search(query: str, limit: Annotated[int, Field(ge=1)] = 10) -> list[Hit]:
        \"\"\"
        Find books.

        Args:
            query: what to look for.
        \"\"\"

    Catalog.load([search, BookRoom, a_langchain_tool])

A function is named as it is in Python; type hints give the schemas of its parameters and of what it
returns, its docstring (Google's, NumPy's or Sphinx's style) the descriptions. Parameters without a default
are required; what has no hint takes any value; `*args` are passed over, `**kwargs` means that more
parameters are taken. A return type that no schema can be made of, and a function without one, say nothing
of the output.

A pydantic model, dataclass or `TypedDict` is a tool whose parameters are its fields. A tool object of an
agent framework is one with a name and a schema of its arguments at one of the places in `places.json`; what has
a list of tools under `tools`, as the answer to `tools/list`, counts as these. In a list, tools in the form of
data may stand between them. An object that can only be called is read by its signature, unless that
says nothing: an object with `*args` or `**kwargs` is a wrapper of something else.

Nothing is said of effects, but by the annotations of the Model Context Protocol. Functions are looked at,
never called; of their hints those that are text are evaluated, as `typing.get_type_hints` does. The format is
only read, and from Python only.
"""

from __future__ import annotations

import collections.abc
import contextlib
import functools
import inspect
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import is_typeddict

from refract_asp.errors import FormatError, InputError, NotDataError, shown
from refract_asp.formats.catalogs import by_name, catalog_of, effect_of_annotations, tool_of
from refract_asp.formats.source import Format, as_data, held_in
from refract_asp.formats.values import Origin, located, plain
from refract_asp.model import Catalog, Tool
from refract_asp.model.paths import object_of, without
from refract_asp.model.schemas import JsonSchema
from refract_asp.resources import packaged

_DATA: Any = str | int | float | dict | list | tuple
_CODE: Any = functools.partial | type
_KINDS = inspect.Parameter
_Parameters: typing.TypeAlias = Mapping[str, inspect.Parameter]
_AWAITED = (collections.abc.Awaitable, collections.abc.Coroutine)
# What pydantic raises where no schema can be made of a type.
_UNFIT = (PydanticUserError, TypeError, ValueError, NameError, RecursionError)
_SHAPE = "Give functions, pydantic models, tool objects with a name and a schema, or tools as data."

_SCHEMAS = [tuple(path.split(".")) for path in packaged("formats/places.json")["tool_objects"]]
_OF_OBJECTS = frozenset({"type", "properties", "$ref", "allOf", "anyOf", "oneOf"})
_OUTPUTS = {"inputSchema": "outputSchema", "input_schema": "output_schema"}


# -- what can be read ----------------------------------------------------------------


def _has(value: Any, key: str) -> bool:
    """Whether an object has an attribute, which is not read."""
    return inspect.getattr_static(value, key, _SCHEMAS) is not _SCHEMAS


def _said(value: Any, key: str) -> Any:
    """Return an attribute of an object, None where there is none; it may be a property."""
    with contextlib.suppress(Exception):  # whatever the object's own code raises
        return getattr(value, key) if _has(value, key) else None
    return None


def _is_tool_object(value: Any) -> bool:
    if isinstance(value, type):
        return False
    holders = [value, _said(value, "metadata")]
    named = any(inspect.getattr_static(each, "name", None) is not None for each in holders)
    return named and any(_has(value, keys[0]) for keys in _SCHEMAS)


def _tools_in(value: Any) -> list[Any] | None:
    """Return the tools of an object that holds a list of them, None where there is no such list."""
    if isinstance(value, dict):
        code = [inspect.isroutine(f) or isinstance(f, _CODE) for f in value.values()]
        if not value or not all(code) or not all(isinstance(name, str) for name in value):
            return None
        # each has the name that the dict gives it
        own = ((name, each, getattr(each, "__name__", None)) for name, each in value.items())
        return [each if known == name else Renamed(name, each) for name, each, known in own]
    if isinstance(value, ModuleType):
        return _tools_of(value)
    if isinstance(value, type) or inspect.isroutine(value) or _is_tool_object(value):
        return None
    tools = held_in(value, "tools")
    if isinstance(tools, Mapping):
        return list(tools.values())
    return list(tools) if isinstance(tools, list | tuple) else None


def _tools_of(module: ModuleType) -> list[Any]:
    """Return the functions and models of a module, and tool objects in it; `__all__` decides where there is one."""
    held = vars(module)
    listed = held.get("__all__", [name for name in held if name[:1] != "_"])
    found = [held[name] for name in listed if name in held]
    own = [x for x in found if getattr(x, "__module__", None) == module.__name__]
    models = [x for x in own if isinstance(x, type) and hasattr(x, "model_json_schema")]
    own = [*models, *filter(inspect.isfunction, own)]
    return [x for x in found if _is_tool_object(x) or any(x is each for each in own)]


@dataclass(frozen=True)
class Renamed:
    """What is callable, under another name."""

    name: str
    code: Any


def _detects(data: Any) -> bool:
    """Whether something in it is no data, so that only this format can say what it is."""
    known = _DATA | Path | Tool | Catalog | None

    def is_code(entry: Any) -> bool:
        if isinstance(entry, known):
            return isinstance(entry, dict) and _tools_in(entry) is not None
        is_tool = callable(entry) or _is_tool_object(entry) or _tools_in(entry) is not None
        return is_tool or as_data(entry) is entry

    return any(map(is_code, data if isinstance(data, list | tuple) else [data]))


def _entries(data: Any, at: Origin) -> Iterator[tuple[Origin, Any]]:
    is_list = isinstance(data, list | tuple) and not at.base
    tools = data if is_list else _tools_in(data)
    if tools is None:
        yield at, data
        return
    for index, tool in enumerate(tools):
        yield from _entries(tool, at.inside(index) if is_list else at.inside("tools", index))


def _tool(entry: Any, at: Origin) -> Tool:
    if isinstance(entry, Tool):
        return entry
    if isinstance(entry, Renamed):
        return _tool(entry.code, at).model_copy(update={"name": entry.name})
    if _is_tool_object(entry) and not isinstance(entry, dict):
        return _tool_of_object(entry, at)
    if isinstance(entry, type):
        is_model = hasattr(entry, "model_json_schema") or is_dataclass(entry) or is_typeddict(entry)
        at.need(is_model, f"the class {shown(entry.__name__, 80)!r} is no tool.", hint=_SHAPE)
        about, texts = _described(entry)
        if about.startswith(f"{entry.__name__}("):
            about = ""  # what Python makes up where there is no docstring
        return _built(entry.__name__, _model_schema(entry, at), None, (about, texts), at)
    if callable(entry):
        return _tool_of_function(entry, at)
    data = as_data(entry)
    if isinstance(data, dict):  # a tool in whatever format of data
        try:
            tools = Catalog.load([data]).tools
        except InputError as error:
            where = at.at() + error.where.removeprefix("[0]")
            raise type(error)(error.what, where=where, hint=error.hint) from None
        at.need(len(tools) == 1, "one tool is needed in each place.", hint=_SHAPE)
        return tools[0]
    what = f"a value of type {shown(type(entry).__name__, 60)} is no tool."
    kind = FormatError if entry is None or isinstance(entry, _DATA) else NotDataError
    raise kind(what, where=at.at(), hint=_SHAPE)


def _built(
    name: Any, schema: Any, output: Any, said: tuple[str, Any], at: Origin, *, strict: bool = False
) -> Tool:
    """Return a tool whose schemas are copied and checked to be JSON; `said` is of it and its parameters."""
    with located(at):
        schema, output, description, name = map(plain, (schema, output, said[0], name))
    for parameter, inner in object_of(schema.get("properties") if said[1] else None).items():
        if parameter in said[1] and isinstance(inner, dict):
            inner.setdefault("description", said[1][parameter])
    return tool_of(name, schema, at, output=output, strict=strict, description=description)


# -- functions -------------------------------------------------------------------------


def unwrapped(function: Any) -> Any:
    """Return the function that a `functools.partial` calls, at any depth; anything else as it is."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _tool_of_function(function: Any, at: Origin) -> Tool:
    """Return the tool that a function says that it is; it is not called."""
    inner = unwrapped(function)
    own = getattr(inner, "__name__", None)
    name = own if isinstance(own, str) else type(inner).__name__
    parameters: _Parameters | None = None
    with contextlib.suppress(ValueError, TypeError):
        parameters = inspect.signature(function).parameters
    if not isinstance(own, str) and inner is function:  # an object, perhaps in place of a function
        kinds = {each.kind for each in (parameters or {}).values()}
        passes_on = {_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD} & kinds
        if parameters is None or hasattr(function, "name") or passes_on:
            what = f"an object of type {shown(type(function).__name__, 60)} does not say what it takes."
            raise NotDataError(what, where=at.at(), hint=_SHAPE)
    what = f"the function {shown(name, 80)} has no name."
    at.need(name.isidentifier(), what, hint="Write it with `def`.")
    if parameters is None:
        what = f"Python cannot tell the parameters of {shown(name, 80)}."
        raise at.error(what, hint="Wrap it in a function of your own.")
    is_plain = inspect.isroutine(inner) or inspect.isclass(inner)
    try:
        held = inspect.unwrap(inner if is_plain else type(inner).__call__)
        hints = typing.get_type_hints(held, include_extras=True)
    except Exception as error:  # whatever the evaluation of a hint raises
        reason = shown(error, 120).rstrip(".")
        what = f"a type hint of {shown(name, 80)} cannot be resolved: {reason}."
        hint = "Import the type where the function is defined, also at run time."
        raise at.error(what, hint=hint) from None
    description, texts = _described(function)
    schema = _input(name, parameters, hints, at)
    output = None
    if "return" in hints:
        given = hints["return"]
        given = typing.get_args(given)[-1] if typing.get_origin(given) in _AWAITED else given
        with contextlib.suppress(*_UNFIT):
            make = functools.partial(TypeAdapter(given).json_schema, mode="serialization")
            told = {"description": texts["return"]} if texts.get("return") else {}
            output = {**told, **_quietly(make)}
    return _built(name, schema, output, (description, texts), at)


def _input(function: str, parameters: _Parameters, hints: dict[str, Any], at: Origin) -> JsonSchema:
    """Return the schema of the arguments of a function."""
    adapters: list[tuple[str, typing.Literal["validation"], TypeAdapter[Any]]] = []
    required: list[str] = []
    defaults = dict[str, JsonSchema]()
    for name, parameter in parameters.items():
        hint, default = hints.get(name, Any), parameter.default
        if isinstance(default, FieldInfo):
            hint = Annotated[hint, default]
        if parameter.kind is _KINDS.VAR_POSITIONAL:
            continue
        try:
            adapter = TypeAdapter(hint)
            _quietly(adapter.json_schema)
        except _UNFIT as error:
            reason = shown(str(error).partition("\n")[0].partition(". ")[0], 160).rstrip(".")
            what = f"no schema can be made of the type of {shown(name, 80)!r} of {shown(function, 80)}: {reason}."
            hint = "Give it a type that JSON has, or fill it in beforehand with functools.partial."
            raise at.error(what, (name,), hint) from None
        adapters.append((name, "validation", adapter))
        if parameter.kind is _KINDS.VAR_KEYWORD:
            continue
        defaults[name] = {}
        if default is _KINDS.empty or isinstance(default, FieldInfo):
            said = getattr(hint, "__metadata__", ())  # the default is among it
            if all(part.is_required() for part in said if isinstance(part, FieldInfo)):
                required.append(name)
            continue
        with contextlib.suppress(PydanticSerializationError, ValueError, RecursionError):
            defaults[name] = {"default": to_jsonable_python(default)}  # as far as JSON can hold it
    made, shared = _quietly(TypeAdapter.json_schemas, adapters)
    schemas = {name: dict(schema) for (name, _), schema in made.items()}
    fields = {name: {**schemas.pop(name), **default} for name, default in defaults.items()}
    schema: JsonSchema = {"type": "object", "properties": fields}
    if required:
        schema["required"] = required
    for further in schemas.values():  # of `**kwargs`
        schema["additionalProperties"] = further or True
    return {**schema, **shared}


def _quietly(make: Callable[..., Any], *arguments: Any) -> Any:
    """Call a maker of schemas without its warnings of defaults that JSON does not have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments)


def _model_schema(model: type, at: Origin) -> JsonSchema:
    """Return the JSON Schema of a pydantic model (also of its first version), a dataclass or a TypedDict."""
    make = getattr(model, "model_json_schema", None) or getattr(model, "schema", None)
    try:
        schema = _quietly(make if make is not None else TypeAdapter(model).json_schema)
    except Exception as error:  # whatever the model's own code raises
        reason = shown(str(error).partition("\n")[0], 160).rstrip(".")
        what = f"no schema can be made of {shown(model.__name__, 80)}: {reason}."
        raise at.error(what, hint="Give its fields types that JSON has.") from None
    at.need(isinstance(schema, dict), f"{shown(model.__name__, 80)} gives no JSON Schema.")
    return without(schema, ("title", "description"))


def _described(thing: Any) -> tuple[str, dict[str, str]]:
    """
    Return what the docstring of a function or class says of it, and of its parameters by name.

    What it returns stands under `return`.

    Example:
        >>> def search(query: str) -> None:
        ...     "Find books.\\n\\nArgs:\\n    query: What to look for."
        >>> _described(search)
        ('Find books.', {'query': 'What to look for.'})
    """
    thing = unwrapped(thing)
    text = (thing if inspect.isroutine(thing) or inspect.isclass(thing) else type(thing)).__doc__
    if not isinstance(text, str) or not text.strip():
        return "", {}
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(text)
    except (ParseError, ValueError, IndexError):  # it is a description as a whole
        return inspect.cleandoc(text), {}
    parts = (parsed.short_description, parsed.long_description)
    about = "\n\n".join(part.strip() for part in parts if part)
    texts = {entry.arg_name: entry.description for entry in parsed.params if entry.description}
    if parsed.returns is not None and parsed.returns.description:
        texts["return"] = parsed.returns.description
    return about, texts


# -- tool objects ----------------------------------------------------------------------


def _tool_of_object(entry: Any, at: Origin) -> Tool:
    """Return the tool that an object of an agent framework describes."""
    holder, key, schema = _schema_of(entry, at)
    inside = at.inside(key)
    if isinstance(schema, type):
        schema = _model_schema(schema, inside)
    names = [_said(each, "name") for each in (entry, holder)]
    texts = [_said(each, key) for each in (entry, holder) for key in ("description", "desc")]
    about = next((each for each in texts if isinstance(each, str)), "")
    name = next((each for each in names if isinstance(each, str) and each), None)
    at.need(name is not None, "the tool has no name.", hint=_SHAPE)
    output = as_data(getattr(holder, _OUTPUTS.get(key, ""), None))
    output = output if isinstance(output, dict) else None
    strict = getattr(holder, "strict_json_schema", None) is True
    tool = _built(name, schema, output, (about, {}), inside, strict=strict)
    effect = effect_of_annotations(getattr(holder, "annotations", None))
    return tool.model_copy(update={"effect": effect})


def _schema_of(tool: Any, at: Origin) -> tuple[Any, str, Any]:
    """
    Return the schema that a tool object has for those who call it, as data or as a class.

    Before it stand the object that holds it, which may also tell the name, and the key under which it does.
    """
    for keys in _SCHEMAS:
        holder, value = None, tool
        try:
            for key in keys:
                holder, value = value, getattr(value, key, None)
                value = value() if inspect.isroutine(value) else value
        except Exception as error:  # whatever the tool's own code raises
            raise at.error(f"it cannot be read: {shown(error, 120)}", keys) from None
        schema: Any = value if isinstance(value, type) else as_data(value)
        if keys in (("inputs",), ("args",)):
            schema = by_name(schema)
        are_fields = isinstance(schema, dict) and bool(schema) and _OF_OBJECTS.isdisjoint(schema)
        if isinstance(schema, type | dict) and not (keys == ("parameters",) and are_fields):
            return holder, keys[-1], schema
    found = [keys[0] for keys in _SCHEMAS if _has(tool, keys[0])]
    hint = "It is a pydantic model or a JSON Schema."
    raise at.error("the tool has no schema.", found[-1:], hint)


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries(data, origin), _tool, "functions")


LOOKS = "functions, pydantic models, or tool objects of agent frameworks, in Python"
FORMAT = Format("functions", "catalog", LOOKS, _detects, _read)
