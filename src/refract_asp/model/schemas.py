"""
Finding one's way in a JSON Schema: references followed, parts entered, types told.

Nothing here judges a value; `rules.validation` does. Words for types that come from programming
languages (`dict`, `float`, ...) mean the JSON type that they name; `nullable` adds null. References are
followed inside the schema alone and never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from refract_asp.model.paths import without
from refract_asp.resources import packaged

JsonSchema: TypeAlias = dict[str, Any]

JSON_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
ANY = frozenset(JSON_TYPES)
"""The types of a schema that says nothing of them."""

_WORDS = {
    word: kind for kind, words in packaged("model/types.json").items() for word in words.split()
}
"""What other languages call the JSON types; `any` and words unknown to both allow everything."""
_SIZE = re.compile(r"(?<=int|oat|ble)(?:8|16|32|64|128)$")

VALUES = frozenset({"const", "default", "example", "examples"})
"""Keywords that hold values, not schemas or rules: null and an empty list are values there."""

BRANCHES = frozenset({"anyOf", "oneOf", "allOf"})
"""Keywords that hold schemas of which one, or each, has to be met."""

MAX_HOPS = 50
"""How many references are followed one after the other."""
MAX_BRANCHES = 200
"""How many parts of `anyOf` and the like are looked into."""


def declared(schema: JsonSchema) -> JsonSchema:
    """
    Return a schema without the keywords that say nothing: those whose value is null or an empty list.

    Dumps of schema classes write null for a keyword that is not set, and PHP writes an empty list for an
    empty object.

    Example:
        >>> declared({"type": "string", "enum": [], "pattern": None, "default": None})
        {'type': 'string', 'default': None}
    """
    return {key: value for key, value in schema.items() if key in VALUES or value not in (None, [])}


def json_types(word: object) -> frozenset[str]:
    """
    Return the JSON types that a word for a type means.

    Example:
        >>> sorted(json_types("dict")), json_types("number") >= {"integer"}, json_types("any") == ANY
        (['object'], True, True)
    """
    if not isinstance(word, str):
        return ANY
    name = type_words(word)
    if name == "number":
        return frozenset({"number", "integer"})
    return frozenset({name}) if name in JSON_TYPES else ANY


def type_words(word: str) -> str:
    """
    Return the JSON type that a word means, or the word itself; `list[str]` and `str[]` are arrays.

    Example:
        >>> type_words("float"), type_words("List[int]"), type_words("string[]"), type_words("Date")
        ('number', 'array', 'array', 'Date')
    """
    name = word.strip()
    head = "array" if name.endswith("[]") else name.partition("[")[0].partition("<")[0]
    return word_type(head) or word


def word_type(word: str) -> str | None:
    """
    Return the JSON type that a single word means, or None.

    Example:
        >>> word_type("HashMap"), word_type("int64"), word_type("Date")
        ('object', 'integer', None)
    """
    if word in JSON_TYPES:
        return word
    name = _SIZE.sub("", word.strip().lower())
    return name if name in JSON_TYPES else _WORDS.get(name)


def is_compatible(given: frozenset[str], wanted: frozenset[str]) -> bool:
    """
    Whether a value of one of some JSON types may go where others are wanted.

    A number or a boolean may go where a text is wanted, because it has a text form.

    Example:
        >>> whole, text = json_types("int"), json_types("str")
        >>> is_compatible(whole, text), is_compatible(text, whole)
        (True, False)
    """
    if "string" in wanted:
        wanted = wanted | {"number", "integer", "boolean"}
    return bool(given & wanted)


def type_of(value: object) -> str:
    """
    Return the JSON type of a value; a whole number is an integer however it is written.

    Example:
        >>> type_of("a"), type_of(2.0), type_of(None), type_of([])
        ('string', 'integer', 'null', 'array')
    """
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, Mapping):
        return "object"
    return "null" if value is None else "array"


def resolve(schema: Any, root: Any) -> Any:
    """
    Return what a schema refers to by `$ref`, with what is said beside the reference.

    One that leads nowhere, in a circle or outside the schema allows everything.

    Example:
        >>> root = {"$defs": {"Name": {"type": "string"}}}
        >>> resolve({"$ref": "#/$defs/Name", "description": "whose"}, root)
        {'type': 'string', 'description': 'whose'}
    """
    beside: dict[str, Any] = {}
    for _ in range(MAX_HOPS):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        beside = {**without(schema, ("$ref",)), **beside}
        schema = target(schema["$ref"], root)
        if schema is None:
            return beside
    else:
        return beside
    return {**schema, **beside} if beside and isinstance(schema, dict) else schema


def target(reference: Any, root: Any) -> Any:
    """
    Return the part of a schema to which a reference leads, or None where it leads nowhere or outside.

    Example:
        >>> target("#/$defs/Name", {"$defs": {"Name": {"type": "string"}}}), target("other.json", {})
        ({'type': 'string'}, None)
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found = root
    if reference[1:] and not reference.startswith("#/"):
        for key in ("$defs", "definitions"):
            for schema in (root.get(key) or {}).values() if isinstance(root, dict) else ():
                anchors = ("$anchor", "$dynamicAnchor") if isinstance(schema, dict) else ()
                if reference[1:] in map(schema.get, anchors):
                    return schema
        return None
    for step in reference[2:].split("/") if reference[1:] else ():
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdigit() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found


