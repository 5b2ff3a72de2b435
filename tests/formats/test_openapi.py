"""OpenAPI documents as catalogs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refract_asp.errors import FormatError
from refract_asp.formats import load_catalog
from refract_asp.model import Tool

PETS = """\
openapi: 3.0.3
info: {title: pets, version: "1"}
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: string}}
      - {name: trace, in: header, schema: {type: boolean}}
      - {name: Authorization, in: header, schema: {type: string}}
    get:
      operationId: showPet
      summary: Shows a pet.
      parameters:
        - {name: trace, in: header, required: true, schema: {type: string}}
        - $ref: '#/components/parameters/Fields'
      responses:
        default: {description: bad, content: {application/json: {schema: {type: string}}}}
        200:
          $ref: '#/components/responses/Pet'
    put:
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {204: {description: done}}
    delete: {}
  /pets:
    post:
      requestBody:
        description: The pets.
        content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}
      responses: {"201": {description: made}}
components:
  parameters:
    Fields:
      name: fields
      in: query
      description: Which fields.
      schema: {type: array, description: hidden, items: {$ref: '#/components/schemas/Field'}}
  requestBodies:
    Pet:
      required: true
      content:
        text/plain: {schema: {type: string}}
        application/json: {schema: {$ref: '#/components/schemas/Pet'}}
  responses:
    Pet: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
  schemas:
    Field: {type: string, enum: [name, age]}
    Pet:
      allOf:
        - $ref: '#/components/schemas/Named'
        - type: object
          required: [id, age]
          properties:
            id: {type: string, readOnly: true}
            age: {type: integer, minimum: 0, exclusiveMinimum: true, nullable: true}
            mother: {$ref: '#/components/schemas/Pet'}
    Named: {type: object, required: [name], properties: {name: {type: string}}}
    Unused: {type: string}
