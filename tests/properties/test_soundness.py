"""
Whatever comes in, the answer is admissible, says what it changed, and loses nothing.

`check(result.answer(...))` is valid for every verdict but "unrepairable" and "unknown".
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import RepairResult, Sequence

from .made import (
    Problem,
    answered,
    broken_problems,
    problems,
    profile,
    refractor,
    same,
    valid_problems,
)
from .promises import (
    assert_consistent,
    assert_edits_say_all,
    assert_meaning_kept,
    assert_printable,
)

pytestmark = pytest.mark.slow


CONFIRMS = ["risky", "new", "never"]
SETTINGS = [(model, confirm) for model in ("default", "refraction") for confirm in CONFIRMS]
SETTINGS += [(model, "risky") for model in ("slot_filling", "maps_first", "calls_first", "prune")]


def repaired(problem: Problem, model: str = "default", confirm: Any = "risky") -> RepairResult:
    """Repair, and see that an answer without a time limit is one."""
    result = refractor(problem.catalog, cost_model=model, confirm=confirm).repair(
        problem.sequence, **problem.known
    )
    assert result.verdict in ("valid", "repaired", "needs_input", "unrepairable")
    assert result.optimal
    return result


def verdict_of(problem: Problem, sequence: Sequence) -> tuple[str, list[str]]:
    """Check a sequence against catalog, memory and history of a problem."""
    report = refractor(problem.catalog).check(sequence, **problem.known)
    return report.verdict, [violation.message for violation in report.violations]


@pytest.mark.parametrize(("model", "confirm"), SETTINGS)
def test_the_answered_sequence_is_valid(model: str, confirm: str) -> None:
    @given(broken_problems(), st.sampled_from(["a value", 7, None, ["$var1.x$"], "$var1.id$"]))
    @profile(40)
    def run(problem: Problem, value: Any) -> None:
        result = repaired(problem, model, confirm)
        answer = answered(result, problem.catalog, value)
        if result.verdict != "unrepairable" and answer is not None:
            found = refractor(problem.catalog).check(answer, **problem.known).violations
            # what the user answers may be what was called before
            excused = {"duplicate_call", "tried_too_often"} if result.sequence.asks else set()
            assert not [each.message for each in found if each.code not in excused]

    run()


@given(problems, st.sampled_from(SETTINGS))
@profile(80)
def test_the_parts_of_an_answer_agree(problem: Problem, setting: tuple[str, str]) -> None:
    result = repaired(problem, *setting)
    assert_consistent(result)
    if setting[1] == "never":
        assert not result.confirms


@given(problems, st.sampled_from(SETTINGS))
@profile(60)
def test_everything_can_be_printed(problem: Problem, setting: tuple[str, str]) -> None:
    result = repaired(problem, *setting)
    assert_printable(result)


@given(broken_problems(), st.sampled_from(SETTINGS))
@profile(80)
def test_the_edits_lead_from_the_given_to_the_repaired_sequence(
    problem: Problem, setting: tuple[str, str]
) -> None:
    """So nothing is lost in silence: each call and each constant is there, or an edit takes it away."""
    assert_edits_say_all(repaired(problem, *setting))


@given(broken_problems(), st.sampled_from(SETTINGS))
@profile(80)
def test_what_was_right_still_means_the_same(problem: Problem, setting: tuple[str, str]) -> None:
    result = repaired(problem, *setting)
    assert_meaning_kept(result, problem.memory, problem.history)


@given(broken_problems(odd=False), st.sampled_from(["pretty", "nestful"]))
@profile(60)
def test_what_is_printed_reads_back_as_the_same_sequence(problem: Problem, form: str) -> None:
    result = repaired(problem)
    back = Sequence.load(result.sequence.dump(form), form)
    if all(
        same(Sequence.load(problem.sequence.dump(f), f), problem.sequence)
        for f in ("pretty", "nestful")
    ):
        assert same(back, result.sequence)


@given(broken_problems())
@profile(60)
def test_an_answer_that_is_filled_in_step_by_step_is_the_same(problem: Problem) -> None:
    """Values given one at a time, confirms agreed to one at a time, lead to the same sequence."""
    result = repaired(problem)
    whole = result.answer(dict.fromkeys(result.sequence.asks, "x"), confirmed=True)
    by_values = result.answer(dict.fromkeys(result.sequence.asks, "x"))
    assert by_values.is_open == bool(result.confirms)
    agreed = result.answer(
        dict.fromkeys(result.sequence.asks, "x"), confirmed=range(len(result.confirms))
    )
    assert same(agreed, whole)
    for name in result.sequence.asks:
        partly = result.answer({name: "x"})
        assert set(partly.asks) == set(result.sequence.asks) - {name}


@given(valid_problems(), st.sampled_from(SETTINGS))
@profile(60)
def test_check_and_repair_agree_on_what_is_valid(
    problem: Problem, setting: tuple[str, str]
) -> None:
    assert verdict_of(problem, problem.sequence) == ("valid", [])
    assert repaired(problem, *setting).verdict == "valid"


@given(broken_problems())
@profile(60)
def test_check_and_repair_agree_on_what_is_wrong(problem: Problem) -> None:
    fixer = refractor(problem.catalog)
    report = fixer.check(problem.sequence, **problem.known)
    result = fixer.repair(problem.sequence, **problem.known)
    assert report.violations == result.violations
    assert (report.verdict == "valid") == (result.verdict == "valid")
