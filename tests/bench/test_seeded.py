"""What is made of a seed stays the same, byte for byte; Python takes another seed for its hashes in each run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import pytest

from refract_asp import Catalog
from refract_asp.bench.generating import COUPLINGS, Dials, from_catalog, generate
from refract_asp.bench.problems import benchmark, made
from refract_asp.evaluation.cases import case_row
from refract_asp.resources import catalog_path


def digest(rows: Iterable[Any]) -> str:
    return hashlib.sha256(json.dumps(list(rows)).encode()).hexdigest()[:16]


def test_cases_by_dials() -> None:
    dials = [Dials(tools=15, calls=7, coupling=each, share=0.8, reuse=0.3) for each in COUPLINGS]
    dials.append(Dials(tools=1500, likeness=1.0))
    cases = [generate(each, seed) for each in dials for seed in (0, 1)]
    assert digest(map(case_row, cases)) == "b61e4c9f69d47a18"


def test_cases_over_a_catalog() -> None:
    travel = Catalog.load(catalog_path("travel"))
    cases = [from_catalog(travel, 6, 3, coupling=coupling) for coupling in COUPLINGS]
    assert digest(str(case.sequence) for case in cases) == "cd724d48672dba7d"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("argument_fixing", "036e664bb0153182"),
        ("chaining", "495d43181ca97895"),
        ("distractors_and_positioning", "8e199389ceb02b59"),
        ("name_description", "33a62160ce9fd9a5"),
    ],
)
def test_benchmarks(name: str, wanted: str) -> None:
    cases = made(benchmark(name)).items()
    assert digest((id, each.prompt, each.target, each.test) for id, each in cases) == wanted
