"""
Whatever comes in, the answer is admissible, says what it changed, and loses nothing.

`check(result.answer(...))` is valid for every verdict but "unrepairable" and "unknown".
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .made import Problem, broken_problems, fits, problems, profile, refractor, same
from .promises import (
    assert_consistent,
    assert_edits_say_all,
    assert_meaning_kept,
    assert_printable,
    wrong_with,
)

pytestmark = pytest.mark.slow

SETTINGS = [(m, c) for m in ("default", "refraction") for c in ("risky", "new", "never")]
SETTINGS += [(model, "risky") for model in ("slot_filling", "maps_first", "calls_first", "prune")]


@pytest.mark.parametrize(("model", "confirm"), SETTINGS)
def test_every_answer_keeps_the_promises(model: str, confirm: str) -> None:
    @given(problems, st.sampled_from(["a value", 7, None, ["$var1.x$"], "$var1.id$"]))
    @profile(60)
    def run(problem: Problem, value: Any) -> None:
        fixer = refractor(problem.catalog, cost_model=model, confirm=confirm)
        result = fixer.repair(problem.sequence, **problem.known)
        assert result.verdict in ("valid", "repaired", "needs_input", "unrepairable")
        assert result.optimal
        report = fixer.check(problem.sequence, **problem.known)
        assert report.violations == result.violations
        assert (report.verdict == "valid") == (result.verdict == "valid")
        assert confirm != "never" or not result.confirms or problem.sequence.is_open
        assert not wrong_with(problem, result, value)
        assert_consistent(result)
        assert_printable(result)
        assert_edits_say_all(result)
        assert_meaning_kept(result, problem.memory, problem.history)

    run()


@given(broken_problems())
@profile(60)
def test_an_answer_that_is_filled_in_step_by_step_is_the_same(problem: Problem) -> None:
    """Values given one at a time, confirms agreed to one at a time, lead to the same sequence."""
    result = refractor(problem.catalog).repair(problem.sequence, **problem.known)
    refused = {ask.name for ask in result.asks if not fits("x", ask.json_schema)}
    values = {name: "x" for name in result.sequence.asks if name not in refused}
    assert result.answer(values).is_open == bool(result.confirms or refused)
    agreed = result.answer(values, confirmed=range(len(result.confirms)))
    assert same(agreed, result.answer(values, confirmed=True))
    for name in values:
        assert set(result.answer({name: "x"}).asks) == set(result.sequence.asks) - {name}
