"""
Problems of code synthesis as sequences of tool calls: the wanted answer, over the functions of the prompt.

    solids.volume_of_cone(radius=5)     var1 = solids.volume_of_cone(radius=5, height=height)
    image.rotate().blur(pixels=2)       var1 = image.rotate(image=image, degrees=degrees)
                                        var2 = image.blur(image="$var1$", pixels=2)

Each function of the prompt is a tool, under the name that it has there. What a method is called on is its
first argument. A call inside a call, or on one, is a reference to it; the calls stand in the order in which
they are completed. What the function to be written is given is known from memory under its name, with a text
or an object that stands for any.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from refract_asp.bench.problems.distractors import Listed
from refract_asp.bench.problems.expressions import Argument, Key, Open, Subject, Value
from refract_asp.bench.problems.expressions import Call as Expression
from refract_asp.bench.problems.problem import TestCase
from refract_asp.evaluation.cases import Case
from refract_asp.model import Call, Catalog, Constant, Memory, Reference, Sequence, Source, Tool

__all__ = ["case_of"]


def case_of(problem: TestCase, id: str = "") -> Case:
    """
    Return a problem as a case in which nothing is wrong.

    Args:
        problem: the problem.
        id: the id of the case, by default the name of the function to be written.

    Example:
        >>> from refract_asp.bench.problems import get_example
        >>> case = case_of(get_example("image.rotate().blur(pixels=2)", "turns and blurs an image"))
        >>> print(case.sequence)
        var1 = image.rotate(image=image, degrees=degrees)
        var2 = image.blur(image="$var1$", pixels=2)
        >>> case.memory.values["degrees"]
        'dummy_degrees_0'
    """
    tools = {
        listed.key: _tool(listed, entry.library.style, entry.function.returns)
        for listed, entry in zip(problem.pool, problem.entries, strict=True)
    }
    writing = _Writing(problem, tools)
    sequence = Sequence(calls=tuple(writing.calls()))
    dials = problem.dials
    return Case(
        id=id or problem.outer.name,
        sequence=sequence,
        catalog=Catalog(tools=tuple(tools.values())),
        expected=sequence,
        memory=Memory(values=writing.memory()) if problem.outer.arguments else None,
        dials={
            "tools": len(tools),
            "calls": len(sequence.calls),
            "function_noise_type": dials.function_noise_type,
            "description_noise_type": dials.description_noise_type,
            "arg_noise_type": dials.arg_noise_type,
            "fewshot": len(dials.fewshot),
        },
    )


def _tool(listed: Listed, style: str, returns: tuple[str, ...]) -> Tool:
    """Return a function as a tool, as the format of libraries reads it."""
    function = {
        "function_name": listed.name,
        "documentation": listed.definition,
        "arglist": list(listed.args),
        "return_type": list(returns),
    }
    library: dict[str, Any] = {
        "id": listed.library_name,
        "library_name": listed.library_name,
        "style": style,
        "functions": [function],
    }
    return Catalog.load([library], "library").tools[0]


class _Writing:
    """Writes the answer to one problem as calls."""

    def __init__(self, problem: TestCase, tools: dict[Key, Tool]) -> None:
        """Give each call a label that is no argument of the function to be written."""
        self._problem = problem
        self._tools = tools
        names = (f"var{number}" for number in count(1))
        free = (name for name in names if name not in problem.outer.arguments)
        self._labels = {
            id(call): label for call, label in zip(problem.call.calls(), free, strict=False)
        }

    def calls(self) -> list[Call]:
        """Return the calls in the order in which they are completed."""
        return [self._call(call) for call in self._problem.call.calls()]

    def memory(self) -> dict[str, Any]:
        """Return what stands for the arguments of the function to be written, by name."""
        outer = self._problem.outer
        values: dict[str, Any] = {subject: {"dummy": subject} for subject in outer.subjects}
        for each in self._problem.call.open():
            values[outer.names[each.number]] = f"dummy_{each.argument}_{each.number}"
        return {name: values[name] for name in outer.arguments}

    def _call(self, call: Expression) -> Call:
        tool = self._tools[call.key]
        given = [*((call.subject,) if call.subject is not None else ()), *call.arguments]
        arguments = dict(zip(tool.parameters, map(self._source, given), strict=True))
        return Call(name=tool.name, arguments=arguments, label=self._labels[id(call)])

    def _source(self, value: Value) -> Source:
        if isinstance(value, Argument):
            return Constant(value=value.value)
        if isinstance(value, Open):
            return Reference(label=self._problem.outer.names[value.number], bare=True)
        if isinstance(value, Subject):
            return Reference(label=value.library.name, bare=True)
        return Reference(label=self._labels[id(value)])
