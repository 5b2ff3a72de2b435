"""
How well the value of an undeclared argument fits the parameters that it may have been meant for.

Like the likeness of names these are numbers for the rules to weigh, from 0 (surely) to 20 (no hint).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from refract_asp.model import Constant, Parameter, Reference, Tool
from refract_asp.model.schemas import JsonSchema
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import FAR, mismatch

__all__ = ["json_type", "value_distances"]

IS_DEFAULT = 3
IS_MEMBER = 2
IS_GIVEN_ELSEWHERE = 5
HAS_FORMAT = 5
ONLY_ONE_FITS = 7
ONLY_ONE_LEFT = 9

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def value_distances(
    instance: Instance, call: int, parameter: str, tool: Tool, free: Sequence[Parameter]
) -> Iterator[tuple[str, int]]:
    """
    Yield the free parameters of a tool to which the value of an argument points, with distances.

    A value points to a parameter that has it as default or as member of its enumeration, that gets
    the same value in another call, that wants its format, that is called like the field it refers
    to, that alone takes its type, or that alone is left.
    """
    source = instance.call(call).arguments[parameter]
    kind = _type_of(instance, call, parameter)
    types = instance.index.parameter_type
    taking = [other for other in free if mismatch(kind, types(tool.name, other.name)) == 0]
    for other in taking:
        found = [FAR]
        if len(taking) == 1:
            found.append(ONLY_ONE_FITS)
        if isinstance(source, Constant):
            found += _constant_distances(instance, call, source, other)
        elif isinstance(source, Reference) and (call, parameter, 0) in instance.producers:
            feeder = instance.tool(instance.producers[call, parameter, 0])
            if feeder is not None and source.path and feeder.returns_path(source.path):
                found.append(instance.index.fit(feeder.name, source.path, tool.name, other.name))
        if min(found) < FAR:
            yield other.name, min(found)
    if len(free) == 1 and not taking:
        yield free[0].name, ONLY_ONE_LEFT


def _constant_distances(instance: Instance, call: int, source: Constant, other: Parameter) -> Iterator[int]:
    schema = other.json_schema
    if "default" in schema and _same(schema["default"], source.value):
        yield IS_DEFAULT
    if any(_same(member, source.value) for member in schema.get("enum") or ()):
        yield IS_MEMBER
    if isinstance(source.value, str) and _DATE.fullmatch(source.value) and _wants_date(schema):
        yield HAS_FORMAT
    for number, given in enumerate(instance.sequence.calls):
        elsewhere = given.arguments.get(other.name)
        if number != call and isinstance(elsewhere, Constant) and _same(elsewhere.value, source.value):
            yield IS_GIVEN_ELSEWHERE


def _wants_date(schema: JsonSchema) -> bool:
    said = f"{schema.get('format', '')} {schema.get('type', '')} {schema.get('description', '')}".lower()
    return schema.get("format") == "date" or "yyyy-mm-dd" in said


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other


def _type_of(instance: Instance, call: int, parameter: str) -> str:
    """Return the JSON type of an argument, as far as it is known."""
    source = instance.call(call).arguments[parameter]
    if isinstance(source, Constant):
        return json_type(source.value)
    if source.kind == "template":
        return "string"
    if source.kind == "structure":
        return "object" if isinstance(source.value, dict) else "array"
    producer = instance.producers.get((call, parameter, 0))
    tool = instance.tool(producer) if producer is not None else None
    if isinstance(source, Reference) and tool is not None and tool.returns_path(source.path):
        return tool.type_at(source.path)
    return "any"


def json_type(value: object) -> str:
    """
    Return the JSON type of a value.

    Example:
        >>> json_type(True), json_type(1), json_type([])
        ('boolean', 'integer', 'array')
    """
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", dict: "object", list: "array"}
    return names.get(type(value), "null")
