"""Valid sequences over given catalogs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, check
from refract_asp.bench.generating import COUPLINGS, Dials, from_catalog, generate
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
    case = from_catalog(catalog, 6, 1, coupling=coupling, name=name)
    assert check(case.sequence, catalog).verdict == "valid"
    assert (len(case.sequence.calls), case.catalog_name) == (6, name)


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


@pytest.mark.parametrize(
    "catalog",
    [
        Catalog.load(catalog_path("travel")),
        generate(Dials(tools=500, calls=40, coupling="chain"), 0).catalog,  # found among many
    ],
)
def test_calls_read_from_each_other_where_names_allow_it(catalog: Catalog) -> None:
    reads = reads_of(from_catalog(catalog, 6, 0, coupling="chain").sequence)
    assert [(each.call, each.producer) for each in reads] == [(n, n - 1) for n in range(1, 6)]
    assert not reads_of(from_catalog(catalog, 6, 0, coupling="independent").sequence)


def test_a_tool_that_cannot_be_called_is_passed_over() -> None:
    hopeless = {"name": "Never", "parameters": {"day": {"not": {}, "required": True}}}
    catalog = Catalog.load({"tools": [hopeless, {"name": "Ping"}]})
    case = from_catalog(catalog, 5, 0)
    assert {call.name for call in case.sequence.calls} == {"Ping"}


HOPELESS = tools(day={"not": {}, "required": True})


@pytest.mark.parametrize(
    ("catalog", "options", "said"),
    [
        (Catalog(), {"calls": 1}, "the catalog has no tools"),
        (HOPELESS, {"calls": 1}, r"none of the tools can be called: Search \(day: no value"),
        (tools(), {"calls": 0}, "calls: '0' cannot be set"),
        (tools(), {"calls": 301}, "calls: '301' cannot be set"),
        (tools(), {"calls": 2, "coupling": "star"}, "coupling: 'star' cannot be set"),
        (tools(), {"calls": 2, "share": 2}, "share: '2' cannot be set"),
    ],
)
def test_what_cannot_be_made_is_said(catalog: Catalog, options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_catalog(catalog, **options)


def test_arguments_that_have_to_go_together_do() -> None:
    number = {"type": "integer"}
    schema = {
        "type": "object",
        "properties": {"a": number, "b": number},
        "dependentRequired": {"a": ["b"]},
        "required": ["a"],
    }
    catalog = Catalog.load({"tools": [{"name": "Both", "input": schema}]})
    for seed in range(6):
        sequence = from_catalog(catalog, 2, seed).sequence
        assert all(call.arguments.keys() == {"a", "b"} for call in sequence.calls)