def schema_types(schema: Any, root: Any = None, left: int = MAX_BRANCHES) -> frozenset[str]:
    """
    Return the JSON types of the values that a schema allows; one that says nothing allows all.

    Args:
        schema: a JSON Schema, or a part of one.
        root: the schema as a whole, in which its references are looked up; `schema` by default.
        left: how many parts of `anyOf` and the like are looked into.

    Example:
        >>> sorted(schema_types({"anyOf": [{"type": "str"}, {"enum": [1, None]}]}))
        ['integer', 'null', 'string']
    """
    root = schema if root is None else root
    schema = resolve(schema, root)
    if not isinstance(schema, dict) or left <= 0:
        return ANY
    found = ANY
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(kinds, list) and kinds:
        found = frozenset().union(*map(json_types, kinds))
    if schema.get("nullable") is True:
        found |= {"null"}
    if "const" in schema:
        found &= _kinds([schema["const"]])
    members = schema.get("enum")
    if isinstance(members, list) and members:
        found &= _kinds(members)
    for key in BRANCHES & schema.keys():
        branches = schema[key]
        if isinstance(branches, list) and branches:
            step = left // (len(branches) + 1)
            types = [schema_types(branch, root, step) for branch in branches]
            found &= ANY.intersection(*types) if key == "allOf" else frozenset().union(*types)
    return found


def _kinds(values: list[Any]) -> frozenset[str]:
    return frozenset().union(*map(json_types, set(map(type_of, values))))


def schema_type(schema: Any, root: Any = None) -> str:
    """
    Return the one JSON type that a schema names besides null, "any" when it names none or several.

    Example:
        >>> schema_type({"type": "float"}), schema_type({}), schema_type({"type": ["string", "null"]})
        ('number', 'any', 'string')
    """
    kinds = schema_types(schema, root)
    if kinds == {"null"}:
        return "null"
    kinds -= {"null"}
    if kinds == {"number", "integer"}:
        return "number"
    return next(iter(kinds)) if len(kinds) == 1 else "any"


def types_text(types: frozenset[str], anything: str = "any") -> str:
    """
    Name JSON types; a number may be whole, so that is not said besides.

    Example:
        >>> types_text(frozenset({"null", "integer", "number"})), types_text(ANY, "any value")
        ('null or number', 'any value')
    """
    if types >= ANY:
        return anything
    return " or ".join(sorted(types - ({"integer"} if "number" in types else set())))


def children(schema: Any, root: Any = None) -> Iterator[tuple[str | int, Any]]:
    """
    Yield the fields that a schema declares for an object and, as step 0, what the elements of a list are.

    What stands in `allOf`, `anyOf` and `oneOf` counts too; of two fields of one name the first.

    Example:
        >>> dict(children({"type": "array", "items": {"type": "string"}}))
        {0: {'type': 'string'}}
    """
    whole = schema if root is None else root
    seen: set[str | int] = set()
    for part in parts_of(schema, whole):
        own: dict[str | int, Any] = {}
        if isinstance(properties := part.get("properties"), dict):
            own |= properties
        first = part.get("prefixItems") or part.get("items")
        if isinstance(first, list):
            first = first[0] if first else None
        if isinstance(first, dict) and "array" in schema_types(part, part, 1):
            own[0] = first
        for step, inner in own.items():
            if step not in seen:
                seen.add(step)
                yield step, inner


def parts_of(schema: Any, root: Any, left: int = MAX_BRANCHES) -> Iterator[JsonSchema]:
    """Yield a schema, its references followed, and what stands in its `allOf`, `anyOf` and `oneOf`."""
    schema = resolve(schema, root)
    if not isinstance(schema, dict) or left <= 0:
        return
    yield schema
    for key in ("allOf", "anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            for branch in branches:
                yield from parts_of(branch, root, left // (len(branches) + 1))
