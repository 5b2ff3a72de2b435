"""Same input, same answer: whatever the thread, the hash seed or the order of the catalog."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hash_seeds import printed

from refract_asp import Catalog, RepairResult

from .fixed import answers
from .made import Problem, broken_problems, problems, profile, refractor

pytestmark = pytest.mark.slow


ROOT = Path(__file__).resolve().parents[2]


def as_data(result: RepairResult) -> Any:
    return result.model_dump(mode="json")


def test_the_hash_seed_does_not_matter() -> None:
    code = "import json; from tests.properties.fixed import answers; print(json.dumps(answers()))"
    assert json.loads(printed(code)) == answers()


@given(problems, st.sampled_from(["default", "refraction"]))
@profile(60)
def test_asking_twice_gives_the_same_answer(problem: Problem, model: str) -> None:
    """Neither what was asked for before, nor the cache of an index, changes an answer."""
    fixer = refractor(problem.catalog, cost_model=model)
    first = as_data(fixer.repair(problem.sequence, **problem.known))
    fixer.repair('var1 = Search(id="$var2.skyId$", qzx=1)', **problem.known)
    other = refractor(problem.catalog, cost_model=model)
    assert as_data(fixer.repair(problem.sequence, **problem.known)) == first
    assert as_data(other.repair(problem.sequence, **problem.known)) == first


@given(broken_problems(), st.randoms(use_true_random=False))
@profile(80)
def test_the_order_of_the_catalog_does_not_matter(problem: Problem, order: random.Random) -> None:
    """Where several repairs are equally cheap the order may choose, but it never changes what they cost."""
    tools = []
    for tool in order.sample(problem.catalog.tools, len(problem.catalog.tools)):
        names = order.sample([*tool.parameters], len(tool.parameters))
        update = {"parameters": {name: tool.parameters[name] for name in names}}
        tools.append(tool.model_copy(update=update))
    first = refractor(problem.catalog).repair(problem.sequence, **problem.known)
    other = refractor(Catalog(tools=tuple(tools))).repair(problem.sequence, **problem.known)
    assert other.total == first.total
    assert other.violations == first.violations
    assert other.unresolved == first.unresolved
    if not first.ambiguous and not other.ambiguous:
        assert other.verdict == first.verdict
