"""Reads answers and tests as allow-listed syntax trees, and evaluates them to terms; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from refract_asp.bench.problems.signatures import constant_in
from refract_asp.bench.problems.terms import Applied, Fixed, Method, Root, Term, inside, told
from refract_asp.errors import InputError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.python_syntax import parsed

__all__ = ["MAX_LENGTH", "Names", "body_of", "evaluated", "returned"]

MAX_LENGTH = 50_000
"""Characters of an answer."""
MAX_DEPTH = 120
"""How deep expressions may lie in each other."""

_WORDS: dict[type[ast.AST], str] = {
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.For: "a loop",
    ast.While: "a loop",
    ast.If: "a condition",
    ast.IfExp: "a condition",
    ast.Match: "a condition",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.Raise: "raise",
    ast.Assert: "assert",
    ast.Delete: "del",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.FunctionDef: "a function inside",
    ast.AsyncFunctionDef: "a function inside",
    ast.ClassDef: "a class",
    ast.AugAssign: "an operator",
    ast.BinOp: "an operator",
    ast.UnaryOp: "an operator",
    ast.BoolOp: "an operator",
    ast.Compare: "an operator",
    ast.Lambda: "lambda",
    ast.NamedExpr: "an assignment inside an expression",
    ast.JoinedStr: "an f-string",
    ast.Subscript: "an index",
    ast.Starred: "* or **",
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.ListComp: "a loop",
    ast.SetComp: "a loop",
    ast.DictComp: "a loop",
    ast.GeneratorExp: "a loop",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
}


class _RefusedError(Exception):
    """An answer holds what is not read; the message says what."""


@dataclass
class Names:
    """The names that an answer may use, and the calls that it has made."""

    known: dict[str, Term]
    calls: list[Applied] = field(default_factory=list)


def body_of(head: str, indent: str, sample: str) -> list[ast.stmt]:
    """
    Return the statements of a function that a sample goes on with.

    Raises:
        InputError: the sample is too long, no Python, or has code beside the function.
    """
    if len(sample) > MAX_LENGTH:
        raise InputError(f"the answer is longer than {MAX_LENGTH:,} characters.")
    if not sample.strip():
        raise InputError("there is no answer.")
    body = parsed(f"{head}\n{indent}{sample}", Origin("answer")).body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise InputError("there is code outside the function.")
    return body[0].body


def returned(body: list[ast.stmt], known: Mapping[str, Term]) -> Term:
    """
    Return what a function returns.

    Statements may name a value or return it; a call whose result nobody uses is not what was asked for.

    Raises:
        InputError: a statement or an expression is of another kind, a name is unknown, or a call goes unused.
    """
    names = Names(dict(known))
    try:
        result = _run(body, names)
    except _RefusedError as refusal:
        raise InputError(str(refusal)) from None
    used = {id(term) for term in inside(result)}
    for call in names.calls:
        if id(call) not in used:
            raise InputError(f"the result of {told(call)} is not used.")
    return result


def evaluated(node: ast.expr, known: Mapping[str, Term]) -> Term:
    """
    Return the value of an expression.

    Raises:
        InputError: it holds what is not read, or an unknown name.
    """
    try:
        return _value(node, Names(dict(known)), 1)
    except _RefusedError as refusal:
        raise InputError(str(refusal)) from None


def _run(body: list[ast.stmt], names: Names) -> Term:
    for statement in body:
        match statement:
            case ast.Return(value=None) | ast.Pass():
                if isinstance(statement, ast.Return):
                    break
            case ast.Return(value=ast.expr() as value):
                return _value(value, names, 1)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                _check_name(name)
                names.known[name] = _value(value, names, 1)
            case ast.Assign():
                raise _RefusedError("only a single name can be assigned to.")
            case ast.Expr(value=value):
                _value(value, names, 1)
            case _:
                raise _refused(statement)
    raise _RefusedError("nothing is returned.")


def _value(node: ast.expr, names: Names, depth: int) -> Term:
    if depth > MAX_DEPTH:
        raise _RefusedError("the answer is nested too deep.")
    match node:
        case ast.Name(id=name):
            if name not in names.known:
                _check_name(name)
                raise _RefusedError(f"there is nothing named {shown(name)}.")
            return names.known[name]
        case ast.Attribute(value=value, attr=name):
            _check_name(name)
            return Method(_value(value, names, depth + 1), name)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            return _call(function, arguments, keywords, names, depth)
    try:
        constant = constant_in(node)
    except InputError as error:
        raise _RefusedError(error.what) from None
    if constant is None:
        raise _refused(node)
    return Fixed(constant.value)


def _call(
    function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword], names: Names, depth: int
) -> Applied:
    method = _value(function, names, depth + 1)
    if isinstance(method, Root):
        raise _RefusedError(f"{method.name} is no function.")
    if not isinstance(method, Method):
        raise _RefusedError(f"{told(method)} cannot be called.")
    by_name: dict[str, Term] = {}
    by_position = tuple(_value(argument, names, depth + 1) for argument in arguments)
    for keyword in keywords:
        if keyword.arg is None:
            raise _RefusedError("* or ** is not read.")
        if keyword.arg in by_name:
            raise _RefusedError(f"{shown(keyword.arg)} is given twice.")
        by_name[keyword.arg] = _value(keyword.value, names, depth + 1)
    call = Applied(method, by_position, by_name)
    names.calls.append(call)
    return call


def _check_name(name: str) -> None:
    if name.startswith("__"):
        raise _RefusedError(f"names such as {shown(name)} are not read.")


def _refused(node: ast.AST) -> _RefusedError:
    return _RefusedError(f"{_WORDS.get(type(node), type(node).__name__)} is not read.")
