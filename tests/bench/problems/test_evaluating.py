"""Benchmarks as files, and how many answers to them pass."""

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp.bench.problems import BENCHMARKS, benchmark, evaluate, execute, grade, made
from refract_asp.bench.problems.evaluating import load_problems, load_samples
from refract_asp.bench.problems.grading import cut
from refract_asp.errors import InputError
from yaml_files import tables

TABLES = tables(__file__)

# How many problems each benchmark has, and what its answers are plotted by.
PLOTTED = TABLES["plotted"]


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_makes_problems_that_their_targets_solve(name: str) -> None:
    problems = benchmark(name)
    assert load_problems(json.dumps(problems)) == problems == benchmark(name)
    cases = made(problems)
    for id, case in cases.items():
        assert execute(case.target, case.test) == (True, None), id
    assert len({(case.prompt, case.target) for case in cases.values()}) == len(cases)
    found = grade(cases, {id: [case.target] for id, case in cases.items()})
    by_dial = found.by_dial().items()
    plotted = {dial: " ".join(value for value, _, _ in values) for dial, values in by_dial}
    assert (len(problems), plotted, found.accuracy) == (*PLOTTED[name], 1)


def test_there_are_no_others() -> None:
    for name in ("poems", []):
        with pytest.raises(InputError, match=r"there is no benchmark .* Known: argument_fixing"):
            benchmark(name)  # type: ignore[arg-type]


BLUR: dict[str, Any] = {"signature": "image.blur()", "description": "blurs it", "func_name": "blur"}
PROBLEMS = {"a": BLUR, "b": {**BLUR, "num_distractors": 3}, "c": {**BLUR, "func_noise": "number"}}
RIGHT = "return image.blur(pixels)"


def test_accuracy_for_each_problem_by_dial_and_in_all() -> None:
    found = grade(PROBLEMS, {"a": [RIGHT, "return 1"], "b": RIGHT, "z": ["x"], "c": []})
    wrong = ("a", "return 1", f"1 is given, {RIGHT[7:]} is wanted")
    rows = [("a", RIGHT, None), wrong, ("b", RIGHT, None)]
    assert list(found.rows()) == [
        {"id": id, "sample": sample, "passed": error is None, "error": error, "note": ""}
        for id, sample, error in rows
    ]
    keys = ("value", "problems", "accuracy")
    values = [dict(zip(keys, each, strict=True)) for each in (("0", 1, 0.5), ("3", 1, 1.0))]
    assert found.as_data() == {
        "schema_version": 1, "accuracy": 0.75, "problems": 2, "samples": 3, "passed": 2,
        "by_problem": {"a": 0.5, "b": 1.0}, "by_dial": {"num_distractors": values},
        "missing": ["c"], "unknown": ["z"], "failed": {}, "read_as": {},
    }  # fmt: skip
    nothing = grade(PROBLEMS, {})
    assert (nothing.accuracy, nothing.by_dial(), nothing.missing) == (None, {}, ("a", "b", "c"))


def test_a_function_may_answer() -> None:
    def sampler(prompt: str) -> list[str]:
        lines = [line for line in prompt.split("\n") if "image." in line]
        return [f"return image.{line.split('.')[1].split('(')[0]}(pixels)" for line in lines]

    found = evaluate(PROBLEMS, sampler)
    assert {case.id: case.accuracy for case in found.cases} == {"a": 1.0, "b": 0.25, "c": 1.0}
    for wrong in (5, [5], None, []):
        found = evaluate(PROBLEMS, lambda prompt, wrong=wrong: wrong)  # type: ignore[misc]
        assert (found.missing, set(found.failed)) == (("a", "b", "c"), {"a", "b", "c"})
        assert "the sampler gives no answer" in found.failed["a"]
    assert evaluate(PROBLEMS, lambda prompt: "").accuracy == 0


@pytest.mark.parametrize(("sample", "code"), TABLES["where a sample ends"])
def test_where_a_sample_ends(sample: str, code: str) -> None:
    assert cut(sample) == code


def test_a_sample_of_blank_lines_is_read_once() -> None:
    assert cut("x = 1" + "\n\n    x = 1" * 100_000 + "\n\nmore").count("x") == 100_001


NO_BENCHMARKS = [
    ({}, "the benchmark has no problem"),
    (BLUR, "this is no benchmark"),
    ({"a": 5}, "a: this is no benchmark: a problem has a signature"),
    ('{"a": {"signature": ', "not valid JSON"),
    (Path("/nowhere.json"), "there is no such file"),
]


@pytest.mark.parametrize(("data", "message"), NO_BENCHMARKS)
def test_what_is_no_benchmark(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_problems(data)


def test_a_problem_that_cannot_be_made_is_named() -> None:
    with pytest.raises(InputError, match=r"problem b: num_distractors: 99 distractors are wanted"):
        made({**PROBLEMS, "b": {**BLUR, "num_distractors": 99}})


@pytest.mark.parametrize("row", TABLES["what are no samples"])
def test_what_are_no_samples(row: Any, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    good = [{"id": "a", "sample": "x"}, {"id": "b", "samples": ["y", "z"]}]
    path.write_text("\n".join(map(json.dumps, (*good, {"id": "a", "sample": "w"}))))
    assert load_samples(path) == {"a": ["x", "w"], "b": ["y", "z"]}
    path.write_text(f"{json.dumps(good[0])}\n{json.dumps(row)}\n")
    with pytest.raises(InputError, match=r"samples.jsonl:2: \[1\]: a line has the id"):
        load_samples(path)
    with pytest.raises(InputError, match="a list of at most 1,000,000 samples"):
        load_samples(5)
