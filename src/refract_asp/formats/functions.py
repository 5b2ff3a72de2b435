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

A pydantic model, dataclass or `TypedDict` is a tool whose parameters are its fields. A tool object is one
with `name`, `description` and `args_schema` (or `tool_call_schema`, without what is injected), a model or a
JSON Schema, as LangChain's are. In a list, tools in the form of data may stand between them.

Nothing is said of effects. Functions are looked at, never called; of their hints those that are text are
evaluated, as `typing.get_type_hints` does. The format is only read, and from Python only.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from typing_extensions import is_typeddict

from refract_asp.errors import InputError, shown
from refract_asp.formats.entries import catalog_of
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import output_of, tool_of
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model import Catalog, Tool

__all__ = ["FORMAT"]

_SHAPE = "Give functions, pydantic models, or tools with `name` and `args_schema`."


def _is_model(value: Any) -> bool:
    """Whether this is a class that describes the fields of an object."""
    if not isinstance(value, type):
        return False
    return hasattr(value, "model_json_schema") or is_dataclass(value) or is_typeddict(value)


def _is_tool_object(value: Any) -> bool:
    if isinstance(value, type):
        return False
    name = inspect.getattr_static(value, "name", None)
    return name is not None and hasattr(value, "args_schema") and isinstance(value.name, str)


def _is_inspectable(value: Any) -> bool:
    if value is None or isinstance(value, str | bytes | int | float | Mapping | list | tuple):
        return False
    return _is_tool_object(value) or callable(value)


def _detects(data: Any) -> bool:
    entries = data if isinstance(data, list | tuple) else [data]
    return any(_is_inspectable(entry) for entry in entries)


def _read(data: Any, origin: Origin) -> Catalog:
    alone = not isinstance(data, list | tuple)
    places: list[FieldPlace] = [()] if alone else [(index,) for index in range(len(data))]
    entries = zip(places, [data] if alone else data, strict=True)
    return catalog_of(entries, _tool, origin, format="functions")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    if isinstance(entry, Tool):
        return entry
    if isinstance(entry, dict):
        return _tool_of_data(entry, place, origin)
    if not _is_inspectable(entry):
        kind = shown(type(entry).__name__, 60)
        raise origin.error(f"a value of type {kind} is no tool.", place, _SHAPE)
    from refract_asp.formats.signatures import described, model_schema, read_signature

    if _is_tool_object(entry):
        schema = _schema_of(entry, place, origin)
        if isinstance(schema, type):
            schema = model_schema(schema, (*place, "args_schema"), origin)
        description = getattr(entry, "description", None) or ""
        return _built(entry.name, schema, None, str(description), (*place, "args_schema"), origin)
    if _is_model(entry):
        schema = model_schema(entry, place, origin)
        about, fields = described(entry)
        if about.startswith(f"{entry.__name__}("):
            about = ""  # what Python makes up where there is no docstring
        return _built(entry.__name__, _with_descriptions(schema, fields), None, about, place, origin)
    if isinstance(entry, type):
        raise origin.error(f"the class {shown(entry.__name__, 80)!r} is no tool.", place, _SHAPE)
    name = _name(entry)
    if not name.isidentifier():
        what = f"the function {shown(name, 80)} has no name." if name else "the function has no name."
        raise origin.error(what, place, "Write it with `def`.")
    signature = read_signature(entry, name, place, origin)
    return _built(name, signature.input_schema, signature.output_schema, signature.description, place, origin)


def _schema_of(tool: Any, place: FieldPlace, origin: Origin) -> Any:
    """Return the schema that a tool object has for those who call it, else the one of its arguments."""
    for key in ("tool_call_schema", "args_schema"):
        try:
            schema = getattr(tool, key, None)
        except Exception as error:  # whatever the tool's own code raises
            raise origin.error(f"it cannot be read: {shown(error, 120)}", (*place, key)) from None
        if isinstance(schema, type | dict):
            return schema
    hint = "It is a pydantic model or a JSON Schema."
    raise origin.error("the tool has no schema.", (*place, "args_schema"), hint)


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _tool_of_data(entry: dict[str, Any], place: FieldPlace, origin: Origin) -> Tool:
    """Return the tool that an object describes in whatever format it is."""
    from refract_asp.formats import load_catalog

    try:
        tools = load_catalog([entry]).tools
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


def _built(name: str, schema: Any, output: Any, description: str, place: FieldPlace, origin: Origin) -> Tool:
    """Return a tool whose schemas are copied and checked to be JSON."""
    try:
        schema, output, description, name = plain(schema), plain(output), plain(description), plain(name)
    except UnreadableError as error:
        raise error.at(origin, *place) from None
    tool = tool_of(name, schema, place, origin, description=description)
    return tool.model_copy(update={"output_schema": output_of(output, place, origin)})


FORMAT: Format[Catalog] = Format(
    name="functions",
    kind="catalog",
    looks="functions, pydantic models, or objects with `args_schema`, in Python",
    detects=_detects,
    read=_read,
    write=None,
)
