"""Every example of seed 000: the sequence, each broken form of it, and what each cost model makes of it."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, RepairResult, Sequence, check, repair

NEW_YORK = 'var1 = SkyScrapperSearchAirport(query="New York")'
LONDON = 'var2 = SkyScrapperSearchAirport(query="London")'
FLIGHT = (
    'var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", '
    'originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")'
)
PLACE = 'var4 = TripadvisorSearchLocation(query="London")'
HOTELS = 'var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")'
GIVEN = "\n".join([NEW_YORK, LONDON, FLIGHT, PLACE, HOTELS])

FORMS = {
    "valid": GIVEN,
    "messed up tool name": GIVEN.replace("SkyScrapperFlightSearch", "SkyCrapperFlightSearch"),
    "wrong output label": GIVEN.replace("var2 =", "var20 ="),
    "missing output label": GIVEN.replace("var2 = ", ""),
    "missing input parameter": GIVEN.replace('originSkyId="$var1.skyId$", ', ""),
    "made up input parameter": GIVEN.replace("originSkyId=", "originalSkyId="),
    "made up variable": GIVEN.replace("$var2.skyId$", "$var20.skyId$"),
    "made up variable parameter": GIVEN.replace("$var2.skyId$", "$var2.skyayeId$"),
    "missing step": "\n".join([NEW_YORK, LONDON, FLIGHT, HOTELS]),
    "missing date": GIVEN.replace(', date="2024-08-15"', ""),
}

MAP = [{"source": "skyId", "target": "originSkyId", "weight": 0.9}]


def shown(given: str, result: RepairResult) -> str:
    """Print a case as a document: what came in, what is wrong, what came out, and why."""
    lines = [given, "", f"verdict: {result.verdict}"]
    lines += [f"wrong: {violation.message} [{violation.code}]" for violation in result.violations]
    lines += [f"asked: {ask.name}" for ask in result.asks]
    lines += [f"to confirm: {confirm.reason}" for confirm in result.confirms]
    lines += [f"undecided: {each}" for each in result.undecided]
    lines += [f"cost: {', '.join(f'{kind} {value}' for kind, value in result.cost.items())}", ""]
    return "\n".join(lines) + "\n" + result.diff()


@pytest.mark.slow
@pytest.mark.parametrize("model", ["refraction", "default"])
@pytest.mark.parametrize("form", FORMS)
def test_form(form: str, model: str, catalog: Catalog, snapshot: SnapshotAssertion) -> None:
    result = repair(FORMS[form], catalog, cost_model=model)
    assert result.optimal
    answer = result.answer({ask.name: "x" for ask in result.asks}, confirmed=True)
    assert check(answer, catalog).verdict == "valid"
    assert shown(FORMS[form], result) == snapshot


DEFENCE = {"defensive": True}
OPTIONS = [
    pytest.param("made up input parameter", {"mappings": MAP}, id="using a new map"),
    pytest.param("missing input parameter", {"mappings": MAP, **DEFENCE}, id="defence: a new map"),
    pytest.param("missing date", DEFENCE, id="defence: a new operation"),
]


@pytest.mark.parametrize("model", ["refraction", "default"])
@pytest.mark.parametrize(("form", "options"), OPTIONS)
def test_option(form: str, options: Any, model: str, catalog: Catalog, snapshot: Any) -> None:
    result = repair(FORMS[form], catalog, cost_model=model, **options)
    assert result.optimal
    assert shown(FORMS[form], result) == snapshot


def test_several_mistakes_at_once_give_one_optimum(catalog: Catalog, snapshot: Any) -> None:
    broken = (
        GIVEN.replace("SkyScrapperFlightSearch", "SkyCrapperFlightSearch")
        .replace("var2 =", "var20 =")
        .replace("$var4.geoId$", "$var4.geoIdx$")
        .replace("checkIn", "chekIn")
    )
    result = repair(broken, catalog)
    assert result.sequence == Sequence.load(GIVEN)
    assert shown(broken, result) == snapshot
