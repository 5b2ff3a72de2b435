"""Valid sequences over given catalogs."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Catalog, check
from refract_asp.bench.generating import COUPLINGS, Dials, from_catalog, generate
from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.bench.mutations.mutation import reads_of
from refract_asp.errors import InputError
from refract_asp.model import Tool
from refract_asp.resources import catalog_names, catalog_path
from refract_asp.rules.schemas.validation import Validator
from yaml_files import read_yaml, tables


def tools(**parameters: Any) -> Catalog:
    return Catalog.load({"tools": [{"name": "Search", "parameters": parameters}]})


@pytest.mark.slow
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("name", catalog_names())
def test_shipped_catalogs(name: str, coupling: Any) -> None:
    catalog = Catalog.load(catalog_path(name))
    case = from_catalog(catalog, 6, 1, coupling=coupling, name=name)
    assert check(case.sequence, catalog).verdict == "valid"
    assert (len(case.sequence.calls), case.catalog_name) == (6, name)


@pytest.mark.slow
@pytest.mark.parametrize("path", tables(__file__)["real catalogs"])
def test_real_catalogs(path: str, data_dir: Path) -> None:
    catalog = Catalog.load(data_dir / path)
    case = from_catalog(catalog, 12, 1, coupling="random", share=0.8)
    assert check(case.sequence, catalog).verdict == "valid"


MANY = generate(Dials(tools=500, calls=40, coupling="chain"), 0).catalog


@pytest.mark.parametrize("catalog", [Catalog.load(catalog_path("travel")), MANY])
def test_calls_read_from_each_other_where_names_allow_it(catalog: Catalog) -> None:
    reads = reads_of(from_catalog(catalog, 6, 0, coupling="chain").sequence)
    assert [(each.call, each.producer) for each in reads] == [(n, n - 1) for n in range(1, 6)]
    assert not reads_of(from_catalog(catalog, 6, 0, coupling="independent").sequence)


HOPELESS = tools(day={"not": {}, "required": True})


def test_a_tool_that_cannot_be_called_is_passed_over() -> None:
    case = from_catalog(Catalog(tools=(*HOPELESS.tools, Tool(name="Ping"))), 5, 0)
    assert {call.name for call in case.sequence.calls} == {"Ping"}


CANNOT_BE_MADE = [
    (Catalog(), {"calls": 1}, "the catalog has no tools"),
    (HOPELESS, {"calls": 1}, r"none of the tools can be called: Search \(day: no value"),
    (tools(), {"calls": 0}, "calls: '0' cannot be set"),
    (tools(), {"calls": 301}, "calls: '301' cannot be set"),
    (tools(), {"calls": 2, "coupling": "star"}, "coupling: 'star' cannot be set"),
    (tools(), {"calls": 2, "share": 2}, "share: '2' cannot be set"),
]


@pytest.mark.parametrize(("catalog", "options", "said"), CANNOT_BE_MADE)
def test_what_cannot_be_made_is_said(catalog: Catalog, options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_catalog(catalog, **options)


def test_arguments_that_have_to_go_together_do() -> None:
    fields = {name: {"type": "integer"} for name in "ab"}
    together = {"dependentRequired": {"a": ["b"]}, "required": ["a"]}
    schema = {"type": "object", "properties": fields, **together}
    catalog = Catalog.load({"tools": [{"name": "Both", "input": schema}]})
    for seed in range(6):
        sequence = from_catalog(catalog, 2, seed).sequence
        assert all(call.arguments.keys() == {"a", "b"} for call in sequence.calls)


# -- values that fit a schema ----------------------------------------------------------


ROWS = read_yaml(Path(__file__).with_name("schemas.yaml"))


@pytest.mark.parametrize("schema", ROWS["fit"], ids=str)
def test_the_value_fits(schema: Any) -> None:
    for seed in range(3):
        assert Validator(schema).is_valid(some_value(schema, random.Random(seed)))


@pytest.mark.parametrize("schema", ROWS["none"], ids=str)
def test_what_has_no_plain_value_is_said(schema: Any) -> None:
    with pytest.raises(NoValueError):
        some_value(schema, random.Random(0))


def test_a_part_follows_references_of_the_whole_and_a_name_chooses_texts() -> None:
    whole = {"$defs": {"Day": {"enum": ["mon"]}}}
    assert some_value({"$ref": "#/$defs/Day"}, random.Random(0), whole) == "mon"
    assert some_value({"type": "string"}, random.Random(0), name="check_in_date")[:5] == "2024-"


KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null"])
NUMBERS = st.integers(0, 4)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what draws lists, objects and choices of other schemas."""
    objects = st.dictionaries(st.sampled_from("abc"), inner, min_size=1)
    return st.one_of(
        st.builds(lambda of, low: {"type": "array", "items": of, "minItems": low}, inner, NUMBERS),
        objects.map(lambda of: {"type": "object", "properties": of, "required": sorted(of)}),
        st.lists(inner, min_size=1, max_size=3).map(lambda of: {"anyOf": of}),
    )


SCHEMAS = st.recursive(KINDS.map(lambda kind: {"type": kind}), nested, max_leaves=6)


@settings(max_examples=examples(60))
@given(SCHEMAS, st.integers(0, 9))
def test_values_of_plain_schemas_always_fit(schema: Any, seed: int) -> None:
    assert Validator(schema).is_valid(some_value(schema, random.Random(seed)))
