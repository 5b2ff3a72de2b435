"""Problems of code synthesis as sequences of tool calls."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.bench.problems.test_making import DIALS
from tests.depth import examples

from refract_asp import Catalog, check
from refract_asp.bench.bridge import break_cases, case_of
from refract_asp.bench.generating import COUPLINGS, Dials, from_catalog, generate
from refract_asp.bench.problems import Function, Library, TestCase, execute, get_example, make
from refract_asp.bench.problems.evaluating import benchmark, made
from refract_asp.errors import InputError
from refract_asp.evaluation.cases import Case, case_row, read_cases
from refract_asp.model import Constant, Reference, Source
from refract_asp.resources import catalog_path
from yaml_files import tables


def assert_says_the_same(problem: TestCase) -> None:
    """Check the case of a problem, and that its calls, printed as Python again, are what is wanted."""
    case = case_of(problem)
    classes = {listed.library_name for listed in problem.pool if listed.library.style == "class"}
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
    answer = f"return {said[case.sequence.calls[-1].label or '']}"
    assert execute(answer, problem.test) == (True, None)
    report = check(case.sequence, case.catalog, case.memory)
    assert report.verdict == "valid", report.violations
    tools = [(tool.name, tool.description) for tool in case.catalog]
    assert tools == [(f"{each.library_name}.{each.name}", each.definition) for each in problem.pool]
    again = next(read_cases([case_row(case)]))
    assert (again.sequence, again.memory, again.dials) == (case.sequence, case.memory, case.dials)


SIGNATURES = tables(__file__)["signatures"]


@settings(max_examples=examples(80))
@given(st.sampled_from(SIGNATURES), DIALS)
def test_a_case_is_valid_and_says_what_its_problem_wants(signature: str, dials: Any) -> None:
    try:
        problem = make({**dials, "signature": signature})
    except InputError:  # nothing to swap with, or not so many distractors
        return
    assert_says_the_same(problem)


def test_what_it_looks_like(snapshot: SnapshotAssertion) -> None:
    def drawn(signature: str, **dials: Any) -> str:
        case = case_of(get_example(signature, "does it", **dials), signature)
        known = case.memory.values if case.memory else {}
        tools = (f"{tool.name}({', '.join(tool.parameters)})" for tool in case.catalog)
        lines = [f"# {case.id}", *tools, *(f"{name} = {value!r}" for name, value in known.items())]
        return "\n".join([*lines, str(case.sequence)])

    noise = {"num_distractors": 2, "function_noise_type": "number", "arg_noise_type": "number"}
    shown = [*map(drawn, SIGNATURES), drawn("image.rotate(degrees=5)", **noise)]
    assert "\n\n".join(shown) == snapshot


def test_an_argument_that_is_named_like_the_library() -> None:
    library = Library("thing", "thing", "class", (Function("join", "", ("thing",), ("thing",)),))
    case = case_of(get_example("thing.join(thing=other)", "joins", libraries=[library]))
    assert list(case.sequence.calls[0].arguments) == ["self", "thing"]
    assert check(case.sequence, case.catalog, case.memory).verdict == "valid"


def test_problems_can_be_broken() -> None:
    """Memory knows image and pixels, which may be taken, so nothing is lost that has these names."""
    case = case_of(get_example("image.blur(pixels=60).rotate().blur(pixels=5).blur()", "blurs it"))
    left: list[Case] = []
    wrong = Case(id="x", sequence=case.sequence, catalog=case.catalog, expected=case.sequence)
    kinds = ["lost_constant", "missing_reference", "label"]
    broken = list(break_cases([case, wrong], kinds, count=20, left_out=left.append))
    assert {each.kind for each in broken} == {"label"}
    assert (len({str(each.sequence) for each in broken}), left) == (len(broken), [wrong])
    assert broken[0].dials == {**case.dials, "mutations": 1}
    mixed = list(break_cases([case], ["label", "tool_name"], mix=2))
    assert [(each.kind, each.dials["mutations"]) for each in mixed] == [("mix", 2)]


# -- what is made of a seed stays the same, byte for byte; Python takes another seed for its hashes in each run ---


def digest(rows: Iterable[Any]) -> str:
    return hashlib.sha256(json.dumps(list(rows)).encode()).hexdigest()[:16]


def test_cases_by_dials() -> None:
    dials = [Dials(tools=15, calls=7, coupling=each, share=0.8, reuse=0.3) for each in COUPLINGS]
    dials.append(Dials(tools=1500, likeness=1.0))
    cases = [generate(each, seed) for each in dials for seed in (0, 1)]
    assert digest(map(case_row, cases)) == "b61e4c9f69d47a18"


def test_cases_over_a_catalog() -> None:
    travel = Catalog.load(catalog_path("travel"))
    cases = [from_catalog(travel, 6, 3, coupling=coupling) for coupling in COUPLINGS]
    assert digest(str(case.sequence) for case in cases) == "cd724d48672dba7d"


BENCHMARKS = [
    ("argument_fixing", "036e664bb0153182"),
    ("chaining", "495d43181ca97895"),
    ("distractors_and_positioning", "8e199389ceb02b59"),
    ("name_description", "33a62160ce9fd9a5"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wanted"), BENCHMARKS)
def test_benchmarks(name: str, wanted: str) -> None:
    cases = made(benchmark(name)).items()
    assert digest((id, each.prompt, each.target, each.test) for id, each in cases) == wanted
