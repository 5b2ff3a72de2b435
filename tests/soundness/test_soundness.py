"""
No answer is unsound, says a checker that shares nothing with the rules.

`make test` tries some hundred sequences; `make soak` 10,000 (REFRACT_ASP_SOAK says how many).
"""

import os
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from tests.properties.made import FAULTS, Problem, profile, refractor, valid_problems

from refract_asp import Catalog, RepairResult, Sequence
from refract_asp.bench.generating import COUPLINGS, Dials, from_catalog, generate
from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.bench.mutations import mutate_many
from refract_asp.errors import AnswerError
from refract_asp.resources import catalog_names, catalog_path

from .checker import Judge

SOAK = int(os.environ.get("REFRACT_ASP_SOAK", "0"))
LISTS = Path(os.environ.get("REFRACT_ASP_DATA", "/nowhere")) / "mcp"


@cache
def shipped() -> list[Catalog]:
    """Return the shipped catalogs, and real lists of tools where there are any."""
    return [*map(Catalog.load, (*map(catalog_path, catalog_names()), *LISTS.glob("*.json")))]


@st.composite
def broken(draw: st.DrawFn) -> Problem:
    """Draw a sequence over a made-up, shipped or synthetic catalog, with up to five mutations."""
    kind = draw(st.sampled_from(["made up", "shipped", "synthetic"]))
    seed = draw(st.integers(0, 10**9))
    rng = random.Random(seed)
    if kind == "made up":
        problem = draw(valid_problems())
    elif kind == "shipped":
        catalog = draw(st.sampled_from(shipped()))
        case = from_catalog(catalog, rng.randint(1, 6), seed, share=0.8)
        problem = Problem(catalog, case.sequence)
    else:
        tools, calls = rng.randint(8, 20), rng.randint(1, 6)
        case = generate(Dials(tools=tools, calls=calls, coupling=rng.choice(COUPLINGS)), seed)
        problem = Problem(case.catalog, case.sequence)
    mutations = rng.randint(0, 5)
    own = rng.randint(0, mutations)
    if own and (mutated := mutate_many(problem.sequence, problem.catalog, None, own, seed)):
        faults = tuple(part.what for part in mutated.parts)
        problem = replace(problem, sequence=mutated.broken, faults=faults)
    for _ in range(mutations - own):
        name = rng.choice([*FAULTS])
        problem = replace(FAULTS[name](draw, problem), faults=(*problem.faults, name))
    return problem


def answered(result: RepairResult, rng: random.Random) -> Sequence | None:
    """
    Return the repaired sequence with each ask answered by what its schema takes.

    None if nothing fits all, where nobody said what fits, as of an ask that came in, and where a value with
    answers in it is refused.
    """
    values = {}
    if result.given.asks:
        return None
    for name in result.sequence.asks:
        schemas = [ask.json_schema for ask in result.asks if ask.name == name]
        try:
            values[name] = some_value(schemas[0] if len(schemas) == 1 else {"allOf": schemas}, rng)
        except NoValueError:
            return None
    try:
        return result.answer(values, confirmed=True)
    except AnswerError as error:
        if "with these answers" not in str(error):
            raise
        return None


COPIES = {"duplicate_call", "tried_too_often"}
"""What the checker says nothing of."""


def unsound(problem: Problem) -> list[str]:
    """Repair a sequence; return what the checker finds that the result does not say."""
    fixer = refractor(problem.catalog)
    judge = Judge(problem.catalog, problem.memory, problem.history)
    result = fixer.repair(problem.sequence, **problem.known)
    found: list[str] = []
    given = judge.faults(problem.sequence)
    told = {each.code for each in result.violations} - COPIES
    if not problem.sequence.is_open and bool(given) != bool(told):
        found.append(f"check: {sorted(told) or 'valid'}, but {given or 'nothing is wrong'}")
    unresolved = [n for n, origin in enumerate(result.origins) if origin in result.unresolved]
    if result.is_executable:
        found += [f"{result.verdict}: {each}" for each in judge.faults(result.sequence)]
    elif (answer := answered(result, random.Random(0))) is not None:
        found += [f"answered: {each}" for each in judge.faults(answer, unresolved)]
    return found


@pytest.mark.property
@pytest.mark.parametrize("part", range(10 if SOAK else 1))
def test_what_the_answer_says_is_so(part: int) -> None:
    """In parts, so that several cores can share a long run."""

    @seed(part)
    @given(broken())
    @settings(profile(200), max_examples=SOAK // 10 or 200, derandomize=not SOAK)
    def judged(problem: Problem) -> None:
        assert not unsound(problem)

    judged()
