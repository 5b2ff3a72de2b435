"""Makes problems: a prompt, the answer that is wanted, and a test for other answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from refract_asp.bench.problems.dials import (
    Dials,
    Outer,
    first_name,
    first_names,
    outer_of,
    read_dials,
)
from refract_asp.bench.problems.distractors import Entry, Listed, listed_of, pool_of
from refract_asp.bench.problems.expressions import Call, Key, Open, printed, read_signature
from refract_asp.bench.problems.library import Library, Registry, registry_of
from refract_asp.errors import InputError

__all__ = [
    "TestCase",
    "answer_text",
    "get_example",
    "make",
    "minimal_pair",
    "prompt_text",
    "target_text",
    "test_text",
]


def prompt_text(
    dials: Dials, listed: Sequence[Listed], examples: Sequence[str], outer: Outer
) -> str:
    """Return the prompt: the functions, the examples, and the problem up to where the answer begins."""
    functions = dials.joiner.join(_function_text(function, dials) for function in listed)
    parts = [dials.intro, functions, *examples, _problem_text(dials, outer)]
    return dials.section_joiner.join(parts)


def answer_text(dials: Dials, outer: Outer, target: str) -> str:
    """Return an example: a problem with its answer."""
    end = f"\n{dials.end_token}" if dials.end_token else ""
    return f"{_problem_text(dials, outer)}{target}{end}"


def _problem_text(dials: Dials, outer: Outer) -> str:
    begin = [dials.begin_token] if dials.begin_token else []
    lines = [f"{dials.task_description_preamble}{dials.description}.", *begin]
    lines += [f"import {name}" for name in outer.imports]
    return "\n".join([*lines, outer.head(), dials.margin])


def _function_text(function: Listed, dials: Dials) -> str:
    if dials.format_function is not None:
        text = dials.format_function(function)
        if not isinstance(text, str):
            raise InputError(
                f"it returns no text, but a {type(text).__name__}.", where="format_function"
            )
        return text
    head = f"def {function.library_name}.{function.name}({', '.join(function.args)})"
    if not function.definition:
        return head
    doc = function.definition
    if dials.use_quotes:
        escaped = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        doc = f'"""{escaped[:-1]}\\""""' if escaped.endswith('"') else f'"""{escaped}"""'
    body = doc.replace("\n", f"\n{dials.margin}")
    return f"{head}:\n{dials.margin}{body}"


def target_text(call: Call, outer: Outer, names: Mapping[Key, str]) -> str:
    """Return the answer."""
    return f"return {printed(call, lambda key: names[key], lambda open: outer.names[open.number])}"


def test_text(call: Call, outer: Outer, listed: Mapping[Key, Listed], margin: str) -> str:
    """
    Return the test of a problem, in the shape of a Python program that is read and never run.

    Its line "parameters" says what the arguments of each call are called, so that an answer may name them.
    """
    dummies = _dummies(call)
    modules = {
        inner.library.name: "import" for inner in call.calls() if inner.library.style == "import"
    }
    modules |= dict.fromkeys(outer.subjects, "class")
    given = [f"{outer.names[open.number]}={dummies[open.number]}" for open in call.open()]
    given += [f"{subject}={subject}" for subject in outer.subjects]
    reference = printed(call, lambda key: listed[key].name, lambda open: dummies[open.number])
    lines = [
        f"# signature = {outer.head()}",
        f"# indent = {margin!r}",
        f"# parameters = {json.dumps([list(listed[inner.key].args) for inner in call.calls()])}",
    ]
    for name, style in modules.items():
        lines += [f"{name} = Dummy()", f"# style = '{style}_style'"]
    lines += [
        f"x = {outer.name}({', '.join(given)})",
        f"y = {reference}",
        "assert x == y, f'Test failure: {x} != {y}'",
    ]
    return "\n".join(lines)


def _dummies(call: Call) -> dict[int, str]:
    """Return a text that stands for each argument, unlike any text of the signature."""
    fixed = set(call.constants())

    def dummy(open: Open) -> str:
        text = f"dummy_{open.argument}_{open.number}"
        while text in fixed:
            text += "_"
        return f'"{text}"'

    return {open.number: dummy(open) for open in call.open()}


@dataclass(frozen=True)
class TestCase:
    """
    A problem.

    Attributes:
        prompt: what a model is given; its answer goes on where the prompt ends.
        target: the answer that is wanted.
        test: what `execute` compares an answer with.
        pool: the functions of the prompt, as it lists them.
        call: the calls of the signature.
        outer: the function to be written.
        dials: what the problem was made from.
        entries: the functions of the prompt, as their libraries have them.
    """

    __test__ = False  # the name is the documented one; pytest is not to collect it

    prompt: str
    target: str
    test: str
    pool: tuple[Listed, ...]
    call: Call
    outer: Outer
    dials: Dials
    entries: tuple[Entry, ...]


def get_example(
    signature: str,
    description: str,
    func_name: str = "func",
    *,
    libraries: Registry | Iterable[Library] | None = None,
    **dials: Any,
) -> TestCase:
    """
    Make a problem.

    Args:
        signature: the calls that solve it, as "image.rotate(degrees=5).blur()".
        description: what they do, in words that follow "Write a function that".
        func_name: the name of the function to be written, with or without its arguments in order.
        libraries: the libraries that signatures may name, by default those of the package.
        dials: what else is set, see `Dials`.

    Raises:
        InputError: a dial is unknown or cannot be used, or the signature names what there is not.

    Example:
        >>> problem = get_example("solids.volume_of_cone()", "gets the volume of a cone")
        >>> print(problem.target)
        return solids.volume_of_cone(radius, height)
    """
    return make(
        {"signature": signature, "description": description, "func_name": func_name, **dials},
        libraries,
    )


def make(
    arguments: Mapping[str, Any], libraries: Registry | Iterable[Library] | None = None
) -> TestCase:
    """
    Make a problem from all its arguments in one mapping, as benchmark files hold them.

    Raises:
        InputError: as `get_example` does.
    """
    registry = registry_of(libraries)
    dials = read_dials(arguments)
    call, outer = _read(dials, registry)
    shots = [dials.of_example(number) for number in range(len(dials.fewshot))]
    solved = [_read(shot, registry, f"fewshot[{number}]") for number, shot in enumerate(shots)]
    random = Random(dials.random_seed)
    entries = pool_of(call, [each for each, _ in solved], dials, registry, random)
    listed = listed_of(entries, dials, random)
    by_key = {function.key: function for function in listed}
    names = {key: function.name for key, function in by_key.items()}
    examples = [
        answer_text(shot, whole, target_text(each, whole, names))
        for shot, (each, whole) in zip(shots, solved, strict=True)
    ]
    return TestCase(
        prompt=prompt_text(dials, listed, examples, outer),
        target=target_text(call, outer, names),
        test=test_text(call, outer, by_key, dials.margin),
        pool=tuple(listed),
        call=call,
        outer=outer,
        dials=dials,
        entries=tuple(entries),
    )


def _read(dials: Dials, registry: Registry, where: str = "") -> tuple[Call, Outer]:
    try:
        call = read_signature(dials.signature, registry)
        return call, outer_of(call, dials.func_name, dials.arg_order)
    except InputError as error:
        place = ": ".join(filter(None, (where, error.where)))
        raise type(error)(error.what, where=place, hint=error.hint) from None


def minimal_pair(
    arguments: Mapping[str, Any],
    dial: str,
    value: Any,
    libraries: Registry | Iterable[Library] | None = None,
) -> tuple[TestCase, TestCase]:
    """
    Make two problems that differ in one dial: as the arguments say, and with another value for `dial`.

    Everything is drawn from one seed, distractors first and noise last, so what the dial does not concern is
    the same in both. One case is left over: descriptions are swapped otherwise where names are swapped, too.

    Raises:
        InputError: the dial has that value already, or as `get_example` does.

    Example:
        >>> cone = {"signature": "solids.volume_of_cone()", "description": "gets it", "num_distractors": 3}
        >>> plain, noisy = minimal_pair(cone, "func_noise", "number")
        >>> [function.key for function in plain.pool] == [function.key for function in noisy.pool]
        True
        >>> noisy.target
        'return solids.func1(radius, height)'
    """
    name = first_name(dial)
    plain = first_names(arguments)
    if name == "return_test_case":
        raise InputError(f"{name} changes nothing about a problem.", hint="Give another dial.")
    first, second = make(plain, libraries), make({**plain, name: value}, libraries)
    old, new = getattr(first.dials, name), getattr(second.dials, name)
    if old == new and type(old) is type(new):
        raise InputError(f"the dial {name} has this value already.", hint="Give another value.")
    return first, second
