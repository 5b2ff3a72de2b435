"""The parts of an OpenAPI document: references followed, and schemas that carry what they refer to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from refract_asp.errors import FormatError, shown
from refract_asp.formats.chat_catalogs import mapped
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.model.schemas import MAX_HOPS, JsonSchema, declared

__all__ = [
    "Body",
    "Fields",
    "Parts",
    "answer_schema",
    "body_of",
    "only_described",
]


_HOMES = ("#/components/schemas/", "#/definitions/")
"""Where schemas are defined: since OpenAPI 3, and before."""
_LIMITS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_ABSENT = object()


class Parts:
    """
    A document whose parts refer to each other.

    A schema that is taken out of it refers to `$defs`; these are built once each, and shared between
    the schemas that need them.
    """

    def __init__(self, document: dict[str, Any], origin: Origin) -> None:
        """Take a document; nothing is built before it is needed."""
        self._document = document
        self._origin = origin
        self._definitions: dict[str, JsonSchema] = {}
        self._needs: dict[str, tuple[str, ...]] = {}

    def follow(self, part: Any, place: FieldPlace) -> tuple[Any, FieldPlace]:
        """
        Return what a parameter, a body or the like refers to, with its place in the document.

        Raises:
            FormatError: the reference leads out of the document, nowhere or in a circle.
        """
        for _ in range(MAX_HOPS):
            if not isinstance(part, dict) or not isinstance(part.get("$ref"), str):
                return part, place
            reference = part["$ref"]
            target = self._at(reference) if reference.startswith("#/") else _ABSENT
            if target is _ABSENT:
                raise self._lost(reference, place)
            beside = {key: value for key, value in part.items() if key != "$ref"}
            part = {**target, **beside} if isinstance(target, dict) else target
            place = tuple(_unescaped(step) for step in reference[2:].split("/"))
        raise self._origin.error("the reference leads in a circle.", (*place, "$ref"))

    def _lost(self, reference: str, place: FieldPlace) -> FormatError:
        said = shown(reference, 80)
        if reference.startswith("#"):
            return self._origin.error(
                f"there is nothing at {said}.", (*place, "$ref"), "Define it, or correct it."
            )
        return self._origin.error(
            f"{said} lies outside this document, and nothing is fetched.",
            (*place, "$ref"),
            "Bundle the document into one file.",
        )

    def target(self, schema: Any) -> Any:
        """Return the schema that a schema of the document refers to; one that leads nowhere as it is."""
        for _ in range(MAX_HOPS):
            reference = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            found = self._at(reference)
            if found is _ABSENT:
                break
            schema = found
        return schema

    def schema(self, schema: JsonSchema) -> tuple[JsonSchema, tuple[str, ...]]:
        """Return a schema of the document with references to `$defs`, and the names of those."""
        names: dict[str, None] = {}

        def change(part: JsonSchema) -> JsonSchema:
            changed = dict(part)
            reference = part.get("$ref")
            if isinstance(reference, str):
                changed["$ref"] = self._renamed(reference, names)
            for exclusive, limit in _LIMITS:
                if isinstance(part.get(exclusive), bool):  # as before OpenAPI 3.1
                    del changed[exclusive]
                    if part[exclusive] and limit in part:
                        changed[exclusive] = changed.pop(limit)
            return changed

        return mapped(schema, change), tuple(names)

    def _renamed(self, reference: str, names: dict[str, None]) -> str:
        """Return a reference into `$defs` for one into the document, noting the name; others stay."""
        if not reference.startswith("#/") or self._at(reference) is _ABSENT:
            return reference
        for home in _HOMES:
            if reference.startswith(home):
                step, slash, rest = reference.removeprefix(home).partition("/")
                names[_unescaped(step)] = None
                return f"#/$defs/{step}{slash}{rest}"
        names[reference] = None
        escaped = reference.replace("~", "~0").replace("/", "~1").replace("%", "%25")
        return f"#/$defs/{escaped}"

    def definitions(self, names: tuple[str, ...]) -> dict[str, JsonSchema]:
        """Return the definitions of these names and of all that they need, sorted."""
        found: dict[str, JsonSchema] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._definition(name)
                waiting.extend(self._needs[name])
        return dict(sorted(found.items()))

    def _definition(self, name: str) -> JsonSchema:
        if name not in self._definitions:
            schema = self._at(name) if name.startswith("#/") else self._defined(name)
            built, needs = self.schema(schema) if isinstance(schema, dict) else (schema, ())
            self._definitions[name], self._needs[name] = built, needs
        return self._definitions[name]

    def _defined(self, name: str) -> Any:
        for home in _HOMES:
            schemas = self._at(home.removesuffix("/"))
            if isinstance(schemas, dict) and name in schemas:
                return schemas[name]
        return {}

    def _at(self, reference: str) -> Any:
        """Return what a pointer such as `#/components/schemas/Pet` leads to."""
        value: Any = self._document
        for step in reference[2:].split("/"):
            name = _unescaped(step)
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif (
                isinstance(value, list)
                and name.isdecimal()
                and len(name) < 10
                and int(name) < len(value)
            ):
                value = value[int(name)]
            else:
                return _ABSENT
        return value


def _unescaped(step: str) -> str:
    return unquote(step).replace("~1", "/").replace("~0", "~")


_SUCCESS = re.compile(r"2(\d\d|XX)")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_CHOICES = ("oneOf", "anyOf", "not", "if")
"""What makes the fields of an object depend on each other; such a body stays whole."""
MAX_PARTS = 200
"""How many parts of `allOf` are looked into."""


@dataclass(frozen=True)
class Fields:
    """The fields of an object: their schemas by name, which are required, and what other fields may be."""

    schemas: dict[str, JsonSchema]
    required: tuple[str, ...]
    additional: Any = None


@dataclass(frozen=True)
class Body:
    """What a request takes besides its parameters."""

    schema: JsonSchema
    required: bool
    description: str

    def fields(self, parts: Parts) -> Fields | None:
        """Return the fields when the body is an object that names them, else None."""
        schemas: dict[str, JsonSchema] = {}
        required: dict[str, None] = {}
        additional: Any = None
        waiting: list[Any] = [self.schema]
        for _ in range(MAX_PARTS):
            if not waiting:
                break
            part = parts.target(waiting.pop(0))
            if not isinstance(part, dict):
                return None
            part = declared(part)
            if part.get("type", "object") != "object" or any(key in part for key in _CHOICES):
                return None
            named, needed, several = (part.get(key) for key in ("properties", "required", "allOf"))
            for name, inner in named.items() if isinstance(named, dict) else ():
                schemas.setdefault(name, inner if isinstance(inner, dict) else {})
            required.update((name, None) for name in needed or () if isinstance(name, str))
            if additional is None and part.get("additionalProperties") is not False:
                additional = part.get("additionalProperties")
            waiting.extend(several if isinstance(several, list) else ())
        if waiting or not schemas:
            return None
        kept = tuple(name for name in required if not _is_read_only(schemas.get(name), parts))
        return Fields(schemas, kept, additional)


def _is_read_only(schema: Any, parts: Parts) -> bool:
    if not isinstance(schema, dict):
        return False
    target = parts.target(schema)
    return schema.get("readOnly") is True or (
        isinstance(target, dict) and target.get("readOnly") is True
    )


def body_of(given: Any, place: FieldPlace, origin: Origin) -> Body:
    """
    Return the body of a request: JSON where it takes that, else a form, else whatever is named first.

    Raises:
        FormatError: it, or its schema, is no object.
    """
    if not isinstance(given, dict):
        raise origin.error("an object is needed for a body.", place, 'Write {"content": {...}}.')
    content = given.get("content") or {}
    if not isinstance(content, dict):
        raise origin.error("an object of media types is needed.", (*place, "content"))
    kind = _json_kind(content) or next(
        (form for form in _FORMS if form in content), next(iter(content), None)
    )
    description = given.get("description")
    return Body(
        schema=_media_schema(content, kind, place, origin),
        required=given.get("required") is True,
        description=description if isinstance(description, str) else "",
    )


def answer_schema(
    responses: Any, parts: Parts, place: FieldPlace, origin: Origin
) -> JsonSchema | None:
    """
    Return the schema of the first successful answer in JSON, or None when none is described.

    Raises:
        FormatError: an answer, or its schema, is no object, or refers to nothing.
    """
    codes = (
        sorted(code for code in responses if _SUCCESS.fullmatch(code))
        if isinstance(responses, dict)
        else []
    )
    if not codes and isinstance(responses, dict) and "default" in responses:
        codes = ["default"]
    for code in codes:
        answer, inside = parts.follow(responses[code], (*place, code))
        if not isinstance(answer, dict):
            raise origin.error(
                "an object is needed for an answer.", inside, 'Write {"content": {...}}.'
            )
        if "schema" in answer:  # as before OpenAPI 3
            return only_described(answer["schema"], (*inside, "schema"), origin)
        content = answer.get("content")
        if isinstance(content, dict) and (kind := _json_kind(content)) is not None:
            return _media_schema(content, kind, inside, origin)
    return {"type": "null"} if codes and set(codes) <= {"204", "205"} else None


def _json_kind(content: dict[str, Any]) -> str | None:
    """Return the media type that is JSON, the plainest first."""
    plain = [
        kind for kind in content if kind.partition(";")[0].strip().lower() == "application/json"
    ]
    likely = [
        kind for kind in content if "json" in kind.lower() or kind in ("*/*", "application/*")
    ]
    return next(iter([*plain, *likely]), None)


def _media_schema(
    content: dict[str, Any], kind: str | None, place: FieldPlace, origin: Origin
) -> JsonSchema:
    media = content.get(kind) if kind is not None else None
    schema = media.get("schema") if isinstance(media, dict) else None
    return only_described(schema, (*place, "content", kind or "", "schema"), origin)


def only_described(schema: Any, place: FieldPlace, origin: Origin) -> JsonSchema:
    """
    Return a schema as a mapping; nothing inside it is looked at.

    Raises:
        FormatError: it is no mapping.
    """
    if isinstance(schema, dict):
        return schema
    if schema is None or schema is True:
        return {}
    raise origin.error("a JSON Schema is needed.", place, 'Write {"type": "string"}.')
