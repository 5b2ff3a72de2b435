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
agent framework is one with a name and a schema of its arguments at one of the places in `_SCHEMAS`; what has
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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import is_typeddict

from refract_asp.errors import FormatError, InputError, NotDataError, shown
from refract_asp.formats.entries import catalog_of, effect_of_annotations
from refract_asp.formats.opening import as_data
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import output_of, tool_of
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model import Catalog, Tool
from refract_asp.model.schemas import JsonSchema

__all__ = [
    "FORMAT",
    "Signature",
    "described",
    "model_schema",
    "read_signature",
]


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
        return Signature(
            description, schema, _output(hints.get("return", _KINDS.empty), texts.get("return"))
        )

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
            fields = [
                part for part in getattr(hint, "__metadata__", ()) if isinstance(part, FieldInfo)
            ]
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
            TypeAdapter.json_schemas,
            [(name, mode, adapter) for name, adapter in self.adapters.items()],
        )
        return {name: dict(schema) for (name, _), schema in made.items()}, dict(
            shared.get("$defs", {})
        )

    def _no_schema(self, name: str, error: Exception) -> Exception:
        reason = shown(str(error).partition("\n")[0].partition(". ")[0], 160).rstrip(".")
        what = f"no schema can be made of the type of {shown(name, 80)!r} of {shown(self.name, 80)}: {reason}."
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
        schema = dict(
            _quietly(functools.partial(TypeAdapter(hint).json_schema, mode="serialization"))
        )
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
    except (
        ParseError,
        ValueError,
        IndexError,
    ):  # what it cannot take apart is a description as a whole
        return inspect.cleandoc(text), {}
    about = "\n\n".join(
        part.strip() for part in (parsed.short_description, parsed.long_description) if part
    )
    texts = {entry.arg_name: entry.description for entry in parsed.params if entry.description}
    if parsed.returns is not None and parsed.returns.description:
        texts["return"] = parsed.returns.description
    return about, texts


_SHAPE = "Give functions, pydantic models, tool objects with a name and a schema, or tools as data."

_SCHEMAS = (
    ("tool_call_schema",),  # LangChain: without what is injected
    ("args_schema",),
    ("params_json_schema",),  # OpenAI Agents
    ("parameters_json_schema",),  # Pydantic AI: a definition, then a tool
    ("tool_def", "parameters_json_schema"),
    ("function_schema", "json_schema"),
    ("to_mcp_tool", "inputSchema"),  # FastMCP
    ("to_mcp_tool", "input_schema"),
    ("inputSchema",),  # the Model Context Protocol
    ("input_schema",),
    ("metadata", "get_parameters_dict"),  # LlamaIndex
    ("inputs",),  # smolagents: the parameters by name
    ("parameters",),  # Haystack, Inspect, Agent Framework
)
"""Where tool objects have the schema of their arguments; methods on the way are called."""
_OF_OBJECTS = frozenset({"type", "properties", "$ref", "allOf", "anyOf", "oneOf"})
_OUTPUTS = {"inputSchema": "outputSchema", "input_schema": "output_schema"}


def _is_model(value: Any) -> bool:
    """Whether this is a class that describes the fields of an object."""
    if not isinstance(value, type):
        return False
    return hasattr(value, "model_json_schema") or is_dataclass(value) or is_typeddict(value)


def _is_tool_object(value: Any) -> bool:
    if isinstance(value, type) or inspect.isroutine(value):
        return False
    holders = [value, getattr(value, "metadata", None)]
    named = any(inspect.getattr_static(each, "name", None) is not None for each in holders)
    return named and any(hasattr(value, keys[0]) for keys in _SCHEMAS)


def _tools_in(value: Any) -> list[Any] | None:
    """Return the tools of an object that holds a list of them, None where there is no such list."""
    if isinstance(value, type | dict) or inspect.isroutine(value) or _is_tool_object(value):
        return None
    tools = getattr(value, "tools", None)
    if isinstance(tools, Mapping):
        return list(tools.values())
    return list(tools) if isinstance(tools, list | tuple) else None


def _is_inspectable(value: Any) -> bool:
    """Whether this is no data, so that only this format can say what it is."""
    if value is None or isinstance(
        value, str | int | float | dict | list | tuple | Path | Tool | Catalog
    ):
        return False
    return (
        callable(value)
        or _is_tool_object(value)
        or _tools_in(value) is not None
        or as_data(value) is value
    )


def _detects(data: Any) -> bool:
    entries = data if isinstance(data, list | tuple) else [data]
    return any(_is_inspectable(entry) for entry in entries)


def _entries(data: Any, place: FieldPlace = ()) -> Iterator[tuple[FieldPlace, Any]]:
    tools = data if isinstance(data, list | tuple) and not place else _tools_in(data)
    if tools is None:
        yield place, data
        return
    place = place if tools is data else (*place, "tools")
    for index, tool in enumerate(tools):
        yield from _entries(tool, (*place, index))


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries(data), _tool, origin, format="functions")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    if isinstance(entry, Tool):
        return entry
    if isinstance(entry, dict):
        return _tool_of_data(entry, place, origin)
    if _is_tool_object(entry):
        return _tool_of_object(entry, place, origin)
    if _is_model(entry):
        schema = model_schema(entry, place, origin)
        about, fields = described(entry)
        if about.startswith(f"{entry.__name__}("):
            about = ""  # what Python makes up where there is no docstring
        return _built(
            entry.__name__, _with_descriptions(schema, fields), None, about, place, origin
        )
    if isinstance(entry, type):
        raise origin.error(f"the class {shown(entry.__name__, 80)!r} is no tool.", place, _SHAPE)
    if not callable(entry):
        data = as_data(entry)
        if isinstance(data, dict):
            return _tool_of_data(data, place, origin)
        what = f"a value of type {shown(type(entry).__name__, 60)} is no tool."
        is_data = entry is None or isinstance(entry, str | int | float | list | tuple)
        raise (FormatError if is_data else NotDataError)(what, where=origin.at(place), hint=_SHAPE)
    if _is_wrapper(entry):
        what = f"an object of type {shown(type(entry).__name__, 60)} does not say what it takes."
        raise NotDataError(what, where=origin.at(place), hint=_SHAPE)
    name = _name(entry)
    if not name.isidentifier():
        what = (
            f"the function {shown(name, 80)} has no name." if name else "the function has no name."
        )
        raise origin.error(what, place, "Write it with `def`.")
    signature = read_signature(entry, name, place, origin)
    return _built(
        name, signature.input_schema, signature.output_schema, signature.description, place, origin
    )


