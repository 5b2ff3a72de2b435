"""Reads answers and tests as allow-listed syntax trees, and evaluates them to terms; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from refract_asp.bench.problems.expressions import constant_in
from refract_asp.errors import InputError, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.source import Origin

__all__ = [
    "MAX_LENGTH",
    "Applied",
    "Fixed",
    "Given",
    "Method",
    "Names",
    "Root",
    "Term",
    "evaluated",
    "function_of",
    "inside",
    "returned",
    "told",
]


@dataclass(frozen=True, eq=False)
class Fixed:
    """A constant; values of different types are different."""

    value: object


@dataclass(frozen=True, eq=False)
class Given:
    """An argument of the function that was to be written, by the text that stands for it in the test."""

    dummy: str
    name: str


@dataclass(frozen=True, eq=False)
class Root:
    """A library, or an object of one."""

    name: str


@dataclass(frozen=True, eq=False)
class Method:
    """An attribute of something."""

    of: Term
    name: str


@dataclass(frozen=True, eq=False)
class Applied:
    """A call."""

    method: Term
    by_position: tuple[Term, ...]
    by_name: dict[str, Term]


Term: TypeAlias = Fixed | Given | Root | Method | Applied

_MAX_TOLD = 40
"""How many terms are told at most; what is shared is told again."""


def inside(term: Term) -> Iterator[Term]:
    """Yield a term and what it is made of, each once."""
    seen: set[int] = set()
    open = [term]
    while open:
        each = open.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, Method):
            open.append(each.of)
        elif isinstance(each, Applied):
            open += [each.method, *each.by_position, *each.by_name.values()]


def told(term: Term) -> str:
    """Return a term as Python would write it, cut where it is long."""
    budget = [_MAX_TOLD]

    def text(each: Term) -> str:
        budget[0] -= 1
        if budget[0] < 0:
            return "..."
        if isinstance(each, Fixed):
            return shown(repr(each.value), 60)
        if isinstance(each, Given | Root):
            return each.name
        if isinstance(each, Method):
            return f"{text(each.of)}.{each.name}"
        values = [text(value) for value in each.by_position]
        values += [f"{name}={text(value)}" for name, value in each.by_name.items()]
        return f"{text(each.method)}({', '.join(values)})"

    return shown(text(term), 200)


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
    ast.Break: "break",
    ast.Continue: "continue",
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
    """The names that an answer may use, those that it gives a value, and the calls that it has made."""

    known: dict[str, Term]
    own: frozenset[str] = frozenset()
    calls: list[Applied] = field(default_factory=list)


def function_of(head: str, indent: str, sample: str) -> ast.FunctionDef:
    """
    Return the function that a sample goes on with.

    Raises:
        InputError: the sample is too long, no Python, or has code beside the function.
    """
    if len(sample) > MAX_LENGTH:
        raise InputError(f"the answer is longer than {MAX_LENGTH:,} characters.")
    if not sample.strip():
        raise InputError("there is no answer.")
    body = parsed(sample, Origin("answer"), before=f"{head}\n{indent}").body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise InputError("there is code outside the function.")
    return body[0]


def returned(function: ast.FunctionDef, known: Mapping[str, Term]) -> Term:
    """
    Return what a function returns.

    Statements may name a value or return it; a call whose result nobody uses is not what was asked for. What
    stands below the return is not evaluated. It is read, though: a `yield` there, or a new value for a
    library, changes what the function does.

    Raises:
        InputError: a statement or an expression is of another kind, a name is unknown, or a call goes unused.
    """
    try:
        names = _names_in(function, known)
        result = _run(function.body, names)
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


def _names_in(function: ast.FunctionDef, known: Mapping[str, Term]) -> Names:
    """Return the names that can be read at first: no library whose name gets a value in the function."""
    given = {argument.arg for argument in function.args.args}
    own = frozenset(name for name, _ in filter(None, map(_assigned, function.body))) - given
    return Names({name: term for name, term in known.items() if name not in own}, own)


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr | None] | None:
    """Return the name that a statement is about, and the value that it gives it."""
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            return name, value
    return None


def _run(body: list[ast.stmt], names: Names) -> Term:
    for number, statement in enumerate(body):
        _check(statement)
        assigned = _assigned(statement)
        if assigned is not None:
            name, value = assigned
            if value is not None:
                names.known[name] = _value(value, names, 1)
        elif isinstance(statement, ast.Expr):
            _value(statement.value, names, 1)
        elif isinstance(statement, ast.Return):
            for below in body[number + 1 :]:
                _check(below)
                _check_inert(below)
            if statement.value is None:
                break
            return _value(statement.value, names, 1)
    raise _RefusedError("nothing is returned.")


def _check(statement: ast.stmt) -> None:
    """Refuse a statement that does anything else than name, compute or return a value."""
    assigned = _assigned(statement)
    if assigned is not None:
        _check_name(assigned[0])
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        raise _RefusedError("only a single name can be assigned to.")
    elif not isinstance(statement, ast.Return | ast.Pass | ast.Expr):
        raise _refused(statement)
    if isinstance(statement, ast.AnnAssign):
        _check_inert(statement.annotation)


def _check_inert(tree: ast.AST) -> None:
    """Refuse what changes a function even where it is never evaluated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr):
            raise _refused(node)


def _value(node: ast.expr, names: Names, depth: int) -> Term:
    if depth > MAX_DEPTH:
        raise _RefusedError("the answer is nested too deep.")
    match node:
        case ast.Name(id=name):
            if name not in names.known:
                _check_name(name)
                if name in names.own:
                    raise _RefusedError(f"{shown(name)} is read before it gets a value.")
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
    function: ast.expr,
    arguments: list[ast.expr],
    keywords: list[ast.keyword],
    names: Names,
    depth: int,
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
