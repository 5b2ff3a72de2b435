"""Several threads at once, each with questions and refractors of its own."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.resources import catalog_path

BROKEN = [
    'var1 = SkyScrapperSearchAirprt(query="x")',
    'var1 = SkyScrapperSearchAirport(query="x")\nvar2 = TripadvisorSearchHotels(geoId="$var1.geoIdx$")',
    'TripadvisorSearchHotels(checkIn="a", checkOut="b")',
    'a = TripadvisorSearchLocation(query="x")\nTripadvisorSearchHotels(geoId="$b.geoId$", checkIn="a")',
]
MODELS = ["default", "refraction"]


@pytest.mark.slow
def test_threads_that_build_and_ask_at_once_get_the_same_answers() -> None:
    """Parsed encodings are shared, and clingo does not guard them: a slip here ends the process."""
    catalog = Catalog.load(catalog_path("travel"))

    def answers(turn: int) -> list[str]:
        found = []
        for number in range(12):
            refractor = Refractor(catalog, cost_model=MODELS[number % 2], defensive=number % 3 == 0)
            found += [refractor.repair(text).model_dump_json() for text in BROKEN]
        return found

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(answers, range(4))
    assert all(other == first for other in others)
