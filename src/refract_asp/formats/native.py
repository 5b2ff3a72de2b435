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

Where parameters share definitions or depend on each other, one JSON Schema of all arguments says more than
`parameters`, and stands in their place:

        input: {type: object, properties: {from: {$ref: "#/$defs/Day"}}, $defs: {Day: {type: string}}}

Without `returns` nothing is said of the output. Each parameter is a JSON Schema with `required: true` or
`false` beside it. Where the schema itself has to say `required: [...]`, or what a tool returns is no
object, the whole schema goes under the key `schema`:

        parameters: {filter: {required: true, schema: {type: object, required: [city]}}}
        returns: {schema: {type: array, items: {type: string}}}
"""

from __future__ import annotations

from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats.entries import any_entry, catalog_of, is_function, text_in
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import (
    checked_schema,
    input_of,
    nearest,
    object_schema,
    tool_of,
    whole_schema,
)
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.schemas import JsonSchema, declared

__all__ = ["FORMAT"]

_TOP = ("name", "tools")
_TOOL = ("name", "description", "effect", "parameters", "input", "returns", "additional_parameters")
_EFFECTS = ("read", "write", "destructive", "unknown")
_FOREIGN = frozenset(
    {
        "type", "function", "input_schema", "inputSchema", "functionDeclarations", "function_declarations",
        "parametersJsonSchema", "parameters_json_schema", "responseJsonSchema", "response_json_schema",
    }
)  # fmt: skip
"""Keys by which the tools of other formats are known that also stand in a list `tools`."""


def _is_foreign(entry: Any) -> bool:
    return isinstance(entry, dict) and (bool(_FOREIGN & entry.keys()) or is_function(entry))


def _detects(data: Any) -> bool:
    if not isinstance(data, dict) or "tools" not in data or "jsonrpc" in data or "openapi" in data:
        return False
    return not any_entry(data, ("tools",), _is_foreign)


def _read(data: Any, origin: Origin) -> Catalog:
    if not isinstance(data, dict) or "tools" not in data:
        raise origin.error("a mapping with the key `tools` is needed.", hint="Begin with `tools:`.")
    _known_keys(data, _TOP, (), origin)
    tools = data["tools"]
    if not isinstance(tools, list):
        raise origin.error(
            "a list of tools is needed.", ("tools",), "Begin each tool with `- name:`."
        )
    entries = [(("tools", index), entry) for index, entry in enumerate(tools)]
    return catalog_of(
        entries, _tool, origin, format="native", name=text_in(data, "name", (), origin)
    )


def _tool(entry: Any, place: FieldPlace, origin: Origin) -> Tool:
    if not isinstance(entry, dict):
        raise origin.error(
            "a mapping is needed for each tool.", place, "Begin each tool with `- name:`."
        )
    _known_keys(entry, _TOOL, place, origin)
    name = text_in(entry, "name", place, origin)
    if not name:
        raise origin.error("the tool has no name.", place, "Add `name:`.")
    effect = entry.get("effect", "unknown")
    if effect not in _EFFECTS:
        hint = nearest(str(effect), _EFFECTS)
        raise origin.error(f"{shown(str(effect), 60)!r} is no effect.", (*place, "effect"), hint)
    additional = entry.get("additional_parameters", False)
    if not isinstance(additional, bool):
        raise origin.error("true or false is needed.", (*place, "additional_parameters"))
    description = text_in(entry, "description", place, origin)
    output = _returns(entry.get("returns"), (*place, "returns"), origin)
    if "input" in entry:
        for key in ("parameters", "additional_parameters"):
            if key in entry:
                raise origin.error(
                    f"`input` says it all, `{key}` cannot stand beside it.", (*place, key)
                )
        whole, inside = entry["input"], (*place, "input")
        return tool_of(
            name,
            whole,
            inside,
            origin,
            description=description,
            effect=effect,
            output_schema=output,
        )
    inside = (*place, "parameters")
    parameters = entry.get("parameters")
    if parameters is not None and not isinstance(parameters, dict):
        raise origin.error(
            "a mapping of names to schemas is needed.", inside, "Write `query: {type: string}`."
        )
    return Tool(
        name=name,
        description=description,
        effect=effect,
        parameters={
            p: _parameter(p, raw, (*inside, p), origin) for p, raw in (parameters or {}).items()
        },
        output_schema=output,
        additional_parameters=additional,
    )


def _parameter(name: str, raw: Any, place: FieldPlace, origin: Origin) -> Parameter:
    if (
        isinstance(raw, dict)
        and isinstance(raw.get("schema"), dict)
        and raw.keys() <= {"schema", "required"}
    ):
        schema = checked_schema(dict(raw["schema"]), (*place, "schema"), origin)
        return Parameter(name=name, required=_flag(raw, place, origin), json_schema=schema)
    schema = whole_schema(raw, place, origin)
    required = False
    if not isinstance(schema.get("required"), list):
        required = _flag(schema, place, origin)
        schema.pop("required", None)
    return Parameter(
        name=name, required=required, json_schema=checked_schema(schema, place, origin)
    )


def _flag(raw: dict[str, Any], place: FieldPlace, origin: Origin) -> bool:
    value = declared(raw).get("required", False)
    if not isinstance(value, bool):
        raise origin.error("true or false is needed.", (*place, "required"))
    return value


def _returns(raw: Any, place: FieldPlace, origin: Origin) -> JsonSchema | None:
    if raw is None:
        return None
    if isinstance(raw, dict) and raw.keys() == {"schema"} and isinstance(raw["schema"], dict):
        return dict(raw["schema"])
    if (
        isinstance(raw, dict)
        and raw.get("type") in ("array", "object")
        and raw.keys() & {"items", "properties"}
    ):
        hint = "Put a whole schema under `schema:`; write a field of the name `type` as `type: {type: string}`."
        raise origin.error(
            "a mapping of field names is needed, this looks like a schema.", place, hint
        )
    schema = object_schema(raw, place, origin)
    for field, inner in schema["properties"].items():
        if isinstance(inner, dict):
            checked_schema(inner, (*place, field), origin)
    return schema


def _known_keys(
    data: dict[str, Any], known: tuple[str, ...], place: FieldPlace, origin: Origin
) -> None:
    for key in data:
        if key not in known:
            raise origin.error(
                f"the key {shown(key, 80)!r} is unknown.", (*place, key), nearest(key, known)
            )


def _write(catalog: Catalog) -> dict[str, Any]:
    tools = [_tool_data(tool) for tool in catalog.tools]
    return {"name": catalog.name, "tools": tools} if catalog.name else {"tools": tools}


def _tool_data(tool: Tool) -> dict[str, Any]:
    data: dict[str, Any] = {"name": tool.name}
    if tool.description:
        data["description"] = tool.description
    data["effect"] = tool.effect
    by_name = None if tool.input_schema is not None else _by_name(tool)
    if by_name is None:
        data["input"] = input_of(tool)
    elif by_name:
        data["parameters"] = by_name
    if tool.output_schema is not None:
        data["returns"] = _returns_data(tool.output_schema)
    if tool.additional_parameters and by_name is not None:
        data["additional_parameters"] = True
    return data


def _by_name(tool: Tool) -> dict[str, Any] | None:
    """Return the parameters, or None when a schema would be refused; `input` takes any."""
    try:
        data = {name: _parameter_data(parameter) for name, parameter in tool.parameters.items()}
        for name, raw in data.items():
            _parameter(name, raw, (), Origin())
    except InputError:
        return None
    return data


def _parameter_data(parameter: Parameter) -> dict[str, Any]:
    schema = parameter.json_schema
    flag = {"required": True} if parameter.required else {}
    if "required" in schema or "schema" in schema or whole_schema(schema, (), Origin()) != schema:
        return {**flag, "schema": schema}
    return {**schema, **flag}


def _returns_data(schema: JsonSchema) -> dict[str, Any]:
    fields = schema.get("properties")
    if (
        schema.keys() != {"type", "properties"}
        or schema["type"] != "object"
        or not isinstance(fields, dict)
    ):
        return {"schema": schema}
    if fields.keys() == {"schema"} or not all(isinstance(inner, dict) for inner in fields.values()):
        return {"schema": schema}
    try:
        short = _returns(fields, (), Origin()) == schema
    except InputError:
        short = False
    return dict(fields) if short else {"schema": schema}


FORMAT: Format[Catalog] = Format(
    name="native",
    kind="catalog",
    looks="a mapping with the key `tools`, in YAML or JSON",
    detects=_detects,
    read=_read,
    write=_write,
)
