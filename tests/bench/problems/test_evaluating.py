"""Benchmarks as files, and how many answers to them pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp.bench.problems import (
    BENCHMARKS,
    TestCase,
    benchmark,
    evaluate,
    execute,
    grade,
    load_problems,
    load_samples,
    made,
)
from refract_asp.bench.problems.evaluating import cut
from refract_asp.errors import InputError

COUNTS = {
    "argument_fixing": 581,
    "chaining": 160,
    "distractors_and_positioning": 36,
    "name_description": 175,
    "formatting": 40,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_makes_problems_that_their_targets_solve(name: str) -> None:
    problems = benchmark(name)
    assert len(problems) == COUNTS[name]
    assert load_problems(json.dumps(problems)) == problems == benchmark(name)
    cases = made(problems)
    for id, case in cases.items():
        assert execute(case.target, case.test) == (True, None), id
    assert len({(case.prompt, case.target) for case in cases.values()}) == len(cases)


@pytest.mark.slow
def test_benchmarks_turn_the_dials_they_are_for() -> None:
    def plotted(name: str) -> dict[str, list[str]]:
        cases = made(benchmark(name))
        found = grade(cases, {id: [case.target] for id, case in cases.items()})
        assert found.accuracy == 1
        return {dial: [value for value, _, _ in values] for dial, values in found.by_dial().items()}

    assert plotted("argument_fixing") == {
        "fixed": ["1", "2", "3", "4"],
        "examples": ["0", "1", "2"],
    }
    assert plotted("distractors_and_positioning") == {
        "num_distractors": [str(n) for n in range(8)],
        "target_func_location": [str(n) for n in range(8)],
    }
    assert plotted("name_description")["function_noise_type"] == ["none", "number", "swap"]
    assert plotted("chaining")["calls"] == [str(n) for n in range(1, 10)]
    assert plotted("formatting")["indent"] == ["2", "4", "8", "\t"]


def test_there_are_no_others() -> None:
    with pytest.raises(InputError, match=r"there is no benchmark 'poems'. Known: argument_fixing"):
        benchmark("poems")
    with pytest.raises(InputError, match="there is no benchmark"):
        benchmark([])  # type: ignore[arg-type]


BLUR: dict[str, Any] = {"signature": "image.blur()", "description": "blurs it", "func_name": "blur"}
PROBLEMS = {"a": BLUR, "b": {**BLUR, "num_distractors": 3}, "c": {**BLUR, "func_noise": "number"}}


def test_accuracy_for_each_problem_by_dial_and_in_all() -> None:
    found = grade(
        PROBLEMS,
        {
            "a": ["return image.blur(pixels)", "return 1"],
            "b": ["return image.blur(pixels)"],
            "z": ["x"],
            "c": [],
        },
    )
    assert found.accuracy == 0.75
    assert {case.id: case.accuracy for case in found.cases} == {"a": 0.5, "b": 1.0}
    assert (found.missing, found.unknown) == (("c",), ("z",))
    assert found.by_dial() == {"num_distractors": [("0", 1, 0.5), ("3", 1, 1.0)]}
    rows = list(found.rows())
    assert rows[0] == {
        "id": "a",
        "sample": "return image.blur(pixels)",
        "passed": True,
        "error": None,
    }
    assert rows[1]["error"] == "1 is given, image.blur(pixels) is wanted"
    data = json.loads(json.dumps(found.as_data()))
    assert (data["problems"], data["samples"], data["passed"]) == (2, 3, 2)
    assert data["by_problem"] == {"a": 0.5, "b": 1.0}


def test_nothing_answered() -> None:
    found = grade(PROBLEMS, {})
    assert found.accuracy is None
    assert found.by_dial() == {}
    assert found.missing == ("a", "b", "c")


def test_a_function_may_answer() -> None:
    def sampler(prompt: str) -> list[str]:
        names = [
            line.split(".")[1].split("(")[0] for line in prompt.split("\n") if "image." in line
        ]
        return [f"return image.{name}(pixels)" for name in names]

    found = evaluate(PROBLEMS, sampler)
    assert {case.id: case.accuracy for case in found.cases} == {"a": 1.0, "b": 0.25, "c": 1.0}
    assert isinstance(found.cases[0].problem, TestCase)
    for wrong in (5, [5], None):
        with pytest.raises(
            InputError, match="problem a: the sampler gives neither a text nor texts"
        ):
            evaluate(PROBLEMS, lambda prompt, wrong=wrong: wrong)  # type: ignore[misc]
    with pytest.raises(InputError, match="problem a: the sampler gives no answer"):
        evaluate(PROBLEMS, lambda prompt: [])
    assert evaluate(PROBLEMS, lambda prompt: "").accuracy == 0


@pytest.mark.parametrize(
    ("sample", "code"),
    [
        ("return 1", "return 1"),
        ("return 1\n[END]\n\nWrite", "return 1"),
        ("return 1 [END] return 2", "return 1"),
        ("return 1\n\nprint(2)", "return 1"),
        ("x = 1\n    return x\n   \n    more", "x = 1\n    return x"),
        ("x = 1\n\n  \n    return x\n\n    more", "x = 1\n\n  \n    return x"),
        ("x = 1\n\nreturn x", "x = 1"),
        ("returned = 1\n    \n    return returned", "returned = 1\n    \n    return returned"),
        ("\n    x = 1\n    return x\n\nmore", "x = 1\n    return x"),
        ("", ""),
    ],
)
def test_where_a_sample_ends(sample: str, code: str) -> None:
    assert cut(sample) == code


def test_a_sample_of_blank_lines_is_read_once() -> None:
    assert cut("x = 1" + "\n\n    x = 1" * 100_000 + "\n\nmore").count("x") == 100_001


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "the benchmark has no problem"),
        (BLUR, "this is no benchmark"),
        ({"a": 5}, "a: this is no benchmark: a problem has a signature"),
        ('{"a": {"signature": ', "not valid JSON"),
        (Path("/nowhere.json"), "there is no such file"),
    ],
)
def test_what_is_no_benchmark(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_problems(data)


def test_a_problem_that_cannot_be_made_is_named() -> None:
    with pytest.raises(
        InputError, match=r"problem b: num_distractors: 99 distractors are wanted from image"
    ):
        made({**PROBLEMS, "b": {**BLUR, "num_distractors": 99}})
    with pytest.raises(InputError, match="problem b: there is no dial 'noise'"):
        grade({"b": {**BLUR, "noise": 1}}, {})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "these are no samples"),
        ([{"id": 5, "sample": "x"}], r"\[0\]: a sample needs the id"),
        ([{"id": "a"}], r"\[0\]: either one sample or a list"),
        ([{"id": "a", "sample": 5}], r"\[0\]\.sample: a sample is a text"),
        ([{"id": "a", "samples": ["x", None]}], "a sample is a text"),
    ],
)
def test_what_are_no_samples(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_samples(data)


def test_a_file_of_samples(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(
        '{"id": "a", "sample": "x"}\n{"id": "b", "samples": ["y", "z"]}\n{"id": "a", "sample": "w"}\n'
    )
    assert load_samples(path) == {"a": ["x", "w"], "b": ["y", "z"]}
    path.write_text('{"id": "a", "sample": "x"}\n{"id": "b"}\n')
    with pytest.raises(InputError, match=r"samples.jsonl:2: \[1\]: either one sample"):
        load_samples(path)
