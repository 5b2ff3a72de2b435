"""
What the readers of catalogs share: the entries of tools, their names, effects and JSON Schemas.

Every function takes the place of what it reads as an `Origin`, so that mistakes are named with theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from refract_asp.errors import CatalogError, InputError, shown
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Catalog, Effect, Parameter, Tool
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, declared, resolve, target, type_words
from refract_asp.resources import packaged

# What describes a tool, after its place.
Entry: TypeAlias = tuple[Origin, Any]
ReadTool: TypeAlias = Callable[[Any, Origin], Tool | None]

_EFFECTS: dict[str, Effect] = packaged("formats/places.json")["methods"]
# A method for each effect, for formats that have no other word for it.
METHODS: dict[Effect, str] = {"read": "GET", "write": "POST", "destructive": "DELETE"}


# -- entries ---------------------------------------------------------------------------


def entries_of(data: Any, keys: tuple[str, ...], origin: Origin, hint: str) -> Iterator[Entry]:
    """
    Yield the entries of a list, or of the lists that an object holds under `keys`, or the object alone.

    Raises:
        FormatError: there is no list.

    Example:
        >>> [(at.at(), entry) for at, entry in entries_of({"tools": ["Search"]}, ("tools",), Origin(), "")]
        [('tools[0]', 'Search')]
    """
    lists: dict[tuple[str, ...], Any] = {(): data}
    if isinstance(data, dict):
        lists = {(key,): data[key] for key in keys if key in data}
        if not lists:
            yield origin, data
    for place, entries in lists.items():
        at = origin.inside(*place)
        at.need(isinstance(entries, list), "a list of tools is needed.", hint=hint)
        yield from ((at.inside(index), entry) for index, entry in enumerate(entries))


def any_entry(data: Any, keys: tuple[str, ...], fits: Callable[[Any], bool]) -> bool:
    """Whether one of the entries that `entries_of` yields fits."""
    held = [data.get(key) for key in keys] if isinstance(data, dict) else [data]
    lists = [entries for entries in held if isinstance(entries, list)]
    alone = [[data]] if isinstance(data, dict) else []
    return any(fits(entry) for entries in lists or alone for entry in entries)


def is_function(entry: Any) -> bool:
    """
    Whether an entry has a name, and under `parameters` a JSON Schema of an object, not names of parameters.

    Example:
        >>> is_function({"name": "T", "parameters": {"type": "object", "properties": {"a": {}}}})
        True
        >>> is_function({"name": "T", "parameters": {"type": {"type": "string"}}})
        False
    """
    match entry:
        case {"name": _, "parameters": {"type": str(kind), "properties": dict()}}:
            return kind.lower() in ("object", "dict")
    return False


def name_in(entry: Any, at: Origin, hint: str, key: str = "name") -> str:
    """
    Return the name of a tool.

    Raises:
        FormatError: the entry is no object, or has no name.
    """
    at.need(isinstance(entry, dict), "an object is needed for each tool.", hint=hint)
    name = entry.get(key)
    if not isinstance(name, str) or not name:
        raise at.error("the name of the tool is needed, as a text.", (key,), hint)
    return name


def text_in(entry: dict[str, Any], key: str, at: Origin) -> str:
    """
    Return the text under a key, the empty one where there is none.

    Raises:
        FormatError: what stands there is no text.
    """
    value = entry.get(key) or ""
    at.need(isinstance(value, str), "a text is needed.", key, hint="Put it in quotes.")
    return str(value)


def catalog_of(entries: Iterable[Entry], read: ReadTool, format: str, name: str = "") -> Catalog:
    """
    Return the catalog of the tools that `read` makes of the entries; None passes one over.

    A mistake in an entry ends the reading, unless the origin collects mistakes.

    Raises:
        CatalogError: two tools have one name.
    """
    seen: dict[str, Origin] = {}
    tools: list[Tool] = []
    for at, entry in entries:
        try:
            tool = read(entry, at)
            if tool is None:
                continue
            if tool.name in seen:
                other = Origin().at(seen[tool.name].base)
                what = f"two tools are named {shown(tool.name, 80)!r}, the other is {other}."
                hint = "Rename or remove one of them."
                raise CatalogError(what, where=at.at(("name",)), hint=hint)
        except InputError as error:
            at.forgive(error)
        else:
            seen[tool.name] = at
            tools.append(tool)
    return Catalog(tools=tuple(tools), name=name, format=format)


class ToolList(ABC):
    """
    A format whose tools stand in a list, or in lists under some `keys`, or alone.

    Attributes:
        name: how it is asked for.
        looks: what its data looks like, for messages.
        hint: how a tool is written, for messages.
        keys: those of the lists.
        inputs: keys of the schema of the arguments; the first is written.
        outputs: likewise of what the tool returns.
        is_written: whether it is printed as well.
    """

    name = looks = hint = ""
    keys: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    is_written = True

    def format(self) -> Format[Catalog]:
        """Return the format."""

        def read(data: Any, origin: Origin) -> Catalog:
            return catalog_of(self.entries(data, origin), self.tool, self.name)

        write = self.write if self.is_written else None
        return Format(self.name, "catalog", self.looks, self.detects, read, write)

    @abstractmethod
    def is_tool(self, entry: Any) -> bool:
        """Whether an entry is a tool of this format."""

    def detects(self, data: Any) -> bool:
        """Whether data is taken for this format."""
        return any_entry(data, self.keys, self.is_tool)

    def entries(self, data: Any, origin: Origin) -> Iterator[Entry]:
        """Yield what describes each tool."""
        return entries_of(data, self.keys, origin, self.hint)

    def schema(self, part: JsonSchema) -> JsonSchema:
        """Return a part of a schema in the words of JSON Schema."""
        return part

    def effect(self, entry: dict[str, Any]) -> Effect:  # noqa: ARG002
        """Return what an entry says of the effect of its tool."""
        return "unknown"

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        """Read a tool; None passes the entry over."""
        name = name_in(entry, at, self.hint)
        schemas = []
        for keys in (self.inputs, self.outputs or ("",)):
            key = next((key for key in keys if entry.get(key) is not None), keys[-1])
            schemas.append((mapped(entry.get(key), self.schema), at.inside(key)))
        (schema, inside), (output, place) = schemas
        said: Any = {"description": text_in(entry, "description", at), "effect": self.effect(entry)}
        said["output_schema"] = None if output is None else as_mapping(output, place)
        return tool_of(name, schema, inside, **said)

    def data(self, tool: Tool) -> dict[str, Any]:
        """Print a tool."""
        schemas = {self.inputs[0]: standard(input_of(tool))}
        if self.outputs and tool.output_schema is not None:
            schemas[self.outputs[0]] = standard(tool.output_schema)
        return {"name": tool.name, "description": tool.description, **schemas}

    def write(self, catalog: Catalog) -> Any:
        """Print a catalog."""
        return [self.data(tool) for tool in catalog]


# -- effects ---------------------------------------------------------------------------


def effect_of_method(method: Any) -> Effect:
    """
    Return what an HTTP method does.

    Example:
        >>> effect_of_method("get"), effect_of_method("DELETE"), effect_of_method(None)
        ('read', 'destructive', 'unknown')
    """
    return _EFFECTS.get(method.upper(), "unknown") if isinstance(method, str) else "unknown"


def effect_of_annotations(annotations: Any) -> Effect:
    """
    Return what the annotations of a tool, as data or as an object, say of its effect.

    By the protocol a tool that is not read-only is destructive unless it says otherwise. That is taken at
    its word where the tool speaks of either; where it speaks of neither, nothing is known.

    Example:
        >>> effect_of_annotations({"readOnlyHint": False}), effect_of_annotations({"title": "Search"})
        ('destructive', 'unknown')
    """

    def hint(*names: str) -> Any:
        is_data = isinstance(annotations, dict)
        get = annotations.get if is_data else lambda name: getattr(annotations, name, None)
        return next((said for said in map(get, names) if said is not None), None)

    read_only = hint("readOnlyHint", "read_only_hint")
    destructive = hint("destructiveHint", "destructive_hint")
    if read_only is True:
        return "read"
    if destructive is False:
        return "write"
    return "destructive" if read_only is False or destructive is True else "unknown"


# -- schemas ---------------------------------------------------------------------------

_KEYWORDS = packaged("formats/places.json")["schemas"]
_NAMED, _ONE, _SEVERAL, _IN_PARAMETERS = map(frozenset, _KEYWORDS.values())


def mapped(schema: Any, change: Callable[[JsonSchema], JsonSchema]) -> Any:
    """
    Return a schema in which each part, from the outside in, is what `change` returns for it.

    Only what is a schema is changed, not what stands in `default`, `enum` and the like. What has the
    shape of no schema stays as it is.

    Example:
        >>> mapped({"items": {"type": "A"}, "default": {"type": "A"}}, lambda s: {**s, "x": 1})
        {'items': {'type': 'A', 'x': 1}, 'default': {'type': 'A'}, 'x': 1}
    """
    if not isinstance(schema, dict):
        return schema
    result: JsonSchema = dict(change(schema))
    for key, value in result.items():
        if key in _NAMED and isinstance(value, dict):
            result[key] = {name: mapped(inner, change) for name, inner in value.items()}
        elif key in _ONE and isinstance(value, dict):
            result[key] = mapped(value, change)
        elif key in _SEVERAL and isinstance(value, list):
            result[key] = [mapped(inner, change) for inner in value]
    return result


def standard(schema: JsonSchema) -> JsonSchema:
    """
    Return a schema with the types of JSON Schema for those of other languages; unknown ones are left out.

    Example:
        >>> standard({"type": "dict", "properties": {"price": {"type": "float"}, "day": {"type": "Date"}}})
        {'type': 'object', 'properties': {'price': {'type': 'number'}, 'day': {}}}
    """

    def change(part: JsonSchema) -> JsonSchema:
        kinds = part.get("type")
        if not isinstance(kinds, str) and not (kinds and _is_texts(kinds)):
            return part
        listed = [kinds] if isinstance(kinds, str) else kinds
        words = list(dict.fromkeys(map(type_words, listed)))
        if all(word in JSON_TYPES for word in words):
            return {**part, "type": words[0] if isinstance(kinds, str) else words}
        return {key: value for key, value in part.items() if key != "type"}

    whole: JsonSchema = mapped(schema, change)
    return whole


def whole_schema(schema: Any, at: Origin) -> JsonSchema:
    """
    Return a schema as a mapping: a plain text names the type, at any depth of properties and items.

    Raises:
        FormatError: it is neither a mapping nor a text.

    Example:
        >>> whole_schema({"properties": {"count": "string"}}, Origin())
        {'properties': {'count': {'type': 'string'}}}
    """
    if isinstance(schema, str):
        return {"type": schema}
    if schema is None or schema is True or schema == []:
        return {}
    what = "a JSON Schema is needed, or the name of a type."
    at.need(isinstance(schema, dict), what, hint="Write `{type: string}`.")
    whole = dict(schema)
    if isinstance(schema.get("properties"), dict):
        whole["properties"] = fields_in(schema["properties"], at.inside("properties"))
    if isinstance(schema.get("items"), dict | str):
        whole["items"] = whole_schema(schema["items"], at.inside("items"))
    return whole


def fields_in(fields: Any, at: Origin) -> JsonSchema:
    """
    Return the schemas of the fields of an object.

    Raises:
        FormatError: `fields` is not a mapping of names to schemas.
    """
    hint = "Write `{skyId: {type: string}}`."
    at.need(isinstance(fields, dict), "a mapping of names to schemas is needed.", hint=hint)
    return {
        name: inner if isinstance(inner, bool) else whole_schema(inner, at.inside(name))
        for name, inner in fields.items()
    }


def object_schema(fields: Any, at: Origin) -> JsonSchema:
    """Return the schema of an object from the schemas of its fields."""
    return {"type": "object", "properties": fields_in(fields, at)}


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def as_mapping(schema: Any, at: Origin) -> JsonSchema:
    """
    Return a schema as a mapping; nothing inside it is looked at.

    Raises:
        FormatError: it is no schema.
    """
    if isinstance(schema, dict):
        return schema
    return {"not": {}} if schema is False else whole_schema(schema, at)


def tool_of(name: str, schema: Any, at: Origin, **fields: Any) -> Tool:
    """
    Return a tool with some `fields` whose input is given by one JSON Schema of an object, as most formats do.

    References at the top of a parameter are followed; the whole schema is kept where parameters refer
    to its definitions or where it says more than they do. Undeclared parameters are taken only if the
    schema says so in so many words. What is wrong inside the schema of a parameter stays as it is.

    Raises:
        FormatError: the schema, or that of a parameter, is no mapping.

    Example:
        >>> schema = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
        >>> tool_of("Search", schema, Origin()).parameters["query"].required
        True
    """
    root = {} if schema is None or schema == [] else schema
    hint = 'Write {"type": "object", ...}.'
    at.need(isinstance(root, dict), "a JSON Schema of an object is needed.", hint=hint)
    top = resolve(root, root)
    properties, required = top.get("properties") or {}, top.get("required") or []
    what = "a mapping of names to schemas is needed."
    at.need(isinstance(properties, dict), what, "properties")
    hint = 'Write ["a", "b"].'
    at.need(_is_texts(required), "a list of names is needed here.", "required", hint=hint)
    names, parameters = set(required), {}
    for parameter, inner in properties.items():
        own = as_mapping(inner, at.inside("properties", parameter))
        if "$ref" in own and target(own["$ref"], root) is not None:
            whole = resolve(own, root)
            own = whole if isinstance(whole, dict) and whole else own
        needed = parameter in names
        parameters[parameter] = Parameter(name=parameter, required=needed, json_schema=own)
    for parameter in required:
        parameters.setdefault(parameter, Parameter(name=parameter, required=True))
    additional = top.get("additionalProperties")
    has_schema = isinstance(additional, dict)
    says_more = has_schema or bool(declared(top).keys() - _IN_PARAMETERS)
    takes_more = additional is True or has_schema or bool(top.get("patternProperties"))
    if says_more or root is not top or _refers(properties):
        fields["input_schema"] = root
    return Tool(name=name, parameters=parameters, additional_parameters=takes_more, **fields)


def _refers(value: Any) -> bool:
    """Whether there is a reference in a schema, at any depth."""
    if isinstance(value, dict):
        return isinstance(value.get("$ref"), str) or any(map(_refers, value.values()))
    return isinstance(value, list) and any(map(_refers, value))


def input_of(tool: Tool) -> JsonSchema:
    """
    Return the JSON Schema of the arguments of a tool as a whole: what `tool_of` reads back as the same.

    Example:
        >>> schema = {"type": "object", "properties": {"query": {"type": "string"}}}
        >>> input_of(tool_of("Search", schema, Origin())) == schema
        True
    """
    if tool.input_schema is not None:
        return tool.input_schema
    properties = {name: parameter.json_schema for name, parameter in tool.parameters.items()}
    schema: JsonSchema = {"type": "object", "properties": properties}
    if required := [name for name, parameter in tool.parameters.items() if parameter.required]:
        schema["required"] = required
    if tool.additional_parameters:
        schema["additionalProperties"] = True
    return schema
