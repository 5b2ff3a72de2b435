"""
Catalogs that are lists of tools: the format of this project, those of chat providers, MCP servers and data sets.

Those of data sets are NESTFUL, Seal-Tools and libraries of functions. The format of this project, "native", is
YAML or JSON:

    name: travel                          # optional; a file lends its name
    tools:
      - name: SkyScrapperSearchAirport
        description: ...
        effect: read                      # read | write | destructive | unknown (the default)
        parameters:
          query: {type: string, required: true, description: ...}
          limit: integer                  # short for {type: integer}
        returns: {skyId: {type: string}, entityId: string}
        additional_parameters: false      # true: it takes parameters that are not declared
        tags: [flights]                   # words to choose tools by

Where parameters share definitions or depend on each other, one JSON Schema of all arguments says more than
`parameters`, and stands in their place:

        input: {type: object, properties: {from: {$ref: "#/$defs/Day"}}, $defs: {Day: {type: string}}}

The list of tools may stand alone. Without `returns` nothing is said of the output. Each parameter is a JSON
Schema with `required: true` or `false` beside it. Where the schema itself has to say `required: [...]`, or
what a tool returns is no object, the whole schema goes under the key `schema`:

        parameters: {filter: {required: true, schema: {type: object, required: [city]}}}
        returns: {schema: {type: array, items: {type: string}}}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from refract_asp.errors import LONGEST_TEXT, InputError, meant, shown
from refract_asp.formats import catalogs
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.conventions import standard
from refract_asp.model.paths import are_texts, object_of
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, type_words
from refract_asp.resources import packaged

# -- the format of this project --------------------------------------------------------

_TOP = ("name", "tools")
_TOOL = (
    "name", "description", "effect", "parameters", "input", "returns", "additional_parameters", "tags",
)  # fmt: skip
_BEGIN = "Begin each tool with `- name:`."
# Keys by which the tools of other formats are known that also stand in a list `tools`.
_FOREIGN = frozenset(packaged("formats/places.json")["foreign"]["native"])


def _detects(data: Any) -> bool:
    if _is_list(data):
        return True
    if not isinstance(data, dict) or "tools" not in data or "jsonrpc" in data or "openapi" in data:
        return False

    def is_foreign(tool: Any) -> bool:
        has_key = isinstance(tool, dict) and bool(_FOREIGN & tool.keys())
        return has_key or catalogs.is_function(tool)

    return not catalogs.any_entry(data, ("tools",), is_foreign)


def _is_list(data: Any) -> bool:
    """Whether these are tools without `tools:` around them, and none of another format."""

    def is_tool(entry: Any) -> bool:
        is_named = catalogs.has_name(entry)
        return is_named and entry.keys() <= {*_TOOL} and not catalogs.is_function(entry)

    return isinstance(data, list) and bool(data) and all(map(is_tool, data))


def _read(data: Any, origin: Origin) -> Catalog:
    name = ""
    if not _is_list(data):
        what = "a mapping with the key `tools` is needed."
        origin.need("tools" in object_of(data), what, hint="Begin with `tools:`.")
        _check_keys(data, _TOP, origin)
        name = catalogs.text_in(data, "name", origin)
    entries = catalogs.entries_of(data, ("tools",), origin, _BEGIN)
    return catalogs.catalog_of(entries, _tool, format="native", name=name)


def _tool(entry: Any, at: Origin) -> Tool:
    at.need(isinstance(entry, dict), "a mapping is needed for each tool.", hint=_BEGIN)
    _check_keys(entry, _TOOL, at)
    name = catalogs.text_in(entry, "name", at)
    at.need(bool(name), "the tool has no name.", hint="Add `name:`.")
    effect = entry.get("effect", "unknown")
    if effect not in catalogs.EFFECTS:
        what = f"{shown(str(effect), 60)!r} is no effect."
        raise at.error(what, ("effect",), meant(effect, catalogs.EFFECTS))
    additional = entry.get("additional_parameters", False)
    what = "true or false is needed."
    at.need(isinstance(additional, bool), what, "additional_parameters")
    at.remarks.tool = name
    fields: Any = {"description": catalogs.about_in(entry, "description"), "effect": effect}
    tags = entry.get("tags") or []
    at.need(are_texts(tags), "a list of texts is needed.", "tags")
    fields["tags"] = tuple(tags)
    fields["output_schema"] = _returns(entry.get("returns"), at.inside("returns"), name)
    if "input" in entry:
        for key in ("parameters", "additional_parameters"):
            what = f"`input` says it all, `{key}` cannot stand beside it."
            at.need(key not in entry, what, key)
        return catalogs.tool_of(name, entry["input"], at.inside("input"), **fields)
    inside = at.inside("parameters")
    parameters = entry.get("parameters") or {}
    what = "a mapping of names to schemas is needed."
    inside.need(isinstance(parameters, dict), what, hint="Write `query: {type: string}`.")
    found = {p: _parameter(p, raw, inside.inside(p)) for p, raw in parameters.items()}
    return Tool(name=name, parameters=found, additional_parameters=additional, **fields)


def _parameter(name: str, raw: Any, at: Origin) -> Parameter:
    match raw:
        case {"schema": dict(own)} if raw.keys() <= {"schema", "required"}:
            found = catalogs.parameter_of(name, {"required": raw.get("required")}, at)
            schema = catalogs.as_mapping(standard(own, at.remarks, (name,), keeps_words=True))
            return found.model_copy(update={"json_schema": schema})
    return catalogs.parameter_of(name, raw, at)


def _returns(raw: Any, at: Origin, tool: str = "") -> JsonSchema | None:
    match raw:
        case None:
            return None
        case {"schema": dict(whole)} if len(raw) == 1:
            return catalogs.as_mapping(standard(whole, at.remarks, ("returns",), keeps_words=True))
        case {"type": "array" | "object"} if raw.keys() & {"items", "properties"}:
            hint = "Put a whole schema under `schema:`; write a field of the name `type` as `type: {type: string}`."
            what = "a mapping of field names is needed, this looks like a schema."
            raise at.error(what, hint=hint)
    return catalogs.fields_of(raw, at, tool, "returns")


def _check_keys(data: dict[str, Any], known: tuple[str, ...], at: Origin) -> None:
    for key in data:
        if key not in known:
            raise at.error(f"the key {shown(key, 80)!r} is unknown.", (key,), meant(key, known))


def _write(catalog: Catalog) -> dict[str, Any]:
    tools: list[dict[str, Any]] = []
    for tool in catalog.tools:
        about = {"description": tool.description} if tool.description else {}
        data: dict[str, Any] = {"name": tool.name, **about, "effect": tool.effect}
        by_name = {}
        for name, parameter in tool.parameters.items():
            flag = {"required": True} if parameter.required else {}
            by_name[name] = {**flag, "schema": parameter.json_schema}
            plain = {**parameter.json_schema, **flag}
            with suppress(InputError):  # in plain words, where they read back as the same
                is_free = "required" not in parameter.json_schema
                if is_free and _parameter(name, plain, Origin()) == parameter:
                    by_name[name] = plain
        if tool.input_schema is not None:
            data["input"] = tool.input_schema
        elif by_name:
            data["parameters"] = by_name
        if tool.output_schema is not None:
            fields: Any = tool.output_schema.get("properties")
            data["returns"] = {"schema": tool.output_schema}
            with suppress(InputError):  # its fields alone, where they read back as the same
                if isinstance(fields, dict) and _returns(fields, Origin()) == tool.output_schema:
                    data["returns"] = dict(fields)
        if tool.additional_parameters and tool.input_schema is None:
            data["additional_parameters"] = True
        if tool.tags:
            data["tags"] = list(tool.tags)
        tools.append(data)
    return {"name": catalog.name, "tools": tools} if catalog.name else {"tools": tools}


_LOOKS = "a mapping with the key `tools`, in YAML or JSON"
NATIVE: Format[Catalog] = Format("native", "catalog", _LOOKS, _detects, _read, _write)


# -- chat providers and MCP ------------------------------------------------------------


# The types of Anthropic's own tools, which have no schema.
_DATED = re.compile(r"[a-z][a-z_]*_\d{8}")
# The arguments of a custom tool: one text.
_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


class _Anthropic(catalogs.ToolList):
    name, looks = "anthropic", 'objects with "input_schema"'
    hint = 'Write {"name": ..., "description": ..., "input_schema": {"type": "object", ...}}.'
    keys, inputs = ("tools",), ("input_schema",)
    is_provider = True

    def is_tool(self, entry: Any) -> bool:
        fields = object_of(entry)
        kind = fields.get("type")
        return "input_schema" in fields or (isinstance(kind, str) and bool(_DATED.fullmatch(kind)))

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        if not isinstance(entry, dict) or "input_schema" in entry:
            return super().tool(entry, at)
        name = catalogs.name_in(entry, at, self.hint)
        at.need(self.is_tool(entry), "the tool has no input_schema.", hint=self.hint)
        about = catalogs.about_in(entry, "description")
        return Tool(name=name, description=about, additional_parameters=True)


class _Gemini(catalogs.ToolList):
    name, looks = "gemini", 'objects with "functionDeclarations"'
    hint = 'Write {"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}.'
    keys = ("tools",)
    lists = ("functionDeclarations", "function_declarations")
    is_provider = True
    inputs = ("parametersJsonSchema", "parameters_json_schema", "parameters")
    outputs = ("responseJsonSchema", "response_json_schema", "response")
    has_outputs = True

    def is_tool(self, entry: Any) -> bool:
        if not isinstance(entry, dict) or any(key in entry for key in self.lists):
            return isinstance(entry, dict)
        if "name" in entry and any(key in entry for key in (*self.inputs[:2], *self.outputs[:2])):
            return True
        is_function = catalogs.is_function(entry) and "type" not in entry
        return is_function and catalogs.as_mapping(entry["parameters"]).get("type") == "OBJECT"

    def entries(self, data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
        """Yield the declarations of every tool; tools that Google runs, settings alone, are passed over."""
        for at, entry in super().entries(data, origin):
            fields = object_of(entry)
            held = [key for key in self.lists if key in fields]
            are_settings = fields and all(isinstance(value, dict) for value in fields.values())
            if not held and (at.base == origin.base or not are_settings or "name" in fields):
                yield at, entry
            for key in held:
                yield from catalogs.entries_of(fields[key], (), at.inside(key), self.hint)

    def write(self, catalog: Catalog) -> Any:
        return [{self.lists[0]: super().write(catalog)}]


class _Mcp(catalogs.ToolList):
    name, looks = "mcp", 'objects with "inputSchema", or an answer to `tools/list`'
    hint = 'Write {"name": ..., "inputSchema": {"type": "object", ...}}.'
    inputs, has_outputs = ("inputSchema",), True

    def is_tool(self, entry: Any) -> bool:
        """Whether this is a tool, an answer to `tools/list`, or the result in one."""
        match entry:
            case {"inputSchema": _} | {"jsonrpc": _} | {"result": {"tools": list()}}:
                return True
            case {"toolSpec": dict()} | {"toolConfig": {"tools": list()}}:  # as Bedrock has them
                return True
            case {"tools": list(tools)}:
                keys = {"inputSchema", "toolSpec"}
                return any(isinstance(tool, dict) and bool(keys & tool.keys()) for tool in tools)
        return False

    def entries(self, data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
        """Yield the tools of every page."""
        hint = "Give the answer to `tools/list`."
        match data:
            case {"toolConfig": held}:
                data, origin = held, origin.inside("toolConfig")
            case {"result": result}:
                data, origin = result, origin.inside("result")
                origin.need("tools" in object_of(data), "this result holds no tools.", hint=hint)
            case {"jsonrpc": _, "error": {"message": message}}:
                told = shown(message, LONGEST_TEXT)
                raise origin.error(f"this answer holds no result: {told}.", (), hint)
            case {"jsonrpc": _}:
                raise origin.error("this answer holds no result.", (), hint)
            case list() if any(self.is_tool(each) and "inputSchema" not in each for each in data):
                for index, page in enumerate(data):
                    yield from self.entries(page, origin.inside(index))
                return
        yield from catalogs.entries_of(data, ("tools",), origin, self.hint)

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        match entry:
            case {"cachePoint": _}:  # of Bedrock, between tools
                return None
            case {"toolSpec": dict(spec)}:
                return self.tool(spec, at.inside("toolSpec"))
            case {"inputSchema": {"json": dict(schema), **rest}} if not rest:  # of Bedrock as well
                entry = {**entry, "inputSchema": schema}
        return super().tool(entry, at)

    def data(self, tool: Tool) -> dict[str, Any]:
        data = super().data(tool)
        if tool.effect == "read":
            data["annotations"] = {"readOnlyHint": True}
        elif tool.effect != "unknown":
            is_destructive = tool.effect == "destructive"
            data["annotations"] = {"readOnlyHint": False, "destructiveHint": is_destructive}
        return data

    def write(self, catalog: Catalog) -> Any:
        return {"tools": super().write(catalog)}


class _OpenAI(catalogs.ToolList):
    name, looks = "openai", 'objects with "type": "function" and "parameters"'
    hint = 'Write {"type": "function", "function": {"name": ..., "parameters": {"type": "object", ...}}}.'
    keys, inputs = ("tools", "functions"), ("parameters",)
    is_provider = True

    def is_tool(self, entry: Any) -> bool:
        match entry:
            case {"input_schema": _} | {"inputSchema": _}:
                return False
            case {"type": "function" | "custom"}:
                return True
            case {"function": {"name": _}} if entry.get("type") is None:
                return True
        is_other = not catalogs.is_function(entry) or "api_name" in entry
        return not is_other and catalogs.as_mapping(entry["parameters"]).get("type") != "OBJECT"

    def detects(self, data: Any) -> bool:
        is_empty = object_of(data).get("functions") == []
        return (is_empty and "library_name" not in data) or super().detects(data)

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        kind = object_of(entry).get("type")
        if isinstance(kind, str) and kind not in ("function", "custom"):
            return None
        key = kind if isinstance(kind, str) else "function"
        if key in object_of(entry):
            entry, at = entry[key], at.inside(key)
        if kind == "custom" and isinstance(entry, dict):
            entry = {**entry, "parameters": _TEXT}
        return super().tool(entry, at)

    def data(self, tool: Tool) -> dict[str, Any]:
        return {"type": "function", "function": super().data(tool)}


# -- data sets -------------------------------------------------------------------------


def _output(entry: dict[str, Any], key: str, at: Origin, tool: str) -> JsonSchema | None:
    """Return the schema of an output whose fields stand under a key."""
    if entry.get(key) is None:
        return None
    return catalogs.fields_of(entry[key], at.inside(key), tool, "returns")


class _Nestful(catalogs.ToolList):
    name, looks = "nestful", 'objects with "name", "query_parameters" and "output_parameters"'
    hint = 'Write {"name": ..., "query_parameters": {...}, "output_parameters": {...}}.'

    def is_tool(self, entry: Any) -> bool:
        keys = {"query_parameters", "output_parameters", "parameter_definitions"}
        return bool(keys & object_of(entry).keys())

    def detects(self, data: Any) -> bool:
        return data == [] or super().detects(data)

    def tool(self, entry: Any, at: Origin) -> Tool:
        name = catalogs.name_in(entry, at, self.hint)
        # the second of API-Bank, the third of Cohere
        keys = ("query_parameters", "input_parameters", "parameter_definitions", "parameters")
        inside = at.inside(next((key for key in keys if key in entry), keys[0]))
        given = entry.get(inside.base[-1]) or {}
        what = "an object of names and schemas is needed."
        inside.need(isinstance(given, dict), what, hint=self.hint)
        at.remarks.tool = name
        parameters = {each: catalogs.parameter_of(each, raw, inside) for each, raw in given.items()}
        said: Any = {"description": catalogs.about_in(entry, "description")}
        said["effect"] = catalogs.effect_of_method(entry.get("method"))
        said["output_schema"] = _output(entry, "output_parameters", at, name)
        return Tool(name=name, parameters=parameters, **said)

    def data(self, tool: Tool) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": tool.name, "description": tool.description}
        if tool.effect in catalogs.METHODS:
            entry["method"] = catalogs.METHODS[tool.effect]
        given = tool.parameters.items()
        fields = {name: {"required": each.required, **each.json_schema} for name, each in given}
        entry["query_parameters"] = fields
        if tool.output_schema is not None:
            entry["output_parameters"] = tool.output_schema.get("properties", {})
        return entry


class _Seal(catalogs.ToolList):
    name, looks, is_written = "seal", 'objects with "api_name"', False
    hint = 'Write {"api_name": ..., "parameters": {...}, "required": [...], "responses": {...}}.'

    def is_tool(self, entry: Any) -> bool:
        match entry:
            case {"api_name": _} | {"name": _, "required_parameters": list()}:
                return True
            case {"name": _, "parameters": dict(), "required": list()}:
                return not catalogs.is_function(entry)
        return False

    def tool(self, entry: Any, at: Origin) -> Tool:
        keys = catalogs.as_mapping(entry).keys()
        key = "name" if "name" in keys and "api_name" not in keys else "api_name"
        name = catalogs.name_in(entry, at, self.hint, key)
        needed = entry.get("required")
        fields: Any = entry.get("parameters")
        listed = entry.get("required_parameters")
        if "parameters" not in entry and isinstance(listed, list):
            # of ToolBench; what is no list of fields is refused below
            fields = [*listed, *(entry.get("optional_parameters") or ())]
            needed = [each.get("name") for each in listed if isinstance(each, dict)]
        schema = catalogs.fields_of(fields, at.inside("parameters"), name)
        schema = {**schema, "required": needed} if needed else schema
        about = catalogs.about_in(entry, "api_description") or catalogs.about_in(
            entry, "description"
        )
        output = _output(entry, "responses", at, name)
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
    keys = object_of(data).keys()
    return bool({"function_name", "arglist"} & keys) or {"name", "args", "return_type"} <= keys


def head_in(library: dict[str, Any], at: Origin) -> tuple[str, str, str]:
    """
    Return the id of a library, its name in code, and its style (import or class).

    Without an id it goes by its name.

    Raises:
        FormatError: the id or the name is no text, or there is no such style.
    """
    name = catalogs.text_in(library, "library_name", at)
    style = library.get("style", "import")
    what = "the style is import or class."
    at.need(style in ("import", "class"), what, "style", hint=_Library.hint)
    return catalogs.text_in(library, "id", at) or name, name, style


def function_in(function: Any, at: Origin) -> Function:
    """
    Return a function.

    Raises:
        FormatError: it has no name, two arguments have one name, or a field is not of its type.
    """

    fields = object_of(function)
    keys = (("function_name", "name"), ("documentation", "doc"), ("arglist", "args"))
    names, docs, lists = (long if long in fields else short for long, short in keys)
    name = catalogs.name_in(function, at, _FUNCTION, names)
    doc = catalogs.text_in(function, docs, at)
    texts = []
    for key, what in ((lists, "names"), ("return_type", "the names of types")):
        words = fields.get(key) or []
        words = [words] if isinstance(words, str) and key == "return_type" else words
        at.need(are_texts(words), f"a list of {what} is needed.", key, hint=_FUNCTION)
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
            functions = object_of(library).get("functions")
            what = "a library with a list of functions is needed."
            at.need(isinstance(functions, list), what, hint=self.hint)
            for number, function in enumerate(functions or ()):
                yield at.inside("functions", number), (at, library, function)

    def tool(self, entry: Any, at: Origin) -> Tool:
        above, library, raw = entry
        id, subject, style = head_in(library, above)
        function = function_in(raw, at)
        parameters = {name: Parameter(name=name, required=True) for name in function.args}
        if style == "class":
            own = subject if subject and subject not in parameters else "self"
            holder = Parameter(name=own, required=True, json_schema=_value(subject))
            parameters = {own: holder, **parameters}
        name = f"{id}.{function.name}" if id else function.name
        outputs = [_value(word) for word in function.returns]
        output = {"anyOf": outputs} if len(outputs) > 1 else next(iter(outputs), None)
        about = said(function.doc)
        return Tool(name=name, description=about, parameters=parameters, output_schema=output)


NESTFUL_SPEC = _Nestful().format()
FORMATS = tuple(known().format() for known in (_Mcp, _OpenAI, _Anthropic, _Gemini, _Library, _Seal))
