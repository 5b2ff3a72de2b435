"""
The catalog format of this project, in YAML or JSON.

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

from contextlib import suppress
from typing import Any

from refract_asp.errors import InputError, meant, shown
from refract_asp.formats import catalogs
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.conventions import standard
from refract_asp.model.schemas import JsonSchema

_TOP = ("name", "tools")
_TOOL = (
    "name",
    "description",
    "effect",
    "parameters",
    "input",
    "returns",
    "additional_parameters",
    "tags",
)
_BEGIN = "Begin each tool with `- name:`."
_EFFECTS = ("read", "write", "destructive", "unknown")
# Keys by which the tools of other formats are known that also stand in a list `tools`.
_FOREIGN = {
    "type", "function", "input_schema", "inputSchema", "functionDeclarations", "function_declarations",
    "parametersJsonSchema", "parameters_json_schema", "responseJsonSchema", "response_json_schema",
    "toolSpec",
}  # fmt: skip


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
        is_named = isinstance(entry, dict) and isinstance(entry.get("name"), str)
        return is_named and entry.keys() <= {*_TOOL} and not catalogs.is_function(entry)

    return isinstance(data, list) and bool(data) and all(map(is_tool, data))


def _read(data: Any, origin: Origin) -> Catalog:
    if _is_list(data):
        return catalogs.catalog_of(
            catalogs.entries_of(data, (), origin, _BEGIN), _tool, format="native"
        )
    what = "a mapping with the key `tools` is needed."
    origin.need(isinstance(data, dict) and "tools" in data, what, hint="Begin with `tools:`.")
    _check_keys(data, _TOP, origin)
    entries = catalogs.entries_of(data, ("tools",), origin, _BEGIN)
    name = catalogs.text_in(data, "name", origin)
    return catalogs.catalog_of(entries, _tool, format="native", name=name)


def _tool(entry: Any, at: Origin) -> Tool:
    at.need(isinstance(entry, dict), "a mapping is needed for each tool.", hint=_BEGIN)
    _check_keys(entry, _TOOL, at)
    name = catalogs.text_in(entry, "name", at)
    at.need(bool(name), "the tool has no name.", hint="Add `name:`.")
    effect = entry.get("effect", "unknown")
    if effect not in _EFFECTS:
        what = f"{shown(str(effect), 60)!r} is no effect."
        raise at.error(what, ("effect",), meant(effect, _EFFECTS))
    additional = entry.get("additional_parameters", False)
    what = "true or false is needed."
    at.need(isinstance(additional, bool), what, "additional_parameters")
    at.remarks.tool = name
    said: Any = {"description": catalogs.about_in(entry, "description"), "effect": effect}
    tags = entry.get("tags") or []
    is_texts = isinstance(tags, list) and all(isinstance(each, str) for each in tags)
    at.need(is_texts, "a list of texts is needed.", "tags")
    said["tags"] = tuple(tags)
    said["output_schema"] = _returns(entry.get("returns"), at.inside("returns"), name)
    if "input" in entry:
        for key in ("parameters", "additional_parameters"):
            what = f"`input` says it all, `{key}` cannot stand beside it."
            at.need(key not in entry, what, key)
        return catalogs.tool_of(name, entry["input"], at.inside("input"), **said)
    inside = at.inside("parameters")
    parameters = entry.get("parameters") or {}
    what = "a mapping of names to schemas is needed."
    inside.need(isinstance(parameters, dict), what, hint="Write `query: {type: string}`.")
    found = {p: _parameter(p, raw, inside.inside(p)) for p, raw in parameters.items()}
    return Tool(name=name, parameters=found, additional_parameters=additional, **said)


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


# -- printing --------------------------------------------------------------------------


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


LOOKS = "a mapping with the key `tools`, in YAML or JSON"
FORMAT: Format[Catalog] = Format("native", "catalog", LOOKS, _detects, _read, _write)
