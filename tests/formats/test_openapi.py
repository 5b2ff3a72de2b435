"""OpenAPI documents as catalogs."""

from __future__ import annotations

import json
from typing import Any

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


def test_definitions_are_shared_and_only_those_that_are_needed() -> None:
    show, put, _, post = load_catalog(PETS)
    assert show.output_schema is not None
    assert put.input_schema is not None
    assert post.input_schema is not None
    assert sorted(show.output_schema["$defs"]) == ["Named", "Pet"]
    assert show.output_schema["$defs"]["Pet"] is post.input_schema["$defs"]["Pet"]
    assert load_catalog(json.dumps(load_catalog(PETS).dump())).tools == load_catalog(PETS).tools


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
