"""What a schema wants and what a value is, in few words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.paths import Fault
from refract_asp.rules.schemas.dialects import Hole

# So many names of fields, and values of a list, are told.
MOST_NAMES = 20
# Characters of an expected or given value that are shown.
SHOWN = 100

# What a keyword wants, in words that follow "should be"; of others the value is told as it stands.
_WORDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "a text of at least {} character{s}",
    "maxLength": "a text of at most {} character{s}",
    "minItems": "a list of at least {} element{s}",
    "maxItems": "a list of at most {} element{s}",
    "minProperties": "an object of at least {} field{s}",
    "maxProperties": "an object of at most {} field{s}",
    "uniqueItems": "a list whose elements differ",
    "pattern": "a text that matches {}",
    "format": "a text of the format {}",
    "unevaluatedProperties": "an object without other fields",
    "not": "anything but {}",
}


def fault_of(error: Any) -> Fault:
    """Return what an error of `jsonschema` says."""
    return Fault(
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        expected=shown(_wanted(error), 2 * SHOWN),
        given=given_text(error.instance),
    )


def given_text(value: Any) -> str:
    """
    Print a value as JSON on one line, cut where it gets long; a hole is printed as what it stands for.

    Example:
        >>> given_text({"a": "b" * 200})[-8:]
        'bbbbb...'
    """
    return shown("".join(islice(_pieces(value), SHOWN)), SHOWN)


def _pieces(value: Any) -> Iterator[str]:
    """Yield the text of a value piece by piece, so that no more of a large one is printed than is shown."""
    if isinstance(value, Hole):
        yield str(value.source) if value.source.kind in ("reference", "ask") else "..."
    elif isinstance(value, str):
        yield json.dumps(value[: SHOWN * 2], ensure_ascii=False)
    elif isinstance(value, Mapping | list):
        is_list = isinstance(value, list)
        yield "[" if is_list else "{"
        for number, each in enumerate(value):
            yield ", " if number else ""
            if not is_list:
                yield f"{json.dumps(str(each)[:SHOWN], ensure_ascii=False)}: "
            yield from _pieces(each if is_list else value[each])
        yield "]" if is_list else "}"
    else:
        yield json.dumps(value, default=str)


def _names(names: Any) -> str:
    """Name the first fields of some."""
    told = list(islice(map(str, names), MOST_NAMES + 1))
    return ", ".join(told[:MOST_NAMES]) + ("" if len(told) <= MOST_NAMES else ", ...")


def _wanted(error: Any) -> str:
    """Say what a keyword with a value wants, which what was given does not meet."""
    keyword, value = error.validator, error.validator_value
    match keyword:
        case None:
            return "absent"
        case "type" | "const":
            return _summary({keyword: value})
        case "enum":
            told = ", ".join(map(given_text, value[:MOST_NAMES]))
            return told if len(value) == 1 else f"one of {told}"
        case "required":
            return f"an object with {_names(name for name in value if name not in error.instance)}"
        case "additionalProperties":
            known = [
                *error.schema.get("properties", ()),
                *error.schema.get("patternProperties", ()),
            ]
            return (
                f"an object without {f'other fields than {_names(known)}' if known else 'fields'}"
            )
        case "anyOf" | "oneOf":
            kinds = "; ".join(dict.fromkeys(map(_summary, value[:10])))
            return f"{'exactly one' if keyword == 'oneOf' else 'one'} of: {kinds}"
    if keyword in _WORDS:
        told = given_text(value) if keyword == "not" else value
        return _WORDS[keyword].format(told, s="" if value == 1 else "s")
    return f"what {keyword} asks for: {given_text(value)}"


def _summary(schema: Any) -> str:
    """Return in a few words what a schema wants."""
    if not isinstance(schema, dict) or not schema:
        return "nothing" if schema is False else "anything"
    if "enum" in schema or "const" in schema:
        members = schema.get("enum", [schema.get("const")])
        return ", ".join(map(given_text, members[:5]))
    names = schema.get("required")
    fields = f" with {', '.join(map(str, names[:5]))}" if isinstance(names, list) and names else ""
    if "type" in schema:
        kinds = schema["type"]
        return " or ".join([kinds] if isinstance(kinds, str) else kinds) + fields
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2] + fields
    return f"object{fields}" if fields else given_text(schema)