def _is_wrapper(value: Any) -> bool:
    """Whether an object that can be called stands for something else, whose arguments it passes on."""
    if isinstance(getattr(value, "__name__", None), str) or isinstance(value, functools.partial):
        return False
    try:
        kinds = {parameter.kind for parameter in inspect.signature(value).parameters.values()}
    except (ValueError, TypeError):
        return True
    return hasattr(value, "name") or not kinds.isdisjoint(
        {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    )


def _tool_of_object(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    """Return the tool that an object of an agent framework describes."""
    holder, key, schema = _schema_of(entry, place, origin)
    holders = (entry, holder)
    place = (*place, key)
    if isinstance(schema, type):
        schema = model_schema(schema, place, origin)
    names = (getattr(each, "name", None) for each in holders)
    name = next((each for each in names if isinstance(each, str) and each), None)
    if name is None:
        raise origin.error("the tool has no name.", place[:-1], _SHAPE)
    texts = (getattr(each, "description", None) for each in holders)
    output = as_data(getattr(holder, _OUTPUTS.get(key, ""), None))
    description = str(next(filter(None, texts), ""))
    tool = _built(
        name, schema, output if isinstance(output, dict) else None, description, place, origin
    )
    effect = effect_of_annotations(getattr(holder, "annotations", None))
    return tool.model_copy(update={"effect": effect})


def _schema_of(tool: Any, place: FieldPlace, origin: Origin) -> tuple[Any, str, Any]:
    """
    Return the schema that a tool object has for those who call it, as data or as a class.

    Before it stand the object that holds it, which may also tell the name, and the key under which it does.
    """
    found: list[str] = []
    for keys in _SCHEMAS:
        holder, value = None, tool
        try:
            for key in keys:
                holder, value = value, getattr(value, key, None)
                value = value() if inspect.isroutine(value) else value
        except Exception as error:  # whatever the tool's own code raises
            raise origin.error(f"it cannot be read: {shown(error, 120)}", (*place, *keys)) from None
        schema = value if isinstance(value, type) else as_data(value)
        if keys == ("inputs",):
            schema = _schema_of_inputs(schema)
        if isinstance(schema, type | dict) and not (
            keys == ("parameters",) and _are_by_name(schema)
        ):
            return holder, keys[-1], schema
        found += keys[:1] if hasattr(tool, keys[0]) else []
    hint = "It is a pydantic model or a JSON Schema."
    raise origin.error("the tool has no schema.", (*place, found[-1]), hint)


def _schema_of_inputs(inputs: Any) -> JsonSchema | None:
    """Return the schema of parameters by name, which are required unless they are `nullable`."""
    if not isinstance(inputs, dict) or not all(isinstance(each, dict) for each in inputs.values()):
        return None
    required = [name for name, each in inputs.items() if not each.get("nullable")]
    return {"type": "object", "properties": inputs, "required": required}


def _are_by_name(schema: Any) -> bool:
    """Whether these are parameters by name, and no schema of all of them."""
    return isinstance(schema, dict) and bool(schema) and _OF_OBJECTS.isdisjoint(schema)


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _tool_of_data(entry: dict[str, Any], place: FieldPlace, origin: Origin) -> Tool:
    """Return the tool that an object describes in whatever format it is."""
    try:
        tools = Catalog.load([entry]).tools
    except InputError as error:
        where = origin.at(place) + error.where.removeprefix("[0]")
        raise type(error)(error.what, where=where, hint=error.hint) from None
    if len(tools) != 1:
        raise origin.error("one tool is needed in each place.", place, _SHAPE)
    return tools[0]


def _with_descriptions(schema: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    """Return a schema whose properties have these descriptions where they have none of their own."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    return {
        **schema,
        "properties": {
            name: {"description": texts[name], **inner}
            if name in texts and isinstance(inner, dict)
            else inner
            for name, inner in properties.items()
        },
    }


def _built(
    name: str, schema: Any, output: Any, description: str, place: FieldPlace, origin: Origin
) -> Tool:
    """Return a tool whose schemas are copied and checked to be JSON."""
    try:
        schema, output, description, name = (
            plain(schema),
            plain(output),
            plain(description),
            plain(name),
        )
    except UnreadableError as error:
        raise error.at(origin, *place) from None
    tool = tool_of(name, schema, place, origin, description=description)
    return tool.model_copy(update={"output_schema": output_of(output, place, origin)})


FORMAT: Format[Catalog] = Format(
    name="functions",
    kind="catalog",
    looks="functions, pydantic models, or tool objects of agent frameworks, in Python",
    detects=_detects,
    read=_read,
    write=None,
)
