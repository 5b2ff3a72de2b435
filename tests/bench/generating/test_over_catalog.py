"""Valid sequences over given catalogs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, check
from refract_asp.bench.generating import COUPLINGS, from_catalog, generate
from refract_asp.bench.generating.dials import Dials
from refract_asp.bench.mutations.mutation import reads_of
from refract_asp.errors import InputError
from refract_asp.resources import catalog_names, catalog_path


def tools(**parameters: Any) -> Catalog:
    return Catalog.load({"tools": [{"name": "Search", "parameters": parameters}]})


@pytest.mark.slow
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("name", catalog_names())
def test_shipped_catalogs(name: str, coupling: Any) -> None:
    catalog = Catalog.load(catalog_path(name))
    for seed in range(3):
        case = from_catalog(catalog, 6, seed, coupling=coupling, name=name)
        assert check(case.sequence, catalog).verdict == "valid"
        assert len(case.sequence.calls) == 6
        assert case.catalog_name == name


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "mcp/github-mcp-server.tools_list.json",
        "openapi/kubeappsapi.json",
        "openapi/kubecoreapi.json",
        "openapi/Instagram_Posts_Reels.json",
        "nestful/executable-spec.json",
        "nestful/glaive-spec.json",
        "seal_tools/tool.jsonl",
        "api_use/libraries.json",
    ],
)
def test_real_catalogs(path: str, data_dir: Path) -> None:
    catalog = Catalog.load(data_dir / path)
    case = from_catalog(catalog, 12, 1, coupling="random", share=0.8)
    assert check(case.sequence, catalog).verdict == "valid"


def test_calls_read_from_each_other_where_names_allow_it() -> None:
    catalog = Catalog.load(catalog_path("travel"))
    reads = reads_of(from_catalog(catalog, 8, 0, coupling="chain").sequence)
    assert [(each.call, each.producer) for each in reads] == [(n, n - 1) for n in range(1, 8)]
    assert not reads_of(from_catalog(catalog, 8, 0, coupling="independent").sequence)


def test_those_that_can_read_are_found_among_many_tools() -> None:
    catalog = generate(Dials(tools=500, calls=40, coupling="chain"), 0).catalog
    reads = reads_of(from_catalog(catalog, 6, 0, coupling="chain").sequence)
    assert [(each.call, each.producer) for each in reads] == [(n, n - 1) for n in range(1, 6)]


@pytest.mark.slow
def test_it_is_reproducible() -> None:
    catalog = generate(Dials(tools=50), 0).catalog
    assert from_catalog(catalog, 9, 3).sequence == from_catalog(catalog, 9, 3).sequence
    assert from_catalog(catalog, 9, 3).sequence != from_catalog(catalog, 9, 4).sequence


def test_a_tool_that_cannot_be_called_is_passed_over() -> None:
    hopeless = {"name": "Never", "parameters": {"day": {"not": {}, "required": True}}}
    catalog = Catalog.load({"tools": [hopeless, {"name": "Ping"}]})
    case = from_catalog(catalog, 5, 0)
    assert {call.name for call in case.sequence.calls} == {"Ping"}


@pytest.mark.parametrize(
    ("catalog", "said"),
    [
        (Catalog(), "the catalog has no tools"),
        (
            tools(day={"not": {}, "required": True}),
            r"none of the tools can be called: Search \(day: no value",
        ),
        (tools(day={"type": "string", "pattern": "(", "required": True}), "Search"),
    ],
)
def test_what_cannot_be_called_is_said(catalog: Catalog, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_catalog(catalog, 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"calls": 0}, "0 is no number of calls"),
        ({"calls": 301}, "301 is no number of calls"),
        ({"calls": 2, "coupling": "star"}, "there is no coupling 'star'"),
        ({"calls": 2, "share": 2}, "2 is no share"),
    ],
)
def test_numbers_out_of_range_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_catalog(tools(), **options)


@pytest.mark.slow
def test_arguments_that_have_to_go_together_do() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "dependentRequired": {"a": ["b"]},
        "required": ["a"],
    }
    catalog = Catalog.load({"tools": [{"name": "Both", "input": schema}]})
    for seed in range(6):
        sequence = from_catalog(catalog, 2, seed).sequence
        assert check(sequence, catalog).verdict == "valid"
        assert all(call.arguments.keys() == {"a", "b"} for call in sequence.calls)
