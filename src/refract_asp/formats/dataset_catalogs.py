"""Catalogs of data sets: NESTFUL, Seal-Tools and libraries of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from refract_asp.formats import catalogs
from refract_asp.formats.values import Origin
from refract_asp.model import Parameter, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, declared, type_words


def _output(entry: dict[str, Any], key: str, at: Origin) -> JsonSchema | None:
    """Return the schema of an output whose fields stand under a key."""
    return None if entry.get(key) is None else catalogs.object_schema(entry[key], at.inside(key))


class _Nestful(catalogs.ToolList):
    name, looks = "nestful", 'objects with "name", "query_parameters" and "output_parameters"'
    hint = 'Write {"name": ..., "query_parameters": {...}, "output_parameters": {...}}.'

    def is_tool(self, entry: Any) -> bool:
        keys = entry.keys() if isinstance(entry, dict) else set()
        return bool({"query_parameters", "output_parameters"} & keys)

    def detects(self, data: Any) -> bool:
        return data == [] or super().detects(data)

    def tool(self, entry: Any, at: Origin) -> Tool:
        name = catalogs.name_in(entry, at, self.hint)
        is_other = "query_parameters" not in entry and "parameters" in entry
        inside = at.inside("parameters" if is_other else "query_parameters")
        given = entry.get(inside.base[-1]) or {}
        what = "an object of names and schemas is needed."
        inside.need(isinstance(given, dict), what, hint=self.hint)
        parameters = {}
        for parameter, raw in given.items():
            place = inside.inside(parameter)
            schema = declared(catalogs.whole_schema(raw, place))
            required = False
            if not isinstance(schema.get("required"), list):
                required = schema.pop("required", False)
            place.need(isinstance(required, bool), "true or false is needed.", "required")
            if isinstance(schema.get("optional"), bool):
                required = not schema.pop("optional") and required
            if "allowed_values" in schema:
                schema.setdefault("enum", schema.pop("allowed_values"))
            parameters[parameter] = Parameter(name=parameter, required=required, json_schema=schema)
        said: Any = {"description": str(entry.get("description") or "")}
        said["effect"] = catalogs.effect_of_method(entry.get("method"))
        said["output_schema"] = _output(entry, "output_parameters", at)
        return Tool(name=name, parameters=parameters, **said)

    def data(self, tool: Tool) -> dict[str, Any]:
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


class _Seal(catalogs.ToolList):
    name, looks, is_written = "seal", 'objects with "api_name"', False
    hint = 'Write {"api_name": ..., "parameters": {...}, "required": [...], "responses": {...}}.'

    def is_tool(self, entry: Any) -> bool:
        return isinstance(entry, dict) and "api_name" in entry

    def tool(self, entry: Any, at: Origin) -> Tool:
        name = catalogs.name_in(entry, at, self.hint, "api_name")
        schema = catalogs.object_schema(entry.get("parameters") or {}, at.inside("parameters"))
        schema["required"] = entry.get("required") or []
        about = catalogs.text_in(entry, "api_description", at)
        output = _output(entry, "responses", at)
        return catalogs.tool_of(name, schema, at, description=about, output_schema=output)


# -- libraries of functions ------------------------------------------------------------

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


def _is_function(data: Any) -> bool:
    keys = data.keys() if isinstance(data, dict) else set()
    return bool({"function_name", "arglist"} & keys) or {"name", "args", "return_type"} <= keys


def head_in(library: dict[str, Any], at: Origin) -> Head:
    """
    Return what a library says of itself; without an id it goes by its name.

    Raises:
        FormatError: the id or the name is no text, or there is no such style.
    """
    name = catalogs.text_in(library, "library_name", at)
    style = library.get("style", "import")
    what = "the style is import or class."
    at.need(style in ("import", "class"), what, "style", hint=_Library.hint)
    return Head(catalogs.text_in(library, "id", at) or name, name, style)


def function_in(function: Any, at: Origin) -> Function:
    """
    Return a function.

    Raises:
        FormatError: it has no name, two arguments have one name, or a field is not of its type.
    """

    fields = function if isinstance(function, dict) else {}
    keys = (("function_name", "name"), ("documentation", "doc"), ("arglist", "args"))
    names, docs, lists = (long if long in fields else short for long, short in keys)
    name = catalogs.name_in(function, at, _FUNCTION, names)
    doc = catalogs.text_in(function, docs, at)
    texts = []
    for key, what in ((lists, "names"), ("return_type", "the names of types")):
        words = fields.get(key) or []
        words = [words] if isinstance(words, str) and key == "return_type" else words
        is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
        at.need(is_list, f"a list of {what} is needed.", key, hint=_FUNCTION)
        texts.append(tuple(word for word in words if word))
    is_unique = len(set(texts[0])) == len(texts[0])
    at.need(is_unique, "two arguments have one name.", lists, hint="Rename one of them.")
    return Function(name, doc, *texts)


def _value(word: str) -> JsonSchema:
    kind = type_words(word)
    return {"type": kind} if kind in JSON_TYPES else {"type": "object", "title": word}


class _Library(catalogs.ToolList):
    name, is_written = "library", False
    looks = 'libraries with "functions" that have "arglist" and "return_type"'
    hint = 'Write {"id": ..., "library_name": ..., "style": "import", "functions": [...]}.'

    def is_tool(self, entry: Any) -> bool:
        match entry:
            case {"functions": list(functions)}:
                return "library_name" in entry or any(map(_is_function, functions))
        return _is_function(entry)

    def entries(self, data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
        """Yield each function with its library, which is empty for functions alone, and the place of that."""
        for at, library in super().entries(data, origin):
            if _is_function(library):
                yield at, (origin, {}, library)
                continue
            functions = library.get("functions") if isinstance(library, dict) else None
            what = "a library with a list of functions is needed."
            at.need(isinstance(functions, list), what, hint=self.hint)
            for number, function in enumerate(functions or ()):
                yield at.inside("functions", number), (at, library, function)

    def tool(self, entry: Any, at: Origin) -> Tool:
        above, library, raw = entry
        head = head_in(library, above)
        function = function_in(raw, at)
        parameters = {name: Parameter(name=name, required=True) for name in function.args}
        if head.style == "class":
            subject = head.name if head.name and head.name not in parameters else "self"
            holder = Parameter(name=subject, required=True, json_schema=_value(head.name))
            parameters = {subject: holder, **parameters}
        name = f"{head.id}.{function.name}" if head.id else function.name
        outputs = [_value(word) for word in function.returns]
        output = {"anyOf": outputs} if len(outputs) > 1 else next(iter(outputs), None)
        about = said(function.doc)
        return Tool(name=name, description=about, parameters=parameters, output_schema=output)


NESTFUL_SPEC = _Nestful().format()
FORMATS = (_Library().format(), _Seal().format())
