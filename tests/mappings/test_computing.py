"""Mappings computed from a catalog: what counts, what rules out, what is promised."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples
from tests.hash_seeds import printed

from refract_asp import Catalog
from refract_asp.errors import InputError, LimitError
from refract_asp.formats import load_mappings
from refract_asp.mappings import CatalogMaps, compute


def two(field: dict[str, Any], parameter: dict[str, Any], **more: Any) -> Catalog:
    """Return a catalog of a tool that gives a field, and one that takes a parameter."""
    gives = {"name": "Find", "returns": field, **more.get("gives", {})}
    takes = {"name": "Book", "parameters": parameter, **more.get("takes", {})}
    return Catalog.load({"tools": [gives, takes]})


def weight(field: dict[str, Any], parameter: dict[str, Any], **more: Any) -> float:
    """Return the weight of the only pair of such a catalog, 0 where there is none."""
    mappings = compute(two(field, parameter, **more), threshold=0.0)
    assert len(mappings) <= 1
    return mappings[0].weight if mappings else 0.0


TEXT = {"type": "string"}


# --- what counts ----------------------------------------------------------------------------------


def test_names_count_in_words() -> None:
    same = weight({"geoId": TEXT}, {"geo_id": TEXT})
    part = weight({"skyId": TEXT}, {"originSkyId": TEXT})
    other = weight({"colour": TEXT}, {"originSkyId": TEXT})
    assert same > part > 0.6 > other


def test_a_field_goes_by_its_parent_too() -> None:
    inside = {"author": {"type": "object", "properties": {"id": TEXT}}}
    parents = compute(two(inside, {"authorId": TEXT}), threshold=0.0)
    assert parents[0].source == "Find.author.id"
    assert parents[0].weight > weight({"id": TEXT}, {"authorId": TEXT})


def said(description: str) -> dict[str, Any]:
    return {**TEXT, "description": description}


def test_descriptions_count() -> None:
    code = {"code": said("Short code of the airport.")}
    other = {"code": said("What the letters in a box stand for.")}
    assert weight(code, code) > weight({"code": TEXT}, other)
    hotels = {"description": "Finds the hotels of a town."}
    near, far = (
        weight({"key": TEXT}, {"key": TEXT}, gives=hotels, takes={"description": takes})
        for takes in ("Books a room in the hotels of a town.", "Sums numbers.")
    )
    assert near > far  # what the tools say counts, too
    nearly = said("Short code of the airport in three letters.")  # it stands for the names
    assert weight({"iata": nearly}, {"departure": nearly}) > 0.6
    assert weight({"iata": nearly}, {"departure": said("How many bags are taken.")}) == 0.0


def test_types_rule_a_pair_out_or_count_a_little_less() -> None:
    for kind, wanted in (("string", "integer"), ("object", "string"), ("string", "array")):
        assert weight({"key": {"type": kind}}, {"key": {"type": wanted}}) == 0.0
    exact, opened, turned = (
        weight({"key": {"type": kind} if kind else {"description": ""}}, {"key": TEXT})
        for kind in ("string", "", "integer")
    )
    assert exact > opened > turned > 0.5
    several = {"type": ["string", "boolean", "array"]}
    assert exact > weight({"key": TEXT}, {"key": several})


def test_no_tool_is_fed_from_itself() -> None:
    page = {"name": "List", "parameters": {"cursor": TEXT}, "returns": {"cursor": TEXT}}
    assert compute(Catalog.load({"tools": [page]}), threshold=0.0) == ()


def test_the_example_of_the_seed(catalog: Catalog) -> None:
    best = CatalogMaps(catalog).best("SkyScrapperFlightSearch", "originSkyId")
    assert best[0].source == "SkyScrapperSearchAirport.skyId"
    hotels = CatalogMaps(catalog).best("TripadvisorSearchHotels", "geoId")
    assert hotels[0].source == "TripadvisorSearchLocation.geoId"


# --- what is promised -----------------------------------------------------------------------------

NAMES = ["id", "skyId", "place_id", "place", "", "☃", "a.b", "$x$", "ключ", "x" * 300]
WORDS = st.sampled_from(NAMES)
TYPES = st.sampled_from(["string", "integer", "array"])
FIELD = st.fixed_dictionaries({}, optional={"type": TYPES, "description": WORDS})
FIELDS = st.dictionaries(WORDS, FIELD, max_size=3)
TOOL = st.fixed_dictionaries({"description": WORDS, "parameters": FIELDS, "returns": FIELDS})
CATALOGS = st.lists(TOOL, max_size=5).map(
    lambda tools: Catalog.load({"tools": [{"name": f"t{n}", **t} for n, t in enumerate(tools)]})
)


@settings(max_examples=examples(60))
@given(CATALOGS, st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.0]))
def test_weights_thresholds_and_order(catalog: Catalog, top_k: int, threshold: float) -> None:
    mappings = compute(catalog, top_k=top_k, threshold=threshold)
    assert all(threshold <= mapping.weight <= 1 and mapping.weight > 0 for mapping in mappings)
    assert list(mappings) == sorted(mappings, key=lambda m: (m.target, -m.weight, m.source))
    targets = [mapping.target for mapping in mappings]
    assert all(targets.count(target) <= top_k for target in targets)
    assert len({(each.source, each.target) for each in mappings}) == len(mappings)
    every = compute(catalog, top_k=1000, threshold=threshold)
    assert set(map(str, mappings)) <= set(map(str, every))
    assert load_mappings([mapping.model_dump() for mapping in mappings]) == mappings


@settings(max_examples=examples(60))
@given(CATALOGS)
def test_the_search_finds_what_comparing_each_pair_finds(catalog: Catalog) -> None:
    maps = CatalogMaps(catalog)
    for tool, source in product(catalog, repeat=2):
        for parameter in tool.parameters:
            found = maps.best(tool.name, parameter, top_k=1000)
            own = [m.weight for m in found if m.source.startswith(f"{source.name}.")]
            each = sorted(maps.weights(source.name, tool.name, parameter).values(), reverse=True)
            assert each == own[:5]


@pytest.mark.slow
def test_nothing_depends_on_the_hash_seed() -> None:
    program = (
        "from refract_asp.mappings import compute; from refract_asp import Catalog;"
        "print(*compute(Catalog.load('travel'), threshold=0.2), sep=chr(10))"
    )
    assert len(printed(program).splitlines()) > 5


def test_what_is_unknown_has_no_mapping_and_progress_is_told(catalog: Catalog) -> None:
    maps = CatalogMaps(catalog)
    assert maps.weights("SkyScrapperSearchAirport", "Nobody", "x") == {}
    assert maps.best("Nobody", "x") == []
    told: list[tuple[int, int]] = []
    compute(catalog, progress=lambda done, of: told.append((done, of)))
    assert told == [(number, len(catalog)) for number in range(1, len(catalog) + 1)]


# --- what cannot be used --------------------------------------------------------------------------


OUT_OF_RANGE: list[dict[str, Any]] = [
    *({"top_k": each} for each in (0, True, 1001, 2.0)),
    *({"threshold": each} for each in (-0.1, 1.01, float("nan"), "high", True)),
    {"embedder": "minilm"},
]


@pytest.mark.parametrize("options", OUT_OF_RANGE, ids=str)
def test_options_out_of_range_are_refused(options: dict[str, Any], catalog: Catalog) -> None:
    with pytest.raises(InputError):
        compute(catalog, **options)


# --- hostile catalogs -----------------------------------------------------------------------------


def test_of_thousands_of_fields_the_first_are_compared() -> None:
    fields = {f"place{number}": TEXT for number in range(3000)}
    parameters = {"place7": TEXT, "place2999": TEXT}
    found = {(m.source, m.target) for m in compute(two(fields, parameters), top_k=1)}
    assert ("Find.place7", "Book.place7") in found
    assert ("Find.place2999", "Book.place2999") not in found


def test_thousands_of_namesakes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refract_asp.mappings.computing.MAX_NAMESAKES", 2)
    givers = [{"name": f"t{number}", "returns": {"place": TEXT}} for number in range(5)]
    taker = {"name": "Book", "parameters": {"place": TEXT}}
    found = compute(Catalog.load({"tools": [*givers, taker]}), top_k=9)
    assert [mapping.source for mapping in found] == ["t0.place", "t1.place"]


def test_too_large_a_catalog_is_refused(monkeypatch: Any, catalog: Catalog) -> None:
    monkeypatch.setattr("refract_asp.mappings.computing.MAX_ALL", 20)
    with pytest.raises(LimitError, match="output fields and parameters"):
        compute(catalog)


@pytest.mark.data
def test_four_thousand_tools(data_dir: Path) -> None:
    catalog = Catalog.load(data_dir / "seal_tools" / "tool.jsonl")
    maps = CatalogMaps(catalog)
    assert maps.best("updateUserEmail", "email", 1)[0].source == "getUser.email"
