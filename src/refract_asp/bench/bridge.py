"""Cases to repair: sequences that are broken on purpose, and problems of code synthesis as tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import count as counted
from typing import Any

from refract_asp.bench.mutations import kind_of, mutate, mutate_many
from refract_asp.bench.problems.problem import TestCase
from refract_asp.bench.problems.signatures import Argument, Library, Subject, Value
from refract_asp.bench.problems.signatures import Call as Expression
from refract_asp.evaluation.cases import Case
from refract_asp.formats.tool_lists import Function
from refract_asp.model import Call, Catalog, Constant, Memory, Reference, Sequence, Source
from refract_asp.model.catalog import Prepared
from refract_asp.refractor import Refractor


def break_cases(
    cases: Iterable[Case],
    kinds: SequenceOf[str],
    *,
    count: int = 1,
    mix: int = 0,
    seed: str | int = 0,
    left_out: Callable[[Case], None] = lambda _: None,
) -> Iterator[Case]:
    """
    Break every case in several ways, one after the other.

    Nothing is broken that would have to be asked for while memory knows a value of that name: a repair may
    take it.

    Args:
        cases: sequences in which nothing is wrong; their expected repairs are ignored.
        kinds: the kinds of mutations.
        count: how many cases are made of each, for each kind; equal ones are made once.
        mix: how many mutations are put into each case, 0 for one, a case for each kind.
        seed: the same one breaks the same cases in the same way.
        left_out: called with each case that is not broken, because something is wrong with it already.

    Raises:
        InputError: no kind has a name, or the mix is out of range.

    Example:
        >>> from refract_asp.evaluation.cases import read_cases
        >>> tools = {"tools": [{"name": "Pay", "parameters": {"amount": {}}}]}
        >>> row = {"id": "a", "catalog": tools, "sequence": "Pay(amount=3)", "expected": "Pay(amount=3)"}
        >>> [case.id for case in break_cases(read_cases([row]), ["tool_name", "made_up_argument"])]
        ['a/tool_name/0', 'a/made_up_argument/0']
    """
    for kind in kinds:
        kind_of(kind)
    judge = Prepared(Refractor)
    for case in cases:
        if judge(case.catalog).check(case.sequence, case.memory).verdict != "valid":
            left_out(case)
            continue
        known = case.memory.values if case.memory is not None else {}
        kept: dict[str, Any] = {"memory": case.memory, "catalog_name": case.catalog_name}
        for kind in ["mix"] if mix else kinds:
            made: list[Sequence] = []
            for number in range(count):
                own = f"{seed}:{case.id}:{number}"
                if mix:
                    mutation = mutate_many(case.sequence, case.catalog, kinds, mix, own)
                else:
                    mutation = mutate(case.sequence, case.catalog, kind, own)
                parts = () if mutation is None else mutation.parts or (mutation,)
                is_known = any(part.asks and part.token.parameter in known for part in parts)
                if mutation is None or mutation.broken in made or is_known:
                    continue
                name = f"{case.id}/{kind}/{len(made)}"
                dials = {**case.dials, "mutations": len(parts)}
                yield Case.of(mutation, case.catalog, name, dials=dials, **kept)
                made.append(mutation.broken)


def case_of(problem: TestCase, name: str = "") -> Case:
    """
    Return a problem as a case in which nothing is wrong: the wanted answer over the functions of the prompt.

        solids.volume_of_cone(radius=5)     var1 = solids.volume_of_cone(radius=5, height=height)
        image.rotate().blur(pixels=2)       var1 = image.rotate(image=image, degrees=degrees)
                                            var2 = image.blur(image="$var1$", pixels=2)

    Each function of the prompt is a tool, under the name that it has there. What a method is called on is its
    first argument. A call inside a call, or on one, is a reference to it; the calls stand in the order in
    which they are completed. What the function to be written is given is known from memory under its name,
    with a text or an object in place of any.

    Args:
        problem: the problem.
        name: the id of the case, by default the name of the function to be written.

    Example:
        >>> from refract_asp.bench.problems import get_example
        >>> case = case_of(get_example("image.rotate().blur(pixels=2)", "turns and blurs an image"))
        >>> print(case.sequence)
        var1 = image.rotate(image=image, degrees=degrees)
        var2 = image.blur(image="$var1$", pixels=2)
        >>> case.memory.values["degrees"]
        'dummy_degrees_0'
    """
    outer, dials = problem.outer, problem.dials
    libraries = []
    for listed in problem.pool:
        module, style = listed.library_name, listed.library.style
        function = Function(listed.name, listed.definition, listed.args, listed.function.returns)
        libraries.append(Library(module, module, style, (function,)).as_data())
    catalog = Catalog(tools=Catalog.load(libraries, "library").tools)
    tools = dict(zip((each.key for each in problem.pool), catalog.tools, strict=True))
    calls: list[Call] = []
    labels: dict[int, str] = {}  # by the identity of a call, as others may be equal
    free = (f"var{number}" for number in counted(1) if f"var{number}" not in outer.arguments)
    values: dict[str, Any] = {subject: {"dummy": subject} for subject in outer.subjects}

    def source(value: Value) -> Source:
        if isinstance(value, Argument):
            return Constant(value=value.value)
        if isinstance(value, Expression):
            return Reference(label=labels[id(value)])
        if isinstance(value, Subject):
            return Reference(label=value.library.name, bare=True)
        outside = outer.names[value.number]
        values[outside] = f"dummy_{value.argument}_{value.number}"
        return Reference(label=outside, bare=True)

    for each in problem.call.calls():
        tool, labels[id(each)] = tools[each.key], next(free)
        given = [*((each.subject,) if each.subject else ()), *each.arguments]
        arguments = dict(zip(tool.parameters, map(source, given), strict=True))
        calls.append(Call(name=tool.name, arguments=arguments, label=labels[id(each)]))
    sequence = Sequence(calls=tuple(calls))
    memory = Memory(values={name: values[name] for name in outer.arguments})
    noise = ("function_noise_type", "description_noise_type", "arg_noise_type")
    told = {"tools": len(tools), "calls": len(calls), **{key: getattr(dials, key) for key in noise}}
    told["fewshot"] = len(dials.fewshot)
    known = memory if outer.arguments else None
    return Case(name or outer.name, sequence, catalog, sequence, memory=known, dials=told)
