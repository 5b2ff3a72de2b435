"""
OpenAPI documents as catalogs: version 3.0, 3.1 and, as far as it says the same, 2.0.

    openapi: 3.1.0
    paths:
      /pets/{petId}:
        get:
          operationId: showPet
          parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
          responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}

Each operation is a tool, named by its `operationId`, else by method and path (`get_pets_petId`); a name that
is taken gets a number. The method gives the effect. Parameters of path, query, header and cookie are
parameters; of two with one name the second is called `query_id`. So are the properties of a body that is an
object; another body, or one with a name that is taken, is the parameter `body`. What a body requires is
required if the body is, but not what is `readOnly`. The output is the JSON of the first successful answer;
204 alone returns null. Webhooks are not called and are passed over.

Schemas keep their references, now to `$defs` with what they need; one that leads nowhere stays as it is,
for those who judge schemas. References of parameters, bodies and answers are followed inside the document;
nothing is fetched. The format is only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import unquote

from refract_asp.errors import FormatError, shown
from refract_asp.formats.catalogs import catalog_of, effect_of_method, mapped, text_in, tool_of
from refract_asp.formats.registry import Format
from refract_asp.formats.source import Origin
from refract_asp.model import Catalog, Tool
from refract_asp.model.schemas import MAX_HOPS, JsonSchema, declared

MAX_PARTS = 200
"""How many parts of `allOf` are looked into."""

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_PLACES = ("path", "query", "header", "cookie", "formData", "body")
_NO_PARAMETERS = {"accept", "content-type", "authorization"}
"""Headers that OpenAPI says elsewhere; as parameters they are to be ignored."""
_NOT_SCHEMA = {"name", "in", "required", "description", "allowEmptyValue", "collectionFormat"}
_HOMES = ("#/components/schemas/", "#/definitions/")
"""Where schemas are defined: since OpenAPI 3, and before."""
_LIMITS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_INDEX = re.compile(r"[0-9]{1,9}")
_SUCCESS = re.compile(r"2(\d\d|XX)")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_CHOICES = ("oneOf", "anyOf", "not", "if")
"""What makes the fields of an object depend on each other; such a body stays whole."""
_ABSENT: Any = object()


def _read(data: Any, origin: Origin) -> Catalog:
    hint = "Begin with `openapi: 3.1.0`."
    origin.need(isinstance(data, dict), "an OpenAPI document is needed.", hint=hint)
    paths = data.get("paths", {} if "webhooks" in data or "components" in data else None)
    hint = 'Write {"/pets": {"get": {...}}}.'
    origin.need(isinstance(paths, dict), "an object of paths is needed.", "paths", hint=hint)
    document = _Document(data, origin)
    operations = list(_operations(paths, document, origin))
    names = _names([(method, path, operation) for _, method, path, _, operation in operations])
    entries = [
        (at, (name, method, item, operation))
        for name, (at, method, _, item, operation) in zip(names, operations, strict=True)
    ]
    info = data.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    name = title if isinstance(title, str) else ""
    return catalog_of(entries, partial(_tool, document), format="openapi", name=name)


def _operations(
    paths: dict[str, Any], document: _Document, origin: Origin
) -> Iterator[tuple[Origin, str, str, Any, Any]]:
    """Yield the place, the method, the path, the path item and the operation itself of each operation."""
    for path, given in paths.items():
        if path.startswith("x-"):
            continue
        try:
            item, at = document.follow(given, origin.inside("paths", path))
            what, hint = "an object of operations is needed.", 'Write {"get": {...}}.'
            at.need(isinstance(item, dict), what, hint=hint)
        except FormatError as error:
            origin.forgive(error)
            continue
        for method in item:
            if method in _METHODS and item[method] is not None:
                yield at.inside(method), method, path, item, item[method]


def _names(operations: list[tuple[str, str, Any]]) -> list[str]:
    """Return a name for each operation, all different; the names that the document gives come first."""
    wanted = []
    for index, (method, path, operation) in enumerate(operations):
        given = operation.get("operationId") if isinstance(operation, dict) else None
        is_given = isinstance(given, str) and bool(given)
        made = "_".join([method, *re.findall(r"[^\W_]+", path)])
        wanted.append((not is_given, index, given if is_given else made))
    taken: dict[str, int] = {}
    for _, index, name in sorted(wanted):
        number, unique = 1, str(name)
        while unique in taken:
            number += 1
            unique = f"{name}_{number}"
        taken[unique] = index
    return sorted(taken, key=lambda name: taken[name])


# -- references ------------------------------------------------------------------------


class _Document:
    """
    A document whose parts refer to each other.

    A schema that is taken out of it refers to `$defs`; these are built once each, and shared between
    the schemas that need them.
    """

    def __init__(self, root: dict[str, Any], origin: Origin) -> None:
        """Take a document; nothing is built before it is needed."""
        self.root = root
        self.origin = origin
        self.definitions: dict[str, tuple[JsonSchema, tuple[str, ...]]] = {}

    def at(self, reference: Any) -> Any:
        """Return what a pointer such as `#/components/schemas/Pet` leads to."""
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return _ABSENT
        value: Any = self.root
        for name in map(_unescaped, reference[2:].split("/")):
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
                value = value[int(name)]
            else:
                return _ABSENT
        return value

    def follow(self, part: Any, at: Origin) -> tuple[Any, Origin]:
        """
        Return what a parameter, a body or the like refers to, with its place in the document.

        Raises:
            FormatError: the reference leads out of the document, nowhere or in a circle.
        """
        for _ in range(MAX_HOPS):
            if not isinstance(part, dict) or not isinstance(part.get("$ref"), str):
                return part, at
            reference = part["$ref"]
            found = self.at(reference)
            if found is _ABSENT:
                told, hint = shown(reference, 80), "Define it, or correct it."
                what = f"there is nothing at {told}."
                if not reference.startswith("#"):
                    what = f"{told} lies outside this document, and nothing is fetched."
                    hint = "Bundle the document into one file."
                raise at.error(what, ("$ref",), hint)
            beside = {key: value for key, value in part.items() if key != "$ref"}
            part = {**found, **beside} if isinstance(found, dict) else found
            at = self.origin.inside(*map(_unescaped, reference[2:].split("/")))
        raise at.error("the reference leads in a circle.", ("$ref",))

    def target(self, schema: Any) -> Any:
        """Return the schema that a schema of the document refers to; one that leads nowhere as it is."""
        for _ in range(MAX_HOPS):
            found = self.at(schema.get("$ref")) if isinstance(schema, dict) else _ABSENT
            if found is _ABSENT:
                break
            schema = found
        return schema

    def taken_out(self, schema: JsonSchema) -> tuple[JsonSchema, tuple[str, ...]]:
        """Return a schema of the document with references to `$defs`, and the names of those."""
        names: dict[str, None] = {}

        def change(part: JsonSchema) -> JsonSchema:
            changed = dict(part)
            reference = part.get("$ref")
            if self.at(reference) is not _ABSENT:
                changed["$ref"] = renamed(str(reference))
            for exclusive, limit in _LIMITS:
                if isinstance(part.get(exclusive), bool):  # as before OpenAPI 3.1
                    del changed[exclusive]
                    if part[exclusive] and limit in part:
                        changed[exclusive] = changed.pop(limit)
            return changed

        def renamed(reference: str) -> str:
            for home in _HOMES:
                if reference.startswith(home):
                    rest = reference.removeprefix(home)
                    names[_unescaped(rest.partition("/")[0])] = None
                    return f"#/$defs/{rest}"
            names[reference] = None
            return f"#/$defs/{reference.replace('~', '~0').replace('/', '~1').replace('%', '%25')}"

        return mapped(schema, change), tuple(names)

    def complete(self, schema: JsonSchema, names: tuple[str, ...]) -> JsonSchema:
        """Return a schema with the definitions of these names and of all that they need, sorted."""
        found: dict[str, JsonSchema] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in self.definitions:
                homes = [self.at(home.removesuffix("/")) for home in _HOMES]
                held = (home[name] for home in homes if isinstance(home, dict) and name in home)
                own = self.at(name) if name.startswith("#/") else next(held, {})
                self.definitions[name] = self.taken_out(own) if isinstance(own, dict) else (own, ())
            if name not in found:
                found[name], needs = self.definitions[name]
                waiting.extend(needs)
        return {**schema, "$defs": dict(sorted(found.items()))} if found else schema


def _unescaped(step: str) -> str:
    return unquote(step).replace("~1", "/").replace("~0", "~")


def _schema(schema: Any, at: Origin) -> JsonSchema:
    """Return a schema as a mapping; nothing inside it is looked at."""
    is_schema = schema is None or schema is True or isinstance(schema, dict)
    at.need(is_schema, "a JSON Schema is needed.", hint='Write {"type": "string"}.')
    return schema if isinstance(schema, dict) else {}


def _media_schema(content: dict[str, Any], kind: str | None, at: Origin) -> JsonSchema:
    media = content.get(kind) if kind is not None else None
    schema = media.get("schema") if isinstance(media, dict) else None
    return _schema(schema, at.inside("content", kind or "", "schema"))


def _json_kind(content: dict[str, Any]) -> str | None:
    """Return the media type that is JSON, the plainest first."""
    plain = [
        kind for kind in content if kind.partition(";")[0].strip().lower() == "application/json"
    ]
    likely = [
        kind for kind in content if "json" in kind.lower() or kind in ("*/*", "application/*")
    ]
    return next(iter([*plain, *likely]), None)


# -- operations ------------------------------------------------------------------------


@dataclass
class _Input:
    """The schema of what an operation takes, while it is built."""

    document: _Document
    properties: dict[str, JsonSchema]
    required: list[str]
    needs: list[str]
    additional: Any = None

    def taken_out(self, schema: Any) -> Any:
        """Return a schema that refers to `$defs`, and note which it needs."""
        taken, names = self.document.taken_out(schema)
        self.needs.extend(names)
        return taken

    def add_parameter(self, parameter: dict[str, Any], schema: JsonSchema) -> None:
        name, where = parameter["name"], parameter["in"]
        if where == "header" and name.lower() in _NO_PARAMETERS:
            return
        if name in self.properties:
            name = f"{where}_{name}"
        schema = self.taken_out(schema)
        description = parameter.get("description")
        if isinstance(description, str) and description:
            schema = {**schema, "description": description}
        self.properties[name] = schema
        if where == "path" or parameter.get("required") is True:
            self.required.append(name)

    def add_body(self, schema: JsonSchema, required: bool, description: Any) -> None:
        """Add the fields of a body; one that is no object or shares a name with a parameter stays whole."""
        fields, needed, additional = self.fields_of(schema)
        if not fields or fields.keys() & self.properties.keys():
            name = "body" if "body" not in self.properties else "request_body"
            is_text = isinstance(description, str) and bool(description)
            own = {"description": description} if is_text else {}
            self.properties[name] = {**own, **self.taken_out(schema)}
            needed = [name]
        else:
            self.properties.update((n, self.taken_out(inner)) for n, inner in fields.items())
            is_schema = isinstance(additional, dict)
            self.additional = self.taken_out(additional) if is_schema else additional
        if required:
            self.required.extend(name for name in needed if name not in self.required)

    def fields_of(self, schema: JsonSchema) -> tuple[dict[str, JsonSchema], list[str], Any]:
        """Return the fields of an object by name (none where they do not say it all), which of them are
        required, and what other fields may be."""
        fields: dict[str, JsonSchema] = {}
        required: dict[str, None] = {}
        additional: Any = None
        waiting: list[Any] = [schema]
        for _ in range(MAX_PARTS):
            if not waiting:
                break
            part = self.document.target(waiting.pop(0))
            if not isinstance(part, dict):
                return {}, [], None
            part = declared(part)
            if part.get("type", "object") != "object" or any(key in part for key in _CHOICES):
                return {}, [], None
            named, needed, several = (part.get(key) for key in ("properties", "required", "allOf"))
            for name, inner in named.items() if isinstance(named, dict) else ():
                fields.setdefault(name, inner if isinstance(inner, dict) else {})
            required.update((name, None) for name in needed or () if isinstance(name, str))
            if additional is None and part.get("additionalProperties") is not False:
                additional = part.get("additionalProperties")
            waiting.extend(several if isinstance(several, list) else ())

        def is_read_only(name: str) -> bool:
            own = fields.get(name, {})
            target = self.document.target(own)
            beyond = isinstance(target, dict) and target.get("readOnly") is True
            return own.get("readOnly") is True or beyond

        kept = [name for name in required if not is_read_only(name)]
        return ({}, [], None) if waiting else (fields, kept, additional)


def _tool(document: _Document, entry: tuple[str, str, Any, Any], at: Origin) -> Tool:
    name, method, item, operation = entry
    what = "an object is needed for each operation."
    at.need(isinstance(operation, dict), what)
    taken = _Input(document, {}, [], [])
    body: tuple[JsonSchema, bool, Any] | None = None
    for parameter, place in _parameters(document, item, operation, at):
        if parameter["in"] == "body":
            body = (_parameter_schema(parameter, place), parameter.get("required") is True, "")
        else:
            taken.add_parameter(parameter, _parameter_schema(parameter, place))
    given, place = document.follow(operation.get("requestBody"), at.inside("requestBody"))
    if given is not None:
        hint = 'Write {"content": {...}}.'
        place.need(isinstance(given, dict), "an object is needed for a body.", hint=hint)
        content = given.get("content") or {}
        what = "an object of media types is needed."
        place.need(isinstance(content, dict), what, "content")
        others = (*(form for form in _FORMS if form in content), *content, None)
        kind = _json_kind(content) or others[0]
        schema = _media_schema(content, kind, place)
        body = (schema, given.get("required") is True, given.get("description"))
    if body is not None:
        taken.add_body(*body)
    root: JsonSchema = {"type": "object", "properties": taken.properties}
    if taken.required:
        root["required"] = taken.required
    if taken.additional is not None:
        root["additionalProperties"] = taken.additional
    description = text_in(operation, "description", at)
    output = _output(document, operation.get("responses"), at.inside("responses"))
    return tool_of(
        name,
        document.complete(root, tuple(taken.needs)),
        at,
        description=description or text_in(operation, "summary", at),
        effect=effect_of_method(method),
        output_schema=None if output is None else document.complete(*document.taken_out(output)),
    )


def _parameters(
    document: _Document, item: dict[str, Any], operation: dict[str, Any], at: Origin
) -> Iterator[tuple[dict[str, Any], Origin]]:
    """Yield the parameters of the path and of the operation, which override those."""
    found: dict[tuple[str, str], tuple[dict[str, Any], Origin]] = {}
    for owner, above in ((item, replace(at, base=at.base[:-1])), (operation, at)):
        listed = owner.get("parameters") or []
        above.need(isinstance(listed, list), "a list of parameters is needed.", "parameters")
        for index, entry in enumerate(listed):
            parameter, place = document.follow(entry, above.inside("parameters", index))
            hint = 'Write {"name": ..., "in": "query", "schema": {...}}.'
            named = isinstance(parameter, dict) and isinstance(parameter.get("name"), str)
            place.need(named, "a parameter with a name is needed.", hint=hint)
            what = f"a parameter is in one of {', '.join(_PLACES[:4])}."
            place.need(parameter.get("in") in _PLACES, what, "in", hint=hint)
            found[parameter["name"], parameter["in"]] = (parameter, place)
    yield from found.values()


def _parameter_schema(parameter: dict[str, Any], at: Origin) -> JsonSchema:
    """Return the schema of a parameter, wherever the version of the document keeps it."""
    if "schema" in parameter:
        return _schema(parameter["schema"], at.inside("schema"))
    content = parameter.get("content")
    if isinstance(content, dict) and content:
        return _media_schema(content, next(iter(content)), at)
    return {key: value for key, value in parameter.items() if key not in _NOT_SCHEMA}


def _output(document: _Document, responses: Any, at: Origin) -> JsonSchema | None:
    """Return the schema of the first successful answer in JSON, or None when none is described."""
    described = responses if isinstance(responses, dict) else {}
    codes = sorted(filter(_SUCCESS.fullmatch, described))
    if not codes and "default" in described:
        codes = ["default"]
    for code in codes:
        answer, inside = document.follow(described[code], at.inside(code))
        hint = 'Write {"content": {...}}.'
        inside.need(isinstance(answer, dict), "an object is needed for an answer.", hint=hint)
        if "schema" in answer:  # as before OpenAPI 3
            return _schema(answer["schema"], inside.inside("schema"))
        content = answer.get("content")
        if isinstance(content, dict) and (kind := _json_kind(content)) is not None:
            return _media_schema(content, kind, inside)
    return {"type": "null"} if codes and set(codes) <= {"204", "205"} else None


FORMAT: Format[Catalog] = Format(
    name="openapi",
    kind="catalog",
    looks="an object with the key `openapi` or `swagger`",
    detects=lambda data: isinstance(data, dict) and ("openapi" in data or "swagger" in data),
    read=_read,
    write=None,
)
