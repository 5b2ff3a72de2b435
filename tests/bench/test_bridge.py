"""Problems of code synthesis as sequences of tool calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import check
from refract_asp.bench.bridge import break_cases, case_of
from refract_asp.bench.mutations import mutate
from refract_asp.bench.problems import (
    Library,
    Registry,
    execute,
    get_example,
    load_libraries,
    make,
    shipped,
)
from refract_asp.bench.problems.library import Function
from refract_asp.bench.problems.problem import TestCase
from refract_asp.errors import InputError
from refract_asp.evaluation.cases import Case, case_row, read_cases
from refract_asp.model import Constant, Reference, Source


def written(case: Case, problem: TestCase) -> str:
    """Print the calls of a case as Python again: what the problem wants, if the case says the same."""
    classes = {entry.library.name for entry in problem.entries if entry.library.style == "class"}
    said: dict[str, str] = {}

    def value(source: Source) -> str:
        if isinstance(source, Constant):
            return repr(source.value)
        assert isinstance(source, Reference)
        return said.get(source.label, source.label)

    for call in case.sequence.calls:
        holder, _, name = call.name.partition(".")
        values = list(map(value, call.arguments.values()))
        subject = values.pop(0) if holder in classes else holder
        said[call.label or ""] = f"{subject}.{name}({', '.join(values)})"
    return "return " + said[case.sequence.calls[-1].label or ""]


SIGNATURES = (
    "solids.volume_of_cone()",
    "solids2.volume_of_cone(radius=5)",
    "solids2.volume_of_cone(radius=5, height=4)",
    "solids3.volume_of_cone(height=h, width=w)",
    "image.rotate(degrees=5)",
    "image.rotate(degrees=arg1).blur(pixels=arg2)",
    "image.rotate().blur(pixels=2).flip_horizontal()",
    "image.distort(pixels=image.get_width())",
    "image.blur().blur(pixels=image.get_width()).blur()",
    "image.blur(pixels=var1).blur(pixels=var2)",
    "molecule.get_atom_with_atomic_num(55).get_label()",
    "molecule.get_atom_with_atomic_num().get_label()",
    "solids2.volume_of_cone(radius=image.get_width(), height=image.rotate().get_width())",
)
NOISES = ("none", "number", "swap")


def problem_of(signature: str, **dials: Any) -> TestCase:
    library = signature.partition(".")[0]
    known = signature if library in shipped() else signature.replace("solids.", "solids2.", 1)
    return get_example(known, "does it", **dials)


@settings(max_examples=examples(80))
@given(
    st.sampled_from(SIGNATURES),
    st.sampled_from(NOISES),
    st.sampled_from(("none", "empty", "swap")),
    st.sampled_from(("none", "number")),
    st.integers(2, 4),
    st.integers(0, 50),
)
def test_a_case_is_valid_and_says_what_the_problem_wants(
    signature: str, names: str, docs: str, arguments: str, distractors: int, seed: int
) -> None:
    try:
        problem = problem_of(
            signature,
            num_distractors=distractors,
            function_noise_type=names,
            description_noise_type=docs,
            arg_noise_type=arguments,
            random_seed=seed,
        )
    except InputError:  # nothing to swap with, or not so many distractors
        problem = problem_of(signature)
    case = case_of(problem)
    report = check(case.sequence, case.catalog, case.memory)
    assert report.verdict == "valid", report.violations
    assert execute(written(case, problem), problem.test) == (True, None)
    assert [tool.name for tool in case.catalog] == [
        f"{e.library_name}.{e.name}" for e in problem.pool
    ]
    assert [tool.description for tool in case.catalog] == [each.definition for each in problem.pool]
    again = next(read_cases([case_row(case)]))
    assert (again.sequence, again.memory, again.dials) == (case.sequence, case.memory, case.dials)


def test_what_it_looks_like(snapshot: Any) -> None:
    def drawn(case: Case) -> str:
        known = case.memory.values if case.memory else {}
        tools = (f"{tool.name}({', '.join(tool.parameters)})" for tool in case.catalog)
        lines = [f"# {case.id}", *tools, *(f"{name} = {value!r}" for name, value in known.items())]
        return "\n".join([*lines, str(case.sequence)])

    signatures = (*SIGNATURES, "image.rotate(degrees=5)")
    text = "\n\n".join(
        drawn(case_of(problem_of(signature), signature)) for signature in signatures[:-1]
    )
    noisy = problem_of(
        signatures[-1], num_distractors=2, function_noise_type="number", arg_noise_type="number"
    )
    assert text + "\n\n" + drawn(case_of(noisy)) == snapshot


def test_labels_make_way_for_arguments_of_their_names() -> None:
    case = case_of(problem_of("image.blur(pixels=var1).blur(pixels=var2)"))
    assert [call.label for call in case.sequence.calls] == ["var3", "var4"]
    assert check(case.sequence, case.catalog, case.memory).verdict == "valid"


def test_an_argument_that_is_named_like_the_library() -> None:
    library = Library("thing", "thing", "class", (Function("join", "", ("thing",), ("thing",)),))
    case = case_of(get_example("thing.join(thing=other)", "joins", libraries=[library]))
    assert list(case.sequence.calls[0].arguments) == ["self", "thing"]
    assert check(case.sequence, case.catalog, case.memory).verdict == "valid"


def test_dials_and_ids() -> None:
    problem = problem_of("image.rotate()", num_distractors=3, function_noise_type="number")
    case = case_of(problem)
    assert case.id == "func"
    assert case_of(problem, "mine").id == "mine"
    assert case.dials["tools"] == 4
    assert case.dials["function_noise_type"] == "number"
    assert case.is_right


def test_problems_can_be_broken() -> None:
    """What the function to be written is given is read by its name, and no ask bears that name."""
    case = case_of(problem_of("image.blur(pixels=60).rotate().blur(pixels=5).blur()"))
    kinds = ["lost_constant", "missing_reference", "label"]
    broken = list(break_cases([case], kinds, count=20))
    assert {each.kind for each in broken} == {
        "label"
    }  # memory knows image and pixels, which may be taken
    for kind in kinds:
        mutation = mutate(case.sequence, case.catalog, kind)
        assert mutation is not None
        lost = Case.of(mutation, case.catalog, kind, memory=case.memory)
        assert next(read_cases([case_row(lost)])).expected == lost.expected


@pytest.mark.slow
def test_the_golden_problems(data_dir: Path) -> None:
    libraries = Registry(load_libraries(data_dir / "api_use" / "libraries.json"))
    with (data_dir / "api_use" / "golden.jsonl").open() as lines:
        rows = [json.loads(line) for line in lines]
    assert len(rows) == 200
    for row in rows:
        problem = make(row["arguments"], libraries)
        case = case_of(problem, row["id"])
        assert check(case.sequence, case.catalog, case.memory).verdict == "valid"
        assert execute(written(case, problem), problem.test) == (True, None)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_constants_stay_constants(signature: str) -> None:
    case = case_of(problem_of(signature))
    fixed = [
        s.value
        for c in case.sequence.calls
        for s in c.arguments.values()
        if isinstance(s, Constant)
    ]
    assert fixed == list(problem_of(signature).call.constants())
