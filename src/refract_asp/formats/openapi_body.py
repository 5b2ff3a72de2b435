"""The bodies of OpenAPI: what a request takes, what an answer gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from refract_asp.formats.openapi_parts import Parts
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.model.schemas import JsonSchema

__all__ = ["Body", "Fields", "answer_schema", "body_of", "only_described"]

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
            if not isinstance(part, dict) or part.get("type", "object") != "object":
                return None
            if any(key in part for key in _CHOICES):
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
    return schema.get("readOnly") is True or (isinstance(target, dict) and target.get("readOnly") is True)


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


def answer_schema(responses: Any, parts: Parts, place: FieldPlace, origin: Origin) -> JsonSchema | None:
    """
    Return the schema of the first successful answer in JSON, or None when none is described.

    Raises:
        FormatError: an answer, or its schema, is no object, or refers to nothing.
    """
    codes = (
        sorted(code for code in responses if _SUCCESS.fullmatch(code)) if isinstance(responses, dict) else []
    )
    if not codes and isinstance(responses, dict) and "default" in responses:
        codes = ["default"]
    for code in codes:
        answer, inside = parts.follow(responses[code], (*place, code))
        if not isinstance(answer, dict):
            raise origin.error("an object is needed for an answer.", inside, 'Write {"content": {...}}.')
        if "schema" in answer:  # as before OpenAPI 3
            return only_described(answer["schema"], (*inside, "schema"), origin)
        content = answer.get("content")
        if isinstance(content, dict) and (kind := _json_kind(content)) is not None:
            return _media_schema(content, kind, inside, origin)
    return {"type": "null"} if codes and set(codes) <= {"204", "205"} else None


def _json_kind(content: dict[str, Any]) -> str | None:
    """Return the media type that is JSON, the plainest first."""
    plain = [kind for kind in content if kind.partition(";")[0].strip().lower() == "application/json"]
    likely = [kind for kind in content if "json" in kind.lower() or kind in ("*/*", "application/*")]
    return next(iter([*plain, *likely]), None)


def _media_schema(content: dict[str, Any], kind: str | None, place: FieldPlace, origin: Origin) -> JsonSchema:
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
