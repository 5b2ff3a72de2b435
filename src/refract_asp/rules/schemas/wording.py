"""What a schema wants and what a value is, in few words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.paths import Fault
from refract_asp.rules.schemas.dialects import MAPS, Hole

# So many names of fields, and values of a list, are told.
MOST_NAMES = 20
# Characters of an expected or given value that are shown.
SHOWN = 100


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
    elif isinstance(value, Mapping):
        yield "{"
        for number, (key, inner) in enumerate(value.items()):
            name = json.dumps(str(key)[:SHOWN], ensure_ascii=False)
            yield f"{', ' if number else ''}{name}: "
            yield from _pieces(inner)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for number, inner in enumerate(value):
            if number:
                yield ", "
            yield from _pieces(inner)
        yield "]"
    else:
        yield json.dumps(value, default=str)


def _count(number: Any, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _names(names: Any) -> str:
    """Name the first fields of some."""
    told = list(islice(map(str, names), MOST_NAMES + 1))
    return ", ".join(told[:MOST_NAMES]) + ("" if len(told) <= MOST_NAMES else ", ...")


# What a keyword with such a value wants, in words that follow "should be".
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
}
# Where these stand, fields may be declared elsewhere.
_ELSEWHERE = frozenset({"allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "dependentSchemas"})


def _given(error: Any) -> Any:
    """Return what an error is about: of fields that are too much these alone, where that is sure."""
    elsewhere = _ELSEWHERE | {"patternProperties"}
    if error.validator != "unevaluatedProperties" or not elsewhere.isdisjoint(error.schema):
        return error.instance
    known = error.schema.get("properties", {})
    return {name: value for name, value in error.instance.items() if name not in known}


def _expected(error: Any) -> str:
    text = _wanted(error.validator, error.validator_value, error.schema, error.instance)
    # `propertyNames` judges names as values; behind a map of schemas stands the name of a field
    steps = iter(error.absolute_schema_path)
    for step in steps:
        if step == "propertyNames":
            text = f"an object each of whose names is {text}"
            break
        if step in MAPS:
            next(steps, None)
    return shown(text, 2 * SHOWN)


def _wanted(keyword: str, value: Any, schema: Mapping[str, Any], given: Any) -> str:
    """Say what a keyword with a value wants, which what was given does not meet."""
    match keyword:
        case "type":
            return " or ".join([value] if isinstance(value, str) else value)
        case "const":
            return given_text(value)
        case "enum":
            members = ", ".join(given_text(member) for member in value[:MOST_NAMES])
            return members if len(value) == 1 else f"one of {members}"
        case "required":
            return f"an object with {_lacking(value, given)}"
        case "dependentRequired":
            return _dependent(value, given)
        case "additionalProperties" | "unevaluatedProperties":
            return _closed(schema)
        case "anyOf" | "oneOf":
            kinds = "; ".join(dict.fromkeys(_summary(branch) for branch in value[:10]))
            return f"{'exactly one' if keyword == 'oneOf' else 'one'} of: {kinds}"
        case "not":
            return f"anything but {_kind(value)}"
        case "contains" | "minContains" | "maxContains":
            return _containing(schema)
        case "items" | "unevaluatedItems":
            count = len(schema.get("prefixItems", ()))
            return f"a list of at most {_count(count, 'element')}" if count else "an empty list"
    if keyword in _WORDS:
        return _WORDS[keyword].format(value, s="" if value == 1 else "s")
    return f"what {keyword} asks for" if keyword else "absent"


def _lacking(names: Iterable[str], given: Any) -> str:
    return _names(name for name in names if name not in given)


def _dependent(value: Mapping[str, Any], given: Any) -> str:
    told = []
    for name, needed in value.items():
        lacking = _lacking(needed, given) if name in given else ""
        if lacking:
            told.append(f"{lacking}, where {shown(name)} is given")
    return f"an object with {'; with '.join(told[:MOST_NAMES])}"


def _closed(schema: Mapping[str, Any]) -> str:
    """Say which fields an object may have and no others."""
    if not _ELSEWHERE.isdisjoint(schema):
        return "an object without fields that its schema does not name"
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    told = [_names(known)] if known else []
    told += [f"those that match {_names(patterns)}"] if patterns else []
    return (
        f"an object without other fields than {' and '.join(told)}"
        if told
        else ("an object without fields")
    )


def _containing(schema: Mapping[str, Any]) -> str:
    """Say how many elements of a kind a list wants."""
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is None or not least:
        number = f"at {'least' if most is None else 'most'} "
        number += _count(least if most is None else most, "element")
    else:
        number = f"{least} to {most} elements" if least != most else _count(most, "element")
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
        return _wanted("type", schema["type"], {}, None) + fields
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2] + fields
    return f"object{fields}" if fields else given_text(schema) if schema else "anything"
