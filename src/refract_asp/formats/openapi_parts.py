"""The parts of an OpenAPI document: references followed, and schemas that carry what they refer to."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from refract_asp.errors import FormatError, shown
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.standard import mapped
from refract_asp.model.schemas import MAX_HOPS, JsonSchema

__all__ = ["Parts"]

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
            elif isinstance(value, list) and name.isdecimal() and len(name) < 10 and int(name) < len(value):
                value = value[int(name)]
            else:
                return _ABSENT
        return value


def _unescaped(step: str) -> str:
    return unquote(step).replace("~1", "/").replace("~0", "~")
