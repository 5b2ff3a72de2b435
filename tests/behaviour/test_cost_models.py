"""The same broken sequences under every cost model, side by side: what each of them prefers."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, Refractor
from refract_asp.resources import cost_model_names
from yaml_files import read_yaml

BROKEN = read_yaml(Path(__file__).with_name("mistakes.yaml"))
MEMORY = {"trip": {"checkIn": "2024-08-15"}}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_side_by_side(name: str, catalog: Catalog, snapshot: SnapshotAssertion) -> None:
    told = []
    for model in cost_model_names():
        refractor = Refractor(catalog, cost_model=model)
        result = refractor.repair(BROKEN[name], memory=MEMORY)
        assert result.optimal
        ready = result.answer({ask.name: "2024-08-15" for ask in result.asks}, confirmed=True)
        is_mended = refractor.check(ready, memory=MEMORY).verdict == "valid"
        assert is_mended or result.verdict == "unrepairable"
        told.append(f"--- {model}: {result.verdict}\n\n{result.diff()}")
    assert "\n".join(told) == snapshot
