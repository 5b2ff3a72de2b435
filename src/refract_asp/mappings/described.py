"""What a catalog says of its output fields and parameters: names, descriptions, types; and of its tools."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from refract_asp.model import Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import is_compatible, resolve, schema_types
from refract_asp.rules.likeness import leaf_names, tokens

__all__ = ["Described", "fields_of", "parameters_of", "said_of", "type_share"]

MAX_FIELDS = 1000
"""How many output fields of one tool are compared, shallow ones first."""
MAX_TEXT = 2000
"""How many characters of a description are read."""
TAIL = 0.85
"""What the last two words of a parameter's name count beside the whole: an `originSkyId` is a `skyId`."""
DEEP = 0.98
"""What is left of a likeness for each field, up to three, inside of which the value stands."""
OPEN_TYPE, OTHER_TYPE = 0.97, 0.9
"""What is left of a likeness where a type is open, or where a value has to be turned into a text."""


class Described(NamedTuple):
    """
    A field or a parameter in words.

    `names` are what it goes by, each with what a likeness to it counts; `path` of a parameter is its name
    alone; `types` are JSON types; `share` is what is left of a likeness because it stands deep inside.
    """

    tool: str
    path: FieldPath
    names: tuple[tuple[str, float], ...]
    description: str
    types: frozenset[str]
    share: float = 1.0


def fields_of(tool: Tool) -> Iterator[Described]:
    """Yield the output fields of a tool; each goes by its name, and by that of its parent and its own."""
    for field in tool.output_fields[:MAX_FIELDS]:
        names = tuple(dict.fromkeys(map(_words, leaf_names(field.path)))) or ("",)
        said = tool.description_at(field.path)[:MAX_TEXT] or names[0]
        known = tuple((name, 1.0) for name in names)
        around = sum(isinstance(step, str) for step in field.path) - 1
        share = DEEP ** min(max(around, 0), 3)
        yield Described(tool.name, field.path, known, said, tool.types_at(field.path), share)


def parameters_of(tool: Tool) -> Iterator[Described]:
    """Yield the parameters of a tool; each goes by its name, and by the last two of several words."""
    for parameter in tool.parameters.values():
        schema = resolve(parameter.json_schema, tool.input_schema)
        name = _words(parameter.name)
        said = str(schema.get("description") or "")[:MAX_TEXT] if isinstance(schema, dict) else ""
        tail = name.split()[-2:]
        known = ((name, 1.0),) if " ".join(tail) == name else ((name, 1.0), (" ".join(tail), TAIL))
        types = schema_types(parameter.json_schema, tool.input_schema)
        yield Described(tool.name, (parameter.name,), known, said or name, types)


def said_of(tool: Tool) -> str:
    """Return what a tool says of itself: its name in words, and its description."""
    return f"{_words(tool.name)}: {tool.description[:MAX_TEXT]}"


@lru_cache(maxsize=4096)
def type_share(given: frozenset[str], wanted: frozenset[str]) -> float:
    """
    Return what a pair of types leaves of a likeness, 0 if the one may never go where the other is wanted.

    Example:
        >>> text, whole = frozenset({"string"}), frozenset({"integer"})
        >>> type_share(text, text), type_share(whole, text), type_share(text, whole)
        (1.0, 0.9, 0.0)
    """
    given, wanted = given - {"null"}, wanted - {"null"}
    if given & wanted:
        return 1.0 if given <= wanted and len(wanted) <= 2 else OPEN_TYPE
    return OTHER_TYPE if is_compatible(given, wanted) else 0.0


def _words(name: str) -> str:
    return " ".join(tokens(name))
