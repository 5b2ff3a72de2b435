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
from typing import Any

from refract_asp.errors import FormatError
from refract_asp.formats.entries import catalog_of, effect_of_method, text_in
from refract_asp.formats.openapi_parts import Body, Parts, answer_schema, body_of, only_described
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.formats.registry import Format
from refract_asp.formats.schemas import tool_of
from refract_asp.model import Catalog, Tool
from refract_asp.model.schemas import JsonSchema

__all__ = ["FORMAT"]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_PLACES = ("path", "query", "header", "cookie", "formData", "body")
_NO_PARAMETERS = frozenset({"accept", "content-type", "authorization"})
"""Headers that OpenAPI says elsewhere; as parameters they are to be ignored."""
_NOT_SCHEMA = frozenset(
    {"name", "in", "required", "description", "allowEmptyValue", "collectionFormat"}
)


def _detects(data: Any) -> bool:
    return isinstance(data, dict) and ("openapi" in data or "swagger" in data)


def _read(data: Any, origin: Origin) -> Catalog:
    if not isinstance(data, dict):
        raise origin.error("an OpenAPI document is needed.", hint="Begin with `openapi: 3.1.0`.")
    paths = data.get("paths", {} if "webhooks" in data or "components" in data else None)
    if not isinstance(paths, dict):
        raise origin.error(
            "an object of paths is needed.", ("paths",), 'Write {"/pets": {"get": {...}}}.'
        )
    parts = Parts(data, origin)
    operations = list(_operations(paths, parts, origin))
    names = _names([(method, path, operation) for _, method, path, _, operation in operations])
    entries = [
        (place, (name, method, item, operation))
        for name, (place, method, _, item, operation) in zip(names, operations, strict=True)
    ]

    def tool(entry: tuple[str, str, Any, Any], place: FieldPlace, origin: Origin) -> Tool:
        return _Operation(parts, place, origin).tool(*entry)

    info = data.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return catalog_of(
        entries, tool, origin, format="openapi", name=title if isinstance(title, str) else ""
    )


def _operations(
    paths: dict[str, Any], parts: Parts, origin: Origin
) -> Iterator[tuple[FieldPlace, str, str, Any, Any]]:
    """Yield the place, the method, the path, the path item and the operation itself of each operation."""
    for path, given in paths.items():
        if path.startswith("x-"):
            continue
        try:
            item, place = parts.follow(given, ("paths", path))
            if not isinstance(item, dict):
                raise origin.error(
                    "an object of operations is needed.", place, 'Write {"get": {...}}.'
                )
        except FormatError as error:
            origin.forgive(error)
            continue
        for method in item:
            if method in _METHODS and item[method] is not None:
                yield (*place, method), method, path, item, item[method]


def _names(operations: list[tuple[str, str, Any]]) -> list[str]:
    """Return a name for each operation, all different; the names that the document gives come first."""
    taken: set[str] = set()
    names: dict[int, str] = {}

    def take(index: int, name: str) -> None:
        number, unique = 1, name
        while unique in taken:
            number += 1
            unique = f"{name}_{number}"
        taken.add(unique)
        names[index] = unique

    without = []
    for index, (method, path, operation) in enumerate(operations):
        given = operation.get("operationId") if isinstance(operation, dict) else None
        if isinstance(given, str) and given:
            take(index, given)
        else:
            without.append((index, "_".join([method, *re.findall(r"[^\W_]+", path)])))
    for index, name in without:
        take(index, name)
    return [names[index] for index in range(len(operations))]


