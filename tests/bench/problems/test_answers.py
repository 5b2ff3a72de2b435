"""Answers of chat models are read as what they are; a sampler that fails costs one answer and no more."""

import asyncio
import json
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

from refract_asp import Sequence, bench
from refract_asp.bench.bridge import case_of
from refract_asp.bench.problems import benchmark, execute, get_example, grade, load_libraries, made
from refract_asp.bench.problems.evaluating import BENCHMARKS, evaluate, evaluate_async, load_samples
from waiting import PATIENCE
from yaml_files import tables

TABLES = tables(__file__)
SHAPES = TABLES["shapes"]


def shaped(shape: str, problem: Any, body: str) -> str:
    imports = "".join(f"import {name}\n" for name in problem.outer.imports)
    names = {"head": problem.outer.head(), "name": problem.outer.name, "imports": imports}
    return SHAPES[shape].format(body=body, **names)


TURN = get_example("image.rotate().blur(pixels=5)", "rotates an image and blurs it", "turn")
CONE = get_example("solids.volume_of_cone(radius=5)", "gets the volume of a cone", "cone")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("problem", [TURN, CONE], ids=["class", "import"])
def test_correct_answers_of_every_shape_pass_and_their_wrong_twins_do_not(
    shape: str, problem: Any
) -> None:
    right = shaped(shape, problem, problem.target)
    wrong = shaped(shape, problem, problem.target.replace("5", "6"))
    assert execute(right, problem.test) == (True, None)
    assert execute(wrong, problem.test)[0] is False
    found = grade({"a": problem}, {"a": [right, f"{wrong}\n[END]\n{right}"]})
    assert [answer.passed for answer in found.cases[0].answers] == [True, False]
    is_read_otherwise = shape != "continuation"
    assert [bool(answer.note) for answer in found.cases[0].answers] == [is_read_otherwise] * 2
    assert execute(right, problem.test, relaxed=False)[0] is not is_read_otherwise
    assert grade({"a": problem}, {"a": right}, relaxed=False).accuracy == (not is_read_otherwise)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_in_every_shape(name: str) -> None:
    problems = made(dict(Random(1).sample(sorted(benchmark(name).items()), 12)))
    for shape in SHAPES:
        for id, problem in problems.items():
            assert execute(shaped(shape, problem, problem.target), problem.test) == (True, None), id
            wrong = problem.target.replace("(", "(1, ", 1)
            assert execute(shaped(shape, problem, wrong), problem.test)[0] is False, id


NOT_ALONE = [
    ("```python\ndef other(image, degrees):\n    {body}\n```", ""),
    ("def turn(image, angle):\n    {body}", "the function is not def turn(image, degrees)"),
    ("def turn(image, degrees=3):\n    {body}", "the function is not"),
    ("def turn(*image, degrees):\n    {body}", "the function is not"),
    ("@cache\ndef turn(image, degrees):\n    {body}", "the function is not"),
    ("```\n@cache\ndef turn(image, degrees):\n    {body}\n```", "the function is not"),
    ("async def turn(image, degrees):\n    {body}", ""),
    ("image = 3\ndef turn(image, degrees):\n    {body}", "outside"),
    ("```\nimage = 3\ndef turn(image, degrees):\n    {body}\n```", "outside"),
    ("```\nimport image\ndef turn(image, degrees):\n    {body}\n```", "outside"),
    ("def turn(image, degrees):\n    {body}\nturn = 3", "outside"),
    ("```\n{head}\n    {body}\n```\n```\n{head}\n    return 1\n```", "2 blocks"),
    ("```\ndef turn(image, degrees):\n    return 1\ndef turn(image, degrees):\n    {body}\n```", "outside"),
    ("```python\n```", "no answer"),
    ("I would call image.rotate first.", "not valid Python"),
    ("x" * 10_000_000, "longer than"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "why"), NOT_ALONE)
def test_what_is_not_that_function_alone_fails(answer: str, why: str) -> None:
    text = answer.replace("{body}", TURN.target).replace("{head}", TURN.outer.head())
    passed, reason = execute(text, TURN.test)
    assert (passed, why in (reason or "")) == (False, True)


# -- calls of tools ---------------------------------------------------------------------


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("format", ["nestful", "openai", "anthropic", "pretty"])
def test_calls_of_tools_are_graded(name: str, format: str) -> None:
    for id, problem in made(dict(Random(2).sample(sorted(benchmark(name).items()), 8))).items():
        sequence = case_of(problem).sequence
        data: Any = sequence.dump(format)
        answer = {"nestful": json.dumps(data), "openai": {"tool_calls": data}}
        answer["anthropic"] = {"content": data}
        given: Any = answer.get(format) or Sequence.load(data, format)
        assert execute(given, problem.test) == (True, None), id
        last = sequence.calls[-1]
        other = last.model_copy(update={"name": last.name + "x"})
        assert execute(Sequence(calls=(*sequence.calls[:-1], other)), problem.test)[0] is False


@pytest.mark.parametrize(("calls", "why"), TABLES["other calls fail"])
def test_other_calls_fail(calls: str, why: str) -> None:
    passed, reason = execute(Sequence.load(calls, "pretty"), TURN.test)
    assert (passed, why in (reason or "")) == (False, True), reason


# -- samplers ---------------------------------------------------------------------------

PROBLEMS = {f"p{number}": TURN for number in range(6)}


def test_what_a_sampler_does_costs_one_answer_and_no_more(tmp_path: Path) -> None:
    given = iter(range(100))

    async def sampler(prompt: str) -> Any:
        number = next(given)
        if number == 0:
            raise ConnectionError("429")
        if number == 1:
            await asyncio.Event().wait()
        right = [TURN.target, f"```\n{TURN.target}\n```"]
        return {2: None, 3: "x" * 10_000_000}.get(number, right)

    keep = tmp_path / "answers.jsonl"
    found = evaluate(PROBLEMS, sampler, timeout=0.5, keep=keep, limit=1)
    assert [case.accuracy for case in found.cases] == [0, 1, 1]
    assert (found.missing, list(found.failed)) == (("p0", "p1", "p2"), ["p0", "p1", "p2"])
    assert "429" in found.failed["p0"]
    assert set(load_samples(keep)) == {"p3", "p4", "p5"}
    again = evaluate(PROBLEMS, sampler, keep=keep)  # asks for three
    assert (next(given), again.missing, len(load_samples(keep))) == (9, (), 6)
    assert evaluate(PROBLEMS, sampler, samples=again.samples).as_data() == again.as_data()
    assert next(given) == 10


def test_samplers_are_asked_at_once_up_to_a_limit() -> None:
    met, most, now = threading.Barrier(3), 0, 0

    def sampler(prompt: str) -> str:
        nonlocal most, now
        now += 1
        most = max(most, now)
        met.wait(PATIENCE)
        now -= 1
        return TURN.target

    found = asyncio.run(evaluate_async(PROBLEMS, sampler, limit=3))
    assert (found.accuracy, most) == (1, 3)


def test_public_names_and_a_bare_list_of_functions() -> None:
    assert bench.get_example is get_example
    rows = TABLES["public names and a bare list of functions, rows"]
    (library,) = load_libraries(rows, id="lamp", style="class")
    told = (library.id, library.name, library.style, [*library.by_name])
    assert told == ("lamp", "lamp", "class", ["dim"])
    made = bench.get_example("lamp.dim()", "dims it", libraries=[library])
    assert made.target == "return lamp.dim()"
