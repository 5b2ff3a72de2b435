"""
To make fewer calls loses nothing: every call that did something new is still made, with the same meaning.

What a call means is its tool with its arguments, every reference replaced by what it reads from; so two
calls mean the same exactly when they would give the same.
"""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Catalog, Goal, Sequence

from .made import Problem, answered, broken_problems, profile, refractor, relabelled, valid_problems
from .promises import wrong_with

pytestmark = pytest.mark.slow


CHANGING = ("write", "destructive")


def meanings(sequence: Sequence) -> list[str]:
    """Return what each call means, in order."""
    bearers: dict[str, str] = {}
    found = []
    for call in sequence.calls:
        sources = sorted(call.arguments.items())
        read = [(name, relabelled(each, lambda at: bearers.get(at, at))) for name, each in sources]
        meaning = repr((call.name, read))
        found.append(meaning)
        if call.label is not None:
            bearers[call.label] = meaning
    return found


def effects(sequence: Sequence, catalog: Catalog) -> list[str]:
    tools = (catalog.by_name.get(call.name) for call in sequence.calls)
    return [tool.effect if tool else "unknown" for tool in tools]


@st.composite
def repeating(draw: Any) -> Problem:
    """Draw a valid problem in which some calls are made again under other labels, and read from there."""
    problem = draw(valid_problems().filter(lambda each: not each.history and not each.memory))
    calls, renamed = [], {}

    def other(label: str) -> str:
        return draw(st.sampled_from(renamed.get(label, [label])))

    for number, call in enumerate(problem.sequence.calls):
        arguments = {name: relabelled(each, other) for name, each in call.arguments.items()}
        calls.append(call.model_copy(update={"arguments": arguments}))
        renamed[call.label] = [call.label]
        if call.label is not None and draw(st.booleans()):
            again = f"again{number}"
            calls.append(calls[-1].model_copy(update={"label": again, "id": None}))
            renamed[call.label].append(again)
    return Problem(problem.catalog, problem.sequence.model_copy(update={"calls": tuple(calls)}))


@given(repeating())
@profile(60)
def test_every_call_that_does_something_new_stays(problem: Problem) -> None:
    compressor = refractor(problem.catalog)
    result = compressor.compress(problem.sequence)
    assert compressor.compress(result.sequence).edits == ()
    before, after = meanings(problem.sequence), meanings(result.sequence)
    assert set(before) == set(after)
    assert result.verdict in ("valid", "repaired", "needs_input")
    changing = [e in CHANGING for e in effects(problem.sequence, problem.catalog)]
    still = [e in CHANGING for e in effects(result.sequence, problem.catalog)]
    made = Counter(m for m, c in zip(before, changing, strict=True) if c)
    assert made == Counter(m for m, c in zip(after, still, strict=True) if c)
    if not any(changing):
        assert len(after) == len(set(after))


@given(broken_problems())
@profile(60)
def test_what_is_left_is_valid_and_soon_cannot_be_compressed_again(problem: Problem) -> None:
    """What is mended in one round may be a copy in the next."""
    compressor = refractor(problem.catalog)
    result = compressor.compress(problem.sequence, **problem.known)
    assert result.optimal
    if result.verdict == "unrepairable" or (given := answered(result, problem.catalog)) is None:
        return
    assert not wrong_with(problem, result)
    found = compressor.check(given, **problem.known).violations
    if not found and not result.sequence.asks:
        once = compressor.compress(given, **problem.known)
        is_shorter = len(once.sequence.calls) < len(given.calls)
        assert once.verdict == "valid" or is_shorter or given.is_open
        assert all(edit.kind in ("delete_call", "rebind") for edit in once.edits)


@given(valid_problems(), st.data())
@profile(60)
def test_goals_are_met_with_no_more_calls(problem: Problem, data: Any) -> None:
    names = list(dict.fromkeys(call.name for call in problem.sequence.calls))
    if not names:
        return
    goal = Goal.tool(data.draw(st.sampled_from(names)))
    planner = refractor(problem.catalog)
    result = planner.repair(problem.sequence, **problem.known, goals=[goal], level="cheapest")
    assert result.verdict in ("valid", "repaired", "needs_input")
    assert len(result.sequence.calls) <= len(problem.sequence.calls)
    assert set(meanings(result.sequence)) <= set(meanings(problem.sequence)) or result.edits
    given = answered(result, problem.catalog)
    if given is not None:
        assert planner.check(given, **problem.known, goals=[goal]).violations == ()
        again = planner.repair(given, **problem.known, goals=[goal], level="cheapest")
        assert len(again.sequence.calls) == len(result.sequence.calls)
