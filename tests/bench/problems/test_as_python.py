"""Grading against Python itself: answers written here are run over objects that record what is called."""

from __future__ import annotations

import ast
from random import Random
from types import GeneratorType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.bench.problems import TestCase, execute, get_example, shipped

PROBLEMS = [
    get_example("solids.volume_of_cone(radius=5)", "gets it"),
    get_example("image.rotate().crop(width=image.get_width()).blur(pixels=3)", "turns it"),
    get_example("image.crop()", "cuts it", "cut(height, image, width)"),
]
FUNCTIONS = {**shipped()["image"].by_name, **shipped()["solids"].by_name}
PARAMETERS = {name: function.args for name, function in FUNCTIONS.items()}
ABOVE = (
    "pass", "# so", "'so'", "w = 5", "w: int = 3", "image.get_width", "solids = solids", "image = image",
    "height = height", "degrees: int", "solids: int",
)  # fmt: skip
BELOW = (
    "", "", "", "yield", "x = yield", "z: (yield) = 2", "solids = 2", "print(3)", "v = 3", "return 3",
    "image = 3", "5 + 3", "z = [q for q in w]", "height = 3",
)  # fmt: skip


class Recorded:
    """Something that is called, and what was called."""

    def __init__(self, calls: list[Recorded], *parts: Any) -> None:
        self._calls = calls
        self._parts = parts

    def __getattr__(self, name: str) -> Recorded:
        return Recorded(self._calls, "attribute", self, name)

    def __call__(self, *values: Any, **named: Any) -> Recorded:
        kind, of, name = self._parts
        assert kind == "attribute"
        arguments = dict(zip(PARAMETERS[name], values, strict=False))
        assert len(values) <= len(PARAMETERS[name])
        assert not arguments.keys() & named.keys()
        arguments |= named
        assert arguments.keys() == set(PARAMETERS[name])
        in_order = (arguments[each] for each in PARAMETERS[name])
        call = Recorded(self._calls, "call", of, name, *in_order)
        self._calls.append(call)
        return call


def written(value: Any, used: set[int]) -> Any:
    """Return what a value is made of, and gather what it uses."""
    if not isinstance(value, Recorded):
        return type(value), repr(value)
    used.add(id(value))
    made = value._parts
    return tuple(written(each, used) if isinstance(each, Recorded) else repr(each) for each in made)


def run(problem: TestCase, answer: str) -> Any:
    """Return what an answer computes, None where it fails or makes a call that is not used."""
    calls: list[Recorded] = []
    names: dict[str, Any] = {"__builtins__": {}}
    names |= {name: Recorded(calls, "library", name) for name in problem.outer.imports}
    given = {name: Recorded(calls, "argument", name) for name in problem.outer.arguments}
    try:
        exec(f"{problem.outer.head()}\n    {answer}", names)
        value = names[problem.outer.name](**given)
    except (NameError, SyntaxError):
        return None
    if isinstance(value, GeneratorType):
        return None
    used: set[int] = set()
    result = written(value, used)
    return result if all(id(call) in used for call in calls) else None


def rewritten(problem: TestCase, random: Random) -> str:
    """Return the target in other words, most of which mean the same."""
    lines: list[str] = []

    def again(node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return node
        node.func.value = again(node.func.value)
        names = PARAMETERS[node.func.attr]
        values = [again(value) for value in node.args]
        count = random.randint(0, len(values))
        named = [ast.keyword(*each) for each in zip(names, values, strict=True)][count:]
        random.shuffle(named)
        node.args, node.keywords = values[:count], named
        if random.random() < 0.3:
            name = random.choice(["v", "v1", "v2", "image", "solids", "height", "degrees"])
            lines.append(f"{name} = {ast.unparse(node)}")
            return ast.Name(name)
        return node

    (target,) = ast.parse(problem.target).body
    assert isinstance(target, ast.Return)
    assert target.value is not None
    value = again(target.value)
    for _ in range(random.randint(0, 2)):
        lines.insert(random.randint(0, len(lines)), random.choice(ABOVE))
    return "\n    ".join([*lines, f"return {ast.unparse(value)}", random.choice(BELOW)]).rstrip()


@settings(max_examples=examples(300))
@given(st.sampled_from(PROBLEMS), st.integers(0, 10**9))
def test_an_answer_passes_just_where_python_computes_the_same(problem: TestCase, seed: int) -> None:
    answer = rewritten(problem, Random(seed))
    wanted = run(problem, problem.target)
    assert wanted is not None
    assert execute(answer, problem.test)[0] is (run(problem, answer) == wanted), answer
