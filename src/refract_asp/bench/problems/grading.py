"""
Grades answers without running them.

An answer is as good as the target when it makes the same calls on the same things with the same arguments,
by position or by name. Values that are named first count as if they stood where they are used; a call whose
result nobody uses makes an answer wrong; 5, 5.0, "5" and True are four values.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import TypeAlias, overload

from refract_asp.bench.problems.answers import (
    Applied,
    Fixed,
    Given,
    Method,
    Root,
    Term,
    evaluated,
    function_of,
    returned,
    told,
)
from refract_asp.errors import InputError, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.source import Origin

__all__ = ["Grade", "Test", "execute", "graded", "read_test"]

Grade: TypeAlias = tuple[bool, str | None]
"""Whether an answer passes, and the reason where it does not."""

MAX_TEST = 200_000
_DUMMY = re.compile(r"dummy_(\w+)_\d+_*", re.ASCII)
_HINT = "Give the test of a problem, as get_example returns it."


@dataclass(frozen=True)
class Test:
    """
    A test, as it was read.

    Attributes:
        head: the line that begins the function.
        indent: what each of its lines begins with.
        known: what the names of an answer stand for.
        reference: what is to be computed.
        parameters: what the arguments of a call of the reference are called, by the id of the term.
    """

    __test__ = False

    head: str
    indent: str
    known: dict[str, Term]
    reference: Term
    parameters: dict[int, tuple[str | None, ...]]


@overload
def execute(sample: str, test: str) -> Grade: ...
@overload
def execute(sample: list[str] | tuple[str, ...], test: str) -> list[Grade]: ...
def execute(sample: str | list[str] | tuple[str, ...], test: str) -> Grade | list[Grade]:
    """
    Say whether an answer to a problem passes its test, and if not, why. Nothing of it is run.

    Args:
        sample: what goes on where the prompt ends, or several such answers.
        test: the test of the problem.

    Returns:
        whether it passes, and None or the reason; for several answers a list of such pairs.

    Raises:
        InputError: the test is no test of a problem, or an answer is no text.

    Example:
        >>> from refract_asp.bench.problems import get_example
        >>> test = get_example("solids.volume_of_cone(radius=5)", "gets the volume of a cone").test
        >>> execute("return solids.volume_of_cone(height=height, radius=5)", test)
        (True, None)
        >>> execute("return solids.volume_of_cone(height, 5)", test)
        (False, 'radius of solids.volume_of_cone is height, 5 is wanted')
    """
    read = read_test(test)
    if isinstance(sample, str):
        return graded(sample, read)
    if not isinstance(sample, list | tuple) or not all(isinstance(each, str) for each in sample):
        raise InputError("a text or a list of texts is needed as the answer.")
    return [graded(each, read) for each in sample]


def graded(sample: str, test: Test) -> Grade:
    """Say whether an answer passes a test that was read."""
    try:
        result = returned(function_of(test.head, test.indent, sample), test.known)
    except InputError as error:
        return False, str(error).removesuffix(".")
    difference = _difference(result, test.reference, test.parameters)
    return difference is None, difference


def _difference(
    given: Term, wanted: Term, parameters: dict[int, tuple[str | None, ...]]
) -> str | None:
    """Return how a term differs from the wanted one, by the first place where it does."""
    if isinstance(wanted, Applied) and isinstance(given, Applied):
        return _other_call(given, wanted, parameters)
    if isinstance(wanted, Method) and isinstance(given, Method):
        if given.name != wanted.name:
            return f"{told(given)} is called, {told(wanted)} is wanted"
        return _difference(given.of, wanted.of, parameters)
    if isinstance(wanted, Root) and isinstance(given, Root):
        alike = given.name == wanted.name
    elif isinstance(wanted, Given) and isinstance(given, Given):
        alike = given.dummy == wanted.dummy
    elif isinstance(wanted, Fixed) and isinstance(given, Fixed):
        alike = type(given.value) is type(wanted.value) and repr(given.value) == repr(wanted.value)
    else:
        alike = False
    return None if alike else f"{told(given)} is given, {told(wanted)} is wanted"


def _other_call(
    given: Applied, wanted: Applied, parameters: dict[int, tuple[str | None, ...]]
) -> str | None:
    difference = _difference(given.method, wanted.method, parameters)
    if difference is not None:
        return difference
    what = told(wanted.method)
    names = parameters.get(id(wanted), (None,) * len(wanted.by_position))
    if len(given.by_position) + len(given.by_name) != len(wanted.by_position):
        count = len(given.by_position) + len(given.by_name)
        return f"{what} gets {_counted(count)}, {_counted(len(wanted.by_position))} wanted"
    values: list[Term | None] = [*given.by_position, *[None] * len(given.by_name)]
    nameless = [place for place, name in enumerate(names) if name is None and values[place] is None]
    for name, value in given.by_name.items():
        if name in names:
            place = names.index(name)
        elif len(nameless) == 1:  # there is one place left whose name the test does not tell
            place = nameless[0]
        else:
            known = (
                f"it takes {', '.join(map(str, names))}"
                if None not in names
                else "the test does not name it"
            )
            return f"{what} has no argument {shown(name)}: {known}"
        if values[place] is not None:
            return f"{what} gets {shown(name)} twice"
        values[place] = value
    for place, (filled, reference) in enumerate(zip(values, wanted.by_position, strict=True)):
        if filled is None:
            return f"{what} lacks an argument"
        if _difference(filled, reference, parameters) is not None:
            name = names[place] or f"argument {place + 1}"
            return f"{name} of {what} is {told(filled)}, {told(reference)} is wanted"
    return None


def _counted(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"


def read_test(test: str) -> Test:
    """
    Read a test.

    Raises:
        InputError: it is not of the shape that `get_example` writes.
    """
    if not isinstance(test, str) or len(test) > MAX_TEST:
        raise InputError("this is no test of a problem.", hint=_HINT)
    try:
        return _read(test)
    except (InputError, LookupError, ValueError, TypeError) as error:
        reason = error.what if isinstance(error, InputError) else f"{shown(error)}."
        if isinstance(error, LookupError):
            reason = f"nothing says what {shown(error.args[0] if error.args else error)} is."
        raise InputError(f"this is no test of a problem: {reason}", hint=_HINT) from None


def _read(test: str) -> Test:
    notes = dict(re.findall(r"^# (signature|indent|parameters) = (.*)$", test, re.M))
    head = notes["signature"]
    indent = _indent(notes.get("indent", "'    '"))
    outer = _arguments(head)
    assigned = [
        (statement.targets[0].id, statement.value)
        for statement in parsed(test, Origin()).body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    ]
    known: dict[str, Term] = {}
    for name, value in assigned[:-2]:  # a library, too, may be named x, and the function Dummy
        match value:
            case ast.Call(func=ast.Name(id="Dummy"), args=[], keywords=[]):
                known[name] = Root(name)
            case _:
                raise InputError(f"the line {shown(name)} = is wrong.")
    values = dict(assigned[-2:])
    call = values["x"]
    if not isinstance(call, ast.Call) or call.args:
        raise InputError("the line x = is wrong.")
    dummies: dict[str, Given] = {}
    given: dict[str, Term] = {}
    for keyword in call.keywords:
        match keyword.value:
            case ast.Constant(value=str(dummy)):
                given[str(keyword.arg)] = dummies[dummy] = Given(dummy, str(keyword.arg))
            case ast.Name(id=root):
                given[str(keyword.arg)] = known[root]
            case _:
                raise InputError("the line x = is wrong.")
    if sorted(given) != sorted(outer):
        raise InputError("the line x = does not give what the function takes.")
    reference = _with_dummies(evaluated(values["y"], known), dummies)
    return Test(
        head, indent, {**known, **given}, reference, _parameters(reference, notes.get("parameters"))
    )


def _arguments(head: str) -> list[str]:
    """Return the arguments of the function that a line begins."""
    match parsed(f"{head} pass", Origin()).body:
        case [
            ast.FunctionDef(
                args=ast.arguments(
                    posonlyargs=[],
                    args=arguments,
                    vararg=None,
                    kwonlyargs=[],
                    kwarg=None,
                    defaults=[],
                ),
                body=[ast.Pass()],
            )
        ]:
            return [argument.arg for argument in arguments]
    raise InputError("the signature is wrong.")


def _indent(said: str) -> str:
    match parsed(said, Origin()).body:
        case [ast.Expr(value=ast.Constant(value=str(indent)))] if indent and not indent.strip(
            " \t"
        ):
            return indent
    raise InputError("the indent is wrong.")


def _with_dummies(term: Term, dummies: dict[str, Given]) -> Term:
    """Return the reference with what stands for the arguments of the function."""
    if isinstance(term, Fixed) and isinstance(term.value, str):
        return dummies.get(term.value, term)
    if isinstance(term, Method):
        return Method(_with_dummies(term.of, dummies), term.name)
    if isinstance(term, Applied):
        if term.by_name:
            raise InputError("the line y = names arguments.")
        values = tuple(_with_dummies(value, dummies) for value in term.by_position)
        return Applied(_with_dummies(term.method, dummies), values, {})
    return term


def _parameters(reference: Term, said: str | None) -> dict[int, tuple[str | None, ...]]:
    """Return the names of the arguments of each call; without a list of them what the dummies tell."""
    calls = list(_calls(reference))
    if said is None:
        return {id(call): tuple(_of_dummy(value) for value in call.by_position) for call in calls}
    try:
        lists = json.loads(said)
    except RecursionError:
        raise InputError("the line parameters is nested too deep.") from None
    names = {
        id(call): tuple(str(name) for name in list_)
        for call, list_ in zip(calls, lists, strict=True)
    }
    if any(len(names[id(call)]) != len(call.by_position) for call in calls):
        raise InputError("the line parameters does not fit the calls.")
    return dict(names)


def _of_dummy(value: Term) -> str | None:
    match = _DUMMY.fullmatch(value.dummy) if isinstance(value, Given) else None
    return match[1] if match else None


def _calls(term: Term) -> list[Applied]:
    """Return the calls of a term in the order in which they are completed."""
    if isinstance(term, Method):
        return _calls(term.of)
    if isinstance(term, Applied):
        inner = [
            *_calls(term.method),
            *(call for value in term.by_position for call in _calls(value)),
        ]
        return [*inner, term]
    return []
