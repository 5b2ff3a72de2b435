"""A time limit is kept, and what is found within it is admissible; nothing found is "unknown"."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Refractor, RepairResult
from refract_asp.resources import catalog_path

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
from .promises import assert_consistent, assert_printable

PIGEONS = """
% As soon as there is a call, twenty pigeons want nineteen holes: that they do not fit is never proven.
1 { sits(P, H) : H = 1..19 } 1 :- P = 1..20, in_name(_, _).
:- sits(P, H), sits(Q, H), P < Q.
"""


@cache
def travel() -> Refractor:
    return Refractor(catalog_path("travel"))


def large_sequence(calls: int = 300, broken: float = 0.5, seed: int = 0) -> str:
    """Write a sequence of searches that build on each other, half of the calls with a fault."""
    dice = random.Random(seed)
    lines: list[str] = []
    while len(lines) < calls:
        number = len(lines) + 1
        tool, arguments = (
            ("TripadvisorSearchLocation", {"query": f'"Place {number}"'})
            if number % 2
            else (
                "TripadvisorSearchHotels",
                {
                    "geoId": f'"$var{number - 1}.geoId$"',
                    "checkIn": '"2024-08-15"',
                    "checkOut": '"2024-08-18"',
                },
            )
        )
        label = f"var{number}"
        if dice.random() < broken:
            fault = dice.choice(["tool", "label", "drop", "rename", "path"])
            last = list(arguments)[-1]
            if fault == "tool":
                tool = tool[:-4] + tool[-3:]
            elif fault == "label":
                label = f"var{number + 5000}"
            elif fault == "drop":
                del arguments[last]
            elif fault == "rename":
                arguments["x" + last] = arguments.pop(last)
            else:
                arguments = {
                    name: value.replace("geoId", "geIod") for name, value in arguments.items()
                }
        lines.append(
            f"{label} = {tool}({', '.join(f'{name}={value}' for name, value in arguments.items())})"
        )
    return "\n".join(lines)


@given(problems)
@profile(40)
def test_without_any_time_only_what_is_wrong_is_unknown(problem: Problem) -> None:
    fixer = refractor(problem.catalog)
    result = fixer.repair(problem.sequence, **problem.known, time_limit=0)
    said = fixer.check(problem.sequence, **problem.known).verdict
    assert result.verdict == ("unknown" if said == "invalid" else said)
    assert same(result.sequence, problem.sequence)
    assert result.determination is {"valid": True, "invalid": None}.get(said, False)
    assert result.is_executable == (said == "valid")
    assert result.optimal == (said != "invalid")
    assert not result.edits
    assert_printable(result)


@given(valid_problems())
@profile(20)
def test_a_valid_sequence_needs_no_time(problem: Problem) -> None:
    fixer = refractor(problem.catalog, time_limit=0)
    assert fixer.repair(problem.sequence, **problem.known).verdict == "valid"


@given(broken_problems(), st.sampled_from([0.0005, 0.002, 0.005, 0.02]))
@profile(40)
def test_what_is_found_in_time_is_admissible(problem: Problem, limit: float) -> None:
    fixer = refractor(problem.catalog)
    result = fixer.repair(problem.sequence, **problem.known, time_limit=limit)
    assert_sound(fixer, result, problem)


def assert_sound(fixer: Refractor, result: RepairResult, problem: Problem) -> None:
    if result.verdict == "unknown":
        assert not result.optimal
        assert same(result.sequence, problem.sequence)
        return
    assert_consistent(result)
    if result.verdict != "unrepairable":
        answer = answered(result, problem.catalog)
        assert answer is None or fixer.check(answer, **problem.known).verdict == "valid"


@given(broken_problems())
@profile(30)
def test_time_enough_gives_the_same_answer_as_no_limit(problem: Problem) -> None:
    fixer = refractor(problem.catalog)
    limited = fixer.repair(problem.sequence, **problem.known, time_limit=60)
    free = fixer.repair(problem.sequence, **problem.known)
    assert limited.optimal
    assert limited.total == free.total
    assert limited.verdict == free.verdict or limited.ambiguous or free.ambiguous


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.0, 0.01, 0.1, 0.5])
def test_what_nobody_can_answer_comes_back_when_its_time_is_over(
    limit: float, tmp_path: Path
) -> None:
    """Without the limit it would not come back at all."""
    rules = tmp_path / "pigeons.lp"
    rules.write_text(PIGEONS, "utf-8")
    fixer = Refractor(catalog_path("travel"), encodings=[rules])
    result = fixer.repair('SkyScrapperSearchAirprt(query="London")', time_limit=limit)
    assert (result.verdict, result.optimal, result.edits) == ("unknown", False, ())


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.0, 0.01, 0.1, 0.5])
def test_what_is_found_of_a_large_sequence_in_time_is_admissible(limit: float) -> None:
    fixer = travel()
    result = fixer.repair(large_sequence(), time_limit=limit)
    assert result.verdict in ("unknown", "repaired", "needs_input", "unrepairable")
    if result.verdict == "unknown":
        assert not result.optimal
        assert result.lower_bound == {} or None in result.lower_bound.values() or not result.total
    else:
        assert_consistent(result)
        if result.verdict != "unrepairable":
            answer = answered(result, fixer.catalog)
            assert answer is not None
            assert fixer.check(answer).verdict == "valid"


@pytest.mark.slow
def test_the_best_answer_so_far_has_a_bound_below_its_cost() -> None:
    """Whatever was proven when the time was over holds for the optimum too."""
    fixer = travel()
    text = large_sequence(60, seed=3)
    best = fixer.repair(text)
    assert best.optimal
    assert best.lower_bound == best.total
    for limit in (0.05, 0.1, 0.2, 0.4):
        early = fixer.repair(text, time_limit=limit)
        for level, bound in early.lower_bound.items():
            assert bound is None or bound <= best.total[level] <= early.total[level]
