"""What the rules rely on in the facts that Python states, as README.md tells it: `stated_facts.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Refractor
from refract_asp.formats import load_catalog
from yaml_files import read_yaml

DATA = read_yaml(Path(__file__).parent / "stated_facts.yaml")
CATALOGS = {name: load_catalog(text) for name, text in DATA["catalogs"].items()}


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["title"])
def test_all_facts_of_a_predicate(case: dict[str, Any]) -> None:
    refractor = Refractor(CATALOGS[case.get("catalog", "rooms")], **case.get("options", {}))
    lines = refractor.facts(case["calls"], **case.get("with", {})).splitlines()
    for predicate, expected in case["facts"].items():
        facts = [line for line in lines if line.startswith(f"{predicate}(")]
        assert facts == [f"{predicate}({each})." for each in expected]