class _Operation:
    """One operation, while its tool is built."""

    def __init__(self, parts: Parts, place: FieldPlace, origin: Origin) -> None:
        self.parts = parts
        self.place = place
        self.origin = origin
        self.properties: dict[str, JsonSchema] = {}
        self.required: list[str] = []
        self.additional: Any = None
        self.needs: list[str] = []

    def tool(self, name: str, method: str, item: dict[str, Any], operation: Any) -> Tool:
        if not isinstance(operation, dict):
            raise self.origin.error("an object is needed for each operation.", self.place)
        body = None
        for parameter, place in self._parameters(item, operation):
            if parameter["in"] == "body":
                body = Body(self._schema(parameter, place), parameter.get("required") is True, "")
            else:
                self._add_parameter(parameter, place)
        given, place = self.parts.follow(operation.get("requestBody"), (*self.place, "requestBody"))
        if given is not None:
            body = body_of(given, place, self.origin)
        if body is not None:
            self._add_body(body)
        root: JsonSchema = {"type": "object", "properties": self.properties}
        if self.required:
            root["required"] = self.required
        if self.additional is not None:
            root["additionalProperties"] = self.additional
        description = text_in(operation, "description", self.place, self.origin)
        return tool_of(
            name,
            self._complete(root, tuple(self.needs)),
            self.place,
            self.origin,
            description=description or text_in(operation, "summary", self.place, self.origin),
            effect=effect_of_method(method),
            output_schema=self._output(operation.get("responses")),
        )

    def _parameters(
        self, item: dict[str, Any], operation: dict[str, Any]
    ) -> Iterator[tuple[dict[str, Any], FieldPlace]]:
        """Yield the parameters of the path and of the operation, which override those."""
        found: dict[tuple[str, str], tuple[dict[str, Any], FieldPlace]] = {}
        for owner, above in ((item, self.place[:-1]), (operation, self.place)):
            listed = owner.get("parameters") or []
            if not isinstance(listed, list):
                raise self.origin.error("a list of parameters is needed.", (*above, "parameters"))
            for index, entry in enumerate(listed):
                parameter, place = self.parts.follow(entry, (*above, "parameters", index))
                hint = 'Write {"name": ..., "in": "query", "schema": {...}}.'
                if not isinstance(parameter, dict) or not isinstance(parameter.get("name"), str):
                    raise self.origin.error("a parameter with a name is needed.", place, hint)
                if parameter.get("in") not in _PLACES:
                    words = ", ".join(_PLACES[:4])
                    raise self.origin.error(
                        f"a parameter is in one of {words}.", (*place, "in"), hint
                    )
                found[parameter["name"], parameter["in"]] = (parameter, place)
        yield from found.values()

    def _add_parameter(self, parameter: dict[str, Any], place: FieldPlace) -> None:
        name, where = parameter["name"], parameter["in"]
        if where == "header" and name.lower() in _NO_PARAMETERS:
            return
        if name in self.properties:
            name = f"{where}_{name}"
        schema = self._taken(self._schema(parameter, place))
        description = parameter.get("description")
        if isinstance(description, str) and description:
            schema = {**schema, "description": description}
        self.properties[name] = schema
        if where == "path" or parameter.get("required") is True:
            self.required.append(name)

    def _schema(self, parameter: dict[str, Any], place: FieldPlace) -> JsonSchema:
        """Return the schema of a parameter, wherever the version of the document keeps it."""
        if "schema" in parameter:
            return only_described(parameter["schema"], (*place, "schema"), self.origin)
        content = parameter.get("content")
        if isinstance(content, dict) and content:
            kind, media = next(iter(content.items()))
            schema = media.get("schema") if isinstance(media, dict) else None
            return only_described(schema, (*place, "content", kind, "schema"), self.origin)
        return {key: value for key, value in parameter.items() if key not in _NOT_SCHEMA}

    def _add_body(self, body: Body) -> None:
        fields = body.fields(self.parts)
        if fields is None or fields.schemas.keys() & self.properties.keys():
            name = "body" if "body" not in self.properties else "request_body"
            schema = self._taken(body.schema)
            described = {"description": body.description} if body.description else {}
            self.properties[name] = {**described, **schema}
            if body.required:
                self.required.append(name)
            return
        for name, inner in fields.schemas.items():
            self.properties[name] = self._taken(inner)
        if body.required:
            self.required.extend(name for name in fields.required if name not in self.required)
        additional = fields.additional
        self.additional = self._taken(additional) if isinstance(additional, dict) else additional

    def _taken(self, schema: JsonSchema) -> JsonSchema:
        """Return a schema that refers to `$defs`, and note which it needs."""
        taken, names = self.parts.schema(schema)
        self.needs.extend(names)
        return taken

    def _complete(self, schema: JsonSchema, names: tuple[str, ...]) -> JsonSchema:
        return {**schema, "$defs": self.parts.definitions(names)} if names else schema

    def _output(self, responses: Any) -> JsonSchema | None:
        schema = answer_schema(responses, self.parts, (*self.place, "responses"), self.origin)
        return None if schema is None else self._complete(*self.parts.schema(schema))


FORMAT: Format[Catalog] = Format(
    name="openapi",
    kind="catalog",
    looks="an object with the key `openapi` or `swagger`",
    detects=_detects,
    read=_read,
    write=None,
)
