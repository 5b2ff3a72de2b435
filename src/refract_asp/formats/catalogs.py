"""
What the readers of catalogs share: the entries of tools, their names, effects and JSON Schemas.

Every function takes the place of what it reads as an `Origin`, so that mistakes are named with theirs.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import Any, TypeAlias, get_args

from refract_asp.errors import CatalogError, InputError, shown
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Catalog, Effect, Parameter, Tool
from refract_asp.model.conventions import FLAGS, MAPS, SINGLE, Remark, standard
from refract_asp.model.paths import as_list, list_of, object_of, without
from refract_asp.model.schema_words import truth
from refract_asp.model.schemas import JsonSchema, declared, parts_of, resolve, target
from refract_asp.resources import packaged

# What describes a tool, after its place.
Entry: TypeAlias = tuple[Origin, Any]
ReadTool: TypeAlias = Callable[[Any, Origin], Tool | None]

_PLACES = packaged("formats/places.json")
_OF_METHODS: dict[str, Effect] = _PLACES["methods"]
EFFECTS = get_args(Effect)
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
        for index, entry in enumerate(entries):
            yield at.inside(entry["name"] if isinstance(entry, _UnderName) else index), entry


class _UnderName(dict[str, Any]):
    """A tool that stands under its name."""


def listed(data: Any) -> Any:
    """
    Return tools that stand under their names, alone or below `tools` or `functions`, as a list; all else as it is.

    Tools in which a dump of objects has other keys have those of providers.

    Example:
        >>> listed({"find": {"parameters": {"city": "string"}}})
        [{'name': 'find', 'parameters': {'city': 'string'}}]
    """
    if isinstance(data, list):
        tools = [_undumped(each) for each in data]
        return data if all(map(is_, tools, data)) else tools
    fields = object_of(data)
    for key in ("tools", "functions"):
        held = fields.get(key)
        if isinstance(held, dict) and held and all(isinstance(x, dict) for x in held.values()):
            held = [_UnderName({"name": name, **tool}) for name, tool in held.items()]
        if isinstance(held, list) and (tools := listed(held)) is not fields[key]:
            return {**fields, key: tools}
    are_tools = all(isinstance(x, dict) and x.keys() & _PLACES["inputs"] for x in fields.values())
    return listed({"tools": fields})["tools"] if fields and are_tools else _undumped(data)


def _undumped(entry: Any) -> Any:
    """Return a tool that is described under other keys as providers have it; all else as it is."""
    fields = object_of(entry)
    match fields:
        case {"title": str(), "type": "object", "properties": dict()} if "name" not in fields:
            entry = fields = {**fields, "name": fields["title"], "schema": fields}
    used = [next((k for k in keys if fields.get(k)), "") for keys in _PLACES["dumped"].values()]
    name, about, schema = map(fields.get, used)
    is_other = used[0] != "name" or fields.keys().isdisjoint(_PLACES["inputs"])
    if not (name and about and is_other and isinstance(schema, dict | list)):
        return entry
    schema = (by_name(schema) if used[2] in ("inputs", "args") else None) or schema
    return type(entry)(type="function", name=name, description=about, parameters=schema)


def by_name(fields: Any) -> JsonSchema | None:
    """Return the schema of parameters by name, which are required unless `nullable` or with a default."""
    if not isinstance(fields, dict) or not all(isinstance(each, dict) for each in fields.values()):
        return None
    free = {name for name, each in fields.items() if each.get("nullable") or "default" in each}
    required = [name for name in fields if name not in free]
    return {"type": "object", "properties": fields, "required": required}


def any_entry(data: Any, keys: tuple[str, ...], fits: Callable[[Any], bool]) -> bool:
    """Whether one of the entries that `entries_of` yields fits."""
    held = [data.get(key) for key in keys] if isinstance(data, dict) else [data]
    lists = [entries for entries in held if isinstance(entries, list)]
    alone = [[data]] if isinstance(data, dict) else []
    return any(fits(entry) for entries in lists or alone for entry in entries)


# What stands in a schema of an object without properties.
_OF_OBJECTS = {"type", "title", "description", "required", "additionalProperties", "$schema"}


def is_function(entry: Any) -> bool:
    """
    Whether an entry has a name, and under `parameters` a JSON Schema of an object, or a list of parameters.

    Names of parameters are none of that, which are native.

    Example:
        >>> is_function({"name": "T", "parameters": {"type": "object", "properties": {"a": {}}}})
        True
        >>> is_function({"name": "T", "parameters": {"type": {"type": "string"}}})
        False
        >>> is_function({"name": "T", "parameters": {"properties": {"type": "array"}}})
        False
    """
    match entry:
        case {"name": _, "parameters": {"type": str(kind)} as schema}:
            is_object = kind.lower() in ("object", "dict")
            has_properties = isinstance(schema.get("properties"), dict)
            return is_object and (has_properties or schema.keys() <= _OF_OBJECTS)
        case {"name": _, "parameters": {"properties": dict(fields), **rest}} if "type" not in rest:
            are_schemas = all(isinstance(each, dict) for each in fields.values())
            named = fields.keys() - _PLACES["schemas"]["of_parameter"] or "required" in rest
            return are_schemas and bool(named) and rest.keys() <= _OF_OBJECTS
        case {"name": _, "parameters": {"jsonSchema": {"properties": _}} | {"~standard": _}}:
            return True
        case {"name": _, "parameters": [_, *_] as listed}:
            return all(map(has_name, listed))
    return False


def has_name(entry: Any) -> bool:
    """Whether an entry is an object with a name."""
    return isinstance(object_of(entry).get("name"), str)


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


def about_in(entry: dict[str, Any], key: str) -> str:
    """Return the text under a key that judges nothing: several texts make up one, anything else is printed."""
    value = entry.get(key) or ""
    return "\n".join(x if isinstance(x, str) else json.dumps(x) for x in as_list(value))


def catalog_of(entries: Iterable[Entry], read: ReadTool, format: str, name: str = "") -> Catalog:
    """
    Return the catalog of the tools that `read` makes of the entries; None passes one over.

    A mistake in an entry ends the reading, unless the origin collects mistakes.

    Raises:
        CatalogError: two tools have one name.
    """
    seen: dict[str, Origin] = {}
    tools: list[Tool] = []
    remarks: Iterable[Remark] = ()
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
            remarks = at.remarks.found
    return Catalog(tools=tuple(tools), name=name, format=format, notes=tuple(remarks))


class ToolList(ABC):
    """
    A format whose tools stand in a list, or in lists under some `keys`, or alone.

    Attributes:
        name: the name by which callers choose it.
        looks: what its data looks like, for messages.
        hint: how a tool is written, for messages.
        keys: those of the lists.
        inputs: keys of the schema of the arguments; the first is written.
        outputs: likewise of what the tool returns; a format that has none reads what people add to it.
        has_outputs: whether the format has such a key, so that it is printed.
        is_written: whether it is printed as well.
        is_provider: whether names are written as providers of models take them.
    """

    name = looks = hint = ""
    keys: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ("outputSchema", "output_schema")
    has_outputs = False
    is_written = True
    is_provider = False

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

    def effect(self, entry: dict[str, Any]) -> Effect:
        """Return what an entry says of the effect of its tool, also where the format has no place for it."""
        said: Any = entry.get("effect")
        return said if said in EFFECTS else effect_of_annotations(entry.get("annotations"))

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        """Read a tool; None passes the entry over."""
        name = name_in(entry, at, self.hint)

        def used(keys: tuple[str, ...]) -> str:
            return next((key for key in keys if entry.get(key) is not None), keys[-1])

        key = used(self.inputs)
        output = entry.get(used(self.outputs))
        if not self.has_outputs and not isinstance(output, dict):
            output = None
        said: Any = {"description": about_in(entry, "description"), "effect": self.effect(entry)}
        said["strict"] = truth(entry.get("strict")) is True
        return tool_of(name, entry.get(key), at.inside(key), output=output, **said)

    def data(self, tool: Tool) -> dict[str, Any]:
        """Print a tool."""
        schemas = {self.inputs[0]: standard(input_of(tool))}
        if self.has_outputs and tool.output_schema is not None:
            schemas[self.outputs[0]] = standard(tool.output_schema)
        return {"name": tool.name, "description": tool.description, **schemas}

    def write(self, catalog: Catalog) -> Any:
        """Print a catalog; `Catalog.legal_names` are those that a provider refuses otherwise."""
        legal = {own: name for name, own in catalog.legal_names.items() if self.is_provider}
        named = (
            tool.model_copy(update={"name": legal.get(tool.name, tool.name)}) for tool in catalog
        )
        return [self.data(tool) for tool in named]


# -- effects ---------------------------------------------------------------------------


def effect_of_method(method: Any) -> Effect:
    """
    Return what an HTTP method does.

    Example:
        >>> effect_of_method("get"), effect_of_method("DELETE"), effect_of_method(None)
        ('read', 'destructive', 'unknown')
    """
    return _OF_METHODS.get(method.upper(), "unknown") if isinstance(method, str) else "unknown"


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
_NAMED, _ONE, _SEVERAL, _IN_PARAMETERS, _OF_PARAMETER = map(frozenset, _KEYWORDS.values())


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


def fields_of(fields: Any, at: Origin, name: str, place: str = "") -> JsonSchema:
    """
    Return the schema of an object, in standard words, from the schemas of its fields.

    Raises:
        FormatError: `fields` is not a mapping of names to schemas.
    """
    hint = "Write `{skyId: {type: string}}`."
    is_named = isinstance(fields, dict | None)
    is_named = is_named or (isinstance(fields, list) and all(map(has_name, fields)))
    at.need(is_named, "a mapping of names to schemas is needed.", hint=hint)
    at.remarks.tool = name
    schema = {"type": "object", "properties": fields or {}}
    whole: JsonSchema = standard(schema, at.remarks, (place,) if place else (), keeps_words=True)
    return whole


def parameter_of(name: str, raw: Any, at: Origin) -> Parameter:
    """Return a parameter whose schema may say beside it, as a flag, whether it is required."""
    own, flags = raw, dict[str, Any]()
    if isinstance(raw, dict):
        flags = {key: raw[key] for key in (*FLAGS, "optional") if is_flag(raw, key)}
        own = without(raw, flags)
    said = {key: truth(flag) for key, flag in flags.items() if flag not in (None, [], "")}
    for key in (key for key, flag in said.items() if flag is None):
        what = f"{key} is {shown(flags[key])!r}, which is neither true nor false."
        at.remarks.add((name,), what, is_loose=True)
    schema = as_mapping(standard(own, at.remarks, (name,), keeps_words=True))
    needed = any(map(said.get, FLAGS)) and not said.get("optional")
    return Parameter(name=name, required=needed, json_schema=schema)


def is_flag(schema: JsonSchema, key: str) -> bool:
    """Whether what stands under a key of a schema says something of the parameter, not of its values."""
    value, fields = schema.get(key, ...), schema.get("properties")
    if value is None or value == [] or isinstance(value, bool | int):
        return True
    names = object_of(fields)
    return isinstance(value, str) and value not in names and (not names or truth(value) is not None)


def as_mapping(schema: Any) -> JsonSchema:
    """Return a schema as a mapping, also one that is true or false; what is none stays one that is broken."""
    if isinstance(schema, dict):
        return schema
    return {} if schema is True else {"not": {}} if schema is False else {"allOf": [schema]}


def tool_of(
    name: str, schema: Any, at: Origin, *, output: Any = None, strict: bool = False, **fields: Any
) -> Tool:
    """
    Return a tool with some `fields` whose input is given by one JSON Schema of an object, as most formats do.

    References at the top of a parameter are followed; the whole schema is kept where parameters refer
    to its definitions or where it says more than they do. Undeclared parameters are taken only if the
    schema says so in so many words. What is wrong inside the schema of a parameter stays as it is.

    Args:
        name: the name of the tool.
        schema: the schema, in whatever words.
        at: where it stands.
        output: the schema of what the tool returns.
        strict: whether the schema lists as required what has a default, too, as providers ask for.
        fields: what else is said of the tool.

    Raises:
        FormatError: the schema is none.

    Example:
        >>> schema = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
        >>> tool_of("Search", schema, Origin()).parameters["query"].required
        True
    """
    remarks = at.remarks
    remarks.tool = name
    root = _root_of(schema, at)
    if output is not None:
        said = standard(output, remarks, ("returns",), keeps_words=True)
        fields["output_schema"] = as_mapping(said)
    top = as_mapping(resolve(root, root))
    properties, required = _arguments_of(top, root)
    names, parameters = set(required), {}
    strict = strict or truth(top.get("strict")) is True
    for parameter, inner in properties.items():
        own = as_mapping(inner)
        if "$ref" in own and target(own["$ref"], root) is not None:
            whole = resolve(own, root)
            own = whole if isinstance(whole, dict) and whole else own
        needed = parameter in names
        if needed and strict and "default" in own:
            needed = False
            what = "strict: required, yet it has a default, so it may be left out."
            remarks.add((parameter,), what)
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


def _arguments_of(top: JsonSchema, root: JsonSchema) -> tuple[JsonSchema, list[str]]:
    """Return the schemas of arguments, those in parts of the whole schema too, and which of them it requires."""
    own, found = object_of(top.get("properties")), dict[str, list[Any]]()
    for part in parts_of(top, root):
        for name, inner in object_of(part.get("properties")).items():
            found.setdefault(name, []).append(inner)
    schemas = {
        name: own.get(name, {"anyOf": each} if each[1:] else each[0])
        for name, each in found.items()
    }
    parts = [top, *(as_mapping(resolve(part, root)) for part in list_of(top.get("allOf")))]
    needed = [name for part in parts for name in list_of(part.get("required"))]
    return schemas, [name for name in needed if isinstance(name, str)]


def _root_of(schema: Any, at: Origin) -> JsonSchema:
    """Return the schema of the arguments of a tool in standard words."""
    remarks = at.remarks
    hint = 'Write {"type": "object", ...}.'
    match schema:
        case {"jsonSchema": {"properties": _} as inner}:  # as `jsonSchema` of Vercel prints it
            schema = inner
    is_text = isinstance(schema, str) and schema.lstrip()[:1] in ("", "{")
    # an object of zod, or of a library like it, does not print what it allows
    is_held = isinstance(schema, dict | list) and "~standard" not in schema
    is_schema = schema is None or schema is True or is_held or is_text
    at.need(is_schema, "a JSON Schema of an object is needed.", hint=hint)
    are_fields = isinstance(schema, list) and bool(schema)
    if isinstance(schema, dict) and schema and not schema.keys() & {*MAPS, *SINGLE, "$ref"}:
        inside = schema.values()
        are_fields = all(isinstance(each, dict) and each.keys() & _OF_PARAMETER for each in inside)
    if are_fields:
        remarks.add((), "the parameters stand alone, without a schema around them.")
        schema = {"type": "object", "properties": schema}
    root = as_mapping(standard(schema, remarks, keeps_words=True))
    what = "a mapping of names to schemas is needed."
    at.need(isinstance(root.get("properties") or {}, dict), what, "properties")
    return root


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
