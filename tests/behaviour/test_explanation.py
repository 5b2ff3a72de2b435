"""`result.explanation()`: why each edit is as it is, and what would be without it; see `explanations.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.model.explanation import Explanation
from yaml_files import read_yaml

PARTS = read_yaml(Path(__file__).with_name("explanations.yaml"))
CASES = {name: (part["catalog"], case) for part in PARTS for name, case in part["cases"].items()}


@pytest.mark.parametrize("name", CASES)
def test_what_would_be_without_an_edit(name: str) -> None:
    catalog, case = CASES[name]
    known = {key: case[key] for key in ("memory", "history", "goals") if key in case}
    refractor = Refractor(catalog, **case.get("options", {}))
    result = getattr(refractor, case.get("by", "repair"))(case["calls"], **known)
    explanation = result.explanation()
    reasons = {reason.edit.kind: reason for reason in explanation.reasons}
    wanted: dict[str, Any] = case["edits"]
    assert {kind: reasons[kind].outcome for kind in wanted} == wanted
    first = reasons[next(iter(wanted))]
    assert first.extra == case.get("extra", first.extra)
    assert bool(first.extra) == (first.outcome in ("dearer", "equal"))
    if "instead" in case:
        assert [str(each.after) for each in first.instead] == [case["instead"]]
    assert case.get("says", "") in " ".join(result.explain().split())
    assert Explanation.model_validate(explanation.model_dump(mode="json")) == explanation
    assert sum(each.cost for each in explanation.criteria) == sum(explanation.total.values())


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_without_time_nothing_is_compared(catalog: Catalog, limit: float) -> None:
    result = Refractor(catalog).repair('SkyScrapperSearchAirport(qury="x")', time_limit=limit)
    assert all(reason.outcome == "unknown" for reason in result.explanation().reasons)
