"""A time limit is kept, and what is found within it is admissible; what is not stays unresolved."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Refractor, RepairResult, Sequence
from refract_asp.resources import catalog_path

from .made import Problem, broken_problems, problems, profile, refractor, same
from .promises import assert_consistent, assert_printable, wrong_with

PIGEONS = """
% As soon as there is a call, twenty pigeons want nineteen holes: that they do not fit is never proven.
1 { sits(P, H) : H = 1..19 } 1 :- P = 1..20, in_name(_, _).
:- sits(P, H), sits(Q, H), P < Q.
"""


@cache
def travel() -> Refractor:
    return Refractor(catalog_path("travel"))


def large_sequence(pairs: int) -> str:
    """Write pairs of searches, the second of which builds on the first, with a fault in each."""
    faults = [("Hotels", "Hotls"), ("geoId=", "xgeoId="), (".geoId$", ".geIod$"), ("var", "lost")]
    lines = []
    for number in range(pairs):
        hotels = f'TripadvisorSearchHotels(geoId="$var{number}.geoId$", checkIn="2024-08-15")'
        lines.append(f'var{number} = TripadvisorSearchLocation(query="Place {number}")')
        lines.append(hotels.replace(*faults[number % len(faults)]))
    return "\n".join(lines)


@given(problems)
@profile(40)
def test_without_any_time_what_is_wrong_stays_as_it_was(problem: Problem) -> None:
    fixer = refractor(problem.catalog)
    result = fixer.repair(problem.sequence, **problem.known, time_limit=0)
    said = fixer.check(problem.sequence, **problem.known).verdict
    blamed = {each.call for each in result.violations} & set(range(len(result.given.calls)))
    assert result.unresolved == tuple(sorted(blamed))
    late = "unrepairable" if blamed or result.unmet else "unknown"
    assert result.verdict == (late if said == "invalid" else said)
    assert same(result.sequence, problem.sequence)
    judged = {"valid": True, "invalid": False if late == "unrepairable" else None}
    assert result.determination is judged.get(said, False)
    assert result.is_executable == (said == "valid")
    assert result.optimal == (said != "invalid")
    assert not result.edits
    assert_consistent(result)
    assert_printable(result)


@given(broken_problems(), st.sampled_from([0.0005, 0.002, 0.005, 0.02]))
@profile(40)
def test_what_is_found_in_time_is_admissible(problem: Problem, limit: float) -> None:
    fixer = refractor(problem.catalog)
    result = fixer.repair(problem.sequence, **problem.known, time_limit=limit)
    assert_sound(result, problem)


def assert_sound(result: RepairResult, problem: Problem) -> None:
    assert_consistent(result)
    if result.verdict == "unknown":
        assert not result.optimal
        assert same(result.sequence, problem.sequence)
    else:
        assert not wrong_with(problem, result)


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
def test_what_nobody_can_answer_comes_back_in_time(limit: float, tmp_path: Path) -> None:
    """Without the limit it would not come back at all."""
    rules = tmp_path / "pigeons.lp"
    rules.write_text(PIGEONS, "utf-8")
    fixer = Refractor(catalog_path("travel"), encodings=[rules])
    result = fixer.repair('SkyScrapperSearchAirprt(query="London")', time_limit=limit)
    # with so little time it is not even judged
    assert result.verdict in ("unrepairable", "unknown")
    assert (result.optimal, result.edits) == (False, ())


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.0, 0.01, 0.1, 0.5])
def test_what_is_found_of_a_large_sequence_in_time_is_admissible(limit: float) -> None:
    text, fixer = large_sequence(150), travel()
    result = fixer.repair(text, time_limit=limit)
    assert_sound(result, Problem(fixer.catalog, Sequence.load(text)))
    if result.verdict == "unknown":
        assert result.lower_bound == {} or None in result.lower_bound.values() or not result.total


@pytest.mark.slow
def test_the_best_answer_so_far_has_a_bound_below_its_cost() -> None:
    """Whatever was proven when the time was over holds for the optimum too."""
    fixer = travel()
    text = large_sequence(30)
    best = fixer.repair(text)
    assert best.optimal
    assert best.lower_bound == best.total
    for limit in (0.05, 0.1, 0.2, 0.4):
        early = fixer.repair(text, time_limit=limit)
        for level, bound in early.lower_bound.items():
            assert bound is None or bound <= best.total[level] <= early.total[level]
