"""
OpenAPI documents as catalogs: version 3.0 and 3.1.

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
from dataclasses import replace
from functools import partial
from itertools import chain, count
from operator import itemgetter
from typing import Any, TypeAlias
from urllib.parse import unquote

from refract_asp.errors import FormatError, shown
from refract_asp.formats import catalogs
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Catalog, Tool
from refract_asp.model.conventions import standard
from refract_asp.model.paths import list_of, object_of, without
from refract_asp.model.schema_words import truth
from refract_asp.model.schemas import MAX_HOPS, JsonSchema, declared, resolve, target

# How many parts of `allOf` are looked into.
MAX_PARTS = 200

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_PLACES = ("path", "query", "header", "cookie")
# Headers that OpenAPI says elsewhere; as parameters they are to be ignored.
_NO_PARAMETERS = {"accept", "content-type", "authorization"}
# Where schemas are defined.
_HOME = "#/components/schemas/"
_SUCCESS = re.compile(r"2(\d\d|XX)")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
# What makes the fields of an object depend on each other; such a body stays whole.
_CHOICES = ("oneOf", "anyOf", "not", "if")
_CONTENT = 'Write {"content": {...}}.'
# Its place, the name it is given, its method, its path, path item and itself.
_Operation: TypeAlias = tuple[Origin, str, str, str, dict[str, Any], Any]


def _read(data: Any, origin: Origin) -> Catalog:
    hint = "Begin with `openapi: 3.1.0`."
    origin.need(isinstance(data, dict), "an OpenAPI document is needed.", hint=hint)
    paths = data.get("paths", {} if "webhooks" in data or "components" in data else None)
    hint = 'Write {"/pets": {"get": {...}}}.'
    origin.need(isinstance(paths, dict), "an object of paths is needed.", "paths", hint=hint)
    document = _Document(data, origin)
    operations = list(document.operations(paths))
    names: dict[str, int] = {}
    # the names that the document gives come first
    for index in sorted(range(len(operations)), key=lambda index: not operations[index][1]):
        _, given, method, path, *_ = operations[index]
        name = given or "_".join([method, *re.findall(r"[^\W_]+", path)])
        numbered = (f"{name}_{number}" for number in count(2))
        names[next(each for each in chain([name], numbered) if each not in names)] = index
    entries = []
    for name, index in sorted(names.items(), key=itemgetter(1)):
        at, _, *described = operations[index]
        entries.append((at, (name, *described)))
    title = object_of(data.get("info")).get("title")
    name = title if isinstance(title, str) else ""
    return catalogs.catalog_of(entries, partial(_tool, document), format="openapi", name=name)


def _unescaped(step: str) -> str:
    return unquote(step).replace("~1", "/").replace("~0", "~")


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
        self.definitions: dict[str, tuple[JsonSchema, list[str]]] = {}
        self.schemas = object_of(target(_HOME.removesuffix("/"), root))

    def operations(self, paths: dict[str, Any]) -> Iterator[_Operation]:
        """Yield each operation that is described."""
        for path, given in paths.items():
            if path.startswith("x-"):
                continue
            try:
                item, at = self.follow(given, self.origin.inside("paths", path))
                what, hint = "an object of operations is needed.", 'Write {"get": {...}}.'
                at.need(isinstance(item, dict), what, hint=hint)
            except FormatError as error:
                self.origin.forgive(error)
                continue
            for method, operation in item.items():
                if method in _METHODS and operation is not None:
                    name = object_of(operation).get("operationId")
                    name = name if isinstance(name, str) else ""
                    yield at.inside(method), name, method, path, item, operation

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
            found = target(reference, self.root) if reference.startswith("#/") else None
            if found is None:
                what = f"there is nothing at {shown(reference, 80)} in this document."
                hint = "Define it, or bundle the document into one file: nothing is fetched."
                raise at.error(what, ("$ref",), hint)
            beside = without(part, ("$ref",))
            part = {**found, **beside} if isinstance(found, dict) else found
            at = self.origin.inside(*map(_unescaped, reference[2:].split("/")))
        raise at.error("the reference leads in a circle.", ("$ref",))

    def body(self, operation: dict[str, Any], at: Origin) -> dict[str, Any] | None:
        """Return what describes the body of an operation, with the schema of its plainest form."""
        given, at = self.follow(operation.get("requestBody"), at.inside("requestBody"))
        if given is None:
            return None
        at.need(isinstance(given, dict), "an object is needed for a body.", hint=_CONTENT)
        content = given.get("content") or {}
        at.need(isinstance(content, dict), "an object of media types is needed.", "content")
        kinds = (_json_kind(content), *(form for form in _FORMS if form in content), *content)
        kind = next((kind for kind in kinds if kind is not None), None)
        return {**given, "schema": _media_schema(content, kind, at)}

    def taken_out(self, schema: JsonSchema) -> tuple[JsonSchema, list[str]]:
        """Return a schema of the document with references to `$defs`, and the names of those."""
        names: list[str] = []

        def change(part: JsonSchema) -> JsonSchema:
            reference = part.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                return part
            if target(reference, self.root) is None:
                return part
            rest = reference.removeprefix(_HOME)
            if rest != reference:
                names.append(_unescaped(rest.partition("/")[0]))
            else:
                names.append(reference)
                rest = reference.replace("~", "~0").replace("/", "~1").replace("%", "%25")
            return {**part, "$ref": f"#/$defs/{rest}"}

        return catalogs.mapped(schema, change), names

    def complete(self, schema: JsonSchema) -> JsonSchema:
        """Return a schema of the document with the definitions of all that it needs, sorted."""
        schema, waiting = self.taken_out(schema)
        found: dict[str, JsonSchema] = {}
        while waiting:
            name = waiting.pop()
            if name not in self.definitions:
                is_place = name.startswith("#/")
                own = target(name, self.root) if is_place else self.schemas.get(name, {})
                self.definitions[name] = self.taken_out(own) if isinstance(own, dict) else (own, [])
            if name not in found:
                found[name], needs = self.definitions[name]
                waiting.extend(needs)
        return {**schema, "$defs": dict(sorted(found.items()))} if found else schema

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
            part = resolve(waiting.pop(0), self.root)
            part = declared(part) if isinstance(part, dict) else {"type": "other"}
            if part.get("type", "object") != "object" or any(key in part for key in _CHOICES):
                return {}, [], None
            named, needed, several = (part.get(key) for key in ("properties", "required", "allOf"))
            for name, inner in object_of(named).items():
                fields.setdefault(name, inner)
            required.update((name, None) for name in needed or () if isinstance(name, str))
            if additional is None and part.get("additionalProperties") is not False:
                additional = part.get("additionalProperties")
            waiting.extend(list_of(several))

        def is_sent(name: str) -> bool:
            whole = resolve(fields.get(name, {}), self.root)
            return not isinstance(whole, dict) or whole.get("readOnly") is not True

        return ({}, [], None) if waiting else (fields, list(filter(is_sent, required)), additional)


# -- operations ------------------------------------------------------------------------


def _tool(document: _Document, entry: tuple[str, str, str, Any, Any], at: Origin) -> Tool:
    name, method, _, item, operation = entry
    at.remarks.tool = name
    at.need(isinstance(operation, dict), "an object is needed for each operation.")
    properties: dict[str, JsonSchema] = {}
    required: list[str] = []
    root: JsonSchema = {"type": "object", "properties": properties}
    for parameter, schema in _parameters(document, item, operation, at):
        where, own = parameter["in"], parameter["name"]
        if where != "header" or own.lower() not in _NO_PARAMETERS:
            key = own if own not in properties else f"{where}_{own}"
            properties[key] = {**schema, **_description(parameter)}
            if where == "path" or truth(parameter.get("required")):
                required.append(key)
    body = document.body(operation, at)
    if body is not None:
        fields, needed, additional = document.fields_of(body["schema"])
        if not fields or fields.keys() & properties.keys():  # it stays whole
            needed = ["body" if "body" not in properties else "request_body"]
            fields, additional = {needed[0]: {**_description(body), **body["schema"]}}, None
        properties.update(fields)
        if truth(body.get("required")):
            required.extend(name for name in needed if name not in required)
        if additional is not None:
            root["additionalProperties"] = additional
    if required:
        root["required"] = required
    output = _output(document, operation.get("responses"), at.inside("responses"))
    output = None if output is None else document.complete(output)
    about = catalogs.about_in(operation, "description") or catalogs.about_in(operation, "summary")
    tags = tuple(tag for tag in list_of(operation.get("tags")) if isinstance(tag, str))
    said: Any = {"description": about, "tags": tags, "output": output}
    said["effect"] = catalogs.effect_of_method(method)
    return catalogs.tool_of(name, document.complete(root), at, **said)


def _description(part: dict[str, Any]) -> dict[str, str]:
    """Return the description of a parameter or body as a schema says it."""
    text = part.get("description")
    return {"description": text} if isinstance(text, str) and text else {}


def _parameters(
    document: _Document, item: dict[str, Any], operation: dict[str, Any], at: Origin
) -> Iterator[tuple[dict[str, Any], JsonSchema]]:
    """Yield the parameters of the path and of the operation, which override those, with their schemas."""
    found: dict[tuple[str, str], tuple[dict[str, Any], Origin]] = {}
    hint = 'Write {"name": ..., "in": "query", "schema": {...}}.'
    for owner, above in ((item, replace(at, base=at.base[:-1])), (operation, at)):
        listed = owner.get("parameters") or []
        above.need(isinstance(listed, list), "a list of parameters is needed.", "parameters")
        for index, entry in enumerate(listed):
            parameter, place = document.follow(entry, above.inside("parameters", index))
            what = "a parameter with a name is needed."
            place.need(catalogs.has_name(parameter), what, hint=hint)
            what = f"a parameter is in one of {', '.join(_PLACES)}."
            place.need(parameter.get("in") in _PLACES, what, "in", hint=hint)
            found[parameter["name"], parameter["in"]] = (parameter, place)
    for parameter, place in found.values():
        content = parameter.get("content")
        if "schema" not in parameter and isinstance(content, dict) and content:
            yield parameter, _media_schema(content, next(iter(content)), place)
        else:
            yield parameter, _schema(parameter.get("schema"), place.inside("schema"))


def _output(document: _Document, responses: Any, at: Origin) -> JsonSchema | None:
    """Return the schema of the first successful answer in JSON, or None when none is described."""
    described = object_of(responses)
    codes = sorted(filter(_SUCCESS.fullmatch, described))
    for code in codes or described.keys() & {"default"}:
        answer, inside = document.follow(described[code], at.inside(code))
        inside.need(isinstance(answer, dict), "an object is needed for an answer.", hint=_CONTENT)
        content = answer.get("content")
        if isinstance(content, dict) and (kind := _json_kind(content)) is not None:
            return _media_schema(content, kind, inside)
    return {"type": "null"} if codes and set(codes) <= {"204", "205"} else None


def _media_schema(content: dict[str, Any], kind: str | None, at: Origin) -> JsonSchema:
    media = content.get(kind) if kind is not None else None
    schema = object_of(media).get("schema")
    return _schema(schema, at.inside("content", kind or "", "schema"))


def _schema(schema: Any, at: Origin) -> JsonSchema:
    """Return a schema as a mapping; nothing inside it is looked at."""
    is_mapping = isinstance(schema, dict)
    return catalogs.as_mapping(schema if is_mapping else standard(schema, at.remarks, at.base))


def _json_kind(content: dict[str, Any]) -> str | None:
    """Return the media type that is JSON, the plainest first."""
    likely = [kind for kind in content if "json" in kind or kind in ("*/*", "application/*")]
    likely.sort(key=lambda kind: kind.partition(";")[0].strip() != "application/json")
    return next(iter(likely), None)


def _detects(data: Any) -> bool:
    return "openapi" in object_of(data)


FORMAT = Format("openapi", "catalog", "an object with the key `openapi`", _detects, _read)
