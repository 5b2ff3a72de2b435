"""What is valid comes back untouched: a valid sequence, and one that was repaired and answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp.resources import cost_model_names

from .made import Problem, answered, broken_problems, profile, refractor, same, valid_problems

pytestmark = pytest.mark.slow

MODELS = cost_model_names()


@pytest.mark.parametrize("model", MODELS)
def test_valid_input_comes_back_untouched(model: str) -> None:
    @given(valid_problems(), st.sampled_from(["risky", "new", "never"]))
    @profile(60)
    def run(problem: Problem, confirm: str) -> None:
        fixer = refractor(problem.catalog, cost_model=model, confirm=confirm)
        assert fixer.check(problem.sequence, **problem.known).verdict == "valid"
        result = fixer.repair(problem.sequence, **problem.known)
        assert (result.verdict, result.determination, result.is_executable) == ("valid", True, True)
        assert same(result.sequence, problem.sequence)
        assert (result.edits, result.asks, result.confirms, result.cost) == ((), (), (), {})
        assert result.origins == tuple(range(len(problem.sequence.calls)))
        assert result.diff() == ""

    run()


@pytest.mark.parametrize("model", MODELS)
def test_repairing_the_answer_changes_nothing(model: str) -> None:
    @given(broken_problems(), st.sampled_from(["risky", "new", "never"]))
    @profile(60)
    def run(problem: Problem, confirm: str) -> None:
        fixer = refractor(problem.catalog, cost_model=model, confirm=confirm)
        result = fixer.repair(problem.sequence, **problem.known)
        answer = answered(result, problem.catalog)
        if result.verdict != "unrepairable" and answer is not None:
            again = fixer.repair(answer, **problem.known)
            assert (again.verdict, again.edits) == ("valid", ())
            assert same(again.sequence, answer)

    run()


@given(broken_problems())
@profile(100)
def test_what_stays_open_stays_as_it_is(problem: Problem) -> None:
    """
    Asks and confirms that are still open are no violations; nothing is asked for a second time.

    The siblings of an unresolved call are repaired at once, and a second repair leaves them alone. It may
    resolve the call itself: a tool is left out for being called already only where its name is known, and
    the first repair may have told it.
    """
    fixer = refractor(problem.catalog)
    result = fixer.repair(problem.sequence, **problem.known)
    again = fixer.repair(result.sequence, **problem.known)
    if result.verdict == "needs_input":
        assert (again.verdict, again.edits) == ("needs_input", ())
        assert same(again.sequence, result.sequence)
        assert [ask.name for ask in again.asks] == list(result.sequence.asks)
    unresolved = {result.origins.index(call) for call in result.unresolved}
    assert set(again.unresolved) <= unresolved
    assert {edit.call for edit in again.edits if edit.call is not None} <= unresolved
