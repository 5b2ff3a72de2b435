"""
What is left out of a question changes no answer: neither what bounds cut off, nor statements that no fact
can reach.

The same code gathers the evidence with all bounds lifted; the cost of the answer is the same by level.
"""

from dataclasses import replace
from typing import Any

import pytest
from clingo.ast import AST, ASTType
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Catalog, Refractor
from refract_asp.rules.question import find_problem

from .made import Problem, broken_problems, catalogs, problems, profile, refractor
from .whole import lifted, searched, with_every_statement

pytestmark = pytest.mark.slow


MODELS = ["default", "default", "refraction", "slot_filling", "maps_first", "calls_first", "prune"]


@st.composite
def wide_problems(draw: st.DrawFn) -> Problem:
    """Draw a broken sequence over up to eight tools, most of which it does not use."""
    problem = draw(broken_problems())
    more = draw(catalogs())
    names = problem.catalog.by_name
    others = (tool for tool in more.tools if tool.name not in names)
    return replace(problem, catalog=Catalog(tools=(*problem.catalog.tools, *others)))


LEVELS = st.sampled_from(["admissible", "admissible", "cheapest"])


@given(wide_problems(), st.sampled_from(MODELS), st.sampled_from([0, 1, 2, 3]), LEVELS)
@profile(120)
def test_bounds_change_no_optimum(problem: Problem, model: str, most: int, level: Any) -> None:
    common = refractor(problem.catalog, cost_model=model, max_new_calls=most)
    free = lifted(common, problem.catalog)
    few = searched(common, problem.sequence, problem.known, level)
    many = searched(free, problem.sequence, problem.known, level)
    assert not few.evidence.truncated
    assert few.found.cost == many.found.cost
    both = [each.repair(problem.sequence, **problem.known, level=level) for each in (common, free)]
    one, other = ((each.total, each.verdict, each.unresolved) for each in both)
    assert one == other


@given(problems, st.sampled_from(MODELS), st.sampled_from(["admissible", "cheapest"]))
@profile(40)
def test_every_statement_gives_the_same_answer(problem: Problem, model: str, level: Any) -> None:
    common = refractor(problem.catalog, cost_model=model)
    few = common.repair(problem.sequence, **problem.known, level=level)
    many = with_every_statement(common).repair(problem.sequence, **problem.known, level=level)
    assert few.model_dump(mode="json") == many.model_dump(mode="json")


def test_statements_are_left_out() -> None:
    """Else the property above would compare a program with itself."""
    catalog = {"tools": [{"name": "Find", "parameters": {"query": {"required": True}}}]}
    common = Refractor(catalog)
    instance = common._instance("a = Find()", None, (), (), "admissible")
    asked = find_problem(common._engine, instance).question()
    program = common._engine.repairing().program

    def rules(nodes: list[AST]) -> int:
        return sum(node.ast_type is ASTType.Rule for node in nodes)

    assert 2 * rules(program.sliced(asked.signatures)) < 1.5 * rules(program.nodes)
