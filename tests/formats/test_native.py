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
    text = {"type": "string"}
    assert search == Tool(
        name="Search",
        description="Finds a place.",
        effect="read",
        parameters={
            parameter.name: parameter
            for parameter in (
                Parameter(
                    name="query", required=True, json_schema={**text, "description": "The place."}
                ),
                Parameter(name="limit", json_schema={"type": "integer"}),
                Parameter(name="anything"),
                Parameter(name="since", json_schema={**text, "default": "2024-08-15"}),
            )
        },
        output_schema=search.output_schema,
    )
    assert {(field.path, field.type) for field in search.output_fields} == {
        (("geoId",), "string"),
        (("name",), "string"),
        (("hits",), "array"),
        (("hits", 0), "object"),
        (("hits", 0, "id"), "integer"),
    }
    city = {"type": "object", "required": ["city"]}
    assert (book.effect, book.additional_parameters) == ("write", True)
    assert list(book.parameters.values()) == [
        Parameter(name="filter", required=True, json_schema=city),
        Parameter(name="room", json_schema={"type": "object", "required": ["beds"]}),
    ]
    assert book.output_schema == {"type": "array", "items": text}
    assert bare == Tool(name="Bare")


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


def named(field: str, line: int = 3) -> str:
    """Return the place of a field of the first tool, as a pattern."""
    return rf"bad\.yaml:{line}: tools\[0\]{field}: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  paramters: {}", named(r"\.paramters") + "the key 'paramters' is unknown. Did you mean 'parameters'"),
        ("  zzz: 1", named(r"\.zzz") + "the key 'zzz' is unknown. Known: name, description"),
        ("  description: [a]", named(r"\.description") + "a text is needed"),
        ("  effect: reads", named(r"\.effect") + "'reads' is no effect. Did you mean 'read'"),
        ("  effect: [read]", named(r"\.effect")),
        ("  additional_parameters: 1", named(r"\.additional_parameters") + "true or false"),
        ("  parameters: [a]", named(r"\.parameters") + "a mapping of names"),
        ("  parameters:\n    a: [string]", named(r"\.parameters\.a", 4) + "a JSON Schema is needed"),
        ("  parameters:\n    a: {required: maybe}", named(r"\.parameters\.a\.required", 4) + "true or false"),
        ("  parameters:\n    a:\n      required: 1", named(r"\.parameters\.a\.required", 5)),
        ("  parameters: {a: {required: [1]}}", r"parameters\.a\.required: a list of names"),
        ("  parameters: {a: {schema: {}, required: 1}}", r"parameters\.a\.required: true or false"),
        ("  parameters: {a: {type: 5}}", r"parameters\.a\.type: a type is a text or a list of texts"),
        ("  parameters: {a: {enum: x}}", r"parameters\.a\.enum: the allowed values have to be a list"),
        ("  parameters: {a: {description: 5}}", r"parameters\.a\.description: a text is needed"),
        ("  parameters: {a: {properties: [b]}}", r"parameters\.a\.properties: a mapping"),
        ("  parameters: {a: {properties: {b: {type: 5}}}}", r"parameters\.a\.properties\.b\.type"),
        ("  parameters: {a: {properties: {b: 5}}}", r"parameters\.a\.properties\.b: a JSON Schema"),
        ("  parameters: {a: {properties: {b: {required: true}}}}", r"b\.required: a list of names"),
        ("  parameters: {a: {items: 5}}", r"parameters\.a\.items: a schema is needed"),
        ("  parameters: {a: {items: {enum: 5}}}", r"parameters\.a\.items\.enum"),
        ("  returns: [a]", named(r"\.returns") + "a mapping of names to schemas"),
        ("  returns:\n    a: 5", named(r"\.returns\.a", 4) + "a JSON Schema"),
        ("  returns: {type: object, properties: {a: string}}", named(r"\.returns") + ".*looks like a schema"),
        ("  returns: {a: {type: [1]}}", r"tools\[0\]\.returns\.a\.type"),
        ("- name: U\n- name: T", r"4: tools\[2\]\.name: two tools are named 'T', the other is tools\[0\]"),
        ("- 5", r"3: tools\[1\]: a mapping is needed"),
        ("-\n", r"3: tools\[1\]: a mapping is needed"),
        ("- {}", r"3: tools\[1\]: the tool has no name"),
        ("- name:", r"tools\[1\]: the tool has no name"),
        ("- name: 1", r"3: tools\[1\]\.name: a text is needed. Put it in quotes"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_line_and_field(text: str, message: str, tmp_path: Path) -> None:
    whole = f"tools:\n- name: T\n{text}\n"
    path = tmp_path / "bad.yaml"
    path.write_text(whole, encoding="utf-8")
    with pytest.raises((FormatError, CatalogError), match=message) as raised:
        load_catalog(path)
    assert raised.value.where.startswith(f"{path}:")
    with pytest.raises(InputError, match=r"^<text>:"):
        load_catalog(whole)


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
