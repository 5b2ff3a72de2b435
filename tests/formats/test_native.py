"""The native catalog format, in YAML and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.errors import CatalogError, FormatError, InputError, LimitError
from refract_asp.formats import dump_catalog, load_catalog
from refract_asp.model import Catalog, Parameter, Tool

CATALOG = """\
name: small
tools:
  - name: Search
    description: Finds a place.
    effect: read
    parameters:
      query: {type: string, required: true, description: The place.}
      limit: integer
      anything:
      since: {type: string, default: 2024-08-15}
    returns:
      geoId: {type: string}
      name: string
      hits: {type: array, items: {type: object, properties: {id: integer}}}
  - name: Book
    effect: write
    additional_parameters: true
    parameters:
      filter: {required: true, schema: {type: object, required: [city]}}
      room: {type: object, required: [beds]}
    returns: {schema: {type: array, items: {type: string}}}
  - name: Bare
"""


def test_everything_that_a_catalog_can_hold() -> None:
    catalog = load_catalog(CATALOG)
    search, book, bare = catalog
    assert (catalog.name, catalog.format) == ("small", "native")
    assert (search.description, search.effect, search.additional_parameters) == (
        "Finds a place.",
        "read",
        False,
    )
    assert list(search.parameters.values()) == [
        Parameter(
            name="query", required=True, json_schema={"type": "string", "description": "The place."}
        ),
        Parameter(name="limit", json_schema={"type": "integer"}),
        Parameter(name="anything"),
        Parameter(name="since", json_schema={"type": "string", "default": "2024-08-15"}),
    ]
    assert {(field.path, field.type) for field in search.output_fields} == {
        (("geoId",), "string"),
        (("name",), "string"),
        (("hits",), "array"),
        (("hits", 0), "object"),
        (("hits", 0, "id"), "integer"),
    }
    assert (book.effect, book.additional_parameters) == ("write", True)
    assert list(book.parameters.values()) == [
        Parameter(
            name="filter", required=True, json_schema={"type": "object", "required": ["city"]}
        ),
        Parameter(name="room", json_schema={"type": "object", "required": ["beds"]}),
    ]
    assert book.output_schema == {"type": "array", "items": {"type": "string"}}
    assert bare == Tool(name="Bare")
    assert bare.output_schema is None


def test_json_and_data_say_the_same() -> None:
    catalog = load_catalog(CATALOG)
    data = dump_catalog(catalog)
    assert load_catalog(data) == catalog
    assert load_catalog(json.dumps(data)) == catalog
    assert load_catalog(json.dumps(data, indent=2), "native") == catalog


@pytest.mark.parametrize("data", ["tools: []", {"tools": []}, '{"tools": []}', []])
def test_an_empty_catalog(data: Any) -> None:
    assert len(load_catalog(data)) == 0


def test_a_file_lends_its_name(tmp_path: Path) -> None:
    path = tmp_path / "hotels.yaml"
    path.write_text("tools: [{name: T}]", encoding="utf-8")
    assert load_catalog(path).name == "hotels"
    path.write_text("{name: own, tools: []}", encoding="utf-8")
    assert load_catalog(path).name == "own"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- name: T\n  paramters: {}",
            r"3: tools\[0\]\.paramters: the key 'paramters' is unknown. Did you mean 'parameters'",
        ),
        (
            "- name: T\n  zzz: 1",
            r"3: tools\[0\]\.zzz: the key 'zzz' is unknown. Known: name, description",
        ),
        ("- 5", r"2: tools\[0\]: a mapping is needed"),
        ("-\n", r"2: tools\[0\]: a mapping is needed"),
        ("- {}", r"2: tools\[0\]: the tool has no name"),
        ("- name:", r"tools\[0\]: the tool has no name"),
        ("- name: 1", r"2: tools\[0\]\.name: a text is needed. Put it in quotes"),
        ("- name: T\n  description: [a]", r"3: tools\[0\]\.description: a text is needed"),
        (
            "- name: T\n  effect: reads",
            r"3: tools\[0\]\.effect: 'reads' is no effect. Did you mean 'read'",
        ),
        ("- name: T\n  effect: [read]", r"3: tools\[0\]\.effect"),
        (
            "- name: T\n  additional_parameters: 1",
            r"3: tools\[0\]\.additional_parameters: true or false",
        ),
        ("- name: T\n  parameters: [a]", r"3: tools\[0\]\.parameters: a mapping of names"),
        (
            "- name: T\n  parameters:\n    a: [string]",
            r"4: tools\[0\]\.parameters\.a: a JSON Schema is needed",
        ),
        (
            "- name: T\n  parameters:\n    a: {required: maybe}",
            r"4: tools\[0\]\.parameters\.a\.required: true or false",
        ),
        (
            "- name: T\n  parameters:\n    a:\n      type: string\n      required: 1",
            r"6: tools\[0\]\.parameters\.a\.required",
        ),
        (
            "- name: T\n  parameters: {a: {required: [1]}}",
            r"parameters\.a\.required: a list of names",
        ),
        (
            "- name: T\n  parameters: {a: {schema: {}, required: 1}}",
            r"parameters\.a\.required: true or false",
        ),
        (
            "- name: T\n  parameters: {a: {type: 5}}",
            r"parameters\.a\.type: a type is a text or a list of texts",
        ),
        (
            "- name: T\n  parameters: {a: {enum: x}}",
            r"parameters\.a\.enum: the allowed values have to be a list",
        ),
        (
            "- name: T\n  parameters: {a: {description: 5}}",
            r"parameters\.a\.description: a text is needed",
        ),
        (
            "- name: T\n  parameters: {a: {properties: [b]}}",
            r"parameters\.a\.properties: a mapping",
        ),
        (
            "- name: T\n  parameters: {a: {properties: {b: {type: 5}}}}",
            r"parameters\.a\.properties\.b\.type",
        ),
        (
            "- name: T\n  parameters: {a: {properties: {b: 5}}}",
            r"parameters\.a\.properties\.b: a JSON Schema",
        ),
        ("- name: T\n  parameters: {a: {items: 5}}", r"parameters\.a\.items: a schema is needed"),
        ("- name: T\n  parameters: {a: {items: {enum: 5}}}", r"parameters\.a\.items\.enum"),
        (
            "- name: T\n  parameters: {a: {properties: {b: {required: true}}}}",
            r"b\.required: a list of names",
        ),
        ("- name: T\n  returns: [a]", r"3: tools\[0\]\.returns: a mapping of names to schemas"),
        ("- name: T\n  returns:\n    a: 5", r"4: tools\[0\]\.returns\.a: a JSON Schema"),
        (
            "- name: T\n  returns: {type: object, properties: {a: string}}",
            r"3: tools\[0\]\.returns: .*looks like a schema",
        ),
        ("- name: T\n  returns: {a: {type: [1]}}", r"tools\[0\]\.returns\.a\.type"),
        (
            "- name: T\n- name: U\n- name: T",
            r"4: tools\[2\]\.name: two tools are named 'T', the other is tools\[0\]",
        ),
    ],
)
def test_a_mistake_is_named_with_line_and_field(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(f"tools:\n{text}\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"bad\.yaml:" + message if message[0].isdigit() else message
    ) as raised:
        load_catalog(path)
    assert raised.value.where.startswith(f"{path}:")
    assert isinstance(raised.value, FormatError | CatalogError)
    with pytest.raises(InputError, match=r"^<text>:"):
        load_catalog(f"tools:\n{text}\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"tools": {"T": {}}}, "^tools: a list of tools is needed"),
        ({"tools": None}, "^tools: a list"),
        ({"tools": [{"name": "T", "paramters": {}}]}, r"^tools\[0\]\.paramters"),
        ({"tools": [], "extra": 1}, "^extra: the key 'extra' is unknown"),
        ({"tools": [], "name": 5}, "^name: a text is needed"),
        (
            {"tools": [{"name": "T", "parameters": {"a": {"default": float("nan")}}}]},
            r"parameters\.a\.default: nan",
        ),
        (
            {"tools": [{"name": "T", "parameters": {5: {}}}]},
            r"^tools\[0\]\.parameters: the key 5 is not a text",
        ),
        (
            '{"tools": [{"name": "T", "name": "U"}]}',
            "^<text>: an object holds the key 'name' twice",
        ),
        ('{"tools": [', "^<text>:1:12: not valid JSON"),
    ],
)
def test_a_mistake_in_data_or_json(data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_catalog(data)


@pytest.mark.parametrize("data", [5, None, "a text", [], {"x": 1}])
def test_forced_on_foreign_data_it_says_what_it_needs(data: Any) -> None:
    with pytest.raises(FormatError, match="`tools`"):
        load_catalog(data, "native")


def test_deep_schemas_are_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(200):
        schema = {"properties": {"a": schema}}
    with pytest.raises(LimitError, match="deeper than 64"):
        load_catalog({"tools": [{"name": "T", "parameters": {"p": schema}}]})


def test_what_is_dumped_shares_nothing_with_the_catalog() -> None:
    catalog = load_catalog(CATALOG)
    dump_catalog(catalog)["tools"][0]["parameters"]["query"]["type"] = "integer"
    assert catalog == load_catalog(CATALOG)


names = st.text(min_size=1, max_size=5) | st.sampled_from(
    ["type", "schema", "required", "on", "1", "#script", "\u202e"]
)
schemas = st.recursive(
    st.just({})
    | st.sampled_from(["string", "float", "file"]).map(lambda kind: {"type": kind})
    | st.fixed_dictionaries({"type": st.just("string"), "enum": st.lists(names, max_size=2)})
    | st.just({"type": ["string", "null"], "default": None}),
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(
            lambda fields: {"type": "object", "properties": fields, "required": list(fields)[:1]},
            st.dictionaries(names, inner, max_size=2),
        )
        | st.builds(lambda field: {"schema": field}, inner)
        | st.builds(
            lambda fields: {"type": "object", "properties": fields},
            st.dictionaries(names, inner, max_size=2),
        )
    ),
    max_leaves=4,
)
parameters = st.dictionaries(names, st.tuples(st.booleans(), schemas), max_size=3).map(
    lambda drawn: {
        name: Parameter(name=name, required=flag, json_schema=s)
        for name, (flag, s) in drawn.items()
    }
)
tools = st.builds(
    Tool,
    name=names,
    description=st.text(max_size=5),
    effect=st.sampled_from(["read", "write", "destructive", "unknown"]),
    parameters=parameters,
    output_schema=st.none() | schemas,
    additional_parameters=st.booleans(),
)
catalogs = st.lists(tools, max_size=3, unique_by=lambda tool: tool.name).map(
    lambda drawn: Catalog(tools=tuple(drawn), format="native")
)


@settings(max_examples=examples(100))
@given(catalogs)
def test_every_catalog_reads_back(catalog: Catalog) -> None:
    data = dump_catalog(catalog, "native")
    assert load_catalog(data) == catalog
    assert load_catalog(json.dumps(data)) == catalog
