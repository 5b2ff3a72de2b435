"""Catalogs of data sets: NESTFUL, Seal-Tools and libraries of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from refract_asp.formats import catalogs
from refract_asp.formats.registry import Format
from refract_asp.formats.source import Origin
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, declared, type_words


def _output(entry: dict[str, Any], key: str, at: Origin) -> JsonSchema | None:
    """Return the schema of an output whose fields stand under a key."""
    return None if entry.get(key) is None else catalogs.object_schema(entry[key], at.inside(key))


# -- NESTFUL ---------------------------------------------------------------------------

_NESTFUL_SHAPE = 'Write {"name": ..., "query_parameters": {...}, "output_parameters": {...}}.'


def _is_nestful(data: Any) -> bool:
    return isinstance(data, dict) and ("query_parameters" in data or "output_parameters" in data)


def _nestful_tool(entry: Any, at: Origin) -> Tool:
    name = catalogs.name_in(entry, at, _NESTFUL_SHAPE)
    is_other = "query_parameters" not in entry and "parameters" in entry
    inside = at.inside("parameters" if is_other else "query_parameters")
    parameters = entry.get(inside.base[-1]) or {}
    what = "an object of names and schemas is needed."
    inside.need(isinstance(parameters, dict), what, hint=_NESTFUL_SHAPE)
    return Tool(
        name=name,
        description=str(entry.get("description") or ""),
        effect=catalogs.effect_of_method(entry.get("method")),
        parameters={
            p: _nestful_parameter(p, raw, inside.inside(p)) for p, raw in parameters.items()
        },
        output_schema=_output(entry, "output_parameters", at),
    )


def _nestful_parameter(name: str, raw: Any, at: Origin) -> Parameter:
    schema = declared(catalogs.whole_schema(raw, at))
    required = False
    if not isinstance(schema.get("required"), list):
        required = schema.pop("required", False)
    optional = schema.pop("optional", False) if isinstance(schema.get("optional"), bool) else False
    at.need(isinstance(required, bool), "true or false is needed.", "required")
    if "allowed_values" in schema:
        schema.setdefault("enum", schema.pop("allowed_values"))
    is_list = isinstance(schema.get("enum", []), list)
    at.need(is_list, "the allowed values have to be a list.", "enum")
    return Parameter(name=name, required=required and not optional, json_schema=schema)


def _nestful_data(tool: Tool) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.effect in catalogs.METHODS:
        entry["method"] = catalogs.METHODS[tool.effect]
    entry["query_parameters"] = {
        name: {"required": parameter.required, **parameter.json_schema}
        for name, parameter in tool.parameters.items()
    }
    if tool.output_schema is not None:
        entry["output_parameters"] = tool.output_schema.get("properties", {})
    return entry


NESTFUL_SPEC = catalogs.list_format(
    "nestful",
    'objects with "name", "query_parameters" and "output_parameters"',
    _NESTFUL_SHAPE,
    _nestful_tool,
    _is_nestful,
    lambda catalog: [_nestful_data(tool) for tool in catalog.tools],
    empty=True,
)


# -- Seal-Tools ------------------------------------------------------------------------

_SEAL_SHAPE = 'Write {"api_name": ..., "parameters": {...}, "required": [...], "responses": {...}}.'


def _seal_tool(entry: Any, at: Origin) -> Tool:
    name = catalogs.name_in(entry, at, _SEAL_SHAPE, "api_name")
    parameters = catalogs.object_schema(entry.get("parameters") or {}, at.inside("parameters"))
    return catalogs.tool_of(
        name,
        {**parameters, "required": entry.get("required") or []},
        at,
        description=catalogs.text_in(entry, "api_description", at),
        output_schema=_output(entry, "responses", at),
    )


SEAL = catalogs.list_format(
    "seal",
    'objects with "api_name"',
    _SEAL_SHAPE,
    _seal_tool,
    lambda entry: isinstance(entry, dict) and "api_name" in entry,
    None,
)


# -- libraries of functions ------------------------------------------------------------

_LIBRARY_SHAPE = 'Write {"id": ..., "library_name": ..., "style": "import", "functions": [...]}.'
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


def _is_library(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("functions"), list):
        return False
    return "library_name" in data or any(map(_is_function, data["functions"]))


def _is_function(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    by_words = "function_name" in data or "arglist" in data
    return by_words or {"name", "args", "return_type"} <= data.keys()


def _functions(data: Any, origin: Origin) -> Iterator[tuple[Origin, tuple[Origin, Any, Any]]]:
    """Yield each function with its library, which is empty for functions alone, and the place of that."""
    alone = isinstance(data, dict)
    is_list = alone or isinstance(data, list)
    origin.need(is_list, "a list of libraries is needed.", hint=_LIBRARY_SHAPE)
    for index, library in enumerate([data] if alone else data):
        at = origin if alone else origin.inside(index)
        if _is_function(library):
            yield at, (origin, {}, library)
            continue
        functions = library.get("functions") if isinstance(library, dict) else None
        if not isinstance(functions, list):
            what = "a library with a list of functions is needed."
            raise at.error(what, hint=_LIBRARY_SHAPE)
        for number, function in enumerate(functions):
            yield at.inside("functions", number), (at, library, function)


def head_in(library: dict[str, Any], at: Origin) -> Head:
    """
    Return what a library says of itself; without an id it goes by its name.

    Raises:
        FormatError: the id or the name is no text, or there is no such style.
    """
    name = catalogs.text_in(library, "library_name", at)
    style = library.get("style", "import")
    what = "the style is import or class."
    at.need(style in ("import", "class"), what, "style", hint=_LIBRARY_SHAPE)
    return Head(catalogs.text_in(library, "id", at) or name, name, style)


def function_in(function: Any, at: Origin) -> Function:
    """
    Return a function.

    Raises:
        FormatError: it has no name, two arguments have one name, or a field is not of its type.
    """

    def key_of(key: str, other: str) -> str:
        return key if isinstance(function, dict) and key in function else other

    def texts(key: str, what: str) -> tuple[str, ...]:
        words = function.get(key)
        words = [words] if isinstance(words, str) and key == "return_type" else words or []
        is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
        at.need(is_list, what, key, hint=_FUNCTION)
        return tuple(word for word in words if word)

    name = catalogs.name_in(function, at, _FUNCTION, key_of("function_name", "name"))
    doc = catalogs.text_in(function, key_of("documentation", "doc"), at)
    key = key_of("arglist", "args")
    names = texts(key, "a list of names is needed.")
    is_unique = len(set(names)) == len(names)
    at.need(is_unique, "two arguments have one name.", key, hint="Rename one of them.")
    returns = texts("return_type", "a list of the names of types is needed.")
    return Function(name, doc, names, returns)


def _library_tool(entry: Any, at: Origin) -> Tool:
    above, library, raw = entry
    head = head_in(library, above)
    function = function_in(raw, at)
    parameters = {argument: Parameter(name=argument, required=True) for argument in function.args}
    if head.style == "class":
        subject = head.name if head.name and head.name not in parameters else "self"
        holder = Parameter(name=subject, required=True, json_schema=_value(head.name))
        parameters = {subject: holder, **parameters}
    outputs = [_value(word) for word in function.returns]
    return Tool(
        name=f"{head.id}.{function.name}" if head.id else function.name,
        description=said(function.doc),
        parameters=parameters,
        output_schema={"anyOf": outputs} if len(outputs) > 1 else next(iter(outputs), None),
    )


def _value(word: str) -> JsonSchema:
    kind = type_words(word)
    return {"type": kind} if kind in JSON_TYPES else {"type": "object", "title": word}


LIBRARY: Format[Catalog] = Format(
    name="library",
    kind="catalog",
    looks='libraries with "functions" that have "arglist" and "return_type"',
    detects=lambda data: catalogs.any_entry(
        data, (), lambda each: _is_library(each) or _is_function(each)
    ),
    read=lambda data, origin: catalogs.catalog_of(
        _functions(data, origin), _library_tool, format="library"
    ),
    write=None,
)
