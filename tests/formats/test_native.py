"""The native catalog format, in YAML and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.errors import LimitError
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
