"""What a repair pays: the answer itself can be wanted, and costs what the answer costs."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from refract_asp.costs.models import model_weights
from refract_asp.model.comparison import same
from refract_asp.resources import cost_model_path
from refract_asp.rules.wanted import cheaper_repairs, wanted_repairs, why_unreachable

from .made import Problem, broken_problems, profile, refractor

LEVEL = 2
WEIGHTS = {name: model_weights(cost_model_path(name)).kinds for name in ("default", "refraction")}


@pytest.mark.slow
@given(broken_problems(), st.sampled_from(sorted(WEIGHTS)))
@profile(40)
def test_the_answer_can_be_wanted_at_what_it_costs(problem: Problem, model: str) -> None:
    result = refractor(problem.catalog, cost_model=model).repair(problem.sequence, **problem.known)
    if not result.violations:
        return
    event(result.verdict)
    found = wanted_repairs(result, result.sequence)
    assert found, why_unreachable(result, result.sequence)
    if result.unresolved:  # of tied tools none is taken, though each is cheaper
        return
    kinds = WEIGHTS[model]
    assert found[0].weighed(kinds) == result.total[LEVEL]
    for other in cheaper_repairs(result, result.sequence, result.total):
        assert other.weighed(kinds) == result.total[LEVEL]


@given(broken_problems())
@profile(30)
def test_an_alternative_can_be_wanted_and_the_answer_is_cheaper(problem: Problem) -> None:
    made = refractor(problem.catalog, alternatives=4)
    result = made.repair(problem.sequence, **problem.known)
    for other in result.alternatives:
        if same(other.sequence, result.sequence) or result.unresolved:
            continue
        found = wanted_repairs(result, other.sequence)
        assert found, why_unreachable(result, other.sequence)
        cheaper = cheaper_repairs(result, other.sequence, other.total)
        assert cheaper
        event("same cost" if other.total == result.total else "dearer")
