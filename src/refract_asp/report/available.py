"""What there is in the place of something that is wrong: fields, values, parameters, labels, tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST, shown
from refract_asp.model import Parameter, Tool
from refract_asp.model.diagnostic import Available, Listing
from refract_asp.model.paths import FieldPath, reference_text, spelt
from refract_asp.model.schemas import schema_type, schema_types, type_of, types_text

if TYPE_CHECKING:
    from refract_asp.model.sources import Reference

__all__ = [
    "Fields",
    "fields_of_tool",
    "fields_of_value",
    "listing_of_fields",
    "listing_of_names",
    "name_text",
    "parameter_note",
    "parameter_type",
    "reference_like",
    "value_text",
]

FEW_TYPES = 4
"""So many types are named each."""
MAX_FIELDS = 10_000
"""So many fields of a value in memory are counted."""


class Fields:
    """
    The typed paths of what a call returns, or of what memory holds.

    Attributes:
        types: the type at each path, shallow paths first.
        is_cut: whether there are deeper ones.
    """

    def __init__(self, types: dict[FieldPath, str], *, is_cut: bool) -> None:
        """Hold paths with their types."""
        self.types = types
        self.is_cut = is_cut


def fields_of_tool(tool: Tool, depth: int) -> Fields:
    """Return what a tool returns, down to a depth."""
    types = {field.path: field.type for field in tool.fields_to(depth)}
    return Fields(types, is_cut=tool.goes_below(depth))


def fields_of_value(value: Any, depth: int) -> Fields:
    """
    Return the fields of a value, down to a depth; of a list the first element stands for all.

    Example:
        >>> fields_of_value({"ids": [7, 8]}, 5).types
        {('ids',): 'array', ('ids', 0): 'integer'}
    """
    types: dict[FieldPath, str] = {}
    level: list[tuple[FieldPath, Any]] = [((), value)]
    for _ in range(depth):
        following = []
        for path, inner in level if len(types) < MAX_FIELDS else ():
            for step, part in _parts(inner) if len(types) < MAX_FIELDS else ():
                types[*path, step] = type_of(part)
                following.append(((*path, step), part))
        level = following
    return Fields(types, is_cut=any(True for _, inner in level for _ in _parts(inner)))


def _parts(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return list(value.items())[:MAX_FIELDS]
    return [(0, value[0])] if isinstance(value, list) and value else []


def listing_of_fields(
    title: str, fields: Fields, paths: Iterable[FieldPath], write: Callable[[FieldPath], str], most: int
) -> Listing:
    """
    List paths as references: the shallow ones where there are too many, each below what it lies in.

    Args:
        title: what is listed.
        fields: all there is.
        paths: those to be listed, shallow ones first.
        write: prints a path as a reference.
        most: how many are listed.
    """
    wanted = list(paths)
    entries = tuple(
        Available(text=shown(write(path), LONGEST), type=fields.types[path])
        for path in _nested(wanted[:most])
    )
    return Listing(title=title, entries=entries, more=len(wanted) - len(entries), is_cut=fields.is_cut)


def _nested(paths: Sequence[FieldPath]) -> list[FieldPath]:
    """Put each path behind the one in which it lies, and else keep the order."""
    below: dict[FieldPath, list[FieldPath]] = {}
    chosen = set(paths)
    for path in paths:
        parent = path[:-1]
        while parent and parent not in chosen:
            parent = parent[:-1]
        below.setdefault(parent, []).append(path)
    ordered: list[FieldPath] = []
    stack = below.get((), [])[::-1]
    while stack:
        path = stack.pop()
        ordered.append(path)
        stack.extend(below.get(path, [])[::-1])
    return ordered


def listing_of_names(title: str, entries: Sequence[Available], most: int) -> Listing:
    """List names as they stand, the first ones where there are too many."""
    return Listing(title=title, entries=tuple(entries[:most]), more=max(0, len(entries) - most))


def reference_like(reference: Reference, label: str, path: FieldPath) -> str:
    """Print a reference in the spelling of another one."""
    return spelt(label, path, reference.spelling) or reference_text(label, path)


def parameter_type(parameter: Parameter, tool: Tool) -> str:
    """
    Return the JSON type that a parameter takes, a few with "or" between them, "any" where little is said.

    Example:
        >>> amount = Parameter(name="amount", json_schema={"type": "float"})
        >>> parameter_type(amount, Tool(name="Pay"))
        'number'
    """
    kind = schema_type(parameter.json_schema, tool.input_schema)
    kinds = schema_types(parameter.json_schema, tool.input_schema)
    if kind != "any" or len(kinds) > FEW_TYPES:
        return kind
    return types_text(kinds)


def parameter_note(parameter: Parameter) -> str:
    """
    Say what a parameter means, and whether it is required or what its default is.

    Example:
        >>> parameter_note(Parameter(name="limit", json_schema={"default": 10, "description": "How many."}))
        'How many. (optional, default: 10)'
    """
    need = "required" if parameter.required else "optional"
    if "default" in parameter.json_schema:
        need += f", default: {value_text(parameter.json_schema['default'])}"
    description = shown(parameter.description.strip(), LONGEST)
    return f"{description} ({need})" if description else need


def value_text(value: Any) -> str:
    """Print a value as JSON, bounded."""
    return shown(json.dumps(value, ensure_ascii=False, default=str), LONGEST)


def name_text(name: object) -> str:
    """Print a name, bounded and without what does not print."""
    return shown(name, LONGEST)
