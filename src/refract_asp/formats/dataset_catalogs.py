"""Catalogs of data sets: NESTFUL, Seal-Tools and libraries of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from refract_asp.formats.entries import (
    METHODS,
    any_entry,
    catalog_of,
    effect_of_method,
    entries_of,
    name_in,
    text_in,
)
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import object_schema, tool_of, whole_schema
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, declared, type_words

__all__ = [
    "LIBRARY",
    "NESTFUL_SPEC",
    "SEAL",
    "Function",
    "Head",
    "entries",
    "function_in",
    "head_in",
    "is_libraries",
    "said",
    "slots",
]


_SHAPE = 'Write {"name": ..., "query_parameters": {...}, "output_parameters": {...}}.'


def _is_tool(data: Any) -> bool:
    return isinstance(data, dict) and ("query_parameters" in data or "output_parameters" in data)


def _detects(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return not data or any(_is_tool(entry) for entry in data)
    return _is_tool(data)


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries_of(data, (), origin, _SHAPE), _tool, origin, format="nestful")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE)
    key = (
        "query_parameters"
        if "query_parameters" in entry or "parameters" not in entry
        else "parameters"
    )
    parameters = entry.get(key) or {}
    if not isinstance(parameters, dict):
        raise origin.error("an object of names and schemas is needed.", (*place, key), _SHAPE)
    outputs = entry.get("output_parameters")
    return Tool(
        name=name,
        description=str(entry.get("description") or ""),
        effect=effect_of_method(entry.get("method")),
        parameters={
            p: _parameter(p, raw, (*place, key, p), origin) for p, raw in parameters.items()
        },
        output_schema=None
        if outputs is None
        else object_schema(outputs, (*place, "output_parameters"), origin),
    )


def _parameter(name: str, raw: Any, place: FieldPlace, origin: Origin) -> Parameter:
    schema = declared(whole_schema(raw, place, origin))
    required = False
    if not isinstance(schema.get("required"), list):
        required = schema.pop("required", False)
    optional = schema.pop("optional", False) if isinstance(schema.get("optional"), bool) else False
    if not isinstance(required, bool):
        raise origin.error("true or false is needed.", (*place, "required"))
    if "allowed_values" in schema:
        schema.setdefault("enum", schema.pop("allowed_values"))
    if not isinstance(schema.get("enum", []), list):
        raise origin.error("the allowed values have to be a list.", (*place, "enum"))
    return Parameter(name=name, required=required and not optional, json_schema=schema)


def _write(catalog: Catalog) -> list[dict[str, Any]]:
    entries = []
    for tool in catalog.tools:
        entry: dict[str, Any] = {"name": tool.name, "description": tool.description}
        if tool.effect in METHODS:
            entry["method"] = METHODS[tool.effect]
        entry["query_parameters"] = {
            name: {"required": parameter.required, **parameter.json_schema}
            for name, parameter in tool.parameters.items()
        }
        if tool.output_schema is not None:
            entry["output_parameters"] = tool.output_schema.get("properties", {})
        entries.append(entry)
    return entries


NESTFUL_SPEC: Format[Catalog] = Format(
    name="nestful",
    kind="catalog",
    looks='objects with "name", "query_parameters" and "output_parameters"',
    detects=_detects,
    read=_read,
    write=_write,
)


_SHAPE_SEAL = 'Write {"api_name": ..., "parameters": {...}, "required": [...], "responses": {...}}.'


def _detects_seal(data: Any) -> bool:
    return any_entry(data, (), lambda entry: isinstance(entry, dict) and "api_name" in entry)


def _read_seal(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries_of(data, (), origin, _SHAPE_SEAL), _tool_seal, origin, format="seal")


def _tool_seal(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    name = name_in(entry, place, origin, _SHAPE_SEAL, "api_name")
    parameters = object_schema(entry.get("parameters") or {}, (*place, "parameters"), origin)
    outputs = entry.get("responses")
    return tool_of(
        name,
        {**parameters, "required": entry.get("required") or []},
        place,
        origin,
        description=text_in(entry, "api_description", place, origin),
        output_schema=None
        if outputs is None
        else object_schema(outputs, (*place, "responses"), origin),
    )


SEAL: Format[Catalog] = Format(
    name="seal",
    kind="catalog",
    looks='objects with "api_name"',
    detects=_detects_seal,
    read=_read_seal,
    write=None,
)


_SHAPE_LIBRARIES = 'Write {"id": ..., "library_name": ..., "style": "import", "functions": [...]}.'
_FUNCTION = (
    'Write {"function_name": ..., "documentation": ..., "arglist": [...], "return_type": [...]}.'
)
_SLOT = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")


@dataclass(frozen=True)
class Function:
    """
    A function that exists in name and documentation only.

    Attributes:
        name: the name.
        doc: what it does; a slot `[phrase|argument]` stands for an argument.
        args: the names of its arguments, all of them required.
        returns: the types that it may return; one that is no type of JSON names a library.

    Example:
        >>> Function("rotate", "Turns it by [angle|degrees].", ("degrees",), ("image",))
        Function(name='rotate', doc='Turns it by [angle|degrees].', args=('degrees',), returns=('image',))
    """

    name: str
    doc: str = ""
    args: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()

    @property
    def return_type(self) -> str:
        """The types that it may return, as one text."""
        return " | ".join(self.returns)


@dataclass(frozen=True)
class Head:
    """What a library says of itself: its id, its name in code, and its style (import or class)."""

    id: str = ""
    name: str = ""
    style: str = "import"


def slots(doc: str) -> list[tuple[str, str]]:
    """
    Return the slots of a documentation: the phrase of each, and its argument.

    Example:
        >>> slots("Turns the image by [number of degrees|degrees].")
        [('number of degrees', 'degrees')]
    """
    return [(match[1], match[2]) for match in _SLOT.finditer(doc)]


def said(
    doc: str, word: Callable[[int, str, str], str] = lambda _, phrase, __: f"the given {phrase}"
) -> str:
    """
    Return a documentation with its slots filled by `word(number, phrase, argument)`.

    Example:
        >>> said("Turns the image by [number of degrees|degrees].")
        'Turns the image by the given number of degrees.'
    """
    number = iter(range(len(doc)))
    return _SLOT.sub(lambda match: word(next(number), match[1], match[2]), doc)


def is_libraries(data: Any) -> bool:
    """Whether data looks like libraries, or the functions of one."""
    return any_entry(data, (), lambda entry: _is_library(entry) or _is_function(entry))


def _is_library(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("functions"), list):
        return False
    return "library_name" in data or any(_is_function(entry) for entry in data["functions"])


def _is_function(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    return (
        "function_name" in data
        or "arglist" in data
        or {"name", "args", "return_type"} <= data.keys()
    )


def entries(data: Any, origin: Origin) -> Iterator[tuple[FieldPlace, tuple[Any, Any]]]:
    """
    Yield each function with its library, which is empty for functions alone.

    Raises:
        FormatError: there is no list of libraries or functions.
    """
    alone = isinstance(data, dict)
    if not alone and not isinstance(data, list):
        raise origin.error("a list of libraries is needed.", hint=_SHAPE_LIBRARIES)
    for index, library in enumerate([data] if alone else data):
        place: FieldPlace = () if alone else (index,)
        if _is_function(library):
            yield place, ({}, library)
            continue
        if not isinstance(library, dict) or not isinstance(library.get("functions"), list):
            raise origin.error(
                "a library with a list of functions is needed.", place, _SHAPE_LIBRARIES
            )
        for number, function in enumerate(library["functions"]):
            yield (*place, "functions", number), (library, function)


def head_in(library: dict[str, Any], place: FieldPlace, origin: Origin) -> Head:
    """
    Return what a library says of itself; without an id it goes by its name.

    Raises:
        FormatError: the id or the name is no text, or there is no such style.
    """
    name = text_in(library, "library_name", place, origin)
    style = library.get("style", "import")
    if style not in ("import", "class"):
        raise origin.error("the style is import or class.", (*place, "style"), _SHAPE_LIBRARIES)
    return Head(text_in(library, "id", place, origin) or name, name, style)


def function_in(function: Any, place: FieldPlace, origin: Origin) -> Function:
    """
    Return a function.

    Raises:
        FormatError: it has no name, two arguments have one name, or a field is not of its type.
    """
    key = "function_name" if isinstance(function, dict) and "function_name" in function else "name"
    name = name_in(function, place, origin, _FUNCTION, key)
    return Function(
        name,
        text_in(function, "documentation" if "documentation" in function else "doc", place, origin),
        tuple(_arguments(function, place, origin)),
        tuple(_types(function.get("return_type"), (*place, "return_type"), origin)),
    )


def _arguments(function: dict[str, Any], place: FieldPlace, origin: Origin) -> list[str]:
    key = "arglist" if "arglist" in function else "args"
    names = function.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise origin.error("a list of names is needed.", (*place, key), _FUNCTION)
    given = [name for name in names if name]
    if len(set(given)) != len(given):
        raise origin.error("two arguments have one name.", (*place, key), "Rename one of them.")
    return given


def _types(words: Any, place: FieldPlace, origin: Origin) -> list[str]:
    kinds = [words] if isinstance(words, str) else words
    if kinds is not None and not (
        isinstance(kinds, list) and all(isinstance(word, str) for word in kinds)
    ):
        raise origin.error("a list of the names of types is needed.", place, _FUNCTION)
    return [word for word in kinds or () if word]


def _read_library(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries(data, origin), _tool_library, origin, format="library")


def _tool_library(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    library, raw = entry
    head = head_in(library, place[:-2], origin)
    function = function_in(raw, place, origin)
    parameters = {argument: Parameter(name=argument, required=True) for argument in function.args}
    if head.style == "class":
        subject = head.name if head.name and head.name not in parameters else "self"
        holder = Parameter(name=subject, required=True, json_schema=_value(head.name))
        parameters = {subject: holder, **parameters}
    return Tool(
        name=f"{head.id}.{function.name}" if head.id else function.name,
        description=said(function.doc),
        parameters=parameters,
        output_schema=_output(function.returns),
    )


def _value(word: str) -> JsonSchema:
    kind = type_words(word)
    return {"type": kind} if kind in JSON_TYPES else {"type": "object", "title": word}


def _output(words: tuple[str, ...]) -> JsonSchema | None:
    schemas = [_value(word) for word in words]
    if len(schemas) > 1:
        return {"anyOf": schemas}
    return schemas[0] if schemas else None


LIBRARY: Format[Catalog] = Format(
    name="library",
    kind="catalog",
    looks='libraries with "functions" that have "arglist" and "return_type"',
    detects=is_libraries,
    read=_read_library,
    write=None,
)
