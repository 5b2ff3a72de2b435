"""Prints prompts, targets and tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from refract_asp.bench.problems.dials import Dials
from refract_asp.bench.problems.expressions import Call, Key, Open, printed
from refract_asp.bench.problems.noise import Listed
from refract_asp.bench.problems.outer import Outer
from refract_asp.errors import InputError

__all__ = ["answer_text", "prompt_text", "target_text", "test_text"]


def prompt_text(dials: Dials, listed: Sequence[Listed], examples: Sequence[str], outer: Outer) -> str:
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
            raise InputError(f"it returns no text, but a {type(text).__name__}.", where="format_function")
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
    modules = {inner.library.name: "import" for inner in call.calls() if inner.library.style == "import"}
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
