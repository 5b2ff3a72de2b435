"""
Beside the answer: alternatives are admissible, different and in order of cost, and no question about
another repair finds a cheaper one.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp.errors import StatementError
from refract_asp.model import Constant, Edit, Reference
from refract_asp.report.text import contrast_text

from .made import Problem, broken_problems, problems, profile, refractor, same
from .promises import wrong_with

pytestmark = pytest.mark.slow


MODELS = ["default", "refraction"]


def cost_key(total: dict[int, int], levels: list[int]) -> list[int]:
    return [total.get(level, 0) for level in levels]


@given(broken_problems(), st.sampled_from(MODELS), st.booleans(), st.sampled_from([1, 4, 20]))
@profile(40)
def test_alternatives_keep_order(problem: Problem, model: str, next_best: bool, most: int) -> None:
    alone = refractor(problem.catalog, cost_model=model).repair(problem.sequence, **problem.known)
    asked = refractor(problem.catalog, cost_model=model, alternatives=most, next_best=next_best)
    result = asked.repair(problem.sequence, **problem.known)
    assert result.model_copy(update={"alternatives": ()}) == alone
    assert len(result.alternatives) <= most
    listed = [result, *result.alternatives]
    for one, other in ((a, b) for i, a in enumerate(listed) for b in listed[i + 1 :]):
        assert not same(one.sequence, other.sequence) or one.edits != other.edits
    for other in result.alternatives:
        assert not wrong_with(problem, other)
        assert set(other.unresolved) <= set(result.unresolved)
        assert sum(other.cost.values()) == sum(other.total.values())
        assert next_best or other.total == result.total
    levels = sorted({level for each in listed for level in each.total}, reverse=True)
    costs = [cost_key(each.total, levels) for each in listed]
    if not result.unresolved:  # tied tools stand behind an answer that leaves the call
        assert costs == sorted(costs)
    assert costs[1:] == sorted(costs[1:])


def statement_of(edit: Edit, given: int) -> str:
    """Return a statement that says what an edit of one of so many given calls does, or nothing."""
    if edit.kind == "add_call":
        return f"call {edit.added.name}"
    if edit.call is None or edit.call >= given:
        return ""
    call = f"call {edit.call + 1}"
    match edit.kind:
        case "rename_tool":
            return f"rename {call} to {edit.after}"
        case "rename_parameter":
            return f"rename {call}.{edit.before} to {edit.after}"
        case "drop_argument":
            return f"drop {call}.{edit.parameter}"
        case "delete_call":
            return f"delete {call}"
        case "fill" | "rebind" if edit.after.kind == "ask":
            return f"ask {call}.{edit.parameter}"
        case "fill" | "rebind" if isinstance(edit.after, Reference) and not edit.after.bare:
            return f"{call}.{edit.parameter} = {edit.after}"
        case "fill" | "rebind" if isinstance(edit.after, Constant):
            return f"{call}.{edit.parameter} = {json.dumps(edit.after.value)}"
    return ""


@given(broken_problems(odd=False), st.sampled_from(MODELS))
@profile(40)
def test_what_the_answer_does_costs_nothing_more(problem: Problem, model: str) -> None:
    result = refractor(problem.catalog, cost_model=model).repair(problem.sequence, **problem.known)
    for edit in result.edits:
        statement = statement_of(edit, len(result.given.calls))
        if not statement or edit.pattern == "transformation":
            continue
        try:
            contrast = result.why_not(statement)
        except StatementError:  # a name that the little language cannot say, as a call in a call
            continue
        assert contrast.result is not None, (statement, contrast.reason)
        assert not any(contrast.extra.values()), statement


@st.composite
def questions(draw: st.DrawFn) -> tuple[Problem, str]:
    """Draw a problem and something that one may ask about it, whether it makes sense or not."""
    problem = draw(problems)
    number = draw(st.integers(1, max(1, len(problem.sequence.calls))))
    calls = problem.sequence.calls
    given_names = list(calls[number - 1].arguments) if calls else []
    parameter = draw(st.sampled_from([*given_names, "query", "id"]))
    tool = draw(st.sampled_from([tool.name for tool in problem.catalog.tools]))
    label = draw(st.sampled_from([*(call.label for call in calls if call.label), "var1"]))
    call, place = f"call {number}", f"call {number}.{parameter}"
    of_calls = [f"keep {call}", f"delete {call}", f"rename {call} to {tool}", f"call {tool}"]
    of_places = [f"{word} {place}" for word in ("keep", "drop", "ask")]
    of_places += [f"rename {place} to id", f"{place} = ${label}.id$", f'{place} = "London"']
    text = draw(st.sampled_from([*of_calls, *of_places]))
    return problem, text


@given(questions(), st.sampled_from(MODELS))
@profile(80)
def test_no_question_finds_a_cheaper_repair(asked: tuple[Problem, str], model: str) -> None:
    problem, statement = asked
    result = refractor(problem.catalog, cost_model=model).repair(problem.sequence, **problem.known)
    try:
        contrast = result.why_not(statement)
    except StatementError:  # as a label that two calls bear
        return
    assert contrast_text(contrast)
    if contrast.result is None:
        assert contrast.reason
        return
    found: Any = contrast.result
    key = cost_key(contrast.extra, sorted(contrast.extra, reverse=True))
    assert key >= [0] * len(key)
    assert not wrong_with(problem, found)
    if not contrast.is_answer:
        assert sum(found.cost.values()) == sum(found.total.values())


@given(broken_problems(), st.sampled_from(MODELS))
@profile(40)
def test_every_edit_is_explained(problem: Problem, model: str) -> None:
    result = refractor(problem.catalog, cost_model=model).repair(problem.sequence, **problem.known)
    explanation = result.explanation()
    assert [reason.edit for reason in explanation.reasons] == list(result.edits)
    assert sum(each.cost for each in explanation.criteria) == sum(result.total.values())
    for reason in explanation.reasons:
        assert reason.outcome != "unknown"
        key = cost_key(reason.extra, sorted(reason.extra, reverse=True))
        assert key >= [0] * len(key)
        assert any(key) == (reason.outcome == "dearer")
        told = reason.instead or reason.unresolved
        assert told or reason.outcome in ("none", "follows") or not any(key)
    assert result.explain()
