"""
Schemas as the world writes them, read as JSON Schema 2020-12: one pass for every format of catalogs.

Each convention is reported as a `Remark`; what changes nothing is not: null, an empty list and an empty text
beside a keyword say nothing (but where they are values, as in `const`), and a schema that follows no
convention comes back as the same object. A remark `is_loose` where something that was written is not
judged. What cannot be read stays as it is, for those who judge values (`broken_schema`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from operator import is_
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, near, shown
from refract_asp.model.paths import are_texts, as_list, list_of, object_of, without
from refract_asp.model.schema_words import members_in, number_in, truth, type_schema, union_of
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, json_types, target, type_of, word_type

Place: TypeAlias = tuple[str | int, ...]

# Keywords that lead to other schemas.
MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = (
    "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains",
    "propertyNames", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
# Keywords that hold a value, where null and what is empty are values.
_HOLD_VALUES = frozenset({"const", "default", "example", "examples"})
# What is empty there stays.
_KEPT_EMPTY = _HOLD_VALUES | {"title", "description", "$comment", "required"}
# Of these an empty object, too, says nothing.
_SILENT_IF_EMPTY = frozenset({"enum", "anyOf", "oneOf", "allOf", "prefixItems", "required", "type"})
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_NULLABLE = ("nullable", "x-nullable", "x-isnullable", "isNullable", "allowNull")
_ENUMS = ("allowed_values", "allowedValues")
# Keys that say of a parameter that it has to be given.
FLAGS = frozenset({"required", "is_required", "isRequired"})
# Keys of an object that stands for a member of an enumeration, which say the value.
_MEMBER = ("value", "const", "id", "name")
# What `_settled` looks at.
_CROSSING = frozenset({
    "enum", "const", "default", *_ENUMS, *_NULLABLE, "dependencies", "$schema", "exclusiveMinimum",
    "exclusiveMaximum",
})  # fmt: skip
_DESCRIBES = frozenset({
    "title", "description", "default", "examples", "example", "$defs", "definitions",
})  # fmt: skip

_SCRIPT = re.compile(r"/((?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+)/([dgimsuvy]*)", re.DOTALL)
_META = re.compile(r"[\[(+*?{|\\^$]")


@dataclass(frozen=True, slots=True)
class Remark:
    """
    How something in a catalog was read.

    Attributes:
        tool: the tool.
        place: where in it, as a parameter and what lies in it.
        said: what stood there and how it was read.
        is_loose: whether something that was meant as a rule is not judged.
    """

    tool: str
    place: str
    said: str
    is_loose: bool = False

    def __str__(self) -> str:
        """Print the remark with its place."""
        return f"{'.'.join(shown(each) for each in (self.tool, self.place) if each)}: {self.said}"


@dataclass(slots=True)
class Remarks:
    """
    The notes on a catalog while it is read, and the definitions that were read, which tools may share.

    Attributes:
        tool: the tool that is read.
        found: the remarks so far.
    """

    tool: str = ""
    found: dict[Remark, None] = field(default_factory=dict)
    read: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def add(self, place: Place, said: str, *, is_loose: bool = False) -> None:
        """Add a remark on how something was read."""
        steps = [str(step) for step in place if step not in ("properties", "$defs", "definitions")]
        self.found[Remark(self.tool, ".".join(steps), said, is_loose)] = None


def standard(
    schema: Any,
    remarks: Remarks | None = None,
    place: Place = (),
    root: Any = None,
    *,
    keeps_words: bool = False,
) -> Any:
    """
    Return a schema in the words of JSON Schema 2020-12; what is no schema is returned as it is.

    Args:
        schema: a schema, or what stands in its place.
        remarks: where remarks are added.
        place: where the schema stands, for the remarks.
        root: the schema in which references lead, by default the schema itself.
        keeps_words: whether an unknown type stays for those who print it; it judges nothing.

    Example:
        >>> standard({"type": "dict", "properties": {"n": {"type": "int", "nullable": "yes"}}})
        {'type': 'object', 'properties': {'n': {'type': ['integer', 'null']}}}
    """
    whole = schema if root is None else root
    told = Remarks() if remarks is None else remarks
    return _Reading(whole, told, place, keeps_words=keeps_words).schema(schema)


# -- schemas ---------------------------------------------------------------------------

# What a keyword is read as; `_GONE` takes it away.
Reader: TypeAlias = Callable[["_Reading", str, Any, JsonSchema], Any]


@dataclass(slots=True)
class _Reading:
    """One reading of a schema: where it is now, and the definitions that are in reach there."""

    root: Any
    remarks: Remarks
    place: Place = ()
    scopes: list[tuple[Place, JsonSchema]] = field(default_factory=list)
    steps: list[str | int] = field(default_factory=list)
    moved: int = 0
    is_needed: bool = False
    keeps_words: bool = False

    def tell(self, said: str, *, is_loose: bool = False) -> None:
        self.remarks.add((*self.place, *self.steps), said, is_loose=is_loose)

    def at(self, schema: Any, *steps: str | int) -> Any:
        """Return the schema that lies some steps deeper, in standard words."""
        self.steps += steps
        read = self.schema(schema)
        del self.steps[-len(steps) :]
        return read

    def schema(self, given: Any) -> Any:
        """Return a schema, or what stands in its place, in standard words."""
        if isinstance(given, dict):
            return self._object(given)
        if given is None or given == [] or given == "":
            return {}
        if isinstance(given, str):
            if given.lstrip().startswith("{"):
                with suppress(ValueError, RecursionError):
                    if isinstance(held := json.loads(given), dict):
                        self.tell("a schema in a text is read as JSON.")
                        return self._object(held)
            found = type_schema(given)
            if found is None and len(given.split()) > 2:
                return {"description": given}
            if found is None:
                self._untyped(given)
                return {"type": given} if self.keeps_words else {}
            return dict(found)
        return given

    def _untyped(self, word: Any) -> None:
        said = f"the type {_quoted(word)} is unknown: every value is taken."
        self.tell(f"{said} {near(word, JSON_TYPES)}".rstrip())

    def _object(self, given: JsonSchema) -> JsonSchema:
        is_needed, self.is_needed = self.is_needed, False
        if isinstance(listed := given.get("properties"), list) and listed:
            given = {**given, "properties": self._by_name(listed)}
        if is_scope := "$defs" in given or "definitions" in given:
            self.scopes.append((tuple(self.steps), given))
        read = ((key, self._keyword(key, value, given)) for key, value in given.items())
        whole = {key: value for key, value in read if value is not _GONE}
        if is_scope:
            self.scopes.pop()
        is_same = len(whole) == len(given) and all(map(is_, whole.values(), given.values()))
        if is_same and _CROSSING.isdisjoint(given):
            return given
        self._settled(whole, given, is_needed)
        is_kept = all(whole.get(key, whole) is value for key, value in given.items())
        return given if is_kept and len(whole) == len(given) else whole

    def _keyword(self, key: str, value: Any, given: JsonSchema) -> Any:
        """Return what a keyword is read as, `_GONE` for one that says nothing."""
        if value is None or value == [] or value == "":
            is_kept = key in _KEPT_EMPTY and (value is not None or key in _HOLD_VALUES)
            return value if is_kept else _GONE
        if value == {} and key in _SILENT_IF_EMPTY:
            return _GONE
        reader = _READERS.get(key)
        return value if reader is None else reader(self, key, value, given)

    def _by_name(self, listed: list[Any]) -> Any:
        """Return properties that stand in a list, each with its name, by that name."""
        names = [object_of(each).get("name") for each in listed]
        if not all(isinstance(name, str) and name for name in names):
            return listed
        self.tell("properties are a list, read by the names in it.")
        found = {}
        for name, each in zip(names, listed, strict=True):
            found[name] = schema = without(each, ("name", "in"))
            for key in ("schema", "schema_data"):
                if isinstance(schema.get(key), dict):
                    found[name] = {**without(schema, (key,)), **schema[key]}
        return found

    # -- keywords that lead to schemas ---------------------------------------

    def map(self, key: str, value: Any, given: JsonSchema) -> Any:
        """Read the schemas of `properties` and the like."""
        if not isinstance(value, dict):
            return value
        names = list_of(given.get("required")) if key == "properties" else []
        shares = key in ("$defs", "definitions")
        read = {}
        is_same = True
        for name, inner in value.items():
            kept = self.remarks.read.get(id(inner)) if shares else None
            if kept is not None:
                read[name] = kept[1]
            else:
                before = self.moved
                self.is_needed = name in names or _is_flagged(inner)
                read[name] = self.at(inner, key, name)
                if shares and before == self.moved:
                    self.remarks.read[id(inner)] = inner, read[name]
            is_same = is_same and read[name] is inner
        return value if is_same else read

    def one(self, key: str, value: Any, given: JsonSchema) -> Any:
        """Read a schema under a keyword; a list under `items` is for each element its own."""
        if isinstance(value, list):
            return [*self.several(key, value, given)]  # it gets another keyword
        if key.startswith(("additional", "unevaluated")) and isinstance(value, str):
            said = truth(value)
            return self.schema(value) if said is None else said
        return value if isinstance(value, bool) else self.at(value, key)

    def several(self, key: str, value: Any, given: JsonSchema) -> Any:  # noqa: ARG002
        """Read a list of schemas, or one that stands where a list should."""
        if isinstance(value, dict):
            return [self.at(value, key)]
        if not isinstance(value, list):
            return value
        read = [self.at(inner, key, number) for number, inner in enumerate(value)]
        return value if all(map(is_, read, value)) else read

    # -- other keywords -------------------------------------------------------

    def type(self, key: str, value: Any, given: JsonSchema) -> Any:  # noqa: ARG002
        """Read types in words; what these say beyond the type is settled with the other keywords."""
        if isinstance(value, str) and value in JSON_TYPES:
            return value
        if are_texts(value):
            if all(each in JSON_TYPES for each in value):
                return value
            found = union_of([type_schema(each) for each in value])
        elif isinstance(value, str) and value.strip() == "None":  # what Python prints of no type
            found = {}
        elif isinstance(value, str):
            found = type_schema(value)
        else:
            return value
        if found is None:
            self._untyped(value)
            if self.keeps_words:
                return value
        elif found and (not isinstance(value, str) or word_type(value) is None):
            self.tell(f"the type {_quoted(value)} is read as {_told(found)}.")
        return _Typed(found or {})

    def count(self, key: str, value: Any, given: JsonSchema) -> Any:
        """Read a number, also in a text; a bound that no value breaks says nothing."""
        if not isinstance(value, str):
            return value
        said = truth(value) if key.startswith("exclusive") else None
        number = number_in(value.strip()) if said is None else said
        if number is not None:
            self.tell(f"{key} is {_quoted(value)}, read as {number}.")
            return number
        kinds = type_schema(given["type"]) if isinstance(given.get("type"), str) else {}
        if key not in _NUMBERS or kinds != {"type": "string"}:
            return value
        self.tell(f"{key} is {_quoted(value)}, which is not judged.", is_loose=True)
        return _GONE

    def flag(self, key: str, value: Any, given: JsonSchema) -> Any:  # noqa: ARG002
        """Read a boolean in words."""
        said = truth(value)
        return value if said is None else said

    def required(self, key: str, value: Any, given: JsonSchema) -> Any:
        """Read the names that are required; a flag belongs to what holds the schema, see `_flagged`."""
        names = object_of(given.get("properties"))
        if isinstance(value, list):
            return [each for each in value if each is not None] if None in value else value
        if isinstance(value, dict):
            if any(truth(said) is None for said in value.values()):
                return value
            found = [name for name, said in value.items() if truth(said)]
            self.tell(f"{key} is an object, read as {_quoted(found)}.")
            return found
        if isinstance(value, str):
            listed = [each.strip(" \"'[]") for each in value.split(",")]
            if all(each in names for each in listed):
                self.tell(f"{key} is {_quoted(value)}, read as {_quoted(listed)}.")
                return listed
        said = truth(value)
        if said is not False and not self.steps:
            self.tell(f"{key} is {_quoted(value)}, which names nothing.", is_loose=True)
        return value if said is None else _GONE

    def enum(self, key: str, value: Any, given: JsonSchema) -> Any:
        """Read the members of an enumeration from a text, an object, or objects that stand for them."""
        kinds = _types_of(given)
        members: Any = value
        if isinstance(value, str):
            members = members_in(value)
            if members is None:
                return value
        elif isinstance(value, dict):
            # its values where these alone are of the type, or name the same as the keys
            values = list(value.values())
            is_same = all(isinstance(v, str) and v.lower() == k.lower() for k, v in value.items())
            members = list(dict.fromkeys([*value, *values])) if is_same else list(value)
            fits = [any(type_of(each) in kinds for each in held) for held in (value, values)]
            if fits == [False, True]:
                members = values
        elif isinstance(value, list):
            members = [inner for each in value for inner in _member(each, kinds)]
            members = value if members == value and all(map(is_, members, value)) else members
        if members is not value:
            self.tell(f"{key} is {_quoted(value)}, read as {_quoted(members)}.")
        return members

    def pattern(self, key: str, value: Any, given: JsonSchema) -> Any:  # noqa: ARG002
        """
        Read a pattern of JavaScript, `/^[a-z]+$/i`, without its slashes.

        A text that begins and ends with a slash may be a pattern itself, as of a path. What stands behind an
        anchor at its end could never match, and flags say what it is.
        """
        match = _SCRIPT.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            return value
        body, flags = match[1], match[2]
        is_anchored = body[0] == "^" or (body[-1] == "$" and body[-2:] != "\\$")
        if not is_anchored and not (flags and _META.search(body)):
            return value
        told = "".join(flag for flag in "ims" if flag in flags)
        read = f"(?{told}){body}" if told else body
        self.tell(f"{key} is {_quoted(value)}, read as {_quoted(read)}.")
        return read.replace("\\/", "/")

    def reference(self, key: str, value: Any, given: JsonSchema) -> Any:  # noqa: ARG002
        """Read a reference that leads nowhere as one to the nearest definition of its name."""
        if not isinstance(value, str) or target(value, self.root) is not None:
            return value
        name = value.rpartition("/")[2] if value.startswith("#/") else value
        for (place, scope), home in product(reversed(self.scopes), ("$defs", "definitions")):
            held = scope.get(home)
            if isinstance(held, dict) and name in held:
                steps = map(str, (*place, home, name))
                escaped = (step.replace("~", "~0").replace("/", "~1") for step in steps)
                read = f"#/{'/'.join(escaped).replace('%', '%25')}"
                if target(read, self.root) is not None:
                    self.moved += 1
                    self.tell(f"{_quoted(value)} is read as {_quoted(read)}.")
                    return read
        return value

    # -- keywords together -----------------------------------------------------

    def _settled(self, whole: JsonSchema, given: JsonSchema, is_needed: bool) -> None:
        """Settle what the keywords of a schema mean together; `given` is how it was written."""
        properties = given.get("properties")
        if isinstance(properties, dict) and not whole.get("required"):
            # where no list says which are required, they say so of themselves
            names = [name for name, inner in properties.items() if _is_flagged(inner)]
            if names:
                whole["required"] = names
                self.tell(f"{', '.join(map(shown, names[:20]))}: required, as it says beside each.")
        self._of_drafts(whole)
        if isinstance(found := whole.get("type"), _Typed):
            if "type" not in found:
                del whole["type"]
            for key, said in found.items():
                whole[key] = said if key == "type" else whole.get(key, said)
        self._valued(whole, given, is_needed)
        said = [truth(whole.pop(key)) for key in _NULLABLE if key in whole]
        if not any(said):
            return
        if isinstance(members := whole.get("enum"), list) and None not in members:
            whole["enum"] = [*members, None]
        kinds = whole.get("type")
        if isinstance(kinds, str | list):
            listed = [kinds] if isinstance(kinds, str) else kinds
            whole["type"] = list(dict.fromkeys([*listed, "null"]))
        rules = without(whole, _DESCRIBES)
        if {"anyOf", "oneOf", "allOf", "$ref", "const", "not"} & rules.keys():
            for key in rules:
                del whole[key]
            whole["anyOf"] = [rules, {"type": "null"}]

    def _of_drafts(self, whole: JsonSchema) -> None:
        """Put what older drafts say under other keywords into today's, and all enumerations into one."""
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(whole.get(exclusive), bool) and whole.pop(exclusive) and bound in whole:
                whole[exclusive] = whole.pop(bound)
        if isinstance(whole.get("items"), list):
            whole["prefixItems"] = whole.pop("items")
            if "additionalItems" in whole:
                whole["items"] = whole.pop("additionalItems")
        for name, needed in object_of(whole.pop("dependencies", None)).items():
            key = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
            whole[key] = {**whole.get(key, {}), name: self.schema(needed)}
        whole.pop("$schema", None)
        for key in _ENUMS:
            if (members := whole.pop(key, None)) and "enum" not in whole:
                whole["enum"] = members

    def _nulls(
        self, whole: JsonSchema, given: JsonSchema, kinds: frozenset[str], is_needed: bool
    ) -> None:
        """Take away a null that says nothing, as in the dump of a class; else let a default of null be a value."""
        nulls = {key for key, value in given.items() if value is None}
        is_dump = not nulls <= _HOLD_VALUES | {"type"}
        if whole.get("const", 0) is None and (is_dump or "null" not in kinds):
            del whole["const"]
        if whole.get("default", 0) is None:
            if is_dump:
                del whole["default"]
            elif "null" not in kinds and "type" in whole and not is_needed:
                whole["nullable"] = True
                self.tell("the default is null, so null is taken.")

    def _valued(self, whole: JsonSchema, given: JsonSchema, is_needed: bool) -> None:
        """Bring the values that a schema says and its types together; null may say nothing, or be one."""
        kinds = _types_of(whole)
        self._nulls(whole, given, kinds, is_needed)
        members = whole.get("enum")
        if isinstance(members, list) and members and "type" in whole:
            turned = [_as_typed(each, kinds) for each in members]
            if None in members and "null" not in kinds:
                whole["nullable"] = True
                self.tell("the enumeration has null, so null is taken.")
            if turned != members or not all(map(is_, turned, members)):
                self.tell(f"enum is {_quoted(members)}, read as {_quoted(turned)} for its type.")
                whole["enum"] = turned
            if not any(type_of(each) in kinds for each in turned if each is not None):
                said = f"no member of enum is of type {_told(whole)}: the members count."
                self.tell(said, is_loose=True)
                del whole["type"]
        for key in ("const", "default"):
            if key in whole and "type" in whole:
                turned = _as_typed(whole[key], kinds)
                if turned is not whole[key]:
                    read = f"read as {_quoted(turned)} for its type."
                    self.tell(f"{key} is {_quoted(whole[key])}, {read}")
                    whole[key] = turned


