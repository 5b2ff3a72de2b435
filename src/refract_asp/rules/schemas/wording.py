"""What a schema wants and what a value is, in few words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.paths import Fault
from refract_asp.rules.schemas.dialects import MAPS, Hole

__all__ = ["SHOWN", "fault_of", "given_text"]

MOST_NAMES = 20
"""So many names of fields, and values of a list, are told."""
SHOWN = 100
"""Characters of an expected or given value that are shown."""


def fault_of(error: Any) -> Fault:
    """Return what an error of `jsonschema` says."""
    return Fault(
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        expected=_expected(error),
        given=given_text(_given(error)),
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
        is_object = isinstance(value, Mapping)
        yield "{" if is_object else "["
        for number, key in enumerate(value):
            if number:
                yield ", "
            if isinstance(value, Mapping):
                yield f"{json.dumps(str(key)[:SHOWN], ensure_ascii=False)}: "
                yield from _pieces(value[key])
            else:
                yield from _pieces(key)
        yield "}" if is_object else "]"
    else:
        yield json.dumps(value, default=str)


def _count(number: Any, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _names(names: Any) -> str:
    """Name the first fields of some."""
    told = list(islice(map(str, names), MOST_NAMES + 1))
    return ", ".join(told[:MOST_NAMES]) + ("" if len(told) <= MOST_NAMES else ", ...")


_WORDS: dict[str, Callable[[Any], str]] = {
    "type": lambda value: " or ".join([value] if isinstance(value, str) else value),
    "const": given_text,
    "minimum": lambda value: f"at least {value}",
    "maximum": lambda value: f"at most {value}",
    "exclusiveMinimum": lambda value: f"more than {value}",
    "exclusiveMaximum": lambda value: f"less than {value}",
    "multipleOf": lambda value: f"a multiple of {value}",
    "minLength": lambda value: f"a text of at least {_count(value, 'character')}",
    "maxLength": lambda value: f"a text of at most {_count(value, 'character')}",
    "minItems": lambda value: f"a list of at least {_count(value, 'element')}",
    "maxItems": lambda value: f"a list of at most {_count(value, 'element')}",
    "minProperties": lambda value: f"an object of at least {_count(value, 'field')}",
    "maxProperties": lambda value: f"an object of at most {_count(value, 'field')}",
    "uniqueItems": lambda _: "a list whose elements differ",
    "pattern": lambda value: f"a text that matches {value}",
    "format": lambda value: f"a text of the format {value}",
}
"""What a keyword wants, in words that follow "should be"."""


def _given(error: Any) -> Any:
    """Return what an error is about: of fields that are too much these alone, where that is sure."""
    if error.validator != "unevaluatedProperties" or not _ELSEWHERE.isdisjoint(error.schema):
        return error.instance
    known = error.schema.get("properties", {})
    if "patternProperties" in error.schema:
        return error.instance
    return {name: value for name, value in error.instance.items() if name not in known}


def _expected(error: Any) -> str:
    text = _wanted(error)
    return shown(f"an object each of whose names is {text}" if _is_name(error) else text, 2 * SHOWN)


def _is_name(error: Any) -> bool:
    """Whether an error is about the name of a field: `propertyNames` judges names as values."""
    steps = iter(error.absolute_schema_path)
    for step in steps:
        if step == "propertyNames":
            return True
        if step in MAPS:
            next(steps, None)  # the name of a field, whatever it is
    return False


def _wanted(error: Any) -> str:
    """Say what the keyword of an error wants."""
    keyword, value, schema = error.validator, error.validator_value, error.schema
    match keyword:
        case "enum":
            members = ", ".join(given_text(member) for member in value[:MOST_NAMES])
            return members if len(value) == 1 else f"one of {members}"
        case "required":
            return f"an object with {_names(name for name in value if name not in error.instance)}"
        case "dependentRequired":
            found = [
                (name, [each for each in names if each not in error.instance])
                for name, names in value.items()
                if name in error.instance
            ]
            told = [
                f"{_names(names)}, where {shown(name)} is given" for name, names in found if names
            ]
            return f"an object with {'; with '.join(told[:MOST_NAMES])}"
        case "additionalProperties" | "unevaluatedProperties":
            return _closed(schema)
        case "anyOf" | "oneOf":
            kinds = list(dict.fromkeys(_summary(branch) for branch in value[:10]))
            what = "exactly one" if keyword == "oneOf" else "one"
            return f"{what} of: {'; '.join(kinds)}"
        case "not":
            return f"anything but {_kind(value)}"
        case "contains" | "minContains" | "maxContains":
            return _containing(schema)
        case "items" | "unevaluatedItems":
            count = len(schema.get("prefixItems", ()))
            return f"a list of at most {_count(count, 'element')}" if count else "an empty list"
    if keyword in _WORDS:
        return _WORDS[keyword](value)
    return f"what {keyword} asks for" if keyword else "absent"


def _closed(schema: Mapping[str, Any]) -> str:
    """Say which fields an object may have and no others."""
    if not _ELSEWHERE.isdisjoint(schema):
        return "an object without fields that its schema does not name"
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    if not known and not patterns:
        return "an object without fields"
    told = [_names(known)] if known else []
    told += [f"those that match {_names(patterns)}"] if patterns else []
    return f"an object without other fields than {' and '.join(told)}"


_ELSEWHERE = frozenset({"allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "dependentSchemas"})
"""Where these stand, fields may be declared elsewhere."""


def _containing(schema: Mapping[str, Any]) -> str:
    """Say how many elements of a kind a list wants."""
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is None:
        number = f"at least {_count(least, 'element')}"
    elif not least:
        number = f"at most {_count(most, 'element')}"
    else:
        number = (
            _count(most, "element") if least == most else f"{least} to {_count(most, 'element')}"
        )
    return f"a list with {number} of the kind {_kind(schema['contains'])}"


def _kind(schema: Any) -> str:
    """Say what fits a schema: its kind where that is all, else the schema itself."""
    if isinstance(schema, Mapping) and schema.keys() <= {"type", "enum", "const", "required"}:
        return _summary(schema)
    return given_text(schema)


def _summary(schema: Any) -> str:
    """Return in a few words what a branch of a schema wants."""
    if not isinstance(schema, dict):
        return "anything" if schema else "nothing"
    if "enum" in schema or "const" in schema:
        members = schema.get("enum", [schema.get("const")])
        return ", ".join(given_text(member) for member in members[:5])
    names = schema.get("required")
    fields = f" with {', '.join(map(str, names[:5]))}" if isinstance(names, list) and names else ""
    if "type" in schema:
        kind = schema["type"]
        return (" or ".join(kind) if isinstance(kind, list) else str(kind)) + fields
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2] + fields
    return f"object{fields}" if fields else given_text(schema) if schema else "anything"
