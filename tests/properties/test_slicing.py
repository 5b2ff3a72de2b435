"""
What is left out of a question changes no answer: neither tools, fields and likenesses that nothing calls
for, nor statements that no fact can reach.

The same code gathers the evidence with all bounds lifted and every tool of the catalog stated as facts; the
cost of the answer is the same by level, and the answer is among the cheapest there too.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clingo.ast import AST, ASTType
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Catalog, Refractor, Sequence

from .made import Problem, broken_problems, catalogs, problems, profile, refractor
from .whole import cost_of_the_same, lifted, searched, with_every_statement

pytestmark = pytest.mark.slow


MODELS = ["default", "default", "refraction", "slot_filling", "maps_first", "calls_first", "prune"]


@st.composite
def wide_problems(draw: st.DrawFn) -> Problem:
    """Draw a broken sequence over up to eight tools, most of which it does not use."""
    problem = draw(broken_problems())
    more = draw(catalogs())
    names = problem.catalog.by_name
    return replace(
        problem,
        catalog=Catalog(
            tools=(*problem.catalog.tools, *(t for t in more.tools if t.name not in names))
        ),
    )


def assert_the_same_optimum(common: Refractor, problem: Problem, level: str = "admissible") -> None:
    whole = lifted(common, problem.catalog)
    few = searched(common, problem.sequence, problem.known, level)
    assert not few.evidence.truncated
    many = searched(whole, problem.sequence, problem.known, level)
    assert len(many.asked.facts) >= len(few.asked.facts)
    assert few.cost == many.cost
    assert cost_of_the_same(few, many) == many.cost


@given(wide_problems(), st.sampled_from(MODELS))
@profile(60)
def test_the_whole_catalog_gives_the_same_optimum(problem: Problem, model: str) -> None:
    common = refractor(problem.catalog, cost_model=model)
    assert_the_same_optimum(common, problem)


@given(wide_problems())
@profile(25)
def test_fewer_calls_too(problem: Problem) -> None:
    assert_the_same_optimum(refractor(problem.catalog), problem, "cheapest")


@given(wide_problems(), st.sampled_from([0, 1, 3]))
@profile(25)
def test_however_many_calls_may_be_added(problem: Problem, most: int) -> None:
    assert_the_same_optimum(refractor(problem.catalog, max_new_calls=most), problem)


@given(wide_problems())
@profile(25)
def test_the_result_is_the_same(problem: Problem) -> None:
    common = refractor(problem.catalog)
    few = common.repair(problem.sequence, **problem.known)
    many = lifted(common, problem.catalog).repair(problem.sequence, **problem.known)
    assert (few.total, few.verdict, few.unresolved) == (many.total, many.verdict, many.unresolved)


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
    asked = searched(common, "a = Find()", {}).asked
    program = common._engine.repair_program

    def rules(nodes: list[AST]) -> int:
        return sum(node.ast_type is ASTType.Rule for node in nodes)

    assert 2 * rules(program.sliced(asked.signatures)) < 1.5 * rules(program.nodes)


# -- real inputs ---------------------------------------------------------------


def broken(rng: random.Random, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Break one thing in calls as data: a tool, a label, an argument, a path, or a call is gone."""
    calls = json.loads(json.dumps(calls))
    call = rng.choice(calls)
    arguments = call["arguments"]
    how = rng.choice(["tool", "label", "absent", "parameter", "path", "gone"])
    if how == "tool":
        cut = rng.randrange(len(call["name"]))
        call["name"] = call["name"][:cut] + "x" + call["name"][cut + 1 :]
    elif how == "label":
        call["label"] = "var99"
    elif how == "gone" and len(calls) > 1:
        calls.remove(call)
    elif how == "absent" and arguments:
        del arguments[rng.choice(list(arguments))]
    elif how == "parameter" and arguments:
        name = rng.choice(list(arguments))
        arguments[f"{name[:-1]}zz"] = arguments.pop(name)
    elif how == "path":
        for name, value in arguments.items():
            if isinstance(value, str) and value.startswith("$") and "." in value:
                arguments[name] = f"{value[:-2]}qq$"
    return calls


def assert_the_same_on(catalog: Catalog, calls: list[dict[str, Any]], rng: random.Random) -> None:
    problem = Problem(catalog, Sequence.load(broken(rng, calls)))
    common = refractor(catalog)
    if not common.check(problem.sequence).violations:
        return
    few = searched(common, problem.sequence, {})
    many = searched(lifted(common, catalog), problem.sequence, {})
    if not few.evidence.truncated:
        assert few.cost == many.cost, problem
        assert cost_of_the_same(few, many) == many.cost, problem


def some_tools(catalog: Catalog, used: set[str], rng: random.Random) -> Catalog:
    """Return the tools that are used with a few others."""
    others = rng.sample([tool.name for tool in catalog.tools if tool.name not in used], 6)
    return catalog.filter([*used, *others])


def test_the_same_optimum_on_nestful(data_dir: Path) -> None:
    rng = random.Random(20)
    for name in ("executable", "glaive"):
        catalog = Catalog.load(data_dir / "nestful" / f"{name}-spec.json")
        samples = json.loads((data_dir / "nestful" / f"{name}-data.json").read_text("utf-8"))
        for sample in rng.sample(samples, 25):
            calls = [call for call in sample["output"] if call["name"] in catalog.by_name]
            calls = Sequence.load(calls).dump("nestful")
            used = {call["name"] for call in calls}
            assert_the_same_on(some_tools(catalog, used, rng), calls, rng)


def test_the_same_optimum_on_seal_tools(data_dir: Path) -> None:
    rng = random.Random(21)
    catalog = Catalog.load(data_dir / "seal_tools" / "tool.jsonl")
    rows = (data_dir / "seal_tools" / "dev.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, rng.sample(rows, 40)):
        calls = [
            {"name": call["api"], "label": f"var{number}", "arguments": call["parameters"]}
            for number, call in enumerate(row["calling"], 1)
        ]
        assert_the_same_on(some_tools(catalog, {call["name"] for call in calls}, rng), calls, rng)