"""


def _tool(operation: dict[str, Any], method: str = "get", **more: Any) -> Tool:
    paths = {"/a": {method: {"operationId": "T", **operation}}}
    return load_catalog({"openapi": "3.1.0", "paths": paths, **more}).tools[0]


def test_a_document() -> None:
    catalog = load_catalog(PETS)
    assert catalog.name == "pets"
    assert [(tool.name, tool.effect) for tool in catalog] == [
        ("showPet", "read"),
        ("put_pets_petId", "write"),
        ("delete_pets_petId", "destructive"),
        ("post_pets", "write"),
    ]
    show, put, delete, post = catalog
    assert show.description == "Shows a pet."
    assert [(p.name, p.required, p.json_schema.get("type")) for p in show.parameters.values()] == [
        ("petId", True, "string"),
        ("trace", True, "string"),
        ("fields", False, "array"),
    ]
    assert show.parameters["fields"].description == "Which fields."
    assert show.input_schema is not None
    assert show.input_schema["$defs"] == {"Field": {"type": "string", "enum": ["name", "age"]}}
    assert show.type_at(("mother", "mother", "name")) == "string"
    assert show.returns_path(("mother", "age"))
    assert not show.returns_path(("mother", "colour"))
    assert [(p.name, p.required) for p in put.parameters.values()] == [
        ("petId", True),
        ("trace", False),
        ("name", True),
        ("id", False),
        ("age", True),
        ("mother", False),
    ]
    assert put.parameters["age"].json_schema == {
        "type": "integer",
        "minimum": 0,
        "exclusiveMinimum": True,
        "nullable": True,
    }
    assert put.output_schema == {"type": "null"}
    assert list(delete.parameters) == ["petId", "trace"]
    assert delete.output_schema is None
    assert [(p.name, p.required) for p in post.parameters.values()] == [("body", False)]
    assert post.parameters["body"].description == "The pets."
    assert post.output_schema is None


def test_definitions_are_shared_and_only_those_that_are_needed() -> None:
    show, put, _, post = load_catalog(PETS)
    assert show.output_schema is not None
    assert put.input_schema is not None
    assert post.input_schema is not None
    assert sorted(show.output_schema["$defs"]) == ["Named", "Pet"]
    assert show.output_schema["$defs"]["Pet"] is post.input_schema["$defs"]["Pet"]
    assert load_catalog(json.dumps(load_catalog(PETS).dump())).tools == load_catalog(PETS).tools


def test_names_are_made_unique() -> None:
    get: dict[str, Any] = {"responses": {}}
    paths = {
        "/": {"get": get},
        "/a": {"get": get, "post": {"operationId": "get_a"}, "put": {"operationId": "get_a"}},
        "/a/": {"get": get, "x-get": 5, "summary": "no operation"},
        "/{ä}.json": {"get": {"operationId": ""}},
        "x-paths": 5,
    }
    assert [tool.name for tool in load_catalog({"openapi": "3.0.0", "paths": paths})] == [
        "get",
        "get_a_3",
        "get_a",
        "get_a_2",
        "get_a_4",
        "get_ä_json",
    ]


def test_the_method_gives_the_effect() -> None:
    effects = {method: _tool({}, method).effect for method in ("get", "put", "patch", "delete")}
    assert effects == {"get": "read", "put": "write", "patch": "write", "delete": "destructive"}


def test_parameters_of_one_name_stay_apart() -> None:
    parameters = [
        {"name": "id", "in": place, "required": place == "path"} for place in ("path", "query")
    ]
    tool = _tool(
        {
            "parameters": [
                *parameters,
                {"name": "q", "in": "query", "content": {"a/b": {"schema": {}}}},
            ]
        }
    )
    assert [(p.name, p.required) for p in tool.parameters.values()] == [
        ("id", True),
        ("query_id", False),
        ("q", False),
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
        {"type": "object", "properties": {"taken": {}}},
        {"$ref": "#/components/schemas/Missing"},
        {},
    ],
)
def test_other_bodies_are_one_parameter(schema: dict[str, Any]) -> None:
    body = {"required": True, "content": {"application/merge-patch+json": {"schema": schema}}}
    taken = {"name": "taken", "in": "query", "schema": {"type": "string"}}
    tool = _tool({"parameters": [taken], "requestBody": body}, "post")
    assert list(tool.parameters) == ["taken", "body"]
    assert tool.parameters["body"].required
    assert tool.parameters["body"].json_schema == schema
    other = _tool({"parameters": [{**taken, "name": "body"}], "requestBody": body}, "post")
    if "properties" not in schema:
        assert list(other.parameters) == ["body", "request_body"]


def test_forms_and_open_bodies() -> None:
    schema = {
        "type": "object",
        "required": ["a", "b"],
        "properties": {"a": {"type": "string"}},
        "additionalProperties": {"type": "integer"},
    }
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    tool = _tool({"requestBody": {"content": content}}, "post")
    assert [(p.name, p.required) for p in tool.parameters.values()] == [("a", False)]
    assert tool.additional_parameters
    assert tool.input_schema is not None
    assert tool.input_schema["additionalProperties"] == {"type": "integer"}
    tool = _tool({"requestBody": {"required": True, "content": content}}, "post")
    assert [(p.name, p.required) for p in tool.parameters.values()] == [("a", True), ("b", True)]


def answering(kind: str, schema: Any = "array") -> dict[str, Any]:
    """Return an answer of a media type."""
    return {"content": {kind: {"schema": {"type": schema}}}}


@pytest.mark.parametrize(
    ("responses", "schema"),
    [
        ({"200": answering("application/json; charset=utf-8")}, "array"),
        ({"200": {}, "201": answering("application/hal+json")}, "array"),
        ({"2XX": answering("*/*")}, "array"),
        ({"default": answering("application/json")}, "array"),
        ({"404": answering("application/json")}, None),
        ({"200": answering("text/plain", "string")}, None),
        ({"200": {"content": {"application/json": {"example": 1}}}}, "any"),
        ({"200": {"description": "fine"}}, None),
        ({"204": {"description": "done"}, "404": {}}, "null"),
        (None, None),
    ],
)
def test_the_output_is_the_json_of_the_first_success(responses: Any, schema: str | None) -> None:
    tool = _tool({"responses": responses})
    assert (tool.output_schema is None) == (schema is None)
    assert tool.type_at(()) == (schema or "any")


def test_what_was_said_before_openapi_3() -> None:
    pet = {"$ref": "#/definitions/Pet"}
    number = {"name": "id", "in": "path", "required": True, "type": "integer", "minimum": 1}
    given = {"name": "pet", "in": "body", "required": True, "schema": pet}
    file = {"name": "file", "in": "formData", "type": "file", "description": "A file."}
    post = {"parameters": [number, given], "responses": {"200": {"schema": pet}}}
    document = {
        "swagger": "2.0",
        "paths": {"/a/{id}": {"post": post, "put": {"parameters": [file]}}},
        "definitions": {"Pet": {"properties": {"name": {"type": "string"}}, "required": ["name"]}},
    }
    tool, upload = load_catalog(document)
    assert tool.parameters["id"].json_schema == {"type": "integer", "minimum": 1}
    assert tool.parameters["name"].required
    assert tool.type_at(("name",)) == "string"
    assert upload.parameters["file"].json_schema == {"type": "file", "description": "A file."}


def test_references_anywhere_in_the_document_are_kept() -> None:
    deep = {"$ref": "#/components/schemas/A~1b%20c/properties/x"}
    far = {"$ref": "#/components/parameters/P/schema"}
    names = {
        "properties": {"$ref": {"type": "string"}, "default": {"$ref": "#/components/schemas/D"}}
    }
    given = {
        "default": {"$ref": "#/components/schemas/D"},
        "enum": [{"$ref": "#/components/schemas/D"}],
    }
    components = {
        "parameters": {"P": {"name": "p", "in": "query", "schema": {"type": "integer"}}},
        "schemas": {"A/b c": {"properties": {"x": {"type": "boolean"}}}, "D": {"type": "array"}},
    }
    properties = {"deep": deep, "far": far, "names": names, "given": given}
    body = {"content": {"application/json": {"schema": {"properties": properties}}}}
    tool = _tool({"requestBody": body}, "post", components=components)
    assert tool.parameters["deep"].json_schema == {"type": "boolean"}
    assert tool.parameters["far"].json_schema == {"type": "integer"}
    assert tool.parameters["given"].json_schema == given
    assert tool.parameters["names"].json_schema["properties"] == {
        "$ref": {"type": "string"},
        "default": {"$ref": "#/$defs/D"},
    }


@pytest.mark.parametrize(
    "reference",
    ["#/components/schemas/Missing", "https://example.com/a.json", "other.yaml#/A", "#anchor"],
)
def test_schemas_that_refer_to_nothing_are_left_for_their_judge(reference: str) -> None:
    schema = {"$ref": reference, "description": "whatever"}
    tool = _tool({"parameters": [{"name": "a", "in": "query", "schema": schema}]})
    assert tool.parameters["a"].json_schema == schema


CIRCLE = {"$ref": "#/components/requestBodies/A"}
NO_SCHEMA = {"content": {"application/json": {"schema": 5}}}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"parameters": [{"$ref": "common.yaml#/Id"}]}, r"^paths\./a\.get\.parameters\[0\]\.\$ref: "
         r"there is nothing at common\.yaml#/Id in this document\. Define it, or bundle"),
        ({"parameters": [{"$ref": "#/components/parameters/Id"}]}, r"parameters\[0\]\.\$ref: there is nothing "
         "at #/components/parameters/Id"),
        ({"requestBody": CIRCLE}, r"^components\.requestBodies\.A\.\$ref: the reference leads in a circle"),
        ({"responses": {"200": {"$ref": "#/components/responses/Pet"}}}, r"responses\.200\.\$ref"),
        ({"parameters": [5]}, r"parameters\[0\]: a parameter with a name"),
        ({"parameters": {"a": 1}}, "parameters: a list"),
        ({"parameters": [{"name": "a", "in": "sky"}]}, r"parameters\[0\]\.in: a parameter is in one of"),
        ({"parameters": [{"name": "a", "in": "query", "schema": 5}]}, r"parameters\[0\]\.schema: a JSON Schema"),
        ({"requestBody": 5}, "requestBody: an object is needed for a body"),
        ({"requestBody": {"content": [1]}}, r"requestBody\.content: an object of media types"),
        ({"requestBody": NO_SCHEMA}, r"requestBody\.content\.application/json\.schema: a JSON Schema"),
        ({"responses": {"200": 5}}, r"responses\.200: an object is needed for an answer"),
        ({"description": 5}, r"get\.description: a text is needed"),
    ],
)  # fmt: skip
def test_what_has_no_shape_is_refused_with_its_place(operation: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        _tool(operation, components={"requestBodies": {"A": CIRCLE}})


def test_paths_may_be_references() -> None:
    paths = {"/a": {"$ref": "#/components/pathItems/A"}, "/b": {"$ref": "b.yaml"}}
    components = {"pathItems": {"A": {"get": {"operationId": "T"}}}}
    with pytest.raises(FormatError, match=r"^paths\./b\.\$ref: there is nothing at b\.yaml"):
        load_catalog({"openapi": "3.1.0", "paths": paths, "components": components})
    del paths["/b"]
    assert [
        t.name for t in load_catalog({"openapi": "3.1.0", "paths": paths, "components": components})
    ] == ["T"]


def test_circles_of_schemas_end() -> None:
    schemas: dict[str, Any] = {
        "A": {"$ref": "#/components/schemas/B"},
        "B": {"$ref": "#/components/schemas/A"},
        "C": {"allOf": [{"$ref": "#/components/schemas/C"}, {"properties": {"x": {}}}]},
    }
    for name in schemas:
        schema = {"$ref": f"#/components/schemas/{name}"}
        content = {"application/json": {"schema": schema}}
        tool = _tool(
            {"requestBody": {"content": content}, "responses": {"200": {"content": content}}},
            "post",
            components={"schemas": schemas},
        )
        assert list(tool.parameters) == ["body"]
        assert tool.output_schema is not None


def test_webhooks_are_not_called() -> None:
    assert len(load_catalog({"openapi": "3.1.0", "webhooks": {"new": {"post": {}}}})) == 0
