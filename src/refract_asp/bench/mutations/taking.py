"""What parameters take: whether a value fits, and which field of an output is the one that was read."""

from __future__ import annotations

from typing import Any

from refract_asp.bench.mutations.words import words_in
from refract_asp.model import Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import is_compatible, schema_types
from refract_asp.rules.schemas.dialects import standard
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

__all__ = ["fields_meant", "is_told", "is_written", "misfits", "types_taken"]


def misfits(tool: Tool, parameter: str, value: Any) -> bool:
    """
    Whether a value does not fit a declared parameter; where its schema cannot be judged nothing is a misfit.

    Example:
        >>> from refract_asp.model import Catalog
        >>> catalog = Catalog.load({"tools": [{"name": "T", "parameters": {"n": {"type": "integer"}}}]})
        >>> misfits(catalog.by_name["T"], "n", "5"), misfits(catalog.by_name["T"], "n", 5)
        (True, False)
    """
    root = None if tool.input_schema is None else standard(tool.input_schema)
    try:
        return not Validator(tool.parameters[parameter].json_schema, root, name=parameter).is_valid(value)
    except BrokenSchemaError:
        return False


def types_taken(tool: Tool, parameter: str) -> frozenset[str]:
    """Return the JSON types that a declared parameter takes."""
    return schema_types(tool.parameters[parameter].json_schema, tool.input_schema)


def is_written(tool: Tool) -> bool:
    """Whether a call of the tool is declared to change something."""
    return tool.effect in ("write", "destructive")


def is_told(tool: Tool, path: FieldPath, taker: Tool, parameter: str) -> bool:
    """
    Whether type and name of a parameter alone tell which field of a tool was read.

    Of the fields of a type that the parameter takes, those count that are called like it; if there is none
    those that share a word with it; if there is none all. Of these the shallowest have to be the one.
    """
    return fields_meant(tool, taker, parameter) == {_entered(path)}


def fields_meant(tool: Tool, taker: Tool, parameter: str) -> set[FieldPath]:
    """Return the fields of a tool that a parameter may mean, see `is_told`."""
    taken = types_taken(taker, parameter)
    fitting = [field.path for field in tool.output_fields if is_compatible(tool.types_at(field.path), taken)]
    tiers: list[list[FieldPath]] = [[], [], fitting]
    wanted = words_in(parameter)
    for path in fitting:
        names = [step for step in path if isinstance(step, str)]
        own, whole = words_in(names[-1]), words_in("_".join(names[-2:]))
        if wanted in (own, whole):
            tiers[0].append(path)
        elif set(wanted) & set(own):
            tiers[1].append(path)
    best = next((tier for tier in tiers if tier), [])
    shallowest = min((len(path) for path in best), default=0)
    return {path for path in best if len(path) == shallowest}


def _entered(path: FieldPath) -> FieldPath:
    """Return a path with each list entered at its first element, as output fields are listed."""
    return tuple(0 if isinstance(step, int) else step for step in path)
