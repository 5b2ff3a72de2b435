"""What a schema wants and what a value is, in few words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.faults import Fault
from refract_asp.rules.schemas.holes import Hole

__all__ = ["SHOWN", "fault_of", "given_text"]

SHOWN = 100
"""Characters of an expected or given value that are shown."""


def fault_of(error: Any) -> Fault:
    """Return what an error of `jsonschema` says."""
    return Fault(
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        expected=_expected(error),
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


_WORDS: dict[str, Callable[[Any], str]] = {
    "const": given_text,
    "minimum": lambda value: f"at least {value}",
    "maximum": lambda value: f"at most {value}",
    "exclusiveMinimum": lambda value: f"more than {value}",
    "exclusiveMaximum": lambda value: f"less than {value}",
    "multipleOf": lambda value: f"a multiple of {value}",
    "minLength": lambda value: f"at least {value} characters",
    "maxLength": lambda value: f"at most {value} characters",
    "minItems": lambda value: f"at least {value} elements",
    "maxItems": lambda value: f"at most {value} elements",
    "minProperties": lambda value: f"at least {value} fields",
    "maxProperties": lambda value: f"at most {value} fields",
    "uniqueItems": lambda _: "elements that differ",
    "pattern": lambda value: f"a text that matches {value}",
    "format": lambda value: f"a text of the format {value}",
    "not": lambda value: f"anything but {given_text(value)}",
    "contains": lambda value: f"an element that fits {given_text(value)}",
    "propertyNames": lambda value: f"names that fit {given_text(value)}",
}


def _expected(error: Any) -> str:
    keyword, value = error.validator, error.validator_value
    if keyword == "type":
        text = " or ".join([value] if isinstance(value, str) else value)
    elif keyword == "enum":
        text = "one of " + ", ".join(given_text(member) for member in value[:20])
    elif keyword in ("required", "dependentRequired"):
        text = shown(error.message, SHOWN).replace("is a required property", "is required")
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        known = error.schema.get("properties", {})
        text = f"no other fields than {', '.join(map(str, list(known)[:20])) or 'none'}"
    elif keyword in ("anyOf", "oneOf"):
        kinds = [_summary(branch) for branch in value[:10]]
        text = f"{'exactly one' if keyword == 'oneOf' else 'one'} of: {'; '.join(dict.fromkeys(kinds))}"
    elif keyword in _WORDS:
        text = _WORDS[keyword](value)
    else:
        text = f"what {keyword} says" if keyword else "no value at all"
    return shown(text, 2 * SHOWN)


def _summary(schema: Any) -> str:
    """Return in a few words what a branch of a schema wants."""
    if not isinstance(schema, dict):
        return "anything" if schema else "nothing"
    if "enum" in schema or "const" in schema:
        members = schema.get("enum", [schema.get("const")])
        return ", ".join(given_text(member) for member in members[:5])
    kind = schema.get("type", str(schema.get("$ref", "anything")).rpartition("/")[2])
    text = " or ".join(kind) if isinstance(kind, list) else str(kind)
    names = schema.get("required")
    return f"{text} with {', '.join(map(str, names[:5]))}" if isinstance(names, list) and names else text
