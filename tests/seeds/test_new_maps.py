"""Seed 000, "Using a new map": mappings that are computed from the catalog, beside those that are given."""

from typing import Any

import pytest
from test_seed_000 import FORMS, GIVEN, MAP, shown

from refract_asp import Catalog, Refractor, Sequence, check, repair

MISSING = FORMS["missing input parameter"]


@pytest.mark.parametrize("form", ["made up input parameter", "missing input parameter"])
def test_a_new_map_fills_what_would_be_asked(form: str, catalog: Catalog, snapshot: Any) -> None:
    asked = repair(FORMS[form], catalog, cost_model="refraction")
    assert [ask.name for ask in asked.asks] == ["originSkyId"]
    result = repair(FORMS[form], catalog, cost_model="refraction", new_maps=True)
    assert result.optimal
    assert not result.asks
    assert check(result.sequence, catalog).verdict == "valid"
    assert shown(FORMS[form], result) == snapshot


def test_the_document_reads_either_airport(catalog: Catalog) -> None:
    made_up = FORMS["made up input parameter"]
    result = repair(made_up, catalog, cost_model="refraction", new_maps=True)
    read = 'originSkyId="$var1.skyId$"'
    flights = [GIVEN.replace(read, read.replace("var1", label)) for label in ("var1", "var2")]
    assert result.sequence in [Sequence.load(flight) for flight in flights]


def test_a_given_mapping_wins_over_a_computed_one(catalog: Catalog) -> None:
    """`geoId` is mapped by hand from a field for which nothing in the catalog speaks."""
    given = [{"source": "SkyScrapperSearchAirport.presentation.subtitle", "target": "originSkyId"}]
    how: Any = {"cost_model": "refraction", "mappings": given, "new_maps": True}
    result = repair(MISSING, catalog, **how)
    assert 'originSkyId="$var1.presentation.subtitle$"' in str(result.sequence)
    assert "suggestion" not in result.cost


def test_what_a_computed_mapping_fills_is_defended(catalog: Catalog) -> None:
    options: Any = {"cost_model": "refraction", "new_maps": True}
    for confirm in ({"defensive": True}, {"confirm": "risky"}):
        result = repair(MISSING, catalog, **options, **confirm)
        assert [each.confirm.kind for each in result.confirms] == ["argument"], confirm
    options = {"cost_model": "refraction", "mappings": MAP, "confirm": "risky"}
    assert not repair(MISSING, catalog, **options).confirms


@pytest.mark.slow
def test_valid_sequences_and_clear_repairs_stay_as_they_were(catalog: Catalog) -> None:
    with_maps, without = Refractor(catalog, new_maps=True), Refractor(catalog)
    for form, given in FORMS.items():
        assert with_maps.repair(given).sequence == without.repair(given).sequence, form