# Stands for a keyword that says nothing.
_GONE: Any = object()


class _Typed(dict[str, Any]):
    """What a type in words says, before it is settled with the other keywords."""


_READERS: dict[str, Reader] = {
    **dict.fromkeys(MAPS, _Reading.map),
    **dict.fromkeys(SINGLE, _Reading.one),
    **dict.fromkeys(LISTS, _Reading.several),
    **dict.fromkeys((*_COUNTS, *_NUMBERS), _Reading.count),
    **dict.fromkeys((*_NULLABLE, "uniqueItems"), _Reading.flag),
    **dict.fromkeys(("enum", *_ENUMS), _Reading.enum),
    **dict.fromkeys(FLAGS, _Reading.required),
    "type": _Reading.type,
    "pattern": _Reading.pattern,
    "$ref": _Reading.reference,
}


def _quoted(value: Any) -> str:
    return shown(json.dumps(value, ensure_ascii=False, default=str), LONGEST_TEXT // 3)


def _told(schema: JsonSchema) -> str:
    return _quoted(schema["type"]) if schema.keys() == {"type"} else _quoted(schema)


def _is_flagged(schema: Any) -> bool:
    whole = object_of(schema)
    said = next(map(whole.get, whole.keys() & FLAGS), None)
    return truth(said) is True and said not in object_of(whole.get("properties"))


def _types_of(schema: JsonSchema) -> frozenset[str]:
    """Return the JSON types that the type of a schema names, all where it names none."""
    kinds = schema.get("type")
    if isinstance(kinds, str) and kinds not in JSON_TYPES:
        kinds = (type_schema(kinds) or {}).get("type")
    found = frozenset().union(*map(json_types, as_list(kinds)))
    return found | ({"null"} if any(truth(schema.get(key)) for key in _NULLABLE) else set())


def _as_typed(value: Any, kinds: frozenset[str]) -> Any:
    """Return a value as one of some types, where it is clearly written as another."""
    if type_of(value) in kinds:
        return value
    if isinstance(value, str):
        number = number_in(value) if kinds & {"integer", "number"} else None
        if number is not None and type_of(number) in kinds:
            return number
        said = {"true": True, "false": False}.get(value.lower()) if "boolean" in kinds else None
        return value if said is None else said
    if isinstance(value, bool | int | float) and "string" in kinds:
        return json.dumps(value)
    return value


def _member(each: Any, kinds: frozenset[str]) -> Iterator[Any]:
    """Yield the value that an object, or the values that a list, among the members stands for."""
    if isinstance(each, list) and "array" not in kinds:
        yield from each
    elif isinstance(each, dict) and "object" not in kinds:
        key = next((key for key in _MEMBER if key in each), None)
        yield each if key is None else each[key]
    else:
        yield each
