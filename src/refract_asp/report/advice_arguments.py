"""Advice on tools, parameters and values: what the catalog has."""

from __future__ import annotations

from typing import Any

from refract_asp.errors import shown
from refract_asp.model import Tool
from refract_asp.model.diagnostic import Available, Listing
from refract_asp.model.paths import FieldPath, path_text, reference_text
from refract_asp.model.schemas import children, resolve
from refract_asp.model.secret_names import HIDDEN
from refract_asp.report.advice import Advice, Lookup, change
from refract_asp.report.available import (
    listing_of_names,
    name_text,
    parameter_note,
    parameter_type,
    value_text,
)

__all__ = ["invalid_value", "missing_parameter", "undeclared_parameter", "unknown_tool"]


def unknown_tool(at: Lookup) -> Advice:
    """List the tools that exist, of many the nearest ones first; these may be meant."""
    index = at.instance.index
    written = at.violation.tool
    near = [name for name, _ in index.neighbours(written) if name != written]
    first = near if len(index.tools) > at.limits.fields else []
    names = list(dict.fromkeys([*first, *index.tools]))
    entries = [Available(text=name_text(name)) for name in names]
    suggestions = tuple(map(name_text, near[: at.limits.suggestions]))
    fix = change(name_text(written), name_text(near[0])) if near else None
    return Advice(
        available=listing_of_names("Available tools", entries, at.limits.fields) if entries else None,
        suggestions=suggestions,
        fix=fix,
        tip=None if fix else "Use a tool of the catalog; none has a name like this one",
    )


def undeclared_parameter(at: Lookup) -> Advice:
    """List what the tool takes; of that, what no argument goes to yet may be meant."""
    tool = _tool(at)
    taken = at.instance.call(at.number).arguments
    free = [name for name in tool.parameters if name not in taken]
    meant = at.similar(at.parameter, free)
    needed = [name for name in free if tool.parameters[name].required]
    name = name_text(at.parameter)
    fix = change(name, name_text(meant[0])) if meant else None
    tip = f"Remove {name}"
    if len(needed) == 1:
        tip = f"Remove {name}, or change it to {name_text(needed[0])}, which is missing"
    entries = [_parameter(at, each, tool) for each in tool.parameters]
    title = f"Parameters of {name_text(tool.name)}"
    return Advice(
        available=listing_of_names(title, entries, at.limits.fields) if entries else None,
        suggestions=tuple(map(name_text, meant)),
        fix=fix,
        tip=None if fix else tip,
    )


def missing_parameter(at: Lookup) -> Advice:
    """Say what is missing; a value of its name and type that is known may be meant."""
    tool = _tool(at)
    parameter = tool.parameters[at.parameter]
    name = name_text(at.parameter)
    offers = _offers(at, tool)
    suggestions = tuple(f'{name}="{text}"' for text in offers)
    fix = f"Add {suggestions[0]}" if suggestions else None
    if "default" in parameter.json_schema:
        default = parameter.json_schema["default"]
        default = at.instance.index.secrets.value([tool.name], [at.parameter], default)
        fix = f"Add {name}={value_text(default)}, its default"
    return Advice(
        expected=parameter_type(parameter, tool),
        available=Listing(title="Missing input", entries=(_parameter(at, at.parameter, tool),)),
        suggestions=suggestions,
        fix=fix,
        tip=None if fix else f"Add {name}, or ask for it",
    )


def _offers(at: Lookup, tool: Tool) -> list[str]:
    """Return references to values of the parameter's name and type, the latest first."""
    found = []
    wanted = at.instance.index.taken_types(tool.name, at.parameter)
    for number in reversed(at.instance.earlier(at.number)):
        call, producer = at.instance.call(number), at.instance.tool(number)
        if call.label is None or producer is None:
            continue
        for field in producer.fields_to(at.limits.depth):
            named = str(field.path[-1]).lower() == at.parameter.lower()
            if named and at.instance.index.types_at(producer.name, field.path) <= wanted:
                found.append(reference_text(call.label, field.path))
    if at.parameter in at.instance.memory.values:
        found.append(reference_text(at.parameter))
    return [shown(text) for text in dict.fromkeys(found)][: at.limits.suggestions]


def _parameter(at: Lookup, name: str, tool: Tool) -> Available:
    parameter = tool.parameters[name]
    note = parameter_note(at.instance.index.secrets.parameter(tool.name, parameter))
    return Available(text=name_text(name), type=parameter_type(parameter, tool), note=note)


def _tool(at: Lookup) -> Tool:
    tool = at.instance.tool(at.number)
    assert tool is not None
    return tool


def invalid_value(at: Lookup) -> Advice:
    """List the values that are allowed, where the schema does."""
    tool = _tool(at)
    name = name_text(at.parameter)
    fault = at.violation.faults[0] if at.violation.faults else None
    place = f"{name}{'.' if fault and fault.path and isinstance(fault.path[0], str) else ''}"
    place += name_text(path_text(fault.path)) if fault else ""
    tip = f"Give {place} what is expected: {fault.expected}" if fault else f"Give {name} another value"
    is_listed = fault is not None and fault.keyword == "enum" and fault.given != HIDDEN
    members = _members(at, tool, fault.path) if is_listed and fault else []
    if not members or fault is None:
        return Advice(tip=tip)
    entries = [Available(text=value_text(member)) for member in members]
    named = {str(member): value_text(member) for member in members}
    meant = at.similar(fault.given.strip('"'), named)
    suggestions = tuple(named[each] for each in meant)
    return Advice(
        available=listing_of_names(f"Allowed values of {place}", entries, at.limits.fields),
        suggestions=suggestions,
        fix=change(fault.given, suggestions[0]) if suggestions else None,
        tip=None if suggestions else tip,
    )


def _members(at: Lookup, tool: Tool, path: FieldPath) -> list[Any]:
    """Return the values that the schema of the parameter lists at a path."""
    root = tool.input_schema
    schema = tool.parameters[at.parameter].json_schema
    for step in path:
        inner = dict(children(schema, root))
        schema = inner.get(0 if isinstance(step, int) else step, {})
    schema = resolve(schema, root)
    members = schema.get("enum") if isinstance(schema, dict) else None
    return list(members) if isinstance(members, list) else []
