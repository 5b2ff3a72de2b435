"""What is promised of error tags: a violation belongs to one mistake, and what is the same has none."""

from __future__ import annotations

import pytest
from hypothesis import given

from refract_asp.model.comparison import same
from refract_asp.report.tags import tags_against

from .made import Problem, broken_problems, profile, refractor, valid_problems


@pytest.mark.slow
@given(broken_problems())
@profile(60)
def test_each_violation_belongs_to_one_mistake(problem: Problem) -> None:
    asked = refractor(problem.catalog)
    for report in (
        asked.check(problem.sequence, **problem.known),
        asked.repair(problem.sequence, **problem.known),
    ):
        told = sorted(number for fault in report.tags().faults for number in fault.violations)
        assert told == [*range(len(report.violations))]
        assert all(call <= len(problem.sequence.calls) for call in report.tags().calls)


@pytest.mark.slow
@given(valid_problems(), broken_problems())
@profile(60)
def test_what_differs_has_tags_and_nothing_else(one: Problem, other: Problem) -> None:
    for given_one, truth in ((one, other), (other, one), (other, other)):
        for catalog in (None, refractor(truth.catalog)):
            tags = tags_against(given_one.sequence, truth.sequence, catalog)
            assert bool(tags.faults) == (not same(given_one.sequence, truth.sequence))
