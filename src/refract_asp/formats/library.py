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

from typing import Any

from refract_asp.formats.entries import catalog_of
from refract_asp.formats.libraries import entries, function_in, head_in, is_libraries, said
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, type_words

__all__ = ["FORMAT"]


def _read(data: Any, origin: Origin) -> Catalog:
    return catalog_of(entries(data, origin), _tool, origin, format="library")


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
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


FORMAT: Format[Catalog] = Format(
    name="library",
    kind="catalog",
    looks='libraries with "functions" that have "arglist" and "return_type"',
    detects=is_libraries,
    read=_read,
    write=None,
)
