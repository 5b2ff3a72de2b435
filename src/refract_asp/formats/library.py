"""
Libraries of functions that exist in name and documentation only, as benchmarks of code synthesis use them.

    [{"id": "solids2", "library_name": "solids", "style": "import", "functions": [
        {"function_name": "volume_of_cone", "arglist": ["radius"], "return_type": ["float"],
         "documentation": "Calculates the volume of a cone with [radius|radius]."}]}]

A list of libraries, one library, or the functions of one. The short names `name`, `doc` and `args` will do.
A function is the tool `solids2.volume_of_cone`: library names may repeat, ids do not. All its arguments are
required, of any type; an empty name in the list means that there are none. A method of a library in the style
`class` takes its object first, as a parameter named like the library, or `self` where an argument has that
name. A return type that is no type of JSON is the name of such an object. A slot of the documentation,
`[phrase|argument]`, reads "the given phrase". Nothing is said of effects. The format is only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from refract_asp.formats.entries import any_entry, catalog_of, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, type_words

__all__ = ["FORMAT"]

_SHAPE = 'Write {"id": ..., "library_name": ..., "style": "import", "functions": [...]}.'
_FUNCTION = 'Write {"function_name": ..., "documentation": ..., "arglist": [...], "return_type": [...]}.'
_SLOT = re.compile(r"\[([^\[\]|]*)\|[^\[\]|]*\]")


def _is_library(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("functions"), list):
        return False
    return "library_name" in data or any(_is_function(entry) for entry in data["functions"])


def _is_function(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    return "function_name" in data or "arglist" in data or {"name", "args", "return_type"} <= data.keys()


def _detects(data: Any) -> bool:
    return any_entry(data, (), lambda entry: _is_library(entry) or _is_function(entry))


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(_entries(data, origin), _tool, origin, format="library")


def _entries(data: Any, origin: Origin) -> Iterator[tuple[FieldPlace, tuple[Any, Any]]]:
    """Yield each function with its library."""
    alone = isinstance(data, dict)
    if not alone and not isinstance(data, list):
        raise origin.error("a list of libraries is needed.", hint=_SHAPE)
    for index, library in enumerate([data] if alone else data):
        place: FieldPlace = () if alone else (index,)
        if _is_function(library):
            yield place, ({}, library)
            continue
        if not isinstance(library, dict) or not isinstance(library.get("functions"), list):
            raise origin.error("a library with a list of functions is needed.", place, _SHAPE)
        for number, function in enumerate(library["functions"]):
            yield (*place, "functions", number), (library, function)


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    library, function = entry
    above = place[:-2]
    label = text_in(library, "library_name", above, origin)
    prefix = text_in(library, "id", above, origin) or label
    key = "function_name" if isinstance(function, dict) and "function_name" in function else "name"
    name = name_in(function, place, origin, _FUNCTION, key)
    names = _arguments(function, place, origin)
    parameters = {argument: Parameter(name=argument, required=True) for argument in names}
    if _is_class(library, above, origin):
        subject = label if label and label not in parameters else "self"
        holder = Parameter(name=subject, required=True, json_schema=_value(label))
        parameters = {subject: holder, **parameters}
    said = text_in(function, "documentation" if "documentation" in function else "doc", place, origin)
    return Tool(
        name=f"{prefix}.{name}" if prefix else name,
        description=_SLOT.sub(r"the given \1", said),
        parameters=parameters,
        output_schema=_output(function.get("return_type"), (*place, "return_type"), origin),
    )


def _is_class(library: dict[str, Any], place: FieldPlace, origin: Origin) -> bool:
    style = library.get("style", "import")
    if style not in ("import", "class"):
        raise origin.error("the style is import or class.", (*place, "style"), _SHAPE)
    return bool(style == "class")


def _arguments(function: dict[str, Any], place: FieldPlace, origin: Origin) -> list[str]:
    key = "arglist" if "arglist" in function else "args"
    names = function.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise origin.error("a list of names is needed.", (*place, key), _FUNCTION)
    given = [name for name in names if name]
    if len(set(given)) != len(given):
        raise origin.error("two arguments have one name.", (*place, key), "Rename one of them.")
    return given


def _value(word: str) -> JsonSchema:
    kind = type_words(word)
    return {"type": kind} if kind in JSON_TYPES else {"type": "object", "title": word}


def _output(words: Any, place: FieldPlace, origin: Origin) -> JsonSchema | None:
    kinds = [words] if isinstance(words, str) else words
    if kinds is not None and not (isinstance(kinds, list) and all(isinstance(word, str) for word in kinds)):
        raise origin.error("a list of the names of types is needed.", place, _FUNCTION)
    schemas = [_value(word) for word in kinds or () if word]
    if len(schemas) > 1:
        return {"anyOf": schemas}
    return schemas[0] if schemas else None


FORMAT: Format[Catalog] = Format(
    name="library",
    kind="catalog",
    looks='libraries with "functions" that have "arglist" and "return_type"',
    detects=_detects,
    read=_read,
    write=None,
)
